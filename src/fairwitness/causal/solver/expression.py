"""From worlds to a formula: what each probability is, in terms of the response functions that stay unknown.

A probability of copies of variables is a sum over their values of products, one factor a c-component. Where
the copies of a component form one world, its factor is known from the data and is summed out at once. What
remains is a polynomial: for each combination of *events* of the unidentified components, a weight. An event
says what some response functions answer: that variable ``V`` would be ``v`` were its parents ``pa`` (an
*entry* of the response table and its value).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fairwitness.causal.graph.nested import Fixed, Worlds
from fairwitness.causal.solver.factors import Model, Table
from fairwitness.errors import ConfigError
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: ``((entry, value), …)``, sorted: response tables answer ``value`` where asked for ``entry``.
Event: TypeAlias = tuple[tuple[int, int], ...]
#: One event for each block (``()`` for a block that is not asked) → weight.
Polynomial: TypeAlias = dict[tuple[Event, ...], float]
#: The members of each set of variables whose response functions share one distribution.
Blocks: TypeAlias = tuple[tuple[str, ...], ...]

#: Most combinations of values of copies that are written out.
MOST_TERMS = 2**23
#: Of these, the most that may have a weight: each is written out, and few programs stay small with more.
MOST_WEIGHTS = 2**20


class TooLargeError(ConfigError):
    """The program would be too large to build; the message gives its size and three ways out."""


def too_large(what: str, size: float) -> TooLargeError:
    """Make the error, with the ways out."""
    return TooLargeError(
        f"the program is too large: {what}",
        got=f"about 10^{math.log10(size):.0f}" if size > 1e7 else f"{size:,.0f}",
        fix="merge values of variables (bins=…), leave variables out of the graph that no path needs, or "
        'give the predictor (predictor=…); relaxation="confounded" needs no program, with wider bounds',
    )


class Entries:
    """Numbers for the entries of all response tables: one for each variable and values of its parents."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.base: dict[str, int] = {}
        self.strides: dict[str, tuple[int, ...]] = {}
        total = 0
        for variable in model.graph.nodes:
            sizes = [model.cardinality(parent) for parent in model.graph.parents(variable)]
            strides = [1]
            for size in reversed(sizes):
                strides.append(strides[-1] * size)
            self.base[variable] = total
            self.strides[variable] = tuple(reversed(strides[:-1]))
            total += strides[-1]
        self.total = total

    def number(self, variable: str, parents: Sequence[int]) -> int:
        """Give the number of the entry of ``variable`` for coded values of its parents."""
        return self.base[variable] + sum(
            stride * code for stride, code in zip(self.strides[variable], parents, strict=True)
        )

    def cardinality(self, entry: int) -> int:
        """Give how many values the entry may take."""
        return self.model.cardinality(self.variable(entry))

    def variable(self, entry: int) -> str:
        """Give the variable whose response table the entry is of."""
        starts = list(self.base.values())
        return self.model.graph.nodes[int(np.searchsorted(starts, entry, side="right")) - 1]


@dataclass(frozen=True, eq=False)
class Coded:
    """The worlds of one probability, in codes.

    Attributes
    ----------
    variables
        Variable of each copy.
    sources
        For each copy, its parents: a copy's number, or ``-1 - code`` for a fixed value.
    known
        Copy → code, for what the probability states: the evidence, and the outcome's value.
    impossible
        Whether it states something that contradicts a fixed value, so that it is 0.
    """

    variables: tuple[str, ...]
    sources: tuple[tuple[int, ...], ...]
    known: Mapping[int, int]
    impossible: bool = False

    @classmethod
    def read(cls, worlds: Worlds, model: Model, outcome_code: int | None) -> Coded:
        """Translate labels into codes."""
        index = model.distribution.level_index

        def source(parent: Fixed | int) -> int:
            return parent if isinstance(parent, int) else -1 - index(parent.variable, parent.value)

        known = {
            number: index(worlds.copies[number].variable, value) for number, value in worlds.observed.items()
        }
        impossible = False
        if outcome_code is not None:
            if isinstance(worlds.target, int):
                known[worlds.target] = outcome_code
            elif worlds.target is not None:
                impossible = index(worlds.target.variable, worlds.target.value) != outcome_code
        return cls(
            tuple(copy.variable for copy in worlds.copies),
            tuple(tuple(source(parent) for parent in copy.parents) for copy in worlds.copies),
            known,
            impossible,
        )

    def __len__(self) -> int:
        return len(self.variables)


@dataclass(frozen=True, eq=False)
class Split:
    """Which blocks one probability leaves unidentified, and the tables of the others."""

    unidentified: tuple[int, ...]
    tables: tuple[Table, ...]


def split(coded: Coded, model: Model, blocks: Blocks) -> Split:
    """Separate what the data identify in one probability from what they do not."""
    names = [str(number) for number in range(len(coded))]
    open_blocks: list[int] = []
    tables: dict[int, Table] = {}
    for number, members in enumerate(blocks):
        inside = set(members)
        copies = [copy for copy, variable in enumerate(coded.variables) if variable in inside]
        if not copies:
            continue
        table = _world_table(coded, model, members, copies, names)
        if table is None:
            open_blocks.append(number)
        else:
            tables[number] = table
    # A table may be unknown in places. That matters only if the probability puts weight on them.
    for number, table in list(tables.items()):
        unknown = np.isnan(table.values)
        if not unknown.any():
            continue
        doubt = [Table(table.variables, unknown.astype(np.float64))]
        doubt += [
            Table(t.variables, np.nan_to_num(t.values, nan=1.0)) for k, t in tables.items() if k != number
        ]
        if float(contract(doubt, ()).values) > 0:
            open_blocks.append(number)
            del tables[number]
        else:
            tables[number] = Table(table.variables, np.nan_to_num(table.values, nan=0.0))
    return Split(tuple(sorted(open_blocks)), tuple(tables.values()))


def _world_table(
    coded: Coded, model: Model, members: Sequence[str], copies: Sequence[int], names: Sequence[str]
) -> Table | None:
    """Give the known factor over the copies of one block, or None if they are not one world."""
    by_variable: dict[str, int] = {}
    for copy in copies:
        if coded.variables[copy] in by_variable:
            return None
        by_variable[coded.variables[copy]] = copy
    factor = model.factor(members)
    outside: dict[str, int] = {}
    for copy in copies:
        for parent, source in zip(
            model.graph.parents(coded.variables[copy]), coded.sources[copy], strict=True
        ):
            if parent in factor.members:
                inner = by_variable.get(parent)
                # an observed member is a fixed value for its children: the same world if it is that value
                if inner is None or (
                    source != inner and (source >= 0 or coded.known.get(inner) != -1 - source)
                ):
                    return None
            elif outside.setdefault(parent, source) != source:
                return None
    last = max(factor.members.index(variable) for variable in by_variable) + 1
    table = factor.prefixes[last]
    keys: list[str] = []
    index: list[int | slice] = []
    idle: list[str] = []
    for axis, variable in enumerate(factor.axes):
        if axis < len(factor.members):
            if axis >= last:
                index.append(0)
            elif variable not in by_variable:
                index.append(slice(None))
                keys.append("sum")
            elif by_variable[variable] in coded.known:
                index.append(coded.known[by_variable[variable]])
            else:
                index.append(slice(None))
                keys.append(names[by_variable[variable]])
        elif table.shape[axis] == 1:
            index.append(0)
        elif variable not in outside:  # a parent of an unasked mate
            index.append(slice(None))
            keys.append("any")
            idle.append(variable)
        elif outside[variable] < 0:
            index.append(-1 - outside[variable])
        elif outside[variable] in coded.known:
            index.append(coded.known[outside[variable]])
        else:
            index.append(slice(None))
            keys.append(names[outside[variable]])
    values = np.asarray(table[tuple(index)])
    summed = tuple(axis for axis, key in enumerate(keys) if key == "sum")
    if summed:
        values = values.sum(axis=summed)
        keys = [key for key in keys if key != "sum"]
    if idle:
        values = _settled(values, keys, model, idle)
        keys = [key for key in keys if key != "any"]
    return Table(tuple(keys), values)


def _settled(values: FloatArray, keys: Sequence[str], model: Model, idle: Sequence[str]) -> FloatArray:
    """Take away variables that cannot matter; where a table says otherwise, the mean over how they occur."""
    occurs = model.distribution.take(*idle).probability
    axes = tuple(axis for axis, key in enumerate(keys) if key == "any")
    others = tuple(axis for axis, key in enumerate(keys) if key != "any")
    weight = np.where(np.isnan(values), 0.0, np.expand_dims(occurs, others))
    total = weight.sum(axis=axes)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, (np.nan_to_num(values) * weight).sum(axis=axes) / total, np.nan)


def contract(tables: Sequence[Table], keep: Sequence[str]) -> Table:
    """Multiply tables and sum over all variables that are not kept, the cheapest first."""
    left = list(tables)
    kept = set(keep)
    while True:
        sizes = {name: size for t in left for name, size in zip(t.variables, t.values.shape, strict=True)}
        costs = {}
        for name in sizes.keys() - kept:
            touched = {other for t in left if name in t.variables for other in t.variables}
            costs[name] = math.prod(sizes[other] for other in touched)
        if not costs:
            break
        name = min(costs, key=lambda each: (costs[each], each))
        if costs[name] > 4 * MOST_TERMS:
            raise too_large("a sum over the values of the variables has too many terms", costs[name])
        chosen = [t for t in left if name in t.variables]
        left = [t for t in left if name not in t.variables]
        left.append(_multiplied(chosen, drop=name))
    return _multiplied(left, order=tuple(name for name in keep if name in sizes))


def _multiplied(
    tables: Sequence[Table], *, drop: str | None = None, order: tuple[str, ...] | None = None
) -> Table:
    names = order or tuple(dict.fromkeys(name for t in tables for name in t.variables))
    if drop is not None:
        names = (*(name for name in names if name != drop), drop)
    product: FloatArray = np.ones((1,) * len(names))
    for table in tables:
        product = product * table.aligned(names)
    if drop is not None:
        return Table(names[:-1], product.sum(axis=-1))
    return Table(names, product)


def expand(coded: Coded, model: Model, blocks: Blocks, entries: Entries) -> Polynomial:
    """Write one probability as a polynomial in the events of the blocks that are not identified."""
    nothing: tuple[Event, ...] = ((),) * len(blocks)
    if coded.impossible:
        return {}
    parts = split(coded, model, blocks)
    if not parts.unidentified:
        value = float(contract(parts.tables, ()).values)
        return {nothing: value} if value else {}
    free = _interface(coded, blocks, parts.unidentified)
    sizes = [model.cardinality(coded.variables[copy]) for copy in free]
    if math.prod(sizes) > MOST_TERMS:
        raise too_large("its formula has too many terms", math.prod(sizes))
    keep = [str(copy) for copy in free]
    known = contract(parts.tables, keep)
    weights = np.broadcast_to(known.aligned(keep), sizes)
    n_weights = int(np.count_nonzero(weights))
    if n_weights > MOST_WEIGHTS:
        raise too_large("its formula has too many terms", n_weights)
    places = np.argwhere(weights != 0)
    amounts = np.atleast_1d(weights[tuple(places.T)])
    column = {copy: number for number, copy in enumerate(free)}

    def codes(copy: int) -> IntArray:
        if copy < 0:
            return np.full(len(places), -1 - copy, dtype=np.int64)
        if copy in coded.known:
            return np.full(len(places), coded.known[copy], dtype=np.int64)
        return places[:, column[copy]]

    possible = np.ones(len(places), dtype=bool)
    answers: list[IntArray] = []
    for number in parts.unidentified:
        inside = set(blocks[number])
        copies = [copy for copy, variable in enumerate(coded.variables) if variable in inside]
        found, consistent = _answers(coded, copies, codes, entries, len(places))
        possible &= consistent
        answers.append(found)
    return _collected(answers, parts.unidentified, amounts, possible, len(blocks))


def _interface(coded: Coded, blocks: Blocks, unidentified: Sequence[int]) -> list[int]:
    inside = {variable for number in unidentified for variable in blocks[number]}
    asked: set[int] = set()
    for copy, variable in enumerate(coded.variables):
        if variable in inside:
            asked |= {copy, *(source for source in coded.sources[copy] if source >= 0)}
    return sorted(asked - set(coded.known))


#: More than any variable has values.
_SHIFT = 1 << 20


def _answers(
    coded: Coded, copies: Sequence[int], codes: Callable[[int], IntArray], entries: Entries, n: int
) -> tuple[IntArray, BoolArray]:
    """Give entries and their values as one number each, sorted by row; and which rows are possible."""
    found = np.empty((n, len(copies)), dtype=np.int64)
    for place, copy in enumerate(copies):
        variable = coded.variables[copy]
        entry = np.full(n, entries.base[variable], dtype=np.int64)
        for stride, source in zip(entries.strides[variable], coded.sources[copy], strict=True):
            entry += stride * codes(source)
        found[:, place] = entry * _SHIFT + codes(copy)
    found.sort(axis=1)
    same_entry = found[:, 1:] // _SHIFT == found[:, :-1] // _SHIFT
    same = found[:, 1:] == found[:, :-1]
    consistent = ~(same_entry & ~same).any(axis=1)
    found[:, 1:][same] = -1
    found.sort(axis=1)
    return found, consistent


def _collected(
    answers: Sequence[IntArray],
    numbers: Sequence[int],
    amounts: FloatArray,
    possible: BoolArray,
    n_blocks: int,
) -> Polynomial:
    rows = [found[possible] for found in answers]
    weights = amounts[possible]
    if not len(weights):
        return {}
    events: list[list[Event]] = []
    codes = np.zeros(len(weights), dtype=np.int64)
    for found in rows:
        unique, inverse = np.unique(found, axis=0, return_inverse=True)
        events.append(
            [tuple((key // _SHIFT, key % _SHIFT) for key in row if key >= 0) for row in unique.tolist()]
        )
        codes = codes * len(unique) + inverse.reshape(-1)
    combos, inverse = np.unique(codes, return_inverse=True)
    totals = np.bincount(inverse.reshape(-1), weights=weights)
    polynomial: Polynomial = {}
    for combo, total in zip(combos.tolist(), totals.tolist(), strict=True):
        key: list[Event] = [()] * n_blocks
        for place in range(len(rows) - 1, -1, -1):
            combo, choice = divmod(combo, len(events[place]))
            key[numbers[place]] = events[place][choice]
        polynomial[tuple(key)] = total
    return polynomial


def difference(first: Polynomial, second: Polynomial) -> Polynomial:
    """Give the first polynomial minus the second."""
    result = dict(first)
    for key, weight in second.items():
        result[key] = result.get(key, 0.0) - weight
    return {key: weight for key, weight in result.items() if weight != 0}
