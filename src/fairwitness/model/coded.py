"""Class labels of any kind for estimators that insist on 0, 1, 2, ..."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from fairwitness.errors import ModelError
from fairwitness.text import plain
from fairwitness.typing import FloatArray


class CodedLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Train a classifier on the numbers of its classes; with one class left there is nothing to train.

    Parameters
    ----------
    estimator
        A scikit-learn classifier with ``predict_proba``; cloned.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: object) -> Self:
        """Number the classes and train a clone."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, codes) if len(self.classes_) > 1 else None
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """(n, C) probabilities, columns as in ``classes_``."""
        if self.estimator_ is None:
            return np.ones((len(X), 1))
        if not hasattr(self.estimator_, "predict_proba"):
            raise ModelError(
                f"the estimator {plain(type(self.estimator_).__name__)} gives no probabilities",
                fix="pass one with predict_proba, for example inside CalibratedClassifierCV",
            )
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def predict(self, X: Any) -> np.ndarray:
        """(n,) the most probable class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
