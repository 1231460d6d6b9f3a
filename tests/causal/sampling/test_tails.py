from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fairwitness.causal.sampling.tails import Tosses, distances, limits, log_tails, slopes


@pytest.mark.parametrize("n", [1, 4, 30])
def test_limits_are_clopper_and_pearsons(n):
    heads = np.arange(n + 1.0)
    low, high = limits(Tosses.of(heads, np.full(n + 1, float(n))), np.log(0.025))
    for k in range(n + 1):
        exact = stats.binomtest(k, n).proportion_ci(0.95, method="exact")
        assert (low[k], high[k]) == pytest.approx((exact.low, exact.high), abs=1e-10)


def test_nothing_seen_says_nothing():
    seen = Tosses.of(np.zeros(1), np.zeros(1))
    low, high = limits(seen, np.log(0.01))
    assert (low[0], high[0]) == (0, 1)
    assert distances(seen, np.array([0.9])) == 0


@pytest.mark.parametrize(("n", "average"), [(1, False), (3, False), (12, False), (60, False), (12, True)])
def test_distances_are_no_larger_than_a_normal_variables(n, average):
    # the p-value behind a distance is at most u with probability u or less, whatever the chance
    heads = np.arange(n + 1.0)
    seen = Tosses.of(heads, np.full(n + 1, float(n)), average=average)
    for chance in np.linspace(0.003, 0.997, 83):
        weight = stats.binom.pmf(heads, n, chance)
        far = distances(seen, np.full(n + 1, chance))
        for z in (0.3, 1.0, 1.7, 2.5, 3.2):
            assert weight[far >= z - 1e-9].sum() <= 2 * stats.norm.sf(z) + 1e-9


@pytest.mark.parametrize("average", [False, True])
def test_limits_and_distances_agree(average):
    seen = Tosses.of(np.array([0.0, 2.0, 7.5, 9.0]), np.array([5.0, 5.0, 20.0, 9.0]), average=average)
    if not average:
        seen = Tosses.of(np.array([0.0, 2.0, 7.0, 9.0]), seen.tosses)
    low, high = limits(seen, np.log(stats.norm.sf(2.0)))
    inside = (low > 0, high < 1)
    assert distances(seen, low)[inside[0]] == pytest.approx(2.0, abs=1e-6)
    assert distances(seen, high)[inside[1]] == pytest.approx(2.0, abs=1e-6)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("above", [False, True])
def test_slopes_are_tangents_of_a_convex_curve(above, average):
    seen = Tosses.of(np.array([3.0]), np.array([17.0]), average=average)
    grid = np.linspace(0.01, 0.95, 400)
    curve = np.array([0.5 * distances(seen, np.array([chance]))[0] ** 2 for chance in grid])
    assert (np.diff(curve, 2) > -1e-9).all()
    for chance in (0.3, 0.5) if above else (0.02, 0.09):
        steep, height = slopes(seen, np.array([chance]), above=above)
        line = height[0] + steep[0] * (grid - chance)
        assert (line <= curve + 1e-9).all()
        step = 1e-6
        ends = [0.5 * distances(seen, np.array([chance + each]))[0] ** 2 for each in (-step, step)]
        assert steep[0] == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-4)


def test_exact_tails_far_out_do_not_vanish():
    seen = Tosses.of(np.array([10.0]), np.array([10_000.0]))
    few, many = log_tails(seen, np.array([0.02]))
    assert few[0] == pytest.approx(stats.binom.logcdf(10, 10_000, 0.02), rel=1e-6)
    assert many[0] == pytest.approx(0.0, abs=1e-12)
