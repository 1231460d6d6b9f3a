"""Uniform draws over what each query's columns may become: ranges, lists of levels, combinations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairwitness.counterfactuals.limits import Limits
from fairwitness.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.table.combinations import Combinations
    from fairwitness.table.schema import Schema


@dataclass(frozen=True, eq=False)
class LinkedChoices:
    """Combinations that each query may take, of columns that change together.

    Attributes
    ----------
    link
        The columns and all combinations, c of them.
    order
        (q, c) positions of the combinations, those that the query may take first; ``None`` if every query
        may take all.
    count
        (q,) how many it may take.
    """

    link: Combinations
    order: NDArray[np.int32] | None
    count: IntArray

    @classmethod
    def of(cls, limits: Limits, link: Combinations) -> LinkedChoices:
        """Sort out what each query may take."""
        permitted = limits.permits_together(link)
        n, c = len(limits.queries), len(link.rows)
        if permitted is None:
            return cls(link, None, np.full(n, c, dtype=np.int64))
        order = np.argsort(~permitted, axis=1, kind="stable").astype(np.int32)
        return cls(link, order, permitted.sum(axis=1).astype(np.int64))

    def take(self, rows: NDArray[np.generic]) -> LinkedChoices:
        """Give the choices of some queries."""
        order = None if self.order is None else self.order[rows]
        return LinkedChoices(self.link, order, self.count[rows])

    def join(self, other: LinkedChoices) -> LinkedChoices:
        """Put the choices of more queries behind these."""
        order = None
        if self.order is not None or other.order is not None:
            order = np.concatenate([self._ordered(), other._ordered()])
        return LinkedChoices(self.link, order, np.concatenate([self.count, other.count]))

    def _ordered(self) -> NDArray[np.int32]:
        if self.order is not None:
            return self.order
        every = np.arange(len(self.link.rows), dtype=np.int32)
        return np.broadcast_to(every, (len(self.count), len(every)))

    def draw(self, out: FloatArray, where: BoolArray, uniform: FloatArray) -> None:
        """Replace the linked columns of (q, c, d) ``out`` where the mask says so for the first of them."""
        lead = int(self.link.columns[0])
        query, slot = np.nonzero(where[:, :, lead])
        some = self.count[query] > 0
        query, slot = query[some], slot[some]
        at = (uniform[query, slot, lead] * self.count[query]).astype(np.int64)
        if self.order is not None:
            at = self.order[query, at].astype(np.int64)
        out[query[:, None], slot[:, None], self.link.columns] = self.link.rows[at]


@dataclass(frozen=True, eq=False)
class Choices:
    """Permitted values of each query, ready to draw from.

    Attributes
    ----------
    low, high
        (q, d) numbers: inclusive ends of the range. Coded columns: first and one past the last position in
        ``codes``. Nothing can be drawn where low > high (numbers) or low = high (codes).
    codes
        For each coded column, (f, w) lists of allowed codes, each ascending, then NaN for "becomes
        missing"; ``None`` for numbers. One list for all queries, or one a code that a query can have where
        transitions are forbidden.
    own
        (q, d) which of the lists is each query's.
    whole
        (d,) whether the column holds whole numbers.
    lead
        (d,) the column that stands for each: the first of its link, itself if it is in none.
    linked
        Columns that change together.
    """

    low: FloatArray
    high: FloatArray
    codes: tuple[FloatArray | None, ...]
    own: IntArray
    whole: BoolArray
    lead: IntArray
    linked: tuple[LinkedChoices, ...]

    @classmethod
    def of(cls, schema: Schema, limits: Limits, observed: tuple[FloatArray, FloatArray]) -> Choices:
        """Lay out the permitted values; a range without an end is cut to (d,) what the table holds."""
        low, high = limits.low.copy(), limits.high.copy()
        own = np.zeros(low.shape, dtype=np.int64)
        codes: list[FloatArray | None] = []
        for j, levels in enumerate(limits.levels):
            if levels is None:
                open_low, open_high = np.isneginf(low[:, j]), np.isposinf(high[:, j])
                low[open_low, j] = np.minimum(observed[0][j], high[open_low, j])
                high[open_high, j] = np.maximum(observed[1][j], low[open_high, j])
                codes.append(None)
                continue
            ban = limits.banned[j]
            if ban is None:
                lists = [np.flatnonzero(levels)]
            else:
                lists = [np.flatnonzero(levels & ~row[:-1]) for row in ban]
                value = limits.queries[:, j]
                own[:, j] = np.where(np.isnan(value), len(levels), value)
            table = np.full((len(lists), max(map(len, lists)) + 1), np.nan)
            for at, allowed in enumerate(lists):
                table[at, : len(allowed)] = allowed
                mine = own[:, j] == at
                low[mine, j] = np.searchsorted(allowed, limits.low[mine, j], side="left")
                high[mine, j] = np.searchsorted(allowed, limits.high[mine, j], side="right")
            high[:, j] += limits.missing[:, j]
            codes.append(table)
        whole = np.array([feature.kind == "integer" for feature in schema.features], dtype=np.bool_)
        low[:, whole], high[:, whole] = np.ceil(low[:, whole]), np.floor(high[:, whole])
        low[:, limits.frozen], high[:, limits.frozen] = 1.0, 0.0
        lead = np.arange(low.shape[1])
        for link in limits.links:
            lead[link.columns] = link.columns[0]
        linked = tuple(LinkedChoices.of(limits, link) for link in limits.links)
        return cls(low, high, tuple(codes), own, whole, lead, linked)

    def take(self, rows: NDArray[np.generic]) -> Choices:
        """Give the choices of some queries."""
        return replace(
            self,
            low=self.low[rows],
            high=self.high[rows],
            own=self.own[rows],
            linked=tuple(choices.take(rows) for choices in self.linked),
        )

    def join(self, other: Choices) -> Choices:
        """Put the choices of more queries behind these."""
        pairs = zip(self.linked, other.linked, strict=True)
        return replace(
            self,
            low=np.concatenate([self.low, other.low]),
            high=np.concatenate([self.high, other.high]),
            own=np.concatenate([self.own, other.own]),
            linked=tuple(mine.join(theirs) for mine, theirs in pairs),
        )

    def draw(self, rows: FloatArray, where: BoolArray, uniform: FloatArray) -> FloatArray:
        """Replace values of (q, c, d) ``rows`` where the mask says so; what has no choice stays.

        Of linked columns, the first one's mask and random number count for all.
        """
        out = rows.copy()
        alone = self.alone
        for j, codes in enumerate(self.codes):
            if not alone[j]:
                continue
            query, slot = np.nonzero(where[:, :, j])
            low, high = self.low[query, j], self.high[query, j]
            some = low < high if codes is not None else low <= high
            query, slot, low, high = query[some], slot[some], low[some], high[some]
            u = uniform[query, slot, j]
            if codes is not None:
                value = codes[self.own[query, j], (low + u * (high - low)).astype(np.intp)]
            elif self.whole[j]:
                value = np.minimum(low + np.floor(u * (high - low + 1)), high)
            else:
                value = low + u * (high - low)
            out[query, slot, j] = value
        for choices in self.linked:
            choices.draw(out, where, uniform)
        return out

    @property
    def alone(self) -> BoolArray:
        """(d,) which columns are in no link."""
        alone = np.ones(len(self.lead), dtype=np.bool_)
        for choices in self.linked:
            alone[choices.link.columns] = False
        return alone
