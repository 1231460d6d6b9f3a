"""Moving changed numbers back towards the query, by bisection, for many rows of many queries at once."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from fairwitness.typing import BoolArray, FloatArray, IntArray

#: A number is narrowed down to so much of its column's scale: a hundredth of a unit of distance.
_CLOSE = 0.01


@dataclass(eq=False)
class Tips:
    """Rows on their way towards their query: one number of each moves at a time, the largest change first.

    Attributes
    ----------
    rows
        (q, r, d) the nearest row so far that is accepted (or, where not ``sure``, is still to be asked).
    floor
        (q, r) the value of the moving column, on the query's side, that is not accepted.
    column
        (q, r) which column moves; −1: none, nothing is left to do.
    todo
        (q, r, d) which columns are still to be moved, the moving one among them.
    sure
        (q, r) whether the row itself is known to be accepted.
    moved, score
        (q, r) whether the row is another one than at the start, accepted; the score of such a row.
    """

    rows: FloatArray
    floor: FloatArray
    column: IntArray
    todo: BoolArray
    sure: BoolArray
    moved: BoolArray
    score: FloatArray

    @classmethod
    def none(cls, q: int, r: int, d: int) -> Tips:
        """Give q queries nothing to move."""
        return cls(
            rows=np.zeros((q, r, d)),
            floor=np.zeros((q, r)),
            column=np.full((q, r), -1, dtype=np.int64),
            todo=np.zeros((q, r, d), dtype=np.bool_),
            sure=np.zeros((q, r), dtype=np.bool_),
            moved=np.zeros((q, r), dtype=np.bool_),
            score=np.full((q, r), np.nan),
        )

    def take(self, which: NDArray[np.generic]) -> Tips:
        """Give the lines of some queries."""
        return Tips(**{f.name: getattr(self, f.name)[which] for f in fields(self)})

    def join(self, other: Tips) -> Tips:
        """Put the lines of more queries behind these."""
        return Tips(
            **{f.name: np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)}
        )

    def put(self, line: IntArray, slot: IntArray, rows: FloatArray, todo: BoolArray, sure: BoolArray) -> None:
        """Start (n, d) rows at places; ``todo`` (n, d) says which of their columns may move."""
        self.rows[line, slot], self.todo[line, slot], self.sure[line, slot] = rows, todo, sure
        self.column[line, slot] = np.where(todo.any(axis=1), -2, -1)  # −2: none yet

    @property
    def active(self) -> BoolArray:
        """(q,) which queries have a row that is still on its way."""
        active: BoolArray = (self.column != -1).any(axis=1)
        return active

    def propose(self, home: FloatArray, scales: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Give what is to be asked next: place (n,), (n,) and row (n, d), not yet rounded.

        ``home`` (q, d) are the queries; a column whose ends are close enough is done, and the next begins.
        """
        line, slot = np.nonzero(self.column != -1)
        while len(line):
            at = self.column[line, slot]
            column = np.maximum(at, 0)
            value, floor = self.rows[line, slot, column], self.floor[line, slot]
            close = self.sure[line, slot] & (np.abs(value - floor) <= _CLOSE * scales[column])
            over = (at == -2) | close
            if not over.any():
                break
            self._next(line[over], slot[over], home, scales)
            left = self.column[line, slot] != -1
            line, slot = line[left], slot[left]
        column = self.column[line, slot]
        rows = self.rows[line, slot]
        sure = np.flatnonzero(self.sure[line, slot])
        move = column[sure]
        rows[sure, move] = (rows[sure, move] + self.floor[line[sure], slot[sure]]) / 2
        return line, slot, rows

    def learn(
        self, line: IntArray, slot: IntArray, rows: FloatArray, accepted: BoolArray, score: FloatArray
    ) -> None:
        """Take in what the model said of rows that were proposed, after rounding."""
        sure, column = self.sure[line, slot], self.column[line, slot]
        value = rows[np.arange(len(rows)), np.maximum(column, 0)]
        # rounding may have led back to an end: then this column is done
        stuck = sure & (value == self.rows[line, slot, column])
        good = accepted & ~stuck
        self.rows[line[good], slot[good]], self.score[line[good], slot[good]] = rows[good], score[good]
        self.sure[line[good], slot[good]] = self.moved[line[good], slot[good]] = True
        lost = ~sure & ~accepted
        self.column[line[lost], slot[lost]] = -1
        up = sure & ~accepted & ~stuck
        stuck |= up & (value == self.floor[line, slot])
        self.floor[line[up], slot[up]] = value[up]
        self.floor[line[stuck], slot[stuck]] = self.rows[line[stuck], slot[stuck], column[stuck]]

    def _next(self, line: IntArray, slot: IntArray, home: FloatArray, scales: FloatArray) -> None:
        """Go on to the column of the largest change left; −1 where there is none."""
        column = self.column[line, slot]
        begun = column >= 0
        self.todo[line[begun], slot[begun], column[begun]] = False
        size = np.abs(self.rows[line, slot] - home[line]) / scales
        size = np.where(self.todo[line, slot] & (size > 0), size, -1.0)
        column = np.argmax(size, axis=1)
        some = size[np.arange(len(line)), column] > 0
        self.column[line, slot] = np.where(some, column, -1)
        self.floor[line, slot] = home[line, column]
