"""Prepare a case: resolve columns, judge every row once, sort rows by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairwitness.case import Case
from fairwitness.errors import ConfigError, DataError, GroupError
from fairwitness.model import BlackBox, CrossFitted, Judgement, as_blackbox, judge_by_fold
from fairwitness.rng import seed_from
from fairwitness.table import (
    Encoder,
    Groups,
    Schema,
    canonical_order,
    column_names,
    n_rows,
    native_column,
    parse_sensitive_spec,
    row_keys,
    select_columns,
    sensitive_columns,
    sensitive_groups,
    take_rows,
)
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, MissingPolicy, NativeFrame, RandomState


def prepare_case(
    model: object,
    X: NativeFrame,
    y: object = None,
    *,
    sensitive_features: object,
    privileged: object = None,
    favorable: object = 1,
    threshold: float = 0.5,
    evidence: Sequence[str] | None = None,
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

    Parameters are those of :class:`fairwitness.Audit`; besides, ``sensitive_features`` may be one
    :class:`fairwitness.table.Groups` of the rows, and ``evidence`` names the columns a sensitive-feature
    classifier may see (default: the model's inputs without the sensitive columns).

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
    boxes = _boxes(model, favorable, threshold)
    wanted = input_columns(X, boxes[0], named)
    inputs = select_columns(X, wanted)
    good = None if y is None else _favorable_outcome(y, favorable, rows)

    fold = model.fold_of(inputs) if isinstance(model, CrossFitted) else np.zeros(rows, dtype=np.int64)
    if (fold < 0).any():
        raise DataError(
            f"{int((fold < 0).sum())} rows were not in the table that the model was cross-fitted on",
            fix="audit the table that CrossFitted.fit was given",
        )
    # Judged in the user's order: a column of predictions knows its rows by their position.
    judgement = judge_by_fold(boxes, fold, inputs)
    if isinstance(sensitive, Groups):
        groups: tuple[Groups, ...] = (
            sensitive if privileged is None else sensitive.with_privileged(privileged),
        )
    else:
        groups = sensitive_groups(
            sensitive,
            privileged=privileged,
            accepted=judgement.accepted,
            missing=missing,
            intersections=intersections and len(sensitive) > 1,
            minimum_n=minimum_n,
        )
    order = canonical_order(inputs, _known(groups, good))
    inputs = take_rows(inputs, order)
    schema = schema.select(wanted) if schema is not None else Schema.infer(inputs)
    if evidence is None:
        hidden = {*named, *_columns_of(groups)}
        seen = select_columns(inputs, [name for name in wanted if name not in hidden])
    else:
        seen = take_rows(select_columns(X, list(evidence)), order)
    return Case(
        models=boxes,
        fold=fold[order],
        inputs=inputs,
        evidence=seen,
        groups=tuple(each.take(order) for each in groups),
        y=None if good is None else good[order],
        judgement=Judgement(accepted=judgement.accepted[order], score=judgement.score[order]),
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
) -> tuple[dict[str, Any] | Groups, tuple[str, ...]]:
    """Find the sensitive values, given by column name, as a cut, beside the table, or as groups.

    Returns
    -------
    values
        Name (or cut, such as ``"age > 25"``) → n values in the user's row order; or the groups.
    named
        The columns of ``X`` they were taken from, or share a name with.
    """
    rows, present = n_rows(X), column_names(X)
    if isinstance(sensitive_features, Groups):
        _same_length(sensitive_features.name, len(sensitive_features.codes), rows)
        parts = _columns_of([sensitive_features])
        return sensitive_features, tuple(name for name in present if name in parts)
    values = _sensitive_values(X, sensitive_features, set(present))
    if not values:
        raise ConfigError("sensitive_features is empty", fix="name at least one sensitive feature")
    for name, column in values.items():
        _same_length(name, len(column), rows)
    taken = {column for name in values for column in _names_of(name)}
    return values, tuple(name for name in present if name in taken)


def _sensitive_values(X: NativeFrame, given: object, present: set[str]) -> dict[str, Any]:
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        return {str(name): column for name, column in given.items()}
    # A list of as many texts as there are rows is a column of values, unless it names columns.
    if (
        isinstance(given, list | tuple)
        and all(isinstance(spec, str) for spec in given)
        and (len(given) != n_rows(X) or all(_names_of(spec) & present for spec in given))
    ):
        return sensitive_columns(X, list(given))
    if hasattr(given, "columns") or hasattr(given, "column_names"):
        return {name: native_column(given, name) for name in column_names(given)}
    if hasattr(given, "__len__"):
        return {str(getattr(given, "name", None) or "sensitive feature"): given}
    raise ConfigError(
        "sensitive_features must be column names, a frame, a column or a mapping",
        got=type(given).__name__,
        fix='pass for example sensitive_features=["sex", "age > 25"]',
    )


def _same_length(name: str, length: int, rows: int) -> None:
    if length != rows:
        raise DataError(
            f"the sensitive feature {plain(name)} and the table have different lengths",
            got=f"{length} and {rows}",
            fix="pass one value a row, in the order of the rows",
        )


def input_columns(X: NativeFrame, model: BlackBox, sensitive: Sequence[str]) -> list[str]:
    """Choose the columns the model reads: those it was trained on, else all but the sensitive ones."""
    if model.info.feature_names is None:
        wanted = [name for name in column_names(X) if name not in sensitive]
    else:
        wanted = model.columns_in(X)
    if not wanted:
        raise DataError(
            "no column is left for the model to read",
            fix="pass the model's input columns beside the sensitive",
        )
    return wanted


def _columns_of(groups: Sequence[Groups]) -> set[str]:
    """Give the names under which the groups' columns may stand in a table."""
    return {name for group in groups for part in (group.name, *group.parts) for name in _names_of(part)}


def _names_of(part: str) -> set[str]:
    try:
        return {part, parse_sensitive_spec(part).column}
    except GroupError:  # a name that only looks like a cut
        return {part}


def _known(groups: Sequence[Groups], good: BoolArray | None) -> NativeFrame:
    """What is known of each row besides the inputs: part of its content, so that equal tables sort alike."""
    import pandas as pd

    columns = {f"group {at}": group.codes for at, group in enumerate(groups)}
    return pd.DataFrame(columns if good is None else {**columns, "outcome": good})


def _boxes(model: object, favorable: object, threshold: float) -> tuple[BlackBox, ...]:
    if isinstance(model, CrossFitted):
        return tuple(model.members(favorable=favorable, threshold=threshold))
    return (as_blackbox(model, favorable=favorable, threshold=threshold),)


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
