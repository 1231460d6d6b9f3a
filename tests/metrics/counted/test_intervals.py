"""Intervals are judged by their coverage, computed exactly: every outcome of small groups is enumerated."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from fairwitness.metrics.counted.intervals import (
    absolute_interval,
    joint_level,
    mean_absolute_interval,
    mean_interval,
    ratio_interval,
)
from fairwitness.stats.intervals import newcombe_difference, wilson
from fairwitness.typing import FloatArray

GRID = (0.05, 0.2, 0.5, 0.8, 0.95)


def outcomes(*sizes: int) -> list[FloatArray]:
    """All combinations of successes, one flat array a group."""
    return [
        axis.ravel().astype(float) for axis in np.meshgrid(*(np.arange(n + 1) for n in sizes), indexing="ij")
    ]


def coverage(
    inside: np.ndarray, successes: list[FloatArray], sizes: tuple[int, ...], shares: tuple[float, ...]
) -> float:
    probability = np.prod(
        [binom.pmf(x, n, p) for x, n, p in zip(successes, sizes, shares, strict=True)], axis=0
    )
    return float(probability[inside].sum())


def test_ratio_coverage_in_small_groups() -> None:
    sizes = (15, 40)
    x = outcomes(*sizes)
    low, high = ratio_interval(
        x[0] / sizes[0], wilson(x[0], sizes[0]), x[1] / sizes[1], wilson(x[1], sizes[1])
    )
    found = []
    for p, q in itertools.product(GRID, GRID):
        # Where the denominator is 0 there is no interval; given that there is one:
        defined = coverage(~np.isnan(low), x, sizes, (p, q))
        found.append(coverage((low <= p / q) & (p / q <= high), x, sizes, (p, q)) / defined)
    assert np.mean(found) > 0.945
    assert np.mean(found) < 0.985
    assert min(found) > 0.87


def test_ratio_and_difference_never_contradict_each_other() -> None:
    sizes = (23, 31)
    x = outcomes(*sizes)
    low, high = ratio_interval(
        x[0] / sizes[0], wilson(x[0], sizes[0]), x[1] / sizes[1], wilson(x[1], sizes[1])
    )
    gap_low, gap_high = newcombe_difference(x[0], sizes[0], x[1], sizes[1])
    defined = x[1] > 0
    # Where a bound meets "no difference" to the last digit, rounding decides.
    clear = defined & (np.abs(gap_low) > 1e-9) & (np.abs(gap_high) > 1e-9)
    assert ((low > 1) == (gap_low > 0))[clear].all()
    assert ((high < 1) == (gap_high < 0))[clear].all()
    ratio = (x[0] / sizes[0])[defined] / (x[1] / sizes[1])[defined]
    assert (low[defined] <= ratio + 1e-12).all()
    assert (ratio <= high[defined] + 1e-12).all()
    assert np.isnan(low[~defined]).all()
    assert np.isnan(high[~defined]).all()


def test_ratio_of_large_groups_is_the_log_ratio_interval() -> None:
    x, n = np.array([3000.0, 5000.0]), np.array([10_000.0, 12_000.0])
    p = x / n
    low, high = ratio_interval(p[0], wilson(x[0], n[0]), p[1], wilson(x[1], n[1]))
    error = 1.959964 * np.sqrt((1 - p[0]) / x[0] + (1 - p[1]) / x[1])
    assert low == pytest.approx(p[0] / p[1] * np.exp(-error), rel=2e-3)
    assert high == pytest.approx(p[0] / p[1] * np.exp(error), rel=2e-3)


SIZES = (8, 12, 10, 9)  # positives of two groups, negatives of two groups


@pytest.fixture(scope="module")
def table() -> list[FloatArray]:
    return outcomes(*SIZES)


def test_mean_coverage_in_small_groups(table: list[FloatArray]) -> None:
    first = table[0] / SIZES[0] - table[1] / SIZES[1]
    second = table[2] / SIZES[2] - table[3] / SIZES[3]
    low, high = mean_interval(
        first,
        newcombe_difference(table[0], SIZES[0], table[1], SIZES[1]),
        second,
        newcombe_difference(table[2], SIZES[2], table[3], SIZES[3]),
    )
    found = []
    for shares in itertools.product((0.1, 0.5, 0.9), repeat=4):
        truth = (shares[0] - shares[1] + shares[2] - shares[3]) / 2
        found.append(coverage((low <= truth + 1e-12) & (truth - 1e-12 <= high), table, SIZES, shares))
    assert 0.945 < np.mean(found) < 0.985
    assert min(found) > 0.91


def test_mean_absolute_coverage_is_never_short_and_reaches_zero(table: list[FloatArray]) -> None:
    level = joint_level(0.95)
    parts = (
        newcombe_difference(table[0], SIZES[0], table[1], SIZES[1], level),
        newcombe_difference(table[2], SIZES[2], table[3], SIZES[3], level),
    )
    low, high = mean_absolute_interval(*parts)
    found = []
    for shares in itertools.product((0.1, 0.5, 0.9), repeat=4):
        truth = (abs(shares[0] - shares[1]) + abs(shares[2] - shares[3])) / 2
        found.append(coverage((low <= truth + 1e-12) & (truth - 1e-12 <= high), table, SIZES, shares))
    assert min(found) > 0.93
    # Under no difference the interval holds 0 as often as the level says; a percentile bootstrap never.
    for share in (0.1, 0.5, 0.9):
        assert coverage(low == 0, table, SIZES, (share,) * 4) > 0.93
    # And it is not so wide as to say nothing.
    assert coverage(low > 0, table, SIZES, (0.1, 0.9, 0.1, 0.9)) > 0.8


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((-0.3, 0.1), (0.0, 0.3)),
        ((0.1, 0.4), (0.1, 0.4)),
        ((-0.4, -0.1), (0.1, 0.4)),
        ((0.0, 0.2), (0.0, 0.2)),
        ((np.nan, np.nan), (np.nan, np.nan)),
    ],
)
def test_absolute_interval(bounds: tuple[float, float], expected: tuple[float, float]) -> None:
    low, high = absolute_interval((np.asarray(bounds[0]), np.asarray(bounds[1])))
    np.testing.assert_allclose([low, high], expected)
