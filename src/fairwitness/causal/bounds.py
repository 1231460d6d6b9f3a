"""Bounds on a path-specific counterfactual effect: from a table and a graph to an interval with its certificate."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairwitness.arguments import real_number, shown
from fairwitness.causal.distribution import Distribution
from fairwitness.causal.factors import Model
from fairwitness.causal.graph import CausalGraph
from fairwitness.causal.nested import NestedCounterfactual
from fairwitness.causal.paths import path_set
from fairwitness.causal.program import BlockSize, naive_columns
from fairwitness.causal.solve import Engine, Limits, Relaxation, Solution, solve
from fairwitness.errors import ConfigError, DataError
from fairwitness.text import listing, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairwitness.causal.bins import Bins

Status = Literal["identified", "tight", "gap", "outer", "uninformative"]
Word = Literal["fair", "unfair", "undetermined"]

#: Bounds closer than this are one number; optimum and certificate may differ by it.
CLOSE = 1e-7


@dataclass(frozen=True, slots=True)
class Certificate:
    """What vouches for the bounds.

    Attributes
    ----------
    engine
        Which solver answered; see :mod:`fairwitness.causal.solve`.
    exact
        Whether it solved the stated problem, not a relaxation of it.
    lower_bound, upper_bound
        Dual values: no model that agrees with the data and the graph has an effect beyond them.
    lower_attained, upper_attained
        Primal values: some such model has this effect (for a relaxation: some point of it).
    programs
        Linear programs solved.
    seconds
        Time it took.
    """

    engine: Engine
    exact: bool
    lower_bound: float
    upper_bound: float
    lower_attained: float
    upper_attained: float
    programs: int
    seconds: float

    @property
    def gap(self) -> float:
        """How far what was attained stays behind what cannot be passed; 0 is proved tight."""
        return max(self.lower_attained - self.lower_bound, self.upper_bound - self.upper_attained, 0.0)

    def to_dict(self) -> Document:
        """Give the certificate as plain values."""
        return {name: getattr(self, name) for name in (*self.__slots__, "gap")}


@dataclass(frozen=True, eq=False)
class EffectBounds:
    """The range of one path-specific counterfactual effect.

    Attributes
    ----------
    lower, upper
        Bounds, from −1 to 1, that hold for every causal model that agrees with the graph and the table. 0 is no
        effect; above 0, ``active`` along the paths makes the outcome more probable than ``reference``.
    interval
        What a verdict rests on: with ``confidence`` the interval that also covers sampling error, else
        ``(lower, upper)``.
    confidence
        Level of ``interval``, or ``None``.
    query
        The question; ``print(bounds.query)`` gives it in notation.
    certificate
        What vouches for the bounds.
    sizes
        Of each block's program.
    unidentified
        The sets of variables whose response functions the data do not identify, as far as they matter.
    evidence_probability
        P(o): the share of people that the question is about.
    reference_probability
        P(y_{s0} | o) where the data identify it.
    slack
        ε: the total amount by which the table had to be changed for the graph to be possible at all.
    n
        Rows of the table, where known.
    notes
        What was done to the data, and what the bounds assume beyond the graph.
    """

    lower: float
    upper: float
    interval: tuple[float, float]
    confidence: float | None
    query: NestedCounterfactual
    certificate: Certificate
    sizes: tuple[BlockSize, ...]
    unidentified: tuple[tuple[str, ...], ...]
    evidence_probability: float
    reference_probability: float | None
    slack: float
    n: float | None
    notes: tuple[str, ...]

    @property
    def identified(self) -> bool:
        """Whether graph and table leave one value."""
        return self.upper - self.lower < CLOSE

    @property
    def uninformative(self) -> bool:
        """Whether the bounds are those that hold before any data are seen."""
        before = self.reference_probability
        low, high = (-1.0, 1.0) if before is None else (-before, 1.0 - before)
        return self.lower <= low + CLOSE and self.upper >= high - CLOSE and not self.identified

    @property
    def status(self) -> Status:
        """``identified``, ``tight`` (proved), ``gap`` (valid, perhaps not tight), ``outer`` or ``uninformative``."""
        if self.identified:
            return "identified"
        if self.uninformative:
            return "uninformative"
        if not self.certificate.exact:
            return "outer"
        return "tight" if self.certificate.gap < CLOSE else "gap"

    def verdict(self, tau: float = 0.1) -> Word:
        """Say whether the effect is within ±``tau``, from ``interval``.

        ``"fair"``: surely within (upper < τ and lower > −τ); ``"unfair"``: surely beyond (lower > τ or upper < −τ);
        ``"undetermined"`` otherwise (Section 4.3 of the paper).
        """
        tau = real_number(tau, "tau", above=0.0, below=1.0, fix="pass for example tau=0.1")
        low, high = self.interval
        if low > -tau and high < tau:
            return "fair"
        if low > tau or high < -tau:
            return "unfair"
        return "undetermined"

    def to_dict(self) -> Document:
        """Give everything as plain values."""
        return {
            "query": self.query.to_dict(),
            "lower": self.lower,
            "upper": self.upper,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "status": self.status,
            "identified": self.identified,
            "certificate": self.certificate.to_dict(),
            "sizes": [
                {
                    name: list(v) if isinstance(v := getattr(size, name), tuple) else v
                    for name in size.__slots__
                }
                for size in self.sizes
            ],
            "unidentified": [list(block) for block in self.unidentified],
            "evidence_probability": self.evidence_probability,
            "reference_probability": self.reference_probability,
            "slack": self.slack,
            "n": self.n,
            "notes": list(self.notes),
        }

    def to_frame(self) -> Any:
        """Give one row: the question, the bounds and how they were found."""
        import pandas as pd

        query = self.query
        return pd.DataFrame(
            [
                {
                    "paths": str(query.paths),
                    "active": query.active,
                    "reference": query.reference,
                    "given": ", ".join(f"{name} = {value}" for name, value in query.given.items()),
                    "lower": self.lower,
                    "upper": self.upper,
                    "interval_low": self.interval[0],
                    "interval_high": self.interval[1],
                    "confidence": self.confidence,
                    "status": self.status,
                    "engine": self.certificate.engine,
                    "gap": self.certificate.gap,
                    "evidence_probability": self.evidence_probability,
                    "n": self.n,
                }
            ]
        )

    def plot(self, ax: Axes | None = None, *, tau: float | None = None) -> Axes:
        """Draw the interval on an axis with 0 (and ±``tau``)."""
        from fairwitness.causal.plots import plot_bounds

        return plot_bounds([self], ax=ax, tau=tau)

    def __repr__(self) -> str:
        sure = "" if self.confidence is None else f", {self.confidence:.0%} interval {_range(self.interval)}"
        return f"<EffectBounds {_range((self.lower, self.upper))} {self.status}{sure}>"


def _range(ends: tuple[float, float]) -> str:
    return f"[{ends[0]:.4f}, {ends[1]:.4f}]"


@dataclass(frozen=True, eq=False)
class Question:
    """Model and query of one call, ready to be solved, confined to the variables that matter."""

    model: Model
    query: NestedCounterfactual
    notes: tuple[str, ...]

    def about(self, given: Mapping[str, object]) -> Question:
        """Ask the same about other people; what is known of them must have been ``observed`` in :func:`prepare`."""
        own = _own_values(self.model.distribution, given)
        return dataclasses.replace(self, query=dataclasses.replace(self.query, given=own))


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

    The parameters are those of :func:`effect_bounds`; ``observed`` are more variables that will be known of the
    people whom :meth:`Question.about` asks about.
    """
    whole = CausalGraph.from_any(graph)
    evidence = _evidence(given)
    known = (*evidence, *observed)
    whole.check(treatment, outcome, *known)
    if treatment == outcome:
        raise ConfigError("treatment and outcome are the same variable", got=plain(treatment))
    chosen = path_set(whole, treatment, outcome, paths)
    if predictor is not None:
        whole = whole.without_confounding(outcome)
    kept = relevant(whole, outcome, known)
    left_out = [name for name in whole.nodes if name not in kept]
    confined = whole.hiding(*left_out) if left_out else whole
    distribution = Distribution.from_data(
        data,
        confined.nodes,
        weights=weights,
        bins=_some(bins, kept),
        levels=_some(levels, kept),
        missing=missing,
    )
    kernel = None
    if predictor is not None:
        from fairwitness.causal.kernel import read_predictor

        kernel = read_predictor(
            predictor,
            graph=confined,
            outcome=outcome,
            distribution=distribution,
            data=data,
            favorable=getattr(predictor, "favorable", outcome_value),
            weights=weights,
            bins=_some(bins, kept),
            missing=missing,
        )
    query = NestedCounterfactual(
        path_set(confined, treatment, outcome, chosen),
        *(
            distribution.levels[distribution.axis(name)][distribution.level_index(name, value)]
            for name, value in ((outcome, outcome_value), (treatment, active), (treatment, reference))
        ),
        _own_values(distribution, evidence),
    )
    if len(distribution.levels[distribution.axis(treatment)]) < 2:
        raise DataError(
            f"the sensitive feature {plain(treatment)} has one value only",
            got=shown(distribution.levels[distribution.axis(treatment)][0]),
            fix="an effect needs two; check the column, or name the other value with levels=…",
        )
    notes = [*distribution.notes, *(() if kernel is None else kernel.notes)]
    if left_out:
        notes.append(f"left out, as no path or evidence needs it: {listing([plain(n) for n in left_out])}")
    for component in confined.shared_causes_only:
        notes.append(
            f"one hidden common cause is admitted for all of {listing([plain(n) for n in component])}; the arcs do "
            "not join all pairs, so the bounds are valid but may be wider than need be"
        )
    return Question(Model(confined, distribution, kernel), query, tuple(notes))


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


def _some(mapping: Mapping[str, Any] | None, kept: frozenset[str]) -> dict[str, Any] | None:
    return None if mapping is None else {name: value for name, value in mapping.items() if name in kept}


def relevant(graph: CausalGraph, outcome: str, given: Iterable[str]) -> frozenset[str]:
    """Give the variables that can matter: ancestors of the outcome and the evidence, and their confounded mates.

    A mate that is no ancestor still tightens the bounds, since its hidden cause is theirs.
    """
    found = graph.ancestors(outcome, *given)
    while True:
        mates = {mate for name in found for mate in graph.component_of(name)}
        wider = graph.ancestors(*mates)
        if wider == found:
            return found
        found = wider


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

    ``PCE_π(s1, s0 | o) = P(y_{s1|π, s0|π̄} | o) − P(y_{s0} | o)`` (Wu et al. 2019, Definition 5) is in general not
    determined by data. The bounds are the smallest and largest value over all causal models with this graph that
    give the table (their equation 4, with each c-component's response functions on their own, which is tighter
    than one joint distribution).

    Parameters
    ----------
    data
        One row a person; or, with ``weights`` naming a column, one row a cell with its count or probability.
        pandas, polars, pyarrow; lazily polars, DuckDB, PySpark. Or a :class:`Distribution`.
    graph
        A :class:`CausalGraph`, text such as ``"S -> W -> Y; W <-> Y"``, DOT, a networkx graph, or a file's path.
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
        The model that decides, if known: a table P(outcome | its parents), or a model to be asked. The outcome is
        then unconfounded and its response known.
    weights, bins, levels, missing
        As in :meth:`Distribution.from_data`.
    confidence
        Also give an interval that covers the effect with this probability, whatever the sampling error.
    relaxation
        ``"none"`` (tight); ``"joint"``: unidentified blocks answer jointly (the paper's program); ``"confounded"``:
        a hidden common cause of everything is admitted.
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


def answer(
    question: Question,
    *,
    confidence: float | None = None,
    relaxation: Relaxation = "none",
    limits: Limits | None = None,
) -> EffectBounds:
    """Solve a prepared question."""
    if relaxation not in ("none", "joint", "confounded"):
        raise ConfigError(
            "there is no such relaxation", got=shown(relaxation), fix='use "none", "joint" or "confounded"'
        )
    model, query, notes = question.model, question.query, list(question.notes)
    if relaxation == "confounded":
        known = () if model.kernel is None else (query.outcome,)
        graph = model.graph.confounded(*(name for name in model.graph.nodes if name not in known))
        model = Model(graph, model.distribution, model.kernel)
        query = NestedCounterfactual(
            path_set(graph, query.treatment, query.outcome, query.paths),
            query.outcome_value,
            query.active,
            query.reference,
            query.given,
        )
    solution = solve(model, query, relaxation=relaxation, limits=limits)
    if solution.slack:
        notes.append(
            f"no model with this graph gives the table exactly; it was changed by as little as possible, ε = "
            f"{solution.slack:.3g} in total"
        )
    return _result(question, query, solution, notes, confidence)


def _result(
    question: Question,
    query: NestedCounterfactual,
    solution: Solution,
    notes: Sequence[str],
    confidence: float | None,
) -> EffectBounds:
    lower, upper = max(solution.lower.bound, -1.0), min(solution.upper.bound, 1.0)
    interval = (lower, upper)
    if confidence is not None:
        from fairwitness.causal.confidence import confidence_interval

        interval = confidence_interval(question, (lower, upper), confidence)
    return EffectBounds(
        lower,
        upper,
        interval,
        confidence,
        query,
        Certificate(
            solution.engine,
            solution.exact,
            solution.lower.bound,
            solution.upper.bound,
            solution.lower.value,
            solution.upper.value,
            solution.programs,
            solution.seconds,
        ),
        solution.sizes,
        solution.unidentified,
        solution.evidence_probability,
        solution.reference_probability,
        solution.slack,
        question.model.distribution.n,
        tuple(notes),
    )


def size_of(question: Question) -> dict[str, float]:
    """Give log10 of the number of columns of the paper's program, for each c-component, before building anything."""
    return {
        ", ".join(members): naive_columns(question.model, members)
        for members in question.model.graph.components
    }
