"""What is wrong with a text file, and in which line: looked at before any parser guesses."""

from __future__ import annotations

import codecs
import csv
import io
from itertools import islice
from typing import Any

from fairwitness.errors import ConfigError, DataError
from fairwitness.table.limits import Limits
from fairwitness.text import listing, plain

SEPARATORS = (",", ";", "\t", "|")
_SAMPLE = 65_536
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def decode_text(content: bytes, where: str, encoding: str) -> str:
    """Decode a file, without a byte order mark.

    Raises
    ------
    DataError
        For the first byte that the encoding does not know, or a NUL byte; with its line.
    ConfigError
        If there is no such encoding.
    """
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise ConfigError(
            "there is no such encoding", got=plain(encoding), fix='use e.g. "utf-8", "latin-1" or "cp1252"'
        ) from None
    wide = name.startswith(("utf-16", "utf-32"))
    if not wide and content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError(f"{where} is encoded as UTF-16", fix='set encoding to "utf-16"')
    if not wide and (at := content.find(b"\0")) >= 0:
        raise DataError(
            f"{where} contains a NUL byte in line {_line(content, at)}",
            got=f"byte {at}",
            fix='it is no text file, is damaged, or is UTF-16 (then set encoding to "utf-16")',
        )
    try:
        text = content.decode("utf-8-sig" if name == "utf-8" else name)
    except UnicodeDecodeError as error:
        byte = content[error.start : error.start + 1]
        raise DataError(
            f"{where} is not {encoding}: line {_line(content, error.start)} has a byte that cannot be read",
            got=f"byte {byte!r} at offset {error.start}",
            fix='set encoding to what it is, for example "cp1252" or "latin-1"',
        ) from error
    if not text.strip():
        raise DataError(f"{where} is empty", got="nothing but blanks", fix="check how it was written")
    return text


def sniff_separator(text: str, *, default: str = ",") -> str:
    """Find the separator that cuts the first lines into the same number of fields, more than one."""
    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE:
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, best_score = default, (0.0, 1)
    for separator in (default, *(each for each in SEPARATORS if each != default)):
        try:
            rows = [row for row in islice(_reader(sample, separator, strict=False), 50) if row]
        except csv.Error:
            continue
        width = len(rows[0]) if rows else 1
        score = (sum(len(row) == width for row in rows) / max(len(rows), 1), width)
        if width > 1 and score > best_score:
            best, best_score = separator, score
    return best


def check_structure(text: str, where: str, separator: str, limits: Limits) -> list[str]:
    """Read the column names, and check that every row has as many fields.

    Raises
    ------
    DataError
        For repeated names, no rows, a ragged row, a quote that never ends, or too many rows or columns;
        with the line.
    """
    reader = _reader(text, separator, strict=True)
    try:
        header: list[str] = next(row for row in reader if not _blank(row))
        limits.check_columns(len(header), where)
        _check_names(header, where, reader.line_num)
        n = 0
        last = reader.line_num
        for row in reader:
            if len(row) != len(header) and not _blank(row):
                raise _ragged(row, header, where, last + 1, separator)
            last = reader.line_num
            n += not _blank(row)
            if n > limits.max_rows:
                limits.check_rows(n, where)
    except csv.Error as error:
        raise DataError(
            f"{where} cannot be cut into fields at line {max(reader.line_num, 1)}",
            got=str(error),
            fix="look for a quotation mark that is not closed or not doubled",
        ) from error
    if not n:
        raise DataError(f"{where} has column names but no rows", fix="check how it was written")
    # a column without a name gets the one that pandas gives it
    return [name or f"Unnamed: {position}" for position, name in enumerate(header)]


def _reader(text: str, separator: str, *, strict: bool) -> Any:
    if len(separator) != 1 or separator in '"\r\n':
        raise ConfigError("the separator should be one character", got=plain(separator), fix='e.g. ","')
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict)


def _blank(row: list[str]) -> bool:
    """Whether a line holds nothing: such lines are skipped, as pandas does."""
    return not row or (len(row) == 1 and not row[0].strip())


def _check_names(header: list[str], where: str, line: int) -> None:
    seen: set[str] = set()
    for position, name in enumerate(header):
        if name and name in seen:
            raise DataError(
                f"{where}, line {line}: the column name {plain(name)!r} comes twice",
                got=f"columns {header.index(name) + 1} and {position + 1}",
                fix="rename or remove one of them",
            )
        seen.add(name)


def _ragged(row: list[str], header: list[str], where: str, line: int, separator: str) -> DataError:
    return DataError(
        f"{where}, line {line}: a row of {len(row)} fields under {len(header)} column names "
        f"(separator: {_NAMES.get(separator, plain(separator))})",
        got=listing([repr(plain(field, most=30)) for field in row], most=6),
        fix="put fields that contain the separator in quotation marks, complete the row, or set separator",
    )


def _line(content: bytes, at: int) -> int:
    return content.count(b"\n", 0, at) + 1
