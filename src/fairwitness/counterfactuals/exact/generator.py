"""Provably nearest counterfactuals, for models that can be looked into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

import numpy as np

from fairwitness.arguments import real_number, shown, whole_number
from fairwitness.counterfactuals.base import CounterfactualGenerator, Found, Status
from fairwitness.counterfactuals.budget import Budget
from fairwitness.counterfactuals.exact.answer import Answer, Engine
from fairwitness.counterfactuals.exact.columns import columns_of
from fairwitness.counterfactuals.exact.engines import engine_for
from fairwitness.counterfactuals.exact.forms import NetworkForm
from fairwitness.counterfactuals.exact.metric import Distance, Metric
from fairwitness.counterfactuals.exact.rounds import Rounds
from fairwitness.counterfactuals.exact.unfold import unfold
from fairwitness.counterfactuals.lines import NO_PLACES, tidy
from fairwitness.counterfactuals.nearest import AcceptedPool
from fairwitness.errors import ConfigError
from fairwitness.typing import FloatArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.exact.columns import Column


class ExactGenerator(CounterfactualGenerator):
    """The k nearest rows that the model accepts, existing or not, with proof that no others are nearer.

    For linear models, decision trees, random forests, gradient boosting of scikit-learn, XGBoost and
    LightGBM, and ReLU networks of scikit-learn, alone or behind a pipeline of scaling, one-hot and ordinal
    encoding. Every row is asked about again: it is the user's own model that accepts it.

    Statuses: ``found`` (k rows, proved nearest), ``short`` (fewer, and proved that there are no others),
    ``infeasible`` (proved that there is none), ``budget`` (the time or the model's queries ran out:
    the best found so far, by this search, in the table or by the genetic search, and in
    ``settings["gaps"]`` how much nearer a row could still be).

    Parameters
    ----------
    distance
        ``"shared"``: the one distance of fairwitness (default). ``"l0"``: number of columns changed;
        ``"l1"``: sum of differences over the columns' observed ranges, 1 for an unlike category;
        ``"linf"``: the largest of these. Ties are settled by the shared distance. Distances in the
        resulting set are the shared one, whatever was minimised.
    seconds
        The most for one query; ``None``: no limit but the call's ``time_budget``, which is shared out
        among the queries: each may take an equal part of what is left.
    n_jobs, chunk_size
        As in joblib, and queries a job. The result does not depend on them, unless time runs out. With a
        limit to the rows that the model may be asked about, one process does it all.

    Notes
    -----
    Levels, whole numbers and decimals are searched value by value. A column of full precision takes, of all
    values between which a tree model sees no difference, the nearest one; for linear models and networks it
    moves in steps of one ten-millionth of its scale, and rows that differ in such columns only count once.
    A number that an encoder knows by value takes only values of the table where the encoder refuses others,
    or where there are more than 4,096: ``settings["values of the table only"]`` names these columns.
    """

    name = "exact"

    def __init__(
        self,
        *,
        distance: Distance = "shared",
        seconds: float | None = 60.0,
        n_jobs: int | None = None,
        chunk_size: int = 16,
    ) -> None:
        if distance not in get_args(Distance):
            raise ConfigError("distance is not known", got=shown(distance), fix="pass shared, l0, l1 or linf")
        if seconds is not None:
            real_number(seconds, "seconds", above=0, fix="pass None for no limit")
        whole_number(chunk_size, "chunk_size")
        self.distance: Distance = distance
        self.seconds = seconds
        self.n_jobs = n_jobs
        self.chunk_size = chunk_size

    def _prepare(self) -> None:
        self._model = unfold(self.table_)
        self._pool = AcceptedPool.of(self.table_)
        self._metric = Metric.of(self.distance, self.table_.distance, self.table_.rows)
        self._columns, self._seen_only, self._engine = self._look(None)

    def _look(self, queries: FloatArray | None) -> tuple[list[Column], list[int], Engine]:
        """Work out what every column can hold; ``queries`` may hold values that the table does not."""
        model = self._model
        columns, seen_only = columns_of(
            self.table_,
            model.inputs,
            model.known_by_value(),
            smooth=isinstance(model.form, NetworkForm),
            queries=queries,
        )
        return columns, seen_only, engine_for(model, columns, self.table_)

    def _settings(self) -> Mapping[str, object]:
        names = self.table_.encoder.names
        settings: dict[str, object] = {"minimised": self.distance, "seconds": self.seconds}
        if self._seen_only:
            settings["values of the table only"] = [names[j] for j in self._seen_only]
        return settings

    def _search(self, queries: FloatArray, k: int, budget: Budget) -> Found:
        columns, engine = self._columns, self._engine
        others = any(_has_others(queries[:, c.j], c.options) for c in columns if c.options is not None)
        if others and not budget.out_of_time():
            columns, _, engine = self._look(queries)
        answers = Rounds(
            table=self.table_,
            model=self._model,
            engine=engine,
            columns=columns,
            metric=self._metric,
            pool=self._pool,
            k=k,
            seconds=self.seconds,
            budget=budget,
            n_jobs=self.n_jobs,
            chunk_size=self.chunk_size,
        ).run(queries)
        return self._laid(queries, answers)

    def _laid(self, queries: FloatArray, answers: list[Answer]) -> Found:
        rows = np.concatenate([np.zeros((0, queries.shape[1])), *(a.rows for a in answers)])
        counts = [len(a.rows) for a in answers]
        query = np.repeat(np.arange(len(answers)), counts).astype(np.int64)
        statuses: list[Status] = [a.status for a in answers]
        notes: dict[str, object] = {
            "n_proved": sum(status != "budget" for status in statuses),
            "n_boxes": sum(a.n_boxes for a in answers),
        }
        late = [at for at, status in enumerate(statuses) if status == "budget"]
        if late:
            notes["gaps"] = [
                {
                    "query": at,
                    "nearest found": float(answers[at].distance[0]) if len(answers[at].rows) else None,
                    "none nearer than": float(answers[at].bound),
                    "gap": max(0.0, float(answers[at].distance[0] - answers[at].bound))
                    if len(answers[at].rows)
                    else None,
                }
                for at in late
            ]
        if refused := sum(a.refused for a in answers):
            notes["rows the model refused against the bounds"] = refused
        return Found(
            query=query if len(query) else NO_PLACES,
            rows=rows,
            distance=tidy(np.concatenate([np.zeros(0), *(a.shared for a in answers)])),
            score=np.concatenate([np.zeros(0), *(a.score for a in answers)]),
            source=self.table_.source_of(rows),
            status=statuses,
            notes=notes,
        )


def _has_others(values: FloatArray, options: FloatArray) -> bool:
    """Whether there are numbers among the values that are not among the options."""
    return not bool((np.isin(values, options) | np.isnan(values)).all())
