"""Bounds on a weighted sum or a ReLU network over a box, and how far a row must go to be accepted.

Over a box the margin lies under a straight line (:mod:`.relu`): a sum over the columns. The cheapest row on
which that line reaches 0 is bounded from below by a Lagrangian: for every price of a unit of margin, each
column is best on its own. Prices are those at which some column begins to pay.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairwitness.counterfactuals.exact.forms import NetworkForm
from fairwitness.counterfactuals.exact.lines import GridLine, Line, ListLine
from fairwitness.counterfactuals.exact.metric import Metric
from fairwitness.counterfactuals.exact.relu import straight
from fairwitness.counterfactuals.exact.search import Part
from fairwitness.counterfactuals.exact.terms import Terms
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Prices tried for each box, and halvings of the largest cost where that counts.
_PRICES, _HALVINGS = 24, 24


class SmoothRelaxation:
    """One query's columns as terms of the first layer."""

    def __init__(self, form: NetworkForm, terms: Terms, lines: Sequence[Line], metric: Metric) -> None:
        self._form = form
        self._metric = metric
        self._lines = lines
        self._start = terms.start
        self._listed = [j for j, line in enumerate(lines) if isinstance(line, ListLine)]
        self._numbers = [j for j, line in enumerate(lines) if isinstance(line, GridLine)]
        width = len(terms.start)
        blocks = [terms.options[j][lines[j].option] for j in self._listed]  # type: ignore[union-attr]
        self._alike = {
            j: np.unique(np.round(block, 12), axis=0, return_inverse=True)[1].ravel()
            for j, block in zip(self._listed, blocks, strict=True)
        }
        self._options = np.concatenate([np.zeros((0, width)), *blocks])
        sizes = np.array([len(block) for block in blocks], dtype=np.int64)
        self._begin = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64) if len(sizes) else sizes
        self._place = np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(size) for size in sizes)])
        self._owner = np.repeat(np.arange(len(sizes)), sizes)
        self._option_cost = np.concatenate(
            [np.zeros(0), *(lines[j].at(np.arange(lines[j].last + 1))[1] for j in self._listed)]
        )
        self._slope = np.array([terms.slope[j] for j in self._numbers]).reshape(len(self._numbers), width)
        self._gap = np.array([terms.missing[j] for j in self._numbers]).reshape(len(self._numbers), width)

    def root(self, low: IntArray, high: IntArray) -> tuple[float, float, object]:
        """Bounds over the whole box."""
        upper, lower, _ = self._bounds(low[None], high[None], np.inf)
        return float(upper[0]), float(lower[0]), None

    def splits(self, low: IntArray, high: IntArray, state: object, limit: float) -> dict[int, list[Part]]:
        """Every way to split one column, with bounds for both sides."""
        ways = [
            (j, *part) for j in range(len(self._lines)) for part in self._parts(j, int(low[j]), int(high[j]))
        ]
        if not ways:
            return {}
        lows, highs = np.repeat(low[None], len(ways), axis=0), np.repeat(high[None], len(ways), axis=0)
        for at, (j, first, last) in enumerate(ways):
            lows[at, j], highs[at, j] = first, last
        upper, lower, floor = self._bounds(lows, highs, limit)
        out: dict[int, list[Part]] = {}
        for at, (j, first, last) in enumerate(ways):
            part = Part(first, last, float(upper[at]), float(lower[at]), float(floor[at]), None)
            out.setdefault(j, []).append(part)
        return out

    def _parts(self, j: int, low: int, high: int) -> list[tuple[int, int]]:
        line = self._lines[j]
        if low == high:
            return []
        if isinstance(line, ListLine):
            if (self._alike[j][low] == self._alike[j][low : high + 1]).all():
                return []
            middle = 0 if low == 0 else (low + high) // 2
            return [(low, middle), (middle + 1, high)]
        at = self._numbers.index(j)
        if line.gap and high == line.last:
            if not (self._gap[at].any() or self._slope[at].any()):
                return []
            return [(low, high - 1), (high, high)]
        if not self._slope[at].any():
            return []
        own = line.place
        if low <= own <= high:
            parts = [(low, own - 1), (own, own), (own + 1, high)]
            return [part for part in parts if part[0] <= part[1]]
        middle = low + (high - low) // 2
        return [(low, middle), (middle + 1, high)]

    # ------------------------------------------------------------------ bounds

    def _bounds(
        self, low: IntArray, high: IntArray, limit: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(b,) upper and lower bounds of the margin, and the least distance at which it can reach 0."""
        inside = self._inside(low, high)
        ends = self._ends(low, high)
        smallest, largest = self._sums(inside, ends)
        above, above_start, below, below_start = straight(self._form, smallest, largest)
        gains, rates, gaps = above @ self._options.T, above @ self._slope.T, above @ self._gap.T
        base = above @ self._start + above_start
        upper = base + self._best(inside, ends, gains, rates, gaps)
        losses = (-(below @ self._options.T), -(below @ self._slope.T), -(below @ self._gap.T))
        lower = below @ self._start + below_start - self._best(inside, ends, *losses)
        base = base + self._form.tolerance
        if self._metric.is_largest:
            floor = self._least_largest(inside, low, high, gains, rates, gaps, base, limit)
        else:
            floor = self._least_sum(inside, ends, gains, rates, gaps, base)
        return upper, lower, floor

    def _inside(self, low: IntArray, high: IntArray) -> BoolArray:
        """(b, options) which options are in each box."""
        columns = np.array(self._listed, dtype=np.int64)[self._owner]
        out: BoolArray = (self._place >= low[:, columns]) & (self._place <= high[:, columns])
        return out

    def _ends(self, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """(b, numbers, 3) values and costs at the nearest point and both ends, and whether missing is in.

        Where a box has no number in the column, the values are NaN.
        """
        shape = (len(low), len(self._numbers))
        values, costs = np.zeros((*shape, 3)), np.zeros((*shape, 3))
        gap = np.zeros(shape, dtype=np.bool_)
        for at, j in enumerate(self._numbers):
            line = self._lines[j]
            assert isinstance(line, GridLine)
            pairs, inverse = np.unique(np.stack([low[:, j], high[:, j]], axis=1), axis=0, return_inverse=True)
            first, last = pairs[:, 0], pairs[:, 1]
            top = np.minimum(last, line.numbers - 1)
            near = np.clip(line.place, first, np.maximum(first, top))
            three = np.stack([near, first, np.maximum(first, top)], axis=1)
            seen, cost, _ = line.at(three.ravel())
            values[:, at] = seen.reshape(-1, 3)[inverse.ravel()]
            costs[:, at] = cost.reshape(-1, 3)[inverse.ravel()]
            gap[:, at] = (line.gap & (last == line.last))[inverse.ravel()]
        return values, costs, gap

    def _sums(
        self, inside: BoolArray, ends: tuple[FloatArray, FloatArray, BoolArray]
    ) -> tuple[FloatArray, FloatArray]:
        """(b, h) smallest and largest sums of the first layer."""
        values, _, gap = ends
        smallest = np.repeat(self._start[None], len(inside), axis=0)
        largest = smallest.copy()
        for at, begin in enumerate(self._begin.tolist()):
            end = begin + int((self._owner == at).sum())
            block, some = self._options[begin:end], inside[:, begin:end]
            smallest += np.where(some[:, :, None], block, np.inf).min(axis=1)
            largest += np.where(some[:, :, None], block, -np.inf).max(axis=1)
        for at in range(len(self._numbers)):
            moved = values[:, at, 1:, None] * self._slope[at]
            low, high = np.fmin.reduce(moved, axis=1), np.fmax.reduce(moved, axis=1)
            if gap[:, at].any():
                some = gap[:, at, None]
                low = np.where(some, np.fmin(low, self._gap[at]), low)
                high = np.where(some, np.fmax(high, self._gap[at]), high)
            smallest += low
            largest += high
        return smallest, largest

    def _best(
        self,
        inside: BoolArray,
        ends: tuple[FloatArray, FloatArray, BoolArray],
        gains: FloatArray,
        rates: FloatArray,
        gaps: FloatArray,
    ) -> FloatArray:
        """(b,) the most the columns can add to a straight line."""
        values, _, gap = ends
        total = np.zeros(len(inside))
        if len(self._begin):
            total += np.maximum.reduceat(np.where(inside, gains, -np.inf), self._begin, axis=1).sum(axis=1)
        best = np.fmax.reduce(values * rates[:, :, None], axis=2)
        best = np.where(gap, np.fmax(best, gaps), best)
        out: FloatArray = total + best.sum(axis=1)
        return out

    def _least_sum(
        self,
        inside: BoolArray,
        ends: tuple[FloatArray, FloatArray, BoolArray],
        gains: FloatArray,
        rates: FloatArray,
        gaps: FloatArray,
        base: FloatArray,
    ) -> FloatArray:
        """(b,) a lower bound on the sum of costs where the line over the box reaches 0."""
        values, costs, gap = ends
        adds = values * rates[:, :, None]
        prices = self._prices(gains[0], adds[0], costs[0])
        floor = np.zeros(len(inside))
        for price in prices.tolist():
            least = -price * base
            if len(self._begin):
                worth = np.where(inside, self._option_cost - price * gains, np.inf)
                least = least + np.minimum.reduceat(worth, self._begin, axis=1).sum(axis=1)
            parts = np.fmin.reduce(costs - price * adds, axis=2)
            if gap.any():
                missing = self._missing_cost() - price * gaps
                parts = np.where(gap, np.fmin(parts, missing), parts)
            floor = np.maximum(floor, least + parts.sum(axis=1))
        return floor

    def _missing_cost(self) -> FloatArray:
        return np.array(
            [float(self._lines[j].at(np.array([self._lines[j].last]))[1][0]) for j in self._numbers]
        )

    def _prices(self, gains: FloatArray, adds: FloatArray, costs: FloatArray) -> FloatArray:
        """Costs of a unit of margin at which some column begins to pay."""
        with np.errstate(divide="ignore", invalid="ignore"):
            own = gains[self._begin][self._owner] if len(self._begin) else gains
            listed = self._option_cost / (gains - own)
            moved = (costs[:, 1:] - costs[:, :1]) / (adds[:, 1:] - adds[:, :1])
        every = np.concatenate([listed.ravel(), moved.ravel()])
        every = np.unique(every[np.isfinite(every) & (every > 0)])
        if len(every) > _PRICES:
            every = every[np.unique(np.linspace(0, len(every) - 1, _PRICES).astype(int))]
        return every

    def _least_largest(
        self,
        inside: BoolArray,
        low: IntArray,
        high: IntArray,
        gains: FloatArray,
        rates: FloatArray,
        gaps: FloatArray,
        base: FloatArray,
        limit: float,
    ) -> FloatArray:
        """(b,) the smallest largest cost at which the line over the box reaches 0."""
        values, costs, gap = self._ends(low, high)
        short = np.zeros(len(low))
        most = costs.max(axis=(1, 2), initial=0.0)
        tall = np.maximum(most, self._option_cost.max(initial=0.0))
        tall = np.maximum(np.minimum(tall, limit), 1.0 if gap.any() else 0.0)
        for _ in range(_HALVINGS):
            middle = (short + tall) / 2
            near = values[:, :, :1]
            room = self._room(middle)[:, :, None]
            clipped = np.clip(values, near - room, near + room)
            # what the nearest point itself costs is given; only what goes beyond it is cut
            total = base + np.fmax.reduce(clipped * rates[:, :, None], axis=2).sum(axis=1)
            if gap.any():
                best = np.fmax.reduce(clipped * rates[:, :, None], axis=2)
                with_gap = np.where(gap & (middle[:, None] >= 1), np.fmax(best, gaps), best)
                total = base + with_gap.sum(axis=1)
            if len(self._begin):
                some = inside & (self._option_cost <= middle[:, None])
                # an option dearer than the limit may still be the only one in its box
                some |= inside & (self._option_cost == self._cheapest(inside)[:, self._owner])
                total += np.maximum.reduceat(np.where(some, gains, -np.inf), self._begin, axis=1).sum(axis=1)
            reached = total >= 0
            tall, short = np.where(reached, middle, tall), np.where(reached, short, middle)
        return short

    def _cheapest(self, inside: BoolArray) -> FloatArray:
        costs = np.where(inside, self._option_cost, np.inf)
        out: FloatArray = np.minimum.reduceat(costs, self._begin, axis=1)
        return out

    def _room(self, cost: FloatArray) -> FloatArray:
        """(b, numbers) how far numbers may move at a cost."""
        scales = self._metric.scales[self._numbers]
        return cost[:, None] * scales
