"""Counterfactuals that exist: the accepted rows of the table that are nearest to each query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fairwitness.counterfactuals.base import CounterfactualGenerator, Found, status_of
from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.limits import Limits
from fairwitness.counterfactuals.lines import NO_PLACES, place_within, tidy, unit_within
from fairwitness.errors import ConfigError
from fairwitness.parallel import map_row_chunks
from fairwitness.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.table.distance import MixedDistance
    from fairwitness.table.schema import Schema

Rank = Literal["distance", "dice"]
#: DiCE looks at the 10·k nearest rows before it ranks them by distance and number of columns changed.
_DICE_DEPTH = 10
#: Query × row pairs held at once: 32 MB an array of float64, small enough for the cache to help.
_PAIRS = 1 << 22
#: Rows this close to the last one kept may tie with it once their distances are tidied.
_SLACK = 1e-9


class NeighborGenerator(CounterfactualGenerator):
    """Nearest rows of the table that the model accepts: people who exist.

    The search is exact. Rows are ranked by distance; rows equally far (to 12 digits) are ranked by their
    content, never by their place in the table. A row that breaks a constraint of the schema (immutable,
    bounds, direction, allowed levels) is passed over and the search goes deeper, until k rows are found or
    the table ends. Each row was judged at ``fit`` and is returned unchanged, so the model is not asked
    again.

    Parameters
    ----------
    rank
        ``"distance"``, or ``"dice"``: of the 10·k nearest rows, order by min–max scaled distance plus min–max
        scaled number of changed columns, as DiCE's k-d tree does.
    n_jobs
        As in joblib. The result does not depend on it.
    chunk_size
        Queries a chunk. The result does not depend on it.

    Notes
    -----
    Brute force in blocks: with mixed columns (a hundred dimensions when one-hot) and k = 100, a ball tree
    visits most rows and is several times slower; ``benchmarks/README.md`` has the measurement.
    """

    name = "neighbors"

    def __init__(self, *, rank: Rank = "distance", n_jobs: int | None = None, chunk_size: int = 512) -> None:
        if rank not in get_args(Rank):
            raise ConfigError("rank is not known", got=rank, fix='pass rank="distance" or rank="dice"')
        if chunk_size < 1:
            raise ConfigError("chunk_size must be at least 1", got=chunk_size, fix="pass 1 or more")
        self.rank = rank
        self.n_jobs = n_jobs
        self.chunk_size = chunk_size

    def _prepare(self) -> None:
        accepted = np.flatnonzero(self.table_.accepted)
        self._pool = self.table_.rows[accepted]
        self._pool_score = self.table_.score[accepted]
        self._pool_source = self.table_.source[accepted]
        self._pool_at = np.full(len(self.table_.rows), -1, dtype=np.int64)
        self._pool_at[accepted] = np.arange(len(accepted))

    def _settings(self) -> Mapping[str, object]:
        settings: dict[str, object] = {"rank": self.rank}
        if not len(self._pool):
            settings["reason"] = "the model accepts no row of the table"
        return settings

    def _search(self, queries: FloatArray, k: int, budget: Budget) -> Found:
        at = self.table_.find(queries)
        search = _Search(
            queries=queries,
            itself=np.where(at >= 0, self._pool_at[at], -1),
            pool=self._pool,
            distance=self.table_.distance,
            schema=self.table_.encoder.schema,
            k=k,
            rank=self.rank,
            budget=budget,
        )
        parts = map_row_chunks(
            search,
            len(queries),
            chunk_size=self.chunk_size,
            n_jobs=self.n_jobs,
            description="nearest accepted rows",
        )
        query = np.concatenate([NO_PLACES, *(part.query for part in parts)])
        pool = np.concatenate([NO_PLACES, *(part.pool for part in parts)])
        reached = np.concatenate([np.zeros(0, dtype=np.bool_), *(part.reached for part in parts)])
        counts = np.bincount(query, minlength=len(queries))
        return Found(
            query=query,
            rows=self._pool[pool],
            distance=np.concatenate([np.zeros(0), *(part.distance for part in parts)]),
            score=self._pool_score[pool],
            source=self._pool_source[pool],
            status=[
                status_of(n, k, out_of_budget=not seen)
                for n, seen in zip(counts.tolist(), reached.tolist(), strict=True)
            ],
            notes={},
        )


@dataclass(frozen=True)
class _Part:
    """What one chunk found: query and pool positions, distances, and which queries were reached in time."""

    query: IntArray
    pool: IntArray
    distance: FloatArray
    reached: NDArray[np.bool_]


@dataclass(frozen=True)
class _Search:
    """The search over one chunk of queries; picklable, without the model."""

    queries: FloatArray
    itself: IntArray
    pool: FloatArray
    distance: MixedDistance
    schema: Schema
    k: int
    rank: Rank
    budget: Budget

    def __call__(self, chunk: slice) -> _Part:
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
        return _Part(
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
        permitted = Limits.of(self.schema, queries).permits(self.pool)
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
