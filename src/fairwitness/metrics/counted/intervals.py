"""Intervals of what is made of two or four independent rates, in closed form.

All start from the Wilson intervals of the rates, so they hold for small groups and for rates of 0 and 1,
where the usual log-ratio interval and the percentile bootstrap break down (a group whose members are all
accepted has no spread to resample), need no random numbers, and cannot contradict each other: the ratio's
interval excludes 1 exactly where the difference's interval (Newcombe's, the same construction) excludes 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.stats.intervals import percentile
from fairwitness.typing import FloatArray

Bounds = tuple[FloatArray, FloatArray]


def ratio_interval(
    share: ArrayLike, interval: tuple[ArrayLike, ArrayLike], reference: ArrayLike, reference_interval: Bounds
) -> Bounds:
    """Give the interval of a ratio of two independent shares from their own intervals (MOVER-R).

    The bounds are the ratios θ at which the interval of ``share − θ · reference``, built as Newcombe
    builds that of a difference, just reaches 0.

    Parameters
    ----------
    share, interval
        Numerator and its bounds.
    reference, reference_interval
        Denominator and its bounds.

    Returns
    -------
    low, high
        Bounds at least 0; NaN where the denominator is 0 or a part is NaN.

    References
    ----------
    A. Donner, G. Y. Zou (2012), Closed-form confidence intervals for functions of the normal mean and
    standard deviation, section on ratios.
    """
    p, q = np.asarray(share, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    low, high = (np.asarray(bound, dtype=np.float64) for bound in interval)
    q_low, q_high = (np.asarray(bound, dtype=np.float64) for bound in reference_interval)
    with np.errstate(invalid="ignore", divide="ignore"):
        product = p * q
        # Lower bound: smaller root of a θ² − 2pq θ + c, written so that a ≤ 0 does no harm.
        a, c = q_high * (2 * q - q_high), low * (2 * p - low)
        lower = c / (product + np.sqrt(np.maximum(product**2 - a * c, 0.0)))
        a, c = q_low * (2 * q - q_low), high * (2 * p - high)
        upper = (product + np.sqrt(np.maximum(product**2 - a * c, 0.0))) / a
        # p = 0: both terms of the lower bound vanish, and so does the ratio.
        lower = np.where(p == 0, 0.0, lower)
        defined = (q > 0) & np.isfinite(p) & np.isfinite(q)
    return np.where(defined, lower, np.nan), np.where(defined, upper, np.nan)


def mean_interval(first: ArrayLike, first_bounds: Bounds, second: ArrayLike, second_bounds: Bounds) -> Bounds:
    """Give the interval of the mean of two independent estimates from their own intervals (MOVER).

    The distances from the estimates to their bounds are squared, added, and halved with the sum.

    References
    ----------
    G. Y. Zou, A. Donner (2008), Construction of confidence limits about effect measures: a general approach.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    mean = (a + b) / 2
    down = np.hypot(a - first_bounds[0], b - second_bounds[0]) / 2
    up = np.hypot(first_bounds[1] - a, second_bounds[1] - b) / 2
    return mean - down, mean + up


def absolute_interval(bounds: Bounds) -> Bounds:
    """Give the interval of |x| from that of x: its lower bound is 0 where the interval of x holds 0."""
    low, high = bounds
    size = np.maximum(np.abs(low), np.abs(high))
    least = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    return np.where(np.isnan(size), np.nan, least), size


def mean_absolute_interval(first: Bounds, second: Bounds) -> Bounds:
    """Give the interval of ½(|x| + |y|) from intervals of x and y that hold *together* at the wanted level.

    For independent x and y each interval has the level's square root (see :func:`joint_level`). A mean of
    absolute values has a kink at 0: its percentile bootstrap never reaches 0 and would find a difference
    everywhere. This interval reaches 0 exactly where both parts do; it is a little wide, never too narrow.
    """
    a, b = absolute_interval(first), absolute_interval(second)
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def distance_interval(
    estimate: ArrayLike,
    samples: FloatArray,
    confidence: float,
    *,
    p: FloatArray | None = None,
    most: float = np.inf,
) -> Bounds:
    """Give the interval of a number that cannot be below 0 and that noise makes larger, from resamples.

    Resamples are noisier than the sample and lie above it. Their percentile interval then misses small true
    values, and the reflected one (twice the estimate less the percentiles) misses large ones; this is the
    hull of both. Where the test of 0 does not reject at the level, it reaches down to 0.

    Parameters
    ----------
    estimate
        (...,) numbers of at least 0.
    samples
        (B, ...) resampled numbers.
    confidence
        Level of the interval.
    p
        (...,) p-values of the hypothesis that the number is 0.
    most
        The largest possible number.
    """
    value = np.asarray(estimate, dtype=np.float64)
    low, high = percentile(samples, confidence)
    low, high = np.minimum(low, 2 * value - high), np.maximum(high, 2 * value - low)
    if p is not None:
        low = np.where(p > 1 - confidence, np.minimum(low, 0.0), low)
    # What was resampled on bins may miss the estimate by a hair.
    low, high = np.minimum(np.maximum(low, 0.0), value), np.maximum(np.minimum(high, most), value)
    known = np.isfinite(value)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def joint_level(confidence: float) -> float:
    """Give the level at which two independent intervals hold together at ``confidence``."""
    return float(np.sqrt(confidence))
