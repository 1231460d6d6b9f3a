"""The document: plain values only, written the same way every time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from fairwitness.errors import DataError, MissingExtraError
from fairwitness.typing import Document

#: Version of the document's shape; a reader of ``report.json`` looks at it first.
SCHEMA_VERSION = "1"
#: Floats keep this many significant digits: more than anyone reads, fewer than machines disagree about.
DIGITS = 12


def clean(value: object) -> Any:
    """Turn a value into what JSON can hold.

    NaN and infinities become ``None``, floats are rounded to 12 significant digits, numpy values become
    Python's own, tuples become lists, keys become text, and anything else becomes its text.

    Parameters
    ----------
    value
        Any nesting of mappings, sequences, numpy arrays and scalars.

    Returns
    -------
    dict, list, str, int, float, bool or None
        A copy; ``value`` is not changed.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        return {str(name): clean(item) for name, item in value.items()}
    if hasattr(value, "tolist"):  # numpy arrays and scalars, without importing numpy
        return clean(value.tolist())
    if isinstance(value, set | frozenset):
        return [clean(item) for item in sorted(value, key=str)]
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray):
        return [clean(item) for item in value]
    if type(value).__name__ in {"NAType", "NaTType"}:
        return None
    return str(value)


def _number(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return rounded if rounded != 0 else 0.0  # no negative zero


def to_json(document: Mapping[str, object]) -> str:
    """Write the document as JSON: the same document gives the same bytes.

    Keys stay in the document's order (the order of a table's columns means something). Everything beyond
    ASCII is escaped, so that the file can be shown in a terminal without harm.
    """
    return json.dumps(clean(document), ensure_ascii=True, allow_nan=False, indent=1) + "\n"


def without_rows(document: Mapping[str, object]) -> Document:
    """Give a copy of the document that holds no row of the table: example people become ``None``."""
    copied: Document = clean(document)
    opportunity = copied.get("sections", {}).get("opportunity") or {}
    for feature in opportunity.get("features", []):
        feature["people"] = None
    return copied


@lru_cache(maxsize=1)
def _schema_text() -> str:
    return files("fairwitness.report").joinpath("schema.json").read_text(encoding="utf-8")


def schema() -> Document:
    """Give the JSON schema (draft 2020-12) that every ``report.json`` follows."""
    loaded: Document = json.loads(_schema_text())
    return loaded


def validate(document: Mapping[str, object]) -> None:
    """Check a document against the shipped schema.

    Raises
    ------
    DataError
        If it does not follow the schema; the message names the place.
    MissingExtraError
        If ``jsonschema`` is not installed.
    """
    try:
        jsonschema: Any = import_module("jsonschema")
    except ImportError as error:
        raise MissingExtraError("jsonschema", "dev", purpose="checking a report") from error
    errors = sorted(
        jsonschema.Draft202012Validator(schema()).iter_errors(document), key=lambda e: list(map(str, e.path))
    )
    if errors:
        first = errors[0]
        place = "/".join(map(str, first.path)) or "the top"
        raise DataError(
            f"the report does not follow its schema at {place}",
            got=first.message,
            fix="give the document the shape that report/schema.json describes",
        )
