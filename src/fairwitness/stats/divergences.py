"""How far two histograms are apart, value by value: total variation and Jensen–Shannon."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from fairwitness.arguments import number_array, real_number
from fairwitness.errors import DataError
from fairwitness.typing import FloatArray


def total_variation(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Give the total variation distance ½ Σ abs(p − q), the largest difference in any event's probability.

    Parameters
    ----------
    p, q
        (..., k) counts, weights or probabilities of the same k values, at least 0; each is divided by its
        sum. Leading axes broadcast.

    Returns
    -------
    (...) array
        In [0, 1]; 0 where the two are equal, 1 where no value has both. NaN where one is empty.

    Raises
    ------
    DataError
        If a count is negative or not finite, or the two differ in their number of values.
    """
    first, second = _shares(p, q)
    return np.asarray(np.abs(first - second).sum(axis=-1) / 2)


def jensen_shannon(p: ArrayLike, q: ArrayLike, *, base: float = 2.0) -> FloatArray:
    """Give the Jensen–Shannon divergence ½ KL(p ‖ m) + ½ KL(q ‖ m), m = ½ (p + q).

    Its square root is a distance (``scipy.spatial.distance.jensenshannon`` gives that).

    Parameters
    ----------
    p, q
        As in :func:`total_variation`.
    base
        Base of the logarithm: 2 for bits, ``math.e`` for nats.

    Returns
    -------
    (...) array
        In [0, log(2) / log(base)], so in [0, 1] by default; 0 where the two are equal. NaN where one is
        empty.

    Raises
    ------
    DataError
        If a count is negative or not finite, or the two differ in their number of values.
    ConfigError
        If ``base`` is not above 1.

    References
    ----------
    J. Lin (1991), Divergence measures based on the Shannon entropy, equation 3.1.
    """
    scale = math.log(real_number(base, "base", above=1.0))
    first, second = _shares(p, q)
    middle = (first + second) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = [xlogy(each, np.where(each > 0, each / middle, 1.0)) for each in (first, second)]
    found = np.asarray((parts[0] + parts[1]).sum(axis=-1) / (2 * scale))
    found = np.where(np.isnan(first).any(axis=-1) | np.isnan(second).any(axis=-1), np.nan, found)
    return np.asarray(np.clip(found, 0.0, math.log(2) / scale))


def _shares(p: ArrayLike, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
    both = []
    for name, given in (("p", p), ("q", q)):
        counts = number_array(given, name, fix="pass one count a value")
        if not counts.ndim or not (np.isfinite(counts) & (counts >= 0)).all():
            raise DataError(
                f"{name} must hold counts or probabilities",
                got="a single number" if not counts.ndim else "a negative, missing or infinite one",
                fix="pass numbers of at least 0, one a value",
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            both.append(counts / counts.sum(axis=-1, keepdims=True))
    if both[0].shape[-1] != both[1].shape[-1]:
        raise DataError(
            "p and q are histograms of different values",
            got=f"{both[0].shape[-1]} and {both[1].shape[-1]} values",
            fix="count both over the same values, 0 where one does not occur",
        )
    return both[0], both[1]
