from __future__ import annotations

import json
import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import t, wasserstein_distance
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import balanced_accuracy_score, mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fairwitness as fw
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning
from fairwitness.fair import CounterfactuallyFairClassifier, FairC
from fairwitness.metrics import Evaluation, Predictions, evaluate, measure
from fairwitness.metrics.declared.catalogue import CATALOGUE
from fairwitness.metrics.evaluation.front import front, limits, size
from fairwitness.metrics.evaluation.mean import over_splits
from fairwitness.model import CrossFitted
from fairwitness.stats import Estimate

RNG = np.random.default_rng(0)
N = 400
SEX = RNG.choice(["f", "m"], N)
RACE = RNG.choice(["a", "b", "c"], N, p=[0.5, 0.3, 0.2])
X = pd.DataFrame({"skill": RNG.normal(size=N), "hobby": RNG.normal(size=N) + (SEX == "m")})
Y = (X["skill"] + X["hobby"] + RNG.normal(size=N) > 0.5).to_numpy().astype(int)
GROUPS = {"sex": SEX, "race": RACE}
FEW: dict[str, Any] = {
    "metrics": ["balanced_accuracy", "statistical_parity_difference"],
    "n_resamples": 50,
}


def quick(models: Any, table: Any = X, y: Any = Y, **more: Any) -> Evaluation:
    return evaluate(
        models, table, y, **{"sensitive_features": {"sex": SEX}, "random_state": 0, **FEW, **more}
    )


def value(found: Evaluation, model: str, metric: str, **where: str) -> Estimate:
    wanted = {"seed": "all", "feature": "", "group": "", **where}
    (row,) = [
        row
        for row in found.rows
        if row.model == model
        and row.metric == metric
        and all(getattr(row, name) == each for name, each in wanted.items())
    ]
    return row.estimate


# --- kinds of models ---


def test_what_is_measured_is_what_scikit_learn_measures() -> None:
    decided = (X["hobby"] > 0.5).to_numpy().astype(int)
    fitted = LogisticRegression().fit(X, Y)
    found = quick({"column": decided, "model": fitted})
    assert value(found, "column", "balanced_accuracy").estimate == pytest.approx(
        balanced_accuracy_score(Y, decided)
    )
    assert value(found, "model", "balanced_accuracy").estimate == pytest.approx(
        balanced_accuracy_score(Y, fitted.predict(X))
    )
    gap = decided[SEX == "f"].mean() - decided[SEX == "m"].mean()
    row = value(found, "column", "statistical_parity_difference", feature="sex", group="f")
    assert row.estimate == pytest.approx(gap)
    assert row.low < gap < row.high


def test_estimators_are_fitted_on_other_rows_than_they_are_asked_about() -> None:
    """A forest knows its own rows by heart; on held-out rows of noise it knows nothing."""
    noise = RNG.integers(0, 2, N)
    forest = RandomForestClassifier(20, random_state=0)
    found = quick({"forest": forest}, y=noise, seeds=3)
    assert found.seeds == (0, 1, 2)
    mean = value(found, "forest", "balanced_accuracy", seed="mean")
    each = [value(found, "forest", "balanced_accuracy", seed=str(seed)) for seed in found.seeds]
    assert mean.estimate == pytest.approx(np.mean([one.estimate for one in each]))
    assert mean.estimate < 0.65
    assert forest.fit(X, noise).score(X, noise) > 0.95
    assert {one.n for one in each} == {80}


def test_sensitive_features_reach_those_that_take_them_and_no_other() -> None:
    seen: dict[str, Any] = {}

    class Curious(LogisticRegression):
        def fit(self, X: Any, y: Any, sensitive_features: Any = None) -> Curious:
            seen["table"], seen["columns"] = list(X), list(sensitive_features)
            return super().fit(X, y)

    models = {
        "fair": make_pipeline(StandardScaler(), FairC(max_covariance=0.001)),
        "plain": make_pipeline(StandardScaler(), LogisticRegression()),
        "curious": Curious(),
    }
    found = quick(models, seeds=2)
    assert not found.failures
    assert seen == {"table": ["skill", "hobby"], "columns": ["sex"]}
    gaps = found.sizes("statistical_parity_difference")
    assert gaps["fair"].estimate < gaps["plain"].estimate - 0.1


def test_those_that_predict_with_sensitive_features_get_them() -> None:
    scm = fw.fair.SCM("sex -> hobby; skill", sensitive="sex")
    model = CounterfactuallyFairClassifier(scm, level=3)
    beside = quick({"level 3": model}, seeds=2)
    inside = quick({"level 3": model}, X.assign(sex=SEX), sensitive_features=["sex"], seeds=2)
    assert not beside.failures
    assert not inside.failures
    assert value(beside, "level 3", "balanced_accuracy", seed="mean").estimate > 0.6


def test_cross_fitted_models_are_asked_out_of_sample() -> None:
    model = CrossFitted(LogisticRegression(), cv=4, random_state=0)
    by_us = quick({"m": model})
    by_user = quick({"m": model.fit(X, Y)})
    held = model.classes_[model.held_out_proba(X).argmax(axis=1)]
    assert value(by_user, "m", "balanced_accuracy").estimate == pytest.approx(
        balanced_accuracy_score(Y, held)
    )
    assert by_us.rows == by_user.rows


def test_scores_decide_from_the_threshold_on() -> None:
    score = np.clip(X["skill"] / 6 + 0.5, 0, 1)
    metrics = ["roc_auc", "selection_rate"]
    found = quick(
        {"s": score, "both": Predictions(np.zeros(N, dtype=int), score)}, threshold=0.6, metrics=metrics
    )
    assert value(found, "s", "selection_rate").estimate == pytest.approx((score >= 0.6).mean())
    assert value(found, "both", "selection_rate").estimate == 0
    assert value(found, "s", "roc_auc") == value(found, "both", "roc_auc")


def test_predictions_of_several_runs() -> None:
    runs = {}
    for seed in (3, 5):
        judged = np.full(N, np.nan)
        at = np.random.default_rng(seed).choice(N, 100, replace=False)
        judged[at] = X["hobby"].iloc[at] > 0.5
        runs[seed] = judged
    found = quick({"m": runs})
    assert {row.seed for row in found.rows} == {"3", "5", "mean"}
    assert value(found, "m", "balanced_accuracy", seed="3").n == 100
    assert {row.interval_of for row in found.headline} == {"splits"}
    # Nothing was held out where all rows were judged: the runs' own intervals count.
    whole = quick({"m": {0: Y, 1: 1 - Y}})
    (row,) = [row for row in whole.headline if row.metric == "balanced_accuracy" and not row.feature]
    assert (row.interval_of, row.estimate.estimate, row.estimate.low, row.estimate.high) == (
        "runs",
        0.5,
        0,
        1,
    )


def test_predictions_alone_are_enough() -> None:
    found = evaluate({"a": Y}, sensitive_features=GROUPS, n_resamples=50)
    assert "statistical_parity_difference" in found.metrics
    assert "accuracy" not in found.metrics
    assert found.n == N


def test_labels_of_any_kind() -> None:
    words = np.where(Y == 0, "good", "bad")
    decided = np.where(X["hobby"] > 0.5, "bad", "good")
    found = quick({"column": decided, "model": LogisticRegression()}, y=words, favorable="good", seeds=2)
    assert not found.failures
    expected = (decided[SEX == "f"] == "good").mean() - (decided[SEX == "m"] == "good").mean()
    row = value(found, "column", "statistical_parity_difference", feature="sex", group="m")
    assert row.estimate == pytest.approx(-expected)
    with pytest.warns(FairwitnessWarning, match="nothing in common"):
        assert quick({"column": np.where(Y == 0, "Good", "Bad")}, y=words, favorable="good").failures


@pytest.mark.parametrize("favorable", [1, "Good", True])
def test_a_favourable_label_that_does_not_occur_is_refused_as_by_measure(favorable: object) -> None:
    words, decided = np.where(Y == 0, "good", "bad"), np.where(X["hobby"] > 0.5, "bad", "good")
    with pytest.raises(DataError, match="no row of y_true has the favourable label"):
        measure(words, decided, favorable=favorable)
    with pytest.raises(DataError, match="no row of y has the favourable label"):
        quick({"column": decided}, y=words, favorable=favorable)
    with pytest.raises(DataError, match="no row of y has the favourable label 1"):
        quick({"column": Y}, favorable="1")  # text is no number


@pytest.mark.parametrize(
    ("y", "favorable", "column", "said"),
    [
        (np.where(Y == 1, "good", "bad"), "good", Y, "nothing in common"),
        (np.where(Y == 1, "good", "bad"), "good", Y == 1, "nothing in common"),
        (np.where(Y == 1, "good", "bad"), "good", np.where(Y == 1, "Good", "bad"), "no prediction is"),
        (Y, 1, np.where(Y == 1, "1", "0"), "nothing in common"),
        (None, "good", np.where(Y == 1, "Good", "bad"), "no row of the predictions has"),
    ],
)
def test_a_column_in_other_words_is_left_out_alone(
    y: Any, favorable: object, column: np.ndarray, said: str
) -> None:
    fine = np.full(N, favorable)
    with pytest.warns(FairwitnessWarning, match="odd was left out"):
        found = quick({"odd": column, "fine": fine}, y=y, favorable=favorable)
    assert found.models == ("fine",)
    assert said in found.failures["odd"]


@pytest.mark.parametrize("favorable", [0, 1, True, False])
def test_booleans_and_numbers_are_the_same_labels(favorable: object) -> None:
    decided = (X["hobby"] > 0.5).to_numpy()
    found = quick({"bool": decided, "int": decided.astype(int), "float": decided * 1.0}, favorable=favorable)
    first = [row.estimate for row in found.rows if row.model == "int"]
    for name in ("bool", "float"):
        assert [row.estimate for row in found.rows if row.model == name] == first
    functions = {"bool": lambda rows: rows["hobby"].to_numpy() > 0.5}
    asked = quick(functions, favorable=favorable)
    assert [row.estimate for row in asked.rows] == first


def test_one_label_for_everybody_needs_not_be_the_favourable_one() -> None:
    words = np.where(Y == 0, "good", "bad")
    found = quick({"none": np.full(N, "bad")}, y=words, favorable="good", metrics=["selection_rate"])
    assert value(found, "none", "selection_rate").estimate == 0


def test_regressions() -> None:
    y = X["skill"] + X["hobby"] + 0.1 * np.arange(N) / N
    model = LinearRegression()
    found = evaluate(
        {"fitted": model.fit(X, y), "unfitted": LinearRegression(), "rule": lambda frame: frame["skill"] * 2},
        X,
        y,
        sensitive_features={"sex": SEX},
        n_resamples=50,
        seeds=2,
    )
    assert found.task == "regression"
    rmse = math.sqrt(mean_squared_error(y, model.predict(X)))
    assert value(found, "fitted", "rmse").estimate == pytest.approx(rmse)
    rule = 2 * X["skill"].to_numpy()
    apart = value(found, "rule", "wasserstein_distance_max", feature="sex")
    assert apart.estimate == pytest.approx(wasserstein_distance(rule[SEX == "f"], rule[SEX == "m"]))
    assert "fitted" in found.pareto()


@pytest.mark.parametrize("convert", [pl.DataFrame, lambda frame: frame, lambda frame: frame.to_numpy()])
def test_any_table(convert: Any) -> None:
    found = quick({"m": make_pipeline(StandardScaler(), LogisticRegression())}, convert(X), seeds=2)
    same = quick({"m": make_pipeline(StandardScaler(), LogisticRegression())}, seeds=2)
    assert not found.failures
    mean = value(found, "m", "balanced_accuracy", seed="mean").estimate
    # A matrix has other names of columns, so that its rows have other keys and go to other parts.
    assert mean == pytest.approx(value(same, "m", "balanced_accuracy", seed="mean").estimate, abs=0.1)


# --- what goes wrong ---


def test_a_model_that_fails_leaves_the_others() -> None:
    with pytest.warns(FairwitnessWarning, match="broken was left out"):
        found = quick({"broken": LogisticRegression(C=-1), "column": Y})
    assert found.models == ("column",)
    assert "could not be trained" in found.failures["broken"]
    assert value(found, "column", "balanced_accuracy").estimate == 1
    json.dumps(found.to_dict(), allow_nan=False)


def test_what_estimators_warn_of_is_noted() -> None:
    found = quick({"hasty": LogisticRegression(max_iter=1)}, seeds=2)
    assert any("failed to converge" in note or "iterations" in note for note in found.notes["hasty"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"models": {}}, "no models"),
        ({"models": {"": Y}}, "names"),
        ({"models": {3.5: Y}}, "names"),
        ({"y": np.where(np.arange(N) == 7, np.nan, Y)}, "missing in 1 rows"),
        ({"y": Y[:-1]}, "differ in their number of rows"),
        ({"y": Y[:, None] * [1, 1]}, "one value a row"),
        ({"metrics": "nonsense"}, "no such metric"),
        ({"task": "ranking"}, "no such task"),
        ({"task": "regression", "y": np.where(Y == 1, "yes", "no")}, "must be numbers"),
        ({"models": {"m": LogisticRegression()}, "seeds": 0}, "seeds"),
        ({"models": {"m": LogisticRegression()}, "seeds": "many"}, "seeds"),
        ({"models": {"m": LogisticRegression()}, "seeds": [1, 1]}, "twice"),
        ({"models": {"m": LogisticRegression()}, "test_size": 20}, "test_size"),
        ({"confidence": 95}, "confidence"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"random_state": -1}, "random_state"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], said: str) -> None:
    given = {"models": {"column": Y}, "table": X, "y": Y, **change}
    with pytest.raises((ConfigError, DataError), match=said):
        quick(given.pop("models"), given.pop("table"), given.pop("y"), **given)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (Y[:-1], "one value a row"),
        (np.where(np.arange(N) == 3, np.nan, 0.5), "missing in 1 of 400 rows"),
        (np.full(N, 1.5), "between 0 and 1"),
        ({}, "no predictions"),
        ({0: np.full(N, np.nan)}, "all missing"),
        (Predictions(), "no predictions"),
        (LogisticRegression, "class is no model"),
        (object(), "predict"),
    ],
)
def test_a_model_that_makes_no_sense_is_left_out_with_the_reason(model: Any, said: str) -> None:
    with pytest.warns(FairwitnessWarning, match="odd was left out"):
        found = quick({"odd": model, "column": Y})
    assert said in found.failures["odd"]
    assert found.models == ("column",)


def test_no_table_no_model() -> None:
    with pytest.warns(FairwitnessWarning, match="no table to ask"):
        found = evaluate({"m": LogisticRegression(), "p": Y}, y=Y, sensitive_features=GROUPS, n_resamples=20)
    assert found.models == ("p",)
    with pytest.raises(DataError, match="nothing to evaluate on"):
        evaluate({"m": LogisticRegression()})


def test_one_row_is_no_crash() -> None:
    found = evaluate({"p": [1]}, y=[1], sensitive_features=None, n_resamples=20)
    assert value(found, "p", "accuracy").estimate == 1
    lacking = value(found, "p", "balanced_accuracy")
    assert math.isnan(lacking.estimate)
    assert lacking.reason


# --- determinism ---


def test_equal_seeds_give_equal_frames_whatever_the_workers_and_the_order() -> None:
    models = {"a": RandomForestClassifier(5), "b": LogisticRegression()}
    one = quick(models, seeds=2)
    two = quick(models, seeds=2, n_jobs=2)
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame(), check_exact=True)
    other = quick(models, seeds=2, random_state=1)
    assert other.rows != one.rows


# --- mean over splits ---


def test_the_interval_of_nadeau_and_bengio() -> None:
    values = [0.7, 0.74, 0.69, 0.77]
    found, kind = over_splits([Estimate(v, n=50) for v in values], [0.25] * 4, confidence=0.9)
    half = t.ppf(0.95, 3) * math.sqrt((1 / 4 + 0.25) * np.var(values, ddof=1))
    assert kind == "splits"
    assert (found.estimate, found.low, found.high) == pytest.approx((0.725, 0.725 - half, 0.725 + half))


def test_splits_without_a_value_are_said() -> None:
    gone = Estimate(math.nan, reason="nobody there")
    found, _ = over_splits([gone, Estimate(0.5, 0.4, 0.6, 9)], [0.25] * 2, confidence=0.95)
    assert (found.estimate, found.low, found.high) == (0.5, 0.4, 0.6)
    assert found.reason == "1 of 2 splits have no value"
    none, _ = over_splits([gone, gone], [0.25] * 2, confidence=0.95)
    assert math.isnan(none.estimate)
    assert none.reason == "nobody there"


@pytest.mark.parametrize("metric", list(CATALOGUE))
def test_every_measure_has_limits(metric: str) -> None:
    low, high = limits(CATALOGUE[metric], 10)
    assert low <= 0 < high


def test_limits_are_those_of_the_catalogue() -> None:
    assert limits(CATALOGUE["balanced_accuracy"], 9) == (0, 1)
    assert limits(CATALOGUE["mcc_difference"], 9) == (-2, 2)
    assert limits(CATALOGUE["theil_index"], 9) == (0, pytest.approx(math.log(9)))
    assert limits(CATALOGUE["mmd"], 9) == (0, pytest.approx(math.sqrt(2)))
    assert limits(CATALOGUE["r2"], 9) == (-math.inf, 1)


def test_intervals_over_splits_stay_within_what_is_possible() -> None:
    """Two splits that differ give an interval wider than the measure's range."""
    wide = [Estimate(0.2, n=20), Estimate(0.9, n=20)]
    free, _ = over_splits(wide, [0.25] * 2, confidence=0.95)
    assert free.low < 0 < 1 < free.high
    kept, _ = over_splits(wide, [0.25] * 2, confidence=0.95, limits=(0, 1))
    assert (kept.low, kept.high) == (0, 1)
    found = quick({"m": LogisticRegression()}, X[:60], Y[:60], seeds=2, sensitive_features={"s": SEX[:60]})
    for row in found.headline:
        low, high = limits(CATALOGUE[row.metric], 60)
        assert low <= row.estimate.low <= row.estimate.estimate <= row.estimate.high <= high
        assert row.estimate.reason or row.status == "ok"
    everyone = value(found, "m", "balanced_accuracy", seed="mean")
    assert "fewer than 30 rows in a split" in everyone.reason  # twelve test rows


def test_splits_that_agree_are_said_to_say_nothing() -> None:
    found, _ = over_splits([Estimate(0.1, n=20)] * 3, [0.25] * 3, confidence=0.95)
    assert (found.estimate, found.low, found.high) == (0.1, 0.1, 0.1)
    assert "the splits do not differ" in found.reason
    constant = quick({"m": DummyClassifier(strategy="constant", constant=1)}, seeds=3)
    (row,) = [row for row in constant.headline if row.metric == "balanced_accuracy" and not row.feature]
    assert (row.estimate.estimate, row.status) == (0.5, "partial")
    assert "the splits do not differ" in row.estimate.reason


def test_models_that_say_the_same_of_everybody_are_noted() -> None:
    runs = {0: np.ones(N), 1: np.where(np.arange(N) < 9, 0.0, 1.0)}
    models = {"all": np.ones(N), "none": np.zeros(N), "once": runs, "m": Y, "1": np.full(N, 0.7)}
    found = quick(models)
    assert found.notes == {
        "all": ("accepts everybody",),
        "none": ("accepts nobody",),
        "once": ("accepts everybody in 1 of 2 splits",),
        "1": ("accepts everybody",),
    }
    assert [found.constant(name) for name in ("all", "m")] == ["accepts everybody", ""]
    y = X["skill"].to_numpy()
    numbers = evaluate({"mean": np.full(N, y.mean()), "own": y}, y=y, metrics=["rmse"], n_resamples=20)
    assert numbers.notes == {"mean": ("predicts one number for everybody",)}


# --- the front ---


def brute_front(points: dict[str, tuple[float, float]]) -> set[str]:
    return {
        name
        for name, (up, off) in points.items()
        if not any(
            other_up >= up and other_off <= off and (other_up, other_off) != (up, off)
            for other_up, other_off in points.values()
        )
    }


@pytest.mark.parametrize("seed", range(20))
def test_the_front_is_what_nobody_beats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = {f"m{at}": tuple(rng.integers(0, 6, 2) / 5) for at in range(8)}
    up = {name: Estimate(point[0]) for name, point in points.items()}
    off = {name: Estimate(point[1]) for name, point in points.items()}
    found = front(up, off, accurate=1)
    assert set(found) == brute_front(points)
    sizes = [off[name].estimate for name in found]
    assert sizes == sorted(sizes)
    down = {name: Estimate(-each.estimate) for name, each in up.items()}
    assert set(front(down, off, accurate=-1)) == set(found)


def test_a_model_without_a_value_is_not_on_the_front() -> None:
    up = {"a": Estimate(0.5), "b": Estimate(math.nan)}
    assert front(up, {"a": Estimate(0.5), "b": Estimate(0.0)}, accurate=1) == ("a",)


@pytest.mark.parametrize(
    ("metric", "given", "wanted"),
    [
        ("statistical_parity_difference", (-0.2, -0.3, -0.1), (0.2, 0.1, 0.3)),
        ("statistical_parity_difference", (-0.2, -0.5, 0.1), (0.2, 0.0, 0.5)),
        ("disparate_impact_ratio", (0.5, 0.4, 0.8), (0.5, 0.2, 0.6)),
        ("disparate_impact_ratio", (2.0, 0.8, 4.0), (0.5, 0.0, 0.75)),
        ("accuracy", (0.7, 0.6, 0.8), (0.7, 0.6, 0.8)),
    ],
)
def test_distance_from_no_difference(
    metric: str, given: tuple[float, ...], wanted: tuple[float, ...]
) -> None:
    found = size(CATALOGUE[metric], Estimate(*given))
    assert (found.estimate, found.low, found.high) == pytest.approx(wanted)


def test_of_several_groups_the_farthest_counts() -> None:
    decided = np.where(RACE == "c", 1, np.where(RACE == "b", 0, Y))
    found = quick({"m": decided}, sensitive_features={"race": RACE}, privileged="a")
    ((estimate, group),) = found.found("statistical_parity_difference").values()
    assert group in ("b", "c")
    rates = {each: decided[each == RACE].mean() for each in "abc"}
    farthest = max(("b", "c"), key=lambda each: abs(rates[each] - rates["a"]))
    assert group == farthest
    assert estimate.estimate == pytest.approx(rates[farthest] - rates["a"])


def test_groups_of_few_rows_are_not_the_farthest_unless_there_are_no_others() -> None:
    race = np.where(np.arange(N) < 5, "tiny", RACE)
    decided = np.where(race == "tiny", 0, np.where(race == "b", Y, 1))
    tiny = quick({"m": decided}, sensitive_features={"race": race}, privileged="a")
    ((estimate, group),) = tiny.found("statistical_parity_difference").values()
    assert group == "b"
    assert estimate.reason == "passed over for few rows: tiny"
    rows = {row.group: row for row in tiny.rows if row.metric == "statistical_parity_difference"}
    assert abs(rows["tiny"].estimate.estimate) > abs(estimate.estimate)
    assert (rows["tiny"].status, rows["tiny"].n_group, rows["b"].status) == ("small", 5, "ok")
    assert tiny.pareto() == ("m",)
    only = quick({"m": decided}, sensitive_features={"s": np.where(race == "tiny", "tiny", "rest")})
    ((estimate, group),) = only.found("statistical_parity_difference").values()
    assert group == "tiny"
    assert estimate.reason.startswith("small, n = 5")
    every = quick({"m": decided}, sensitive_features={"race": race}, privileged="a", minimum_n=5)
    assert every.found("statistical_parity_difference")["m"][1] == "tiny"


def test_p_values_are_those_of_measure() -> None:
    decided = (X["hobby"] > 0.5).to_numpy().astype(int)
    found = quick({"m": decided}, sensitive_features={"race": RACE})
    frame = found.to_frame().query("metric == 'statistical_parity_difference'").set_index("group")
    by_measure = measure(Y, decided, sensitive_features={"race": RACE}, privileged=frame["reference"].iloc[0])
    for each in by_measure["statistical_parity_difference"]:
        assert frame.loc[each.group, ["p", "p_adjusted"]].tolist() == [each.p, each.p_adjusted]
        assert 0 < each.p <= each.p_adjusted <= 1


def test_what_is_no_accuracy_has_no_front() -> None:
    found = quick({"m": Y}, metrics=["selection_rate", "statistical_parity_difference"])
    with pytest.raises(ConfigError, match="no measure of accuracy"):
        found.pareto("selection_rate")
    with pytest.raises(ConfigError, match="does not have this measure"):
        found.values("accuracy")


# --- pictures and words ---


def test_the_picture_has_a_point_a_model_with_intervals_both_ways() -> None:
    found = quick({"even": Y, "rule": (X["hobby"] > 0.5).astype(int).to_numpy()})
    ax = found.plot()
    text = [each.get_text() for each in ax.get_legend().get_texts()]
    assert text == ["even", "rule"]
    spans = [line for line in ax.lines if len(line.get_xdata()) == 2]
    up = found.values("balanced_accuracy")["rule"]
    off = found.sizes("statistical_parity_difference")["rule"]
    assert any(list(line.get_ydata()) == [up.low, up.high] for line in spans)
    assert any(list(line.get_xdata()) == [off.low, off.high] for line in spans)
    assert "sex" in ax.get_xlabel()


def test_hostile_names_are_shown_as_text() -> None:
    name = "<b>\x1b[31m$x^2$"
    found = quick({name: Y})
    assert "\x1b" not in repr(found)
    assert "<b>" not in found._repr_html_()
    assert "\x1b" not in "".join(each.get_text() for each in found.plot().get_legend().get_texts())


def test_the_frame_is_tidy() -> None:
    found = quick({"m": LogisticRegression()}, sensitive_features=GROUPS, seeds=2)
    frame = found.to_frame()
    keys = ["model", "seed", "metric", "feature", "group", "reference"]
    assert not frame.duplicated(keys).any()
    assert len(frame) == len(found.rows)
    assert found.table().loc["m", "balanced_accuracy"] == pytest.approx(
        value(found, "m", "balanced_accuracy", seed="mean").estimate
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found._repr_html_()
