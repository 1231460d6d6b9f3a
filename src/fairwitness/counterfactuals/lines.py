"""Small tools on flat lines that are sorted by query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairwitness.typing import FloatArray, IntArray

#: No positions at all, to start a concatenation with.
NO_PLACES: IntArray = np.zeros(0, dtype=np.int64)


def tidy(values: FloatArray) -> FloatArray:
    """Keep 40 of 53 bits (12 digits), so that values equal on paper are equal in memory."""
    mantissa, exponent = np.frexp(values)
    out: FloatArray = np.ldexp(np.rint(mantissa * 2.0**40) / 2.0**40, exponent)
    return out


def place_within(query: IntArray) -> IntArray:
    """Number the lines of each query 0, 1, … where ``query`` is sorted."""
    first = np.searchsorted(query, query, side="left")
    return np.arange(len(query), dtype=np.int64) - first


def unit_within(values: NDArray[np.generic], query: IntArray, n: int) -> FloatArray:
    """Scale values to 0…1 within each of ``n`` queries; 0 where all are equal."""
    number = values.astype(np.float64)
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, query, number)
    np.maximum.at(high, query, number)
    span = (high - low)[query]
    out: FloatArray = np.divide(number - low[query], span, out=np.zeros(len(number)), where=span > 0)
    return out
