"""Reading a table from a file: CSV and its kin, plain or gzipped, and parquet."""

from __future__ import annotations

import gzip
import os
import re
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from fairwitness.errors import DataError, FairwitnessWarning
from fairwitness.table.csvtext import check_structure, decode_text, sniff_separator
from fairwitness.table.limits import DEFAULT_LIMITS, Limits
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame

_PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"
#: How a file that is something else begins, and what to do with it.
_STRANGERS = {
    b"PK\x03\x04": ("a spreadsheet or zip archive", "export the sheet as CSV, or unpack the archive"),
    b"ARROW1": ("an Arrow or Feather file", "save it as parquet, or pass the frame in Python"),
    b"BZh": ("a bzip2 archive", "unpack it, or compress it with gzip"),
    b"\xfd7zXZ": ("an xz archive", "unpack it, or compress it with gzip"),
    b"SQLite format 3": ("an SQLite database", "export the table as CSV"),
}
#: A text column that is numbers but for this many different words is probably meant to be numeric.
_FEW_WORDS = 3
_MOSTLY = 0.5
#: Older pandas reads floats a last bit wrong unless told; newer ones do not, and warn when told.
_EXACT_FLOATS: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)


def read_table(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    na_values: Sequence[str] = (),
    encoding: str = "utf-8",
    separator: str | None = None,
    decimal: str = ".",
    limits: Limits = DEFAULT_LIMITS,
) -> NativeFrame:
    """Read a table as a pandas DataFrame.

    A file is read as parquet if it is one, else as text, unpacked first if gzipped. The separator is
    found among comma, semicolon, tab and bar. Types depend on all values of a column and on nothing
    else. Only empty cells are missing: marks such as ``?`` or ``NA`` stay text unless ``na_values``
    names them, and a warning says so where they keep a column from being numeric. A column without any
    value is kept, with a warning. An unnamed pandas index in a parquet file is left out.

    Parameters
    ----------
    path
        File name.
    columns
        Columns to keep, in that order; ``None``: all.
    na_values
        Texts that mean missing, besides the empty one.
    encoding
        Of text files.
    separator
        One character; ``None``: found out.
    decimal
        Decimal mark of numbers in text files.
    limits
        Largest size that is accepted.

    Raises
    ------
    DataError
        If the file cannot be opened, is empty, has no rows, repeats a column name, has rows of different
        length, is in another encoding, contains NUL bytes or is too large. The message names the place.
    """
    file = Path(path)
    where = plain(path)
    head = _open(file, where)
    if head.startswith(_PARQUET):
        frame = _read_parquet(file, where, columns, limits)
    elif file.suffix.lower() in {".parquet", ".pq"}:
        raise DataError(
            f"{where} is called parquet but is not",
            got=f"first bytes {head[:4]!r}",
            fix="save it again, or rename it",
        )
    else:
        frame = _read_text(file, where, columns, list(na_values), encoding, separator, decimal, limits)
        _warn_of_words(frame, decimal)
    gone = [plain(name) for name in frame.columns if frame[name].isna().all()]
    if gone:
        _warn(f"{where}: {_columns(gone)} {listing(gone)} without any value.")
    return frame


def _open(file: Path, where: str) -> bytes:
    try:
        if file.is_dir():
            raise DataError(f"{where} is a directory", fix="name one file in it")
        with file.open("rb") as stream:
            head = stream.read(64)
    except FileNotFoundError:
        raise DataError(f"there is no file {where}", fix="check the path and the folder you are in") from None
    except (OSError, ValueError) as error:
        raise DataError(
            f"{where} cannot be opened", got=_said(error), fix="check its name and permissions"
        ) from error
    if not head:
        raise DataError(f"{where} is empty", got="0 bytes", fix="check how it was written")
    for magic, (kind, fix) in _STRANGERS.items():
        if head.startswith(magic):
            raise DataError(f"{where} is no table that can be read", got=kind, fix=fix)
    return head


def _read_text(
    file: Path,
    where: str,
    columns: Sequence[str] | None,
    na_values: list[str],
    encoding: str,
    separator: str | None,
    decimal: str,
    limits: Limits,
) -> Any:
    import io

    text = decode_text(_bytes(file, where, limits), where, encoding)
    name = file.name.lower().removesuffix(".gz")
    sep = separator or sniff_separator(text, default="\t" if name.endswith((".tsv", ".tab")) else ",")
    header = check_structure(text, where, sep, limits)
    _require(columns, header, where)
    frame = pd.read_csv(
        io.StringIO(text, newline=""),
        sep=sep,
        usecols=None if columns is None else [header.index(each) for each in columns],
        index_col=False,
        keep_default_na=False,
        na_values=["", *na_values],
        decimal=decimal,
        low_memory=False,  # types from the whole column, not from the chunk
        **_EXACT_FLOATS,
    )
    return frame if columns is None else frame[list(columns)]


def _bytes(file: Path, where: str, limits: Limits) -> bytes:
    with file.open("rb") as raw:
        packed = raw.read(2) == _GZIP
        raw.seek(0)
        try:
            content = (gzip.GzipFile(fileobj=raw) if packed else raw).read(limits.max_bytes + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(
                f"{where} cannot be unpacked", got=str(error), fix="download or compress it again"
            ) from error
    limits.check_bytes(len(content), where)
    return content


def _read_parquet(file: Path, where: str, columns: Sequence[str] | None, limits: Limits) -> Any:
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as parquet:
            names = parquet.schema_arrow.names
            limits.check_rows(parquet.metadata.num_rows, where)
            limits.check_columns(len(names), where)
            twice = [plain(name) for name in dict.fromkeys(names) if names.count(name) > 1]
            if twice:
                raise DataError(
                    f"{where} repeats a column name", got=listing(twice), fix="rename one of them"
                )
            _require(columns, names, where)
            table = parquet.read(columns=None if columns is None else list(columns))
        frame = table.to_pandas()
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{where} is damaged or no parquet file", got=plain(error), fix="write it again"
        ) from error
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(drop=all(name is None for name in frame.index.names))
    if not len(frame):
        raise DataError(f"{where} has column names but no rows", fix="check how it was written")
    return frame if columns is None else frame[list(columns)]


def _require(columns: Sequence[str] | None, known: Sequence[str], where: str) -> None:
    absent = [plain(name) for name in columns or () if name not in known]
    if absent:
        raise DataError(
            f"{where} lacks {_columns(absent)} {listing(absent)}",
            got=f"columns {listing([plain(name) for name in known])}",
            fix="check the spelling",
        )


def _warn_of_words(frame: Any, decimal: str) -> None:
    """Say which words turn a column of numbers into text."""
    comma = re.compile(r"\s*[+-]?\d+,\d+\s*")
    for name in frame.columns:
        column = frame[name]
        if not (pd.api.types.is_string_dtype(column.dtype) or column.dtype == object):
            continue
        counts = column.value_counts()
        if decimal == "." and len(counts) and all(comma.fullmatch(str(value)) for value in counts.index):
            _warn(f'{plain(name)} looks like numbers with a decimal comma: set decimal to "," to read them.')
            continue
        numeric = pd.to_numeric(pd.Series(counts.index, dtype=object), errors="coerce").notna().to_numpy()
        words = [str(value) for value, is_number in zip(counts.index, numeric, strict=True) if not is_number]
        share = counts.to_numpy()[numeric].sum() / max(counts.sum(), 1)
        if 0 < len(words) <= _FEW_WORDS and share > _MOSTLY:
            shown = listing([repr(plain(word)) for word in sorted(words)])
            _warn(
                f"{plain(name)} is text only because of {shown}: if that means missing, "
                f"set na_values = {sorted(words)!r}."
            )


def _said(error: OSError | ValueError) -> str:
    """Say what the system said, without the path, which may be long."""
    return getattr(error, "strerror", None) or str(error)


def _columns(names: Sequence[str]) -> str:
    return "column" if len(names) == 1 else "columns"


def _warn(message: str) -> None:
    warnings.warn(message, FairwitnessWarning, stacklevel=3)
