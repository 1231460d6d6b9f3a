"""Several models, one table: every measure of each, in one frame."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from fairwitness.arguments import check_jobs, real_number, shown, whole_number
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning
from fairwitness.metrics.counted.inputs import check_rows, favoured
from fairwitness.metrics.declared.catalogue import chosen
from fairwitness.metrics.evaluation.measures import Measuring, Ruler
from fairwitness.metrics.evaluation.results import Evaluation
from fairwitness.metrics.evaluation.runs import Asked, are_numbers, is_predictions, numbers_expected, unfitted
from fairwitness.model.crossfit import as_frame
from fairwitness.model.holdout import holdout
from fairwitness.model.labels import as_labels, is_label, missing_labels
from fairwitness.parallel import spread
from fairwitness.rng import child_seed, seed_from
from fairwitness.stats.intervals import check_confidence
from fairwitness.table import (
    Groups,
    column_names,
    n_rows,
    row_keys,
    sensitive_columns,
    sensitive_groups,
)
from fairwitness.text import listing, plain
from fairwitness.typing import IntArray, MissingPolicy, NativeFrame, RandomState

Task = Literal["auto", "classification", "regression"]


def evaluate(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    sensitive_features: Any = None,
    task: Task = "auto",
    metrics: str | Sequence[str] = "all",
    favorable: object = 1,
    threshold: float = 0.5,
    sample_weight: Any = None,
    privileged: object = None,
    reference: str = "privileged",
    missing: MissingPolicy = "group",
    intersections: bool | Sequence[Sequence[str]] = False,
    seeds: int | Sequence[int] = 5,
    test_size: float = 0.2,
    confidence: float = 0.95,
    minimum_n: int = 30,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Measure several models on the same rows: performance, groups, entropy and distributions in one frame.

    Parameters
    ----------
    models
        Name → model; or one model. A model is

        * anything fitted that :func:`fairwitness.as_blackbox` takes, or a fitted
          :class:`fairwitness.model.CrossFitted`: asked about all rows (which it should not have been trained
          on);
        * an estimator that is not fitted: fitted on the training rows of every split and asked about the
        rest.
          If it takes ``sensitive_features``, it gets them. It sees all of X:
          :class:`fairwitness.fair.Unaware` hides columns;
        * a column of predictions (labels, scores in [0, 1], or numbers), for which no model is needed;
        * or ``{seed: column}``, predictions of several runs, missing where a run did not judge a row.
    X
        Table of n rows; not needed if there are predictions only.
    y
        (n,) true outcomes. Without them only what predictions alone say is measured.
    sensitive_features
        Names of columns of X (or cuts, ``"age > 25"``), or columns, a table or a mapping beside it.
    task
        ``"classification"`` (the favourable outcome against the rest) or ``"regression"``; ``"auto"`` takes
        fractional numbers, more than 20 different ones, or regressors for the second.
    metrics
        ``"all"``, or names of metrics or families, as in :func:`fairwitness.metrics.measure`.
    favorable
        The label of the good outcome, in the labels' own type; it must occur in y.
    threshold
        Score from which a row is accepted.
    sample_weight
        (n,) weights of the measures; models are trained without them.
    privileged, reference, missing, confidence, minimum_n, n_resamples
        As in :func:`fairwitness.metrics.measure`. One privileged group is chosen for all models: the one with
        the highest rate of true good outcomes, else the largest.
    intersections
        Also compare combinations of sensitive features.
    seeds
        Number of splits, or their seeds.
    test_size
        Share of rows that each split holds out. Equal rows stay together; the order of rows has no influence.
    random_state
        Seed of splits (with a number of them), of estimators without one, and of resampling.
    n_jobs
        Models at once.

    Returns
    -------
    Evaluation
        ``.to_frame()``, ``.plot()``, ``.pareto()``. A model that fails is among ``.failures`` with the
        reason, and the others are there. After splits there is a row a split, and ``"mean"``, whose interval
        allows for the rows that splits share (Nadeau and Bengio 2003); otherwise one row ``"all"`` with the
        interval of rows.

    Raises
    ------
    ConfigError, DataError, GroupError
        If an argument makes no sense for any model.

    Examples
    --------
    >>> import numpy as np
    >>> import fairwitness as fw
    >>> sex = np.repeat(["f", "m"], 50)
    >>> y = np.tile([0, 1], 50)
    >>> strict, even = np.where(sex == "f", 0, y), y
    >>> found = fw.metrics.evaluate({"strict": strict, "even": even}, y=y, sensitive_features={"sex": sex})
    >>> found.pareto()
    ('even',)
    """
    named = _named(models)
    table = None if X is None else as_frame(X)
    outcome = None if y is None else _outcome(y)
    n = _length(named, table, outcome)
    check_rows(X=X, y=y, sample_weight=sample_weight)
    seed = seed_from(random_state)
    check_jobs(n_jobs)
    check_confidence(confidence)
    chosen(metrics)  # a mistyped name is no model's fault
    whole_number(minimum_n, "minimum_n", least=0, fix="pass for example minimum_n=30")
    whole_number(n_resamples, "n_resamples", least=10, fix="pass for example n_resamples=1000")
    regression = _is_regression(task, outcome, named, favorable)
    if outcome is not None and not regression:
        favoured(outcome, favorable, "y")  # a label that does not occur is no model's fault
    columns = _columns(sensitive_features, table, n)
    groups = _groups(columns, outcome, favorable, privileged, missing, intersections, minimum_n, regression)
    fitting = any(unfitted(model) for model in named.values() if not is_predictions(model))
    splits = (
        _splits(seeds, test_size, seed, table, outcome, favorable, regression)
        if fitting and table is not None
        else {}
    )
    asked = Asked(
        X=table,
        y=outcome,
        n=n,
        beside=None if not columns else _beside(columns),
        regression=regression,
        favorable=favorable,
        threshold=threshold if regression else real_number(threshold, "threshold"),
        splits=splits,
        seed=child_seed(seed, "evaluate"),
    )
    ruler = Ruler(
        y=outcome,
        regression=regression,
        favorable=favorable,
        groups=groups,
        weight=None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64),
        options={
            "metrics": metrics,
            "reference": reference,
            "confidence": confidence,
            "minimum_n": minimum_n,
            "n_resamples": n_resamples,
            "random_state": child_seed(seed, "resample"),
        },
    )
    answers = spread(Measuring(asked, ruler), list(named.items()), n_jobs=n_jobs, description="models")
    ordered = {name: answer for (name, _), answer in zip(named.items(), answers, strict=True)}
    failures = {name: answer.failure for name, answer in ordered.items() if answer.failure}
    for name, reason in failures.items():
        warnings.warn(f"{plain(name)} was left out: {reason}", FairwitnessWarning, stacklevel=2)
    return Evaluation(
        rows=tuple(row for answer in ordered.values() for row in answer.rows),
        models=tuple(name for name, answer in ordered.items() if not answer.failure),
        failures=failures,
        task="regression" if regression else "classification",
        confidence=confidence,
        n=n,
        seeds=tuple(splits),
        test_size=test_size if splits else None,
        minimum_n=minimum_n,
        notes={name: answer.notes for name, answer in ordered.items() if answer.notes},
    )


def _named(models: Any) -> dict[str, Any]:
    """Give models by name; one model, or one column, is called by what it is."""
    if isinstance(models, Mapping):
        if not models:
            raise ConfigError("there are no models", fix='pass for example {"logistic": model}')
        if all(isinstance(name, int | np.integer) and not isinstance(name, bool) for name in models):
            return {"predictions": models}
        for name in models:
            if not isinstance(name, str) or not name.strip():
                raise ConfigError("models must have names", got=shown(name), fix="pass text as their keys")
        return dict(models)
    return {"predictions" if is_predictions(models) else type(models).__name__: models}


def _outcome(y: Any) -> np.ndarray:
    values = as_labels(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise DataError("y must have one value a row", got=f"shape {values.shape}", fix="pass a column")
    gone = missing_labels(values)
    if gone.any():
        raise DataError(
            f"y is missing in {int(gone.sum()):,} rows",
            got=f"the first is row {int(gone.argmax())}",
            fix="leave those rows out",
        )
    return values


def _length(models: Mapping[str, Any], table: Any, outcome: np.ndarray | None) -> int:
    """Give the number of rows, which somebody must know."""
    if table is not None:
        return n_rows(table)
    if outcome is not None:
        return len(outcome)
    for model in models.values():
        columns = list(model.values()) if isinstance(model, Mapping) else [model]
        if is_predictions(model) and columns and hasattr(columns[0], "__len__"):
            return len(columns[0])
    raise DataError(
        "there is nothing to evaluate on", fix="pass X, or predictions with y or sensitive_features"
    )


def _is_regression(
    task: str, outcome: np.ndarray | None, models: Mapping[str, Any], favorable: object
) -> bool:
    if task not in ("auto", "classification", "regression"):
        raise ConfigError(
            "there is no such task", got=shown(task), fix='pass "auto", "classification" or "regression"'
        )
    if task == "auto":
        return numbers_expected(models) or (outcome is not None and are_numbers(outcome))
    if task == "regression" and outcome is not None and outcome.dtype.kind not in "biuf":
        raise DataError(
            "the outcome of a regression must be numbers", got=f"{outcome.dtype} values", fix="pass numbers"
        )
    return task == "regression"


def _columns(given: Any, table: Any, n: int) -> dict[str, Any]:
    """Give sensitive columns by name."""
    if given is None:
        return {}
    names = [given] if isinstance(given, str) else given
    if isinstance(names, list | tuple) and names and all(isinstance(each, str) for each in names):
        if table is not None and len(names) != n:
            return sensitive_columns(table, names)
        if table is not None and set(names) <= {*column_names(table)}:
            return sensitive_columns(table, names)
    if isinstance(given, Mapping):
        return dict(given)
    if hasattr(given, "columns") and not isinstance(given, np.ndarray):
        return {str(name): sensitive_columns(given, [str(name)])[str(name)] for name in column_names(given)}
    name = getattr(given, "name", None)
    return {str(name) if name is not None else "sensitive feature": given}


def _groups(
    columns: Mapping[str, Any],
    outcome: np.ndarray | None,
    favorable: object,
    privileged: object,
    missing: MissingPolicy,
    intersections: Any,
    minimum_n: int,
    regression: bool,
) -> tuple[Groups, ...]:
    if not columns:
        return ()
    good = None if outcome is None or regression else is_label(outcome, favorable)
    return sensitive_groups(
        dict(columns),
        privileged=privileged,
        accepted=good,
        missing=missing,
        intersections=intersections,
        minimum_n=minimum_n,
    )


def _beside(columns: Mapping[str, Any]) -> Any:
    """Put sensitive columns into one table, for estimators that take them; a cut becomes yes or no."""
    import pandas as pd

    return pd.DataFrame({name: np.asarray(values) for name, values in columns.items()})


def _splits(
    seeds: int | Sequence[int],
    test_size: float,
    seed: int,
    table: NativeFrame,
    outcome: np.ndarray | None,
    favorable: object,
    regression: bool,
) -> dict[int, tuple[IntArray, IntArray]]:
    """Give training and test rows of every split, stratified by the outcome of a classification."""
    if isinstance(seeds, int | np.integer) and not isinstance(seeds, bool):
        drawn = range(seed, seed + whole_number(seeds, "seeds", fix="pass for example seeds=5"))
        listed = list(drawn)
    elif isinstance(seeds, Sequence) and not isinstance(seeds, str) and len(seeds):
        listed = [
            whole_number(each, "a seed", least=0, fix="pass for example seeds=[0, 1, 2]") for each in seeds
        ]
    else:
        raise ConfigError(
            "seeds must be a number of splits or a list of seeds", got=shown(seeds), fix="pass seeds=5"
        )
    if len(set(listed)) < len(listed):
        raise ConfigError(
            "a seed occurs twice", got=listing([str(each) for each in listed]), fix="name each split once"
        )
    strata = np.zeros(n_rows(table), dtype=np.int64)
    if outcome is not None and not regression:
        strata = is_label(outcome, favorable).astype(np.int64)
    keys = row_keys(table)
    return {each: holdout(keys, strata, test_size=test_size, seed=each) for each in listed}
