from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairwitness.fair import FairC, InvariantMinimaxClassifier, Unaware
from fairwitness.model.beside import takes_sensitive_features


class Stepwise(BaseEstimator):
    """Has steps that are no pipeline's, and hears of groups in prediction only."""

    def __init__(self, steps: tuple[int, ...] = (1, 3)) -> None:
        self.steps = steps

    def fit(self, X: Any, y: Any) -> Stepwise:
        return self

    def predict(self, X: Any, sensitive_features: Any = None) -> Any:
        return X


@pytest.mark.parametrize(
    ("estimator", "fit", "predict"),
    [
        (LogisticRegression(), False, False),
        (FairC(), True, False),
        (InvariantMinimaxClassifier(), True, False),
        (Unaware(InvariantMinimaxClassifier()), True, False),
        (make_pipeline(StandardScaler(), InvariantMinimaxClassifier()), True, False),
        (
            GridSearchCV(make_pipeline(StandardScaler(), FairC()), {"fairc__max_covariance": [0.1]}),
            True,
            False,
        ),
        (make_pipeline(StandardScaler(), LogisticRegression()), False, False),
        (Stepwise(), False, True),
    ],
)
def test_what_an_estimator_takes_beside_the_table(estimator: Any, fit: bool, predict: bool) -> None:
    assert takes_sensitive_features(estimator) is fit
    assert takes_sensitive_features(estimator, "predict") is predict
