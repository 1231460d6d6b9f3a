"""Which epoch to keep: measured on rows held out, with a reader of the score that did not train anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairwitness.canonical.faithful import Comparer
from fairwitness.canonical.rows import Rows
from fairwitness.rng import child, child_seed
from fairwitness.text import number
from fairwitness.typing import Document, FloatArray, IntArray

#: Rows that are made for one measurement.
MADE = 2000
#: Bands of the score in which made rows are compared with real ones, as quantiles.
BANDS = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 1.0))
#: Fewest rows held out in a band for a comparison.
FEWEST = 20


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the generator was like after an epoch.

    Attributes
    ----------
    epoch
        Epochs trained.
    score_error
        Mean distance of the obtained score from the requested one, 0 to 1; 0 is best. The score is read by
        boosted trees that were fitted on the training rows, for the model itself is not at hand.
    correlation
        Of requested and obtained scores, -1 to 1; 1 is best. NaN if either does not vary.
    column_tv
        Total variation from held-out rows of the same scores, mean over columns and bands, 0 to 1; 0 is best.
    """

    epoch: int
    score_error: float
    correlation: float
    column_tv: float

    @property
    def loss(self) -> float:
        """What checkpoints are chosen by: distance of the scores and total variation, added."""
        return self.score_error + self.column_tv

    @property
    def words(self) -> str:
        """The checkpoint for a progress bar."""
        return f"score off by {number(self.score_error, 2)}, TV {number(self.column_tv, 2)}"

    def to_dict(self) -> Document:
        """Give the checkpoint as plain values; NaN is ``None``."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: None if value != value else value for name, value in values.items()}

    @classmethod
    def read(cls, document: Document) -> Checkpoint:
        """Read what :meth:`to_dict` gave."""
        return cls(
            int(document["epoch"]),
            *(
                float("nan") if document[name] is None else float(document[name])
                for name in cls.__slots__[1:]
            ),
        )


class Examiner:
    """Measures generators on rows held out.

    Parameters
    ----------
    rows
        All rows.
    train, held
        Row numbers that are trained on, and that are measured on.
    seed
        Seed: every measurement asks for the same scores.
    """

    def __init__(self, rows: Rows, train: IntArray, held: IntArray, seed: int) -> None:
        from sklearn.ensemble import HistGradientBoostingRegressor

        self._matrix, scores = rows.matrix, rows.scores
        self._comparer = Comparer(rows)
        self._learner = HistGradientBoostingRegressor(
            max_iter=150, early_stopping=False, random_state=child_seed(seed, "examiner")
        )
        self._learner.fit(self._matrix[train], scores[train])
        draw = child(seed, "examined")
        ends = [np.quantile(scores[held], band) for band in BANDS]
        self._bands = []
        each = -(-MADE // len(BANDS))
        for low, high in ends:
            real = held[(scores[held] >= low) & (scores[held] <= high)]
            if len(real) >= FEWEST:
                self._bands.append((real, scores[real[draw.integers(0, len(real), each)]]))
        if not self._bands:
            self._bands = [(held, scores[held[draw.integers(0, len(held), each)]])]
        self.requested: FloatArray = np.concatenate([asked for _, asked in self._bands])

    def measure(self, epoch: int, make: Callable[[FloatArray], FloatArray]) -> Checkpoint:
        """Measure what ``make`` makes of (n,) requested scores, as an (n, d) matrix."""
        matrix = make(self.requested)
        obtained = self._read(matrix)
        varied = obtained.std() > 0 and self.requested.std() > 0
        apart, first = [], 0
        for real, asked in self._bands:
            mine = self._comparer.shares(matrix[first : first + len(asked)])
            apart.append(self._comparer.columns(mine, self._comparer.shares(self._matrix[real])).mean())
            first += len(asked)
        return Checkpoint(
            epoch,
            float(np.abs(obtained - self.requested).mean()),
            float(np.corrcoef(obtained, self.requested)[0, 1]) if varied else float("nan"),
            float(np.mean(apart)),
        )

    def _read(self, matrix: FloatArray) -> FloatArray:
        return np.asarray(np.clip(self._learner.predict(matrix), 0, 1))
