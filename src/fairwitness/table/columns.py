"""One column, read: what family of values it holds, as numbers or as codes into its distinct values.

The only code that knows the column types of pandas and arrow (polars columns are read through arrow,
without a copy). Everything else in this package asks a :class:`Column`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fairwitness.errors import DataError
from fairwitness.text import plain
from fairwitness.typing import FloatArray, IntArray

Family: TypeAlias = Literal["boolean", "integer", "float", "text", "category", "mixed", "empty"]

#: Beyond this, neighbouring integers are one and the same float64.
LARGEST_INTEGER = 2**53

#: Integers within so small a range are counted, not hashed.
_CLOSE = 256

_OBJECT_FAMILIES: dict[str, Family] = {
    "boolean": "boolean",
    "integer": "integer",
    "floating": "float",
    "mixed-integer-float": "float",
    "string": "text",
    "mixed": "mixed",
    "mixed-integer": "mixed",
    "empty": "empty",
}


class Column(ABC):
    """One column of a table; subclasses know one library each.

    Attributes
    ----------
    name
        For messages.
    dtype
        The library's name of the type.
    family
        What the values are: ``"boolean"``, ``"integer"``, ``"float"``, ``"text"``, ``"category"``
        (declared levels), ``"mixed"`` (objects of several types) or ``"empty"`` (nothing but missing).
    declared
        Levels that the type itself declares, in its own order; ``None`` where it declares none.
    ordered
        Whether the declared order means low to high.
    storage
        For floats: the numpy type that holds them exactly.
    """

    name: str
    dtype: str
    family: Family
    declared: tuple[object, ...] | None = None
    ordered: bool = False
    storage: np.dtype[Any] = np.dtype(np.float64)

    def numbers(self) -> FloatArray:
        """Give the values as float64 of shape (n,), missing as NaN, whole numbers exactly.

        Raises
        ------
        DataError
            For values that are no numbers, infinite, or whole and beyond 2**53.
        """
        if self.family not in {"boolean", "integer", "float", "empty"}:
            raise self._not_numbers()
        values = self._numbers()
        if np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise DataError(
                f"column {plain(self.name)!r} holds an infinite value",
                got=f"{values[row]} in row {row}",
                fix="replace infinite values by a number or make them missing",
            )
        return values

    @abstractmethod
    def factorize(self) -> tuple[IntArray, list[object]]:
        """Give (n,) codes into a list of distinct values; -1 where missing. Order has no meaning."""

    @abstractmethod
    def _numbers(self) -> FloatArray:
        """Give the values as float64 of shape (n,), missing as NaN, unchecked."""

    def _not_numbers(self) -> DataError:
        values = self.factorize()[1]
        return DataError(
            f"column {plain(self.name)!r} should hold numbers",
            got=f"{plain(values[0] if values else None)!r} ({self.dtype})",
            fix="convert the column to numbers, or declare it as categorical",
        )

    def _check_size(self, low: object, high: object) -> None:
        largest = max(abs(int(low)), abs(int(high)))  # type: ignore[call-overload]
        if largest > LARGEST_INTEGER:
            raise DataError(
                f"column {plain(self.name)!r} holds whole numbers beyond 2**53, which distances cannot "
                "tell apart",
                got=str(largest),
                fix='drop the column if it is an identifier, declare it as kind="categorical", or divide it',
            )


class _PandasColumn(Column):
    def __init__(self, series: Any, name: str) -> None:
        self.name = name
        self.dtype = str(series.dtype)
        self._series = series
        dtype = series.dtype
        if isinstance(dtype, pd.SparseDtype):
            raise DataError(
                f"column {plain(name)!r} is sparse",
                got=self.dtype,
                fix="call .sparse.to_dense() on the table",
            )
        if isinstance(dtype, pd.CategoricalDtype):
            self.family = "category"
            self.declared = tuple(_plain_value(level) for level in dtype.categories)
            self.ordered = bool(dtype.ordered)
        elif pd.api.types.is_object_dtype(dtype):
            self.family = _object_family(series, name)
        elif pd.api.types.is_bool_dtype(dtype):
            self.family = "boolean"
        elif pd.api.types.is_integer_dtype(dtype):
            self.family = "integer"
        elif pd.api.types.is_float_dtype(dtype):
            self.family = "float"
            self.storage = np.dtype(getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype)))
        elif pd.api.types.is_string_dtype(dtype):
            self.family = "text"
        else:
            raise _unreadable(name, self.dtype)

    def factorize(self) -> tuple[IntArray, list[object]]:
        if self.declared is not None:
            return self._series.cat.codes.to_numpy().astype(np.int64), list(self.declared)
        if getattr(self._series.dtype, "kind", "") in "iu" and isinstance(self._series.dtype, np.dtype):
            few = _few_integers(self._series.to_numpy())
            if few is not None:
                return few
        try:
            codes, values = pd.factorize(self._series)
        except TypeError as error:  # lists and the like cannot be levels
            raise _unreadable(self.name, self.dtype) from error
        distinct = [_plain_value(value) for value in values.tolist()]
        if self.family == "mixed":
            _refuse_lookalikes(self._series, distinct, self.name)
        return codes.astype(np.int64, copy=False), distinct

    def _numbers(self) -> FloatArray:
        series = self._series
        if self.family == "integer" and len(series) and not _narrow(series.dtype):
            present = series.dropna()
            if len(present):
                self._check_size(present.min(), present.max())
        if isinstance(series.dtype, np.dtype) and series.dtype != object:
            plainly: FloatArray = series.to_numpy().astype(np.float64)
            return plainly
        out: FloatArray = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return out.copy() if np.shares_memory(out, np.asarray(series.array)) else out


class _ArrowColumn(Column):
    def __init__(self, array: Any, name: str, dtype: str | None = None) -> None:
        kind = array.type
        self.name = name
        self.dtype = dtype or str(kind)
        self._array = array
        types = pa.types
        if types.is_dictionary(kind):
            self.family = "category"
            self._array = array.unify_dictionaries() if isinstance(array, pa.ChunkedArray) else array
            self.ordered = bool(kind.ordered)
            self.declared = tuple(v for v in self._dictionary()[1] if not _missing(v))
        elif types.is_boolean(kind):
            self.family = "boolean"
        elif types.is_integer(kind):
            self.family = "integer"
        elif types.is_floating(kind):
            self.family = "float"
            self.storage = np.dtype(kind.to_pandas_dtype())
        elif types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
            self.family = "text"
        elif types.is_null(kind):
            self.family = "empty"
        else:
            raise _unreadable(name, self.dtype)

    def _dictionary(self) -> tuple[IntArray, list[object]]:
        array = self._array
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
            if isinstance(array, pa.ChunkedArray):  # no chunks at all
                return np.empty(0, dtype=np.int64), []
        codes = pc.fill_null(array.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
        return codes, array.dictionary.to_pylist()

    def factorize(self) -> tuple[IntArray, list[object]]:
        if self.family == "empty":
            return np.full(len(self._array), -1, dtype=np.int64), []
        if self.family == "category":
            codes, values = self._dictionary()
        else:
            array = self._array
            if pa.types.is_string_view(array.type):
                array = array.cast(pa.large_string())
            codes, values = _ArrowColumn(array.dictionary_encode(), self.name)._dictionary()
        kept = [value for value in values if not _missing(value)]
        if len(kept) < len(values):  # NaN, or a null inside the dictionary: missing like any other
            place = np.cumsum([not _missing(value) for value in values]) - 1
            place[[_missing(value) for value in values]] = -1
            codes = np.where(codes < 0, -1, place[codes])
        return codes, kept

    def _numbers(self) -> FloatArray:
        if self.family == "empty":
            return np.full(len(self._array), np.nan)
        array = self._array
        if self.family == "integer" and array.type.bit_width == 64 and len(array):
            ends = pc.min_max(array).as_py()
            if ends["min"] is not None:
                self._check_size(ends["min"], ends["max"])
        if self.family == "boolean":
            array = array.cast(pa.int8())
        out = array.cast(pa.float64()).to_numpy(
            **({} if hasattr(array, "chunks") else {"zero_copy_only": False})
        )
        return np.array(out, dtype=np.float64)


def read_column(values: Any, *, name: str) -> Column:
    """Wrap a pandas Series, polars Series, pyarrow array, numpy array or sequence.

    Raises
    ------
    DataError
        For values of a type that no method here can use: dates, times, bytes, lists, decimals, ...
    """
    if nw.dependencies.is_pandas_series(values):
        return _PandasColumn(values, name)
    if nw.dependencies.is_polars_series(values):
        return _polars_column(values, name)
    if isinstance(values, pa.ChunkedArray | pa.Array):
        return _ArrowColumn(values, name)
    if isinstance(values, pd.api.extensions.ExtensionArray | pd.Index | np.ndarray) or (
        isinstance(values, Sequence) and not isinstance(values, str | bytes)
    ):
        if isinstance(values, np.ndarray) and values.ndim != 1:
            raise DataError(
                f"column {plain(name)!r} should be one-dimensional",
                got=f"an array of shape {values.shape}",
                fix="pass one value a row",
            )
        return _PandasColumn(pd.Series(values), name)
    raise DataError(
        f"column {plain(name)!r} is of a kind that cannot be read",
        got=type(values).__qualname__,
        fix="pass a pandas or polars Series, a numpy array or a list",
    )


def _polars_column(series: Any, name: str) -> Column:
    import polars as pl

    dtype = str(series.dtype)
    if series.dtype == pl.Object or isinstance(series.dtype, pl.Decimal) or series.dtype.is_nested():
        raise _unreadable(name, dtype)
    if str(series.dtype) in {"Int128", "UInt128"}:
        raise _unreadable(name, dtype)
    # without its name, which arrow cannot take if it holds a NUL
    array = series.alias("").to_arrow(compat_level=pl.CompatLevel.oldest())
    column = _ArrowColumn(array, name, dtype)
    column.ordered = False  # an Enum lists its values; that is no claim about low and high
    if isinstance(series.dtype, pl.Categorical):
        # its dictionary is whatever the process has met so far, which says nothing about this column
        column.declared = None
    return column


def _object_family(series: Any, name: str) -> Family:
    inferred = pd.api.types.infer_dtype(series, skipna=True)
    if inferred not in _OBJECT_FAMILIES:
        raise _unreadable(name, f"object holding {inferred}")
    return _OBJECT_FAMILIES[inferred]


def _unreadable(name: str, dtype: str) -> DataError:
    lowered = dtype.lower()
    if any(word in lowered for word in ("date", "time", "period", "duration")):
        what = "holds dates or times, which have no distance to a method here"
        fix = "turn them into numbers (days since a fixed date, year, month), or drop the column"
    else:
        what = "holds values of a type that cannot be used"
        fix = "convert the column to numbers, text or booleans, or drop it"
    return DataError(f"column {plain(name)!r} {what}", got=plain(dtype), fix=fix)


def _refuse_lookalikes(series: Any, distinct: list[object], name: str) -> None:
    """Values such as 1, 1.0 and True are one dictionary key; as levels they could not be told apart."""
    typed = {(type(value), value) for value in series.dropna()}
    if len({(kind.__name__, value) for kind, value in typed}) > len(distinct):
        raise DataError(
            f"column {plain(name)!r} mixes values that are equal but of different types, such as 1 and True",
            got=", ".join(sorted({kind.__name__ for kind, _ in typed})),
            fix="convert the column to one type",
        )


def _few_integers(values: np.ndarray) -> tuple[IntArray, list[object]] | None:
    """Number integers that lie close together without hashing them; ``None`` if they do not."""
    if not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if high - low >= _CLOSE or high > LARGEST_INTEGER:
        return None
    codes = values.astype(np.int64)
    codes -= low
    met = np.bincount(codes, minlength=high - low + 1) > 0
    if not met.all():
        codes = (np.cumsum(met) - 1)[codes]
    return codes, [low + at for at in np.flatnonzero(met).tolist()]


def _narrow(dtype: Any) -> bool:
    return getattr(dtype, "itemsize", 8) < 8


def _missing(value: object) -> bool:
    return value is None or value != value


def _plain_value(value: Any) -> object:
    """Turn a numpy scalar into the Python value it stands for; leave everything else."""
    return value.item() if isinstance(value, np.generic) else value
