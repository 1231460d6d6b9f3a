from __future__ import annotations

import math

import numpy as np
import pytest

from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child
from fairwitness.stats import CharacteristicSums, mmd_squared, nodes


def naive(x, y, sigma, p=None, q=None, *, unbiased=False):
    """Every pair of values, as the definition has it."""
    p = np.ones(len(x)) if p is None else p
    q = np.ones(len(y)) if q is None else q

    def mean(a, b, u, v, own):
        weight = np.outer(u, v)
        if own:
            np.fill_diagonal(weight, 0)
        return (weight * np.exp(-((a[:, None] - b) ** 2) / (2 * sigma**2))).sum() / weight.sum()

    return mean(x, x, p, p, unbiased) + mean(y, y, q, q, unbiased) - 2 * mean(x, y, p, q, False)


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("sigma", [2e-4, 0.01, 0.3, 5.0, 1000.0])
def test_equal_to_the_sum_over_all_pairs(sigma, unbiased):
    rng = child(0, "pairs")
    n = 2000 if sigma == 0.3 else 400
    x, y = rng.normal(size=n), np.append(rng.normal(0.2, 1.3, size=n // 2), 9.0)
    p, q = rng.random(len(x)), rng.random(len(y))
    got = mmd_squared(x, y, bandwidth=sigma, unbiased=unbiased)
    assert got == pytest.approx(naive(x, y, sigma, unbiased=unbiased), abs=1e-12)
    got = mmd_squared(x, y, p, q, bandwidth=sigma, unbiased=unbiased)
    assert got == pytest.approx(naive(x, y, sigma, p, q, unbiased=unbiased), abs=1e-12)


def test_both_ways_of_summing_agree(monkeypatch):
    rng = child(1, "ways")
    angles, codes, weights = rng.random(3000) * 2 * np.pi, rng.integers(0, 3, 3000), rng.random(3000)
    for count in (1, 2, 22, 700):
        plain = np.exp(1j * np.outer(np.arange(count), angles)) * weights
        want = np.stack([plain[:, codes == group].sum(axis=1) for group in range(3)])
        for most in (10**9, 0):
            monkeypatch.setattr(nodes, "MOST_BY_POWERS", most)
            got = nodes.node_sums(angles, codes, 3, count, weights)
            assert np.abs(got - want).max() < 1e-13 * weights.sum()


def test_gridding_many_groups_a_few_at_a_time(monkeypatch):
    rng = child(2, "cells")
    angles, codes = rng.random(500) * 2 * np.pi, rng.integers(0, 5, 500)
    monkeypatch.setattr(nodes, "MOST_BY_POWERS", 0)
    whole = nodes.node_sums(angles, codes, 5, 50)
    monkeypatch.setattr(nodes, "_MOST_CELLS", 500)
    np.testing.assert_allclose(nodes.node_sums(angles, codes, 5, 50), whole, atol=1e-11)


def test_parts_add_up_to_the_whole():
    rng = child(3, "parts")
    x, codes, weight = rng.normal(size=900), rng.integers(-1, 3, 900), rng.random(900)
    fixed = {"bandwidth": 0.4, "low": -6.0, "high": 6.0}
    whole = CharacteristicSums.of(x, codes, 3, weight=weight, **fixed)
    parts = [
        CharacteristicSums.of(x[rows], codes[rows], 3, weight=weight[rows], **fixed)
        for rows in np.array_split(rng.permutation(900), 7)
    ]
    parts.append(CharacteristicSums.of([], np.zeros(0, int), 3, **fixed))
    together = sum(parts[1:], parts[0])
    np.testing.assert_allclose(together.mmd_squared(), whole.mmd_squared(), atol=1e-14)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b = codes == i, codes == j
        want = naive(x[a], x[b], 0.4, weight[a], weight[b])
        assert together.mmd_squared()[i, j] == pytest.approx(want, abs=1e-12)
        assert together.mmd_squared()[j, i] == together.mmd_squared()[i, j]
        want = naive(x[a], x[b], 0.4, weight[a], weight[b], unbiased=True)
        assert together.mmd_squared(unbiased=True)[i, j] == pytest.approx(want, abs=1e-12)
    kept = codes >= 0
    want = [naive(x[codes == i], x[kept], 0.4, weight[codes == i], weight[kept]) for i in range(3)]
    assert together.from_pool() == pytest.approx(want, abs=1e-12)


def test_sums_of_different_kernels_or_ranges_do_not_add():
    sums = CharacteristicSums.of([0.1, 0.9], bandwidth=0.2, low=0, high=1)
    for other in (
        CharacteristicSums.of([0.1], bandwidth=0.3, low=0, high=1),
        CharacteristicSums.of([0.1], bandwidth=0.2, low=0, high=2),
        CharacteristicSums.of([0.1], [1], bandwidth=0.2, low=0, high=1),
    ):
        with pytest.raises(DataError, match="cannot be added"):
            sums + other
    with pytest.raises(TypeError):
        sums + 1


def test_nothing_to_compare_is_nan():
    sums = CharacteristicSums.of([0.1, 0.4, 0.5], [0, 0, 2], 3, bandwidth=0.2)
    found = sums.mmd_squared()
    assert np.isnan(found[1]).all()
    assert np.isnan(found[:, 1]).all()
    assert found[0, 2] > 0
    assert np.isnan(sums.from_pool()[1])
    # one value has no pair of different ones
    assert np.isnan(sums.mmd_squared(unbiased=True)[0, 2])
    assert math.isnan(mmd_squared([], [1.0], bandwidth=1.0))
    assert math.isnan(mmd_squared([1.0], [1.0], [0.0], bandwidth=1.0))


def test_extremes():
    assert mmd_squared([1.0, 1.0], [1.0], bandwidth=1.0) == 0
    assert mmd_squared([0.0], [1e6], bandwidth=1.0) == pytest.approx(2.0)
    assert mmd_squared([0.0, 0.0], [1.0], bandwidth=1e9) == pytest.approx(0.0, abs=1e-12)
    assert mmd_squared(np.array([0, 1], np.uint8), [True, False], bandwidth=1.0) == pytest.approx(
        0, abs=1e-15
    )


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, "1", None, True])
def test_the_bandwidth_is_above_zero(bad):
    with pytest.raises(ConfigError, match="bandwidth"):
        mmd_squared([0.0], [1.0], bandwidth=bad)


def test_refused():
    with pytest.raises(ConfigError, match="too small for the range"):
        mmd_squared([0.0], [1.0], bandwidth=1e-12)
    with pytest.raises(DataError, match="missing or infinite"):
        mmd_squared([0.0, math.nan], [1.0], bandwidth=1.0)
    with pytest.raises(DataError, match="outside the range"):
        CharacteristicSums.of([0.0, 2.0], bandwidth=1.0, low=0, high=1)
    with pytest.raises(DataError, match="weight"):
        CharacteristicSums.of([0.0, 2.0], bandwidth=1.0, weight=[1.0])
