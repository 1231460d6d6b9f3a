"""``[graph]`` of an ``audit.toml``: the causal graph that it names, and what is asked of it."""

from __future__ import annotations

from fairwitness.causal.audit.options import read_options
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.config_tables import GraphConfig
from fairwitness.errors import ConfigError, FairwitnessError
from fairwitness.text import plain


def causal_graph(graph: GraphConfig) -> CausalGraph:
    """Read the graph of ``[graph]``, with the hidden common causes that ``confounded`` adds."""
    if graph.file is not None and not graph.file.is_file():
        raise ConfigError(f"there is no file {plain(graph.file)}", fix="name a .txt, .dot or .gv file")
    read = CausalGraph.from_any(graph.text if graph.file is None else graph.file)
    return read.confounded(*graph.confounded) if graph.confounded else read


def graph_settings(graph: GraphConfig) -> dict[str, object]:
    """Give the settings of an audit that ``[graph]`` makes; what is not said is left out."""
    said = {name: getattr(graph, name) for name in ("decision", "bins", "redlining", "paths")}
    return {
        **{name: value for name, value in said.items() if value},
        "tau": graph.tau,
        "sampling_error": graph.sampling_error,
    }


def wrong_graph(graph: GraphConfig) -> tuple[str, FairwitnessError] | None:
    """Find the first key that cannot be read or names what is not in the graph, and what is wrong."""
    key = "text" if graph.file is None else "file"
    try:
        read = causal_graph(GraphConfig(text=graph.text, file=graph.file))
        key = "confounded"
        read.check(*graph.confounded)
        key = "decision"
        if graph.decision is not None:
            read.check(graph.decision)
        for key, value in graph_settings(graph).items():
            read_options({key: value}, read)
    except FairwitnessError as error:
        return key, error
    return None
