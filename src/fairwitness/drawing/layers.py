"""Where to put nodes and lines of a graph that runs from left to right: layers, order, heights, routes.

Nodes stand in layers by the longest path that leads to them (Sugiyama, Tagawa & Toda 1981). A line that
passes a layer holds a place in it, so that no line runs through a node; between two layers every line holds
a place as well, so that lines between the same nodes stay apart. Barycentres and swaps order the places;
heights then minimise how far lines bend, at fixed distances (a least squares problem, solved layer by layer).
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fairwitness.typing import FloatArray

Point = tuple[float, float]

_LAYER_GAP = 58.0
_NODE_GAP = 22.0
_LINE_GAP = 13.0
_BESIDE_NODE = 12.0
#: Distance between lines at the border of a node.
PORT_GAP = 7.5
_ROUNDS = 6
# Turns at ordering and at heights: many where the graph is small enough to be looked at, fewer beyond.
_SWEEPS = (24, 60_000)  # at most, and times the number of places
_SETTLING = (120, 240_000)


@dataclass(frozen=True)
class Layout:
    """Places in points, y upwards from 0.

    Attributes
    ----------
    centres
        Middle of each node.
    edges, arcs
        Points along each line, from border to border; a line is level at its ends.
    loops
        For each arc: 1 where it joins two nodes of one layer at their right, -1 at their left; it turns back
        at its middle point. 0 where it runs from left to right.
    width, height
        Size of the whole.
    """

    centres: tuple[Point, ...]
    edges: tuple[tuple[Point, ...], ...]
    arcs: tuple[tuple[Point, ...], ...]
    loops: tuple[int, ...]
    width: float
    height: float


@dataclass
class _Line:
    start: int
    end: int
    stops: list[int]  # places it holds, from start to end
    weight: float
    side: int = 0  # for two nodes of one layer: +1 passes at their right, -1 at their left


def lay_out(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    arcs: Sequence[tuple[int, int]] = (),
    *,
    weights: Sequence[float] = (),
) -> Layout:
    """Place the nodes and lines of a graph without cycles.

    Parameters
    ----------
    sizes
        Width and height of each node, in points; causes before effects.
    edges
        ``(parent, child)`` positions in ``sizes``, parent first in the order.
    arcs
        Pairs of positions joined by a line of their own kind.
    weights
        How straight each edge should be; default 1 each.

    Returns
    -------
    Layout
    """
    layer = _layers(len(sizes), edges, arcs)
    grid = _Grid(sizes, layer)
    lines = [
        grid.line(u, v, weight) for (u, v), weight in zip(edges, weights or [1.0] * len(edges), strict=True)
    ]
    curved = []
    for arc in arcs:
        start, end = sorted(arc, key=lambda node: (layer[node], node))
        curved.append(grid.line(start, end, 1.0))
    grid.order()
    grid.settle()
    return grid.finish(lines, curved)


def _layers(n: int, edges: Sequence[tuple[int, int]], arcs: Sequence[tuple[int, int]]) -> list[int]:
    """Layer of each node: the longest path to it; what nothing causes stands just before what it causes."""
    layer = [0] * n
    for u, v in sorted(edges):
        layer[v] = max(layer[v], layer[u] + 1)
    children: dict[int, list[int]] = {}
    for u, v in edges:
        children.setdefault(u, []).append(v)
    caused = {v for _, v in edges}
    for u, below in children.items():
        if u not in caused:
            layer[u] = min(layer[v] for v in below) - 1
    for a, b in arcs:
        for alone, other in ((a, b), (b, a)):
            if alone not in caused and alone not in children:
                layer[alone] = layer[other]
    return layer


class _Grid:
    """Places by layer. Even layers hold nodes and what passes them; odd ones lie between."""

    def __init__(self, sizes: Sequence[tuple[float, float]], layer: Sequence[int]) -> None:
        self.sizes = list(sizes)
        self.n = len(sizes)
        self.at = [2 * each + 1 for each in layer]  # layer of each place
        self.columns: list[list[int]] = [[] for _ in range(2 * max(layer) + 3)]
        for node, where in enumerate(self.at):
            self.columns[where].append(node)
        self.before: list[list[tuple[int, float]]] = [[] for _ in sizes]  # neighbours one layer to the left
        self.after: list[list[tuple[int, float]]] = [[] for _ in sizes]
        self.where: list[int] = []  # position of each place in its layer
        self.y: FloatArray = np.zeros(0)  # height of each place, counted downwards

    def place(self, column: int) -> int:
        """Hold a new place in a layer."""
        self.at.append(column)
        self.before.append([])
        self.after.append([])
        self.columns[column].append(len(self.at) - 1)
        return len(self.at) - 1

    def line(self, start: int, end: int, weight: float) -> _Line:
        """Hold a place in every layer between two nodes."""
        first, last = self.at[start], self.at[end]
        if first == last:
            # Where nothing leads to the two (or from them), that side is free.
            side = -1 if not self.before[start] and not self.before[end] else 1
            stop = self.place(first + side)
            for node in (start, end):
                self.join(*((stop, node) if side < 0 else (node, stop)), 0.5)
            return _Line(start, end, [stop], weight, side)
        stops = [self.place(column) for column in range(first + 1, last)]
        chain = [start, *stops, end]
        for u, v in pairwise(chain):
            inner = (u >= self.n) + (v >= self.n)
            self.join(u, v, weight * (1.0, 2.0, 6.0)[inner])
        return _Line(start, end, stops, weight)

    def join(self, u: int, v: int, weight: float) -> None:
        """Join two places in neighbouring layers, the left one first."""
        self.after[u].append((v, weight))
        self.before[v].append((u, weight))

    # --- order within layers ---

    def order(self) -> None:
        """Order every layer so that few lines cross."""
        self.where = [0] * len(self.at)
        for column in self.columns:
            self._number(column)
        best, fewest = [list(column) for column in self.columns], self._crossings()
        for sweep in range(_turns(_SWEEPS, len(self.at))):
            if not fewest:
                break
            forward = sweep % 2 == 0
            for column in self.columns if forward else self.columns[::-1]:
                self._by_barycentre(column, self.before if forward else self.after)
            self._swap()
            found = self._crossings()
            if found < fewest:
                best, fewest = [list(column) for column in self.columns], found
        self.columns = best

    def _number(self, column: Sequence[int]) -> None:
        for at, place in enumerate(column):
            self.where[place] = at

    def _by_barycentre(self, column: list[int], neighbours: Sequence[Sequence[tuple[int, float]]]) -> None:
        def key(place: int) -> float:
            near = [self.where[other] for other, _ in neighbours[place]]
            return sum(near) / len(near) if near else float(self.where[place])

        column.sort(key=key)
        self._number(column)

    def _swap(self) -> None:
        """Swap neighbours in a layer as long as that saves crossings."""
        for _ in range(_ROUNDS):
            better = False
            for column in self.columns:
                for i in range(len(column) - 1):
                    u, v = column[i], column[i + 1]
                    saved = 0
                    for side in (self.before, self.after):
                        a = [self.where[other] for other, _ in side[u]]
                        b = [self.where[other] for other, _ in side[v]]
                        saved += sum((x > y) - (x < y) for x in a for y in b)
                    if saved > 0:
                        column[i], column[i + 1] = v, u
                        self.where[u], self.where[v] = i + 1, i
                        better = True
            if not better:
                return

    def _crossings(self) -> int:
        total = 0
        for column in self.columns:
            seen: list[int] = []  # ends of the lines from places further up, sorted
            for place in column:
                ends = [self.where[other] for other, _ in self.after[place]]
                total += sum(len(seen) - bisect.bisect_right(seen, end) for end in ends)
                for end in ends:
                    bisect.insort(seen, end)
        return total

    # --- heights ---

    def _half(self, place: int) -> float:
        return self.sizes[place][1] / 2 if place < self.n else 0.0

    def _distance(self, upper: int, lower: int) -> float:
        nodes = (upper < self.n) + (lower < self.n)
        gap = (_LINE_GAP, _BESIDE_NODE, _NODE_GAP)[nodes]
        return self._half(upper) + gap + self._half(lower)

    def settle(self) -> None:
        """Give every place a height: lines as straight as the distances within layers allow."""
        self.y = np.zeros(len(self.at))
        offsets = []
        for column in self.columns:
            steps = [self._distance(u, v) for u, v in pairwise(column)]
            offset = np.concatenate([[0.0], np.cumsum(steps)]) if column else np.zeros(0)
            offsets.append(offset)
            self.y[column] = offset - (offset[-1] / 2 if column else 0)
        for turn in range(_turns(_SETTLING, len(self.at))):
            both = range(len(self.columns))
            for at in both if turn % 2 == 0 else reversed(both):
                column = self.columns[at]
                if not column:
                    continue
                wanted, pull = np.empty(len(column)), np.empty(len(column))
                for i, place in enumerate(column):
                    near = self.before[place] + self.after[place]
                    weight = sum(w for _, w in near)
                    pull[i] = max(weight, 0.01)
                    wanted[i] = (
                        sum(w * self.y[other] for other, w in near) / weight if weight else self.y[place]
                    )
                self.y[column] = _increasing(wanted - offsets[at], pull) + offsets[at]

    # --- points ---

    def finish(self, edges: Sequence[_Line], arcs: Sequence[_Line]) -> Layout:
        """Turn layers and heights into points."""
        lines = [*edges, *arcs]
        middle, left, right = self._across()
        halves = np.array([self._half(place) for place in range(len(self.at))])
        top, bottom = float((self.y - halves).min()), float((self.y + halves).max())
        y = (bottom - self.y).tolist()  # heights count downwards until here

        def border(node: int, side: int, port: float) -> Point:
            return middle[self.at[node]] + side * self.sizes[node][0] / 2, y[node] - port

        def route(line: _Line, ports: Sequence[float]) -> tuple[Point, ...]:
            start, end = (
                border(line.start, line.side or 1, ports[0]),
                border(line.end, line.side or -1, ports[1]),
            )
            if line.side:
                return start, (middle[self.at[line.stops[0]]], (start[1] + end[1]) / 2), end
            points = [start]
            for stop in line.stops:
                column = self.at[stop]
                if column % 2:  # passes a layer of nodes, level over its width
                    points += [(left[column], y[stop]), (right[column], y[stop])]
                else:
                    points.append((middle[column], y[stop]))
            return (*points, end)

        routes = [route(line, ports) for line, ports in zip(lines, self._ports(lines), strict=True)]
        centres = tuple((middle[self.at[node]], y[node]) for node in range(self.n))
        loops = tuple(line.side for line in arcs)
        return Layout(
            centres, tuple(routes[: len(edges)]), tuple(routes[len(edges) :]), loops, right[-1], bottom - top
        )

    def _across(self) -> tuple[list[float], list[float], list[float]]:
        """Middle, left and right of every layer."""
        x, left, right = [], [], []
        edge = 0.0
        for at, column in enumerate(self.columns):
            if at % 2:
                wide = max((self.sizes[place][0] for place in column if place < self.n), default=0.0)
            else:
                end = at in (0, len(self.columns) - 1)
                wide = self._gap(column) if not end else (_LAYER_GAP / 2 if column else 0.0)
            left.append(edge)
            x.append(edge + wide / 2)
            edge += wide
            right.append(edge)
        return x, left, right

    def _gap(self, column: Sequence[int]) -> float:
        """Wide enough for the steepest line to be followed."""
        steep = 0.0
        for place in column:
            around = [self.y[other] for other, _ in (*self.before[place], *self.after[place])]
            if around:
                steep = max(steep, max(around) - min(around))
        return float(np.clip(0.45 * steep, _LAYER_GAP, 2.2 * _LAYER_GAP))

    def _ports(self, lines: Sequence[_Line]) -> list[list[float]]:
        """How far from the middle of its nodes each line starts and ends."""
        sides: dict[tuple[int, int], list[tuple[float, int, int]]] = {}
        for number, line in enumerate(lines):
            first, last = line.stops[0], line.stops[-1]
            sides.setdefault((line.start, line.side or 1), []).append((self.y[first], number, 0))
            sides.setdefault((line.end, line.side or -1), []).append((self.y[last], number, 1))
        found = [[0.0, 0.0] for _ in lines]
        for (node, _), ends in sides.items():
            ends.sort()
            # A line that turns back stays level for a while; it needs more room beside its neighbours.
            turns = [bool(lines[number].side) for _, number, _ in ends]
            steps = [1.6 if one or other else 1.0 for one, other in pairwise(turns)]
            offsets = np.cumsum([0.0, *steps])
            step = min(PORT_GAP, (self.sizes[node][1] - 12) / max(offsets[-1], 1.0))
            for offset, (_, number, end) in zip((offsets - offsets[-1] / 2) * step, ends, strict=True):
                found[number][end] = float(offset)
        return found


def _turns(limits: tuple[int, int], places: int) -> int:
    most, budget = limits
    return max(min(most, budget // places), 4)


def _increasing(wanted: FloatArray, weight: FloatArray) -> FloatArray:
    """The nondecreasing sequence nearest to ``wanted`` in weighted squares (pool adjacent violators)."""
    blocks: list[list[float]] = []  # value, weight, length
    for value, pull in zip(wanted.tolist(), weight.tolist(), strict=True):
        blocks.append([value, pull, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            value, pull, length = blocks.pop()
            last = blocks[-1]
            last[0] = (last[0] * last[1] + value * pull) / (last[1] + pull)
            last[1] += pull
            last[2] += length
    return np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])
