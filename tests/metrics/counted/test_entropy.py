"""Entropies against loops, their closed forms, decomposition, and what the evaluation card gets wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.oracle.metrics_by_hand import entropy

from fairwitness.errors import ConfigError, DataError, FairwitnessWarning
from fairwitness.metrics import (
    card_cv,
    coefficient_of_variation,
    entropy_decomposition,
    generalized_entropy_index,
    measure,
    paper_cv,
    theil_index,
)
from fairwitness.metrics.counted.entropy import entropy_of_cells


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("alpha", [-1, 0.5, 1, 2, 3.5])
def test_the_loop_agrees(seed: int, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    benefit, weight = rng.gamma(2.0, size=40) + 0.01, rng.random(40)
    found = generalized_entropy_index(None, None, alpha=alpha, benefit=benefit, sample_weight=weight)
    assert found == pytest.approx(entropy(benefit.tolist(), weight.tolist(), alpha), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_closed_forms_of_decisions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 2, (2, 60))
    benefit = p - y + 1
    n, mu = 60, benefit.mean()
    c1, c2 = (benefit == 1).sum(), (benefit == 2).sum()
    assert generalized_entropy_index(y, p) == pytest.approx(((c1 + 4 * c2) / (n * mu**2) - 1) / 2)
    theil = (c1 * math.log(1 / mu) + 2 * c2 * math.log(2 / mu)) / (n * mu)
    assert theil_index(y, p) == pytest.approx(theil)
    assert theil == pytest.approx(entropy(benefit.tolist(), [1.0] * n, 1))
    assert coefficient_of_variation(y, p) == pytest.approx(benefit.std() / mu)
    cells = np.array([[((y == i) & (p == j)).sum() for j in (0, 1)] for i in (0, 1)], dtype=float)
    assert entropy_of_cells(cells, 2) == pytest.approx(generalized_entropy_index(y, p))
    assert entropy_of_cells(cells, 1) == pytest.approx(theil)


def test_compatibility_functions_are_the_named_multiples() -> None:
    y, p = [1, 1, 0, 0, 1], [1, 0, 1, 0, 1]
    ge = generalized_entropy_index(y, p)
    assert card_cv(y, p) == ge
    assert paper_cv(y, p) == pytest.approx(2 * math.sqrt(ge))
    assert coefficient_of_variation(y, p) == pytest.approx(math.sqrt(2 * ge))


def test_one_person_wrongly_refused_is_no_nan() -> None:
    # The card's own code multiplies 0 by the logarithm of 0. By hand: b = 0, 1, 1, 1, mean .75.
    assert theil_index([1, 1, 0, 0], [0, 1, 0, 0]) == pytest.approx(math.log(1 / 0.75))


@pytest.mark.parametrize("alpha", [0, 1, 2, 3])
def test_between_and_within_sum_to_the_whole(alpha: float) -> None:
    rng = np.random.default_rng(5)
    g, benefit, weight = rng.choice(["a", "b", "c"], 90), rng.gamma(2, size=90), rng.random(90)
    parts = entropy_decomposition(
        None, None, sensitive_features=g, alpha=alpha, benefit=benefit, sample_weight=weight
    )
    assert parts.between + parts.within == pytest.approx(parts.total)
    total, mean = weight.sum(), np.average(benefit, weights=weight)
    within = 0.0
    for label, inside in parts.groups.items():
        of = g == label
        share = weight[of].sum() / total
        ratio = np.average(benefit[of], weights=weight[of]) / mean
        within += share * ratio**alpha * inside
    assert parts.within == pytest.approx(within)
    assert parts.between >= 0
    assert set(parts.to_dict()["groups"]) == {"a", "b", "c"}


def test_equal_benefits_have_no_entropy_and_no_benefits_no_number() -> None:
    assert generalized_entropy_index([1, 0], [1, 0]) == 0.0
    assert theil_index(None, None, benefit=[3.0, 3.0, 3.0]) == 0.0
    with pytest.warns(FairwitnessWarning, match="every benefit is 0"):
        assert math.isnan(theil_index([1, 1], [0, 0]))
    with pytest.warns(FairwitnessWarning, match="weight 0"):
        assert math.isnan(theil_index([1, 1], [0, 1], sample_weight=[0, 0]))
    assert generalized_entropy_index(None, None, alpha=0, benefit=[0.0, 1.0]) == math.inf


def test_negative_benefits_name_the_function() -> None:
    def gain(y: np.ndarray, p: np.ndarray) -> np.ndarray:
        return p - y

    y, p = np.array([1.0, 2.0]), np.array([0.5, 3.0])
    with pytest.raises(DataError, match="the benefit function gain gives a negative"):
        theil_index(y, p, benefit=gain)
    with pytest.raises(DataError, match="benefit gives a negative"):
        theil_index(y, p, benefit=[-1.0, 2.0])
    with pytest.raises(DataError, match="infinite benefit"):
        theil_index(y, p, benefit=[np.nan, 2.0])
    with pytest.raises(ConfigError, match="alpha"):
        generalized_entropy_index(y, p, alpha=math.nan, benefit=[1.0, 2.0])


def test_there_is_one_benefit_a_row() -> None:
    y, p = [1, 0] * 200, [0, 1] * 200
    with pytest.raises(DataError, match="benefit: 2"):
        theil_index(y, p, benefit=[1, 2])
    with pytest.raises(DataError, match="one benefit a row; got the benefit function <lambda>: one number"):
        theil_index(y, p, benefit=lambda y, p: 1.0)
    with pytest.raises(DataError, match=r"one benefit a row.*2 for 400 rows"):
        entropy_decomposition(y, p, sensitive_features=y, benefit=lambda y, p: [1.0, 2.0])
    with pytest.raises(DataError, match="benefit: 3"):
        theil_index(None, None, benefit=[1, 2, 3], sample_weight=[1, 1])
    with pytest.raises(DataError, match=r"one benefit a row.*one number"):
        theil_index(None, None, benefit=2)
    # Lists become arrays for the function.
    assert theil_index(y, p, benefit=lambda y, p: p - y + 1) == theil_index(y, p)


def test_benefit_functions_that_cannot_be_called() -> None:
    def broken(y: np.ndarray, p: np.ndarray) -> np.ndarray:
        raise KeyError("income")

    for index in (theil_index, generalized_entropy_index):
        with pytest.raises(ConfigError, match="<lambda> must take two arguments"):
            index([1, 0], [0, 1], benefit=lambda y: y)
        with pytest.raises(DataError, match="the benefit function broken failed; got KeyError"):
            index([1, 0], [0, 1], benefit=broken)
    with pytest.raises(DataError, match="broken failed"):
        measure([1, 0], [0, 1], metrics="entropy", benefit=broken)


def test_a_regression_needs_a_stated_benefit() -> None:
    rng = np.random.default_rng(0)
    y, p, g = rng.normal(10, 1, 80), rng.normal(10, 1, 80), rng.choice(["a", "b"], 80)
    without = measure(y, p, sensitive_features=g)
    assert without.task == "regression"
    assert "state one" in without.left_out["theil_index"]
    with pytest.warns(FairwitnessWarning, match=r"not measured: theil_index \(predicted numbers have no"):
        named = measure(y, p, sensitive_features=g, metrics=["mae", "theil_index"])
    assert [value.status for value in named["theil_index"]] == ["undefined"]
    found = measure(y, p, sensitive_features=g, metrics="entropy", benefit=lambda y, p: np.exp(p - y))
    benefit = np.exp(p - y)
    assert found.value("theil_index").estimate == pytest.approx(theil_index(None, None, benefit=benefit))
    parts = entropy_decomposition(None, None, sensitive_features=g, benefit=benefit)
    feature = "sensitive feature"
    assert found.value("between_group_entropy", feature=feature).estimate == pytest.approx(parts.between)
    assert found.value("within_group_entropy", feature=feature).estimate == pytest.approx(parts.within)
    for value in found:
        assert value.low <= value.estimate <= value.high
