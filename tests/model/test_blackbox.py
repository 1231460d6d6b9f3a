from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from fairwitness.errors import ConfigError, ModelError, QueryBudgetError
from fairwitness.model import BlackBox, CrossFitted, as_blackbox, judge_by_fold


class Counting:
    """A function that remembers how many rows each call had."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        self.calls.append(len(frame))
        return (frame["age"].to_numpy() / 100).clip(0, 1)


def test_decision_and_score_of_a_function(people: pd.DataFrame) -> None:
    judgement = as_blackbox(Counting()).judge(people)
    assert judgement.score.tolist() == (people["age"] / 100).tolist()
    assert judgement.accepted.tolist() == (people["age"] >= 50).tolist()


def test_a_threshold_other_than_half_is_kept_to(people: pd.DataFrame) -> None:
    judgement = as_blackbox(Counting(), threshold=0.3).judge(people)
    assert judgement.accepted.tolist() == (people["age"] >= 30).tolist()


def test_rows_are_asked_about_in_batches(people: pd.DataFrame) -> None:
    model = Counting()
    as_blackbox(model, batch_size=60).judge(people)
    assert model.calls == [60, 60, 60, 20]


def test_queries_are_counted_and_limited_before_asking(people: pd.DataFrame) -> None:
    model = Counting()
    box = as_blackbox(model, max_queries=250)
    box.judge(people)
    assert box.n_queries == 200
    with pytest.raises(QueryBudgetError, match="budget of 250 queries; got 200 asked so far"):
        box.judge(people.head(51))
    assert model.calls == [200]
    assert box.n_queries == 200
    box.judge(people.head(50))


def test_no_rows_give_an_empty_judgement_without_asking(people: pd.DataFrame) -> None:
    model = Counting()
    judgement = as_blackbox(model).judge(people.head(0))
    assert len(judgement) == 0
    assert judgement.accepted.dtype == bool
    assert model.calls == []


def test_columns_are_chosen_by_name_in_the_order_of_training(
    numbers: pd.DataFrame, outcome: np.ndarray
) -> None:
    model = LogisticRegression().fit(numbers, outcome)
    box = as_blackbox(model, favorable="good")
    shuffled = numbers.assign(other=1)[["other", "age", "hours per week"]]
    assert box.columns_in(shuffled) == ["hours per week", "age"]
    assert np.array_equal(box.judge(shuffled).score, box.judge(numbers).score)


def test_a_missing_column_is_named(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    model = LogisticRegression().fit(numbers, outcome)
    with pytest.raises(ModelError, match="lacks a column that the model was trained on: age"):
        as_blackbox(model, favorable="good").judge(numbers[["hours per week"]])


@pytest.mark.parametrize("container", ["pandas", "polars", "pyarrow"])
def test_every_container_is_taken(numbers: pd.DataFrame, outcome: np.ndarray, container: str) -> None:
    model = LogisticRegression().fit(numbers, outcome)
    frame = {
        "pandas": numbers,
        "polars": pl.from_pandas(numbers),
        "pyarrow": pl.from_pandas(numbers).to_arrow(),
    }[container]
    judgement = as_blackbox(model, favorable="good", batch_size=33).judge(frame)
    assert judgement.accepted.tolist() == (model.predict(numbers) == "good").tolist()


def test_wrong_number_of_answers(people: pd.DataFrame) -> None:
    with pytest.raises(ModelError, match="asked about 200 rows, the model gave 3 answers"):
        as_blackbox(lambda frame: np.array([0.1, 0.2, 0.3])).judge(people)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_score_that_is_no_number_is_named_by_its_row(people: pd.DataFrame, bad: float) -> None:
    scores = np.full(len(people), 0.3)
    scores[17] = bad
    with pytest.raises(ModelError, match="row 17"):
        as_blackbox(lambda frame: scores).judge(people)


def test_a_score_outside_0_and_1_is_named_by_its_row(people: pd.DataFrame) -> None:
    with pytest.raises(ModelError, match="not between 0 and 1, in row 0"):
        as_blackbox(lambda frame: frame["age"].to_numpy() * 1.5).judge(people)


def test_what_the_model_raises_is_told_in_one_line(people: pd.DataFrame) -> None:
    def broken(frame: pd.DataFrame) -> np.ndarray:
        raise RuntimeError("no \x1b[31mcolour\nsecond line")

    with pytest.raises(ModelError, match="RuntimeError: no ") as caught:
        as_blackbox(broken).judge(people)
    assert "\x1b" not in str(caught.value)
    assert "second line" not in str(caught.value)


def test_a_black_box_is_returned_as_it_is() -> None:
    box = as_blackbox(Counting())
    assert as_blackbox(box, favorable=0) is box


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": np.nan}, "threshold"),
        ({"threshold": "high"}, "threshold must be a number; got 'high'"),
        ({"threshold": 2}, "threshold must lie between 0 and 1, as the scores of Counting do; got 2"),
        ({"threshold": 0}, "threshold must lie between 0 and 1"),
        ({"threshold": 1.0}, "threshold must lie between 0 and 1"),
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": 2.5}, "batch_size"),
        ({"feature_names": "age"}, "feature_names must be a list"),
        ({"classes": 3}, "classes must be a list"),
        ({"output": "scores"}, "output is not known"),
        ({"container": "list"}, "container is not known"),
        ({"max_queries": -1}, "max_queries"),
        ({"kind": "keras"}, "unknown kind"),
    ],
)
def test_settings_that_make_no_sense(settings: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        as_blackbox(Counting(), **settings)


def test_objects_that_are_no_models() -> None:
    with pytest.raises(ModelError, match="cannot be used as a model"):
        as_blackbox(object())
    with pytest.raises(ModelError, match="cannot be called"):
        as_blackbox([1, 2], kind="function")
    with pytest.raises(ModelError, match="has no predict"):
        as_blackbox([1, 2], kind="scikit-learn")
    with pytest.raises(ModelError, match="a class is no model; got DecisionTreeClassifier"):
        as_blackbox(DecisionTreeClassifier)
    for kind, what in (("torch", "no torch module"), ("onnx", "no ONNX model")):
        with pytest.raises(ModelError, match=what):
            as_blackbox(DecisionTreeClassifier(), kind=kind)
    with pytest.raises(ModelError, match="one model a fold"):
        as_blackbox(CrossFitted(DecisionTreeClassifier()))


def test_a_path_is_loaded_safely(tmp_path: Path) -> None:
    (tmp_path / "model.pkl").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ModelError, match="could run any code"):
        as_blackbox(tmp_path / "model.pkl")
    with pytest.raises(ModelError, match="cannot be read"):
        as_blackbox("nowhere.onnx")


def test_a_black_box_can_be_sent_to_another_process(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    box = as_blackbox(LogisticRegression().fit(numbers, outcome), favorable="good", max_queries=500)
    box.judge(numbers)
    copy: BlackBox = pickle.loads(pickle.dumps(box))
    assert np.array_equal(copy.judge(numbers).score, box.judge(numbers).score)
    assert copy.n_queries == 400


def test_the_digest_depends_on_the_model_only(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    first = as_blackbox(LogisticRegression().fit(numbers, outcome), favorable="good").info.digest
    again = as_blackbox(LogisticRegression().fit(numbers, outcome), favorable="bad").info.digest
    other = as_blackbox(LogisticRegression(C=0.1).fit(numbers, outcome), favorable="good").info.digest
    assert first == again != other
    assert first is not None
    assert len(first) == 64


def test_info_becomes_plain_values(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    info = as_blackbox(LogisticRegression().fit(numbers, outcome), favorable="good").info
    document = info.to_dict()
    assert document["kind"] == "scikit-learn"
    assert document["classes"] == ["bad", "good"]
    assert document["feature_names"] == ["hours per week", "age"]


def test_the_representation_is_short_and_printable() -> None:
    box = as_blackbox(Counting(), favorable="\x1b[31m", output="probability")
    assert "\x1b" not in repr(box)


def test_each_row_is_judged_by_its_own_member(people: pd.DataFrame) -> None:
    young = as_blackbox(lambda frame: (frame["age"] < 40).astype(float))
    old = as_blackbox(lambda frame: (frame["age"] >= 40).astype(float))
    fold = (np.arange(len(people)) % 2).astype(np.int64)
    judgement = judge_by_fold([young, old], fold, people)
    expected = np.where(fold == 0, people["age"] < 40, people["age"] >= 40)
    assert judgement.accepted.tolist() == expected.tolist()
    assert len(judge_by_fold([young, old], fold[:0], people.head(0))) == 0


def test_queries_asked_elsewhere_count_against_the_budget(people: pd.DataFrame) -> None:
    box = as_blackbox(lambda frame: np.full(len(frame), 0.7), max_queries=250)
    box.note_queries(60)
    assert box.n_queries == 60
    with pytest.raises(QueryBudgetError, match="60 asked so far"):
        box.judge(people)
    box.note_queries(300)
    assert box.n_queries == 360
    with pytest.raises(QueryBudgetError):
        box.judge(people[:1])
    with pytest.raises(ConfigError, match="negative"):
        box.note_queries(-1)


def test_an_estimator_is_shown_with_the_way_to_call_it(people: pd.DataFrame) -> None:
    numbers = people[["age", "hours per week"]]
    model = LogisticRegression().fit(numbers.to_numpy(), people["age"] > 40)
    inside = as_blackbox(model, favorable=True).inside()
    assert inside is not None
    assert inside.model is model
    np.testing.assert_array_equal(inside.prepare(numbers), numbers.to_numpy())
    assert as_blackbox(Counting()).inside() is None
    assert as_blackbox(np.array([0.1, 0.9]), kind="predictions").inside() is None
