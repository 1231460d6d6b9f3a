"""Columns on scales that trees can be learnt on: numbers by rank, levels by what their rows score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairwitness.canonical.rows import Rows
from fairwitness.typing import FloatArray

#: A coded column with more codes than this is learnt by the order of its levels, not level by level.
MOST_CLASSES = 32


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """How a column's values become places: numbers by rank, levels by the mean score of their rows.

    Attributes
    ----------
    known
        Sorted distinct numbers; for a coded column empty.
    place
        Coded: (levels + 1,) place of each level and, last, of missing.
    target
        (n,) what a tree learns: codes from 0, or shares of the rank.
    classes
        Number of codes if they are learnt one by one, else 0.
    """

    known: FloatArray
    place: FloatArray
    target: FloatArray
    classes: int

    @classmethod
    def of(cls, rows: Rows, column: int) -> Scale:
        """Give the scale of a column of fitted rows."""
        values = rows.matrix[:, column]
        missing = np.isnan(values)
        if not rows.is_coded(column):
            known, at, counts = np.unique(values[~missing], return_inverse=True, return_counts=True)
            rank = np.cumsum(counts) - counts / 2
            target = np.full(len(values), -0.25)  # missing lies apart from all numbers
            target[~missing] = rank[at] / max(len(values), 1)
            return cls(known, np.empty(0), target, 0)
        codes, count = rows.codes(column)
        sums = np.bincount(codes, weights=rows.scores, minlength=count)
        means = sums / np.bincount(codes, minlength=count)
        rank = np.empty(count)
        rank[np.argsort(means, kind="stable")] = np.arange(count)
        levels = np.where(missing, len(rows.schema.features[column].levels), values).astype(np.int64)
        place = np.full(len(rows.schema.features[column].levels) + 1, -1.0)
        place[levels] = rank[codes]
        by_level = count <= MOST_CLASSES
        target = codes.astype(np.float64) if by_level else rank[codes] / count
        return cls(np.empty(0), place, target, count if by_level else 0)

    def places(self, values: FloatArray) -> FloatArray:
        """Give the places of (n,) matrix values; -1 for a missing number."""
        missing = np.isnan(values)
        if len(self.place):
            return self.place[np.where(missing, len(self.place) - 1, values).astype(np.int64)]
        return np.where(missing, -1.0, np.searchsorted(self.known, values))


def explained(places: FloatArray, scores: FloatArray) -> float:
    """Give the share of the scores' variance that lies between (at most 32) ranges of a column's places."""
    ends = np.unique(np.quantile(places, np.linspace(0, 1, 33)))
    code = np.searchsorted(ends, places)
    count = np.maximum(np.bincount(code), 1)
    means = np.bincount(code, weights=scores) / count
    return round(float(np.var(means[code])) / max(float(np.var(scores)), 1e-300), 12)
