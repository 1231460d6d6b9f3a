"""One person fully observed, nothing confounded: backward induction over Fréchet boxes.

Each mediator's answer in the imagined world is known only through its margin and what was observed of this
person: ``P(r(pa') = a | r(pa) = m) ≤ min(P(a | pa') / P(m | pa), 1)`` for a row ``pa'`` other than the
observed one. These sets can be chosen row by row, so the mediators form a credal network, and where every row
is reached by one history only (complete graphs, chains) choosing the best distribution from the outcome
backwards is exact. Elsewhere the same row would have to be answered alike on several histories; then the
result is a valid relaxation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.causal.solver.factors import Table
from fairwitness.causal.solver.multilinear import Extreme

if TYPE_CHECKING:
    from fairwitness.causal.solver.expression import Coded
    from fairwitness.causal.solver.problem import Problem
    from fairwitness.typing import FloatArray


@dataclass(frozen=True, slots=True)
class InductionSolution:
    """The ends of the range, and P(y_{s0} | o) if known."""

    lower: Extreme
    upper: Extreme
    reference_probability: float | None


@dataclass(frozen=True, eq=False)
class Individual:
    """The question of one fully observed person.

    Attributes
    ----------
    active, reference
        The two imagined worlds; at most one of them is open.
    """

    active: _Chain
    reference: _Chain

    @classmethod
    def of(cls, problem: Problem) -> Individual | None:
        """Prepare an individual's question in a graph without confounding; ``None`` if it is another one."""
        query = problem.query
        mediators = problem.model.graph.ancestors(query.outcome) - {query.outcome}
        if not mediators <= set(query.given):
            return None
        factual = query.factual()
        if len(factual.observed) < len(factual.copies):
            return None  # what was observed tells something of who was not, such as an unseen outcome
        n_factual = len(factual.copies)
        active, reference = (_Chain.of(problem, world, n_factual) for world in (0, 1))
        if active is None or reference is None or active.open == reference.open:
            return None
        return cls(active, reference)

    @property
    def members(self) -> tuple[tuple[str, ...], ...]:
        """The mediators that have to be imagined, each on its own."""
        moved = self.active if self.active.open else self.reference
        return tuple((moved.coded.variables[copy],) for copy in moved.copies if copy != moved.target)

    @property
    def exact(self) -> bool:
        """Whether the range is exact and not a relaxation."""
        return self.active.exact and self.reference.exact

    def solve(self) -> InductionSolution:
        """Go backwards from the outcome, once for each end."""
        low = self.active.extreme("min") - self.reference.extreme("max")
        high = self.active.extreme("max") - self.reference.extreme("min")
        known = None if self.reference.open else self.reference.extreme("max")
        return InductionSolution(Extreme(low, low, 0), Extreme(high, high, 0), known)


@dataclass(eq=False)
class _Chain:
    """The copies of one imagined world, in causal order, the outcome's last."""

    problem: Problem
    coded: Coded
    copies: list[int]
    target: int

    @classmethod
    def of(cls, problem: Problem, world: int, n_factual: int) -> _Chain | None:
        coded = (problem.active, problem.reference)[world]
        target = problem.targets[world]
        copies = list(range(n_factual, len(coded)))
        variables = [coded.variables[copy] for copy in copies]
        if len(set(variables)) < len(variables):
            return None
        if any(len(problem.model.graph.component_of(name)) > 1 for name in variables):
            return None
        return cls(problem, coded, copies, target)

    @property
    def open(self) -> bool:
        """Whether its value is a range: more than the outcome is imagined, or the outcome was seen."""
        others = [copy for copy in self.copies if copy != self.target]
        return bool(others) or (bool(self.copies) and self.problem.query.outcome in self.problem.query.given)

    @property
    def exact(self) -> bool:
        """Whether each row is reached by one history only."""
        live: set[int] = set()
        for copy in reversed(self.copies):
            parents = {source for source in self.coded.sources[copy] if source >= 0}
            live = (live - {copy}) | parents
            if live != parents:
                return False
        return True

    def extreme(self, sense: str) -> float:
        """Give the largest or smallest probability of the outcome."""
        if self.target < 0:  # the evidence itself says
            return float(-1 - self.target == self.problem.outcome)
        last = np.zeros(self.problem.model.cardinality(self.problem.query.outcome))
        last[self.problem.outcome] = 1.0
        value = Table((str(self.target),), last)
        for copy in reversed(self.copies):
            value = self._step(copy, value, sense)
        return float(value.values)

    def _step(self, copy: int, value: Table, sense: str) -> Table:
        """Choose the best answer of one copy, for every state of those before it that still matter."""
        margin, limit = self._row_limits(copy)
        names = tuple(
            dict.fromkeys((*margin.variables[:-1], *(n for n in value.variables if n != str(copy))))
        )
        gains = np.asarray(value.aligned((*names, str(copy))))
        if limit is None:  # known: the mean
            row = np.nan_to_num(margin.aligned((*names, str(copy))), nan=0.0)
            return Table(names, (row * gains).sum(axis=-1))
        room = limit.aligned((*names, str(copy)))
        return Table(names, _fill(gains, room, sense))

    def _row_limits(self, copy: int) -> tuple[Table, Table | None]:
        """Give P(answer | row) over the copy's parents, and how much of each answer this person may give."""
        model, query = self.problem.model, self.problem.query
        variable = self.coded.variables[copy]
        conditional = model.conditional(variable)
        parents = model.graph.parents(variable)
        sources = dict(zip(parents, self.coded.sources[copy], strict=True))
        index = tuple(
            slice(None) if name == variable or sources[name] >= 0 else -1 - sources[name]
            for name in conditional.variables
        )
        names = (
            *(str(sources[name]) for name in conditional.variables[:-1] if sources[name] >= 0),
            str(copy),
        )
        margin = Table(names, np.asarray(conditional.values[index]))
        if variable not in query.given:
            known = not np.isnan(margin.values).any()
            free = np.where(np.isnan(margin.values), 1.0, margin.values)
            return margin, None if known else Table(names, free)
        seen = model.distribution.evidence(query.given)
        place = tuple(seen[name] for name in conditional.variables[:-1])
        answer = seen[variable]
        share = float(conditional.values[(*place, answer)])
        free = np.minimum(np.nan_to_num(margin.values, nan=1.0) / share, 1.0)
        # in the observed row the answer is the observed one
        if all(sources[name] >= 0 or -1 - sources[name] == seen[name] for name in parents):
            row = tuple(seen[name] for name in conditional.variables[:-1] if sources[name] >= 0)
            free = free.copy()
            free[row] = 0.0
            free[(*row, answer)] = 1.0
        return margin, Table(names, free)


def _fill(gains: FloatArray, room: FloatArray, sense: str) -> FloatArray:
    """Distribute one unit over the answers, no more than there is room, the best answers first."""
    gains, room = np.broadcast_arrays(gains, room)
    if gains.shape[-1] == 2:  # two answers: as much of the better one as there is room for
        better = (
            np.maximum(gains[..., 1], gains[..., 0])
            if sense == "max"
            else np.minimum(gains[..., 1], gains[..., 0])
        )
        first = better == gains[..., 1]
        share = np.where(first, room[..., 1], 1.0 - room[..., 0])
        share = np.where(first, share, np.maximum(share, 0.0))
        return np.asarray(gains[..., 0] + share * (gains[..., 1] - gains[..., 0]))
    order = np.argsort(-gains if sense == "max" else gains, axis=-1, kind="stable")
    gains = np.take_along_axis(gains, order, axis=-1)
    room = np.take_along_axis(room, order, axis=-1)
    before = np.cumsum(room, axis=-1) - room
    taken = np.clip(np.minimum(room, 1.0 - before), 0.0, None)
    return np.asarray((taken * gains).sum(axis=-1))
