from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from fairwitness.errors import DataError
from fairwitness.rng import child
from fairwitness.stats import bandwidth, median_bandwidth


def by_hand(x, weight=None):
    i, j = np.triu_indices(len(x), 1)
    apart = np.abs(x[i] - x[j])
    mass = np.ones(len(apart)) if weight is None else weight[i] * weight[j]
    if weight is None:
        median = np.median(apart)
    else:
        order = np.argsort(apart)
        upto = np.cumsum(mass[order])
        median = apart[order][np.searchsorted(upto, upto[-1] / 2 * (1 - 1e-12))]
    above = apart > 0
    return median if median > 0 else np.average(apart[above], weights=mass[above])


def samples(rng, n):
    yield rng.normal(size=n)
    yield rng.integers(0, 4, n).astype(float)
    yield np.round(rng.random(n), 2)
    yield rng.standard_cauchy(n) * 10.0 ** rng.integers(-6, 6)
    yield np.where(rng.random(n) < 0.05, rng.random(n), 0.0)
    yield np.append(rng.random(n - 1), 1e9)


@pytest.mark.parametrize("most", [1_000_000, 20])
def test_against_all_pairs(monkeypatch, most):
    monkeypatch.setattr(bandwidth, "_MOST_PAIRS", most)
    rng = child(0, "median")
    compared = 0
    for n in (2, 3, 4, 7, 30, 101, 200):
        for x in samples(rng, n):
            if len(set(x)) > 1:
                assert median_bandwidth(x) == pytest.approx(by_hand(x), rel=1e-13)
                weight = rng.random(n) * (rng.random(n) < 0.8)
                if len(set(x[weight > 0])) > 1:
                    assert median_bandwidth(x, weight) == pytest.approx(by_hand(x, weight), rel=1e-12)
                    compared += 1
    assert compared > 25


def test_many_values():
    x = child(1, "many").standard_cauchy(3000)
    assert median_bandwidth(x) == np.median(pdist(x[:, None]))


def test_ties_give_the_mean_distance_above_zero():
    assert median_bandwidth([0, 0, 0, 0, 0, 0, 1, 3]) == pytest.approx((6 * 1 + 6 * 3 + 2) / 13)


def test_nothing_to_compare_is_nan():
    for x in ([], [1.0], [2.0, 2.0, 2.0]):
        assert np.isnan(median_bandwidth(x))
    assert np.isnan(median_bandwidth([1.0, 2.0], [1.0, 0.0]))


@pytest.mark.parametrize("bad", [[np.nan, 1.0], [np.inf, 1.0], ["a"], [[1.0, 2.0]]])
def test_bad_values_are_refused(bad):
    with pytest.raises(DataError):
        median_bandwidth(bad)
