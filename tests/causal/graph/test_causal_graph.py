from __future__ import annotations

import copy
import enum
import itertools
import json
import pickle
import random

import networkx as nx
import numpy as np
import pytest

from fairwitness.causal import CausalGraph
from fairwitness.errors import ConfigError, FairwitnessError

HOSTILE = ["a\x1b[31mb", "x\ny", "\u202etxt", "<b>", 'q"\\', "\ud800", " ", "$\\frac{", "漢字", "x" * 500]


def complete(n: int) -> CausalGraph:
    names = [f"v{i}" for i in range(n)]
    return CausalGraph(list(itertools.combinations(names, 2)))


def some_graphs(seed: int = 0, n: int = 8, how_many: int = 60) -> list[CausalGraph]:
    rng = random.Random(seed)
    found = []
    for _ in range(how_many):
        names = [f"n{i}" for i in range(n)]
        rng.shuffle(names)
        pairs = list(itertools.combinations(names, 2))
        rng.shuffle(pairs)
        edges = [pair for pair in pairs if rng.random() < 0.3]
        arcs = [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs if rng.random() < 0.2]
        found.append(CausalGraph(edges, arcs, nodes=rng.sample(names, n)))
    return found


# --- what a graph is ---


def test_nodes_are_topological_and_ties_follow_first_mention() -> None:
    graph = CausalGraph([("C", "D"), ("B", "D"), ("D", "A")], [("Z", "B")], nodes=["Q", "B"])
    assert graph.nodes == ("Q", "B", "C", "D", "A", "Z")
    assert CausalGraph([("b", "a")], nodes=["a", "b"]).nodes == ("b", "a")
    assert CausalGraph([("a", "x"), ("b", "y")]).nodes == ("a", "x", "b", "y")


def test_edges_and_arcs_are_merged_and_sorted_by_nodes() -> None:
    graph = CausalGraph(
        [("W", "Y"), ("S", "Y"), ("S", "W"), ("W", "Y")], [("Y", "S"), ("S", "Y"), ("Y", "W")], nodes=["S"]
    )
    assert graph.directed == (("S", "W"), ("S", "Y"), ("W", "Y"))
    assert graph.bidirected == (("S", "Y"), ("W", "Y"))
    assert not graph.is_markovian
    assert graph.markovian().is_markovian


@pytest.mark.parametrize("graph", some_graphs())
def test_everything_is_reported_in_the_order_of_nodes(graph: CausalGraph) -> None:
    rank = {name: at for at, name in enumerate(graph.nodes)}
    assert all(rank[parent] < rank[child] for parent, child in graph.directed)
    for name in graph.nodes:
        for listed in (graph.parents(name), graph.children(name), graph.siblings(name)):
            assert list(listed) == sorted(listed, key=rank.__getitem__)
        assert set(graph.parents(name)) == {p for p, child in graph.directed if child == name}
        assert set(graph.children(name)) == {c for parent, c in graph.directed if parent == name}


def test_a_cycle_is_named() -> None:
    edges = [("X", "A"), ("A", "B"), ("B", "C"), ("C", "A"), ("C", "Y")]
    with pytest.raises(ConfigError, match="cycle: A -> B -> C -> A") as caught:
        CausalGraph(edges)
    assert caught.value.exit_code == 2
    long = [(f"n{i}", f"n{(i + 1) % 5000}") for i in range(5000)]
    with pytest.raises(ConfigError, match=r"cycle: n0 -> n1 -> .*… .*-> n4999 -> n0"):
        CausalGraph(long)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: CausalGraph(), "empty"),
        (lambda: CausalGraph([("A", "A")]), "A -> A"),
        (lambda: CausalGraph([], [("A", "A")]), "A <-> A"),
        (lambda: CausalGraph([(1, 2)]), "no text"),
        (lambda: CausalGraph([("A", " ")]), "no name"),
        (lambda: CausalGraph([("A", None)]), "no text"),
        (lambda: CausalGraph("A -> B"), "from_text"),
        (lambda: CausalGraph(["AB"]), "pairs of names"),
        (lambda: CausalGraph([("A", "B", "C")]), "pairs of names"),
        (lambda: CausalGraph([3]), "pairs of names"),
        (lambda: CausalGraph(3), "pairs of names"),
        (lambda: CausalGraph({"A": "B"}), "pairs of names"),
        (lambda: CausalGraph([("A", "B")], nodes="A"), "names in a list"),
        (lambda: CausalGraph([("A", "B")], nodes=[3]), "no text"),
    ],
)
def test_what_is_no_graph_is_refused(call, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        call()
    assert says in str(caught.value)


def test_an_unknown_node_is_refused_with_the_nearest() -> None:
    graph = CausalGraph([("marital status", "income")])
    for ask in (
        graph.parents,
        graph.children,
        graph.siblings,
        graph.ancestors,
        graph.component_of,
        graph.hiding,
    ):
        with pytest.raises(ConfigError, match="'marital status'"):
            ask("marital-status")
    with pytest.raises(ConfigError, match="no node 3"):
        graph.check(3)
    with pytest.raises(ConfigError):
        graph.paths("income", "nothing")  # at once, not when the first path is asked for
    assert graph.has("income")
    assert not graph.has("Income")
    assert not graph.has(["income"])


@pytest.mark.parametrize("name", HOSTILE[:-1])
def test_messages_show_hostile_names_harmlessly(name: str) -> None:
    for call in (
        lambda: CausalGraph([(name, "B"), ("B", name)]),
        lambda: CausalGraph([(name, name)]),
        lambda: CausalGraph([("A", "B")]).check(name),
        lambda: CausalGraph([(name, "B")]).check("nothing"),
        lambda: CausalGraph.from_text(name + " ->"),
        lambda: CausalGraph.from_dot("digraph { " + name + " -> }"),
        lambda: CausalGraph.from_dict({name: 3}),
    ):
        with pytest.raises(FairwitnessError) as caught:
            call()
        assert not any(bad in str(caught.value) for bad in ("\x1b", "\n", "\u202e", "\ud800"))


def test_names_may_be_anything_that_is_text() -> None:
    class Column(str, enum.Enum):  # noqa: UP042
        SEX = "sex"

    graph = CausalGraph([(Column.SEX, np.str_("income"))])
    assert graph.nodes == ("sex", "income")
    assert all(type(name) is str for name in graph.nodes)
    kept = [name for name in HOSTILE if name.strip()]
    assert CausalGraph(itertools.pairwise(kept)).nodes == tuple(kept)


# --- equality ---


def test_equal_by_content_and_hashable() -> None:
    one = CausalGraph([("A", "C"), ("B", "C")], [("A", "B")])
    other = CausalGraph([("B", "C"), ("A", "C"), ("A", "C")], [("B", "A")])
    assert one == other
    assert hash(one) == hash(other)
    assert one != one.markovian()
    assert one != CausalGraph([("A", "C"), ("B", "C")], [("A", "B")], nodes=["D"])
    assert one != "A -> C"
    assert len({one, other, one.markovian()}) == 2


def test_graphs_copy_pickle_and_stay_as_they_are() -> None:
    graph = CausalGraph([("A", "B")], [("A", "B")])
    assert graph.components == (("A", "B"),)  # computed before it is sent to another process
    for same in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert same == graph
        assert same.nodes == graph.nodes
        assert same.component_of("A") == ("A", "B")
    with pytest.raises(AttributeError):
        graph.nodes = ()  # type: ignore[misc]


# --- asking ---


@pytest.mark.parametrize("graph", some_graphs(1))
def test_reach_paths_and_components_agree_with_networkx(graph: CausalGraph) -> None:
    peer = nx.DiGraph(graph.directed)
    peer.add_nodes_from(graph.nodes)
    for name in graph.nodes:
        assert graph.ancestors(name) == nx.ancestors(peer, name) | {name}
        assert graph.descendants(name) == nx.descendants(peer, name) | {name}
    a, b = graph.nodes[0], graph.nodes[3]
    assert graph.ancestors(a, b) == graph.ancestors(a) | graph.ancestors(b)
    for source, target in itertools.permutations(graph.nodes, 2):
        paths = list(graph.paths(source, target))
        assert {tuple(path) for path in nx.all_simple_paths(peer, source, target)} == set(paths)
        assert len(paths) == len(set(paths)) == graph.count_paths(source, target)
    joined = nx.Graph(graph.bidirected)
    joined.add_nodes_from(graph.nodes)
    assert {frozenset(c) for c in graph.components} == {frozenset(c) for c in nx.connected_components(joined)}
    rank = graph.nodes.index
    assert [rank(c[0]) for c in graph.components] == sorted(rank(c[0]) for c in graph.components)
    for members in graph.components:
        assert list(members) == sorted(members, key=rank)
        assert all(graph.component_of(name) == members for name in members)
        pairs = len(members) * (len(members) - 1) // 2
        arcs = sum(a in members for a, _ in graph.bidirected)
        assert (members in graph.shared_causes_only) == (arcs < pairs)


def test_paths_come_in_the_order_of_nodes() -> None:
    graph = CausalGraph.from_text("S -> {W, A, Y}; W -> {A, Y}; A -> Y")
    assert list(graph.paths("S", "Y")) == [("S", "W", "A", "Y"), ("S", "W", "Y"), ("S", "A", "Y"), ("S", "Y")]
    assert list(graph.paths("Y", "S")) == []
    assert list(graph.paths("S", "S")) == [("S",)]
    assert graph.count_paths("S", "S") == 1
    assert graph.count_paths("Y", "S") == 0


def test_counting_paths_does_not_go_through_them() -> None:
    assert complete(22).count_paths("v0", "v21") == 2**20
    assert complete(300).count_paths("v0", "v299") == 2**298
    first = next(complete(300).paths("v0", "v299"))
    assert len(first) == 300


def test_long_chains_need_no_recursion() -> None:
    chain = CausalGraph(itertools.pairwise(f"n{i}" for i in range(5_000)))
    assert len(next(chain.paths("n0", "n4999"))) == 5_000
    assert len(chain.ancestors("n4999")) == 5_000
    assert CausalGraph.from_text(str(chain)) == chain


# --- other assumptions ---


def test_arcs_are_added_and_removed() -> None:
    graph = CausalGraph.from_text("S -> W -> Y; S <-> W")
    assert graph.confounded("Y", "W").bidirected == (("S", "W"), ("W", "Y"))
    assert graph.confounded().bidirected == (("S", "W"), ("S", "Y"), ("W", "Y"))
    assert graph.confounded("S") == graph
    assert graph.without_confounding("S") == graph.markovian()
    assert graph.without_confounding("Y") == graph
    assert graph.confounded().without_confounding("S", "Y").is_markovian
    assert graph.nodes == graph.confounded().nodes
    assert graph.confounded().shared_causes_only == ()
    assert graph.confounded("W", "Y").shared_causes_only == (("S", "W", "Y"),)


@pytest.mark.parametrize(
    ("text", "hidden", "left"),
    [
        ("U -> {A, B}; A -> B", ["U"], "A -> B; A <-> B"),
        ("A -> U -> B", ["U"], "A -> B"),
        ("A -> U -> {B, C}", ["U"], "A -> {B, C}; B <-> C"),
        ("A -> U <- B", ["U"], "A; B"),
        ("U <-> A; U -> B", ["U"], "A <-> B"),
        ("U <-> A; U -> A", ["U"], "A"),
        ("U -> V -> {A, B}", ["U", "V"], "A <-> B"),
        ("U -> V -> {A, B}", ["V", "U"], "A <-> B"),
    ],
)
def test_hiding_projects(text: str, hidden: list[str], left: str) -> None:
    assert CausalGraph.from_text(text).hiding(*hidden) == CausalGraph.from_text(left)


def separated(graph: CausalGraph, a: str, b: str, given: set[str]) -> bool:
    """d-separation, with a node of its own for every hidden common cause."""
    canonical = nx.DiGraph(graph.directed)
    canonical.add_nodes_from(graph.nodes)
    for at, (one, other) in enumerate(graph.bidirected):
        canonical.add_edges_from([(("hidden", at), one), (("hidden", at), other)])
    return nx.is_d_separator(canonical, {a}, {b}, given)


@pytest.mark.parametrize("seed", range(12))
def test_hiding_keeps_independences_and_reach(seed: int) -> None:
    rng = random.Random(seed)
    graph = some_graphs(seed, n=7, how_many=1)[0]
    hidden = rng.sample(graph.nodes, 2)
    projected = graph.hiding(*hidden)
    left = [name for name in graph.nodes if name not in hidden]
    assert list(projected.nodes) == left
    for a, b in itertools.combinations(left, 2):
        others = [name for name in left if name not in (a, b)]
        for size in range(3):
            for given in itertools.combinations(others, size):
                assert separated(graph, a, b, set(given)) == separated(projected, a, b, set(given))
        assert (b in graph.descendants(a)) == (b in projected.descendants(a))


def test_hiding_all_leaves_no_graph() -> None:
    with pytest.raises(ConfigError, match="empty"):
        CausalGraph([("A", "B")]).hiding("A", "B")


# --- the rest ---


def test_text_and_representation() -> None:
    graph = CausalGraph([("S", "Y")], [("S", "Y")])
    assert str(graph) == "S -> Y; S <-> Y"
    assert eval(repr(graph)) == graph
    assert repr(complete(22)) == "<CausalGraph: 22 nodes, 231 edges, 0 arcs>"


def test_dictionaries_come_back() -> None:
    for graph in some_graphs(2, how_many=10):
        document = json.loads(json.dumps(graph.to_dict()))
        assert CausalGraph.from_dict(document) == graph
        assert CausalGraph.from_any(document).nodes == graph.nodes
    with pytest.raises(ConfigError, match="no entry 'edges'"):
        CausalGraph.from_dict({"edges": []})
    with pytest.raises(ConfigError, match="no mapping"):
        CausalGraph.from_dict([("A", "B")])  # type: ignore[arg-type]


def test_plots_draw_paths_thick_and_refuse_others() -> None:
    graph = CausalGraph.from_text("S -> W -> Y; S -> Y; W <-> Y")
    ax = graph.plot(paths=[("S", "W", "Y")], title="T")
    assert ax.get_title(loc="left") == "T"
    assert {"S", "W", "Y", "on a chosen path"} <= {text.get_text() for text in ax.texts}
    assert graph.plot(ax) is ax
    for paths, says in (
        ([("S", "X")], "no node 'X'"),
        ([("Y", "S")], "no edge 'Y' -> 'S'"),
        ("S -> Y", "names in a row"),
        (["S -> Y"], "names in a row"),
        ([3], "names in a row"),
    ):
        with pytest.raises(ConfigError, match=says):
            graph.plot(paths=paths)  # type: ignore[arg-type]


def test_large_graphs_are_not_drawn() -> None:
    with pytest.raises(ConfigError, match="too large to be drawn: 151 nodes"):
        CausalGraph(itertools.pairwise(f"n{i}" for i in range(151))).plot()
    assert complete(22)._repr_html_() is None
    shown = CausalGraph.from_text("S -> Y; S <-> Y")._repr_html_()
    assert shown is not None
    assert "S -&gt; Y; S &lt;-&gt; Y" in shown
