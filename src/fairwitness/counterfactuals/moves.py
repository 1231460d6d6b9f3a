"""Changes of one column alone: what is tried first for every query, and which of them help most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.nearest import AcceptedPool
    from fairwitness.table.encode import Encoder

#: Moves a query, at most, as long as every column has two; a table that needs more than the second gets none.
_MOST, _END = 256, 1024
#: Of a column of numbers, at most so many.
_NUMBERS = 12


@dataclass(frozen=True, eq=False)
class Moves:
    """Values that each query tries in one column, all others as they are.

    Attributes
    ----------
    column, value
        (m,) sorted by column: all levels, or numbers spread evenly over those that accepted rows have.
    """

    column: IntArray
    value: FloatArray

    @classmethod
    def of(cls, encoder: Encoder, pool: AcceptedPool, observed: tuple[FloatArray, FloatArray]) -> Moves:
        """Choose values for the columns that are in no link and may change."""
        linked = {j for link in encoder.links for j in link.columns.tolist()}
        free = [
            j
            for j, feature in enumerate(encoder.schema.features)
            if j not in linked and not feature.immutable
        ]
        # one move a column would be the smallest number, or the commonest level, alone: both ends at least
        share = max(_MOST // max(1, len(free)), 2)
        free = free if 2 * len(free) <= _END else []
        values: list[FloatArray] = []
        for j in free:
            feature = encoder.schema.features[j]
            present = pool.rows[:, j][~np.isnan(pool.rows[:, j])]
            if feature.is_coded:
                count = np.bincount(present.astype(np.int64), minlength=len(feature.levels))
                common = np.argsort(-count, kind="stable")[:share]
                values.append(np.sort(common).astype(np.float64))
                continue
            ends = np.array([observed[0][j], observed[1][j]])
            distinct = np.unique(np.concatenate([present, ends[np.isfinite(ends)]]))
            n = min(share, _NUMBERS, len(distinct))
            at = np.rint(np.linspace(0, len(distinct) - 1, n)).astype(np.int64) if n else np.zeros(0, int)
            values.append(distinct[at])
        column = np.repeat(np.array(free, dtype=np.int64), [len(each) for each in values])
        return cls(column, np.concatenate([np.zeros(0), *values]))

    def rows(self, home: FloatArray, low: FloatArray, high: FloatArray, numbers: BoolArray) -> FloatArray:
        """(q, m, d) the queries (q, d) with each move; numbers are cut to the queries' ranges (q, d)."""
        out = np.repeat(home[:, None, :], len(self.value), axis=1)
        value = np.broadcast_to(self.value, out.shape[:2])
        low, high = low[:, self.column], high[:, self.column]
        cut = numbers[self.column] & (low <= high)
        out[:, np.arange(len(self.value)), self.column] = np.where(cut, np.clip(value, low, high), value)
        return out

    def nearest(self, accepted: BoolArray, cost: FloatArray, numbers: BoolArray) -> BoolArray:
        """(q, m) all moves but those to a number that is farther than another accepted one of its column."""
        out = np.ones(accepted.shape, dtype=np.bool_)
        cost = np.where(accepted, cost, np.inf)
        for j in np.unique(self.column[numbers[self.column]]).tolist():
            mine = np.flatnonzero(self.column == j)
            out[:, mine] = ~accepted[:, mine]
            least = mine[np.argmin(cost[:, mine], axis=1)]
            out[np.arange(len(out)), least] = True
        return out

    def best(
        self, rows: FloatArray, score: FloatArray, cost: FloatArray, most: int
    ) -> tuple[IntArray, FloatArray]:
        """Give the moves that raise the score most for what they cost, one a column.

        Parameters
        ----------
        rows, score, cost
            (q, m, d), (q, m) and (q, m); a score of NaN: not asked.

        Returns
        -------
        column, value
            (q, most); −1 where there is no move that raises the score.
        """
        q, m = score.shape
        column, value = np.full((q, most), -1, dtype=np.int64), np.zeros((q, most))
        known = np.isfinite(score)
        some = np.flatnonzero(known.any(axis=1))
        if not len(some):
            return column, value
        # most moves change little: the score in their midst stands for the query's own
        gain = np.full((q, m), -np.inf)
        gain[some] = score[some] - np.nanmedian(score[some], axis=1)[:, None]
        ratio = np.where(known & (gain > 0), gain / np.maximum(cost, 1e-12), 0.0)
        starts = np.flatnonzero(np.diff(self.column, prepend=-1))
        top = np.maximum.reduceat(ratio, starts, axis=1)
        order = np.argsort(-top, axis=1, kind="stable")[:, :most]
        ends = np.append(starts[1:], m)
        for place in range(order.shape[1]):
            for group in np.unique(order[:, place]).tolist():
                lines = np.flatnonzero((order[:, place] == group) & (top[:, group] > 0))
                if not len(lines):
                    continue
                move = starts[group] + np.argmax(ratio[lines, starts[group] : ends[group]], axis=1)
                column[lines, place] = self.column[move]
                value[lines, place] = rows[lines, move, self.column[move]]
        return column, value
