from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, random_table

from fairwitness.causal.implied.gtest import _moments, dependence, g_test


def test_well_filled_tables_have_a_chi_squared_distribution():
    rng = np.random.default_rng(0)
    table = rng.integers(20, 60, (3, 4))
    wanted = chi2_contingency(table, lambda_="log-likelihood")
    statistic, p_value = g_test(table[..., None].astype(float))
    assert statistic == pytest.approx(wanted.statistic)
    assert p_value == pytest.approx(wanted.pvalue)
    found = dependence(table[..., None] / table.sum())
    assert found.df == wanted.dof
    assert found.information == pytest.approx(wanted.statistic / 2 / table.sum())


@pytest.mark.parametrize(("rows", "columns"), [((3, 4), (2, 5)), ((1, 6), (3, 4)), ((2, 3, 4), (1, 8))])
def test_moments_of_all_tables_with_the_same_margins(rows, columns):
    draws = random_table(rows, columns).rvs(20_000, random_state=np.random.default_rng(1))
    values = [
        chi2_contingency(table, lambda_="log-likelihood", correction=False).statistic
        for table in np.unique(draws, axis=0)
    ]
    weights = np.unique(draws, axis=0, return_counts=True)[1] / len(draws)
    mean = float(weights @ values)
    found = _moments(rows, columns, seed=0)
    assert found[0] == pytest.approx(mean, rel=0.05)
    assert found[1] == pytest.approx(float(weights @ (np.array(values) - mean) ** 2), rel=0.15)


@pytest.mark.parametrize(
    ("shape", "n"),
    [((2, 2, 8), 50), ((2, 4, 8), 120), ((2, 2, 64), 320)],
)
def test_what_holds_is_rejected_as_often_as_it_should_be(shape, n):
    rng = np.random.default_rng(2)
    margins = [rng.dirichlet(np.ones(size)) for size in shape]
    joint = np.einsum("a,b,c->abc", *margins).ravel()
    p_values = [g_test(rng.multinomial(n, joint).reshape(shape).astype(float))[1] for _ in range(200)]
    # the χ² distribution rejects 10 to 50 % in most of these
    assert 0 < np.nanmean(np.array(p_values) <= 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_dependence_in_a_sparse_table_is_seen():
    rng = np.random.default_rng(3)
    counts = np.zeros((2, 2, 100))
    for stratum in range(100):
        x = rng.integers(0, 2, 4)
        y = np.where(rng.random(4) < 0.8, x, 1 - x)
        np.add.at(counts, (x, y, stratum), 1)
    assert g_test(counts)[1] < 1e-6


def test_the_seed_decides_and_the_order_of_values_does_not():
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 4, (3, 3, 6)).astype(float)
    assert g_test(counts) == g_test(counts)
    other = g_test(counts[::-1, [1, 0, 2]][..., ::-1])
    assert other == pytest.approx(g_test(counts))
    assert g_test(counts, seed=1)[1] != g_test(counts)[1]
    assert g_test(counts, seed=1)[1] == pytest.approx(g_test(counts)[1], abs=0.05)


def test_nothing_to_test():
    assert np.isnan(g_test(np.array([[[3.0], [4.0]]]))[1])
