from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from fairwitness.causal import CausalGraph
from fairwitness.errors import ConfigError


def same(text: str, directed: list[tuple[str, str]], bidirected: list[tuple[str, str]] | None = None) -> bool:
    return CausalGraph.from_any(text) == CausalGraph(directed, bidirected or [])


# --- text ---


@pytest.mark.parametrize(
    ("text", "directed", "bidirected"),
    [
        ("S -> W; W <-> Y", [("S", "W")], [("W", "Y")]),
        ("S->W\nW->Y", [("S", "W"), ("W", "Y")], []),
        ("S -> W, W -> Y", [("S", "W"), ("W", "Y")], []),
        ("S -> W -> Y", [("S", "W"), ("W", "Y")], []),
        ("Y <- W <- S", [("S", "W"), ("W", "Y")], []),
        ("A <-> B <-> C", [], [("A", "B"), ("B", "C")]),
        ("{S, W} -> Y", [("S", "Y"), ("W", "Y")], []),
        ("{S W} -> {A; B}", [("S", "A"), ("S", "B"), ("W", "A"), ("W", "B")], []),
        ("{S,\n W} ->\n Y", [("S", "Y"), ("W", "Y")], []),
        ("S → W ← X ↔ W", [("S", "W"), ("X", "W")], [("X", "W")]),
        ("# all of it\nS -> Y # direct\n\n;;", [("S", "Y")], []),
        ("'marital status' -> \"education-num\"", [("marital status", "education-num")], []),
        (r'"a \"b\" \\" -> "\u0041"', [('a "b" \\', "A")], []),
        ('"a#b;c,d->e" -> Y', [("a#b;c,d->e", "Y")], []),
        ("3rd -> Ŷ_1.5", [("3rd", "Ŷ_1.5")], []),
        ("\ufeffS -> Y\r\nW -> Y\r\n", [("S", "Y"), ("W", "Y")], []),
        ("हिन्दी -> 漢字", [("हिन्दी", "漢字")], []),
        ("graph -> {node, edge}", [("graph", "node"), ("graph", "edge")], []),
    ],
)
def test_text_is_read(text: str, directed: list[tuple[str, str]], bidirected: list[tuple[str, str]]) -> None:
    assert same(text, directed, bidirected)


def test_names_alone_are_nodes_and_set_the_order() -> None:
    graph = CausalGraph.from_text("Q; Y; A, B\nB -> Y")
    assert graph.nodes == ("Q", "A", "B", "Y")
    assert graph.directed == (("B", "Y"),)
    assert str(CausalGraph.from_text("A; B; A -> C; B -> D")) == "A; B; C; D; A -> C; B -> D"


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("S -> W;\nW ->", "line 2, column 3", "nothing stands at the end"),
        ("-> W", "line 1, column 1", "nothing stands before"),
        ("S -> -> W", "line 1, column 3", "nothing stands at the end"),
        ("S -> W\n  marital status -> Y", "line 2, column 11", "two names without an arrow"),
        ("education-num -> Y", "line 1, column 10", "in quotes"),
        ("S --> Y", "line 1, column 3", "no arrow"),
        ("S => Y", "line 1, column 3", "no arrow"),
        ("S -- Y", "line 1, column 3", "no arrow"),
        ("S <--> Y", "line 1, column 3", "no arrow"),
        ('S -> "Y', "line 1, column 6", "not closed"),
        ("S -> {Y", "line 1, column 6", "closed"),
        ("S -> {A -> B}", "line 1, column 9", "names only"),
        ("S -> {}", "line 1, column 6", "nothing stands between"),
        ("S -> Y}", "line 1, column 7", "not expected"),
        ("} -> Y", "line 1, column 1", "not expected"),
        ("S -> S", "line 1, column 3", "with itself"),
        ("S -> {W, S}", "line 1, column 3", "with itself"),
        ('S -> ""', "line 1, column 6", "empty"),
        ("S -> A, B", "line 1, column 9", "not clear"),
        ("A, B -> C; D", "line 1, column 1", "not clear"),
        ("S = Y", "line 1, column 3", "in quotes"),
        ("S\u200b -> Y", "line 1, column 2", r"\u200b"),
    ],
)
def test_errors_say_where_and_what(text: str, where: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CausalGraph.from_text(text)
    assert where in str(caught.value)
    assert says in str(caught.value)


def test_a_long_line_is_shown_where_it_is_wrong() -> None:
    text = "; ".join(f"a{i} -> b{i}" for i in range(300)) + "; wrong here"
    with pytest.raises(ConfigError, match=r"got ….*wrong here\."):
        CausalGraph.from_text(text)


@pytest.mark.parametrize("text", ["", "  \n ", "# nothing", ";;,"])
def test_empty_text_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="empty"):
        CausalGraph.from_text(text)


def test_only_text_is_text() -> None:
    for read in (CausalGraph.from_text, CausalGraph.from_dot):
        with pytest.raises(ConfigError, match="no text"):
            read(3)  # type: ignore[arg-type]


# --- DOT ---


@pytest.mark.parametrize(
    ("text", "directed", "bidirected"),
    [
        ("digraph { S -> W -> Y }", [("S", "W"), ("W", "Y")], []),
        ('strict DIGRAPH "G 1" { S -> Y; S -> Y }', [("S", "Y")], []),
        ("digraph G { {A B} -> C; A -> {D; E} }", [("A", "C"), ("B", "C"), ("A", "D"), ("A", "E")], []),
        ("digraph { subgraph s { A -> B } -> C }", [("A", "B"), ("A", "C"), ("B", "C")], []),
        ("digraph { A -> B [dir=both] }", [], [("A", "B")]),
        ("digraph { A -> B [style=dashed, arrowhead=none] }", [], [("A", "B")]),
        ('digraph { A -> B [style="bold,dashed"] }', [], [("A", "B")]),
        ("digraph { A -> B -> C [dir=both] }", [], [("A", "B"), ("B", "C")]),
        ("digraph { A <-> B; B <- C }", [("C", "B")], [("A", "B")]),
        ("digraph { A -> B [dir=back] }", [("B", "A")], []),
        ("digraph { A -> B [dir=forward, style=dashed] }", [("A", "B")], []),
        ("digraph { A -> B [dir=none, style=dashed] }", [], [("A", "B")]),
        ("graph { A -- B [style=dashed] }", [], [("A", "B")]),
        ("digraph { A -> B; edge [dir=both]; B -> C }", [("A", "B")], [("B", "C")]),
        ("digraph { { edge [dir=both]; A -> B } B -> C }", [("B", "C")], [("A", "B")]),
        ("digraph { edge [style=dashed]; A -> B [style=solid] }", [("A", "B")], []),
        ('digraph { rankdir=LR; graph [label="a -> b"]; node [shape=box]; S:e -> Y:n:w }', [("S", "Y")], []),
        ("digraph { S -> Y // -> Z\n# -> Q\n/* -> R\n */ }", [("S", "Y")], []),
        ('digraph { "marital " + "status" -> "a\\"b" }', [("marital status", 'a"b')], []),
        ("digraph { S [label=<<b>sex</b> -&gt; x>]; S -> -1.5 }", [("S", "-1.5")], []),
        ("dag { S -> W W -> Y\nS <-> Y }", [("S", "W"), ("W", "Y")], [("S", "Y")]),
        ("// made by hand\n /* twice */ digraph { S -> Y }", [("S", "Y")], []),
        ("digraph { node -> edge }", [("node", "edge")], []),
    ],
)
def test_dot_is_read(text: str, directed: list[tuple[str, str]], bidirected: list[tuple[str, str]]) -> None:
    assert same(text, directed, bidirected)
    assert CausalGraph.from_dot(text) == CausalGraph(directed, bidirected)


def test_what_dagitty_writes_is_read() -> None:
    text = """dag {
bb="-2.5,-1.9,2.6,1.8"
"years of schooling" [pos="-0.5,0.3"]
Sex [exposure,pos="-1.9,0.2"]
U [latent,pos="0.4,-1.1"]
Y [outcome,pos="1.6,0.3"]
"years of schooling" -> Y [beta="0.3"]
Sex -> "years of schooling"
Sex <-> Y [pos="0.2,1.1"]
U -> "years of schooling"
U -> Y
}
"""
    graph = CausalGraph.from_any(text)
    assert graph.nodes == ("Sex", "years of schooling", "Y")
    assert graph.directed == (("Sex", "years of schooling"), ("years of schooling", "Y"))
    assert graph.bidirected == (("Sex", "Y"), ("years of schooling", "Y"))


@pytest.mark.parametrize("mark", ["latent", "unobserved", 'observed="no"', "latent=true"])
def test_nodes_that_are_not_measured_become_arcs(mark: str) -> None:
    text = f"digraph {{ U [{mark}]; U -> {{A B}} [style=dashed]; A -> B }}"
    assert same(text, [("A", "B")], [("A", "B")])
    assert CausalGraph.from_dot(
        f"digraph {{ U -> A; A [{mark.replace('no', 'yes').replace('true', 'false')}] }}"
    )


def test_measured_nodes_stay() -> None:
    assert same("digraph { U [observed=yes, latent=false]; U -> A }", [("U", "A")])


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("digraph { A -- B }", "line 1, column 13", "no direction"),
        ("graph { A -> B }", "line 1, column 11", "no direction"),
        ("digraph { A -> B [dir=none] }", "line 1, column 13", "no direction"),
        ("digraph { A -> B", "line 1, column 9", "not closed"),
        ("digraph { A ->\n }", "line 2, column 2", "a name should stand here, not '}'"),
        ("digraph { A -> B [dir= }", "line 1, column 24", "a value should stand here"),
        ("digraph { A -> B [dir", "line 1, column 22", "the text ends"),
        ("digraph { A -> A }", "line 1, column 13", "with itself"),
        ("digraph { A } digraph { B }", "line 1, column 15", "ends before"),
        ("digraph { A -> B } }", "line 1, column 20", "ends before"),
        ("mag { A -> B }", "line 1, column 1", "many graphs"),
        ("digraph A", "line 1, column 10", "{ should stand here"),
        ("net { A }", "line 1, column 1", "digraph should stand here"),
        ('digraph { "A -> B }', "line 1, column 11", "quote is not closed"),
        ("digraph { /* A -> B }", "line 1, column 11", "comment is not closed"),
        ("digraph { A [label=<b] }", "line 1, column 20", "bracket is not closed"),
        ("digraph { education-num -> B }", "line 1, column 20", "without quotes"),
        ('digraph { "" -> B }', "line 1, column 11", "empty"),
        ("digraph { {A B} [latent] }", "line 1, column 11", "no attributes"),
        ("digraph { A: -> B }", "line 1, column 14", "a port"),
        ("digraph " + "{" * 99, "line 1, column 60", "nested"),
    ],
)
def test_dot_errors_say_where_and_what(text: str, where: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CausalGraph.from_dot(text)
    assert where in str(caught.value)
    assert says in str(caught.value)


def test_an_empty_digraph_is_refused() -> None:
    with pytest.raises(ConfigError, match="empty"):
        CausalGraph.from_any("digraph {}")


def test_many_comments_before_dot_take_no_time_to_refuse() -> None:
    with pytest.raises(ConfigError):
        CausalGraph.from_any("/* a */ " * 5000 + "no -> graph")


def test_dot_is_written_so_that_others_read_it() -> None:
    graph = CausalGraph.from_text('"a-b" -> digraph; "a-b" <-> Y; "\\u001b[31m"')
    text = graph.to_dot()
    assert text.splitlines() == [
        "digraph {",
        "  rankdir=LR;",
        '  "a-b";',
        '  "digraph";',
        "  Y;",
        '  "\\u001b[31m";',
        '  "a-b" -> "digraph";',
        '  "a-b" -> Y [dir=both, style=dashed];',
        "}",
    ]
    assert CausalGraph.from_dot(text) == graph


# --- networkx ---


def test_networkx_comes_and_goes() -> None:
    graph = CausalGraph.from_text("S -> W -> Y; S -> Y; W <-> Y; Q")
    made = graph.to_networkx()
    assert isinstance(made, nx.MultiDiGraph)
    assert CausalGraph.from_networkx(made) == graph
    assert CausalGraph.from_any(made).nodes == graph.nodes
    assert CausalGraph.from_any(nx.DiGraph([("S", "Y")])) == CausalGraph([("S", "Y")])


def test_networkx_attributes_say_what_edges_are() -> None:
    made = nx.MultiDiGraph()
    made.add_edge("A", "B")
    made.add_edge("A", "B", bidirected=True)
    made.add_edge("B", "C", style="dashed")
    made.add_edge("D", "C", dir="both")
    made.add_edge("E", "D", dir="back")
    made.add_edge("A", "E", bidirected=False)
    made.add_node("U", latent=True)
    made.add_edges_from([("U", "A"), ("U", "E")], style="dashed")
    assert CausalGraph.from_networkx(made) == CausalGraph(
        [("A", "B"), ("D", "E"), ("A", "E")], [("A", "B"), ("B", "C"), ("C", "D"), ("A", "E")]
    )


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (nx.Graph([("A", "B")]), "no directions"),
        (nx.DiGraph([(1, 2)]), "no text"),
        (nx.DiGraph([("A", "B"), ("B", "A")]), "cycle"),
        (nx.DiGraph(), "empty"),
        ("A -> B", "no networkx graph"),
    ],
)
def test_other_networkx_graphs_are_refused(made: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        CausalGraph.from_networkx(made)


def test_an_edge_of_networkx_without_direction_is_refused() -> None:
    made = nx.DiGraph()
    made.add_edge("A", "B", dir="none")
    with pytest.raises(ConfigError, match="no direction: 'A' and 'B'"):
        CausalGraph.from_networkx(made)


# --- whatever it is ---


def test_a_graph_is_given_back() -> None:
    graph = CausalGraph([("A", "B")])
    assert CausalGraph.from_any(graph) is graph


@pytest.mark.parametrize("name", ["g.txt", "g.dot", "g.gv", "g.DOT"])
def test_files_are_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for text in ("S -> Y\n# über", "digraph { S -> Y }"):
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
        for given in (path, str(path)):
            assert CausalGraph.from_any(given) == CausalGraph([("S", "Y")])


def test_messages_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("S -> Y\nS -> ")
    with pytest.raises(ConfigError, match=r"mine\.txt, line 2, column 3"):
        CausalGraph.from_any(path)
    path.write_text("digraph { S -> }")
    with pytest.raises(ConfigError, match=r"mine\.txt, line 1, column 16"):
        CausalGraph.from_any(path)
    path.write_bytes(b"\xff\xfe\x00S")
    with pytest.raises(ConfigError, match="UTF-8"):
        CausalGraph.from_any(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        CausalGraph.from_any(tmp_path / "absent.txt")
    with pytest.raises(ConfigError, match="cannot be read"):
        CausalGraph.from_any("nul\x00.txt")
    with pytest.raises(ConfigError, match="cannot be read"):
        CausalGraph.from_any(tmp_path)


def test_a_file_of_data_is_not_read_as_a_graph(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    with path.open("wb") as file:
        file.truncate(10_000_001)
    with pytest.raises(ConfigError, match="larger than"):
        CausalGraph.from_any(path)


def test_a_node_may_be_named_like_a_file() -> None:
    assert same("S -> notes.txt", [("S", "notes.txt")])


@pytest.mark.parametrize("value", [3, None, [("A", "B")], b"A -> B"])
def test_other_things_are_no_graphs(value: object) -> None:
    with pytest.raises(ConfigError, match="no causal graph"):
        CausalGraph.from_any(value)
