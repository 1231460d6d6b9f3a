"""The papers' decision makers and sensitive-feature classifiers, with the grids they were tuned on.

Pipelines of StandardScaler for numbers and OneHotEncoder (unknown levels ignored) for coded columns. Grids
as the authors' winners suggest them; LightGBM's, which nobody gives, is ours.

SVM is :class:`sklearn.svm.LinearSVC`: a kernel machine takes minutes on 45,000 rows and tens of seconds
for each batch of counterfactuals. ``svm="rbf"`` gives the kernel; neither has probabilities, so the
score is the squashed decision function.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fairwitness.arguments import shown, whole_number
from fairwitness.errors import ConfigError, DataError, MissingExtraError, ModelError
from fairwitness.model.coded import CodedLabels
from fairwitness.model.crossfit import checked_labels
from fairwitness.model.folds import assign_folds
from fairwitness.model.messages import said
from fairwitness.rng import child_seed, seed_from
from fairwitness.table.canonical import canonical_order, row_keys
from fairwitness.table.frames import n_rows, take_rows, to_pandas
from fairwitness.table.schema import Schema
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame, RandomState

DECISION_MAKERS = ("LR", "SVM", "DT", "RF", "MLP", "XGB", "LGBM")
SENSITIVE_CLASSIFIERS = ("RF", "MLP", "XGB")
#: Stands in a grid for the ratio of the two classes' sizes, known once the labels are.
CLASS_RATIO = "neg/pos"


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One entry of the zoo.

    Attributes
    ----------
    name
        ``"LR"``, ``"SVM"``, ``"DT"``, ``"RF"``, ``"MLP"``, ``"XGB"`` or ``"LGBM"``.
    estimator
        Unfitted pipeline that takes the frame; its last step is called ``model``.
    grid
        Parameter of the pipeline → values to try; empty for ``quick``.
    scoring
        What the search maximises.
    """

    name: str
    estimator: Any
    grid: Mapping[str, tuple[object, ...]]
    scoring: str

    @property
    def n_candidates(self) -> int:
        """Number of settings in the grid."""
        return int(np.prod([len(values) for values in self.grid.values()], dtype=np.int64))


@dataclass(frozen=True, slots=True)
class TunedModel:
    """The winner of a search, fitted on all rows it was given.

    Attributes
    ----------
    name
        As in the zoo.
    estimator
        Fitted pipeline.
    parameters
        The winning setting; empty if there was nothing to search.
    score
        Its mean held-out score, NaN if there was nothing to search.
    n_candidates
        Settings tried.
    """

    name: str
    estimator: Any
    parameters: Mapping[str, object]
    score: float
    n_candidates: int


def decision_makers(
    schema: Schema,
    *,
    only: Sequence[str] = DECISION_MAKERS,
    quick: bool = False,
    svm: Literal["linear", "rbf"] = "linear",
    random_state: RandomState = None,
) -> dict[str, ModelSpec]:
    """Give the paper's decision makers for tables of one schema, unfitted.

    Parameters
    ----------
    schema
        Kinds of the model's input columns.
    only
        Names of those wanted, in that order.
    quick
        Fixed, sensible parameters and nothing to search.
    svm
        ``"linear"`` or ``"rbf"``; see the module.
    random_state
        Seed of all estimators.

    Returns
    -------
    dict
        Name → :class:`ModelSpec`; give it to :func:`tune`, or fit its ``estimator``.

    Raises
    ------
    MissingExtraError
        If XGB or LGBM is wanted and not installed.
    ConfigError
        If a name is unknown, or ``schema`` is none.

    Notes
    -----
    XGB takes the outcome as 0 and 1 only.
    """
    only = _check_names(schema, only, DECISION_MAKERS)
    if svm not in ("linear", "rbf"):
        raise ConfigError("svm is not known", got=shown(svm), fix='pass "linear" or "rbf"')
    seed = seed_from(random_state)
    return {
        name: _spec(name, schema, quick=quick, svm=svm, seed=seed, scoring="roc_auc", coded=False)
        for name in only
    }


def sensitive_classifiers(
    schema: Schema,
    *,
    only: Sequence[str] = SENSITIVE_CLASSIFIERS,
    quick: bool = False,
    random_state: RandomState = None,
) -> dict[str, ModelSpec]:
    """Give the paper's sensitive-feature classifiers for tables of one schema, unfitted, tuned on F1.

    Pass an entry's ``estimator`` (or that of its :func:`tune` result) to
    :class:`fairwitness.model.SensitiveFeatureClassifier`. Parameters and errors as in
    :func:`decision_makers`; labels may be of any kind.
    """
    only = _check_names(schema, only, SENSITIVE_CLASSIFIERS)
    seed = seed_from(random_state)
    return {
        name: _spec(name, schema, quick=quick, svm="linear", seed=seed, scoring="f1", coded=True)
        for name in only
    }


def tune(
    spec: ModelSpec | str,
    X: NativeFrame,
    y: object,
    *,
    schema: Schema | None = None,
    scoring: str | None = None,
    cv: int = 5,
    n_jobs: int | None = None,
    n_iter: int | None = None,
    random_state: RandomState = None,
) -> TunedModel:
    """Search the grid with cross-validation and fit the winner on all rows.

    Folds depend on the rows' content and the seed, not on their order, and equal rows share a fold.

    Parameters
    ----------
    spec
        An entry of the zoo, or the name of a decision maker.
    X, y
        Training rows and labels.
    schema
        For a name: the kinds of the columns; inferred from ``X`` if left out.
    scoring
        Name of a scikit-learn score; default is the entry's own (``"roc_auc"``; ``"f1"`` for sensitive
        features: of the larger of two groups, the mean over groups of more).
    cv
        Number of folds.
    n_jobs
        Settings tried at once; the result does not depend on it.
    n_iter
        Try so many settings drawn from the grid instead of all.
    random_state
        Seed of folds, draws and estimators.

    Returns
    -------
    TunedModel
        ``.estimator`` is fitted; ``.score`` is its mean held-out score (for an AUC in [0, 1], higher is
        better).

    Raises
    ------
    ModelError
        If a setting cannot be trained.
    ConfigError, DataError
        If an argument makes no sense, or the rows hold one class only.
    """
    seed = seed_from(random_state)
    frame = to_pandas(X)
    if n_iter is not None:
        whole_number(n_iter, "n_iter", fix="pass for example n_iter=20, or leave it out")
    if isinstance(spec, str):
        schema = Schema.infer(frame) if schema is None else schema
        spec = decision_makers(schema, only=[spec], random_state=seed)[spec]
    if not isinstance(spec, ModelSpec):
        raise ConfigError(
            "there is nothing to tune",
            got=shown(spec),
            fix='pass an entry of decision_makers(...) or sensitive_classifiers(...), or a name such as "LR"',
        )
    labels = checked_labels(y, rows=n_rows(frame))
    order = canonical_order(frame, _as_table(labels))
    frame, labels = take_rows(frame, order), labels[order]
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            "there is only one class to learn",
            got=plain(classes[0], most=60) if len(classes) else "no rows",
            fix="pass rows of at least two classes",
        )
    grid = _filled(spec.grid, codes, n_classes=len(classes))
    estimator = clone(spec.estimator)
    if not grid:
        return TunedModel(spec.name, _fitted(estimator, frame, labels), {}, float("nan"), 1)
    folds = assign_folds(row_keys(frame), codes, n_folds=cv, seed=child_seed(seed, "tune"))
    settings: dict[str, Any] = {
        "scoring": _scorer(scoring or spec.scoring, classes, codes),
        "cv": [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(cv)],
        "n_jobs": n_jobs,
        "error_score": "raise",
    }
    total = replace(spec, grid=grid).n_candidates
    if n_iter is not None and n_iter < total:
        total = n_iter
        search = RandomizedSearchCV(
            estimator, grid, n_iter=n_iter, random_state=child_seed(seed, "tune", "draw"), **settings
        )
    else:
        search = GridSearchCV(estimator, grid, **settings)
    _fitted(search, frame, labels)
    return TunedModel(
        spec.name, search.best_estimator_, dict(search.best_params_), float(search.best_score_), total
    )


def preprocessing(schema: Schema) -> ColumnTransformer:
    """Scale numbers, expand coded columns; missing numbers become the median plus a flag."""
    # An integer label would be taken for a position by scikit-learn, so the position is given.
    place = {
        feature.name: feature.column if isinstance(feature.column, str) else at
        for at, feature in enumerate(schema)
    }
    numbers = [feature for feature in schema if not feature.is_coded]
    coded = [feature for feature in schema if feature.is_coded]
    scaler: Any = StandardScaler()
    if any(feature.nullable for feature in numbers):
        scaler = Pipeline(
            [("fill", SimpleImputer(strategy="median", add_indicator=True)), ("scale", StandardScaler())]
        )
    return ColumnTransformer(
        [
            ("numbers", scaler, [place[feature.name] for feature in numbers]),
            (
                "levels",
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                [place[feature.name] for feature in coded],
            ),
        ]
    )


def _spec(
    name: str, schema: Schema, *, quick: bool, svm: str, seed: int, scoring: str, coded: bool
) -> ModelSpec:
    model, grid = _MAKERS[name](quick, child_seed(seed, "zoo", name), svm)
    prefix = "model__"
    if coded and name == "XGB":
        model, prefix = CodedLabels(model), "model__estimator__"
    pipeline = Pipeline([("columns", preprocessing(schema)), ("model", model)])
    wanted = {} if quick else {f"{prefix}{key}": tuple(values) for key, values in grid.items()}
    return ModelSpec(name=name, estimator=pipeline, grid=wanted, scoring=scoring)


_Grid = dict[str, Sequence[object]]
_Made = tuple[Any, _Grid]


def _lr(quick: bool, seed: int, svm: str) -> _Made:
    grid: _Grid = {"C": [float(value) for value in np.logspace(-4, 4, 20)]}
    return LogisticRegression(C=1.0, max_iter=2000, random_state=seed), grid


def _svm(quick: bool, seed: int, svm: str) -> _Made:
    grid: _Grid = {"C": [0.1, 1.0, 10.0]}
    if svm == "rbf":
        return SVC(C=1.0, random_state=seed), grid
    return LinearSVC(C=0.1 if quick else 1.0, dual="auto", max_iter=5000, random_state=seed), grid


def _dt(quick: bool, seed: int, svm: str) -> _Made:
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=9, ccp_alpha=0.001, random_state=seed)
    return tree, {"max_depth": [5, 9]}


def _rf(quick: bool, seed: int, svm: str) -> _Made:
    forest = RandomForestClassifier(
        n_estimators=100, max_depth=10, min_samples_leaf=2, n_jobs=1, random_state=seed
    )
    return forest, {
        "max_depth": [10, 20, 40, 80],
        "n_estimators": [50, 100, 200, 400],
        "min_samples_leaf": [1, 2, 4],
        "min_samples_split": [2, 5, 10],
    }


def _mlp(quick: bool, seed: int, svm: str) -> _Made:
    network = MLPClassifier(
        hidden_layer_sizes=(64,),
        alpha=0.05,
        max_iter=120,
        random_state=seed,
    )
    if quick:  # larger steps and a coarser stop, so that 120 iterations are enough
        network.set_params(learning_rate_init=0.01, tol=1e-3)
    return network, {"hidden_layer_sizes": [(64,), (32, 64), (32, 64, 128)], "alpha": [1e-4, 0.05]}


def _xgb(quick: bool, seed: int, svm: str) -> _Made:
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise MissingExtraError("xgboost", "models", purpose="the decision maker XGB") from error
    booster = XGBClassifier(
        n_estimators=100,
        max_depth=5,
        learning_rate=0.1,
        colsample_bytree=0.8,
        n_jobs=1,
        random_state=seed,
    )
    return booster, {
        "gamma": [0.01, 0.1],
        "learning_rate": [0.001, 0.1],
        "max_depth": [3, 5, 6],
        "n_estimators": [50, 100, 300],
        "reg_alpha": [0.01, 0.1],
        "colsample_bytree": [0.6, 0.8, 1.0],
        "min_child_weight": [1, 5],
        "scale_pos_weight": [1.0, CLASS_RATIO],
    }


def _lgbm(quick: bool, seed: int, svm: str) -> _Made:
    try:
        from lightgbm import LGBMClassifier
    except ImportError as error:
        raise MissingExtraError("lightgbm", "models", purpose="the decision maker LGBM") from error
    booster = LGBMClassifier(
        n_estimators=100,
        num_leaves=31,
        learning_rate=0.1,
        n_jobs=1,
        verbose=-1,
        deterministic=True,
        force_row_wise=True,
        random_state=seed,
    )
    return booster, {
        "num_leaves": [15, 31],
        "learning_rate": [0.01, 0.1],
        "n_estimators": [50, 100, 300],
        "min_child_samples": [5, 20],
    }


_MAKERS = {"LR": _lr, "SVM": _svm, "DT": _dt, "RF": _rf, "MLP": _mlp, "XGB": _xgb, "LGBM": _lgbm}


def _filled(
    grid: Mapping[str, tuple[object, ...]], codes: np.ndarray, *, n_classes: int
) -> dict[str, tuple[object, ...]]:
    """Put the ratio of the classes where the grid asks for it; with more than two there is none."""
    out: dict[str, tuple[object, ...]] = {}
    for key, values in grid.items():
        if CLASS_RATIO in values:
            if n_classes > 2:
                continue
            ratio = float((codes == 0).sum() / max((codes == 1).sum(), 1))
            values = tuple(ratio if value == CLASS_RATIO else value for value in values)
        out[key] = values
    return out


def _scorer(scoring: str, classes: np.ndarray, codes: np.ndarray) -> Any:
    if scoring == "f1":
        if len(classes) > 2:
            return get_scorer("f1_macro")
        larger = classes[int(np.bincount(codes).argmax())]
        return make_scorer(f1_score, pos_label=larger, zero_division=0.0)
    if scoring == "roc_auc" and len(classes) > 2:
        return get_scorer("roc_auc_ovr")
    try:
        return get_scorer(scoring)
    except ValueError as error:
        raise ConfigError(
            f"unknown score {plain(scoring, most=60)}", fix='pass a scikit-learn name such as "roc_auc"'
        ) from error


def _fitted(estimator: Any, frame: Any, labels: np.ndarray) -> Any:
    with warnings.catch_warnings():
        # The papers stop their networks after 120 iterations, converged or not.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return estimator.fit(frame, labels)
        except Exception as error:  # several libraries, several kinds
            raise ModelError(
                f"the model could not be trained: {said(error)}",
                fix="check that labels are 0 and 1 (XGB) and that the schema fits the table",
            ) from error


def _as_table(labels: np.ndarray) -> Any:
    import pandas as pd

    return pd.DataFrame({"label": labels})


def _check_names(schema: object, only: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    if not isinstance(schema, Schema):
        raise ConfigError(
            "the zoo is built for a schema", got=type(schema).__name__, fix="pass Schema.infer(table)"
        )
    only = [only] if isinstance(only, str) else only
    unknown = [name for name in only if name not in known]
    if unknown:
        raise ConfigError(
            "unknown model in the zoo",
            got=listing([plain(name, most=40) for name in unknown]),
            fix=f"choose from {listing(known)}",
        )
    return only
