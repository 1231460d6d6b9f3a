"""Metrics of other libraries on random inputs, and both numbers of the page where they differ."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sklearn

import fairwitness.metrics as ours
from fairwitness.errors import DataError, FairwitnessWarning, GroupError

fairlearn = pytest.importorskip("fairlearn.metrics")
SIX = [
    "statistical_parity_difference",
    "disparate_impact_ratio",
    "equal_opportunity_difference",
    "false_positive_rate_difference",
    "average_odds_difference",
    "average_absolute_odds_difference",
]


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = 300
    g = rng.integers(0, 2, n)
    y = (rng.random(n) < 0.3 + 0.3 * g).astype(int)
    p = (rng.random(n) < 0.2 + 0.4 * y + 0.2 * g).astype(int)
    return g, y, p, rng.random(n) + 0.1


@pytest.mark.parametrize("seed", range(8))
def test_fairlearn_on_random_rows(seed: int) -> None:
    g, y, p, w = drawn(seed)
    weight = w if seed % 2 else None
    found = ours.measure(
        y, p, sensitive_features=g, sample_weight=weight, privileged=1, n_resamples=20, metrics="group"
    )
    frame = fairlearn.MetricFrame(
        metrics={
            "selection_rate": fairlearn.selection_rate,
            "true_positive_rate": fairlearn.true_positive_rate,
            "false_positive_rate": fairlearn.false_positive_rate,
            "true_negative_rate": fairlearn.true_negative_rate,
            "false_negative_rate": fairlearn.false_negative_rate,
            "positive_predictive_value": sklearn.precision_score,
        },
        y_true=y,
        y_pred=p,
        sensitive_features=g,
        sample_params=None
        if weight is None
        else {
            name: {"sample_weight": weight}
            for name in (
                *("selection_rate", "true_positive_rate", "false_positive_rate"),
                *("true_negative_rate", "false_negative_rate", "positive_predictive_value"),
            )
        },
    )
    for name, group in frame.by_group.items():
        for label, expected in group.items():
            assert found.value(name, group=str(label)).estimate == pytest.approx(expected, abs=1e-12)
    given = {"sensitive_features": g, "sample_weight": weight}
    for name, expected in {
        "statistical_parity_difference": fairlearn.demographic_parity_difference(y, p, **given),
        "equal_opportunity_difference": fairlearn.equal_opportunity_difference(y, p, **given),
        "equalized_odds_difference": fairlearn.equalized_odds_difference(y, p, **given),
        "average_absolute_odds_difference": fairlearn.equalized_odds_difference(y, p, agg="mean", **given),
    }.items():
        assert abs(found.value(name, group="0").estimate) == pytest.approx(expected, abs=1e-12)
        arguments = {"sensitive_features": g, "sample_weight": weight, "privileged": 1}
        assert abs(getattr(ours, name)(y, p, **arguments)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_aif360_on_random_rows(seed: int) -> None:
    data = pytest.importorskip("aif360.datasets", reason="AIF360 is no development tool")
    from aif360.metrics import ClassificationMetric

    g, y, p, w = drawn(seed)
    true = data.BinaryLabelDataset(
        df=pd.DataFrame({"g": g.astype(float), "y": y.astype(float)}),
        label_names=["y"],
        protected_attribute_names=["g"],
    )
    weight = w if seed % 2 else None
    if weight is not None:
        true.instance_weights = weight
    decided = true.copy()
    decided.labels = p.astype(float).reshape(-1, 1)
    theirs = ClassificationMetric(true, decided, [{"g": 0}], [{"g": 1}])
    found = ours.measure(
        y, p, sensitive_features=g, sample_weight=weight, privileged=1, n_resamples=20, metrics="group"
    )
    expected = [
        theirs.statistical_parity_difference(),
        theirs.disparate_impact(),
        theirs.equal_opportunity_difference(),
        theirs.false_positive_rate_difference(),
        theirs.average_odds_difference(),
        theirs.average_abs_odds_difference(),
    ]
    for name, value in zip(SIX, expected, strict=True):
        assert found.value(name, group="0").estimate == pytest.approx(value, abs=1e-12)
    if weight is None:
        assert ours.theil_index(y, p) == pytest.approx(theirs.theil_index())
        assert ours.generalized_entropy_index(y, p) == pytest.approx(theirs.generalized_entropy_index())
        assert ours.coefficient_of_variation(y, p) == pytest.approx(theirs.coefficient_of_variation())
        parts = ours.entropy_decomposition(y, p, sensitive_features=g)
        assert parts.between == pytest.approx(theirs.between_group_generalized_entropy_index())


def test_what_aif360_gave() -> None:
    """AIF360 0.6.1 on 500 rows of ``default_rng(0)``."""
    rng = np.random.default_rng(0)
    g, y, p = (rng.integers(0, 2, 500) for _ in range(3))
    found = ours.measure(y, p, sensitive_features=g, privileged=1, n_resamples=20)
    for name, expected in zip(
        SIX,
        [
            *(0.0634343434343434, 1.136284722222222, -0.007746478873239426),
            *(0.1453634085213033, 0.06880846482403194, 0.07655494369727137),
        ],
        strict=True,
    ):
        assert found.value(name, group="0").estimate == pytest.approx(expected, rel=1e-12)
    assert ours.theil_index(y, p) == pytest.approx(0.39632658526480347)
    assert ours.coefficient_of_variation(y, p) == pytest.approx(0.758345358004247)
    assert ours.generalized_entropy_index(y, p) == pytest.approx(0.2875438410032948)
    between = found.value("between_group_entropy", feature="sensitive feature").estimate
    assert between == pytest.approx(0.0002839533607946837)


def test_what_pot_gave() -> None:
    """POT 0.9.7's linear program, with and without weights, and its squared cost."""
    rng = np.random.default_rng(7)
    x, z = rng.normal(size=50), rng.normal(0.3, 1.5, size=70)
    w = np.concatenate([rng.random(50), rng.random(70)])
    s, g = np.concatenate([x, z]), np.repeat(["a", "b"], [50, 70])
    assert ours.wasserstein_distance(s, sensitive_features=g) == pytest.approx(0.5645059441221565)
    assert ours.wasserstein_distance(s, sensitive_features=g, sample_weight=w) == pytest.approx(
        0.5340300832144845
    )
    assert ours.paper_wasserstein(s, sensitive_features=g) == pytest.approx(0.43597499708223725 / 2)


def quietly(function: Callable[[], Any]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function())


AABB, Y, P = list("aabb"), [1, 0, 0, 0], [1, 0, 1, 0]
#: Start of the row in the page, theirs, ours.
CASES: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
    (
        "equal opportunity; g = aabb",
        lambda: fairlearn.equal_opportunity_difference(Y, P, sensitive_features=AABB),
        lambda: ours.equal_opportunity_difference(Y, P, sensitive_features=AABB),
    ),
    (
        "equalized odds, the same rows",
        lambda: fairlearn.equalized_odds_difference(Y, P, sensitive_features=AABB),
        lambda: ours.equalized_odds_difference(Y, P, sensitive_features=AABB),
    ),
    (
        "true positive rate",
        lambda: fairlearn.true_positive_rate([0, 0], [1, 0], pos_label=1),
        lambda: ours.true_positive_rate([0, 0], [1, 0]),
    ),
    (
        "false positive rate",
        lambda: fairlearn.false_positive_rate([1, 1], [1, 0], pos_label=1),
        lambda: ours.false_positive_rate([1, 1], [1, 0]),
    ),
    ("recall", lambda: sklearn.recall_score([0, 0], [1, 0]), lambda: ours.recall([0, 0], [1, 0])),
    ("precision", lambda: sklearn.precision_score([1, 0], [0, 0]), lambda: ours.precision([1, 0], [0, 0])),
    ("F1", lambda: sklearn.f1_score([0, 0], [0, 0]), lambda: ours.f1([0, 0], [0, 0])),
    ("MCC", lambda: sklearn.matthews_corrcoef([1, 0], [1, 1]), lambda: ours.mcc([1, 0], [1, 1])),
    (
        "balanced accuracy; y = 11",
        lambda: sklearn.balanced_accuracy_score([1, 1], [1, 0]),
        lambda: ours.balanced_accuracy([1, 1], [1, 0]),
    ),
    (
        "average precision",
        lambda: sklearn.average_precision_score([0, 0], [0.1, 0.2]),
        lambda: ours.average_precision([0, 0], [0.1, 0.2]),
    ),
    ("R²", lambda: sklearn.r2_score([2.0, 2.0], [1.0, 3.0]), lambda: ours.r2([2.0, 2.0], [1.0, 3.0])),
]


@pytest.fixture(scope="module")
def page(project_root: Path) -> str:
    return (project_root / "docs" / "metrics-peers.md").read_text(encoding="utf-8")


def listed(page: str, start: str) -> tuple[str, str]:
    """Both numbers of a row of the page."""
    row = re.search(rf"^\| {re.escape(start)}.*$", page, flags=re.MULTILINE)
    assert row is not None, start
    cells = [cell.strip() for cell in row.group(0).strip("|").split(" | ")]
    return (cells[2], cells[3]) if len(cells) == 5 else (cells[1], cells[2])


@pytest.mark.parametrize(("start", "theirs", "mine"), CASES, ids=[case[0] for case in CASES])
def test_both_numbers_are_those_of_the_page(
    page: str, start: str, theirs: Callable[[], Any], mine: Callable[[], Any]
) -> None:
    printed = listed(page, start)
    assert quietly(theirs) == float(printed[0])
    with pytest.warns(FairwitnessWarning, match="undefined"):
        assert math.isnan(mine())
    assert printed[1] == "NaN"


def test_rows_in_another_order_are_an_error_here(page: str) -> None:
    p, g = pd.Series([1, 0, 1, 0]), pd.Series(list("abab"))
    turned = g.iloc[[0, 2, 1, 3]]
    assert fairlearn.demographic_parity_difference(p, p, sensitive_features=g) == 1.0
    assert fairlearn.demographic_parity_difference(p, p, sensitive_features=turned) == 0.0
    assert listed(page, "selection rates of g")[0] == "0.0"
    with pytest.raises(DataError, match="different indexes"):
        ours.statistical_parity_difference(None, p, sensitive_features=turned)
    with pytest.raises(DataError, match="different indexes"):
        ours.measure(p, p, sensitive_features=turned)


def test_one_group_is_an_error_here(page: str) -> None:
    assert fairlearn.demographic_parity_difference([1, 1], [1, 0], sensitive_features=["a", "a"]) == 0.0
    assert listed(page, "one group") == ("0.0", "an error")
    with pytest.raises(GroupError, match="single group"):
        ours.statistical_parity_difference([1, 1], [1, 0], sensitive_features=["a", "a"])


def test_missing_sensitive_values_are_an_error_there() -> None:
    g = pd.Series(["a", "a", "b", None], dtype=object)
    with pytest.raises(ValueError, match="missing values"):
        fairlearn.demographic_parity_difference(Y, P, sensitive_features=g)
    assert ours.measure(Y, P, sensitive_features={"g": g}).groups["g"]["n_missing"] == 1


def test_numbers_of_aif360_in_the_page(page: str) -> None:
    # y = 1010, p = 1001: benefits 1, 1, 0, 2 of weights 1, 1, 1, 5, mean 1.5.
    theil = (2 * (2 / 3) * math.log(2 / 3) + 5 * (4 / 3) * math.log(4 / 3)) / 8
    found = ours.theil_index([1, 0, 1, 0], [1, 0, 0, 1], sample_weight=[1, 1, 1, 5])
    assert found == pytest.approx(theil)
    assert listed(page, "Theil index with weights") == ("0.3466", f"{theil:.4f}")
    assert ours.theil_index([1, 0, 1, 0], [1, 0, 0, 1]) == pytest.approx(0.34657359027997264)
    with pytest.warns(FairwitnessWarning, match="no row of a is accepted"):
        ratio = ours.disparate_impact_ratio(Y, [1, 0, 0, 0], sensitive_features=list("bbaa"), privileged="a")
    assert math.isnan(ratio)
    assert listed(page, "disparate impact; g = bbaa") == ("inf", "NaN")
    with pytest.raises(DataError, match="negative"):
        ours.generalized_entropy_index(None, None, benefit=[-1, 1, 2, 2])


def test_numbers_of_the_card_in_the_page(page: str) -> None:
    y = np.array([1] * 80 + [0] * 20)
    p = np.array([1] * 80 + [1] * 10 + [0] * 10)
    assert listed(page, '"balanced accuracy" by group') == ("0.9", "0.75")
    assert ours.accuracy(y, p) == 0.9
    assert ours.balanced_accuracy(y, p) == 0.75
    y, p = [1, 1, 0, 0], [0, 1, 0, 0]
    assert listed(page, "Theil index; y = 1100") == ("NaN", f"{ours.theil_index(y, p):.4f}")
    cv = f"{ours.coefficient_of_variation(y, p):.4f}"
    assert listed(page, "`cv`; y = 1100") == (f"{ours.card_cv(y, p):.4f}", cv)
    assert listed(page, "`cv` of the paper") == (f"{ours.paper_cv(y, p):.4f}", cv)
