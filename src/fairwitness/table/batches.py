"""Tables that need not fit into memory, a batch at a time: parquet files, and streams of arrow batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from fairwitness.errors import DataError
from fairwitness.text import listing, plain

#: Rows of a batch: enough to make the work of Python small, few enough for the processor's cache.
BATCH_ROWS = 131_072

Batch: TypeAlias = Any


def is_streamed(source: Any) -> bool:
    """Say whether a source is read in batches: a path (or several), a dataset or a stream of batches."""
    if isinstance(source, str | os.PathLike | ds.Dataset | pa.RecordBatchReader):
        return True
    return (
        isinstance(source, list | tuple)
        and bool(source)
        and all(isinstance(each, str | os.PathLike) for each in source)
    )


def as_stream(source: Any) -> Any:
    """Give an iterator or list of arrow batches as a :class:`pyarrow.RecordBatchReader`, all else as it is.

    Raises
    ------
    DataError
        If an iterator gives nothing, or something else than arrow batches.
    """
    if isinstance(source, list | tuple) and source and isinstance(source[0], pa.RecordBatch):
        source = iter(source)
    if not isinstance(source, Iterator) or isinstance(source, pa.RecordBatchReader):
        return source
    first = next(source, None)
    if first is None:
        raise DataError("the stream holds no batches", fix="pass it before it is used up")
    kind = getattr(first, "schema", None)

    def checked() -> Iterator[Batch]:
        for batch in chain([first], source):
            if not isinstance(batch, pa.RecordBatch) or batch.schema != kind:
                raise DataError(
                    "a stream must give arrow batches of the same columns and types",
                    got=plain(batch.schema if isinstance(batch, pa.RecordBatch) else type(batch).__name__),
                    fix="pass pyarrow.RecordBatch objects, as pyarrow.parquet.ParquetFile.iter_batches gives",
                )
            yield batch

    if not isinstance(first, pa.RecordBatch):
        next(checked())
    return pa.RecordBatchReader.from_batches(kind, checked())


def stream_columns(source: Any) -> list[str]:
    """Give the names of the columns, in order.

    Raises
    ------
    DataError
        If there is no such file, or it is not parquet.
    """
    if isinstance(source, ds.Dataset | pa.RecordBatchReader):
        return list(source.schema.names)
    with _open(_files(source)[0]) as file:
        return list(file.schema_arrow.names)


def batches(source: Any, columns: Sequence[str], *, rows: int = BATCH_ROWS) -> Iterator[Batch]:
    """Read some columns, a batch of rows at a time; memory does not grow with the number of rows.

    Columns of text in parquet files come as codes into their distinct values wherever the file holds them so.

    Parameters
    ----------
    source
        Path of a parquet file, of a folder of them (``*.parquet``, sorted by name), a list of paths, a
        :class:`pyarrow.dataset.Dataset`, or a :class:`pyarrow.RecordBatchReader` (which is used up); see
        :func:`as_stream` for iterators of batches.
    columns
        Names of the columns, each once.
    rows
        Most rows of a batch.

    Yields
    ------
    pyarrow.RecordBatch
        With the columns in the order asked for.

    Raises
    ------
    DataError
        If a file or a column is not there, or a file is not parquet.
    """
    wanted = list(columns)
    if isinstance(source, ds.Dataset):
        _check(wanted, source.schema.names, "the dataset")
        # few batches ahead: reading must not fill the memory that streaming saves
        yield from source.to_batches(columns=wanted, batch_size=rows, batch_readahead=2, fragment_readahead=1)
    elif isinstance(source, pa.RecordBatchReader):
        _check(wanted, source.schema.names, "the stream")
        for batch in source:
            yield from _pieces(batch.select(wanted), rows)
    else:
        for path in _files(source):
            with _open(path) as file:
                _check(wanted, file.schema_arrow.names, plain(path.name))
                text = [
                    field.name for field in file.schema_arrow if field.name in wanted and _is_text(field.type)
                ]
            with _open(path, text) as file:
                for batch in file.iter_batches(batch_size=rows, columns=wanted, use_threads=False):
                    yield batch.select(wanted)


def _files(source: Any) -> list[Path]:
    given = [source] if isinstance(source, str | os.PathLike) else list(source)
    found: list[Path] = []
    for each in given:
        path = Path(each).expanduser()
        if path.is_dir():
            inside = sorted(path.glob("*.parquet"))
            if not inside:
                raise DataError(
                    "the folder holds no parquet files", got=plain(path), fix="name the files themselves"
                )
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise DataError("there is no such file", got=plain(path), fix="check the path")
    return found


def _open(path: Path, text: Sequence[str] = ()) -> Any:
    try:
        return pq.ParquetFile(path, read_dictionary=list(text), pre_buffer=False)
    except pa.ArrowInvalid as error:
        raise DataError(
            "the file cannot be read as parquet",
            got=f"{plain(path.name)}: {plain(error)}",
            fix="write the table as parquet; other files can be read with fairwitness.table.read_table",
        ) from error


def _check(wanted: Sequence[str], known: Sequence[str], where: str) -> None:
    absent = [plain(name) for name in wanted if name not in known]
    if absent:
        raise DataError(
            f"{where} lacks {'columns' if len(absent) > 1 else 'column'} {listing(absent)}",
            got=f"columns {listing([plain(name) for name in known])}",
            fix="check the spelling",
        )
    twice = [plain(name) for name in wanted if list(known).count(name) > 1]
    if twice:
        raise DataError(
            f"{where} has more than one column of the same name", got=listing(twice), fix="rename one of them"
        )


def _pieces(batch: Batch, rows: int) -> Iterator[Batch]:
    for at in range(0, batch.num_rows, rows):
        yield batch.slice(at, rows)


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
