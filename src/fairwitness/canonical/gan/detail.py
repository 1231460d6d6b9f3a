"""Numbers in ramps: what lets a small network see a step in a score, or a value that nobody has.

A mode and a place in it say what a number is, but a network has to bend a straight line often to say where it
lies. Beside them the networks that read rows are given, for each of up to 32 ranges of the column, how far
through it the number is: 0 below, 1 above. All of it can be differentiated by the modes and places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairwitness.canonical.gan.codec import Codec
from fairwitness.canonical.rows import Rows
from fairwitness.typing import FloatArray

#: Ranges a column at most, and of all columns together where there are many.
MOST_RANGES = 32
ALL_RANGES = 320
FEWEST_RANGES = 4


class Detail:
    """Ramps of the numeric columns of fitted rows.

    Parameters
    ----------
    torch, device
        The module, and where the numbers live.
    rows, codec
        The table and its columns.
    """

    def __init__(self, torch: Any, device: Any, rows: Rows, codec: Codec) -> None:
        self._torch = torch
        self._m = m = len(codec.modes)
        centre, spread = np.zeros((codec.width, m)), np.zeros((codec.width, m))
        owner, low, size = [], [], []
        ranges = min(max(ALL_RANGES // max(m, 1), FEWEST_RANGES), MOST_RANGES)
        for at, (column, modes) in enumerate(codec.modes.items()):
            values = rows.matrix[:, column]
            values = values[~np.isnan(values)]
            edges = _edges(values, ranges) if len(values) else np.array([0.0])
            # numbers run from 0 to 1, or those of large columns would lose their last digits
            start, length = edges[0], (edges[-1] - edges[0]) or 1.0
            slots = m + codec.starts[column] + np.arange(codec.sizes[column])
            middle = float(np.median(values)) if len(values) else 0.0
            own = np.concatenate([modes.means, modes.spikes, [middle]])
            centre[slots, at] = (own[: len(slots)] - start) / length
            spread[slots[: len(modes.scales)], at] = 4 * modes.scales / length
            owner.append(np.full(len(edges) - 1, at))
            low.append((edges[:-1] - start) / length)
            size.append(np.diff(edges) / length)
        self._centre, self._spread = (self._put(each, device) for each in (centre, spread))
        self._low, self._steep = (
            self._put(np.concatenate(each) if each else np.empty(0), device)
            for each in (low, [1 / part for part in size])
        )
        self._owner = torch.from_numpy(
            np.concatenate(owner).astype(np.int64) if owner else np.empty(0, np.int64)
        )
        self._owner = self._owner.to(device)
        #: Width of a row with its ramps.
        self.width = codec.width + len(self._owner)

    def __call__(self, rows: Any) -> Any:
        """Give (n, width) rows with their ramps beside them."""
        if not len(self._owner):
            return rows
        numbers = rows @ self._centre + rows[:, : self._m] * (rows @ self._spread)
        ramps = ((numbers[:, self._owner] - self._low) * self._steep).clamp(0, 1)
        return self._torch.cat([rows, ramps], 1)

    def _put(self, array: FloatArray, device: Any) -> Any:
        return self._torch.from_numpy(array.astype(np.float32)).to(device)


def _edges(values: FloatArray, ranges: int) -> FloatArray:
    """Give edges of ranges with about as many rows each; where one value has most rows, of the other rows."""
    steps = np.linspace(0, 1, ranges + 1)
    edges = np.unique(np.quantile(values, steps))
    others = values[(values != np.median(values))]
    if len(edges) <= ranges // 2 and len(others):
        edges = np.unique(np.concatenate([edges, np.quantile(others, steps, method="nearest")]))
    return edges
