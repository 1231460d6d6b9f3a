"""Metrics of scores: exact where they are reported, on bins of equal content where they are resampled.

All functions take the weight of each class at ascending scores, (..., B) arrays of scores of any number of
samples at once, so a bootstrap of histograms goes through the code of the estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fairwitness.errors import DataError
from fairwitness.metrics.counted.confusion import Confusion
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Bins of a score where it has more distinct values; fewer for many groups.
MOST_BINS = 2048
#: Bins of equal width in the calibration error.
CALIBRATION_BINS = 10
#: How far probabilities are kept from 0 and 1 in the log loss.
CLIP = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Weights at ascending scores, a group and a class.

    Attributes
    ----------
    rows, weight, squares
        (G, 2, B) rows, sums of weights and of their squares: group, outcome, place of the score. All rows
        have outcome 0 where none is known.
    values
        (B,) ascending scores; means of bins where there were more.
    exact
        Whether ``values`` are all the scores there are.
    """

    rows: IntArray
    weight: FloatArray
    squares: FloatArray
    values: FloatArray
    exact: bool


def histogram(
    scores: FloatArray,
    codes: IntArray,
    n_groups: int,
    good: BoolArray | None,
    sample_weight: FloatArray | None,
    *,
    most: int = MOST_BINS,
    rows: IntArray | None = None,
    squares: FloatArray | None = None,
) -> Histogram:
    """Count scores a group and outcome; at most ``most`` bins, of about equal numbers of rows.

    ``rows`` and ``squares`` are those of entries that stand for several rows, as in
    :func:`fairwitness.metrics.count_labels`.
    """
    values, place = np.unique(scores, return_inverse=True)
    exact = len(values) <= most
    if not exact:
        met = np.bincount(place, rows)
        bins = np.minimum((np.cumsum(met) - met / 2) * most // met.sum(), most - 1).astype(np.int64)
        bins = np.unique(bins, return_inverse=True)[1]
        middle = np.bincount(bins, weights=values * met) / np.bincount(bins, weights=met)
        place, values = bins[place], middle
    size = len(values)
    cells = (codes + 1) * (2 * size) + place
    if good is not None:
        cells += good.astype(np.int64) * size

    def summed(weights: FloatArray | IntArray | None) -> np.ndarray:
        return np.bincount(cells, weights, minlength=2 * size * (n_groups + 1))[2 * size :].reshape(
            n_groups, 2, size
        )

    counted = summed(rows).astype(np.int64)
    if sample_weight is None:
        weight = squared = counted.astype(np.float64)
    else:
        weight, squared = summed(sample_weight), summed(sample_weight**2 if squares is None else squares)
    return Histogram(counted, weight, squared, values, exact)


def roc_auc(other: FloatArray, good: FloatArray) -> FloatArray:
    """P(s > s′) + ½ P(s = s′) from (..., B) weights of both outcomes at ascending scores, as (...,).

    NaN where an outcome has no weight.
    """
    below = np.cumsum(other, axis=-1) - other / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((good * below).sum(axis=-1) / (good.sum(axis=-1) * other.sum(axis=-1)))


def average_precision(other: FloatArray, good: FloatArray) -> FloatArray:
    """Σ (recall step) · precision over thresholds, from (..., B) weights at ascending scores, as (...,)."""
    hits = np.cumsum(good[..., ::-1], axis=-1)
    named = hits + np.cumsum(other[..., ::-1], axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(named > 0, hits / named, 0.0)
        return np.asarray((good[..., ::-1] * precision).sum(axis=-1) / good.sum(axis=-1))


def calibration_gap(weight: FloatArray, good: FloatArray, scores: FloatArray) -> FloatArray:
    """Σ over bins |Σws − Σwy| / Σw, from (..., bins) sums, as (...,)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.abs(scores - good).sum(axis=-1) / weight.sum(axis=-1))


def calibration_bins(scores: FloatArray) -> IntArray:
    """Give each score's bin among ten of equal width; an edge belongs to the bin below it, 0 to the first."""
    return np.clip(np.ceil(scores * CALIBRATION_BINS).astype(np.int64) - 1, 0, CALIBRATION_BINS - 1)


def check_scores(scores: FloatArray, name: str = "y_score", *, probabilities: bool = False) -> None:
    """Stop if a score is missing or infinite, or no probability where one is needed.

    Raises
    ------
    DataError
        With the first such row.
    """
    wrong = ~np.isfinite(scores)
    if wrong.any():
        raise DataError(
            f"{name} is missing or infinite in {int(wrong.sum())} rows",
            got=f"the first is row {int(wrong.argmax())}",
            fix="leave those rows out, or replace the values",
        )
    if probabilities:
        wrong = (scores < 0) | (scores > 1)
        if wrong.any():
            row = int(wrong.argmax())
            raise DataError(
                f"{name} should hold probabilities of the favourable outcome",
                got=f"{scores[row]:g} in row {row}",
                fix="pass numbers from 0 to 1, or use roc_auc and average_precision, which take any score",
            )


def resampled(
    counted: Histogram, n_resamples: int, rng: np.random.Generator, *, weighted: bool
) -> Iterator[FloatArray]:
    """Yield batches (b, G, 2, B) of bootstrapped histograms."""
    tensor = Confusion(counted.rows, counted.weight, counted.squares, 1, True, weighted)
    return tensor.resample(n_resamples, rng)


def of_histogram(name: str, weight: FloatArray, values: FloatArray) -> FloatArray:
    """Give a metric of (..., 2, B) weights of both outcomes at ascending scores, as (...,)."""
    other, good = weight[..., 0, :], weight[..., 1, :]
    if name == "roc_auc":
        return roc_auc(other, good)
    if name == "average_precision":
        return average_precision(other, good)
    edges = np.searchsorted(calibration_bins(values), np.arange(CALIBRATION_BINS + 1))
    sums = [
        np.stack([part[..., a:b].sum(axis=-1) for a, b in pairwise(edges.tolist())], axis=-1)
        for part in (other + good, good, (other + good) * values)
    ]
    return calibration_gap(*sums)
