from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child
from fairwitness.stats import mmd_squared, mmd_squared_by_features, mmd_squared_in_blocks


def naive(x, y, sigma, p, q, *, unbiased=False):
    def mean(a, b, u, v, own):
        weight = np.outer(u, v)
        if own:
            np.fill_diagonal(weight, 0)
        return (weight * np.exp(-cdist(a, b, "sqeuclidean") / (2 * sigma**2))).sum() / weight.sum()

    return mean(x, x, p, p, unbiased) + mean(y, y, q, q, unbiased) - 2 * mean(x, y, p, q, False)


@pytest.fixture
def groups():
    rng = child(0, "multivariate")
    x, y = rng.normal(100, 1, size=(130, 4)), rng.normal(100.4, 1, size=(90, 4))
    return x, y, rng.random(130), rng.random(90)


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("block", [1, 32, 4096])
def test_blocks_are_exact(groups, block, unbiased):
    x, y, p, q = groups
    asked = {"bandwidth": 1.5, "block": block, "unbiased": unbiased}
    want = naive(x, y, 1.5, p, q, unbiased=unbiased)
    assert mmd_squared_in_blocks(x, y, p, q, **asked) == pytest.approx(want, abs=1e-12)
    want = naive(x, y, 1.5, np.ones(130), np.ones(90), unbiased=unbiased)
    assert mmd_squared_in_blocks(x, y, **asked) == pytest.approx(want, abs=1e-12)


def test_one_column_is_the_one_dimensional_distance(groups):
    x, y = groups[0][:, 0], groups[1][:, 0]
    want = mmd_squared(x, y, bandwidth=0.7)
    assert mmd_squared_in_blocks(x, y, bandwidth=0.7) == pytest.approx(want, abs=1e-12)


def test_features_are_off_by_their_stated_error(groups):
    x, y, p, q = groups
    exact = naive(x, y, 1.5, p, q)
    scores = []
    for seed in range(40):
        value, error = mmd_squared_by_features(
            x, y, p, q, bandwidth=1.5, rng=child(seed, "features"), n_features=400
        )
        assert 0 < error < exact
        scores.append((value - exact) / error)
    assert abs(np.mean(scores)) < 0.6
    assert np.std(scores) == pytest.approx(1, abs=0.35)


def test_features_are_seeded(groups):
    x, y, _, _ = groups
    one, two = (mmd_squared_by_features(x, y, bandwidth=1, rng=child(3, "f")) for _ in range(2))
    assert one == two


def test_nothing_to_compare_is_nan():
    empty, one = np.zeros((0, 2)), np.zeros((1, 2))
    assert math.isnan(mmd_squared_in_blocks(empty, one, bandwidth=1))
    assert math.isnan(mmd_squared_in_blocks(one, one, bandwidth=1, unbiased=True))
    assert mmd_squared_in_blocks(one, one, bandwidth=1) == 0
    assert np.isnan(mmd_squared_by_features(one, empty, bandwidth=1, rng=child(0, "f"))).all()


def test_refused(groups):
    x, y, _, _ = groups
    for measure, more in ((mmd_squared_in_blocks, {}), (mmd_squared_by_features, {"rng": child(0, "f")})):
        with pytest.raises(DataError, match="number of columns"):
            measure(x, y[:, :2], bandwidth=1, **more)
        with pytest.raises(DataError, match="missing or infinite"):
            measure(x, np.full((2, 4), np.nan), bandwidth=1, **more)
        with pytest.raises(DataError, match="x_weight"):
            measure(x, y, [1.0], bandwidth=1, **more)
        with pytest.raises(ConfigError, match="bandwidth"):
            measure(x, y, bandwidth=0, **more)
        with pytest.raises(DataError, match="must be a table"):
            measure(np.zeros((2, 2, 2)), y, bandwidth=1, **more)
