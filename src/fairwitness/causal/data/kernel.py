"""The predictor under audit, as a table: how often it gives each outcome, given the outcome's parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import number_array, shown
from fairwitness.causal.data.bins import Bins
from fairwitness.causal.data.counting import check_columns, column_list
from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.data.kernel_rows import Rows, of_column, of_model
from fairwitness.causal.data.kernel_tables import (
    Asked,
    Kernel,
    checked,
    of_distribution,
    of_frame,
    of_mapping,
    wanted_shape,
)
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.errors import ConfigError
from fairwitness.text import listing, plain

__all__ = ["Kernel", "read_predictor"]


def read_predictor(
    predictor: Any,
    *,
    graph: CausalGraph,
    outcome: str,
    distribution: Distribution,
    data: Any = None,
    favorable: object = 1,
    use: str = "decision",
    weights: str | ArrayLike | None = None,
    bins: Bins | None = None,
    missing: str = "error",
    **model: Any,
) -> Kernel:
    """Find P(outcome | parents of the outcome) of a predictor.

    Parameters
    ----------
    predictor
        One of:

        * an array in the shape of the parents' levels (in the graph's order), then the outcome's levels; for
          an outcome of two values the last axis may be left out, and it holds P(favourable);
        * a mapping from the parents' values (a tuple in the graph's order; one value for one parent) to
          P(favourable), or to a mapping from the outcome's values to probabilities;
        * a :class:`Distribution` or a table with the parents, the outcome, and ``probability``, ``count`` or
          the column that ``weights`` names (without any, each row is a person): the outcome's frequencies
          given the parents;
        * the name of a column of ``data`` that holds the predictor's outcomes, or its scores in [0, 1];
        * a model, as :func:`fairwitness.model.as_blackbox` takes it, asked about every row of ``data``.

        Predictions and scores are averaged over the rows within each combination of the parents' values.
        Combinations that no row has stay unknown.
    graph
        Says which variables the outcome depends on.
    outcome
        The predicted variable. Where ``distribution`` does not have it, it has two values: the favourable
        one and one other.
    distribution
        The variables and their levels.
    data, weights, missing
        The rows, as :meth:`Distribution.from_data` was given them.
    bins
        As well, for columns that the distribution has not cut itself.
    favorable
        The outcome's value that scores and decisions speak of.
    use
        ``"decision"`` takes how often the model accepts, ``"score"`` its average score.
    **model
        More settings of :func:`fairwitness.model.as_blackbox`.

    Raises
    ------
    ConfigError
        If the outcome has no parents or has children in the graph, or a setting makes no sense.
    DataError
        If the table does not fit the parents' levels, or the column cannot be read.
    ModelError
        If the model fails.
    """
    graph.check(outcome)
    parents = graph.parents(outcome)
    _check_place(graph, outcome, parents)
    levels = _outcome_levels(outcome, distribution, favorable)
    cards = tuple(len(distribution.levels[distribution.axis(name)]) for name in parents)
    asked = Asked(outcome, levels, parents, cards, distribution, favorable)
    if use not in {"decision", "score"}:
        raise ConfigError("use is not known", got=shown(use), fix='pass "decision" or "score"')
    if isinstance(predictor, Distribution):
        return of_distribution(asked, predictor)
    if isinstance(predictor, Mapping):
        return checked(asked, of_mapping(asked, predictor))
    if _is_table(predictor):
        return of_frame(asked, predictor, weights)
    if isinstance(predictor, np.ndarray | list | tuple) and model.get("kind") != "predictions":
        return checked(asked, number_array(predictor, "the predictor's table", fix=wanted_shape(asked)))
    if data is None or isinstance(data, Distribution | Mapping):
        raise ConfigError(
            "a model or a column of predictions needs the rows it is asked about",
            got="no table of rows",
            fix="pass the table of rows as data, or the predictor as a table of probabilities",
        )
    rows = Rows(data, weights, bins, missing)
    if isinstance(predictor, str) and predictor in column_list(data):
        return of_column(asked, predictor, rows)
    if isinstance(predictor, str) and not (Path(predictor).suffix or "://" in predictor):
        check_columns(data, [predictor])
    return of_model(asked, predictor, rows, use=use, settings=model)


def _is_table(value: Any) -> bool:
    return isinstance(nw.from_native(value, pass_through=True), nw.DataFrame | nw.LazyFrame)


def _check_place(graph: CausalGraph, outcome: str, parents: Sequence[str]) -> None:
    if graph.children(outcome):
        raise ConfigError(
            f"the predictor's outcome {plain(outcome)!r} is a cause in the graph",
            got=f"it causes {listing([plain(name) for name in graph.children(outcome)])}",
            fix="name the variable that the model gives, which nothing else depends on",
        )
    if not parents:
        raise ConfigError(
            f"the predictor's outcome {plain(outcome)!r} has no cause in the graph",
            fix="draw an edge to it from each column the model reads",
        )


def _outcome_levels(outcome: str, distribution: Distribution, favorable: object) -> tuple[object, ...]:
    if outcome in distribution.variables:
        return distribution.levels[distribution.axis(outcome)]
    if isinstance(favorable, bool | int | float) and favorable in (0, 1):
        return (0, 1)
    return (f"not {favorable}", favorable)
