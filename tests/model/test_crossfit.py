from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fairwitness.errors import ConfigError, DataError, FairwitnessWarning, ModelError, NotFittedError
from fairwitness.model import CrossFitted, judge_by_fold


class Memory(ClassifierMixin, BaseEstimator):
    """Remembers every row; says 1 for what it has seen and 0 for what it has not."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Memory:
        self.seen_ = set(map(tuple, X.to_numpy().tolist()))
        self.order_ = X.to_numpy().tolist()
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        known = np.array([tuple(row) in self.seen_ for row in X.to_numpy().tolist()], dtype=float)
        return np.column_stack([1 - known, known])

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def table(rows: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    values = np.arange(rows) % 50  # the last ten are duplicates
    return pd.DataFrame({"a": values, "b": values % 7}), (values % 3 == 0).astype(int)


def test_no_row_is_judged_by_a_model_that_saw_it_or_its_duplicate() -> None:
    X, y = table()
    fitted = CrossFitted(Memory(), cv=4, random_state=0).fit(X, y)
    assert (fitted.held_out_proba(X)[:, 1] == 0).all()
    assert np.array_equal(fitted.fold_of(X), fitted.folds_)
    for fold, model in enumerate(fitted.models_):
        rows = set(map(tuple, X[fitted.folds_ != fold].to_numpy().tolist()))
        assert model.seen_ == rows


def test_a_new_row_gets_the_mean_of_all_models() -> None:
    X, y = table()
    fitted = CrossFitted(DecisionTreeClassifier(max_depth=3), cv=3, random_state=0).fit(X, y)
    new = pd.DataFrame({"a": [1000, -5], "b": [3, 100]})
    assert fitted.fold_of(new).tolist() == [-1, -1]
    expected = np.mean([model.predict_proba(new) for model in fitted.models_], axis=0)
    assert np.allclose(fitted.held_out_proba(new), expected)


def test_row_order_is_irrelevant() -> None:
    X, y = table()
    order = np.random.default_rng(0).permutation(len(X))
    forest = RandomForestClassifier(5, n_jobs=1)  # bootstraps by position
    first = CrossFitted(forest, cv=3, random_state=1).fit(X, y)
    other = CrossFitted(forest, cv=3, random_state=1).fit(X.iloc[order], y[order])
    assert np.array_equal(first.folds_[order], other.folds_)
    assert np.array_equal(first.held_out_proba(X), other.held_out_proba(X))


def test_column_order_container_and_jobs_are_irrelevant() -> None:
    X, y = table()
    forest = RandomForestClassifier(5, n_jobs=1)
    first = CrossFitted(forest, cv=3, random_state=1).fit(X, y)
    parallel = CrossFitted(forest, cv=3, random_state=1, n_jobs=2).fit(X, y)
    polars = CrossFitted(forest, cv=3, random_state=1).fit(pl.from_pandas(X), y)
    expected = first.held_out_proba(X)
    assert np.array_equal(parallel.held_out_proba(X), expected)
    assert np.array_equal(polars.held_out_proba(X[["b", "a"]].assign(c=1)), expected)


def test_seeds_are_set_where_there_is_none() -> None:
    X, y = table()
    pipeline = make_pipeline(RandomForestClassifier(3, n_jobs=1))
    fitted = CrossFitted(pipeline, cv=3, random_state=0).fit(X, y)
    seeds = [model[-1].random_state for model in fitted.models_]
    assert len(set(seeds)) == 3
    assert None not in seeds
    assert pipeline[-1].random_state is None
    kept = CrossFitted(RandomForestClassifier(3, n_jobs=1, random_state=7), cv=3, random_state=0).fit(X, y)
    assert [model.random_state for model in kept.models_] == [7, 7, 7]


def test_a_fresh_seed_is_kept() -> None:
    X, y = table()
    first = CrossFitted(DecisionTreeClassifier(), cv=3).fit(X, y)
    again = CrossFitted(DecisionTreeClassifier(), cv=3, random_state=first.seed_).fit(X, y)
    assert np.array_equal(first.folds_, again.folds_)


def test_members_judge_their_own_people(people: pd.DataFrame, outcome: np.ndarray) -> None:
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["job"]), remainder="passthrough"
    )
    model = make_pipeline(columns, LogisticRegression(max_iter=3000))
    fitted = CrossFitted(model, cv=3, random_state=0).fit(people, outcome)
    members = fitted.members(favorable="good")
    judgement = judge_by_fold(members, fitted.folds_, pl.from_pandas(people))
    assert np.allclose(judgement.score, fitted.held_out_proba(people)[:, 1])
    assert [box.favorable for box in members] == ["good"] * 3


def test_a_class_with_few_rows_is_warned_about() -> None:
    X = pd.DataFrame({"a": np.arange(40)})
    y = np.array(["many"] * 37 + ["few"] * 3)
    with pytest.warns(FairwitnessWarning, match="the class few has 3 distinct rows, in 3 of 5 folds only"):
        fitted = CrossFitted(DecisionTreeClassifier(), cv=5, random_state=0).fit(X, y)
    assert fitted.held_out_proba(X).shape == (40, 2)


def test_a_class_in_one_fold_only_gets_probability_0_there() -> None:
    X = pd.DataFrame({"a": [*range(30), 99, 99]})
    y = np.array([0, 1] * 15 + [2, 2])
    with pytest.warns(FairwitnessWarning, match="never saw this class"):
        fitted = CrossFitted(DecisionTreeClassifier(), cv=3, random_state=0).fit(X, y)
    assert fitted.held_out_proba(X)[-1, 2] == 0
    assert fitted.held_out_proba(X).sum(axis=1).tolist() == [1.0] * 32


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0] * 60, "only one class"),
        ([0, 1], "different lengths"),
        ([None] + [0, 1] * 29 + [1], "1 labels are missing, first in row 0"),
        ([0.0, float("nan")] * 30, "30 labels are missing, first in row 1"),
        ([0, "a"] * 30, "several types"),
    ],
)
def test_labels_that_cannot_be_learnt(labels: list, message: str) -> None:
    X, _ = table()
    with pytest.raises(DataError, match=message):
        CrossFitted(DecisionTreeClassifier(), random_state=0).fit(X, np.array(labels, dtype=object))


class Explosive(DecisionTreeClassifier):
    def fit(self, X: Any, y: Any) -> Any:
        raise RuntimeError("boom\nmore")


def test_what_the_estimator_raises_is_told() -> None:
    X, y = table()
    with pytest.raises(ModelError, match="Explosive could not be trained: RuntimeError: boom"):
        CrossFitted(Explosive(), random_state=0).fit(X, y)


class Fussy(DecisionTreeClassifier):
    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        raise ValueError("not today")


def test_what_the_estimator_raises_later_is_told_too() -> None:
    X, y = table()
    fitted = CrossFitted(Fussy(), cv=3, random_state=0).fit(X, y)
    with pytest.raises(ModelError, match="Fussy could not judge the rows: ValueError: not today"):
        fitted.held_out_proba(X)


@pytest.mark.parametrize("estimator", [None, 3, DecisionTreeClassifier])
def test_what_is_no_estimator(estimator: Any) -> None:
    X, y = table()
    with pytest.raises(ConfigError, match="no scikit-learn estimator"):
        CrossFitted(estimator, random_state=0).fit(X, y)


def test_missing_labels_of_every_make_are_counted() -> None:
    X, y = table()
    for gap in (None, float("nan"), pd.NA, pd.NaT):
        labels = pd.Series(np.where(np.asarray(y) == np.asarray(y)[0], "a", "b"), dtype=object)
        labels[[3, 5]] = gap
        with pytest.raises(DataError, match="2 labels are missing, first in row 3"):
            CrossFitted(DecisionTreeClassifier(), random_state=0).fit(X, labels)


def test_probabilities_are_needed_only_for_probabilities() -> None:
    X, y = table()
    fitted = CrossFitted(LinearSVC(), cv=3, random_state=0).fit(X, y)
    with pytest.raises(ModelError, match="gives no probabilities"):
        fitted.held_out_proba(X)
    assert len(fitted.members(favorable=1)) == 3


def test_conventions() -> None:
    X, y = table()
    fitted = CrossFitted(DecisionTreeClassifier(), cv=3, random_state=0)
    with pytest.raises(NotFittedError):
        fitted.fold_of(X)
    with pytest.raises(NotFittedError):
        fitted.members()
    assert fitted.fit(X, y) is fitted
    copy = clone(fitted)
    assert copy.get_params()["cv"] == 3
    assert not hasattr(copy, "models_")
    assert fitted.n_features_in_ == 2


def test_a_missing_column_is_an_error_of_ours() -> None:
    X, y = table()
    fitted = CrossFitted(DecisionTreeClassifier(), cv=3, random_state=0).fit(X, y)
    with pytest.raises(DataError, match="no column"):
        fitted.fold_of(X[["a"]])


def test_arrays_are_taken() -> None:
    X, y = table()
    fitted = CrossFitted(DecisionTreeClassifier(), cv=3, random_state=0).fit(X.to_numpy(), y)
    assert list(fitted.feature_names_in_) == ["x0", "x1"]
    assert (fitted.fold_of(X.to_numpy()) == fitted.folds_).all()
    with pytest.raises(DataError, match="two dimensions"):
        fitted.fold_of(np.zeros(3))


def test_members_know_the_columns_they_read() -> None:
    X, y = table()
    fitted = CrossFitted(Memory(), cv=3, random_state=0).fit(X, y)
    wider = X.assign(note="other")
    assert fitted.members()[0].info.feature_names == ("a", "b")
    assert judge_by_fold(fitted.members(), fitted.fold_of(wider), wider).accepted.tolist() == [False] * len(X)
