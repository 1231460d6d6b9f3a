"""What "nearest" means: what a change costs in each column, and how the costs of columns add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from fairwitness.errors import ConfigError
from fairwitness.typing import BoolArray, FloatArray

if TYPE_CHECKING:
    from fairwitness.table.distance import MixedDistance

Distance = Literal["shared", "l0", "l1", "linf"]


@dataclass(frozen=True, eq=False)
class Metric:
    """One of four distances, with the shared one to settle ties.

    Attributes
    ----------
    name
        ``"shared"``: :class:`fairwitness.table.MixedDistance`; ``"l0"``: columns changed; ``"l1"``:
        sum of differences over the columns' observed ranges, 1 an unlike category; ``"linf"``: the
        largest of these.
    scales
        (d,) what one unit of cost is in each column.
    shared
        (d,) the scales of the shared distance.
    flat
        (d,) whether any change of the column costs 1.
    """

    name: Distance
    scales: FloatArray
    shared: FloatArray
    flat: BoolArray

    @classmethod
    def of(cls, name: Distance, distance: MixedDistance, rows: FloatArray) -> Metric:
        """Scale the distance ``name`` on the distinct rows (u, d) of a table."""
        if name not in get_args(Distance):
            raise ConfigError("distance is not known", got=name, fix="pass shared, l0, l1 or linf")
        flat = np.array([kind == "0/1" for kind in distance.scale_kinds], dtype=np.bool_)
        spread = np.fmax.reduce(rows) - np.fmin.reduce(rows)
        ranges = np.where((spread > 0) & np.isfinite(spread) & ~flat, spread, 1.0)
        return cls(
            name=name,
            scales=ranges if name in {"l1", "linf"} else distance.scales,
            shared=distance.scales,
            flat=flat,
        )

    @property
    def is_largest(self) -> bool:
        """Whether the largest cost counts, not the sum."""
        return self.name == "linf"

    def column(self, j: int, own: float, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give the cost of changing column j from ``own`` to each of the values, and its shared distance."""
        return (
            self._column(j, own, values, self.scales[j], count=self.name == "l0"),
            self._column(j, own, values, self.shared[j], count=False),
        )

    def _column(self, j: int, own: float, values: FloatArray, scale: float, *, count: bool) -> FloatArray:
        same = (values == own) | (np.isnan(values) & np.isnan(own))
        if self.flat[j] or count or np.isnan(own):
            return np.where(same, 0.0, 1.0)
        with np.errstate(over="ignore"):
            far = np.abs(values - own) / scale
        return np.where(np.isnan(values), 1.0, far)

    def join(self, costs: FloatArray) -> FloatArray:
        """Add up (…, d) costs of columns to (…,)."""
        out: FloatArray = costs.max(axis=-1) if self.is_largest else costs.sum(axis=-1)
        return out

    def of_rows(self, own: FloatArray, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give the distance of (n, d) rows to the row ``own``, and their shared distance."""
        parts = [self.column(j, float(own[j]), rows[:, j]) for j in range(rows.shape[1])]
        return self.join(np.stack([p[0] for p in parts], axis=-1)), sum(p[1] for p in parts)  # type: ignore[return-value]

    def reach(self, j: int, limit: float) -> float:
        """How far a number of column j may move within the limit."""
        if self.name == "l0":
            return np.inf if limit >= 1 else 0.0
        return limit * float(self.scales[j])
