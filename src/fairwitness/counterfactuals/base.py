"""What every generator can do: fit once, generate for many rows at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.sets import STATUSES, CounterfactualSet, Status, ranks_of
from fairwitness.errors import ConfigError, NotFittedError
from fairwitness.typing import FloatArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.counterfactuals.fitted import FittedTable
    from fairwitness.model.judgement import Judgement
    from fairwitness.table.schema import Schema

__all__ = ["STATUSES", "CounterfactualGenerator", "CounterfactualSet", "Found", "Status", "status_of"]


@dataclass(frozen=True)
class Found:
    """What a search hands back: lines sorted by query and rank (see :class:`CounterfactualSet`)."""

    query: IntArray
    rows: FloatArray
    distance: FloatArray
    score: FloatArray
    source: IntArray
    status: Sequence[Status]
    notes: Mapping[str, object]


class CounterfactualGenerator(ABC):
    """Fit once on the table and the model, then generate for many rows at once.

    What holds for every generator: returned rows are accepted by the model in the container, dtypes
    and column order it was trained on; immutable columns are identical to the query's, and bounds,
    directions and allowed levels hold; no row twice, none equal to its query; a query that cannot be
    answered has a status, never an exception; the same seed gives the same rows whatever ``n_jobs``,
    chunk size, order of the queries or order of the table.

    A query that the model already accepts is allowed: it gets accepted rows other than itself.
    """

    name: str = "generator"
    table_: FittedTable

    def fit(
        self,
        X: NativeFrame,
        model: object,
        *,
        schema: Schema | None = None,
        judgement: Judgement | None = None,
    ) -> Self:
        """Learn the table: encoder, distance scales, and what the model says of every row.

        Parameters
        ----------
        X
            The whole table: a frame of the model's input columns.
        model
            A :class:`fairwitness.model.BlackBox`, or anything ``as_blackbox`` takes.
        schema
            Kinds, bounds and constraints of the columns; inferred from ``X`` if not given.
        judgement
            The model's answers on ``X``, row by row, if already known: the model is then not asked.

        Returns
        -------
        Self
            This generator, fitted.

        Raises
        ------
        ConfigError
            If ``schema`` is none.
        DataError
            If ``X`` cannot be encoded, or ``judgement`` holds no answers, or has another length.
        ModelError
            If the model cannot be asked.
        """
        from fairwitness.counterfactuals.fitted import fit_table

        self.table_ = fit_table(X, model, schema=schema, judgement=judgement, ask=self._asks_at_fit)
        self._prepare()
        return self

    def generate(
        self,
        queries: NativeFrame,
        k: int = 100,
        *,
        max_queries: int | None = None,
        time_budget: float | None = None,
    ) -> CounterfactualSet:
        """Find up to ``k`` counterfactuals for every row of ``queries``.

        Parameters
        ----------
        queries
            Frame with the fitted columns (in any order, other columns are ignored).
        k
            How many per row, at least 1.
        max_queries
            Rows the model may be asked about in this call; ``None``: no limit.
        time_budget
            Seconds this call may take; queries not reached by then get the status ``budget``.

        Raises
        ------
        NotFittedError
            Before :meth:`fit`.
        ConfigError
            If ``k`` or a budget makes no sense.
        DataError
            If a query holds a level or a missing value that the table did not.
        """
        if not hasattr(self, "table_"):
            raise NotFittedError(
                f"this {type(self).__name__} is not fitted", fix="call fit(X, model) before generate"
            )
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise ConfigError("k must be a whole number of at least 1", got=k, fix="pass for example k=100")
        budget = Budget.start(max_queries=max_queries, time_budget=time_budget)
        encoded = self.table_.encode(queries)
        query_score = self.table_.scores_of(encoded, budget)
        found = self._search(encoded, int(k), budget)
        counts = np.bincount(found.query, minlength=len(encoded))
        return CounterfactualSet(
            encoder=self.table_.encoder,
            queries=encoded,
            query_score=query_score,
            k=int(k),
            query=found.query,
            rank=ranks_of(counts),
            rows=found.rows,
            distance=found.distance,
            score=found.score,
            source=found.source,
            status=tuple(found.status),
            generator=self.name,
            settings={**self.table_.settings(), **self._settings(), **found.notes},
        )

    #: Whether ``fit`` asks the model about the whole table (unless the answers are given).
    _asks_at_fit: bool = True

    def _prepare(self) -> None:  # noqa: B027 - most generators need nothing more
        """Build what the search needs, once, after ``table_`` is there."""

    @abstractmethod
    def _settings(self) -> Mapping[str, object]:
        """Give the generator's own settings as plain values."""

    @abstractmethod
    def _search(self, queries: FloatArray, k: int, budget: Budget) -> Found:
        """Find the counterfactuals of encoded queries."""


def status_of(n: int, k: int, *, out_of_budget: bool = False) -> Status:
    """Give the status of a query with ``n`` of ``k`` counterfactuals."""
    if n >= k:
        return "found"
    if out_of_budget:
        return "budget"
    return "short" if n else "none"
