from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child
from fairwitness.stats import wasserstein_1, wasserstein_2_squared, wasserstein_matrix

SIZES = [(1, 1), (1, 9), (3, 7), (12, 8), (50, 50), (400, 399), (70_000, 40_001)]


def transport(x, y, p, q, order):
    """The distance as the linear programme that defines it."""
    n, m = len(x), len(y)
    cost = np.abs(x[:, None] - y) ** order
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    found = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p, q]))
    assert found.status == 0
    return found.fun


@pytest.mark.parametrize("order", [1, 2])
def test_it_is_the_cost_of_the_best_transport(order):
    rng = child(0, "transport")
    measure = wasserstein_1 if order == 1 else wasserstein_2_squared
    for n, m in ((2, 5), (6, 4), (7, 7)):
        x, y = rng.integers(0, 6, n), rng.normal(2, 2, m)
        p, q = rng.random(n) + 0.01, rng.random(m) + 0.01
        p[0] = 0
        p, q = p / p.sum(), q / q.sum()
        assert measure(x, y, 3 * p, q) == pytest.approx(transport(x, y, p, q, order), abs=1e-8)
        even = transport(x, y, np.full(n, 1 / n), np.full(m, 1 / m), order)
        assert measure(x, y) == pytest.approx(even, abs=1e-8)
        assert measure(y, x) == pytest.approx(even, abs=1e-8)


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_against_scipy(n, m):
    rng = child(n, "scipy")
    x, y = rng.normal(size=n), np.round(rng.normal(0.3, 2, size=m), 1)
    p, q = rng.random(n), rng.random(m)
    assert wasserstein_1(x, y) == pytest.approx(wasserstein_distance(x, y), rel=1e-11)
    assert wasserstein_1(x, y, p, q) == pytest.approx(wasserstein_distance(x, y, p, q), rel=1e-11)
    assert wasserstein_1(x, y, None, q) == pytest.approx(wasserstein_distance(x, y, None, q), rel=1e-11)
    # the second order has two ways too: counts and weights
    equal = wasserstein_2_squared(x, y, np.full(n, 0.25))
    assert wasserstein_2_squared(x, y) == pytest.approx(equal, rel=1e-11)


def test_whole_weights_are_repeated_values():
    rng = child(1, "repeat")
    x, y, times = rng.random(40), rng.random(30), rng.integers(0, 4, 40)
    assert wasserstein_1(x, y, times) == pytest.approx(wasserstein_1(np.repeat(x, times), y), rel=1e-12)
    long = wasserstein_2_squared(np.repeat(x, times), y)
    assert wasserstein_2_squared(x, y, times) == pytest.approx(long, rel=1e-12)


def test_types_and_containers():
    x, y = [0, 1, 1], [1, 1, 3]
    for kind in (np.int8, np.uint8, np.int64, np.float32, np.float16, bool):
        want = wasserstein_distance(np.array(x, kind).astype(float), np.array(y, kind).astype(float))
        assert wasserstein_1(np.array(x, kind), np.array(y, kind)) == pytest.approx(want)
    assert wasserstein_1(pl.Series(x), y) == pytest.approx(1.0)
    # unsigned values are not subtracted as such
    assert wasserstein_1(np.array([0], np.uint8), np.array([255], np.uint8)) == 255


def test_nothing_to_compare_is_nan():
    assert np.isnan(wasserstein_1([], [1.0]))
    assert np.isnan(wasserstein_1([1.0], [1.0], [0.0]))
    assert np.isnan(wasserstein_2_squared([1.0], []))


@pytest.mark.parametrize(
    "bad", [[1.0, np.nan], [np.inf, 0.0], ["a", "b"], [[1.0], [2.0]], [None, 1.0], [10**400, 1]]
)
def test_values_that_are_no_finite_numbers_are_refused(bad):
    with pytest.raises(DataError):
        wasserstein_1(bad, [1.0, 2.0])
    with pytest.raises(DataError):
        wasserstein_1([1.0, 2.0], bad)


@pytest.mark.parametrize("bad", [[1.0], [1.0, -1.0], [1.0, np.nan], [np.inf, 1.0]])
def test_weights_that_make_no_sense_are_refused(bad):
    with pytest.raises(DataError, match="x_weight"):
        wasserstein_1([1.0, 2.0], [1.0], bad)


@pytest.mark.parametrize("order", [1, 2])
def test_all_pairs_of_groups(order):
    rng = child(2, "groups")
    x, codes, weight = rng.random(300), rng.integers(-1, 3, 300), rng.random(300)
    measure = wasserstein_1 if order == 1 else wasserstein_2_squared
    between, from_pool = wasserstein_matrix(x, codes, 4, weight=weight, order=order)
    assert between.shape == (4, 4)
    np.testing.assert_array_equal(between, between.T)
    for i in range(3):
        a, kept = codes == i, codes >= 0
        assert between[i, i] == 0
        assert from_pool[i] == pytest.approx(measure(x[a], x[kept], weight[a], weight[kept]))
        for j in range(3):
            b = codes == j
            assert between[i, j] == pytest.approx(measure(x[a], x[b], weight[a], weight[b]), abs=1e-15)
    assert np.isnan(between[3]).all()
    assert np.isnan(from_pool[3])


def test_codes_and_order_are_checked():
    with pytest.raises(DataError, match="beyond the groups"):
        wasserstein_matrix([0.1, 0.2], [0, 2], 2)
    with pytest.raises(DataError, match="one whole number a value"):
        wasserstein_matrix([0.1, 0.2], [0.0, 1.0], 2)
    with pytest.raises(ConfigError, match="order"):
        wasserstein_matrix([0.1, 0.2], [0, 1], 2, order=3)
