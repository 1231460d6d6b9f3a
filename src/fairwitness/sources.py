"""The table that an ``audit.toml`` names: read, checked against what the file says of it, taken apart."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from fairwitness.arguments import shown
from fairwitness.config import AuditConfig, place
from fairwitness.errors import DataError, FairwitnessWarning
from fairwitness.model.labels import as_labels, is_label, missing_labels, own
from fairwitness.record import pass_on
from fairwitness.table import column, column_names, n_rows, parse_sensitive_spec, read_table, select_columns
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame


@dataclass(frozen=True, slots=True)
class Sources:
    """The table of an ``audit.toml``, taken apart; all parts in the order of its rows.

    Attributes
    ----------
    X
        All columns that are neither left out nor outcome nor predictions; sensitive ones are among them.
    y, predictions
        (n,) columns, where named.
    compared
        Model of ``[compare]`` → its (n,) column of predictions.
    present
        Names of all columns of the file.
    sensitive
        Names of the columns that sensitive features come from.
    left_out
        Column → the part of the file that takes it out of ``X``, such as ``"[table] drop"``.
    notes
        Sentences for the report.
    """

    X: NativeFrame
    y: np.ndarray | None
    predictions: np.ndarray | None
    compared: dict[str, np.ndarray]
    present: tuple[str, ...]
    sensitive: frozenset[str]
    left_out: dict[str, str]
    notes: tuple[str, ...]


def read_sources(config: AuditConfig) -> Sources:
    """Read the table and take it apart: inputs with sensitive columns, outcome, and what was left out.

    Raises
    ------
    DataError
        If the file cannot be read, a named column is not in it, or the outcome has gaps or lacks the
        favourable value.
    """
    table = config.table
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FairwitnessWarning)
        frame = read_table(
            table.path,
            na_values=table.na_values,
            encoding=table.encoding,
            separator=table.separator,
            decimal=table.decimal,
        )
    doubts = pass_on(caught)
    for doubt in doubts:  # heard now, and read in the report later
        warnings.warn(doubt, FairwitnessWarning, stacklevel=2)
    present = column_names(frame)
    left_out = _left_out(config, present)
    sensitive = _sensitive(config, present)
    notes = [f"{n_rows(frame)} rows and {len(present)} columns were read from {plain(table.path.name)}."]
    if table.drop:
        notes.append(f"Left out on request: {listing([plain(name) for name in table.drop])}.")
    outcome, predictions = config.outcome.column, config.model.predictions
    return Sources(
        X=select_columns(frame, [name for name in present if name not in left_out or name in sensitive]),
        y=None if outcome is None else _outcome(config, as_labels(column(frame, outcome))),
        predictions=None
        if predictions is None
        else _predictions(config, as_labels(column(frame, predictions))),
        compared={
            name: as_labels(column(frame, model.predictions))
            for name, model in config.compare.items()
            if model.predictions is not None
        },
        present=tuple(present),
        sensitive=sensitive,
        left_out=left_out,
        notes=(*notes, *doubts),
    )


def _left_out(config: AuditConfig, present: list[str]) -> dict[str, str]:
    named: dict[tuple[str, str], tuple[str | None, ...]] = {
        ("table", "drop"): config.table.drop,
        ("table", "id"): (config.table.id,),
        ("outcome", "column"): (config.outcome.column,),
        ("model", "predictions"): (config.model.predictions,),
        **{("compare", name): (model.predictions,) for name, model in config.compare.items()},
    }
    out: dict[str, str] = {}
    for (table, key), names in named.items():
        for name in names:
            if name is None:
                continue
            if name not in present:
                raise _absent(config, table, key, name, present)
            out[name] = f"[{table}] {key}"
    return out


def _sensitive(config: AuditConfig, present: list[str]) -> frozenset[str]:
    found = set()
    for spec in config.sensitive.columns:
        name = spec if spec in present else parse_sensitive_spec(spec).column
        if name not in present:
            raise _absent(config, "sensitive", "columns", name, present)
        found.add(name)
    return frozenset(found)


def _absent(config: AuditConfig, table: str, key: str, name: str, present: list[str]) -> DataError:
    return DataError(
        f"{place(config, table, key)}: {plain(config.table.path.name)} has no column {plain(name)!r}",
        fix=f"use one of {listing([plain(each) for each in present], most=20)}",
    )


def _outcome(config: AuditConfig, values: np.ndarray) -> np.ndarray:
    name = plain(config.outcome.column)
    gaps = missing_labels(values)
    if gaps.any():
        raise DataError(
            f"{place(config, 'outcome', 'column')}: the outcome {name} is missing in {int(gaps.sum()):,} of "
            f"{len(values):,} rows, first in row {int(gaps.argmax()) + 1:,} of the table",
            fix="leave those rows out of the table, or take column out of [outcome]",
        )
    good = is_label(values, config.outcome.favorable)
    if not good.any():
        raise DataError(
            f"{place(config, 'outcome', 'favorable')}: no row of {name} has the favourable value "
            f"{shown(config.outcome.favorable)}",
            got=_seen(values),
            fix="write favorable as one of these, text in quotes and numbers without",
        )
    if config.model.train is not None and good.all():
        raise DataError(
            f"{place(config, 'outcome', 'column')}: {name} is {shown(config.outcome.favorable)} in every "
            "row, so there is nothing to learn",
            fix="use a table with both outcomes",
        )
    return values


def _predictions(config: AuditConfig, values: np.ndarray) -> np.ndarray:
    """Refuse text of which no value is the favourable one: that is a mistyped label, not a stern model."""
    good = config.outcome.favorable if config.model.favorable is None else config.model.favorable
    known = values[~missing_labels(values)]
    text = bool(len(known)) and all(isinstance(value, str) for value in known.tolist())
    if text and len(set(known.tolist())) > 1 and not is_label(known, good).any():
        raise DataError(
            f"{place(config, 'model', 'predictions')}: none of the predictions is {shown(good)}",
            got=_seen(known),
            fix="write the favourable one of these as favorable in [model]",
        )
    return values


def _seen(values: np.ndarray) -> str:
    return listing(sorted({shown(own(value)) for value in values[:10_000].tolist()}), most=8)
