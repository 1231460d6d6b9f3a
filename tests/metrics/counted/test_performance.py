"""Performance metrics against scikit-learn on random inputs, and where scikit-learn has no honest number."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as theirs
from tests.oracle import metrics_by_hand as by_hand

import fairwitness.metrics as ours
from fairwitness.errors import DataError, FairwitnessWarning

SEEDS = range(12)


def drawn(seed: int, kinds: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 200))
    y, p = (np.concatenate([np.arange(kinds), rng.integers(0, kinds, n)]) for _ in range(2))
    return y, p, rng.random(len(y)) + 0.1 if seed % 2 else None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kinds", [2, 3, 5])
def test_labels_as_scikit_learn_has_them(seed: int, kinds: int) -> None:
    y, p, w = drawn(seed, kinds)
    assert ours.accuracy(y, p, sample_weight=w) == pytest.approx(
        theirs.accuracy_score(y, p, sample_weight=w), abs=1e-12
    )
    assert ours.balanced_accuracy(y, p, sample_weight=w) == pytest.approx(
        theirs.balanced_accuracy_score(y, p, sample_weight=w), abs=1e-12
    )
    assert ours.mcc(y, p, sample_weight=w) == pytest.approx(
        theirs.matthews_corrcoef(y, p, sample_weight=w), abs=1e-12
    )
    one = y == 1, p == 1
    for mine, other, side in (
        (ours.precision, theirs.precision_score, 1),
        (ours.recall, theirs.recall_score, 1),
        (ours.specificity, theirs.recall_score, 0),
        (ours.f1, theirs.f1_score, 1),
    ):
        expected = other(*one, pos_label=side, sample_weight=w)
        assert mine(y, p, sample_weight=w) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_as_scikit_learn_has_them(seed: int) -> None:
    y, _, w = drawn(seed)
    s = np.round(np.random.default_rng(seed + 99).random(len(y)), 1 if seed % 3 else 6)  # with many ties
    assert ours.roc_auc(y, s, sample_weight=w) == pytest.approx(theirs.roc_auc_score(y, s, sample_weight=w))
    assert ours.average_precision(y, s, sample_weight=w) == pytest.approx(
        theirs.average_precision_score(y, s, sample_weight=w)
    )
    assert ours.brier_score(y, s, sample_weight=w) == pytest.approx(
        theirs.brier_score_loss(y, s, sample_weight=w)
    )
    assert ours.log_loss(y, s, sample_weight=w) == pytest.approx(theirs.log_loss(y, s, sample_weight=w))
    assert ours.roc_auc(y, s) == pytest.approx(by_hand.auc(y.tolist(), s.tolist()))


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_as_scikit_learn_has_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, p = rng.normal(1e6 if seed == 3 else 3, 2, (2, 50))
    w = rng.random(50) if seed % 2 else None
    assert ours.rmse(y, p, sample_weight=w) == pytest.approx(
        theirs.root_mean_squared_error(y, p, sample_weight=w)
    )
    assert ours.mae(y, p, sample_weight=w) == pytest.approx(theirs.mean_absolute_error(y, p, sample_weight=w))
    assert ours.r2(y, p, sample_weight=w) == pytest.approx(theirs.r2_score(y, p, sample_weight=w))
    assert ours.mean_residual(y, p) == pytest.approx(float(np.mean(y - p)))


def test_a_group_has_what_its_rows_alone_have() -> None:
    rng = np.random.default_rng(0)
    y, p, g = rng.integers(0, 2, 300), rng.integers(0, 2, 300), rng.choice(["a", "b", "c"], 300)
    s, w = rng.random(300), rng.random(300)
    for name in ("accuracy", "balanced_accuracy", "mcc", "precision", "recall", "specificity", "f1"):
        found = getattr(ours, name)(y, p, sensitive_features=g, sample_weight=w)
        for label in "abc":
            of = g == label
            assert found[label] == pytest.approx(getattr(ours, name)(y[of], p[of], sample_weight=w[of]))
    for name in ("roc_auc", "average_precision", "brier_score", "log_loss", "calibration_error"):
        found = getattr(ours, name)(y, s, sensitive_features=pd.Series(g, name="race"), sample_weight=w)
        assert found.index.name == "race"
        for label in "abc":
            of = g == label
            assert found[label] == pytest.approx(getattr(ours, name)(y[of], s[of], sample_weight=w[of]))
    for name in ("rmse", "mae", "r2", "mean_residual"):
        found = getattr(ours, name)(s, w, sensitive_features=g)
        for label in "abc":
            assert found[label] == pytest.approx(getattr(ours, name)(s[g == label], w[g == label]))


def test_calibration_by_hand() -> None:
    # Bin (.2, .3]: scores .25 and .3, one of two is good; bin (.7, .8]: .8, good. Weights of 1.
    assert ours.calibration_error([1, 0, 1], [0.25, 0.3, 0.8]) == pytest.approx(
        (abs(0.55 - 1) + abs(0.8 - 1)) / 3
    )
    assert ours.calibration_error([0, 1], [0.0, 1.0]) == 0.0


@pytest.mark.parametrize(
    ("name", "y", "p", "why"),
    [
        ("balanced_accuracy", [1, 1], [1, 0], "single class"),
        ("precision", [1, 0], [0, 0], "no row is accepted"),
        ("recall", [0, 0], [1, 0], "no row has the favourable outcome"),
        ("specificity", [1, 1], [1, 0], "no row has the unfavourable outcome"),
        ("f1", [0, 0], [0, 0], "no row is accepted or has"),
        ("mcc", [1, 0], [1, 1], "single class"),
        ("roc_auc", [1, 1], [0.1, 0.2], "single class"),
        ("average_precision", [0, 0], [0.1, 0.2], "no row has the favourable"),
        ("r2", [2.0, 2.0], [1.0, 3.0], "all equal"),
        ("accuracy", [], [], "there are no rows"),
    ],
)
def test_undefined_is_nan_with_the_reason(name: str, y: list[float], p: list[float], why: str) -> None:
    with pytest.warns(FairwitnessWarning, match=why):
        assert math.isnan(getattr(ours, name)(y, p))


def test_one_undefined_group_leaves_the_others() -> None:
    with pytest.warns(
        FairwitnessWarning, match="recall is undefined for b: no row has the favourable outcome"
    ):
        found = ours.recall([1, 1, 0, 0], [1, 0, 1, 0], sensitive_features=list("aabb"))
    assert found["a"] == 0.5
    assert math.isnan(found["b"])


@pytest.mark.parametrize(
    ("good", "bad"), [(0, 1), (True, False), (False, True), ("good", "bad"), (-1, 1), (1, -1), (2.5, 1.0)]
)
@pytest.mark.parametrize("box", [np.array, list, pd.Series, lambda v: pd.Series(v).astype("category")])
def test_any_kind_of_label(good: Any, bad: Any, box: Any) -> None:
    y, p = [good, good, bad, bad, good], [good, bad, bad, good, good]
    assert ours.recall(box(y), box(p), favorable=good) == pytest.approx(2 / 3)
    assert ours.precision(box(y), box(p), favorable=good) == pytest.approx(2 / 3)
    assert ours.accuracy(box(y), box(p)) == pytest.approx(3 / 5)
    assert ours.balanced_accuracy(box(y), box(p)) == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_the_one_label_predicted_need_not_be_both() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ours.accuracy(["yes", "no"], ["yes", "yes"]) == 0.5
        assert ours.balanced_accuracy([1, 0], [1, 1]) == 0.5
        assert ours.accuracy([0, 0], [1, 1]) == 0.0


def test_what_makes_no_sense_is_named() -> None:
    with pytest.raises(DataError, match="nothing in common"):
        ours.accuracy(["a", "b"], [1.5, 2.5])
    with pytest.raises(DataError, match="missing in 1 rows"):
        ours.accuracy([1, None], [1, 1])
    with pytest.raises(DataError, match="number of rows"):
        ours.accuracy([1, 0, 1], [1, 1])
    with pytest.raises(DataError, match="missing or infinite in 1 rows"):
        ours.roc_auc([1, 0], [0.5, np.inf])
    with pytest.raises(DataError, match="missing or infinite"):
        ours.rmse([1.0, np.nan], [1.0, 2.0])
    with pytest.raises(DataError, match="probabilities"):
        ours.brier_score([1, 0], [0.5, 1.5])
    assert ours.roc_auc([1, 0], [15.0, -3.0]) == 1.0
    with pytest.raises(DataError, match="negative or not a number"):
        ours.accuracy([1, 0], [1, 1], sample_weight=[1, -1])
    with pytest.raises(DataError, match="different indexes"):
        ours.accuracy(pd.Series([1, 0]), pd.Series([1, 0], index=[1, 0]))
    with pytest.raises(DataError, match="one number a row"):
        ours.rmse(["a", "b"], [1, 2])


def test_weights_of_zero_are_rows_that_are_not_there() -> None:
    assert ours.accuracy([1, 0, 1], [1, 1, 1], sample_weight=[1, 0, 1]) == 1.0
    with pytest.warns(FairwitnessWarning, match="weight 0"):
        assert math.isnan(ours.accuracy([1, 0], [1, 1], sample_weight=[0, 0]))
    with pytest.warns(FairwitnessWarning, match="weight 0"):
        assert math.isnan(ours.brier_score([1, 0], [1, 1], sample_weight=[0, 0]))
