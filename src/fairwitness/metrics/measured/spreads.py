"""How far the groups' distributions of scores are apart: exact distances, intervals from a histogram.

Distances of samples are never below 0 and, by noise alone, above what they are in the population, which
:func:`~fairwitness.metrics.counted.intervals.distance_interval` allows for. p-values come from pairs of
samples of both sizes drawn from the pooled distribution.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np

from fairwitness.metrics.counted.gaps import Gap
from fairwitness.metrics.counted.intervals import distance_interval
from fairwitness.metrics.counted.scores import Histogram, resampled
from fairwitness.stats.bandwidth import median_bandwidth
from fairwitness.stats.characteristic import CharacteristicSums
from fairwitness.stats.intervals import percentile
from fairwitness.stats.wasserstein import wasserstein_1, wasserstein_matrix
from fairwitness.typing import FloatArray, IntArray

#: Groups beyond which the largest distance of all pairs is not resampled.
MOST_PAIRED = 200
#: Frequencies beyond which the MMD is not resampled.
MOST_NODES = 1000
#: Bins of the tests.
TEST_BINS = 256
WHOLE = ("wasserstein_distance_max", "wasserstein_distance_to_whole", "mmd_max", "mmd_to_whole")
COMPARED = ("wasserstein_distance", "mmd", "mmd2_unbiased")


class Spreads:
    """Distances between the scores of groups.

    Parameters
    ----------
    values
        (n,) finite scores.
    codes
        (n,) group of each; −1 leaves the row out.
    counted
        The scores' histogram, a group.
    reference
        Position of the group that others are compared with; G for everyone.
    sample_weight
        (n,) weights; ``None`` for 1 each.
    """

    def __init__(
        self,
        values: FloatArray,
        codes: IntArray,
        counted: Histogram,
        names: Collection[str],
        *,
        reference: int,
        sample_weight: FloatArray | None,
        confidence: float,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> None:
        inside = codes >= 0
        self._values, self._codes = values[inside], codes[inside]
        self._weight = None if sample_weight is None else sample_weight[inside]
        self._counted = counted
        self._masses = counted.weight.sum(axis=1)
        self._names = frozenset(names)
        self._reference = reference
        self._confidence = confidence
        self._n_resamples = n_resamples
        self._rng = rng
        self.n_groups = len(self._masses)
        total = self._masses.sum(axis=1)
        squares = counted.squares.sum(axis=(1, 2))
        with np.errstate(invalid="ignore"):
            self.n = np.where(total > 0, total**2 / squares, 0.0)
        self._share = total / total.sum() if total.sum() > 0 else total

    @cached_property
    def bandwidth(self) -> float:
        """σ of the kernel: the median distance of all scores; 1 where all scores are equal."""
        found = median_bandwidth(self._values, self._weight)
        return found if np.isfinite(found) else 1.0

    def compared(self, name: str) -> Gap:
        """Give the distance of every group from the reference, as (G,) arrays."""
        if name == "wasserstein_distance":
            estimate = self._from_reference
        elif name == "mmd":
            estimate = np.sqrt(self._mmd_from_reference)
        else:
            estimate = self._sums.mmd_squared(unbiased=True)[:, self._reference]
        samples, p = self._resamples[name], self._p.get(name)
        if name == "mmd2_unbiased":
            # What resamples vary around is the form with the pairs of a row with itself.
            low, high = percentile(samples - self._mmd_from_reference, self._confidence)
            low, high = estimate + low, estimate + high
        else:
            low, high = distance_interval(estimate, samples, self._confidence, p=p)
        lacking = np.full(self.n_groups, np.nan)
        other = self.n.sum() if self._overall else self.n[self._reference]
        return Gap(
            estimate,
            low,
            high,
            (low, high),
            lacking,
            lacking if p is None else np.where(np.isfinite(estimate), p, np.nan),
            self.n + other,
            lacking,
            1 - np.isfinite(samples).mean(axis=0),
        )

    def whole(self, name: str) -> tuple[float, float, float]:
        """Give a distance of all groups, and its interval."""
        if name == "wasserstein_distance_max":
            estimate = _largest(self._matrix[0])
        elif name == "mmd_max":
            estimate = float(np.sqrt(_largest(self._sums.mmd_squared())))
        else:
            parts = self._matrix[1] if name.startswith("wasserstein") else np.sqrt(self._sums.from_pool())
            # An empty group has no distance and no share.
            estimate = float(np.where(self._share > 0, self._share * parts, 0.0).sum())
        if name not in self._resamples:
            return estimate, np.nan, np.nan
        low, high = distance_interval(estimate, self._resamples[name], self._confidence)
        return estimate, float(low), float(high)

    @property
    def _overall(self) -> bool:
        return self._reference == self.n_groups

    @cached_property
    def _matrix(self) -> tuple[FloatArray, FloatArray]:
        return wasserstein_matrix(self._values, self._codes, self.n_groups, weight=self._weight)

    @cached_property
    def _from_reference(self) -> FloatArray:
        if self._overall:
            return self._matrix[1]
        parts = [self._codes == group for group in range(self.n_groups)]
        if self._names.isdisjoint(WHOLE):
            mine = parts[self._reference]
            weight = self._weight
            return np.array(
                [
                    wasserstein_1(
                        self._values[each],
                        self._values[mine],
                        None if weight is None else weight[each],
                        None if weight is None else weight[mine],
                    )
                    for each in parts
                ]
            )
        return self._matrix[0][:, self._reference]

    @cached_property
    def _sums(self) -> CharacteristicSums:
        return CharacteristicSums.of(
            self._values, self._codes, self.n_groups, bandwidth=self.bandwidth, weight=self._weight
        )

    @cached_property
    def _mmd_from_reference(self) -> FloatArray:
        return self._sums.from_pool() if self._overall else self._sums.mmd_squared()[:, self._reference]

    @cached_property
    def _waves(self) -> FloatArray | None:
        """(B, 2J) cosines and sines at the histogram's scores whose squared differences are MMD², to 1e−6.

        The rule is that of :class:`fairwitness.stats.CharacteristicSums` with a shorter tail; ``None``
        where it needs too many frequencies.
        """
        values, sigma = self._counted.values, self.bandwidth
        reach = float(np.ptp(values)) if len(values) else 0.0
        step = 2 * np.pi / (reach + _TAIL * sigma)
        count = int(_TAIL / (sigma * step)) + 1
        if count > MOST_NODES:
            return None
        coefficients = (
            2 * step * sigma / np.sqrt(2 * np.pi) * np.exp(-((np.arange(count) * step * sigma) ** 2) / 2)
        )
        coefficients[0] /= 2
        angles = (values - values.min(initial=0.0))[:, None] * (np.arange(count) * step)
        waves = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
        return np.asarray(waves * np.sqrt(np.tile(coefficients, 2)))

    @cached_property
    def _resamples(self) -> dict[str, FloatArray]:
        """Give (B, G) distances from the reference, and (B,) of the whole, in bootstrapped samples."""
        found: dict[str, list[FloatArray]] = {}
        for drawn in resampled(
            self._counted, self._n_resamples, self._rng, weighted=self._weight is not None
        ):
            masses = drawn.sum(axis=2)
            total = masses.sum(axis=-1, keepdims=True)
            with np.errstate(invalid="ignore", divide="ignore"):
                shares = masses / total
            pool = masses.sum(axis=1, keepdims=True) / total.sum(axis=1, keepdims=True)
            weight = total[..., 0] / total.sum(axis=1)
            for name, values in self._distances(shares, pool, weight, total[..., 0]).items():
                found.setdefault(name, []).append(values)
        return {name: np.concatenate(parts) for name, parts in found.items()}

    def _distances(
        self, shares: FloatArray, pool: FloatArray, weight: FloatArray, total: FloatArray
    ) -> dict[str, FloatArray]:
        base = pool if self._overall else shares[:, [self._reference]]
        pairs = self.n_groups <= MOST_PAIRED
        found: dict[str, FloatArray] = {}
        kinds = {"wasserstein_distance": self._w1, "mmd": self._mmd2}
        for name, function in kinds.items():
            asked = {name, f"{name}_max", f"{name}_to_whole", *(["mmd2_unbiased"] if name == "mmd" else [])}
            if self._names.isdisjoint(asked) or (name == "mmd" and self._waves is None):
                if "mmd2_unbiased" in asked and not self._names.isdisjoint(asked):
                    empty = np.full(shares.shape[:2], np.nan)
                    found |= {"mmd": empty, "mmd2_unbiased": empty}
                continue
            coded = self._coded(name, shares)
            other = self._coded(name, base)
            squares = function(coded, other)
            found[name] = np.sqrt(squares) if name == "mmd" else squares
            if name == "mmd":
                found["mmd2_unbiased"] = self._without_own(squares, coded, other, total)
            if f"{name}_to_whole" in self._names:
                parts = function(coded, self._coded(name, pool))
                parts = np.sqrt(parts) if name == "mmd" else parts
                found[f"{name}_to_whole"] = np.where(weight > 0, weight * parts, 0.0).sum(axis=1)
            if f"{name}_max" in self._names and pairs:
                most = np.zeros(len(shares))
                for group in range(1, self.n_groups):
                    far = function(coded[:, :group], coded[:, [group]]).max(axis=1, initial=0.0)
                    most = np.fmax(most, far)
                found[f"{name}_max"] = np.sqrt(most) if name == "mmd" else most
        return found

    def _coded(self, name: str, shares: FloatArray) -> FloatArray:
        """Bring (..., B) shares to where distances are sums: distribution functions, or waves."""
        if name == "mmd":
            assert self._waves is not None
            return np.asarray(shares @ self._waves)
        return np.cumsum(shares, axis=-1)[..., :-1]

    def _w1(self, a: FloatArray, b: FloatArray) -> FloatArray:
        return np.asarray(np.abs(a - b) @ np.diff(self._counted.values))

    def _mmd2(self, a: FloatArray, b: FloatArray) -> FloatArray:
        return np.asarray(((a - b) ** 2).sum(axis=-1))

    def _without_own(
        self, squares: FloatArray, coded: FloatArray, other: FloatArray, total: FloatArray
    ) -> FloatArray:
        """Take the pairs of a row with itself out of MMD², as for weights of 1 each."""
        if self._overall:
            return np.full(squares.shape, np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            own = (1 - (coded**2).sum(axis=-1)) / (total - 1)
            reference = (1 - (other**2).sum(axis=-1)) / (total[:, [self._reference]] - 1)
            found = squares - own - reference
        # A resample with a single row of a group has no pair of rows.
        return np.where(np.isfinite(found), found, np.nan)

    @cached_property
    def _p(self) -> dict[str, FloatArray]:
        """Give (G,) shares of pairs of samples of one distribution that are at least as far apart."""
        if self._overall:
            return {}
        sizes = np.floor(self.n + 1e-9).astype(np.int64)
        reference, b = self._reference, self._n_resamples
        masses, values, waves = self._coarse()
        found = {"wasserstein_distance": np.full(self.n_groups, np.nan)}
        if self._waves is not None:
            found["mmd2_unbiased"] = np.full(self.n_groups, np.nan)
        met = {name: self._names & {name, *(["mmd"] if name.startswith("mmd") else [])} for name in found}
        for group in range(self.n_groups):
            if group == reference or not sizes[group] or not sizes[reference]:
                continue
            pooled = masses[group] + masses[reference]
            occupied = np.flatnonzero(pooled)
            pooled = pooled[occupied] / pooled.sum()
            drawn = np.zeros((2, b, masses.shape[1]))
            for side, size in enumerate((sizes[group], sizes[reference])):
                drawn[side][:, occupied] = self._rng.multinomial(size, pooled, size=b) / size
            mine = masses[group] / masses[group].sum() - masses[reference] / masses[reference].sum()
            gaps = (mine, drawn[0] - drawn[1])
            for name, wanted in met.items():
                if not wanted:
                    continue
                if waves is None or not name.startswith("mmd"):
                    apart = (np.abs(np.cumsum(each, axis=-1)[..., :-1]) @ np.diff(values) for each in gaps)
                else:
                    apart = (((each @ waves) ** 2).sum(axis=-1) for each in gaps)
                observed, moved = apart
                # Ties of equal samples come out a rounding error apart.
                found[name][group] = (1 + (moved >= observed * (1 - 1e-9)).sum()) / (1 + b)
        if "mmd2_unbiased" in found:
            found["mmd"] = found["mmd2_unbiased"]
        return found

    def _coarse(self) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Give masses, scores and waves on fewer bins: a test holds its level on them as on fine ones."""
        size = self._masses.shape[1]
        edges = np.linspace(0, size, min(size, TEST_BINS) + 1).astype(np.int64)[:-1]
        mass = np.maximum(self._masses.sum(axis=0), 1e-300)
        total = np.add.reduceat(mass, edges)
        values = np.add.reduceat(mass * self._counted.values, edges) / total
        if self._waves is None:
            return np.add.reduceat(self._masses, edges, axis=1), values, None
        waves = np.add.reduceat(mass[:, None] * self._waves, edges, axis=0) / total[:, None]
        return np.add.reduceat(self._masses, edges, axis=1), values, waves


#: √(2 ln 1e8): kernels are cut where they are that small.
_TAIL = float(np.sqrt(2 * np.log(1e8)))


def _largest(matrix: FloatArray) -> float:
    """Give the largest entry; NaN for an empty group's is left out."""
    known = matrix[np.isfinite(matrix)]
    return float(known.max()) if known.size else float("nan")
