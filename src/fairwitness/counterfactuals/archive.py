"""What the model has already said about which row of which query, so that no row is scored twice."""

from __future__ import annotations

from functools import cache

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


@cache
def _salts(d: int) -> NDArray[np.uint64]:
    """Give one fixed number a column, so that equal values in other columns mix differently."""
    return child(0, "row keys").integers(2**64, size=d, dtype=np.uint64)


class Archive:
    """Keys of rows that were scored, sorted; some are kept aside: accepted, but not in competition so far."""

    def __init__(self) -> None:
        self._keys: IntArray = np.zeros(0, dtype=np.int64)
        self._aside: IntArray = np.zeros(0, dtype=np.int64)
        self._scores: FloatArray = np.zeros(0)

    def __len__(self) -> int:
        return len(self._keys) + len(self._aside)

    def knows(self, keys: IntArray) -> BoolArray:
        """(n,) which keys are in the archive, and not aside."""
        return _among(self._keys, keys)[0]

    def aside(self, keys: IntArray) -> tuple[BoolArray, FloatArray]:
        """(n,) which keys are kept aside, and the scores of those (of others: NaN)."""
        there, at = _among(self._aside, keys)
        score = np.full(len(keys), np.nan)
        score[there] = self._scores[at[there]]
        return there, score

    def add(self, keys: IntArray) -> None:
        """Put keys in; what was aside is no more."""
        joint = np.concatenate([self._keys, np.sort(keys)])
        joint.sort(kind="stable")  # merges the two sorted runs
        self._keys = joint
        if len(self._aside):
            self._keep_aside(~np.isin(self._aside, keys))

    def put_aside(self, keys: IntArray, scores: FloatArray) -> None:
        """Put keys in that are accepted, without a part in the competition."""
        joint = np.concatenate([self._aside, keys])
        order = np.argsort(joint, kind="stable")
        self._aside, self._scores = joint[order], np.concatenate([self._scores, scores])[order]

    def forget(self, queries: IntArray) -> None:
        """Drop everything about queries that are done."""
        self._keys = self._keys[~np.isin(self._keys >> _BITS, queries)]
        self._keep_aside(~np.isin(self._aside >> _BITS, queries))

    def _keep_aside(self, which: BoolArray) -> None:
        self._aside, self._scores = self._aside[which], self._scores[which]


def _among(known: IntArray, keys: IntArray) -> tuple[BoolArray, IntArray]:
    """(n,) which keys are among the sorted ones, and the place of each that is."""
    if not len(known):
        return np.zeros(len(keys), dtype=np.bool_), np.zeros(len(keys), dtype=np.int64)
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    there: BoolArray = known[at] == keys
    return there, at
