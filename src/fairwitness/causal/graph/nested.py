"""The nested counterfactual: which copies of which variables have to be imagined, and how they read.

Source: Wu, Zhang, Wu and Tong, "PC-Fairness" (NeurIPS 2019), Definitions 5 and 6. The copies follow path
suffixes, so every path set has a meaning, also where the paper's rule for edges is ambiguous.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from fairwitness.arguments import shown
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.graph.paths import PathSet, State
from fairwitness.errors import ConfigError
from fairwitness.text import plain
from fairwitness.typing import Document


class Fixed(NamedTuple):
    """A variable held at a value: by the intervention, or because it was observed."""

    variable: str
    value: object


class Copy(NamedTuple):
    """One variable in one imagined world: its parents there are fixed values or other copies."""

    variable: str
    parents: tuple[Source, ...]


#: What feeds a copy: a fixed value, or the number of another copy.
Source: TypeAlias = "Fixed | int"


@dataclass(slots=True)
class Worlds:
    """The copies that one probability speaks of; equal copies are kept once.

    Attributes
    ----------
    copies
        In an order in which parents come first.
    observed
        Number of a copy → its observed value, for copies that belong to the evidence.
    target
        Number of the outcome's copy, or its fixed value.
    """

    copies: list[Copy] = field(default_factory=list)
    observed: dict[int, object] = field(default_factory=dict)
    target: Source | None = None
    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def add(self, variable: str, parents: tuple[Source, ...]) -> Source:
        """Give the copy with these parents: new, an equal one, or its value if that was observed."""
        key = (variable, *(("=", repr(p.value)) if isinstance(p, Fixed) else p for p in parents))
        number = self._numbers.get(key)
        if number is None:
            number = len(self.copies)
            self._numbers[key] = number
            self.copies.append(Copy(variable, parents))
        return Fixed(variable, self.observed[number]) if number in self.observed else number


@dataclass(frozen=True, slots=True)
class NestedCounterfactual:
    """A path-specific counterfactual effect, before anything is known about data.

    ``PCE_π(s1, s0 | o) = P(y_{s1|π, s0|π̄} | o) − P(y_{s0} | o)`` (Definition 5): how much more probable the
    outcome would be, among people like ``o``, had the treatment been ``active`` along ``paths`` and
    ``reference`` along all others, than had it been ``reference`` along all. From −1 to 1; 0 is no effect.
    """

    paths: PathSet
    outcome_value: object
    active: object
    reference: object
    given: Mapping[str, object]

    def __post_init__(self) -> None:
        if not isinstance(self.paths, PathSet):
            raise ConfigError(
                "a nested counterfactual needs a set of paths",
                got=shown(self.paths),
                fix="pass path_set(graph, treatment, outcome, paths)",
            )
        if not isinstance(self.given, Mapping):
            raise ConfigError(
                "the evidence must map variables to values",
                got=shown(self.given),
                fix='pass given={"dept": "A"}, or {} for everyone',
            )
        self.graph.check(*self.given)

    @property
    def graph(self) -> CausalGraph:
        """The causal graph."""
        return self.paths.graph

    @property
    def treatment(self) -> str:
        """The variable that is changed."""
        return self.paths.treatment

    @property
    def outcome(self) -> str:
        """The variable whose probability is compared."""
        return self.paths.outcome

    @property
    def is_null(self) -> bool:
        """Whether both probabilities are of the same thing, so that the effect is 0 by definition."""
        return self.active == self.reference or self.paths.is_empty

    def factual(self) -> Worlds:
        """Give the copies that the evidence speaks of: the world as it was observed."""
        worlds = Worlds()
        graph = self.graph
        needed = graph.ancestors(*self.given) if self.given else frozenset()
        sources: dict[str, Source] = {}
        for variable in graph.nodes:
            if variable not in needed:
                continue
            source = worlds.add(variable, tuple(sources[parent] for parent in graph.parents(variable)))
            if variable in self.given and isinstance(source, int):
                worlds.observed[source] = self.given[variable]
                source = Fixed(variable, self.given[variable])
            sources[variable] = source
        return worlds

    def reference_worlds(self) -> Worlds:
        """Give the copies of ``P(y_{s0}, o)``."""
        return self._with("none")

    def active_worlds(self) -> Worlds:
        """Give the copies of ``P(y_{s1|π, s0|π̄}, o)``."""
        return self._with(self.paths.start())

    def _with(self, start: State) -> Worlds:
        worlds = self.factual()
        known: dict[tuple[str, State], Source] = {}

        def source(variable: str, state: State) -> Source:
            if variable == self.treatment:
                value = self.active if self.paths.is_active(state) else self.reference
                return Fixed(variable, value)
            key = (variable, state)
            if key not in known:
                parents = self.graph.parents(variable)
                known[key] = worlds.add(
                    variable, tuple(source(parent, self.paths.step(state, parent)) for parent in parents)
                )
            return known[key]

        worlds.target = source(self.outcome, start)
        return worlds

    def expanded(self, *, reference: bool = False) -> tuple[str, ...]:
        """Write the outcome's copy out: one line if short, else one line for each copy it rests on."""
        worlds = self.reference_worlds() if reference else self.active_worlds()
        target = worlds.target
        if not isinstance(target, int):
            return ("" if target is None else f"{plain(target.variable)} = {plain(target.value)}",)
        whole = _written(worlds, target, {})
        if len(whole) <= 100:
            return (whole,)
        names: dict[int, str] = {}
        lines = []
        for number in sorted(_below(worlds, target)):
            copy = worlds.copies[number]
            line = _written(worlds, number, names)
            alike = sum(worlds.copies[other].variable == copy.variable for other in names)
            names[number] = plain(copy.variable) + "′" * (alike + 1)
            lines.append(f"{names[number]} = {line}")
        return tuple(lines)

    def __str__(self) -> str:
        s, y = plain(self.treatment), plain(self.outcome)
        s1, s0, value = plain(self.active), plain(self.reference), plain(self.outcome_value)
        given = ", ".join(f"{plain(name)} = {plain(seen)}" for name, seen in self.given.items())
        bar = f" | {given}" if given else ""
        first = f"{s} ← {s1}" if self.paths.is_total else f"{s} ← {s1} | π, {s} ← {s0} | π̄"
        lines = [f"P({y}[{first}] = {value}{bar}) − P({y}[{s} ← {s0}] = {value}{bar})"]
        if not self.paths.is_total:
            lines.append(f"where π = {self.paths}")
        written = self.expanded()
        lines.append(f"and {y}[…] = {written[0]}" if len(written) == 1 else "and, with one name a copy,")
        if len(written) > 1:
            lines += [f"  {line}" for line in written]
        return "\n".join(lines)

    def to_dict(self) -> Document:
        """Give the question as plain values."""
        return {
            "treatment": self.treatment,
            "outcome": self.outcome,
            "outcome_value": _plain_value(self.outcome_value),
            "active": _plain_value(self.active),
            "reference": _plain_value(self.reference),
            "given": {name: _plain_value(value) for name, value in self.given.items()},
            "paths": self.paths.to_dict(),
            "paths_in_words": str(self.paths),
            "notation": str(self),
        }


def _plain_value(value: object) -> object:
    return value if isinstance(value, str | bool | int | float) or value is None else str(value)


def _below(worlds: Worlds, number: int) -> set[int]:
    seen: set[int] = set()
    waiting = [number]
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            waiting += [parent for parent in worlds.copies[each].parents if isinstance(parent, int)]
    return seen


def _written(worlds: Worlds, number: int, names: Mapping[int, str], most: int = 400) -> str:
    if number in names:
        return names[number]
    copy = worlds.copies[number]
    parts = []
    for parent in copy.parents:
        if isinstance(parent, Fixed):
            parts.append(f"{plain(parent.variable)} = {plain(parent.value)}")
        else:
            parts.append(_written(worlds, parent, names, most))
        if sum(map(len, parts)) > most:  # enough to know that it is too long for one line
            break
    return plain(copy.variable) + (f"({', '.join(parts)})" if parts else "")
