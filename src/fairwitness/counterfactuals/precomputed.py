"""Counterfactuals made elsewhere: checked, measured and put into the same form as ours."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fairwitness.counterfactuals.base import CounterfactualGenerator, Found, status_of
from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.checked import Given, checked
from fairwitness.errors import DataError
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, IntArray, NativeFrame


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
        done = checked(self.table_, self._given(queries), queries, k, budget)
        given = done.given
        counts = np.bincount(given.query, minlength=len(queries))
        return Found(
            query=given.query,
            rows=given.rows,
            distance=given.distance,
            score=done.score,
            source=self.table_.source_of(given.rows),
            status=[
                status_of(count, k, out_of_budget=late)
                for count, late in zip(counts.tolist(), done.unasked.tolist(), strict=True)
            ],
            notes={"dropped": done.dropped},
        )

    def _given(self, queries: FloatArray) -> Given:
        """Read the frame: rows in matrix form, sorted by query and rank."""
        encoder = self.table_.encoder
        rows = encoder.snap(encoder.encode(self.counterfactuals))
        query = self._query_ids(len(queries))
        rank = None if self.rank is None else self._numbers(self.rank)
        return Given.of(self.table_, queries, query, rows, rank)

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
