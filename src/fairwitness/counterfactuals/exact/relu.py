"""Straight-line bounds on a ReLU network, over many boxes at once.

A ReLU that is sometimes on and sometimes off within a box lies under the chord between its ends and above a
line through 0 (Zhang et al. 2018, "Efficient neural network robustness certification with general activation
functions"). Put in from the last layer back to the first, these give straight lines above and below the
margin, in terms of the first layer's sums. A weighted sum is the network without such a layer: exact.
"""

from __future__ import annotations

import numpy as np

from fairwitness.counterfactuals.exact.forms import NetworkForm
from fairwitness.typing import FloatArray

#: Bounds are widened by this share of their size for rounding.
_ROUND = 1e-12


def straight(
    form: NetworkForm, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Lines above and below the margin for (b, h) bounds of the first layer's sums.

    Returns
    -------
    above, above_start, below, below_start
        (b, h) factors of the first layer's sums, and (b,) starts.
    """
    boxes = len(low)
    lows, highs = [low], [high]
    for layer in range(1, len(form.weights) - 1):
        width = form.weights[layer].shape[1]
        eye = np.broadcast_to(np.eye(width), (boxes, width, width))
        bounds = []
        for up in (False, True):
            factor, start = _back(form, layer, eye, np.zeros((boxes, width)), lows, highs, up=up)
            pick = np.where(factor >= 0, high[:, None, :], low[:, None, :])
            if not up:
                pick = np.where(factor >= 0, low[:, None, :], high[:, None, :])
            bounds.append((factor * pick).sum(axis=2) + start)
        room = _ROUND * (1 + np.abs(bounds[0]) + np.abs(bounds[1]))
        lows.append(bounds[0] - room)
        highs.append(bounds[1] + room)
    last = len(form.weights) - 1
    one, nothing = np.ones((boxes, 1, 1)), np.zeros((boxes, 1))
    above, above_start = _back(form, last, one, nothing, lows, highs, up=True)
    below, below_start = _back(form, last, one, nothing, lows, highs, up=False)
    return above[:, 0], above_start[:, 0], below[:, 0], below_start[:, 0]


def _back(
    form: NetworkForm,
    layer: int,
    factor: FloatArray,
    start: FloatArray,
    lows: list[FloatArray],
    highs: list[FloatArray],
    *,
    up: bool,
) -> tuple[FloatArray, FloatArray]:
    """Put layers in, from the sums of ``layer`` to those of the first: (b, m, h) factors, (b, m) starts."""
    for at in range(layer, 0, -1):
        start = start + factor @ form.biases[at]
        factor = factor @ form.weights[at].T
        low, high = lows[at - 1], highs[at - 1]
        mixed = (low < 0) & (high > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            chord = np.where(mixed, high / (high - low), (low >= 0).astype(np.float64))
        lift = np.where(mixed, -chord * low, 0.0)
        foot = np.where(mixed, (high > -low).astype(np.float64), chord)
        rising = (factor >= 0) == up  # the side of the ReLU this factor needs: its chord, or its foot
        start = start + (np.where(rising, factor, 0.0) * lift[:, None, :]).sum(axis=2)
        factor = factor * np.where(rising, chord[:, None, :], foot[:, None, :])
    return factor, start
