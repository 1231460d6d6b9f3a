"""Bounds on a path-specific counterfactual effect: a table and a graph in, an interval and its proof out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from fairwitness.causal.expression import TooLargeError
from fairwitness.causal.problem import Limits
from fairwitness.causal.question import Question, prepare
from fairwitness.causal.results import Certificate, EffectBounds
from fairwitness.causal.solve import Solution, solve
from fairwitness.causal.stages import Relaxation

if TYPE_CHECKING:
    from fairwitness.causal.bins import Bins


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
        The model that decides, if known: a table P(outcome | its parents), or a model to be asked. The
        outcome is then unconfounded and its response known.
    weights, bins, levels, missing
        As in :meth:`Distribution.from_data`.
    confidence
        Also give an interval that covers the effect with this probability, whatever the sampling error.
    relaxation
        ``"none"`` (tight); ``"joint"``: unidentified blocks answer jointly (the paper's program);
        ``"confounded"``: a hidden common cause of everything is admitted.
    limits
        When to give up.

    Returns
    -------
    EffectBounds
        Bounds in [−1, 1]; 0 is no effect.

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
    return answer(question, confidence=confidence, relaxation=relaxation, limits=limits)


def _within(solution: Solution, question: Question, limits: Limits | None) -> Solution:
    """Keep what was not proved tight within what holds if everything is confounded: that is soon known."""
    # the table as the graph reads it: with its independences, which full confounding does not know of
    fitted = None if solution.slack else question.model.fitted()
    if fitted is None:
        return solution
    same = replace(question, model=replace(question.model, distribution=fitted))
    try:
        program = same.program(relaxation="confounded", limits=limits)
    except TooLargeError:
        return solution
    if program.form is not None:  # what a known predictor said of people is not soon known even then
        return solution
    wide = solve(program, exact=False)
    low = max(solution.lower.bound, wide.lower.bound)
    high = min(solution.upper.bound, wide.upper.bound)
    if solution.exact:
        low, high = min(low, solution.lower.value), max(high, solution.upper.value)
    # a point of a relaxation that lies beyond is drawn back
    return replace(
        solution,
        lower=replace(solution.lower, value=max(solution.lower.value, low), bound=low),
        upper=replace(solution.upper, value=min(solution.upper.value, high), bound=high),
    )


def answer(
    question: Question,
    *,
    confidence: float | None = None,
    relaxation: Relaxation = "none",
    limits: Limits | None = None,
) -> EffectBounds:
    """Solve a prepared question."""
    solution = solve(question.program(relaxation=relaxation, limits=limits), exact=relaxation != "confounded")
    if relaxation != "confounded" and not solution.proved:
        solution = _within(solution, question, limits)
    notes = list(question.notes)
    if solution.slack:
        notes.append(
            "no model with this graph gives the table exactly; it was changed by as little as possible, "
            f"ε = {solution.slack:.3g} in total"
        )
    lower, upper = max(solution.lower.bound, -1.0), min(solution.upper.bound, 1.0)
    interval = (lower, upper)
    asked = question.relaxed() if relaxation == "confounded" else question
    if confidence is not None:
        from fairwitness.causal.confidence import effect_interval

        found = effect_interval(asked, (lower, upper), confidence)
        interval = (found.low, found.high)
        notes += found.notes
    certificate = Certificate(
        solution.engine,
        solution.exact,
        solution.lower.bound,
        solution.upper.bound,
        solution.lower.value,
        solution.upper.value,
        solution.programs,
        solution.seconds,
    )
    return EffectBounds(
        lower,
        upper,
        interval,
        confidence,
        asked.query,
        certificate,
        solution.sizes,
        solution.unidentified,
        solution.evidence_probability,
        solution.reference_probability,
        solution.slack,
        question.model.distribution.n,
        tuple(notes),
    )
