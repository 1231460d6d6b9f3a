"""The seven notions of fairness that path-specific counterfactual fairness contains, by name.

Source: Wu, Zhang, Wu and Tong, "PC-Fairness: A Unified Framework for Measuring Causality-based Fairness"
(NeurIPS 2019), Table 1. Each notion says what is known of the people asked about (O) and which causal paths
count (π); the references are the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fairwitness.arguments import real_number, shown
from fairwitness.causal.citations import Citation, cited
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.errors import ConfigError
from fairwitness.text import did_you_mean
from fairwitness.typing import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairwitness.causal.data.bins import Bins
    from fairwitness.causal.solver.problem import Limits
    from fairwitness.causal.solver.results import Sampling
    from fairwitness.causal.solver.stages import Relaxation
    from fairwitness.causal.verdict import Verdict
    from fairwitness.typing import RandomState

Level: TypeAlias = Literal["system", "group", "individual"]
#: What is known of the people: nothing; nothing or S; all attributes; the outcome's other parents; S and the
#: true outcome.
Evidence: TypeAlias = Literal["none", "none or S", "S and X", "parents", "S and Y"]
Paths: TypeAlias = Literal["all", "direct", "indirect", "direct or indirect"]


@dataclass(frozen=True, slots=True)
class Notion:
    """One line of Table 1.

    Attributes
    ----------
    name
        As :func:`pc_fairness` takes it.
    title
        As the table has it.
    level
        Whom it is about: everybody, a group, or one person.
    description
        The question it asks, in words.
    evidence
        The rule for O: ``"none"``; ``"none or S"``; ``"S and X"`` (the sensitive feature and all other
        attributes); ``"parents"`` (the outcome's parents but the sensitive feature); ``"S and Y"`` (with the
        true outcome).
    paths
        The rule for π: ``"all"``; ``"direct"`` (the edge); ``"indirect"`` (through redlining attributes);
        ``"direct or indirect"``.
    citations
        Where it was introduced.
    """

    name: str
    title: str
    level: Level
    description: str
    evidence: Evidence
    paths: Paths
    citations: tuple[Citation, ...]

    def known(
        self, graph: CausalGraph, treatment: str, outcome: str, truth: str | None = None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Give the variables whose values have to be known of the people, and those that may be.

        ``truth`` is the true outcome that the decision ``outcome`` predicts, if it is in the graph.
        """
        if self.evidence == "none":
            return (), ()
        if self.evidence == "none or S":
            return (), (treatment,)
        if self.evidence == "parents":
            needed = tuple(name for name in graph.parents(outcome) if name != treatment)
        elif self.evidence == "S and Y":
            needed = (treatment, *(() if truth is None else (truth,)))
        else:
            after = graph.descendants(outcome) | {truth}
            needed = tuple(name for name in graph.nodes if name not in after)
        return needed, needed

    def to_dict(self) -> Document:
        """Give the notion as plain values."""
        return {
            "name": self.name,
            "title": self.title,
            "level": self.level,
            "description": self.description,
            "evidence": self.evidence,
            "paths": self.paths,
            "citations": [str(each) for each in self.citations],
        }


#: The notions of Table 1, in its order.
NOTIONS: Mapping[str, Notion] = MappingProxyType(
    {
        each.name: each
        for each in (
            Notion(
                "total_effect",
                "Total effect",
                "system",
                "how much the sensitive feature changes the outcome of everyone, along all causal paths",
                "none",
                "all",
                cited(19, 16),
            ),
            Notion(
                "direct_discrimination",
                "(System) direct discrimination",
                "system",
                "how much the sensitive feature changes the outcome along its own edge alone",
                "none or S",
                "direct",
                cited(19, 7, 16),
            ),
            Notion(
                "indirect_discrimination",
                "(System) indirect discrimination",
                "system",
                "how much the sensitive feature changes the outcome along paths through redlining attributes",
                "none or S",
                "indirect",
                cited(19, 7, 16),
            ),
            Notion(
                "individual_direct_discrimination",
                "Individual direct discrimination",
                "individual",
                "how much the sensitive feature changes the outcome of a person along its own edge",
                "S and X",
                "direct",
                cited(17),
            ),
            Notion(
                "group_direct_discrimination",
                "Group direct discrimination",
                "group",
                "the same for all people who are alike in what else enters the decision",
                "parents",
                "direct",
                cited(18),
            ),
            Notion(
                "counterfactual_fairness",
                "Counterfactual fairness",
                "individual",
                "how much a person's outcome would differ had only the sensitive feature been another",
                "S and X",
                "all",
                cited(5, 9, 14),
            ),
            Notion(
                "counterfactual_error_rate",
                "Counterfactual error rate",
                "group",
                "how much the sensitive feature changes the prediction of people with the same true outcome",
                "S and Y",
                "direct or indirect",
                cited(15),
            ),
        )
    }
)


def notion_table() -> Any:
    """Give Table 1 as a pandas DataFrame, one row a notion: whom it is about and which paths count."""
    import pandas as pd

    rows = [each.to_dict() for each in NOTIONS.values()]
    return pd.DataFrame([{**row, "citations": " ".join(row["citations"])} for row in rows]).set_index("name")


def find_notion(name: object) -> Notion:
    """Give a notion by name, or by its words (``"counterfactual fairness"``).

    Raises
    ------
    ConfigError
        If there is none of that name.
    """
    if isinstance(name, Notion):
        return name
    asked = str(name).strip().lower().replace(" ", "_").replace("-", "_")
    if not isinstance(name, str) or asked not in NOTIONS:
        raise ConfigError(f"there is no notion {shown(name)}", fix=did_you_mean(name, NOTIONS))
    return NOTIONS[asked]


def pc_fairness(
    data: Any,
    graph: Any,
    *,
    notion: str | Notion | None = "counterfactual_fairness",
    treatment: str,
    outcome: str,
    active: object,
    reference: object,
    outcome_value: object,
    tau: float = 0.1,
    given: Mapping[str, object] | None = None,
    paths: object = None,
    y: str | None = None,
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
) -> Verdict:
    """Say whether an effect of the sensitive feature is within ±τ, for a notion of fairness by name.

    A predictor achieves τ-PC fairness if ``|PCE_π(s1, s0 | o)| ≤ τ`` (Wu et al. 2019, Definition 6). The
    seven notions of their Table 1 are choices of O and π:

    ================================  ===========================  ===============================
    ``notion``                        O: known of the people       π: paths that count
    ================================  ===========================  ===============================
    total_effect                      nothing                      all
    direct_discrimination             nothing, or S                the edge S → Ŷ
    indirect_discrimination           nothing, or S                through redlining attributes
    individual_direct_discrimination  S and all other attributes   the edge S → Ŷ
    group_direct_discrimination       Ŷ's parents without S        the edge S → Ŷ
    counterfactual_fairness           S and all other attributes   all
    counterfactual_error_rate         S and the true outcome Y     the edge, or indirect paths
    ================================  ===========================  ===============================

    Parameters
    ----------
    data, graph
        As for :func:`~fairwitness.causal.bounds.effect_bounds`.
    notion
        One of the names above, or ``None``: any evidence and any paths (Definition 6 itself; for example
        individual indirect discrimination, which has no name there).
    treatment, outcome
        Columns: the sensitive feature S, and the decision or prediction Ŷ.
    active, reference
        Its values s1 and s0.
    outcome_value
        The outcome whose probability is compared, usually the favourable one.
    tau
        Threshold above 0 and below 1.
    given
        Evidence: values known of the people. Has to be what the notion asks for.
    paths
        ``None``: the notion's own (for indirect discrimination all paths but the edge: every attribute counts
        as redlining). For indirect notions also ``through("dept")``, a list of redlining attributes, or
        single paths.
    y
        The true outcome's column, for the counterfactual error rate: a node of the graph beside ``outcome``.
    predictor, weights, bins, levels, missing, confidence, sampling, random_state, relaxation, limits
        As for :func:`~fairwitness.causal.bounds.effect_bounds`. With ``confidence`` the verdict rests on the
        confidence interval.

    Returns
    -------
    Verdict
        The text ``"fair"`` (surely within ±τ), ``"unfair"`` (surely beyond) or ``"undetermined"``, with
        ``.bounds``, ``.tau`` and ``.notion``.

    Raises
    ------
    ConfigError
        If there is no such notion, the evidence or the paths are not the notion's (the message says what is
        missing), or the graph or the program is refused.
    DataError
        As for :func:`~fairwitness.causal.bounds.effect_bounds`.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = pd.DataFrame({"sex": [0, 0, 1, 1], "hired": [0, 1, 0, 1], "share": [0.26, 0.24, 0.25, 0.25]})
    >>> verdict = pc_fairness(cells, "sex -> hired", notion="total_effect", treatment="sex", outcome="hired",
    ...                       active=1, reference=0, outcome_value=1, weights="share")
    >>> verdict
    <Verdict fair: total_effect [0.0200, 0.0200], tau = 0.1>
    >>> verdict == "fair"
    True
    """
    from fairwitness.causal.bounds import effect_bounds
    from fairwitness.causal.notion_rules import check_evidence, notion_paths
    from fairwitness.causal.verdict import Verdict

    real_number(tau, "tau", above=0.0, below=1.0, fix="pass for example tau=0.1")
    whole = CausalGraph.from_any(graph)
    found = None if notion is None else find_notion(notion)
    chosen: object = "all" if paths is None else paths
    if found is None and y is not None:
        raise ConfigError(
            "y is the true outcome of a notion that asks for one, and no notion is named",
            got=shown(y),
            fix='pass notion="counterfactual_error_rate", or leave y out',
        )
    if found is not None:
        whole.check(treatment, outcome)
        check_evidence(found, whole, treatment, outcome, dict(given or {}), y)
        chosen = notion_paths(found, whole, treatment, outcome, paths)
    bounds = effect_bounds(
        data,
        whole,
        treatment=treatment,
        outcome=outcome,
        active=active,
        reference=reference,
        outcome_value=outcome_value,
        paths=chosen,
        given=given,
        predictor=predictor,
        weights=weights,
        bins=bins,
        levels=levels,
        missing=missing,
        confidence=confidence,
        sampling=sampling,
        random_state=random_state,
        relaxation=relaxation,
        limits=limits,
    )
    return Verdict(bounds, tau, found)
