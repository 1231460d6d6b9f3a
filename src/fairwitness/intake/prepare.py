"""Prepare a case: resolve columns, judge every row once, sort rows by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.arguments import check_jobs, shown, whole_number
from fairwitness.case import Case
from fairwitness.errors import ConfigError, DataError
from fairwitness.findings import load_thresholds
from fairwitness.intake.nodes import read_setting
from fairwitness.intake.others import judge_others
from fairwitness.model import BlackBox, CrossFitted, Judgement, as_blackbox, judge_by_fold
from fairwitness.model.labels import as_labels, is_label, missing_labels, own, same
from fairwitness.rng import seed_from
from fairwitness.stats.intervals import check_confidence
from fairwitness.table import (
    Encoder,
    Groups,
    Schema,
    canonical_order,
    column_names,
    n_rows,
    native_column,
    row_keys,
    select_columns,
    sensitive_columns,
    sensitive_groups,
    take_rows,
)
from fairwitness.table.cuts import spec_of_name
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, MissingPolicy, NativeFrame, RandomState

if TYPE_CHECKING:
    from fairwitness.causal.graph.causal_graph import CausalGraph

#: Counterfactuals a person, at most: the measures hold one number for each person and rank.
MOST_K = 10_000
#: Options of the methods.
SETTINGS = (
    "generator", "classifier", "convention", "shortfall", "max_people", "thresholds",
    "decision", "bins", "tau", "paths", "redlining", "sampling_error",
)  # fmt: skip
#: What a sensitive feature without a name is called.
UNNAMED = "sensitive feature"


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
    graph: CausalGraph | None = None,
    compare: Mapping[str, object] | None = None,
    k: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    missing: MissingPolicy = "group",
    intersections: bool | Sequence[Sequence[str]] = True,
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
        If a number or a setting makes no sense, a black box was made for another favourable label, or the
        causal graph does not fit the table.
    ModelError
        If the model cannot be asked.
    """
    k = whole_number(k, "k", most=MOST_K, fix="ask for that many counterfactuals a person, for example k=100")
    confidence = check_confidence(confidence)
    minimum_n = whole_number(minimum_n, "minimum_n", least=0, fix="pass for example minimum_n=30")
    check_jobs(n_jobs)
    settings = _settings(settings)
    rows = n_rows(X)
    if rows == 0:
        raise DataError("the table has no rows", fix="pass at least one row for each group")
    if schema is not None and not isinstance(schema, Schema):
        raise ConfigError(
            "schema is no Schema", got=shown(schema), fix="pass Schema.infer(table), or leave it out"
        )
    sensitive, named = resolve_sensitive(X, sensitive_features)
    _same_index(X, y, sensitive)
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
            intersections=_crossings(intersections) if len(sensitive) > 1 else False,
            minimum_n=minimum_n,
        )
    order = canonical_order(inputs, _known(groups, good))
    inputs = take_rows(inputs, order)
    schema = schema.select(wanted) if schema is not None else Schema.infer(inputs)
    if evidence is None:
        hidden = {*named, *_columns_of(groups)}
        seen = select_columns(inputs, [name for name in wanted if name not in hidden])
    else:
        named_columns = [evidence] if isinstance(evidence, str) else list(evidence)
        seen = take_rows(select_columns(X, named_columns), order)
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
        settings=settings,
        compared=judge_others(compare, X, order, favorable=favorable, threshold=threshold),
        causal=None
        if graph is None
        else read_setting(
            graph,
            X,
            order,
            groups=groups,
            decision=settings.get("decision"),
            outcome=outcome,
            has_outcome=good is not None,
            cut=_cut(settings),
        ),
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
        _same_length(sensitive_features.name, sensitive_features.codes, rows)
        parts = _columns_of([sensitive_features])
        return sensitive_features, tuple(name for name in present if name in parts)
    values = _sensitive_values(X, sensitive_features, set(present))
    if not values:
        raise ConfigError("sensitive_features is empty", fix="name at least one sensitive feature")
    for name, column in values.items():
        _same_length(name, column, rows)
    taken = {column for name in values for column in _names_of(name)}
    return values, tuple(name for name in present if name in taken)


def _sensitive_values(X: NativeFrame, given: object, present: set[str]) -> dict[str, Any]:
    if isinstance(given, str):
        given = [given]
    if isinstance(given, int) and not isinstance(given, bool) and str(given) in present:
        given = [str(given)]  # a column of a table whose columns have numbers for names
    if isinstance(given, Mapping):
        return {str(name): column for name, column in given.items()}
    if isinstance(given, Set):
        raise ConfigError("a set has no order", got=shown(given), fix="pass a list of names")
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
        return {str(getattr(given, "name", None) or UNNAMED): given}
    raise ConfigError(
        "sensitive_features must be column names, a frame, a column or a mapping",
        got=type(given).__name__,
        fix='pass for example sensitive_features=["sex", "age > 25"]',
    )


def _same_length(name: str, column: object, rows: int) -> None:
    what = "the sensitive feature" if name == UNNAMED else f"the sensitive feature {plain(name)}"
    if isinstance(column, str) or not hasattr(column, "__len__"):
        raise DataError(
            f"{what} is no column of values",
            got=shown(column),
            fix="pass one value a row, or a list of column names",
        )
    if len(column) != rows:
        raise DataError(
            f"{what} and the table have different lengths",
            got=f"{len(column)} and {rows}",
            fix="pass one value a row in the order of the rows, or names of columns of the table",
        )


def _same_index(X: NativeFrame, y: object, sensitive: Mapping[str, Any] | Groups) -> None:
    """Refuse pandas columns whose index is not the table's: rows are matched by place, never by index."""
    beside = {} if isinstance(sensitive, Groups) else dict(sensitive)
    wanted: Any = getattr(X, "index", None)
    if not hasattr(wanted, "equals"):
        return
    for name, column in {"the outcome": y, **beside}.items():
        index: Any = getattr(column, "index", None)
        if hasattr(index, "equals") and not index.equals(wanted):
            raise DataError(
                f"{plain(name)} and the table have different indexes",
                got=f"{shown(index[:3].tolist())} ... and {shown(wanted[:3].tolist())} ...",
                fix="align them, or pass .to_numpy() if their rows are in the same order",
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
    return {part, spec_of_name(part).column}


def _known(groups: Sequence[Groups], good: BoolArray | None) -> NativeFrame:
    """What is known of each row besides the inputs: part of its content, so that equal tables sort alike."""
    import pandas as pd

    columns = {f"group {at}": group.codes for at, group in enumerate(groups)}
    return pd.DataFrame(columns if good is None else {**columns, "outcome": good})


def _boxes(model: object, favorable: object, threshold: float) -> tuple[BlackBox, ...]:
    if isinstance(model, CrossFitted):
        return tuple(model.members(favorable=favorable, threshold=threshold))
    box = as_blackbox(model, favorable=favorable, threshold=threshold)
    # A black box that was made before keeps its own label; the outcome would be read with another.
    if not same(box.in_table, favorable):
        raise ConfigError(
            f"the black box was made for the favourable label {shown(box.in_table)}",
            got=f"favorable={shown(favorable)}",
            fix="pass the same favorable= in both places",
        )
    if threshold != 0.5 and box.threshold != threshold:
        raise ConfigError(
            f"the black box was made with the threshold {box.threshold:g}",
            got=f"threshold={threshold:g}",
            fix="pass the same threshold= in both places",
        )
    return (box,)


def _crossings(given: bool | Sequence[Sequence[str]] | None) -> bool | Sequence[Sequence[str]]:
    if isinstance(given, str):
        raise ConfigError(
            "intersections must be True, False or lists of names",
            got=shown(given),
            fix='pass for example intersections=[("race", "sex")]',
        )
    return given if isinstance(given, Sequence) else bool(given)


def _settings(given: Mapping[str, object] | None) -> dict[str, object]:
    """Check the names of method options, and thresholds, before anybody waits for a result."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ConfigError(
            "settings must be a mapping", got=shown(given), fix='pass for example {"convention": "published"}'
        )
    unknown = [name for name in given if name not in SETTINGS]
    if unknown:
        raise ConfigError(
            "there is no such setting",
            got=listing([shown(name) for name in unknown]),
            fix=f"use some of {listing(SETTINGS)}",
        )
    load_thresholds(given.get("thresholds"))
    return dict(given)


def _cut(settings: Mapping[str, object]) -> Set[str]:
    bins = settings.get("bins")
    return set(map(str, bins)) if isinstance(bins, Mapping) else set()


def _favorable_outcome(y: object, favorable: object, rows: int) -> BoolArray:
    if isinstance(y, str):
        raise ConfigError(
            "the outcome is a name, not a column", got=shown(y), fix=f"pass the column itself, X[{shown(y)}]"
        )
    values = as_labels(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != rows:
        raise DataError(
            "the outcome and the table have different lengths",
            got=f"shape {values.shape} and {rows} rows",
            fix="pass one outcome a row, in the order of the rows",
        )
    unknown = missing_labels(values)
    if unknown.any():
        raise DataError(
            f"the outcome is missing in {int(unknown.sum())} rows, first in row {int(unknown.argmax())}",
            fix="leave those rows out, or audit without an outcome",
        )
    good = is_label(values, favorable)
    if not good.any():
        seen = sorted({shown(own(value)) for value in values[:10_000].tolist()})
        raise DataError(
            f"no row has the favourable outcome {shown(favorable)}",
            got=listing(seen),
            fix="pass favorable= one of these values, in its own type",
        )
    return good
