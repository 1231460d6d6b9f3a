"""Rows as networks see them, and back: scalars of the numeric columns, then one-hot blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fairwitness.canonical.gan.modes import Modes
from fairwitness.canonical.rows import Rows
from fairwitness.rng import child_seed
from fairwitness.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Codec:
    """What the columns of fitted rows are for a network.

    Every column is a block of a one-hot vector: levels of coded columns, modes of numeric ones. Numeric
    columns have a scalar besides. A row is (scalars, blocks), in the order of the columns.

    Attributes
    ----------
    modes
        Column → its modes, for the numeric columns.
    sizes
        (d,) width of every column's block.
    fixable
        Columns whose block may be given to the generator as a condition.
    """

    modes: Mapping[int, Modes]
    sizes: tuple[int, ...]
    fixable: tuple[int, ...]

    @classmethod
    def of(cls, rows: Rows, *, plain: bool, seed: int) -> Codec:
        """Learn the columns; ``plain``: as published, without spikes, and conditions on levels only."""
        modes = {
            column: Modes.of(
                rows.matrix[:, column],
                decimals=rows.schema.features[column].precision,
                spikes=not plain,
                seed=child_seed(seed, "modes", rows.names[column]),
            )
            for column in range(len(rows.names))
            if not rows.is_coded(column)
        }
        return cls.from_modes(rows, modes, plain=plain)

    @classmethod
    def from_modes(cls, rows: Rows, modes: Mapping[int, Modes], *, plain: bool) -> Codec:
        """Put the codec together from the modes of the numeric columns."""
        columns = range(len(rows.names))
        sizes = tuple(modes[j].width if j in modes else rows.codes(j)[1] for j in columns)
        return cls(modes, sizes, tuple(j for j in columns if not plain or j not in modes))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numeric columns, in order."""
        return tuple(self.modes)

    @property
    def starts(self) -> tuple[int, ...]:
        """(d,) where every column's block begins among the blocks."""
        return tuple(np.cumsum([0, *self.sizes[:-1]]).tolist())

    @property
    def blocks(self) -> int:
        """Width of all blocks together."""
        return sum(self.sizes)

    @property
    def width(self) -> int:
        """Width of a row: scalars and blocks."""
        return len(self.modes) + self.blocks

    def encode(self, rows: Rows, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Give the fitted rows as (n, d) codes of the blocks and (n, m) scalars."""
        codes = np.empty((len(rows), len(self.sizes)), dtype=np.int64)
        scalars = np.empty((len(rows), len(self.modes)))
        for at, column in enumerate(self.modes):
            found = self.modes[column].encode(rows.matrix[:, column], rng)
            codes[:, column], scalars[:, at] = found
        for column in range(len(self.sizes)):
            if column not in self.modes:
                codes[:, column] = rows.codes(column)[0]
        return codes, scalars

    def given(self, rows: Rows, column: int, values: FloatArray, rng: np.random.Generator) -> IntArray:
        """Give the (n,) codes of matrix values of one column, which fitted rows have."""
        if column in self.modes:
            return self.modes[column].encode(values, rng)[0]
        codes, _ = rows.codes(column)
        own = np.where(np.isnan(rows.matrix[:, column]), -1, rows.matrix[:, column])
        known, first = np.unique(own, return_index=True)
        place = np.clip(np.searchsorted(known, np.where(np.isnan(values), -1, values)), 0, len(known) - 1)
        return np.asarray(codes[first[place]])

    def decode(
        self, rows: Rows, codes: IntArray, scalars: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Give (n, d) matrix rows for codes and scalars."""
        out = np.empty(codes.shape, order="F")
        for column in range(len(self.sizes)):
            if column not in self.modes:
                out[:, column] = rows.levels(column, codes[:, column], rng)
        for at, column in enumerate(self.modes):
            out[:, column] = self.modes[column].decode(codes[:, column], scalars[:, at])
        return out

    def settled(self, matrix: FloatArray, codes: IntArray) -> FloatArray:
        """Give the (n, m) scalars of rows after they were moved onto the support, modes as they are."""
        out = np.empty((len(matrix), len(self.modes)))
        for at, column in enumerate(self.modes):
            out[:, at] = self.modes[column].places(matrix[:, column], codes[:, column])
        return out
