"""Bounds on a sum of trees over a box: in each tree, the best and the worst leaf that can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairwitness.counterfactuals.exact.forms import TreeForm
from fairwitness.counterfactuals.exact.leaves import Leaves
from fairwitness.counterfactuals.exact.lines import SLACK, GridLine, Line, ListLine
from fairwitness.counterfactuals.exact.metric import Metric
from fairwitness.counterfactuals.exact.search import Part
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Ways to split × leaves of one look at bounds: larger tables do not fit into the caches.
_CELLS = 1 << 18


class TreeRelaxation:
    """The leaves one query can reach within a limit, and bounds from them.

    Leaves farther than the limit are gone before the search begins; with a near row known, few are left.
    """

    def __init__(
        self,
        leaves: Leaves,
        form: TreeForm,
        lines: Sequence[Line],
        numbers: FloatArray,
        metric: Metric,
        limit: float,
    ) -> None:
        """``numbers`` (inputs,) are what the estimator reads for the query; lines get their cuts."""
        self.lines: list[Line] = []
        least = np.zeros((len(leaves.tree), len(lines)))
        ends: dict[int, IntArray] = {}
        for j, line in enumerate(lines):
            if isinstance(line, ListLine):
                self.lines.append(line)
                cost = np.full(leaves.options[j].shape[1], np.inf)
                cost[line.option] = line.cost
                least[:, j] = np.where(leaves.options[j], cost, np.inf).min(axis=1)
                continue
            edges = _edges(line, leaves, form, numbers, j)
            line = replace(line, cuts=np.unique(edges[(edges > 0) & (edges < line.numbers)]))
            self.lines.append(line)
            ends[j] = _positions(line, leaves.ranges[j], edges)
            least[:, j] = _least(line, ends[j])[leaves.range_of[j]]
            if line.gap:
                gap = float(line.at(np.array([line.last]))[1][0])
                least[:, j] = np.where(leaves.missing[j], np.minimum(least[:, j], gap), least[:, j])
        far = metric.join(least)
        most = limit + SLACK * (1 + abs(limit)) if np.isfinite(limit) else np.finfo(np.float64).max
        kept = np.flatnonzero(far <= most)
        self._value = leaves.value[kept]
        tree = leaves.tree[kept]
        self._starts = np.searchsorted(tree, np.arange(int(leaves.tree[-1]) + 1))
        self._empty = bool((np.diff(np.append(self._starts, len(tree))) == 0).any())
        self._offset = form.offset
        of_kept = {j: each[leaves.range_of[j][kept]] for j, each in ends.items()}
        self._first = {j: np.ascontiguousarray(each[:, 0]) for j, each in of_kept.items()}
        self._last = {j: np.ascontiguousarray(each[:, 1]) for j, each in of_kept.items()}
        self._gap = {j: leaves.missing[j][kept] for j in ends}
        self._reach: dict[int, BoolArray] = {}
        self._alike: dict[int, IntArray] = {}
        for j, line in enumerate(self.lines):
            if isinstance(line, ListLine):
                table = leaves.options[j][kept][:, line.option].T
                self._reach[j] = np.ascontiguousarray(table)
                self._alike[j] = _alike(table)
        self._active = [j for j, line in enumerate(self.lines) if self._matters(j, line)]

    def _matters(self, j: int, line: Line) -> bool:
        if isinstance(line, ListLine):
            return len(np.unique(self._alike[j])) > 1
        covers = (self._first[j] <= 0) & (self._last[j] >= line.numbers - 1)
        if line.gap:
            covers &= self._gap[j]
        return not bool(covers.all())

    def root(self, low: IntArray, high: IntArray) -> tuple[float, float, object]:
        """Bounds over all leaves within the limit."""
        if self._empty or not len(self._value):
            return -np.inf, -np.inf, None  # in some tree not one leaf is within the limit
        every = np.ones(len(self._value), dtype=np.bool_)
        upper, lower = self._bounds(every[None])
        return float(upper[0]), float(lower[0]), np.packbits(every)

    def splits(self, low: IntArray, high: IntArray, state: object, limit: float) -> dict[int, list[Part]]:
        """Every way to split one column, with bounds for both sides."""
        mask = np.unpackbits(np.asarray(state), count=len(self._value)).view(np.bool_)
        ways = [(j, *part) for j in self._active for part in self._parts(j, int(low[j]), int(high[j]))]
        out: dict[int, list[Part]] = {}
        step = max(1, _CELLS // max(1, len(mask)))
        for start in range(0, len(ways), step):
            some = ways[start : start + step]
            table = np.array([mask & self._leads(*way) for way in some])
            upper, lower = self._bounds(table)
            packed = np.packbits(table, axis=1)
            for at, (j, first, last) in enumerate(some):
                part = Part(first, last, float(upper[at]), float(lower[at]), 0.0, packed[at])
                out.setdefault(j, []).append(part)
        return out

    def _bounds(self, masks: BoolArray) -> tuple[FloatArray, FloatArray]:
        best = np.maximum.reduceat(np.where(masks, self._value, -np.inf), self._starts, axis=1)
        worst = np.minimum.reduceat(np.where(masks, self._value, np.inf), self._starts, axis=1)
        upper = best.sum(axis=1) + self._offset
        lower = np.where(np.isneginf(upper), -np.inf, worst.sum(axis=1) + self._offset)
        return upper, lower

    def _parts(self, j: int, low: int, high: int) -> list[tuple[int, int]]:
        line = self.lines[j]
        if isinstance(line, ListLine):
            if low == high or (self._alike[j][low] == self._alike[j][low : high + 1]).all():
                return []
            if low == 0:
                return [(0, 0), (1, high)]
            middle = (low + high) // 2
            return [(low, middle), (middle + 1, high)]
        if line.gap and high == line.last and low < high:
            return [(low, high - 1), (high, high)]
        after, before = (int(v) for v in np.searchsorted(line.cuts, [low, high], side="right"))
        if after == before:
            return []
        own_low, own_high = line.own
        if low <= own_low and own_high <= high and line.place >= 0:
            parts = [(own_low, own_high)]
            if low < own_low:
                parts.append((low, own_low - 1))
            if own_high < high:
                parts.append((own_high + 1, high))
            return parts
        middle = int(line.cuts[(after + before) // 2])
        return [(low, middle - 1), (middle, high)]

    def _leads(self, j: int, low: int, high: int) -> BoolArray:
        """Which leaves some position of the range leads to."""
        line = self.lines[j]
        if isinstance(line, ListLine):
            return np.asarray(self._reach[j][low : high + 1].any(axis=0), dtype=np.bool_)
        top = min(high, line.numbers - 1)
        leads = (self._first[j] <= top) & (self._last[j] >= low) & (self._first[j] <= self._last[j])
        if line.gap and high == line.last:
            leads = leads | self._gap[j]
        return np.asarray(leads, dtype=np.bool_)


def _alike(table: BoolArray) -> IntArray:
    """(p,) equal numbers for positions from which the same leaves are reached, rows of (p, leaves)."""
    names: dict[bytes, int] = {}
    packed = np.packbits(table, axis=1)
    return np.array([names.setdefault(row.tobytes(), len(names)) for row in packed], dtype=np.int64)


def _edges(line: GridLine, leaves: Leaves, form: TreeForm, numbers: FloatArray, j: int) -> IntArray:
    """(m,) how many positions of the line go left at each threshold."""
    nodes = leaves.tests[j]
    edges = np.clip(leaves.cuts[j] - line.start, 0, line.n)
    if line.inserted and len(nodes):
        # the query's value lies between two numbers of the grid: there it speaks for itself
        left = form.goes_left(nodes, numbers[None, form.feature[nodes]])[0]
        edges = edges + np.where(edges == line.place, left, edges > line.place)
    out: IntArray = np.maximum.accumulate(edges) if len(edges) else edges
    return out


def _positions(line: GridLine, ranges: IntArray, edges: IntArray) -> IntArray:
    """(r, 2) first and last position of each range of cells; last before first where there is none."""
    starts = np.concatenate([[0], edges])
    ends = np.concatenate([edges, [line.numbers]]) - 1
    out = np.stack([starts[ranges[:, 0]], ends[ranges[:, 1]]], axis=1)
    out[ranges[:, 0] > ranges[:, 1]] = (1, 0)
    return out


def _least(line: GridLine, ends: IntArray) -> FloatArray:
    """(r,) the smallest cost of a number in each range of positions, infinite where there is none."""
    out = np.full(len(ends), np.inf)
    some = np.flatnonzero(ends[:, 0] <= ends[:, 1])
    if len(some):
        out[some] = line.at(np.clip(line.place, ends[some, 0], ends[some, 1]))[1]
    return out
