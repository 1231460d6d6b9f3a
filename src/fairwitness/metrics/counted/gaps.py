"""Differences between groups and their reference, all groups at once: estimate, interval, p-value, power.

A difference in shares has Newcombe's interval and the score test (Fisher's exact test where fewer than five
rows are expected in a cell); any other has the interval and the standard deviation of its resamples. Both
are a :class:`Gap`, and what is made of gaps (means, sizes, pools over strata) does not care which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import chi2, fisher_exact, ncx2, norm

from fairwitness.metrics.counted.confusion import Shares
from fairwitness.metrics.counted.intervals import (
    Bounds,
    absolute_interval,
    joint_level,
    mean_absolute_interval,
    mean_interval,
    ratio_interval,
)
from fairwitness.stats.intervals import combine_difference, percentile, wilson
from fairwitness.typing import FloatArray

#: Chance that a difference of the smallest detectable size is found.
POWER = 0.8
#: Below so many expected rows in a cell the exact test is used, for tables of at most so many rows.
_FEW, _MOST_EXACT = 5.0, 1_000_000
#: Resamples without a value beyond which an interval is called partial.
LOST = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """Each group's value less the reference's; all arrays are (G,).

    Attributes
    ----------
    estimate, low, high
        The difference and its interval.
    joint
        Bounds at the level at which two independent intervals hold together.
    variance
        Of the estimate if there were no difference.
    p
        Two-sided p-value of no difference.
    n
        Effective rows of the group and its reference together.
    detectable
        Smallest difference found in 80 % of samples.
    lost
        Share of the resamples that have no value; 0 where none are needed.
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    joint: Bounds
    variance: FloatArray
    p: FloatArray
    n: FloatArray
    detectable: FloatArray
    lost: FloatArray


def share_gap(shares: Shares, reference: int, confidence: float, *, weighted: bool) -> Gap:
    """Compare a share with the reference group's, which must not overlap with the others."""
    value, n, hits = shares.value, shares.n, shares.successes

    def bounds(level: float) -> Bounds:
        low, high = wilson(hits, n, level)
        return combine_difference(value, (low, high), value[reference], (low[reference], high[reference]))

    gap = value - value[reference]
    together = n + n[reference]
    with np.errstate(invalid="ignore", divide="ignore"):
        common = (hits + hits[reference]) / together
        inverse = 1 / n + 1 / n[reference]
        variance = common * (1 - common) * inverse
        # A sample in which no one is accepted does not prove that no one ever is.
        smoothed = (hits + hits[reference] + 0.5) / (together + 1)
        planned = smoothed * (1 - smoothed) * inverse
    p = _two_sided(gap, variance)
    if not weighted:
        _exact(p, shares, reference, common)
    low, high = bounds(confidence)
    return Gap(
        gap,
        low,
        high,
        bounds(joint_level(confidence)),
        variance,
        p,
        np.where(np.isfinite(gap), together, n + n[reference]),
        _detectable(planned, confidence),
        np.zeros(len(gap)),
    )


def sampled_gap(
    value: FloatArray, samples: FloatArray, reference: int, n: FloatArray, confidence: float
) -> Gap:
    """Compare any value with the reference's, from (B, G) resamples; the reference may contain the groups."""
    gap, moved = value - value[reference], samples - samples[:, [reference]]
    known = np.isfinite(moved)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        filled = np.where(known, moved, 0.0)
        mean = filled.sum(axis=0) / count
        variance = np.where(known, moved - mean, 0.0) ** 2
        variance = variance.sum(axis=0) / (count - 1)
    # Equal values leave a rounding error for a variance.
    scale = np.maximum(np.abs(np.nan_to_num(value)), 1e-300)
    variance = np.where((count > 1) & (variance > 1e-20 * scale**2), variance, np.nan)
    low, high = percentile(moved, confidence)
    empty = ~np.isfinite(gap)
    together = n + np.where(np.arange(len(n)) == reference, 0.0, n[reference])
    return Gap(
        gap,
        np.where(empty, np.nan, low),
        np.where(empty, np.nan, high),
        percentile(moved, joint_level(confidence)),
        variance,
        _two_sided(gap, variance),
        together,
        _detectable(variance, confidence),
        1 - count / max(len(moved), 1),
    )


def pooled_gap(gaps: Sequence[Gap], weight: FloatArray, confidence: float) -> Gap:
    """Average gaps over strata with weights (S, G), n₁n₀/(n₁ + n₀) for the Mantel–Haenszel difference.

    The interval is Newcombe's for strata (MOVER), the p-value that of Cochran, Mantel and Haenszel. Strata in
    which one side has no rows have no weight.

    References
    ----------
    S. Greenland, J. M. Robins (1985), Estimation of a common effect parameter from sparse follow-up data.
    X. Yan, X. G. Su (2010), Stratified Wilson and Newcombe confidence intervals.
    """
    table = {
        name: np.stack([getattr(gap, name) for gap in gaps])
        for name in ("estimate", "low", "high", "variance", "n", "detectable", "lost")
    }
    joint = [np.stack([gap.joint[side] for gap in gaps]) for side in (0, 1)]
    used = np.isfinite(table["estimate"]) & (weight > 0)
    part = np.where(used, weight, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        part = part / part.sum(axis=0)

    def over(values: FloatArray) -> FloatArray:
        # Strata that are not used may hold anything.
        return np.where(used, values, 0.0)

    def reach(low: FloatArray, high: FloatArray) -> Bounds:
        down, up = (
            np.sqrt(((part * over(side)) ** 2).sum(axis=0))
            for side in (table["estimate"] - low, high - table["estimate"])
        )
        return estimate - down, estimate + up

    some = used.any(axis=0)
    estimate = np.where(some, (part * over(table["estimate"])).sum(axis=0), np.nan)
    variance = (part**2 * over(table["variance"])).sum(axis=0)
    detectable = np.sqrt(((part * over(table["detectable"])) ** 2).sum(axis=0))
    low, high = reach(table["low"], table["high"])
    return Gap(
        estimate,
        low,
        high,
        reach(joint[0], joint[1]),
        variance,
        _two_sided(estimate, variance),
        np.where(used, table["n"], 0.0).sum(axis=0),
        np.where(some, detectable, np.nan),
        np.where(used, table["lost"], 0.0).max(axis=0),
    )


def mean_of(first: Gap, second: Gap, confidence: float) -> Gap:
    """Half the sum of two gaps over different rows; opposite ones cancel."""
    low, high = mean_interval(
        first.estimate, (first.low, first.high), second.estimate, (second.low, second.high)
    )
    estimate, variance = (first.estimate + second.estimate) / 2, (first.variance + second.variance) / 4
    return Gap(
        estimate,
        low,
        high,
        mean_interval(first.estimate, first.joint, second.estimate, second.joint),
        variance,
        _two_sided(estimate, variance),
        first.n + second.n,
        np.hypot(first.detectable, second.detectable) / 2,
        np.maximum(first.lost, second.lost),
    )


def mean_size_of(first: Gap, second: Gap, confidence: float) -> Gap:
    """½ (|first| + |second|), with the test that both are 0."""
    low, high = mean_absolute_interval(first.joint, second.joint)
    a, b = (_planned(gap, confidence) for gap in (first, second))
    with np.errstate(invalid="ignore", divide="ignore"):
        least = np.sqrt(_noncentrality(confidence) / (1 / a + 1 / b))
    return _sizes(first, second, (np.abs(first.estimate) + np.abs(second.estimate)) / 2, (low, high), least)


def larger_size_of(first: Gap, second: Gap, confidence: float) -> Gap:
    """max(|first|, |second|), with the test that both are 0."""
    a, b = absolute_interval(first.joint), absolute_interval(second.joint)
    bounds = np.maximum(a[0], b[0]), np.maximum(a[1], b[1])
    variances = [_planned(gap, confidence) for gap in (first, second)]
    least = np.sqrt(_noncentrality(confidence) * np.maximum(variances[0], variances[1]))
    return _sizes(first, second, np.maximum(np.abs(first.estimate), np.abs(second.estimate)), bounds, least)


def share_ratio(shares: Shares, reference: int, gap: Gap, confidence: float) -> Gap:
    """Give a share divided by the reference's; p-value and power are those of the difference."""
    low, high = wilson(shares.successes, shares.n, confidence)
    base = shares.value[reference]
    bounds = ratio_interval(shares.value, (low, high), base, (low[reference], high[reference]))
    return _ratio(shares.value, base, bounds, gap)


def sampled_ratio(value: FloatArray, samples: FloatArray, reference: int, gap: Gap, confidence: float) -> Gap:
    """Give a value divided by the reference's, with the percentile interval of resamples."""
    with np.errstate(invalid="ignore", divide="ignore"):
        moved = samples / samples[:, [reference]]
    return _ratio(value, value[reference], percentile(moved, confidence), gap)


def pooled_ratio(shares: Sequence[Shares], reference: int, gap: Gap, confidence: float) -> Gap:
    """Give the Mantel–Haenszel ratio, Σ a n₀/N ÷ Σ c n₁/N, with Greenland and Robins' interval."""
    a = np.stack([each.successes for each in shares])
    n = np.stack([each.n for each in shares])
    c, m = a[:, [reference]], n[:, [reference]]
    whole = n + m
    used = (n > 0) & (m > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        top = np.where(used, a * m / whole, 0.0).sum(axis=0)
        bottom = np.where(used, c * n / whole, 0.0).sum(axis=0)
        ratio = top / bottom
        spread = np.where(used, (m * n * (a + c) - a * c * whole) / whole**2, 0.0).sum(axis=0)
        reach = float(ndtri(0.5 + confidence / 2)) * np.sqrt(spread / (top * bottom))
        bounds = ratio * np.exp(-reach), ratio * np.exp(reach)
    # The log interval has no bound where no one is accepted; the estimate is 0 all the same.
    low, high = (np.where(top > 0, bound, np.nan) for bound in bounds)
    # Over Σ n₁n₀/N both sums are mean rates of the strata, and their difference is the pooled one: so the
    # detectable difference divided by the reference's mean rate is on the scale of the ratio.
    with np.errstate(invalid="ignore", divide="ignore"):
        mass = np.where(used, n * m / whole, 0.0).sum(axis=0)
        return _ratio(top / mass, bottom / mass, (low, high), gap)


def largest_t(gaps: FloatArray, samples: FloatArray, variance: FloatArray) -> FloatArray:
    """Give p-values adjusted for all groups by the largest |t| of a resample (single step).

    Parameters
    ----------
    gaps, variance
        (G,) differences and their variances; NaN where there is none.
    samples
        (B, G) resampled differences.

    References
    ----------
    P. H. Westfall, S. S. Young (1993), Resampling-based multiple testing.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(gaps) / np.sqrt(variance)
        moved = np.abs(samples - gaps) / np.sqrt(variance)
    moved = np.where(np.isfinite(moved), moved, 0.0).max(axis=1)
    p = (1 + (moved[:, None] >= t).sum(axis=0)) / (1 + len(moved))
    return np.where(np.isfinite(t), p, np.nan)


def _ratio(value: FloatArray, base: FloatArray | float, bounds: Bounds, gap: Gap) -> Gap:
    base = np.asarray(base, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(base > 0, value / base, np.nan)
        least = gap.detectable / np.where(base > 0, base, np.nan)
    return Gap(ratio, bounds[0], bounds[1], bounds, gap.variance, gap.p, gap.n, least, gap.lost)


def _sizes(first: Gap, second: Gap, estimate: FloatArray, bounds: Bounds, least: FloatArray) -> Gap:
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = [
            np.where(gap.estimate == 0, 0.0, gap.estimate**2 / gap.variance) for gap in (first, second)
        ]
    p = np.where(np.isfinite(estimate), chi2.sf(squares[0] + squares[1], 2), np.nan)
    return Gap(
        estimate,
        bounds[0],
        bounds[1],
        bounds,
        first.variance + second.variance,
        p,
        first.n + second.n,
        least,
        np.maximum(first.lost, second.lost),
    )


def _two_sided(gap: FloatArray, variance: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(gap == 0, 0.0, np.abs(gap) / np.sqrt(variance))
    return np.asarray(np.where(np.isfinite(gap), 2 * norm.sf(z), np.nan))


def _exact(p: FloatArray, shares: Shares, reference: int, common: FloatArray) -> None:
    """Put Fisher's p-value where fewer than five rows are expected in a cell."""
    least = np.minimum(shares.n, shares.n[reference]) * np.minimum(common, 1 - common)
    for at in np.flatnonzero((least < _FEW) & np.isfinite(p)):
        if at == reference or shares.n[at] + shares.n[reference] > _MOST_EXACT:
            continue
        table = [
            [round(float(shares.numerator[g])), round(float(shares.denominator[g] - shares.numerator[g]))]
            for g in (at, reference)
        ]
        p[at] = fisher_exact(np.array(table))[1]


def _detectable(variance: FloatArray, confidence: float) -> FloatArray:
    return np.asarray((ndtri(0.5 + confidence / 2) + ndtri(POWER)) * np.sqrt(variance))


def _planned(gap: Gap, confidence: float) -> FloatArray:
    """Give the variance that the smallest detectable difference was planned with, which is never 0."""
    return np.asarray((gap.detectable / _detectable(np.ones(1), confidence)) ** 2)


def _noncentrality(confidence: float) -> float:
    """Give how far from 0 a χ² with two degrees of freedom must be to be found in 80 % of samples."""
    from scipy.optimize import brentq

    bar = chi2.ppf(confidence, 2)
    return float(brentq(lambda x: ncx2.sf(bar, 2, x) - POWER, 1e-9, 1e3))
