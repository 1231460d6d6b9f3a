from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child
from fairwitness.stats import bootstrap_means, jackknife_variance, permutation_p, resample_counts


def test_counts_are_resamples_of_all_rows() -> None:
    counts = np.concatenate(list(resample_counts(7, rng=child(0, "t"), n_resamples=4000)))
    assert counts.shape == (4000, 7)
    assert (counts.sum(axis=1) == 7).all()
    # Each row is drawn Binomial(7, 1/7) times: mean 1, variance 6/7, covariance of two rows -1/7.
    assert counts.mean() == pytest.approx(1.0)
    assert counts[:, 0].var() == pytest.approx(6 / 7, abs=0.08)
    assert np.cov(counts[:, 0], counts[:, 1])[0, 1] == pytest.approx(-1 / 7, abs=0.06)


@pytest.mark.parametrize("batch", [1, 7, 64, 5000])
def test_the_cut_into_batches_changes_nothing(batch: int) -> None:
    values = child(1, "values").random((11, 3))
    codes = np.array([0, 1, 0, 0, 2, 1, -1, 0, 1, 0, 0])
    whole = bootstrap_means(values, codes, 3, rng=child(0, "b"), n_resamples=200)
    cut = bootstrap_means(values, codes, 3, rng=child(0, "b"), n_resamples=200, batch=batch)
    np.testing.assert_allclose(cut, whole, rtol=1e-13)


def test_bootstrap_centres_on_the_mean_with_its_standard_error() -> None:
    values = child(2, "values").normal(size=(400, 1))
    means = bootstrap_means(values, np.zeros(400, int), 1, rng=child(0, "b"), n_resamples=4000)
    assert means.mean() == pytest.approx(values.mean(), abs=0.005)
    assert means.std() == pytest.approx(values.std() / np.sqrt(400), rel=0.05)


def test_bootstrap_leaves_out_missing_values_and_empty_groups() -> None:
    values = np.array([[1.0, np.nan], [1.0, 5.0], [3.0, np.nan], [9.0, 9.0]])
    codes = np.array([0, 0, 2, -1])
    means = bootstrap_means(values, codes, 3, rng=child(0, "b"), n_resamples=300)
    assert (means[:, 0, 0] == 1).all()
    second = means[:, 0, 1]
    assert set(second[~np.isnan(second)]) == {5.0}
    # Row 0 twice, so that no value is left, happens in a quarter of the resamples.
    assert np.isnan(second).mean() == pytest.approx(0.25, abs=0.1)
    assert np.isnan(means[:, 1]).all()
    assert (means[:, 2, 0] == 3).all()
    assert np.isnan(means[:, 2, 1]).all()


def test_permutation_p_is_the_exact_share_in_the_limit() -> None:
    values = np.array([0.9, 0.8, 1.0, 0.1, 0.7, 0.3, 0.2])
    codes = np.array([0, 0, 0, 1, 1, 1, 1])
    observed = abs(values[:3].mean() - values[3:].mean())
    splits = [list(split) for split in combinations(range(7), 3)]
    exact = np.mean(
        [abs(values[split].mean() - np.delete(values, split).mean()) >= observed - 1e-12 for split in splits]
    )
    p = permutation_p(values, codes, 0, 1, rng=child(0, "p"), n_permutations=20_000)
    assert float(p) == pytest.approx(exact, abs=0.01)


def test_permutation_p_keeps_its_level_under_the_null() -> None:
    rng = child(5, "null")
    codes = np.repeat([0, 1], [8, 12])
    small = [
        float(permutation_p(rng.beta(0.5, 0.5, size=20), codes, 0, 1, rng=child(i, "p"), n_permutations=99))
        <= 0.1
        for i in range(600)
    ]
    assert np.mean(small) == pytest.approx(0.1, abs=0.04)


def test_permutation_p_of_many_columns_shares_the_shuffles_and_skips_missing_values() -> None:
    values = child(3, "v").random((30, 2))
    values[4, 1] = np.nan
    codes = np.arange(30) % 3
    both = permutation_p(values, codes, 0, 1, rng=child(0, "p"), n_permutations=500)
    assert both.shape == (2,)
    assert both[0] == permutation_p(values[:, 0], codes, 0, 1, rng=child(0, "p"), n_permutations=500)
    values[codes == 0] = np.nan
    assert np.isnan(permutation_p(values, codes, 0, 1, rng=child(0, "p"), n_permutations=50)).all()


def test_a_disturbance_widens_what_chance_may_do() -> None:
    values = np.r_[np.ones(10), np.zeros(10)]
    codes = np.repeat([0, 1], 10)
    alone = permutation_p(values, codes, 0, 1, rng=child(0, "p"), n_permutations=400)
    noise = child(0, "noise").normal(size=(400, 1))
    widened = permutation_p(values, codes, 0, 1, rng=child(0, "p"), n_permutations=400, disturbance=noise)
    assert float(alone) == pytest.approx(1 / 401)
    assert 0.2 < float(widened) < 0.5  # |N(0, 1) + a little| reaches 1 in about a third of the draws


def test_an_empty_group_has_no_p() -> None:
    values = child(4, "v").random((9, 3))  # sums that rounding leaves a residue of
    assert np.isnan(permutation_p(values, np.zeros(9, int), 0, 1, rng=child(0, "p"), n_permutations=9)).all()
    assert np.isnan(permutation_p(values, np.zeros(9, int), 1, 0, rng=child(0, "p"), n_permutations=9)).all()


def test_equal_values_give_p_of_one() -> None:
    values = np.full(10, 1 / 3)
    assert permutation_p(values, np.arange(10) % 2, 0, 1, rng=child(0, "p"), n_permutations=99) == 1.0


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ConfigError):
        list(resample_counts(3, rng=child(0, "t"), n_resamples=0))
    with pytest.raises(ConfigError):
        permutation_p(np.zeros(2), np.array([0, 1]), 0, 1, rng=child(0, "t"), n_permutations=0)
    for wrong in ("x", -1, 1.5, None):
        with pytest.raises(ConfigError, match="n_resamples must be a whole number"):
            bootstrap_means(np.zeros((3, 1)), np.zeros(3, int), 1, rng=child(0, "t"), n_resamples=wrong)
    with pytest.raises(DataError, match="values must hold numbers"):
        bootstrap_means([["a"]], [0], 1, rng=child(0, "t"))
    with pytest.raises(DataError):
        bootstrap_means(np.zeros((3, 1)), np.zeros(4, int), 1, rng=child(0, "t"))


def test_codes_may_be_a_list() -> None:
    values = np.array([0.0, 1.0, 1.0, 0.0])
    listed = permutation_p(values, [0, 1, 1, 0], 0, 1, rng=child(0, "p"), n_permutations=50)
    assert listed == permutation_p(values, np.array([0, 1, 1, 0]), 0, 1, rng=child(0, "p"), n_permutations=50)


def test_the_jackknife_of_a_mean_is_its_variance() -> None:
    values = child(3, "v").normal(size=(40, 2))
    parts = np.array_split(np.arange(40), 8)
    means = [np.delete(values, part, axis=0).mean(axis=0) for part in parts]
    blocks = np.array([values[part].mean(axis=0) for part in parts])
    np.testing.assert_allclose(jackknife_variance(means), blocks.var(axis=0, ddof=1) / 8)


def test_a_jackknife_of_what_is_not_known_leaves_it_out() -> None:
    nan = np.nan
    found = jackknife_variance(
        [np.array([1.0, nan, nan]), np.array([3.0, 2.0, nan]), np.array([nan, 4.0, 1.0])]
    )
    np.testing.assert_allclose(found, [1.0, 1.0, 0.0])
    assert jackknife_variance([]) == 0
    np.testing.assert_array_equal(jackknife_variance([np.ones(3)]), np.zeros(3))
