"""The occupied cells of a count, with what weights need: from memory, from a database, or from a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from fairwitness.arguments import whole_number
from fairwitness.errors import DataError
from fairwitness.table.batches import as_stream, batches, is_streamed, stream_columns
from fairwitness.table.bins import EqualBins
from fairwitness.table.cuts import SensitiveSpec, parse_sensitive_spec
from fairwitness.table.frames import column_names, native_column
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One row a combination of values that occurs.

    Attributes
    ----------
    table
        The combinations: a pyarrow table with one column for each that was counted; null where missing. A
        column that was cut holds the two labels of the cut, in their order; one of scores, numbers of bins.
    rows
        (m,) rows in each cell.
    weight, squares
        (m,) sums of the weights and of their squares; equal to ``rows`` without weights.
    weighted
        Whether there were weights.
    """

    table: Any
    rows: IntArray
    weight: FloatArray
    squares: FloatArray
    weighted: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What is counted, under the names that the cells will have.

    Attributes
    ----------
    specs
        Name → column, and where it is cut.
    bins
        Columns of scores → their bins.
    weights
        Column of weights.
    most
        Most cells.
    """

    specs: Mapping[str, SensitiveSpec]
    bins: Mapping[str, EqualBins]
    weights: str | None
    most: int

    def bad_weight(self, got: str) -> DataError:
        """Give the error of a weight that makes no sense."""
        return DataError(
            f"weights may not be negative, infinite or missing: column {plain(self.weights)!r}",
            got=got,
            fix="drop those rows or set 0",
        )

    def too_many(self) -> DataError:
        """Give the error of too many cells."""
        return DataError(
            f"there are more than {self.most:,} combinations of values",
            got=f"columns {listing([plain(name) for name in self.specs])}",
            fix='leave out columns of amounts or names, cut them ("age > 25"), or merge rare values',
        )


def count_cells(
    source: Any,
    columns: Sequence[str],
    *,
    weights: str | None = None,
    bins: Mapping[str, EqualBins] | None = None,
    max_cells: int = 1_000_000,
) -> Cells:
    """Count the rows of every combination of values that occurs, wherever the table is.

    Parameters
    ----------
    source
        A pandas, polars or pyarrow table; anything lazy that narwhals knows (polars LazyFrame, DuckDB
        relation, PySpark DataFrame), which is grouped where it is; or what
        :func:`fairwitness.table.batches.batches` reads (parquet paths, datasets, streams), once through, in
        memory that does not grow with the rows.
    columns
        Names of the columns, each once. Where there is no such column, ``"age > 25"`` cuts ``age`` in two.
    weights
        Name of a column of weights, at least 0, none missing.
    bins
        Columns of scores → the bins that they are counted in.
    max_cells
        Most combinations.

    Raises
    ------
    DataError
        If a column is not there or cannot be counted, a weight or score makes no sense, or there are too many
        cells.
    GroupError
        If a cut does not end in a number, or its column holds text.
    """
    whole_number(max_cells, "max_cells")
    source = as_stream(source)
    lazy = None if is_streamed(source) else nw.from_native(source, pass_through=True)
    if isinstance(lazy, nw.LazyFrame):
        known = list(lazy.collect_schema().names())
    else:
        lazy = None
        known = stream_columns(source) if is_streamed(source) else column_names(source)
    plan = Plan(_specs(columns, known), dict(bins or {}), weights, max_cells)
    used = {spec.column for spec in plan.specs.values()}
    if weights is not None and weights in used:
        raise DataError(
            f"the column of weights {plain(weights)!r} is counted as well",
            fix="take it out of one of the two",
        )
    wanted = list(
        dict.fromkeys([*(spec.column for spec in plan.specs.values()), *([weights] if weights else [])])
    )
    absent = [plain(name) for name in wanted if name not in known]
    if absent:
        raise DataError(
            f"the table lacks {'columns' if len(absent) > 1 else 'column'} {listing(absent)}",
            got=f"columns {listing([plain(name) for name in known])}",
            fix="check the spelling",
        )
    if lazy is not None:
        from fairwitness.table.cells_lazy import group_cells

        return group_cells(lazy, plan)
    from fairwitness.table.cells_tally import Tally

    tally = Tally(plan)
    for part in _parts(source, wanted):
        tally.add(part)
    return tally.cells()


def _parts(source: Any, wanted: Sequence[str]) -> Iterator[Any]:
    """Give anything that has a column by its name, once or in batches."""
    if is_streamed(source):
        yield from batches(source, wanted)
    else:
        yield {name: native_column(source, name) for name in wanted}


def _specs(columns: Sequence[str], known: Sequence[str]) -> dict[str, SensitiveSpec]:
    names = [str(name) for name in columns]
    if not names or len(set(names)) < len(names):
        raise DataError(
            "the columns to count should be one or more different names",
            got=listing([plain(name) for name in names]) or "none",
            fix="name each column once",
        )
    found = {}
    for name in names:
        spec = SensitiveSpec(name) if name in known else parse_sensitive_spec(name)
        found[spec.labels[0] if spec.is_cut else name] = spec
    return found
