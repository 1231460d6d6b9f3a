"""Intersections: which pairs of levels are more frequent in which set, for every fixed combination."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.arguments import shown
from fairwitness.canonical.base import BOTTOM, TOP, CanonicalSampler, CanonicalSet
from fairwitness.canonical.bins import Bins
from fairwitness.canonical.contrast_results import plain_value
from fairwitness.canonical.gate import CanonicalGate, worst
from fairwitness.canonical.given import rows_of
from fairwitness.canonical.rows import Rows, labels_of
from fairwitness.canonical.shares import ratio_interval
from fairwitness.errors import ConfigError, DataError
from fairwitness.stats.intervals import check_confidence
from fairwitness.table import level_text
from fairwitness.text import listing, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Cells with fewer real rows than this are grey.
FEW_ROWS = 10
#: Combinations of fixed columns that are looked at, the most frequent first.
MOST_GIVEN = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """One pair of levels: its share in both sets, the ratio, and the real rows behind it.

    Attributes
    ----------
    positive, negative
        Share of the rows of each set; NaN where no set could be made.
    lift, low, high
        Positive over negative with its interval; 1 is no difference.
    n
        Real rows of the pair in the two bands.
    few
        Whether they are fewer than ten.
    """

    positive: float
    negative: float
    lift: float
    low: float
    high: float
    n: int
    few: bool


@dataclass(frozen=True, eq=False)
class Intersection:
    """A grid of pairs of levels, for one combination of fixed columns.

    Attributes
    ----------
    row, column
        The two columns.
    row_labels, column_labels
        Their levels.
    given
        The fixed columns and their values.
    cells
        One list a row level.
    reason
        Why there is no set, if there is none.
    verdict
        The gate's of the two sets, the worse one; ``not checked`` if it was not asked.
    """

    row: str
    column: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    given: Mapping[str, object]
    cells: tuple[tuple[Cell, ...], ...]
    reason: str = ""
    verdict: str = "not checked"

    @property
    def words(self) -> str:
        """What the grid is of."""
        said = f"{plain(self.row)} by {plain(self.column)}"
        fixed = ", ".join(f"{plain(k)} = {plain(level_text(v))}" for k, v in self.given.items())
        return f"{said}, {fixed}" if fixed else said

    def __repr__(self) -> str:
        return f"<Intersection: {self.words}; gate: {self.verdict}>"

    def to_frame(self) -> Any:
        """Give one row a cell, as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    **self.given,
                    self.row: self.row_labels[i],
                    self.column: self.column_labels[j],
                    **{name: getattr(cell, name) for name in Cell.__slots__},
                }
                for i, line in enumerate(self.cells)
                for j, cell in enumerate(line)
            ]
        )

    def to_dict(self) -> Document:
        """Give plain values for JSON; NaN becomes null."""
        return {
            "row": self.row,
            "column": self.column,
            "row_labels": list(self.row_labels),
            "column_labels": list(self.column_labels),
            "given": {str(name): level_text(value) for name, value in self.given.items()},
            "cells": [
                [{name: plain_value(getattr(cell, name)) for name in Cell.__slots__} for cell in line]
                for line in self.cells
            ],
            "reason": self.reason,
            "verdict": self.verdict,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the grid as a heat map with n, grey below 10 real rows (Figure 4)."""
        from fairwitness.canonical.plots import plot_intersection

        return plot_intersection(self, ax)


def intersections(
    sampler: CanonicalSampler,
    row: str,
    column: str,
    *,
    given: str | Sequence[str] = (),
    n: int = 1000,
    positive: tuple[float, float] = TOP,
    negative: tuple[float, float] = BOTTOM,
    gate: CanonicalGate | None = None,
    confidence: float = 0.95,
) -> tuple[Intersection, ...]:
    """Give how much more frequent each pair of levels is in the positive set, for every fixed combination.

    Parameters
    ----------
    sampler
        A fitted engine.
    row, column
        The two columns of the grid.
    given
        Columns that are fixed: one grid for each combination of their levels (the twelve most frequent).
    n
        Rows of each set.
    positive, negative
        Quantiles of the two requests.
    gate
        What checks every set, so that its verdict stands with every grid.
    confidence
        Level of the intervals.

    Returns
    -------
    tuple of Intersection
        One without fixed columns. Where no real row supports a request, its reason stands in the grid.

    Raises
    ------
    DataError
        If a column is not in the table.
    ConfigError
        If a column is named twice, a fixed one holds numbers, or ``sampler`` is no engine.
    """
    rows = rows_of(sampler)
    row, column, fixed = str(row), str(column), labels_of(given, "given")
    places = columns_of(rows, [row, column, *fixed])
    confidence = check_confidence(confidence)
    bins = Bins.of(rows, 12)
    out = []
    for where in _combinations(rows, fixed, places[2:]):
        try:
            sets = [
                sampler.sample_set(n, quantile=quantile, where=where or None)
                for quantile in (positive, negative)
            ]
        except DataError as error:
            sets, reason = [], error.what
        else:
            reason = ""
        cells = _grid(bins, places[:2], rows, sets, confidence)
        labels = [bins.labels[place] for place in places[:2]]
        verdict = worst([gate.check(made) for made in sets]).verdict if gate and sets else "not checked"
        out.append(Intersection(row, column, labels[0], labels[1], where, cells, reason, verdict))
    return tuple(out)


def columns_of(rows: Rows, names: Sequence[str]) -> list[int]:
    """Give the places of columns.

    Raises
    ------
    DataError
        If one is not in the table.
    ConfigError
        If one is named twice.
    """
    unknown = [name for name in names if name not in rows.names]
    if unknown:
        raise DataError(
            "there is no such column in the table",
            got=listing([shown(name) for name in unknown]),
            fix=f"use some of {listing([plain(name) for name in rows.names])}",
        )
    if len(set(names)) < len(names):
        raise ConfigError(
            "a column is named twice", got=listing([shown(name) for name in names]), fix="name each once"
        )
    return [rows.names.index(name) for name in names]


def _combinations(rows: Rows, names: Sequence[str], places: Sequence[int]) -> Iterator[dict[str, object]]:
    """Give the most frequent combinations of the fixed columns' levels."""
    levels: list[list[object]] = []
    for name, place in zip(names, places, strict=True):
        if not rows.is_coded(place):
            raise ConfigError(
                f"column {plain(name)!r} holds numbers, so it has no levels to fix one after the other",
                fix="fix ranges yourself: sampler.sample(..., where={...: (low, high)})",
            )
        present = rows.matrix[:, place]
        found: list[object] = [
            rows.schema.features[place].levels[int(code)] for code in np.unique(present[~np.isnan(present)])
        ]
        levels.append([*found, *([None] if np.isnan(present).any() else [])])
    from fairwitness.canonical.request import keeps

    wanted = [dict(zip(names, each, strict=True)) for each in product(*levels)]
    counted = [(int(keeps(rows, rows.matrix, where).sum()), at) for at, where in enumerate(wanted)]
    kept = sorted(at for _, at in sorted(counted, key=lambda pair: (-pair[0], pair[1]))[:MOST_GIVEN])
    for at in kept:
        yield wanted[at]


def _grid(
    bins: Bins, places: Sequence[int], rows: Rows, sets: Sequence[CanonicalSet], confidence: float
) -> tuple[tuple[Cell, ...], ...]:
    height, width = (len(bins.labels[place]) for place in places)
    if not sets:
        nothing = Cell(math.nan, math.nan, math.nan, math.nan, math.nan, 0, True)
        return tuple(tuple(nothing for _ in range(width)) for _ in range(height))

    def counts(matrix: Any) -> Any:
        codes = bins.codes(matrix)
        flat = codes[:, places[0]] * width + codes[:, places[1]]
        return np.bincount(flat, minlength=height * width).reshape(height, width)

    shares = [counts(made.matrix) / len(made) for made in sets]
    real = [counts(rows.matrix[made.request.rows]) for made in sets]
    size = [min(len(made), made.request.support) for made in sets]
    grid = []
    for i in range(height):
        line = []
        for j in range(width):
            a, b = (float(each[i, j]) for each in shares)
            n = int(real[0][i, j] + real[1][i, j])
            line.append(Cell(a, b, *ratio_interval(a, size[0], b, size[1], confidence), n, n < FEW_ROWS))
        grid.append(tuple(line))
    return tuple(grid)
