from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import binomtest

from fairwitness.errors import ConfigError
from fairwitness.stats import Estimate, newcombe_difference, percentile, wilson


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (0, 30), (3, 10), (50, 100), (199, 200)])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_wilson_is_scipys(successes: int, n: int, confidence: float) -> None:
    expected = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    low, high = wilson(successes, n, confidence)
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)


def test_wilson_of_nothing_is_nan_and_arrays_broadcast() -> None:
    low, high = wilson([0, 5], [0, 5])
    assert math.isnan(low[0])
    assert math.isnan(high[0])
    assert high[1] == 1.0


def test_wilson_bounds_are_exact_at_the_ends() -> None:
    assert wilson(0, 7)[0] == 0.0
    assert wilson(7, 7)[1] == 1.0


def test_newcombe_gives_the_published_examples() -> None:
    # Newcombe (1998), table II, method 10, examples (a) 56/70 - 48/80, (c) 9/10 - 3/10, (h) 10/10 - 0/10.
    cases = [((56, 70, 48, 80), 0.0524, 0.3339), ((9, 10, 3, 10), 0.1705, 0.8090)]
    cases.append(((10, 10, 0, 10), 0.6075, 1.0000))
    for counts, low, high in cases:
        got = newcombe_difference(*counts)
        assert got[0] == pytest.approx(low, abs=1e-4)
        assert got[1] == pytest.approx(high, abs=1e-4)


def test_newcombe_with_an_empty_group_is_nan() -> None:
    assert all(math.isnan(float(bound)) for bound in newcombe_difference(1, 2, 0, 0))


def test_percentile_is_numpys_and_ignores_nan() -> None:
    samples = np.random.default_rng(3).normal(size=(501, 2, 3))
    low, high = percentile(samples, 0.9)
    np.testing.assert_allclose(low, np.quantile(samples, 0.05, axis=0))
    np.testing.assert_allclose(high, np.quantile(samples, 0.95, axis=0))
    samples[::2, 0, 0] = np.nan
    samples[:, 1, 1] = np.nan
    low, high = percentile(samples, 0.9)
    np.testing.assert_allclose(low[0, 0], np.nanquantile(samples[:, 0, 0], 0.05))
    assert math.isnan(low[1, 1])
    assert math.isnan(high[1, 1])


def test_percentile_along_another_axis_and_of_no_samples() -> None:
    samples = np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(percentile(samples, 0.5, axis=1)[0], np.quantile(samples, 0.25, axis=1))
    assert np.isnan(percentile(np.empty((0, 2)))[0]).all()


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.1, math.nan])
def test_a_level_outside_0_and_1_is_refused(confidence: float) -> None:
    with pytest.raises(ConfigError, match=r"confidence=0\.95"):
        wilson(1, 2, confidence)
    with pytest.raises(ConfigError):
        percentile(np.zeros((3, 1)), confidence)


def test_estimate_writes_null_with_its_reason_and_leaves_out_what_is_not_there() -> None:
    nothing = Estimate(math.nan, reason="no eligible rows").to_dict()
    assert nothing == {"estimate": None, "low": None, "high": None, "n": 0, "reason": "no eligible rows"}
    share = Estimate(0.5, 0.1, 0.9, n=4, numerator=2, denominator=4, p_value=0.25).to_dict()
    assert share["numerator"] == 2
    assert share["p_value"] == 0.25
    assert "reason" not in share
    json.dumps([nothing, share], allow_nan=False)


def test_an_estimate_is_one_line() -> None:
    assert repr(Estimate(0.25, 0.2, 0.31, n=1200, p_value=0.012)) == (
        "<Estimate 0.250 [0.200, 0.310], n = 1,200, p = 0.012>"
    )
    assert repr(Estimate(float("nan"), reason="nobody is left")) == "<Estimate – (nobody is left)>"
