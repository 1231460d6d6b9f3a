"""Limits and reproducibility: what was done to the data, and everything needed to do it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairwitness.report import show, tables


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Give nested settings as (dotted name, text)."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        elif isinstance(value, list | tuple):
            yield f"{prefix}{name}", ", ".join(map(_text, value))
        else:
            yield f"{prefix}{name}", _text(value)


def _text(value: object) -> str:
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        # As it was given: a setting is copied, not read off.
        return repr(value)
    return str(value)


def facts_table(
    table_id: str, caption: str, columns: tuple[str, str], values: Mapping[str, Any]
) -> tables.Table | None:
    """Give a two-column table of names and values; None if there are none."""
    rows = [[tables.head(show.name(name)), tables.words(show.name(text))] for name, text in flat(values)]
    return tables.table(table_id, caption, list(columns), rows, look="facts-table") if rows else None


def view(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give all that the last section shows."""
    run, again = document["run"], document["reproducibility"]
    digests = {name: value for name, value in again["digests"].items() if value}
    seconds = tables.table(
        "limits-seconds",
        "Time spent",
        ["Stage", "Seconds"],
        [[tables.head(show.name(k)), tables.number(v)] for k, v in run["seconds"].items()],
        look="facts-table",
    )
    parts = [
        facts_table("limits-digests", "Hashes", ("Of", "SHA-256 or parts of it"), digests),
        facts_table("limits-settings", "Settings", ("Setting", "Value"), again["settings"]),
        facts_table("limits-versions", "Versions", ("Software", "Version"), run["versions"]),
        seconds if seconds.rows else None,
    ]
    return {
        "data": [show.prose(sentence) for sentence in document["limits"]["data"]],
        "warnings": [show.prose(sentence) for sentence in document["limits"]["warnings"]],
        "model_notes": [show.prose(note) for note in document["audited"]["model"].get("notes") or []],
        "tables": [table for table in parts if table],
        "command": show.name(run["command"]) if run.get("command") else None,
        "platform": show.prose(run["platform"]),
        "cite": show.prose(again["cite"]),
    }
