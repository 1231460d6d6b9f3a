"""What was asked and what was assumed, in words a person reads aloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fairwitness.text import listing, plain

if TYPE_CHECKING:
    from fairwitness.causal.graph.causal_graph import CausalGraph
    from fairwitness.causal.graph.nested import NestedCounterfactual

#: What each verdict says of the effect; ``{tau}`` is the threshold.
VERDICTS = {
    "fair": "the effect is within ±{tau} in every causal model with this graph that gives this table",
    "unfair": "the effect is beyond ±{tau} in every causal model with this graph that gives this table",
    "undetermined": "the effect may be within ±{tau} or beyond; the data and the graph do not decide it",
}


def people(given: Mapping[str, object]) -> str:
    """Say whom a question is about: ``everyone``, or ``people with sex = f and dept = A``."""
    if not given:
        return "everyone"
    return f"people with {evidence(given)}"


def evidence(given: Mapping[str, object]) -> str:
    """Write evidence as ``sex = f and age > 40``; ``nothing`` if there is none."""
    return listing([_one(name, value) for name, value in given.items()]) or "nothing"


def _one(name: str, value: object) -> str:
    if isinstance(value, str) and value.startswith((f"{name} ", "≤ ", "> ")):  # a bin says it all
        return plain(value) if value.startswith(name) else f"{plain(name)} {plain(value)}"
    return f"{plain(name)} = {plain(value)}"


def effect(query: NestedCounterfactual) -> str:
    """Say what is compared: ``the effect of sex = m instead of f on hired = 1``."""
    return (
        f"the effect of {plain(query.treatment)} = {plain(query.active)} instead of {plain(query.reference)} "
        f"on {plain(query.outcome)} = {plain(query.outcome_value)}"
    )


def confounding(graph: CausalGraph) -> str:
    """Say where hidden common causes are admitted."""
    joined = [members for members in graph.components if len(members) > 1]
    if not joined:
        return "no hidden common causes"
    if len(joined) == 1 and len(joined[0]) == len(graph.nodes) and not graph.shared_causes_only:
        return "hidden common causes of all variables are possible"
    each = [listing([plain(name) for name in members]) for members in joined]
    return f"hidden common causes are possible of {'; of '.join(each)}; of no others"
