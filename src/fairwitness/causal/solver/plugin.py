"""Bounds in the table as it stands: a prepared question solved, before anything is said of sampling error."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.causal.solver.expression import TooLargeError, split
from fairwitness.causal.solver.formula import structural
from fairwitness.causal.solver.results import Certificate, EffectBounds
from fairwitness.causal.solver.solve import Solution, solve
from fairwitness.causal.solver.stages import EffectProgram, Relaxation
from fairwitness.text import listing, plain

if TYPE_CHECKING:
    from fairwitness.causal.solver.problem import Limits
    from fairwitness.causal.solver.question import Question


def plug_in(
    question: Question, *, relaxation: Relaxation = "none", limits: Limits | None = None
) -> EffectBounds:
    """Solve a prepared question; its ``interval`` is that of the bounds alone."""
    program = question.program(relaxation=relaxation, limits=limits)
    solution = solve(program, exact=relaxation != "confounded")
    if relaxation != "confounded" and not solution.proved:
        solution = _within(solution, question, limits)
    lower, upper = max(solution.lower.bound, -1.0), min(solution.upper.bound, 1.0)
    asked = program.problem
    # What is proved of the wider graph need not be the narrowest that holds of the one that was given.
    same = relaxation != "confounded" or asked.blocks == question.model.graph.components
    certificate = Certificate(
        solution.engine,
        solution.exact and same,
        solution.lower.bound,
        solution.upper.bound,
        solution.lower.value,
        solution.upper.value,
        solution.programs,
        solution.seconds,
    )
    return EffectBounds(
        lower,
        upper,
        (lower, upper),
        None,
        asked.query,
        certificate,
        solution.sizes,
        solution.unidentified,
        solution.evidence_probability,
        solution.reference_probability,
        solution.slack,
        question.model.distribution.n,
        (*question.notes, *_notes(program, solution)),
        asked.evidence_share,
        relaxation,
        question.model.kernel is not None,
    )


def _within(solution: Solution, question: Question, limits: Limits | None) -> Solution:
    """Keep what was not proved tight within what holds if everything is confounded: that is soon known."""
    # the table as the graph reads it: with its independences, which full confounding does not know of
    fitted = None if solution.slack else question.model.fitted()
    if fitted is None:
        return solution
    same = replace(question, model=replace(question.model, distribution=fitted))
    try:
        program = same.program(relaxation="confounded", limits=limits)
    except TooLargeError:
        return solution
    if program.form is not None:  # what a known predictor said of people is not soon known even then
        return solution
    wide = solve(program, exact=False)
    low = max(solution.lower.bound, wide.lower.bound)
    high = min(solution.upper.bound, wide.upper.bound)
    if solution.exact:
        low, high = min(low, solution.lower.value), max(high, solution.upper.value)
    # a point of a relaxation that lies beyond is drawn back
    return replace(
        solution,
        lower=replace(solution.lower, value=max(solution.lower.value, low), bound=low),
        upper=replace(solution.upper, value=min(solution.upper.value, high), bound=high),
    )


def _notes(program: EffectProgram, solution: Solution) -> list[str]:
    said = []
    query = program.problem.query
    if query.paths.is_empty:
        said.append(
            f"the graph has no such path from {plain(query.treatment)} to {plain(query.outcome)}: the effect "
            "is 0 by assumption, whatever the table says"
        )
    if solution.slack:
        said.append(
            "no model with this graph gives the table exactly; its conditional probabilities were changed by "
            f"as little as possible, by ε = {solution.slack:.3g} in total; bounds under other assumptions "
            "need not contain these"
        )
    lacking = unseen(program)
    if lacking:
        names = listing([plain(name) for block in lacking for name in block])
        only = len(lacking) == len(program.used)
        said.append(
            f"the effect speaks of values that nobody in the table has, so how {names} would follow there is "
            f"not known; {'the graph alone would leave one value' if only else 'that widens the bounds'}"
        )
    return said


def unseen(program: EffectProgram) -> tuple[tuple[str, ...], ...]:
    """Give the blocks that the graph would identify, but the table lacks the people for."""
    problem = program.problem
    factor = problem.model.factor
    open_blocks = [each for each in program.used if np.isnan(factor(problem.blocks[each]).table).any()]
    if not open_blocks:
        return ()
    whole = structural(problem.model)
    by_graph = {
        number
        for coded in (problem.active, problem.reference)
        for number in split(coded, whole, problem.blocks).unidentified
    }
    return tuple(problem.blocks[number] for number in open_blocks if number not in by_graph)
