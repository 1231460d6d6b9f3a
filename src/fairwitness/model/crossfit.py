"""Cross-fitting: K models, and every row judged by the one that never saw it."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from fairwitness.arguments import shown
from fairwitness.errors import (
    ConfigError,
    DataError,
    FairwitnessError,
    FairwitnessWarning,
    ModelError,
    NotFittedError,
)
from fairwitness.model.blackbox import BlackBox, as_blackbox
from fairwitness.model.coded import CodedLabels
from fairwitness.model.folds import assign_folds
from fairwitness.model.labels import as_labels, missing_labels, own
from fairwitness.model.messages import said
from fairwitness.parallel import spread
from fairwitness.rng import child_seed, seed_from
from fairwitness.table.canonical import row_keys
from fairwitness.table.frames import column_names, n_rows, select_columns, to_pandas
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, IntArray, NativeFrame, ObjectArray, RandomState


class CrossFitted(BaseEstimator):  # type: ignore[misc]
    """A classifier trained K times, each time without one fold.

    The fold of a row depends on its content and the seed only: equal rows share a fold, and a shuffled
    table gives the same folds and the same models. Folds are stratified by class as far as that allows.

    Parameters
    ----------
    estimator
        Any scikit-learn classifier that takes the pandas frame; it is cloned, never fitted itself. Where
        its ``random_state`` (or that of a part) is ``None``, it is set from the seed.
    cv
        Number of folds, at least 2.
    random_state
        Seed of folds and models; ``None`` draws a fresh one (kept as ``seed_``).
    n_jobs
        Folds trained at once; the result does not depend on it.

    Attributes
    ----------
    classes_
        (C,) the classes, sorted.
    models_
        One fitted estimator a fold.
    folds_
        (n,) fold of each row of the table given to ``fit``.
    feature_names_in_, n_features_in_
        The columns it was fitted on.
    seed_
        The seed used.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from fairwitness.model import CrossFitted
    >>> table = pd.DataFrame({"income": np.arange(40)})
    >>> fitted = CrossFitted(DecisionTreeClassifier(), cv=4, random_state=0).fit(table, table["income"] > 20)
    >>> np.bincount(fitted.folds_)
    array([10, 10, 10, 10])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        cv: int = 5,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: NativeFrame, y: object) -> Self:
        """Train one model a fold.

        Parameters
        ----------
        X
            Table of n rows (pandas, polars, pyarrow), or a numeric array of shape (n, d).
        y
            (n,) class labels, none missing.

        Raises
        ------
        DataError
            If lengths differ, a label is missing, or there is only one class.
        ModelError
            If the estimator cannot be trained.
        """
        frame = as_frame(X)
        labels = checked_labels(y, rows=n_rows(frame))
        self.classes_: ObjectArray
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(
                "there is only one class to learn",
                got=plain(own(self.classes_[0])) if len(self.classes_) else "no rows",
                fix="pass rows of at least two classes",
            )
        self.feature_names_in_ = np.array(column_names(frame), dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        self.seed_ = seed_from(self.random_state)
        keys = row_keys(frame)
        self.folds_: IntArray = assign_folds(keys, codes, n_folds=self.cv, seed=self.seed_)
        self._keys, first = np.unique(keys, return_index=True)
        self._fold_of_key: IntArray = self.folds_[first]
        self._warn_of_rare(keys, codes)

        pandas_frame = to_pandas(frame)
        # Rows in an order of content: bootstraps and early stopping look at positions.
        order = np.lexsort((codes, keys))
        models = [seeded(cloned(self.estimator), self.seed_, fold) for fold in range(self.cv)]
        training = [order[self.folds_[order] != fold] for fold in range(self.cv)]
        self.models_: list[Any] = spread(
            partial(_fit, pandas_frame, labels),
            list(zip(models, training, strict=True)),
            n_jobs=self.n_jobs,
            description="folds",
        )
        return self

    def fold_of(self, X: NativeFrame) -> IntArray:
        """Fold of each row, known by its content; -1 for a row that was not in the fitted table."""
        return self.fold_of_keys(row_keys(self._columns(X)))

    def held_out_proba(self, X: NativeFrame) -> FloatArray:
        """Class probabilities from models that never saw the row.

        Returns
        -------
        (n, C) columns as in ``classes_``; a row of the fitted table is judged by its held-out model, any
        other row by the mean over all models.
        """
        frame = self._columns(X)
        keys = row_keys(frame)
        return self.proba_by(frame, keys, self.fold_of_keys(keys))

    def proba_by(self, frame: NativeFrame, keys: np.ndarray, fold: IntArray) -> FloatArray:
        """Probabilities of each row from the model of its ``fold`` (-1: mean over all models).

        Rows of equal content and fold are asked about once.
        """
        out = np.zeros((len(fold), len(self.classes_)))
        pandas_frame = to_pandas(frame)
        for position in np.unique(fold).tolist():
            mine = np.flatnonzero(fold == position)
            _, first, inverse = np.unique(keys[mine], return_index=True, return_inverse=True)
            rows = pandas_frame.iloc[mine[first]].reset_index(drop=True)
            models = self.models_ if position < 0 else [self.models_[position]]
            each = np.stack([self._aligned(model, rows) for model in models])
            out[mine] = each.mean(axis=0)[inverse]
        return out

    def members(self, *, favorable: object = 1, threshold: float = 0.5, **options: Any) -> list[BlackBox]:
        """Give one black box a fold: people of fold f, and their counterfactuals, are judged by member f.

        Parameters
        ----------
        favorable, threshold, **options
            As in :func:`fairwitness.model.as_blackbox`.
        """
        self._check_fitted()
        names = [str(name) for name in self.feature_names_in_]
        settings: dict[str, Any] = {"container": "pandas", "feature_names": names, **options}
        return [
            as_blackbox(model, favorable=favorable, threshold=threshold, **settings) for model in self.models_
        ]

    def fold_of_keys(self, keys: np.ndarray) -> IntArray:
        """Fold of each row, known by its key (see :func:`fairwitness.table.row_keys`); -1 if not seen."""
        at = np.searchsorted(self._keys, keys).clip(max=len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._fold_of_key[at], -1)

    def _columns(self, X: NativeFrame) -> NativeFrame:
        self._check_fitted()
        return select_columns(as_frame(X), [str(name) for name in self.feature_names_in_])

    def _aligned(self, model: Any, rows: Any) -> FloatArray:
        if not hasattr(model, "predict_proba"):
            raise ModelError(
                f"the estimator {_name(model)} gives no probabilities",
                fix="pass one with predict_proba, for example inside CalibratedClassifierCV",
            )
        try:
            given = np.asarray(model.predict_proba(rows), dtype=np.float64)
        except FairwitnessError:
            raise
        except Exception as error:  # the user's estimator may raise anything
            raise ModelError(
                f"the estimator {_name(model)} could not judge the rows: {said(error)}",
                fix="pass rows like those it was trained on",
            ) from error
        columns = np.searchsorted(self.classes_, np.asarray(model.classes_, dtype=self.classes_.dtype))
        out = np.zeros((len(given), len(self.classes_)))
        out[:, columns] = given
        return out

    def _check_fitted(self) -> None:
        if not hasattr(self, "models_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet", fix="call fit first")

    def _warn_of_rare(self, keys: np.ndarray, codes: IntArray) -> None:
        for code, label in enumerate(self.classes_.tolist()):
            held = np.unique(self.folds_[codes == code])
            if len(held) == 1:
                what = "all in one fold, so the model that judges them never saw this class"
            elif len(held) < self.cv:
                what = f"in {len(held)} of {self.cv} folds only"
            else:
                continue
            n_distinct = len(np.unique(keys[codes == code]))
            warnings.warn(
                f"the class {plain(own(label), most=60)} has {n_distinct} distinct rows, {what}",
                FairwitnessWarning,
                stacklevel=3,
            )


def as_frame(X: Any) -> NativeFrame:
    """Give a table as it is, and a matrix as a pandas frame with columns ``x0``, ``x1``, ..."""
    if not isinstance(X, np.ndarray):
        return X
    if X.ndim != 2:
        raise DataError(
            "an array of rows must have two dimensions", got=f"shape {X.shape}", fix="pass (n, d)"
        )
    import pandas as pd

    return pd.DataFrame({f"x{position}": X[:, position] for position in range(X.shape[1])})


def checked_labels(y: object, *, rows: int) -> np.ndarray:
    """Bring class labels into a sortable array of shape (n,).

    Raises
    ------
    DataError
        If their number differs from ``rows``, one is missing, or they are of several types.
    """
    labels = as_labels(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if labels.ndim != 1 or len(labels) != rows:
        raise DataError(
            "the table and the labels have different lengths",
            got=f"{rows} rows and labels of shape {labels.shape}",
            fix="pass one label a row, in the order of the rows",
        )
    missing = missing_labels(labels)
    if missing.any():
        raise DataError(
            f"{int(missing.sum())} labels are missing, first in row {int(missing.argmax())}",
            fix="leave those rows out, or make missing a label of its own",
        )
    kinds = {type(own(value)) for value in labels.tolist()}
    if len(kinds) > 1 and not kinds <= {int, float, bool}:
        raise DataError(
            "the labels are of several types",
            got=listing(sorted(kind.__name__ for kind in kinds)),
            fix="convert them to one type",
        )
    return labels


def cloned(estimator: Any) -> Any:
    """Give an unfitted copy of an estimator.

    Raises
    ------
    ConfigError
        If it is no instance of a scikit-learn estimator.
    """
    inner = estimator.estimator if isinstance(estimator, CodedLabels) else estimator
    if isinstance(inner, type) or not hasattr(inner, "get_params") or not hasattr(inner, "fit"):
        raise ConfigError(
            "the estimator is no scikit-learn estimator",
            got=shown(inner),
            fix="pass an instance with fit and get_params, for example LogisticRegression()",
        )
    return clone(estimator)


def seeded(estimator: Any, seed: int, fold: int) -> Any:
    """Set every ``random_state`` that is ``None``, each to a seed of its own."""
    parameters = estimator.get_params(deep=True)
    changes = {
        name: child_seed(seed, "fold", fold, name)
        for name, value in sorted(parameters.items())
        if value is None and name.split("__")[-1] == "random_state"
    }
    return estimator.set_params(**changes) if changes else estimator


def _name(model: Any) -> str:
    """Name an estimator for a message; of a wrapper of ours, the estimator inside."""
    inner = model.estimator if isinstance(model, CodedLabels) else model
    return plain(type(inner).__name__, most=80)


def _fit(frame: Any, labels: np.ndarray, task: tuple[Any, IntArray]) -> Any:
    model, rows = task
    try:
        return model.fit(frame.iloc[rows].reset_index(drop=True), labels[rows])
    except Exception as error:  # the user's estimator may raise anything
        raise ModelError(
            f"the estimator {_name(model)} could not be trained: {said(error)}",
            fix="pass an estimator (a pipeline, say) that takes the table as it is",
        ) from error
