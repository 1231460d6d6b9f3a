"""Counting cells in memory, a part of the rows at a time: codes, one number a row, one count a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairwitness.errors import GroupError
from fairwitness.table.cells import Cells, Plan
from fairwitness.table.columns import read_column
from fairwitness.table.cuts import SensitiveSpec, cut_codes
from fairwitness.text import plain
from fairwitness.typing import FloatArray, IntArray

#: Values of a whole-number column that are told apart by subtraction, without looking each one up.
_SPAN = 4096
#: Cells of the array beyond which only occupied ones are kept.
MOST_DENSE = 2**19


class Tally:
    """Cells met so far, and their rows, weight and squared weight.

    They stand in an array with one axis a column, which grows with the values that are met; where it would
    become too large, only the cells that are occupied are kept, by their place.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        # value → number, a column
        self._values: list[dict[object, int]] = [
            {code: code for code in range(plan.bins[spec.column].count)} if spec.column in plan.bins else {}
            for spec in plan.specs.values()
        ]
        self._shape = (0,) * len(plan.specs)
        self._dense: NDArray[np.float64] | None = np.zeros((*self._shape, 3))
        self._sparse: dict[tuple[int, ...], FloatArray] = {}

    def add(self, part: Any) -> None:
        """Add the rows of a part: anything that gives a column by its name."""
        columns = []
        for at, spec in enumerate(self._plan.specs.values()):
            codes, values = self._encoded(part[spec.column], spec)
            if spec.column not in self._plan.bins:
                numbers = self._values[at]
                place = [numbers.setdefault(value, len(numbers)) for value in values]
                if len(numbers) > max(self._plan.most, _SPAN):
                    raise self._plan.too_many()
                codes = codes if place == list(range(len(place))) else np.array(place, dtype=np.int64)[codes]
            columns.append(codes)
        if not len(columns[0]):
            return
        weight = None if self._plan.weights is None else self._checked(part[self._plan.weights])
        self._grow()
        if np.prod(self._shape, dtype=np.float64) > 2.0**62:
            raise self._plan.too_many()
        key = columns[0]
        for codes, size in zip(columns[1:], self._shape[1:], strict=True):
            key = key * size + codes
        if self._dense is not None:
            self._dense += _summed(key, weight, self._dense[..., 0].size).reshape(self._dense.shape)
            return
        places, key = np.unique(key, return_inverse=True)
        cells = np.stack(np.unravel_index(places, self._shape), axis=1).tolist()
        for cell, sums in zip(map(tuple, cells), _summed(key, weight, len(places)), strict=True):
            known = self._sparse.get(cell)
            self._sparse[cell] = sums if known is None else known + sums
        if len(self._sparse) > self._plan.most:
            raise self._plan.too_many()

    def cells(self) -> Cells:
        """Give what was counted."""
        plan = self._plan
        if self._dense is None:
            codes = np.array(list(self._sparse), dtype=np.int64).reshape(-1, len(plan.specs))
            sums = np.array(list(self._sparse.values())).reshape(-1, 3)
        else:
            codes = np.argwhere(self._dense[..., 0] > 0)
            sums = self._dense[tuple(codes.T)].reshape(-1, 3)
        if len(codes) > plan.most:
            raise plan.too_many()
        columns = {}
        for at, (name, spec) in enumerate(plan.specs.items()):
            values = list(self._values[at])
            if spec.is_cut:
                columns[name] = cut_column(codes[:, at], values, spec)
            else:
                columns[name] = pa.array([values[code] for code in codes[:, at]])
        rows = sums[:, 0].astype(np.int64)
        if plan.weights is None:
            return Cells(pa.table(columns), rows, sums[:, 0], sums[:, 0], weighted=False)
        return Cells(pa.table(columns), rows, sums[:, 1], sums[:, 2], weighted=True)

    def _grow(self) -> None:
        """Make room for the values that were met."""
        sizes = [len(numbers) for numbers in self._values]
        if all(size <= room for size, room in zip(sizes, self._shape, strict=True)):
            return
        # twice the room each time, so that growing costs little
        shape = tuple(
            room if size <= room else max(size, 2 * room)
            for size, room in zip(sizes, self._shape, strict=True)
        )
        old, self._shape = self._dense, shape
        if old is None:
            return
        if np.prod(shape, dtype=np.float64) > MOST_DENSE:
            places = np.argwhere(old[..., 0] > 0)
            self._sparse = {tuple(cell.tolist()): old[tuple(cell)] for cell in places}
            self._dense = None
            return
        self._dense = np.zeros((*shape, 3))
        self._dense[tuple(slice(0, room) for room in old.shape[:-1])] = old

    def _encoded(self, values: Any, spec: SensitiveSpec) -> tuple[IntArray, list[object]]:
        """Give (n,) codes into a part's values, of which ``None`` is one where any is missing."""
        if spec.column in self._plan.bins:
            bins = self._plan.bins[spec.column]
            return bins.codes(values, spec.column), []
        if spec.is_cut:
            if read_column(values, name=spec.column).family in {"text", "category"}:
                raise no_cut(spec)
            return with_missing(cut_codes(values, spec), [True, False])
        quick = _small_integers(values)
        return (
            quick if quick is not None else with_missing(*read_column(values, name=spec.column).factorize())
        )

    def _checked(self, values: Any) -> FloatArray:
        numbers = read_column(values, name=str(self._plan.weights)).numbers()
        bad = np.flatnonzero(~(numbers >= 0))
        if bad.size:
            raise self._plan.bad_weight(f"{numbers[bad[0]]}")
        return numbers


def with_missing(codes: IntArray, values: list[object]) -> tuple[IntArray, list[object]]:
    """Make missing a value of its own, the last one, where a code is −1."""
    if len(codes) and int(codes.min()) < 0:
        return np.where(codes < 0, len(values), codes), [*values, None]
    return codes, values


def cut_column(codes: IntArray, values: Sequence[object], spec: SensitiveSpec) -> Any:
    """Write codes into True, False and None as the labels of the cut, whose order the type knows."""
    place = np.array([-1 if value is None else 0 if value else 1 for value in values] or [-1])
    where = place[codes]
    return pa.DictionaryArray.from_arrays(
        pa.array(where, mask=where < 0, type=pa.int8()), pa.array(list(spec.labels)), ordered=True
    )


def no_cut(spec: SensitiveSpec) -> GroupError:
    """Give the error of a cut through text."""
    return GroupError(
        f"the column {plain(spec.column)!r} holds text, which cannot be cut",
        got=plain(spec.labels[0]),
        fix=f"name the column alone, {plain(spec.column)!r}, or cut a column of numbers",
    )


def _summed(key: IntArray, weight: FloatArray | None, size: int) -> FloatArray:
    """Give (size, 3) rows, weight and squared weight of every number."""
    sums = np.zeros((size, 3))
    sums[:, 0] = np.bincount(key, minlength=size)
    if weight is not None:
        sums[:, 1] = np.bincount(key, weight, minlength=size)
        sums[:, 2] = np.bincount(key, weight * weight, minlength=size)
    return sums


def _small_integers(values: Any) -> tuple[IntArray, list[object]] | None:
    """Number whole numbers of a small span by subtraction; ``None`` for all other arrays."""
    if not isinstance(values, pa.Array) or not pa.types.is_integer(values.type) or values.null_count:
        return None
    if not len(values):
        return np.empty(0, dtype=np.int64), []
    ends = pc.min_max(values)
    low, high = ends["min"].as_py(), ends["max"].as_py()
    if high - low >= _SPAN or high >= 2**63:
        return None
    numbers = values.to_numpy(zero_copy_only=False)
    codes = numbers - low if numbers.dtype == np.int64 else numbers.astype(np.int64) - low
    return codes, list(range(low, high + 1))
