"""The whole population at once: each distinct evidence is solved once."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairwitness.arguments import items_of, shown
from fairwitness.causal.bounds import answer
from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.row_bounds import RowBounds, RowCell
from fairwitness.causal.solver.question import Question, prepare
from fairwitness.causal.solver.results import EffectBounds
from fairwitness.causal.words import evidence
from fairwitness.errors import ConfigError, DataError
from fairwitness.parallel import map_row_chunks
from fairwitness.rng import seed_from

if TYPE_CHECKING:
    from fairwitness.causal.data.bins import Bins
    from fairwitness.causal.solver.problem import Limits
    from fairwitness.causal.solver.results import Sampling
    from fairwitness.causal.solver.stages import Relaxation
    from fairwitness.typing import RandomState

#: Cells that one worker is handed at a time.
CHUNK = 16


def population_bounds(
    data: Any,
    graph: Any,
    *,
    treatment: str,
    outcome: str,
    active: object,
    reference: object,
    outcome_value: object,
    for_rows: Sequence[str] | str | None = None,
    paths: object = "all",
    given: Mapping[str, object] | None = None,
    predictor: Any = None,
    weights: Any = None,
    bins: Bins | None = None,
    levels: Mapping[str, Sequence[object]] | None = None,
    missing: Literal["error", "drop"] = "error",
    confidence: float | None = None,
    sampling: Sampling = "region",
    random_state: RandomState = 0,
    relaxation: Relaxation = "none",
    limits: Limits | None = None,
    n_jobs: int | None = None,
) -> RowBounds:
    """Bound an effect for everybody: one interval for each distinct combination of values of some columns.

    The table is counted once, and each combination that occurs is solved once, however many rows have it.

    Parameters
    ----------
    data, graph, treatment, outcome, active, reference, outcome_value, paths
        As for :func:`~fairwitness.causal.bounds.effect_bounds`.
    for_rows
        The columns that people are told apart by: what is known of each. ``None``: all variables of the graph
        but the outcome and what comes after it, so that each interval is that of an individual.
    given
        Ask only about people with these values, for example those with ``reference`` as their own.
    predictor, weights, bins, levels, missing, confidence, sampling, random_state, relaxation, limits
        As for :func:`~fairwitness.causal.bounds.effect_bounds`.
    n_jobs
        Workers, as in joblib.

    Returns
    -------
    RowBounds
        ``.shares(tau)``, ``.for_table(table)``, ``.to_frame()``, ``.plot()``; ``result[{"sex": "f", …}]``
        gives one cell's :class:`~fairwitness.causal.bounds.EffectBounds`.

    Raises
    ------
    ConfigError, DataError
        As for :func:`~fairwitness.causal.bounds.effect_bounds`.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"sex": [0, 0, 0, 0, 1, 1, 1, 1], "hired": [0, 1, 0, 0, 1, 1, 1, 0], "age": [1, 1, 2, 2] * 2}
    ... )
    >>> found = population_bounds(people, "{sex, age} -> hired", treatment="sex", outcome="hired",
    ...                           active=1, reference=0, outcome_value=1, for_rows=["age"])
    >>> found.to_frame()[["age", "share", "lower", "upper", "status"]].values.tolist()
    [[1, 0.5, 0.5, 0.5, 'identified'], [2, 0.5, 0.5, 0.5, 'identified']]
    >>> found.shares(tau=0.1)
    {'fair': 0.0, 'undetermined': 0.0, 'unfair': 1.0}
    """
    whole = CausalGraph.from_any(graph)
    names = _told_apart(whole, outcome, for_rows, given)
    question = prepare(
        data,
        whole,
        treatment=treatment,
        outcome=outcome,
        active=active,
        reference=reference,
        outcome_value=outcome_value,
        paths=paths,
        given=given,
        predictor=predictor,
        weights=weights,
        bins=bins,
        levels=levels,
        missing=missing,
        observed=names,
    )
    fixed = question.query.given
    order = [name for name in question.model.graph.nodes if name in fixed or name in names]
    known = question.model.distribution.take(*order)
    cells = _occurring(known, fixed)
    settings = {
        "confidence": confidence,
        "sampling": sampling,
        "random_state": seed_from(random_state),
        "relaxation": relaxation,
        "limits": limits,
    }
    solve = functools.partial(_solved, question, [given for given, _ in cells], settings)
    chunks = map_row_chunks(solve, len(cells), chunk_size=CHUNK, n_jobs=n_jobs, description="cells")
    asked = sum(share for _, share in cells)
    found = [bounds for chunk in chunks for bounds in chunk]
    return RowBounds(
        tuple(
            RowCell(given, share / asked, None if known.n is None else share * known.n, bounds)
            for (given, share), bounds in zip(cells, found, strict=True)
        ),
        known.variables,
        dict(fixed),
        asked,
        known,
    )


def _told_apart(
    graph: CausalGraph,
    outcome: str,
    for_rows: Sequence[str] | str | None,
    given: Mapping[str, object] | None,
) -> tuple[str, ...]:
    graph.check(outcome)
    if for_rows is None:
        after = graph.descendants(outcome)
        names = [name for name in graph.nodes if name not in after]
    else:
        names = [for_rows] if isinstance(for_rows, str) else [*(items_of(for_rows) or ())]
    graph.check(*names)
    if not names:
        raise ConfigError(
            "no column is named that people are told apart by",
            got=shown(for_rows),
            fix="name some in for_rows, or ask about everybody with effect_bounds",
        )
    fixed = given if isinstance(given, Mapping) else {}
    return tuple(name for name in dict.fromkeys(names) if name not in fixed)


def _occurring(known: Distribution, fixed: Mapping[str, object]) -> list[tuple[dict[str, object], float]]:
    """Give the combinations of values that occur, with their probabilities."""
    codes = known.evidence(fixed)
    at = tuple(
        slice(codes[name], codes[name] + 1) if name in codes else slice(None) for name in known.variables
    )
    offset = [codes.get(name, 0) for name in known.variables]
    part = known.probability[at]
    cells = [
        (
            {
                name: levels[place + first]
                for name, levels, place, first in zip(
                    known.variables, known.levels, index.tolist(), offset, strict=True
                )
            },
            float(part[tuple(index)]),
        )
        for index in np.argwhere(part > 0)
    ]
    if not cells:
        raise DataError(
            f"the evidence has probability 0: nobody in the data has {evidence(fixed)}",
            fix="ask about people who occur, or give less evidence",
        )
    return cells


def _solved(
    question: Question,
    cells: Sequence[Mapping[str, object]],
    settings: Mapping[str, Any],
    rows: slice,
) -> list[EffectBounds]:
    return [answer(question.about(given), **settings) for given in cells[rows]]
