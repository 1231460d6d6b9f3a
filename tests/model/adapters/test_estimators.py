from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fairwitness.errors import ModelError
from fairwitness.model import as_blackbox


def classifiers() -> list[Any]:
    return [
        LogisticRegression(),
        SGDClassifier(loss="log_loss", random_state=0),
        GaussianNB(),
        KNeighborsClassifier(4),
        DecisionTreeClassifier(max_depth=3),
        RandomForestClassifier(6, random_state=0, n_jobs=1),
        ExtraTreesClassifier(6, random_state=0, n_jobs=1),
        GradientBoostingClassifier(n_estimators=5),
        HistGradientBoostingClassifier(max_iter=5),
        AdaBoostClassifier(n_estimators=5, random_state=0),
        MLPClassifier((4,), max_iter=300, early_stopping=True, random_state=0),
        VotingClassifier([("a", GaussianNB()), ("b", DecisionTreeClassifier(max_depth=2))], voting="soft"),
        VotingClassifier([("a", GaussianNB()), ("b", DecisionTreeClassifier(max_depth=2))], voting="hard"),
        SVC(),
        LinearSVC(),
        RidgeClassifier(),
        Perceptron(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    ]


@pytest.mark.parametrize("model", classifiers(), ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("favorable", ["bad", "good"])
def test_the_users_own_predict_decides(
    model: Any, favorable: str, numbers: pd.DataFrame, outcome: np.ndarray
) -> None:
    model.fit(numbers, outcome)
    box = as_blackbox(model, favorable=favorable)
    judgement = box.judge(numbers)
    assert judgement.accepted.tolist() == (model.predict(numbers) == favorable).tolist()
    if hasattr(model, "predict_proba"):
        column = list(model.classes_).index(favorable)
        assert np.allclose(judgement.score, model.predict_proba(numbers)[:, column])
        assert box.info.notes == ()
    elif box.info.has_score:
        assert judgement.accepted.tolist() == (judgement.score > 0.5).tolist()
        assert "squashed" in box.info.notes[0]


def three(outcome: np.ndarray) -> np.ndarray:
    labels = outcome.astype(object)
    labels[::3] = "maybe"
    return labels.astype(str)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(max_iter=2000),
        RandomForestClassifier(6, random_state=0, n_jobs=1),
        HistGradientBoostingClassifier(max_iter=5),
        SVC(),
        RidgeClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("favorable", ["bad", "good", "maybe"])
def test_one_of_three_outcomes_against_the_rest(
    model: Any, favorable: str, numbers: pd.DataFrame, outcome: np.ndarray
) -> None:
    model.fit(numbers, three(outcome))
    judgement = as_blackbox(model, favorable=favorable).judge(numbers)
    assert judgement.accepted.tolist() == (model.predict(numbers) == favorable).tolist()
    assert ((judgement.score >= 0) & (judgement.score <= 1)).all()


class Flipped(LogisticRegression):
    """A subclass whose predict is not the argmax of its probabilities."""

    def predict(self, X: Any) -> np.ndarray:
        return np.where(super().predict_proba(X)[:, 1] > 0.8, self.classes_[1], self.classes_[0])


def test_a_subclass_with_a_predict_of_its_own_is_asked(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    model = Flipped().fit(numbers, outcome)
    judgement = as_blackbox(model, favorable="good").judge(numbers)
    assert judgement.accepted.tolist() == (model.predict(numbers) == "good").tolist()
    assert (judgement.accepted != (judgement.score > 0.5)).any()


def test_exact_ties_fall_as_they_do_for_the_user() -> None:
    frame = pd.DataFrame({"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0] * 4})
    labels = [0, 1, 0, 1]
    for model in (
        DecisionTreeClassifier(),
        RandomForestClassifier(5, bootstrap=False, n_jobs=1),
        LogisticRegression(),
    ):
        model.fit(frame, labels)
        for favorable in (0, 1):
            accepted = as_blackbox(model, favorable=favorable).judge(frame).accepted
            assert accepted.tolist() == (model.predict(frame) == favorable).tolist()


def test_a_hair_above_the_boundary_is_where_the_user_has_it() -> None:
    """A decision of 1e-20 is positive, and its probability rounds to one half."""
    frame = pd.DataFrame({"a": [1e-20, -1e-20, 0.0, 3.0]})
    model = LogisticRegression().fit(frame, [0, 1, 0, 1])
    model.coef_[:], model.intercept_[:] = 1.0, 0.0
    for favorable in (0, 1):
        accepted = as_blackbox(model, favorable=favorable).judge(frame).accepted
        assert accepted.tolist() == (model.predict(frame) == favorable).tolist()
    assert model.predict(frame).tolist() == [1, 0, 0, 1]


def test_a_score_above_the_threshold_decides_where_one_is_set(
    numbers: pd.DataFrame, outcome: np.ndarray
) -> None:
    model = LogisticRegression().fit(numbers, outcome)
    judgement = as_blackbox(model, favorable="good", threshold=0.7).judge(numbers)
    assert judgement.accepted.tolist() == (model.predict_proba(numbers)[:, 1] >= 0.7).tolist()


def test_a_model_without_scores_decides_only(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    hard = VotingClassifier([("a", GaussianNB())], voting="hard").fit(numbers, outcome)
    box = as_blackbox(hard, favorable="good")
    assert not box.info.has_score
    assert np.isnan(box.judge(numbers).score).all()
    with pytest.raises(ModelError, match="no threshold can be set"):
        as_blackbox(hard, favorable="good", threshold=0.7)


def test_a_regressors_number_is_its_score(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    model = Ridge().fit(numbers, outcome == "good")
    box = as_blackbox(model, threshold=0.4)
    judgement = box.judge(numbers)
    assert np.allclose(judgement.score, model.predict(numbers))
    assert judgement.accepted.tolist() == (model.predict(numbers) >= 0.4).tolist()
    assert "0.4 or more is accepted" in box.info.notes[0]


def test_a_regressors_number_may_have_any_threshold(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    model = Ridge().fit(numbers, 1000.0 * (outcome == "good"))
    judgement = as_blackbox(model, threshold=400).judge(numbers)
    assert judgement.accepted.tolist() == (model.predict(numbers) >= 400).tolist()
    assert 0 < judgement.accepted.sum() < len(numbers)


def test_a_pipeline_gets_the_frame_it_was_fitted_on(people: pd.DataFrame, outcome: np.ndarray) -> None:
    columns = make_column_transformer((StandardScaler(), ["age"]), (OneHotEncoder(), ["job", "owner"]))
    model = make_pipeline(columns, LogisticRegression()).fit(people, outcome)
    for frame in (people, pl.from_pandas(people)):
        judgement = as_blackbox(model, favorable="good").judge(frame)
        assert judgement.accepted.tolist() == (model.predict(people) == "good").tolist()


def test_a_function_step_that_needs_pandas(people: pd.DataFrame, outcome: np.ndarray) -> None:
    def keep(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(double=frame["age"] * 2)[["age", "double"]]

    model = make_pipeline(FunctionTransformer(keep), LogisticRegression()).fit(people, outcome)
    with pytest.raises(ModelError, match='container="pandas"'):
        as_blackbox(model, favorable="good").judge(pl.from_pandas(people))
    box = as_blackbox(model, favorable="good", container="pandas")
    assert box.judge(pl.from_pandas(people)).accepted.tolist() == (model.predict(people) == "good").tolist()


class Anything:
    """A first step that records nothing about its input."""

    def fit(self, X: Any, y: object = None) -> Anything:
        return self

    def transform(self, X: Any) -> Any:
        return X[["age"]]


def test_a_custom_first_step_gets_the_frame_as_it_is(people: pd.DataFrame, outcome: np.ndarray) -> None:
    model = make_pipeline(Anything(), LogisticRegression()).fit(people, outcome)
    judgement = as_blackbox(model, favorable="good").judge(people)
    assert judgement.accepted.tolist() == (model.predict(people) == "good").tolist()


def test_a_model_of_a_bare_array_gets_a_matrix(
    people: pd.DataFrame, numbers: pd.DataFrame, outcome: np.ndarray
) -> None:
    model = LogisticRegression().fit(numbers.to_numpy(), outcome)
    box = as_blackbox(model, favorable="good")
    assert box.info.feature_names is None
    assert box.judge(numbers).accepted.tolist() == (model.predict(numbers.to_numpy()) == "good").tolist()
    with pytest.raises(ModelError, match="trained on 2 columns without names; got 4 columns"):
        box.judge(people)
    named = as_blackbox(model, favorable="good", feature_names=["hours per week", "age"])
    assert np.array_equal(named.judge(people).score, box.judge(numbers).score)


def test_text_for_a_model_of_a_bare_array_is_refused(
    people: pd.DataFrame, numbers: pd.DataFrame, outcome: np.ndarray
) -> None:
    model = LogisticRegression().fit(numbers.to_numpy(), outcome)
    with pytest.raises(ModelError, match="the column 'job' holds text"):
        as_blackbox(model, favorable="good").judge(people[["job", "age"]])


def test_an_encoder_of_a_bare_array_of_text_works(people: pd.DataFrame, outcome: np.ndarray) -> None:
    rows = people[["job", "owner"]].to_numpy(dtype=object)
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(rows, outcome)
    judgement = as_blackbox(model, favorable="good").judge(people[["job", "owner"]])
    assert judgement.accepted.tolist() == (model.predict(rows) == "good").tolist()


def test_columns_numbered_instead_of_named(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    frame = numbers.set_axis([0, 1], axis=1)
    model = LogisticRegression().fit(frame, outcome)
    assert (
        as_blackbox(model, favorable="good").judge(frame).accepted.tolist()
        == (model.predict(frame) == "good").tolist()
    )


def test_an_unfitted_model_is_refused_at_once() -> None:
    with pytest.raises(ModelError, match="has not been fitted"):
        as_blackbox(LogisticRegression())
    with pytest.raises(ModelError, match="has not been fitted"):
        as_blackbox(make_pipeline(StandardScaler(), LogisticRegression()))


def test_several_outcomes_at_once_are_refused(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    both = np.column_stack([outcome, outcome])
    model = MultiOutputClassifier(DecisionTreeClassifier()).fit(numbers, both)
    with pytest.raises(ModelError, match="several outcomes"):
        as_blackbox(model, favorable="good")


class Foreign:
    """A model of no library, without classes."""

    def __init__(self, answer: object = None) -> None:
        self.answer = answer

    def predict(self, frame: pd.DataFrame) -> Any:
        return (frame["age"] > 40).astype(int).to_numpy() if self.answer is None else self.answer

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        share = (frame["age"] / 100).to_numpy()
        return np.column_stack([1 - share, share])


def test_a_model_of_no_library(people: pd.DataFrame) -> None:
    box = as_blackbox(Foreign())
    judgement = box.judge(people)
    assert judgement.accepted.tolist() == (people["age"] > 40).tolist()
    assert np.allclose(judgement.score, people["age"] / 100)
    assert "were assumed" in box.info.notes[0]
    assert as_blackbox(Foreign(), favorable="no", classes=["yes", "no"]).info.classes == ("yes", "no")


@pytest.mark.parametrize("answer", [np.array(["yes"] * 200), np.full(200, 7)])
def test_an_answer_that_is_no_outcome_is_named(people: pd.DataFrame, answer: np.ndarray) -> None:
    with pytest.raises(ModelError, match="not one of its outcomes, in row 0"):
        as_blackbox(Foreign(answer)).judge(people)


def test_answers_of_a_wrong_shape(people: pd.DataFrame) -> None:
    with pytest.raises(ModelError, match="do not fit its 3 outcomes"):
        as_blackbox(Foreign(), classes=[0, 1, 2]).judge(people)
    with pytest.raises(ModelError, match="shape"):
        as_blackbox(Foreign(np.zeros((200, 3)))).judge(people)


def test_ravelled_column_answers(people: pd.DataFrame) -> None:
    column = (people["age"] > 40).to_numpy()[:, None].astype(int)
    assert as_blackbox(Foreign(column)).judge(people).accepted.tolist() == (people["age"] > 40).tolist()
