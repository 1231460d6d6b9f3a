"""Which group does a row look like: the classifier f_s that stands in for the sensitive feature."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from fairwitness.errors import DataError, NotFittedError
from fairwitness.model.boosting import TableBoosting
from fairwitness.model.coded import CodedLabels
from fairwitness.model.crossfit import CrossFitted, as_frame, checked_labels
from fairwitness.model.quality import ClassifierQuality, classifier_quality
from fairwitness.table.canonical import row_keys
from fairwitness.table.frames import column_names, n_rows, select_columns, take_rows
from fairwitness.typing import FloatArray, IntArray, NativeFrame, RandomState


class SensitiveFeatureClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Infer a sensitive feature from the other columns, always by a model that did not see the row.

    The paper's ``f_s``. It is cross-fitted: a row of the training table is classified by the model of the
    fold that left it (and its duplicates) out, so that quality and flips are out of sample.

    Parameters
    ----------
    estimator
        Any scikit-learn classifier with ``predict_proba`` that takes the pandas frame of non-sensitive
        columns; default is gradient boosting with native categories.
    cv
        Number of folds.
    random_state
        Seed; ``None`` draws a fresh one.
    n_jobs
        Folds trained at once; the result does not depend on it.

    Attributes
    ----------
    classes_
        (G,) the groups, sorted.
    quality_
        :class:`fairwitness.model.ClassifierQuality` on held-out rows.
    held_out_proba_
        (n, G) held-out probabilities of the rows given to ``fit``.
    crossfit_
        The :class:`fairwitness.model.CrossFitted` inside.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from fairwitness.model import SensitiveFeatureClassifier
    >>> height = np.linspace(150, 190, 200)
    >>> table = pd.DataFrame({"height": height})
    >>> group = np.where(height > 170, "tall", "short")
    >>> classifier = SensitiveFeatureClassifier(random_state=0, n_jobs=1).fit(table, group)
    >>> classifier.quality_.better_than_chance
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: int = 5,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: NativeFrame, s: object) -> Self:
        """Train one model a fold and measure them on the rows they did not see.

        Parameters
        ----------
        X
            Table of the n rows' non-sensitive columns.
        s
            (n,) group of each row; rows whose group is missing have to be left out before.

        Raises
        ------
        DataError
            If lengths differ, a label is missing, there is one group only, or no column.
        ModelError
            If the estimator cannot be trained or gives no probabilities.
        """
        frame = as_frame(X)
        if not column_names(frame):
            raise DataError(
                "there is no column to infer the sensitive feature from",
                fix="pass the non-sensitive columns",
            )
        labels = checked_labels(s, rows=n_rows(frame))
        estimator = TableBoosting() if self.estimator is None else self.estimator
        self.crossfit_ = CrossFitted(
            CodedLabels(estimator), cv=self.cv, random_state=self.random_state, n_jobs=self.n_jobs
        ).fit(frame, labels)
        self.classes_ = self.crossfit_.classes_
        self.feature_names_in_ = self.crossfit_.feature_names_in_
        self.n_features_in_ = self.crossfit_.n_features_in_
        self.held_out_proba_: FloatArray = self.crossfit_.held_out_proba(frame)
        # What is known of the table need not be asked again: the table itself, and neighbours, come back.
        self._keys, first = np.unique(row_keys(frame), return_index=True)
        self._proba_of_key: FloatArray = self.held_out_proba_[first]
        codes: IntArray = np.searchsorted(self.classes_, labels).astype(np.int64)
        self.quality_: ClassifierQuality = classifier_quality(
            codes,
            self.held_out_proba_,
            tuple(str(label) for label in self.classes_.tolist()),
            estimator=_name(estimator),
            seed=self.crossfit_.seed_,
        )
        return self

    def predict_proba(self, X: NativeFrame) -> FloatArray:
        """(n, G) probability of each group, columns as in ``classes_``.

        A row seen in ``fit`` is judged by the fold model that did not see it, any other row by the mean
        of all fold models.
        """
        frame, keys = self._rows(X)
        return self._proba(frame, keys, np.full(len(keys), -1, dtype=np.int64))

    def predict(self, X: NativeFrame) -> np.ndarray:
        """(n,) the most probable group."""
        proba = self.predict_proba(X)
        return np.asarray(self.classes_[proba.argmax(axis=1)])

    def predict_proba_for(self, counterfactuals: NativeFrame, origins: NativeFrame) -> FloatArray:
        """Probability of each group for counterfactuals, out of sample for the people they start from.

        Parameters
        ----------
        counterfactuals
            Table of m rows.
        origins
            Table of m rows: the row each counterfactual starts from.

        Returns
        -------
        (m, G) columns as in ``classes_``. A counterfactual that is itself a row of the fitted table is
        judged by its own held-out model; a new row by the held-out model of its origin; where neither is
        known, by the mean of all fold models.

        Raises
        ------
        DataError
            If the tables differ in length.
        """
        crossfit = self._fitted()
        if n_rows(as_frame(counterfactuals)) != n_rows(as_frame(origins)):
            raise DataError(
                "every counterfactual needs its origin",
                got=f"{n_rows(as_frame(counterfactuals))} and {n_rows(as_frame(origins))} rows",
                fix="repeat the origin's row once for each of its counterfactuals",
            )
        frame, keys = self._rows(counterfactuals)
        return self._proba(frame, keys, crossfit.fold_of(origins))

    def _rows(self, X: NativeFrame) -> tuple[NativeFrame, np.ndarray]:
        names = [str(name) for name in self._fitted().feature_names_in_]
        frame = select_columns(as_frame(X), names)
        return frame, row_keys(frame)

    def _proba(self, frame: NativeFrame, keys: np.ndarray, fold: IntArray) -> FloatArray:
        """Held-out probabilities of known rows; of others by the model of ``fold`` (-1: the mean of all)."""
        at = np.searchsorted(self._keys, keys).clip(max=len(self._keys) - 1)
        known = self._keys[at] == keys
        out = np.empty((len(keys), len(self.classes_)))
        out[known] = self._proba_of_key[at[known]]
        new = np.flatnonzero(~known)
        if len(new):
            out[new] = self._fitted().proba_by(take_rows(frame, new), keys[new], fold[new])
        return out

    def _fitted(self) -> CrossFitted:
        if not hasattr(self, "crossfit_"):
            raise NotFittedError("this SensitiveFeatureClassifier is not fitted yet", fix="call fit first")
        return self.crossfit_


def _name(estimator: Any) -> str:
    from fairwitness.model.adapters.estimators import last_step

    last = last_step(estimator)
    name = type(last.estimator if isinstance(last, CodedLabels) else last).__name__
    return "gradient boosting" if name == "TableBoosting" else name
