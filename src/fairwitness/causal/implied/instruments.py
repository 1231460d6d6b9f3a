"""Instrumental inequalities: what a variable that reaches an outcome only through another one must obey."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.data.tables import marginal
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.graph.separation import separated
from fairwitness.text import plain
from fairwitness.typing import FloatArray

#: Most choices of a value of the instrument for each value of the outcome that are tested one by one.
_MOST_CHOICES = 100_000


@dataclass(frozen=True, slots=True)
class Instrument:
    """``z`` reaches ``y`` only through ``x`` and has no cause in common with ``y``, given ``given``.

    Then Σ_y max_z P(x, y | z, given) ≤ 1 for every value of x (Pearl 1995), however x and y are confounded.
    """

    z: str
    x: str
    y: str
    given: tuple[str, ...] = ()

    def __str__(self) -> str:
        condition = f" | {', '.join(map(plain, self.given))}" if self.given else ""
        return f"{plain(self.z)} is an instrument for {plain(self.x)} → {plain(self.y)}{condition}"


def instruments(graph: CausalGraph) -> tuple[Instrument, ...]:
    """Find the triples whose inequality says more than the independences do.

    That is: with the edges out of ``x`` cut, something separates ``z`` from ``y``; ``z`` and ``x`` are
    dependent; and with all edges nothing separates ``z`` from ``y``, else there is an independence instead.

    References
    ----------
    J. Pearl (1995), On the testability of causal models with latent and instrumental variables.
    """
    found = []
    for x in graph.nodes:
        below = graph.descendants(x)
        if len(below) == 1:
            continue
        cut = CausalGraph(
            [edge for edge in graph.directed if edge[0] != x], graph.bidirected, nodes=graph.nodes
        )
        outside = [name for name in graph.nodes if name not in below]
        for y in (name for name in graph.nodes if name in below and name != x):
            for z in outside:
                given = _separator(cut, z, y, [name for name in outside if name != z])
                if given is None or separated(graph, [z], [x], given):
                    continue
                if _separator(graph, z, y, [name for name in graph.nodes if name not in (z, y)]) is None:
                    found.append(Instrument(z, x, y, given))
    return tuple(found)


def _separator(graph: CausalGraph, first: str, second: str, allowed: list[str]) -> tuple[str, ...] | None:
    """Find variables among ``allowed`` that separate two, none of them needlessly."""
    around = graph.ancestors(first, second)
    given = [name for name in allowed if name in around]
    if not separated(graph, [first], [second], given):
        return None
    for name in list(given):
        fewer = [each for each in given if each != name]
        if separated(graph, [first], [second], fewer):
            given = fewer
    return tuple(given)


def instrument_test(distribution: Distribution, instrument: Instrument) -> tuple[float, float, str | None]:
    """Give the largest Σ_y max_z P(x, y | z, given), and the p-value of it being at most 1.

    For each value of x, of what is given, and for each choice of a z for every y, the sum is one of
    independent shares; the likelihood ratio of a sum of at most 1 gives a p-value (half a χ² of one degree of
    freedom), multiplied by the number of choices.

    Returns
    -------
    value, p_value, reason
        The p-value is NaN where there is a reason.
    """
    names = (*instrument.given, instrument.z, instrument.x, instrument.y)
    axes = [distribution.axis(name) for name in names]
    cards = [distribution.cards[axis] for axis in axes]
    joint = marginal(distribution.probability, axes).reshape(-1, *cards[-3:])
    value, p_value = 0.0, 1.0
    choices = 0
    reason = not_counted(distribution)
    for stratum in joint:
        size = stratum.sum(axis=(1, 2))
        shares = stratum[size > 0] / size[size > 0, None, None]  # P(x, y | z) with axes z, x, y
        if not len(shares):
            continue
        value = max(value, float(shares.max(axis=0).sum(axis=1).max()))
        choices += shares.shape[1] * len(shares) ** shares.shape[2]
        if choices > _MOST_CHOICES:
            reason = reason or f"more than {_MOST_CHOICES:,} combinations of values would have to be tested"
        if reason is None and distribution.n is not None:
            p_value = min(p_value, _smallest_p(shares, size[size > 0] * distribution.n))
    return value, np.nan if reason else min(p_value * choices, 1.0), reason


def not_counted(distribution: Distribution) -> str | None:
    """Say why a distribution allows no p-values, if it does not."""
    if distribution.n is None:
        return "the number of rows is not known"
    if distribution.counts is None:
        return "some probabilities are a predictor's, not counted"
    if bool((distribution.counts != np.rint(distribution.counts)).any()):
        return "counts are not whole numbers"
    return None


def _smallest_p(shares: FloatArray, rows: FloatArray) -> float:
    """Give the smallest p-value over the values of x and all choices of a z for each y."""
    from scipy.special import chdtrc

    largest = 0.0
    for at_x in np.moveaxis(shares, 1, 0):  # z, y
        if at_x.max(axis=0).sum() <= 1:
            continue
        for choice in itertools.product(range(at_x.shape[0]), repeat=at_x.shape[1]):
            sums = np.zeros(len(rows))
            np.add.at(sums, list(choice), at_x[list(choice), range(len(choice))])
            if sums.sum() > 1:
                used = np.isin(range(len(rows)), choice)
                largest = max(largest, _likelihood_ratio(sums[used], rows[used]))
    return float(chdtrc(1, largest)) / 2 if largest > 0 else 1.0


def _likelihood_ratio(shares: FloatArray, rows: FloatArray) -> float:
    """Give 2 log of the likelihood of independent ``shares`` over the largest with a sum of at most 1.

    The closest shares q solve n (p − q) / (q (1 − q)) = λ for one λ, found by bisection.
    """
    if len(shares) == 1:
        return 0.0

    def closest(multiplier: float) -> FloatArray:
        # λ q² − (λ + n) q + n p = 0, the root in [0, 1], written so that nothing cancels
        b = multiplier + rows
        root: FloatArray = 2 * rows * shares / (b + np.sqrt(b * b - 4 * multiplier * rows * shares))
        return root

    low, high = 0.0, float(rows.max())
    while closest(high).sum() > 1:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if closest(middle).sum() > 1 else (low, middle)
    q = closest(high)
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(shares > 0, shares * np.log(shares / q), 0)
        no = np.where(shares < 1, (1 - shares) * np.log((1 - shares) / (1 - q)), 0)
    return float(2 * np.sum(rows * (yes + no)))
