"""One column between its own type and float64.

A :class:`Codec` holds everything that is worth computing once: the level → code dictionary and a *palette*,
the levels in the column's own type, so that decoding is one vectorised ``take``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fairwitness.errors import DataError, SchemaError
from fairwitness.table.columns import Column, read_column
from fairwitness.table.feature import Feature
from fairwitness.table.frames import Container
from fairwitness.table.precision import round_decimals
from fairwitness.table.transitions import banned_codes
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, FloatArray, IntArray


class Codec(ABC):
    """One feature's way from values to numbers and back; subclasses know how one library builds columns.

    Parameters
    ----------
    values
        The native column that was fitted.
    feature
        What the schema says about it.
    """

    def __init__(self, values: Any, feature: Feature) -> None:
        self.feature = feature
        self._code = {level: code for code, level in enumerate(feature.levels)}
        self._may_take = self._allowed_codes()
        self._banned = banned_codes(feature)
        self._storage: np.dtype[Any] = np.dtype(np.float64)
        self._range: tuple[float, float] | None = None

    @abstractmethod
    def _take(self, codes: IntArray) -> Any:
        """Give the levels of (n,) codes as a native column; -1 is missing."""

    @abstractmethod
    def _numbers(self, numbers: FloatArray, missing: BoolArray) -> Any:
        """Give (n,) numbers as a native column in its own type; missing where (n,) ``missing`` holds."""

    def encode(self, column: Column) -> FloatArray:
        """Give the column as float64 of shape (n,); errors name the column, value and row."""
        name = plain(self.feature.name)
        if self.feature.is_coded:
            codes, values = column.factorize()
            table = np.array([self._code.get(value, -2) for value in values] + [-1], dtype=np.int64)
            numbers = table[codes].astype(np.float64)
            if (table == -2).any() and (strange := np.flatnonzero(numbers == -2)).size:
                row = int(strange[0])
                raise DataError(
                    f"column {name!r} holds a value that was not met when its levels were read",
                    got=f"{plain(repr(values[codes[row]]))} in row {row}",
                    fix="use one of its levels "
                    + listing([plain(repr(level)) for level in self.feature.levels])
                    + ", or fit on a table that holds the value",
                )
            numbers[numbers == -1] = np.nan
        else:
            numbers = column.numbers()
            if self.feature.kind == "integer":
                broken = np.flatnonzero((numbers != np.rint(numbers)) & ~np.isnan(numbers))
                if broken.size:
                    raise DataError(
                        f"column {name!r} should hold whole numbers",
                        got=f"{numbers[broken[0]]} in row {broken[0]}",
                        fix="round the values, or declare the column as numeric",
                    )
        if not self.feature.nullable and (gaps := np.flatnonzero(np.isnan(numbers))).size:
            raise DataError(
                f"column {name!r} may not be missing",
                got=f"a missing value in row {gaps[0]}",
                fix="fill the missing values or drop those rows, or declare the column nullable=True",
            )
        return numbers

    def decode(self, numbers: FloatArray) -> Any:
        """Give (n,) numbers as a native column of the fitted type."""
        missing = np.isnan(numbers)
        any_missing = bool(missing.any())
        if any_missing and not self.feature.nullable:
            raise self._cannot_hold("a missing value", int(np.flatnonzero(missing)[0]))
        if self.feature.is_coded:
            with np.errstate(invalid="ignore"):
                codes = (
                    np.where(missing, -1, numbers).astype(np.int64)
                    if any_missing
                    else numbers.astype(np.int64)
                )
            wrong = ((codes != numbers) | (codes < 0) | (codes >= len(self._code))) & ~missing
            if wrong.any():
                row = int(np.flatnonzero(wrong)[0])
                raise self._cannot_hold(str(numbers[row]), row)
            return self._take(codes)
        if self._range is not None:
            low, high = self._range
            wrong = ((numbers != np.rint(numbers)) | (numbers < low) | (numbers > high)) & ~missing
            if wrong.any():
                row = int(np.flatnonzero(wrong)[0])
                raise self._cannot_hold(str(numbers[row]), row)
        return self._numbers(numbers, missing)

    def snap(self, numbers: FloatArray) -> FloatArray:
        """Move (n,) numbers to the nearest valid ones; NaN stays."""
        if self.feature.is_coded:
            out = np.clip(np.rint(numbers), 0, len(self._code) - 1)
        elif self.feature.precision is None:
            out = numbers
        else:
            out = round_decimals(numbers, self.feature.precision, self._storage)
        if self._range is not None:
            out = np.clip(np.rint(out), *self._range)
        elif self._storage != np.float64:
            out = out.astype(self._storage).astype(np.float64)
        return out + 0.0  # one zero, not two

    def validate(self, numbers: FloatArray, queries: FloatArray) -> BoolArray:
        """Say for each of (n,) numbers whether it keeps the feature's constraints."""
        feature = self.feature
        missing, was_missing = np.isnan(numbers), np.isnan(queries)
        same = (numbers == queries) | (missing & was_missing)
        if feature.immutable:
            good = same
        else:
            good = same | self._may_become(numbers, missing)
            if self._banned is not None:
                good = good & (same | ~self._banned[self._codes_of(queries), self._codes_of(numbers)])
            if feature.monotone is not None:
                step = numbers - queries if feature.monotone == "increase" else queries - numbers
                good = good & (same | (step > 0))  # NaN > 0 is false: missing has no direction
        if not feature.nullable:
            good = good & ~missing
        if feature.kind == "integer":
            good = good & (missing | (numbers == np.rint(numbers)))
        if feature.is_coded:
            whole = (numbers == np.rint(numbers)) & (numbers >= 0) & (numbers < len(self._code))
            good = good & (missing | whole)
        return np.asarray(good, dtype=np.bool_)

    def _may_become(self, numbers: FloatArray, missing: BoolArray) -> BoolArray:
        feature = self.feature
        if feature.is_coded:
            taken: BoolArray = self._may_take[self._codes_of(numbers)]
            return taken
        if feature.bounds is None:
            return np.ones(len(numbers), dtype=np.bool_)
        return missing | ((numbers >= feature.bounds[0]) & (numbers <= feature.bounds[1]))

    def _codes_of(self, numbers: FloatArray) -> IntArray:
        """Give codes to index with; the last place, −1, stands for missing."""
        inside = (numbers >= 0) & (numbers < len(self._code))
        return np.where(inside, numbers, -1).astype(np.int64)

    def combination_value(self, value: object) -> float:
        """Encode one value of a link, which the schema has checked."""
        if value is None:
            return np.nan
        return float(self._code[value]) if self.feature.is_coded else float(value)  # type: ignore[arg-type]

    def _allowed_codes(self) -> BoolArray:
        allowed = self.feature.allowed
        if allowed is None:
            return np.ones(len(self._code) + 1, dtype=np.bool_)
        return np.array([level in allowed for level in self.feature.levels] + [None in allowed])

    def _cannot_hold(self, what: str, row: int) -> DataError:
        return DataError(
            f"column {plain(self.feature.name)!r} cannot take this value",
            got=f"{what} in row {row}",
            fix="call Encoder.snap first, and keep missing values out of columns that have none",
        )

    def _no_room(self, dtype: object, what: str) -> SchemaError:
        return SchemaError(
            f"column {plain(self.feature.name)!r} is of type {dtype}, which cannot hold {what}",
            got=listing([plain(repr(level)) for level in self.feature.levels]) or None,
            fix="convert the column before, or correct its schema",
        )


def make_codec(values: Any, feature: Feature, container: Container) -> Codec:
    """Make the codec of one native column."""
    if container == "pandas":
        return _PandasCodec(values, feature)
    return _PolarsCodec(values, feature) if container == "polars" else _ArrowCodec(values, feature)


class _PandasCodec(Codec):
    def __init__(self, values: Any, feature: Feature) -> None:
        super().__init__(values, feature)
        self._dtype = dtype = values.dtype
        plain_numpy = isinstance(dtype, np.dtype)
        if plain_numpy and dtype.kind in "iub" and feature.nullable:
            raise self._no_room(dtype, "missing values")
        self._gap = _missing_object(values) if plain_numpy and dtype.kind == "O" else np.nan
        if feature.is_coded:
            self._build_palette()
            return
        numeric = getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))
        if numeric.kind in "iu":
            self._range = _exact_range(np.iinfo(numeric))
        elif numeric.kind == "f":
            self._storage = numeric
        elif numeric.kind == "b":
            self._range = (0.0, 1.0)
        elif feature.kind == "integer":
            self._range = _exact_range(np.iinfo(np.int64))

    def _build_palette(self) -> None:
        dtype, levels = self._dtype, self.feature.levels
        try:
            if isinstance(dtype, pd.CategoricalDtype):
                positions = dtype.categories.get_indexer(pd.Index(levels, dtype=dtype.categories.dtype))
                if (positions < 0).any():
                    raise ValueError(levels)
                self._positions = np.append(positions, -1).astype(np.int64)
            elif isinstance(dtype, np.dtype):
                palette = np.empty(len(levels) + 1, dtype=object)
                palette[:-1] = levels
                palette[-1] = self._gap
                if dtype.kind != "O":
                    end = len(levels) + (dtype.kind == "f")  # only floats have room for missing
                    palette = palette[:end].astype(dtype)
                    if tuple(palette[: len(levels)].tolist()) != levels:
                        raise ValueError(levels)
                self._palette = palette
            else:
                self._extension: Any = pd.array(list(levels), dtype=dtype)
        except (TypeError, ValueError, OverflowError, pa.ArrowException) as error:
            raise self._no_room(dtype, "all levels of the schema") from error

    def _take(self, codes: IntArray) -> Any:
        if isinstance(self._dtype, pd.CategoricalDtype):
            return pd.Categorical.from_codes(self._positions[codes], dtype=self._dtype, validate=False)
        if isinstance(self._dtype, np.dtype):
            return self._as_is(self._palette[codes])
        return self._extension.take(codes, allow_fill=True)

    def _numbers(self, numbers: FloatArray, missing: BoolArray) -> Any:
        dtype = self._dtype
        if not isinstance(dtype, np.dtype):
            return pd.array(numbers, dtype="Float64").astype(dtype)
        if dtype.kind != "O":
            return numbers.astype(dtype)
        filled = np.where(missing, 0, numbers)
        out = filled.astype(np.int64).astype(object) if self._range is not None else filled.astype(object)
        out[missing] = self._gap
        return self._as_is(out)

    def _as_is(self, values: Any) -> Any:
        """Keep pandas from guessing a better type for objects."""
        return pd.Series(values, dtype=object, copy=False) if values.dtype == object else values


class _PolarsCodec(Codec):
    def __init__(self, values: Any, feature: Feature) -> None:
        import polars as pl

        super().__init__(values, feature)
        self._dtype = values.dtype
        self._name = values.name
        # polars floats know both null and NaN; a column that has only NaN gets NaN back
        self._nan = self._dtype.is_float() and bool(values.is_nan().any()) and not values.null_count()
        if feature.is_coded:
            try:
                self._palette = pl.Series(self._name, list(feature.levels), dtype=self._dtype, strict=True)
            except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
                raise self._no_room(self._dtype, "all levels of the schema") from error
        elif self._dtype.is_float():
            self._storage = np.dtype(str(self._dtype).lower())
        elif self._dtype.is_integer():
            self._range = _exact_range(np.iinfo(str(self._dtype).lower()))
        elif self._dtype == pl.Boolean:
            self._range = (0.0, 1.0)

    def _take(self, codes: IntArray) -> Any:
        import polars as pl

        places = pl.Series(codes)
        if (codes < 0).any():
            places = places.set(places < 0, None)
        return self._palette.gather(places)

    def _numbers(self, numbers: FloatArray, missing: BoolArray) -> Any:
        import polars as pl

        series = pl.Series(self._name, numbers)
        if not self._nan:
            series = series.fill_nan(None)
        return series.cast(self._dtype)


class _ArrowCodec(Codec):
    def __init__(self, values: Any, feature: Feature) -> None:
        super().__init__(values, feature)
        self._type = kind = values.type
        self._nan = pa.types.is_floating(kind) and _holds_nan(values) and values.null_count == 0
        if feature.is_coded:
            try:
                if pa.types.is_dictionary(kind):
                    # the table's own dictionary first, in its order
                    declared = read_column(values, name=feature.name).declared or ()
                    entries = list(dict.fromkeys([*declared, *feature.levels]))
                    self._palette = pa.array(entries, type=kind.value_type)
                    self._positions = np.array([entries.index(level) for level in feature.levels])
                else:
                    # arrow cannot pick from string views, so they are made last
                    plain_kind = pa.large_string() if pa.types.is_string_view(kind) else kind
                    self._palette = pa.array(list(feature.levels), type=plain_kind)
            except (pa.ArrowException, OverflowError) as error:
                raise self._no_room(kind, "all levels of the schema") from error
        elif pa.types.is_floating(kind):
            self._storage = np.dtype(kind.to_pandas_dtype())
        elif pa.types.is_integer(kind):
            self._range = _exact_range(np.iinfo(kind.to_pandas_dtype()))
        elif pa.types.is_boolean(kind):
            self._range = (0.0, 1.0)

    def _take(self, codes: IntArray) -> Any:
        if pa.types.is_dictionary(self._type):
            codes = np.where(codes < 0, codes, self._positions[codes])
        places = pa.array(codes, mask=codes < 0)
        if pa.types.is_dictionary(self._type):
            return pa.DictionaryArray.from_arrays(
                places.cast(self._type.index_type), self._palette, ordered=self._type.ordered
            )
        return self._palette.take(places).cast(self._type)

    def _numbers(self, numbers: FloatArray, missing: BoolArray) -> Any:
        return pa.array(numbers, mask=None if self._nan else missing).cast(self._type)


def _exact_range(info: Any) -> tuple[float, float]:
    """Give the whole numbers that both the type and float64 hold."""
    return max(float(info.min), -(2.0**53)), min(float(info.max), 2.0**53)


def _holds_nan(values: Any) -> bool:
    return bool(pc.any(pc.is_nan(values)).as_py())


def _missing_object(values: Any) -> object:
    """Say how an object column writes missing: None or pandas.NA if it always does, NaN otherwise."""
    marks = {type(mark) for mark in values[values.isna()]}
    if marks == {type(None)}:
        return None
    return pd.NA if marks == {type(pd.NA)} else np.nan
