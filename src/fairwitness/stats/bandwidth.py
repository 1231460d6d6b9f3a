"""The median heuristic, exactly: the median distance of all pairs of a sample, without listing the pairs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.stats.samples import sample, sample_weights
from fairwitness.typing import FloatArray, IntArray

#: Cells of the histogram that the search starts from, and the most pairs that are listed at its end.
_CELLS, _MOST_PAIRS = 8192, 1_000_000


def median_bandwidth(x: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Give the median distance of two different values of a sample: the usual σ of a Gaussian kernel.

    Parameters
    ----------
    x
        (n,) finite numbers, of all groups together.
    weight
        (n,) weights of at least 0; a pair weighs w_i w_j. ``None`` for 1 each.

    Returns
    -------
    float
        ``numpy.median`` of all n (n − 1) / 2 distances (with weights: the smallest distance that half of
        the weight lies at or below). Where that is 0, because more than half of the pairs are ties: the
        mean of the distances above 0. NaN where all values are equal, or there are fewer than two.

    Raises
    ------
    DataError
        If a value is no finite number, or a weight is negative or not finite.

    Notes
    -----
    The number of pairs within a distance is counted on the sorted values in one sweep; the distance is
    enclosed from a histogram's autocorrelation and by interpolation until few pairs are left, which are
    listed. Exact, in O(n log n) time.

    References
    ----------
    D. Garreau, W. Jitkrittum & M. Kanagawa (2017), Large sample analysis of the median heuristic.
    """
    values = sample(x).astype(np.float64, copy=False)
    weights = sample_weights(weight, len(values))
    if weights is None:
        distinct, counts = _distinct(np.sort(values))
        pairs = _Pairs(distinct, counts.astype(np.float64))
        squares = float(len(values))
    else:
        kept = weights > 0
        order = np.argsort(values[kept], kind="stable")
        values, weights = values[kept][order], weights[kept][order]
        distinct, counts = _distinct(values)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        pairs = _Pairs(distinct, np.add.reduceat(weights, starts) if len(weights) else weights)
        squares = float(weights @ weights)
    if len(distinct) < 2:
        return math.nan
    total = (pairs.upto[-1] ** 2 - squares) / 2
    tied = (float(pairs.mass @ pairs.mass) - squares) / 2
    if weights is None:
        ranks = [(int(total) + 1) // 2, int(total) // 2 + 1]
        median = sum(pairs.smallest(*(rank - tied for rank in ranks))) / 2
    else:
        # half of the weight, but for rounding of the sums
        median = pairs.smallest(total / 2 * (1 - 1e-12) - tied)[0]
    return median if median > 0 else pairs.mean()


def _distinct(ordered: FloatArray) -> tuple[FloatArray, IntArray]:
    places = np.flatnonzero(np.append(np.ones(min(len(ordered), 1), dtype=bool), ordered[1:] != ordered[:-1]))
    return ordered[places], np.diff(np.append(places, len(ordered)))


class _Pairs:
    """All pairs of different values, each weighing the product of its masses."""

    def __init__(self, values: FloatArray, mass: FloatArray) -> None:
        self.values = values - (values[0] if len(values) else 0.0)
        self._given = values
        self.mass = mass
        self.upto = np.cumsum(mass)

    def mean(self) -> float:
        """Mean of the distances, all above 0."""
        before = np.concatenate([[0.0], self.upto[:-1]])
        moments = np.cumsum(self.mass * self.values)
        above = float(self.mass @ (before * self.values - np.concatenate([[0.0], moments[:-1]])))
        return above / float(self.mass @ before)

    def smallest(self, *ranks: float) -> list[float]:
        """Give, for each of one or two rising ranks, the smallest distance that so much lies at or below.

        A rank of 0 or less is reached at 0: by the ties.
        """
        if ranks[0] <= 0:
            return [0.0, *(self.smallest(*ranks[1:]) if ranks[1:] else [])]
        low, high = self._enclose(ranks[0], ranks[-1])
        below, above = self._within(low), self._within(high)
        listed, share, steady = self._number(low, high), 1e-3, True
        while listed > max(_MOST_PAIRS, 4 * len(self.values)):
            # Aim a little past the rank on both sides, where the count is taken to be linear.
            aim = low + (high - low) * (ranks[0] - below) / max(above - below, 1.0)
            margin = share * (high - low)
            points = [aim - margin, aim + margin] if steady else [_middle(low, high)]
            for point in points:
                if not low < point < high:
                    continue
                count = self._within(point)
                if count < ranks[0]:
                    low, below = point, count
                elif count >= ranks[-1]:
                    high, above = point, count
                else:  # the point parts the two ranks
                    return self.smallest(ranks[0]) + self.smallest(ranks[-1])
            if not low < _middle(low, high) < high:
                break
            left = self._number(low, high)
            steady, listed = left < listed / 8 or not steady, left
        return self._select(low, high, [rank - below for rank in ranks])

    def _enclose(self, first: float, last: float) -> tuple[float, float]:
        """Enclose the distance by the autocorrelation of a histogram, then make sure."""
        width = self.values[-1] / _CELLS
        cells = np.minimum((self.values / width).astype(np.int64), _CELLS - 1) if width > 0 else None
        low, high = 0.0, float(self.values[-1]) * (1 + 1e-9) + 5e-324
        if cells is None or not np.isfinite(width):
            return low, high
        spectrum = np.fft.rfft(np.bincount(cells, self.mass, minlength=_CELLS), 2 * _CELLS)
        lags = np.fft.irfft(spectrum.real**2 + spectrum.imag**2)[:_CELLS]
        at = int(np.searchsorted(np.cumsum(lags[1:]) + lags[0] / 2, first))
        guess = (max(at - 1.5, 0.0) * width, (at + 3.5) * width)
        if guess[0] > 0 and self._within(guess[0]) < first:
            low = guess[0]
        if guess[1] < high and self._within(guess[1]) >= last:
            high = guess[1]
        return low, high

    def _reach(self, distance: float) -> IntArray:
        """(m,) how many values are at most ``distance`` above each value or anywhere below it."""
        return np.searchsorted(self.values, self.values + distance, side="right").astype(np.int64)

    def _within(self, distance: float) -> float:
        """Weight of all pairs at most ``distance`` apart."""
        return float(self.mass @ (self.upto[self._reach(distance) - 1] - self.upto))

    def _number(self, low: float, high: float) -> int:
        return int((self._reach(high) - self._reach(low)).sum())

    def _select(self, low: float, high: float, ranks: list[float]) -> list[float]:
        starts, stops = self._reach(low), self._reach(high)
        sizes = stops - starts
        own = np.repeat(np.arange(len(sizes)), sizes)
        other = np.arange(len(own)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + starts[own]
        apart = self._given[other] - self._given[own]
        order = np.argsort(apart, kind="stable")
        upto = np.cumsum((self.mass[own] * self.mass[other])[order])
        places = np.searchsorted(upto, np.array(ranks) * (1 - 1e-15))
        return [float(apart[order[min(int(place), len(order) - 1)]]) for place in places]


def _middle(low: float, high: float) -> float:
    """Give the number in the middle of all floating-point numbers between two, at least 0."""
    ends = np.array([low, high]).view(np.int64)
    return float((ends[:1] + (ends[1:] - ends[:1]) // 2).view(np.float64)[0])
