"""What the data say about each set of confounded variables: Tian's c-factors, and where they say nothing.

The observed distribution factorises over the c-components ``C`` of the graph: ``P(v) = ∏_C Q[C](c; e)``,
where ``e`` are the values of the parents outside ``C`` and ``Q[C](c; e) = ∏ P(v_i | what precedes v_i and
matters to it)`` (Tian and Pearl, "A general identification condition for causal effects", 2002). A condition
that never occurs leaves its conditional distribution free: that is not the same as no constraint on what came
before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.typing import FloatArray

if TYPE_CHECKING:
    from fairwitness.causal.data.kernel import Kernel


class Table(NamedTuple):
    """Numbers over the combinations of some variables' values, one axis a variable."""

    variables: tuple[str, ...]
    values: FloatArray

    def aligned(self, variables: Sequence[str]) -> FloatArray:
        """Give the values with axes for all of ``variables``, in their order (length 1 where absent)."""
        present = [self.variables.index(name) for name in variables if name in self.variables]
        moved = np.transpose(self.values, present)
        return moved[tuple(slice(None) if name in self.variables else None for name in variables)]


@dataclass(frozen=True, eq=False)
class Model:
    """A graph with the distribution that the data give it.

    Attributes
    ----------
    distribution
        Over exactly the graph's variables, in the graph's order.
    kernel
        The outcome's conditional distribution, if the predictor is known.
    """

    graph: CausalGraph
    distribution: Distribution
    kernel: Kernel | None = None

    @cached_property
    def place(self) -> dict[str, int]:
        """Position of each variable in the graph's order."""
        return {name: number for number, name in enumerate(self.graph.nodes)}

    def cardinality(self, variable: str) -> int:
        """Give the number of values of a variable."""
        return len(self.distribution.levels[self.place[variable]])

    @cached_property
    def _conditionals(self) -> dict[str, Table]:
        return {}

    def conditional(self, variable: str) -> Table:
        """Give P(variable | its Markov pillow), NaN where the condition never occurs; last axis: variable."""
        if variable not in self._conditionals:
            if self.kernel is not None and variable == self.kernel.outcome:
                made = Table((*self.kernel.parents, variable), self.kernel.table)
            else:
                made = self._estimated(variable)
            self._conditionals[variable] = made
        return self._conditionals[variable]

    def _estimated(self, variable: str) -> Table:
        names = (*self.pillow(variable), variable)
        others = tuple(axis for axis, name in enumerate(self.graph.nodes) if name not in names)
        joint = self.distribution.probability.sum(axis=others)
        kept = [name for name in self.graph.nodes if name in names]
        joint = np.moveaxis(joint, kept.index(variable), -1)
        condition = joint.sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.where(condition > 0, joint / condition, np.nan)
        return Table((*(name for name in kept if name != variable), variable), values)

    def pillow(self, variable: str) -> tuple[str, ...]:
        """Give the earlier variables a variable depends on: its confounded mates and all their parents."""
        earlier = set(self.graph.nodes[: self.place[variable] + 1])
        mates = {variable}
        waiting = [variable]
        while waiting:
            each = waiting.pop()
            new = (self._spouses[each] & earlier) - mates
            mates |= new
            waiting += new
        pillow = mates.union(*(self.graph.parents(mate) for mate in mates)) - {variable}
        return tuple(name for name in self.graph.nodes if name in pillow)

    @cached_property
    def _spouses(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {name: set() for name in self.graph.nodes}
        for first, second in self.graph.bidirected:
            found[first].add(second)
            found[second].add(first)
        return found

    def factor(self, members: Sequence[str]) -> Factor:
        """Give the c-factor of a union of c-components."""
        ordered = tuple(sorted(members, key=self.place.__getitem__))
        inside = set(ordered)
        outside = {parent for name in ordered for parent in self.graph.parents(name)} - inside
        return Factor(self, ordered, tuple(sorted(outside, key=self.place.__getitem__)))

    def fitted(self) -> Distribution | None:
        """Give the distribution that the factors make: the data's own, if they are as the graph says.

        ``None`` if they do not, and by the factors people occur of whom nothing is known.
        """
        product = np.ones(self.distribution.cards)
        with np.errstate(invalid="ignore"):  # 0 · ∞: unknown, but of nobody
            for members in self.graph.components:
                factor = self.factor(members)
                known = Table(factor.axes, factor.table).aligned(self.graph.nodes)
                product = product * np.where(np.isnan(known), np.inf, known)
        product = np.nan_to_num(product, nan=0.0, posinf=np.inf)
        if np.isinf(product).any():
            return None
        names, levels = self.distribution.variables, self.distribution.levels
        return Distribution.from_table(names, levels, product)


class Cell(NamedTuple):
    """One thing the data say: the first members take these values in this context with this probability."""

    members: tuple[int, ...]
    context: tuple[int, ...]
    probability: float


@dataclass(frozen=True, eq=False)
class Factor:
    """Q[C](c; e) for members C and their parents outside, with what is unknown marked.

    Attributes
    ----------
    members, parents
        Variables of C, and their parents outside C, both in the graph's order.
    """

    model: Model
    members: tuple[str, ...]
    parents: tuple[str, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        """Members, then parents: the axes of the tables."""
        return (*self.members, *self.parents)

    @cached_property
    def prefixes(self) -> tuple[FloatArray, ...]:
        """Tables of Q for the first 0, 1, … members; NaN where unknown, 0 where impossible all the same."""
        tables = [np.ones((1,) * len(self.axes))]
        for member in self.members:
            conditional = self.model.conditional(member)
            table = tables[-1] * conditional.aligned(self.axes)
            tables.append(np.where(np.broadcast_to(tables[-1] == 0, table.shape), 0.0, table))
        return tuple(tables)

    @property
    def table(self) -> FloatArray:
        """Q over members and parents, NaN where unknown."""
        shape = tuple(self.model.cardinality(name) for name in self.axes)
        return np.broadcast_to(self.prefixes[-1], shape)

    def cells(self) -> Iterator[Cell]:
        """List everything the data say, once: whole cells, and shorter ones where the rest is unknown."""
        shape = tuple(self.model.cardinality(name) for name in self.axes)
        n_members = len(self.members)
        for size in range(n_members, 0, -1):
            known = self.prefixes[size]
            telling = ~np.isnan(known)
            if size < n_members:
                after = self.prefixes[size + 1]
                unknown = np.isnan(after).all(axis=size, keepdims=True)
                telling = telling & (known > 0) & unknown
            # one entry for each context, also where the table does not depend on all of it
            whole = (*shape[:size], *((1,) * (n_members - size)), *shape[n_members:])
            telling = np.broadcast_to(telling, whole)
            values = np.broadcast_to(known, whole)
            for index in np.argwhere(telling):
                place = tuple(index.tolist())
                yield Cell(place[:size], place[n_members:], float(values[place]))
