"""Which rows of a query are narrowed, and what becomes of them."""

from __future__ import annotations

import numpy as np

from fairwitness.counterfactuals.archive import row_keys
from fairwitness.counterfactuals.crowd import Crowd
from fairwitness.counterfactuals.tips import Tips
from fairwitness.counterfactuals.trial import Trial
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Rows of different changed columns that are narrowed, of how many of the best.
_TIPS, _AMONG = 8, 64
#: Changes that help, and with how many of those rows each of them is tried.
HELP, _HELPED = 6, 3


class Narrowing:
    """Moves the numbers of a query's best rows towards the query.

    Up to eight rows are taken, each with other columns changed; three of them once more with a change that
    raises the score much for what it costs, as a number can then go nearer. The model is asked along the
    way, but only where a row ends does it compete: what lies between is too like it.

    Parameters
    ----------
    numbers
        (d,) which columns can be narrowed: numbers that change alone.
    """

    def __init__(self, trial: Trial, numbers: BoolArray) -> None:
        self.trial = trial
        self.numbers = numbers

    def none(self, q: int, d: int) -> Tips:
        """Give q queries nothing to narrow."""
        return Tips.none(q, _TIPS + HELP * _HELPED, d)

    def start(self, crowd: Crowd, lines: IntArray, home: FloatArray) -> None:
        """Choose the rows of some queries that are narrowed: the best, each with other columns changed."""
        crowd.narrowed[lines] = True
        among = min(_AMONG, crowd.rows.shape[1])
        rows, own = crowd.rows[lines, :among], home[lines][:, None, :]
        changed = ~((rows == own) | (np.isnan(rows) & np.isnan(own)))
        movable = changed & self.numbers & ~np.isnan(rows) & ~np.isnan(own)
        good = crowd.accepted[lines, :among] & movable.any(axis=2)
        which = _first_of_kind(changed, good)
        rank = np.cumsum(which, axis=1) - 1
        line, place = np.nonzero(which & (rank < _TIPS))
        slot = rank[line, place]
        todo = movable[line, place]
        crowd.tips.put(lines[line], slot, rows[line, place], todo, np.ones(len(line), dtype=np.bool_))
        for each in range(HELP):
            column = crowd.help_column[lines[line], each]
            some = (slot < _HELPED) & (column >= 0)
            some[some] &= ~changed[line[some], place[some], column[some]]
            at, col = np.flatnonzero(some), column[some]
            tried, free = rows[line[at], place[at]].copy(), todo[at].copy()
            tried[np.arange(len(at)), col] = crowd.help_value[lines[line[at]], each]
            free[np.arange(len(at)), col] = self.numbers[col] & ~np.isnan(home[lines[line[at]], col])
            to = _TIPS + each * _HELPED + slot[at]
            crowd.tips.put(lines[line[at]], to, tried, free, np.zeros(len(at), dtype=np.bool_))

    def propose(self, crowd: Crowd, home: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Give the next rows to ask about; what the model has said already is taken in on the way."""
        scales = self.trial.given.distance.scales
        while True:
            line, slot, rows = crowd.tips.propose(home, scales)
            own = home[line]
            rows = np.where(rows == own, own, self.trial.given.encoder.snap(rows))
            keys = row_keys(crowd.index[line], rows)
            known = self.trial.archive.knows(keys)
            if not known.any():
                return line, slot, rows
            # a known row that is accepted competes already: go no nearer
            nothing = np.zeros(int(known.sum()), dtype=np.bool_)
            crowd.tips.learn(line[known], slot[known], rows[known], nothing, np.full(len(nothing), np.nan))

    def settle(self, crowd: Crowd, which: BoolArray) -> BoolArray:
        """Let the narrowed rows of some queries compete; (q,) which of them had any."""
        tips = crowd.tips
        moved = tips.moved & which[:, None]
        line, slot = np.nonzero(moved)
        if not len(line):
            return np.zeros(len(which), dtype=np.bool_)
        rows = tips.rows[line, slot]
        keys = row_keys(crowd.index[line], rows)
        new = self._least_of_kind(line, rows, self.trial.given.queries[crowd.index[line]])
        lines = np.unique(line)
        there = crowd.rows[lines].reshape(-1, rows.shape[1])
        new &= ~np.isin(keys, row_keys(np.repeat(crowd.index[lines], crowd.rows.shape[1]), there))
        tips.moved[which] = False
        self.trial.archive.add(keys[new & self.trial.archive.aside(keys)[0]])
        self.trial.compete(
            crowd, line[new], rows[new], np.ones(int(new.sum()), dtype=np.bool_), tips.score[line, slot][new]
        )
        settled: BoolArray = np.asarray(moved.any(axis=1))
        return settled

    def _least_of_kind(self, line: IntArray, rows: FloatArray, home: FloatArray) -> BoolArray:
        """(n,) the nearest row of each query with each set of changed columns."""
        changed = self.trial.given.distance.changed(rows, home)
        kind = np.packbits(changed, axis=1)
        order = np.lexsort((self.trial.given.distance.rowwise(rows, home), *kind.T, line))
        same = (np.diff(line[order]) == 0) & (kind[order][1:] == kind[order][:-1]).all(axis=1)
        out = np.ones(len(line), dtype=np.bool_)
        out[order[1:]] = ~same
        return out


def _first_of_kind(changed: BoolArray, good: BoolArray) -> BoolArray:
    """(q, p) the first good row of each query with each set of changed columns (q, p, d)."""
    kinds = np.packbits(changed, axis=2)
    first = good.copy()
    for at in range(1, good.shape[1]):
        same = (kinds[:, :at] == kinds[:, at : at + 1]).all(axis=2) & first[:, :at]
        first[:, at] &= ~same.any(axis=1)
    return first
