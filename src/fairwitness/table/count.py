"""The one contingency count: any columns, with or without weights, of tables in memory or elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairwitness.errors import DataError
from fairwitness.table.batches import as_stream, is_streamed
from fairwitness.table.cells import count_cells
from fairwitness.table.columns import read_column
from fairwitness.table.frames import column_names, n_rows, native_column
from fairwitness.table.levels import sort_levels
from fairwitness.text import listing, plain
from fairwitness.typing import Document, FloatArray

Counts = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Contingency:
    """How many rows (or how much weight) have each combination of values.

    Parameters
    ----------
    columns
        Names of the counted columns, one an axis.
    levels
        The values along each axis, sorted; ``None`` comes last where values are missing.
    counts
        Array with one axis a column: int64, or float64 if rows were weighted.
    """

    columns: tuple[str, ...]
    levels: tuple[tuple[object, ...], ...]
    counts: Counts

    @property
    def total(self) -> float:
        """Rows, or weight, in all."""
        return float(self.counts.sum())

    def axis(self, column: str) -> int:
        """Give the position of a column among the axes.

        Raises
        ------
        DataError
            If the column was not counted.
        """
        if column not in self.columns:
            raise DataError(
                f"column {plain(column)!r} was not counted",
                got=f"columns {listing([plain(name) for name in self.columns])}",
                fix="use one of these",
            )
        return self.columns.index(column)

    def marginal(self, *columns: str) -> Contingency:
        """Sum over all other columns; axes in the order asked for."""
        kept = [self.axis(column) for column in columns]
        others = tuple(axis for axis in range(len(self.columns)) if axis not in kept)
        left = sorted(kept)
        counts = np.transpose(self.counts.sum(axis=others), [left.index(axis) for axis in kept])
        return Contingency(tuple(columns), tuple(self.levels[axis] for axis in kept), counts)

    def to_dict(self) -> Document:
        """Give columns, levels and nested lists of counts for a document."""
        return {
            "columns": list(self.columns),
            "levels": [list(levels) for levels in self.levels],
            "counts": self.counts.tolist(),
        }


def count_table(
    frame: Any,
    columns: Sequence[str],
    *,
    weights: str | ArrayLike | None = None,
    levels: Mapping[str, Sequence[object]] | None = None,
    max_cells: int = 10_000_000,
) -> Contingency:
    """Count the combinations of values in some columns.

    Parameters
    ----------
    frame
        pandas, polars or pyarrow table, or anything lazy that narwhals knows (polars LazyFrame, DuckDB
        relation, PySpark DataFrame): those are grouped where they are and only the cells are fetched. Or the
        path of a parquet file or folder, read in batches.
    columns
        Names of the columns to cross, at least one.
    weights
        Name of a column of weights, or (n,) weights (not for lazy tables), none negative or missing.
    levels
        Values along some columns' axes, for an order of one's own or for values that never occur.
    max_cells
        Most cells of the result.

    Raises
    ------
    DataError
        For an unknown column, a value that is not in ``levels``, unusable weights, or too many cells.
    """
    names = [str(name) for name in columns]
    if not names or len(set(names)) < len(names):
        raise DataError(
            "the columns to count should be one or more different names",
            got=listing([plain(name) for name in names]) or "none",
            fix="name each column once",
        )
    frame = as_stream(frame)
    streamed = is_streamed(frame)
    lazy = None if streamed else _as_lazy(frame)
    if lazy is None and not streamed:
        return _count(frame, names, _weights(frame, weights), levels or {}, max_cells)
    if weights is not None and not isinstance(weights, str):
        raise DataError("a lazy table takes its weights from a column", fix="pass the column's name")
    sums: FloatArray | None
    if streamed:
        found = count_cells(frame, names, weights=weights)
        cells, sums = found.table, found.weight
    else:
        cells = _group(lazy, names, weights)
        sums = _weights(cells, _SUM)
    counted = _count(cells, names, sums, levels or {}, max_cells)
    if weights is None:
        return Contingency(counted.columns, counted.levels, np.rint(counted.counts).astype(np.int64))
    return counted


_SUM = "__fairwitness_sum__"


def _as_lazy(frame: Any) -> Any:
    wrapped = nw.from_native(frame, pass_through=True)
    return wrapped if isinstance(wrapped, nw.LazyFrame) else None


def _group(lazy: Any, names: list[str], weights: str | None) -> Any:
    known = lazy.collect_schema().names()
    absent = [plain(name) for name in [*names, *([weights] if weights else [])] if name not in known]
    if absent:
        raise DataError(
            f"the table lacks {'columns' if len(absent) > 1 else 'column'} {listing(absent)}",
            got=f"columns {listing([plain(name) for name in known])}",
            fix="check the spelling",
        )
    if weights is None:
        amount = nw.len()
    else:
        # a missing or negative weight must not hide in a sum
        bad = lazy.filter(nw.col(weights).is_null() | (nw.col(weights) < 0)).select(nw.len()).collect()
        if int(bad.item()):
            raise _bad_weights(f"{int(bad.item())} of them")
        amount = nw.col(weights).sum()
    return lazy.group_by(*names).agg(amount.alias(_SUM)).collect(backend="pyarrow").to_native()


def _weights(frame: Any, weights: str | ArrayLike | None) -> FloatArray | None:
    if weights is None:
        return None
    if isinstance(weights, str):
        numbers = read_column(native_column(frame, weights), name=weights).numbers()
    else:
        numbers = np.asarray(weights, dtype=np.float64)
    if numbers.shape != (n_rows(frame),):
        raise DataError(
            "there should be one weight a row",
            got=f"shape {numbers.shape} for {n_rows(frame)} rows",
            fix="pass weights of the same table",
        )
    bad = np.flatnonzero(~(numbers >= 0) | np.isinf(numbers))
    if bad.size:
        raise _bad_weights(f"{numbers[bad[0]]} in row {bad[0]}")
    return numbers


def _bad_weights(got: str) -> DataError:
    return DataError(
        "weights may not be negative, infinite or missing", got=got, fix="drop those rows or set 0"
    )


def _count(
    frame: Any,
    names: list[str],
    weights: FloatArray | None,
    levels: Mapping[str, Sequence[object]],
    max_cells: int,
) -> Contingency:
    known = column_names(frame)
    stray = [plain(name) for name in levels if name not in names]
    if stray:
        raise DataError(
            f"levels are given for {listing(stray)}, which is not counted",
            got=f"columns {listing([plain(name) for name in known])}",
            fix="leave them out",
        )
    axes = [_axis(frame, name, levels.get(name)) for name in names]
    shape = tuple(len(values) for _, values in axes)
    if np.prod(np.array(shape, dtype=np.float64)) > max_cells:
        raise DataError(
            f"the count would have more than {max_cells:,} cells",
            got=" × ".join(str(size) for size in shape),
            fix="count fewer columns, merge rare values, or pass max_cells=...",
        )
    cells = int(np.prod(shape))
    place = np.ravel_multi_index(tuple(codes for codes, _ in axes), shape) if n_rows(frame) else []
    counts = np.bincount(np.asarray(place, dtype=np.int64), weights=weights, minlength=cells)
    typed: Any = counts.astype(np.int64 if weights is None else np.float64)
    return Contingency(tuple(names), tuple(values for _, values in axes), typed.reshape(shape))


def _axis(frame: Any, name: str, levels: Sequence[object] | None) -> tuple[Any, tuple[object, ...]]:
    codes, values = read_column(native_column(frame, name), name=name).factorize()
    met = np.bincount(codes[codes >= 0], minlength=len(values)) > 0
    observed = [value for value, was_met in zip(values, met.tolist(), strict=True) if was_met]
    missing = bool((codes < 0).any())
    if levels is None:
        axis = sort_levels(observed) + ((None,) if missing else ())
    else:
        axis = tuple(levels)
        stray = [
            *sort_levels(v for v in observed if v not in axis),
            *([None] if missing and None not in axis else []),
        ]
        if stray:
            raise DataError(
                f"column {plain(name)!r} holds a value that is not in its levels",
                got=plain(repr(stray[0])),
                fix="add it to levels",
            )
    place = {value: position for position, value in enumerate(axis)}
    table = np.array([place.get(value, 0) for value in values] + [place.get(None, 0)], dtype=np.int64)
    return table[codes], axis
