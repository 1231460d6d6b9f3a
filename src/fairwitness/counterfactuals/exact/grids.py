"""The numbers a column can hold, numbered by whole numbers in ascending order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.table.precision import round_decimals
from fairwitness.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.table.encode import Encoder

#: Larger multiples of a step are not told apart by a double with room for the decimals.
_MOST = 2**50
#: Doubles that may be taken, beside 0: others are no amounts of anything.
_SMALLEST, _LARGEST = 1e-77, 1e77
#: Numbers closer than this share of their column's scale are one value to people.
_FINEST = 1e-6


@dataclass(frozen=True, eq=False)
class Grid:
    """Numbers ``first`` … ``last`` of a column that may be taken, in ascending order.

    Attributes
    ----------
    step
        The n-th number is n · step … or, if ``step`` is 0, the n-th floating-point number.
    decimals
        Numbers are rounded to these; ``None`` for none.
    storage
        Floating-point type of the column.
    discrete
        Whether neighbouring numbers are different values to people, and not one value to the last bit.
    """

    first: int
    last: int
    step: float
    decimals: int | None
    storage: np.dtype[Any]
    discrete: bool

    def value(self, n: IntArray | int) -> FloatArray:
        """Give the numbers with these positions."""
        places = np.asarray(n, dtype=np.int64)
        if self.step == 0:
            kind = np.int64 if self.storage == np.float64 else np.int32
            size = np.abs(places)
            bits = np.where(size > 0, size + self._zero, 0).astype(kind)
            return np.sign(places) * bits.view(self.storage).astype(np.float64)
        if self.decimals is None:
            return (places * self.step).astype(self.storage).astype(np.float64)
        if self.decimals == 0:
            return places.astype(np.float64)
        return round_decimals(places / 10.0**self.decimals, self.decimals, self.storage)

    @property
    def _zero(self) -> int:
        """The bits of the number that counts as 0: so that positions of both signs fit into 64 bits."""
        return int(np.float64(_SMALLEST).view(np.int64)) if self.storage == np.float64 else 0

    def at_least(self, x: float) -> int:
        """Give the first position whose number is x or more (one past the last if there is none)."""
        n = min(max(self._near(x), self.first), self.last)
        while n > self.first and float(self.value(n - 1)) >= x:
            n -= 1
        while n <= self.last and float(self.value(n)) < x:
            n += 1
        return n

    def _near(self, x: float) -> int:
        if self.step == 0:
            with np.errstate(over="ignore"):
                size = np.asarray(abs(x), dtype=np.float64).astype(self.storage)
            bits = int(size.view(np.int64 if self.storage == np.float64 else np.int32))
            return max(0, bits - self._zero) * (1 if x > 0 else -1)
        scaled = x * 10.0**self.decimals if self.decimals is not None else x / self.step
        return math.floor(scaled) if abs(scaled) < _MOST else int(math.copysign(_MOST, scaled))


def grid_of(encoder: Encoder, j: int, *, scale: float, step: float | None) -> Grid:
    """Number the values of a numeric or integer column, within its bounds.

    ``step`` is used where the column has full precision; ``None``: every floating-point number. Decimals
    that are less than a millionth of the column's ``scale`` are no different values to people.
    """
    feature = encoder.schema.features[j]
    low, high = feature.bounds if feature.bounds is not None else (-np.inf, np.inf)
    decimals = 0 if feature.kind == "integer" else feature.precision
    storage = np.dtype(np.float64) if feature.kind == "integer" else _storage(encoder, j, decimals)
    if decimals is None and step is None:
        top = _LARGEST if storage == np.float64 else float(np.finfo(storage).max)
        whole = Grid(0, 0, 0.0, None, storage, discrete=False)
        ends = [whole._near(min(max(end, -top), top)) for end in (low, high)]
    else:
        size = 10.0**-decimals if decimals is not None else _coarse(float(step or 1.0), low, high, storage)
        whole = Grid(
            -_MOST, _MOST, size, decimals, storage, discrete=decimals is not None and size >= _FINEST * scale
        )
        ends = [
            whole._near(end) if np.isfinite(end) else int(math.copysign(_MOST, end)) for end in (low, high)
        ]
    wide = Grid(ends[0] - 2, ends[1] + 2, whole.step, decimals, storage, whole.discrete)
    first = wide.at_least(low) if np.isfinite(low) else ends[0]
    last = wide.at_least(high) if np.isfinite(high) else ends[1]
    while last >= first and float(wide.value(last)) > high:
        last -= 1
    return Grid(first, last, whole.step, decimals, storage, whole.discrete)


def _storage(encoder: Encoder, j: int, decimals: int | None) -> np.dtype[Any]:
    """Find the floating-point type of a column, by what it makes of a third."""
    probe = np.zeros((1, encoder.n_features))
    probe[0, j] = 1 / 3
    held = float(encoder.snap(probe)[0, j])
    third = 1 / 3 if decimals is None else round(1 / 3, decimals)
    return np.dtype(np.float64 if held == third else np.float32)


def _coarse(step: float, low: float, high: float, storage: np.dtype[Any]) -> float:
    """Make a step no finer than the type can tell numbers of this size apart."""
    ends = [abs(end) for end in (low, high) if np.isfinite(end)]
    finest = float(np.spacing(np.asarray(max([1.0, *ends])).astype(storage)))
    return 2.0 ** math.ceil(math.log2(max(step, 4 * finest)))
