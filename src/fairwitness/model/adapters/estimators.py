"""scikit-learn estimators and pipelines, and whatever follows their interface (XGBoost, LightGBM, ...).

At the threshold 0.5 the estimator's own ``predict`` decides, so that every row we call accepted is
accepted by the user's own object. Where ``predict`` is the argmax of ``predict_proba``, one call gives both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from fairwitness.errors import ModelError
from fairwitness.model.adapters.base import Adapter, Inside, Reading, no_answer
from fairwitness.model.adapters.categories import training_levels, with_positions
from fairwitness.model.adapters.containers import (
    container,
    first_text_column,
    numeric_matrix,
    object_matrix,
    text_refused,
)
from fairwitness.model.coded import CodedLabels
from fairwitness.model.judgement import ModelInfo
from fairwitness.model.labels import as_labels, favorable_index, is_label, own
from fairwitness.table.frames import column_names, container_of
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, FloatArray, NativeFrame

#: ``predict`` takes the argmax of the very numbers that ``predict_proba`` returns.
_ARGMAX = frozenset(
    {
        "sklearn.DecisionTreeClassifier",
        "sklearn.ExtraTreeClassifier",
        "sklearn.RandomForestClassifier",
        "sklearn.ExtraTreesClassifier",
        "sklearn.BaggingClassifier",
        "sklearn.CalibratedClassifierCV",
        "sklearn.VotingClassifier",
        "xgboost.XGBClassifier",
        "xgboost.XGBRFClassifier",
        "lightgbm.LGBMClassifier",
        "fairwitness.CodedLabels",
        "fairwitness.TableBoosting",
    }
)
#: ``predict`` and the argmax of ``predict_proba`` can differ by rounding at a tie, and nowhere else.
_ARGMAX_BUT_TIES = frozenset(
    f"sklearn.{name}"
    for name in (
        "LogisticRegression",
        "LogisticRegressionCV",
        "SGDClassifier",
        "HistGradientBoostingClassifier",
        "GradientBoostingClassifier",
        "AdaBoostClassifier",
        "MLPClassifier",
        "GaussianNB",
        "BernoulliNB",
        "MultinomialNB",
        "CategoricalNB",
        "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
        "KNeighborsClassifier",
    )
)
_PIPELINES = frozenset({"sklearn.Pipeline", "imblearn.Pipeline"})
_SEARCHES = frozenset(
    {
        "sklearn.GridSearchCV",
        "sklearn.RandomizedSearchCV",
        "sklearn.HalvingGridSearchCV",
        "sklearn.HalvingRandomSearchCV",
    }
)
_TIE = 1e-6


class EstimatorAdapter(Adapter):
    """Anything with ``predict``, and perhaps ``predict_proba`` or ``decision_function``."""

    def __init__(
        self,
        model: Any,
        reading: Reading,
        *,
        feature_names: tuple[str, ...] | None = None,
        digest: str | None = None,
    ) -> None:
        check_fitted(model)
        self._model = model
        self._last = last_step(model)
        self._threshold = reading.threshold
        self._container = reading.container
        library = type(model).__module__.partition(".")[0]
        known = _names(model)
        self._width = _width(model)
        # A custom first step may not record its input at all; it is then given the frame as it is.
        self._bare = known is None and self._width is not None
        self._levels = training_levels(model)
        self._pandas = library in {"xgboost", "lightgbm"}

        notes: list[str] = []
        classes = _classes(model, reading, notes)
        self._favorable = None if classes is None else favorable_index(classes, reading.favorable)
        self.plain_number = classes is None
        self._label = None if classes is None else classes[self._favorable or 0]
        self._source = self._score_source(classes, notes)
        self.info = ModelInfo(
            kind=library if library in {"xgboost", "lightgbm", "catboost"} else "scikit-learn",
            name=_name(model, self._last),
            classes=classes,
            feature_names=feature_names or known,
            has_score=self._source != "none",
            digest=digest,
            notes=tuple(notes),
        )

    def ask(self, frame: NativeFrame) -> tuple[np.ndarray, ...]:
        """Give (accepted, score) for one batch."""
        rows = self._prepare(frame)
        if self._favorable is None:
            score = self._call("predict", rows, frame).astype(np.float64)
            score = score[:, 0] if score.ndim == 2 and score.shape[1] == 1 else score
            return score >= self._threshold, score
        if self._source == "none":
            return self._decide(rows, frame), np.full(frame.shape[0], np.nan)
        score, lead = self._score(rows, frame)
        if self._threshold != 0.5:
            return score >= self._threshold, score
        kind = qualified(self._last)
        if self._source != "predict_proba" or kind not in _ARGMAX | _ARGMAX_BUT_TIES:
            return self._decide(rows, frame), score
        accepted = np.asarray(lead > 0, dtype=bool)
        close = np.flatnonzero(np.abs(lead) < _TIE)
        if kind in _ARGMAX_BUT_TIES and len(close):
            part = rows.iloc[close] if hasattr(rows, "iloc") else rows[close]
            accepted[close] = self._decide(part, frame)
        return accepted, score

    def inside(self) -> Inside:
        """Show the estimator."""
        return Inside(self._model, self._prepare)

    def _score(self, rows: Any, frame: NativeFrame) -> tuple[FloatArray, FloatArray]:
        """Score of the favourable class, and its lead over the best other (a tie: the first class leads)."""
        classes = self.info.classes or ()
        mine = self._favorable or 0
        raw = self._call(self._source, rows, frame)
        if self._source == "decision_function":
            margin = np.asarray(raw, dtype=np.float64)
            if margin.ndim == 2 and margin.shape[1] == 1:
                margin = margin[:, 0]
            if margin.ndim == 1 and len(classes) == 2:
                margin = margin if mine == 1 else -margin
            elif margin.ndim == 2 and margin.shape[1] == len(classes):
                margin = margin[:, mine] - np.delete(margin, mine, axis=1).max(axis=1)
            else:
                raise self._shape(margin)
            return expit(margin), margin
        table = np.asarray(raw, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(classes):
            raise self._shape(table)
        if len(classes) == 1:
            return table[:, 0], np.ones(len(table))
        others = np.delete(table, mine, axis=1)
        lead = table[:, mine] - others.max(axis=1)
        lead[(lead == 0) & ~(others[:, :mine] >= table[:, [mine]]).any(axis=1)] = np.finfo(np.float64).tiny
        return table[:, mine], lead

    def _decide(self, rows: Any, frame: NativeFrame) -> BoolArray:
        labels = as_labels(self._call("predict", rows, frame))
        labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
        if labels.ndim != 1:
            raise self._shape(labels)
        accepted = is_label(labels, self._label)
        known = accepted.copy()
        for label in self.info.classes or ():
            known |= is_label(labels, label)
        if not known.all():
            row = int((~known).argmax())
            raise ModelError(
                f"the model's predict answers with something that is not one of its outcomes, in row {row}",
                got=plain(repr(own(labels[row])), most=60),
                fix="return one of the classes, or pass a function that does",
            )
        return accepted

    def _score_source(self, classes: tuple[object, ...] | None, notes: list[str]) -> str:
        if classes is None:
            notes.append(
                "The model is no classifier: the number it predicts is taken as the score of the favourable "
                f"outcome, and {self._threshold:g} or more is accepted."
            )
            return "predict"
        if hasattr(self._model, "predict_proba"):
            if qualified(self._last) in {"sklearn.SVC", "sklearn.NuSVC"}:
                notes.append("The decision is the model's own and need not agree with its calibrated score.")
            return "predict_proba"
        if hasattr(self._model, "decision_function"):
            shape = getattr(self._last, "decision_function_shape", "ovr")
            if len(classes) == 2 or shape != "ovo":
                notes.append(
                    "The model gives no probability: the score is its decision function squashed into 0 to 1 "
                    "(0.5 is the boundary)."
                )
                return "decision_function"
        if self._threshold != 0.5:
            raise ModelError(
                f"{plain(type(self._model).__name__)} gives decisions only, so no threshold can be set",
                got=f"threshold={self._threshold:g}",
                fix="leave threshold at 0.5, or pass a model with predict_proba",
            )
        notes.append("The model gives decisions without a score.")
        return "none"

    def _prepare(self, frame: NativeFrame) -> Any:
        if self._levels:
            return with_positions(frame, self._levels)
        if self._container == "numpy" or (self._container == "auto" and self._bare):
            width = len(column_names(frame))
            if self._width is not None and width != self._width:
                raise ModelError(
                    f"the model was trained on {self._width} columns without names",
                    got=f"{width} columns",
                    fix="pass feature_names= with the columns in the order of training",
                )
            text = first_text_column(frame)
            return (
                numeric_matrix(frame, purpose="the model takes numbers")
                if text is None
                else object_matrix(frame)
            )
        return container(frame, "pandas" if self._pandas else self._container)

    def _call(self, method: str, rows: Any, frame: NativeFrame) -> Any:
        try:
            answer = getattr(self._model, method)(rows)
        except Exception as error:  # the user's model may raise anything
            text = first_text_column(frame) if isinstance(rows, np.ndarray) else None
            if text is not None:
                raise text_refused(
                    frame, text, purpose="the model was trained on a matrix without column names"
                ) from error
            fix = "call the model's predict on the same table, and mend what it says"
            if not isinstance(rows, np.ndarray) and container_of(frame) != "pandas":
                fix += '; if it was trained on pandas, pass as_blackbox(..., container="pandas")'
            raise no_answer(self.info.name, error, fix=fix) from error
        return answer if isinstance(answer, np.ndarray) else np.asarray(answer)

    def _shape(self, answer: np.ndarray) -> ModelError:
        classes = self.info.classes or ()
        return ModelError(
            f"the model's answers do not fit its {len(classes)} outcomes "
            f"{listing([plain(own(label), most=40) for label in classes])}",
            got=f"shape {answer.shape}",
            fix="pass a model with one outcome column",
        )


def qualified(model: object) -> str:
    """Library and class of exactly this object: a subclass of a known class is not that class."""
    kind = type(model)
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def last_step(model: Any) -> Any:
    """Look through pipelines and finished searches to the estimator that decides."""
    for _ in range(20):
        kind = qualified(model)
        if kind in _PIPELINES and getattr(model, "steps", None):
            model = model.steps[-1][1]
        elif kind in _SEARCHES and hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        else:
            break
    return model


def check_fitted(model: Any) -> None:
    """Refuse an estimator that was never fitted, before anybody waits for an audit."""
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(model, BaseEstimator):
        return
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise ModelError(
            f"the model {plain(type(model).__name__, most=80)} has not been fitted", fix="call fit first"
        ) from error


def _name(model: Any, last: Any) -> str:
    if isinstance(model, CodedLabels) and model.estimator_ is not None:
        # A wrapper of ours: the reader knows the estimator inside.
        return _name(model.estimator_, last_step(model.estimator_))
    outer, inner = type(model).__name__, type(last).__name__
    return outer if model is last else f"{outer} ending in {inner}"


def _names(model: Any) -> tuple[str, ...] | None:
    names = getattr(model, "feature_names_in_", None)
    if names is None and type(model).__module__.startswith("catboost"):
        names = getattr(model, "feature_names_", None)
    if names is None:
        return None
    return tuple(str(name) for name in names)


def _width(model: Any) -> int | None:
    width = getattr(model, "n_features_in_", None)
    return int(width) if isinstance(width, int | np.integer) else None


def _classes(model: Any, reading: Reading, notes: list[str]) -> tuple[object, ...] | None:
    classes = getattr(model, "classes_", None)
    if classes is not None:
        if isinstance(classes, list) and any(isinstance(each, np.ndarray) for each in classes):
            raise ModelError(
                "the model predicts several outcomes at once", fix="pass a model of the one outcome to audit"
            )
        return tuple(own(label) for label in np.asarray(classes).tolist())
    if reading.classes is not None:
        return reading.classes
    if hasattr(model, "predict_proba"):
        notes.append("The model does not name its outcomes: 0 and 1 were assumed, in this order.")
        return (0, 1)
    return None
