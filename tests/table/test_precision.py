from __future__ import annotations

import numpy as np
import pytest

from fairwitness.table.precision import decimals, round_decimals


def test_rounding_leaves_alone_what_has_no_such_decimals():
    large = np.array([8714934389892215.0, -1e300, 2.0**60 + 512])
    for places in range(11):
        np.testing.assert_array_equal(round_decimals(large, places), large)


def test_rounding_is_decimal():
    np.testing.assert_array_equal(round_decimals(np.array([0.126, -1.25, 7.0]), 2), [0.13, -1.25, 7.0])
    single = round_decimals(np.array([0.126]), 2, np.dtype(np.float32))
    assert single[0] == float(np.float32(0.13))


@pytest.mark.parametrize("storage", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("places", [0, 1, 3, 10])
def test_rounding_twice_is_rounding_once(storage, places):
    rng = np.random.default_rng(0)
    values = (rng.normal(size=2000) * 10.0 ** rng.uniform(-4, 4, 2000)).astype(storage).astype(float)
    once = round_decimals(values, places, np.dtype(storage))
    np.testing.assert_array_equal(round_decimals(once, places, np.dtype(storage)), once)
    np.testing.assert_array_equal(once.astype(storage).astype(float), once)


def test_missing_stays_missing():
    assert np.isnan(round_decimals(np.array([np.nan]), 2)[0])


@pytest.mark.parametrize("places", range(11))
def test_written_decimals_are_counted(places):
    values = np.round(np.random.default_rng(places).uniform(-1e4, 1e4, 300), places)
    assert decimals(values) == places
    assert decimals(np.array([])) == 0
