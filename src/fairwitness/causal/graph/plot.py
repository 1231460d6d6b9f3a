"""Drawings of causal graphs: asked for, and in a notebook."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fairwitness.arguments import items_of, shown
from fairwitness.causal.graph.order import Edge
from fairwitness.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairwitness.causal.graph.causal_graph import CausalGraph

#: Nodes, and edges with arcs, that are drawn at most: when asked to, and in a notebook without being asked.
_MOST_DRAWN = (150, 1_000)
_MOST_SHOWN = (30, 150)


def plot(graph: CausalGraph, ax: Axes | None, *, paths: Iterable[Sequence[str]], title: str | None) -> Axes:
    """Draw a graph; see :meth:`fairwitness.causal.CausalGraph.plot`."""
    from fairwitness.drawing import graph as draw

    if not _fits(graph, *_MOST_DRAWN):
        raise ConfigError(
            f"the graph is too large to be drawn: {len(graph.nodes):,} nodes, "
            f"{len(graph.directed) + len(graph.bidirected):,} edges and arcs",
            fix="draw a part of it: graph.hiding(...) takes nodes out and keeps what they pass on",
        )
    edges = set(graph.directed)
    thick: set[Edge] = set()
    listed = items_of(paths)
    for path in [paths] if listed is None else listed:
        names = items_of(path)
        if names is None:
            raise ConfigError(
                "a path to draw must be names in a row", got=shown(path), fix='pass paths=[("S", "W", "Y")]'
            )
        graph.check(*names)
        for edge in itertools.pairwise(map(str, names)):
            if edge not in edges:
                raise ConfigError(
                    f"the graph has no edge {shown(edge[0])} -> {shown(edge[1])} for a path to run along",
                    fix="name paths along its edges, as graph.paths(source, target) gives them",
                )
            thick.add(edge)
    return draw(ax, graph.nodes, graph.directed, thick=thick, arcs=graph.bidirected, title=title or "")


def svg(graph: CausalGraph) -> str | None:
    """Draw a graph for a notebook; None, for which it shows the text, if it is large."""
    from fairwitness.drawing import to_svg

    if not _fits(graph, *_MOST_SHOWN):
        return None
    fig: Any = graph.plot().get_figure()
    return to_svg(fig, title="Causal graph", description=graph.to_text())


def _fits(graph: CausalGraph, nodes: int, lines: int) -> bool:
    return len(graph.nodes) <= nodes and len(graph.directed) + len(graph.bidirected) <= lines
