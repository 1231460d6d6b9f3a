from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.errors import ModelError
from fairwitness.model import as_blackbox


@pytest.mark.parametrize(
    ("answers", "favorable", "accepted", "has_score"),
    [
        ([0.2, 0.7, 0.5], 1, [False, True, True], True),
        ([0.0, 1.0, 1.0], 1, [False, True, True], False),
        ([0.0, 1.0, 1.0], 0, [True, False, False], False),
        ([0, 1, 1], 1, [False, True, True], False),
        ([-1, 1, 1], -1, [True, False, False], False),
        ([True, False, True], True, [True, False, True], False),
        (["good", "bad", "good"], "good", [True, False, True], False),
        ([2, 1, 2], 2, [True, False, True], False),
        ([1.0, 0.0, 0.25], "good", [True, False, False], True),
        ([1.0, 0.0, 1.0], "good", [True, False, True], True),
    ],
)
def test_scores_and_labels_are_told_apart(
    answers: list, favorable: object, accepted: list[bool], has_score: bool
) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]})
    box = as_blackbox(lambda rows: np.array(answers), favorable=favorable)
    judgement = box.judge(frame)
    assert judgement.accepted.tolist() == accepted
    assert judgement.has_score == has_score == box.info.has_score


def test_what_the_answers_are_does_not_depend_on_the_batches() -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0, 0.25]})
    for size in (1, 2, 3):
        box = as_blackbox(lambda rows: rows["a"].to_numpy(), favorable=0, batch_size=size)
        assert box.judge(frame).accepted.tolist() == [False, True, False]


def test_once_scores_always_scores() -> None:
    box = as_blackbox(lambda rows: rows["a"].to_numpy(), favorable=0)
    assert box.judge(pd.DataFrame({"a": [0.3]})).has_score
    assert box.judge(pd.DataFrame({"a": [0.0, 1.0]})).accepted.tolist() == [False, True]


def test_a_contradiction_is_told() -> None:
    box = as_blackbox(lambda rows: rows["a"].to_numpy(), favorable=0)
    box.judge(pd.DataFrame({"a": [0.0, 1.0]}))
    with pytest.raises(ModelError, match='output="probability" or output="labels"'):
        box.judge(pd.DataFrame({"a": [0.3]}))


def test_the_user_can_say_what_comes() -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0]})

    def function(rows: pd.DataFrame) -> np.ndarray:
        return rows["a"].to_numpy()

    assert as_blackbox(function, favorable=0, output="probability").judge(frame).accepted.tolist() == [
        False,
        True,
    ]
    assert as_blackbox(function, favorable=0, output="labels").judge(frame).accepted.tolist() == [True, False]
    score = as_blackbox(lambda rows: rows["a"].to_numpy() * 4 - 2, output="logit").judge(frame).score
    assert np.allclose(score, [1 / (1 + np.exp(2)), 1 / (1 + np.exp(-2))])


@pytest.mark.parametrize(
    ("answers", "favorable", "message"),
    [
        (["a", "b", "a"], 1, "cannot be among the model's labels; got 'a' and 'b'"),
        ([1, 0, 1], "good", "cannot be among"),
        (["good", None, "bad"], "good", "no answer for row 1"),
        (["good", float("nan"), "bad"], "good", "no answer for row 1"),
        (np.zeros((3, 4)), 1, "shape"),
        (0.5, 1, "shape"),
        ([0.5, 2.5, 0.1], 1, "not between 0 and 1, in row 1"),
    ],
)
def test_answers_that_cannot_be_read(answers: Any, favorable: object, message: str) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]})

    def function(rows: pd.DataFrame) -> Any:
        return np.array(answers, dtype=object) if isinstance(answers, list) and None in answers else answers

    with pytest.raises(ModelError, match=message):
        as_blackbox(function, favorable=favorable).judge(frame)


def test_two_columns_of_probabilities_and_series() -> None:
    frame = pd.DataFrame({"a": [0.25, 0.75]})
    both = as_blackbox(lambda rows: np.column_stack([1 - rows["a"], rows["a"]]))
    assert both.judge(frame).score.tolist() == [0.25, 0.75]
    series = as_blackbox(lambda rows: rows["a"])
    assert series.judge(pl.from_pandas(frame)).score.tolist() == [0.25, 0.75]


def test_classes_name_all_labels() -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    with pytest.raises(ModelError, match="not in classes, in row 1"):
        as_blackbox(lambda rows: np.array(["yes", "hm"]), favorable="yes", classes=["yes", "no"]).judge(frame)


def test_a_function_has_no_digest_of_its_own() -> None:
    assert as_blackbox(lambda rows: rows).info.digest is None


def test_labels_allow_no_threshold() -> None:
    with pytest.raises(ModelError, match="no threshold"):
        as_blackbox(lambda rows: np.array(["a"]), favorable="a", threshold=0.3).judge(
            pd.DataFrame({"a": [1]})
        )


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["good", "bad", "good"]),
        pd.Series(["good", "bad", "good"], dtype="category"),
        pl.Series(["good", "bad", "good"]),
        np.array(["good", "bad", "good"]),
        ["good", "bad", "good"],
    ],
    ids=["pandas", "category", "polars", "numpy", "list"],
)
def test_a_column_of_predictions(column: Any) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]})
    for kind in ("auto", "predictions"):
        box = as_blackbox(column, favorable="good", kind=kind, batch_size=2)
        assert box.judge(frame).accepted.tolist() == [True, False, True]
        assert box.info.kind == "predictions"
        assert not box.info.can_query
        assert not box.info.has_score


def test_a_column_of_scores() -> None:
    box = as_blackbox(np.array([0.1, 0.9]), kind="predictions", threshold=0.05)
    assert box.judge(pd.DataFrame({"a": [1, 2]})).accepted.tolist() == [True, True]
    assert box.info.has_score


def test_predictions_answer_for_their_own_table_only() -> None:
    box = as_blackbox(pd.Series([1, 0, 1]), kind="predictions")
    with pytest.raises(ModelError, match="methods that need to ask the model are not applicable"):
        box.judge(pd.DataFrame({"a": [1, 2]}))


def test_predictions_have_a_digest_of_their_values() -> None:
    first = as_blackbox([1, 0, 1], kind="predictions").info.digest
    assert first == as_blackbox(np.array([1, 0, 1]), kind="predictions").info.digest
    assert first != as_blackbox([1, 0, 0], kind="predictions").info.digest
