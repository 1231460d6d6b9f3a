"""Permutation p-value of the Gaussian MMD² of two samples, from masses on few points."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import real_number, whole_number
from fairwitness.stats.samples import sample, sample_weights
from fairwitness.typing import FloatArray, IntArray

#: Most points that the values stand on.
_POINTS = 2048
#: Shuffles judged at once.
_BATCH = 256


def mmd_permutation_p(
    x: ArrayLike,
    y: ArrayLike,
    x_weight: ArrayLike | None = None,
    y_weight: ArrayLike | None = None,
    *,
    bandwidth: float,
    rng: np.random.Generator,
    n_permutations: int = 999,
) -> float:
    """Give the permutation p-value of the hypothesis that two samples have one distribution.

    Parameters
    ----------
    x, y
        (n,) and (m,) finite numbers.
    x_weight, y_weight
        Weights of at least 0, which stay with their values when these change sides; ``None`` for 1 each.
    bandwidth
        σ of the Gaussian kernel, above 0, from the pooled sample or from elsewhere.
    rng
        Source of the shuffles.
    n_permutations
        Number of shuffles.

    Returns
    -------
    float
        ``(1 + #) / (1 + n_permutations)``, # counting shuffles with an MMD² (pairs of a value with itself
        included) of at least the observed one; in (0, 1]. NaN where a sample is empty.

    Raises
    ------
    DataError
        If a value is no finite number, or a weight is negative or not finite.
    ConfigError
        If the bandwidth is not above 0, or the number of shuffles below 1.

    Notes
    -----
    Beyond 2,048 different values, observed and shuffled ones alike are moved to the middle of 2,048 equal
    bins. p is valid all the same, as any function of the pooled sample and its labels gives; what is lost is
    power against differences within a bin. Without weights, shuffles are drawn as counts (multivariate
    hypergeometric), so that their cost does not depend on the number of values.
    """
    first, second = sample(x, "x"), sample(y, "y")
    weights = [
        sample_weights(weight, len(rows), name)
        for rows, weight, name in ((first, x_weight, "x_weight"), (second, y_weight, "y_weight"))
    ]
    sigma = real_number(bandwidth, "bandwidth", above=0.0)
    whole_number(n_permutations, "n_permutations", fix="pass for example n_permutations=999")
    whole = None
    if weights[0] is not None or weights[1] is not None:
        ones = (np.ones(len(first)), np.ones(len(second)))
        whole = np.concatenate([o if w is None else w for o, w in zip(ones, weights, strict=True)])
    if not all(len(rows) if w is None else w.sum() for rows, w in zip((first, second), weights, strict=True)):
        return math.nan
    points, cells = _points(np.concatenate([first, second]).astype(np.float64, copy=False))
    kernel = np.exp(-((points[:, None] - points) ** 2) / (2 * sigma**2))
    pool = np.bincount(cells, whole, minlength=len(points)).astype(np.float64)
    own = np.bincount(
        cells[: len(first)], None if whole is None else whole[: len(first)], minlength=len(points)
    )
    observed = _statistic(own[None].astype(np.float64), pool, kernel)[0]
    # Equal values come out a rounding error apart; counting them as smaller would make p too small.
    bar = observed - 1e-12 * max(observed, 1e-3)
    reached = 0
    for masses in _shuffled(cells, whole, pool, len(first), rng, n_permutations):
        # A shuffle that leaves a side without weight says nothing against the hypothesis.
        reached += int((~(_statistic(masses, pool, kernel) < bar)).sum())
    return (1 + reached) / (1 + n_permutations)


def _points(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Give at most 2,048 points, and the point of each value."""
    distinct = np.unique(values)
    if len(distinct) <= _POINTS:
        return distinct, np.searchsorted(distinct, values).astype(np.int64)
    width = (distinct[-1] - distinct[0]) / _POINTS
    cells = np.minimum(((values - distinct[0]) / width).astype(np.int64), _POINTS - 1)
    met, cells = np.unique(cells, return_inverse=True)
    return distinct[0] + (met + 0.5) * width, cells.astype(np.int64)


def _shuffled(
    cells: IntArray,
    whole: FloatArray | None,
    pool: FloatArray,
    n_first: int,
    rng: np.random.Generator,
    n_permutations: int,
) -> Iterator[FloatArray]:
    """Yield, in batches, the first side's mass on every point after a shuffle."""
    for at in range(0, n_permutations, _BATCH):
        size = min(_BATCH, n_permutations - at)
        if whole is None:
            drawn = rng.multivariate_hypergeometric(
                pool.astype(np.int64), n_first, size=size, method="marginals"
            )
            yield drawn.astype(np.float64)
            continue
        masses = np.empty((size, len(pool)))
        for row in masses:
            chosen = rng.permutation(len(cells))[:n_first]
            row[:] = np.bincount(cells[chosen], whole[chosen], minlength=len(pool))
        yield masses


def _statistic(masses: FloatArray, pool: FloatArray, kernel: FloatArray) -> FloatArray:
    rest = pool - masses
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = masses / masses.sum(axis=1, keepdims=True) - rest / rest.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("ij,ij->i", apart @ kernel, apart))
