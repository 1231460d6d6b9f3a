"""From ``evaluate.toml`` to an evaluation: read the table, load or make the models, measure them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairwitness.arguments import shown
from fairwitness.compared import model_of_file
from fairwitness.config_compare import place
from fairwitness.config_tables import ComparedConfig, EvaluationConfig
from fairwitness.errors import ConfigError, DataError, FairwitnessError
from fairwitness.metrics.evaluation.evaluating import evaluate
from fairwitness.metrics.evaluation.results import Evaluation
from fairwitness.metrics.evaluation.runs import Predictions, are_numbers
from fairwitness.model import decision_makers
from fairwitness.model.adapters.answers import is_scores
from fairwitness.model.labels import as_labels, is_label, missing_labels, own
from fairwitness.rng import child_seed
from fairwitness.table import Schema, column, column_names, parse_sensitive_spec, read_table, select_columns
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame


def evaluation_from_config(config: EvaluationConfig) -> Evaluation:
    """Measure the models that a configuration names.

    Classifiers decide between the favourable outcome and the rest, whatever words table and models have for
    them.

    Raises
    ------
    FairwitnessError
        If the table or a model cannot be read, or they do not fit together. A model that cannot be trained
        or asked is no error: it is among the evaluation's ``failures``.
    """
    frame = _read(config)
    settings = config.evaluate
    y, regression = _outcome(config, frame)
    X = _inputs(config, frame)
    models = {name: _model(config, name, frame, X, y, regression) for name in config.models}
    return evaluate(
        models,
        X,
        y,
        sensitive_features=list(config.sensitive.columns),
        task="regression" if regression else "classification",
        metrics=list(settings.metrics),
        privileged=dict(config.sensitive.privileged) or None,
        missing=config.sensitive.missing,  # type: ignore[arg-type]  # checked by CHOICES
        intersections=config.sensitive.intersections and len(config.sensitive.columns) > 1,
        seeds=settings.seeds,
        test_size=settings.test_size,
        confidence=settings.confidence,
        minimum_n=settings.minimum_n,
        n_resamples=settings.resamples,
        random_state=config.run.seed,
        n_jobs=config.run.n_jobs,
    )


def _read(config: EvaluationConfig) -> NativeFrame:
    table = config.table
    frame = read_table(
        table.path,
        na_values=table.na_values,
        encoding=table.encoding,
        separator=table.separator,
        decimal=table.decimal,
    )
    present = column_names(frame)
    named = [
        *(("table", "drop", name) for name in table.drop),
        ("table", "id", table.id),
        ("outcome", "column", config.outcome.column),
        *(("sensitive", "columns", _column_of(name, present)) for name in config.sensitive.columns),
        *(("models", key, each.predictions) for key, each in config.models.items()),
        *(("models", key, each.scores) for key, each in config.models.items()),
        *(("models", key, name) for key, each in config.models.items() for name in each.features),
    ]
    for section, key, name in named:
        if name is not None and name not in present:
            raise DataError(
                f"{place(config, section, key)}: {plain(table.path.name)} has no column {plain(name)!r}",
                fix=f"use one of {listing([plain(each) for each in present], most=20)}",
            )
    return frame


def _column_of(spec: str, present: list[str]) -> str:
    return spec if spec in present else parse_sensitive_spec(spec).column


def _outcome(config: EvaluationConfig, frame: NativeFrame) -> tuple[np.ndarray | None, bool]:
    """Give the outcome as numbers, or 1 for the favourable one, and whether it is a regression's."""
    name, task = config.outcome.column, config.evaluate.task
    if name is None:
        return None, task == "regression"
    values = as_labels(column(frame, name))
    gaps = missing_labels(values)
    if gaps.any():
        raise DataError(
            f"{place(config, 'outcome', 'column')}: the outcome {plain(name)} is missing in "
            f"{int(gaps.sum()):,} of {len(values):,} rows, first in row {int(gaps.argmax()) + 1:,}",
            fix="leave those rows out of the table",
        )
    if values.dtype == object and all(isinstance(own(each), int | float) for each in values.tolist()):
        values = np.array([own(each) for each in values.tolist()])
    if task == "regression" or (task == "auto" and are_numbers(values)):
        return values, True
    good = is_label(values, config.outcome.favorable)
    if not good.any():
        seen = sorted({shown(own(each)) for each in values[:10_000].tolist()})
        raise DataError(
            f"{place(config, 'outcome', 'favorable')}: no row of {plain(name)} has the favourable value "
            f"{shown(config.outcome.favorable)}",
            got=listing(seen, most=8),
            fix='name one of these as favorable, or task = "regression" where the outcome is a number',
        )
    return good.astype(np.int64), False


def _inputs(config: EvaluationConfig, frame: NativeFrame) -> NativeFrame:
    """Give the columns that models may read: neither outcome nor predictions, and the sensitive ones."""
    gone = {*config.table.drop, config.table.id, config.outcome.column}
    for each in config.models.values():
        gone |= {each.predictions, each.scores}
    present = column_names(frame)
    gone -= {_column_of(name, present) for name in config.sensitive.columns}
    return select_columns(frame, [name for name in present if name not in gone])


def _model(
    config: EvaluationConfig,
    name: str,
    frame: NativeFrame,
    X: NativeFrame,
    y: np.ndarray | None,
    regression: bool,
) -> object:
    asked = config.models[name]
    good = config.outcome.favorable if asked.favorable is None else asked.favorable
    if asked.predictions is not None:
        scores = None if asked.scores is None else _numbers(config, name, frame, asked.scores)
        return Predictions(_decisions(frame, asked, good, regression=regression), scores)
    if asked.train is not None:
        return _maker(config, name, X, regression=regression)
    try:
        return model_of_file(asked, good)
    except FairwitnessError as error:
        raise type(error)(
            f"{place(config, 'models', name)}: {error.what}", got=error.got, fix=error.fix
        ) from error


def _decisions(frame: NativeFrame, asked: ComparedConfig, good: object, *, regression: bool) -> np.ndarray:
    """Give predictions as numbers, scores, or 1 for the favourable outcome."""
    assert asked.predictions is not None
    values = as_labels(column(frame, asked.predictions))
    if values.dtype == object and all(isinstance(own(each), int | float) for each in values.tolist()):
        values = np.array([own(each) for each in values.tolist()])
    gaps = missing_labels(values)
    if regression or gaps.any():
        return values
    if is_scores(values, favorable=good, output="auto"):
        scores = values.astype(np.float64)
        inside = bool(((scores >= 0) & (scores <= 1)).all())
        return (scores >= asked.threshold).astype(np.int64) if asked.threshold != 0.5 and inside else scores
    accepted = is_label(values, good)
    text = all(isinstance(each, str) for each in values.tolist())
    # A column of one label may say no to everybody; numbers beside a word say nothing of it.
    odd = len(set(values.tolist())) > 1 if text else isinstance(good, str)
    if odd and not accepted.any():
        raise DataError(
            f"no prediction in {plain(asked.predictions)} is {shown(good)}",
            got=listing(sorted({shown(each) for each in values.tolist()}), most=8),
            fix="name the favourable one of these as favorable of that model",
        )
    return accepted.astype(np.int64)


def _numbers(config: EvaluationConfig, name: str, frame: NativeFrame, scores: str) -> np.ndarray:
    try:
        return np.asarray(column(frame, scores), dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{place(config, 'models', name)}: the scores in {plain(scores)} are no numbers",
            fix="name a column of numbers from 0 to 1",
        ) from None


def _maker(config: EvaluationConfig, name: str, X: NativeFrame, *, regression: bool) -> object:
    """Give an estimator that is not fitted and reads the columns that are not sensitive."""
    from fairwitness.fair import decision_makers as fair_makers
    from fairwitness.fair.makers import FAIR_DECISION_MAKERS

    asked = config.models[name]
    assert asked.train is not None
    if regression:
        raise ConfigError(
            f"{place(config, 'models', name)}: {asked.train} learns two outcomes, and this one is a number",
            fix="name a model file or a column of predictions",
        )
    sensitive = {_column_of(each, column_names(X)) for each in config.sensitive.columns}
    wanted = list(asked.features) or [each for each in column_names(X) if each not in sensitive]
    outside = [each for each in wanted if each not in column_names(X)]
    if outside or not wanted:
        what = plain(outside[0]) if outside else "no column"
        raise DataError(
            f"{place(config, 'models', name)}: a model cannot be trained on {what}",
            fix=f"use some of {listing([plain(each) for each in column_names(X)], most=20)}",
        )
    seed = child_seed(config.run.seed, "train", name)
    schema = Schema.infer(select_columns(X, wanted))
    makers: Mapping[str, Any] = (
        fair_makers(schema, only=[asked.train], quick=True, random_state=seed)
        if asked.train in FAIR_DECISION_MAKERS
        else decision_makers(schema, only=[asked.train], quick=True, random_state=seed)
    )
    return makers[asked.train].estimator
