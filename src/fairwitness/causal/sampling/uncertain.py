"""The program of a question whose conditional distributions are only known to lie in a region.

Columns are the response functions of unidentified blocks (as steps of their diagrams), the chances of coins,
and remainders of products. Nothing is identified any more: a weight that plug-in bounds take from the table
is a product of chances here. See :mod:`fairwitness.causal.sampling.envelopes`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from fairwitness.causal.sampling.envelopes import ONE, ZERO, Envelopes, Product, Quantity
from fairwitness.causal.sampling.region import Coin, Region
from fairwitness.causal.solver.diagram import Payload, TooWideError, build
from fairwitness.causal.solver.expression import Event, too_large
from fairwitness.causal.solver.formula import Answer, Conditional, Effect, Formula, assignments, valued
from fairwitness.causal.solver.linear import Polytope
from fairwitness.causal.solver.problem import Problem
from fairwitness.causal.solver.program import assembled, constraints, naive_columns

#: Most columns of a block.
MOST_COLUMNS = 20_000
#: Most products of a program.
MOST_PRODUCTS = 6_000
#: Most values of a table over what is summed.
MOST_TERMS = 2**14


@dataclass(frozen=True, eq=False)
class Block:
    """An unidentified block: the events that matter, and the network that tells them apart.

    Attributes
    ----------
    chains
        For each thing the data say: (event before, coin's row, level, event after) steps.
    flow
        Network: conservation rows over steps.
    counts
        (events, steps) which steps are part of each event.
    """

    number: int
    events: tuple[Event, ...]
    chains: tuple[tuple[Event, tuple[str, tuple[int, ...]], int, Event], ...]
    flow: Polytope
    counts: sparse.csr_matrix


@dataclass(frozen=True, eq=False)
class Plan:
    """All of a question that depends on the graph alone.

    Attributes
    ----------
    coins
        Whose chances matter.
    """

    problem: Problem
    effect: Effect
    blocks: tuple[Block, ...]
    coins: tuple[Coin, ...]


@dataclass(frozen=True, eq=False)
class Program:
    """A polytope that contains every model in the region, and the effect as a ratio on it."""

    polytope: Polytope
    numerator: Quantity
    denominator: Quantity
    products: tuple[Product, ...]


def plan(problem: Problem, effect: Effect) -> Plan:
    """Find what matters: events of unidentified blocks, and coins.

    Raises
    ------
    TooLargeError
        If a block needs too many columns, or a sum too many terms.
    """
    coins: dict[Coin, None] = {}
    asked: dict[int, dict[Event, None]] = {block: {} for block in effect.open_blocks}
    for formula in effect.formulas:
        for factor in formula.factors:
            _check(factor.names, formula.sizes)
            for values in assignments(factor.names, formula.sizes):
                if isinstance(factor, Answer):
                    event = event_of(problem, factor, values)
                    if event is not None:
                        asked[factor.block].setdefault(event)
                else:
                    row = valued(factor.row, values)
                    levels = range(problem.model.cardinality(factor.variable) - 1)
                    if isinstance(factor.own, int):
                        levels = range(min(factor.own + 1, len(levels)))
                    coins.update(
                        dict.fromkeys(Coin(factor.variable, factor.given, row, level) for level in levels)
                    )
    blocks = tuple(
        _block(problem, number, tuple(asked[number])) for number in effect.open_blocks if asked[number]
    )
    for block in blocks:
        for _, (variable, row), level, _ in block.chains:
            last = problem.model.cardinality(variable) - 1
            levels = range(min(level + 1, last))
            pillow = problem.model.pillow(variable)
            coins.update(dict.fromkeys(Coin(variable, pillow, row, each) for each in levels))
    return Plan(problem, effect, blocks, tuple(sorted(coins)))


def _check(names: Sequence[str], sizes: Mapping[str, int]) -> None:
    terms = math.prod(sizes[name] for name in names)
    if terms > MOST_TERMS:
        raise too_large("its formula has too many terms", terms)


def event_of(problem: Problem, answer: Answer, values: Mapping[str, int]) -> Event | None:
    """Give the event that an answer is, ``None`` if it contradicts itself."""
    steps: dict[int, int] = {}
    for variable, row, own in answer.steps:
        entry = problem.entries.number(variable, valued(row, values))
        (value,) = valued((own,), values)
        if steps.setdefault(entry, value) != value:
            return None
    return tuple(sorted(steps.items()))


def _block(problem: Problem, number: int, asked: tuple[Event, ...]) -> Block:
    model = problem.model
    factor = model.factor(problem.blocks[number])
    given, cardinality = constraints(factor, problem.entries, asked)
    place = {name: at for at, name in enumerate(factor.members)}
    chains: dict[tuple[Event, Event], tuple[Event, tuple[str, tuple[int, ...]], int, Event]] = {}
    for event in given:
        steps = sorted(event, key=lambda step: place[problem.entries.variable(step[0])])
        values: dict[str, int] = {}
        before: Event = ()
        for entry, value in steps:
            variable = problem.entries.variable(entry)
            values.update(zip(model.graph.parents(variable), _parents(problem, variable, entry), strict=True))
            after = tuple(sorted((*before, (entry, value))))
            row = tuple(values[name] for name in model.pillow(variable))
            chains[before, after] = (before, (variable, row), value, after)
            values[variable] = value
            before = after
    events = dict.fromkeys((*asked, *(after for _, after in chains)))
    events.pop((), None)
    payload: dict[Event, Payload] = {event: ((at, 1.0),) for at, event in enumerate(events)}
    try:
        diagram = build(payload, cardinality, most_edges=MOST_COLUMNS)
    except TooWideError:
        size = 10 ** min(naive_columns(model, factor.members), 300.0)
        raise too_large(
            f"the confounded variables {', '.join(factor.members)} need more than {MOST_COLUMNS:,} columns",
            size,
        ) from None
    flow, counts = assembled(diagram, np.zeros(0), len(events))
    return Block(number, tuple(events), tuple(chains.values()), flow, counts)


def _parents(problem: Problem, variable: str, entry: int) -> list[int]:
    """Give the parents' values that an entry of a response table is for."""
    left = entry - problem.entries.base[variable]
    found = []
    for stride in problem.entries.strides[variable]:
        code, left = divmod(left, stride)
        found.append(code)
    return found


def program(plan: Plan, region: Region, narrowed: Mapping[Hashable, tuple[float, float]]) -> Program | None:
    """Build the program over the part of the region where named quantities are ``narrowed``.

    Returns
    -------
    Program or None
        ``None`` if there is nothing in that part.
    """
    made = _Making(plan, region, Envelopes(narrowed))
    return made.program()


@dataclass(eq=False)
class _Making:
    plan: Plan
    region: Region
    to: Envelopes
    chances: dict[Coin, Quantity] = field(default_factory=dict)
    shares: dict[Coin, Quantity] = field(default_factory=dict)
    events: dict[tuple[int, Event], Quantity] = field(default_factory=dict)

    def program(self) -> Program | None:
        fixed = self._networks()
        self._chances()
        for block in self.plan.blocks:
            self._data(block)
        effect = self.plan.effect
        evidence = self._value(effect.evidence)
        numerator = self._difference(effect.active, effect.reference)
        for sign in (1.0, -1.0):  # both probabilities are of people like the evidence
            self.to.limit(self.to.total([(1.0, evidence), (sign, numerator)]), 0.0, np.inf)
        if self.to.empty:
            return None
        polytope = self.to.polytope(fixed)
        return Program(polytope, numerator, evidence, tuple(self.to.products))

    # --- what there is ---

    def _networks(self) -> Polytope | None:
        """Add the steps of all diagrams, and a column for each event."""
        parts: list[Polytope] = []
        for block in self.plan.blocks:
            n_events, n_steps = block.counts.shape
            for _ in range(n_steps + n_events):
                self.to.column()
            eye = sparse.identity(n_events, format="csr")
            matrix = sparse.bmat([[block.flow.matrix, None], [block.counts, -eye]], format="csr")
            zeros = np.zeros(n_events)
            parts.append(
                Polytope(
                    matrix,
                    np.concatenate([block.flow.low, zeros]),
                    np.concatenate([block.flow.high, zeros]),
                    np.ones(n_steps + n_events),
                )
            )
        start = 0
        for block, part in zip(self.plan.blocks, parts, strict=True):
            first = start + block.counts.shape[1]
            for at, event in enumerate(block.events):
                name = (block.number, event)
                self.events[name] = self.to.named(Quantity({first + at: 1.0}, 0.0, 0.0, 1.0), name)
            start += part.n_columns
        if not parts:
            return None
        return Polytope(
            sparse.block_diag([part.matrix for part in parts], format="csr"),
            np.concatenate([part.low for part in parts]),
            np.concatenate([part.high for part in parts]),
            np.concatenate([part.upper for part in parts]),
        )

    def _chances(self) -> None:
        region, to = self.region, self.to
        for coin, low, high in zip(region.coins, region.lower, region.upper, strict=True):
            self.chances[coin] = to.chance(float(low), float(high), coin)
        if region.budget is None:
            return
        lines = region.tangents
        penalties = {coin: to.column(region.budget) for coin in dict.fromkeys(lines.coin.tolist())}
        to.row(dict.fromkeys(penalties.values(), 1.0), -np.inf, region.budget)
        for coin, at, slope in zip(lines.coin.tolist(), lines.at.tolist(), lines.slope.tolist(), strict=True):
            chance = self.chances[region.coins[coin]]
            terms = {column: -slope * weight for column, weight in chance.terms.items()}
            size = max([abs(weight) for weight in terms.values()], default=0.0)
            scale = 1.0 / max(1.0, size)
            terms = {column: scale * weight for column, weight in terms.items()}
            terms[penalties[coin]] = scale
            to.row(terms, scale * (at + slope * chance.constant), np.inf)

    def share(self, variable: str, given: tuple[str, ...], row: tuple[int, ...], level: int) -> Quantity:
        """Give P(variable = level | given = row)."""
        key = Coin(variable, given, row, level)
        if key not in self.shares:
            last = self.plan.problem.model.cardinality(variable) - 1
            found = self.chances[key] if level < last else ONE
            for lower in reversed(range(level)):
                chance = self.chances[Coin(variable, given, row, lower)]
                missed = self.to.total([(1.0, ONE), (-1.0, chance)])
                found = self.to.product(missed, found)
            self.shares[key] = found
        return self.shares[key]

    def _data(self, block: Block) -> None:
        """Tie the events of a block to the chances that the data speak of."""
        model = self.plan.problem.model
        told: dict[tuple[Event, tuple[str, tuple[int, ...]]], int] = {}
        for before, where, _, _ in block.chains:
            told[before, where] = told.get((before, where), 0) + 1
        for before, (variable, row), level, after in block.chains:
            size = model.cardinality(variable)
            mass = self.events[block.number, before] if before else ONE
            share = self.share(variable, model.pillow(variable), row, level)
            known = self.to.product(share, mass)
            event = self.events[block.number, after]
            low, high = max(known.low, event.low), min(known.high, event.high)
            self.events[block.number, after] = Quantity(event.terms, 0.0, low, max(low, high), event.name)
            if level == size - 1 and told[before, (variable, row)] == size and size > 1:
                continue  # the rest of what the others leave
            self.to.tie(known, event)

    # --- what is asked ---

    def _value(self, formula: Formula) -> Quantity:
        """Sum a formula out, effects before causes."""
        if formula.impossible:
            return ZERO
        open_sum = _Open.of(self, formula)
        open_sum.sum_out(list(formula.sizes))
        return _probability(self._multiplied(open_sum.tables, formula.sizes).values[()])

    def _difference(self, first: Formula, second: Formula) -> Quantity:
        """Give first − second; what both sum over in the same way is summed over once."""
        if first.impossible or second.impossible:
            return self.to.total([(1.0, self._value(first)), (-1.0, self._value(second))])
        sums = [_Open.of(self, formula) for formula in (first, second)]
        shared = _shared(sums, self.plan.effect.n_factual)
        for each in sums:
            each.sum_out([name for name in each.formula.sizes if name not in shared])
        names = [name for name in first.sizes if name in shared]
        apart = [self._multiplied(each.tables, each.formula.sizes) for each in sums]
        values = {
            tuple(codes.values()): self.to.total([(1.0, apart[0].at(codes)), (-1.0, apart[1].at(codes))])
            for codes in assignments(names, first.sizes)
        }
        rest = _Open(self, first, [_Sum(tuple(names), values, 1)], sums[0].own, signed=True)
        rest.sum_out(names)
        return rest.tables[0].values[()]

    def _multiplied(self, tables: Sequence[_Sum], sizes: Mapping[str, int]) -> _Sum:
        names = tuple(dict.fromkeys(name for table in tables for name in table.names))
        ordered = _ordered(tables)
        values: dict[tuple[int, ...], Quantity] = {}
        for codes in assignments(names, sizes):
            found = ONE
            for table in ordered:
                found = self.to.product(found, table.at(codes))
            values[tuple(codes.values())] = found
        return _Sum(names, values, sum(table.n_open for table in tables))

    def table(self, factor: Answer | Conditional, sizes: Mapping[str, int]) -> _Sum:
        """Give a factor's values."""
        names = factor.names
        values: dict[tuple[int, ...], Quantity] = {}
        for codes in assignments(names, sizes):
            if isinstance(factor, Answer):
                event = event_of(self.plan.problem, factor, codes)
                found = ZERO if event is None else self.events[factor.block, event] if event else ONE
            else:
                (level,) = valued((factor.own,), codes)
                found = self.share(factor.variable, factor.given, valued(factor.row, codes), level)
            values[tuple(codes.values())] = found
        return _Sum(names, values, int(isinstance(factor, Answer)))


@dataclass(eq=False)
class _Open:
    """A formula some names of which are summed out.

    Attributes
    ----------
    signed
        Whether its values may be negative or above 1.
    """

    making: _Making
    formula: Formula
    tables: list[_Sum]
    own: dict[str, Conditional]
    signed: bool = False

    @classmethod
    def of(cls, making: _Making, formula: Formula) -> _Open:
        tables: list[_Sum] = []
        own: dict[str, Conditional] = {}
        for factor in formula.factors:
            if isinstance(factor, Conditional) and isinstance(factor.own, str):
                own[factor.own] = factor
            else:
                tables.append(making.table(factor, formula.sizes))
        return cls(making, formula, tables, own)

    def sum_out(self, names: Sequence[str]) -> None:
        """Sum names out, the last first."""
        for name in reversed(names):
            touching = [table for table in self.tables if name in table.names]
            self.tables = [table for table in self.tables if name not in table.names]
            self.tables.append(self._summed(name, touching))

    def _summed(self, name: str, touching: Sequence[_Sum]) -> _Sum:
        to, own, sizes = self.making.to, self.own.get(name), self.formula.sizes
        names = dict.fromkeys(each for table in touching for each in table.names)
        if own is not None:
            names.update(dict.fromkeys(ref for ref in own.row if isinstance(ref, str)))
        names.pop(name, None)
        rest = tuple(names)
        _check((*rest, name), sizes)
        ordered = _ordered(touching)
        values: dict[tuple[int, ...], Quantity] = {}
        for codes in assignments(rest, sizes):
            parts = []
            for level in range(sizes[name]):
                part = ONE
                for table in ordered:
                    part = to.product(part, table.at({**codes, name: level}))
                parts.append(part)
            if len(to.products) > MOST_PRODUCTS:
                raise too_large("its confidence interval needs too many products", len(to.products))
            if own is None:
                found = to.total((1.0, part) for part in parts)
            else:
                row = valued(own.row, codes)
                coins = [Coin(own.variable, own.given, row, level) for level in range(len(parts) - 1)]
                found = to.mix([self.making.chances[coin] for coin in coins], parts)
            values[tuple(codes.values())] = found if self.signed else _probability(found)
        return _Sum(rest, values, sum(table.n_open for table in touching))


def _shared(sums: Sequence[_Open], n_factual: int) -> set[str]:
    """Find what two formulas sum over in the same way: factual copies with equal distributions."""
    first, second = sums
    shared = {
        name
        for name in first.formula.sizes.keys() & second.formula.sizes.keys()
        if name.isdigit() and int(name) < n_factual and first.own.get(name) == second.own.get(name)
    }
    while True:
        kept = {name for name in shared if name not in first.own or shared >= set(first.own[name].names)}
        if kept == shared:
            return shared
        shared = kept


@dataclass(frozen=True, eq=False)
class _Sum:
    """Quantities for all values of some names.

    Attributes
    ----------
    n_open
        How many unidentified blocks' answers are in it.
    """

    names: tuple[str, ...]
    values: Mapping[tuple[int, ...], Quantity]
    n_open: int = 0

    def at(self, codes: Mapping[str, int]) -> Quantity:
        return self.values[tuple(codes[name] for name in self.names)]


def _ordered(tables: Sequence[_Sum]) -> list[_Sum]:
    """Put what the data identify first: products with it are narrow. The order must not depend on limits."""
    return sorted(tables, key=lambda table: table.n_open)


def _probability(quantity: Quantity) -> Quantity:
    """Use that it is a probability."""
    low, high = min(max(quantity.low, 0.0), 1.0), max(min(quantity.high, 1.0), 0.0)
    return Quantity(quantity.terms, quantity.constant, low, max(low, high), quantity.name)
