"""Everything confounded: each cell of the data on its own, without a program.

If one hidden cause may act on every variable that matters, a joint response function touches one cell only:
the one that it produces. All that a cell's people would have been otherwise is free, except what they were.
So the bound is ``Σ_{v ⊨ o} P(v)/P(o) · max{effect of r : r produces v}``, and the maximum is a short search
over the answers that the imagined worlds ask for. The naive program has a column for every joint response
function.

The outcome may be left out of the hidden cause if its response is known (a predictor's kernel): then the
effect of a response function is a difference of two of the kernel's probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.causal.solver.multilinear import Extreme

if TYPE_CHECKING:
    from fairwitness.causal.solver.expression import Coded
    from fairwitness.causal.solver.problem import Problem
    from fairwitness.typing import FloatArray

#: Most answers tried for one cell; beyond, another engine is asked.
MOST_TRIALS = 50_000


class _TooManyTrialsError(Exception):
    pass


@dataclass(frozen=True, slots=True)
class CellSolution:
    """The ends of the range, P(y_{s0} | o) where no response function changes it, and if it is exact."""

    lower: Extreme
    upper: Extreme
    reference_probability: float | None
    exact: bool


@dataclass(eq=False)
class CellSearch:
    """A depth-first search over what each cell's people may answer.

    Attributes
    ----------
    copies
        For each world, the copies to be answered.
    kernel
        P(outcome value | its parents), or ``None`` where the outcome is confounded as well.
    """

    problem: Problem
    members: tuple[str, ...]
    n_factual: int
    copies: tuple[list[int], list[int]]
    kernel: FloatArray | None
    worlds: tuple[Coded, Coded]
    places: dict[str, int]
    trials: int = 0
    exact: bool = True

    @classmethod
    def of(cls, problem: Problem) -> CellSearch | None:
        """Prepare a question in which all that matters is confounded; ``None`` if it is not."""
        worlds = (problem.active, problem.reference)
        outcome = problem.query.outcome
        asked = {variable for coded in worlds for variable in coded.variables}
        asked |= problem.model.graph.ancestors(*asked) - {problem.query.treatment}
        asked |= {problem.query.treatment}
        known = problem.model.kernel is not None
        confounded = asked - {outcome} if known else asked
        block = next((each for each in problem.blocks if confounded <= set(each)), None)
        if block is None or problem.model.factor(block).parents or (known and outcome in problem.query.given):
            return None
        table = None
        if known:
            conditional = problem.model.conditional(outcome)
            order = (*problem.model.graph.parents(outcome), outcome)
            table = conditional.aligned(order)[..., problem.outcome]
            if np.isnan(table).any():
                return None
        n_factual = len(problem.query.factual().copies)
        members = tuple(name for name in problem.model.graph.nodes if name in confounded)
        first, second = (
            [copy for copy in range(n_factual, len(coded)) if not known or coded.variables[copy] != outcome]
            for coded in worlds
        )
        return cls(
            problem,
            members,
            n_factual,
            (first, second),
            table,
            worlds,
            {name: number for number, name in enumerate(members)},
        )

    def solve(self) -> CellSolution:
        """Sum over the cells.

        Where a cell takes too many trials, what cannot be passed stands in for it: valid, perhaps not
        attained.
        """
        evidence = self.problem.evidence_probability
        low = high = known = 0.0
        for values, probability in self.cells():
            known += probability * self.reference(values)
            high += probability * self.best(values, 1.0)
            low -= probability * self.best(values, -1.0)
        low, high, known = low / evidence, high / evidence, known / evidence
        reference = None if math.isnan(known) else known
        return CellSolution(Extreme(low, low, 0), Extreme(high, high, 0), reference, self.exact)

    def cells(self) -> Iterator[tuple[tuple[int, ...], float]]:
        """Give the cells that agree with the evidence and occur: values of the members, probability."""
        joint = self.problem.model.distribution.take(*self.members)
        given = joint.evidence(self.problem.query.given)
        index = tuple(given.get(name, slice(None)) for name in self.members)
        inside = np.zeros(joint.probability.shape, dtype=bool)
        inside[index] = True
        for place in np.argwhere(inside & (joint.probability > 0)):
            values = tuple(place.tolist())
            yield values, float(joint.probability[values])

    def _start(self, values: tuple[int, ...]) -> tuple[dict[int, int], tuple[list[int], list[int]]]:
        """Give the entries that a cell's people have answered, and the copies that are known by that."""
        graph, entries = self.problem.model.graph, self.problem.entries
        table = {
            entries.number(name, [values[self.places[parent]] for parent in graph.parents(name)]): value
            for name, value in zip(self.members, values, strict=True)
        }
        first, second = (
            [values[self.places[coded.variables[copy]]] for copy in range(self.n_factual)]
            + [-1] * (len(coded) - self.n_factual)
            for coded in self.worlds
        )
        return table, (first, second)

    def _settled(self, world: int, values: tuple[int, ...]) -> float:
        """Give P(outcome) of one cell's people in a world; NaN if it is open."""
        table, answers = self._start(values)
        for copy in self.copies[world]:
            entry = self._entry(world, copy, answers)
            if entry not in table:
                return math.nan
            answers[world][copy] = table[entry]
        return self._outcome(world, answers)

    def reference(self, values: tuple[int, ...]) -> float:
        """Give P(outcome) of one cell's people in the reference world; NaN if it is open."""
        return self._settled(1, values)

    def best(self, values: tuple[int, ...], sign: float) -> float:
        """Give the largest ``sign`` × effect that people of one cell may have."""
        # a world that is settled goes first: then it is known what remains possible
        order = (0, 1) if not math.isnan(self._settled(0, values)) else (1, 0)
        steps = [(world, copy) for world in order for copy in self.copies[world]]
        table, answers = self._start(values)
        self.trials = 0
        try:
            return self._descend(0, steps, table, answers, values, sign)
        except _TooManyTrialsError:
            self.exact = False
            low, high = self._range()
            return high - low

    def _entry(self, world: int, copy: int, answers: tuple[list[int], list[int]]) -> int:
        coded = self.worlds[world]
        parents = [answers[world][source] if source >= 0 else -1 - source for source in coded.sources[copy]]
        return self.problem.entries.number(coded.variables[copy], parents)

    def _descend(
        self,
        step: int,
        steps: list[tuple[int, int]],
        table: dict[int, int],
        answers: tuple[list[int], list[int]],
        values: tuple[int, ...],
        sign: float,
    ) -> float:
        if step == len(steps):
            return sign * (self._outcome(0, answers) - self._outcome(1, answers))
        self.trials += 1
        if self.trials > MOST_TRIALS:
            raise _TooManyTrialsError
        world, copy = steps[step]
        entry = self._entry(world, copy, answers)
        if entry in table:
            answers[world][copy] = table[entry]
            return self._descend(step + 1, steps, table, answers, values, sign)
        best = -2.0
        limit = self._limit(world, steps[0][0], answers, sign)
        for value in self._choices(world, copy, values, sign):
            table[entry] = value
            answers[world][copy] = value
            best = max(best, self._descend(step + 1, steps, table, answers, values, sign))
            if best >= limit:
                break
        del table[entry]
        return best

    def _choices(self, world: int, copy: int, values: tuple[int, ...], sign: float) -> list[int]:
        """Order the values of an answer: those first that tend to decide the search."""
        variable = self.worlds[world].variables[copy]
        size = self.problem.model.cardinality(variable)
        if copy == self.problem.targets[world]:
            helps = (world == 0) == (sign > 0)
            return sorted(range(size), key=lambda value: (value == self.problem.outcome) != helps)
        # unlike what was observed: then the next answers are free as well
        seen = values[self.places[variable]]
        return sorted(range(size), key=lambda value: value == seen)

    def _limit(self, world: int, first: int, answers: tuple[list[int], list[int]], sign: float) -> float:
        """Give what cannot be passed from here."""
        low, high = self._range()
        other = 1 - world
        if world == first and self.copies[other]:
            return high - low
        # the other world is answered already
        done = self._outcome(other, answers)
        active_is_done = other == 0
        return high - done if active_is_done == (sign < 0) else done - low

    def _range(self) -> tuple[float, float]:
        if self.kernel is None:
            return 0.0, 1.0
        return float(self.kernel.min()), float(self.kernel.max())

    def _outcome(self, world: int, answers: tuple[list[int], list[int]]) -> float:
        """Give P(outcome) in a world whose copies are answered."""
        coded = self.worlds[world]
        target = self.problem.targets[world]
        if self.kernel is None:
            value = answers[world][target] if target >= 0 else -1 - target
            return float(value == self.problem.outcome)
        places = [answers[world][s] if s >= 0 else -1 - s for s in coded.sources[target]]
        return float(self.kernel[tuple(places)])
