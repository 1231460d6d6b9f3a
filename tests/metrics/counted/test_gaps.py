"""Differences and what is made of them: tests, power, pools, resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import fisher_exact

from fairwitness.metrics import count_labels, measure
from fairwitness.metrics.counted.confusion import Confusion
from fairwitness.metrics.counted.gaps import (
    larger_size_of,
    largest_t,
    mean_of,
    mean_size_of,
    sampled_gap,
    share_gap,
)
from fairwitness.metrics.counted.intervals import distance_interval
from fairwitness.metrics.counted.moments import OF_SUMS, sum_rows
from fairwitness.stats.intervals import newcombe_difference


def counted(cells: list[list[list[int]]], **more: np.ndarray) -> Confusion:
    """Count rows that fill (G, 2, 2) cells."""
    rows = [
        (g, y, p)
        for g, group in enumerate(cells)
        for y, line in enumerate(group)
        for p, times in enumerate(line)
        for _ in range(times)
    ]
    g, y, p = np.array(rows).T
    return count_labels(p, g, len(cells), y, **more)


CELLS = [[[40, 20], [10, 30]], [[25, 5], [10, 10]]]


def test_differences_of_shares_are_newcombes_with_the_score_test() -> None:
    gap = share_gap(counted(CELLS).shares("selection_rate"), 0, 0.95, weighted=False)
    low, high = newcombe_difference(15, 50, 50, 100)
    assert (gap.low[1], gap.high[1]) == pytest.approx((low, high))
    common = 65 / 150
    z = 0.2 / math.sqrt(common * (1 - common) * (1 / 50 + 1 / 100))
    assert gap.p[1] == pytest.approx(math.erfc(z / math.sqrt(2)))
    assert (gap.estimate[0], gap.p[0]) == (0.0, 1.0)


def test_few_rows_have_fishers_test() -> None:
    few = counted([[[4, 4], [0, 0]], [[7, 1], [0, 0]]])
    gap = share_gap(few.shares("selection_rate"), 0, 0.95, weighted=False)
    assert gap.p[1] == pytest.approx(fisher_exact(np.array([[1, 7], [4, 4]]))[1])


def test_the_smallest_detectable_difference_is_found_in_four_of_five_samples() -> None:
    rng = np.random.default_rng(0)
    n, base = 400, 0.5
    planned = share_gap(
        counted([[[200, 200], [0, 0]], [[200, 200], [0, 0]]]).shares("selection_rate"),
        0,
        0.95,
        weighted=False,
    ).detectable[1]
    found = 0
    for _ in range(600):
        a, b = rng.binomial(n, base - planned / 2), rng.binomial(n, base + planned / 2)
        cells = [[[n - a, a], [0, 0]], [[n - b, b], [0, 0]]]
        tensor = np.array(cells)
        shares = Confusion(tensor, tensor * 1.0, tensor * 1.0, 1, True, False).shares("selection_rate")
        found += share_gap(shares, 0, 0.95, weighted=False).p[1] < 0.05
    assert 0.75 < found / 600 < 0.85


def test_odds_by_hand() -> None:
    tensor = counted(CELLS)
    true, false = (
        share_gap(tensor.shares(name), 0, 0.95, weighted=False)
        for name in ("true_positive_rate", "false_positive_rate")
    )
    assert mean_of(true, false, 0.95).estimate[1] == pytest.approx((-1 / 4 - 1 / 6) / 2)
    size, larger = mean_size_of(true, false, 0.95), larger_size_of(true, false, 0.95)
    assert size.estimate[1] == pytest.approx((1 / 4 + 1 / 6) / 2)
    assert larger.estimate[1] == pytest.approx(1 / 4)
    assert larger.low[1] <= 1 / 4 <= larger.high[1]
    # The sum of two independent squared z has the exponential tail e^{−x/2}.
    squares = sum(float(gap.estimate[1] ** 2 / gap.variance[1]) for gap in (true, false))
    assert size.p[1] == pytest.approx(math.exp(-squares / 2))
    assert larger.p[1] == size.p[1]
    for gap in (size, larger):
        assert gap.detectable[1] > 0


def test_odds_of_perfect_groups_have_power_too() -> None:
    y = np.tile([1, 0], 60)
    found = measure(y, y, sensitive_features=np.repeat(["a", "b"], 60), metrics="group")
    for name in ("average_absolute_odds_difference", "equalized_odds_difference"):
        value = found.farthest(name, "sensitive feature")
        assert (value.estimate, value.p, value.status) == (0.0, 1.0, "ok")
        assert value.smallest_detectable > 0


def test_resampled_counts_are_rows_drawn_with_replacement() -> None:
    """Means and covariances of the cells are those of the multinomial, whatever the batches."""
    tensor = counted(CELLS)
    draws = np.concatenate(list(tensor.resample(20_000, np.random.default_rng(0)))).reshape(-1, 8)
    share = tensor.weight.ravel() / 150
    np.testing.assert_allclose(draws.mean(axis=0), 150 * share, atol=0.2)
    expected = 150 * (np.diag(share) - np.outer(share, share))
    np.testing.assert_allclose(np.cov(draws.T), expected, atol=0.8)
    assert (draws.sum(axis=1) == 150).all()


def test_resampled_weights_are_rows_drawn_with_replacement() -> None:
    rng = np.random.default_rng(1)
    p, w = rng.integers(0, 2, 200), rng.gamma(1.0, size=200)
    tensor = count_labels(p, np.zeros(200, dtype=np.int64), 1, p, sample_weight=w)
    ours = np.concatenate(list(tensor.resample(20_000, rng)))[:, 0]
    picks = rng.integers(0, 200, (20_000, 200))
    exact = np.stack([(w[picks] * (p[picks] == label)).sum(axis=1) for label in (0, 1)], axis=1)
    mine = ours[:, [0, 1], [0, 1]]
    np.testing.assert_allclose(mine.mean(axis=0), exact.mean(axis=0), rtol=0.02)
    np.testing.assert_allclose(np.cov(mine.T), np.cov(exact.T), rtol=0.06, atol=6)
    equal = count_labels(p, np.zeros(200, dtype=np.int64), 1, p, sample_weight=np.full(200, 2.0))
    drawn = np.concatenate(list(equal.resample(50, np.random.default_rng(0))))
    assert (drawn.sum(axis=(1, 2, 3)) == 400).all()


@pytest.mark.parametrize("n", [300, 20_000])
def test_blocks_of_rows_vary_as_rows_do(n: int) -> None:
    """The standard error of a mean and of its root, whether rows or blocks are drawn."""
    rng = np.random.default_rng(0)
    residual = rng.normal(0, 2, n)
    sums = sum_rows(
        {"residual²": residual**2, "|residual|": np.abs(residual)}, np.zeros(n, dtype=np.int64), 1, rng
    )
    drawn = sums.resampled(3000, rng)
    for name, column in (("mae", np.abs(residual)), ("rmse", residual**2)):
        spread = column.std() / math.sqrt(n)
        if name == "rmse":
            spread /= 2 * math.sqrt(column.mean())
        samples = OF_SUMS[name](drawn)[:, 0]
        assert samples.std() == pytest.approx(spread, rel=0.06)
        assert OF_SUMS[name](sums.sums())[0] == pytest.approx(
            np.abs(residual).mean() if name == "mae" else math.sqrt((residual**2).mean())
        )
    assert len(sums.units[0]) == min(n, 4096)


def test_a_gap_of_resamples() -> None:
    rng = np.random.default_rng(0)
    value = np.array([1.0, 3.0, np.nan])
    samples = np.stack([rng.normal(1, 1, 4000), rng.normal(3, 1, 4000), np.full(4000, np.nan)], axis=1)
    gap = sampled_gap(value, samples, 0, np.array([10.0, 20.0, 0.0]), 0.95)
    assert gap.estimate[1] == 2.0
    assert gap.low[1] == pytest.approx(2 - 1.96 * math.sqrt(2), abs=0.15)
    assert gap.p[1] == pytest.approx(math.erfc(1.0), abs=0.03)  # z = √2
    assert math.isnan(gap.low[2])
    assert gap.lost[2] == 1.0
    assert gap.n[1] == 30


def test_the_largest_t_holds_its_level() -> None:
    """Under no difference, the smallest of ten adjusted p-values is below .05 about one time in twenty."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        gaps = rng.normal(size=10)
        samples = gaps + rng.normal(size=(400, 10))
        wrong += largest_t(gaps, samples, np.ones(10)).min() < 0.05
    assert 0.02 < wrong / 400 < 0.09


@pytest.mark.parametrize("true", [0.0, 0.5, 1.5, 4.0])
def test_distances_are_within_their_interval(true: float) -> None:
    """The length of a planar vector observed with noise of 1 a coordinate: percentiles alone would fail."""
    rng = np.random.default_rng(3)
    kept = 0
    for _ in range(400):
        seen = np.array([true, 0.0]) + rng.normal(size=2)
        samples = np.hypot(*(seen[:, None] + rng.normal(size=(2, 400))))
        length = float(np.hypot(*seen))
        low, high = distance_interval(length, samples, 0.95, p=np.exp(-(length**2) / 2))
        assert 0 <= low <= length <= high
        kept += low <= true <= high
    assert kept / 400 > 0.92
