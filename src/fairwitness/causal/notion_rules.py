"""What each notion of fairness asks for: whether the evidence and the paths of a call are the notion's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.graph.paths import PathSet, path_set
from fairwitness.errors import ConfigError
from fairwitness.text import listing, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairwitness.causal.notions import Notion


def check_evidence(
    notion: Notion,
    graph: CausalGraph,
    treatment: str,
    outcome: str,
    given: Mapping[str, object],
    truth: str | None,
) -> None:
    """Refuse evidence that is not the notion's, and say what is missing.

    Raises
    ------
    ConfigError
        If something is missing, or too much is given.
    """
    graph.check(treatment, outcome, *given)
    if notion.evidence == "S and Y":
        _check_truth(notion, graph, treatment, outcome, truth)
    elif truth is not None:
        graph.check(truth)
    needed, allowed = notion.known(graph, treatment, outcome, truth)
    missing = [name for name in needed if name not in given]
    said = listing([plain(name) for name in given]) or "nothing"
    if missing:
        may_be_truth = notion.evidence == "S and X" and any(
            name not in graph.ancestors(outcome) for name in missing
        )
        raise ConfigError(
            f"{notion.name} asks about people of whom {listing([plain(name) for name in needed])} are known; "
            f"missing: {listing([plain(name) for name in missing])}",
            got=f"given {said}",
            fix="add them to given"
            + (", name the true outcome with y" if may_be_truth else "")
            + ", or ask without a notion (notion=None) about all people with the evidence there is",
        )
    extra = [name for name in given if name not in allowed]
    if extra:
        about = listing([plain(name) for name in allowed])
        raise ConfigError(
            f"{notion.name} asks about "
            + (f"people of whom nothing but {about} is known" if allowed else "everyone")
            + f"; too much: {listing([plain(name) for name in extra])}",
            got=f"given {said}",
            fix="leave it out of given, or ask without a notion (notion=None)",
        )


def _check_truth(notion: Notion, graph: CausalGraph, treatment: str, outcome: str, truth: str | None) -> None:
    if truth is None:
        raise ConfigError(
            f"{notion.name} asks about people whose true outcome is known, and none is named",
            fix=f'name its column, which the graph has beside the prediction {plain(outcome)}: y="…"',
        )
    if not graph.has(truth):
        raise ConfigError(
            f"the graph has no node for the true outcome {plain(truth)!r}",
            fix=f"draw it beside the prediction {plain(outcome)}, with an edge from each of its causes",
        )
    if truth in (treatment, outcome):
        raise ConfigError(
            "the true outcome is the prediction or the sensitive feature itself",
            got=plain(truth),
            fix="name three different columns",
        )


def notion_paths(
    notion: Notion, graph: CausalGraph, treatment: str, outcome: str, paths: object = None
) -> PathSet:
    """Give the paths that count for a notion.

    Raises
    ------
    ConfigError
        If ``paths`` are not the notion's, do not exist, or have to be chosen and are not.
    """
    rule = notion.paths
    if paths is None:
        if rule == "direct or indirect":
            raise ConfigError(
                f"{notion.name} is about the direct path or about indirect ones, and does not say which",
                fix='pass paths="direct", paths="indirect" or paths=through("…")',
            )
        chosen = path_set(graph, treatment, outcome, rule)
    else:
        chosen = path_set(graph, treatment, outcome, _redlining(graph, treatment, outcome, paths))
        edge = f"the edge {plain(treatment)} -> {plain(outcome)}"
        direct, others = _parts(chosen)
        fits, want = {
            "all": (chosen.is_total, "all paths"),
            "direct": (direct and not others, f"{edge} alone"),
            "indirect": (not direct, f"indirect paths, and not {edge}"),
            "direct or indirect": (not (direct and others), f"{edge} alone, or indirect paths alone"),
        }[rule]
        if not fits:
            raise ConfigError(
                f"{notion.name} is about {want}",
                got=str(chosen),
                fix="leave the paths out, or ask without a notion (notion=None)",
            )
    # where no path is left the effect is 0, and no path is how to say so in any part of the graph
    return path_set(graph, treatment, outcome, ()) if chosen.is_empty else chosen


def _parts(chosen: PathSet) -> tuple[bool, bool]:
    """Say whether the edge is among the paths, and whether others are."""
    edge = (chosen.treatment, chosen.outcome)
    if chosen.kind == "listed":
        return edge in chosen.listed, any(path != edge for path in chosen.listed)
    has_edge = chosen.treatment in chosen.graph.parents(chosen.outcome)
    if chosen.kind == "all":
        return has_edge, chosen.graph.count_paths(*edge) > has_edge
    return False, not chosen.is_empty


def _redlining(graph: CausalGraph, treatment: str, outcome: str, paths: object) -> object:
    """Read a list of variables as the redlining attributes that paths pass through."""
    if isinstance(paths, str) or not isinstance(paths, list | tuple | set | frozenset) or not paths:
        return paths
    names: Sequence[object] = sorted(paths, key=str) if isinstance(paths, set | frozenset) else list(paths)
    between = all(graph.has(name) and name not in (treatment, outcome) for name in names)
    return {"through": [str(name) for name in names]} if between else paths
