"""m-separation: which variables a graph holds to be independent, given others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from fairwitness.causal.graph.causal_graph import CausalGraph


def separated(
    graph: CausalGraph,
    first: Collection[str],
    second: Collection[str],
    given: Collection[str] = (),
) -> bool:
    """Say whether ``given`` blocks every path between ``first`` and ``second`` (Richardson 2003).

    Then the two are independent given these, in every distribution the graph can give. The three sets must
    not overlap.
    """
    # An undirected graph on the ancestors: two nodes are joined if a path between them has only colliders
    # inside. Separation is then plain: no way around ``given``.
    kept = graph.ancestors(*first, *second, *given)
    joined: dict[str, set[str]] = {node: set() for node in kept}
    seen: set[str] = set()
    for node in kept:
        if node not in seen:
            members = district(graph, node, kept)
            seen |= members
            clique = members.union(*(graph.parents(member) for member in members))
            for member in clique:
                joined[member] |= clique
    return not reached(joined, set(first), barred=set(given)) & set(second)


def district(graph: CausalGraph, node: str, within: Collection[str]) -> set[str]:
    """Give the nodes of ``within`` that a chain of arcs inside ``within`` joins with ``node``."""
    inside = set(within)
    found = {node}
    waiting = [node]
    while waiting:
        more = (set(graph.siblings(waiting.pop())) & inside) - found
        found |= more
        waiting += more
    return found


def reached(
    joined: Mapping[str, Iterable[str]], start: Iterable[str], *, barred: Collection[str]
) -> set[str]:
    """Give all nodes that can be reached without entering ``barred``."""
    found = set(start)
    waiting = list(found)
    while waiting:
        more = set(joined[waiting.pop()]) - found - set(barred)
        found |= more
        waiting += more
    return found
