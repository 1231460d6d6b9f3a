"""Graphs from networkx, from files, and from whatever a caller has."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairwitness.arguments import as_path, shown
from fairwitness.causal.graph.dot import arrow_of, is_latent, read_dot, starts_as_dot
from fairwitness.causal.graph.text import EXAMPLE, Parts, read_text
from fairwitness.errors import ConfigError
from fairwitness.text import listing, plain

if TYPE_CHECKING:
    from fairwitness.causal.graph.causal_graph import CausalGraph


def read_networkx(graph: Any) -> Parts:
    """Read a networkx graph; see :meth:`fairwitness.causal.CausalGraph.from_networkx`."""
    if not all(hasattr(graph, name) for name in ("is_directed", "nodes", "edges")):
        raise ConfigError(
            "this is no networkx graph", got=shown(type(graph).__name__), fix="pass a networkx.DiGraph"
        )
    if not graph.is_directed():
        raise ConfigError(
            "the networkx graph has no directions", got=type(graph).__name__, fix="pass a networkx.DiGraph"
        )
    parts = Parts(nodes=list(graph.nodes))
    parts.hidden = [node for node, attributes in graph.nodes(data=True) if is_latent(attributes)]
    hidden = set(parts.hidden)
    for a, b, attributes in graph.edges(data=True):
        arrow = arrow_of(attributes, hidden=a in hidden or b in hidden)
        if arrow is None:
            raise ConfigError(
                f"an edge of the networkx graph has no direction: {shown(a)} and {shown(b)}",
                fix="remove its attribute dir, or set bidirected=True for a hidden common cause",
            )
        pair = (b, a) if arrow == "<-" else (a, b)
        (parts.bidirected if arrow == "<->" else parts.directed).append(pair)
    return parts


def write_networkx(graph: CausalGraph) -> Any:
    """Write a networkx graph; see :meth:`fairwitness.causal.CausalGraph.to_networkx`."""
    import networkx as nx

    made = nx.MultiDiGraph()
    made.add_nodes_from(graph.nodes)
    made.add_edges_from(graph.directed)
    made.add_edges_from(graph.bidirected, bidirected=True, dir="both", style="dashed")
    return made


def read_dict(document: Mapping[str, Any]) -> Parts:
    """Read a mapping; see :meth:`fairwitness.causal.CausalGraph.from_dict`."""
    known = ("directed", "bidirected", "nodes")
    fix = "use directed (pairs of names), bidirected (pairs of names) and nodes (names)"
    if not isinstance(document, Mapping):
        raise ConfigError("this is no mapping", got=shown(document), fix=fix)
    for key in document:
        if key not in known:
            raise ConfigError(f"a graph as a mapping has no entry {shown(key)}", fix=fix)
    directed, bidirected, nodes = (document.get(key, ()) for key in known)
    return Parts(directed, bidirected, nodes)


_SUFFIXES = (".txt", ".dot", ".gv")
#: Files of graphs that others write, and that networkx reads.
_FOREIGN = (".gml", ".graphml", ".json", ".xml", ".net", ".gexf", ".yaml", ".yml", ".bif")
_LARGEST = 10_000_000


def read_any(value: Any) -> Parts:
    """Read text, DOT, a file, a networkx graph or a mapping."""
    if isinstance(value, os.PathLike) or (isinstance(value, str) and _names_file(value, _SUFFIXES)):
        return _read_file(as_path(value))
    if isinstance(value, str) and _names_file(value, _FOREIGN):
        raise ConfigError(
            "this kind of file is not read as a graph",
            got=shown(value),
            fix=f"write it as {listing(_SUFFIXES)}, or read it with networkx and pass that graph",
        )
    if isinstance(value, str):
        return read_dot(value) if starts_as_dot(value) else read_text(value)
    if isinstance(value, Mapping):
        return read_dict(value)
    if hasattr(value, "is_directed"):
        return read_networkx(value)
    raise ConfigError(
        "this is no causal graph",
        got=shown(value),
        fix=f"{EXAMPLE}, or pass a fairwitness.causal.CausalGraph",
    )


def _names_file(text: str, suffixes: tuple[str, ...]) -> bool:
    # "S -> notes.txt" is a graph whose last node has an odd name.
    return text.strip().lower().endswith(suffixes) and not any(
        part in text for part in ("\n", "->", "<-", ";")
    )


def _read_file(path: Path) -> Parts:
    shown_path = plain(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise ConfigError(
                f"the graph's file is larger than {_LARGEST:,} bytes",
                got=shown_path,
                fix="pass the file that holds the graph, not the data",
            )
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(
            "the graph's file is no UTF-8 text", got=shown_path, fix="save it as UTF-8"
        ) from None
    except (OSError, ValueError) as error:
        reason = plain(getattr(error, "strerror", None) or error)
        raise ConfigError(
            f"the graph's file cannot be read: {reason}",
            got=shown_path,
            fix="check the path, or write the graph as text",
        ) from None
    read = read_dot if starts_as_dot(text) else read_text
    return read(text, plain(path.name))
