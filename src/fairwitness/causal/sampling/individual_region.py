"""One person fully observed, nothing confounded: backward induction over frequencies in intervals.

As :mod:`fairwitness.causal.solver.induction`, with the least and the most that each frequency may be: a
person whose answer in the observed row has probability ``q`` gives answer ``a`` in another row with a
probability of ``min(P(a | row) / q, 1)`` at most, so with intervals of ``min(upper / lower, 1)``. Intervals
are those of Clopper and Pearson, all at once by Bonferroni's inequality.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fairwitness.causal.sampling.region import counted
from fairwitness.causal.sampling.tails import Tosses, limits
from fairwitness.causal.solver.induction import Individual

if TYPE_CHECKING:
    from fairwitness.causal.solver.expression import Coded
    from fairwitness.causal.solver.factors import Model
    from fairwitness.causal.solver.problem import Problem
    from fairwitness.typing import FloatArray

#: Most values of the mediators together that are gone through.
MOST_STATES = 2**18

_Limits = Mapping[str, tuple["FloatArray", "FloatArray"]]


class _Copy(NamedTuple):
    """One imagined copy, and what is known of its parents: a code, or which other copy it is."""

    number: int
    variable: str
    sources: tuple[int, ...]


def interval_by_induction(problem: Problem, model: Model, error: float) -> tuple[float, float] | None:
    """Give an interval with error probability ``error``; ``None`` if the question is another one.

    Parameters
    ----------
    problem
        With a model under which everything occurs.
    model
        With the counts.
    """
    if Individual.of(problem) is None or (model.kernel is not None and model.kernel.rows is not None):
        return None
    n_factual = len(problem.query.factual().copies)
    worlds = [_copies(coded, n_factual) for coded in (problem.active, problem.reference)]
    free = {copy.variable for world in worlds for copy in world}
    if math.prod(problem.model.cardinality(name) for name in free) > MOST_STATES:
        return None
    known = _limits(problem, model, worlds, error)
    ends = [
        [_extreme(problem, world, target, known, sign) for sign in (-1.0, 1.0)]
        for world, target in zip(worlds, problem.targets, strict=True)
    ]
    (active_low, active_high), (reference_low, reference_high) = ends
    return active_low - reference_high, active_high - reference_low


def _copies(coded: Coded, n_factual: int) -> list[_Copy]:
    return [
        _Copy(number, coded.variables[number], coded.sources[number])
        for number in range(n_factual, len(coded))
    ]


def _limits(problem: Problem, model: Model, worlds: Sequence[Sequence[_Copy]], error: float) -> _Limits:
    """Give the least and the most of P(variable | parents), where it matters; parents' axes come first."""
    graph = problem.model.graph
    seen = problem.model.distribution.evidence(problem.query.given)
    needed: dict[str, np.ndarray] = {}
    for world in worlds:
        for copy in world:
            parents = graph.parents(copy.variable)
            shape = [problem.model.cardinality(name) for name in parents]
            rows = needed.setdefault(copy.variable, np.zeros(shape, dtype=bool))
            rows[tuple(slice(None) if source >= 0 else -1 - source for source in copy.sources)] = True
            if copy.variable in seen:
                rows[tuple(seen[name] for name in parents)] = True
    sizes = {name: problem.model.cardinality(name) for name in needed}
    chances = {name: rows.sum() * (1 if sizes[name] == 2 else sizes[name]) for name, rows in needed.items()}
    kernel = model.kernel
    if kernel is not None:
        chances[kernel.outcome] = 0
    total = sum(chances.values())
    found: dict[str, tuple[FloatArray, FloatArray]] = {}
    for name, rows in needed.items():
        if kernel is not None and name == kernel.outcome:
            unknown = np.isnan(kernel.table)
            found[name] = (np.where(unknown, 0.0, kernel.table), np.where(unknown, 1.0, kernel.table))
            continue
        counts = counted(model, (*graph.parents(name), name))
        n = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)
        occurring = int((rows & (n[..., 0] > 0)).sum())
        # which rows occur is known before the variable is looked at
        tail = error * int(rows.sum()) / total / max(occurring, 1) / 2
        low, high = limits(Tosses.of(counts.ravel(), n.ravel()), math.log(tail))
        found[name] = (low.reshape(counts.shape), high.reshape(counts.shape))
    return found


def _extreme(problem: Problem, world: Sequence[_Copy], target: int, known: _Limits, sign: float) -> float:
    """Give the largest (or smallest) probability of the outcome in one world."""
    if target < 0:
        return float(-1 - target == problem.outcome)
    names: tuple[int, ...] = (target,)
    gain: FloatArray = np.zeros(problem.model.cardinality(problem.query.outcome))
    gain[problem.outcome] = sign
    for copy in reversed(world):
        if copy.number not in names:
            continue
        above = tuple(source for source in copy.sources if source >= 0)
        rest = tuple(dict.fromkeys((*above, *(name for name in names if name != copy.number))))
        order = (*rest, copy.number)
        low, high = (_spread(table, (*above, copy.number), order) for table in _shares(problem, copy, known))
        gain = _filled(_spread(gain, names, order), low, high)
        names = rest
    return float(sign * gain)


def _shares(problem: Problem, copy: _Copy, known: _Limits) -> tuple[FloatArray, FloatArray]:
    """Give the least and the most this person may give each answer, by the values of the copy's parents."""
    index = tuple(slice(None) if source >= 0 else -1 - source for source in copy.sources)
    low, high = (table[index] for table in known[copy.variable])
    seen = problem.model.distribution.evidence(problem.query.given)
    if copy.variable not in seen:
        return low, high
    parents = problem.model.graph.parents(copy.variable)
    answer = seen[copy.variable]
    share = float(known[copy.variable][0][(*(seen[name] for name in parents), answer)])
    high = np.minimum(high / share, 1.0) if share > 0 else np.ones_like(high)
    low = np.zeros_like(high)
    pairs = list(zip(parents, copy.sources, strict=True))
    if all(source >= 0 or -1 - source == seen[name] for name, source in pairs):
        # in the observed row the answer is the observed one
        row = tuple(seen[name] for name, source in pairs if source >= 0)
        low[row], high[row] = 0.0, 0.0
        low[(*row, answer)] = high[(*row, answer)] = 1.0
    return low, high


def _spread(table: FloatArray, names: tuple[int, ...], order: tuple[int, ...]) -> FloatArray:
    moved = np.transpose(table, [names.index(name) for name in order if name in names])
    return moved[tuple(slice(None) if name in names else None for name in order)]


def _filled(gains: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Distribute one unit over the last axis between ``low`` and ``high``, the best first."""
    gains, low, high = np.broadcast_arrays(gains, low, high)
    order = np.argsort(-gains, axis=-1, kind="stable")
    gains, low, high = (np.take_along_axis(each, order, axis=-1) for each in (gains, low, high))
    left = 1.0 - low.sum(axis=-1, keepdims=True)
    room = high - low
    before = np.cumsum(room, axis=-1) - room
    taken = low + np.clip(np.minimum(room, left - before), 0.0, None)
    return np.asarray((taken * gains).sum(axis=-1))
