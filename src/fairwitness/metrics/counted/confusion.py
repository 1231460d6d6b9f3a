"""The one tensor C[group, true label, predicted label], and what is made of it: rates and performance.

Functions take cells of shape (..., K, K), so the resampled tensors of a bootstrap go through the same code
as the counted one. Of two labels, position 1 is the favourable one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairwitness.errors import DataError
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Rate → which of the four cells (y, ŷ) = 00, 01, 10, 11 are its numerator and its denominator.
RATE_CELLS: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "selection_rate": ((0, 1, 0, 1), (1, 1, 1, 1)),
    "true_positive_rate": ((0, 0, 0, 1), (0, 0, 1, 1)),
    "false_positive_rate": ((0, 1, 0, 0), (1, 1, 0, 0)),
    "true_negative_rate": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "false_negative_rate": ((0, 0, 1, 0), (0, 0, 1, 1)),
    "positive_predictive_value": ((0, 0, 0, 1), (0, 1, 0, 1)),
    "negative_predictive_value": ((1, 0, 0, 0), (1, 0, 1, 0)),
    # The same shares under the names that a table of performance has.
    "precision": ((0, 0, 0, 1), (0, 1, 0, 1)),
    "recall": ((0, 0, 0, 1), (0, 0, 1, 1)),
    "specificity": ((1, 0, 0, 0), (1, 1, 0, 0)),
}
#: Most different labels that are told apart.
MOST_CLASSES = 200


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """A share of rows in every group: value, numerator, denominator, effective n.

    Attributes
    ----------
    value
        Shares in [0, 1]; NaN where the denominator is 0.
    numerator, denominator
        Sums of weights; numbers of rows without weights.
    rows
        Numbers of rows in the denominator, whatever the weights.
    n
        Effective number of rows: ``rows`` without weights, else Kish's (Σw)² / Σw².
    """

    value: FloatArray
    numerator: FloatArray
    denominator: FloatArray
    rows: IntArray
    n: FloatArray

    @property
    def successes(self) -> FloatArray:
        """``value`` times ``n``: what a score interval takes for the number of successes."""
        return np.where(self.n > 0, np.nan_to_num(self.value) * self.n, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Sums over the cells group × true label × predicted label.

    Attributes
    ----------
    rows
        (..., K, K) numbers of rows.
    weight, squares
        (..., K, K) sums of the weights and of their squares; equal to ``rows`` without weights.
    favorable
        Position of the favourable label.
    has_outcome
        Whether true labels are known; if not, all rows stand at label 0.
    """

    rows: IntArray
    weight: FloatArray
    squares: FloatArray
    favorable: int
    has_outcome: bool
    weighted: bool

    def binary(self) -> Confusion:
        """Give the tensor of two labels, the favourable (1) and all others (0)."""
        at = self.favorable
        if self.rows.shape[-1] == 2 and at == 1:
            return self
        return Confusion(
            two_labels(self.rows, at).astype(np.int64),
            two_labels(self.weight, at),
            two_labels(self.squares, at),
            1,
            self.has_outcome,
            self.weighted,
        )

    def with_overall(self) -> Confusion:
        """Add a last entry along the axis of groups: everyone."""
        parts = (np.concatenate([a, a.sum(axis=-3, keepdims=True)], axis=-3) for a in self._arrays())
        rows, weight, squares = parts
        return Confusion(rows, weight, squares, self.favorable, self.has_outcome, self.weighted)

    def shares(self, name: str) -> Shares:
        """Give one of the rates of :data:`RATE_CELLS`, or ``"accuracy"``, for every group."""
        if name == "accuracy":
            hits, among = np.eye(self.rows.shape[-1]).ravel(), np.ones(self.rows.shape[-1] ** 2)
            tensor = self
        else:
            hits, among = (np.array(cells, dtype=np.float64) for cells in RATE_CELLS[name])
            tensor = self.binary()
        rows, weight, squares = (a.reshape(*a.shape[:-2], -1) for a in tensor._arrays())
        total = np.asarray(weight @ among, dtype=np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = (weight @ hits) / total
            n = np.where(total > 0, total**2 / (squares @ among), 0.0)
        return Shares(
            value,
            np.asarray(weight @ hits, dtype=np.float64),
            total,
            np.rint(rows @ among).astype(np.int64),
            n,
        )

    def resample(self, n_resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield batches (b, ..., K, K) of bootstrapped sums of weights: rows are drawn with replacement.

        The numbers of rows in the cells of a resample are multinomial, so this is the bootstrap of the rows
        itself, not an approximation of it. With weights, the sum over the m rows drawn in a cell is taken
        from the gamma distribution that has its mean and its variance.
        """
        flat = self.rows.ravel().astype(np.float64)
        total = int(flat.sum())
        occupied = np.flatnonzero(flat)
        batch = max(2_000_000 // max(flat.size, 1), 1)
        if self.weighted:
            with np.errstate(invalid="ignore", divide="ignore"):
                mean = (self.weight.ravel() / flat)[occupied]
                variance = np.maximum((self.squares.ravel() / flat)[occupied] - mean**2, 0.0)
            # What is left of the variance of equal weights is rounding.
            spread = variance > 1e-12 * mean**2
        for at in range(0, n_resamples, batch):
            size = min(batch, n_resamples - at)
            out = np.zeros((size, flat.size))
            if total:
                drawn = rng.multinomial(total, flat[occupied] / total, size=size).astype(np.float64)
                if self.weighted:
                    sums = drawn * mean
                    shape = drawn[:, spread] * (mean**2)[spread] / variance[spread]
                    sums[:, spread] = rng.gamma(shape) * (variance[spread] / mean[spread])
                    drawn = sums
                out[:, occupied] = drawn
            yield out.reshape(size, *self.rows.shape)

    def _arrays(self) -> tuple[Any, FloatArray, FloatArray]:
        return self.rows, self.weight, self.squares


def count_labels(
    predicted: IntArray | BoolArray,
    codes: IntArray,
    n_groups: int,
    true: IntArray | BoolArray | None = None,
    *,
    n_labels: int = 2,
    favorable: int = 1,
    sample_weight: FloatArray | None = None,
    rows: IntArray | None = None,
    squares: FloatArray | None = None,
    names: tuple[str, str, str] = ("y_pred", "y_true", "sample_weight"),
) -> Confusion:
    """Count the rows of every group, true and predicted label, in one pass.

    Parameters
    ----------
    predicted
        (n,) position of each predicted label (or booleans).
    codes
        (n,) group of each row, 0 to ``n_groups - 1``; −1 leaves the row out.
    n_groups
        Number of groups, G.
    true
        (n,) position of each true label; ``None`` if not known.
    n_labels
        Number of labels, K.
    favorable
        Position of the favourable label.
    sample_weight
        (n,) weights, at least 0; ``None`` for 1 each.
    rows, squares
        (n,) rows that each entry stands for, where cells were counted, and the sums of squares of
        their weights; ``None`` for one row each.
    names
        What the caller calls predictions, true labels and weights, for messages.

    Returns
    -------
    Confusion
        Of shape (G, K, K).

    Raises
    ------
    DataError
        If lengths differ, a weight is negative or not finite, or there are more than :data:`MOST_CLASSES`
        labels.
    """
    if n_labels > MOST_CLASSES:
        # K labels make K × K cells a group, and each of them is resampled.
        raise DataError(
            f"there are more than {MOST_CLASSES} different labels in {names[0]} and {names[1]}",
            got=f"{n_labels:,}",
            fix='merge rare labels; pass scores as y_score=, and amounts with task="regression"',
        )
    n = len(codes)
    for name, values in zip(names, (predicted, true, sample_weight), strict=True):
        if values is not None and values.shape != (n,):
            raise DataError(
                f"{name} and the groups differ in their number of rows",
                got=f"shape {values.shape} and {n} rows",
                fix="pass one value a row",
            )
    size = n_labels * n_labels
    # Codes of left-out rows fall into the first block of cells, which is cut off.
    cells = (np.asarray(codes, dtype=np.int64) + 1) * size
    if true is not None:
        cells += true.astype(np.int64) * n_labels
    cells += predicted

    def summed(weights: FloatArray | IntArray | None) -> FloatArray:
        flat = np.bincount(cells, weights=weights, minlength=size * (n_groups + 1))
        return np.asarray(flat[size:].reshape(n_groups, n_labels, n_labels))

    counted = summed(rows).astype(np.int64)
    if sample_weight is None:
        weight = squared = counted.astype(np.float64)
    else:
        check_weights(sample_weight)
        weight = summed(np.asarray(sample_weight, dtype=np.float64))
        squared = summed(np.square(sample_weight, dtype=np.float64) if squares is None else squares)
    return Confusion(counted, weight, squared, favorable, true is not None, sample_weight is not None)


def check_weights(sample_weight: FloatArray) -> None:
    """Stop if a weight is negative, infinite or missing.

    Raises
    ------
    DataError
        With the first such row.
    """
    good = np.isfinite(sample_weight) & (sample_weight >= 0)
    if not good.all():
        raise DataError(
            "a sample weight is negative or not a number",
            got=f"row {int(np.flatnonzero(~good)[0])}",
            fix="pass weights of at least 0",
        )


def two_labels(cells: np.ndarray, favorable: int) -> np.ndarray:
    """Sum (..., K, K) cells to (..., 2, 2): other and favourable label."""
    if cells.shape[-1] == 2 and favorable == 1:
        return cells
    other = [at for at in range(cells.shape[-1]) if at != favorable]
    rows = np.stack([cells[..., other, :].sum(axis=-2), cells[..., favorable, :]], axis=-2)
    return np.stack([rows[..., other].sum(axis=-1), rows[..., favorable]], axis=-1)


def balanced_accuracy(cells: FloatArray) -> FloatArray:
    """Mean recall over the labels that Y has, (...,); NaN where it has one label or none."""
    total = cells.sum(axis=-1)
    met = total > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        recall = np.diagonal(cells, axis1=-2, axis2=-1) / total
        mean = np.where(met, recall, 0.0).sum(axis=-1) / met.sum(axis=-1)
    return np.where(met.sum(axis=-1) > 1, mean, np.nan)


def f1(cells: FloatArray) -> FloatArray:
    """2TP / (2TP + FP + FN) of (..., 2, 2) cells; NaN where there is no such row."""
    hit = 2 * cells[..., 1, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(hit / (hit + cells[..., 0, 1] + cells[..., 1, 0]))


def mcc(cells: FloatArray) -> FloatArray:
    """Correlation of true and predicted labels over (..., K, K) cells; NaN where one of them is constant.

    References
    ----------
    J. Gorodkin (2004), Comparing two K-category assignments by a K-category correlation coefficient.
    """
    total = cells.sum(axis=(-2, -1))
    true, predicted = cells.sum(axis=-1), cells.sum(axis=-2)
    agree = np.diagonal(cells, axis1=-2, axis2=-1).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        true, predicted, agree = true / total[..., None], predicted / total[..., None], agree / total
        spread = (1 - (true**2).sum(axis=-1)) * (1 - (predicted**2).sum(axis=-1))
        value = (agree - (true * predicted).sum(axis=-1)) / np.sqrt(spread)
    several = ((true > 0).sum(axis=-1) > 1) & ((predicted > 0).sum(axis=-1) > 1)
    return np.where(several, value, np.nan)


def share_of(name: str) -> Callable[[FloatArray], FloatArray]:
    """Give the function from (..., 2, 2) cells to a rate, for resampled tensors."""
    hits, among = (np.array(cells, dtype=np.float64) for cells in RATE_CELLS[name])

    def share(cells: FloatArray) -> FloatArray:
        flat = cells.reshape(*cells.shape[:-2], 4)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((flat @ hits) / (flat @ among))

    return share


def accuracy(cells: FloatArray) -> FloatArray:
    """Share of (..., K, K) cells on the diagonal; NaN where there is no row."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.diagonal(cells, axis1=-2, axis2=-1).sum(axis=-1) / cells.sum(axis=(-2, -1)))
