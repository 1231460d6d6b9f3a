"""What every model says of rows: of all rows once, or of the test rows of several splits.

A *run* is one model's answers for some rows. Models that were fitted before answer for all rows; estimators
that were not are fitted on the training rows of every split and answer for its test rows; columns of
predictions are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from sklearn.base import is_regressor

from fairwitness.errors import DataError, FairwitnessError, ModelError, NotFittedError
from fairwitness.metrics.counted.inputs import coded_labels, favoured, labels_of
from fairwitness.model import CrossFitted, as_blackbox, judge_by_fold
from fairwitness.model.adapters.answers import is_scores
from fairwitness.model.adapters.estimators import check_fitted
from fairwitness.model.beside import takes_sensitive_features
from fairwitness.model.crossfit import cloned, seeded
from fairwitness.model.labels import as_labels, is_label, missing_labels
from fairwitness.model.messages import said
from fairwitness.table import column_names, n_rows, select_columns, to_pandas
from fairwitness.text import plain
from fairwitness.typing import BoolArray, FloatArray, IntArray, NativeFrame

#: Most different whole numbers of an outcome that are taken for labels.
_MOST_LABELS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One model's answers for some rows.

    Attributes
    ----------
    seed
        Of the split; ``None`` where there was none.
    rows
        (m,) positions of the rows that were judged.
    y_pred
        (m,) booleans (accepted) or numbers (regression).
    y_score
        (m,) scores of the favourable outcome; ``None`` where there are none.
    n_train
        Rows that the model was trained on apart from these; ``None`` where that is not known.
    """

    seed: int | None
    rows: IntArray
    y_pred: np.ndarray
    y_score: FloatArray | None = None
    n_train: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Decisions and scores of one model, for :func:`fairwitness.metrics.evaluate` without the model.

    Attributes
    ----------
    y_pred
        (n,) predicted labels; if absent, scores from the threshold on are accepted.
    y_score
        (n,) scores of the favourable outcome, in [0, 1].
    """

    y_pred: Any = None
    y_score: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What models are fitted and asked with.

    Attributes
    ----------
    X
        The table, or ``None`` where there are predictions only.
    y
        (n,) outcomes as given, or ``None``.
    n
        Number of rows.
    beside
        The sensitive columns, as a table, for estimators that take them.
    regression
        Whether the outcome is a number.
    favorable, threshold
        As in :func:`fairwitness.as_blackbox`.
    splits
        Seed → training and test rows.
    seed
        Of estimators that draw.
    """

    X: NativeFrame | None
    y: np.ndarray | None
    n: int
    beside: Any
    regression: bool
    favorable: object
    threshold: float
    splits: Mapping[int, tuple[IntArray, IntArray]]
    seed: int


def unfitted(model: object) -> bool:
    """Say whether something is an estimator that waits to be fitted."""
    if isinstance(model, CrossFitted):
        return not hasattr(model, "models_")
    if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(model, "get_params"):
        return False
    try:
        check_fitted(model)
    except (ModelError, NotFittedError):
        return True
    return False


def is_predictions(model: object) -> bool:
    """Say whether something is a column, or one column a seed."""
    if isinstance(model, Mapping | Predictions):
        return True
    kinds = isinstance(model, Sequence) and not isinstance(model, str | bytes)
    arrays = hasattr(model, "__array__") or hasattr(model, "to_numpy") or hasattr(model, "to_list")
    return (kinds or arrays) and not hasattr(model, "predict") and not callable(model)


def are_numbers(values: np.ndarray) -> bool:
    """Say whether values are measured numbers and no labels."""
    if values.dtype.kind not in "iuf":
        return False
    return bool((values % 1 != 0).any()) or len(np.unique(values)) > _MOST_LABELS


def numbers_expected(models: Mapping[str, object]) -> bool:
    """Say whether any of the models is a regressor by its own word."""
    estimators = [each for each in models.values() if hasattr(each, "fit") and not isinstance(each, type)]
    return any(is_regressor(model) for model in estimators)


def runs_of(model: object, asked: Asked) -> tuple[Run, ...]:
    """Give one run a split, or one over all rows.

    Raises
    ------
    FairwitnessError
        If the model cannot be fitted or asked, with the reason.
    """
    if is_predictions(model):
        return tuple(_given(model, asked))
    if asked.X is None:
        raise DataError("there is no table to ask the model about", fix="pass X, or the model's predictions")
    if unfitted(model):
        return tuple(_fitted(model, asked))
    everyone = np.arange(asked.n)
    if isinstance(model, CrossFitted):
        members = model.members(favorable=asked.favorable, threshold=asked.threshold)
        names = [str(name) for name in model.feature_names_in_]
        fold = model.fold_of(asked.X)
        if (fold < 0).any():
            raise ModelError(
                "the cross-fitted model was trained on other rows",
                got=f"{int((fold < 0).sum()):,} of {asked.n:,} rows that it does not know",
                fix="fit it on this table, or pass an estimator that is not fitted",
            )
        judged = judge_by_fold(members, fold, select_columns(asked.X, names))
        return (Run(None, everyone, judged.accepted, judged.score if judged.has_score else None),)
    pred, score = _ask(model, asked, asked.X, asked.beside)
    return (Run(None, everyone, pred, score),)


def _fitted(estimator: Any, asked: Asked) -> Iterator[Run]:
    if asked.y is None:
        raise DataError("an estimator that is not fitted needs outcomes to learn from", fix="pass y")
    if isinstance(estimator, CrossFitted):
        yield from runs_of(cloned(estimator).fit(asked.X, asked.y), asked)
        return
    table = to_pandas(asked.X)
    for seed, (train, test) in asked.splits.items():
        model = seeded(cloned(estimator), asked.seed, seed)
        more = {}
        if takes_sensitive_features(model):
            if asked.beside is None:
                raise DataError(
                    "the estimator learns with sensitive features, and there are none",
                    fix="pass sensitive_features",
                )
            more["sensitive_features"] = asked.beside.iloc[train].reset_index(drop=True)
        try:
            # Pipelines and searches pass sensitive features on only where routing is on.
            with sklearn.config_context(enable_metadata_routing=bool(more) or _routing()):
                model = model.fit(table.iloc[train].reset_index(drop=True), asked.y[train], **more)
        except FairwitnessError:
            raise
        except Exception as error:  # the user's estimator may raise anything
            raise ModelError(
                f"it could not be trained: {said(error)}",
                fix="pass an estimator (a pipeline, say) that takes the table as it is",
            ) from error
        beside = None if asked.beside is None else asked.beside.iloc[test].reset_index(drop=True)
        pred, score = _ask(model, asked, table.iloc[test].reset_index(drop=True), beside)
        yield Run(seed, test, pred, score, len(train))


def _ask(model: Any, asked: Asked, rows: NativeFrame, beside: Any) -> tuple[np.ndarray, FloatArray | None]:
    """Give predictions and, where there are any, scores for some rows."""
    size = None
    if beside is not None and takes_sensitive_features(model, "predict"):
        missing = [name for name in beside.columns if name not in column_names(rows)]
        if missing:
            model, size = _Accompanied(model, beside), n_rows(rows)
    if asked.regression and not hasattr(model, "predict") and callable(model):
        return _numbers(model(rows), n_rows(rows)), None
    box = as_blackbox(model, favorable=asked.favorable, threshold=asked.threshold, batch_size=size)
    judged = box.judge(rows)
    if asked.regression:
        if not judged.has_score:
            raise ModelError("the model gives no numbers", fix='pass a regressor, or task="classification"')
        return judged.score, None
    return judged.accepted, judged.score if judged.has_score else None


class _Accompanied:
    """A fitted estimator with the sensitive columns of the rows that it will be asked about."""

    def __init__(self, model: Any, beside: Any) -> None:
        self.model = model
        self.beside = beside

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("model", "beside"):
            raise AttributeError(name)
        found = getattr(self.model, name)
        if name not in ("predict", "predict_proba", "decision_function"):
            return found
        return lambda rows: self._called(found, rows)

    def _called(self, method: Any, rows: Any) -> Any:
        with sklearn.config_context(enable_metadata_routing=True):
            return method(rows, sensitive_features=self.beside)


def _given(model: Any, asked: Asked) -> Iterator[Run]:
    """Take columns as they are; of a mapping, one column a seed, missing where a row was not judged."""
    if isinstance(model, Predictions):
        yield _pair(model, asked)
        return
    if not isinstance(model, Mapping):
        values = _column(model, asked.n, "the predictions")
        gaps = missing_labels(values)
        if gaps.any():
            raise DataError(
                f"predictions are missing in {int(gaps.sum()):,} of {asked.n:,} rows",
                got=f"the first is row {int(gaps.argmax())}",
                fix="leave those rows out, or pass {seed: predictions} where only some rows were judged",
            )
        yield _read(None, np.arange(asked.n), values, asked, None)
        return
    if not model:
        raise DataError("there are no predictions", fix="pass {seed: predictions}")
    for seed, given in model.items():
        values = _column(given, asked.n, f"the predictions of {plain(seed)}")
        rows = np.flatnonzero(~missing_labels(values))
        if not len(rows):
            raise DataError(f"the predictions of {plain(seed)} are all missing", fix="leave that run out")
        judged = values[rows]
        if judged.dtype == object and all(isinstance(each, int | float | bool) for each in judged.tolist()):
            judged = np.array(judged.tolist())
        trained = asked.n - len(rows)
        yield _read(_seed(seed), rows, judged, asked, trained or None)


def _pair(model: Predictions, asked: Asked) -> Run:
    """Take decisions and scores of one model together."""
    if model.y_pred is None and model.y_score is None:
        raise DataError("there are no predictions", fix="pass Predictions(y_pred=...), y_score=... or both")
    if asked.regression and model.y_score is not None:
        raise DataError("a regression has no scores", fix="pass the predicted numbers as y_pred")
    everyone = np.arange(asked.n)
    runs = []
    for values, name in ((model.y_pred, "y_pred"), (model.y_score, "y_score")):
        if values is not None:
            (run,) = _given(values, asked)
            if name == "y_score" and run.y_score is None:
                scores = _numbers(values, asked.n)
                run = Run(None, everyone, scores >= asked.threshold, scores)
            runs.append(run)
    return Run(None, everyone, runs[0].y_pred, runs[-1].y_score)


def _seed(given: object) -> int:
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return int(given)
    raise DataError("runs are named by whole numbers", got=plain(given), fix="pass {0: ..., 1: ...}")


def _column(values: Any, n: int, name: str) -> np.ndarray:
    array = as_labels(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (n,):
        raise DataError(
            f"{name} must have one value a row",
            got=f"shape {array.shape} for {n:,} rows",
            fix="pass a column",
        )
    return array


def _read(seed: int | None, rows: IntArray, values: np.ndarray, asked: Asked, trained: int | None) -> Run:
    """Tell labels from scores, and numbers from both."""
    if asked.regression:
        return Run(seed, rows, _numbers(values, len(rows)), None, trained)
    if not is_scores(values, favorable=asked.favorable, output="auto"):
        accepted = favoured(values, asked.favorable, "the predictions", also=_good(asked))
        if asked.y is not None:
            coded_labels(asked.y, values)  # refuses words beside numbers, where nothing could be right
        if not accepted.any() and asked.y is not None:
            strange = labels_of(values) - labels_of(asked.y) - {-1, 0, 1}
            if strange:
                raise DataError(
                    f"no prediction is the favourable label {plain(asked.favorable)}",
                    got=", ".join(sorted(plain(each) for each in strange)[:5]),
                    fix="pass predictions in the labels of y",
                )
        return Run(seed, rows, accepted, None, trained)
    scores = _numbers(values, len(rows))
    if ((scores < 0) | (scores > 1)).any():
        raise DataError(
            "scores must lie between 0 and 1",
            got=f"{scores.min():g} to {scores.max():g}",
            fix='scale them, or pass task="regression" for predicted numbers',
        )
    return Run(seed, rows, scores >= asked.threshold, scores, trained)


def _good(asked: Asked) -> BoolArray | None:
    return None if asked.y is None else is_label(asked.y, asked.favorable)


def _numbers(values: Any, n: int) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise DataError("predictions must be numbers", fix="pass numbers, as a regressor gives") from None
    if array.shape != (n,) or not np.isfinite(array).all():
        raise DataError(
            "predictions must be one finite number a row",
            got=f"{len(array):,} for {n:,} rows",
            fix="pass one a row",
        )
    return array


def _routing() -> bool:
    return bool(sklearn.get_config()["enable_metadata_routing"])
