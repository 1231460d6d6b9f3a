"""Causal graphs: who causes whom directly, and where a hidden common cause is admitted."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fairwitness.arguments import shown
from fairwitness.causal.graph.dot import read_dot, write_dot
from fairwitness.causal.graph.forms import read_any, read_dict, read_networkx, write_networkx
from fairwitness.causal.graph.order import (
    Edge,
    names_of,
    neighbours,
    pairs_of,
    projected,
    reached,
    topological,
)
from fairwitness.causal.graph.text import Parts, read_text, write_text
from fairwitness.errors import ConfigError
from fairwitness.text import did_you_mean
from fairwitness.typing import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CausalGraph:
    """A directed graph without cycles, with arcs for hidden common causes.

    ``S -> W`` says that S may cause W directly; ``W <-> Y`` that something not measured may cause both.
    What is *not* drawn is the assumption: no edge, no direct effect; no arc, no hidden common cause.

    Two graphs are equal if they have the same nodes, edges and arcs, in whatever order.

    Parameters
    ----------
    directed
        ``(parent, child)`` pairs of names. Duplicates are merged.
    bidirected
        Pairs of names that a hidden common cause may join; their order does not matter.
    nodes
        Names without any edge, or all names in the order in which they should be reported.

    Attributes
    ----------
    directed, bidirected
        The edges and the arcs, each once, sorted in the order of ``nodes``; in an arc the earlier node comes
        first.
    nodes
        All names, causes before effects; where the edges leave a choice, in the order of first mention
        (in ``nodes``, then ``directed``, then ``bidirected``). Everything is reported in this order.

    Raises
    ------
    ConfigError
        If there is no node, a name is no text, a pair is no pair, or the edges close a cycle.

    Examples
    --------
    >>> graph = CausalGraph([("S", "W"), ("W", "Y"), ("S", "Y")], bidirected=[("Y", "W")])
    >>> graph.nodes
    ('S', 'W', 'Y')
    >>> print(graph)
    S -> W; {S, W} -> Y; W <-> Y
    >>> graph.components
    (('S',), ('W', 'Y'))
    >>> list(graph.paths("S", "Y"))
    [('S', 'W', 'Y'), ('S', 'Y')]
    """

    directed: tuple[Edge, ...]
    bidirected: tuple[Edge, ...]
    nodes: tuple[str, ...]

    def __init__(
        self,
        directed: Iterable[tuple[str, str]] = (),
        bidirected: Iterable[tuple[str, str]] = (),
        *,
        nodes: Iterable[str] = (),
    ) -> None:
        edges = pairs_of(directed, "directed", "->")
        arcs = pairs_of(bidirected, "bidirected", "<->")
        given = names_of(nodes)
        mentioned = dict.fromkeys(itertools.chain(given, *edges, *arcs))
        if not mentioned:
            raise ConfigError("the graph is empty", fix='name its edges, as in [("S", "Y")], or its nodes')
        order = topological(tuple(mentioned), edges)
        rank = {name: at for at, name in enumerate(order)}
        edges = sorted(set(edges), key=lambda edge: (rank[edge[0]], rank[edge[1]]))
        arcs = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in arcs]
        arcs = sorted(set(arcs), key=lambda arc: (rank[arc[0]], rank[arc[1]]))
        for name, value in {
            "directed": tuple(edges),
            "bidirected": tuple(arcs),
            "nodes": order,
            "_rank": rank,
            "_parents": neighbours(order, [(child, parent) for parent, child in edges]),
            "_children": neighbours(order, edges),
            # Earlier partners come first in each list, as arcs are sorted by both ends.
            "_siblings": neighbours(order, [pair for a, b in arcs for pair in ((a, b), (b, a))]),
        }.items():
            object.__setattr__(self, name, value)

    # What mypy knows of the parts that are no fields.
    if TYPE_CHECKING:
        _rank: Mapping[str, int]
        _parents: Mapping[str, tuple[str, ...]]
        _children: Mapping[str, tuple[str, ...]]
        _siblings: Mapping[str, tuple[str, ...]]

    # --- asking ---

    def has(self, node: object) -> bool:
        """Say whether ``node`` is a name in the graph."""
        return isinstance(node, str) and node in self._rank

    def check(self, *nodes: object) -> None:
        """Refuse names that are not in the graph, and say which come close.

        Raises
        ------
        ConfigError
            If one of ``nodes`` is no node.
        """
        for node in nodes:
            if not self.has(node):
                raise ConfigError(f"the graph has no node {shown(node)}", fix=did_you_mean(node, self.nodes))

    def parents(self, node: str) -> tuple[str, ...]:
        """Give the direct causes of ``node``, in the order of ``nodes``."""
        self.check(node)
        return self._parents[node]

    def children(self, node: str) -> tuple[str, ...]:
        """Give what ``node`` causes directly, in the order of ``nodes``."""
        self.check(node)
        return self._children[node]

    def siblings(self, node: str) -> tuple[str, ...]:
        """Give the nodes that an arc joins with ``node``, in the order of ``nodes``."""
        self.check(node)
        return self._siblings[node]

    def ancestors(self, *nodes: str) -> frozenset[str]:
        """Give ``nodes`` and everything that causes one of them, directly or not."""
        self.check(*nodes)
        return reached(nodes, self._parents)

    def descendants(self, *nodes: str) -> frozenset[str]:
        """Give ``nodes`` and everything that one of them causes, directly or not."""
        self.check(*nodes)
        return reached(nodes, self._children)

    @cached_property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """Maximal sets of nodes that arcs join (c-components; Tian & Pearl 2002), single nodes included.

        Ordered by their first members; members in the order of ``nodes``.
        """
        found: list[tuple[str, ...]] = []
        seen: set[str] = set()
        for node in self.nodes:
            if node not in seen:
                members = reached([node], self._siblings)
                seen |= members
                found.append(tuple(sorted(members, key=self._rank.__getitem__)))
        return tuple(found)

    @cached_property
    def _component(self) -> Mapping[str, tuple[str, ...]]:
        return {node: members for members in self.components for node in members}

    def component_of(self, node: str) -> tuple[str, ...]:
        """Give the component that ``node`` is in, ``node`` included."""
        self.check(node)
        return self._component[node]

    @cached_property
    def shared_causes_only(self) -> tuple[tuple[str, ...], ...]:
        """Components in which some pairs are joined by no arc of their own.

        Bounds take one hidden cause for the whole component. For these that assumes less than the graph
        says: bounds hold, and need not be the tightest.
        """
        return tuple(
            members
            for members in self.components
            if sum(len(self._siblings[node]) for node in members) < len(members) * (len(members) - 1)
        )

    @property
    def is_markovian(self) -> bool:
        """Whether the graph admits no hidden common cause."""
        return not self.bidirected

    def paths(self, source: str, target: str) -> Iterator[tuple[str, ...]]:
        """Give the directed paths from ``source`` to ``target``, one at a time, in the order of ``nodes``.

        There may be very many: :meth:`count_paths` says how many, without going through them. From a node
        to itself there is one, of that node alone.
        """
        self.check(source, target)
        return self._paths(source, target)

    def _paths(self, source: str, target: str) -> Iterator[tuple[str, ...]]:
        useful = reached([target], self._parents)
        if source not in useful:
            return
        path = [source]
        open_ = [iter(self._children[source])]
        if source == target:
            yield (source,)
            return
        while path:
            for child in open_[-1]:
                if child == target:
                    yield (*path, child)
                elif child in useful:
                    path.append(child)
                    open_.append(iter(self._children[child]))
                    break
            else:
                path.pop()
                open_.pop()

    def count_paths(self, source: str, target: str) -> int:
        """Count the directed paths from ``source`` to ``target`` without listing them."""
        self.check(source, target)
        ways = dict.fromkeys(self.nodes, 0)
        ways[source] = 1
        for node in self.nodes[self._rank[source] : self._rank[target] + 1]:
            if node != source:
                ways[node] = sum(ways[parent] for parent in self._parents[node])
        return ways[target] if self._rank[source] <= self._rank[target] else 0

    # --- the same graph under other assumptions ---

    def markovian(self) -> CausalGraph:
        """Give the graph without any arc: no hidden common cause."""
        return CausalGraph(self.directed, nodes=self.nodes)

    def confounded(self, *nodes: str) -> CausalGraph:
        """Give the graph with an arc between any two of ``nodes`` (default: all) as well."""
        self.check(*nodes)
        more = itertools.combinations(dict.fromkeys(nodes) or self.nodes, 2)
        return CausalGraph(self.directed, (*self.bidirected, *more), nodes=self.nodes)

    def without_confounding(self, *nodes: str) -> CausalGraph:
        """Give the graph without the arcs that touch one of ``nodes``."""
        self.check(*nodes)
        gone = set(nodes)
        kept = [arc for arc in self.bidirected if not gone & set(arc)]
        return CausalGraph(self.directed, kept, nodes=self.nodes)

    def hiding(self, *nodes: str) -> CausalGraph:
        """Give the graph over the other nodes when ``nodes`` are not measured (latent projection).

        What a hidden node passed on becomes an edge; what it caused in common becomes an arc
        (Verma & Pearl 1990).

        Raises
        ------
        ConfigError
            If no node would be left.
        """
        self.check(*nodes)
        edges, arcs = projected(self.directed, self.bidirected, nodes)
        left = [node for node in self.nodes if node not in nodes]
        return CausalGraph(edges, arcs, nodes=left)

    # --- reading and writing ---

    @classmethod
    def from_text(cls, text: str) -> CausalGraph:
        """Read a graph as one would write it down: ``"S -> W; {S, W} -> Y; W <-> Y"``.

        Statements end at a line break, a semicolon or a comma. ``->`` (or ``<-``) is an edge and ``<->`` an
        arc; they may be chained (``S -> W -> Y``), and braces hold several names (``{S, W} -> Y``). A name
        alone is a node without edges. Names that hold more than letters, digits, ``_`` and ``.`` stand in
        quotes; ``#`` starts a comment.

        Raises
        ------
        ConfigError
            If the text cannot be read; the message says where.

        Examples
        --------
        >>> CausalGraph.from_text('sex -> "marital status" -> income  # and nothing else').nodes
        ('sex', 'marital status', 'income')
        """
        return _built(read_text(text))

    @classmethod
    def from_dot(cls, text: str) -> CausalGraph:
        """Read a graph in Graphviz's DOT, or as DAGitty writes it (``dag { ... }``).

        ``A -> B`` is an edge; ``A <-> B``, and an edge with ``dir=both`` or ``style=dashed``, is an arc.
        Nodes marked ``latent`` (or ``observed=no``) are hidden as by :meth:`hiding`.

        Raises
        ------
        ConfigError
            If the text cannot be read; the message says where.
        """
        return _built(read_dot(text))

    @classmethod
    def from_networkx(cls, graph: Any) -> CausalGraph:
        """Take a networkx ``DiGraph`` or ``MultiDiGraph`` whose nodes are names.

        An edge with the attribute ``bidirected=True``, ``dir="both"`` or ``style="dashed"`` is an arc, all
        others are edges. Nodes with ``latent=True`` or ``observed="no"`` are hidden as by :meth:`hiding`.

        Raises
        ------
        ConfigError
            If the graph is undirected, or a node is no text.
        """
        return _built(read_networkx(graph))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> CausalGraph:
        """Take a mapping of the lists ``directed``, ``bidirected`` and ``nodes``, as of :meth:`to_dict`."""
        return _built(read_dict(document))

    @classmethod
    def from_any(cls, value: Any) -> CausalGraph:
        """Take a graph in whatever form it comes.

        Parameters
        ----------
        value
            A :class:`CausalGraph`; text (DOT where it starts as DOT does, else as for :meth:`from_text`);
            the path of a ``.txt``, ``.dot`` or ``.gv`` file; a networkx graph; a mapping as
            :meth:`to_dict` gives.

        Raises
        ------
        ConfigError
            If it is none of these, or cannot be read.
        """
        return value if isinstance(value, cls) else _built(read_any(value))

    def to_text(self) -> str:
        """Write the graph on one line, as :meth:`from_text` reads it."""
        return write_text(self)

    def to_dot(self) -> str:
        """Write the graph in Graphviz's DOT; arcs are dashed, with two heads."""
        return write_dot(self)

    def to_networkx(self) -> Any:
        """Give a networkx ``MultiDiGraph``; an arc is one edge from its earlier node, ``bidirected=True``."""
        return write_networkx(self)

    def to_dict(self) -> Document:
        """Give nodes, edges and arcs as lists that :mod:`json` can write."""
        return {
            "nodes": list(self.nodes),
            "directed": [list(edge) for edge in self.directed],
            "bidirected": [list(arc) for arc in self.bidirected],
        }

    def plot(
        self, ax: Axes | None = None, *, paths: Iterable[Sequence[str]] = (), title: str | None = None
    ) -> Axes:
        """Draw the graph from left to right, causes before effects; arcs are dashed.

        Parameters
        ----------
        ax
            matplotlib Axes to draw on; None for a figure of its own.
        paths
            Paths to draw thick, each a sequence of names along edges.
        title
            Words above the drawing.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ConfigError
            If a path runs along no edge, or the graph is too large to be looked at.
        """
        from fairwitness.causal.graph.plot import plot

        return plot(self, ax, paths=paths, title=title)

    def _repr_html_(self) -> str | None:
        from fairwitness.causal.graph.plot import svg

        return svg(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        text = self.to_text()
        if len(text) <= 200:
            return f"CausalGraph.from_text({text!r})"
        return (
            f"<CausalGraph: {len(self.nodes):,} nodes, {len(self.directed):,} edges, "
            f"{len(self.bidirected):,} arcs>"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CausalGraph):
            return NotImplemented
        return self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @cached_property
    def _content(self) -> tuple[frozenset[str], frozenset[Edge], frozenset[frozenset[str]]]:
        return (
            frozenset(self.nodes),
            frozenset(self.directed),
            frozenset(frozenset(arc) for arc in self.bidirected),
        )


def _built(parts: Parts) -> CausalGraph:
    graph = CausalGraph(parts.directed, parts.bidirected, nodes=parts.nodes)
    return graph.hiding(*parts.hidden) if parts.hidden else graph
