"""What the model has already said about which row of which query, so that no row is scored twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairwitness.rng import child
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: A key is the query's number and 40 bits of the row's content. Two rows of one query that meet in 40 bits
#: (odds of one in a hundred thousand for 5,000 rows) cost one candidate, never a wrong answer.
_BITS = 40
#: Odd numbers with well mixed bits: a fraction of the golden ratio, and of the square root of two.
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0x6A09E667F3BCC909))


def row_keys(query: IntArray, rows: FloatArray) -> IntArray:
    """(n,) key of each of (n, d) rows with the number of its query; equal content, equal key."""
    plain = rows + 0.0
    gone = np.isnan(plain)
    bits = np.ascontiguousarray(plain).view(np.uint64)
    bits[gone] = 1  # no number of a table has these bits
    # numbers of tables have few bits set, all at the upper end: fold them down before multiplying
    mixed = bits ^ _salts(rows.shape[1])
    for factor in _FACTORS:
        mixed ^= mixed >> np.uint64(32)
        mixed *= factor
    mixed ^= mixed >> np.uint64(32)
    total = mixed.sum(axis=1, dtype=np.uint64) * _FACTORS[0]
    content = (total >> np.uint64(64 - _BITS)).astype(np.int64)
    keys: IntArray = (query.astype(np.int64) << _BITS) | content
    return keys


def _salts(d: int) -> NDArray[np.uint64]:
    """Give one fixed number a column, so that equal values in other columns mix differently."""
    return child(0, "row keys").integers(2**64, size=d, dtype=np.uint64)


class Archive:
    """Keys of rows that were scored, sorted."""

    def __init__(self) -> None:
        self._keys: IntArray = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    def knows(self, keys: IntArray) -> BoolArray:
        """(n,) which keys are in the archive."""
        if not len(self._keys):
            return np.zeros(len(keys), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known: BoolArray = self._keys[at] == keys
        return known

    def add(self, keys: IntArray) -> None:
        """Put keys in."""
        joint = np.concatenate([self._keys, np.sort(keys)])
        joint.sort(kind="stable")  # merges the two sorted runs
        self._keys = joint

    def forget(self, queries: IntArray) -> None:
        """Drop everything about queries that are done."""
        self._keys = self._keys[~np.isin(self._keys >> _BITS, queries)]
