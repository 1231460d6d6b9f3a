"""Ranks that are repeated: other people, other splits, and what a run without any fault would reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from fairwitness.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class People:
    """The people of one decision maker whose group f_s recovers.

    ``person`` (n,) place in the test set; ``other`` (n,) whether not in the privileged group; ``cflips``
    (n,) share of counterfactuals that look like another group.
    """

    person: IntArray
    other: BoolArray
    cflips: FloatArray

    def delta(self, weights: FloatArray) -> FloatArray:
        """(b,) |ΔCFlips| for (b, n_test) weights of the test rows."""
        mine = weights[:, self.person]
        means = [
            mine[:, group] @ self.cflips[group] / mine[:, group].sum(axis=1)
            for group in (self.other, ~self.other)
        ]
        return np.asarray(np.abs(means[0] - means[1]))


def point(models: Sequence[People], n_test: int) -> FloatArray:
    """(m,) |ΔCFlips| of each decision maker."""
    every = np.ones((1, n_test))
    return np.array([each.delta(every)[0] for each in models])


def resampled(models: Sequence[People], n_test: int, n: int, rng: np.random.Generator) -> FloatArray:
    """(n, m) |ΔCFlips| with the test rows drawn with replacement: the same draw for all decision makers."""
    weights = rng.multinomial(n_test, np.full(n_test, 1 / n_test), size=n).astype(np.float64)
    return np.stack([each.delta(weights) for each in models], axis=1)


def spearman(a: FloatArray, b: FloatArray) -> FloatArray:
    """(n,) Spearman's ρ of each row of (n, m) ``a`` with the same row of ``b``; one row counts for all."""
    a, b = np.broadcast_arrays(np.atleast_2d(a), np.atleast_2d(b))
    ranks = [rankdata(each, axis=1) for each in (a, b)]
    centred = [each - each.mean(axis=1, keepdims=True) for each in ranks]
    scale = np.sqrt((centred[0] ** 2).sum(axis=1) * (centred[1] ** 2).sum(axis=1))
    return np.asarray((centred[0] * centred[1]).sum(axis=1) / scale)


def noise_of_seeds(runs: FloatArray) -> FloatArray:
    """(m,) standard deviation over (s, m) runs, without what all decision makers of a run share.

    That part moves no rank.
    """
    left = runs - runs.mean(axis=1, keepdims=True)
    m = runs.shape[1]
    # taking off the run's mean takes off 1/m of the variance on average
    return np.asarray(left.std(axis=0, ddof=1) * np.sqrt(m / (m - 1)))


def ceiling(published: FloatArray, noise: FloatArray) -> FloatArray:
    """(n,) Spearman's ρ of (m,) published values with themselves plus (n, m) noise."""
    return spearman(published, published + noise)


def lead(quality: Mapping[str, float], *, favourable: float, other: float) -> float:
    """Share of the privileged among accepted rows minus that of the others.

    From precision and recall, which give the share of rows that is accepted, and DSP, the difference of both
    groups' shares. ``favourable`` and ``other`` are the shares of rows with the outcome, and of the others.
    """
    accepted = quality["Recall"] * favourable / quality["Precision"]
    others = accepted - (1 - other) * quality["dsp"]
    return 1 - 2 * other * others / accepted


def words(values: FloatArray) -> tuple[float, float, float]:
    """Give median, and the range of the middle 95 %."""
    low, middle, high = np.percentile(values, [2.5, 50, 97.5])
    return float(middle), float(low), float(high)
