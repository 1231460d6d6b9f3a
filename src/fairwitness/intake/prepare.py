"""Prepare a case: resolve columns, judge every row once, sort rows by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fairwitness.case import Case
from fairwitness.errors import ConfigError, DataError
from fairwitness.model import BlackBox, CrossFitted, Judgement, as_blackbox
from fairwitness.rng import seed_from
from fairwitness.table import (
    Encoder,
    Groups,
    Schema,
    canonical_order,
    column_names,
    n_rows,
    parse_sensitive_spec,
    row_keys,
    select_columns,
    sensitive_groups,
    take_rows,
)
from fairwitness.table.frames import column_values
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, IntArray, MissingPolicy, NativeFrame, RandomState


def prepare_case(
    model: object,
    X: NativeFrame,
    y: object = None,
    *,
    sensitive_features: object,
    privileged: object = None,
    favorable: object = 1,
    schema: Schema | None = None,
    k: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    missing: MissingPolicy = "group",
    intersections: bool = True,
    confidence: float = 0.95,
    minimum_n: int = 30,
    outcome: str | None = None,
    people: str = "people",
    settings: Mapping[str, object] | None = None,
) -> Case:
    """Check what the user gave, judge every row once, and put the rows into canonical order.

    Parameters are those of :class:`fairwitness.Audit`.

    Raises
    ------
    DataError
        If the table is empty, lengths differ, a column is missing, or ``missing="error"`` and a
        sensitive value is missing.
    ConfigError
        If ``k``, ``confidence`` or ``random_state`` makes no sense.
    ModelError
        If the model cannot be asked.
    """
    if k < 1:
        raise ConfigError("k must be at least 1", got=k, fix="ask for 1 or more counterfactuals a person")
    if not 0 < confidence < 1:
        raise ConfigError("confidence must lie between 0 and 1", got=confidence, fix="pass for example 0.95")
    rows = n_rows(X)
    if rows == 0:
        raise DataError("the table has no rows", fix="pass at least one row for each group")
    sensitive, named = resolve_sensitive(X, sensitive_features)
    boxes = _boxes(model, favorable)
    wanted = input_columns(X, boxes[0], named)
    inputs = select_columns(X, wanted)
    good = None if y is None else _favorable_outcome(y, favorable, rows)

    order = canonical_order(inputs, *sensitive.values(), *(() if good is None else (good,)))
    fold = model.fold_of(inputs)[order] if isinstance(model, CrossFitted) else np.zeros(rows, dtype=np.int64)
    if (fold < 0).any():
        raise DataError(
            f"{int((fold < 0).sum())} rows were not in the table that the model was cross-fitted on",
            fix="audit the table that CrossFitted.fit was given",
        )
    judgement = _judge(boxes, fold, inputs, order)
    inputs = take_rows(inputs, order)
    schema = schema.select(wanted) if schema is not None else Schema.infer(inputs)
    groups = sensitive_groups(
        {name: values[order] for name, values in sensitive.items()},
        privileged=privileged,
        accepted=judgement.accepted,
        missing=missing,
        intersections=intersections,
    )
    return Case(
        models=boxes,
        fold=fold,
        inputs=inputs,
        evidence=select_columns(inputs, [name for name in wanted if name not in _sensitive_columns(groups)]),
        groups=groups,
        y=None if good is None else good[order],
        judgement=judgement,
        schema=schema,
        encoder=Encoder.fit(inputs, schema),
        row_key=row_keys(inputs),
        row_number=order,
        k=k,
        seed=seed_from(random_state),
        n_jobs=n_jobs,
        confidence=confidence,
        minimum_n=minimum_n,
        favorable=f"{plain(outcome)} = {plain(favorable)}" if outcome else plain(favorable),
        people=people,
        settings=dict(settings or {}),
    )


def resolve_sensitive(
    X: NativeFrame, sensitive_features: object
) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Find the sensitive values, given by column name, as a cut, or beside the table.

    Returns
    -------
    values
        Name (or cut, such as ``"age > 25"``) → (n,) values in the user's row order.
    named
        The columns of ``X`` they were taken from, or share a name with.
    """
    present = column_names(X)
    rows = n_rows(X)
    if isinstance(sensitive_features, str):
        sensitive_features = [sensitive_features]
    if isinstance(sensitive_features, Mapping):
        values = {str(name): np.asarray(column, dtype=object) for name, column in sensitive_features.items()}
    elif isinstance(sensitive_features, Sequence) and all(isinstance(s, str) for s in sensitive_features):
        values = {}
        for name in sensitive_features:
            column = name if name in present else parse_sensitive_spec(name)[0]
            if column not in present:
                raise DataError(
                    f"the table has no sensitive column {plain(column)}",
                    fix=f"name one of {listing([plain(each) for each in present], most=20)}",
                )
            values[name] = column_values(X, column)
    elif hasattr(sensitive_features, "columns") or hasattr(sensitive_features, "column_names"):
        values = {name: column_values(sensitive_features, name) for name in column_names(sensitive_features)}
    elif hasattr(sensitive_features, "__len__"):
        name = str(getattr(sensitive_features, "name", None) or "sensitive feature")
        values = {name: np.asarray(sensitive_features, dtype=object)}
    else:
        raise ConfigError(
            "sensitive_features must be column names, a frame, a column or a mapping",
            got=type(sensitive_features).__name__,
            fix='pass for example sensitive_features=["sex", "age > 25"]',
        )
    if not values:
        raise ConfigError("sensitive_features is empty", fix="name at least one sensitive feature")
    for name, column in values.items():
        if column.shape != (rows,):
            raise DataError(
                f"the sensitive feature {plain(name)} and the table have different lengths",
                got=f"{column.shape[0] if column.ndim else 1} and {rows}",
                fix="pass one value a row, in the order of the rows",
            )
    taken = {name if name in present else parse_sensitive_spec(name)[0] for name in values}
    return values, tuple(name for name in present if name in taken)


def input_columns(X: NativeFrame, model: BlackBox, sensitive: Sequence[str]) -> list[str]:
    """Choose the columns the model reads: those it was trained on, else all but the sensitive ones."""
    present = column_names(X)
    known = model.info.feature_names
    if known is None:
        wanted = [name for name in present if name not in sensitive]
    else:
        wanted = list(known)
        absent = [name for name in known if name not in present]
        if absent:
            raise DataError(
                f"the table lacks {len(absent)} columns that the model was trained on: "
                f"{listing([plain(name) for name in absent])}",
                fix="pass the table that the model is used with, before any encoding of your own",
            )
    if not wanted:
        raise DataError(
            "no column is left for the model to read",
            fix="pass the model's input columns beside the sensitive",
        )
    return wanted


def _sensitive_columns(groups: Sequence[Groups]) -> set[str]:
    columns: set[str] = set()
    for group in groups:
        for part in group.parts:
            columns |= {part, parse_sensitive_spec(part)[0]}
    return columns


def _boxes(model: object, favorable: object) -> tuple[BlackBox, ...]:
    if isinstance(model, CrossFitted):
        return tuple(model.members(favorable=favorable))
    return (as_blackbox(model, favorable=favorable),)


def _favorable_outcome(y: object, favorable: object, rows: int) -> BoolArray:
    values = np.asarray(y, dtype=object).ravel()
    if len(values) != rows:
        raise DataError(
            "the outcome and the table have different lengths",
            got=f"{len(values)} and {rows}",
            fix="pass one outcome a row, in the order of the rows",
        )
    unknown = np.array([value is None or value != value for value in values], dtype=bool)
    if unknown.any():
        raise DataError(
            f"the outcome is missing in {int(unknown.sum())} rows, first in row {int(unknown.argmax())}",
            fix="leave those rows out, or audit without an outcome",
        )
    good = np.array([value == favorable for value in values], dtype=bool)
    if not good.any():
        seen = sorted({plain(value) for value in values})
        raise DataError(
            f"no row has the favourable outcome {plain(favorable)}",
            got=listing(seen),
            fix="pass favorable= one of these values, in its own type",
        )
    return good


def _judge(boxes: Sequence[BlackBox], fold: IntArray, inputs: NativeFrame, order: IntArray) -> Judgement:
    """Judge every row with its own model; rows of the result are in canonical order."""
    if len(boxes) == 1:
        given = boxes[0].judge(inputs)
        return Judgement(accepted=given.accepted[order], score=given.score[order])
    accepted = np.zeros(len(order), dtype=bool)
    score = np.full(len(order), np.nan)
    for member, box in enumerate(boxes):
        mine = np.flatnonzero(fold == member)
        part = box.judge(take_rows(inputs, order[mine]))
        accepted[mine], score[mine] = part.accepted, part.score
    return Judgement(accepted=accepted, score=score)
