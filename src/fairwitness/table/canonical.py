"""Rows known by their content: keys, an order and a hash that do not depend on how the table came.

Equal content gives equal keys whatever the row order, column order, library, or width of the type: 1 as int8,
int64 or float64 is one value, "a" as text or as a category is one value, missing is one value. A boolean is
not the number 1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairwitness.errors import DataError
from fairwitness.table.columns import Column, read_column
from fairwitness.table.frames import column_labels, n_rows
from fairwitness.typing import IntArray, NativeFrame

_Words = NDArray[np.uint64]


def row_keys(*frames: NativeFrame) -> NDArray[np.str_]:
    """Give each row a key of 16 hexadecimal digits that depends on its content only.

    Parameters
    ----------
    *frames
        One table, or several with the same rows side by side.

    Returns
    -------
    text array of shape (n,)
        Rows of equal content share a key. Rows of different content share one with a probability of about
        n² / 10¹⁹.
    """
    high = _digest_rows(frames)[:, 0]
    text = high.astype(">u8").tobytes().hex().encode()
    return np.frombuffer(text, dtype="S16").astype("U16")


def canonical_order(*frames: NativeFrame) -> IntArray:
    """Give the row positions in an order that depends on the rows' content only.

    Rows of equal content keep their order among themselves, which no result can depend on.

    Returns
    -------
    int array of shape (n,)
        ``take_rows(frame, canonical_order(frame))`` is the table in canonical order.
    """
    words = _digest_rows(frames)
    return np.lexsort((words[:, 1], words[:, 0])).astype(np.int64)


def table_hash(*frames: NativeFrame) -> str:
    """Give one SHA-256 of the tables' content, as 64 hexadecimal digits; row and column order are ignored."""
    words = _digest_rows(frames)
    words = words[np.lexsort((words[:, 1], words[:, 0]))]
    digest = hashlib.sha256()
    for position, frame in enumerate(frames):
        for name in sorted(column_labels(frame)):
            digest.update(_name_bytes(position, name))
    digest.update(words.astype("<u8").tobytes())
    return digest.hexdigest()


def _digest_rows(frames: tuple[NativeFrame, ...]) -> _Words:
    """Give 128 bits a row, as (n, 2): a sum over columns, so that column order is irrelevant."""
    if not frames:
        raise DataError("no table is given", fix="pass at least one")
    sizes = [n_rows(frame) for frame in frames]
    if len(set(sizes)) > 1:
        raise DataError(
            "the tables differ in their number of rows", got=str(sizes), fix="pass tables of the same rows"
        )
    out = np.zeros((sizes[0], 2), dtype=np.uint64)
    for position, frame in enumerate(frames):
        for name, values in _named_columns(frame):
            seed = _words(_name_bytes(position, name))
            content = _digest_column(values, name)
            out += _mix(content + seed)
    return _mix(out)


def _named_columns(frame: NativeFrame) -> Iterator[tuple[str, Any]]:
    for name, label in column_labels(frame).items():
        yield name, frame[label]


def _digest_column(values: Any, name: str) -> _Words:
    """Give 128 bits for each value of a column, as (n, 2) or (n, 1) that broadcasts."""
    try:
        return _digest_readable(read_column(values, name=name))
    except DataError:  # dates, lists and the like: by what they read as
        cells = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
        texts = np.empty(len(cells), dtype=object)
        texts[:] = [None if _is_gap(cell) else str(cell) for cell in cells]
        return _digest_readable(read_column(texts, name=name))


def _digest_readable(column: Column) -> _Words:
    if column.family in {"integer", "float"}:
        try:
            numbers = column.numbers()
        except DataError:  # whole numbers that a float cannot hold, or infinity: value by value
            pass
        else:
            words = (numbers + 0.0).view(np.uint64)[:, None]
            return np.where(np.isnan(numbers)[:, None], _MISSING, words)
    codes, distinct = column.factorize()
    palette = np.empty((len(distinct) + 1, 2), dtype=np.uint64)
    palette[-1] = _MISSING
    for position, value in enumerate(distinct):
        palette[position] = _digest_value(value)
    digests: _Words = palette[codes]
    return digests


def _digest_value(value: object) -> _Words:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            if float(value) == value:
                return np.full(2, np.float64(value) + 0.0).view(np.uint64)
        except OverflowError:
            pass
    kind = type(value).__name__
    return _words(f"{kind}\x1f{value}".encode("utf-8", "surrogatepass"))


def _is_gap(cell: object) -> bool:
    return cell is None or cell is pd.NaT or cell is pd.NA or (isinstance(cell, float) and cell != cell)


def _name_bytes(position: int, name: str) -> bytes:
    return f"{position}\x1f{name}\x1e".encode("utf-8", "surrogatepass")


def _words(content: bytes) -> _Words:
    digest = hashlib.blake2b(content, digest_size=16).digest()
    return np.frombuffer(digest, dtype="<u8").astype(np.uint64)


def _mix(words: _Words) -> _Words:
    """Scatter 64-bit words one to one, so that every bit depends on every bit (last step of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


_MISSING = _words(b"missing")
