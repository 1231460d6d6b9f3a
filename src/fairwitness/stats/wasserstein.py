"""Exact Wasserstein distances in one dimension: sort both samples, couple equal quantiles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.errors import ConfigError
from fairwitness.stats.samples import group_codes, sample, sample_weights
from fairwitness.typing import FloatArray

#: Values coupled at a time: all arrays of one step stay in the processor's cache.
_STEP = 32_768

#: 1 for W1, 2 for the square of W2.
Order = Literal[1, 2]


def wasserstein_1(
    x: ArrayLike, y: ArrayLike, x_weight: ArrayLike | None = None, y_weight: ArrayLike | None = None
) -> float:
    """Give the exact Wasserstein-1 distance of two samples, ∫ abs(Fₓ⁻¹(u) − Fᵧ⁻¹(u)) du over [0, 1].

    Parameters
    ----------
    x, y
        (n,) and (m,) finite numbers, in any order.
    x_weight, y_weight
        (n,) and (m,) weights of at least 0; ``None`` for 1 each. Only their shares matter.

    Returns
    -------
    float
        At least 0, in the unit of the values; 0 where the two distributions are equal. NaN where a sample
        is empty or has no weight.

    Raises
    ------
    DataError
        If a value is no finite number, or a weight is negative or not finite.

    Notes
    -----
    Time is that of two sorts; nothing is binned or drawn.
    """
    return _coupled(_quantiles(x, x_weight, "x"), _quantiles(y, y_weight, "y"), 1)


def wasserstein_2_squared(
    x: ArrayLike, y: ArrayLike, x_weight: ArrayLike | None = None, y_weight: ArrayLike | None = None
) -> float:
    """Give the exact square of the Wasserstein-2 distance, ∫ (Fₓ⁻¹(u) − Fᵧ⁻¹(u))² du over [0, 1].

    Parameters, units (squared) and errors are those of :func:`wasserstein_1`.
    """
    return _coupled(_quantiles(x, x_weight, "x"), _quantiles(y, y_weight, "y"), 2)


def wasserstein_matrix(
    x: ArrayLike,
    codes: ArrayLike,
    n_groups: int | None = None,
    *,
    weight: ArrayLike | None = None,
    order: Order = 1,
) -> tuple[FloatArray, FloatArray]:
    """Give the distance of every pair of groups, and of every group from all groups together.

    Parameters
    ----------
    x
        (n,) finite numbers.
    codes
        (n,) group of each value, from 0; negative leaves the value out.
    n_groups
        Number of groups, G; default one more than the largest code.
    weight
        (n,) weights of at least 0; ``None`` for 1 each.
    order
        1 for W1, 2 for the square of W2.

    Returns
    -------
    between : (G, G)
        Symmetric, 0 on the diagonal; NaN where a group is empty.
    from_pool : (G,)
        Of each group from the values of all groups together.

    Raises
    ------
    DataError
        As :func:`wasserstein_1`, or if codes do not fit.
    ConfigError
        If ``order`` is neither 1 nor 2.
    """
    if order not in (1, 2):
        raise ConfigError("the order must be 1 or 2", got=order, fix="pass order=1")
    values = sample(x)
    weights = sample_weights(weight, len(values))
    places, groups = group_codes(codes, len(values), n_groups)
    inside = [places == group for group in range(groups)]
    parts = [_quantiles(values[rows], None if weights is None else weights[rows], "x") for rows in inside]
    kept = places >= 0
    pool = _quantiles(values[kept], None if weights is None else weights[kept], "x")
    between = np.zeros((groups, groups))
    for i, part in enumerate(parts):
        between[i, i] = _coupled(part, part, order)
        for j in range(i):
            between[i, j] = between[j, i] = _coupled(part, parts[j], order)
    return between, np.array([_coupled(part, pool, order) for part in parts])


@dataclass(frozen=True, slots=True, eq=False)
class _Quantiles:
    """A sorted sample; ``upto`` is the share of the weight up to and with each value, ``None`` if equal."""

    values: FloatArray
    upto: FloatArray | None


def _quantiles(x: ArrayLike, weight: ArrayLike | None, name: str) -> _Quantiles:
    values = sample(x, name)
    weights = sample_weights(weight, len(values), f"{name}_weight")
    if weights is None:
        # sorted in its own type: half the width is half the time
        return _Quantiles(np.sort(values).astype(np.float64, copy=False), None)
    if not (weights > 0).all():
        values, weights = values[weights > 0], weights[weights > 0]
    order = np.argsort(values)
    upto = np.cumsum(weights[order])
    if len(upto):
        upto /= upto[-1]
    return _Quantiles(values[order].astype(np.float64, copy=False), upto)


def _coupled(a: _Quantiles, b: _Quantiles, order: Order) -> float:
    if not len(a.values) or not len(b.values):
        return math.nan
    if a is b:
        return 0.0
    if a.upto is None and b.upto is None:
        return _couple_counts(a.values, b.values, order)
    return _couple_weights(a, b, order)


def _couple_counts(x: FloatArray, y: FloatArray, order: Order) -> float:
    """Couple samples without weights: each value of the longer one meets one or two of the shorter."""
    if len(x) < len(y):
        x, y = y, x
    n, m = len(x), len(y)
    total = 0.0
    for at in range(0, n, _STEP):
        some = x[at : at + _STEP]
        if n == m:
            total += float(_cost(some - y[at : at + _STEP], order).sum())
            continue
        # In units of 1/nm: value i covers [i m, (i + 1) m), value j of the other [j n, (j + 1) n).
        start = np.arange(at, at + len(some), dtype=np.int64) * m
        low = start // n
        share = np.minimum(((low + 1) * n - start) / m, 1.0)
        first = _cost(some - y[low], order)
        second = _cost(some - y[np.minimum(low + 1, m - 1)], order)
        total += float((second + share * (first - second)).sum())
    return total / n


def _couple_weights(a: _Quantiles, b: _Quantiles, order: Order) -> float:
    ends = [
        np.arange(1, len(each.values) + 1) / len(each.values) if each.upto is None else each.upto
        for each in (a, b)
    ]
    stops = np.concatenate(ends)
    merged = np.argsort(stops, kind="stable")  # two sorted runs, which a stable sort merges
    stops, passed = stops[merged], np.cumsum(merged < len(ends[0]))
    # How many values of each lie wholly before every piece; pieces of no width don't matter.
    before = np.concatenate([[0], passed[:-1]])
    apart = a.values[np.minimum(before, len(a.values) - 1)]
    before = np.arange(len(stops)) - before
    apart -= b.values[np.minimum(before, len(b.values) - 1)]
    return float(_cost(apart, order) @ np.diff(stops, prepend=0.0))


def _cost(apart: FloatArray, order: Order) -> FloatArray:
    return np.abs(apart) if order == 1 else np.square(apart)
