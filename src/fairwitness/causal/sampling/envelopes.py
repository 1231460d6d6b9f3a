"""Linear programs over quantities that are products of quantities that are not known.

Each quantity is a linear expression of columns, with limits. A product of two is their linear part around
the lower limits and one column for the remainder, held by its McCormick planes (McCormick 1976): the
remainder is as large as the product of the two widths at most. What is narrow is nearly exact, and halving
what is wide makes the planes meet.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy import sparse

from fairwitness.causal.solver.linear import Polytope
from fairwitness.typing import FloatArray

#: Quantities whose limits are closer than this are numbers.
FLAT = 1e-12


@dataclass(frozen=True, slots=True)
class Quantity:
    """``constant + Σ terms[column] · x[column]``, known to lie within limits.

    Attributes
    ----------
    name
        What limits may be narrowed under; ``None`` if it has no name yet.
    """

    terms: Mapping[int, float]
    constant: float
    low: float
    high: float
    name: Hashable = None

    @property
    def width(self) -> float:
        """How far the limits are apart."""
        return self.high - self.low

    def at(self, x: FloatArray) -> float:
        """Give the value where the columns have these values."""
        return self.constant + sum(weight * float(x[column]) for column, weight in self.terms.items())

    def cost(self, n_columns: int) -> FloatArray:
        """Give the weights of all columns."""
        weights = np.zeros(n_columns)
        for column, weight in self.terms.items():
            weights[column] = weight
        return weights


def number(value: float) -> Quantity:
    """Give a quantity that is known."""
    return Quantity({}, value, value, value)


ZERO, ONE = number(0.0), number(1.0)


class Product(NamedTuple):
    """A remainder column: what it should be is the product of two quantities' shares of their ranges."""

    column: int
    first: Quantity
    second: Quantity

    def miss(self, x: FloatArray) -> float:
        """Give by how much the product is missed, in its own units."""
        first, second = self.first, self.second
        share = (first.at(x) - first.low) / first.width * (second.at(x) - second.low) / second.width
        return abs(float(x[self.column]) - share) * first.width * second.width


@dataclass(eq=False)
class Envelopes:
    """A program under construction.

    Attributes
    ----------
    narrowed
        Name of a quantity → limits it is to be held within, for this part of the search.
    """

    narrowed: Mapping[Hashable, tuple[float, float]] = field(default_factory=dict)
    upper: list[float] = field(default_factory=list)
    products: list[Product] = field(default_factory=list)
    empty: bool = False
    _rows: list[int] = field(default_factory=list)
    _columns: list[int] = field(default_factory=list)
    _values: list[float] = field(default_factory=list)
    _low: list[float] = field(default_factory=list)
    _high: list[float] = field(default_factory=list)
    _made: int = 0

    def column(self, upper: float = 1.0) -> int:
        """Add a column from 0 to ``upper``; the rows must hold it there."""
        self.upper.append(upper)
        return len(self.upper) - 1

    def row(self, terms: Mapping[int, float], low: float, high: float) -> None:
        """Add ``low ≤ Σ terms · x ≤ high``."""
        at = len(self._low)
        for column, weight in terms.items():
            if weight != 0.0:
                self._rows.append(at)
                self._columns.append(column)
                self._values.append(weight)
        self._low.append(low)
        self._high.append(high)

    def limit(self, quantity: Quantity, low: float, high: float) -> None:
        """Hold a quantity within limits."""
        if quantity.terms:
            self.row(quantity.terms, low - quantity.constant, high - quantity.constant)

    def chance(self, low: float, high: float, name: Hashable) -> Quantity:
        """Add a quantity with a column for its share of its range."""
        low, high = self._narrow(low, high, name)
        if high - low < FLAT:
            return Quantity({}, low, low, low, name)
        column = self.column()
        self.row({column: 1.0}, 0.0, 1.0)
        return Quantity({column: high - low}, low, low, high, name)

    def named(self, quantity: Quantity, name: Hashable) -> Quantity:
        """Give the quantity its name, with limits narrowed if they are to be."""
        low, high = self._narrow(quantity.low, quantity.high, name)
        if name in self.narrowed:
            self.limit(quantity, low, high)
        return Quantity(quantity.terms, quantity.constant, low, high, name)

    def _narrow(self, low: float, high: float, name: Hashable) -> tuple[float, float]:
        if name in self.narrowed:
            least, most = self.narrowed[name]
            low, high = max(low, least), min(high, most)
            if low > high:
                self.empty = True
                high = low
        return low, high

    def total(
        self, quantities: Iterable[tuple[float, Quantity]], low: float = -np.inf, high: float = np.inf
    ) -> Quantity:
        """Add up weighted quantities; ``low`` and ``high`` are known otherwise."""
        terms: dict[int, float] = {}
        constant = least = most = 0.0
        for weight, quantity in quantities:
            for column, each in quantity.terms.items():
                terms[column] = terms.get(column, 0.0) + weight * each
            constant += weight * quantity.constant
            ends = (weight * quantity.low, weight * quantity.high)
            least += min(ends)
            most += max(ends)
        least, most = max(least, low), min(most, high)
        return Quantity(terms, constant, min(least, most), most)

    def product(self, first: Quantity, second: Quantity) -> Quantity:
        """Multiply two quantities; columns for the remainder are shared by equal products."""
        self._made += 1
        if first.width < FLAT and not first.terms:
            first, second = second, first
        if second.width < FLAT and not second.terms:
            return self._scaled(first, second.constant)
        if first.name is None:
            first = self.named(first, ("first", self._made))
        if second.name is None:
            second = self.named(second, ("second", self._made))
        ends = [a * b for a in (first.low, first.high) for b in (second.low, second.high)]
        low, high = min(ends), max(ends)
        parts = [(second.low, first), (first.low, second)]
        linear = self.total(parts)
        constant = linear.constant - first.low * second.low
        size = first.width * second.width
        terms = dict(linear.terms)
        if min(first.width, second.width) >= FLAT:
            terms[self._remainder(first, second)] = size
        return Quantity(terms, constant, low, high)

    def _scaled(self, quantity: Quantity, by: float) -> Quantity:
        if by == 1.0:
            return quantity
        ends = (by * quantity.low, by * quantity.high)
        terms = {column: by * weight for column, weight in quantity.terms.items()} if by else {}
        return Quantity(terms, by * quantity.constant, min(ends), max(ends))

    def _remainder(self, first: Quantity, second: Quantity) -> int:
        column = self.column()
        self.products.append(Product(column, first, second))
        above: dict[int, float] = {column: 1.0}
        offset = 1.0
        for each in (first, second):
            scaled = {at: weight / each.width for at, weight in each.terms.items()}
            start = (each.constant - each.low) / each.width
            self.row({**{at: -weight for at, weight in scaled.items()}, column: 1.0}, -np.inf, start)
            for at, weight in scaled.items():
                above[at] = above.get(at, 0.0) - weight
            offset -= start
        self.row(above, -offset, np.inf)
        return column

    def tie(self, quantity: Quantity, other: Quantity) -> None:
        """Make two quantities equal."""
        terms = dict(quantity.terms)
        for column, weight in other.terms.items():
            terms[column] = terms.get(column, 0.0) - weight
        difference = other.constant - quantity.constant
        self.row(terms, difference, difference)

    def mix(self, shares: Sequence[Quantity], values: Sequence[Quantity]) -> Quantity:
        """Give the mean of ``values`` where the k-th is chosen with ``shares[k]`` if none before it was.

        There is one share less than values: the last is what remains.
        """
        mean = values[-1]
        for share, value in zip(reversed(shares), reversed(values[:-1]), strict=True):
            step = self.total([(1.0, value), (-1.0, mean)])
            added = self.total([(1.0, mean), (1.0, self.product(share, step))])
            ends = [
                chance * end_value + (1 - chance) * end_mean
                for chance in (share.low, share.high)
                for end_value, end_mean in ((value.low, mean.low), (value.high, mean.high))
            ]
            low, high = max(min(ends), added.low), min(max(ends), added.high)
            mean = Quantity(added.terms, added.constant, low, high)
        return mean

    def polytope(self, first: Polytope | None = None) -> Polytope:
        """Give the program's polytope; ``first`` are more rows, over the first columns."""
        shape = (len(self._low), len(self.upper))
        matrix = sparse.csr_matrix((self._values, (self._rows, self._columns)), shape=shape)
        low, high = np.array(self._low), np.array(self._high)
        if first is not None:
            rest = sparse.csr_matrix((first.n_rows, shape[1] - first.n_columns))
            padded = sparse.hstack([first.matrix, rest], format="csr")
            matrix = sparse.vstack([padded, matrix], format="csr")
            low, high = np.concatenate([first.low, low]), np.concatenate([first.high, high])
        return Polytope(matrix.tocsc(), low, high, np.array(self.upper))
