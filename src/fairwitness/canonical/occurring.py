"""Levels that occur together beyond chance in the positive set, such as Male, Husband and Married."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairwitness.arguments import real_number, whole_number
from fairwitness.canonical.base import CanonicalSet
from fairwitness.canonical.bins import Bins
from fairwitness.canonical.combined import columns_of
from fairwitness.canonical.contrast_results import plain_value
from fairwitness.canonical.given import check_sets
from fairwitness.canonical.rows import labels_of
from fairwitness.canonical.shares import ratio_interval
from fairwitness.text import plain
from fairwitness.typing import Document, IntArray

#: Levels that occur together: (column, level) pairs, columns ascending.
_Items = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Together:
    """Levels of several columns that occur together in the positive set.

    Attributes
    ----------
    levels
        Column → level.
    positive, negative
        Share of the rows of each set that have all of them.
    expected
        Share of the positive set that would have them if the columns were independent in it.
    lift
        Positive over negative.
    n_real
        Real rows in the two bands that have all of them.
    """

    levels: Mapping[str, str]
    positive: float
    negative: float
    expected: float
    lift: float
    n_real: int

    @property
    def words(self) -> str:
        """The combination in words."""
        return ", ".join(f"{plain(name)} = {level}" for name, level in self.levels.items())

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "levels": dict(self.levels),
            "positive": self.positive,
            "negative": self.negative,
            "expected": self.expected,
            "lift": plain_value(self.lift),
            "n_real": self.n_real,
        }


def together(
    positive: CanonicalSet,
    negative: CanonicalSet,
    *,
    columns: Sequence[str] | None = None,
    most: int = 10,
    at_least: float = 0.05,
) -> tuple[Together, ...]:
    """Give the pairs and triples of levels that occur together most beyond chance in the positive set.

    Parameters
    ----------
    positive, negative
        Two sets of one engine.
    columns
        Columns of levels to combine; all by default.
    most
        Combinations to give.
    at_least
        Share of the positive set that a combination must have.

    Returns
    -------
    tuple of Together
        By share times the logarithm of share over expected share (its part of the columns' dependence);
        those that are more frequent in the positive set than in the negative one, and than they would be if
        any one of their levels were independent of the others.

    Raises
    ------
    DataError
        If a column is not in the table.
    ConfigError
        If the two are not sets of one engine, or ``at_least`` is no share.
    """
    check_sets(positive, negative)
    least = real_number(at_least, "at_least", above=0, below=1, fix="pass a share such as at_least=0.05")
    rows = positive.rows
    bins = Bins.of(rows, 12)
    names = (
        [name for at, name in enumerate(rows.names) if rows.is_coded(at)]
        if columns is None
        else labels_of(columns, "columns")
    )
    places = columns_of(rows, names)
    real = np.concatenate([rows.matrix[made.request.rows] for made in (positive, negative)])
    codes = [bins.codes(matrix) for matrix in (positive.matrix, negative.matrix, real)]
    n = [len(each) for each in (positive, negative)]
    held: dict[_Items, list[IntArray]] = {}
    for place in places:
        for level in range(len(bins.labels[place])):
            found = [np.flatnonzero(each[:, place] == level) for each in codes]
            if len(found[0]) >= least * n[0]:
                held[((place, level),)] = found
    singles = dict(held)
    frontier = singles
    scored: list[tuple[float, Together]] = []
    for _ in range(2):
        larger: dict[_Items, list[IntArray]] = {}
        for items, rows_of in frontier.items():
            for single, alone in singles.items():
                if single[0][0] <= items[-1][0]:
                    continue
                both = [np.intersect1d(a, b, assume_unique=True) for a, b in zip(rows_of, alone, strict=True)]
                if len(both[0]) >= least * n[0]:
                    larger[(*items, *single)] = both
        for items, rows_of in larger.items():
            share = [len(rows_of[side]) / n[side] for side in (0, 1)]
            expected = math.prod(len(singles[(item,)][0]) / n[0] for item in items)
            if share[0] <= share[1] or share[0] <= max(_by_parts(items, held, n[0]), expected):
                continue
            lift = ratio_interval(share[0], n[0], share[1], n[1], 0.95)[0]
            levels = {rows.names[place]: bins.labels[place][level] for place, level in items}
            scored.append(
                (
                    share[0] * math.log(share[0] / expected),
                    Together(levels, share[0], share[1], expected, lift, len(rows_of[2])),
                )
            )
        held |= larger
        frontier = larger
    scored.sort(key=lambda pair: -pair[0])
    kept: list[Together] = []
    for _, candidate in scored:
        mine = set(candidate.levels.items())
        # a part of what is listed already, or that with something added, says nothing new
        if not any(mine <= (other := set(each.levels.items())) or other <= mine for each in kept):
            kept.append(candidate)
    return tuple(kept[: whole_number(most, "most")])


def _by_parts(items: _Items, held: Mapping[_Items, Sequence[IntArray]], n: int) -> float:
    """Give the share that a combination would have if one of its levels were independent of the others.

    The largest of them: husbands who are men are frequent beyond chance, and so are those of them who were
    born here, but being born here adds nothing to that.
    """
    parts = [(tuple(each for each in items if each != item), (item,)) for item in items]
    return max(len(held[rest][0]) / n * len(held[one][0]) / n for rest, one in parts)
