"""The text of a first ``audit.toml``, for somebody who has never seen one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairwitness.draft_model import ModelFacts
from fairwitness.table import Schema
from fairwitness.table.cuts import spec_of_name
from fairwitness.text import plain

#: Groups of one feature that are listed as possible references.
_MOST_GROUPS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that goes into the file.

    Attributes
    ----------
    data, beside
        The table, and where the file will stand.
    reading
        Keys of ``[table]`` that say how to read it; defaults are not written.
    identifier, drop
        The column that names rows, and those left out.
    target, favorable
        Outcome column and its good value.
    groups
        Sensitive feature → its groups.
    model, about
        The model file and what it says of itself; ``None`` where one is trained.
    schema
        What was inferred about the columns.
    notes
        Sentences for the reader.
    """

    data: Path
    beside: Path
    reading: Mapping[str, object]
    identifier: str | None
    drop: Sequence[str]
    target: str | None
    favorable: object
    groups: Mapping[str, Sequence[str]]
    model: Path | None
    about: ModelFacts | None
    schema: Schema
    notes: Sequence[str]


def draft_text(facts: Facts) -> str:
    """Write the file."""
    folder = facts.beside.resolve().parent
    parts = [
        ["# What to audit. Written by `fairwitness init`; read it before you run it."],
        [f"# Note: {plain(note, most=600)}" for note in facts.notes],
        ["", *_table(facts, folder)],
        ["", *_outcome(facts)],
        ["", *_sensitive(facts)],
        ["", *_model(facts, folder)],
        ["", *_graph(facts)],
        ["", *_rest()],
        ["", *_schema(facts)],
    ]
    return "\n".join(line for part in parts for line in part) + "\n"


def _table(facts: Facts, folder: Path) -> list[str]:
    usual: dict[str, object] = {"na_values": [], "encoding": "utf-8", "separator": None, "decimal": "."}
    said = [f"{key} = {toml_value(value)}" for key, value in facts.reading.items() if value != usual.get(key)]
    identifier = [f"id = {toml_value(facts.identifier)}"] if facts.identifier is not None else []
    return [
        "[table]",
        f"path = {toml_value(_relative(facts.data, folder))}",
        *said,
        *identifier,
        f"drop = {toml_value(list(facts.drop))}",
    ]


def _outcome(facts: Facts) -> list[str]:
    known = facts.target is not None
    return [
        "[outcome]",
        f"column = {toml_value(facts.target)}" if known else '# column = "..."  # true outcomes, if known',
        f"favorable = {toml_value(1 if facts.favorable is None else facts.favorable)}",
        'people = "people"  # what the report calls the rows',
    ]


def _sensitive(facts: Facts) -> list[str]:
    return [
        "[sensitive]",
        f"columns = {toml_value(list(facts.groups))}",
        'missing = "group"  # or "drop", "error"',
        "",
        "# The group the others are compared with; without a line the one accepted most often.",
        "[sensitive.privileged]",
        *(f"# {toml_value(name)} = {_reference(labels)}" for name, labels in facts.groups.items()),
    ]


def _reference(labels: Sequence[str]) -> str:
    shown = [toml_value(label) for label in labels[:_MOST_GROUPS]]
    more = ["..."] if len(labels) > _MOST_GROUPS else []
    return f"{shown[0]}  # or {', '.join([*shown[1:], *more])}"


def _model(facts: Facts, folder: Path) -> list[str]:
    head = "[model]  # exactly one of path, url, predictions (a column) and train"
    if facts.model is None:
        train = 'train = "LGBM"  # cross-fitted on the outcome; or LR, SVM, DT, RF, MLP, XGB'
        return [head, train if facts.target is not None else '# path = "model.skops"']
    about = facts.about
    lines = [head, f"path = {toml_value(_relative(facts.model, folder))}"]
    if about is not None and about.features:
        lines.append(f"features = {toml_value(list(about.features))}")
    if about is not None and about.favorable is not None:
        lines.append(f"favorable = {toml_value(about.favorable)}  # the good outcome as the model says it")
    else:
        lines.append(
            "# favorable = 1  # the good outcome as the model says it, if the table says it otherwise"
        )
    return lines


def _graph(facts: Facts) -> list[str]:
    """Write a stub, one chain and one direct edge: which causes which is for a person to say."""
    feature = spec_of_name(next(iter(facts.groups), "sex")).column
    left_out = {*facts.drop, facts.identifier, facts.target, feature}
    columns = [each for each in facts.schema.features if each.name not in left_out]
    # A number shows where cuts go; without one, any column shows what a chain looks like.
    numbers = [each for each in columns if each.kind in ("numeric", "integer") and each.bounds is not None]
    chosen = next(iter(numbers or columns), None)
    between = "income" if chosen is None else chosen.name
    first, second = (_node(name) for name in (feature, between))
    text = f"{first} -> {second} -> decision; {first} -> decision"
    lines = [
        "# Bounds on causal effects rest on a causal graph, which no table can tell: draw yours.",
        "# [graph]",
        f"# text = {toml_value(text)}  # and A <-> B for a cause of both that is not measured",
    ]
    if chosen is not None and chosen.bounds is not None:
        low, high = (float(bound) for bound in chosen.bounds)
        middle = float(f"{(low + high) / 2:.2g}")
        cut = int(middle) if middle.is_integer() else middle
        lines.append(f"# bins = {{ {toml_value(between)} = [{cut}] }}  # where numbers are cut")
    return lines


def _node(name: str) -> str:
    """Write a column's name in a graph: in quotes, unless it is a plain word."""
    return name if name.isidentifier() and name != "decision" else json.dumps(name, ensure_ascii=False)


def _rest() -> list[str]:
    return [
        "[methods]",
        'run = ["auto"]',
        "k = 100  # counterfactuals a person",
        'generator = "neighbors"  # people of the table; or "genetic" (new people), "exact", "dice"',
        "confidence = 0.95",
        "",
        "[run]",
        "seed = 0",
        "n_jobs = 2",
        "",
        "[report]",
        'out = "fairwitness-report"',
        "rows = true  # show example people",
    ]


def _schema(facts: Facts) -> list[str]:
    lines = ["# What was inferred about the columns; uncomment a column's header and a line to change it."]
    left_out = {*facts.drop, facts.identifier}
    for feature in facts.schema.features:
        if feature.name in left_out:
            continue
        lines += [f"# [schema.{toml_value(feature.name)}]", f"# kind = {toml_value(feature.kind)}"]
        if feature.bounds is not None:
            whole = feature.kind == "integer"
            bounds = [int(bound) if whole else float(bound) for bound in feature.bounds]
            lines.append(f"# bounds = {toml_value(bounds)}")
        lines.append("# immutable = false")
    return lines


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path.resolve(), folder)).as_posix()


def toml_value(value: object) -> str:
    """Write a value as TOML: JSON's strings, numbers and lists are TOML's, but for a few characters."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return repr(float(value))
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
