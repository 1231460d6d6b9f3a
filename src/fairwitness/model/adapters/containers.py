"""The table in the form a model was fitted on: a frame, a plain matrix, or declared categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairwitness.errors import ModelError
from fairwitness.table.columns import read_column
from fairwitness.table.frames import (
    column,
    column_names,
    container_of,
    n_rows,
    native_column,
    to_pandas,
)
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, NativeFrame, ObjectArray


def first_text_column(frame: NativeFrame) -> str | None:
    """Name of the first column that holds no numbers, ``None`` if all do."""
    for name in column_names(frame):
        if _numbers(frame, name) is None:
            return name
    return None


def numeric_matrix(frame: NativeFrame, *, purpose: str) -> FloatArray:
    """(n, d) float64 matrix in the frame's column order; booleans are 0 and 1, missing is NaN.

    Raises
    ------
    ModelError
        If a column holds something that is no number; the message names column and value.
    """
    names = column_names(frame)
    out = np.empty((n_rows(frame), len(names)), dtype=np.float64)
    for position, name in enumerate(names):
        values = _numbers(frame, name)
        if values is None:
            raise text_refused(frame, name, purpose=purpose)
        out[:, position] = values
    return out


def object_matrix(frame: NativeFrame) -> ObjectArray:
    """(n, d) matrix of Python objects, for pipelines that were fitted on such an array."""
    names = column_names(frame)
    out = np.empty((n_rows(frame), len(names)), dtype=object)
    for position, name in enumerate(names):
        out[:, position] = column(frame, name)
    return out


def text_refused(frame: NativeFrame, name: str, *, purpose: str) -> ModelError:
    """The error for a column of text where the model takes numbers only."""
    present = [value for value in column(frame, name) if value is not None]
    return ModelError(
        f"the column {plain(name, most=80)!r} holds text, and {purpose}",
        got=plain(repr(present[0]), most=60) if present else "no value",
        fix="pass the table encoded as in training, or a pipeline or function that encodes it first",
    )


def model_columns(known: Sequence[str], present: Sequence[str]) -> list[str]:
    """Find the frame's columns that a model calls ``known``, in the model's order.

    LightGBM writes blanks in names as underscores, so ``hours_per_week`` also finds ``hours per week``
    where the exact name is not there.

    Raises
    ------
    ModelError
        If a column is missing, or two columns could be meant.
    """
    exact = set(present)
    loose: dict[str, list[str]] = {}
    for name in present:
        loose.setdefault("_".join(name.split()), []).append(name)
    found: list[str] = []
    absent: list[str] = []
    for name in known:
        twins = loose.get(name, [])
        if name in exact:
            found.append(name)
        elif len(twins) == 1:
            found.append(twins[0])
        elif twins:
            raise ModelError(
                f"the model reads a column {plain(name, most=80)!r}, and several columns could be meant",
                got=listing([plain(twin, most=80) for twin in twins]),
                fix="pass feature_names= with the columns in the order of training",
            )
        else:
            absent.append(name)
    if absent:
        raise ModelError(
            f"the table lacks {'a column' if len(absent) == 1 else f'{len(absent)} columns'} "
            f"that the model was trained on: {listing([plain(name, most=80) for name in absent])}",
            got=f"columns {listing([plain(name, most=80) for name in present], most=20)}",
            fix="pass the table that the model is used with, before any encoding of your own",
        )
    return found


def with_categories(frame: NativeFrame, levels: Mapping[str, Sequence[object]]) -> Any:
    """Give a pandas frame whose categorical columns have the categories of training, in that order.

    Boosters number the levels; a table read from a file, or a slice of one, would be numbered otherwise.
    A value outside ``levels`` becomes missing, as it does in the libraries themselves.
    """
    import pandas as pd

    out = to_pandas(frame).copy(deep=False)
    for name, values in levels.items():
        series = native_column(out, name)
        wanted = pd.CategoricalDtype(list(values))
        if series.dtype != wanted:
            plain_series = series.astype(object) if isinstance(series.dtype, pd.CategoricalDtype) else series
            codes = pd.Index(list(values)).get_indexer(pd.Index(plain_series))
            out[series.name] = pd.Series(pd.Categorical.from_codes(codes, dtype=wanted), index=out.index)
    return out


def container(frame: NativeFrame, wanted: str) -> Any:
    """Give ``frame`` as ``"pandas"``, ``"polars"`` or, for ``"auto"``, as it is (pyarrow: as pandas)."""
    kind = container_of(frame)
    if wanted == "polars" and kind != "polars":
        import narwhals as nw
        import polars as pl

        return pl.from_arrow(nw.from_native(frame, eager_only=True).to_arrow())
    if wanted == "pandas" or (wanted == "auto" and kind == "pyarrow"):
        return to_pandas(frame)
    return frame


def _numbers(frame: NativeFrame, name: str) -> FloatArray | None:
    read = read_column(native_column(frame, name), name=name)
    if read.family in {"boolean", "integer", "float", "empty"}:
        return read.numbers()
    if read.family == "category":
        codes, values = read.factorize()
        if all(isinstance(value, int | float) for value in values):
            return np.array([*values, np.nan], dtype=np.float64)[codes]
    return None
