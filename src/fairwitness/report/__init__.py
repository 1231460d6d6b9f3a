"""The report: one audit's document as a page, as JSON and as tables. It reads documents, never methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.report.document import SCHEMA_VERSION as SCHEMA_VERSION
    from fairwitness.report.document import clean as clean
    from fairwitness.report.document import schema as schema
    from fairwitness.report.document import to_json as to_json
    from fairwitness.report.document import validate as validate
    from fairwitness.report.document import without_rows as without_rows
    from fairwitness.report.html import render as render
    from fairwitness.report.write import write_report as write_report
    from fairwitness.report.write import write_tables as write_tables

_NAMES = {
    "SCHEMA_VERSION": "document",
    "clean": "document",
    "render": "html",
    "schema": "document",
    "to_json": "document",
    "validate": "document",
    "without_rows": "document",
    "write_report": "write",
    "write_tables": "write",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
