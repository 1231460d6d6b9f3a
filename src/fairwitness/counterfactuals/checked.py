"""Rows that another tool made: what every one of them has to pass before it counts as a counterfactual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.counterfactuals.fitted import row_bytes
from fairwitness.counterfactuals.lines import place_within, tidy
from fairwitness.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.budget import Budget
    from fairwitness.counterfactuals.fitted import FittedTable

#: Why a row is dropped, in the order of the checks.
REASONS = ("equal_to_query", "repeated", "constraint", "not_accepted")


@dataclass(frozen=True)
class Given:
    """Rows on their way through the checks, sorted by query and rank.

    ``query`` (m,); ``rows`` (m, d) rounded to their columns; ``distance`` (m,) to their query.
    """

    query: IntArray
    rows: FloatArray
    distance: FloatArray

    @classmethod
    def of(
        cls,
        table: FittedTable,
        queries: FloatArray,
        query: IntArray,
        rows: FloatArray,
        rank: FloatArray | None = None,
    ) -> Given:
        """Measure (m, d) rows; sort them by query, ``rank`` (``None``: distance), distance and content."""
        distance = tidy(table.distance.rowwise(rows, queries[query]))
        rank = distance if rank is None else rank
        return cls(query, rows, distance).take(np.lexsort((*rows.T[::-1], distance, rank, query)))

    def take(self, lines: IntArray) -> Given:
        """Give some lines."""
        return Given(self.query[lines], self.rows[lines], self.distance[lines])


@dataclass(frozen=True)
class Checked:
    """What passed: at most k rows a query, each accepted by the model just now.

    ``score`` (m,); ``unasked`` (q,) the queries of which a row could not be put to the model; ``dropped``
    counts rows by reason.
    """

    given: Given
    score: FloatArray
    unasked: BoolArray
    dropped: dict[str, int]


def checked(table: FittedTable, given: Given, queries: FloatArray, k: int, budget: Budget) -> Checked:
    """Drop rows that equal their query, repeat an earlier row, break a constraint or are not accepted."""
    dropped = dict.fromkeys(REASONS, 0)

    def keep(given: Given, mask: BoolArray, reason: str) -> Given:
        dropped[reason] += int((~mask).sum())
        return given.take(np.flatnonzero(mask))

    changed = table.distance.changed(given.rows, queries[given.query])
    given = keep(given, np.asarray(changed.any(axis=1)), "equal_to_query")
    given = keep(given, _first_of_each(given), "repeated")
    given = keep(given, table.encoder.validate(given.rows, queries[given.query]), "constraint")
    accepted, score, n = _judge(table, given, budget)
    unasked = np.zeros(len(queries), dtype=np.bool_)
    unasked[given.query[n:]] = True
    dropped["not_accepted"] = int((~accepted[:n]).sum())
    kept = np.flatnonzero(accepted)
    given, score = given.take(kept), score[kept]
    kept = np.flatnonzero(place_within(given.query) < k)
    return Checked(given.take(kept), score[kept], unasked, dropped)


def _judge(table: FittedTable, given: Given, budget: Budget) -> tuple[BoolArray, FloatArray, int]:
    """Ask the model about all rows; none if the time is already over."""
    if budget.out_of_time():
        return np.zeros(len(given.query), dtype=np.bool_), np.full(len(given.query), np.nan), 0
    return table.judge(given.rows, budget)


def _first_of_each(given: Given) -> BoolArray:
    """Mark the first line of each content within each query."""
    seen: set[tuple[int, bytes]] = set()
    first = np.zeros(len(given.query), dtype=np.bool_)
    for line, key in enumerate(zip(given.query.tolist(), row_bytes(given.rows), strict=True)):
        first[line] = key not in seen
        seen.add(key)
    return first
