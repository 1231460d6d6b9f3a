"""A probability of imagined worlds as a product of conditional distributions, before any number is put in.

:mod:`fairwitness.causal.solver.expression` puts the data's numbers in at once. Here the conditional
distributions stay what they are, so that they may be uncertain: a factor is one row of one variable's
distribution given its Markov pillow, or, for variables whose response functions the data do not identify, an
answer of theirs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.graph.separation import separated
from fairwitness.causal.solver.expression import Coded
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.problem import Problem

#: The name of something whose values are summed over, or a value's code.
Ref: TypeAlias = str | int


@dataclass(frozen=True, slots=True)
class Conditional:
    """P(variable = own | given = row): frequencies that can be counted."""

    variable: str
    given: tuple[str, ...]
    row: tuple[Ref, ...]
    own: Ref

    @property
    def names(self) -> tuple[str, ...]:
        """What is summed over in it."""
        return _names((*self.row, self.own))

    @property
    def condition(self) -> dict[str, Ref]:
        """What each variable of the condition is."""
        return dict(zip(self.given, self.row, strict=True))


@dataclass(frozen=True, slots=True)
class Answer:
    """P(each variable would take its value, were its parents as stated), for variables of one block.

    Attributes
    ----------
    steps
        Variable, its parents' values in the graph's order, its own value.
    """

    block: int
    steps: tuple[tuple[str, tuple[Ref, ...], Ref], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What is summed over in it."""
        return _names(ref for _, row, own in self.steps for ref in (*row, own))


Factor: TypeAlias = Conditional | Answer


@dataclass(frozen=True, eq=False)
class Formula:
    """A sum over ``sizes`` of a product of factors; causes come before effects in ``sizes``.

    Attributes
    ----------
    impossible
        Whether it is 0, since what is asked contradicts what is fixed.
    """

    factors: tuple[Factor, ...]
    sizes: Mapping[str, int]
    impossible: bool = False


@dataclass(frozen=True, eq=False)
class Effect:
    """``(active − reference) / evidence``, without what is the same in all three.

    Attributes
    ----------
    open_blocks
        Blocks that are not one world in at least one of the three.
    n_factual
        Names of copies below this number are of the world as it was observed, the same in all three.
    """

    active: Formula
    reference: Formula
    evidence: Formula
    open_blocks: tuple[int, ...]
    n_factual: int

    @property
    def formulas(self) -> tuple[Formula, Formula, Formula]:
        """All three."""
        return (self.active, self.reference, self.evidence)


def effect(problem: Problem, *, whole: str | None = None) -> Effect:
    """Write a question as formulas. Nothing of the data but the levels of variables is looked at.

    Parameters
    ----------
    whole
        A variable whose distribution given its pillow is to stay as it is, since it is known.
    """
    factual = Coded.read(problem.query.factual(), problem.model, None)
    worlds = (problem.active, problem.reference, factual)
    read = [_Reading(problem, coded) for coded in worlds]
    open_blocks = sorted({block for each in read for block in each.open_blocks()})
    # Blocks that are one world in one of the three are identified there. Where they are part of the evidence,
    # though, numerator and denominator should speak of them in the same way.
    for known in ([each.open_blocks() for each in read], [open_blocks] * 3):
        raw = _reduced([each.formula(blocks) for each, blocks in zip(read, known, strict=True)])
        active, reference, evidence = _reduced([_merged(each, problem.model.graph, whole) for each in raw])
        if not evidence.factors:
            break
    return Effect(active, reference, evidence, tuple(open_blocks), len(factual))


@dataclass(eq=False)
class _Reading:
    """One probability's copies, sorted into factors."""

    problem: Problem
    coded: Coded
    worlds: dict[int, dict[str, int] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for block, members in enumerate(self.problem.blocks):
            copies = self._copies(members)
            if copies:
                self.worlds[block] = self._one_world(members, copies)

    def _copies(self, members: Iterable[str]) -> list[int]:
        inside = set(members)
        return [copy for copy, variable in enumerate(self.coded.variables) if variable in inside]

    def _one_world(self, members: Sequence[str], copies: Sequence[int]) -> dict[str, int] | None:
        """Give variable → copy or fixed value, or ``None`` if the copies disagree on one."""
        coded, graph = self.coded, self.problem.model.graph
        found: dict[str, int] = {}
        for copy in copies:
            if coded.variables[copy] in found:
                return None
            found[coded.variables[copy]] = copy
        for copy in copies:
            for parent, source in zip(graph.parents(coded.variables[copy]), coded.sources[copy], strict=True):
                if parent not in found:
                    if parent in members:
                        return None
                    found[parent] = source
                    continue
                known = found[parent]
                # an observed copy is a fixed value for its children
                seen = -1 - coded.known[known] if known in coded.known else known
                if source not in (known, seen):
                    return None
        inside = set(members)
        asked = [variable for variable in members if variable in found]
        for member in self._needed(members, asked):
            if any(name not in found and name not in inside for name in self.problem.model.pillow(member)):
                return None  # a parent of a mate nobody asks about: its value would have to be chosen
        return found

    def _needed(self, members: Sequence[str], asked: Sequence[str]) -> list[str]:
        """Give the members up to the last that is asked about, in the graph's order."""
        place = self.problem.model.place
        last = max(place[name] for name in asked)
        return sorted((name for name in members if place[name] <= last), key=place.__getitem__)

    def open_blocks(self) -> list[int]:
        """Give the blocks that are not one world."""
        return [block for block, world in self.worlds.items() if world is None]

    def _ref(self, source: int) -> Ref:
        if source < 0:
            return -1 - source
        return self.coded.known[source] if source in self.coded.known else str(source)

    def formula(self, open_blocks: Sequence[int]) -> Formula:
        """Write the product."""
        factors: list[Factor] = []
        private: dict[str, str] = {}
        for block, world in self.worlds.items():
            members = self.problem.blocks[block]
            if block in open_blocks or world is None:
                factors.append(self._answer(block, members))
                continue
            for member in self._needed(members, [name for name in members if name in world]):
                if member not in world:
                    private[f"{block}:{member}"] = member

                def ref(name: str, block: int = block, world: Mapping[str, int] = world) -> Ref:
                    return self._ref(world[name]) if name in world else f"{block}:{name}"

                pillow = self.problem.model.pillow(member)
                factors.append(Conditional(member, pillow, tuple(map(ref, pillow)), ref(member)))
        return Formula(tuple(factors), self._sizes(factors, private), self.coded.impossible)

    def _answer(self, block: int, members: Sequence[str]) -> Answer:
        return Answer(
            block,
            tuple(
                (
                    self.coded.variables[copy],
                    tuple(self._ref(source) for source in self.coded.sources[copy]),
                    self._ref(copy),
                )
                for copy in self._copies(members)
            ),
        )

    def _sizes(self, factors: Sequence[Factor], private: Mapping[str, str]) -> dict[str, int]:
        model = self.problem.model
        variables = {
            name: private.get(name) or self.coded.variables[int(name)] for name in _all_names(factors)
        }
        ordered = sorted(
            variables,
            key=lambda name: (model.place[variables[name]], -1 if name in private else int(name)),
        )
        return {name: model.cardinality(variables[name]) for name in ordered}


def _names(refs: Iterable[Ref]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ref for ref in refs if isinstance(ref, str)))


def _all_names(factors: Iterable[Factor]) -> list[str]:
    return list(dict.fromkeys(name for factor in factors for name in factor.names))


def _reduced(formulas: Sequence[Formula]) -> list[Formula]:
    """Leave out distributions that sum to 1, and parts that are the same in all formulas."""
    plain = [_without_barren(formula) for formula in formulas]
    parts = [_parts(formula) for formula in plain]
    possible = [each for each, formula in zip(parts, plain, strict=True) if not formula.impossible]
    shared = set.intersection(*possible)
    reduced = []
    for formula, each in zip(plain, parts, strict=True):
        kept = {factor for part in each - shared for factor in part}
        factors = tuple(factor for factor in formula.factors if factor in kept)
        names = set(_all_names(factors))
        sizes = {name: size for name, size in formula.sizes.items() if name in names}
        reduced.append(Formula(factors, sizes, formula.impossible))
    return reduced


def _without_barren(formula: Formula) -> Formula:
    factors = list(formula.factors)
    while True:
        uses: dict[str, int] = {}
        for factor in factors:
            for name in factor.names:
                uses[name] = uses.get(name, 0) + 1
        kept = [
            factor
            for factor in factors
            if not (isinstance(factor, Conditional) and isinstance(factor.own, str) and uses[factor.own] == 1)
        ]
        if len(kept) == len(factors):
            names = set(_all_names(kept))
            sizes = {name: size for name, size in formula.sizes.items() if name in names}
            return Formula(tuple(kept), sizes, formula.impossible)
        factors = kept


def _merged(formula: Formula, graph: CausalGraph, whole: str | None) -> Formula:
    """Sum out what the data sum out by themselves: ``Σ_w P(w | a) P(y | w, b) = P(y | a, b)``.

    That holds where w is independent of the rest of b given a, and y of the rest of a given w and b. There
    are fewer frequencies then, each of more rows, and fewer products.
    """
    factors = list(formula.factors)
    changed = True
    while changed:
        changed = False
        for name in reversed(list(formula.sizes)):
            users = [factor for factor in factors if name in factor.names]
            if len(users) != 2 or not all(isinstance(user, Conditional) for user in users):
                continue
            inner = next((each for each in users if isinstance(each, Conditional) and each.own == name), None)
            outer = next((each for each in users if isinstance(each, Conditional) and each.own != name), None)
            if inner is None or outer is None or whole in (inner.variable, outer.variable):
                continue
            found = _sum_of(inner, outer, formula.sizes, graph)
            if found is not None:
                factors = [found if each is outer else each for each in factors if each is not inner]
                changed = True
    names = set(_all_names(factors))
    sizes = {name: size for name, size in formula.sizes.items() if name in names}
    return Formula(tuple(factors), sizes, formula.impossible)


def _sum_of(
    inner: Conditional, outer: Conditional, sizes: Mapping[str, int], graph: CausalGraph
) -> Conditional | None:
    """Give the distribution that summing ``inner`` out of ``outer`` leaves, if it is one."""
    y, w = outer.variable, inner.variable
    beside = outer.condition
    if beside.pop(w, None) != inner.own or inner.own in beside.values() or w == y:
        return None
    above = inner.condition
    if y in above or any(beside.get(name, ref) != ref for name, ref in above.items()):
        return None
    both = {**above, **beside}
    extra_w, extra_y = set(both) - set(above), set(both) - set(beside)
    if extra_w and not separated(graph, {w}, extra_w, set(above)):
        return None
    if extra_y and not separated(graph, {y}, extra_y, {*beside, w}):
        return None
    for name in list(both):
        rest = set(both) - {name}
        if separated(graph, {y}, {name}, rest):
            del both[name]
    merged = Conditional(y, tuple(both), tuple(both.values()), outer.own)
    before = _n_rows(inner, sizes) + _n_rows(outer, sizes)
    return merged if _n_rows(merged, sizes) <= before else None


def _n_rows(factor: Conditional, sizes: Mapping[str, int]) -> int:
    return math.prod(sizes[name] for name in _names(factor.row))


def _parts(formula: Formula) -> set[frozenset[Factor]]:
    """Give the factors that hang together by what is summed over."""
    parts: list[tuple[set[str], set[Factor]]] = []
    for factor in formula.factors:
        names, members = set(factor.names), {factor}
        apart = []
        for other_names, other in parts:
            if names & other_names:
                names |= other_names
                members |= other
            else:
                apart.append((other_names, other))
        parts = [*apart, (names, members)]
    return {frozenset(members) for _, members in parts}


def assignments(names: Sequence[str], sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Give all combinations of values."""
    for values in itertools.product(*(range(sizes[name]) for name in names)):
        yield dict(zip(names, values, strict=True))


def valued(refs: Sequence[Ref], values: Mapping[str, int]) -> tuple[int, ...]:
    """Put values in for names."""
    return tuple(values[ref] if isinstance(ref, str) else ref for ref in refs)


def structural(model: Model) -> Model:
    """Give the model with a distribution under which everything occurs: what follows is the graph's alone."""
    cards = model.distribution.cards
    even = Distribution.from_table(model.distribution.variables, model.distribution.levels, np.ones(cards))
    return Model(model.graph, even)
