"""Intervals that contain the true effect with a stated probability, for every number of rows.

The true distribution lies in a simultaneous region with that probability
(:mod:`fairwitness.causal.sampling.region`). The interval is the range of the effect over all causal models
with the graph whose distribution lies in it, or a little wider: whenever the region contains the true
distribution, the interval contains the true effect.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from fairwitness.causal.sampling.cell_region import interval_by_cells
from fairwitness.causal.sampling.envelopes import Product, Quantity
from fairwitness.causal.sampling.individual_region import interval_by_induction
from fairwitness.causal.sampling.region import Coin, Region, confidence_region, counted
from fairwitness.causal.sampling.uncertain import Plan, Program, plan, program
from fairwitness.causal.solver.expression import TooLargeError
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.formula import effect, structural
from fairwitness.causal.solver.linear import Optimum, Polytope, Sense, SolverError
from fairwitness.causal.solver.problem import Problem
from fairwitness.stats.intervals import check_confidence
from fairwitness.typing import FloatArray

if TYPE_CHECKING:
    from fairwitness.causal.solver.question import Question

Engine = Literal["cells", "induction", "program", "confounded", "number"]
MIN: Sense = "min"
MAX: Sense = "max"
#: Most parts the region is cut into for each end.
MOST_PARTS = 60
#: Work after which an end is not looked for more closely: about half a second's. Work, not time, so that
#: equal questions get equal answers.
MOST_WORK = 150.0
#: Most steps of Dinkelbach's method, which rarely takes more than five.
MOST_STEPS = 60
#: Products missed by less than this are as good as met.
MET = 2e-4
#: Factors of products are looked at if their limits are farther apart than this.
WIDE = 0.02
#: What rounding in the linear programs may amount to.
ROUNDING = 1e-7


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """An interval for the true effect.

    Attributes
    ----------
    low, high
        The true effect is between them with probability ``confidence`` or more.
    engine
        ``"cells"``: everything is confounded, a few shares of cells matter; ``"induction"``: nothing is and
        one person is fully observed, frequencies in intervals; ``"program"``: linear programs over a
        simultaneous region; ``"confounded"``: that was too large, so that a hidden common cause of everything
        is admitted; ``"number"``: the effect is 0 by definition.
    n_uncertain
        Chances that are uncertain and matter to a program.
    programs
        Linear programs solved.
    contradicted
        Whether no distribution in the region agrees with the graph: then the interval is that of the plug-in
        bounds, and with a graph that is right this happens with probability 1 − ``confidence`` at most.
    """

    low: float
    high: float
    confidence: float
    engine: Engine
    n_uncertain: int = 0
    programs: int = 0
    contradicted: bool = False

    @property
    def notes(self) -> list[str]:
        """What the user should know of it."""
        if self.contradicted:
            return [
                "no distribution that the graph can give is within the sampling error (at "
                f"{self.confidence:.0%}): the interval is that of the bounds alone, and the graph is in doubt"
            ]
        if self.engine == "confounded":
            return [
                "the program over all distributions within the sampling error is too large: the interval "
                "admits a hidden common cause of everything"
            ]
        return []


def confidence_interval(
    question: Question, bounds: tuple[float, float], confidence: float = 0.95
) -> tuple[float, float]:
    """Give an interval that contains the true effect with probability ``confidence`` or more."""
    found = effect_interval(question, bounds, confidence)
    return found.low, found.high


def effect_interval(
    question: Question, bounds: tuple[float, float], confidence: float = 0.95
) -> ConfidenceInterval:
    """Find an interval for the true effect, and say what it rests on.

    Parameters
    ----------
    bounds
        The plug-in bounds, which the interval contains in any case.

    Raises
    ------
    ConfigError
        If the number of rows is not known.
    """
    level = check_confidence(confidence)
    counted(question.model, ())  # refuse tables without counts, whatever the question
    if question.query.is_null:
        return ConfidenceInterval(0.0, 0.0, level, "number")
    found = _quickly(question, 1.0 - level)
    if found is None:
        try:
            found = _by_program(question, bounds, level)
        except TooLargeError:
            found = _quickly(question.relaxed(), 1.0 - level) or _Found(-1.0, 1.0, "confounded")
            found = replace(found, engine="confounded")
    return ConfidenceInterval(
        max(min(bounds[0], found.low), -1.0),
        min(max(bounds[1], found.high), 1.0),
        level,
        found.engine,
        found.n_uncertain,
        found.programs,
        found.contradicted,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    low: float
    high: float
    engine: Engine
    n_uncertain: int = 0
    programs: int = 0
    contradicted: bool = False


def _quickly(question: Question, error: float) -> _Found | None:
    """Use that everything is confounded, or nothing and one person is fully observed."""
    model = question.model
    if model.kernel is not None and model.kernel.rows is not None:
        return None
    even = structural(model)
    problem = Problem(
        Model(even.graph, even.distribution, model.kernel), question.query, model.graph.components
    )
    ends = interval_by_cells(problem, model, error)
    if ends is not None:
        return _Found(*ends, "cells")
    ends = interval_by_induction(problem, model, error)
    return None if ends is None else _Found(*ends, "induction")


def _by_program(question: Question, bounds: tuple[float, float], level: float) -> _Found:
    """Optimise over all models in the region, or a little more."""
    even, kernel = structural(question.model), question.model.kernel
    problem = Problem(even, question.query, even.graph.components)
    made = plan(problem, effect(problem, whole=None if kernel is None else kernel.outcome))
    region = confidence_region(question.model, made.coins, level)
    search = _Search(made, region)
    low, high = search.extreme(MIN, bounds[0]), search.extreme(MAX, bounds[1])
    if low is None or high is None:
        return _Found(*bounds, "program", region.n_uncertain, search.programs, contradicted=True)
    return _Found(low, high, "program", region.n_uncertain, search.programs)


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of the region with what the relaxation says of it."""

    narrowed: Mapping[Hashable, tuple[float, float]]
    value: float
    x: np.ndarray
    products: Sequence[Product]


class _Search:
    """Branch and bound: the relaxation's end over the region, cut where products are missed most."""

    def __init__(self, made: Plan, region: Region, most_parts: int = MOST_PARTS) -> None:
        self.made = made
        self.region = region
        self.most_parts = most_parts
        self.programs = 0
        self.work = 0.0
        self.root = self._built({})
        self.first: dict[Hashable, tuple[float, float]] = {}
        if self.root is not None and self.root.products:
            self.first = self._ranges(self.root)
            self.root = self._built(self.first)

    def _built(self, narrowed: Mapping[Hashable, tuple[float, float]]) -> Program | None:
        made = program(self.made, self.region, narrowed)
        if made is not None:
            self.work += (made.polytope.n_rows + made.polytope.n_columns) / 250
        return made

    def _optimum(self, polytope: Polytope, cost: FloatArray, sense: Sense) -> Optimum | None:
        self.programs += 1
        self.work += ((polytope.n_rows + polytope.n_columns) / 1000) ** 1.5
        return polytope.optimize(cost, sense)

    def _ranges(self, root: Program) -> dict[Hashable, tuple[float, float]]:
        """Find what wide factors of products can be at all."""
        ranges: dict[Hashable, tuple[float, float]] = {}
        wide = {
            quantity.name: quantity
            for each in root.products
            for quantity in (each.first, each.second)
            if quantity.width > WIDE and not isinstance(quantity.name, Coin)
        }
        for name, quantity in wide.items():
            if self.work > MOST_WORK / 3:
                break
            cost = quantity.cost(root.polytope.n_columns)
            ends = [self._optimum(root.polytope, cost, sense) for sense in (MIN, MAX)]
            if ends[0] is None or ends[1] is None:
                return {}
            low, high = ends[0].bound + quantity.constant, ends[1].bound + quantity.constant
            low, high = max(low - ROUNDING, quantity.low), min(high + ROUNDING, quantity.high)
            if high - low < 0.95 * quantity.width:
                ranges[name] = (low, high)
        return ranges

    def extreme(self, sense: Sense, start: float) -> float | None:
        """Give what the effect cannot pass; ``None`` if the region is empty."""
        if self.root is None:
            return None
        sign = 1.0 if sense == MAX else -1.0
        first = self._solved(self.root, self.first, sense, start)
        if first is None:
            return None
        counter = itertools.count()
        queue = [(-sign * first.value, next(counter), first)]
        self.work = 0.0
        for _ in range(self.most_parts):
            part = queue[0][2]
            worst = max(part.products, key=lambda each: each.miss(part.x), default=None)
            if worst is None or worst.miss(part.x) < MET or self.work > MOST_WORK:
                break
            heapq.heappop(queue)
            name, cut, low, high = _where(worst, part.x)
            for ends in ((low, cut), (cut, high)):
                narrowed = {**part.narrowed, name: ends}
                built = self._built(narrowed)
                solved = None if built is None else self._solved(built, narrowed, sense, part.value)
                if solved is not None:
                    value = sign * min(sign * solved.value, sign * part.value)
                    kept = _Part(narrowed, value, solved.x, solved.products)
                    heapq.heappush(queue, (-sign * value, next(counter), kept))
            if not queue:
                return None
        return queue[0][2].value

    def _solved(
        self, built: Program, narrowed: Mapping[Hashable, tuple[float, float]], sense: Sense, start: float
    ) -> _Part | None:
        """Find the extreme ratio on a polytope (Dinkelbach 1967); ``None`` if it is empty."""
        sign = 1.0 if sense == MAX else -1.0
        above, below = built.numerator, built.denominator
        n = built.polytope.n_columns
        costs = above.cost(n), below.cost(n)
        ratio, over, x = start, 0.0, np.zeros(n)
        for _ in range(MOST_STEPS):
            try:
                optimum = self._optimum(built.polytope, costs[0] - ratio * costs[1], sense)
            except SolverError:  # then nothing better is known here than that the effect is one
                return _Part(narrowed, sign, x, ())
            if optimum is None:
                return None
            x = optimum.x
            constant = above.constant - ratio * below.constant
            mass, gain = below.at(x), sign * (optimum.value + constant)
            over = max(sign * (optimum.bound + constant), 0.0)
            if mass <= 0 or abs(gain) <= 1e-10 * max(mass, 1e-3):
                break
            ratio = above.at(x) / mass
        else:
            return _Part(narrowed, sign, x, ())
        value = ratio + sign * (over / max(below.low, 1e-3 * below.high) + ROUNDING)
        return _Part(narrowed, min(max(value, -1.0), 1.0), x, built.products)


def _where(product: Product, x: np.ndarray) -> tuple[Hashable, float, float, float]:
    """Choose a factor to narrow: a chance, else an event, else what is made of them; and where to cut."""

    def rank(quantity: Quantity) -> tuple[int, float]:
        name = quantity.name
        kind = (
            2 if isinstance(name, Coin) else 0 if isinstance(name, tuple) and isinstance(name[0], str) else 1
        )
        return kind, quantity.width

    chosen = max((product.first, product.second), key=rank)
    low, high = chosen.low, chosen.high
    cut = min(max(chosen.at(x), low + 0.25 * (high - low)), high - 0.25 * (high - low))
    return chosen.name, cut, low, high
