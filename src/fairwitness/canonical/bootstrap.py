"""The baseline: real rows with the nearest scores. Any other engine has to be better for something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fairwitness.arguments import whole_number
from fairwitness.canonical.base import CanonicalSampler
from fairwitness.canonical.request import Request, keeps
from fairwitness.canonical.rows import Rows
from fairwitness.canonical.tree import mirrored, nearest_place
from fairwitness.table import Schema
from fairwitness.typing import FloatArray, RandomState


class BootstrapSampler(CanonicalSampler):
    """Gives rows of the table itself, with the scores nearest to the requested ones.

    Every row is a real person's: right on every count, and a copy. Use it to judge other engines by, and
    where copies do no harm.

    Parameters
    ----------
    neighbours
        Rows with the nearest scores among which one is drawn.
    protected, schema, max_rows, max_levels, random_state
        As for every :class:`CanonicalSampler`.
    """

    def __init__(
        self,
        *,
        neighbours: int = 10,
        protected: Sequence[str] = (),
        schema: Schema | None = None,
        max_rows: int = 50_000,
        max_levels: int = 100,
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(
            protected=protected,
            schema=schema,
            max_rows=max_rows,
            max_levels=max_levels,
            random_state=random_state,
        )
        self.neighbours = neighbours

    def _fit(self, rows: Rows, rng: np.random.Generator) -> None:
        whole_number(self.neighbours, "neighbours")

    def _draw(
        self,
        requested: FloatArray,
        fixed: Mapping[int, FloatArray],
        request: Request,
        rng: np.random.Generator,
    ) -> FloatArray:
        rows = self.rows_
        able = np.flatnonzero(keeps(rows, rows.matrix, request.where))
        able = able[np.argsort(rows.scores[able], kind="stable")]
        place = nearest_place(rows.scores[able], requested, rng)
        half = self.neighbours // 2
        place += rng.integers(-half, self.neighbours - half, len(requested))
        chosen = able[mirrored(place, np.full(len(place), len(able)))]
        return np.asfortranarray(rows.matrix[chosen])
