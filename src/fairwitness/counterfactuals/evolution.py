"""The search of :class:`~fairwitness.counterfactuals.genetic.GeneticGenerator`, for a chunk of queries."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.counterfactuals.archive import row_keys
from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.choices import Choices
from fairwitness.counterfactuals.crowd import Crowd
from fairwitness.counterfactuals.fitted import row_bytes
from fairwitness.counterfactuals.limits import Limits
from fairwitness.counterfactuals.lines import place_within
from fairwitness.counterfactuals.moves import Moves
from fairwitness.counterfactuals.narrowing import HELP, Narrowing
from fairwitness.counterfactuals.nearest import AcceptedPool, NearestSearch
from fairwitness.counterfactuals.operators import cross, n_draws, take_back
from fairwitness.counterfactuals.trial import Trial
from fairwitness.parallel import this_process
from fairwitness.rng import child
from fairwitness.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.model.blackbox import BlackBox
    from fairwitness.table.distance import MixedDistance
    from fairwitness.table.encode import Encoder

#: Generations of calm, in units of ``patience``, after which a query without k rows is given up.
_GIVE_UP = 10
#: Rounds of taking changes back, in units of ``patience``: enough for twenty columns.
_ROUNDS = 4
#: For wider tables, one more round for so many columns.
_COLUMNS_A_ROUND = 4
#: Further rounds, in which numbers are moved towards the query: a few columns, one after the other.
_NARROWING = 40
#: What a rejected row's loss is raised by where the best losses of two generations are compared.
_REJECTED = 1e6
#: Values of all rows held for the queries that are evolved at once, and the most queries: larger batches
#: cost memory and gain nothing, smaller ones pay the model's fixed cost more often.
_VALUES, _ACTIVE = 1 << 22, 256


@dataclass(frozen=True)
class Plan:
    """How the search goes; see :class:`~fairwitness.counterfactuals.genetic.GeneticGenerator`."""

    k: int
    population: int
    offspring: int
    generations: int
    patience: int
    tolerance: float
    validity: float
    proximity: float
    sparsity: float
    seed: int
    #: Rows a query may have scored; ``None``: no limit.
    allowance: int | None


@dataclass(frozen=True)
class Evolved:
    """What came out for a chunk: queries that were reached, rows the model was asked about, and where."""

    done: list[tuple[Crowd, BoolArray]]
    asked: int
    process: tuple[str, int]


@dataclass(frozen=True)
class Evolution:
    """Evolves the queries of a chunk, a few hundred at a time; picklable if its model is.

    ``itself`` (q,) is each query's position in the pool; ``observed`` the least and largest value of each
    column of the table; ``moves`` what is tried of each column alone.
    """

    queries: FloatArray
    itself: IntArray
    pool: AcceptedPool
    observed: tuple[FloatArray, FloatArray]
    moves: Moves
    encoder: Encoder
    distance: MixedDistance
    model: BlackBox
    plan: Plan
    budget: Budget

    def __call__(self, chunk: slice) -> Evolved:
        """Evolve queries until each is done; as some leave, waiting ones take their places."""
        return _Run(self, chunk).finish()


class _Run:
    """One pass over a chunk: the crowd, the archive and what is done."""

    def __init__(self, evolution: Evolution, chunk: slice) -> None:
        self.given = evolution
        self.plan = evolution.plan
        self.queries = evolution.queries
        self.chunk = chunk
        self.trial = Trial(evolution)
        #: Numbers that stand alone: those that can be moved towards the query.
        self.numbers = np.array([not f.is_coded for f in evolution.encoder.schema.features], dtype=np.bool_)
        for link in evolution.encoder.links:
            self.numbers[link.columns] = False
        self.narrowing = Narrowing(self.trial, self.numbers)

    def finish(self) -> Evolved:
        done: list[tuple[Crowd, BoolArray]] = []
        room_at_once = max(8, _VALUES // (self.plan.population * self.queries.shape[1]))
        room_at_once = min(room_at_once, _ACTIVE)
        waiting = self.chunk.start
        crowd: Crowd | None = None
        while not self.given.budget.out_of_time():
            room = room_at_once - (len(crowd) if crowd is not None else 0)
            if waiting < self.chunk.stop and 2 * room >= room_at_once:
                block = slice(waiting, min(waiting + room, self.chunk.stop))
                new = self._admit(block)
                crowd = new if crowd is None else crowd.join(new)
                waiting = block.stop
            if crowd is None or not len(crowd):
                return Evolved(done, self.trial.asked, this_process())
            self._generation(crowd)
            over, cut = self._over(crowd)
            if over.any():
                self.narrowing.settle(crowd, over)
                done.append((crowd.take(over), cut[over]))
                self.trial.archive.forget(crowd.index[over])
                crowd = crowd.take(~over)
        if crowd is not None and len(crowd):
            self.narrowing.settle(crowd, np.ones(len(crowd), dtype=np.bool_))
            done.append((crowd, np.ones(len(crowd), dtype=np.bool_)))
        return Evolved(done, self.trial.asked, this_process())

    # ------------------------------------------------------------------ where queries start

    def _admit(self, block: slice) -> Crowd:
        """Start queries from the nearest accepted rows, which cost nothing: ``fit`` scored them."""
        queries, pool, n = self.queries[block], self.given.pool, block.stop - block.start
        near = self._nearest(block, self.plan.population, constrained=True)
        line, slot = np.nonzero(near >= 0)
        rows = np.repeat(queries[:, None, :], self.plan.population, axis=1)
        rows[line, slot] = pool.rows[near[line, slot]]
        distance, score = np.full(near.shape, np.inf), np.full(near.shape, np.nan)
        distance[line, slot] = self.given.distance.rowwise(rows[line, slot], queries[line])
        score[line, slot] = pool.score[near[line, slot]]
        limits = Limits.of(self.given.encoder.schema, queries, self.given.encoder.links)
        crowd = Crowd(
            index=np.arange(block.start, block.stop),
            choices=Choices.of(self.given.encoder.schema, limits, self.given.observed),
            draws=np.array([self._generator(key) for key in row_bytes(queries)], dtype=object),
            rows=rows[:, :0],
            loss=distance[:, :0],
            accepted=near[:, :0] >= 0,
            score=score[:, :0],
            distance=distance[:, :0],
            age=np.zeros(n, dtype=np.int64),
            best=np.full(n, np.inf),
            calm=np.zeros(n, dtype=np.int64),
            spent=np.zeros(n, dtype=np.int64),
            refining=np.zeros(n, dtype=np.bool_),
            help_column=np.full((n, HELP), -1, dtype=np.int64),
            help_value=np.zeros((n, HELP)),
            tips=self.narrowing.none(n, queries.shape[1]),
            narrowed=np.zeros(n, dtype=np.bool_),
        )
        loss = self.trial.loss(crowd, rows, near >= 0, score, distance)
        crowd.merge(self.plan.population, rows, loss, near >= 0, score, distance)
        self.trial.archive.add(row_keys(crowd.index, queries))
        self.trial.archive.add(row_keys(crowd.index[line], rows[line, slot]))
        self._move_alone(crowd, queries)
        few = (near >= 0).sum(axis=1) < self.plan.k
        if few.any():
            self.trial.ask(crowd, *self._scattered(crowd, few, block, limits))
        return crowd

    def _move_alone(self, crowd: Crowd, queries: FloatArray) -> None:
        """Try changes of one column alone, and note those that help most."""
        moves, choices = self.given.moves, crowd.choices
        if not len(moves.value):
            return
        rows = moves.rows(queries, choices.low, choices.high, self.numbers)
        cost = self.plan.proximity * self.trial.steps(rows, queries).sum(axis=2) + self.plan.sparsity
        tried = self.trial.ask(
            crowd,
            rows,
            np.ones(rows.shape[:2], dtype=np.bool_),
            lambda accepted: moves.nearest(accepted, cost, self.numbers),
        )
        crowd.help_column, crowd.help_value = moves.best(rows, tried.score, cost, HELP)

    def _scattered(
        self, crowd: Crowd, few: BoolArray, block: slice, limits: Limits
    ) -> tuple[FloatArray, BoolArray]:
        """Give queries with few seeds more to start from: near rows made to fit, and random ones."""
        c = self.plan.offspring
        home = np.repeat(self.queries[block][:, None, :], c, axis=1)
        near = self._nearest(block, c, constrained=False)
        line, slot = np.nonzero(near >= 0)
        fitted = home.copy()
        fitted[line, slot] = self.given.pool.rows[near[line, slot]]
        uniform = np.ones((2, *home.shape))
        for at in np.flatnonzero(few).tolist():
            uniform[0, at] = crowd.draws[at].random(home.shape[1:])
            uniform[1, at] = crowd.draws[at].random(home.shape[1:])
        random = crowd.choices.draw(home, uniform[0] < 0.5, uniform[1])
        children = np.concatenate([limits.repair(fitted), random], axis=1)
        return children, np.repeat(few[:, None], 2 * c, axis=1)

    def _nearest(self, block: slice, depth: int, *, constrained: bool) -> IntArray:
        """(q, depth) pool positions of the nearest rows, −1 where there are no more."""
        near = np.full((block.stop - block.start, depth), -1, dtype=np.int64)
        found = NearestSearch(
            queries=self.queries,
            itself=self.given.itself,
            pool=self.given.pool.rows,
            distance=self.given.distance,
            schema=self.given.encoder.schema if constrained else None,
            k=depth,
            rank="distance",
            budget=Budget(),
            links=self.given.encoder.links if constrained else (),
        )(block)
        near[found.query - block.start, place_within(found.query)] = found.pool
        return near

    def _generator(self, content: bytes) -> np.random.Generator:
        """Give a query's own random numbers: they depend on its content and the seed alone."""
        return child(self.plan.seed, "genetic", sha256(content).hexdigest())

    # ------------------------------------------------------------------ one generation

    def _generation(self, crowd: Crowd) -> None:
        """Make children for all queries, score the new ones in one call, keep the best."""
        plan = self.plan
        home = self.queries[crowd.index]
        refined = plan.k + crowd.tips.column.shape[1] if crowd.refining.any() else 0
        children = np.repeat(home[:, None, :], max(plan.offspring, refined), axis=1)
        wanted = np.zeros(children.shape[:2], dtype=np.bool_)
        evolving = np.flatnonzero(~crowd.refining)
        if len(evolving):
            uniform = np.empty((len(evolving), plan.offspring, n_draws(home.shape[1])))
            for place, query in enumerate(evolving.tolist()):
                crowd.draws[query].random(out=uniform[place])
            children[evolving, : plan.offspring] = cross(
                crowd.rows[evolving],
                crowd.filled[evolving],
                home[evolving],
                crowd.choices.take(evolving),
                uniform,
            )
            wanted[evolving, : plan.offspring] = True
        back = np.flatnonzero(crowd.refining & ~crowd.tips.active)
        if len(back):
            rows = crowd.rows[back, : plan.k]
            steps = self.trial.steps(rows, home[back])
            steps[~crowd.accepted[back, : plan.k]] = 0
            children[back, : plan.k], wanted[back, : plan.k] = take_back(
                rows,
                steps,
                home[back],
                crowd.index[back],
                self.trial.archive,
                [link.columns for link in self.given.encoder.links],
            )
            ready = back[~crowd.narrowed[back] & ~wanted[back].any(axis=1)]
            if len(ready):
                self.narrowing.start(crowd, ready, home)
        line, slot, tips = self.narrowing.propose(crowd, home)
        at = plan.k + slot
        children[line, at], wanted[line, at] = tips, True
        free = np.ones(wanted.shape, dtype=np.bool_)
        free[line, at] = False
        tried = self.trial.ask(crowd, children, wanted, lambda accepted: free)
        crowd.tips.learn(line, slot, children[line, at], tried.accepted[line, at], tried.score[line, at])
        settled = self.narrowing.settle(crowd, ~crowd.tips.active)
        self._watch(crowd, (tried.new > 0) | settled)

    # ------------------------------------------------------------------ when queries are done

    def _watch(self, crowd: Crowd, new: BoolArray) -> None:
        """See which queries still move, and which are ready to have changes taken back."""
        plan = self.plan
        crowd.age += 1
        best = crowd.loss[:, 0] + np.where(crowd.accepted[:, 0], 0.0, _REJECTED)
        moved = best + plan.tolerance < crowd.best
        crowd.best = np.where(moved, best, crowd.best)
        # a query that is being refined is calm once nothing is left to take back
        busy = new | crowd.tips.active
        crowd.calm = np.where(np.where(crowd.refining, busy, moved), 0, crowd.calm + 1)
        ready = (
            (crowd.full(plan.k) & (crowd.calm >= plan.patience))
            | (crowd.calm >= _GIVE_UP * plan.patience)
            | (crowd.age >= plan.generations)
        ) & ~crowd.refining
        crowd.refining |= ready
        crowd.age[ready] = 0
        crowd.calm[ready] = 0

    def _over(self, crowd: Crowd) -> tuple[BoolArray, BoolArray]:
        """(q,) which queries are done, and which of them were cut short by the budget."""
        rounds = (
            _NARROWING + _ROUNDS * self.plan.patience + max(0, crowd.rows.shape[2] - 20) // _COLUMNS_A_ROUND
        )
        over = crowd.refining & ((crowd.calm > 0) | (crowd.age >= rounds))
        if self.plan.allowance is None:
            return over, np.zeros(len(crowd), dtype=np.bool_)
        spent = crowd.spent >= self.plan.allowance
        return over | spent, spent & ~crowd.refining
