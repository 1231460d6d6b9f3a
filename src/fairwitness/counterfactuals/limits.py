"""What a query's counterfactuals may look like, as arrays: the constraints of a schema, vectorised.

:meth:`fairwitness.table.Encoder.validate` judges pairs of rows. A search needs the same rules for one query
against thousands of rows at once, and as ranges to draw from; this module holds them in that form, and a
property test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.table.transitions import banned_codes
from fairwitness.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.table.combinations import Combinations
    from fairwitness.table.schema import Feature, Schema


@dataclass(frozen=True, eq=False)
class Limits:
    """Permitted values of each query's counterfactuals, beside the query's own value.

    Attributes
    ----------
    low, high
        (q, d) inclusive range of encoded values; −∞ and ∞ where nothing is said.
    levels
        For each coded column, (L,) which codes are allowed; ``None`` where the column is a number.
    missing
        (q, d) whether the value may become missing.
    frozen
        (d,) whether the column must keep the query's value, missing or not.
    banned
        For each coded column with forbidden transitions, (L + 1, L + 1) from which code to which; the last
        stands for missing.
    links
        Columns that change together.
    """

    queries: FloatArray
    low: FloatArray
    high: FloatArray
    levels: tuple[BoolArray | None, ...]
    missing: BoolArray
    frozen: BoolArray
    banned: tuple[BoolArray | None, ...]
    links: tuple[Combinations, ...] = ()

    @classmethod
    def of(cls, schema: Schema, queries: FloatArray, links: tuple[Combinations, ...] = ()) -> Limits:
        """Read the constraints of ``schema`` for encoded queries (q, d).

        What the schema's links permit is known to the encoder: ``links`` is its attribute of that name.
        """
        banned = tuple(banned_codes(feature) for feature in schema.features)
        low = np.full(queries.shape, -np.inf)
        high = np.full(queries.shape, np.inf)
        missing = np.ones(queries.shape, dtype=np.bool_)
        for j, feature in enumerate(schema.features):
            own = queries[:, j]
            if feature.bounds is not None and not feature.is_coded:
                low[:, j], high[:, j] = feature.bounds
            missing[:, j] = feature.nullable and (feature.allowed is None or None in feature.allowed)
            ban = banned[j]
            if ban is not None:
                missing[:, j] &= ~ban[_codes(own), -1]
            if feature.monotone is None:
                continue
            if feature.monotone == "increase":
                low[:, j] = np.fmax(low[:, j], own)
            else:
                high[:, j] = np.fmin(high[:, j], own)
            missing[:, j] = False
            gone = np.isnan(own)
            low[gone, j], high[gone, j] = np.inf, -np.inf  # no direction leads out of missing
        return cls(
            queries=queries,
            low=low,
            high=high,
            levels=tuple(_allowed_codes(feature) for feature in schema.features),
            missing=missing,
            frozen=np.array([feature.immutable for feature in schema.features], dtype=np.bool_),
            banned=banned,
            links=links,
        )

    def take(self, rows: slice) -> Limits:
        """Give the limits of some queries."""
        return replace(
            self,
            queries=self.queries[rows],
            low=self.low[rows],
            high=self.high[rows],
            missing=self.missing[rows],
        )

    def permits(self, rows: FloatArray) -> BoolArray | None:
        """(q, p) which of the rows (p, d) each query may become; ``None`` if nothing is ruled out.

        The rows hold codes and whole numbers where the schema says so, as rows of a table do.
        """
        allowed: BoolArray | None = None
        for j in range(rows.shape[1]):
            column = self._permits_column(j, rows[:, j])
            if column is not None:
                allowed = column if allowed is None else allowed & column
        for link in self.links:
            known = link.knows(rows[:, link.columns])
            if not known.all():
                together = known | self._unchanged(link.columns, rows)
                allowed = together if allowed is None else allowed & together
        return allowed

    def permits_values(self, j: int, values: FloatArray) -> BoolArray:
        """(q, p) which of the values (p,) of column ``j`` each query may take."""
        allowed = self._permits_column(j, values)
        return np.ones((len(self.queries), len(values)), dtype=np.bool_) if allowed is None else allowed

    def permits_together(self, link: Combinations) -> BoolArray | None:
        """(q, c) which combinations of a link each query may take; ``None`` if all."""
        allowed: BoolArray | None = None
        for at, j in enumerate(link.columns.tolist()):
            column = self._permits_column(j, link.rows[:, at])
            if column is not None:
                allowed = column if allowed is None else allowed & column
        return allowed

    def repair(self, rows: FloatArray) -> FloatArray:
        """Give (q, c, d) rows in which every value a query may not take is the query's own again.

        Linked columns go back together where what is left of them is no combination.
        """
        out = rows.copy()
        for j in range(rows.shape[2]):
            allowed = self._permits_column(j, rows[:, :, j])
            if allowed is not None:
                out[:, :, j] = np.where(allowed, rows[:, :, j], self.queries[:, j, None])
        for link in self.links:
            group = out[:, :, link.columns]
            known = link.knows(group.reshape(-1, len(link.columns))).reshape(group.shape[:2])
            out[:, :, link.columns] = np.where(known[:, :, None], group, self.queries[:, None, link.columns])
        return out

    def _unchanged(self, columns: IntArray, rows: FloatArray) -> BoolArray:
        """(q, p) whether each query has the very values of rows (p, d) in some columns."""
        same = np.ones((len(self.queries), len(rows)), dtype=np.bool_)
        for j in columns.tolist():
            same &= _same(self.queries[:, j, None], rows[:, j])
        return same

    def _permits_column(self, j: int, values: FloatArray) -> BoolArray | None:
        """Rule (p,) or (q, p) values of one column; the query's own value is always permitted."""
        own = self.queries[:, j, None]
        if self.frozen[j]:
            return _same(own, values)
        gone = np.isnan(values)
        low, high, present = self.low[:, j], self.high[:, j], values[~gone]
        rules: list[BoolArray] = []
        if len(present) and (low.max() > present.min() or high.min() < present.max()):
            rules.append(((values >= low[:, None]) & (values <= high[:, None])) | gone)
        codes = self.levels[j]
        if codes is not None and not codes.all():
            rules.append(codes[np.where(gone, 0, values).astype(np.intp)] | gone)
        ban = self.banned[j]
        if ban is not None:
            rules.append(~ban[_codes(own), _codes(values)])
        if gone.any() and not self.missing[:, j].all():
            rules.append(~gone | self.missing[:, j, None])
        if not rules:
            return None
        allowed = rules[0]
        for rule in rules[1:]:
            allowed = allowed & rule
        return allowed | _same(own, values)


def _same(own: FloatArray, values: FloatArray) -> BoolArray:
    equal: BoolArray = (own == values) | (np.isnan(own) & np.isnan(values))
    return equal


def _codes(values: FloatArray) -> IntArray:
    """Give codes to index with; missing is the last place, −1."""
    return np.where(np.isnan(values), -1, values).astype(np.int64)


def _allowed_codes(feature: Feature) -> BoolArray | None:
    if not feature.is_coded:
        return None
    if feature.allowed is None:
        return np.ones(len(feature.levels), dtype=np.bool_)
    return np.array([level in feature.allowed for level in feature.levels], dtype=np.bool_)
