from __future__ import annotations

import itertools
import random

import networkx as nx
import pytest

from fairwitness.causal import CausalGraph, PathSet, path_set, through
from fairwitness.causal.graph.paths import Through
from fairwitness.errors import ConfigError

DIAMOND = CausalGraph.from_any("S -> W -> A -> Y; S -> A; {S, W} -> Y; Z -> W")
EVERY = tuple(DIAMOND.paths("S", "Y"))


def in_set(paths, path):
    """Walk one path backwards from the outcome, as a nested counterfactual does."""
    state = paths.start()
    for parent in reversed(path[:-1]):
        state = paths.step(state, parent)
    return paths.is_active(state)


def active(paths):
    every = paths.graph.paths(paths.treatment, paths.outcome)
    return {path for path in every if in_set(paths, path)}


def some_graph(rng, n=6):
    names = ["S", *(f"m{i}" for i in range(n - 2)), "Y"]
    edges = [pair for pair in itertools.combinations(names, 2) if rng.random() < 0.6]
    return CausalGraph(edges, nodes=names)


def complete(n):
    return CausalGraph(list(itertools.combinations(["S", *(f"m{i}" for i in range(n)), "Y"], 2)))


@pytest.fixture
def no_listing(monkeypatch):
    """Paths of a complete graph with 20 mediators are a million: nobody may go through them."""

    def refuse(*_):
        raise AssertionError("paths were listed")

    monkeypatch.setattr(CausalGraph, "paths", refuse)
    monkeypatch.setattr(CausalGraph, "_paths", refuse)


class TestWhichPathsAreActive:
    def test_every_subset_of_listed_paths(self):
        for size in range(len(EVERY) + 1):
            for chosen in itertools.combinations(EVERY, size):
                paths = path_set(DIAMOND, "S", "Y", chosen)
                assert active(paths) == set(chosen)
                assert set(paths.paths()) == set(chosen)
                assert paths.is_empty == (not chosen)
                assert paths.is_total == (set(chosen) == set(EVERY))

    def test_random_graphs(self):
        rng = random.Random(0)
        seen = {"several": 0, "part": 0}
        for _ in range(80):
            graph = some_graph(rng)
            drawn = nx.DiGraph(graph.directed)
            drawn.add_nodes_from(graph.nodes)
            every = {tuple(path) for path in nx.all_simple_paths(drawn, "S", "Y")}
            assert active(path_set(graph, "S", "Y", "all")) == every
            chosen = {path for path in every if rng.random() < 0.5}
            assert active(path_set(graph, "S", "Y", sorted(chosen))) == chosen
            mediators = rng.sample(["m0", "m1", "m2", "m3"], 2)
            passing = {path for path in every if set(mediators) & set(path)}
            if passing:
                paths = path_set(graph, "S", "Y", through(*mediators))
                assert active(paths) == passing
                assert paths.is_total == (passing == every)
                assert set(paths.paths()) == passing
                seen["part"] += passing != every
            seen["several"] += len(every) > 3
        assert min(seen.values()) > 10

    def test_through_any_of_several(self):
        assert active(path_set(DIAMOND, "S", "Y", through("W", "A"))) == set(EVERY) - {("S", "Y")}
        assert active(path_set(DIAMOND, "S", "Y", through("A"))) == {
            ("S", "A", "Y"),
            ("S", "W", "A", "Y"),
        }

    def test_no_path_in_words(self):
        with pytest.raises(ConfigError, match="empty text"):
            path_set(DIAMOND, "S", "Y", " ")

    def test_no_path_at_all(self):
        graph = CausalGraph.from_any("S -> W; Z -> Y")
        for paths in ("all", "indirect", []):
            found = path_set(graph, "S", "Y", paths)
            assert found.is_empty
            assert active(found) == set()

    def test_paths_that_are_left_once_no_choice_remains(self):
        """All ways into W are listed, so the walk forgets them there: one copy of what lies behind W."""
        paths = path_set(DIAMOND, "S", "Y", ["S -> W -> Y", "S -> Y"])
        assert paths.step(paths.start(), "W") == "all"
        assert paths.step(paths.start(), "A") == "none"
        partly = path_set(DIAMOND, "S", "Y", "S -> A -> Y")
        at_a = partly.step(partly.start(), "A")
        assert at_a == frozenset({("S",)})
        assert (partly.step(at_a, "S"), partly.step(at_a, "W")) == ("all", "none")


class TestNames:
    @pytest.mark.parametrize(
        "paths",
        [
            "direct",
            " direct ",
            "S -> Y",
            "S->Y",
            "S → Y",
            '"S" -> "Y"',
            "'S' → 'Y'",
            ["S -> Y"],
            ["S → Y", "S->Y"],
            [("S", "Y")],
            [["S", "Y"]],
            (path for path in [("S", "Y")]),
            "S -> Y;",
            "\nS -> Y\n",
        ],
    )
    def test_the_edge(self, paths):
        found = path_set(DIAMOND, "S", "Y", paths)
        assert found == path_set(DIAMOND, "S", "Y", [("S", "Y")])
        assert active(found) == {("S", "Y")}

    @pytest.mark.parametrize(
        "paths",
        [
            "indirect",
            through("W", "A"),
            through("A", "W"),
            "through W, A",
            "through A,W",
            {"through": ["W", "A"]},
            {"through": "A, W"},
            ["S -> W -> Y", "S -> A -> Y", "S -> W -> A -> Y"],
            "S -> W -> Y; S -> A -> Y\nS -> W -> A -> Y",
        ],
    )
    def test_all_but_the_edge(self, paths):
        assert active(path_set(DIAMOND, "S", "Y", paths)) == set(EVERY) - {("S", "Y")}

    def test_order_and_repetition_do_not_matter(self):
        one = path_set(DIAMOND, "S", "Y", ["S -> Y", "S -> W -> Y"])
        assert one == path_set(DIAMOND, "S", "Y", ["S -> W -> Y", "S -> Y", "S -> W -> Y"])
        assert one.listed == (("S", "W", "Y"), ("S", "Y"))
        assert path_set(DIAMOND, "S", "Y", through("A", "W")) == path_set(DIAMOND, "S", "Y", "through W, A")

    def test_a_set_may_be_passed_again(self):
        for paths in ("all", "direct", through("W"), ["S -> W -> Y", "S -> Y"], []):
            made = path_set(DIAMOND, "S", "Y", paths)
            assert path_set(DIAMOND, "S", "Y", made) == made

    def test_text_of_listed_paths_reads_back(self):
        for paths in ("direct", ["S -> W -> Y", "S -> Y"]):
            made = path_set(DIAMOND, "S", "Y", paths)
            assert path_set(DIAMOND, "S", "Y", str(made)) == made

    def test_names_with_spaces(self):
        graph = CausalGraph.from_any(
            'sex -> "marital status" -> income; sex -> income; sex -> "a, b" -> income'
        )
        only = {("sex", "marital status", "income")}
        for text in (
            'sex -> "marital status" -> income',
            "sex → marital status → income",
            "through marital status",
            'through "marital status"',
            "through 'marital status'",
        ):
            assert active(path_set(graph, "sex", "income", text)) == only, text
        assert active(path_set(graph, "sex", "income", through("a, b"))) == {("sex", "a, b", "income")}

    def test_in_words(self):
        def said(paths):
            return str(path_set(DIAMOND, "S", "Y", paths))

        assert said("all") == "all paths from S to Y"
        assert said("direct") == "S → Y"
        assert said("through A") == "the paths from S to Y through A"
        assert said("indirect") == "the paths from S to Y through W, A"
        assert said(["S -> Y", "S -> W -> A -> Y"]) == "S → W → A → Y; S → Y"
        assert said([]) == "no path from S to Y"

    def test_hostile_names_are_shown_as_plain_text(self):
        graph = CausalGraph([("S", "\x1b[31mW"), ("\x1b[31mW", "Y")])
        for paths in (through("\x1b[31mW"), [("S", "\x1b[31mW", "Y")]):
            assert "\x1b" not in str(path_set(graph, "S", "Y", paths))

    def test_as_plain_values(self):
        assert path_set(DIAMOND, "S", "Y", through("A")).to_dict() == {
            "kind": "through",
            "variables": ["A"],
            "listed": [],
        }
        assert path_set(DIAMOND, "S", "Y", "direct").to_dict() == {
            "kind": "listed",
            "variables": [],
            "listed": [["S", "Y"]],
        }

    def test_at_most_so_many_are_listed(self):
        for paths in ("all", "indirect", list(EVERY)):
            made = path_set(DIAMOND, "S", "Y", paths)
            assert len(made.paths(2)) == 2
            assert set(made.paths(2)) <= set(made.paths())


class TestInAnotherGraph:
    def test_variables_that_are_gone(self):
        small = CausalGraph.from_any("S -> W -> Y; S -> Y")
        made = path_set(DIAMOND, "S", "Y", through("W", "A"))
        assert active(path_set(small, "S", "Y", made)) == {("S", "W", "Y")}

    def test_none_is_left(self):
        small = CausalGraph.from_any("S -> W -> Y; S -> Y")
        made = path_set(DIAMOND, "S", "Y", through("A"))
        assert path_set(small, "S", "Y", made).is_empty

    def test_all_stays_all(self):
        small = CausalGraph.from_any("S -> W -> Y; S -> Y")
        assert active(path_set(small, "S", "Y", path_set(DIAMOND, "S", "Y", "all"))) == {
            ("S", "W", "Y"),
            ("S", "Y"),
        }

    def test_no_indirect_path_stays_none(self):
        edge = CausalGraph.from_any("S -> Y")
        made = path_set(edge, "S", "Y", "indirect")
        assert made.is_empty
        assert path_set(DIAMOND, "S", "Y", made).is_empty


class TestMillionsOfPaths:
    def test_nobody_lists_them(self, no_listing):
        graph = complete(20)
        assert path_set(graph, "S", "Y", "all").is_total
        indirect = path_set(graph, "S", "Y", "indirect")
        assert not indirect.is_total
        assert not indirect.is_empty
        assert not path_set(graph, "S", "Y", through("m7")).is_total
        assert path_set(graph, "S", "Y", "direct").start() == frozenset({("S",)})

    def test_through_all_where_there_is_no_edge(self, no_listing):
        graph = CausalGraph([edge for edge in complete(20).directed if edge != ("S", "Y")])
        assert path_set(graph, "S", "Y", "indirect").is_total

    def test_some_of_them(self):
        assert len(path_set(complete(20), "S", "Y", "indirect").paths(5)) == 5


class TestRefusals:
    @pytest.mark.parametrize(
        ("paths", "said"),
        [
            ("S -> Z -> Y", "no edge S -> Z"),
            ("S -> A -> W -> Y", "no edge A -> W"),
            (["S -> Y", "S -> Y -> Y"], "no edge Y -> Y"),
            ("S -> Q -> Y", "the graph has no node 'Q'"),
            ("W -> Y", "does not lead from the treatment to the outcome"),
            ("S -> W", "does not lead from the treatment to the outcome"),
            ("S", "does not lead from the treatment to the outcome"),
            ("directly", "does not lead from the treatment to the outcome"),
            ([3], "does not lead from the treatment to the outcome"),
            (3, "the active paths cannot be read"),
            (None, "the active paths cannot be read"),
            (through("Q"), "the graph has no node 'Q'"),
            ("through Q", "the graph has no node 'Q'"),
            (through("S"), "through one of their own ends"),
            (through("Y", "W"), "through one of their own ends"),
            (through("Z"), "no path from S to Y passes through Z"),
            (through(), "no path from S to Y passes through"),
            ({"through": 3}, "the variables to pass through cannot be read"),
        ],
    )
    def test_what_cannot_be(self, paths, said):
        with pytest.raises(ConfigError, match=said) as caught:
            path_set(DIAMOND, "S", "Y", paths)
        assert "To fix" in str(caught.value)

    def test_an_edge_that_is_not_there(self):
        with pytest.raises(ConfigError, match="the graph has no edge S -> Y"):
            path_set(CausalGraph.from_any("S -> W -> Y"), "S", "Y", "direct")

    def test_ends_that_are_not_there(self):
        with pytest.raises(ConfigError, match="no node 'T'"):
            path_set(DIAMOND, "T", "Y", "all")
        with pytest.raises(ConfigError, match="no node 'U'"):
            path_set(DIAMOND, "S", "U", "all")


def test_through_is_a_value():
    assert through("W") == Through(("W",))
    assert isinstance(path_set(DIAMOND, "S", "Y", through("W")), PathSet)
