"""Intervals: for shares (Wilson), for differences of shares (Newcombe), from resamples (percentile)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from fairwitness.arguments import number_array, real_number
from fairwitness.text import interval, number
from fairwitness.typing import Document, FloatArray


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number with its interval and its n; NaN comes with a reason.

    Attributes
    ----------
    estimate, low, high
        The value and its interval; NaN where there is none.
    n
        Number of independent units (rows of the table) behind it.
    numerator, denominator
        For a share of rows: the two counts.
    p_value
        For a difference: two-sided, of the hypothesis of no difference.
    reason
        Why there is no value, in words; empty where there is one.
    """

    estimate: float
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    numerator: int | None = None
    denominator: int | None = None
    p_value: float | None = None
    reason: str = ""

    def __repr__(self) -> str:
        if self.reason and not math.isfinite(self.estimate):
            return f"<Estimate – ({self.reason})>"
        p = "" if self.p_value is None else f", p = {number(self.p_value, 2)}"
        return f"<Estimate {number(self.estimate)} {interval(self.low, self.high)}, n = {self.n:,}{p}>"

    def to_dict(self) -> Document:
        """Give plain values for JSON: NaN becomes null, and what is not there is left out."""
        document: Document = {
            "estimate": _finite(self.estimate),
            "low": _finite(self.low),
            "high": _finite(self.high),
            "n": self.n,
        }
        if self.numerator is not None:
            document["numerator"] = self.numerator
        if self.denominator is not None:
            document["denominator"] = self.denominator
        if self.p_value is not None:
            document["p_value"] = _finite(self.p_value)
        if self.reason:
            document["reason"] = self.reason
        return document


def check_confidence(confidence: float) -> float:
    """Give ``confidence`` back if it is a level strictly between 0 and 1.

    Raises
    ------
    ConfigError
        If it is not (95 instead of 0.95, for example).
    """
    return real_number(
        confidence, "the confidence level", above=0, below=1, fix="pass a fraction such as confidence=0.95"
    )


def wilson(successes: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Give the Wilson score interval of a share.

    Parameters
    ----------
    successes, n
        Counts, any shapes that broadcast. ``successes`` may be fractional: for a mean of values
        between 0 and 1, ``mean * n`` gives an interval that is too wide rather than too narrow,
        because no such values vary more than zeros and ones with the same mean do.
    confidence
        Level of the interval, between 0 and 1.

    Returns
    -------
    low, high
        In [0, 1], of the broadcast shape; NaN where ``n`` is 0.

    Examples
    --------
    >>> from fairwitness.stats import wilson
    >>> low, high = wilson(3, 10)
    >>> float(low.round(3)), float(high.round(3))
    (0.108, 0.603)

    References
    ----------
    E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    z = float(ndtri(0.5 + check_confidence(confidence) / 2))
    count = number_array(n, "n", fix="pass counts of rows")
    hits = number_array(successes, "successes", fix="pass counts of rows")
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits / count
        centre = (share + z * z / (2 * count)) / (1 + z * z / count)
        half = z * np.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2) / (1 + z * z / count)
    # At 0 and 1 the bound is exact; rounding would leave it a hair inside or outside.
    low = np.where(hits <= 0, np.where(count > 0, 0.0, np.nan), np.maximum(centre - half, 0.0))
    high = np.where(hits >= count, np.where(count > 0, 1.0, np.nan), np.minimum(centre + half, 1.0))
    return low, high


def newcombe_difference(
    successes: ArrayLike,
    n: ArrayLike,
    reference_successes: ArrayLike,
    reference_n: ArrayLike,
    confidence: float = 0.95,
) -> tuple[FloatArray, FloatArray]:
    """Give Newcombe's hybrid score interval of a difference of two independent shares.

    Parameters
    ----------
    successes, n
        Counts of the first group.
    reference_successes, reference_n
        Counts of the group it is compared with.
    confidence
        Level of the interval, between 0 and 1.

    Returns
    -------
    low, high
        Of ``successes / n - reference_successes / reference_n``, in [-1, 1]; NaN where a group is
        empty.

    References
    ----------
    R. G. Newcombe (1998), Interval estimation for the difference between independent proportions:
    comparison of eleven methods (method 10).
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        first = np.asarray(successes, dtype=np.float64) / np.asarray(n, dtype=np.float64)
        second = np.asarray(reference_successes, dtype=np.float64) / np.asarray(reference_n, dtype=np.float64)
    return combine_difference(
        first,
        wilson(successes, n, confidence),
        second,
        wilson(reference_successes, reference_n, confidence),
    )


def combine_difference(
    estimate: ArrayLike,
    interval: tuple[ArrayLike, ArrayLike],
    reference: ArrayLike,
    reference_interval: tuple[ArrayLike, ArrayLike],
) -> tuple[FloatArray, FloatArray]:
    """Give the interval of a difference from the intervals of its two independent parts.

    The distances from each estimate to its own bounds are squared and added (Zou & Donner's MOVER), which
    is Newcombe's interval when the parts' intervals are Wilson's.

    Parameters
    ----------
    estimate, interval
        The first part, and its bounds (low, high); any shapes that broadcast.
    reference, reference_interval
        The part that is taken away, and its bounds.

    Returns
    -------
    low, high
        Of ``estimate - reference``.
    """
    first, second = np.asarray(estimate, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    low, high = (np.asarray(bound, dtype=np.float64) for bound in interval)
    other_low, other_high = (np.asarray(bound, dtype=np.float64) for bound in reference_interval)
    difference = first - second
    down = np.sqrt((first - low) ** 2 + (other_high - second) ** 2)
    up = np.sqrt((high - first) ** 2 + (second - other_low) ** 2)
    return difference - down, difference + up


def percentile(samples: FloatArray, confidence: float = 0.95, axis: int = 0) -> tuple[FloatArray, FloatArray]:
    """Give the percentile interval of resampled values along ``axis``.

    NaN samples (a resample that held no row with a value) are left out; where all are NaN, so are the
    bounds. Bounds between two samples are interpolated linearly.

    Parameters
    ----------
    samples
        Resampled values, of any shape.
    confidence
        Level of the interval, between 0 and 1.
    axis
        Along which the resamples lie.

    Returns
    -------
    low, high
        Of the shape of ``samples`` without ``axis``.
    """
    tail = (1 - check_confidence(confidence)) / 2
    ordered = np.sort(np.moveaxis(np.asarray(samples, dtype=np.float64), axis, 0), axis=0)
    count = np.isfinite(ordered).sum(axis=0)  # sorting puts NaN last
    return _at_quantile(ordered, count, tail), _at_quantile(ordered, count, 1 - tail)


def _at_quantile(ordered: FloatArray, count: np.ndarray, quantile: float) -> FloatArray:
    place = np.maximum(count - 1, 0) * quantile
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(count - 1, 0))
    if not len(ordered):
        return np.full(count.shape, np.nan)
    lower = np.take_along_axis(ordered, below[None], axis=0)[0]
    upper = np.take_along_axis(ordered, above[None], axis=0)[0]
    return np.asarray(np.where(count > 0, lower + (upper - lower) * (place - below), np.nan))


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
