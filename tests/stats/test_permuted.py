from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child
from fairwitness.stats import mmd_permutation_p, mmd_squared, permuted


def exact_p(x, y, sigma, p=None, q=None):
    pool = np.concatenate([x, y])
    mass = np.ones(len(pool)) if p is None else np.concatenate([p, q])

    def statistic(chosen):
        inside = np.isin(np.arange(len(pool)), chosen)
        return mmd_squared(pool[inside], pool[~inside], mass[inside], mass[~inside], bandwidth=sigma)

    observed = statistic(range(len(x)))
    splits = [statistic(split) for split in combinations(range(len(pool)), len(x))]
    return np.mean(np.array(splits) >= observed - 1e-12)


def test_it_is_the_share_of_all_splits_in_the_limit():
    x, y = np.array([0.1, 0.4, 0.4, 0.9]), np.array([0.4, 0.95, 0.8, 0.9, 1.0])
    p = mmd_permutation_p(x, y, bandwidth=0.2, rng=child(0, "p"), n_permutations=20_000)
    assert p == pytest.approx(exact_p(x, y, 0.2), abs=0.012)
    u, v = np.array([3.0, 1, 1, 2]), np.array([1.0, 1, 0, 2, 5])
    p = mmd_permutation_p(x, y, u, v, bandwidth=0.2, rng=child(0, "p"), n_permutations=20_000)
    assert p == pytest.approx(exact_p(x, y, 0.2, u, v), abs=0.012)


def test_level_and_power():
    small, found = [], []
    for seed in range(150):
        rng = child(seed, "null")
        x, y = rng.random(40), rng.random(30)
        draw = {"rng": child(seed, "p"), "n_permutations": 99, "bandwidth": 0.3}
        small.append(mmd_permutation_p(x, y, **draw) <= 0.1)
        found.append(mmd_permutation_p(x, y**3, **draw) <= 0.1)
    assert np.mean(small) == pytest.approx(0.1, abs=0.075)
    assert np.mean(found) > 0.9


def test_many_values_stand_on_bins(monkeypatch):
    rng = child(1, "bins")
    x, y = rng.random(300), rng.random(200) ** 1.4
    monkeypatch.setattr(permuted, "_POINTS", 64)
    points, cells = permuted._points(np.concatenate([x, y]))
    assert len(points) <= 64
    assert np.abs(points[cells] - np.concatenate([x, y])).max() <= 0.5 / 64
    assert mmd_permutation_p(x, y, bandwidth=0.3, rng=child(0, "p")) < 0.01


def test_nothing_to_compare_is_nan_and_equal_values_are_one():
    draw = {"bandwidth": 1.0, "rng": child(0, "p"), "n_permutations": 20}
    assert math.isnan(mmd_permutation_p([], [1.0], **draw))
    assert math.isnan(mmd_permutation_p([1.0], [1.0], [0.0], **draw))
    assert mmd_permutation_p([1.0, 1.0], [1.0], **draw) == 1


def test_refused():
    with pytest.raises(ConfigError, match="n_permutations"):
        mmd_permutation_p([1.0], [2.0], bandwidth=1.0, rng=child(0, "p"), n_permutations=0)
    with pytest.raises(DataError, match="missing or infinite"):
        mmd_permutation_p([np.inf], [2.0], bandwidth=1.0, rng=child(0, "p"))
