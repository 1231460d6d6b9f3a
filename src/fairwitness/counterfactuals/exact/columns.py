"""What each column of a table can hold, for the search: a list of options, or a grid of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.counterfactuals.exact.grids import Grid, grid_of
from fairwitness.counterfactuals.exact.lines import Line, ListLine, grid_line
from fairwitness.counterfactuals.exact.metric import Metric
from fairwitness.counterfactuals.limits import Limits
from fairwitness.errors import FairwitnessError
from fairwitness.typing import FloatArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.exact.unfold import Inputs
    from fairwitness.counterfactuals.fitted import FittedTable

#: Numbers of a column that are listed one by one where the model knows them by name.
_LISTED = 4096
#: Steps of a column of full precision, in parts of its scale, where the model is smooth.
SMOOTH_STEP = 1e-7


@dataclass(frozen=True, eq=False)
class Column:
    """One column: ``options`` if its values are listed (missing last), else ``grid``.

    ``foreign`` are options that only a query which has them may keep.
    """

    j: int
    options: FloatArray | None
    grid: Grid | None
    foreign: FloatArray | None = None


def columns_of(
    table: FittedTable,
    inputs: Inputs,
    named: Mapping[int, bool],
    *,
    smooth: bool,
    queries: FloatArray | None = None,
) -> tuple[list[Column], list[int]]:
    """Describe every column; also give the numeric columns that may only take values of the table.

    Parameters
    ----------
    named
        Columns encoded by value → whether values not trained on are taken.
    smooth
        Whether every number of a column can change the model's score.
    queries
        Rows whose own values must be among the options.
    """
    columns: list[Column] = []
    seen_only: list[int] = []
    for j, feature in enumerate(table.encoder.schema.features):
        grid = foreign = None
        if feature.is_coded:
            options = np.arange(len(feature.levels), dtype=np.float64)
        else:
            scale = float(table.distance.scales[j])
            grid = grid_of(table.encoder, j, scale=scale, step=scale * SMOOTH_STEP if smooth else None)
            options = None
            if j in named:
                options = np.unique(table.rows[:, j])
                if named[j] and grid.discrete and grid.last - grid.first < _LISTED:
                    options = np.union1d(options, grid.value(np.arange(grid.first, grid.last + 1)))
                else:
                    seen_only.append(j)
                if queries is not None:
                    foreign = np.setdiff1d(queries[:, j], options)
                    options = np.union1d(options, foreign)
                options = options[~np.isnan(options)]
        if options is not None:
            if feature.nullable:
                options = np.append(options, np.nan)
            columns.append(Column(j, _taken(table, inputs, j, options), None, foreign))
        else:
            columns.append(Column(j, None, grid))
    return columns, seen_only


def _taken(table: FittedTable, inputs: Inputs, j: int, options: FloatArray) -> FloatArray:
    """Leave out options that the steps before the estimator refuse (encoders without unknown levels)."""
    rows = np.repeat(table.rows[:1], len(options), axis=0)
    rows[:, j] = options
    try:
        inputs(rows)
    except (ValueError, TypeError):
        good = [at for at in range(len(options)) if _works(inputs, rows[at : at + 1])]
        return options[good]
    return options


def _works(inputs: Inputs, row: FloatArray) -> bool:
    try:
        inputs(row)
    except (ValueError, TypeError, FairwitnessError):
        return False
    return True


def lines_of(columns: list[Column], metric: Metric, limits: Limits, limit: float) -> list[Line]:
    """Lay out what one query (the one of ``limits``) may become within the limit, column by column."""
    lines: list[Line] = []
    own = limits.queries[0]
    for column in columns:
        j = column.j
        frozen, missing = bool(limits.frozen[j]), bool(limits.missing[0, j])
        low, high = float(limits.low[0, j]), float(limits.high[0, j])
        if column.options is None:
            assert column.grid is not None
            lines.append(
                grid_line(
                    metric,
                    j,
                    float(own[j]),
                    column.grid,
                    bounds=(low, high),
                    missing=missing,
                    frozen=frozen,
                    limit=limit,
                )
            )
            continue
        permitted = limits.permits_values(j, column.options)[0]
        if column.foreign is not None:
            permitted &= ~np.isin(column.options, column.foreign)
        lines.append(ListLine.of(metric, j, float(own[j]), column.options, permitted, limit))
    return lines
