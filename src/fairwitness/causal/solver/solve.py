"""The ladder of solvers: the structure of the question decides which one is exact and cheap.

===============  =========================================================================================
``number``       nothing is unidentified
``cells``        everything is confounded: each cell of the data is looked at on its own
``induction``    no confounding, one person fully observed: backward induction over Fréchet boxes
``linear``       one unidentified block: a linear program over its decision diagram
``corners``      several: the corners of all but the largest, times a linear program
``branch``       several with too many corners: branch and bound over McCormick envelopes
``joint``        more than two such blocks: they answer jointly, a relaxation that is always valid
===============  =========================================================================================
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fairwitness.causal.solver.branch import branch
from fairwitness.causal.solver.expression import TooLargeError
from fairwitness.causal.solver.linear import Polytope
from fairwitness.causal.solver.multilinear import Extreme, Form, climb, over_corners
from fairwitness.causal.solver.problem import Problem
from fairwitness.causal.solver.program import BlockSize
from fairwitness.causal.solver.stages import EffectProgram, formula, jointly
from fairwitness.causal.solver.vertices import Corners, corners
from fairwitness.typing import FloatArray

Engine = Literal["number", "cells", "induction", "linear", "corners", "branch", "joint"]

#: Most combinations of corners that are tried.
MOST_COMBINATIONS = 20_000
#: A gap that further programs may be solved to close.
UNPROVED = 1e-6


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
    unidentified
        The sets of variables that the data do not identify, as far as they matter.
    slack
        ε: the total amount by which the data had to be missed.
    programs
        Linear programs solved.
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

    @property
    def proved(self) -> bool:
        """Whether no tighter bounds hold: some model attains them."""
        gap = max(self.lower.value - self.lower.bound, self.upper.bound - self.upper.value)
        return self.exact and gap < UNPROVED


def solve(program: EffectProgram, *, exact: bool = True) -> Solution:
    """Find the range of a path-specific counterfactual effect that a graph and a distribution allow.

    Parameters
    ----------
    exact
        Where a quick engine can only give a relaxation, whether to write the program out instead.
    """
    started = time.perf_counter()
    solution = _solved(program, exact)
    return replace(solution, seconds=time.perf_counter() - started)


def _solved(program: EffectProgram, exact: bool) -> Solution:
    if program.cells is not None:
        quick = _by_cells(program)
        if quick.exact or not exact:
            return quick
        written = formula(program.problem, relaxation="none", limits=program.limits)
        return _solved(written, exact)
    if program.individual is not None:
        return _by_induction(program)
    if program.kind == "number":
        value = program.value or 0.0
        end = Extreme(value, value, 0)
        return _solution(program, "number", (end, end), True)
    if program.form is not None:
        return _several(program, program.form)
    return _one_block(program)


def _solution(program: EffectProgram, engine: Engine, ends: tuple[Extreme, Extreme], exact: bool) -> Solution:
    return Solution(
        engine,
        *ends,
        exact,
        program.problem.evidence_probability,
        program.reference_probability,
        program.unidentified,
        program.sizes,
        program.slack,
        ends[0].programs + ends[1].programs,
    )


def _by_cells(program: EffectProgram) -> Solution:
    if program.cells is None:
        raise AssertionError("not a program over cells")
    found = program.cells.solve()
    known = replace(program, reference_probability=found.reference_probability)
    return _solution(known, "cells", (found.lower, found.upper), found.exact)


def _by_induction(program: EffectProgram) -> Solution:
    if program.individual is None:
        raise AssertionError("not a program of one person")
    found = program.individual.solve()
    known = replace(program, reference_probability=found.reference_probability)
    return _solution(known, "induction", (found.lower, found.upper), True)


def _one_block(program: EffectProgram) -> Solution:
    (block,) = program.blocks
    cost = np.asarray(block.asked.todense()).reshape(-1)
    low, high = block.polytope.optimize(cost, "min"), block.polytope.optimize(cost, "max")
    if low is None or high is None:
        raise AssertionError("a program that was repaired has no solution")
    ends = (Extreme(low.value, low.bound, 1), Extreme(high.value, high.bound, 1))
    if program.kind == "joint":
        return _solution(program, "joint", ends, False)
    return _solution(program, "linear", ends, True)


def _several(program: EffectProgram, form: Form) -> Solution:
    functions = [np.asarray(block.asked.todense()) for block in program.blocks]
    polytopes = [block.polytope for block in program.blocks]
    found, largest = _corners(polytopes, functions)
    combinations = math.prod(len(each.points) for each in found if each is not None)
    if all(each is None or each.complete for each in found) and combinations <= MOST_COMBINATIONS:
        half = program.limits.seconds / 2
        stop = time.perf_counter() + half
        low = over_corners(form, polytopes, functions, found, largest, "min", seconds=half)
        left = stop - time.perf_counter()
        high = low and over_corners(form, polytopes, functions, found, largest, "max", seconds=left)
        if low is not None and high is not None:
            return _solution(program, "corners", (low, high), True)
        program = replace(program, limits=replace(program.limits, seconds=half))
    return _bracketed(program, form, functions, found, largest)


def _bracketed(
    program: EffectProgram,
    form: Form,
    functions: Sequence[FloatArray],
    found: Sequence[Corners | None],
    largest: int,
) -> Solution:
    """Where corners are too many: what some model attains, and what none passes, as close as time allows."""
    started = time.perf_counter()
    polytopes = [block.polytope for block in program.blocks]
    share = program.limits.seconds / 8
    low, high = (climb(form, polytopes, functions, sense, seconds=share) for sense in ("min", "max"))
    bounds = (-1.0, 1.0)
    try:
        joint = _one_block(_jointly(program))
        bounds = (joint.lower.bound, joint.upper.bound)
    except TooLargeError:
        pass
    if max(low - bounds[0], bounds[1] - high) < UNPROVED:
        return _solution(program, "joint", (Extreme(low, bounds[0], 1), Extreme(high, bounds[1], 1)), True)
    left = program.limits.seconds - (time.perf_counter() - started)
    branched = branch(form, polytopes, functions, found, largest, (low, high), seconds=max(left, 0.0))
    if branched is None:
        return _solution(program, "joint", (Extreme(low, bounds[0], 1), Extreme(high, bounds[1], 1)), True)
    lower, upper = branched
    ends = (
        Extreme(lower.value, max(lower.bound, bounds[0]), lower.programs),
        Extreme(upper.value, min(upper.bound, bounds[1]), upper.programs),
    )
    return _solution(program, "branch", ends, True)


def _jointly(program: EffectProgram) -> EffectProgram:
    if program.effect is None:
        raise AssertionError("the effect was not written out")
    return jointly(
        program.problem, program.effect, program.used, program.limits, program.reference_probability
    )


def _corners(
    polytopes: Sequence[Polytope], functions: Sequence[FloatArray]
) -> tuple[list[Corners | None], int]:
    """Find the corners of all blocks but the one with most columns."""
    largest = int(np.argmax([function.shape[1] for function in functions]))
    found: list[Corners | None] = [
        None if place == largest else corners(polytopes[place], function)
        for place, function in enumerate(functions)
    ]
    return found, largest


__all__ = ["Engine", "Problem", "Solution", "solve"]
