from __future__ import annotations

import builtins
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.svm import SVC

from fairwitness.errors import ConfigError, DataError, MissingExtraError, ModelError
from fairwitness.model import (
    SensitiveFeatureClassifier,
    as_blackbox,
    decision_makers,
    sensitive_classifiers,
    tune,
)
from fairwitness.model.zoo import DECISION_MAKERS
from fairwitness.table import Schema


@pytest.fixture(scope="module")
def schema(people: pd.DataFrame) -> Schema:
    return Schema.infer(people)


@pytest.fixture(scope="module")
def good(outcome: np.ndarray) -> np.ndarray:
    return (outcome == "good").astype(int)


@pytest.mark.parametrize("name", DECISION_MAKERS)
def test_every_quick_decision_maker_works_on_every_container(
    name: str, people: pd.DataFrame, schema: Schema, good: np.ndarray
) -> None:
    spec = decision_makers(schema, only=[name], quick=True, random_state=0)[name]
    assert spec.grid == {}
    tuned = tune(spec, people, good, random_state=0)
    box = as_blackbox(tuned.estimator)
    expected = tuned.estimator.predict(people) == 1
    assert (expected == good).mean() > 0.7
    for frame in (people, pl.from_pandas(people)):
        assert box.judge(frame).accepted.tolist() == expected.tolist()
    assert box.judge(people.assign(job="unheard of")).has_score


def test_the_grids_are_those_of_the_paper(schema: Schema) -> None:
    specs = decision_makers(schema, random_state=0)
    assert list(specs) == list(DECISION_MAKERS)
    sizes = {name: spec.n_candidates for name, spec in specs.items()}
    assert sizes == {"LR": 20, "SVM": 3, "DT": 2, "RF": 144, "MLP": 6, "XGB": 864, "LGBM": 24}
    assert {spec.scoring for spec in specs.values()} == {"roc_auc"}
    c = specs["LR"].grid["model__C"]
    assert (c[0], c[-1], len(c)) == (1e-4, 1e4, 20)
    for spec in specs.values():
        names = spec.estimator.get_params()
        assert set(spec.grid) <= set(names)
    f_s = sensitive_classifiers(schema, random_state=0)
    assert list(f_s) == ["RF", "MLP", "XGB"]
    assert {spec.scoring for spec in f_s.values()} == {"f1"}
    assert set(f_s["XGB"].grid) <= set(f_s["XGB"].estimator.get_params())


def test_tuning_finds_the_winner_whatever_the_row_order(people: pd.DataFrame, outcome: np.ndarray) -> None:
    found = tune("DT", people, outcome, random_state=0)
    order = np.random.default_rng(0).permutation(len(people))
    other = tune("DT", people.iloc[order], outcome[order], random_state=0)
    assert found.n_candidates == 2
    assert found.score == other.score
    assert found.parameters == other.parameters
    assert (found.estimator.predict(people) == other.estimator.predict(people)).all()
    assert 0.5 < found.score <= 1


def test_a_part_of_the_grid_and_the_class_ratio(
    people: pd.DataFrame, schema: Schema, good: np.ndarray
) -> None:
    pytest.importorskip("xgboost")
    spec = decision_makers(schema, only=["XGB"], random_state=0)["XGB"]
    small = {
        "model__n_estimators": (5,),
        "model__scale_pos_weight": spec.grid["model__scale_pos_weight"],
    }
    tuned = tune(type(spec)(spec.name, spec.estimator, small, spec.scoring), people, good, random_state=0)
    assert tuned.n_candidates == 2
    ratio = (good == 0).sum() / (good == 1).sum()
    assert tuned.parameters["model__scale_pos_weight"] in (1.0, pytest.approx(ratio))
    drawn = tune("LR", people, good, random_state=0, n_iter=2, cv=3)
    assert drawn.n_candidates == 2


def test_f1_is_of_the_larger_group(people: pd.DataFrame, schema: Schema) -> None:
    labels = np.where(people["age"] > 30, "old", "young")
    X, without = people.drop(columns="age"), schema.select(["hours per week", "job", "owner"])
    spec = sensitive_classifiers(without, only=["RF"], random_state=0)["RF"]
    grid = {"model__n_estimators": (3, 5)}
    tuned = tune(type(spec)(spec.name, spec.estimator, grid, spec.scoring), X, labels, random_state=0, cv=3)
    assert tuned.score > 0.5
    assert f1_score(labels, tuned.estimator.predict(X), pos_label="old") > 0.5
    classifier = SensitiveFeatureClassifier(clone(tuned.estimator), cv=3, random_state=0, n_jobs=1)
    assert classifier.fit(X, labels).quality_.estimator == "RandomForestClassifier"


def test_three_groups(people: pd.DataFrame, schema: Schema) -> None:
    pytest.importorskip("xgboost")
    X, without = people.drop(columns="job"), schema.select(["hours per week", "age", "owner"])
    spec = sensitive_classifiers(without, only=["XGB"], random_state=0)["XGB"]
    grid = {"model__estimator__n_estimators": (3, 4), "model__estimator__scale_pos_weight": (1.0, "neg/pos")}
    tuned = tune(
        type(spec)(spec.name, spec.estimator, grid, spec.scoring), X, people["job"], random_state=0, cv=3
    )
    assert tuned.n_candidates == 2
    assert set(tuned.estimator.classes_) == set(people["job"])


def test_missing_numbers_are_filled_and_flagged(people: pd.DataFrame, good: np.ndarray) -> None:
    gaps = people.assign(age=people["age"].where(people["age"] > 25))
    spec = decision_makers(Schema.infer(gaps), only=["LR"], quick=True, random_state=0)["LR"]
    tuned = tune(spec, gaps, good, random_state=0)
    assert tuned.estimator[0].transform(gaps).shape[1] == 2 + 1 + 3 + 2


def test_the_kernel_machine_on_request(schema: Schema) -> None:
    spec = decision_makers(schema, only=["SVM"], svm="rbf", random_state=0)["SVM"]
    assert isinstance(spec.estimator[-1], SVC)


def test_unknown_names_and_scores(people: pd.DataFrame, schema: Schema, good: np.ndarray) -> None:
    with pytest.raises(ConfigError, match="got KNN"):
        decision_makers(schema, only=["KNN"])
    with pytest.raises(ConfigError, match="choose from RF, MLP and XGB"):
        sensitive_classifiers(schema, only=["LR"])
    with pytest.raises(ConfigError, match="unknown score"):
        tune("DT", people, good, scoring="niceness")
    assert list(decision_makers(schema, only="LR", quick=True)) == ["LR"]


def test_arguments_that_make_no_sense(people: pd.DataFrame, schema: Schema, good: np.ndarray) -> None:
    with pytest.raises(ConfigError, match="built for a schema; got DataFrame"):
        decision_makers(people)
    with pytest.raises(ConfigError, match="svm is not known"):
        decision_makers(schema, only=["SVM"], svm="cubic")
    with pytest.raises(ConfigError, match="nothing to tune"):
        tune(SVC(), people, good)
    for n_iter in (0, "3", 1.5):
        with pytest.raises(ConfigError, match="n_iter must be a whole number"):
            tune("DT", people, good, n_iter=n_iter)
    with pytest.raises(DataError, match="only one class to learn; got 1"):
        tune("DT", people, np.ones(len(people), dtype=int))


def test_labels_that_xgboost_cannot_take(people: pd.DataFrame, schema: Schema, outcome: np.ndarray) -> None:
    pytest.importorskip("xgboost")
    spec = decision_makers(schema, only=["XGB"], quick=True, random_state=0)["XGB"]
    with pytest.raises(ModelError, match="labels are 0 and 1"):
        tune(spec, people, outcome, random_state=0)


@pytest.mark.parametrize(("name", "package"), [("XGB", "xgboost"), ("LGBM", "lightgbm")])
def test_a_missing_extra_is_named(
    name: str, package: str, schema: Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(wanted: str, *args: Any, **kwargs: Any) -> Any:
        if wanted.split(".")[0] == package:
            raise ImportError(wanted)
        return real(wanted, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=rf"{package}.*fairwitness\[models\]"):
        decision_makers(schema, only=[name])
    assert list(decision_makers(schema, only=["LR"])) == ["LR"]


def test_a_network_that_has_not_converged_is_no_noise(
    people: pd.DataFrame, schema: Schema, good: np.ndarray
) -> None:
    spec = decision_makers(schema, only=["MLP"], random_state=0)["MLP"]
    one = type(spec)(spec.name, clone(spec.estimator).set_params(model__max_iter=2), {}, spec.scoring)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        tune(one, people, good, random_state=0)
