"""What every generator gives back: counterfactuals of many rows, as flat arrays."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairwitness.arguments import shown
from fairwitness.errors import DataError
from fairwitness.text import plain
from fairwitness.typing import BoolArray, Document, FloatArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.table.encode import Encoder

#: ``found``: k rows; ``short``: some, and no more within the method's sight; ``none``: not one;
#: ``infeasible``: proved that there is none; ``budget``: time or model queries ran out first.
Status = Literal["found", "short", "none", "infeasible", "budget"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, eq=False, repr=False)
class CounterfactualSet:
    """Counterfactuals of many query rows, as flat arrays: one line a counterfactual.

    Lines are sorted by query, then by rank. With ``q`` queries, ``m`` counterfactuals and ``d`` columns:

    Attributes
    ----------
    encoder
        Turns encoded rows back into a frame of the container, dtypes and column order it was fitted on.
    queries
        (q, d) encoded query rows.
    query_score
        (q,) the model's score of the favourable outcome for each query; NaN where the model gives none
        or could not be asked within the budget.
    k
        How many counterfactuals were asked for, per query.
    query
        (m,) position in ``queries``, ascending.
    rank
        (m,) 1, 2, … within each query; 1 is the best by the generator's stated utility.
    rows
        (m, d) encoded counterfactuals.
    distance
        (m,) distance to the query, ≥ 0, in the one distance of :class:`fairwitness.table.MixedDistance`.
    score
        (m,) the model's score of the favourable outcome; NaN where it gives none.
    source
        (m,) position in the fitted table of a row with this very content, −1 for a new row.
    status
        (q,) one of :data:`STATUSES` for each query.
    generator
        Name of the generator.
    settings
        What it was told and what it found at ``fit``, as plain values.

    Raises
    ------
    DataError
        If the arrays contradict each other.
    """

    encoder: Encoder
    queries: FloatArray
    query_score: FloatArray
    k: int
    query: IntArray
    rank: IntArray
    rows: FloatArray
    distance: FloatArray
    score: FloatArray
    source: IntArray
    status: tuple[Status, ...]
    generator: str
    settings: Mapping[str, object]

    def __post_init__(self) -> None:
        for name in ("queries", "query_score", "rows", "distance", "score"):
            object.__setattr__(self, name, _frozen(getattr(self, name), np.float64))
        for name in ("query", "rank", "source"):
            object.__setattr__(self, name, _frozen(getattr(self, name), np.int64))
        object.__setattr__(self, "status", tuple(self.status))
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))
        problem = self._contradiction()
        if problem:
            raise DataError(
                f"a counterfactual set contradicts itself: {problem}",
                fix="build it with a generator, or check the arrays against the documented shapes",
            )

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only view cannot be pickled: the parts are, and the set is built from them again.
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        return partial(type(self), **{**parts, "settings": dict(self.settings)}), ()

    def _contradiction(self) -> str:
        """Name the first invariant that does not hold; empty if all do."""
        if self.queries.ndim != 2 or self.rows.ndim != 2:
            return "queries and rows must have two dimensions"
        (q, d), m = self.queries.shape, len(self.query)
        if self.rows.shape != (m, d) or self.query_score.shape != (q,) or len(self.status) != q:
            return "rows, query_score or status do not have the length of query and queries"
        if any(len(getattr(self, name)) != m for name in ("rank", "distance", "score", "source")):
            return "rank, distance, score and source must be as long as query"
        if m and (self.query[0] < 0 or self.query[-1] >= q or bool(np.any(np.diff(self.query) < 0))):
            return "query must be sorted positions of queries"
        counts = self.n_found
        if not np.array_equal(self.rank, ranks_of(counts)):
            return "rank must run 1, 2, … within each query"
        if m and int(counts.max()) > self.k:
            return "a query has more than k counterfactuals"
        if bool(np.any(~(self.distance >= 0))):
            return "distance must be at least 0"
        for status, n in zip(self.status, counts.tolist(), strict=True):
            if status not in STATUSES:
                return f"status {plain(status)!r} is not one of {', '.join(STATUSES)}"
            if (status == "found") != (n == self.k) and status != "budget":
                return f"status {status!r} with {n} of {self.k} counterfactuals"
            if (status == "short" and n == 0) or (status in {"none", "infeasible"} and n > 0):
                return f"status {status!r} with {n} counterfactuals"
        return ""

    # ------------------------------------------------------------------ what is in it

    def __len__(self) -> int:
        """Number of counterfactuals, over all queries."""
        return len(self.query)

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.queries)

    @property
    def n_found(self) -> IntArray:
        """(q,) number of counterfactuals of each query."""
        return np.bincount(self.query, minlength=len(self.queries)).astype(np.int64)

    @property
    def changed(self) -> BoolArray:
        """(m, d) which columns differ from the query; missing against missing does not."""
        origin = self.queries[self.query]
        same = (self.rows == origin) | (np.isnan(self.rows) & np.isnan(origin))
        return cast(BoolArray, ~same)

    def spread(self, values: ArrayLike) -> FloatArray:
        """Lay (m,) values out as (q, k), by query and rank; NaN where there is no counterfactual.

        Raises
        ------
        DataError
            If ``values`` has another length.
        """
        flat = self._per_row(values)
        out = np.full((self.n_queries, self.k), np.nan)
        out[self.query, self.rank - 1] = flat
        return out

    # ------------------------------------------------------------------ other orders and parts

    def rerank(self, by: ArrayLike) -> CounterfactualSet:
        """Order each query's counterfactuals by (m,) ``by``, ascending; ties stay as they are, NaN last."""
        order = np.lexsort((self._per_row(by), self.query))  # stable; query, and so rank, stays as it is
        return replace(self, **self._lines(order))

    def take(self, queries: ArrayLike) -> CounterfactualSet:
        """Give the set of some queries: positions (in the order given, repeats allowed) or a mask (q,).

        Raises
        ------
        DataError
            If a position does not exist.
        """
        wanted = np.asarray(queries)
        if wanted.dtype == np.bool_ and wanted.shape == (self.n_queries,):
            wanted = np.flatnonzero(wanted)
        if wanted.size and wanted.dtype.kind not in "iu":
            raise DataError(
                "queries are taken by their positions, or by a mask of all of them",
                got=shown(queries),
                fix=f"pass whole numbers from 0 to {self.n_queries - 1}, or {self.n_queries} booleans",
            )
        wanted = wanted.astype(np.int64).reshape(-1)
        outside = wanted[(wanted < 0) | (wanted >= self.n_queries)]
        if len(outside):
            raise DataError(
                f"there is no query {int(outside[0])} in this counterfactual set",
                fix=f"use positions from 0 to {self.n_queries - 1}",
            )
        counts = self.n_found
        first = np.cumsum(counts) - counts
        per_query = counts[wanted]
        lines = np.repeat(first[wanted], per_query) + ranks_of(per_query) - 1
        return replace(
            self,
            queries=self.queries[wanted],
            query_score=self.query_score[wanted],
            status=tuple(self.status[at] for at in wanted.tolist()),
            query=np.repeat(np.arange(len(wanted)), per_query),
            rank=ranks_of(per_query),
            **self._lines(lines),
        )

    @classmethod
    def join(cls, sets: Sequence[CounterfactualSet], positions: Sequence[ArrayLike]) -> CounterfactualSet:
        """Put sets over parts of a table together, for example one set a fold.

        Parameters
        ----------
        sets
            Sets with the same columns and the same k, made by generators fitted on the same table.
        positions
            For each set, where its queries belong in the joint set: together 0, 1, …, q − 1, each once.

        Raises
        ------
        DataError
            If the sets or the positions do not fit together.
        """
        places = [np.asarray(place, dtype=np.int64).reshape(-1) for place in positions]
        if not sets or len(sets) != len(places):
            raise DataError("joining needs at least one set, and as many positions as sets")
        first = sets[0]
        if any(s.k != first.k or s.encoder.names != first.encoder.names for s in sets):
            raise DataError("only sets with the same columns and the same k can be joined")
        target = np.concatenate(places)
        if [len(place) for place in places] != [s.n_queries for s in sets] or not np.array_equal(
            np.sort(target), np.arange(len(target))
        ):
            raise DataError(
                "the positions of joined sets must cover 0, 1, … up to the number of queries once",
                fix="pass, for each set, one position for each of its queries",
            )
        offsets = np.cumsum([0, *(s.n_queries for s in sets)])
        joint = cls(
            encoder=first.encoder,
            queries=np.concatenate([s.queries for s in sets]),
            query_score=np.concatenate([s.query_score for s in sets]),
            k=first.k,
            query=np.concatenate([s.query + at for s, at in zip(sets, offsets, strict=False)]),
            rank=np.concatenate([s.rank for s in sets]),
            rows=np.concatenate([s.rows for s in sets]),
            distance=np.concatenate([s.distance for s in sets]),
            score=np.concatenate([s.score for s in sets]),
            source=np.concatenate([s.source for s in sets]),
            status=tuple(status for s in sets for status in s.status),
            generator=first.generator,
            settings=_merged([s.settings for s in sets]),
        )
        return joint.take(np.argsort(target, kind="stable"))

    def _lines(self, lines: NDArray[np.int64]) -> dict[str, Any]:
        """Pick lines of everything that belongs to a counterfactual itself."""
        return {
            "rows": self.rows[lines],
            "distance": self.distance[lines],
            "score": self.score[lines],
            "source": self.source[lines],
        }

    def _per_row(self, values: ArrayLike) -> FloatArray:
        flat = np.asarray(values, dtype=np.float64)
        if flat.shape != self.query.shape:
            raise DataError(
                f"there must be one value for each of the {len(self)} counterfactuals",
                got=f"shape {flat.shape}",
            )
        return flat

    # ------------------------------------------------------------------ as a frame, as a document

    def to_frame(self) -> NativeFrame:
        """Give query, rank, distance and score, then the decoded columns, in the fitted container.

        A column of the table that bears one of those four names keeps it; ours then ends in ``_``.
        """
        import narwhals as nw

        decoded = nw.from_native(self.encoder.decode(self.rows), eager_only=True)
        taken = {str(name) for name in decoded.columns}
        ours: dict[str, NDArray[np.generic]] = {}
        for name in ("query", "rank", "distance", "score"):
            free = name
            while free in taken:
                free += "_"
            ours[free] = np.array(getattr(self, name))
        lead = nw.from_dict(ours, backend=decoded.implementation)
        return nw.concat([lead, decoded], how="horizontal").to_native()

    def to_dict(self) -> Document:
        """Summarise as plain values: counts by status, distances, columns changed, settings. No rows."""
        counts = Counter(self.status)
        return {
            "generator": self.generator,
            "settings": dict(self.settings),
            "k": self.k,
            "n_queries": self.n_queries,
            "n_counterfactuals": len(self),
            "status": {status: counts.get(status, 0) for status in STATUSES},
            "median_distance": float(np.median(self.distance)) if len(self) else None,
            "mean_changed": float(self.changed.sum(axis=1).mean()) if len(self) else None,
        }

    def _summary(self) -> str:
        counts = Counter(self.status)
        shown = ", ".join(f"{counts[s]:,} {s}" for s in STATUSES if counts[s])
        return (
            f"{len(self):,} counterfactuals of {self.n_queries:,} queries (k = {self.k}, "
            f"{plain(self.generator)})" + (f": {shown}" if shown else "")
        )

    def __repr__(self) -> str:
        return f"<CounterfactualSet: {self._summary()}>"

    def _repr_html_(self) -> str:
        return f"<p><strong>CounterfactualSet</strong>: {html.escape(self._summary())}</p>"


def ranks_of(counts: NDArray[np.integer]) -> IntArray:
    """Number lines 1, 2, … within each query, from the number of lines of each."""
    total = int(counts.sum())
    first = np.repeat(np.cumsum(counts) - counts, counts)
    ranks: IntArray = np.arange(total, dtype=np.int64) - first + 1
    return ranks


def _frozen(values: object, dtype: type) -> NDArray[np.generic]:
    """Give a read-only view, so that a set cannot change under the measures computed from it."""
    view: NDArray[np.generic] = np.asarray(values, dtype=dtype).view()
    view.setflags(write=False)
    return view


def _merged(settings: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Keep what all sets share; where they differ, list the values in order."""
    names = list(dict.fromkeys(name for one in settings for name in one))
    merged: dict[str, object] = {}
    for name in names:
        values = [one.get(name) for one in settings]
        merged[name] = values[0] if all(value == values[0] for value in values) else values
    return merged
