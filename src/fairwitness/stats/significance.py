"""Multiplicity: p-values of many questions asked at once, corrected."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import number_array
from fairwitness.errors import DataError
from fairwitness.typing import FloatArray


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    """Give q-values: reporting all with q ≤ α keeps the expected share of false reports at most α.

    Parameters
    ----------
    p
        p-values (m,), each in [0, 1]; NaN where a question could not be asked. NaN stays NaN and does
        not count.

    Returns
    -------
    q : (m,)
        At least ``p``, in the same order.

    Raises
    ------
    DataError
        If a value lies outside [0, 1].

    References
    ----------
    Y. Benjamini & Y. Hochberg (1995), Controlling the false discovery rate.
    """
    values, asked = _checked(p)
    order = np.argsort(values[asked], kind="stable")
    m = len(order)
    scaled = values[asked][order] * m / np.arange(1, m + 1)
    stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    return _placed(np.minimum(stepped, 1.0), order, asked)


def holm(p: ArrayLike) -> FloatArray:
    """Give Holm's adjusted p-values: the chance of any false report is at most the level.

    Parameters
    ----------
    p
        p-values (m,), each in [0, 1]; NaN stays NaN and does not count.

    Raises
    ------
    DataError
        If a value lies outside [0, 1].

    References
    ----------
    S. Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    values, asked = _checked(p)
    order = np.argsort(values[asked], kind="stable")
    m = len(order)
    stepped = np.maximum.accumulate(values[asked][order] * np.arange(m, 0, -1))
    return _placed(np.minimum(stepped, 1.0), order, asked)


def _checked(p: ArrayLike) -> tuple[FloatArray, np.ndarray]:
    values = number_array(p, "p", fix="pass a flat array of probabilities")
    if values.ndim != 1:
        raise DataError(
            "p-values must be one-dimensional", got=f"shape {values.shape}", fix="pass a flat array"
        )
    asked = ~np.isnan(values)
    wrong = asked & ~((values >= 0) & (values <= 1))
    if wrong.any():
        raise DataError(
            "a p-value lies outside [0, 1]",
            got=float(values[wrong][0]),
            fix="pass probabilities, NaN where a question could not be asked",
        )
    return values, asked


def _placed(adjusted: FloatArray, order: np.ndarray, asked: np.ndarray) -> FloatArray:
    back = np.empty_like(adjusted)
    back[order] = adjusted
    out = np.full(asked.shape, np.nan)
    out[asked] = back
    return out
