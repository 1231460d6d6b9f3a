"""Columns as regressions want them: numbers as they are, levels as indicators, nothing missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairwitness.fair.inputs import InputError, check_alignment, rows_of
from fairwitness.model.crossfit import as_frame
from fairwitness.table import Encoder, Schema, column_names, n_rows, native_column, select_columns, to_pandas
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray


class Columns:
    """Named columns of a table, coded as the table that ``fit`` saw had them.

    Attributes
    ----------
    names
        The columns.
    coded
        Those that hold levels.
    """

    def __init__(self, frame: Any, names: Sequence[str], *, as_levels: Sequence[str] = ()) -> None:
        self.names = tuple(names)
        part = select_columns(frame, self.names)
        hints: Mapping[str, Mapping[str, object]] = {name: {"kind": "categorical"} for name in as_levels}
        _check_filled(part, self.names)
        schema = Schema.infer(part, **hints)
        for feature in schema:
            if feature.kind == "integer":  # a new row may lie between
                schema = schema.feature(feature.name, kind="numeric")
        self._encoder = Encoder.fit(part, schema)
        self.coded = tuple(feature.name for feature in self._encoder.schema if feature.is_coded)

    def n_levels(self, name: str) -> int:
        """Number of levels of a coded column."""
        return len(self._encoder.schema[name].levels)

    def encode(self, frame: Any) -> dict[str, FloatArray]:
        """Give (n,) numbers or level positions by name.

        Raises
        ------
        DataError
            For a column that is not there, or a level that ``fit`` did not see.
        InputError
            For missing values, and infinite ones.
        """
        _check_filled(frame, [name for name in self.names if name in column_names(frame)])
        matrix = self._encoder.encode(frame)
        return {name: matrix[:, at] for at, name in enumerate(self._encoder.names)}

    def block(self, values: Mapping[str, FloatArray], name: str, *, full: bool = False) -> FloatArray:
        """(n, w) the column as regressors: itself, or an indicator a level but (unless full) the first."""
        column = values[name]
        if name not in self.coded:
            return column[:, None]
        levels = np.arange(0 if full and self.n_levels(name) > 2 else 1, self.n_levels(name))
        return np.asarray(column[:, None] == levels, dtype=np.float64)

    def blocks(self, values: Mapping[str, FloatArray], names: Sequence[str]) -> FloatArray:
        """(n, 1 + w) a column of ones and the blocks of several columns."""
        n = len(next(iter(values.values())))
        return np.column_stack([np.ones(n), *(self.block(values, name) for name in names)])


def _check_filled(table: Any, names: Sequence[str]) -> None:
    """Refuse missing and infinite values, which regressions cannot read."""
    import pandas as pd

    for name in names:
        column = native_column(table, name)
        wrong = np.asarray(pd.isna(column), dtype=bool)
        if pd.api.types.is_float_dtype(column):
            wrong = wrong | np.isinf(np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan)))
        if wrong.any():
            raise InputError(
                f"the column {plain(name)} contains NaN or infinity",
                got=f"{int(wrong.sum())} rows, the first is row {int(wrong.argmax())}",
                fix="fill or leave out those rows",
            )


def named_table(X: Any, *, expected: int | None = None, who: str = "") -> Any:
    """Give X as a table; the columns of an array are called ``x0``, ``x1``, ...

    Raises
    ------
    InputError, InputTypeError
        If an array is not one of rows, or has another number of columns than ``expected``.
    """
    import narwhals as nw
    import pandas as pd

    if nw.dependencies.is_into_dataframe(X):
        return as_frame(X)
    array = rows_of(X)
    if expected is not None and array.shape[1] != expected:
        raise InputError(
            f"X has {array.shape[1]} features, but {who} is expecting {expected} features as input",
            fix="pass the columns that fit saw, or a table whose columns have names",
        )
    return pd.DataFrame(array, columns=[f"x{at}" for at in range(array.shape[1])])


def joined(X: Any, sensitive_features: Any, sensitive: Sequence[str]) -> Any:
    """Give a pandas table of the columns of X with the sensitive ones from beside it, where they are given.

    Raises
    ------
    InputError
        If rows differ in number or index, or a sensitive feature is in neither.
    """
    frame = named_table(X)
    table = to_pandas(frame)
    if sensitive_features is not None:
        check_alignment(X=X, sensitive_features=sensitive_features)
        given = beside(sensitive_features, sensitive)
        for name, column in given.items():
            values = np.asarray(column)
            if len(values) != n_rows(frame):
                raise InputError(
                    f"Found inconsistent numbers of samples: X has {n_rows(frame):,} rows and {plain(name)} "
                    f"has {len(values):,}",
                    fix="pass one value a row, in the order of the rows",
                )
        table = table.assign(**{name: np.asarray(column) for name, column in given.items()})
    absent = [plain(name) for name in sensitive if name not in column_names(table)]
    if absent:
        raise InputError(
            f"sensitive_features is missing: neither X nor sensitive_features has {listing(absent)}",
            got=f"columns {listing([plain(name) for name in column_names(table)])}",
            fix="pass a table whose columns have these names",
        )
    return table


def beside(given: Any, sensitive: Sequence[str] | None) -> dict[str, Any]:
    """Name the columns that were given beside X; those without names are all of them, in order.

    Without ``sensitive`` they keep the names that they have, or get one.
    """
    if isinstance(given, Mapping):
        named = {str(name): values for name, values in given.items()}
    elif hasattr(given, "columns") or hasattr(given, "column_names"):
        named = {name: native_column(given, name) for name in column_names(given)}
    elif getattr(given, "name", None) is not None and (sensitive is None or str(given.name) in sensitive):
        named = {str(given.name): given}
    else:
        array = np.asarray(given)
        array = array[:, None] if array.ndim == 1 else array
        if sensitive is None:
            sensitive = [f"sensitive feature {at}" for at in range(array.shape[1])]
        if array.ndim != 2 or array.shape[1] != len(sensitive):
            raise InputError(
                f"sensitive_features without names must have {len(sensitive)} columns",
                got=f"shape {np.shape(given)}",
                fix=f"pass a table with the columns {listing([plain(each) for each in sensitive])}",
            )
        return {each: array[:, at] for at, each in enumerate(sensitive)}
    return {name: values for name, values in named.items() if sensitive is None or name in sensitive}
