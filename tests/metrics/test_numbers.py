"""A regression measured: every value against the rows of the group, and the comparisons made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fairwitness.errors import DataError
from fairwitness.metrics import mae, measure, r2, rmse


@pytest.mark.parametrize("weighted", [False, True])
def test_values_and_differences(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    n = 300
    g = rng.choice(["a", "b", "c"], n)
    y = rng.normal(50, 10, n)
    p = y + rng.normal(1, 3, n) + 2 * (g == "b")
    w = rng.random(n) + 0.1 if weighted else None
    found = measure(y, p, sensitive_features=g, sample_weight=w, privileged="a")

    def mean(values: np.ndarray, of: np.ndarray) -> float:
        return float(np.average(values[of], weights=None if w is None else w[of]))

    for label in ("", "a", "b", "c"):
        of = g == label if label else np.ones(n, dtype=bool)
        expected = {
            "mean_prediction": mean(p, of),
            "mean_residual": mean(y - p, of),
            "mae": mean(np.abs(y - p), of),
            "rmse": math.sqrt(mean((y - p) ** 2, of)),
            "r2": 1 - mean((y - p) ** 2, of) / (mean(y**2, of) - mean(y, of) ** 2),
        }
        for name, value in expected.items():
            row = found.value(name, group=label)
            assert row.estimate == pytest.approx(value, rel=1e-9)
            assert row.low < row.estimate < row.high
        if label in "bc" and label:
            for name in expected:
                row = found.value(f"{name}_difference", group=label)
                base = found.value(name, group="a").estimate
                assert row.estimate == pytest.approx(expected[name] - base)
                assert row.reference == "a"
                assert row.smallest_detectable > 0
    shifted = found.value("mean_residual_difference", group="b")
    assert shifted.p_adjusted < 1e-3
    assert shifted.high < 0


def test_intervals_are_those_of_the_mean() -> None:
    rng = np.random.default_rng(1)
    y, p = rng.normal(size=2000), rng.normal(size=2000)
    row = measure(y, p, task="regression", metrics="mae", n_resamples=4000).value("mae")
    error = np.abs(y - p)
    half = 1.96 * error.std() / math.sqrt(2000)
    assert row.low == pytest.approx(error.mean() - half, abs=0.06 * half)
    assert row.high == pytest.approx(error.mean() + half, abs=0.06 * half)


def test_constant_outcomes_and_single_rows() -> None:
    y, p, g = np.full(40, 3.0), np.tile([2.0, 4.0], 20), np.repeat(["a", "b"], 20)
    found = measure(y, p, sensitive_features=g, task="regression")
    assert found.value("r2").reason == "everyone: the true outcomes are all equal"
    assert found.value("rmse").estimate == 1.0
    assert found.value("rmse").status == "partial"
    alone = measure([1.0, 2.0, 3.0], [1.5, 2.5, 3.0], sensitive_features=list("aab"), task="regression")
    assert alone.value("mae", group="b").estimate == 0.0
    assert alone.value("mmd2_unbiased", group="b").status == "undefined"


def test_predictions_alone() -> None:
    found = measure(y_pred=np.linspace(0.0, 1.0, 60), sensitive_features=np.repeat(["a", "b"], 30))
    assert found.task == "regression"
    assert {value.metric for value in found if value.family == "group"} == {
        "mean_prediction",
        "mean_prediction_difference",
    }
    assert found.value("wasserstein_distance", group="b").estimate == pytest.approx(30 / 59)


def test_what_is_no_number_is_named() -> None:
    with pytest.raises(DataError, match="y_pred must hold numbers"):
        measure([1.0, 2.0], ["low", "high"], task="regression")
    with pytest.raises(DataError, match="y_true is missing or infinite in 1 rows"):
        measure([1.0, np.inf], [1.0, 2.5])
    with pytest.raises(DataError, match="predicted numbers"):
        measure([1.0, 2.0], y_score=[0.1, 0.2], task="regression")


def test_functions_take_lists_and_series() -> None:
    assert rmse([1, 2], [2, 4]) == pytest.approx(math.sqrt(2.5))
    assert mae([[1], [2]], [2, 4]) == 1.5
    assert r2([1, 2, 3], [1, 2, 3]) == 1.0
