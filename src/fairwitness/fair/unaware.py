"""Full and Unaware: any estimator with, and without, the sensitive columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if

from fairwitness.arguments import shown
from fairwitness.errors import ConfigError
from fairwitness.fair.columns import beside, joined, named_table
from fairwitness.fair.inputs import InputError, check_fitted
from fairwitness.model.beside import takes_sensitive_features
from fairwitness.table import (
    column_names,
    parse_sensitive_spec,
    select_columns,
    sensitive_columns,
    to_pandas,
)
from fairwitness.typing import FloatArray, NativeFrame


def _offers(method: str) -> Callable[[Any], bool]:
    def check(model: Any) -> bool:
        return hasattr(getattr(model, "estimator_", model.estimator), method)

    return check


class _Wrapped(BaseEstimator):  # type: ignore[misc]
    """What Full and Unaware share: an estimator inside, which sees a table of their choice."""

    def __init__(self, estimator: Any, *, sensitive: str | Sequence[str] = ()) -> None:
        self.estimator = estimator
        self.sensitive = sensitive

    @property
    def classes_(self) -> np.ndarray:
        """(C,) the labels of the estimator inside."""
        return np.asarray(self.estimator_.classes_)

    @property
    def _estimator_type(self) -> Any:  # scikit-learn before 1.6
        return getattr(self.estimator, "_estimator_type", None)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        tags.input_tags.sparse = False  # a table has columns
        return tags

    def _named(self) -> tuple[str, ...]:
        given = self.sensitive
        names = (given,) if isinstance(given, str) else given
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise ConfigError(
                "sensitive must name columns", got=shown(given), fix='pass for example sensitive=["sex"]'
            )
        return tuple(names)

    def _copied(self) -> Any:
        """Give an unfitted copy of the estimator inside."""
        if isinstance(self.estimator, type) or not (
            hasattr(self.estimator, "fit") and hasattr(self.estimator, "get_params")
        ):
            raise ConfigError(
                "estimator must be a scikit-learn estimator",
                got=shown(self.estimator),
                fix="pass for example LogisticRegression()",
            )
        return clone(self.estimator)

    def _select(self, frame: NativeFrame) -> NativeFrame:
        return select_columns(frame, [str(name) for name in self.feature_names_in_])

    def _keep(self, names: Sequence[str]) -> None:
        if not names:
            raise InputError("no column is left to predict from", fix="pass more than the sensitive columns")
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)


class Unaware(_Wrapped):
    """Train and ask an estimator without the sensitive columns ("fairness under unawareness").

    It takes a table that may hold the sensitive columns, and does not show them to the estimator. An
    estimator that learns with sensitive features beside the table, such as those of this room, gets them
    there. So it is also the way to put such an estimator into anything that passes X and y only.

    Leaving a column out does not make others forget it: whatever else carries it still does.

    Parameters
    ----------
    estimator
        Any scikit-learn estimator or pipeline that takes a table.
    sensitive
        Names of the sensitive columns, or cuts such as ``"age > 25"`` (that leaves out the whole column).
        Names that are not in the table are no error when predicting.

    Attributes
    ----------
    estimator_
        The fitted estimator.
    feature_names_in_, n_features_in_
        The columns that it sees.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from fairwitness.fair import Unaware
    >>> table = pd.DataFrame({"sex": ["f", "m"] * 10, "income": range(20)})
    >>> model = Unaware(DecisionTreeClassifier(), sensitive=["sex"]).fit(table, table["income"] > 9)
    >>> list(model.feature_names_in_)
    ['income']
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sensitive_features": True}

    def fit(self, X: NativeFrame, y: Any, *, sensitive_features: Any = None) -> Self:
        """Train on n rows.

        Parameters
        ----------
        X
            Table of n rows (the columns of an array are called ``x0``, ``x1``, ...).
        y
            (n,) labels or numbers, as the estimator wants them.
        sensitive_features
            What to give the estimator as its sensitive features; default are the named columns of X.

        Raises
        ------
        DataError
            If a named column is not in X and nothing is given in its place, or no other column is left.
        ConfigError
            If ``estimator`` is none.
        """
        model = self._copied()
        frame = named_table(X)
        names = self._named()
        mine = self._hidden(names)
        self._keep([name for name in column_names(frame) if name not in mine])
        more: dict[str, Any] = {}
        if takes_sensitive_features(self.estimator):
            if sensitive_features is None and names:
                sensitive_features = sensitive_columns(frame, names)
            if isinstance(sensitive_features, dict):
                sensitive_features = _as_table(sensitive_features, frame)
            more["sensitive_features"] = sensitive_features
        elif sensitive_features is None:
            sensitive_columns(frame, names)  # a name that is not there is a mistake, not a column left out
        # Estimators of this room ask for sensitive features; so, pipelines and searches pass them on.
        with sklearn.config_context(enable_metadata_routing=bool(more) or _routing()):
            self.estimator_: Any = model.fit(self._select(frame), y, **more)
        return self

    def predict(self, X: NativeFrame) -> np.ndarray:
        """Give the estimator's (n,) predictions; sensitive columns in X are not looked at."""
        return np.asarray(self._fitted().predict(self._seen(X)))

    @available_if(_offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: NativeFrame) -> FloatArray:
        """Give the estimator's (n, C) probabilities."""
        return np.asarray(self._fitted().predict_proba(self._seen(X)))

    @available_if(_offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: NativeFrame) -> FloatArray:
        """Give the estimator's scores."""
        return np.asarray(self._fitted().decision_function(self._seen(X)))

    def score(self, X: NativeFrame, y: Any, sample_weight: Any = None) -> float:
        """Give the estimator's own score: accuracy of a classifier, R² of a regressor; higher is better."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._fitted().score(self._seen(X), y, **weights))

    def _fitted(self) -> Any:
        check_fitted(self)
        return self.estimator_

    def _seen(self, X: NativeFrame) -> NativeFrame:
        width = len(self.feature_names_in_)
        return self._select(named_table(X, expected=width, who="Unaware"))

    @staticmethod
    def _hidden(names: Sequence[str]) -> set[str]:
        """The columns to leave out: those named, and those that a cut is made in."""
        return {*names, *(parse_sensitive_spec(name).column for name in names)}


class Full(_Wrapped):
    """Train and ask an estimator with the sensitive columns among its inputs.

    What Unaware is compared with: it shows what the sensitive features are worth to the prediction.

    Parameters
    ----------
    estimator
        Any scikit-learn estimator or pipeline that takes a table.
    sensitive
        Names of the sensitive columns: those of X, or of what lies beside it without names of its own. If
        left out, the names of what lies beside X.

    Attributes
    ----------
    estimator_
        The fitted estimator.
    feature_names_in_, n_features_in_
        The columns that it sees, the sensitive ones included.
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sensitive_features": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"sensitive_features": True}
    __metadata_request__predict_proba: ClassVar[dict[str, bool]] = {"sensitive_features": True}
    __metadata_request__decision_function: ClassVar[dict[str, bool]] = {"sensitive_features": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"sensitive_features": True}

    def fit(self, X: NativeFrame, y: Any, *, sensitive_features: Any = None) -> Self:
        """Train on n rows; ``sensitive_features`` are added to X where it lacks them.

        Raises
        ------
        InputError
            If a named sensitive column is nowhere.
        ConfigError
            If ``estimator`` is none.
        """
        model = self._copied()
        names = self._named()
        if sensitive_features is not None and not names:
            names = tuple(beside(sensitive_features, None))
        self.sensitive_ = names
        table = joined(X, sensitive_features, names)
        self._keep(column_names(table))
        self.estimator_: Any = model.fit(table, y)
        return self

    def predict(self, X: NativeFrame, *, sensitive_features: Any = None) -> np.ndarray:
        """Give the estimator's (n,) predictions; the sensitive columns are in X or beside it."""
        return np.asarray(self._fitted().predict(self._seen(X, sensitive_features)))

    @available_if(_offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: NativeFrame, *, sensitive_features: Any = None) -> FloatArray:
        """Give the estimator's (n, C) probabilities."""
        return np.asarray(self._fitted().predict_proba(self._seen(X, sensitive_features)))

    @available_if(_offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: NativeFrame, *, sensitive_features: Any = None) -> FloatArray:
        """Give the estimator's scores."""
        return np.asarray(self._fitted().decision_function(self._seen(X, sensitive_features)))

    def score(
        self, X: NativeFrame, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> float:
        """Give the estimator's own score: accuracy of a classifier, R² of a regressor; higher is better."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._fitted().score(self._seen(X, sensitive_features), y, **weights))

    def _fitted(self) -> Any:
        check_fitted(self)
        return self.estimator_

    def _seen(self, X: NativeFrame, sensitive_features: Any) -> NativeFrame:
        width = None if sensitive_features is not None else len(self.feature_names_in_)
        table = joined(named_table(X, expected=width, who="Full"), sensitive_features, self.sensitive_)
        return self._select(table)


def _as_table(columns: dict[str, Any], frame: NativeFrame) -> Any:
    """One table of columns with the index of the rows, so that searches can take rows of both."""
    import pandas as pd

    index = getattr(to_pandas(frame), "index", None)
    return pd.DataFrame({name: np.asarray(column) for name, column in columns.items()}, index=index)


def _routing() -> bool:
    return bool(sklearn.get_config()["enable_metadata_routing"])
