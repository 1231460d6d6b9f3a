"""What one query's columns may become, as positions on a line: a box is a range of positions a column.

Numbers lie on the line in their own order with the query's value among them and missing at the upper end;
levels lie in the order of their cost. Only what is within the search's limit is on a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairwitness.counterfactuals.exact.grids import Grid
from fairwitness.counterfactuals.exact.metric import Metric
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Costs within this of the limit are within it: sums of scaled differences are rounded.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class ListLine:
    """Values in ascending order of cost; ``option`` (n,) says which of the column's options each is."""

    values: FloatArray
    cost: FloatArray
    shared: FloatArray
    option: IntArray

    @classmethod
    def of(
        cls, metric: Metric, j: int, own: float, options: FloatArray, permitted: BoolArray, limit: float
    ) -> ListLine:
        """Lay out the permitted options of column j within the limit; the query's own is always there."""
        cost, shared = metric.column(j, own, options)
        kept = np.flatnonzero((permitted & (cost <= limit + SLACK)) | (cost == 0))
        kept = kept[np.lexsort((options[kept], shared[kept], cost[kept]))]
        return cls(options[kept], cost[kept], shared[kept], kept.astype(np.int64))

    @property
    def last(self) -> int:
        """The last position."""
        return len(self.values) - 1

    @property
    def own(self) -> tuple[int, int]:
        """Positions of the query's own value."""
        return (0, 0)

    def least(self, low: int, high: int) -> tuple[float, float]:
        """Give the smallest cost and the smallest shared distance from ``low`` to ``high``."""
        return float(self.cost[low]), float(self.shared[low : high + 1].min())

    def most(self) -> float:
        """Give the largest cost on the line."""
        return float(self.cost[-1])

    def cheapest(self, low: int, high: int, k: int) -> IntArray:
        """Give the k cheapest positions from ``low`` to ``high``, cheapest first."""
        return np.arange(low, min(high, low + k - 1) + 1)

    def find(self, values: FloatArray) -> IntArray:
        """(n,) position of each value, −1 where it is not on the line."""
        same = self.values == values[:, None]
        same |= np.isnan(self.values) & np.isnan(values)[:, None]
        return np.where(same.any(axis=1), same.argmax(axis=1), -1).astype(np.int64)

    def at(self, positions: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Give values, costs and shared distances of positions."""
        return self.values[positions], self.cost[positions], self.shared[positions]


@dataclass(frozen=True, eq=False)
class GridLine:
    """Numbers ``start`` … of a grid in their order, with the query's value put in, then missing.

    Attributes
    ----------
    n
        Numbers of the grid on the line.
    place
        Position of the query's value, −1 where it is missing.
    inserted
        Whether that value is not itself one of the grid's numbers.
    gap
        Whether the last position is missing.
    cuts
        Where the model can change its mind: first positions beyond each of its thresholds, ascending.
    """

    metric: Metric
    j: int
    own_value: float
    grid: Grid
    start: int
    n: int
    place: int
    inserted: bool
    gap: bool
    cuts: IntArray

    @cached_property
    def last(self) -> int:
        """The last position."""
        return self.n + self.inserted + self.gap - 1

    @property
    def numbers(self) -> int:
        """How many positions are numbers."""
        return self.n + self.inserted

    @property
    def own(self) -> tuple[int, int]:
        """Positions around the query's value between which the model sees no difference."""
        if self.place < 0:
            return self.last, self.last
        return self.cell(self.place)

    def cell(self, position: int) -> tuple[int, int]:
        """Positions around one of a number between which the model sees no difference."""
        after = int(np.searchsorted(self.cuts, position, side="right"))
        low = int(self.cuts[after - 1]) if after else 0
        high = int(self.cuts[after]) - 1 if after < len(self.cuts) else self.numbers - 1
        return low, high

    def values(self, positions: NDArray[np.integer]) -> FloatArray:
        """Give the values at positions."""
        at = np.asarray(positions, dtype=np.int64)
        shift = at - (at > self.place) if self.inserted else at
        out = self.grid.value(self.start + np.clip(shift, 0, max(self.n - 1, 0)))
        if self.inserted or self.place >= 0:
            out = np.where(at == self.place, self.own_value, out)
        return np.where(at >= self.numbers, np.nan, out) if self.gap else out

    def nearest(self, low: int, high: int) -> int:
        """Give the cheapest position from ``low`` to ``high`` (of numbers equally far, the smallest)."""
        if self.place < 0:
            return high if high == self.last else low
        near = min(max(self.place, low), high)
        if near == self.last and self.gap and low < near:
            near -= 1  # a number, unless missing is nearer
            far = self.at(np.array([near, near + 1]))[1]
            return near if far[0] <= far[1] else near + 1
        return near

    def least(self, low: int, high: int) -> tuple[float, float]:
        """Give the smallest cost and the smallest shared distance from ``low`` to ``high``."""
        near = [self.nearest(low, high)]
        if self.gap and high == self.last:
            near.append(high)
        _, cost, shared = self.at(np.array(near))
        return float(cost.min()), float(shared.min())

    def most(self) -> float:
        """Give the largest cost on the line."""
        return float(self.at(np.array([0, max(self.numbers - 1, 0), self.last]))[1].max())

    def cheapest(self, low: int, high: int, k: int) -> IntArray:
        """Give the k cheapest positions from ``low`` to ``high``, cheapest first.

        Of a column of full precision, one a cell: the next number is no other choice to anybody.
        """
        top = min(high, self.numbers - 1)
        here: list[NDArray[np.integer]] = []
        if low <= top:
            home = min(max(self.place, low), top)
            if self.grid.discrete:
                here.append(np.arange(max(low, home - k), min(top, home + k) + 1))
            else:
                here.append(self._one_a_cell(low, top, home, k))
        if self.gap and high == self.last:
            here.append(np.array([self.last]))
        places = np.concatenate(here)
        _, cost, shared = self.at(places)
        chosen: IntArray = places[np.lexsort((places, shared, cost))[:k]].astype(np.int64)
        return chosen

    def _one_a_cell(self, low: int, top: int, home: int, k: int) -> IntArray:
        inside = self.cuts[(self.cuts > low) & (self.cuts <= top)]
        edges = np.concatenate([[low], inside])
        ends = np.concatenate([inside - 1, [top]])
        near = int(np.searchsorted(edges, home, side="right")) - 1
        window = slice(max(0, near - k), near + k + 1)
        near_ones: IntArray = np.clip(home, edges[window], ends[window]).astype(np.int64)
        return near_ones

    def find(self, values: FloatArray) -> IntArray:
        """(n,) position of each value, −1 where it is not on the line."""
        out = np.full(len(values), -1, dtype=np.int64)
        for at, value in enumerate(values.tolist()):
            if np.isnan(value):
                out[at] = self.last if self.gap else -1
                continue
            position = self.grid.at_least(value) - self.start
            if 0 <= position < self.n and float(self.grid.value(self.start + position)) == value:
                out[at] = position + (self.inserted and position >= self.place)
            elif value == self.own_value:
                out[at] = self.place
        return out

    def at(self, positions: NDArray[np.integer]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Give values, costs and shared distances of positions."""
        values = self.values(positions)
        return values, *self.metric.column(self.j, self.own_value, values)


Line = ListLine | GridLine


def grid_line(
    metric: Metric,
    j: int,
    own: float,
    grid: Grid,
    *,
    bounds: tuple[float, float],
    missing: bool,
    frozen: bool,
    limit: float,
) -> GridLine:
    """Lay out the numbers column j may take within the limit; cuts are put on later.

    ``bounds`` are what the schema permits this query, within the grid's own; ``missing`` whether the value
    may become missing.
    """
    gone = bool(np.isnan(own))
    first, end = grid.first, grid.last + 1
    if frozen:
        first = end = grid.first
    else:
        if bounds[0] > -np.inf:
            first = grid.at_least(bounds[0])
        if bounds[1] < np.inf:
            end = grid.at_least(bounds[1])
            end += end <= grid.last and float(grid.value(end)) == bounds[1]
        far = metric.reach(j, limit) * (1 + SLACK) + SLACK * float(metric.scales[j])
        if gone:
            end = end if limit + SLACK >= 1 else first
        elif np.isfinite(far):
            first = max(first, grid.at_least(own - far))
            last = grid.at_least(own + far)
            end = min(end, last + (last <= grid.last and float(grid.value(last)) == own + far))
    n = max(0, end - first)
    place, inserted = -1, False
    if not gone:
        n_below = min(max(grid.at_least(own) - first, 0), n)
        place = n_below
        inserted = not (n_below < n and float(grid.value(first + n_below)) == own)
    return GridLine(
        metric=metric,
        j=j,
        own_value=own,
        grid=grid,
        start=first,
        n=n,
        place=place,
        inserted=inserted,
        gap=gone or (missing and not frozen and limit + SLACK >= 1),
        cuts=np.zeros(0, dtype=np.int64),
    )
