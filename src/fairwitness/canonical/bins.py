"""Every column in a few bins, the same for all sets that are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairwitness.canonical.rows import Rows
from fairwitness.table import level_text
from fairwitness.text import number, plain
from fairwitness.typing import FloatArray, IntArray

#: Name of the bin of missing values.
MISSING = "missing"


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """Bins of the columns of fitted rows: levels, or ranges of numbers that hold about as many rows each.

    Attributes
    ----------
    labels
        For each column, what each bin is called, in the order of the codes; missing comes last.
    edges
        For each numeric column its inner edges (a value equal to an edge lies below it); empty for others.
    place
        For each coded column (levels + 1,) the bin of each level and, last, of missing; empty for others.
    """

    labels: tuple[tuple[str, ...], ...]
    edges: tuple[FloatArray, ...]
    place: tuple[IntArray, ...]

    @classmethod
    def of(cls, rows: Rows, most: int = 20, ranges: int | None = None) -> Bins:
        """Give the bins of fitted rows.

        Parameters
        ----------
        rows
            The rows; bins depend on all of them, never on a set.
        most
            Bins a column at most, besides missing. The rarest levels share one, called ``other``.
        ranges
            The same for columns of numbers that have more values than ``most``; ``None``: as many.
        """
        parts = [
            _coded(rows, column, most)
            if rows.is_coded(column)
            else _numeric(rows, column, most, ranges or most)
            for column in range(len(rows.names))
        ]
        labels, edges, place = zip(*parts, strict=True)
        return cls(labels, edges, place)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of bins of each column."""
        return tuple(map(len, self.labels))

    def codes(self, matrix: FloatArray) -> IntArray:
        """Give the (n, d) bin of every value."""
        out = np.empty(matrix.shape, dtype=np.int64, order="F")
        for column, (edges, place) in enumerate(zip(self.edges, self.place, strict=True)):
            values = matrix[:, column]
            missing = np.isnan(values)
            if len(place):
                out[:, column] = place[np.where(missing, len(place) - 1, values).astype(np.int64)]
            else:
                found = np.searchsorted(edges, np.where(missing, np.inf, values), side="left")
                out[:, column] = np.where(missing, len(self.labels[column]) - 1, found)
        return out

    def counts(self, codes: IntArray, column: int) -> FloatArray:
        """Give how many of (n, d) codes are in each bin of a column."""
        return np.bincount(codes[:, column], minlength=len(self.labels[column])).astype(np.float64)


def _coded(rows: Rows, column: int, most: int) -> tuple[tuple[str, ...], FloatArray, IntArray]:
    feature = rows.schema.features[column]
    values = rows.matrix[:, column]
    missing = np.isnan(values)
    counts = np.bincount(values[~missing].astype(np.int64), minlength=len(feature.levels))
    shown = np.flatnonzero(counts)
    if len(shown) > most:
        shown = np.sort(shown[np.argsort(-counts[shown], kind="stable")[: most - 1]])
    place = np.full(len(counts) + 1, len(shown), dtype=np.int64)
    place[shown] = np.arange(len(shown))
    labels = [plain(level_text(feature.levels[code])) for code in shown.tolist()]
    if len(shown) < np.count_nonzero(counts):
        labels.append("other")
    # a level that no fitted row has can only be met in rows from elsewhere: it shares the last bin
    place[place >= len(labels)] = len(labels) - 1
    if missing.any() or feature.nullable:
        place[-1] = len(labels)
        labels.append(MISSING)
    return tuple(labels), np.empty(0), place


def _numeric(rows: Rows, column: int, most: int, ranges: int) -> tuple[tuple[str, ...], FloatArray, IntArray]:
    values = rows.matrix[:, column]
    present = np.sort(values[~np.isnan(values)])
    distinct = np.unique(present)
    if not len(distinct):
        labels, edges = ["none"], np.empty(0)
    elif len(distinct) <= most:
        labels, edges = [_text(value) for value in distinct.tolist()], distinct[:-1]
    else:
        # a value that many rows have is a bin of its own, or its edge would be there twice
        ends = np.unique(present[np.linspace(0, len(present) - 1, ranges + 1).astype(np.int64)])
        edges = (
            ends[:-1] if ends[0] == distinct[0] and (present == ends[0]).mean() > 1 / ranges else ends[1:-1]
        )
        lows = [distinct[0], *distinct[np.searchsorted(distinct, edges, side="right")]]
        labels = [
            _text(low) if low == high else f"{_text(low)} to {_text(high)}"
            for low, high in zip(lows, [*edges, distinct[-1]], strict=True)
        ]
    if len(present) < len(values) or rows.schema.features[column].nullable:
        labels.append(MISSING)
    return tuple(labels), edges, np.empty(0, dtype=np.int64)


def _text(value: float) -> str:
    return level_text(float(value)) if float(value).is_integer() else number(float(value), 4)
