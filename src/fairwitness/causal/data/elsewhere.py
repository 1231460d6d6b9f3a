"""The same for tables that are elsewhere: one question about the columns, then only the cells are fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from fairwitness.causal.data.bins import Cuts
from fairwitness.causal.data.prepared import Prepared, refuse_amounts
from fairwitness.errors import DataError
from fairwitness.text import plain


def prepare_lazily(
    lazy: Any,
    names: Sequence[str],
    cuts: Mapping[str, Cuts],
    own: Mapping[str, Sequence[object]],
    weights: str | None,
) -> Prepared:
    """Give the lazy table of what is counted.

    How many values each column has is asked before anything is grouped, so that a column of names or
    amounts is refused and not fetched.
    """
    schema = lazy.collect_schema()
    for name in [*cuts, *([weights] if weights is not None else [])]:
        if not schema[name].is_numeric():
            raise DataError(
                f"column {plain(name)!r} should hold numbers",
                got=str(schema[name]),
                fix="convert the column to numbers" + (", or leave its bins out" if name in cuts else ""),
            )
    missing = {name: _missing(name, floating=schema[name].is_float()) for name in names}
    any_missing = nw.any_horizontal(*missing.values(), ignore_nulls=False)
    ask = {"rows": _total(any_missing)}
    for at, name in enumerate(names):
        ask[f"missing{at}"] = _total(missing[name])
        ask[f"null{at}"] = _total(nw.col(name).is_null())
        ask[f"distinct{at}"] = nw.col(name).n_unique()
        if schema[name].is_numeric():
            ask[f"mean{at}"] = nw.col(name).mean()
        if schema[name].is_float():
            ask[f"broken{at}"] = _total(nw.col(name) != nw.col(name).floor())
    if weights is not None:
        amount = nw.col(weights).cast(nw.Float64)
        ask["weights"] = _total(amount != amount.floor())
    answer = lazy.select(*[each.alias(key) for key, each in ask.items()]).collect(backend="pyarrow")
    (row,) = answer.rows(named=True)
    found = {key: int(value or 0) for key, value in row.items() if not key.startswith("mean")}
    sizes = {}
    for at, name in enumerate(names):
        nulls, absent = found[f"null{at}"], found[f"missing{at}"]
        distinct = found[f"distinct{at}"] - (nulls > 0) - (absent > nulls)
        sizes[name] = len(own.get(name, ())) or distinct
        if name in cuts:
            sizes[name] = len(cuts[name].labels)
        elif name not in own and schema[name].is_numeric():
            typical = float(row[f"mean{at}"] or 0)
            refuse_amounts(name, distinct, typical, whole=found.get(f"broken{at}", 0) <= absent - nulls)
    columns = [
        cuts[name].expression(name, floating=schema[name].is_float()) if name in cuts else nw.col(name)
        for name in names
    ]
    if weights is not None:  # a sum of integers may come back as a type of its own
        columns.append(nw.col(weights).cast(nw.Float64))
    complete = lazy.filter(~any_missing) if found["rows"] else lazy
    return Prepared(
        complete.select(*columns).to_native(),
        weights,
        weights is None or not found["weights"],
        sizes,
        {name: found[f"missing{at}"] for at, name in enumerate(names)},
        found["rows"],
    )


def _missing(name: str, *, floating: bool) -> Any:
    null = nw.col(name).is_null()
    # NaN is a number to a database, null to us; "is NaN" of null is null
    return null | nw.col(name).fill_null(0.0).is_nan() if floating else null


def _total(holds: Any) -> Any:
    return holds.cast(nw.Int64).sum()
