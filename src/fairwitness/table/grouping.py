"""From columns of values to :class:`Groups`: labels, missing values, privileged group, crossings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike

from fairwitness.errors import ConfigError, GroupError
from fairwitness.table.columns import Column, read_column
from fairwitness.table.cuts import cut, spec_of_name
from fairwitness.table.frames import column_labels
from fairwitness.table.groups import BY_RATE, BY_SIZE, CROSS, GIVEN, Groups
from fairwitness.table.levels import level_text, sort_levels
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, FloatArray, IntArray, MissingPolicy

#: A number with more distinct values than this is no group label without a cut.
MOST_NUMBERS = 10
UNNAMED = "sensitive feature"
MISSING = "missing"


def build_groups(
    sensitive_features: Any,
    *,
    privileged: object,
    accepted: ArrayLike | None,
    missing: MissingPolicy,
    intersections: bool | Sequence[Sequence[str]],
    max_groups: int,
    minimum_n: int,
    rows: ArrayLike | None = None,
) -> tuple[Groups, ...]:
    """Do the work of :func:`fairwitness.table.groups.sensitive_groups`."""
    if not isinstance(missing, str) or missing not in get_args(MissingPolicy):
        raise ConfigError(
            "unknown policy for missing values",
            got=plain(missing),
            fix=f"use {listing(get_args(MissingPolicy))}",
        )
    columns = _columns(sensitive_features)
    amounts = None if rows is None else np.asarray(rows, dtype=np.int64)
    features = [_feature(name, values, missing, max_groups, amounts) for name, values in columns.items()]
    names = [groups.name for groups in features]
    if len(set(names)) < len(names):
        raise GroupError(
            "two sensitive features are the same",
            got=listing([plain(name) for name in names]),
            fix="name each of them once",
        )
    lengths = {len(groups.codes) for groups in features}
    if len(lengths) > 1:
        raise GroupError(
            "the sensitive features differ in their number of rows",
            got=listing([f"{plain(groups.name)}: {len(groups.codes)}" for groups in features]),
            fix="pass columns of one table",
        )
    crossings = [[_named(features, name) for name in names] for names in _crossings(features, intersections)]
    crossed = [_cross(parts, max_groups) for parts in crossings]
    outcome = _outcome(accepted, lengths.pop())
    if outcome is not None and amounts is not None:
        outcome = outcome * amounts
    given = _given(privileged, features, crossed)
    done = {each.name: _privilege(each, given.get(each.name), outcome, minimum_n) for each in features}
    for groups, parts in zip(crossed, crossings, strict=True):
        label = given.get(groups.name)
        if label is None:
            label = _crossed_label(groups, [done[part.name] for part in parts])
        done[groups.name] = _privilege(groups, label, outcome, minimum_n)
    return tuple(done.values())


def _columns(features: Any) -> dict[str, Any]:
    if nw.dependencies.is_into_dataframe(features):
        labels = column_labels(features)
        columns = {name: features[label] for name, label in labels.items()}
    elif isinstance(features, Mapping):
        columns = {str(name): values for name, values in features.items()}
    elif nw.dependencies.is_into_series(features):
        name = getattr(features, "name", None)
        columns = {UNNAMED if name is None or name == "" else str(name): features}
    else:
        columns = {UNNAMED: features}
    if not columns:
        raise GroupError("no sensitive feature is given", fix="name at least one column")
    return columns


def _feature(
    name: str, values: Any, missing: MissingPolicy, max_groups: int, amounts: IntArray | None
) -> Groups:
    column = read_column(values, name=name)
    spec = spec_of_name(name)
    parts = (spec.column,) if spec.is_cut and column.family != "text" else (name,)
    if spec.is_cut and column.family in {"integer", "float"}:
        name = spec.labels[0]
        column = read_column(cut(values, spec), name=name)
        codes, labels = _labelled(column, order=spec.labels)
    elif spec.is_cut and column.family == "boolean":
        name = spec.labels[0]
        codes, labels = _labelled(column)
        labels = tuple(spec.labels[label == "False"] for label in labels)
    else:
        codes, labels = _labelled(column)
    return _with_missing(name, codes, labels, parts, missing, max_groups, amounts)


def _labelled(column: Column, order: tuple[str, ...] | None = None) -> tuple[IntArray, tuple[str, ...]]:
    """Number the values that occur in a fixed order and write them as text."""
    codes, values = column.factorize()
    met = np.bincount(codes[codes >= 0], minlength=len(values)) > 0
    observed = [value for value, was_met in zip(values, met.tolist(), strict=True) if was_met]
    distinct = sort_levels(observed)
    name = plain(column.name)
    if column.family in {"integer", "float"} and len(distinct) > MOST_NUMBERS:
        middle = level_text(float(np.median([float(str(value)) for value in distinct])))
        raise GroupError(
            f"{name!r} is a number with {len(distinct)} different values and makes no groups by itself",
            got=f"{level_text(distinct[0])} to {level_text(distinct[-1])}",
            fix=f'say where to cut it, e.g. "{name} > {middle}", or turn it into bands',
        )
    if order is not None or (column.ordered and column.declared is not None):
        ranking = order if order is not None else column.declared or ()
        distinct = tuple(value for value in ranking if value in distinct)
    labels = tuple(level_text(value) for value in distinct)
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise GroupError(
            f"{name!r} has different values that read alike",
            got=plain(twice),
            fix="convert the column to text",
        )
    place = {value: position for position, value in enumerate(distinct)}
    table = np.array([place.get(value, -1) for value in values] + [-1], dtype=np.int64)
    return table[codes], labels


def _with_missing(
    name: str,
    codes: IntArray,
    labels: tuple[str, ...],
    parts: tuple[str, ...],
    missing: MissingPolicy,
    max_groups: int,
    amounts: IntArray | None,
) -> Groups:
    gaps = codes < 0
    n_missing = _total(gaps, amounts)
    shown = plain(name)
    if not labels:
        raise GroupError(
            f"{shown!r} has no values",
            got=f"{n_missing} missing" if n_missing else "0 rows",
            fix="use a column that is filled in",
        )
    if n_missing and missing == "error":
        raise GroupError(
            f"{shown!r} has missing values",
            got=f"{n_missing} of {_total(gaps | ~gaps, amounts)} rows"
            + (f", the first in row {int(np.flatnonzero(gaps)[0])}" if amounts is None else ""),
            fix='fill them, or pass missing="group" or missing="drop"',
        )
    missing_labels: tuple[int, ...] = ()
    if n_missing and missing == "group":
        label = MISSING
        while label in labels:
            label = f"({label})"
        missing_labels = (len(labels),)
        codes = np.where(gaps, len(labels), codes)
        labels = (*labels, label)
    if len(labels) < 2:
        raise GroupError(
            f"{shown!r} has a single group, so there is nothing to compare",
            got=plain(labels[0]),
            fix="leave it out, or use a column with two or more values",
        )
    _check_number(name, len(labels), max_groups)
    codes.setflags(write=False)
    return Groups(
        name=name,
        labels=labels,
        codes=codes,
        privileged=0,
        missing=missing,
        n_missing=n_missing,
        parts=parts,
        missing_labels=missing_labels,
        rows=amounts,
    )


def _total(chosen: BoolArray, amounts: IntArray | None) -> int:
    """Count the rows that chosen entries stand for."""
    return int(chosen.sum() if amounts is None else amounts[chosen].sum())


def _check_number(name: str, n: int, max_groups: int, *, crossed: bool = False) -> None:
    if n > max_groups:
        raise GroupError(
            f"{plain(name)!r} makes more than {max_groups} groups",
            got=f"{n} groups",
            fix="set intersections to false, or cross fewer columns" if crossed else "merge its rare values",
        )


def _crossings(features: list[Groups], wanted: bool | Sequence[Sequence[str]]) -> list[list[str]]:
    if wanted is True:
        return [[groups.name for groups in features]] if len(features) > 1 else []
    if wanted is False:
        return []
    for names in wanted:
        if isinstance(names, str) or len(set(names)) < 2:
            raise GroupError(
                "an intersection needs two or more sensitive features",
                got=plain(names),
                fix='pass e.g. intersections=[("race", "sex")]',
            )
    return [list(names) for names in wanted]


def _named(features: Sequence[Groups], name: str) -> Groups:
    wanted = spec_of_name(name)
    for groups in features:
        if groups.name == name or (wanted.is_cut and groups.name == wanted.labels[0]):
            return groups
    for groups in features:
        if groups.parts == (name,):
            return groups
    raise GroupError(
        f"there is no sensitive feature {plain(name)!r}",
        got=f"features {listing([plain(groups.name) for groups in features])}",
        fix="use one of these names",
    )


def _cross(features: list[Groups], max_groups: int) -> Groups:
    name = CROSS.join(groups.name for groups in features)
    gone = np.any([groups.codes < 0 for groups in features], axis=0)
    cells, codes = np.unique(
        np.stack([groups.codes for groups in features], axis=1)[~gone], axis=0, return_inverse=True
    )
    _check_number(name, len(cells), max_groups, crossed=True)
    labels = tuple(
        CROSS.join(groups.labels[code] for groups, code in zip(features, cell, strict=True)) for cell in cells
    )
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise GroupError(
            f"the intersection {plain(name)!r} gives no groups that can be told apart",
            got=listing([plain(label) for label in labels]) or "no row with a value in every part",
            fix="leave the intersection out, or rename the values",
        )
    out = np.full(len(gone), -1, dtype=np.int64)
    out[~gone] = codes.ravel()
    out.setflags(write=False)
    unknown = tuple(
        position
        for position, cell in enumerate(cells)
        if any(code in groups.missing_labels for groups, code in zip(features, cell, strict=True))
    )
    return Groups(
        name=name,
        labels=labels,
        codes=out,
        privileged=0,
        missing=features[0].missing,
        n_missing=_total(gone | np.isin(out, unknown), features[0].rows),
        parts=tuple(dict.fromkeys(part for groups in features for part in groups.parts)),
        missing_labels=unknown,
        rows=features[0].rows,
    )


def _outcome(accepted: ArrayLike | None, n: int) -> FloatArray | None:
    if accepted is None:
        return None
    outcome = np.asarray(accepted, dtype=np.float64)
    if outcome.shape != (n,):
        raise GroupError(
            "accepted should have one value for every row",
            got=f"shape {outcome.shape} for {n} rows",
            fix="pass the model's answers on the same table",
        )
    return outcome


def _given(privileged: object, features: list[Groups], crossed: list[Groups]) -> dict[str, object]:
    """Map each feature's name to the privileged label that the user gave."""
    if privileged is None:
        return {}
    if not isinstance(privileged, Mapping):
        if len(features) > 1:
            raise GroupError(
                "there are several sensitive features, so one privileged value is not enough",
                got=plain(privileged),
                fix=f'pass e.g. privileged={{"{plain(features[0].name)}": "{plain(features[0].labels[0])}"}}',
            )
        return {features[0].name: privileged}
    exact = {groups.name: groups for groups in crossed}
    return {
        (exact[name] if name in exact else _named([*features, *crossed], str(name))).name: label
        for name, label in privileged.items()
        if label is not None
    }


def _crossed_label(groups: Groups, parts: list[Groups]) -> str | None:
    if any(part.privileged_reason != GIVEN for part in parts):
        return None
    label = CROSS.join(part.privileged_label for part in parts)
    return label if label in groups.labels else None


def _privilege(groups: Groups, label: object, accepted: FloatArray | None, minimum_n: int) -> Groups:
    if label is not None:
        if isinstance(label, bool) and str(label) not in groups.labels:
            spec = spec_of_name(groups.name)
            label = spec.labels[not label] if spec.is_cut else label
        return groups.with_privileged(label)
    counts = groups.counts
    eligible = counts > 0
    eligible[list(groups.missing_labels)] = False
    if accepted is None:
        return replace(groups, privileged=_first_best(counts, eligible), privileged_reason=BY_SIZE)
    if (eligible & (counts >= minimum_n)).any():
        eligible &= counts >= minimum_n
    sums = np.bincount(groups.codes + 1, weights=accepted, minlength=groups.n_groups + 1)[1:]
    rates = sums / np.maximum(counts, 1)
    # equal rates: the larger group
    best = eligible & (rates == rates[eligible].max())
    return replace(groups, privileged=_first_best(counts, best), privileged_reason=BY_RATE)


def _first_best(counts: IntArray, eligible: BoolArray) -> int:
    if not eligible.any():
        eligible = counts >= 0
    return int(np.argmax(np.where(eligible, counts, -1)))
