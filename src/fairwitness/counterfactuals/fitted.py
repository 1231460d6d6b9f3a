"""The table a generator was fitted on: its distinct rows, and what the model says of each, known once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairwitness.arguments import boolean_array, number_array, shown
from fairwitness.errors import ConfigError, DataError
from fairwitness.typing import BoolArray, FloatArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.counterfactuals.budget import Budget
    from fairwitness.model.blackbox import BlackBox
    from fairwitness.model.judgement import Judgement
    from fairwitness.table.distance import MixedDistance
    from fairwitness.table.encode import Encoder
    from fairwitness.table.schema import Schema


@dataclass(frozen=True, eq=False)
class FittedTable:
    """Distinct rows of a table in an order that depends on their content only.

    With ``u`` distinct rows and ``d`` columns: ``rows`` (u, d) ascending by first, second, … column, missing
    last; ``source`` (u,) the first position of each in the table; ``accepted`` and ``score`` (u,) the
    model's answer. ``judged`` is false if the model was not asked: then nothing is accepted and no score is
    known.
    """

    encoder: Encoder
    distance: MixedDistance
    model: BlackBox
    rows: FloatArray
    source: IntArray
    accepted: BoolArray
    score: FloatArray
    judged: bool
    n_rows: int
    _index: dict[bytes, int]

    def encode(self, frame: NativeFrame) -> FloatArray:
        """Encode a frame of queries (or of counterfactuals made elsewhere)."""
        return self.encoder.encode(frame)

    def find(self, matrix: FloatArray) -> IntArray:
        """(n,) the position in ``rows`` of the row with this content; −1 where there is none."""
        get = self._index.get
        return np.array([get(key, -1) for key in row_bytes(matrix)], dtype=np.int64)

    def source_of(self, matrix: FloatArray) -> IntArray:
        """(n,) the first position in the table of a row with this content; −1 where there is none."""
        at = self.find(matrix)
        return np.where(at >= 0, self.source[at], -1)

    def judge(self, matrix: FloatArray, budget: Budget) -> tuple[BoolArray, FloatArray, int]:
        """Ask the model about decoded rows, in order, as far as the budgets allow.

        Returns
        -------
        accepted, score, n
            The answers for the first ``n`` rows; rows beyond count as not accepted, with a NaN score.
        """
        n = budget.allowed(len(matrix))
        if self.model.max_queries is not None:
            n = max(0, min(n, self.model.max_queries - self.model.n_queries))
        accepted = np.zeros(len(matrix), dtype=np.bool_)
        score = np.full(len(matrix), np.nan)
        if n:
            answer = self.model.judge(self.encoder.decode(matrix[:n]))
            accepted[:n], score[:n] = answer.accepted, answer.score
            budget.spend(n)
        return accepted, score, n

    def scores_of(self, matrix: FloatArray, budget: Budget) -> FloatArray:
        """(n,) the model's score of each row; rows of the table were scored at ``fit`` and cost nothing."""
        at = self.find(matrix)
        known = (at >= 0) & self.judged
        score = np.where(known, self.score[at], np.nan)
        asked = np.flatnonzero(~known)
        if len(asked) and self.model.info.has_score and self.model.info.can_query:
            score[asked] = self.judge(matrix[asked], budget)[1]
        return score

    def settings(self) -> dict[str, object]:
        """Give what was learnt, as plain values."""
        kinds = dict(zip(self.encoder.names, self.distance.scale_kinds, strict=True))
        return {
            "n_table_rows": self.n_rows,
            "n_distinct_rows": len(self.rows),
            "n_accepted_distinct_rows": int(self.accepted.sum()),
            "distance": kinds,
        }


def fit_table(
    X: NativeFrame,
    model: object,
    *,
    schema: Schema | None,
    judgement: Judgement | None,
    ask: bool,
) -> FittedTable:
    """Encode the table, scale the distance, and learn what the model says of every distinct row.

    Rows with the same content count as accepted if every one of them is, whatever the order of the table.

    Raises
    ------
    DataError
        If the table has no rows, cannot be encoded, or ``judgement`` is not one answer a row.
    """
    from fairwitness.model.blackbox import as_blackbox
    from fairwitness.table.distance import MixedDistance
    from fairwitness.table.encode import Encoder
    from fairwitness.table.schema import Schema

    if schema is not None and not isinstance(schema, Schema):
        raise ConfigError(
            "schema is no Schema", got=shown(schema), fix="pass Schema.infer(table), or leave it out"
        )
    known = None if judgement is None else _answers(judgement)
    box = as_blackbox(model)
    encoder = Encoder.fit(X, schema)
    matrix = encoder.encode(X)
    n = len(matrix)
    if n == 0:
        raise DataError("the table has no rows", fix="pass the table the model decides about")
    if known is None and ask:
        known = _answers(box.judge(X))
    if known is not None and any(each.shape != (n,) for each in known):
        raise DataError(
            "the judgement does not have one answer for each row of the table",
            got=f"{len(known[0])} answers for {n} rows",
            fix="pass the model's answers on this very table, or leave judgement out",
        )
    rows, starts, order = distinct_rows(matrix)
    if known is None:
        accepted, score = np.zeros(len(rows), dtype=np.bool_), np.full(len(rows), np.nan)
    else:
        accepted = np.logical_and.reduceat(known[0][order], starts)
        score = np.minimum.reduceat(known[1][order], starts)
    return FittedTable(
        encoder=encoder,
        distance=MixedDistance.fit(matrix, encoder.schema),
        model=box,
        rows=rows,
        source=np.minimum.reduceat(order, starts).astype(np.int64),
        accepted=accepted,
        score=score,
        judged=known is not None,
        n_rows=n,
        _index={key: at for at, key in enumerate(row_bytes(rows))},
    )


def _answers(judgement: object) -> tuple[BoolArray, FloatArray]:
    """Give decisions and scores as arrays."""
    from fairwitness.model.judgement import Judgement

    if not isinstance(judgement, Judgement):
        raise DataError(
            "judgement holds no answers of a model",
            got=shown(judgement),
            fix="pass what as_blackbox(model).judge(table) gives, or leave it out",
        )
    accepted = np.atleast_1d(boolean_array(judgement.accepted, "judgement.accepted"))
    score = number_array(
        judgement.score, "judgement.score", fix="pass one number a row, NaN if there is none"
    )
    return accepted, np.atleast_1d(score)


def distinct_rows(matrix: FloatArray) -> tuple[FloatArray, NDArray[np.intp], NDArray[np.intp]]:
    """Give the distinct rows in canonical order, and how the table's rows fall together.

    Returns
    -------
    rows, starts, order
        ``rows`` (u, d); ``order`` (n,) sorts the table; ``starts`` (u,) says where in ``order`` the copies
        of each distinct row begin.
    """
    plain = _normal(matrix)
    order = np.lexsort(plain.T[::-1])
    ordered = plain[order]
    before, after = ordered[:-1], ordered[1:]
    new = ~((before == after) | (np.isnan(before) & np.isnan(after))).all(axis=1)
    starts = np.flatnonzero(np.concatenate([[True], new]))
    return ordered[starts], starts, order


def row_bytes(matrix: FloatArray) -> list[bytes]:
    """Give each row's content as bytes: equal for equal rows, with one zero and one NaN."""
    plain = np.ascontiguousarray(_normal(matrix))
    width = plain.shape[1] * plain.itemsize
    text = plain.tobytes()
    return [text[at : at + width] for at in range(0, len(text), width)]


def _normal(matrix: FloatArray) -> FloatArray:
    """Write −0.0 as 0.0, and every NaN with the same bits."""
    plain: FloatArray = matrix + 0.0
    plain[np.isnan(plain)] = np.nan
    return plain
