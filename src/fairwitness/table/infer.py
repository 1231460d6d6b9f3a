"""Reading a schema off a table, and saying where the reading is a guess."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from fairwitness.errors import DataError, SchemaError
from fairwitness.table.columns import Column, read_column
from fairwitness.table.feature import Feature, Kind, check_overrides, fill_bounds
from fairwitness.table.frames import column_labels, n_rows
from fairwitness.table.levels import sort_levels
from fairwitness.table.limits import DEFAULT_LIMITS
from fairwitness.table.links import joined_links
from fairwitness.table.precision import decimals
from fairwitness.table.schema import Schema
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, NativeFrame

#: An integer column of at most this many values, each met often, may be codes rather than amounts.
FEW_VALUES = 10
OFTEN = 5
#: Tables below this size look like anything; nothing is guessed about them.
ENOUGH_ROWS = 20


def infer_schema(frame: NativeFrame, overrides: Mapping[str, Mapping[str, Any]]) -> Schema:
    """Do the work of :meth:`Schema.infer`."""
    labels = column_labels(frame)
    if not labels or n_rows(frame) == 0:
        raise DataError(
            "the table is empty",
            got=f"{n_rows(frame)} rows, {len(labels)} columns",
            fix="pass at least one row and one column",
        )
    linked, overrides = _take_linked(overrides)
    known = check_overrides(overrides, list(labels))
    features: list[Feature] = []
    warnings: list[str] = []
    for name, label in labels.items():
        column = read_column(frame[label], name=name)
        feature = _infer_feature(column, label, known.get(name, {}))
        features.append(feature)
        warnings += _doubts(column, feature, known.get(name, {}), n_rows(frame))
    return Schema(tuple(features), tuple(warnings), joined_links(linked))


def _take_linked(
    overrides: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, list[str]], dict[str, Mapping[str, Any]]]:
    """Take ``linked`` out of what is said of columns: it is about several columns, not one."""
    linked: dict[str, list[str]] = {}
    rest: dict[str, Mapping[str, Any]] = {}
    for name, changes in overrides.items():
        if not isinstance(changes, Mapping) or "linked" not in changes:
            rest[name] = changes
            continue
        others = changes["linked"]
        others = [others] if isinstance(others, str) else others
        if not isinstance(others, list | tuple) or not all(isinstance(other, str) for other in others):
            raise SchemaError(
                f"column {plain(name)!r}: wrong linked",
                got=plain(others),
                fix="linked must be a list of column names",
            )
        linked[name] = list(others)
        rest[name] = {key: value for key, value in changes.items() if key != "linked"}
    return {name: others for name, others in linked.items() if others}, rest


def _infer_feature(column: Column, label: Hashable, changes: dict[str, Any]) -> Feature:
    if _is_empty(column):
        if "kind" not in changes:
            raise SchemaError(
                f"column {plain(column.name)!r} has no values: all are missing",
                fix="drop the column, or state its kind to keep it",
            )
        if changes["kind"] in {"numeric", "integer"}:
            return Feature(column.name, **{**changes, "nullable": True}, column=label)
    kind = changes.get("kind") or _guess_kind(column)
    fields = (
        _measure_numbers(column, kind, changes)
        if kind in {"numeric", "integer"}
        else (_measure_levels(column, kind, changes))
    )
    if changes.get("nullable") is False and fields["nullable"]:
        raise SchemaError(
            f"column {plain(column.name)!r} has missing values, so it cannot be nullable=False",
            fix="fill or drop the missing values, or leave nullable out",
        )
    return Feature(
        column.name, **{**fields, **changes, "kind": kind, **_merged(fields, changes)}, column=label
    )


def _is_empty(column: Column) -> bool:
    if column.family == "float":
        return bool(np.isnan(column.numbers()).all())
    return bool((column.factorize()[0] < 0).all())


def _merged(fields: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    if changes.get("bounds") is None:
        return {}
    return {"bounds": fill_bounds("", changes["bounds"], fields["bounds"])} if "bounds" in fields else {}


def _guess_kind(column: Column) -> Kind:
    if column.family == "boolean":
        return "boolean"
    if column.family in {"integer", "float"}:
        if set(np.unique(_present(column.numbers())).tolist()) == {0.0, 1.0}:
            return "boolean"
        return "integer" if column.family == "integer" else "numeric"
    return "ordinal" if column.ordered else "categorical"


def _measure_numbers(column: Column, kind: str, changes: dict[str, Any]) -> dict[str, Any]:
    if column.family not in {"integer", "float", "boolean"}:
        raise SchemaError(
            f"column {plain(column.name)!r} cannot be {kind}: it holds no numbers",
            got=column.dtype,
            fix="convert the column to numbers, or use kind ordinal, categorical or boolean",
        )
    numbers = column.numbers()
    present = _present(numbers)
    if kind == "integer" and (fraction := present[present != np.rint(present)]).size:
        raise SchemaError(
            f"column {plain(column.name)!r} cannot be integer: it holds fractions",
            got=str(fraction[0]),
            fix="use kind numeric",
        )
    precision = 0 if kind == "integer" else decimals(np.unique(present), column.storage)
    return {
        "bounds": (float(present.min()), float(present.max())),
        "precision": precision,
        "nullable": len(present) < len(numbers),
    }


def _measure_levels(column: Column, kind: str, changes: dict[str, Any]) -> dict[str, Any]:
    codes, values = column.factorize()
    met = np.bincount(codes[codes >= 0], minlength=len(values)) > 0
    observed = [value for value, was_met in zip(values, met.tolist(), strict=True) if was_met]
    nullable = bool((codes < 0).any())
    if "kind" not in changes:
        DEFAULT_LIMITS.check_levels(len(observed), column.name)
    if changes.get("levels"):
        given: tuple[object, ...] = changes["levels"]
        stray = sort_levels(value for value in observed if value not in given)
        if stray:
            raise SchemaError(
                f"column {plain(column.name)!r} holds values that are not among its levels",
                got=listing([repr(plain(value)) for value in stray]),
                fix="add them to levels, or correct the table",
            )
        return {"levels": given, "nullable": nullable}
    levels = _known_levels(column, kind, observed)
    fields: dict[str, Any] = {"levels": levels, "nullable": nullable or bool(changes.get("nullable"))}
    if len(set(observed)) < len(levels):
        # the type knows more values than the table shows: fine to read, not to propose
        fields["allowed"] = tuple(sort_levels(observed)) + ((None,) if fields["nullable"] else ())
    return fields


def _known_levels(column: Column, kind: str, observed: list[object]) -> tuple[object, ...]:
    if column.family == "boolean":
        return (False, True)
    if kind != "ordinal":
        return sort_levels(column.declared or observed)
    if column.declared is not None:
        return column.declared
    if not all(isinstance(value, int | float) for value in observed):
        raise SchemaError(
            f"column {plain(column.name)!r} holds words, whose order from low to high is not known",
            got=listing([repr(plain(value)) for value in sort_levels(observed)]),
            fix="pass levels=[...] from low to high",
        )
    return sort_levels(observed)


def _doubts(column: Column, feature: Feature, changes: dict[str, Any], n: int) -> list[str]:
    name = plain(feature.name)
    if "kind" in changes:
        return []
    if feature.is_coded:
        _, values = column.factorize()
        distinct = len(set(values))
        if feature.kind == "categorical" and n >= ENOUGH_ROWS and distinct >= n:
            return [f"{name} has a different value in every row: it looks like an identifier."]
    else:
        present = np.unique(_present(column.numbers()))
        distinct = len(present)
        if feature.kind == "integer" and distinct > 1:
            if distinct <= FEW_VALUES and n >= max(ENOUGH_ROWS, OFTEN * distinct):
                return [
                    f"{name} is read as an amount but has only {distinct} different whole numbers: if they "
                    'are codes, set kind = "categorical" (or "ordinal" if their order counts).'
                ]
            if n >= ENOUGH_ROWS and distinct == n and present[-1] - present[0] == n - 1:
                return [f"{name} counts the rows: it looks like an identifier."]
    if distinct == 1 and not feature.nullable:
        return [f"{name} has the same value in every row."]
    return []


def _present(numbers: FloatArray) -> FloatArray:
    out: FloatArray = numbers[~np.isnan(numbers)]
    return out
