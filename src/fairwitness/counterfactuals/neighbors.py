"""Counterfactuals that exist: the accepted rows of the table that are nearest to each query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import numpy as np

from fairwitness.arguments import whole_number
from fairwitness.counterfactuals.base import CounterfactualGenerator, Found, status_of
from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.lines import NO_PLACES
from fairwitness.counterfactuals.nearest import AcceptedPool, NearestSearch, Rank
from fairwitness.errors import ConfigError
from fairwitness.parallel import map_row_chunks
from fairwitness.typing import FloatArray


class NeighborGenerator(CounterfactualGenerator):
    """Nearest rows of the table that the model accepts: people who exist.

    The search is exact. Rows are ranked by distance; rows equally far (to 12 digits) are ranked by their
    content, never by their place in the table. A row that breaks a constraint of the schema (immutable,
    bounds, direction, allowed levels, forbidden transitions, links) is passed over and the search goes
    deeper, until k rows are found or the table ends. Each row was judged at ``fit`` and is returned
    unchanged, so the model is not asked again.

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
        whole_number(chunk_size, "chunk_size")
        self.rank = rank
        self.n_jobs = n_jobs
        self.chunk_size = chunk_size

    def _prepare(self) -> None:
        self._pool = AcceptedPool.of(self.table_)

    def _settings(self) -> Mapping[str, object]:
        settings: dict[str, object] = {"rank": self.rank}
        if not len(self._pool.rows):
            settings["reason"] = "the model accepts no row of the table"
        return settings

    def _search(self, queries: FloatArray, k: int, budget: Budget) -> Found:
        search = NearestSearch(
            queries=queries,
            itself=self._pool.find(self.table_, queries),
            pool=self._pool.rows,
            distance=self.table_.distance,
            schema=self.table_.encoder.schema,
            k=k,
            rank=self.rank,
            budget=budget,
            links=self.table_.encoder.links,
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
            rows=self._pool.rows[pool],
            distance=np.concatenate([np.zeros(0), *(part.distance for part in parts)]),
            score=self._pool.score[pool],
            source=self._pool.source[pool],
            status=[
                status_of(n, k, out_of_budget=not seen)
                for n, seen in zip(counts.tolist(), reached.tolist(), strict=True)
            ],
            notes={},
        )
