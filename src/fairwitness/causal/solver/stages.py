"""From a question to its program, before anything is solved: the second of three stages.

A question (:func:`fairwitness.causal.bounds.prepare`) is a model and a nested counterfactual. Its program
says what has to be optimised over what, and which engine that calls for.
:func:`fairwitness.causal.solver.solve.solve` then solves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairwitness.arguments import shown
from fairwitness.causal.solver.cells import CellSearch
from fairwitness.causal.solver.diagram import Payload
from fairwitness.causal.solver.expression import Event, Polynomial, TooLargeError, difference, expand
from fairwitness.causal.solver.induction import Individual
from fairwitness.causal.solver.multilinear import Form
from fairwitness.causal.solver.problem import Limits, Problem
from fairwitness.causal.solver.program import BlockProgram, BlockSize, block_program
from fairwitness.errors import ConfigError
from fairwitness.text import listing, plain

#: What the structure of a question calls for; :mod:`fairwitness.causal.solver.solve` says how each is solved.
Kind = Literal["number", "cells", "induction", "linear", "several", "joint"]
Relaxation = Literal["none", "joint", "confounded"]


@dataclass(frozen=True, eq=False)
class EffectProgram:
    """What has to be optimised.

    Attributes
    ----------
    kind
        What the structure calls for.
    value
        The effect, where nothing is unidentified.
    cells, individual
        The special structures, where they apply.
    blocks
        One program for each unidentified block (or one for all, if ``joint``).
    form
        How several blocks' answers are multiplied and summed.
    used
        Numbers of the unidentified blocks in ``problem.blocks``.
    effect
        The effect as a polynomial in the events of the blocks.
    reference_probability
        P(y_{s0} | o), if the data identify it.
    """

    problem: Problem
    limits: Limits
    kind: Kind
    value: float | None = None
    cells: CellSearch | None = None
    individual: Individual | None = None
    blocks: tuple[BlockProgram, ...] = ()
    form: Form | None = None
    used: tuple[int, ...] = ()
    effect: Polynomial | None = None
    reference_probability: float | None = None

    @property
    def unidentified(self) -> tuple[tuple[str, ...], ...]:
        """The sets of variables that the data do not identify, as far as they matter."""
        if self.cells is not None:
            return (self.cells.members,)
        if self.individual is not None:
            return self.individual.members
        return tuple(self.problem.blocks[number] for number in self.used)

    @property
    def sizes(self) -> tuple[BlockSize, ...]:
        """How large each block's program is."""
        return tuple(block.size for block in self.blocks)

    @property
    def slack(self) -> float:
        """The total amount by which the data's probabilities have to be missed."""
        return max((block.slack for block in self.blocks), default=0.0)

    def __str__(self) -> str:
        lines = [str(self.problem.query)]
        if self.kind == "number":
            lines.append("the data identify it")
        else:
            names = [f"{{{', '.join(map(plain, block))}}}" for block in self.unidentified]
            lines.append(f"not identified: {listing(names)}")
        lines += [str(size) for size in self.sizes]
        return "\n".join(lines)


def make_program(
    problem: Problem, *, relaxation: Relaxation = "none", limits: Limits | None = None
) -> EffectProgram:
    """Find out what a question asks of the data and of what they leave open.

    Raises
    ------
    TooLargeError
        If a block's program has more columns than allowed.
    ConfigError
        If the limits are none.
    DataError
        If nobody is like the evidence.
    """
    if limits is not None and not isinstance(limits, Limits):
        raise ConfigError(
            "limits must say when to give up", got=shown(limits), fix="pass for example Limits(seconds=10)"
        )
    limits = limits or Limits()
    problem.check_evidence()
    if problem.query.is_null:
        return EffectProgram(problem, limits, "number", value=0.0)
    if relaxation != "joint":
        cells = CellSearch.of(problem)
        if cells is not None:
            return EffectProgram(problem, limits, "cells", cells=cells)
        individual = Individual.of(problem)
        if individual is not None and individual.exact:
            return EffectProgram(problem, limits, "induction", individual=individual)
    return formula(problem, relaxation=relaxation, limits=limits)


def formula(problem: Problem, *, relaxation: Relaxation, limits: Limits) -> EffectProgram:
    """Write the effect out as a polynomial, and build the programs of the blocks that it leaves open."""
    evidence = problem.evidence_probability
    reference = expand(problem.reference, problem.model, problem.blocks, problem.entries)
    active = expand(problem.active, problem.model, problem.blocks, problem.entries)
    nothing: tuple[Event, ...] = ((),) * len(problem.blocks)
    known = None if reference.keys() - {nothing} else reference.get(nothing, 0.0) / evidence
    effect = {key: weight / evidence for key, weight in difference(active, reference).items()}
    used = tuple(b for b in range(len(problem.blocks)) if any(key[b] for key in effect))
    if not used:
        value = effect.get(nothing, 0.0)
        return EffectProgram(problem, limits, "number", value=value, reference_probability=known)
    if len(used) == 1:
        asked: dict[Event, Payload] = {key[used[0]]: ((0, weight),) for key, weight in effect.items()}
        block = _block(problem, problem.blocks[used[0]], asked, 1, limits)
        return EffectProgram(
            problem, limits, "linear", blocks=(block,), used=used, effect=effect, reference_probability=known
        )
    if relaxation == "joint":
        return jointly(problem, effect, used, limits, known)
    form = Form.of(effect, used)
    try:
        blocks = tuple(
            _block(
                problem,
                problem.blocks[number],
                {event: ((asked_for, 1.0),) for asked_for, event in enumerate(form.events[place])},
                len(form.events[place]),
                limits,
            )
            for place, number in enumerate(used)
        )
    except TooLargeError:
        # answering jointly they need not be told apart event by event: often much smaller, and always valid
        return jointly(problem, effect, used, limits, known)
    return EffectProgram(
        problem,
        limits,
        "several",
        blocks=blocks,
        form=form,
        used=used,
        effect=effect,
        reference_probability=known,
    )


def jointly(
    problem: Problem, effect: Polynomial, used: tuple[int, ...], limits: Limits, known: float | None
) -> EffectProgram:
    """Let the blocks answer jointly: one linear program that contains every product of their answers."""
    members = tuple(name for number in used for name in problem.blocks[number])
    asked: dict[Event, float] = {}
    for key, weight in effect.items():
        event = tuple(sorted(step for number in used for step in key[number]))
        asked[event] = asked.get(event, 0.0) + weight
    objective: dict[Event, Payload] = {event: ((0, weight),) for event, weight in asked.items()}
    block = _block(problem, members, objective, 1, limits)
    return EffectProgram(
        problem, limits, "joint", blocks=(block,), used=used, effect=effect, reference_probability=known
    )


def _block(
    problem: Problem, members: Sequence[str], asked: dict[Event, Payload], n_asked: int, limits: Limits
) -> BlockProgram:
    return block_program(problem.model, members, problem.entries, asked, n_asked, most_columns=limits.columns)
