from __future__ import annotations

import numpy as np
import pytest

from fairwitness.errors import ConfigError, DataError
from fairwitness.flips import cflips, cflips_curve, ndccf, ndccf_curve

NAN = np.nan


def test_cflips_of_two_people_by_hand() -> None:
    flips = [[1, 0, 0, 1], [0, 1, NAN, NAN]]
    np.testing.assert_allclose(cflips(flips, 1), [1, 0])
    np.testing.assert_allclose(cflips(flips), [0.5, 0.5])
    np.testing.assert_allclose(cflips(flips, shortfall="ideal_k"), [0.5, 0.25])
    np.testing.assert_allclose(cflips(flips, shortfall="drop"), [0.5, NAN])


def test_ndccf_weighs_early_ranks_more() -> None:
    early, late = ndccf([[1, 0, 0], [0, 0, 1]])
    ideal = 1 + 1 / np.log2(3) + 1 / 2
    assert early == pytest.approx((ideal - 1) / ideal)
    assert late == pytest.approx((ideal - 0.5) / ideal)


def test_no_flip_is_exactly_one_and_only_flips_exactly_zero() -> None:
    assert (ndccf_curve(np.zeros((3, 100))) == 1).all()
    assert (ndccf_curve(np.ones((3, 100))) == 0).all()
    assert (cflips_curve(np.ones((3, 100))) == 1).all()


def test_several_ks_give_a_column_each() -> None:
    flips = np.array([[1, 0, 0, 1.0]])
    assert cflips(flips, [1, 4]).tolist() == [[1.0, 0.5]]
    assert cflips(flips, np.array([2])).tolist() == [[0.5]]
    assert cflips(flips, 2).tolist() == [0.5]


def test_nobody_found_is_nan_whatever_the_rule() -> None:
    flips = np.full((1, 3), NAN)
    for shortfall in ("available", "ideal_k", "drop"):
        assert np.isnan(cflips(flips, 1, shortfall=shortfall)).all()
        assert np.isnan(ndccf(flips, 1, shortfall=shortfall, convention="published")).all()


def test_published_convention_loses_the_last_counterfactual_only() -> None:
    flips = np.zeros((1, 4))
    curve = ndccf_curve(flips, convention="published")[0]
    np.testing.assert_allclose(curve[:3], 1)
    ideal = np.cumsum(1 / np.log2(np.arange(2, 6)))
    assert curve[3] == pytest.approx(ideal[2] / ideal[3])
    assert ndccf([[0.0]], convention="published")[0] == 0


def test_no_people_is_no_values() -> None:
    assert cflips(np.empty((0, 5)), [1, 5]).shape == (0, 2)
    assert ndccf_curve(np.empty((0, 5))).shape == (0, 5)


@pytest.mark.parametrize("k", [0, -1, 4, 1.5, "2", True, [], [1, 4], [[1]]])
@pytest.mark.parametrize("measure", [cflips, ndccf])
def test_a_k_that_makes_no_sense_is_refused(measure, k) -> None:
    with pytest.raises(ConfigError, match="from 1 to 3"):
        measure(np.zeros((2, 3)), k)


def test_a_matrix_without_ranks_is_refused() -> None:
    with pytest.raises(ConfigError):
        cflips(np.empty((2, 0)))


@pytest.mark.parametrize(
    "flips", [[0, 1], [[0, 2]], [[NAN, 1]], [[0, NAN, 0]], [[np.inf]], [[[0]]], "x", [["a"]], [[1], [1, 0]]]
)
def test_what_is_no_matrix_of_flips_is_refused(flips) -> None:
    with pytest.raises(DataError, match="To fix"):
        cflips(flips, 1)


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(ConfigError, match="available"):
        cflips(np.zeros((1, 1)), shortfall="fill")
    with pytest.raises(ConfigError, match="published"):
        ndccf(np.zeros((1, 1)), convention="paper")


def test_the_input_is_left_alone() -> None:
    flips = np.array([[0.0, 1.0, NAN]])
    before = flips.copy()
    cflips(flips, 1)
    ndccf(flips, 1, convention="published")
    np.testing.assert_array_equal(flips, before)
