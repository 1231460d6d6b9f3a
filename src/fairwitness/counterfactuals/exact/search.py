"""Best-first branch and bound: rows the model accepts, nearest first, with proof.

A *box* is a range of positions in every column. A relaxation says how high and how low the model's margin
can be in a box. A box that is surely refused is dropped; one that is surely accepted gives its rows, nearest
first; any other is split. Boxes and rows wait in one queue ordered by the least distance they can have: what
leaves the queue as a row is nearer than everything that is left.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from fairwitness.counterfactuals.exact.lines import SLACK, Line
from fairwitness.counterfactuals.exact.metric import Metric
from fairwitness.typing import BoolArray, FloatArray, IntArray


@dataclass(slots=True)
class Part:
    """One side of a split: positions ``low`` … ``high`` of one column, and what is known of the margin.

    ``floor`` is a lower bound on the distance of accepted rows in it, beyond what the columns say.
    """

    low: int
    high: int
    upper: float
    lower: float
    floor: float
    state: object


class Relaxation(Protocol):
    """Bounds on a model's margin over boxes."""

    def root(self, low: IntArray, high: IntArray) -> tuple[float, float, object]:
        """Upper and lower bound of the margin over the whole box, and a state to split it by."""

    def splits(self, low: IntArray, high: IntArray, state: object, limit: float) -> dict[int, list[Part]]:
        """Ways to split a box: column → parts. Empty if the model sees no difference within the box."""


@dataclass(slots=True)
class _Box:
    low: IntArray
    high: IntArray
    cost: FloatArray
    shared: FloatArray
    upper: float
    state: object


@dataclass(slots=True)
class Candidate:
    """A row that leaves the queue: its values, its distances, whether the bounds prove it is accepted."""

    row: FloatArray
    distance: float
    shared: float
    sure: bool
    box: int


@dataclass(eq=False)
class _Rows:
    """Rows of one box, nearest first: sums (or largest) of the columns' costs in ascending order."""

    metric: Metric
    values: list[FloatArray]
    cost: list[FloatArray]
    shared: list[FloatArray]
    sure: bool
    box: int
    queue: list[tuple[float, float, tuple[int, ...], int]] = field(default_factory=list)

    def start(self) -> None:
        self._put((0,) * len(self.values), 0)

    def _put(self, places: tuple[int, ...], changed: int) -> None:
        cost = self.metric.join(np.array([c[at] for c, at in zip(self.cost, places, strict=True)]))
        shared = sum(float(c[at]) for c, at in zip(self.shared, places, strict=True))
        heapq.heappush(self.queue, (float(cost), shared, places, changed))

    def pop(self) -> Candidate:
        distance, shared, places, changed = heapq.heappop(self.queue)
        # only columns from the last one moved on: so every combination is made once
        for j in range(changed, len(places)):
            if places[j] + 1 < len(self.values[j]):
                self._put((*places[:j], places[j] + 1, *places[j + 1 :]), j)
        row = np.array([v[at] for v, at in zip(self.values, places, strict=True)])
        return Candidate(row, distance, shared, self.sure, self.box)


class BestFirst:
    """One search for one query within one limit.

    Parameters
    ----------
    lines
        What each column may become.
    limit
        Distances beyond it are not looked at.
    k
        How many rows are wanted.
    tolerance
        Margins closer to 0 are decided by the model.
    over
        Says whether the time is over.
    links
        Columns that change together, and the combinations (c, w) that they may take.
    discrete
        (d,) columns in which a row must differ from those that were excluded.

    Attributes
    ----------
    bound
        Every accepted row that has not been given yet is at least this far.
    exhausted
        Whether nothing is left within the limit.
    n_boxes
        Boxes looked into.
    """

    def __init__(
        self,
        lines: Sequence[Line],
        relaxation: Relaxation,
        metric: Metric,
        *,
        limit: float,
        k: int,
        tolerance: float,
        over: Callable[[], bool],
        links: Sequence[tuple[IntArray, FloatArray]] = (),
        discrete: BoolArray | None = None,
    ) -> None:
        self._lines = lines
        self._links = [(columns, _places(lines, columns, rows)) for columns, rows in links]
        self._relaxation = relaxation
        self._metric = metric
        self._discrete = np.flatnonzero(discrete) if discrete is not None else np.zeros(0, dtype=np.int64)
        self._excluded: list[IntArray] = []
        self._limit = limit + SLACK * (1 + abs(limit)) if np.isfinite(limit) else limit
        self._k = k
        self._tolerance = tolerance
        self._over = over
        self._queue: list[tuple[float, float, int, _Box | _Rows]] = []
        self._serial = 0
        self.bound = 0.0
        self.exhausted = False
        self.n_boxes = 0

    def exclude(self, row: FloatArray) -> None:
        """Look for no more rows that are like this one in all discrete columns."""
        self._excluded.append(
            np.array(
                [self._lines[j].find(row[j : j + 1])[0] for j in self._discrete.tolist()], dtype=np.int64
            )
        )

    def run(self) -> Iterator[Candidate]:
        """Give rows in ascending order of distance until nothing is left or the time is over."""
        d = len(self._lines)
        low = np.zeros(d, dtype=np.int64)
        high = np.array([line.last for line in self._lines], dtype=np.int64)
        upper, lower, state = self._relaxation.root(low, high)
        least = np.array([line.least(0, line.last) for line in self._lines]).reshape(d, 2)
        self._place(_Box(low, high, least[:, 0], least[:, 1], upper, state), lower, 0.0)
        while self._queue:
            distance, _, _, item = self._queue[0]
            self.bound = max(self.bound, distance)
            if self._over():  # looking costs nothing beside a box of many leaves
                return
            heapq.heappop(self._queue)
            if isinstance(item, _Rows):
                candidate = item.pop()
                if item.queue:
                    self._push(item.queue[0][0], item.queue[0][1], item)
                yield candidate
            else:
                self.n_boxes += 1
                self._split(item, distance)
        self.exhausted = True
        self.bound = max(self.bound, self._limit)

    def _push(self, distance: float, shared: float, item: _Box | _Rows) -> None:
        if distance <= self._limit:
            self._serial += 1
            heapq.heappush(self._queue, (distance, shared, self._serial, item))

    def _place(self, box: _Box, lower: float, floor: float) -> None:
        """Put a box where it belongs: away, among the accepted, or into the queue to be split."""
        if box.upper < -self._tolerance or not all(self._inside(box, link).any() for link in self._links):
            return
        if lower > self._tolerance:
            self._give(box, sure=True)
            return
        distance = max(float(self._metric.join(box.cost)), floor)
        self._push(distance, float(box.shared.sum()), box)

    def _inside(self, box: _Box, link: tuple[IntArray, IntArray]) -> BoolArray:
        """Which combinations of linked columns lie in a box."""
        columns, places = link
        inside = ((places >= box.low[columns]) & (places <= box.high[columns])).all(axis=1)
        return np.asarray(inside, dtype=np.bool_)

    def _give(self, box: _Box, *, sure: bool) -> None:
        """Queue the rows of a box in which the model decides all alike."""
        self._serial += 1
        answer = self._serial
        boxes = [(box.low, box.high)]
        for link in self._links:
            chosen = link[1][self._inside(box, link)]
            boxes = [_fixed(low, high, link[0], one) for low, high in boxes for one in chosen]
        for low, high in boxes:
            self._queue_rows(low, high, answer, sure=sure)

    def _queue_rows(self, box_low: IntArray, box_high: IntArray, answer: int, *, sure: bool) -> None:
        places = [
            line.cheapest(int(low), int(high), self._k + 1)
            for line, low, high in zip(self._lines, box_low, box_high, strict=True)
        ]
        parts = [line.at(at) for line, at in zip(self._lines, places, strict=True)]
        rows = _Rows(
            self._metric,
            [p[0] for p in parts],
            [p[1] for p in parts],
            [p[2] for p in parts],
            sure,
            answer,
        )
        rows.start()
        self._push(rows.queue[0][0], rows.queue[0][1], rows)

    def _split(self, box: _Box, distance: float) -> None:
        ways = self._relaxation.splits(box.low, box.high, box.state, self._limit)
        if (excluded := self._holds_excluded(box)) is not None:
            ways = self._apart(box, excluded, ways)
            if not ways:
                return
        if not ways:
            self._give(box, sure=False)
            return
        best, chosen = -1.0, -1
        made: dict[int, list[tuple[Part, float, float, float]]] = {}
        for j, parts in ways.items():
            line, rest = self._lines[j], box.cost.copy()
            made[j] = []
            progress: list[float] = []
            for part in parts:
                cost, shared = line.least(part.low, part.high)
                rest[j] = cost
                far = max(float(self._metric.join(rest)), part.floor)
                made[j].append((part, cost, shared, far))
                progress.append(self._progress(box, distance, part.upper, far))
            progress.sort()
            worth = (progress[0] + 1e-3) * (progress[min(1, len(progress) - 1)] + 1e-3)
            if worth > best:
                best, chosen = worth, j
        for part, cost, shared, _ in made[chosen]:
            low, high = box.low.copy(), box.high.copy()
            costs, shares = box.cost.copy(), box.shared.copy()
            low[chosen], high[chosen] = part.low, part.high
            costs[chosen], shares[chosen] = cost, shared
            floor = max(part.floor, distance)  # a part is never nearer than the whole
            self._place(_Box(low, high, costs, shares, part.upper, part.state), part.lower, floor)

    def _holds_excluded(self, box: _Box) -> IntArray | None:
        """Positions of an excluded row whose discrete columns lie in the box."""
        low, high = box.low[self._discrete], box.high[self._discrete]
        for places in self._excluded:
            if ((places >= low) & (places <= high)).all():
                return places
        return None

    def _apart(self, box: _Box, places: IntArray, ways: dict[int, list[Part]]) -> dict[int, list[Part]]:
        """Split towards the excluded row, so that its own box can be dropped: then there is no way."""
        discrete = self._discrete.tolist()
        helpful = {j: parts for j, parts in ways.items() if j in discrete}
        if helpful:
            return helpful
        for j, place in zip(discrete, places.tolist(), strict=True):
            low, high = int(box.low[j]), int(box.high[j])
            if low < high:
                ends = [(low, place - 1), (place, place), (place + 1, high)]
                parts = [(a, b) for a, b in ends if a <= b]
                return {j: [Part(a, b, box.upper, -np.inf, 0.0, box.state) for a, b in parts]}
        return {}

    def _progress(self, box: _Box, distance: float, upper: float, far: float) -> float:
        """Say how much of the way to being dropped a part has gone, 0 … 1."""
        if upper < -self._tolerance or far > self._limit:
            return 1.0
        by_margin = (box.upper - upper) / max(box.upper + self._tolerance, 1e-12)
        room = self._limit - distance if np.isfinite(self._limit) else 4.0 + distance
        return min(1.0, max(by_margin, (far - distance) / max(room, 1e-12), 0.0))


def _fixed(low: IntArray, high: IntArray, columns: IntArray, places: IntArray) -> tuple[IntArray, IntArray]:
    """Give the ends of a box with some columns held at one position."""
    low, high = low.copy(), high.copy()
    low[columns] = high[columns] = places
    return low, high


def _places(lines: Sequence[Line], columns: IntArray, rows: FloatArray) -> IntArray:
    """(c, w) positions of combinations of values, of those that are on the lines."""
    each = [lines[j].find(rows[:, at]) for at, j in enumerate(columns.tolist())]
    places = np.stack(each, axis=1)
    return np.unique(places[(places >= 0).all(axis=1)], axis=0)
