"""A first ``audit.toml`` for a table: what can be inferred, and what a person has to look at."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairwitness.errors import ConfigError, DataError
from fairwitness.intake import repeated_groups
from fairwitness.table import (
    Encoder,
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

    Raises
    ------
    DataError
        If the table cannot be read or a named column is not in it.
    """
    frame = read_table(data)
    present = column_names(frame)
    columns = {spec if spec in present else parse_sensitive_spec(spec).column for spec in sensitive}
    for name in [*columns, *([target] if target else [])]:
        if name not in present:
            raise DataError(
                f"{plain(data.name)} has no column {plain(name)}",
                fix=f"use one of {listing([plain(each) for each in present], most=20)}",
            )
    warnings: list[str] = []
    inputs = select_columns(frame, [name for name in present if name not in columns and name != target])
    schema = Schema.infer(inputs)
    warnings += schema.warnings
    ids = _identifiers(inputs)
    if ids:
        warnings.append(
            f"{listing([plain(name) for name in ids])}: every row has its own value; an identifier, left out."
        )
    copies = _copies(frame, inputs, schema, sensitive)
    for name, feature in copies.items():
        warnings.append(f"{plain(name)} says the same as {plain(feature)}; left out of the model's inputs.")
    good: object = favorable
    leaks: list[str] = []
    if target:
        good, said = _good_outcome(column(frame, target), favorable)
        warnings += said
        leaks = _leaks(frame, inputs, schema, target)
        for name in leaks:
            warnings.append(
                f"{plain(name)} tells the outcome; left out, as if it were only known after the decision."
            )
    missing = _missing(frame, columns)
    warnings += missing
    if model is None and target is None:
        warnings.append(
            "There is neither a model nor an outcome to train one on: fill in [model] before you run it."
        )
    drop = [*ids[1:], *copies, *leaks]
    text = _text(data, beside, sensitive, target, good, model, ids[:1], drop, schema, warnings)
    return Draft(text=text, warnings=tuple(warnings))


def save_draft(draft: Draft, path: Path, *, force: bool = False) -> None:
    """Write the file, whole or not at all; an existing one is kept unless ``force``."""
    if path.exists() and not force:
        raise ConfigError(
            f"{plain(path)} is there already", fix="choose another --out, or pass --force to replace it"
        )
    if not path.parent.is_dir():
        raise ConfigError(f"there is no folder {plain(path.parent)}", fix="make it, or choose another --out")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(draft.text)
    Path(name).chmod(0o644)
    Path(name).replace(path)


def _identifiers(inputs: NativeFrame) -> list[str]:
    """Columns of text or whole numbers in which every row has a value of its own."""
    rows = n_rows(inputs)
    found = []
    for name in column_names(inputs):
        values = column(inputs, name)
        kinds = {type(value) for value in values[:100]}
        if rows > 50 and kinds <= {str, int} and len(set(values.tolist())) == rows:
            found.append(name)
    return found


def _copies(
    frame: NativeFrame, inputs: NativeFrame, schema: Schema, sensitive: Sequence[str]
) -> dict[str, str]:
    values = {
        spec: column(frame, spec if spec in column_names(frame) else parse_sensitive_spec(spec).column)
        for spec in sensitive
    }
    matrix = Encoder.fit(inputs, schema).encode(inputs)
    found: dict[str, str] = {}
    for groups in sensitive_groups(values, intersections=False):
        for repeat in repeated_groups(matrix, schema.names, groups.codes, groups.name):
            found.setdefault(repeat.column, repeat.feature)
    return found


def _leaks(frame: NativeFrame, inputs: NativeFrame, schema: Schema, target: str) -> list[str]:
    outcome = column(frame, target)
    codes = np.unique([plain(value) for value in outcome], return_inverse=True)[1].astype(np.int64)
    matrix = Encoder.fit(inputs, schema).encode(inputs)
    return [repeat.column for repeat in repeated_groups(matrix, schema.names, codes, target)]


def _good_outcome(values: np.ndarray, favorable: str | None) -> tuple[object, list[str]]:
    seen = sorted({value for value in values.tolist() if value is not None and value == value}, key=str)
    if favorable is not None:
        for value in seen:
            if str(value) == favorable:
                return value, []
        raise DataError(
            f"the outcome has no value {plain(favorable)}",
            fix=f"use one of {listing([plain(v) for v in seen])}",
        )
    if len(seen) != 2:
        return seen[-1] if seen else 1, [
            f"The outcome has {len(seen)} values ({listing([plain(v) for v in seen])}); check favorable."
        ]
    for word in GOOD_WORDS:
        for value in seen:
            if str(value).strip().lower() == word:
                return value, [f"{plain(value)} was taken as the favourable outcome; check favorable."]
    return seen[-1], [
        f"{plain(seen[-1])} was taken as the favourable outcome without a reason; check favorable."
    ]


def _missing(frame: NativeFrame, sensitive: set[str]) -> list[str]:
    said = []
    for name in column_names(frame):
        values = column(frame, name)
        count = sum(value is None or value != value for value in values.tolist())
        marks = sum(value == "?" for value in values.tolist())
        if count:
            role = " (sensitive: they form a group of their own unless [sensitive] missing says otherwise)"
            said.append(f"{plain(name)} is missing in {count} rows{role if name in sensitive else ''}.")
        if marks:
            said.append(f"{plain(name)} holds the text ? in {marks} rows; set na_values if it means missing.")
    return said


def _text(
    data: Path,
    beside: Path,
    sensitive: Sequence[str],
    target: str | None,
    good: object,
    model: Path | None,
    identifier: Sequence[str],
    drop: Sequence[str],
    schema: Schema,
    warnings: Sequence[str],
) -> str:
    folder = beside.resolve().parent
    lines = ["# What to audit. Written by `fairwitness init`; read it before you run it."]
    lines += [f"# Note: {plain(warning, most=400)}" for warning in warnings]
    lines += ["", "[table]", f"path = {_toml(_relative(data, folder))}"]
    if identifier:
        lines.append(f"id = {_toml(identifier[0])}")
    lines.append(f"drop = {_toml(list(drop))}")
    lines += ["", "[outcome]"]
    lines.append(f"column = {_toml(target)}" if target else '# column = "..."  # true outcomes, if known')
    lines.append(f"favorable = {_toml(1 if good is None else good)}")
    lines.append('people = "people"  # what the report calls the rows')
    lines += ["", "[sensitive]", f"columns = {_toml(list(sensitive))}"]
    lines.append('missing = "group"  # or "drop", "error"')
    lines += ["", "# The group the others are compared with; without a line the one accepted most often."]
    lines.append("[sensitive.privileged]")
    lines += [f"# {_toml(name)} = ..." for name in sensitive]
    lines += ["", "[model]  # exactly one of path, url, predictions (a column) and train"]
    if model is not None:
        lines.append(f"path = {_toml(_relative(model, folder))}")
    elif target is not None:
        lines.append('train = "LGBM"  # cross-fitted on the outcome; or LR, SVM, DT, RF, MLP, XGB')
    else:
        lines.append('# path = "model.skops"')
    lines += ["", "[methods]", 'run = ["auto"]', "k = 100", 'generator = "neighbors"', "confidence = 0.95"]
    lines += [
        "",
        "[run]",
        "seed = 0",
        "n_jobs = 2",
        "",
        "[report]",
        'out = "fairwitness-report"',
        "rows = true",
    ]
    lines += ["", "# What was inferred about the columns; uncomment a line to change it."]
    dropped = {*drop, *identifier}
    for feature in schema.features:
        if feature.name not in dropped:
            lines += [f"# [schema.{_toml(feature.name)}]", f"# kind = {_toml(feature.kind)}"]
            if feature.bounds is not None:
                lines.append(f"# bounds = {_toml(list(feature.bounds))}")
            lines.append("# immutable = false")
    return "\n".join(lines) + "\n"


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path.resolve(), folder)).as_posix()


def _toml(value: object) -> str:
    """Write a value as TOML: JSON's strings, numbers and lists are TOML's, but for a few characters."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return repr(float(value))
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
