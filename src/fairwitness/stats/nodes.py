"""Sums of e^{i j h x} over samples at equally spaced frequencies: by powers if few, by gridding if many."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.fft import fft, next_fast_len

from fairwitness.typing import FloatArray, IntArray

Complex = NDArray[np.complex128]

#: Values worked on at a time: the powers of one step stay in the processor's cache.
_STEP = 4096
#: Above so many frequencies gridding is quicker (measured; the two cost the same near 400).
MOST_BY_POWERS = 400
#: Grid points that a value is spread over, and how much finer the grid is than the frequencies need.
_WIDTH, _FINER = 15, 2.0
#: Shape of the spreading function; 2.30 a point is what keeps aliases least at twofold oversampling.
_SHAPE = 2.30 * _WIDTH
#: Grid cells held at once, over all groups: about 64 MB.
_MOST_CELLS = 4_000_000


def node_sums(
    angles: FloatArray, codes: IntArray, n_groups: int, count: int, weights: FloatArray | None = None
) -> Complex:
    """Sum w e^{i j θ} for j = 0 … ``count`` − 1 over the values of each group.

    Parameters
    ----------
    angles
        (n,) angles θ in [0, 2π).
    codes
        (n,) group of each value, 0 to ``n_groups − 1``.
    n_groups, count
        Numbers of groups and of frequencies.
    weights
        (n,) weights; ``None`` for 1 each.

    Returns
    -------
    (n_groups, count) complex
        The error of a sum is below 1e−13 of the group's weight, whichever way is taken.
    """
    sums = np.zeros((n_groups, count), dtype=np.complex128)
    if count > MOST_BY_POWERS and len(angles) > count // 8:
        return _by_gridding(angles, codes, sums, weights)
    if n_groups > 1:  # values of one group side by side; small codes are sorted by counting
        kind = np.int16 if n_groups < 2**15 else np.int64
        order = np.argsort(codes.astype(kind), kind="stable")
        angles, weights = angles[order], None if weights is None else weights[order]
    stops = np.cumsum(np.bincount(codes, minlength=n_groups))
    start = 0
    for group, stop in enumerate(stops.tolist()):
        for at in range(start, stop, _STEP):
            some = slice(at, min(at + _STEP, stop))
            sums[group] += _by_powers(angles[some], count, None if weights is None else weights[some])
        start = stop
    return sums


def _by_powers(angles: FloatArray, count: int, weights: FloatArray | None) -> Complex:
    """Write j = a + b s with a below s: the sums of all products z^a z^{bs} are one matrix product."""
    small = math.isqrt(max(count - 1, 0)) + 1
    large = -(-count // small)
    z = np.empty(len(angles), dtype=np.complex128)
    np.cos(angles, out=z.real)
    np.sin(angles, out=z.imag)
    first = _powers(z, small)
    second = _powers(first[-1] * z, large)
    if weights is not None:
        first *= weights
    return np.asarray((second @ first.T).ravel()[:count])


def _powers(z: Complex, count: int) -> Complex:
    out = np.empty((count, len(z)), dtype=np.complex128)
    out[0] = 1.0
    for j in range(1, count):
        # halves of the exponent: rounding grows with its logarithm
        np.multiply(out[j // 2], out[j - j // 2] if j > 1 else z, out=out[j])
    return out


def _by_gridding(angles: FloatArray, codes: IntArray, sums: Complex, weights: FloatArray | None) -> Complex:
    """Spread each value over the nearest points of a fine grid, transform that, undo the spreading."""
    groups, count = sums.shape
    size = next_fast_len(int(_FINER * 2 * count) + 2 * _WIDTH)
    together = max(_MOST_CELLS // size, 1)
    undo = _transformed_kernel(np.arange(count) / size)
    for low in range(0, groups, together):
        some = min(together, groups - low)
        grid = np.zeros(some * size)
        inside = (codes >= low) & (codes < low + some)
        rows = np.flatnonzero(inside) if some < groups else np.arange(len(codes))
        for at in range(0, len(rows), 16 * _STEP):
            chosen = rows[at : at + 16 * _STEP]
            place = angles[chosen] * (size / (2 * np.pi))
            left = np.ceil(place - _WIDTH / 2)
            offset = left - place
            cell = left.astype(np.int64)
            base = (codes[chosen] - low) * size
            mass = None if weights is None else weights[chosen]
            for k in range(_WIDTH):
                height = _kernel((offset + k) * (2 / _WIDTH))
                into = base + (cell + k) % size
                grid += np.bincount(into, height if mass is None else height * mass, minlength=len(grid))
        # scipy's transform has e^{−i…}; the sums want its conjugate
        sums[low : low + some] = np.conj(fft(grid.reshape(some, size), axis=1)[:, :count]) / undo
    return sums


def _kernel(t: FloatArray) -> FloatArray:
    """e^{β(√(1 − t²) − 1)}, 0 beyond 1: narrow in both worlds (Barnett, Magland & af Klinteberg 2019)."""
    inside = np.maximum(1.0 - t * t, 0.0)
    return np.asarray(np.exp(_SHAPE * (np.sqrt(inside) - 1.0)) * (np.abs(t) <= 1.0))


def _transformed_kernel(cycles: FloatArray) -> FloatArray:
    """∫ kernel(2 x / width) cos(2π cycles x) dx, by Gauss–Legendre."""
    knots, mass = np.polynomial.legendre.leggauss(60)
    return np.asarray(_WIDTH / 2 * np.cos(np.pi * _WIDTH * np.outer(cycles, knots)) @ (mass * _kernel(knots)))
