"""A first ``audit.toml`` for a table: what can be inferred, and what a person has to look at."""

from __future__ import annotations

import os
import re
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairwitness.draft_model import describe_model
from fairwitness.draft_text import Facts, draft_text
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning
from fairwitness.intake import repeated_groups
from fairwitness.record import pass_on
from fairwitness.table import (
    Encoder,
    Feature,
    Schema,
    column,
    column_names,
    n_rows,
    parse_sensitive_spec,
    read_table,
    select_columns,
    sensitive_groups,
)
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame

#: Words that outcomes use for "good", in the order in which they are looked for.
GOOD_WORDS = (
    "approve", "approved", "accept", "accepted", "granted", "grant", "hired", "hire", "good", "yes", "pass",
    "passed", "paid", ">50k", "true", "1",
)  # fmt: skip
#: Names of numbers that tell rows apart.
_ID_NAME = re.compile(r"(?:^|[\W_])(?:id|nr|no|key|index|number)(?:$|[\W_])", re.IGNORECASE)
#: Below this many rows, values that are all different say nothing.
_ENOUGH_ROWS = 50


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of a file and what its reader should know before using it."""

    text: str
    warnings: tuple[str, ...]


def draft_config(
    data: Path,
    *,
    sensitive: Sequence[str],
    target: str | None = None,
    favorable: str | None = None,
    model: Path | None = None,
    beside: Path = Path("audit.toml"),
    na_values: Sequence[str] = (),
    encoding: str = "utf-8",
    separator: str | None = None,
    decimal: str = ".",
) -> Draft:
    """Infer a configuration from a table.

    Parameters
    ----------
    data
        The table.
    sensitive
        Sensitive columns, or cuts such as ``"age > 25"``.
    target, favorable
        Outcome column and its good value; the value is guessed from two-valued outcomes, and said.
    model
        Model file to audit; without one the draft trains a decision maker from the outcome.
    beside
        Where the file will stand: paths in it are relative to that folder.
    na_values, encoding, separator, decimal
        How to read a text file; see :func:`fairwitness.table.read_table`.

    Raises
    ------
    DataError
        If the table cannot be read, a named column is not in it, or a sensitive one gives no groups.
    ModelError
        If the model file cannot be read.
    ConfigError
        If the outcome is among the sensitive features.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FairwitnessWarning)
        frame = read_table(data, na_values=na_values, encoding=encoding, separator=separator, decimal=decimal)
    reading = pass_on(caught)
    present = column_names(frame)
    sources = {spec: spec if spec in present else parse_sensitive_spec(spec).column for spec in sensitive}
    for name in [*sources.values(), *([target] if target else [])]:
        if name not in present:
            raise DataError(
                f"{plain(data.name)} has no column {plain(name)!r}",
                fix=f"use one of {listing([plain(each) for each in present], most=20)}",
            )
    if target in sources.values():
        raise ConfigError(
            "the outcome is among the sensitive features",
            got=plain(target),
            fix="name the column that the decision is about as --target, or leave --target out",
        )
    groups = sensitive_groups(
        {spec: column(frame, name) for spec, name in sources.items()}, intersections=False
    )
    candidates = [name for name in present if name not in sources.values() and name != target]
    schema, unusable = _describe(frame, candidates)
    inputs = select_columns(frame, list(schema.names))
    ids = _identifiers(inputs)
    matrix = Encoder.fit(inputs, schema).encode(inputs) if schema.names else np.zeros((n_rows(frame), 0))
    copies = {
        repeat.column: repeat.feature
        for each in groups
        for repeat in repeated_groups(matrix, schema.names, each.codes, each.name)
        if repeat.column not in ids
    }
    good: object = favorable
    notes: list[str] = []
    leaks: list[str] = []
    if target:
        outcome = column(frame, target)
        good, notes = _good_outcome(outcome, favorable)
        leaks = [name for name in _leaks(matrix, schema, outcome, target) if name not in (*ids, *copies)]
    about = describe_model(model, present, good) if model is not None else None
    if about is not None:
        notes += about.notes
    elif target is None:
        notes.append(
            "There is neither a model nor an outcome to train one on: fill in [model] before you run it."
        )
    notes += _left_out(ids, copies, leaks, unusable, trained=model is None)
    if model is None and target and not {*schema.names} - {*ids, *copies, *leaks}:
        notes.append("No column is left to train a model on: use a table with more columns, or name a model.")
    notes += _missing(frame, set(sources.values()), target, unusable)
    notes += [said for said in reading if not any(f" {plain(name)} " in said for name in unusable)]
    notes += _doubts(schema, {*ids, *copies, *leaks} if model is None else set(ids))
    facts = Facts(
        data=data,
        beside=beside,
        reading={
            "na_values": list(na_values),
            "encoding": encoding,
            "separator": separator,
            "decimal": decimal,
        },
        identifier=next(iter(ids), None),
        # A model that is there decides itself what it reads; one that is trained reads all there is.
        drop=[*ids[1:], *copies, *leaks, *unusable] if model is None else [],
        target=target,
        favorable=good,
        groups={spec: each.labels for spec, each in zip(sources, groups, strict=True)},
        model=model,
        about=about,
        schema=schema,
        notes=notes,
    )
    return Draft(text=draft_text(facts), warnings=tuple(notes))


def save_draft(draft: Draft, path: Path, *, force: bool = False) -> None:
    """Write the file, whole or not at all; an existing one is kept unless ``force``."""
    name = plain(path)
    try:
        if path.is_dir():
            raise ConfigError(f"{name} is a folder", fix="name a file in it with --out")
        if path.exists() and not force:
            raise ConfigError(
                f"{name} is there already", fix="choose another --out, or pass --force to replace it"
            )
        if not path.parent.is_dir():
            raise ConfigError(
                f"there is no folder {plain(path.parent)}", fix="make it, or choose another --out"
            )
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".audit.", suffix=".partial")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(draft.text)
            Path(beside).chmod(0o644)
            Path(beside).replace(path)
        finally:
            Path(beside).unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{name} cannot be written", got=error.strerror, fix="choose another --out"
        ) from error


def _describe(frame: NativeFrame, names: Sequence[str]) -> tuple[Schema, dict[str, str]]:
    """Describe every column that can be described; give the others with what stands against them."""
    features: list[Feature] = []
    doubts: list[str] = []
    unusable: dict[str, str] = {}
    for name in names:
        try:
            one = Schema.infer(select_columns(frame, [name]))
        except DataError as error:
            unusable[name] = error.what
        else:
            features.append(one[name])
            doubts += one.warnings
    return Schema(tuple(features), tuple(doubts)), unusable


def _identifiers(inputs: NativeFrame) -> list[str]:
    """Columns that only tell rows apart: text that never repeats, and numbers that count or are called so."""
    rows = n_rows(inputs)
    found = []
    for name in column_names(inputs):
        values = column(inputs, name).tolist()
        kinds = {type(value) for value in values[:100]}
        if rows <= _ENOUGH_ROWS or not kinds <= {str, int} or len(set(values)) < rows:
            continue
        whole = kinds == {int} and all(type(value) is int for value in values)
        if not whole or max(values) - min(values) == rows - 1 or _ID_NAME.search(name):
            found.append(name)
    return found


def _leaks(matrix: np.ndarray, schema: Schema, outcome: np.ndarray, target: str) -> list[str]:
    codes = np.unique([plain(value) for value in outcome], return_inverse=True)[1].astype(np.int64)
    return [repeat.column for repeat in repeated_groups(matrix, schema.names, codes, target)]


def _left_out(
    ids: Sequence[str],
    copies: Mapping[str, str],
    leaks: Sequence[str],
    unusable: Mapping[str, str],
    *,
    trained: bool,
) -> list[str]:
    """Say what is no input of a trained model, or what a model had better not read."""
    end = "left out" if trained else "a model that reads it is told so in the report"
    said = []
    if ids:
        verb = "is an identifier" if len(ids) == 1 else "are identifiers"
        said.append(
            f"{listing([plain(name) for name in ids])} {verb} (every row has its own value): left out."
        )
    said += [f"{plain(name)} says the same as {plain(feature)}: {end}." for name, feature in copies.items()]
    said += [
        f"{plain(name)} tells the outcome, as if it were only known after the decision"
        f"{': left out' if trained else ''}."
        for name in leaks
    ]
    return [*said, *(f"{what}: left out." for what in unusable.values() if trained)]


def _good_outcome(values: np.ndarray, favorable: str | None) -> tuple[object, list[str]]:
    seen = sorted({value for value in values.tolist() if value is not None and value == value}, key=str)
    words = {_word(value): value for value in reversed(seen)}
    shown = listing([plain(value) for value in seen])
    if favorable is not None:
        if favorable in words or favorable in map(str, seen):
            return next(value for value in seen if favorable in {str(value), _word(value)}), []
        raise DataError(f"the outcome has no value {plain(favorable)!r}", fix=f"use one of {shown}")
    if len(seen) == 1:
        return seen[0], [f"The outcome is {shown} in every row: no model can be trained on it."]
    lower = {word.strip().lower(): value for word, value in reversed(words.items())}
    good = next((lower[word] for word in GOOD_WORDS if word in lower), None)
    if good is not None:
        doubt = "was taken as the favourable outcome"
    else:
        good, doubt = (seen or [1])[-1], "was taken as the favourable outcome without a reason"
    rest = "" if len(seen) == 2 else f"; the outcome has {len(seen):,} values, and all others count as bad"
    return good, [f"{plain(good)} {doubt}{rest}: check favorable."]


def _word(value: object) -> str:
    """Write a value as people do: 1.0 is 1."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _missing(
    frame: NativeFrame, sensitive: set[str], target: str | None, unusable: Mapping[str, str]
) -> list[str]:
    """Say where values are missing, and where a question mark may mean it."""
    said, marked = [], {}
    for name in column_names(frame):
        if name in unusable:
            continue
        values = column(frame, name).tolist()
        count = sum(value is None or value != value for value in values)
        marks = sum(value == "?" for value in values)
        if count:
            role = ""
            if name in sensitive:
                role = (
                    " (sensitive: they form a group of their own unless [sensitive] missing says otherwise)"
                )
            elif name == target:
                role = ": leave those rows out of the table before you audit"
            said.append(f"{plain(name)} is missing in {count:,} rows{role}.")
        if marks:
            marked[plain(name)] = marks
    if marked:
        where = listing([f"{name} ({count:,} rows)" for name, count in marked.items()])
        said.append(f'The text ? stands in {where}: set na_values = ["?"] if it means missing.')
    return said


def _doubts(schema: Schema, dropped: set[str]) -> list[str]:
    """Say once what is doubtful about several columns, and nothing about those that are left out."""
    amounts, others = [], []
    for name in schema.names:
        if name in dropped:
            continue
        for doubt in schema.warnings:
            if doubt.startswith(f"{plain(name)} is read as an amount"):
                amounts.append(plain(name))
            elif doubt.startswith(f"{plain(name)} ") and "identifier" not in doubt:
                others.append(doubt)
    if amounts:
        verb, noun = ("is", "an amount") if len(amounts) == 1 else ("are", "amounts")
        others.insert(
            0,
            f"{listing(amounts)} {verb} read as {noun} but of few different whole numbers: if they are "
            'codes, set kind = "categorical" (or "ordinal" if their order counts).',
        )
    return list(dict.fromkeys(others))
