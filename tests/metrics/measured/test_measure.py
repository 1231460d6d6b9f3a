"""One call for all metrics: values, references, strata, groups, labels, weights, and what makes no sense."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.oracle import metrics_by_hand as by_hand

from fairwitness.errors import ConfigError, DataError, FairwitnessWarning, GroupError, UnknownNameError
from fairwitness.metrics import Measured, group_rates, measure
from fairwitness.table.groups import Groups, sensitive_groups

ALONE = "sensitive feature"


def table(n: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    g = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    y = rng.random(n) < np.where(g == "a", 0.6, 0.4)
    score = np.clip(rng.random(n) * 0.7 + 0.3 * y - 0.1 * (g == "b"), 0, 1)
    return pd.DataFrame(
        {
            "g": g,
            "sex": rng.choice(["f", "m"], n),
            "y": y.astype(int),
            "score": score,
            "p": (score > 0.5).astype(int),
            "w": rng.random(n) + 0.2,
            "z": rng.choice(["x", "y"], n),
        }
    )


def rows(data: pd.DataFrame, *, weighted: bool = False) -> by_hand.Rows:
    w = data["w"] if weighted else np.ones(len(data))
    return list(zip(data["g"], data["y"], data["p"], w, strict=True))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reference", ["privileged", "overall", "c", "best"])
def test_values_are_the_loops(seed: int, weighted: bool, reference: str) -> None:
    data = table(150, seed)
    counted = rows(data, weighted=weighted)
    found = measure(
        data["y"],
        data["p"],
        sensitive_features=data["g"],
        reference=reference,
        privileged="a",
        sample_weight=data["w"] if weighted else None,
        n_resamples=20,
        minimum_n=0,
    )
    compared = 0
    for value in found:
        if value.reference and value.metric in (
            *("statistical_parity_difference", "disparate_impact_ratio", "equal_opportunity_difference"),
            *("false_positive_rate_difference", "predictive_parity_difference", "accuracy_difference"),
            *("negative_predictive_value_difference", "average_odds_difference"),
            *("average_absolute_odds_difference", "equalized_odds_difference"),
        ):
            base = None if value.reference == "overall" else value.reference
            expected = by_hand.comparison(counted, value.metric, value.group, base)
            compared += 1
        elif not value.reference and value.metric in by_hand.RATES:
            expected = by_hand.rate(counted, value.metric, value.group or None)
        else:
            continue
        assert value.estimate == pytest.approx(expected, abs=1e-12), value
        assert value.low - 1e-12 <= value.estimate <= value.high + 1e-12
    assert compared == 10 * (3 if reference == "overall" else 2)
    if reference == "c":
        assert {value.reference for value in found if value.reference} == {"c"}


def test_best_is_the_best_of_each_metric() -> None:
    data = table(600)
    found = measure(data["y"], data["p"], sensitive_features=data["g"], reference="best", n_resamples=20)
    for value in found["statistical_parity_difference"]:
        assert value.estimate <= 0
    for value in found["false_positive_rate_difference"]:
        assert value.estimate >= 0
    for value in found["accuracy_difference"]:
        assert value.estimate <= 0
    # A small group is not the best one as long as a larger one exists.
    g = np.array(["tiny"] * 2 + ["a"] * 40 + ["b"] * 40)
    p = np.array([1, 1] + [1, 0] * 20 + [1, 0, 0, 0] * 10)
    against = measure(None, p, sensitive_features=g, reference="best", metrics="disparate_impact_ratio")
    assert {value.reference for value in against} == {"a"}


def test_intervals_of_rates_are_those_of_an_audit() -> None:
    data = table()
    groups = sensitive_groups({"g": data["g"]}, privileged="a")[0]
    audited = group_rates(data["p"] == 1, groups, data["y"] == 1)
    found = measure(data["y"], data["p"], sensitive_features=groups)
    names = {"acceptance": "selection_rate"}
    for group in audited.groups:
        for name, estimate in group.estimates():
            value = found.value(names.get(name, name), group=group.label)
            assert estimate is not None
            assert (value.estimate, value.low, value.high, value.n) == (
                estimate.estimate,
                estimate.low,
                estimate.high,
                estimate.n,
            )
            assert (value.numerator, value.denominator) == (estimate.numerator, estimate.denominator)
    for comparison in audited.comparisons:
        for name, estimate in comparison.estimates():
            value = found.value(name, group=comparison.group)
            assert estimate is not None
            np.testing.assert_allclose(
                [value.estimate, value.low, value.high], [estimate.estimate, estimate.low, estimate.high]
            )


def test_predictions_alone_are_enough() -> None:
    data = table()
    found = measure(y_pred=data["p"], sensitive_features=data["g"])
    metrics = {value.metric for value in found}
    assert metrics == {
        "selection_rate",
        "statistical_parity_difference",
        "disparate_impact_ratio",
        "total_variation",
        "jensen_shannon",
    }
    assert found.left_out["accuracy"] == "it needs the true outcomes, y_true="
    scored = measure(y_score=data["score"], sensitive_features=data["g"], threshold=0.6)
    assert "wasserstein_distance" in {value.metric for value in scored}
    assert scored.value("selection_rate").estimate == pytest.approx((data["score"] >= 0.6).mean())
    no_groups = measure(data["y"], data["p"])
    assert no_groups.left_out["statistical_parity_difference"] == "it needs sensitive_features="
    assert no_groups.value("accuracy").estimate == (data["y"] == data["p"]).mean()


def test_the_task_decides_what_there_is() -> None:
    data = table()
    rng = np.random.default_rng(1)
    y, p = rng.normal(size=400), rng.normal(size=400)
    found = measure(y, p, sensitive_features=data["g"])
    assert found.task == "regression"
    metrics = {value.metric for value in found}
    assert {"rmse", "mae_difference", "mean_prediction_difference", "wasserstein_distance"} <= metrics
    assert "balanced_accuracy" not in metrics
    assert "selection_rate" not in metrics
    assert measure(data["y"], data["p"]).task == "classification"
    assert measure(data["y"], data["p"].astype(float)).task == "classification"
    assert measure(data["y"] * 30, np.arange(400)).task == "regression"
    only = measure(data["y"], y_score=data["score"], sensitive_features=data["g"], task="score")
    assert "accuracy" not in {value.metric for value in only}
    assert only.value("roc_auc").status == "ok"
    without = measure(p, p, task="regression", metrics="performance")
    assert without.value("r2").estimate == 1.0


def test_several_labels_look_at_all_of_them() -> None:
    rng = np.random.default_rng(2)
    y, p, g = (rng.choice(["lo", "mid", "hi"], 300) for _ in range(3))
    found = measure(y, p, sensitive_features=g, favorable="hi")
    assert found.value("accuracy").estimate == (y == p).mean()
    recalls = [(p[y == label] == label).mean() for label in ("lo", "mid", "hi")]
    assert found.value("balanced_accuracy").estimate == pytest.approx(np.mean(recalls))
    assert found.value("selection_rate", group="lo").estimate == (p[g == "lo"] == "hi").mean()
    assert found.value("recall").estimate == pytest.approx(recalls[2])
    with pytest.raises(DataError, match="favourable label"):
        measure(y, p, sensitive_features=g, favorable="high")


@pytest.mark.parametrize(
    ("good", "bad"), [(0, 1), (True, False), (False, True), ("good", "bad"), (-1, 1), (1, -1)]
)
def test_any_labels_give_the_same(good: Any, bad: Any) -> None:
    data = table(200)
    expected = measure(data["y"], data["p"], sensitive_features=data["g"]).to_frame()
    y, p = (np.where(data[name] == 1, good, bad) for name in ("y", "p"))
    found = measure(y, p, sensitive_features=data["g"], favorable=good).to_frame()
    pd.testing.assert_frame_equal(found, expected)


def test_containers_give_the_same() -> None:
    data = table(200)
    expected = measure(data["y"], data["p"], sensitive_features=data[["g", "sex"]], n_resamples=50).to_dict()
    frame = pl.from_pandas(data)
    found = measure(frame["y"], frame["p"], sensitive_features=frame[["g", "sex"]], n_resamples=50)
    assert found.to_dict() == expected
    mapped = measure(
        data["y"].to_list(),
        data["p"].to_numpy(),
        sensitive_features={"g": data["g"].to_list(), "sex": data["sex"]},
        n_resamples=50,
    )
    assert mapped.to_dict() == expected


def test_same_seed_same_numbers_and_another_seed_others() -> None:
    data = table(200)
    arguments = {"y_score": data["score"], "sensitive_features": data["g"], "n_resamples": 50}
    first = measure(data["y"], data["p"], **arguments).to_dict()
    assert measure(data["y"], data["p"], **arguments).to_dict() == first
    other = measure(data["y"], data["p"], random_state=1, **arguments)
    assert other.value("f1").estimate == Measured.value(other, "f1").estimate
    assert other.value("f1").low != next(v["low"] for v in first["values"] if v["metric"] == "f1")


def test_crossings_and_levels_that_nobody_has() -> None:
    data = table(300)
    frame = data[["g", "sex"]].copy()
    frame["g"] = pd.Categorical(frame["g"], categories=["a", "b", "c", "d"])
    frame = frame[~((frame["g"] == "c") & (frame["sex"] == "m"))]
    data = data.loc[frame.index]
    found = measure(data["y"], data["p"], sensitive_features=frame)
    assert list(found.groups) == ["g", "sex", "g × sex"]
    assert found.groups["g"]["empty_levels"] == ["d"]
    assert len(found.groups["g × sex"]["labels"]) == 5
    assert not any(value.group == "d" for value in found)
    alone = measure(data["y"], data["p"], sensitive_features=frame, intersections=False)
    assert list(alone.groups) == ["g", "sex"]


def test_a_group_without_rows_is_undefined_not_zero() -> None:
    data = table(100)
    codes = np.where(data["g"] == "a", 0, 1)
    groups = Groups("g", ("a", "b", "nobody"), codes.astype(np.int64), 0)
    found = measure(data["y"], data["p"], y_score=data["score"], sensitive_features=groups)
    assert found.groups["g"]["empty_levels"] == ["nobody"]
    mine = [value for value in found if value.group == "nobody"]
    assert mine
    for value in mine:
        assert math.isnan(value.estimate), value
        assert math.isnan(value.low)
        assert math.isnan(value.p)
        assert value.status == "undefined"
        assert "no rows" in value.reason
    assert found.farthest("statistical_parity_difference", "g").group == "nobody"
    whole = found.value("wasserstein_distance_max", feature="g")
    assert whole.status == "partial"
    assert "nobody" in whole.reason


def test_one_class_groups_and_constant_predictions() -> None:
    g = np.repeat(["a", "b"], 40)
    y = np.concatenate([np.tile([1, 0], 20), np.zeros(40, dtype=int)])
    p = np.ones(80, dtype=int)
    found = measure(y, p, sensitive_features=g, privileged="a")
    assert found.value("equal_opportunity_difference", group="b").reason == (
        "b: no row has the favourable outcome"
    )
    assert found.value("balanced_accuracy", group="b").status == "undefined"
    assert found.value("balanced_accuracy", group="a").estimate == 0.5
    assert found.value("mcc").status == "undefined"
    assert found.value("negative_predictive_value").reason == "everyone: every row is accepted"
    same = found.value("statistical_parity_difference", group="b")
    assert (same.estimate, same.p) == (0.0, 1.0)
    assert same.low < 0 < same.high
    none = measure(y, 1 - p, sensitive_features=g, privileged="a")
    ratio = none.value("disparate_impact_ratio", group="b")
    assert (ratio.status, ratio.reason) == ("undefined", "a: no row of the reference is accepted")
    zero = measure(np.ones(80, dtype=int), 1 - p, sensitive_features=g, metrics="entropy")
    assert zero.value("theil_index").reason == "everyone: every benefit is 0"


def test_an_interval_without_width_says_so() -> None:
    g, y = np.repeat(["a", "b"], 40), np.tile([1, 0], 40)
    found = measure(y, y, sensitive_features=g)
    value = found.value("f1", group="a")
    assert (value.estimate, value.low, value.high) == (1.0, 1.0, 1.0)
    assert (value.status, "do not vary" in value.reason) == ("partial", True)
    balanced = found.value("balanced_accuracy", group="a")
    assert balanced.status == "ok"
    assert balanced.low < 1.0 == balanced.high


def test_small_groups_are_marked() -> None:
    g = np.array(["a"] * 100 + ["b"] * 10)
    y, p = np.tile([1, 0], 55), np.tile([1, 1, 0], 37)[:110]
    found = measure(y, p, sensitive_features=g, metrics=["accuracy", "accuracy_difference"])
    assert [value.status for value in found["accuracy"]] == ["ok", "ok", "small"]
    assert found.value("accuracy_difference", group="b").reason == "b has 10 rows, fewer than 30"


def test_missing_sensitive_values() -> None:
    data = table(200)
    g = data["g"].where(np.arange(200) % 10 > 0)
    grouped = measure(data["y"], data["p"], sensitive_features={"g": g}, n_resamples=20)
    assert grouped.groups["g"]["n_missing"] == 20
    assert grouped.value("accuracy", feature="g", group="missing").n == 20
    dropped = measure(data["y"], data["p"], sensitive_features={"g": g}, missing="drop", n_resamples=20)
    assert dropped.groups["g"]["n_missing"] == 20
    assert sum(v.n for v in dropped["accuracy"] if v.group) == 180
    assert dropped.value("accuracy").n == 200
    with pytest.raises(GroupError, match="missing values"):
        measure(data["y"], data["p"], sensitive_features={"g": g}, missing="error")


def test_strata_pool_as_mantel_and_haenszel_do() -> None:
    data = table(500)
    found = measure(
        data["y"], data["p"], sensitive_features={"g": data["g"]}, control_features=data["z"], privileged="a"
    )
    for label in ("b", "c"):
        tables = []
        for stratum in ("x", "y"):
            of = data[data["z"] == stratum]
            cell = [(of[of["g"] == each]["p"].sum(), (of["g"] == each).sum()) for each in (label, "a")]
            tables.append((*cell[0], *cell[1]))
            value = found.value("statistical_parity_difference", group=label, control=stratum)
            expected = cell[0][0] / cell[0][1] - cell[1][0] / cell[1][1]
            assert value.estimate == pytest.approx(expected)
        difference, ratio = by_hand.mantel_haenszel(tables)
        pooled = found.value("statistical_parity_difference", group=label, control="pooled")
        assert pooled.estimate == pytest.approx(difference)
        assert pooled.low < difference < pooled.high
        assert found.value("disparate_impact_ratio", group=label, control="pooled").estimate == pytest.approx(
            ratio
        )
        # Cochran's test: the sum of a less its expectation, over the root of the sum of its variances.
        excess = sum(a - (a + c) * n / (n + m) for a, n, c, m in tables)
        spread = sum((a + c) * (n + m - a - c) * n * m / (n + m) ** 3 for a, n, c, m in tables)
        z = abs(excess) / math.sqrt(spread)
        assert pooled.p == pytest.approx(math.erfc(z / math.sqrt(2)))
    odds = found.value("average_odds_difference", group="b", control="pooled")
    parts = [
        found.value(name, group="b", control="pooled").estimate
        for name in ("equal_opportunity_difference", "false_positive_rate_difference")
    ]
    assert odds.estimate == pytest.approx(sum(parts) / 2)


def test_the_detectable_ratio_of_strata_is_a_ratio() -> None:
    g = np.array(["a", "b"] * 200)
    p = np.array([1, 1, 0, 0] * 100)
    found = measure(
        None, p, sensitive_features={"g": g}, control_features=np.repeat(["x", "y"], 200), privileged="a"
    )
    ratio, difference = "disparate_impact_ratio", "statistical_parity_difference"
    whole = found.value(ratio, group="b")
    pooled = found.value(ratio, group="b", control="pooled")
    # Strata alike are, together, the whole table; half the people are accepted.
    assert pooled.smallest_detectable == pytest.approx(whole.smallest_detectable, rel=0.01)
    assert pooled.smallest_detectable == pytest.approx(
        found.value(difference, group="b", control="pooled").smallest_detectable / 0.5
    )
    # Unequal strata: the reference's rate is the mean with weights n₁n₀/(n₁ + n₀).
    data = table(300)
    found = measure(
        None, data["p"], sensitive_features={"g": data["g"]}, control_features=data["z"], privileged="a"
    )
    weight, rate = [], []
    for _, of in data.groupby("z"):
        n, m = (of["g"] == "b").sum(), (of["g"] == "a").sum()
        weight.append(n * m / (n + m))
        rate.append(of[of["g"] == "a"]["p"].mean())
    assert found.value(ratio, group="b", control="pooled").smallest_detectable == pytest.approx(
        found.value(difference, group="b", control="pooled").smallest_detectable
        / np.average(rate, weights=weight)
    )


def test_a_difference_made_by_the_control_goes_away() -> None:
    # Simpson: inside each stratum the groups are accepted alike, overall they are not.
    g = np.array(["a"] * 90 + ["b"] * 10 + ["a"] * 10 + ["b"] * 90)
    z = np.repeat(["easy", "hard"], 100)
    p = np.concatenate([np.tile([1, 1, 1, 1, 0], 20), np.tile([1, 0, 0, 0, 0], 20)])
    found = measure(
        None,
        p,
        sensitive_features=g,
        control_features=z,
        metrics="statistical_parity_difference",
        privileged="a",
    )
    assert found.value("statistical_parity_difference", group="b").estimate == pytest.approx(-0.48)
    pooled = found.value("statistical_parity_difference", group="b", control="pooled")
    assert pooled.estimate == pytest.approx(0.0, abs=1e-12)
    assert pooled.p == pytest.approx(1.0)


def test_a_stratum_that_lacks_a_side_has_no_weight() -> None:
    g = np.array(["a", "a", "b", "b"] * 10 + ["a"] * 10)
    z = np.repeat(["x", "y"], [40, 10])
    p = np.concatenate([np.tile([1, 0, 1, 1], 10), np.ones(10, dtype=int)])
    found = measure(
        None, p, sensitive_features=g, control_features=z, metrics="group", privileged="a", n_resamples=20
    )
    assert found.value("statistical_parity_difference", group="b", control="y").status == "undefined"
    pooled = found.value("statistical_parity_difference", group="b", control="pooled")
    assert pooled.estimate == pytest.approx(0.5)


def test_two_hundred_groups() -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    g = np.array([f"group {at:03}" for at in range(200)])[rng.integers(0, 200, n)]
    y, s = rng.integers(0, 2, n), rng.random(n)
    found = measure(y, s > 0.5, y_score=s, sensitive_features=g, n_resamples=30)
    assert len(found["statistical_parity_difference"]) == 199
    value = found.farthest("statistical_parity_difference", ALONE)
    assert value.p_adjusted >= value.p
    for name in ("wasserstein_distance_max", "mmd_max", "mmd_to_whole"):
        whole = found.value(name, feature=ALONE)
        assert whole.status == "ok"
        assert whole.low < whole.estimate < whole.high


def test_the_largest_distance_of_too_many_groups_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairwitness.metrics.measured.wholes.MOST_PAIRED", 3)
    monkeypatch.setattr("fairwitness.metrics.measured.spreads.MOST_PAIRED", 3)
    rng = np.random.default_rng(0)
    found = measure(y_score=rng.random(400), sensitive_features=np.tile(list("abcd"), 100), n_resamples=20)
    whole = found.value("mmd_max", feature=ALONE)
    assert (whole.status, whole.reason) == (
        "partial",
        "the largest distance of more than 3 groups is not resampled",
    )


def test_holm_and_the_largest_t() -> None:
    data = table(800)
    holm = measure(data["y"], data["p"], sensitive_features=data["g"], metrics=["mcc_difference"])
    largest = measure(
        data["y"], data["p"], sensitive_features=data["g"], metrics=["mcc_difference"], adjust="max-t"
    )
    for first, second in zip(holm, largest, strict=True):
        assert first.p == second.p
        assert first.p <= first.p_adjusted <= min(2 * first.p, 1) + 1e-12
        assert second.p_adjusted >= first.p - 0.02
        assert second.p_adjusted <= 2 * first.p + 0.05


def test_integer_weights_are_rows_repeated() -> None:
    data = table(120)
    times = np.random.default_rng(1).integers(1, 4, 120)
    far = data.loc[np.repeat(data.index, times)].reset_index(drop=True)
    one = measure(
        data["y"],
        data["p"],
        y_score=data["score"],
        sensitive_features=data["g"],
        privileged="a",
        sample_weight=times,
        n_resamples=20,
    )
    other = measure(
        far["y"], far["p"], y_score=far["score"], sensitive_features=far["g"], privileged="a", n_resamples=20
    )
    for first, second in zip(one, other, strict=True):
        assert (first.metric, first.group) == (second.metric, second.group)
        if not first.metric.startswith("mmd"):  # a row repeated is a pair more, which the bandwidth sees
            assert first.estimate == pytest.approx(second.estimate, abs=1e-9), first
        assert first.n <= second.n


def test_looking_up() -> None:
    data = table(200)
    found = measure(data["y"], data["p"], sensitive_features=data[["g", "sex"]], n_resamples=20)
    assert found.value("accuracy").feature == ""
    assert found.value("accuracy", feature="sex", group="f").group == "f"
    assert len(found["accuracy"]) == 1 + 3 + 2 + 6
    assert len(found) == len(found.to_frame()) == len(list(found))
    with pytest.raises(UnknownNameError, match="not measured: it does not exist for the task"):
        found["rmse"]
    with pytest.raises(UnknownNameError, match="has no such value"):
        found.value("accuracy", group="zz")
    with pytest.raises(UnknownNameError, match="compares no groups"):
        found.farthest("accuracy", "g")
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["settings"]["n_resamples"] == 20
    assert (
        "<script>"
        not in measure(
            data["y"], data["p"], sensitive_features={"<script>": data["g"]}, n_resamples=20
        )._repr_html_()
    )
    assert found.plot("selection_rate").get_title(loc="left") == "selection rate"
    assert repr(found).startswith("<Measured classification")


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"y_pred": None}, DataError, "nothing to measure"),
        ({"task": "ranking"}, ConfigError, "unknown task"),
        ({"metrics": "fairness"}, ConfigError, "no such metric"),
        ({"confidence": 95}, ConfigError, "confidence level"),
        ({"minimum_n": "30"}, ConfigError, "minimum_n"),
        ({"n_resamples": 3}, ConfigError, "n_resamples"),
        ({"adjust": "bonferroni"}, ConfigError, "unknown adjustment"),
        ({"threshold": "half"}, ConfigError, "threshold"),
        ({"reference": "z"}, GroupError, "has no group 'z'"),
        ({"privileged": "z"}, GroupError, "has no group 'z'"),
        ({"sample_weight": [-1.0] * 60}, DataError, "negative"),
        ({"sample_weight": [1.0] * 59}, DataError, "number of rows"),
        ({"y_score": [math.nan] * 60}, DataError, "missing or infinite"),
        ({"y_score": [math.inf] * 60}, DataError, "missing or infinite"),
        ({"y_score": ["high"] * 60}, DataError, "must hold numbers"),
        ({"y_true": [1] * 59}, DataError, "number of rows"),
        ({"y_true": ["yes"] * 60}, DataError, "favourable label"),
        ({"y_true": [None] * 60}, DataError, "missing in 60 rows"),
        ({"sensitive_features": ["a"] * 60}, GroupError, "single group"),
        ({"sensitive_features": {"g": ["a", "b"]}}, DataError, "number of rows"),
        ({"control_features": ["x"] * 60}, GroupError, "single group"),
        ({"missing": "ignore"}, ConfigError, "missing values"),
        (
            {"y_true": pd.Series([0, 1] * 30, index=range(60, 0, -1)), "y_pred": pd.Series([0, 1] * 30)},
            DataError,
            "different indexes",
        ),
        ({"y_true": [], "y_pred": [], "sensitive_features": None}, DataError, "no rows"),
        ({"random_state": -1}, ConfigError, "random_state"),
        ({"metrics": None}, ConfigError, "metrics must be names"),
        ({"metrics": 5}, ConfigError, "metrics must be names"),
        ({"metrics": [["accuracy"]]}, ConfigError, "metrics must be names"),
        ({"y_pred": 5}, DataError, "y_pred must have one value a row"),
        ({"y_pred": {"a": 1}}, DataError, "y_pred must have one value a row"),
        ({"y_score": np.array(0.5)}, DataError, "y_score must have one value a row"),
        ({"sample_weight": object()}, DataError, "sample_weight must have one value a row"),
        ({"sample_weight": 5}, DataError, "sample_weight must have one value a row"),
        ({"favorable": {}}, ConfigError, "favorable must be one label"),
        ({"favorable": np.array([0, 1])}, ConfigError, "favorable must be one label"),
        ({"adjust": {}}, ConfigError, "unknown adjustment"),
        ({"adjust": np.array(["holm", "max-t"])}, ConfigError, "unknown adjustment"),
        ({"task": np.array(["auto", "score"])}, ConfigError, "unknown task"),
        ({"reference": ["a"]}, ConfigError, "reference must be one group"),
        ({"intersections": None}, ConfigError, "intersections must be True or False"),
        ({"intersections": 5}, ConfigError, "intersections must be True or False"),
        ({"intersections": [1, 2]}, ConfigError, "intersections must be True or False"),
    ],
)
def test_what_makes_no_sense_is_named(change: dict[str, Any], error: type[Exception], match: str) -> None:
    given: dict[str, Any] = {
        "y_true": [0, 1] * 30,
        "y_pred": [0, 1, 1] * 20,
        "sensitive_features": ["a", "b", "b", "a"] * 15,
    }
    with pytest.raises(error, match=match):
        measure(**{**given, **change})


def test_columns_of_a_mapping_are_aligned_too() -> None:
    data = table(60)
    turned = data["g"].sample(frac=1, random_state=0)
    for name in ("sensitive_features", "control_features"):
        given = {"sensitive_features": data["sex"], name: {"g": turned}}
        with pytest.raises(DataError, match=rf"{name}\['g'\] have different indexes"):
            measure(data["y"], data["p"], **given)


def test_groups_that_are_numbers_are_found_by_them() -> None:
    g = np.array([0, 1] * 40)
    found = measure(
        [1, 0] * 40,
        [1, 1] * 40,
        sensitive_features={"g": g},
        control_features=[2.0, 2.0, 3.0, 3.0] * 20,
        n_resamples=10,
    )
    named = found.value("selection_rate", group="0")
    assert named.group == "0"
    for label in (0, np.int64(0), 0.0, np.float32(0)):
        assert found.value("selection_rate", group=label) is named
    assert found.value("selection_rate", group=1, control=3).control == "3"
    with pytest.raises(UnknownNameError, match="name one of everyone, g: 0 and g: 1"):
        found.value("accuracy", group=2)


def test_fractions_as_true_outcomes_are_a_regression() -> None:
    y = np.linspace(0, 1, 60)
    found = measure(y, [0, 1] * 30, n_resamples=10)
    assert found.task == "regression"
    assert found.value("mae").estimate == pytest.approx(np.abs(y - np.array([0, 1] * 30)).mean())
    # Floats that are whole are labels.
    assert measure([0.0, 1.0] * 30, [0, 1] * 30, n_resamples=10).task == "classification"


def test_what_was_named_and_cannot_be_measured_is_said() -> None:
    y, p = [1, 0] * 40, [1, 1] * 40
    with pytest.raises(DataError, match=r"named can be measured; got rmse \(it does not exist for the task"):
        measure(y, p, metrics=["rmse"])
    with pytest.raises(DataError, match=r"roc_auc \(it needs scores, y_score=\)"):
        measure(y, p, metrics="roc_auc")
    with pytest.raises(DataError, match="nothing of what was named"):
        measure(y, p, metrics="distribution")
    with pytest.warns(FairwitnessWarning, match=r"not measured: roc_auc \(it needs scores") as caught:
        found = measure(y, p, metrics=["accuracy", "roc_auc"], n_resamples=10)
    assert caught[0].filename == __file__
    assert found.value("roc_auc").status == "undefined"
    # A family, or all, holds what this table cannot give; that is in ``left_out`` alone.
    assert "roc_auc" in measure(y, p, metrics="performance", n_resamples=10).left_out


def test_names_are_no_labels() -> None:
    names = [f"n{row}" for row in range(400)]
    with pytest.raises(DataError, match="more than 200 different labels in y_pred and y_true; got 400"):
        measure(names, names[::-1], favorable="n0")
    # Decisions need only the favourable label told apart.
    alone = measure(names, names[::-1], favorable="n0", metrics="selection_rate")
    assert alone.value("selection_rate").estimate == pytest.approx(1 / 400)
    # What is just few enough is measured.
    few = measure(names[:200], names[:200], favorable="n0", metrics="accuracy", n_resamples=10)
    assert few.value("accuracy").estimate == 1.0


def test_one_row_and_scores_that_are_no_probabilities() -> None:
    one = measure([1], [1])
    assert one.value("accuracy").estimate == 1.0
    assert one.value("accuracy").status == "small"
    data = table(100)
    margins = measure(data["y"], y_score=data["score"] * 10 - 5, sensitive_features=data["g"], threshold=0)
    assert "brier_score" in margins.left_out
    assert margins.value("roc_auc").status == "ok"


def test_ties_and_constant_scores() -> None:
    data = table(100)
    found = measure(data["y"], y_score=np.full(100, 0.5), sensitive_features=data["g"], n_resamples=30)
    assert found.value("roc_auc").estimate == 0.5
    far = found["wasserstein_distance"]
    assert all((value.estimate, value.p) == (0.0, 1.0) for value in far)
    for value in (*far, *found["wasserstein_distance_max"], *found["wasserstein_distance_to_whole"]):
        assert (value.status, value.low, value.high) == ("partial", 0.0, 0.0)
        assert "do not vary" in value.reason
    assert all(value.estimate == 0.0 for value in found["mmd"])
