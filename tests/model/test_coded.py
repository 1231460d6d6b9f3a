from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fairwitness.model import as_blackbox
from fairwitness.model.coded import CodedLabels


class Strict(DecisionTreeClassifier):
    def fit(self, X: object, y: np.ndarray) -> BaseEstimator:
        assert sorted(set(y)) == list(range(len(set(y))))
        return super().fit(X, y)


def test_labels_are_numbered_and_come_back(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    model = CodedLabels(Strict(max_depth=3)).fit(numbers, outcome)
    plain = DecisionTreeClassifier(max_depth=3).fit(numbers, outcome)
    assert model.classes_.tolist() == ["bad", "good"]
    assert (model.predict(numbers) == plain.predict(numbers)).all()
    box = as_blackbox(model, favorable="good")
    assert box.judge(numbers).accepted.tolist() == (model.predict(numbers) == "good").tolist()


def test_one_class_needs_no_training(numbers: pd.DataFrame) -> None:
    model = CodedLabels(Strict()).fit(numbers, np.array(["only"] * len(numbers)))
    assert model.predict_proba(numbers).tolist() == [[1.0]] * len(numbers)
    assert set(model.predict(numbers)) == {"only"}


def test_a_machine_without_probabilities_decides_by_its_own_function(
    numbers: pd.DataFrame, outcome: np.ndarray
) -> None:
    model = CodedLabels(LinearSVC()).fit(numbers, outcome)
    plain = LinearSVC().fit(numbers, outcome)
    assert not hasattr(model, "predict_proba")
    assert (model.predict(numbers) == plain.predict(numbers)).all()
    judged = as_blackbox(model, favorable="good").judge(numbers)
    assert judged.accepted.tolist() == (plain.predict(numbers) == "good").tolist()
    assert ((judged.score > 0.5) == judged.accepted).all()
