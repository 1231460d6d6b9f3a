"""A table made ready to be counted: numbers cut, rows with missing values left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import number_array
from fairwitness.causal.data.bins import Cuts
from fairwitness.errors import DataError
from fairwitness.table.columns import read_column
from fairwitness.table.frames import container_of, native_column, select_columns, take_rows
from fairwitness.text import plain
from fairwitness.typing import BoolArray, FloatArray

#: Whole numbers with more distinct values than this are an amount, not a category.
MOST_VALUES = 20


@dataclass(frozen=True, slots=True)
class Prepared:
    """A table ready to be counted, and what is known about it before.

    Parameters
    ----------
    table
        Rows without a missing value; numbers that are cut are codes of their bins.
    weights
        As :func:`count_table` takes them.
    whole
        Whether the weights may be counts.
    sizes
        How many levels each variable has.
    absent
        How many values each variable lacks.
    incomplete
        How many rows lack at least one.
    """

    table: Any
    weights: str | ArrayLike | None
    whole: bool
    sizes: Mapping[str, int]
    absent: Mapping[str, int]
    incomplete: int


def prepare(
    data: Any,
    names: Sequence[str],
    cuts: Mapping[str, Cuts],
    own: Mapping[str, Sequence[object]],
    weights: str | ArrayLike | None,
) -> Prepared:
    """Cut numbers, leave out rows with missing values, and refuse columns of amounts."""
    coded: dict[str, FloatArray] = {}
    sizes: dict[str, int] = {}
    absent: dict[str, BoolArray] = {}
    for name in names:
        column = read_column(native_column(data, name), name=name)
        if name in cuts:
            coded[name] = cuts[name].codes(column.numbers())
            sizes[name], absent[name] = len(cuts[name].labels), np.isnan(coded[name])
            continue
        codes, _ = column.factorize()
        absent[name] = codes < 0
        sizes[name] = len(own[name]) if name in own else int(np.count_nonzero(np.bincount(codes + 1)[1:]))
        if name not in own and column.family in {"integer", "float"}:
            numbers = column.numbers()
            present = numbers[~np.isnan(numbers)]
            middle = float(np.median(present)) if len(present) else np.nan
            refuse_amounts(name, sizes[name], middle, whole=bool(np.all(present == np.floor(present))))
    incomplete = np.any(list(absent.values()), axis=0)
    dropped = int(incomplete.sum())
    kept = [*names, *([weights] if isinstance(weights, str) else [])]
    table = _replaced(data, kept, coded) if coded else data
    if dropped:
        table = take_rows(table, ~incomplete)
        if weights is not None and not isinstance(weights, str):
            weights = _of_rows(weights, ~incomplete)
    return Prepared(
        table,
        weights,
        _whole(data, weights),
        sizes,
        {name: int(mask.sum()) for name, mask in absent.items()},
        dropped,
    )


def _of_rows(weights: ArrayLike, kept: BoolArray) -> FloatArray:
    numbers = number_array(weights, "weights", fix="pass one number a row, or the name of a column")
    if numbers.shape != kept.shape:
        raise DataError(
            "there should be one weight a row",
            got=f"shape {numbers.shape} for {len(kept)} rows",
            fix="pass weights of the same table",
        )
    return numbers[kept]


def _whole(data: Any, weights: str | ArrayLike | None) -> bool:
    if weights is None:
        return True
    if isinstance(weights, str):
        numbers = read_column(native_column(data, weights), name=weights).numbers()
    else:
        numbers = number_array(weights, "weights", fix="pass one number a row, or the name of a column")
    return bool(np.all(np.floor(numbers) == numbers))


def _replaced(data: Any, kept: Sequence[str], coded: Mapping[str, FloatArray]) -> Any:
    """Give the columns ``kept``, some of them replaced, in the same kind of table."""
    container = container_of(data)
    selected = select_columns(data, list(kept))
    if container == "pandas":
        table = selected.copy(deep=False)
        table.columns = list(kept)
        for name, codes in coded.items():
            table[name] = codes
        return table
    if container == "polars":
        columns = {name: selected.get_column(name) for name in kept}
        return type(selected)({**columns, **coded})
    for name, codes in coded.items():
        selected = selected.set_column(list(kept).index(name), name, [codes])
    return selected


def refuse_amounts(name: str, distinct: int, typical: float, *, whole: bool) -> None:
    """Refuse a column of numbers that are not few whole ones, and propose to cut it at a ``typical`` one."""
    if whole and distinct <= MOST_VALUES:
        return
    cut = f"{typical:.3g}" if np.isfinite(typical) else "10"
    raise DataError(
        f"column {plain(name)!r} holds an amount, and only variables of few values can be counted",
        got=f"{distinct:,} distinct numbers",
        fix=f'say where to cut it, for example in the middle: bins={{"{plain(name)}": [{cut}]}}',
    )
