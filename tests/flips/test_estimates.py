from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t

from fairwitness.flips.estimates import expanded, group_means
from fairwitness.rng import child
from fairwitness.stats import bootstrap_means, percentile


@pytest.mark.parametrize("n", [2, 5, 100])
def test_resampled_means_of_few_people_are_moved_outwards(n: int) -> None:
    values = np.random.default_rng(n).random((n, 3))
    mean = group_means(values)
    boot = np.random.default_rng(0).normal(mean.value, 0.1, size=(50, 1, 3))
    factor = t.ppf(0.975, n - 1) / norm.ppf(0.975) * np.sqrt(n / (n - 1))
    wide = expanded(boot, [mean], 0.95)
    np.testing.assert_allclose(wide - mean.value, (boot - mean.value) * factor)


def test_intervals_of_five_people_hold_the_truth_almost_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    people = rng.binomial(10, 0.3, size=(5, 500)) / 10  # five people, 500 worlds side by side
    mean = group_means(people)
    boot = bootstrap_means(people, np.zeros(5, dtype=np.int64), 1, rng=child(0, "boot"), n_resamples=500)

    def share(samples: np.ndarray) -> float:
        low, high = percentile(samples[:, 0], 0.95)
        return float(((low <= 0.3) & (high >= 0.3)).mean())

    assert share(boot) < 0.9
    assert share(expanded(boot, [mean], 0.95)) > 0.92


def test_an_empty_group_and_one_person_stay_as_they_are() -> None:
    nobody, alone = group_means(np.empty((0, 2))), group_means(np.array([[0.5, np.nan]]))
    assert nobody.n.tolist() == [0, 0]
    assert alone.same.tolist() == [True, True]
    boot = np.full((4, 2, 2), 0.5)
    wide = expanded(boot, [nobody, alone], 0.95)
    assert np.isnan(wide[:, 0]).all()
    assert (wide[:, 1, 0] == 0.5).all()
