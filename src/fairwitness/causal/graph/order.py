"""What makes pairs of names a graph: two ends a pair, an order without cycles, what reaches what."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from fairwitness.arguments import items_of, shown
from fairwitness.errors import ConfigError
from fairwitness.text import plain

#: ``(parent, child)`` of an edge, or the two ends of an arc.
Edge: TypeAlias = tuple[str, str]


def names_of(nodes: object) -> list[str]:
    """Check nodes: names that are text."""
    listed = items_of(nodes)
    if listed is None:
        raise ConfigError(
            "nodes must be names in a list", got=shown(nodes), fix='pass them as in nodes=["S", "Y"]'
        )
    return [_name(node) for node in listed]


def _name(node: object) -> str:
    if not isinstance(node, str):
        raise ConfigError(
            "a node of the graph is no text",
            got=shown(node),
            fix="name nodes by text, as the table's columns",
        )
    if not node.strip():
        raise ConfigError("a node of the graph has no name", got=shown(node), fix="give it one")
    return str.__str__(node)  # a member of an enumeration may write itself otherwise


def pairs_of(pairs: object, role: str, arrow: str) -> list[Edge]:
    """Check edges or arcs: pairs of two different names."""
    example = 'CausalGraph([("S", "W"), ("W", "Y")])'
    if isinstance(pairs, str):
        raise ConfigError(
            f"{role} must be pairs of names", got=shown(pairs), fix="read text by CausalGraph.from_text"
        )
    listed = items_of(pairs)
    if listed is None:
        raise ConfigError(
            f"{role} must be pairs of names", got=shown(pairs), fix=f"pass them as in {example}"
        )
    found = []
    for pair in listed:
        if isinstance(pair, str) or not isinstance(pair, Iterable) or len(ends := tuple(pair)) != 2:
            raise ConfigError(
                f"{role} must be pairs of names", got=shown(pair), fix=f"pass them as in {example}"
            )
        first, second = _name(ends[0]), _name(ends[1])
        if first == second:
            raise ConfigError(
                f"the graph joins a node with itself: {_chain([first, second], arrow)}",
                fix="remove it: an arrow joins two different nodes",
            )
        found.append((first, second))
    return found


def _chain(names: Sequence[str], arrow: str = "->") -> str:
    """Write a chain of names for a message; a very long one without its middle."""
    shown_names = [plain(name, most=40) for name in names]
    if len(shown_names) > 12:
        shown_names[6:-5] = ["…"]
    return f" {arrow} ".join(shown_names)


def neighbours(order: Iterable[str], pairs: Iterable[Edge]) -> dict[str, tuple[str, ...]]:
    """Collect, for every name, the second ends of its pairs."""
    found: dict[str, list[str]] = {name: [] for name in order}
    for first, second in pairs:
        found[first].append(second)
    return {name: tuple(seconds) for name, seconds in found.items()}


def reached(starts: Iterable[str], steps: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """Give ``starts`` and whatever steps lead to from there."""
    seen = set(starts)
    todo = list(seen)
    while todo:
        for name in steps[todo.pop()]:
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return frozenset(seen)


def topological(mentioned: tuple[str, ...], edges: Sequence[Edge]) -> tuple[str, ...]:
    """Order names so that causes come before effects, and otherwise as they were mentioned."""
    place = {name: at for at, name in enumerate(mentioned)}
    children: dict[str, list[str]] = {name: [] for name in mentioned}
    waiting = dict.fromkeys(mentioned, 0)
    for parent, child in set(edges):
        children[parent].append(child)
        waiting[child] += 1
    ready = [place[name] for name in mentioned if not waiting[name]]
    order = []
    while ready:
        name = mentioned[heapq.heappop(ready)]
        order.append(name)
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready, place[child])
    if len(order) < len(mentioned):
        stuck = {name for name in mentioned if waiting[name]}
        cycle = _cycle([name for name in mentioned if name in stuck], edges)
        raise ConfigError(
            f"the graph has a cycle: {_chain(cycle)}",
            fix="remove one of these edges; write a hidden common cause as A <-> B",
        )
    return tuple(order)


def _cycle(stuck: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    """Find a cycle; every one of ``stuck`` has a parent among them, so walking up must come round."""
    inside = set(stuck)
    parent_of: dict[str, str] = {}
    for parent, child in edges:
        if parent in inside and child in inside:
            parent_of.setdefault(child, parent)
    walk = {stuck[0]: 0}
    above = parent_of[stuck[0]]
    while above not in walk:
        walk[above] = len(walk)
        above = parent_of[above]
    ring = list(walk)[walk[above] :][::-1]
    place = {name: at for at, name in enumerate(stuck)}
    first = ring.index(min(ring, key=place.__getitem__))
    ring = ring[first:] + ring[:first]
    return [*ring, ring[0]]


def projected(
    directed: Iterable[Edge], bidirected: Iterable[Edge], hidden: Iterable[str]
) -> tuple[set[Edge], set[Edge]]:
    """Give edges and arcs among the other nodes when ``hidden`` are not measured (latent projection)."""
    edges, arcs = set(directed), set(bidirected)
    for node in dict.fromkeys(hidden):  # one at a time: projections may be chained
        above = [parent for parent, child in edges if child == node]
        below = [child for parent, child in edges if parent == node]
        beside = [b if a == node else a for a, b in arcs if node in (a, b)]
        edges |= set(itertools.product(above, below))
        arcs |= set(itertools.combinations(below, 2)) | set(itertools.product(beside, below))
        edges = {edge for edge in edges if node not in edge}
        # Joined with the hidden node and caused by it: the arc would lead from a node to itself.
        arcs = {arc for arc in arcs if node not in arc and arc[0] != arc[1]}
    return edges, arcs
