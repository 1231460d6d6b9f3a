"""A simultaneous confidence region for what a table says: valid for every number of rows.

The distribution of the data is a product of conditional distributions, one for each variable and row of its
Markov pillow, and each of those is a series of tosses of *coins*: given the row, and that it is none of the
lower levels, is it this level? Given the rows before it, the heads of each coin are binomial. So

* each coin's chance lies in its Clopper–Pearson interval (Clopper and Pearson 1934), all of them at once by
  Bonferroni's inequality, and
* the squared normal deviates of all coins' Clopper–Pearson p-values do not sum to too much (Lancaster 1961):
  each p-value is at least as large as a uniform variable given those before it, so the sum is at most a χ²
  variable. That it is convex in each chance makes the set convex, and tangents give linear inequalities that
  contain it.

The first bounds a single chance best, the second many chances at once: no more than a few coins can be far
from what was seen. Each has half of the error probability, which loses little against either alone. Unlike
likelihood ratios, whose distribution is only known for many rows, both hold for every number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import special

from fairwitness.causal.graph.separation import separated
from fairwitness.causal.sampling.tails import Tosses, distances, limits, slopes
from fairwitness.causal.solver.factors import Model
from fairwitness.errors import ConfigError
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Where tangents touch, in normal deviates. Between two of them they miss the curve by 0.03 at most.
_TOUCHING = np.arange(0.25, 12.0, 0.5)


class Coin(NamedTuple):
    """Whether ``variable`` takes a level, if ``given`` take these values, and it none of the lower levels."""

    variable: str
    given: tuple[str, ...]
    row: tuple[int, ...]
    level: int


class Tangents(NamedTuple):
    """Lines below the penalties: ``penalty[coin] ≥ at + slope · chance[coin]``."""

    coin: IntArray
    at: FloatArray
    slope: FloatArray


@dataclass(frozen=True, eq=False)
class Region:
    """The chances that agree with what was seen.

    Attributes
    ----------
    lower, upper
        (m,) interval of each chance.
    budget
        No more than this may the penalties (half the squared deviates) of ``pooled`` coins sum to; ``None``:
        no limit.
    seen
        What it was made of.
    """

    coins: tuple[Coin, ...]
    lower: FloatArray
    upper: FloatArray
    budget: float | None
    pooled: BoolArray
    seen: Tosses

    @property
    def n_uncertain(self) -> int:
        """How many chances are not known."""
        return int((~self.seen.exact).sum())

    def penalty(self, chances: FloatArray) -> FloatArray:
        """Give (m,) half the squared deviate of each coin's chance; 0 where nothing was seen."""
        found = 0.5 * distances(self.seen, np.asarray(chances, dtype=np.float64)) ** 2
        return np.where(self.pooled & (self.seen.tosses > 0), found, 0.0)

    def contains(self, chances: FloatArray) -> bool:
        """Say whether the chances are in the region."""
        inside = bool(np.all((chances >= self.lower) & (chances <= self.upper)))
        return inside and (self.budget is None or float(self.penalty(chances).sum()) <= self.budget)

    @cached_property
    def tangents(self) -> Tangents:
        """Lines below the penalties; none where there is no budget."""
        parts: list[tuple[IntArray, FloatArray, FloatArray]] = []
        if self.budget is not None:
            which = np.flatnonzero(self.pooled & (self.seen.tosses > 0))
            for distance in _TOUCHING:
                if 0.5 * distance**2 > self.budget:
                    break
                log_tail = float(special.log_ndtr(-distance))
                for above, points in zip((False, True), limits(self.seen, log_tail), strict=True):
                    # where the interval ends earlier, the penalty cannot be that large
                    touched = which[(points[which] < self.upper[which]) & (points[which] > self.lower[which])]
                    steep, heights = slopes(self.seen.take(touched), points[touched], above=above)
                    parts.append((touched, heights - steep * points[touched], steep))
        if not parts:
            empty = np.zeros(0)
            return Tangents(np.zeros(0, dtype=np.int64), empty, empty)
        return Tangents(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def tosses(model: Model, coins: Sequence[Coin]) -> Tosses:
    """Count heads and tosses of each coin.

    Raises
    ------
    ConfigError
        If the number of rows is not known.
    """
    tables: dict[tuple[str, tuple[str, ...]], FloatArray] = {}
    m = len(coins)
    heads, total = np.zeros(m), np.zeros(m)
    exact, average = np.zeros(m, dtype=bool), np.zeros(m, dtype=bool)
    kernel = model.kernel
    sizes = None if kernel is None else kernel.rows
    for number, (variable, given, row, level) in enumerate(coins):
        if kernel is not None and variable == kernel.outcome:
            shares = kernel.table[row]
            if np.isnan(shares).any():
                continue
            if sizes is None:
                left = max(1.0 - float(shares[:level].sum()), 0.0)
                exact[number] = left > 0
                heads[number], total[number] = min(float(shares[level]), left), left
                continue
            cells = shares * float(sizes[row])
            average[number] = bool(np.any(np.abs(cells - np.round(cells)) > 1e-6))
            cells = cells if average[number] else np.round(cells)
        else:
            if (variable, given) not in tables:
                tables[variable, given] = counted(model, (*given, variable))
            cells = tables[variable, given][row]
        heads[number], total[number] = cells[level], cells[level:].sum()
    return Tosses(heads, total, exact, average)


def counted(model: Model, names: Sequence[str]) -> FloatArray:
    """Count rows by some variables' values; axes in their order.

    Raises
    ------
    ConfigError
        If the number of rows is not known.
    """
    distribution = model.distribution
    counts = distribution.counts
    if counts is None and distribution.n is not None:  # rows were counted, only not those of the outcome
        counts = distribution.probability * distribution.n
    if counts is None or bool(np.any(np.abs(counts - np.round(counts)) > 1e-6)):
        raise ConfigError(
            "a confidence interval needs the number of rows behind each probability",
            got="a table of probabilities or survey weights",
            fix="pass the rows or the counts of the cells, or leave out confidence=",
        )
    kept = [model.place[name] for name in names]
    summed = np.round(counts).sum(axis=tuple(axis for axis in range(counts.ndim) if axis not in kept))
    return np.transpose(summed, [sorted(kept).index(axis) for axis in kept])


def confidence_region(model: Model, coins: Sequence[Coin], confidence: float) -> Region:
    """Make the region that contains the true chances of ``coins`` with probability ``confidence`` or more.

    Parameters
    ----------
    coins
        Chosen by the question and the graph, never by what was seen.
    """
    chosen = tuple(coins)
    seen = tosses(model, chosen)
    pooled = _pooled(model, chosen) & ~seen.exact
    # Coins never tossed count here, too: which they are depends on the coins before them.
    m = int(pooled.sum())
    error = 1.0 - confidence
    share = error if m <= 1 else error / 2
    lower, upper = _intervals(chosen, seen, share)
    budget = None if m <= 1 else float(special.gammainccinv(m / 2, error - share))
    return Region(chosen, lower, upper, budget, pooled, seen)


def _pooled(model: Model, coins: Sequence[Coin]) -> BoolArray:
    """Choose coins that can be looked at one after another, each binomial whatever those before it gave."""
    sizes: dict[tuple[str, tuple[str, ...]], int] = {}
    for coin in coins:
        sizes[coin.variable, coin.given] = sizes.get((coin.variable, coin.given), 0) + 1
    ordered = sorted(sizes, key=lambda each: (model.place[each[0]], -sizes[each], each))
    used: set[str] = set()
    chosen: set[tuple[str, tuple[str, ...]]] = set()
    for variable, given in ordered:
        beyond = used - set(given)
        if variable in used or (beyond and not separated(model.graph, {variable}, beyond, given)):
            continue
        chosen.add((variable, given))
        used |= {variable, *given}
    return np.array([(coin.variable, coin.given) in chosen for coin in coins], dtype=bool)


def _intervals(coins: Sequence[Coin], seen: Tosses, error: float) -> tuple[FloatArray, FloatArray]:
    """Give simultaneous intervals.

    A variable's part of the error (given the same others) is fixed beforehand. It is divided among those of
    its rows that occur, which is allowed as that is known before the variable itself is looked at.
    """
    open_coins = [number for number in range(len(coins)) if not seen.exact[number]]
    of_variable: dict[tuple[object, ...], list[int]] = {}
    of_row: dict[tuple[object, ...], list[int]] = {}
    for number in open_coins:
        of_variable.setdefault(coins[number][:2], []).append(number)
        of_row.setdefault(coins[number][:3], []).append(number)
    tails = np.full(len(coins), 0.5)
    for numbers in of_variable.values():
        # a row that has one toss of one coin has tosses of its first coin
        occurring = [
            number for number in numbers if any(seen.tosses[mate] > 0 for mate in of_row[coins[number][:3]])
        ]
        for number in occurring:
            tails[number] = error * len(numbers) / len(open_coins) / len(occurring) / 2
    lower, upper = limits(seen, np.log(tails))
    with np.errstate(invalid="ignore", divide="ignore"):
        known = np.where(seen.exact, seen.heads / seen.tosses, 0.0)
    return np.where(seen.exact, known, lower), np.where(seen.exact, known, upper)
