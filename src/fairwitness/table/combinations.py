"""The combinations of linked columns as numbers, and a fast answer to whether a row has one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairwitness.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Combinations:
    """A link between columns of the encoded matrix.

    Attributes
    ----------
    columns
        (w,) positions of the linked columns.
    rows
        (c, w) encoded combinations that may occur, distinct, in an order that depends on them only;
        missing is NaN.
    """

    columns: IntArray
    rows: FloatArray
    _values: tuple[FloatArray, ...]
    _pairs: tuple[IntArray, ...]

    @classmethod
    def of(cls, columns: IntArray, rows: FloatArray) -> Combinations:
        """Collect the distinct ones of (n, w) rows."""
        values = tuple(np.unique(rows[:, j] + 0.0) for j in range(rows.shape[1]))
        # Column by column, the position so far and the next value become one number, which is then
        # numbered anew: no number grows beyond the square of the number of rows.
        pairs: list[IntArray] = []
        code = _positions(values[0], rows[:, 0])
        for j in range(1, rows.shape[1]):
            code = code * len(values[j]) + _positions(values[j], rows[:, j])
            pairs.append(np.unique(code))
            code = np.searchsorted(pairs[-1], code)
        first = np.unique(code, return_index=True)[1]
        return cls(np.asarray(columns, dtype=np.int64), rows[first] + 0.0, values, tuple(pairs))

    def knows(self, values: FloatArray) -> BoolArray:
        """(n,) which of (n, w) rows, in the order of ``columns``, are among the combinations."""
        code = _positions(self._values[0], values[:, 0])
        for j, pairs in enumerate(self._pairs, start=1):
            nxt = _positions(self._values[j], values[:, j])
            joint = np.where((code < 0) | (nxt < 0), -1, code * len(self._values[j]) + nxt)
            code = _positions(pairs, joint)
        return code >= 0

    def keeps(self, matrix: FloatArray, queries: FloatArray) -> BoolArray:
        """(n,) which rows (n, d) have one of the combinations, or the very one of their query (n, d)."""
        mine, theirs = matrix[:, self.columns], queries[:, self.columns]
        same = ((mine == theirs) | (np.isnan(mine) & np.isnan(theirs))).all(axis=1)
        if not same.all():
            moved = np.flatnonzero(~same)
            same[moved] = self.knows(mine[moved])
        return np.asarray(same, dtype=np.bool_)


def _positions(known: NDArray[Any], values: NDArray[Any]) -> IntArray:
    """Give the place of each value among ascending ones, NaN last; −1 for one that is not there."""
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found = known[at]
    hit = (found == values) | ((found != found) & (values != values))
    return np.where(hit, at, -1).astype(np.int64)
