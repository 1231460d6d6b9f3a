"""What the generator is told: the score, as numbers a network can tell apart, and columns that are fixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairwitness.canonical.gan.codec import Codec
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Radial bins of the score's rank, and as many of its value.
BINS = 16
#: In this share of the rows of a batch more columns than one are fixed.
SEVERAL = 0.3
#: This share of the rows of a batch is drawn as the rows are, whatever their levels.
EVEN = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores as (n, w) numbers: as they are, or in radial bins of their rank and value.

    Attributes
    ----------
    known
        (n,) scores of the fitted rows, ascending.
    embedded
        Whether they are embedded.
    """

    known: FloatArray
    embedded: bool

    @property
    def width(self) -> int:
        """Numbers a score."""
        return 2 * BINS if self.embedded else 1

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Give the (n, w) numbers of (n,) scores."""
        if not self.embedded:
            return np.asarray(scores[:, None])
        low, high = (np.searchsorted(self.known, scores, side=side) for side in ("left", "right"))
        both = np.stack([(low + high) / (2 * len(self.known)), scores], axis=1)
        centres = np.linspace(0, 1, BINS)
        apart = (both[:, :, None] - centres) * (BINS - 1)
        return np.asarray(np.exp(-(apart**2) / 2).reshape(len(scores), 2 * BINS))


class Batches:
    """Training by sampling: a column at random, a level by log(1 + count), a row that has it.

    As published all rows are drawn so, and rare levels are met as often as frequent ones nearly. Ours are
    mostly drawn as the rows are: what is common is then learnt in less than half of the time.

    Parameters
    ----------
    codes
        (n, d) codes of the rows.
    codec
        The columns.
    several
        Share of the rows in which more columns than one are fixed.
    even
        Share of the rows that are drawn as the rows are.
    """

    def __init__(
        self, codes: IntArray, codec: Codec, *, several: float = SEVERAL, even: float = EVEN
    ) -> None:
        self.codes = codes
        self.several, self.even = several, even
        self.columns = np.array(codec.fixable, dtype=np.int64)
        starts = np.array(codec.starts, dtype=np.int64)
        self._order = np.stack([np.argsort(codes[:, j], kind="stable") for j in range(codes.shape[1])])
        counts = [np.bincount(codes[:, j], minlength=codec.sizes[j]) for j in range(codes.shape[1])]
        self._count = np.concatenate(counts)
        self._first = np.concatenate([np.cumsum(each) - each for each in counts])
        weight, owner = [], []
        for j in self.columns.tolist():
            log = np.log1p(counts[j])
            weight.append(log / log.sum())
            owner.append(np.full(len(log), j))
        self._slot = np.concatenate(
            [starts[j] + np.arange(codec.sizes[j]) for j in self.columns.tolist()] or [[]]
        )
        self._owner = np.concatenate(owner or [np.empty(0, dtype=np.int64)])
        self._cumulated = np.cumsum(np.concatenate(weight or [np.empty(0)]))

    def draw(self, n: int, rng: np.random.Generator) -> tuple[IntArray, BoolArray]:
        """Draw ``n`` rows, and say as (n, d) which of their columns are fixed."""
        if not len(self.columns):
            return rng.integers(0, len(self.codes), n), np.zeros((n, self.codes.shape[1]), dtype=np.bool_)
        picked = np.searchsorted(self._cumulated, rng.random(n) * self._cumulated[-1], side="right")
        picked = np.minimum(picked, len(self._owner) - 1)
        column, slot = self._owner[picked], self._slot[picked].astype(np.int64)
        place = self._first[slot] + (rng.random(n) * self._count[slot]).astype(np.int64)
        rows = self._order[column, place]
        if self.even:
            rows = np.where(rng.random(n) < self.even, rng.integers(0, len(self.codes), n), rows)
        fixed = np.zeros((n, self.codes.shape[1]), dtype=np.bool_)
        fixed[np.arange(n), column] = True
        if self.several:
            # one more column on average, so that intersections of two and three are met often
            more = rng.random((n, len(self.columns))) < 1.5 / len(self.columns)
            more &= (rng.random(n) < self.several)[:, None]
            fixed[:, self.columns] |= more
        return rows, fixed
