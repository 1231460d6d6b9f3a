"""The default sensitive-feature classifier: gradient boosting that takes a mixed table as it is."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier

from fairwitness.table.columns import Column, read_column
from fairwitness.table.frames import column_names, n_rows, native_column
from fairwitness.typing import FloatArray, NativeFrame

#: Levels of one column that the booster tells apart; it has 255 bins, the last is for all rarer ones.
_MOST_LEVELS = 254


class TableBoosting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Histogram gradient boosting on numbers and categories alike.

    Numeric and boolean columns are used as they are; text and categories become codes that are split as
    categories, never as an order. Missing values and levels not met in training go where training sent
    the missing. Beyond 254 levels of one column, the rarest share one code.

    Parameters
    ----------
    max_iter, learning_rate, max_leaf_nodes, min_samples_leaf, l2_regularization, random_state
        As in :class:`sklearn.ensemble.HistGradientBoostingClassifier`. There is no early stopping: it
        would set rows aside that small groups cannot spare.
    """

    def __init__(
        self,
        *,
        max_iter: int = 80,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 8,
        min_samples_leaf: int = 20,
        l2_regularization: float = 1.0,
        random_state: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.random_state = random_state

    def fit(self, X: NativeFrame, y: object) -> Self:
        """Learn the codes of all text columns, then boost."""
        names = column_names(X)
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)
        self._codes: dict[str, dict[object, int]] = {}
        for name in names:
            read = read_column(native_column(X, name), name=name)
            if not _is_numeric(read):
                self._codes[name] = _learn_codes(read)
        self.booster_ = HistGradientBoostingClassifier(
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization,
            categorical_features=[name in self._codes for name in names],
            early_stopping=False,
            random_state=self.random_state,
        ).fit(self.matrix(X), y)
        self.classes_ = self.booster_.classes_
        return self

    def predict_proba(self, X: NativeFrame) -> FloatArray:
        """(n, C) probabilities, columns as in ``classes_``."""
        out: FloatArray = self.booster_.predict_proba(self.matrix(X))
        return out

    def predict(self, X: NativeFrame) -> np.ndarray:
        """(n,) the most probable class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def matrix(self, X: NativeFrame) -> FloatArray:
        """(n, columns) what the booster reads: numbers, and text as its codes."""
        out = np.empty((n_rows(X), self.n_features_in_))
        for position, name in enumerate(self.feature_names_in_):
            read = read_column(native_column(X, name), name=name)
            known = self._codes.get(name)
            if known is None:
                out[:, position] = read.numbers()
                continue
            codes, values = read.factorize()
            # One place more than values: code -1, a missing value, finds it at the end.
            place = np.array([*(known.get(_hashed(value), np.nan) for value in values), np.nan])
            out[:, position] = place[codes]
        return out


def _is_numeric(read: Column) -> bool:
    return read.family in {"boolean", "integer", "float", "empty"}


def _hashed(value: object) -> Any:
    # 1, 1.0 and True are one dictionary key; their types keep them apart.
    return (type(value).__name__, value)


def _learn_codes(read: Column) -> dict[object, int]:
    codes, values = read.factorize()
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    met = [at for at in range(len(values)) if counts[at]]
    met.sort(key=lambda at: (-counts[at], type(values[at]).__name__, str(values[at])))
    return {_hashed(values[at]): min(rank, _MOST_LEVELS) for rank, at in enumerate(met)}
