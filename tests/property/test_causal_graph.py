"""A graph that is written comes back, whatever its names; any text is read or refused by an error of ours."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from fairwitness.causal import CausalGraph
from fairwitness.errors import ConfigError
from fairwitness.text import plain

names = st.text(st.characters(), min_size=1, max_size=6).filter(str.strip)


@st.composite
def graphs(draw: st.DrawFn) -> CausalGraph:
    nodes = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    pairs = list(itertools.combinations(nodes, 2))
    some = st.lists(st.sampled_from(pairs), max_size=8) if pairs else st.just([])
    order = draw(st.permutations(nodes))
    return CausalGraph(draw(some), draw(some), nodes=order)


@given(graphs())
def test_every_form_comes_back(graph: CausalGraph) -> None:
    for back in (
        CausalGraph.from_text(graph.to_text()),
        CausalGraph.from_dot(graph.to_dot()),
        CausalGraph.from_networkx(graph.to_networkx()),
        CausalGraph.from_dict(graph.to_dict()),
    ):
        assert back == graph
        assert back.nodes == graph.nodes
        assert back.directed == graph.directed
        assert back.bidirected == graph.bidirected


@given(graphs())
def test_written_graphs_are_safe_to_print(graph: CausalGraph) -> None:
    for text in (graph.to_text(), *graph.to_dot().splitlines()):
        assert plain(text, most=10_000) == text


ALPHABET = st.sampled_from([*'AB{}[]"\\;,=->< \n#:+/*', "->", "<->", "digraph {", "dir=both", "style", "é"])


@given(st.lists(ALPHABET, max_size=25).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (CausalGraph.from_text, CausalGraph.from_dot, CausalGraph.from_any):
        try:
            graph = read(text)
        except ConfigError:  # any other error fails the test
            continue
        assert CausalGraph.from_text(str(graph)) == graph
