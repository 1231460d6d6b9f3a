"""Bounds on a path-specific counterfactual effect: a table and a graph in, an interval and its proof out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from fairwitness.arguments import shown
from fairwitness.causal.implied.contradiction import contradiction
from fairwitness.causal.solver.plugin import plug_in
from fairwitness.causal.solver.question import Question, prepare
from fairwitness.causal.solver.results import CLOSE, EffectBounds, Sampling
from fairwitness.causal.solver.stages import Relaxation
from fairwitness.errors import ConfigError
from fairwitness.rng import seed_from
from fairwitness.typing import RandomState

if TYPE_CHECKING:
    from fairwitness.causal.data.bins import Bins
    from fairwitness.causal.solver.problem import Limits


#: Said of intervals that hold everything.
EMPTY = (
    "the interval excludes nothing: too few people are like that for a valid one that would; "
    'sampling="resampled" gives an indicative one'
)


def effect_bounds(
    data: Any,
    graph: Any,
    *,
    treatment: str,
    outcome: str,
    active: object,
    reference: object,
    outcome_value: object,
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
) -> EffectBounds:
    """Bound the effect of a sensitive feature on an outcome along chosen paths, for chosen people.

    ``PCE_π(s1, s0 | o) = P(y_{s1|π, s0|π̄} | o) − P(y_{s0} | o)`` (Wu et al. 2019, Definition 5) is in
    general not determined by data. The bounds are the smallest and largest value over all causal models with
    this graph that give the table (their equation 4, with each c-component's response functions on their own,
    which is tighter than one joint distribution).

    Parameters
    ----------
    data
        One row a person; or, with ``weights`` naming a column, one row a cell with its count or probability.
        pandas, polars, pyarrow; lazily polars, DuckDB, PySpark. Or a :class:`Distribution`.
    graph
        A :class:`CausalGraph`, text such as ``"S -> W -> Y; W <-> Y"``, DOT, a networkx graph, or a file's
        path.
    treatment, outcome
        Columns: the sensitive feature, and the decision.
    active, reference
        Values s1 and s0 of the treatment.
    outcome_value
        Value y of the outcome whose probability is compared.
    paths
        π: ``"all"``, ``"direct"``, ``"indirect"``, :func:`through`, or paths such as ``"S -> W -> Y"``.
    given
        o: column → value that was observed of the people in question; everybody if absent. It may contradict
        ``active`` and ``reference``, and may include the outcome.
    predictor
        The model that decides, if known: a table P(outcome | its parents) (a mapping, an array, or a frame
        with a column ``probability`` or ``count``), a column of predictions, or a model to be asked; see
        :func:`read_predictor`. The outcome is then unconfounded and its response known.
    weights, bins, levels, missing
        As in :meth:`Distribution.from_data`.
    confidence
        Also give an interval that covers the effect with this probability, whatever the sampling error.
    sampling
        How: ``"region"`` holds for any number of rows, and is wide; ``"resampled"`` says how far the bounds
        move with the sample (Bayesian bootstrap), and is indicative only.
    random_state
        Seed of the resamples.
    relaxation
        ``"none"`` (tight); ``"joint"``: unidentified blocks answer jointly (the paper's program);
        ``"confounded"``: a hidden common cause of everything is admitted.
    limits
        When to give up.

    Returns
    -------
    EffectBounds
        Bounds in [−1, 1]; 0 is no effect. The first of its notes says if the table contradicts the graph.

    Raises
    ------
    ConfigError
        If the graph has a cycle, a path does not exist, or the program is too large.
    DataError
        If a column or value is unknown, nobody is like the evidence, or the treatment has one value.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = pd.DataFrame(
    ...     {"sex": [0, 0, 1, 1], "hired": [0, 1, 0, 1], "share": [0.3, 0.2, 0.1, 0.4]}
    ... )
    >>> found = effect_bounds(cells, "sex -> hired", treatment="sex", outcome="hired", active=1, reference=0,
    ...                       outcome_value=1, weights="share")
    >>> round(found.lower, 3), found.status
    (0.4, 'identified')
    """
    question = prepare(
        data,
        graph,
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
    )
    found = answer(
        question,
        confidence=confidence,
        sampling=sampling,
        random_state=random_state,
        relaxation=relaxation,
        limits=limits,
    )
    doubt = contradiction(question.model)
    return found if doubt is None else replace(found, notes=(doubt, *found.notes))


def answer(
    question: Question,
    *,
    confidence: float | None = None,
    sampling: Sampling = "region",
    random_state: RandomState = 0,
    relaxation: Relaxation = "none",
    limits: Limits | None = None,
) -> EffectBounds:
    """Solve a prepared question, and put an interval around its bounds if ``confidence`` asks for one."""
    if not isinstance(sampling, str) or sampling not in ("region", "resampled"):
        raise ConfigError(
            "there is no such way to cover sampling error",
            got=shown(sampling),
            fix='use "region" (valid for any number of rows) or "resampled" (indicative)',
        )
    found = plug_in(question, relaxation=relaxation, limits=limits)
    if confidence is None:
        return found
    asked = question.relaxed() if relaxation == "confounded" else question
    if sampling == "resampled":
        from fairwitness.causal.sampling.resampled import NOTE, resampled_intervals

        seed = seed_from(random_state)
        low, high = resampled_intervals([(asked, found)], confidence=confidence, seed=seed, limits=limits)[0]
        notes: tuple[str, ...] = (NOTE,)
    else:
        from fairwitness.causal.sampling.confidence import effect_interval

        interval = effect_interval(asked, (found.lower, found.upper), confidence)
        low, high, notes = interval.low, interval.high, tuple(interval.notes)
    least, most = asked.conceivable
    if low <= least and high >= most and (found.lower > least + CLOSE or found.upper < most - CLOSE):
        notes = (*notes, EMPTY)
    return replace(
        found,
        interval=(min(max(low, least), found.lower), max(min(high, most), found.upper)),
        confidence=confidence,
        sampling=sampling,
        notes=(*found.notes, *notes),
    )
