"""From rows to a distribution: columns read, numbers cut, missing values and weights dealt with."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import items_of, shown, whole_number
from fairwitness.causal.data.bins import Bins, Cuts, read_bins
from fairwitness.causal.data.distribution import ROUNDING, Distribution
from fairwitness.causal.data.elsewhere import prepare_lazily
from fairwitness.causal.data.prepared import prepare
from fairwitness.errors import ConfigError, DataError
from fairwitness.table.count import Contingency, count_table
from fairwitness.table.frames import column_names, container_of
from fairwitness.text import did_you_mean, listing, plain
from fairwitness.typing import FloatArray


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
    names = _names(variables)
    if isinstance(data, Distribution | Mapping):
        if bins or levels or weights is not None:
            raise ConfigError(
                "bins, levels and weights are for rows; a distribution is counted already",
                fix="leave them out, or pass the table of rows",
            )
        known = data if isinstance(data, Distribution) else _from_mapping(data)
        return known.take(*names)
    counted = tabulate(
        data, names, weights=weights, levels=levels, bins=bins, missing=missing, max_cells=max_cells
    )
    notes = list(counted.notes)
    total = float(counted.counts.sum())
    if not total > 0:
        raise DataError(
            "the table has no rows to count" if weights is None else "all weights are 0",
            got=f"{total:g} in all",
            fix="pass a table with at least one complete row",
        )
    if weights is None or (counted.whole and not sampling and total >= 2):
        if weights is not None:
            notes.append(f"weights are counts of {total:,.0f} rows")
        made = Distribution.from_counts(names, counted.levels, counted.counts, notes=notes)
    else:
        if abs(total - 1) > ROUNDING:
            notes.append(f"weights summed to {total:.10g} and were divided by that")
        notes.append("how many rows there were is not known")
        made = Distribution.from_table(names, counted.levels, counted.counts / total, notes=notes)
    return replace(made, cuts=counted.cuts)


@dataclass(frozen=True, slots=True)
class Tabulated:
    """Rows, or weights, summed by the values of some variables.

    Parameters
    ----------
    levels
        The values along each axis.
    counts
        One axis a variable.
    whole
        Whether all weights are whole numbers.
    notes
        What was done, one sentence each.
    cuts
        Where numbers were cut.
    """

    levels: tuple[tuple[object, ...], ...]
    counts: FloatArray
    whole: bool
    notes: tuple[str, ...]
    cuts: Mapping[str, Cuts]


def tabulate(
    data: Any,
    names: tuple[str, ...],
    *,
    weights: str | ArrayLike | None = None,
    levels: Mapping[str, Sequence[object]] | None = None,
    bins: Bins | None = None,
    missing: str = "error",
    max_cells: int,
) -> Tabulated:
    """Sum the rows of any table, cut, without missing values; the total may be 0."""
    whole_number(max_cells, "max_cells")
    if not isinstance(missing, str) or missing not in {"error", "drop"}:
        raise ConfigError("missing is not known", got=shown(missing), fix='pass "error" or "drop"')
    cuts = read_bins(bins, names)
    own = _own_levels(levels, names, cuts)
    lazy = as_lazy(data)
    column = [weights] if isinstance(weights, str) else []
    check_columns(data, [*names, *column])
    if weights is not None and column and weights in names:
        raise ConfigError(
            f"the column of weights {plain(weights)!r} is one of the variables",
            fix="take it out of one of the two",
        )
    if lazy is None:
        asked = prepare(data, names, cuts, own, weights)
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
    notes += _notes(names, axes, counted, cuts, own)
    return Tabulated(axes, counted.counts.astype(np.float64), asked.whole, tuple(notes), cuts)


def _names(variables: Sequence[str]) -> tuple[str, ...]:
    names = tuple(str(name) for name in items_of(variables) or ())
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
        own[name] = tuple(items_of(values) or ())
        alike = not all(isinstance(value, Hashable) for value in own[name])
        if not own[name] or alike or len(set(own[name])) < len(own[name]):
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


def as_lazy(data: Any) -> Any:
    """Give the lazy table that ``data`` is, or ``None`` for one in memory."""
    try:
        wrapped = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise DataError(
            "the table has two columns of one name", got=plain(error, most=200), fix="rename one of them"
        ) from error
    if isinstance(wrapped, nw.LazyFrame):
        return wrapped
    container_of(data)
    return None


def column_list(data: Any) -> list[str]:
    """Give the names of the columns of any table."""
    lazy = as_lazy(data)
    return column_names(data) if lazy is None else list(lazy.collect_schema().names())


def check_columns(data: Any, wanted: Sequence[str]) -> None:
    """Refuse columns that are not there, and say which come close."""
    known = column_list(data)
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
                shown(level) for level, was_seen in zip(axis, seen.tolist(), strict=True) if not was_seen
            ]
            if never:
                said.append(f"{plain(name)} never takes the value{'s' * (len(never) > 1)} {listing(never)}")
    return said


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
    those = "1 row" if rows == 1 else f"{rows:,} rows"
    if missing == "error":
        raise DataError(
            "the variables have missing values",
            got=f"{those}: {where}",
            fix='pass missing="drop" to leave those rows out, or fill them in',
        )
    return [f"{those} with a missing value {'was' if rows == 1 else 'were'} left out: {where}"]
