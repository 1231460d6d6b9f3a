"""Many queries under one clock: what each may take, a second round, and what stands in for a proof.

Queries come one after the other, and a hard one could spend what the others need. So each may take an equal
part of the time that is left: what an easy one leaves goes to those behind it. Nine tenths of the time are
shared out so. The rest goes to the genetic search, for nearer rows where there is no proof, and to a second
round for queries that were cut short. Those whose turn never came get rows of the table.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.exact.answer import Answer, Engine, Solver
from fairwitness.counterfactuals.exact.metric import Metric
from fairwitness.counterfactuals.genetic import GeneticGenerator
from fairwitness.counterfactuals.limits import Limits
from fairwitness.counterfactuals.nearest import AcceptedPool, NearestSearch
from fairwitness.parallel import map_row_chunks, this_process, workers
from fairwitness.typing import FloatArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.exact.columns import Column
    from fairwitness.counterfactuals.exact.unfold import Unfolded
    from fairwitness.counterfactuals.fitted import FittedTable

#: Share of a call's time for the first round.
_FIRST_ROUND = 0.9
#: Seconds that a query may take in any case: less is not enough to begin with, and then nobody has an answer.
_LEAST = 2.0
#: Workers take seconds to start: with less time than this, one process does it all.
_START = 10.0
#: The most jobs a worker.
_JOBS = 8
#: Seconds, beyond the call's time if need be, in which queries without an answer get rows of the table.
_GRACE = 1.0


@dataclass(frozen=True, eq=False)
class Rounds:
    """The search for all queries of a call."""

    table: FittedTable
    model: Unfolded
    engine: Engine
    columns: list[Column]
    metric: Metric
    pool: AcceptedPool
    k: int
    seconds: float | None
    budget: Budget
    n_jobs: int | None
    chunk_size: int

    def run(self, queries: FloatArray) -> list[Answer]:
        """Answer every query."""
        now = time.time()
        answers = self._round(queries, now + _FIRST_ROUND * (self.budget.deadline - now))
        late = [at for at, answer in enumerate(answers) if answer.status == "budget"]
        if late and not self.budget.out_of_time():
            self._genetic(queries, answers, late)
        again = [at for at in late if answers[at].hurried]
        if again and not self.budget.out_of_time():
            for at, answer in zip(again, self._round(queries[again], self.budget.deadline), strict=True):
                answers[at] = answer.after(answers[at], self.k)
        self._from_table(queries, answers)
        return answers

    def _round(self, queries: FloatArray, end: float) -> list[Answer]:
        # copies of a budget, and of a model, count for themselves: only in one process is the sum kept
        alone = self.budget.max_queries is not None or self.table.model.max_queries is not None
        alone |= end - time.time() < _START
        n_jobs = workers(1 if alone else self.n_jobs, -(-len(queries) // self.chunk_size))
        # every job takes a copy of the table along
        jobs = _JOBS * n_jobs if n_jobs not in (None, 1) else len(queries)
        parts = map_row_chunks(
            _Round(self, queries, end, n_workers=n_jobs or 1),
            len(queries),
            chunk_size=max(self.chunk_size, -(-len(queries) // max(jobs, 1))),
            n_jobs=n_jobs,
            description="provably nearest counterfactuals",
        )
        here = this_process()
        elsewhere = sum(part.asked for part in parts if part.process != here)
        self.table.model.note_queries(elsewhere)
        self.budget.spend(elsewhere)
        return [answer for part in parts for answer in part.answers]

    def _genetic(self, queries: FloatArray, answers: Sequence[Answer], late: Sequence[int]) -> None:
        """Look for nearer rows where the time was too short for a proof."""
        generator = GeneticGenerator(random_state=0)
        generator.table_ = self.table
        generator._prepare()
        found = generator._search(queries[late], self.k, self.budget)
        for at in np.unique(found.query).tolist():
            mine, query = found.query == at, late[at]
            distance, shared = self.metric.of_rows(queries[query], found.rows[mine])
            answers[query].add(found.rows[mine], distance, shared, found.score[mine], self.k)

    def _from_table(self, queries: FloatArray, answers: Sequence[Answer]) -> None:
        """Give queries whose turn never came the nearest accepted rows that exist."""
        empty = [at for at, answer in enumerate(answers) if answer.status == "budget" and not answer.reached]
        if not empty:
            return
        some = queries[empty]
        search = NearestSearch(
            queries=some,
            itself=self.pool.find(self.table, some),
            pool=self.pool.rows,
            distance=self.table.distance,
            schema=self.table.encoder.schema,
            k=self.k,
            rank="distance",
            budget=Budget(deadline=max(self.budget.deadline, time.time() + _GRACE)),
            links=self.table.encoder.links,
        )
        found = search(slice(0, len(some)))
        ends = np.searchsorted(found.query, np.arange(len(some) + 1))
        for at, query in enumerate(empty):
            line = slice(int(ends[at]), int(ends[at + 1]))
            rows, distance, shared = (
                self.pool.rows[found.pool[line]],
                found.distance[line],
                found.distance[line],
            )
            if self.metric.name != "shared":
                distance, shared = self.metric.of_rows(queries[query], rows)
            answers[query].add(rows, distance, shared, self.pool.score[found.pool[line]], self.k)


@dataclass(frozen=True, eq=False)
class _Answered:
    """Answers of one chunk; ``asked`` rows of the model in that process."""

    answers: list[Answer]
    asked: int
    process: tuple[str, int]


@dataclass(frozen=True, eq=False)
class _Round:
    """One round over chunks of queries, until ``end`` (seconds since the epoch)."""

    rounds: Rounds
    queries: FloatArray
    end: float
    n_workers: int

    def __call__(self, chunk: slice) -> _Answered:
        """Answer the queries of one chunk."""
        rounds, queries = self.rounds, self.queries[chunk]
        if time.time() >= self.end:
            return _Answered([Answer.unreached(queries.shape[1]) for _ in queries], 0, this_process())
        before = rounds.table.model.n_queries
        encoder = rounds.table.encoder
        limits = Limits.of(encoder.schema, queries, encoder.links)
        numbers = rounds.model.inputs(queries)
        solver = Solver(
            rounds.table, rounds.engine, rounds.columns, rounds.metric, rounds.pool, rounds.k, rounds.budget
        )
        most = np.inf if rounds.seconds is None else rounds.seconds
        answers: list[Answer] = []
        for at in range(len(queries)):
            now = time.time()
            if now >= self.end:
                answers.append(Answer.unreached(queries.shape[1]))
                continue
            share = (self.end - now) * self.n_workers / (len(self.queries) - chunk.start - at)
            share = max(share, _LEAST)
            end = min(self.end, now + min(most, share))
            answer = solver.answer(limits.take(slice(at, at + 1)), numbers[at], end)
            answers.append(replace(answer, hurried=answer.status == "budget" and share < most))
        return _Answered(answers, rounds.table.model.n_queries - before, this_process())
