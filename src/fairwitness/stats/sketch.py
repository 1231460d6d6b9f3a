"""Mergeable histograms of scores: Wasserstein-1 over streams, off by a bin width at the most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairwitness.arguments import real_number, whole_number
from fairwitness.errors import ConfigError, DataError
from fairwitness.stats.samples import group_codes, sample, sample_weights
from fairwitness.text import number
from fairwitness.typing import FloatArray

#: Values placed at a time.
_STEP = 262_144


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HistogramSketch:
    """Weights of each group in equal bins of a fixed range.

    Sketches of parts of the data add up with ``+``; their size does not depend on the number of rows.

    Attributes
    ----------
    low, high
        Range that all values lie in, ends included.
    counts
        (G, bins) weight in each bin (number of values without weights).
    """

    low: float
    high: float
    counts: FloatArray

    @classmethod
    def of(
        cls,
        x: ArrayLike,
        codes: ArrayLike | None = None,
        n_groups: int | None = None,
        *,
        low: float = 0.0,
        high: float = 1.0,
        bins: int = 2048,
        weight: ArrayLike | None = None,
    ) -> HistogramSketch:
        """Count some values.

        Parameters
        ----------
        x
            (n,) finite numbers within the range.
        codes
            (n,) group of each value, from 0; negative leaves the value out. Default one group.
        n_groups
            Number of groups, G; default one more than the largest code.
        low, high
            Range, ``low`` below ``high``.
        bins
            Number of bins.
        weight
            (n,) weights of at least 0; ``None`` for 1 each.

        Raises
        ------
        DataError
            If a value is no finite number or lies outside the range, or weights or codes do not fit.
        ConfigError
            If the range is empty, or ``bins`` is no whole number above 0.
        """
        first, last = real_number(low, "low"), real_number(high, "high")
        whole_number(bins, "bins")
        if not first < last:
            raise ConfigError("the range is empty", got=f"low={low}, high={high}", fix="pass low below high")
        values = sample(x)
        weights = sample_weights(weight, len(values))
        places, groups = group_codes(codes, len(values), n_groups)
        if len(values) and not (first <= values.min() and values.max() <= last):
            raise DataError(
                "a value lies outside the range",
                got=f"values from {number(float(values.min()))} to {number(float(values.max()))}",
                fix="give the range of all values as low and high",
            )
        cells = (groups + 1) * bins
        counts = np.zeros(cells)
        for at in range(0, len(values), _STEP):
            some = slice(at, at + _STEP)
            # codes below 0 fall into the first row, which is cut off
            into = (np.maximum(places[some], -1) + 1) * bins + _bins(values[some], first, last, bins)
            counts += np.bincount(into, None if weights is None else weights[some], minlength=cells)
        return cls(first, last, counts.reshape(groups + 1, bins)[1:])

    def __add__(self, other: HistogramSketch) -> HistogramSketch:
        """Add the counts of another part of the data."""
        if not isinstance(other, HistogramSketch):
            return NotImplemented
        mine, theirs = ((each.low, each.high, each.counts.shape) for each in (self, other))
        if mine != theirs:
            raise DataError(
                "sketches of different ranges, bins or groups cannot be added",
                got=f"low, high and (groups, bins) {mine} and {theirs}",
                fix="fix low, high, bins and n_groups before the first part",
            )
        return replace(self, counts=self.counts + other.counts)

    def __repr__(self) -> str:
        groups, bins = self.counts.shape
        return (
            f"<HistogramSketch of {groups} groups, {bins:,} bins from {number(self.low)} to "
            f"{number(self.high)}>"
        )

    @property
    def error(self) -> float:
        """Most that a Wasserstein-1 distance is off: the width of a bin, half for each of the two groups."""
        return (self.high - self.low) / int(self.counts.shape[1])

    @property
    def centres(self) -> FloatArray:
        """(bins,) middle of each bin: where a value of the bin is taken to be."""
        return np.asarray(self.low + (np.arange(self.counts.shape[1]) + 0.5) * self.error, dtype=np.float64)

    def wasserstein_1(self) -> FloatArray:
        """Give the Wasserstein-1 distance of every pair of groups, within :attr:`error` of the exact one.

        Returns
        -------
        (G, G)
            Symmetric, at least 0, in the unit of the values; NaN where a group is empty.
        """
        upto = self._upto()
        return np.stack([self._between(upto, each) for each in upto]) if len(upto) else np.zeros((0, 0))

    def from_pool(self) -> FloatArray:
        """Give the Wasserstein-1 distance of every group and all groups together, (G,)."""
        pool = HistogramSketch(self.low, self.high, self.counts.sum(axis=0, keepdims=True))
        return self._between(self._upto(), pool._upto()[0])

    def _upto(self) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(
                np.cumsum(self.counts, axis=1) / self.counts.sum(axis=1, keepdims=True), dtype=np.float64
            )

    def _between(self, upto: FloatArray, other: FloatArray) -> FloatArray:
        return np.asarray(np.abs(upto - other).sum(axis=1) * self.error)


def _bins(values: NDArray[Any], low: float, high: float, bins: int) -> NDArray[np.int64]:
    scaled = (values.astype(np.float64, copy=False) - low) * (bins / (high - low))
    return np.minimum(scaled.astype(np.int64), bins - 1)
