"""The rows that are tried for each query at one moment, as arrays with one line a query."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairwitness.counterfactuals.choices import Choices
from fairwitness.counterfactuals.tips import Tips
from fairwitness.typing import BoolArray, FloatArray, IntArray


@dataclass(eq=False)
class Crowd:
    """Rows that were scored for q queries, up to p each, best first.

    Accepted rows come before others, each kind by loss; empty places have an infinite loss.

    Attributes
    ----------
    index
        (q,) number of each query in the whole call.
    choices
        What each query's columns may become.
    draws
        One random generator a query.
    rows, loss, accepted, score, distance
        (q, p, d) and (q, p).
    age, best, calm, spent
        (q,) generations so far; the loss to beat; generations since it was beaten; rows scored.
    refining
        (q,) whether the evolution is over and changes are being taken back.
    help_column, help_value
        (q, m) changes of one column that raise the score most for what they cost; column −1: none.
    tips, narrowed
        Rows whose numbers are being moved towards the query; (q,) whether there were any.
    """

    index: IntArray
    choices: Choices
    draws: NDArray[np.object_]
    rows: FloatArray
    loss: FloatArray
    accepted: BoolArray
    score: FloatArray
    distance: FloatArray
    age: IntArray
    best: FloatArray
    calm: IntArray
    spent: IntArray
    refining: BoolArray
    help_column: IntArray
    help_value: FloatArray
    tips: Tips
    narrowed: BoolArray

    def __len__(self) -> int:
        return len(self.index)

    def take(self, which: NDArray[np.generic]) -> Crowd:
        """Give the lines of some queries."""
        parts: dict[str, Any] = {name: getattr(self, name)[which] for name in _arrays()}
        return Crowd(choices=self.choices.take(which), tips=self.tips.take(which), **parts)

    def join(self, other: Crowd) -> Crowd:
        """Put the lines of more queries behind these."""
        parts: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in _arrays()
        }
        return Crowd(choices=self.choices.join(other.choices), tips=self.tips.join(other.tips), **parts)

    def put(self, lines: IntArray, other: Crowd) -> None:
        """Write back the rows of some queries, as wide as these."""
        for name in ("rows", "loss", "accepted", "score", "distance"):
            getattr(self, name)[lines] = getattr(other, name)

    @property
    def filled(self) -> IntArray:
        """(q,) number of places that hold a row."""
        return np.asarray(np.isfinite(self.loss).sum(axis=1), dtype=np.int64)

    def full(self, k: int) -> BoolArray:
        """(q,) whether the k best rows are there, and all accepted."""
        if self.loss.shape[1] < k:
            return np.zeros(len(self), dtype=np.bool_)
        full: BoolArray = np.asarray(self.accepted[:, :k].all(axis=1))
        return full

    def merge(
        self,
        places: int,
        rows: FloatArray,
        loss: FloatArray,
        accepted: BoolArray,
        score: FloatArray,
        distance: FloatArray,
    ) -> None:
        """Let (q, c) new rows compete for the places: accepted first, then by loss; old ones win ties."""
        rejected = ~np.concatenate([self.accepted, accepted], axis=1)
        joint = np.concatenate([self.loss, loss], axis=1)
        order = np.lexsort((joint, rejected), axis=1)[:, :places]
        self.loss = _pick(self.loss, loss, order)
        self.accepted = _pick(self.accepted, accepted, order)
        self.score = _pick(self.score, score, order)
        self.distance = _pick(self.distance, distance, order)
        rows = np.concatenate([self.rows, rows], axis=1)
        # whole rows at once: take_along_axis would gather number by number
        self.rows = rows[np.arange(len(rows))[:, None], order]


def _arrays() -> list[str]:
    return [f.name for f in fields(Crowd) if f.name not in ("choices", "tips")]


def _pick(old: NDArray[Any], new: NDArray[Any], order: NDArray[np.intp]) -> NDArray[Any]:
    return np.take_along_axis(np.concatenate([old, new], axis=1), order, axis=1)
