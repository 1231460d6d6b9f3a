"""Between a mixed table and one matrix of numbers, without losing anything on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from fairwitness.errors import DataError, NotFittedError
from fairwitness.table.codec import Codec, make_codec
from fairwitness.table.columns import read_column
from fairwitness.table.combinations import Combinations
from fairwitness.table.frames import Container, column_labels, container_of, n_rows, select_columns
from fairwitness.table.links import Link
from fairwitness.table.schema import Schema
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, FloatArray, NativeFrame


class Encoder:
    """Turns tables into float64 matrices of shape (n, d) and back, exactly.

    Numeric and integer columns stay the numbers they are; ordinal, categorical and boolean columns become
    the position of the value among the feature's levels (0, 1, ...); missing becomes NaN. ``decode`` gives
    the table that ``fit`` saw: the same library, column order and type of every column.

    Attributes
    ----------
    schema
        The columns, in matrix order (the order of the table that ``fit`` saw).
    container
        ``"pandas"``, ``"polars"`` or ``"pyarrow"``.
    links
        The schema's links as numbers, one :class:`~fairwitness.table.Combinations` each; those that are
        learnt hold what the table that ``fit`` saw has.
    """

    schema: Schema
    container: Container
    links: tuple[Combinations, ...]
    _codecs: tuple[Codec, ...]
    _header: NativeFrame

    def __init__(self) -> None:
        raise NotFittedError("an Encoder is made from a table", fix="use Encoder.fit(frame)")

    @classmethod
    def fit(cls, frame: NativeFrame, schema: Schema | None = None) -> Encoder:
        """Remember how the table looks.

        Parameters
        ----------
        frame
            pandas, polars or pyarrow table. Columns that the schema does not name are left out.
        schema
            ``None``: inferred.

        Raises
        ------
        DataError
            If a column of the schema is not in the table, or its type cannot hold the schema's levels or
            missing values.
        """
        self = object.__new__(cls)
        labels = column_labels(frame)
        schema = Schema.infer(frame) if schema is None else schema
        _require(schema.names, labels)
        names = [name for name in labels if name in schema]
        self.schema = schema.select(names)
        self.container = container_of(frame)
        self._codecs = tuple(
            make_codec(frame[labels[feature.name]], feature, self.container) for feature in self.schema
        )
        self.links = tuple(self._combinations(link, frame, labels) for link in self.schema.links)
        # an empty table keeps what a pandas Index or an arrow schema knows beside the names
        self._header = select_columns(frame, names)[:0]
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in matrix order."""
        return self.schema.names

    @property
    def n_features(self) -> int:
        """Number of matrix columns, d."""
        return len(self.schema)

    def encode(self, frame: NativeFrame) -> FloatArray:
        """Turn a table into a matrix.

        Parameters
        ----------
        frame
            Table of any of the three libraries; columns are found by name, others are ignored.

        Returns
        -------
        float64 array of shape (n, d), missing as NaN, in column-major memory

        Raises
        ------
        DataError
            For a missing column, a value that is not among the levels, or a missing value where none may
            be: the message names the column, the value, the row and what is allowed.
        """
        labels = column_labels(frame)
        _require(self.names, labels)
        out = np.empty((n_rows(frame), self.n_features), dtype=np.float64, order="F")
        for j, codec in enumerate(self._codecs):
            name = codec.feature.name
            out[:, j] = codec.encode(read_column(frame[labels[name]], name=name))
        return out

    def decode(self, matrix: FloatArray) -> NativeFrame:
        """Turn a matrix back into a table like the one that ``fit`` saw.

        Parameters
        ----------
        matrix
            (n, d). Codes must be whole and within the levels: :meth:`snap` makes them so.

        Raises
        ------
        DataError
            If a column's numbers do not stand for values of its type.
        """
        matrix = self._checked(matrix)
        columns = [codec.decode(matrix[:, j]) for j, codec in enumerate(self._codecs)]
        if self.container == "pandas":
            out = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(len(matrix)), copy=False)
            out.columns = self._header.columns
            return out
        if self.container == "polars":
            import polars as pl

            return pl.DataFrame(dict(zip(self._header.columns, columns, strict=True)))
        return pa.Table.from_arrays(columns, schema=self._header.schema)

    def snap(self, matrix: FloatArray) -> FloatArray:
        """Move every number to the nearest one that its column can hold.

        Numeric values are rounded to the column's decimals and to its floating-point type, integers to
        whole numbers within its type, codes to the nearest valid code. NaN stays. Snapping twice is
        snapping once.
        """
        matrix = self._checked(matrix)
        out = np.empty(matrix.shape, dtype=np.float64, order="F")
        for j, codec in enumerate(self._codecs):
            out[:, j] = codec.snap(matrix[:, j])
        return out

    def validate(self, matrix: FloatArray, queries: FloatArray) -> BoolArray:
        """Say which rows keep every constraint of the schema.

        A value equal to the query's own always passes, unless it is missing where nothing may be. A
        changed value must be within ``bounds`` or among the ``allowed`` levels, move in the ``monotone``
        direction (where neither end is missing), not be missing unless ``nullable``, and not be in an
        ``immutable`` column, nor be a ``forbidden`` transition. Codes must be valid and integers whole.
        Linked columns are all as the query has them, or in a combination that may occur.

        Parameters
        ----------
        matrix
            (n, d) rows to check.
        queries
            (n, d) the query each row belongs to, or (d,) one query for all.

        Returns
        -------
        bool array of shape (n,)
        """
        matrix = self._checked(matrix)
        queries = np.asarray(queries, dtype=np.float64)
        queries = np.broadcast_to(queries, matrix.shape)
        kept = np.ones(len(matrix), dtype=np.bool_)
        for j, codec in enumerate(self._codecs):
            kept &= codec.validate(matrix[:, j], queries[:, j])
        for link in self.links:
            kept &= link.keeps(matrix, queries)
        return kept

    def _combinations(self, link: Link, frame: NativeFrame, labels: dict[str, Any]) -> Combinations:
        """Encode a link's combinations, as given or as the table has them."""
        columns = [self.names.index(name) for name in link.columns]
        codecs = [self._codecs[j] for j in columns]
        if link.combinations is not None:
            rows = np.array(
                [
                    [c.combination_value(v) for c, v in zip(codecs, row, strict=True)]
                    for row in link.combinations
                ]
            )
        else:
            parts = [
                c.encode(read_column(frame[labels[n]], name=n))
                for c, n in zip(codecs, link.columns, strict=True)
            ]
            rows = np.column_stack(parts)
        # a search rounds what it tries: the rounded combination counts as the same
        rounded = np.column_stack([codec.snap(rows[:, at]) for at, codec in enumerate(codecs)])
        return Combinations.of(np.array(columns, dtype=np.int64), np.concatenate([rows, rounded]))

    def _checked(self, matrix: FloatArray) -> FloatArray:
        matrix = np.asarray(matrix, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != self.n_features:
            raise DataError(
                f"the matrix should have shape (n, {self.n_features})",
                got=str(matrix.shape),
                fix="pass rows as Encoder.encode gives them",
            )
        return matrix


def _require(names: tuple[str, ...], labels: dict[str, Any]) -> None:
    absent = [plain(name) for name in names if name not in labels]
    if absent:
        raise DataError(
            f"the table lacks {'columns' if len(absent) > 1 else 'column'} {listing(absent)}",
            got=f"columns {listing([plain(name) for name in labels])}",
            fix="add them, or describe only the columns that are there",
        )
