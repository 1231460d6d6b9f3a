"""AdvDeb, LFERM and FairC as decision makers: in pipelines, with the grids of the papers, tuned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline

from fairwitness.arguments import check_jobs, shown, whole_number
from fairwitness.errors import ConfigError, FairwitnessError, ModelError
from fairwitness.fair.adversarial import AdvDeb
from fairwitness.fair.constraints import FairC
from fairwitness.fair.erm import LFERM
from fairwitness.fair.inputs import InputError, check_alignment, read_groups
from fairwitness.model.crossfit import as_frame, checked_labels
from fairwitness.model.folds import assign_folds
from fairwitness.model.messages import said
from fairwitness.model.zoo import ModelSpec, TunedModel, preprocessing
from fairwitness.rng import child_seed, seed_from
from fairwitness.table import Schema, canonical_order, n_rows, row_keys, take_rows, to_pandas
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame, RandomState

FAIR_DECISION_MAKERS = ("AdvDeb", "LFERM", "FairC")
_GRIDS: dict[str, dict[str, tuple[object, ...]]] = {
    "AdvDeb": {
        "alpha": (0.05, 0.1),
        "n_epochs": (50, 70, 100),
        "batch_size": (64, 256, 512),
        "hidden": (64, 128, 256),
    },
    "LFERM": {"C": (0.01,)},
    "FairC": {"max_covariance": (0.001,)},
}


def decision_makers(
    schema: Schema,
    *,
    only: Sequence[str] = FAIR_DECISION_MAKERS,
    quick: bool = False,
    random_state: RandomState = None,
) -> dict[str, ModelSpec]:
    """Give the paper's three decision makers that try to be fair, for tables of one schema, unfitted.

    Their pipelines scale and code columns as those of :func:`fairwitness.model.decision_makers` do, and want
    the sensitive features beside the table: ``spec.estimator.fit(X, y, model__sensitive_features=s)``, or
    ``sensitive_features=s`` with scikit-learn's metadata routing enabled, or :func:`tune`.

    Parameters
    ----------
    schema
        Kinds of the model's input columns, the sensitive ones not among them.
    only
        Names of those wanted, in that order: ``"AdvDeb"``, ``"LFERM"``, ``"FairC"``.
    quick
        Fixed, sensible parameters and nothing to search.
    random_state
        Seed of AdvDeb; the others draw nothing.

    Returns
    -------
    dict
        Name → :class:`fairwitness.model.ModelSpec`.

    Raises
    ------
    ConfigError
        If a name is unknown, or ``schema`` is none.
    """
    if not isinstance(schema, Schema):
        raise ConfigError(
            "decision makers are built for a schema",
            got=type(schema).__name__,
            fix="pass Schema.infer(table)",
        )
    only = [only] if isinstance(only, str) else list(only)
    unknown = [name for name in only if name not in FAIR_DECISION_MAKERS]
    if unknown:
        raise ConfigError(
            "unknown decision maker",
            got=listing([plain(name, most=40) for name in unknown]),
            fix=f"choose from {listing(FAIR_DECISION_MAKERS)}",
        )
    seed = child_seed(seed_from(random_state), "fair decision makers")
    models: dict[str, Any] = {
        # A quick one takes fewer, larger steps.
        "AdvDeb": AdvDeb(n_epochs=10, batch_size=256, learning_rate=0.003, random_state=seed)
        if quick
        else AdvDeb(random_state=seed),
        "LFERM": LFERM(C=0.01),
        "FairC": FairC(max_covariance=0.001),
    }
    return {
        name: ModelSpec(
            name=name,
            estimator=Pipeline([("columns", preprocessing(schema)), ("model", models[name])]),
            grid={} if quick else {f"model__{key}": values for key, values in _GRIDS[name].items()},
            scoring="roc_auc",
        )
        for name in only
    }


def tune(
    spec: ModelSpec,
    X: NativeFrame,
    y: object,
    *,
    sensitive_features: Any,
    scoring: str | None = None,
    cv: int = 5,
    n_jobs: int | None = None,
    n_iter: int | None = None,
    random_state: RandomState = None,
) -> TunedModel:
    """Search the grid with cross-validation and fit the winner on all rows, with sensitive features.

    As :func:`fairwitness.model.tune`, but folds are stratified by outcome and group, so that every fold has
    all groups as far as their sizes allow. The result depends neither on the order of rows nor on ``n_jobs``.

    Parameters
    ----------
    spec
        An entry of :func:`decision_makers`, or any other whose pipeline ends in an estimator that takes
        ``sensitive_features``.
    X, y
        Training rows and labels.
    sensitive_features
        (n,) or (n, s) values, Series, table or mapping, beside X.
    scoring
        Name of a scikit-learn score; default is the entry's own (``"roc_auc"``). It knows nothing of groups.
    cv
        Number of folds.
    n_jobs
        Settings tried at once.
    n_iter
        Try so many settings drawn from the grid instead of all.
    random_state
        Seed of folds and draws.

    Returns
    -------
    TunedModel
        ``.estimator`` is fitted; ``.score`` is its mean held-out score (higher is better), NaN where there
        was one setting only and nothing to search.

    Raises
    ------
    ModelError
        If a setting cannot be trained.
    ConfigError, DataError
        If an argument makes no sense.
    """
    if not isinstance(spec, ModelSpec):
        raise ConfigError(
            "there is nothing to tune", got=shown(spec), fix="pass an entry of decision_makers()"
        )
    check_jobs(n_jobs)
    seed = seed_from(random_state)
    check_alignment(X=X, y=y, sensitive_features=sensitive_features)
    frame = to_pandas(as_frame(X))
    labels = checked_labels(y, rows=n_rows(frame))
    groups = read_groups(sensitive_features, rows=n_rows(frame))
    order, frame, labels, beside = _ordered(frame, labels, groups)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InputError("there is only 1 class in y", fix="pass rows of two classes")
    estimator = clone(spec.estimator)
    with sklearn.config_context(enable_metadata_routing=True):
        if spec.n_candidates == 1:
            estimator.set_params(**{key: values[0] for key, values in spec.grid.items()})
            fitted = _fitted(estimator, frame, labels, beside)
            parameters = {key: values[0] for key, values in spec.grid.items()}
            return TunedModel(spec.name, fitted, parameters, float("nan"), 1)
        strata = codes
        for each in groups:
            strata = strata * each.n_groups + each.codes[order]
        _, strata = np.unique(strata, return_inverse=True)
        folds = assign_folds(row_keys(frame), strata, n_folds=cv, seed=child_seed(seed, "tune"))
        settings: dict[str, Any] = {
            "scoring": scoring or spec.scoring,
            "cv": [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(cv)],
            "n_jobs": n_jobs,
            "error_score": "raise",
        }
        total = spec.n_candidates
        if n_iter is not None and whole_number(n_iter, "n_iter") < total:
            total = n_iter
            draw = child_seed(seed, "tune", "draw")
            search = RandomizedSearchCV(
                estimator, dict(spec.grid), n_iter=n_iter, random_state=draw, **settings
            )
        else:
            search = GridSearchCV(estimator, dict(spec.grid), **settings)
        _fitted(search, frame, labels, beside)
    return TunedModel(
        spec.name, search.best_estimator_, dict(search.best_params_), float(search.best_score_), total
    )


def _ordered(frame: Any, labels: Any, groups: Any) -> tuple[Any, Any, Any, Any]:
    """Bring rows into an order that depends on their content only; sensitive features as labels."""
    import pandas as pd

    beside = pd.DataFrame({each.name: np.asarray(each.labels)[each.codes] for each in groups})
    order = canonical_order(frame, beside.assign(**{"the outcome": labels}))
    return order, take_rows(frame, order), labels[order], take_rows(beside, order)


def _fitted(estimator: Any, frame: Any, labels: Any, beside: Any) -> Any:
    try:
        return estimator.fit(frame, labels, sensitive_features=beside)
    except FairwitnessError:
        raise
    except Exception as error:  # scikit-learn's own words
        raise ModelError(
            f"the model could not be trained: {said(error)}",
            fix="check that labels are of two kinds and that the schema fits the table",
        ) from error
