"""Decimals of floating-point numbers: how many a column has, and rounding to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairwitness.typing import FloatArray

MAX_DECIMALS = 10
_DOUBLE: np.dtype[Any] = np.dtype(np.float64)


def decimals(values: FloatArray, storage: np.dtype[Any] = _DOUBLE) -> int | None:
    """Give the fewest decimals that write every value exactly, at most 10; ``None`` if more are needed.

    Parameters
    ----------
    values
        (n,) without missing values.
    storage
        Floating-point type the values come from: 0.1 as float32 has one decimal, too.
    """
    rest = values
    for places in range(MAX_DECIMALS + 1):
        rest = rest[round_decimals(rest, places, storage) != rest]
        if not len(rest):
            return places
    return None


def round_decimals(values: FloatArray, places: int, storage: np.dtype[Any] = _DOUBLE) -> FloatArray:
    """Round to ``places`` decimals and to what ``storage`` can hold; rounding twice is rounding once.

    A value so large that its type has no such decimals stays as it is: scaling it would only damage its
    last digits.
    """
    largest = 2.0 ** (np.finfo(storage).nmant - 2) / 10.0**places
    with np.errstate(over="ignore"):
        rounded = np.round(values, places).astype(storage).astype(np.float64)
    return np.where(np.abs(values) < largest, rounded, values)
