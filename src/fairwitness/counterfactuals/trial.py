"""Rows put to the model, and to the competition for the places of their query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairwitness.counterfactuals.archive import Archive, row_keys
from fairwitness.counterfactuals.crowd import Crowd
from fairwitness.counterfactuals.lines import place_within, tidy
from fairwitness.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.evolution import Evolution


@dataclass(frozen=True, eq=False)
class Tried:
    """What came of children: (q,) how many were new; (q, c) the answers, and scores of the new ones."""

    new: IntArray
    accepted: BoolArray
    score: FloatArray


class Trial:
    """What asks the model during a search: nothing twice, nothing that breaks a constraint.

    Attributes
    ----------
    archive
        The rows that were scored.
    asked
        How many the model was asked about.
    """

    def __init__(self, given: Evolution) -> None:
        self.given = given
        self.archive = Archive()
        self.asked = 0

    def steps(self, rows: FloatArray, home: FloatArray) -> FloatArray:
        """(q, k, d) what each column adds to the distance."""
        q, k, d = rows.shape
        own = np.broadcast_to(home[:, None, :], rows.shape)
        coded = np.array([kind == "0/1" for kind in self.given.distance.scale_kinds], dtype=np.bool_)
        steps = np.abs(rows - own) / self.given.distance.scales
        unlike = self.given.distance.changed(rows.reshape(-1, d), own.reshape(-1, d)).reshape(q, k, d)
        return np.where(coded | np.isnan(steps), unlike, steps)

    def ask(
        self,
        crowd: Crowd,
        children: FloatArray,
        wanted: BoolArray,
        enters: Callable[[BoolArray], BoolArray] | None = None,
    ) -> Tried:
        """Score the children that are new, and let them compete.

        ``enters`` says which of them do, once it is known which (q, c) are accepted; ``None``: all. The other
        accepted ones are kept aside, and compete without being asked about again if they are tried once more.
        """
        encoder, plan, q = self.given.encoder, self.given.plan, len(crowd)
        line, slot = np.nonzero(wanted)
        rows, queries = children[line, slot], self.given.queries[crowd.index[line]]
        # what is as the query has it stays so, even where the query is finer than its column
        rows = np.where(rows == queries, queries, encoder.snap(rows))
        keys = row_keys(crowd.index[line], rows)
        once = np.zeros(len(keys), dtype=np.bool_)
        once[np.unique(keys, return_index=True)[1]] = True
        kept = np.flatnonzero(once & ~self.archive.knows(keys) & encoder.validate(rows, queries))
        if plan.allowance is not None:
            kept = kept[place_within(line[kept]) < (plan.allowance - crowd.spent)[line[kept]]]
        line, slot, rows, keys = line[kept], slot[kept], rows[kept], keys[kept]
        new = np.bincount(line, minlength=q)
        said = Tried(new, np.zeros(wanted.shape, dtype=np.bool_), np.full(wanted.shape, np.nan))
        if not len(kept):
            return said
        accepted, score = self.archive.aside(keys)
        asked = np.flatnonzero(~accepted)
        if len(asked):
            answer = self.given.model.judge(encoder.decode(rows[asked]))
            accepted[asked], score[asked] = answer.accepted, answer.score
            self.asked += len(asked)
            crowd.spent += np.bincount(line[asked], minlength=q)
        said.accepted[line, slot], said.score[line, slot] = accepted, score
        free = np.ones(len(line), dtype=np.bool_) if enters is None else enters(said.accepted)[line, slot]
        self.compete(crowd, line[free], rows[free], accepted[free], score[free])
        aside = accepted & ~free
        self.archive.add(keys[~aside])
        fresh = np.zeros(len(line), dtype=np.bool_)
        fresh[asked] = True
        self.archive.put_aside(keys[aside & fresh], score[aside & fresh])
        return said

    def compete(
        self, crowd: Crowd, line: IntArray, rows: FloatArray, accepted: BoolArray, score: FloatArray
    ) -> None:
        """Let (n, d) rows, sorted by their query's line, compete for places."""
        if not len(line):
            return
        lines = np.unique(line)
        if 2 * len(lines) < len(crowd) and crowd.loss.shape[1] == self.given.plan.population:
            # a few queries of many: leave the others' rows where they are
            some = crowd.take(lines)
            self.compete(some, np.searchsorted(lines, line), rows, accepted, score)
            crowd.put(lines, some)
            return
        q, place = len(crowd), place_within(line)
        width = int(place.max()) + 1

        def grid(values: NDArray[Any], empty: float) -> NDArray[Any]:
            out = np.full((q, width, *values.shape[1:]), empty, dtype=values.dtype)
            out[line, place] = values
            return out

        far = grid(self.given.distance.rowwise(rows, self.given.queries[crowd.index[line]]), np.inf)
        taken, said, tried = grid(accepted, False), grid(score, np.nan), grid(rows, 0.0)
        loss = self.loss(crowd, tried, taken, said, far)
        crowd.merge(self.given.plan.population, tried, loss, taken, said, far)

    def loss(
        self, crowd: Crowd, rows: FloatArray, accepted: BoolArray, score: FloatArray, distance: FloatArray
    ) -> FloatArray:
        """(q, c) hinge + proximity + sparsity, each with its weight; ∞ for empty places."""
        plan, home = self.given.plan, self.given.queries[crowd.index][:, None, :]
        changed = ~((rows == home) | (np.isnan(rows) & np.isnan(home)))
        there = np.isfinite(distance)
        cost = plan.proximity * np.where(there, distance, 0.0) + plan.sparsity * changed.sum(axis=2)
        below = self.given.model.threshold - score
        hinge = np.clip(np.where(np.isnan(below), 1.0, below), 0.0, 1.0)
        loss = tidy(cost / rows.shape[2] + np.where(accepted, 0.0, plan.validity * hinge))
        return np.where(there, loss, np.inf)
