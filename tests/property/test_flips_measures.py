from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.oracle import flips_by_hand as by_hand

from fairwitness.flips import cflips, cflips_curve, ndccf, ndccf_curve

CONVENTIONS = ("equations", "published")
SHORTFALLS = ("available", "ideal_k", "drop")


@st.composite
def flip_matrices(draw: st.DrawFn) -> np.ndarray:
    shape = (draw(st.integers(0, 6)), draw(st.integers(1, 12)))
    flips = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0])))
    for row in range(shape[0]):
        flips[row, draw(st.integers(0, shape[1])) :] = np.nan
    return flips


@pytest.mark.parametrize("shortfall", SHORTFALLS)
@given(flips=flip_matrices())
def test_cflips_is_the_double_loop(shortfall: str, flips: np.ndarray) -> None:
    curve = cflips_curve(flips, shortfall=shortfall)
    for k in range(1, flips.shape[1] + 1):
        expected = np.array([by_hand.cflips(row, k, shortfall) for row in flips.tolist()])
        np.testing.assert_allclose(cflips(flips, k, shortfall=shortfall), expected, atol=1e-12)
        np.testing.assert_array_equal(curve[:, k - 1], cflips(flips, k, shortfall=shortfall))


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("shortfall", SHORTFALLS)
@given(flips=flip_matrices())
def test_ndccf_is_the_double_loop(convention: str, shortfall: str, flips: np.ndarray) -> None:
    curve = ndccf_curve(flips, convention=convention, shortfall=shortfall)
    for k in range(1, flips.shape[1] + 1):
        expected = np.array([by_hand.ndccf(row, k, convention, shortfall) for row in flips.tolist()])
        got = ndccf(flips, k, convention=convention, shortfall=shortfall)
        np.testing.assert_allclose(got, expected, atol=1e-12)
        np.testing.assert_array_equal(curve[:, k - 1], got)


@given(flips=flip_matrices())
def test_both_stay_between_0_and_1(flips: np.ndarray) -> None:
    for curve in (cflips_curve(flips), ndccf_curve(flips), ndccf_curve(flips, convention="published")):
        known = curve[~np.isnan(curve)]
        assert ((known >= 0) & (known <= 1)).all()


@given(flips=flip_matrices(), rank=st.integers(0, 11))
def test_one_flip_more_raises_cflips_and_lowers_ndccf(flips: np.ndarray, rank: int) -> None:
    rank = rank % flips.shape[1]
    rows = flips[:, rank] == 0
    more = flips.copy()
    more[rows, rank] = 1
    assert (cflips(more)[rows] > cflips(flips)[rows]).all()
    assert (ndccf(more)[rows] < ndccf(flips)[rows]).all()


@given(flips=flip_matrices())
def test_rows_do_not_see_each_other(flips: np.ndarray) -> None:
    whole = ndccf_curve(flips)
    for row in range(len(flips)):
        np.testing.assert_array_equal(ndccf_curve(flips[row : row + 1])[0], whole[row])
