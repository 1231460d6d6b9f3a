"""Class labels of any kind for estimators that insist on 0, 1, 2, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if

from fairwitness.typing import FloatArray


def _offers(method: str) -> Callable[[Any], bool]:
    """Say whether the estimator inside has ``method``; one that was not needed answers with certainty."""

    def check(coded: Any) -> bool:
        inner = getattr(coded, "estimator_", coded.estimator)
        return method == "predict_proba" if inner is None else hasattr(inner, method)

    return check


class CodedLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Train a classifier on the numbers of its classes; with one class left there is nothing to train.

    Parameters
    ----------
    estimator
        A scikit-learn classifier; cloned. What it offers (``predict_proba``, ``decision_function``) is
        offered here.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: object) -> Self:
        """Number the classes and train a clone."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.estimator_: Any = clone(self.estimator).fit(X, codes) if len(self.classes_) > 1 else None
        return self

    @available_if(_offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """(n, C) probabilities, columns as in ``classes_``."""
        if self.estimator_ is None:
            return np.ones((len(X), 1))
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    @available_if(_offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> FloatArray:
        """(n,) or (n, C) distances from the boundary, as the estimator gives them."""
        return np.asarray(self.estimator_.decision_function(X), dtype=np.float64)

    def predict(self, X: Any) -> np.ndarray:
        """(n,) the most probable class."""
        if hasattr(self, "predict_proba"):
            return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
        return np.asarray(self.classes_[np.asarray(self.estimator_.predict(X), dtype=np.int64)])
