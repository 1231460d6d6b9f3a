"""From rows to a distribution: columns read, numbers cut, missing values and weights dealt with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import number_array, shown, whole_number
from fairwitness.causal.bins import Bins, Cuts, read_bins
from fairwitness.causal.distribution import ROUNDING, Distribution
from fairwitness.causal.names import did_you_mean
from fairwitness.errors import ConfigError, DataError
from fairwitness.table.columns import read_column
from fairwitness.table.count import Contingency, count_table
from fairwitness.table.frames import column_names, container_of, native_column, select_columns, take_rows
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, FloatArray

#: Whole numbers with more distinct values than this are an amount, not a category.
MOST_VALUES = 20


def read_distribution(
    data: Any,
    variables: Sequence[str],
    *,
    weights: str | ArrayLike | None,
    levels: Mapping[str, Sequence[object]] | None,
    bins: Bins | None,
    missing: str,
    sampling: bool,
    max_cells: int,
) -> Distribution:
    """Do what :meth:`Distribution.from_data` promises."""
    from fairwitness.causal.elsewhere import prepare_lazily

    names = _names(variables)
    whole_number(max_cells, "max_cells")
    if missing not in {"error", "drop"}:
        raise ConfigError("missing is not known", got=shown(missing), fix='pass "error" or "drop"')
    if isinstance(data, Distribution | Mapping):
        if bins or levels or weights is not None:
            raise ConfigError(
                "bins, levels and weights are for rows; a distribution is counted already",
                fix="leave them out, or pass the table of rows",
            )
        known = data if isinstance(data, Distribution) else _from_mapping(data)
        return known.take(*names)
    cuts = read_bins(bins, names)
    own = _own_levels(levels, names, cuts)
    lazy = _as_lazy(data)
    _check_columns(data if lazy is None else lazy, [*names, *([weights] if isinstance(weights, str) else [])])
    if isinstance(weights, str) and weights in names:
        raise ConfigError(
            f"the column of weights {plain(weights)!r} is one of the variables",
            fix="take it out of one of the two",
        )
    if lazy is None:
        asked = _prepare(data, names, cuts, own, weights)
    elif weights is None or isinstance(weights, str):
        asked = prepare_lazily(lazy, names, cuts, own, weights)
    else:
        raise ConfigError("a lazy table takes its weights from a column", fix="pass the column's name")
    notes = _on_missing(asked.absent, asked.incomplete, missing)
    _check_sizes(asked.sizes, max_cells)
    codes = {name: range(len(cut.labels)) for name, cut in cuts.items()}
    counted = count_table(
        asked.table, names, weights=asked.weights, levels={**own, **codes}, max_cells=max_cells
    )
    axes = tuple(
        cuts[name].labels if name in cuts else axis for name, axis in zip(names, counted.levels, strict=True)
    )
    total = counted.total
    if not total > 0:
        raise DataError(
            "the table has no rows to count" if weights is None else "all weights are 0",
            got=f"{total:g} in all",
            fix="pass a table with at least one complete row",
        )
    notes += _notes(names, axes, counted, cuts, own)
    if weights is None:
        return Distribution.from_counts(names, axes, counted.counts, notes=notes)
    if asked.whole and not sampling and total >= 2:
        notes.append(f"weights are counts of {total:,.0f} rows")
        return Distribution.from_counts(names, axes, counted.counts, notes=notes)
    if abs(total - 1) > ROUNDING:
        notes.append(f"weights summed to {total:.10g} and were divided by that")
    notes.append("how many rows there were is not known")
    return Distribution.from_table(names, axes, counted.counts / total, notes=notes)


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


def _prepare(
    data: Any,
    names: Sequence[str],
    cuts: Mapping[str, Cuts],
    own: Mapping[str, Sequence[object]],
    weights: str | ArrayLike | None,
) -> Prepared:
    coded: dict[str, FloatArray] = {}
    sizes: dict[str, int] = {}
    absent: dict[str, BoolArray] = {}
    for name in names:
        column = read_column(native_column(data, name), name=name)
        if name in cuts:
            coded[name] = cuts[name].codes(column.numbers())
            sizes[name], absent[name] = len(cuts[name].labels), np.isnan(coded[name])
            continue
        codes, values = column.factorize()
        absent[name] = codes < 0
        sizes[name] = len(own[name]) if name in own else int(np.unique(codes[codes >= 0]).size)
        if name not in own and column.family in {"integer", "float"}:
            refuse_amounts(name, sizes[name], whole=all(float(value) == int(value) for value in values))  # type: ignore[call-overload, arg-type]
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


def refuse_amounts(name: str, distinct: int, *, whole: bool) -> None:
    """Refuse a column of numbers that are not few whole ones."""
    if not whole or distinct > MOST_VALUES:
        raise _amount(name, distinct)


def _names(variables: Sequence[str]) -> tuple[str, ...]:
    names = () if isinstance(variables, str) else tuple(str(name) for name in variables)
    if not names or len(set(names)) < len(names):
        raise ConfigError(
            "variables must be a list of one or more different names",
            got=shown(variables),
            fix="name each column once",
        )
    return names


def _own_levels(
    levels: Mapping[str, Sequence[object]] | None, names: tuple[str, ...], cuts: Mapping[str, Cuts]
) -> dict[str, tuple[object, ...]]:
    own = {}
    for name, values in (levels or {}).items():
        if name not in names or name in cuts:
            raise ConfigError(
                f"levels are given for {plain(name)!r}, which is "
                + ("cut into bins" if name in cuts else "no variable here"),
                got=shown(values),
                fix="leave them out" if name in cuts else did_you_mean(name, names),
            )
        own[name] = () if isinstance(values, str) else tuple(values)
        if not own[name] or len(set(own[name])) < len(own[name]):
            raise ConfigError(
                f"the levels of {plain(name)!r} must be a list of one or more different values",
                got=shown(values),
                fix=f'pass e.g. levels={{"{plain(name)}": [0, 1]}}',
            )
    return own


def _from_mapping(data: Mapping[str, Any]) -> Distribution:
    lacking = [key for key in ("variables", "levels") if key not in data]
    table = next((key for key in ("counts", "probability") if data.get(key) is not None), None)
    if lacking or table is None:
        raise DataError(
            "a distribution as a mapping has variables, levels, and counts or probability",
            got=f"keys {listing([plain(key) for key in data]) or 'none'}",
            fix="add them, or pass a table of rows such as pandas.DataFrame(mapping)",
        )
    make = Distribution.from_counts if table == "counts" else Distribution.from_table
    return make(data["variables"], data["levels"], data[table], notes=tuple(data.get("notes", ())))


def _as_lazy(data: Any) -> Any:
    wrapped = nw.from_native(data, pass_through=True)
    if isinstance(wrapped, nw.LazyFrame):
        return wrapped
    container_of(data)
    return None


def _check_columns(data: Any, wanted: Sequence[str]) -> None:
    known = data.collect_schema().names() if isinstance(data, nw.LazyFrame) else column_names(data)
    absent = [name for name in wanted if name not in known]
    if absent:
        raise DataError(
            f"the table has no column {plain(absent[0])!r}",
            got=f"columns {listing([plain(name) for name in known])}",
            fix=did_you_mean(absent[0], known),
        )


def _notes(
    names: Sequence[str],
    axes: Sequence[Sequence[object]],
    counted: Contingency,
    cuts: Mapping[str, Cuts],
    own: Mapping[str, object],
) -> list[str]:
    said = []
    for name, axis in zip(names, axes, strict=True):
        if name in cuts:
            said.append(f"{plain(name)} is cut into {listing([shown(label) for label in axis])}")
        if name in cuts or name in own:
            seen = counted.marginal(name).counts > 0
            never = [
                plain(level) for level, was_seen in zip(axis, seen.tolist(), strict=True) if not was_seen
            ]
            if never:
                said.append(f"{plain(name)} never takes the value{'s' * (len(never) > 1)} {listing(never)}")
    return said


def _amount(name: str, distinct: int) -> DataError:
    return DataError(
        f"column {plain(name)!r} holds an amount, and only variables of few values can be counted",
        got=f"{distinct:,} distinct numbers",
        fix=f'say where to cut it: bins={{"{plain(name)}": [10, 20]}} or bins={{"{plain(name)}": "> 10"}}',
    )


def _check_sizes(sizes: Mapping[str, int], max_cells: int) -> None:
    if np.prod(np.array(list(sizes.values()), dtype=np.float64)) > max_cells:
        raise DataError(
            f"the variables have more than {max_cells:,} combinations of values",
            got=" × ".join(f"{size:,} of {plain(name)}" for name, size in sizes.items()),
            fix="use fewer variables or bins, merge rare values, or pass max_cells=...",
        )


def _on_missing(absent: Mapping[str, int], rows: int, missing: str) -> list[str]:
    """Refuse missing values, or say how many rows go; ``rows`` have at least one."""
    where = listing([f"{plain(name)} ({count:,})" for name, count in absent.items() if count])
    if not rows:
        return []
    if missing == "error":
        raise DataError(
            "the variables have missing values",
            got=f"{rows:,} rows: {where}",
            fix='pass missing="drop" to leave those rows out, or fill them in',
        )
    return [f"{rows:,} rows with a missing value were left out: {where}"]
