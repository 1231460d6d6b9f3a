"""From a table, a graph and words to a question that can be solved: the first of three stages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairwitness.arguments import shown
from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.graph.nested import NestedCounterfactual
from fairwitness.causal.graph.paths import path_set
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.problem import Limits, Problem
from fairwitness.causal.solver.program import naive_columns
from fairwitness.causal.solver.stages import EffectProgram, Relaxation, make_program
from fairwitness.errors import ConfigError, DataError
from fairwitness.text import did_you_mean, listing, plain

if TYPE_CHECKING:
    from fairwitness.causal.data.bins import Bins


@dataclass(frozen=True, eq=False)
class Question:
    """Model and query of one call, ready to be solved, confined to the variables that matter."""

    model: Model
    query: NestedCounterfactual
    notes: tuple[str, ...]

    def about(self, given: Mapping[str, object]) -> Question:
        """Ask the same about other people.

        What is known of them must have been ``observed`` in :func:`prepare`.
        """
        own = _own_values(self.model.distribution, given)
        return dataclasses.replace(self, query=dataclasses.replace(self.query, given=own))

    def relaxed(self) -> Question:
        """Ask the same where one hidden cause may act on everything but a known predictor's answer."""
        model, query = self.model, self.query
        known = () if model.kernel is None else (query.outcome,)
        graph = model.graph.confounded(*(name for name in model.graph.nodes if name not in known))
        paths = path_set(graph, query.treatment, query.outcome, query.paths)
        return dataclasses.replace(
            self,
            model=Model(graph, model.distribution, model.kernel),
            query=dataclasses.replace(query, paths=paths),
        )

    @property
    def conceivable(self) -> tuple[float, float]:
        """What the effect can be at all, before any data: the evidence may fix one of its outcomes."""
        return Problem(self.model, self.query, self.model.graph.components).conceivable

    def program(self, *, relaxation: Relaxation = "none", limits: Limits | None = None) -> EffectProgram:
        """Give what has to be optimised; ``print`` it for its sizes, and hand it to ``solve``.

        Raises
        ------
        ConfigError
            If the relaxation is unknown, or the program too large.
        """
        if not isinstance(relaxation, str) or relaxation not in ("none", "joint", "confounded"):
            raise ConfigError(
                "there is no such relaxation",
                got=shown(relaxation),
                fix='use "none", "joint" or "confounded"',
            )
        asked = self.relaxed() if relaxation == "confounded" else self
        problem = Problem(asked.model, asked.query, asked.model.graph.components)
        return make_program(problem, relaxation=relaxation, limits=limits)


def prepare(
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
    observed: Sequence[str] = (),
) -> Question:
    """Read graph, question and table, and leave out what cannot matter.

    The parameters are those of :func:`effect_bounds`; ``observed`` are more variables that will be known of
    the people whom :meth:`Question.about` asks about.
    """
    whole = CausalGraph.from_any(graph)
    evidence = _evidence(given)
    known = (*evidence, *observed)
    whole.check(treatment, outcome, *known)
    if treatment == outcome:
        raise ConfigError(
            "treatment and outcome are the same variable",
            got=plain(treatment),
            fix="name the sensitive feature as treatment, and the decision as outcome",
        )
    chosen = path_set(whole, treatment, outcome, paths)
    arcs = whole.siblings(outcome) if predictor is not None else ()
    whole = whole.without_confounding(outcome) if arcs else whole
    # without a path to the outcome the treatment matters to nothing, but its values are asked for
    kept = relevant(whole, outcome, (*known, treatment))
    left_out = [name for name in whole.nodes if name not in kept]
    confined = whole.hiding(*left_out) if left_out else whole
    cuts, values = _some(bins, whole, kept, "bins"), _some(levels, whole, kept, "levels")
    distribution = Distribution.from_data(
        data,
        confined.nodes,
        weights=weights,
        bins=cuts,
        levels=values,
        missing=missing,
    )
    kernel = None
    if predictor is not None:
        from fairwitness.causal.data.kernel import read_predictor

        kernel = read_predictor(
            predictor,
            graph=confined,
            outcome=outcome,
            distribution=distribution,
            data=data,
            favorable=getattr(predictor, "favorable", outcome_value),
            weights=weights,
            bins=cuts,
            missing=missing,
        )
    if len(distribution.levels[distribution.axis(treatment)]) < 2:
        raise DataError(
            f"the sensitive feature {plain(treatment)} has one value only",
            got=shown(distribution.levels[distribution.axis(treatment)][0]),
            fix="an effect needs two; check the column, or name the other value with levels=…",
        )
    own = _own_values(distribution, {outcome: outcome_value, treatment: active})
    query = NestedCounterfactual(
        path_set(confined, treatment, outcome, chosen),
        own[outcome],
        own[treatment],
        _own_values(distribution, {treatment: reference})[treatment],
        _own_values(distribution, evidence),
    )
    notes = [*distribution.notes, *(() if kernel is None else kernel.notes)]
    if arcs:
        notes.append(_taken_out(arcs, outcome, averaged=kernel is not None and kernel.rows is not None))
    if left_out:
        notes.append(f"left out, as no path or evidence needs it: {listing([plain(n) for n in left_out])}")
    notes += [
        f"one hidden common cause is admitted for all of {listing([plain(name) for name in component])}; the "
        "arcs do not join all pairs, so the bounds are valid but may be wider than need be"
        for component in confined.shared_causes_only
    ]
    return Question(Model(confined, distribution, kernel), query, tuple(dict.fromkeys(notes)))


def _taken_out(others: Sequence[str], outcome: str, *, averaged: bool) -> str:
    """Say which arcs a known predictor takes out, and what that assumes where only its means are known."""
    arcs = listing([f"{plain(other)} <-> {plain(outcome)}" for other in others])
    if not averaged:
        return f"{arcs} taken out, as the predictor's rule is known"
    return (
        f"{arcs} taken out, as the predictor is known by its mean answers: if it reads anything outside "
        "the graph that something hidden moves together with the graph's columns, the effect may lie outside "
        "the bounds"
    )


def _evidence(given: Mapping[str, object] | None) -> dict[str, object]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ConfigError(
            "the evidence must map variables to values", got=shown(given), fix='pass given={"dept": "A"}'
        )
    return dict(given)


def _own_values(distribution: Distribution, values: Mapping[str, object]) -> dict[str, object]:
    """Give values as the distribution has them: 1 for 1.0 or "1"."""
    return {
        name: distribution.levels[distribution.axis(name)][distribution.level_index(name, value)]
        for name, value in values.items()
    }


def _some(
    mapping: Mapping[str, Any] | None, graph: CausalGraph, kept: frozenset[str], name: str
) -> dict[str, Any] | None:
    """Give the entries of variables that matter; those of others in the graph are not needed."""
    if mapping is None:
        return None
    if not isinstance(mapping, Mapping):
        raise ConfigError(
            f"{name} must map variables to theirs", got=shown(mapping), fix=f'pass {name}={{"age": [25, 40]}}'
        )
    for each in mapping:
        if not graph.has(each):
            raise ConfigError(
                f"{name} speaks of {shown(each)}, which is no variable of the graph",
                got=f"variables {listing([plain(node) for node in graph.nodes])}",
                fix=did_you_mean(each, graph.nodes),
            )
    return {each: value for each, value in mapping.items() if each in kept}


def relevant(graph: CausalGraph, outcome: str, given: Iterable[str]) -> frozenset[str]:
    """Give the variables that can matter: ancestors of outcome and evidence, and their confounded mates.

    A mate that is no ancestor still tightens the bounds, since its hidden cause is theirs.
    """
    found = graph.ancestors(outcome, *given)
    while True:
        mates = {mate for name in found for mate in graph.component_of(name)}
        wider = graph.ancestors(*mates)
        if wider == found:
            return found
        found = wider


def size_of(question: Question) -> dict[str, float]:
    """Give log10 of the columns of the paper's program, for each c-component, before building anything."""
    return {
        ", ".join(members): naive_columns(question.model, members)
        for members in question.model.graph.components
    }
