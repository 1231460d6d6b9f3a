"""Tables of three libraries through one door: names, rows and columns of pandas, polars and pyarrow.

A table keeps its library from end to end. Columns are called by their name *as text*; a pandas column
label that is no text (an integer, say) is looked up by how it reads, so two labels that read alike are
refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike

from fairwitness.errors import DataError
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame, ObjectArray

Container: TypeAlias = Literal["pandas", "polars", "pyarrow"]


def container_of(frame: NativeFrame) -> Container:
    """Say which library ``frame`` belongs to.

    Raises
    ------
    DataError
        If ``frame`` is not a pandas DataFrame, a polars DataFrame or a pyarrow Table; the message says
        how to make one of it.
    """
    if nw.dependencies.is_pandas_dataframe(frame):
        return "pandas"
    if nw.dependencies.is_polars_dataframe(frame):
        return "polars"
    if nw.dependencies.is_pyarrow_table(frame):
        return "pyarrow"
    kind = f"{type(frame).__module__.partition('.')[0]}.{type(frame).__qualname__}"
    if hasattr(frame, "collect"):
        fix = "call .collect() first"
    elif isinstance(frame, np.ndarray):
        fix = "give the columns names: pandas.DataFrame(array, columns=[...])"
    else:
        fix = "pass a pandas DataFrame, a polars DataFrame or a pyarrow Table"
    raise DataError("the table is of a kind that cannot be read", got=kind, fix=fix)


def column_labels(frame: NativeFrame) -> dict[str, Hashable]:
    """Map each column's name as text to its label in ``frame``, in column order.

    Raises
    ------
    DataError
        If two columns have the same name, or names that read alike (``1`` and ``"1"``).
    """
    container = container_of(frame)
    labels = list(frame.column_names) if container == "pyarrow" else list(frame.columns)
    named = {str(label): label for label in labels}
    if len(named) < len(labels):
        seen: set[str] = set()
        twice = [str(label) for label in labels if str(label) in seen or seen.add(str(label))]  # type: ignore[func-returns-value]
        raise DataError(
            "the table has more than one column of the same name",
            got=listing(list(dict.fromkeys(plain(name) for name in twice))),
            fix="rename or drop the repeated columns",
        )
    return named


def column_names(frame: NativeFrame) -> list[str]:
    """Give the column names as text, in column order."""
    return list(column_labels(frame))


def n_rows(frame: NativeFrame) -> int:
    """Give the number of rows."""
    container_of(frame)
    return int(frame.shape[0])


def native_column(frame: NativeFrame, name: str) -> Any:
    """Give the column called ``name`` as its library holds it (Series, or ChunkedArray for pyarrow).

    Raises
    ------
    DataError
        If there is no such column.
    """
    return frame[_label(column_labels(frame), name)]


def column(frame: NativeFrame, name: str) -> ObjectArray:
    """Give the values of one column as Python objects of their own type, ``None`` where missing.

    Returns
    -------
    array of shape (n,)
    """
    from fairwitness.table.columns import read_column

    codes, values = read_column(native_column(frame, name), name=name).factorize()
    palette = np.empty(len(values) + 1, dtype=object)
    palette[: len(values)] = values
    out: ObjectArray = palette[codes]
    return out


def select_columns(frame: NativeFrame, names: Sequence[str]) -> NativeFrame:
    """Give the columns called ``names``, in that order, in the same kind of table."""
    known = column_labels(frame)
    labels = [_label(known, name) for name in names]
    container = container_of(frame)
    if container == "pandas":
        positions = {label: position for position, label in enumerate(known.values())}
        return frame.iloc[:, [positions[label] for label in labels]]
    if container == "polars":
        # not by select(), which reads names such as "*" and "^a$" as patterns
        return type(frame)({label: frame.get_column(label) for label in labels})
    return frame.select(labels)


def take_rows(frame: NativeFrame, rows: ArrayLike) -> NativeFrame:
    """Give the rows at the positions ``rows`` (or where a boolean mask holds), in the same kind of table.

    A pandas result is numbered anew from 0: rows are known by their position, never by an index label.
    """
    wanted = np.asarray(rows)
    if wanted.dtype == bool:
        wanted = np.flatnonzero(wanted)
    wanted = wanted.astype(np.int64, copy=False)
    container = container_of(frame)
    if container == "pandas":
        return frame.iloc[wanted].reset_index(drop=True)
    return frame[wanted] if container == "polars" else frame.take(wanted)


def to_pandas(frame: NativeFrame) -> Any:
    """Give the table as a pandas DataFrame (the same object if it is one)."""
    if container_of(frame) == "pandas":
        return frame
    return nw.from_native(frame, eager_only=True).to_pandas()


def _label(known: dict[str, Hashable], name: str) -> Any:
    if str(name) not in known:
        raise DataError(
            f"the table has no column {plain(name)!r}",
            got=f"columns {listing([plain(each) for each in known])}",
            fix="check the spelling, or add the column",
        )
    return known[str(name)]
