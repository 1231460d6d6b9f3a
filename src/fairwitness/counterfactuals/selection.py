"""Which of a query's accepted rows are returned, and in what order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairwitness.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.table.distance import MixedDistance


def choose(
    rows: FloatArray, loss: FloatArray, k: int, *, measure: MixedDistance, diversity: float
) -> IntArray:
    """Give positions of the k rows of least loss, or of a diverse choice among all.

    With ``diversity`` above 0, rows are chosen one after the other: each time the one with the least loss
    minus ``diversity`` times its distance to the nearest row chosen before, by column.

    Parameters
    ----------
    rows, loss
        (p, d) and (p,), ascending in loss.
    """
    if diversity <= 0 or len(rows) <= k:
        return np.arange(min(k, len(rows)), dtype=np.int64)
    chosen = [0]
    apart = np.full(len(rows), np.inf)
    while len(chosen) < k:
        last = rows[chosen[-1]]
        apart = np.minimum(apart, measure.rowwise(rows, np.broadcast_to(last, rows.shape)))
        value = loss - diversity * apart / rows.shape[1]
        value[chosen] = np.inf
        chosen.append(int(np.argmin(value)))
    return np.array(chosen, dtype=np.int64)


def by_distance(rows: FloatArray, distance: FloatArray) -> IntArray:
    """Order rows by distance, then by content: by first, second, … column."""
    return np.lexsort((*rows.T[::-1], distance)).astype(np.int64)
