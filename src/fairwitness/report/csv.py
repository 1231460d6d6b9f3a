"""Tables as CSV text that a spreadsheet can open without running anything."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence

from fairwitness.report.document import clean
from fairwitness.text import csv_cell, plain


def to_csv(rows: Sequence[Mapping[str, object]]) -> str:
    r"""Write flat dictionaries as CSV.

    Columns stand in the order in which they first occur. A value that is missing or not a number is an
    empty cell. Text that a spreadsheet would run as a formula gets a leading apostrophe, and control and
    text-direction characters are made visible, in cells and headings alike.

    Parameters
    ----------
    rows
        One dictionary a line; they need not have the same keys.

    Returns
    -------
    str
        CSV with a heading line, ``\n`` line ends; empty text if there are no columns.
    """
    columns = list(dict.fromkeys(str(name) for row in rows for name in row))
    if not columns:
        return ""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([_cell(name) for name in columns])
    for row in rows:
        values = {str(name): value for name, value in row.items()}
        writer.writerow([_cell(values.get(name)) for name in columns])
    return buffer.getvalue()


def _cell(value: object) -> object:
    value = clean(value)
    if value is None:
        return ""
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=True)
    if isinstance(value, str):
        return csv_cell(plain(value, most=10_000))
    return value
