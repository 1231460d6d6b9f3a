"""The ladder of assumptions: one question, answered under weaker and stronger assumptions.

What bounds can say rests on what is assumed not to be there. The ladder sets that beside the bounds: from
hidden common causes of everything, over what the graph declares and over a predictor that is known, to no
hidden common cause at all. Where the table agrees with both, a rung that assumes more never gives wider
bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from fairwitness.arguments import shown
from fairwitness.causal.bounds import answer
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.graph.nested import NestedCounterfactual
from fairwitness.causal.graph.paths import path_set
from fairwitness.causal.implied.contradiction import contradiction
from fairwitness.causal.solver.expression import TooLargeError
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.question import Question, prepare
from fairwitness.causal.solver.results import EffectBounds, Sampling
from fairwitness.causal.words import confounding, effect, people
from fairwitness.errors import DataError, FairwitnessError, UnknownNameError
from fairwitness.text import interval, listing, plain
from fairwitness.typing import Document, RandomState

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairwitness.causal.data.bins import Bins
    from fairwitness.causal.solver.problem import Limits

RungName: TypeAlias = Literal["confounded", "declared", "predictor, confounded", "predictor", "unconfounded"]

#: What each rung is called.
TITLES: dict[RungName, str] = {
    "confounded": "Everything confounded",
    "declared": "As the graph declares",
    "predictor, confounded": "Predictor known, all else confounded",
    "predictor": "Predictor known, else as declared",
    "unconfounded": "Nothing confounded",
}


#: Frequencies closer than this are the same.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Rung:
    """One set of assumptions, and what they give.

    Attributes
    ----------
    name
        ``"confounded"``, ``"declared"``, ``"predictor, confounded"``, ``"predictor"`` or ``"unconfounded"``.
    assumptions
        In words, one sentence each.
    graph
        The graph with the hidden common causes that this rung admits.
    bounds
        Under these assumptions; ``None`` where there are none.
    reason
        Why there are none.
    """

    name: RungName
    assumptions: tuple[str, ...]
    graph: CausalGraph
    bounds: EffectBounds | None
    reason: str | None = None

    @property
    def title(self) -> str:
        """What the rung is called."""
        return TITLES[self.name]

    @property
    def width(self) -> float:
        """Upper bound less lower bound; NaN where there are none."""
        return math.nan if self.bounds is None else self.bounds.upper - self.bounds.lower


@dataclass(frozen=True, eq=False)
class Ladder:
    """One question under weaker and stronger assumptions, from the weakest to the strongest.

    Attributes
    ----------
    rungs
        Those that differ.
    query
        The question.
    known_predictor
        Whether the predictor was given.
    notes
        What the rungs do not have in common, one sentence each.
    """

    rungs: tuple[Rung, ...]
    query: NestedCounterfactual
    known_predictor: bool
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rungs)

    def __iter__(self) -> Iterator[Rung]:
        return iter(self.rungs)

    def __getitem__(self, name: str) -> Rung:
        """Give a rung by name.

        Raises
        ------
        UnknownNameError
            If the ladder has none of that name.
        """
        for rung in self.rungs:
            if rung.name == name:
                return rung
        raise UnknownNameError(
            "the ladder has no such rung",
            got=shown(name),
            fix=f"use one of {listing([repr(rung.name) for rung in self.rungs])}",
        )

    @property
    def asked(self) -> Rung:
        """The rung of the assumptions that were stated: the declared graph, and the predictor if known."""
        wanted = ("predictor", "declared") if self.known_predictor else ("declared",)
        return next(rung for name in wanted for rung in self.rungs if rung.name == name)

    def to_frame(self, *, tau: float = 0.1) -> Any:
        """Give a pandas DataFrame, one row a rung: assumptions, bounds, width, status, verdict."""
        import pandas as pd

        rows = []
        for rung in self.rungs:
            bounds = rung.bounds
            ends = (math.nan,) * 2 if bounds is None else bounds.interval
            rows.append(
                {
                    "rung": rung.name,
                    "title": rung.title,
                    "assumptions": "; ".join(rung.assumptions),
                    "lower": math.nan if bounds is None else bounds.lower,
                    "upper": math.nan if bounds is None else bounds.upper,
                    "width": rung.width,
                    "interval_low": ends[0],
                    "interval_high": ends[1],
                    "status": None if bounds is None else bounds.status,
                    "engine": None if bounds is None else bounds.certificate.engine,
                    "verdict": None if bounds is None else bounds.verdict(tau),
                    "reason": rung.reason,
                }
            )
        return pd.DataFrame(rows)

    def to_dict(self) -> Document:
        """Give everything as plain values."""
        return {
            "query": self.query.to_dict(),
            "known_predictor": self.known_predictor,
            "notes": list(self.notes),
            "rungs": [
                {
                    "name": rung.name,
                    "title": rung.title,
                    "assumptions": list(rung.assumptions),
                    "graph": rung.graph.to_text(),
                    "bounds": None if rung.bounds is None else rung.bounds.to_dict(),
                    "width": None if rung.bounds is None else rung.width,
                    "reason": rung.reason,
                }
                for rung in self.rungs
            ],
        }

    def plot(self, ax: Axes | None = None, *, tau: float | None = None) -> Axes:
        """Draw one interval a rung, with its assumptions beside it."""
        from fairwitness.causal.plots import plot_ladder

        return plot_ladder(self, ax, tau=tau)

    def _repr_html_(self) -> str:
        frame = self.to_frame()[["title", "assumptions", "lower", "upper", "width", "status", "reason"]]
        return str(frame.to_html(index=False, escape=True, float_format="%.3g", na_rep="–"))

    def __repr__(self) -> str:
        told = effect(self.query)
        lines = [f"{told[0].upper()}{told[1:]}, {self.query.paths}; {people(self.query.given)}"]
        wide = max(len(rung.title) for rung in self.rungs)
        lines += [f"  {rung.title.ljust(wide)}  {_said(rung)}" for rung in self.rungs]
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def _said(rung: Rung) -> str:
    if rung.bounds is None:
        return f"no bounds: {rung.reason}"
    bounds = rung.bounds
    said = f"{interval(bounds.lower, bounds.upper)}  {bounds.status}"
    if bounds.confidence is None:
        return said
    return f"{said}, {bounds.confidence:.0%} interval {interval(*bounds.interval)}"


def assumption_ladder(
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
    limits: Limits | None = None,
) -> Ladder:
    """Answer one question under weaker and stronger assumptions about what was not measured.

    The rungs, of which those are left out that say what another says: everything confounded; as the graph
    declares; with ``predictor``, the predictor known and all else confounded, and the predictor known and
    all else as declared; nothing confounded.

    Parameters
    ----------
    data, graph, treatment, outcome, active, reference, outcome_value, paths, given
        The question, as for :func:`~fairwitness.causal.bounds.effect_bounds`.
    predictor, weights, bins, levels, missing, confidence, sampling, random_state, limits
        As for :func:`~fairwitness.causal.bounds.effect_bounds`.

    Returns
    -------
    Ladder
        Rungs with ``.assumptions`` in words and ``.bounds``. A rung whose program is too large says so, and
        has no bounds.

    Raises
    ------
    ConfigError, DataError
        As for :func:`~fairwitness.causal.bounds.effect_bounds`.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = pd.DataFrame(
    ...     {"sex": [0, 0, 1, 1], "hired": [0, 1, 0, 1], "share": [0.3, 0.2, 0.1, 0.4]}
    ... )
    >>> assumption_ladder(cells, "sex -> hired", treatment="sex", outcome="hired", active=1, reference=0,
    ...                   outcome_value=1, weights="share")
    The effect of sex = 1 instead of 0 on hired = 1, all paths from sex to hired; everyone
      Everything confounded  [-0.300, 0.700]  tight
      As the graph declares  [0.400, 0.400]  identified
    """
    settings: dict[str, Any] = {
        "treatment": treatment,
        "outcome": outcome,
        "active": active,
        "reference": reference,
        "outcome_value": outcome_value,
        "paths": paths,
        "given": given,
        "weights": weights,
        "bins": bins,
        "levels": levels,
        "missing": missing,
    }
    whole = CausalGraph.from_any(graph)
    declared = prepare(data, whole, **settings)
    known = None if predictor is None else prepare(data, whole, predictor=predictor, **settings)
    asked: list[tuple[RungName, Question]] = [
        ("confounded", _under(declared, declared.model.graph.confounded())),
        ("declared", declared),
    ]
    if known is not None:
        others = [name for name in known.model.graph.nodes if name != outcome]
        asked.append(("predictor, confounded", _under(known, known.model.graph.confounded(*others))))
        asked.append(("predictor", known))
    last = known or declared
    asked.append(("unconfounded", _under(last, last.model.graph.markovian())))
    rungs: list[Rung] = []
    failures: list[FairwitnessError] = []
    for name, question in _different(asked):
        bounds, failure = None, None
        try:
            bounds = answer(
                question,
                confidence=confidence,
                sampling=sampling,
                random_state=random_state,
                limits=limits,
            )
        except (DataError, TooLargeError) as error:
            failure = error
            failures.append(error)
        rungs.append(
            Rung(
                name,
                _assumptions(name, question),
                question.model.graph,
                bounds,
                None if failure is None else failure.what,
            )
        )
    if len(failures) == len(rungs):
        raise failures[0]
    notes = tuple(_notes(rungs, declared, known))
    return Ladder(tuple(rungs), (known or declared).query, known is not None, notes)


def _notes(rungs: Sequence[Rung], declared: Question, known: Question | None) -> Iterator[str]:
    """Say if the table contradicts the stated graph, and what keeps rungs from lying inside each other."""
    doubt = contradiction((known or declared).model)
    if doubt is not None:
        yield doubt
    moved = [rung for rung in rungs if rung.bounds is not None and rung.bounds.slack > 0]
    if moved:
        sizes = listing([f"{rung.title.lower()}: ε = {_slack(rung):.3g}" for rung in moved])
        yield (
            "under some assumptions no model gives the table exactly, and it was changed by as little as "
            f"possible ({sizes}): these bounds need not lie inside those above them"
        )
    about_labels = any(rung.name in ("confounded", "declared") for rung in rungs)
    if known is not None and about_labels and _differs(declared, known):
        yield (
            f"rungs that do not know the predictor speak of {plain(known.query.outcome)} as it stands in the "
            "table, the others of what the predictor would answer: their bounds are of two different effects"
        )


def _slack(rung: Rung) -> float:
    return 0.0 if rung.bounds is None else rung.bounds.slack


def _differs(declared: Question, known: Question) -> bool:
    """Say whether the predictor answers otherwise than the outcome's column, among people who are alike."""
    kernel = known.model.kernel
    if kernel is None:
        return False
    table = declared.model.distribution
    if kernel.outcome not in table.variables:
        return True
    names = (*kernel.parents, kernel.outcome)
    joint = table.take(*names).probability
    with np.errstate(divide="ignore", invalid="ignore"):
        recorded = joint / joint.sum(axis=-1, keepdims=True)
    return bool(np.nanmax(np.abs(recorded - kernel.table), initial=0.0) > SAME)


def _under(question: Question, graph: CausalGraph) -> Question:
    """Ask the same of a graph with the same edges and other hidden common causes."""
    query = question.query
    moved = NestedCounterfactual(
        path_set(graph, query.treatment, query.outcome, query.paths),
        query.outcome_value,
        query.active,
        query.reference,
        query.given,
    )
    model = Model(graph, question.model.distribution, question.model.kernel)
    return Question(model, moved, question.notes)


def _different(asked: Sequence[tuple[RungName, Question]]) -> Iterator[tuple[RungName, Question]]:
    """Leave out rungs that assume what another does; those that were stated stay."""
    kept: dict[tuple[object, ...], tuple[RungName, Question]] = {}
    for name, question in asked:
        graph = question.model.graph
        key = (question.model.kernel is not None, graph.components)
        if key not in kept or name in ("declared", "predictor"):
            kept[key] = (name, question)
    yield from kept.values()


def _assumptions(name: RungName, question: Question) -> tuple[str, ...]:
    graph = question.model.graph
    outcome = plain(question.query.outcome)
    said = []
    if question.model.kernel is not None:
        said.append(f"how {outcome} follows from its causes is known: it is the predictor's rule")
    if name == "confounded":
        said.append("nothing but the arrows: hidden common causes of all variables are possible")
    elif name == "predictor, confounded":
        said.append(f"hidden common causes of all variables but {outcome} are possible")
    elif name == "unconfounded" and graph.is_markovian:
        said.append("no hidden common causes, which is more than the graph says")
    else:
        said.append(confounding(graph))
    return tuple(said)
