"""Sums over rows a group, and what is a function of them: regression, Brier score, log loss, entropy.

The sums of a group's rows are kept in units: single rows, or where there are many, blocks of rows dealt at
random. Drawing units with replacement is the bootstrap of the rows, or has its variance (blocks of rows
drawn at random).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from fairwitness.metrics.counted.entropy import entropy_of_sums
from fairwitness.metrics.counted.sums import group_sums
from fairwitness.typing import FloatArray, IntArray

#: Units of all groups together, and the fewest that a group with more rows keeps.
MOST_UNITS, FEWEST_UNITS = 4096, 64

Sums = Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Sums of named quantities a group, and a way to resample them.

    Attributes
    ----------
    names
        What is summed; ``"weight"`` comes first.
    units
        One (u, m) array a group: its units' sums.
    rows
        (G,) numbers of rows.
    n
        (G + 1,) effective numbers of rows; everyone comes last.
    """

    names: tuple[str, ...]
    units: tuple[FloatArray, ...]
    rows: IntArray
    n: FloatArray

    def sums(self) -> dict[str, FloatArray]:
        """Give (G + 1,) sums by name; everyone comes last."""
        table = np.stack([unit.sum(axis=0) for unit in self.units])
        return self._named(np.concatenate([table, table.sum(axis=0, keepdims=True)]))

    def resampled(self, n_resamples: int, rng: np.random.Generator) -> dict[str, FloatArray]:
        """Give (B, G + 1) bootstrapped sums by name; each group keeps its number of units."""
        table = np.zeros((n_resamples, len(self.units) + 1, len(self.names)))
        for group, units in enumerate(self.units):
            u = len(units)
            if not u:
                continue
            step = max(2_000_000 // u, 1)
            for at in range(0, n_resamples, step):
                size = min(step, n_resamples - at)
                drawn = rng.integers(0, u, size=(size, u)) + (np.arange(size) * u)[:, None]
                counts = np.bincount(drawn.ravel(), minlength=size * u).reshape(size, u)
                table[at : at + size, group] = counts @ units
        table[:, -1] = table[:, :-1].sum(axis=1)
        return self._named(table)

    def _named(self, table: FloatArray) -> dict[str, FloatArray]:
        return {name: table[..., at] for at, name in enumerate(self.names)}


def sum_rows(
    columns: Mapping[str, FloatArray],
    codes: IntArray,
    n_groups: int,
    rng: np.random.Generator,
    *,
    sample_weight: FloatArray | None = None,
) -> Moments:
    """Sum columns a group, in units.

    Parameters
    ----------
    columns
        Name → (n,) numbers.
    codes
        (n,) group of each row; −1 leaves the row out.
    n_groups
        Number of groups, G.
    rng
        Deals the rows of large groups into blocks.
    sample_weight
        (n,) weights, at least 0; ``None`` for 1 each.
    """
    weight = np.ones(len(codes)) if sample_weight is None else sample_weight
    rows = np.bincount(codes[codes >= 0], minlength=n_groups).astype(np.int64)
    size = np.minimum(rows, np.maximum(MOST_UNITS * rows // max(int(rows.sum()), 1), FEWEST_UNITS))
    start = np.concatenate([[0], np.cumsum(size)])
    # Rows in random order, numbered within their group: number modulo size is the unit.
    order = rng.permutation(len(codes)) if (size < rows).any() else np.arange(len(codes))
    order = order[np.argsort(codes[order], kind="stable")][int((codes < 0).sum()) :]
    within = np.arange(len(order)) - np.repeat(np.cumsum(rows) - rows, rows)
    unit = start[codes[order]] + within % np.maximum(size[codes[order]], 1)
    table = np.stack(
        [
            group_sums(each[order], unit, int(start[-1]))
            for each in (weight, *(weight * values for values in columns.values()))
        ],
        axis=1,
    )
    squares, total = (group_sums(each, codes, n_groups) for each in (weight**2, weight))
    squares, total = np.append(squares, squares.sum()), np.append(total, total.sum())
    with np.errstate(invalid="ignore"):
        n = np.where(total > 0, total**2 / squares, 0.0)
    units = tuple(table[start[g] : start[g + 1]] for g in range(n_groups))
    return Moments(("weight", *columns), units, rows, n)


def _mean(name: str) -> Callable[[Sums], FloatArray]:
    def mean(sums: Sums) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums[name] / sums["weight"])

    return mean


def _r2(sums: Sums) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        # The squares are of y less its overall mean, so little is cancelled.
        spread = sums["y²"] - sums["y"] ** 2 / sums["weight"]
        return np.where(spread > 1e-12 * sums["y²"], 1 - sums["residual²"] / spread, np.nan)


def _entropy(alpha: float) -> Callable[[Sums], FloatArray]:
    power = "benefit²" if alpha == 2 else "benefit ln benefit"
    return lambda sums: entropy_of_sums(sums["weight"], sums["benefit"], sums[power], alpha)


def _rmse(sums: Sums) -> FloatArray:
    return np.sqrt(_mean("residual²")(sums))


#: Metric → function of the sums.
OF_SUMS: Mapping[str, Callable[[Sums], FloatArray]] = {
    "rmse": _rmse,
    "mae": _mean("|residual|"),
    "r2": _r2,
    "mean_residual": _mean("residual"),
    "mean_prediction": _mean("prediction"),
    "brier_score": _mean("brier"),
    "log_loss": _mean("log loss"),
    "generalized_entropy_index": _entropy(2),
    "theil_index": _entropy(1),
    "coefficient_of_variation": lambda sums: np.sqrt(2 * _entropy(2)(sums)),
    "card_cv": _entropy(2),
    "paper_cv": lambda sums: 2 * np.sqrt(_entropy(2)(sums)),
}
