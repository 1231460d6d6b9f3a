"""scikit-learn's own estimator checks never pass sensitive features: these subclasses supply them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairwitness.fair import (
    LFERM,
    AdvDeb,
    CounterfactuallyFairClassifier,
    CounterfactuallyFairRegressor,
    FairC,
    InvariantMinimaxClassifier,
    InvariantMinimaxRegressor,
)


def made_up(X: Any, y: Any) -> np.ndarray:
    """Give every row a group, so that each class has rows of both.

    By the row's content, as repeated rows have to keep their group where weights are compared with
    repetitions; where that does not do, by turns in each class. What X and y are is for the estimator to say.
    """
    n = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
    try:
        rows = np.asarray(X, dtype=float)
        labels = np.asarray(y).reshape(n)
        groups = np.floor(np.abs(rows.reshape(n, -1)).sum(axis=1) * 1e4) % 2
        if all(len(np.unique(groups[labels == each])) == 2 for each in np.unique(labels)):
            return groups
        order = np.argsort(labels, kind="stable")
        groups[order] = np.arange(n) % 2
    except (ValueError, TypeError):
        groups = np.arange(n) % 2
    return groups


class Supplied:
    """Mixed in before an estimator of the room."""

    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None, **more: Any) -> Any:
        if sensitive_features is None:
            sensitive_features = made_up(X, y)
        return super().fit(X, y, sensitive_features=sensitive_features, **more)


class SuppliedFairC(Supplied, FairC):
    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None) -> Any:
        return super().fit(X, y, sensitive_features=sensitive_features, sample_weight=sample_weight)


class SuppliedLFERM(Supplied, LFERM):
    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None) -> Any:
        return super().fit(X, y, sensitive_features=sensitive_features, sample_weight=sample_weight)


class SuppliedAdvDeb(Supplied, AdvDeb):
    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None) -> Any:
        return super().fit(X, y, sensitive_features=sensitive_features)


class SuppliedMinimaxClassifier(Supplied, InvariantMinimaxClassifier):
    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None) -> Any:
        return super().fit(X, y, sensitive_features=sensitive_features)


class SuppliedMinimaxRegressor(Supplied, InvariantMinimaxRegressor):
    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None) -> Any:
        return super().fit(X, y, sensitive_features=sensitive_features)


class SuppliedLevels(Supplied):
    """The graph names two columns of the checks' arrays; the group lies beside, made up or alike for all."""

    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None) -> Any:
        return super().fit(X, y, sensitive_features=sensitive_features)

    def features(self, X: Any, *, sensitive_features: Any = None) -> Any:
        if sensitive_features is None:
            sensitive_features = np.zeros(X.shape[0] if hasattr(X, "shape") else len(np.asarray(X)))
        return super().features(X, sensitive_features=sensitive_features)


class SuppliedLevelsClassifier(SuppliedLevels, CounterfactuallyFairClassifier):
    pass


class SuppliedLevelsRegressor(SuppliedLevels, CounterfactuallyFairRegressor):
    pass
