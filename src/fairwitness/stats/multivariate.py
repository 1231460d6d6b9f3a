"""Gaussian MMD² of samples with several columns: exactly in blocks, or from random features with an error."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import real_number, whole_number
from fairwitness.errors import DataError
from fairwitness.stats.samples import sample_weights, table
from fairwitness.typing import FloatArray

#: Numbers held at once: about 16 MB.
_CELLS = 2_000_000


def mmd_squared_in_blocks(
    x: ArrayLike,
    y: ArrayLike,
    x_weight: ArrayLike | None = None,
    y_weight: ArrayLike | None = None,
    *,
    bandwidth: float,
    unbiased: bool = False,
    block: int = 256,
) -> float:
    """Give the Gaussian MMD² of two samples with any number of columns, from all pairs of rows.

    Parameters
    ----------
    x, y
        (n, d) and (m, d) finite numbers, for example two groups' representations; flat is one column.
    x_weight, y_weight
        (n,) and (m,) weights of at least 0; ``None`` for 1 each.
    bandwidth
        σ of exp(−‖a − b‖² / 2σ²), above 0.
    unbiased
        Leave out the pairs of a row with itself, as in
        :meth:`fairwitness.stats.CharacteristicSums.mmd_squared`.
    block
        Rows of each sample held against each other at once. Time is O((n + m)²), memory O(block²).

    Returns
    -------
    float
        In [0, 2] (a little below 0 is possible if unbiased); 0 where the distributions are equal. NaN where a
        sample is empty (or has a single row, if unbiased).

    Raises
    ------
    DataError
        If a value is no finite number, the columns differ in number, or a weight makes no sense.
    ConfigError
        If the bandwidth is not above 0.
    """
    first, second, u, v = _samples(x, y, x_weight, y_weight)
    sigma = real_number(bandwidth, "bandwidth", above=0.0)
    whole_number(block, "block")

    def mean(a: FloatArray, b: FloatArray, p: FloatArray, q: FloatArray, *, own: bool) -> float:
        total = _kernel_sum(a, b, p, q, sigma, block, own=own)
        weight = float(p.sum() * q.sum())
        if own and unbiased:
            total, weight = total - float(p @ p), weight - float(p @ p)
        return total / weight if weight > 1e-12 * float(p.sum()) ** 2 else math.nan

    if not (u.sum() > 0 and v.sum() > 0):
        return math.nan
    return (
        mean(first, first, u, u, own=True)
        + mean(second, second, v, v, own=True)
        - 2 * mean(first, second, u, v, own=False)
    )


def mmd_squared_by_features(
    x: ArrayLike,
    y: ArrayLike,
    x_weight: ArrayLike | None = None,
    y_weight: ArrayLike | None = None,
    *,
    bandwidth: float,
    rng: np.random.Generator,
    n_features: int = 2048,
) -> tuple[float, float]:
    """Estimate the Gaussian MMD² of two samples from random frequencies, in O(n · d · features).

    Parameters
    ----------
    x, y, x_weight, y_weight, bandwidth
        As in :func:`mmd_squared_in_blocks`.
    rng
        Source of the frequencies.
    n_features
        Number of frequencies D, at least 2; the error falls with 1 / √D.

    Returns
    -------
    value : float
        Mean of abs(φ_P(ω) − φ_Q(ω))² over D frequencies ω from N(0, σ⁻² I), whose expectation is MMD² (with
        the pairs of a row with itself). NaN where a sample is empty.
    error : float
        Standard error of ``value``, from the spread over the frequencies.

    Raises
    ------
    DataError, ConfigError
        As in :func:`mmd_squared_in_blocks`.

    References
    ----------
    A. Rahimi & B. Recht (2007), Random features for large-scale kernel machines; D. J. Sutherland &
    J. Schneider (2015), On the error of random Fourier features, section 3.3.
    """
    first, second, u, v = _samples(x, y, x_weight, y_weight)
    sigma = real_number(bandwidth, "bandwidth", above=0.0)
    whole_number(n_features, "n_features", least=2)
    if not (u.sum() > 0 and v.sum() > 0):
        return math.nan, math.nan
    frequencies = rng.standard_normal((first.shape[1], n_features)) / sigma
    apart = np.zeros((2, n_features))
    step = max(_CELLS // n_features, 1)
    for sign, rows, weight in ((1.0, first, u), (-1.0, second, v)):
        for at in range(0, len(rows), step):
            angles = rows[at : at + step] @ frequencies
            share = weight[at : at + step] * (sign / weight.sum())
            apart += share @ np.cos(angles), share @ np.sin(angles)
    squares = np.square(apart).sum(axis=0)
    return float(squares.mean()), float(squares.std(ddof=1) / math.sqrt(n_features))


def _kernel_sum(
    a: FloatArray, b: FloatArray, p: FloatArray, q: FloatArray, sigma: float, block: int, *, own: bool
) -> float:
    centre = b.mean(axis=0)
    a, b = (a - centre) / sigma, (b - centre) / sigma
    norms = np.einsum("ij,ij->i", b, b) / 2
    total = 0.0
    for at in range(0, len(a), block):
        some = a[at : at + block]
        mine = np.einsum("ij,ij->i", some, some)[:, None] / 2
        for to in range(at if own else 0, len(b), block):
            # −‖a − b‖² / 2 by a product; rounding may leave it a little above 0
            power = some @ b[to : to + block].T - mine - norms[to : to + block]
            part = float(p[at : at + block] @ np.exp(np.minimum(power, 0.0)) @ q[to : to + block])
            # of a sample's own pairs, blocks off the diagonal stand for two
            total += 2 * part if own and to > at else part
    return total


def _samples(
    x: ArrayLike, y: ArrayLike, x_weight: ArrayLike | None, y_weight: ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    first, second = table(x, "x"), table(y, "y")
    if first.shape[1] != second.shape[1]:
        raise DataError(
            "x and y differ in their number of columns",
            got=f"{first.shape[1]} and {second.shape[1]}",
            fix="pass the same columns of both",
        )
    weights = [
        np.ones(len(rows)) if (given := sample_weights(weight, len(rows), name)) is None else given
        for rows, weight, name in ((first, x_weight, "x_weight"), (second, y_weight, "y_weight"))
    ]
    return first, second, weights[0], weights[1]
