"""Several unidentified blocks: a function that is linear in each, over a product of polytopes.

The optimum lies at corners. All but the largest block are replaced by the corners of what they can answer,
and for each combination of these the largest block is a linear program. The result is exact.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairwitness.causal.solver.expression import Event, Polynomial
from fairwitness.causal.solver.linear import Polytope, Sense
from fairwitness.causal.solver.vertices import Corners
from fairwitness.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Form:
    """A multilinear function of the blocks' answers.

    Attributes
    ----------
    events
        For each block, the events asked for; the first is ``()``, which always happens.
    index
        (terms, blocks) which event of each block a term multiplies.
    weights
        (terms,) their weights.
    """

    events: tuple[tuple[Event, ...], ...]
    index: np.ndarray
    weights: FloatArray

    @classmethod
    def of(cls, polynomial: Polynomial, blocks: Sequence[int]) -> Form:
        """Read a polynomial; ``blocks`` are those that it asks anything of."""
        numbers: list[dict[Event, int]] = [{(): 0} for _ in blocks]
        index = np.zeros((len(polynomial), len(blocks)), dtype=np.int64)
        for row, key in enumerate(polynomial):
            for place, block in enumerate(blocks):
                index[row, place] = numbers[place].setdefault(key[block], len(numbers[place]))
        return cls(tuple(tuple(each) for each in numbers), index, np.array(list(polynomial.values())))

    def at(self, answers: Sequence[FloatArray]) -> float:
        """Give the value where every block's answers are given."""
        product = self.weights.copy()
        for place, answer in enumerate(answers):
            product = product * answer[self.index[:, place]]
        return float(product.sum())

    def linear(self, answers: Sequence[FloatArray | None]) -> FloatArray:
        """Give the weights of the answers of the one block that is ``None``, the others given."""
        product = self.weights.copy()
        free = 0
        for place, answer in enumerate(answers):
            if answer is None:
                free = place
            else:
                product = product * answer[self.index[:, place]]
        counted = np.bincount(self.index[:, free], weights=product, minlength=len(self.events[free]))
        return counted.astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False, slots=True)
class Extreme:
    """One end of the range: what was attained, and what cannot be passed."""

    value: float
    bound: float
    programs: int


def over_corners(
    form: Form,
    polytopes: Sequence[Polytope],
    functions: Sequence[FloatArray],
    found: Sequence[Corners | None],
    largest: int,
    sense: Sense,
    *,
    seconds: float = math.inf,
) -> Extreme | None:
    """Optimise over all combinations of the corners of all blocks but one, which is a linear program.

    Parameters
    ----------
    functions
        For each block, (events, columns): the probabilities of its events.
    found
        Corners of every block but ``largest``, all complete.

    Returns
    -------
    Extreme or None
        ``None`` if time is up before all were tried: then nothing is proved.
    """
    stop = time.perf_counter() + seconds
    best, bound, programs = -math.inf, -math.inf, 0
    sign = 1.0 if sense == "max" else -1.0
    choices = [
        [None] if place == largest else list(each.points) if each else [] for place, each in enumerate(found)
    ]
    solved: dict[bytes, tuple[float, float]] = {}
    for answers in itertools.product(*choices):
        weights = form.linear(answers)
        key = weights.tobytes()
        if key not in solved:
            if time.perf_counter() > stop:
                return None
            optimum = polytopes[largest].optimize(weights @ functions[largest], sense)
            if optimum is None:
                raise AssertionError("a block that was solved before has no solution")
            solved[key] = (optimum.value, optimum.bound)
            programs += 1
        value, safe = solved[key]
        best = max(best, sign * value)
        bound = max(bound, sign * safe)
    return Extreme(sign * best, sign * bound, programs)


def climb(
    form: Form,
    polytopes: Sequence[Polytope],
    functions: Sequence[FloatArray],
    sense: Sense,
    *,
    seconds: float,
    starts: int = 8,
) -> float:
    """Give a value that some model attains: from several starts, one block is optimised after the other."""
    stop = time.perf_counter() + seconds
    sign = 1.0 if sense == "max" else -1.0
    best = -math.inf
    for start in range(starts):
        answers = _start(polytopes, functions, start)
        value = -math.inf
        for _ in range(20):
            for place, polytope in enumerate(polytopes):
                others = [None if each == place else answer for each, answer in enumerate(answers)]
                optimum = polytope.optimize(form.linear(others) @ functions[place], sense)
                if optimum is None:
                    raise AssertionError("a block that was solved before has no solution")
                answers[place] = functions[place] @ optimum.x
            reached = sign * form.at(answers)
            done = reached <= value + 1e-12 or time.perf_counter() > stop
            value = max(value, reached)
            if done:
                break
        best = max(best, value)
        if time.perf_counter() > stop:
            break
    return sign * best


def _start(polytopes: Sequence[Polytope], functions: Sequence[FloatArray], start: int) -> list[FloatArray]:
    """Give a corner of every block, each start another one."""
    answers = []
    for place, (polytope, function) in enumerate(zip(polytopes, functions, strict=True)):
        # fixed directions: the answer must not depend on a seed
        direction = np.cos((start + 1) * (place + 1) * np.arange(1, len(function) + 1))
        optimum = polytope.optimize(direction @ function, "max")
        if optimum is None:
            raise AssertionError("a block that was solved before has no solution")
        answers.append(function @ optimum.x)
    return answers
