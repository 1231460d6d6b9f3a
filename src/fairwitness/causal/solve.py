"""The ladder of solvers: the structure of the question decides which one is exact and cheap.

===============  =========================================================================================
``number``       nothing is unidentified
``cells``        everything is confounded: each cell of the data is looked at on its own
``induction``    no confounding, one person fully observed: backward induction over Fréchet boxes
``linear``       one unidentified block: a linear program over its decision diagram
``corners``      several: the corners of all but the largest, times a linear program
``branch``       several with too many corners: branch and bound over McCormick envelopes
``joint``        too large for that: the blocks answer jointly, a relaxation that is always valid
===============  =========================================================================================
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from fairwitness.causal.branch import branch
from fairwitness.causal.cells import by_cells
from fairwitness.causal.diagram import Payload
from fairwitness.causal.expression import (
    Blocks,
    Coded,
    Entries,
    Event,
    Polynomial,
    difference,
    expand,
)
from fairwitness.causal.factors import Model
from fairwitness.causal.induction import by_induction
from fairwitness.causal.multilinear import Extreme, Form, over_corners
from fairwitness.causal.nested import NestedCounterfactual
from fairwitness.causal.program import BlockProgram, BlockSize, block_program
from fairwitness.causal.vertices import Corners, corners
from fairwitness.errors import DataError
from fairwitness.text import plain

Engine = Literal["number", "cells", "induction", "linear", "corners", "branch", "joint"]
Relaxation = Literal["none", "joint", "confounded"]

#: Most combinations of corners that are tried.
MOST_COMBINATIONS = 20_000


@dataclass(frozen=True, slots=True)
class Limits:
    """When to give up."""

    columns: int = 200_000
    seconds: float = 60.0


@dataclass(frozen=True, eq=False)
class Solution:
    """The range of the effect.

    Attributes
    ----------
    lower, upper
        What was attained and what cannot be passed, at each end.
    exact
        Whether the engine solves the stated problem and not a relaxation of it.
    evidence_probability
        P(o).
    reference_probability
        P(y_{s0} | o), if the data identify it.
    slack
        ε: the total amount by which the data had to be missed.
    """

    engine: Engine
    lower: Extreme
    upper: Extreme
    exact: bool
    evidence_probability: float
    reference_probability: float | None
    unidentified: tuple[tuple[str, ...], ...] = ()
    sizes: tuple[BlockSize, ...] = ()
    slack: float = 0.0
    programs: int = 0
    seconds: float = 0.0


@dataclass(eq=False)
class Problem:
    """One question to one model, in codes."""

    model: Model
    query: NestedCounterfactual
    blocks: Blocks
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self.entries = Entries(self.model)
        self.outcome = self.model.distribution.level_index(self.query.outcome, self.query.outcome_value)
        worlds = (self.query.active_worlds(), self.query.reference_worlds())
        self.active, self.reference = (Coded.read(each, self.model, self.outcome) for each in worlds)
        #: The outcome's copy in each, or -1 - code where evidence fixes it.
        self.targets = tuple(
            each.target
            if isinstance(each.target, int)
            else -1 - self.model.distribution.level_index(self.query.outcome, each.target.value)
            for each in worlds
            if each.target is not None
        )

    def evidence_probability(self) -> float:
        """Give P(o).

        Raises
        ------
        DataError
            If nobody is like that.
        """
        if not self.query.given:
            return 1.0
        factual = Coded.read(self.query.factual(), self.model, None)
        value = expand(factual, self.model, self.blocks, self.entries)
        total = sum(value.values())
        if not total > 0:
            said = ", ".join(f"{plain(name)} = {plain(seen)}" for name, seen in self.query.given.items())
            raise DataError(
                f"the evidence has probability 0: nobody in the data has {said}",
                fix="ask about people who occur, or give less evidence",
            )
        return total


def solve(
    model: Model,
    query: NestedCounterfactual,
    *,
    relaxation: Relaxation = "none",
    limits: Limits | None = None,
) -> Solution:
    """Find the range of a path-specific counterfactual effect that a graph and a distribution allow."""
    started = time.perf_counter()
    solution = _solve(Problem(model, query, model.graph.components, limits or Limits()), relaxation)
    object.__setattr__(solution, "seconds", time.perf_counter() - started)
    return solution


def _solve(problem: Problem, relaxation: Relaxation) -> Solution:
    if problem.query.is_null:
        zero = Extreme(0.0, 0.0, 0)
        return Solution("number", zero, zero, True, problem.evidence_probability(), None)
    if relaxation == "none":
        quick = _quickly(problem)
        if quick is not None:
            return quick
    evidence = problem.evidence_probability()
    reference = expand(problem.reference, problem.model, problem.blocks, problem.entries)
    active = expand(problem.active, problem.model, problem.blocks, problem.entries)
    nothing = ((),) * len(problem.blocks)
    known = None if reference.keys() - {nothing} else reference.get(nothing, 0.0) / evidence
    effect = {key: weight / evidence for key, weight in difference(active, reference).items()}
    used = [b for b in range(len(problem.blocks)) if any(key[b] for key in effect)]
    if not used:
        value = effect.get(nothing, 0.0)
        end = Extreme(value, value, 0)
        return Solution("number", end, end, True, evidence, known)
    if relaxation == "joint" and len(used) > 1:
        return _joint(problem, effect, used, evidence, known)
    if len(used) == 1:
        return _linear(problem, effect, used, evidence, known)
    return _several(problem, effect, used, evidence, known)


def _quickly(problem: Problem) -> Solution | None:
    """Ask the engines that need no program."""
    cells = by_cells(problem)
    if cells is not None:
        return Solution(
            "cells",
            cells.lower,
            cells.upper,
            True,
            cells.evidence_probability,
            cells.reference_probability,
            (cells.members,),
        )
    found = by_induction(problem)
    if found is not None and found.exact:
        return Solution(
            "induction",
            found.lower,
            found.upper,
            True,
            found.evidence_probability,
            found.reference_probability,
            found.members,
        )
    return None


def _linear(
    problem: Problem, effect: Polynomial, used: Sequence[int], evidence: float, known: float | None
) -> Solution:
    """Solve for one block, whose objective is one linear function."""
    (block,) = used
    asked: dict[Event, Payload] = {key[block]: ((0, weight),) for key, weight in effect.items()}
    program = _program(problem, problem.blocks[block], asked, 1)
    return _one_program(program, "linear", True, evidence, known, (program.members,))


def _one_program(
    program: BlockProgram,
    engine: Engine,
    exact: bool,
    evidence: float,
    known: float | None,
    unidentified: tuple[tuple[str, ...], ...],
) -> Solution:
    cost = np.asarray(program.asked.todense()).reshape(-1)
    low, high = program.polytope.optimize(cost, "min"), program.polytope.optimize(cost, "max")
    if low is None or high is None:
        raise AssertionError("a program that was repaired has no solution")
    return Solution(
        engine,
        Extreme(low.value, low.bound, 1),
        Extreme(high.value, high.bound, 1),
        exact,
        evidence,
        known,
        unidentified,
        (program.size,),
        program.slack,
        2,
    )


def _several(
    problem: Problem, effect: Polynomial, used: Sequence[int], evidence: float, known: float | None
) -> Solution:
    form = Form.of(effect, used)
    programs = [
        _program(
            problem,
            problem.blocks[block],
            {event: ((number, 1.0),) for number, event in enumerate(form.events[place])},
            len(form.events[place]),
        )
        for place, block in enumerate(used)
    ]
    functions = [np.asarray(program.asked.todense()) for program in programs]
    polytopes = [program.polytope for program in programs]
    found, largest = _corners(polytopes, functions)
    combinations = math.prod(len(each.points) for each in found if each is not None)
    complete = all(each is None or each.complete for each in found)
    ends: tuple[Extreme, Extreme]
    engine: Engine
    if complete and combinations <= MOST_COMBINATIONS:
        engine = "corners"
        low = over_corners(form, polytopes, functions, found, largest, "min")
        high = over_corners(form, polytopes, functions, found, largest, "max")
        ends = (low, high)
    else:
        bounded = branch(form, polytopes, functions, found, largest, seconds=problem.limits.seconds)
        if bounded is None:
            return _joint(problem, effect, used, evidence, known)
        engine = "branch"
        ends = bounded
    return Solution(
        engine,
        *ends,
        True,
        evidence,
        known,
        tuple(program.members for program in programs),
        tuple(program.size for program in programs),
        max(program.slack for program in programs),
        ends[0].programs + ends[1].programs,
    )


def _corners(
    polytopes: Sequence[object], functions: Sequence[np.ndarray]
) -> tuple[list[Corners | None], int]:
    """Find the corners of all blocks but the one with most columns."""
    sizes = [function.shape[1] for function in functions]
    largest = int(np.argmax(sizes))
    found: list[Corners | None] = []
    for place, function in enumerate(functions):
        found.append(None if place == largest else corners(polytopes[place], function))  # type: ignore[arg-type]
    return found, largest


def _joint(
    problem: Problem, effect: Polynomial, used: Sequence[int], evidence: float, known: float | None
) -> Solution:
    """Let the blocks answer jointly: one linear program that contains every product of their answers."""
    members = tuple(name for block in used for name in problem.blocks[block])
    asked: dict[Event, float] = {}
    for key, weight in effect.items():
        event = tuple(sorted(step for block in used for step in key[block]))
        asked[event] = asked.get(event, 0.0) + weight
    program = _program(problem, members, {event: ((0, weight),) for event, weight in asked.items()}, 1)
    return _one_program(
        program, "joint", False, evidence, known, tuple(problem.blocks[block] for block in used)
    )


def _program(
    problem: Problem, members: Sequence[str], asked: dict[Event, Payload], n_asked: int
) -> BlockProgram:
    return block_program(
        problem.model,
        members,
        problem.entries,
        asked,
        n_asked,
        most_columns=problem.limits.columns,
    )
