"""Counterfactuals made elsewhere: checked, measured and put into the same form as ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fairwitness.counterfactuals.base import CounterfactualGenerator, Found, status_of
from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.fitted import row_bytes
from fairwitness.counterfactuals.lines import place_within, tidy
from fairwitness.errors import DataError
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, FloatArray, IntArray, NativeFrame


class PrecomputedGenerator(CounterfactualGenerator):
    """Takes counterfactuals that another tool made, and trusts none of them.

    Every row is rounded to its columns' own precision and put to the model; rows that the model does not
    accept, that break a constraint of the schema, that equal their query or repeat an earlier row are
    dropped and counted (``settings["dropped"]``). What remains keeps its order, is measured with the one
    distance, and has the usual statuses.

    Parameters
    ----------
    counterfactuals
        Frame (pandas, polars or pyarrow) with the fitted columns and the two below.
    query
        Column with the position (0, 1, …) of the query each row belongs to, in the frame given to
        :meth:`generate`.
    rank
        Column that orders the rows of a query, ascending; ``None``: by distance. Equal ranks are ordered
        by distance, then by content.
    """

    name = "precomputed"
    _asks_at_fit = False

    def __init__(
        self, counterfactuals: NativeFrame, *, query: str = "query", rank: str | None = "rank"
    ) -> None:
        self.counterfactuals = counterfactuals
        self.query = query
        self.rank = rank

    def _settings(self) -> Mapping[str, object]:
        return {"query": self.query, "rank": self.rank}

    def _search(self, queries: FloatArray, k: int, budget: Budget) -> Found:
        given = self._given(queries)
        dropped = {"equal_to_query": 0, "repeated": 0, "constraint": 0, "not_accepted": 0}

        def keep(given: _Given, mask: BoolArray, reason: str) -> _Given:
            dropped[reason] += int((~mask).sum())
            return given.take(np.flatnonzero(mask))

        changed = self.table_.distance.changed(given.rows, queries[given.query])
        given = keep(given, np.asarray(changed.any(axis=1)), "equal_to_query")
        given = keep(given, _first_of_each(given), "repeated")
        permitted = self.table_.encoder.validate(given.rows, queries[given.query])
        given = keep(given, permitted, "constraint")
        accepted, score, n = self._judge(given, budget)
        unasked = np.zeros(len(queries), dtype=np.bool_)
        unasked[given.query[n:]] = True
        dropped["not_accepted"] = int((~accepted[:n]).sum())
        kept = np.flatnonzero(accepted)
        given, score = given.take(kept), score[kept]
        kept = np.flatnonzero(place_within(given.query) < k)
        given, score = given.take(kept), score[kept]
        counts = np.bincount(given.query, minlength=len(queries))
        return Found(
            query=given.query,
            rows=given.rows,
            distance=given.distance,
            score=score,
            source=self.table_.source_of(given.rows),
            status=[
                status_of(count, k, out_of_budget=late)
                for count, late in zip(counts.tolist(), unasked.tolist(), strict=True)
            ],
            notes={"dropped": dropped},
        )

    def _judge(self, given: _Given, budget: Budget) -> tuple[BoolArray, FloatArray, int]:
        """Ask the model about all rows; none if the time is already over."""
        if budget.out_of_time():
            return np.zeros(len(given.query), dtype=np.bool_), np.full(len(given.query), np.nan), 0
        return self.table_.judge(given.rows, budget)

    def _given(self, queries: FloatArray) -> _Given:
        """Read the frame: rows in matrix form, sorted by query and rank."""
        encoder = self.table_.encoder
        rows = encoder.snap(encoder.encode(self.counterfactuals))
        query = self._query_ids(len(queries))
        distance = tidy(self.table_.distance.rowwise(rows, queries[query]))
        rank = distance if self.rank is None else self._numbers(self.rank)
        order = np.lexsort((*rows.T[::-1], distance, rank, query))
        return _Given(query, rows, distance).take(order)

    def _query_ids(self, n: int) -> IntArray:
        values = self._numbers(self.query)
        wrong = (values < 0) | (values >= n) | (values != np.rint(values))
        if wrong.any():
            bad = [plain(f"{value:g}") for value in dict.fromkeys(values[wrong].tolist())]
            raise DataError(
                f"column {plain(self.query)!r} of the counterfactuals names queries that do not exist",
                got=listing(bad),
                fix=f"use the positions of the {n} queries, from 0 to {n - 1}",
            )
        return values.astype(np.int64)

    def _numbers(self, name: str) -> FloatArray:
        """Read a column of numbers without gaps."""
        from fairwitness.table.columns import read_column
        from fairwitness.table.frames import column_labels

        labels = column_labels(self.counterfactuals)
        if name not in labels:
            raise DataError(
                f"the counterfactuals have no column {plain(name)!r}",
                got=f"columns {listing([plain(label) for label in labels])}",
                fix="name the columns with query= and rank=",
            )
        values = read_column(self.counterfactuals[labels[name]], name=name).numbers()
        if np.isnan(values).any():
            raise DataError(
                f"column {plain(name)!r} of the counterfactuals must hold numbers, without gaps",
                fix="number the queries by position and the ranks from 1",
            )
        return values


@dataclass(frozen=True)
class _Given:
    """Counterfactuals on their way through the checks, sorted by query and rank."""

    query: IntArray
    rows: FloatArray
    distance: FloatArray

    def take(self, lines: IntArray) -> _Given:
        return _Given(self.query[lines], self.rows[lines], self.distance[lines])


def _first_of_each(given: _Given) -> BoolArray:
    """Mark the first line of each content within each query."""
    seen: set[tuple[int, bytes]] = set()
    first = np.zeros(len(given.query), dtype=np.bool_)
    for line, key in enumerate(zip(given.query.tolist(), row_bytes(given.rows), strict=True)):
        first[line] = key not in seen
        seen.add(key)
    return first
