"""Counting cells where the table is: one grouping in the database, and only the cells are fetched."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from fairwitness.errors import DataError
from fairwitness.table.cells import Cells, Plan
from fairwitness.table.cells_tally import cut_column, no_cut, with_missing
from fairwitness.table.columns import read_column
from fairwitness.table.cuts import SensitiveSpec
from fairwitness.text import plain

_ROWS, _SUM, _SQUARES = "__fairwitness_rows__", "__fairwitness_sum__", "__fairwitness_squares__"


def group_cells(lazy: Any, plan: Plan) -> Cells:
    """Group a narwhals LazyFrame; weights and scores are checked first, where they are."""
    _check(lazy, plan)
    schema = lazy.collect_schema()
    keys = {}
    for at, spec in enumerate(plan.specs.values()):
        key = f"__fairwitness_key{at}__"
        if spec.column in plan.bins:
            keys[key] = plan.bins[spec.column].expression(spec.column)
        elif spec.is_cut:
            keys[key] = _holds(nw.col(spec.column), spec, floating=schema[spec.column].is_float())
        else:
            keys[key] = nw.col(spec.column)
    sums = [nw.len().alias(_ROWS)]
    amounts = []
    if plan.weights is not None:
        amount = nw.col(plan.weights).cast(nw.Float64)  # a sum of integers may come back as a type of its own
        amounts = [amount.alias(_SUM), (amount * amount).alias(_SQUARES)]
        sums += [nw.col(name).sum().alias(f"{name}of") for name in (_SUM, _SQUARES)]
    chosen = lazy.select(*[each.alias(key) for key, each in keys.items()], *amounts)
    table = chosen.group_by(*keys).agg(*sums).head(plan.most + 1).collect(backend="pyarrow").to_native()
    if table.num_rows > plan.most:
        raise plan.too_many()
    columns = {}
    for (name, spec), key in zip(plan.specs.items(), keys, strict=True):
        columns[name] = table[key]
        if spec.is_cut:
            codes, values = with_missing(*read_column(table[key], name=name).factorize())
            columns[name] = cut_column(codes, values, spec)
    rows = np.asarray(table[_ROWS].to_numpy(), dtype=np.int64)
    if plan.weights is None:
        whole = rows.astype(np.float64)
        return Cells(pa.table(columns), rows, whole, whole, weighted=False)
    weight, squares = (
        np.asarray(table[f"{name}of"].to_numpy(), dtype=np.float64) for name in (_SUM, _SQUARES)
    )
    if not np.isfinite(weight).all():
        raise plan.bad_weight("a missing or infinite one")
    return Cells(pa.table(columns), rows, weight, squares, weighted=True)


def _check(lazy: Any, plan: Plan) -> None:
    """Ask once about what must not hide in a sum or a bin."""
    schema = lazy.collect_schema()
    for spec in plan.specs.values():
        if spec.is_cut and not schema[spec.column].is_numeric():
            raise no_cut(spec)
    numbers = [*plan.bins, *([plan.weights] if plan.weights is not None else [])]
    for name in numbers:
        if not schema[name].is_numeric():
            raise DataError(
                f"column {plain(name)!r} should hold numbers",
                got=str(schema[name]),
                fix="convert it to numbers",
            )
    ask = {}
    for at, name in enumerate(plan.bins):
        value = nw.col(name).cast(nw.Float64)
        gone = value.is_null() | value.fill_null(0.0).is_nan()
        ask[f"gone{at}"] = gone.cast(nw.Int64).sum()
        ask[f"least{at}"], ask[f"most{at}"] = value.min(), value.max()
    if plan.weights is not None:
        amount = nw.col(plan.weights).cast(nw.Float64)
        ask["bad"] = (amount.is_null() | (amount < 0)).cast(nw.Int64).sum()
    if not ask:
        return
    answer = lazy.select(*[each.alias(key) for key, each in ask.items()]).collect(backend="pyarrow")
    (row,) = answer.rows(named=True)
    if row.get("bad"):
        raise plan.bad_weight(f"{int(row['bad']):,} of them")
    for at, (name, bins) in enumerate(plan.bins.items()):
        if row[f"least{at}"] is not None:
            bins.check(name, row[f"gone{at}"], float(row[f"least{at}"]), float(row[f"most{at}"]))
        elif row[f"gone{at}"]:
            bins.check(name, row[f"gone{at}"], bins.low, bins.high)


def _holds(column: Any, spec: SensitiveSpec, *, floating: bool) -> Any:
    number = float(spec.number or 0)
    holds = {
        ">": column > number,
        ">=": column >= number,
        "<": column < number,
        "<=": column <= number,
    }[str(spec.operator)]
    # NaN is a number to a database, missing to us
    return nw.when(~column.fill_null(0.0).is_nan()).then(holds) if floating else holds
