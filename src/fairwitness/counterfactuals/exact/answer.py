"""One query's answer: searches within growing limits until k rows are proved, or nothing is left."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fairwitness.counterfactuals.base import status_of
from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.exact.columns import Column, lines_of
from fairwitness.counterfactuals.exact.lines import Line
from fairwitness.counterfactuals.exact.metric import Metric
from fairwitness.counterfactuals.exact.search import BestFirst, Candidate, Relaxation
from fairwitness.counterfactuals.fitted import row_bytes
from fairwitness.counterfactuals.limits import Limits
from fairwitness.counterfactuals.nearest import AcceptedPool
from fairwitness.counterfactuals.sets import Status
from fairwitness.typing import BoolArray, FloatArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.fitted import FittedTable

#: Limits grow by this factor; the first is where one category, or one scale of a number, may change.
_GROWTH, _FIRST = 2.0, 1.0
#: Rows whose acceptance only the model knows are asked about in groups of at most this many.
_GROUP = 64


class Engine(Protocol):
    """What knows a model: it gives bounds for one query's lines."""

    @property
    def tolerance(self) -> float:
        """Margins closer to 0 than this are decided by the model."""

    def relax(
        self, lines: Sequence[Line], numbers: FloatArray, metric: Metric, limit: float
    ) -> tuple[Sequence[Line], Relaxation]:
        """Give bounds, and the lines with what the model can tell apart on them."""

    @property
    def discrete(self) -> BoolArray | None:
        """(d,) columns in which two answers must differ; ``None``: any will do."""


@dataclass(slots=True)
class Answer:
    """Rows of one query, nearest first.

    ``bound`` is the distance up to which the list is proved complete; ``refused`` counts rows that the
    bounds called accepted and the model did not; ``hurried`` says that other queries wanted the time, and
    ``reached`` whether the search began.
    """

    rows: FloatArray
    distance: FloatArray
    shared: FloatArray
    score: FloatArray
    status: Status
    bound: float
    n_boxes: int
    refused: int
    hurried: bool = False
    reached: bool = True

    @classmethod
    def unreached(cls, n_columns: int) -> Answer:
        """Give the answer to a query whose turn never came: nothing is known."""
        none = np.zeros(0)
        rows = np.zeros((0, n_columns))
        return cls(rows, none, none, none, "budget", 0.0, 0, 0, hurried=True, reached=False)

    def after(self, before: Answer, k: int) -> Answer:
        """Give this answer together with what an earlier search for the same query had found."""
        self.n_boxes += before.n_boxes
        self.refused += before.refused
        if self.status == "budget":
            self.add(before.rows, before.distance, before.shared, before.score, k)
            self.bound = max(self.bound, before.bound)
            self.reached |= before.reached
        return self

    def add(
        self, rows: FloatArray, distance: FloatArray, shared: FloatArray, score: FloatArray, k: int
    ) -> None:
        """Put rows found elsewhere among these, and keep the k nearest."""
        have = set(row_bytes(self.rows)) if len(self.rows) else set()
        more = [at for at, key in enumerate(row_bytes(rows)) if key not in have] if len(rows) else []
        near = np.concatenate([self.distance, distance[more]])
        both = np.concatenate([self.shared, shared[more]])
        order = np.lexsort((both, near))[:k]
        self.rows = np.concatenate([self.rows, rows[more]])[order]
        self.distance, self.shared = near[order], both[order]
        self.score = np.concatenate([self.score, score[more]])[order]


@dataclass(eq=False)
class Solver:
    """Answers queries one by one."""

    table: FittedTable
    engine: Engine
    columns: list[Column]
    metric: Metric
    pool: AcceptedPool
    k: int
    budget: Budget
    _known: dict[bytes, tuple[bool, float]] = field(default_factory=dict)

    def answer(self, limits: Limits, numbers: FloatArray, end: float) -> Answer:
        """Search for the k nearest accepted rows of one query, the one of ``limits``.

        ``numbers`` is what the model reads of it, ``end`` when to stop (seconds since the epoch).
        """
        own = limits.queries[0]
        spare = self._spare(limits)
        self._known = {}
        whole = lines_of(self.columns, self.metric, limits, np.inf)
        most = float(self.metric.join(np.array([line.most() for line in whole])))
        best = spare[1][self.k - 1] if len(spare[1]) >= self.k else np.inf
        boxes = refused = 0
        limit = _FIRST
        bound = 0.0
        found: list[tuple[Candidate, float]] = []
        while not (over := time.time() >= end):
            final = limit >= most
            limit = most if final else limit
            if best <= limit:
                limit = best
            within = lines_of(self.columns, self.metric, limits, limit)
            lines, relaxation = self.engine.relax(within, numbers, self.metric, limit)
            search = BestFirst(
                lines,
                relaxation,
                self.metric,
                limit=limit,
                k=self.k,
                tolerance=self.engine.tolerance,
                over=lambda: time.time() >= end,
                discrete=self.engine.discrete,
                links=[
                    (link.columns, np.concatenate([link.rows, own[None, link.columns]]))
                    for link in limits.links
                ],
            )
            found, wrong, spent = self._collect(search, own)
            boxes, refused = boxes + search.n_boxes, refused + wrong
            bound = max(bound, search.bound)
            over = spent or not (search.exhausted or len(found) >= self.k)
            if len(found) >= self.k or over or final or best <= limit:
                break
            limit *= _GROWTH
        if len(found) >= self.k:
            return self._laid(found, status_of(self.k, self.k), bound, boxes, refused)
        if over:
            return self._cut_short(found, spare, bound, boxes, refused)
        status: Status = "short" if found else "infeasible"
        return self._laid(found, status, np.inf, boxes, refused)

    def _collect(self, search: BestFirst, own: FloatArray) -> tuple[list[tuple[Candidate, float]], int, bool]:
        """Take rows from a search and ask the model about each, until k are accepted.

        Returns
        -------
        list, int, bool
            Accepted rows with their scores; how many the model refused although the bounds did not;
            whether the model may not be asked any more.
        """
        found: list[tuple[Candidate, float]] = []
        seen: set[bytes] = set()
        dead: set[int] = set()
        wrong, group = 0, 0
        stream = self._new(search, own, seen, dead)
        while len(found) < self.k:
            group = min(_GROUP, max(self.k - len(found), 2 * group))
            some: list[Candidate] = []
            for candidate in stream:
                some.append(candidate)
                if len(some) >= group:
                    break
            if not some:
                break
            answers = self._ask(np.array([candidate.row for candidate in some]))
            if answers is None:
                return found, wrong, True
            for candidate, (accepted, score) in zip(some, answers, strict=True):
                if accepted:
                    found.append((candidate, score))
                elif candidate.sure:
                    wrong += 1
                else:
                    dead.add(candidate.box)
        return found[: self.k], wrong, False

    def _new(
        self, search: BestFirst, own: FloatArray, seen: set[bytes], dead: set[int]
    ) -> Iterator[Candidate]:
        discrete = self.engine.discrete
        for candidate in search.run():
            same = (candidate.row == own) | (np.isnan(candidate.row) & np.isnan(own))
            if same.all() or candidate.box in dead:
                continue
            named = candidate.row if discrete is None else np.append(candidate.row[discrete], 0.0)
            name = row_bytes(named[None])[0]
            if name in seen:
                continue
            seen.add(name)
            if discrete is not None and candidate.sure:
                search.exclude(candidate.row)
            yield candidate

    def _ask(self, rows: FloatArray) -> list[tuple[bool, float]] | None:
        """The model's answers; ``None`` if it may not be asked about them all."""
        keys = row_bytes(rows)
        new = [at for at, key in enumerate(keys) if key not in self._known]
        at = self.table.find(rows[new])
        for place, known in zip(new, at.tolist(), strict=True):
            if known >= 0 and self.table.judged:
                self._known[keys[place]] = (bool(self.table.accepted[known]), float(self.table.score[known]))
        new = [at for at in new if keys[at] not in self._known]
        if new:
            accepted, score, n = self.table.judge(rows[new], self.budget)
            if n < len(new):
                return None
            for place, good, points in zip(new, accepted.tolist(), score.tolist(), strict=True):
                self._known[keys[place]] = (good, points)
        return [self._known[key] for key in keys]

    def _spare(self, limits: Limits) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Rows of the table, distances, shared distances and scores: the k nearest accepted and permitted."""
        rows, score = self.pool.rows, self.pool.score
        permitted = limits.permits(rows)
        own = limits.queries[0]
        good = np.ones(len(rows), dtype=np.bool_) if permitted is None else permitted[0]
        good &= ~((rows == own) | (np.isnan(rows) & np.isnan(own))).all(axis=1)
        rows, score = rows[good], score[good]
        if not len(rows):
            return rows, np.zeros(0), np.zeros(0), score
        distance, shared = self.metric.of_rows(own, rows)
        order = np.lexsort((shared, distance))[: self.k]
        return rows[order], distance[order], shared[order], score[order]

    def _laid(
        self,
        found: Sequence[tuple[Candidate, float]],
        status: Status,
        bound: float,
        boxes: int,
        refused: int,
    ) -> Answer:
        d = self.table.encoder.n_features
        return Answer(
            rows=np.array([c.row for c, _ in found]).reshape(len(found), d),
            distance=np.array([c.distance for c, _ in found], dtype=np.float64),
            shared=np.array([c.shared for c, _ in found], dtype=np.float64),
            score=np.array([score for _, score in found], dtype=np.float64),
            status=status,
            bound=bound,
            n_boxes=boxes,
            refused=refused,
        )

    def _cut_short(
        self,
        found: Sequence[tuple[Candidate, float]],
        spare: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
        bound: float,
        boxes: int,
        refused: int,
    ) -> Answer:
        """The best there is when the time is over: what was found, then rows of the table."""
        out = self._laid(found, "budget", bound, boxes, refused)
        out.add(*spare, self.k)
        return out
