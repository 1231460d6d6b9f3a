"""Counting cells in memory, a part of the rows at a time: codes, one number a row, one count a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairwitness.errors import GroupError
from fairwitness.table.cells import Cells, Plan
from fairwitness.table.columns import read_column
from fairwitness.table.cuts import SensitiveSpec, cut_codes
from fairwitness.text import plain
from fairwitness.typing import FloatArray, IntArray

#: Values of a whole-number column that are told apart by subtraction, without looking each one up.
_SPAN = 4096


class Tally:
    """Cells met so far, and their sums."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        # value → number, a column; numbers → position, a cell
        self._values: list[dict[object, int]] = [{} for _ in plan.specs]
        self._place: dict[tuple[int, ...], int] = {}
        self._sums = np.zeros((0, 3))

    def add(self, part: Any) -> None:
        """Add the rows of a part: anything that gives a column by its name."""
        key, sizes, seen = np.zeros(0, dtype=np.int64), [], []
        for at, spec in enumerate(self._plan.specs.values()):
            codes, values = self._encoded(part[spec.column], spec)
            numbers = self._values[at]
            seen.append([numbers.setdefault(value, len(numbers)) for value in values])
            sizes.append(len(values))
            if len(numbers) > max(self._plan.most, _SPAN) or np.prod(sizes, dtype=np.float64) > 2.0**62:
                raise self._plan.too_many()
            key = codes if at == 0 else key * len(values) + codes
        if not len(key):
            return
        weight = None if self._plan.weights is None else self._checked(part[self._plan.weights])
        for position, sums in _grouped(key, int(np.prod(sizes, dtype=np.int64)), weight):
            cell, rest = [0] * len(sizes), position
            for at in range(len(sizes) - 1, -1, -1):
                rest, code = divmod(rest, sizes[at])
                cell[at] = seen[at][code]
            place = self._place.setdefault(tuple(cell), len(self._place))
            if place == len(self._sums):
                if place >= self._plan.most:
                    raise self._plan.too_many()
                self._sums = np.concatenate([self._sums, np.zeros((max(place, 64), 3))])
            self._sums[place] += sums

    def cells(self) -> Cells:
        """Give what was counted."""
        plan = self._plan
        codes = np.array(list(self._place), dtype=np.int64).reshape(-1, len(plan.specs))
        columns = {}
        for at, (name, spec) in enumerate(plan.specs.items()):
            values = list(self._values[at])
            if spec.is_cut:
                columns[name] = cut_column(codes[:, at], values, spec)
            else:
                columns[name] = pa.array([values[code] for code in codes[:, at]])
        sums = self._sums[: len(codes)]
        rows = sums[:, 0].astype(np.int64)
        if plan.weights is None:
            return Cells(pa.table(columns), rows, sums[:, 0], sums[:, 0], weighted=False)
        return Cells(pa.table(columns), rows, sums[:, 1], sums[:, 2], weighted=True)

    def _encoded(self, values: Any, spec: SensitiveSpec) -> tuple[IntArray, list[object]]:
        """Give (n,) codes into a part's values, of which ``None`` is one where any is missing."""
        if spec.column in self._plan.bins:
            bins = self._plan.bins[spec.column]
            return bins.codes(values, spec.column), list(range(bins.count))
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


def _grouped(key: IntArray, size: int, weight: FloatArray | None) -> Iterator[tuple[int, FloatArray]]:
    """Yield each number that occurs, with its rows, weight and squared weight."""
    if size > max(4 * len(key), _SPAN):
        places, key = np.unique(key, return_inverse=True)
        size = len(places)
    else:
        places = np.arange(size)
    rows = np.bincount(key, minlength=size)
    sums = np.zeros((size, 3))
    sums[:, 0] = rows
    if weight is not None:
        sums[:, 1] = np.bincount(key, weight, minlength=size)
        sums[:, 2] = np.bincount(key, weight * weight, minlength=size)
    for at in np.flatnonzero(rows).tolist():
        yield int(places[at]), sums[at]


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
