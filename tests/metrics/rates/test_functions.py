from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.errors import DataError, FairwitnessWarning, GroupError
from fairwitness.metrics import (
    average_absolute_odds_difference,
    average_odds_difference,
    disparate_impact_ratio,
    equal_opportunity_difference,
    false_positive_rate,
    selection_rate,
    statistical_parity_difference,
    true_positive_rate,
)
from fairwitness.table.groups import sensitive_groups

COMPARING = [
    statistical_parity_difference,
    disparate_impact_ratio,
    equal_opportunity_difference,
    average_odds_difference,
    average_absolute_odds_difference,
]


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    n = 600
    group = rng.choice(["a", "b"], n, p=[0.7, 0.3])
    y = rng.random(n) < np.where(group == "a", 0.6, 0.4)
    accepted = rng.random(n) < 0.2 + 0.5 * y + 0.1 * (group == "a")
    weight = rng.random(n) + 0.1
    return pd.DataFrame({"g": group, "y": y.astype(int), "p": accepted.astype(int), "w": weight})


def test_fairlearn_agrees_where_all_rates_are_defined(data: pd.DataFrame) -> None:
    fairlearn = pytest.importorskip("fairlearn.metrics")
    for weights in (None, data["w"]):
        ours = {"sensitive_features": data["g"], "privileged": "a", "sample_weight": weights}
        theirs = {"sensitive_features": data["g"], "sample_weight": weights}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parity = fairlearn.demographic_parity_difference(data["y"], data["p"], **theirs)
            ratio = fairlearn.demographic_parity_ratio(data["y"], data["p"], **theirs)
            odds = fairlearn.equalized_odds_difference(data["y"], data["p"], agg="mean", **theirs)
            opportunity = fairlearn.equal_opportunity_difference(data["y"], data["p"], **theirs)
            selected = fairlearn.selection_rate(data["y"], data["p"], sample_weight=weights)
            true = fairlearn.true_positive_rate(data["y"], data["p"], sample_weight=weights)
            false = fairlearn.false_positive_rate(data["y"], data["p"], sample_weight=weights)
        assert abs(statistical_parity_difference(data["y"], data["p"], **ours)) == pytest.approx(parity)
        assert disparate_impact_ratio(data["y"], data["p"], **ours) == pytest.approx(ratio)
        assert abs(equal_opportunity_difference(data["y"], data["p"], **ours)) == pytest.approx(opportunity)
        assert average_absolute_odds_difference(data["y"], data["p"], **ours) == pytest.approx(odds)
        assert selection_rate(data["y"], data["p"], sample_weight=weights) == pytest.approx(selected)
        assert true_positive_rate(data["y"], data["p"], sample_weight=weights) == pytest.approx(true)
        assert false_positive_rate(data["y"], data["p"], sample_weight=weights) == pytest.approx(false)


def test_where_a_group_has_no_positives_there_is_no_number() -> None:
    # fairlearn takes the rate of such a group for 0 and finds a difference of .5 made of nothing.
    y, p, g = [1, 1, 0, 0], [1, 0, 0, 1], ["a", "a", "b", "b"]
    for metric in (equal_opportunity_difference, average_odds_difference, average_absolute_odds_difference):
        with pytest.warns(FairwitnessWarning, match="no row of b has the favourable outcome"):
            assert math.isnan(metric(y, p, sensitive_features=g, privileged="a"))
    with pytest.warns(FairwitnessWarning, match="undefined"):
        assert math.isnan(true_positive_rate([0, 0], [1, 0]))
    with pytest.warns(FairwitnessWarning, match="undefined"):
        assert math.isnan(false_positive_rate([1, 1], [1, 0]))


@pytest.mark.parametrize(
    ("good", "bad"),
    [(1, 0), (0, 1), (True, False), (False, True), ("good", "bad"), (-1, 1), (1, -1), (2.0, 1.0)],
)
@pytest.mark.parametrize("metric", COMPARING)
def test_any_favourable_label(data: pd.DataFrame, metric: Callable[..., float], good: Any, bad: Any) -> None:
    expected = metric(data["y"], data["p"], sensitive_features=data["g"], privileged="a")
    y, p = (np.where(data[name] == 1, good, bad) for name in ("y", "p"))
    assert metric(y, p, sensitive_features=data["g"], privileged="a", favorable=good) == pytest.approx(
        expected
    )


def test_turning_the_labels_round_turns_the_sign(data: pd.DataFrame) -> None:
    gap = statistical_parity_difference(None, data["p"], sensitive_features=data["g"], privileged="a")
    other = statistical_parity_difference(
        None, data["p"], sensitive_features=data["g"], privileged="a", favorable=0
    )
    back = statistical_parity_difference(None, data["p"], sensitive_features=data["g"], privileged="b")
    assert gap < 0
    assert other == pytest.approx(-gap)
    assert back == pytest.approx(-gap)
    chosen = statistical_parity_difference(None, data["p"], sensitive_features=data["g"])
    assert chosen == pytest.approx(gap), "the group accepted most is the reference"


def test_several_groups_give_the_farthest_comparison() -> None:
    g = np.repeat(["a", "b", "c"], 10)
    p = np.concatenate([np.arange(10) < 5, np.arange(10) < 9, np.arange(10) < 3]).astype(int)
    assert statistical_parity_difference(None, p, sensitive_features=g, privileged="a") == pytest.approx(0.4)
    assert disparate_impact_ratio(None, p, sensitive_features=g, privileged="a") == pytest.approx(9 / 5)
    p[20:] = 0
    assert disparate_impact_ratio(None, p, sensitive_features=g, privileged="a") == 0.0


def test_several_columns_mean_their_intersection() -> None:
    frame = pd.DataFrame({"s": ["m", "m", "f", "f"] * 5, "r": ["x", "y"] * 10})
    p = np.array([1, 1, 1, 0] * 5)
    assert statistical_parity_difference(None, p, sensitive_features=frame) == pytest.approx(-1)
    assert statistical_parity_difference(None, p, sensitive_features=frame["s"]) == pytest.approx(-0.5)
    groups = sensitive_groups({"r": frame["r"]}, privileged="x")[0]
    assert statistical_parity_difference(None, p, sensitive_features=groups) == pytest.approx(-0.5)
    turned = statistical_parity_difference(None, p, sensitive_features=groups, privileged="y")
    assert turned == pytest.approx(0.5)


def test_missing_sensitive_values_by_policy() -> None:
    g = np.array(["a", "a", "b", "b", None, None], dtype=object)
    p = [1, 1, 1, 0, 0, 0]
    with pytest.warns(FairwitnessWarning, match="the 2 rows whose sensitive feature is missing"):
        assert statistical_parity_difference(None, p, sensitive_features=g) == pytest.approx(-1)
    assert statistical_parity_difference(None, p, sensitive_features=g, missing="drop") == pytest.approx(-0.5)
    with pytest.raises(GroupError, match="missing"):
        statistical_parity_difference(None, p, sensitive_features=g, missing="error")


def test_missing_labels_of_pandas_are_an_error(data: pd.DataFrame) -> None:
    gaps = data["p"].astype("Int64").where(np.arange(len(data)) > 1)
    with pytest.raises(DataError, match="y_pred is missing in 2 rows"):
        statistical_parity_difference(None, gaps, sensitive_features=data["g"])


def test_rows_that_do_not_align_are_an_error(data: pd.DataFrame) -> None:
    shuffled = data["g"].sample(frac=1, random_state=0)
    with pytest.raises(DataError, match="y_pred and sensitive_features have different indexes"):
        statistical_parity_difference(None, data["p"], sensitive_features=shuffled)
    with pytest.raises(DataError, match="number of rows"):
        equal_opportunity_difference(data["y"][:-1], data["p"], sensitive_features=data["g"])
    by_position = statistical_parity_difference(None, data["p"], sensitive_features=data["g"].to_numpy())
    assert by_position == statistical_parity_difference(None, data["p"], sensitive_features=data["g"])


def test_containers_give_the_same(data: pd.DataFrame) -> None:
    expected = equal_opportunity_difference(data["y"], data["p"], sensitive_features=data["g"])
    frame = pl.from_pandas(data)
    for kind in (list, np.asarray, pd.Categorical, lambda column: pl.Series(column.to_list())):
        found = equal_opportunity_difference(
            kind(data["y"]), kind(data["p"]), sensitive_features=list(data["g"])
        )
        assert found == pytest.approx(expected)
    assert equal_opportunity_difference(
        frame["y"], frame["p"], sensitive_features=frame["g"]
    ) == pytest.approx(expected)
    column = data[["p"]].to_numpy()
    assert equal_opportunity_difference(data["y"], column, sensitive_features=data["g"]) == pytest.approx(
        expected
    )


def test_labels_that_make_no_sense_are_named() -> None:
    g = ["a", "b"] * 2
    with pytest.raises(DataError, match="favourable label good") as caught:
        selection_rate(None, ["Good", "bad", "bad\x1b[31m", "bad"], favorable="good")
    assert "\x1b" not in str(caught.value)
    with pytest.raises(DataError, match="favourable label 1"):
        statistical_parity_difference(None, ["1", "0", "1", "0"], sensitive_features=g)
    with pytest.raises(DataError, match="missing in 1 rows"):
        selection_rate(None, [1.0, np.nan, 0.0])
    with pytest.raises(DataError, match="missing in 1 rows"):
        selection_rate(None, ["good", None], favorable="good")
    with pytest.raises(DataError, match="one value a row"):
        selection_rate(None, np.zeros((4, 2)))
    with pytest.raises(DataError, match="numbers"):
        selection_rate(None, [1, 0], sample_weight=["heavy", "light"])
    # A model that rejects everyone is no mistake.
    assert selection_rate(None, [0, 0, 0]) == 0.0
    assert selection_rate(["good", "bad"], ["bad", "bad"], favorable="bad") == 1.0
    assert true_positive_rate(["good", "bad"], ["bad", "bad"], favorable="good") == 0.0
