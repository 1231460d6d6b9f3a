"""The rows that an engine learns from: a matrix in canonical order, scores, and the way back to a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import items_of, shown
from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child
from fairwitness.table import Encoder, Schema, canonical_order, column_names, n_rows, read_column, take_rows
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, IntArray, NativeFrame

#: Fewest rows that anything can be learnt from.
FEWEST = 10


@dataclass(frozen=True)
class Rows:
    """A table with a score beside every row, as numbers.

    Attributes
    ----------
    encoder
        Frame ↔ matrix: numbers stay as they are, coded columns are the position among their levels, missing
        is NaN.
    matrix
        (n, d) the rows, in an order that depends on their content only.
    scores
        (n,) in [0, 1].
    protected
        Columns that the model does not see.
    max_levels
        Levels a column keeps for learning; the rarest beyond it are learnt as one.
    notes
        What was done to the table, one sentence each.
    """

    encoder: Encoder
    matrix: FloatArray
    scores: FloatArray
    protected: tuple[str, ...]
    max_levels: int
    notes: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        """Kinds, levels and ranges of the columns."""
        return self.encoder.schema

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, in matrix order."""
        return self.encoder.names

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the columns that the model sees."""
        return tuple(name for name in self.names if name not in self.protected)

    def __len__(self) -> int:
        return len(self.scores)

    def is_coded(self, column: int) -> bool:
        """Whether a column has levels rather than numbers."""
        return self.schema.features[column].is_coded

    def codes(self, column: int) -> tuple[IntArray, int]:
        """Give a coded column for learning: (n,) codes from 0, and how many there are.

        Missing is the last code, if it occurs. Levels beyond ``max_levels`` share one code, which
        :meth:`levels` opens again.
        """
        group, count = self._grouping[column]
        values = self.matrix[:, column]
        place = np.where(np.isnan(values), len(group) - 1, values).astype(np.int64)
        return group[place], count

    def levels(self, column: int, codes: IntArray, rng: np.random.Generator) -> FloatArray:
        """Give matrix values for codes of :meth:`codes`: of a shared code, a level as often as it occurs."""
        group, count = self._grouping[column]
        values = self.matrix[:, column]
        out = np.full(len(codes), np.nan)
        place = np.where(np.isnan(values), len(group) - 1, values).astype(np.int64)
        # levels of the schema that no row has, missing among them, have no code
        members = np.bincount(group[group >= 0], minlength=count)
        for code in np.unique(codes).tolist():
            wanted = np.flatnonzero(codes == code)
            if members[code] == 1:
                level = int(np.flatnonzero(group == code)[0])
                out[wanted] = np.nan if level == len(group) - 1 else level
            else:
                pool = values[group[place] == code]
                out[wanted] = pool[rng.integers(0, len(pool), len(wanted))]
        return out

    def frame(self, matrix: FloatArray) -> NativeFrame:
        """Give matrix rows as a frame of the kind that was fitted."""
        return self.encoder.decode(matrix)

    @cached_property
    def _grouping(self) -> dict[int, tuple[IntArray, int]]:
        """Column → (levels + 1,) code of each level and, last, of missing; and the number of codes."""
        found: dict[int, tuple[IntArray, int]] = {}
        for column, feature in enumerate(self.schema.features):
            if not feature.is_coded:
                continue
            values = self.matrix[:, column]
            missing = np.isnan(values)
            counts = np.bincount(values[~missing].astype(np.int64), minlength=len(feature.levels))
            group = np.full(len(counts) + 1, -1, dtype=np.int64)
            met = np.flatnonzero(counts)
            if len(met) <= self.max_levels:
                group[met] = np.arange(len(met))
            else:
                order = met[np.argsort(-counts[met], kind="stable")]
                group[order] = np.minimum(np.arange(len(order)), self.max_levels - 1)
            count = int(group.max(initial=-1)) + 1
            if missing.any():
                group[-1], count = count, count + 1
            found[column] = (group, count)
        return found


def read_rows(
    frame: NativeFrame,
    scores: ArrayLike,
    *,
    protected: Sequence[str],
    schema: Schema | None,
    max_rows: int,
    max_levels: int,
    seed: int,
) -> Rows:
    """Check a table and its scores, and make them :class:`Rows`.

    Raises
    ------
    DataError
        If scores are missing, outside [0, 1] or as many as the rows are not, the table cannot be read, or it
        has fewer than ten rows.
    """
    names = column_names(frame)
    if schema is not None and not isinstance(schema, Schema):
        raise ConfigError(
            "schema must describe the columns",
            got=shown(schema),
            fix="pass fairwitness.table.Schema.infer(frame), or leave it out",
        )
    came, values = frame, read_scores(scores, n_rows(frame))
    hidden = _read_protected(protected, names)
    notes: list[str] = []
    if len(values) < FEWEST:
        raise DataError(
            "the table has too few rows to learn from",
            got=f"{len(values)} rows",
            fix=f"pass at least {FEWEST}",
        )
    if len(values) > max_rows:
        # which rows stay depends on the seed and on what the rows are, not on where they stood
        frame, values = _sorted(frame, values)
        kept = np.sort(child(seed, "rows").choice(len(values), max_rows, replace=False))
        notes.append(f"Learnt from {max_rows:,} of {len(values):,} rows, drawn at random.")
        frame, values = take_rows(frame, kept), values[kept]
    else:
        frame, values = _sorted(frame, values)
    try:
        encoder = Encoder.fit(frame, schema)
        rows = Rows(encoder, encoder.encode(frame), values, hidden, max_levels)
    except DataError:
        Encoder.fit(came, schema).encode(came)  # the same refusal, with the rows numbered as they came
        raise
    for column, feature in enumerate(encoder.schema.features):
        if feature.is_coded and (met := len(_present(rows.matrix[:, column]))) > max_levels:
            notes.append(
                f"{plain(feature.name)} has {met:,} levels: the {met - max_levels + 1:,} rarest are learnt "
                "as one, and drawn as often as they occur."
            )
    return Rows(encoder, rows.matrix, values, hidden, max_levels, tuple(notes))


def read_scores(scores: ArrayLike, n: int) -> FloatArray:
    """Give (n,) scores in [0, 1].

    Raises
    ------
    DataError
        If they are no such numbers; the message names the rows.
    """
    values = read_column(scores, name="scores").numbers()
    if len(values) != n:
        raise DataError(
            "there must be one score a row",
            got=f"{len(values):,} scores for {n:,} rows",
            fix="pass the model's score of every row, in the order of the rows",
        )
    broken = np.flatnonzero(np.isnan(values))
    if len(broken):
        raise DataError(
            "scores are missing",
            got=f"{len(broken):,} of {n:,}, in the rows {listing([str(row) for row in broken.tolist()])}",
            fix="leave those rows out, or ask the model about them again",
        )
    outside = np.flatnonzero((values < 0) | (values > 1))
    if len(outside):
        raise DataError(
            "scores must lie between 0 and 1",
            got=f"{values[outside[0]]:g} in row {outside[0]}",
            fix="pass probabilities of the favourable outcome; scale other numbers to [0, 1] by their rank",
        )
    return values


def _sorted(frame: NativeFrame, values: FloatArray) -> tuple[NativeFrame, FloatArray]:
    order = canonical_order(frame)
    # rows of equal content may differ in their score
    order = order[np.argsort(values[order], kind="stable")]
    return take_rows(frame, order), values[order]


def labels_of(columns: object, name: str) -> list[str]:
    """Give names of columns as text: one, or a list of them. A table may call its columns 0, 1 and so on.

    Raises
    ------
    ConfigError
        If it is neither.
    """
    if isinstance(columns, str | int) and not isinstance(columns, bool):
        return [str(columns)]
    items = items_of(columns)
    if items is None:
        raise ConfigError(
            f"{name} must be names of columns", got=shown(columns), fix=f'pass for example {name}=["sex"]'
        )
    return [str(each) for each in items]


def _read_protected(protected: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    listed = labels_of(protected, "protected")
    unknown = [name for name in listed if name not in names]
    if unknown:
        raise DataError(
            "a protected column is not in the table",
            got=listing([shown(name) for name in unknown]),
            fix=f"name columns among {listing([plain(name) for name in names])}",
        )
    return tuple(name for name in names if name in listed)


def _present(values: FloatArray) -> FloatArray:
    return np.unique(values[~np.isnan(values)])
