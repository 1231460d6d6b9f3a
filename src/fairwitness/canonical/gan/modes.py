"""Numbers as a mode and a place in it, as networks can make them: mode-specific normalisation.

A column of numbers is read as a mixture of normal distributions. Of a value x and the mode k it was drawn to,
the network sees k as one-hot and the scalar (x - μₖ) / 4σₖ. Two kinds of mode are ours: a *spike*, a single
value that stands out from its neighbours (a capital gain of 0, a week of 40 hours) and that no normal
distribution could hit, and *missing*.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fairwitness.rng import child_seed
from fairwitness.typing import FloatArray, IntArray

#: Normal distributions a column at most, and the least weight one has to have.
MOST_NORMALS = 10
LEAST_WEIGHT = 0.005
#: Rows that a mixture is fitted on at most.
MOST_ROWS = 3000
#: A column of so few distinct numbers is all spikes.
FEW_VALUES = 32
#: A spike has this share of the rows, and this many times the rows of its neighbours.
SPIKE_SHARE = 0.003
SPIKE_TIMES = 3.0
#: Values that are made are moved to the nearest one of the column if it has no more than these.
MOST_SUPPORT = 2000
_KEPT = ("weights", "means", "scales", "spikes", "support")


@dataclass(frozen=True, slots=True, eq=False)
class Modes:
    """The modes of one column of numbers: normal distributions, then spikes, then missing.

    Attributes
    ----------
    weights, means, scales
        (k,) of the normal distributions.
    spikes
        (s,) single values, ascending.
    missing
        Whether missing is a mode.
    support
        (v,) sorted distinct values of the column, or, where they are too many, its least and its largest.
    decimals
        Decimals of the values, ``None`` for full floating point.
    """

    weights: FloatArray
    means: FloatArray
    scales: FloatArray
    spikes: FloatArray
    missing: bool
    support: FloatArray
    decimals: int | None

    @classmethod
    def of(cls, values: FloatArray, *, decimals: int | None, spikes: bool, seed: int) -> Modes:
        """Fit the modes of (n,) values; ``spikes`` says whether single values may be modes."""
        absent = np.isnan(values)
        present = values[~absent]
        distinct, counts = np.unique(present, return_counts=True)
        standing = _standing_out(distinct, counts) if spikes else np.zeros(len(distinct), dtype=np.bool_)
        if len(distinct) == 1:
            standing[:] = True
        rest = present[~np.isin(present, distinct[standing])]
        weights, means, scales = _mixture(rest, seed) if len(rest) else (np.empty(0),) * 3
        return cls(
            weights,
            means,
            scales,
            distinct[standing],
            bool(absent.any()) or not len(present),
            distinct if len(distinct) <= MOST_SUPPORT else distinct[[0, -1]],
            decimals,
        )

    @property
    def width(self) -> int:
        """Number of modes."""
        return len(self.means) + len(self.spikes) + self.missing

    def encode(self, values: FloatArray, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Give the (n,) mode of every value, drawn by its probability, and its (n,) place in it."""
        mode = np.full(len(values), self.width - 1, dtype=np.int64)
        present = ~np.isnan(values)
        spike = np.zeros(len(values), dtype=np.bool_)
        if len(self.spikes):
            near = np.clip(np.searchsorted(self.spikes, values), 0, len(self.spikes) - 1)
            spike = self.spikes[near] == values
            mode[spike] = len(self.means) + near[spike]
        loose = np.flatnonzero(present & ~spike)
        if len(self.means) and len(loose):
            apart = (values[loose, None] - self.means) / self.scales
            log = np.log(self.weights) - np.log(self.scales) - apart**2 / 2
            # the largest of the logs with Gumbel noise is a draw by their probabilities
            mode[loose] = (log + rng.gumbel(size=log.shape)).argmax(axis=1)
        return mode, self.places(values, mode)

    def places(self, values: FloatArray, mode: IntArray) -> FloatArray:
        """Give the (n,) place of every value in its mode, from -1 to 1; 0 in a spike and for missing."""
        out = np.zeros(len(values))
        inside = np.flatnonzero(mode < len(self.means))
        at = mode[inside]
        out[inside] = np.clip((values[inside] - self.means[at]) / (4 * self.scales[at]), -0.999, 0.999)
        return out

    def decode(self, mode: IntArray, place: FloatArray) -> FloatArray:
        """Give the values that (n,) modes and places stand for, moved onto the support."""
        out = np.full(len(mode), np.nan)
        k = len(self.means)
        inside = np.flatnonzero(mode < k)
        at = mode[inside]
        made = self.means[at] + 4 * self.scales[at] * place[inside]
        if len(self.support) > 2 or not k:
            made = nearest(self.support, made)
        else:
            made = np.clip(made, self.support[0], self.support[-1])
            made = made if self.decimals is None else np.round(made, self.decimals)
        out[inside] = made
        spike = np.flatnonzero((mode >= k) & (mode < k + len(self.spikes)))
        out[spike] = self.spikes[mode[spike] - k]
        return out

    def arrays(self) -> dict[str, np.ndarray]:
        """Give what :meth:`read` takes."""
        flags = np.array([self.missing, -1 if self.decimals is None else self.decimals], dtype=np.int64)
        return {**{name: getattr(self, name) for name in _KEPT}, "flags": flags}

    @classmethod
    def read(cls, arrays: Mapping[str, np.ndarray]) -> Modes:
        """Read the modes of a file.

        Raises
        ------
        ValueError
            If they are none.
        """
        missing, decimals = map(int, arrays["flags"])
        found = cls(
            **{name: np.asarray(arrays[name], dtype=np.float64) for name in _KEPT},
            missing=bool(missing),
            decimals=None if decimals < 0 else decimals,
        )
        parts = (found.weights, found.means, found.scales)
        if len({len(part) for part in parts}) != 1 or not (found.scales > 0).all() or not found.width:
            raise ValueError("the modes of a column do not fit each other")
        return found


def nearest(support: FloatArray, values: FloatArray) -> FloatArray:
    """Give the nearest of the sorted ``support`` for every value."""
    after = np.clip(np.searchsorted(support, values), 1, max(len(support) - 1, 1))
    low, high = support[after - 1], support[np.minimum(after, len(support) - 1)]
    return np.asarray(np.where(values - low <= high - values, low, high))


def _standing_out(distinct: FloatArray, counts: IntArray) -> np.ndarray:
    """Say which values have far more rows than the ones beside them."""
    if len(distinct) <= FEW_VALUES:
        return np.ones(len(distinct), dtype=np.bool_)
    beside = np.pad(counts.astype(np.float64), 4, mode="reflect")
    around = np.stack([beside[shift : shift + len(counts)] for shift in (0, 1, 2, 3, 5, 6, 7, 8)])
    usual = np.median(around, axis=0)
    out = (counts >= SPIKE_SHARE * counts.sum()) & (counts > SPIKE_TIMES * usual)
    if out.sum() > FEW_VALUES:
        out &= counts >= np.sort(counts[out])[-FEW_VALUES]
    return np.asarray(out)


def _mixture(values: FloatArray, seed: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give weights, means and scales of a variational mixture of normal distributions."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import BayesianGaussianMixture

    if len(values) > MOST_ROWS:
        values = np.sort(np.random.default_rng([seed, 1]).choice(values, MOST_ROWS, replace=False))
    low, spread = float(values.mean()), float(values.std())
    k = min(MOST_NORMALS, len(np.unique(values)))
    if k == 1 or not spread:
        return np.ones(1), np.array([low]), np.array([spread or 1.0])
    learner = BayesianGaussianMixture(
        n_components=k,
        weight_concentration_prior_type="dirichlet_process",
        weight_concentration_prior=0.001,
        random_state=child_seed(seed, "mixture"),
    )
    with warnings.catch_warnings():  # a mixture that moves a little still is as good a ruler
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit((values[:, None] - low) / spread)
    kept = learner.weights_ > LEAST_WEIGHT
    return (
        learner.weights_[kept],
        learner.means_[kept, 0] * spread + low,
        np.sqrt(learner.covariances_[kept, 0, 0]) * spread,
    )
