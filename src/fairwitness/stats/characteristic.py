"""Gaussian MMD² between groups of one-dimensional samples in O(n), from sums that add across parts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairwitness.arguments import real_number
from fairwitness.errors import ConfigError, DataError
from fairwitness.stats.nodes import node_sums
from fairwitness.stats.samples import group_codes, sample, sample_weights
from fairwitness.text import number
from fairwitness.typing import FloatArray

#: The kernel's own error ε; MMD² is a sum of four kernel means, each off by less than 2.2 ε.
_KERNEL_ERROR = 1e-13
_TAIL = math.sqrt(2 * math.log(1 / _KERNEL_ERROR))
#: Values turned into angles at a time.
_STEP = 1_000_000
#: Frequencies beyond which a range is refused: R / σ of about 10 million.
_MOST_NODES = 10_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CharacteristicSums:
    """Sums of w e^{i j h x} for every group: all that the Gaussian MMD² of any two groups needs.

    Sums of parts of the data (batches, partitions, machines) add up with ``+`` if bandwidth and range were
    fixed beforehand.

    Attributes
    ----------
    bandwidth
        σ of the kernel exp(−d² / 2σ²), in the unit of the values.
    low, high
        Range that all values lie in.
    weight, squares
        (G,) sums of the weights and of their squares (numbers of values without weights).
    sums
        (G, J) complex sums, frequency j h in column j.

    Notes
    -----
    MMD² = Σ_j c_j abs(φ_P(j h) − φ_Q(j h))² with c_j = (2 − δ_{j0}) h σ / √(2π) · e^{−(j h σ)² / 2} is the
    trapezoidal rule for the kernel's Fourier integral, h = 2π / (R + T σ), T = √(2 ln(1/ε)), j ≤ T / (σ h),
    R = high − low. By Poisson's summation its error is the kernel's own value at distances beyond T σ: MMD²
    is exact to 1e−12 (ε = 1e−13), however many values there are.
    """

    bandwidth: float
    low: float
    high: float
    weight: FloatArray
    squares: FloatArray
    sums: NDArray[np.complex128]

    @classmethod
    def of(
        cls,
        x: ArrayLike,
        codes: ArrayLike | None = None,
        n_groups: int | None = None,
        *,
        bandwidth: float,
        low: float | None = None,
        high: float | None = None,
        weight: ArrayLike | None = None,
    ) -> CharacteristicSums:
        """Sum over some values.

        Parameters
        ----------
        x
            (n,) finite numbers.
        codes
            (n,) group of each value, from 0; negative leaves the value out. Default one group.
        n_groups
            Number of groups, G; default one more than the largest code.
        bandwidth
            σ, above 0; see :func:`fairwitness.stats.median_bandwidth`.
        low, high
            Range of all values, those of other parts included; default the range of ``x``.
        weight
            (n,) weights of at least 0; ``None`` for 1 each.

        Raises
        ------
        DataError
            If a value is no finite number or lies outside the range, or weights or codes do not fit.
        ConfigError
            If the bandwidth is not above 0, or is too small for the range (below a ten-millionth).
        """
        values = sample(x)
        weights = sample_weights(weight, len(values))
        places, groups = group_codes(codes, len(values), n_groups)
        sigma = real_number(bandwidth, "bandwidth", above=0.0)
        least, most = _range(values, low, high)
        step = 2 * math.pi / (most - least + _TAIL * sigma)
        count = int(_TAIL / (sigma * step)) + 1
        if count > _MOST_NODES:
            raise ConfigError(
                "the bandwidth is too small for the range of the values",
                got=f"bandwidth {number(sigma)} for values from {number(least)} to {number(most)}",
                fix="pass a larger bandwidth, or cut off extreme values",
            )
        kept = None if codes is None or (places >= 0).all() else places >= 0
        if kept is not None:
            values, places = values[kept], places[kept]
            weights = None if weights is None else weights[kept]
        sums = np.zeros((groups, count), dtype=np.complex128)
        for at in range(0, len(values), _STEP):
            some = slice(at, at + _STEP)
            angles = (values[some].astype(np.float64, copy=False) - least) * step
            sums += node_sums(angles, places[some], groups, count, None if weights is None else weights[some])
        return cls(
            bandwidth=sigma,
            low=least,
            high=most,
            weight=np.bincount(places, weights, minlength=groups).astype(np.float64),
            squares=np.bincount(places, None if weights is None else weights**2, minlength=groups).astype(
                np.float64
            ),
            sums=sums,
        )

    def __add__(self, other: CharacteristicSums) -> CharacteristicSums:
        """Add the sums of another part of the data."""
        if not isinstance(other, CharacteristicSums):
            return NotImplemented
        mine, theirs = ((each.bandwidth, each.low, each.high, each.sums.shape[0]) for each in (self, other))
        if mine != theirs:
            raise DataError(
                "sums of different kernels, ranges or groups cannot be added",
                got=f"bandwidth, low, high and groups {mine} and {theirs}",
                fix="fix bandwidth, low, high and n_groups before the first part",
            )
        return replace(
            self,
            weight=self.weight + other.weight,
            squares=self.squares + other.squares,
            sums=self.sums + other.sums,
        )

    def __repr__(self) -> str:
        return (
            f"<CharacteristicSums of {self.n_groups} groups, {self.sums.shape[1]} frequencies, "
            f"σ = {number(self.bandwidth)}>"
        )

    @property
    def n_groups(self) -> int:
        """Number of groups, G."""
        return len(self.weight)

    @property
    def coefficients(self) -> FloatArray:
        """(J,) the c_j of the rule."""
        reach = 2 * math.pi * self.bandwidth / (self.high - self.low + _TAIL * self.bandwidth)
        found = np.exp(-((np.arange(self.sums.shape[1]) * reach) ** 2) / 2)
        found *= 2 * reach / math.sqrt(2 * math.pi)
        found[0] /= 2
        return found

    def mmd_squared(self, *, unbiased: bool = False) -> FloatArray:
        """Give MMD² of every pair of groups.

        Parameters
        ----------
        unbiased
            Leave out the pairs of a value with itself (the U-statistic), so that the expectation is 0 for
            equal distributions and single results may be below 0. With weights: of pairs w_i w_j, i ≠ j.

        Returns
        -------
        (G, G)
            Symmetric, in [0, 2] (from −2 / (n − 1) if unbiased), 0 on the diagonal, and 0 where two groups
            have one distribution; NaN where a group is empty (or has a single value, if unbiased).

        References
        ----------
        A. Gretton et al. (2012), A kernel two-sample test, equations 3 and 5.
        """
        means = self._means()
        root = means * np.sqrt(self.coefficients)
        found = np.stack([_squared_norms(root - each) for each in root]) if len(root) else np.zeros((0, 0))
        if not unbiased:
            return found
        with np.errstate(invalid="ignore", divide="ignore"):
            # Σ_{i≠j} w_i w_j k / Σ_{i≠j} w_i w_j, from the mean over all pairs; k(0) = 1
            own = self.squares / self.weight**2
            within = _squared_norms(root)
            excess = np.where(own < 1 - 1e-12, own * (1 - within) / (1 - own), np.nan)
        found = found - excess[:, None] - excess[None, :]
        np.fill_diagonal(found, np.where(np.isnan(excess), np.nan, 0.0))
        return found

    def from_pool(self) -> FloatArray:
        """Give MMD² (with the pairs of a value with itself) of every group and all groups together, (G,)."""
        pool = self.sums.sum(axis=0) / self.weight.sum() if self.weight.sum() > 0 else np.nan
        return _squared_norms((self._means() - pool) * np.sqrt(self.coefficients))

    def _means(self) -> NDArray[np.complex128]:
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self.sums / self.weight[:, None]
        found[self.weight == 0] = np.nan
        return np.asarray(found)


def mmd_squared(
    x: ArrayLike,
    y: ArrayLike,
    x_weight: ArrayLike | None = None,
    y_weight: ArrayLike | None = None,
    *,
    bandwidth: float,
    unbiased: bool = False,
) -> float:
    """Give the Gaussian MMD² of two one-dimensional samples, exact to 1e−12, in O(n).

    Parameters
    ----------
    x, y
        (n,) and (m,) finite numbers.
    x_weight, y_weight
        Weights of at least 0; ``None`` for 1 each.
    bandwidth
        σ of exp(−d² / 2σ²), above 0; :func:`fairwitness.stats.median_bandwidth` of the pooled sample is
        the usual choice.
    unbiased
        See :meth:`CharacteristicSums.mmd_squared`.

    Returns
    -------
    float
        In [0, 2]; 0 where the distributions are equal; its square root is a distance. NaN where a sample
        is empty.

    Raises
    ------
    DataError
        If a value is no finite number, or a weight is negative or not finite.
    ConfigError
        If the bandwidth is not above 0, or is too small for the range of the values.
    """
    first, second = sample(x, "x"), sample(y, "y")
    weights = [
        np.ones(len(each)) if weight is None else sample_weights(weight, len(each), name)
        for each, weight, name in ((first, x_weight, "x_weight"), (second, y_weight, "y_weight"))
    ]
    plainly = x_weight is None and y_weight is None
    sums = CharacteristicSums.of(
        np.concatenate([first, second]),
        np.repeat([0, 1], [len(first), len(second)]),
        2,
        bandwidth=bandwidth,
        weight=None if plainly else np.concatenate(weights),  # type: ignore[arg-type]
    )
    return float(sums.mmd_squared(unbiased=unbiased)[0, 1])


def _squared_norms(rows: NDArray[np.complex128]) -> FloatArray:
    return np.asarray((rows.real**2 + rows.imag**2).sum(axis=-1))


def _range(values: NDArray[np.generic], low: float | None, high: float | None) -> tuple[float, float]:
    least, most = (float(values.min()), float(values.max())) if len(values) else (math.inf, -math.inf)
    first = least if low is None else real_number(low, "low")
    last = most if high is None else real_number(high, "high")
    if not len(values) and (low is None or high is None):
        first, last = (0.0 if low is None else first), (0.0 if high is None else last)
    if last < first or least < first or most > last:
        raise DataError(
            "a value lies outside the range",
            got=f"values from {least} to {most} for low={low} and high={high}",
            fix="give the range of all values as low and high",
        )
    return first, last
