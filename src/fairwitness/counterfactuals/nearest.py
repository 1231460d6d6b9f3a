"""The exact search for the nearest accepted rows of a table; every generator starts from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.limits import Limits
from fairwitness.counterfactuals.lines import NO_PLACES, place_within, tidy, unit_within
from fairwitness.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.fitted import FittedTable
    from fairwitness.table.combinations import Combinations
    from fairwitness.table.distance import MixedDistance
    from fairwitness.table.schema import Schema

Rank = Literal["distance", "dice"]
#: DiCE looks at the 10·k nearest rows before it ranks them by distance and number of columns changed.
_DICE_DEPTH = 10
#: Query × row pairs held at once: 32 MB an array of float64, small enough for the cache to help.
_PAIRS = 1 << 22
#: Rows this close to the last one kept may tie with it once their distances are tidied.
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class AcceptedPool:
    """The distinct rows of a table that the model accepts, in canonical order.

    ``rows`` (p, d); ``score`` (p,); ``source`` (p,) first position of each in the table; ``place`` (u,) for
    each distinct row of the table, its position in the pool or −1.
    """

    rows: FloatArray
    score: FloatArray
    source: IntArray
    place: IntArray

    @classmethod
    def of(cls, table: FittedTable) -> AcceptedPool:
        """Collect the accepted rows of a fitted table."""
        accepted = np.flatnonzero(table.accepted)
        place = np.full(len(table.rows), -1, dtype=np.int64)
        place[accepted] = np.arange(len(accepted))
        return cls(table.rows[accepted], table.score[accepted], table.source[accepted], place)

    def find(self, table: FittedTable, queries: FloatArray) -> IntArray:
        """(q,) position of each query itself in the pool, −1 where it is not there."""
        at = table.find(queries)
        return np.where(at >= 0, self.place[at], -1)


@dataclass(frozen=True)
class Nearest:
    """What one chunk found: query and pool positions, distances, and which queries were reached in time."""

    query: IntArray
    pool: IntArray
    distance: FloatArray
    reached: NDArray[np.bool_]


@dataclass(frozen=True)
class NearestSearch:
    """The search over chunks of queries; picklable, without the model.

    ``itself`` (q,) is each query's own position in the pool, −1 if it is not there. Without a ``schema``
    no constraint is looked at.
    """

    queries: FloatArray
    itself: IntArray
    pool: FloatArray
    distance: MixedDistance
    schema: Schema | None
    k: int
    rank: Rank
    budget: Budget
    links: tuple[Combinations, ...] = ()

    def __call__(self, chunk: slice) -> Nearest:
        """Search for the queries of one chunk, until the time is over."""
        block = max(1, _PAIRS // max(1, len(self.pool)))
        reached = np.zeros(chunk.stop - chunk.start, dtype=np.bool_)
        found: list[tuple[IntArray, IntArray, FloatArray]] = []
        for start in range(chunk.start, chunk.stop, block):
            if self.budget.out_of_time():
                break
            rows = slice(start, min(start + block, chunk.stop))
            if len(self.pool):
                found.append(self._block(rows))
            reached[rows.start - chunk.start : rows.stop - chunk.start] = True
        return Nearest(
            query=np.concatenate([NO_PLACES, *(part[0] for part in found)]),
            pool=np.concatenate([NO_PLACES, *(part[1] for part in found)]),
            distance=np.concatenate([np.zeros(0), *(part[2] for part in found)]),
            reached=reached,
        )

    def _block(self, rows: slice) -> tuple[IntArray, IntArray, FloatArray]:
        """Give (query, pool position, distance) of the k best of each query, best first."""
        queries = self.queries[rows]
        depth = self.k if self.rank == "distance" else self.k * _DICE_DEPTH
        query, pool, distance = self._near(queries, self.itself[rows], depth)
        order = np.lexsort((pool, distance, query))
        kept = order[place_within(query[order]) < depth]
        query, pool, distance = query[kept], pool[kept], distance[kept]
        if self.rank == "dice":
            changed = self.distance.changed(self.pool[pool], queries[query]).sum(axis=1)
            utility = unit_within(distance, query, len(queries)) + unit_within(changed, query, len(queries))
            order = np.lexsort((pool, distance, tidy(utility), query))
            kept = order[place_within(query[order]) < self.k]
            query, pool, distance = query[kept], pool[kept], distance[kept]
        return query + rows.start, pool, distance

    def _near(
        self, queries: FloatArray, itself: IntArray, depth: int
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Give, for each query, the ``depth`` nearest permitted rows and all that tie with the last."""
        far = self.distance.pairwise(queries, self.pool)
        if self.schema is not None:
            permitted = Limits.of(self.schema, queries, self.links).permits(self.pool)
            if permitted is not None:
                far[~permitted] = np.inf
        inside = np.flatnonzero(itself >= 0)
        far[inside, itself[inside]] = np.inf
        if depth < len(self.pool):
            last = np.partition(far, depth - 1, axis=1)[:, depth - 1]
            near = far <= (last * (1 + _SLACK) + _SLACK)[:, None]
        else:
            near = np.ones(far.shape, dtype=np.bool_)
        near &= np.isfinite(far)
        query, pool = np.nonzero(near)
        return query.astype(np.int64), pool.astype(np.int64), tidy(far[query, pool])
