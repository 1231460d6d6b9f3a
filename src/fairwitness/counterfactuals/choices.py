"""Uniform draws over what each query's columns may become: ranges of numbers, lists of levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairwitness.counterfactuals.limits import Limits
from fairwitness.typing import BoolArray, FloatArray

if TYPE_CHECKING:
    from fairwitness.table.schema import Schema


@dataclass(frozen=True, eq=False)
class Choices:
    """Permitted values of each query, ready to draw from.

    Attributes
    ----------
    low, high
        (q, d) numbers: inclusive ends of the range. Coded columns: first and one past the last position in
        ``codes``. Nothing can be drawn where low > high (numbers) or low = high (codes).
    codes
        For each coded column, the allowed codes, ascending, then NaN for "becomes missing"; ``None`` for
        numbers.
    whole
        (d,) whether the column holds whole numbers.
    """

    low: FloatArray
    high: FloatArray
    codes: tuple[FloatArray | None, ...]
    whole: BoolArray

    @classmethod
    def of(cls, schema: Schema, limits: Limits, observed: tuple[FloatArray, FloatArray]) -> Choices:
        """Lay out the permitted values; a range without an end is cut to (d,) what the table holds."""
        low, high = limits.low.copy(), limits.high.copy()
        codes: list[FloatArray | None] = []
        for j, levels in enumerate(limits.levels):
            if levels is None:
                open_low, open_high = np.isneginf(low[:, j]), np.isposinf(high[:, j])
                low[open_low, j] = np.minimum(observed[0][j], high[open_low, j])
                high[open_high, j] = np.maximum(observed[1][j], low[open_high, j])
                codes.append(None)
                continue
            allowed = np.flatnonzero(levels).astype(np.float64)
            low[:, j] = np.searchsorted(allowed, limits.low[:, j], side="left")
            high[:, j] = np.searchsorted(allowed, limits.high[:, j], side="right") + limits.missing[:, j]
            codes.append(np.append(allowed, np.nan))
        whole = np.array([feature.kind == "integer" for feature in schema.features], dtype=np.bool_)
        low[:, whole], high[:, whole] = np.ceil(low[:, whole]), np.floor(high[:, whole])
        low[:, limits.frozen], high[:, limits.frozen] = 1.0, 0.0
        return cls(low, high, tuple(codes), whole)

    def take(self, rows: NDArray[np.generic]) -> Choices:
        """Give the choices of some queries."""
        return Choices(self.low[rows], self.high[rows], self.codes, self.whole)

    def join(self, other: Choices) -> Choices:
        """Put the choices of more queries behind these."""
        return Choices(
            np.concatenate([self.low, other.low]),
            np.concatenate([self.high, other.high]),
            self.codes,
            self.whole,
        )

    def draw(self, rows: FloatArray, where: BoolArray, uniform: FloatArray) -> FloatArray:
        """Replace values of (q, c, d) ``rows`` where the mask says so; what has no choice stays."""
        out = rows.copy()
        for j, codes in enumerate(self.codes):
            query, slot = np.nonzero(where[:, :, j])
            low, high = self.low[query, j], self.high[query, j]
            some = low < high if codes is not None else low <= high
            query, slot, low, high = query[some], slot[some], low[some], high[some]
            u = uniform[query, slot, j]
            if codes is not None:
                value = codes[(low + u * (high - low)).astype(np.intp)]
            elif self.whole[j]:
                value = np.minimum(low + np.floor(u * (high - low + 1)), high)
            else:
                value = low + u * (high - low)
            out[query, slot, j] = value
        return out
