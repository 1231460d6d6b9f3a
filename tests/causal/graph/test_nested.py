from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest
from tests.causal.asking import causal_graph
from tests.oracle import scm
from tests.oracle.pc_program import closure, copies

from fairwitness.causal import CausalGraph, NestedCounterfactual, path_set, through
from fairwitness.causal.graph.nested import Copy, Fixed, Worlds

#: Figure 5 of the paper.
EXAMPLE_3 = CausalGraph.from_any("S -> W -> {A, B} -> Y; S -> Y")
PATHS = ("S -> Y", "S -> W -> A -> Y")
GIVEN = {"S": "s0", "W": "w'", "A": "a'", "B": "b'"}

KITE = CausalGraph.from_any("S -> W -> A -> Y; W -> Y")


def ask(graph, paths="all", given=None, *, value="y", active="s1", reference="s0"):
    return NestedCounterfactual(path_set(graph, "S", "Y", paths), value, active, reference, given or {})


def complete(n):
    names = ["S", *(f"mediator {i}" for i in range(n)), "Y"]
    return CausalGraph(list(itertools.combinations(names, 2)))


def written_out(worlds, source):
    """A copy as the oracle writes it: (variable, its parents written out), or the value it is held at."""
    if isinstance(source, Fixed):
        return source.value
    copy = worlds.copies[source]
    return (copy.variable, tuple(written_out(worlds, parent) for parent in copy.parents))


class TestWorlds:
    def test_equal_copies_are_one(self):
        worlds = Worlds()
        first = worlds.add("W", (Fixed("S", 1),))
        assert worlds.add("W", (Fixed("S", 1),)) == first
        assert worlds.add("W", (Fixed("S", 0),)) != first
        assert worlds.add("A", (first,)) == worlds.add("A", (first,))
        assert worlds.copies == [
            Copy("W", (Fixed("S", 1),)),
            Copy("W", (Fixed("S", 0),)),
            Copy("A", (first,)),
        ]

    def test_an_observed_copy_is_its_value(self):
        worlds = Worlds()
        number = worlds.add("W", ())
        worlds.observed[number] = "w"
        assert worlds.add("W", ()) == Fixed("W", "w")

    def test_a_value_is_not_a_copy_with_its_number(self):
        worlds = Worlds()
        copy = worlds.add("W", ())
        assert worlds.add("A", (copy,)) != worlds.add("A", (Fixed("W", copy),))
        assert worlds.add("A", (Fixed("W", "0"),)) != worlds.add("A", (Fixed("W", 0),))

    def test_are_the_oracles(self):
        """Random graphs, path sets and evidence: copy for copy what plain recursion over paths gives."""
        split = 0
        for seed in range(150):
            model, _, query = scm.random_case(seed)
            graph = causal_graph(model.graph)
            paths = path_set(graph, query.treatment, query.outcome, list(query.paths))
            nested = NestedCounterfactual(paths, query.value, query.active, query.reference, query.given)
            for worlds, along in (
                (nested.active_worlds(), query.paths),
                (nested.reference_worlds(), frozenset()),
            ):
                seen, outcome = copies(model.graph, query, along)
                made = [written_out(worlds, number) for number in range(len(worlds.copies))]
                assert set(made) == set(closure([*seen.values(), outcome])), seed
                assert len(set(made)) == len(made), seed
                seen_so = query.outcome in query.given and outcome == seen[query.outcome]
                expected = query.given[query.outcome] if seen_so else outcome
                assert written_out(worlds, worlds.target) == expected, seed
                assert {made[n]: value for n, value in worlds.observed.items()} == {
                    seen[v]: value for v, value in query.given.items()
                }, seed
                for number, copy in enumerate(worlds.copies):
                    assert all(parent < number for parent in copy.parents if isinstance(parent, int)), seed
                split += len({copy.variable for copy in worlds.copies}) < len(worlds.copies)
        assert split > 50

    def test_factual_is_what_the_evidence_rests_on(self):
        worlds = ask(EXAMPLE_3, given={"A": "a"}).factual()
        assert [copy.variable for copy in worlds.copies] == ["S", "W", "A"]
        assert worlds.observed == {2: "a"}
        assert worlds.target is None
        assert ask(EXAMPLE_3).factual().copies == []

    def test_paths_that_disagree_on_an_edge(self):
        """S → W → A → Y is active and S → W → Y is not: W has to be imagined twice."""
        worlds = ask(KITE, "S -> W -> A -> Y").active_worlds()
        assert sorted(copy.variable for copy in worlds.copies) == ["A", "W", "W", "Y"]
        assert written_out(worlds, worlds.target) == ("Y", (("W", ("s0",)), ("A", (("W", ("s1",)),))))
        both = ask(KITE, ["S -> W -> A -> Y", "S -> W -> Y"]).active_worlds()
        assert sorted(copy.variable for copy in both.copies) == ["A", "W", "Y"]

    def test_complete_graphs_need_two_copies_a_mediator(self, monkeypatch):
        def refuse(*_):
            raise AssertionError("paths were listed")

        monkeypatch.setattr(CausalGraph, "paths", refuse)
        monkeypatch.setattr(CausalGraph, "_paths", refuse)
        graph = complete(20)
        for paths, most in (("all", 21), ("direct", 21), ("indirect", 21), (through("mediator 7"), 41)):
            nested = ask(graph, paths)
            assert len(nested.active_worlds().copies) <= most
            assert len(str(nested)) < 20_000
        assert len(ask(graph, through("mediator 7")).active_worlds().copies) == 8 + 20


class TestExample3:
    def test_everyone(self):
        nested = ask(EXAMPLE_3, PATHS)
        assert nested.expanded() == ("Y(S = s1, A(W(S = s1)), B(W(S = s0)))",)
        assert nested.expanded(reference=True) == ("Y(S = s0, A(W(S = s0)), B(W(S = s0)))",)
        assert str(nested) == (
            "P(Y[S ← s1 | π, S ← s0 | π̄] = y) − P(Y[S ← s0] = y)\n"
            "where π = S → W → A → Y; S → Y\n"
            "and Y[…] = Y(S = s1, A(W(S = s1)), B(W(S = s0)))"
        )

    def test_of_people_who_were_seen(self):
        """b is what was seen, since nothing on its way changes; a has to be imagined."""
        nested = ask(EXAMPLE_3, PATHS, GIVEN)
        assert nested.expanded() == ("Y(S = s1, A(W(S = s1)), B = b')",)
        assert nested.expanded(reference=True) == ("Y(S = s0, A = a', B = b')",)
        assert str(nested).splitlines()[0] == (
            "P(Y[S ← s1 | π, S ← s0 | π̄] = y | S = s0, W = w', A = a', B = b') − "
            "P(Y[S ← s0] = y | S = s0, W = w', A = a', B = b')"
        )

    def test_of_people_who_were_seen_otherwise(self):
        """With s₁ seen, it is the reference that contradicts what is known."""
        nested = ask(EXAMPLE_3, PATHS, {**GIVEN, "S": "s1"})
        assert nested.expanded() == ("Y(S = s1, A = a', B(W(S = s0)))",)
        assert nested.expanded(reference=True) == ("Y(S = s0, A(W(S = s0)), B(W(S = s0)))",)

    def test_all_paths(self):
        nested = ask(EXAMPLE_3, "all")
        assert str(nested) == (
            "P(Y[S ← s1] = y) − P(Y[S ← s0] = y)\nand Y[…] = Y(S = s1, A(W(S = s1)), B(W(S = s1)))"
        )
        for same in (list(EXAMPLE_3.paths("S", "Y")), "S -> Y; S -> W -> A -> Y; S -> W -> B -> Y"):
            assert str(ask(EXAMPLE_3, same)) == str(nested)


class TestInWords:
    def test_an_outcome_that_was_seen(self):
        nested = ask(CausalGraph.from_any("S -> Y"), given={"S": "s0", "Y": "y"})
        assert nested.expanded(reference=True) == ("Y = y",)
        assert nested.expanded() == ("Y(S = s1)",)

    def test_a_treatment_on_no_path(self):
        assert ask(CausalGraph.from_any("S -> W; Z -> Y")).expanded() == ("Y(Z)",)

    def test_long_ones_have_one_name_a_copy(self):
        nested = ask(complete(5), through("mediator 2"))
        lines = nested.expanded()
        assert len(lines) == 2 + 3 + 2 + 1
        assert str(nested).splitlines()[2] == "and, with one name a copy,"
        assert lines[0] == "mediator 0′ = mediator 0(S = s0)"
        assert "mediator 0′′ = mediator 0(S = s1)" in lines
        assert lines[-1].startswith("Y′ = Y(S = s0, mediator 0′, mediator 1′, mediator 2′")
        # Put in for one another, they give the whole.
        names = dict(line.split(" = ", 1) for line in lines)
        assert len(names) == len(lines)
        whole = names["Y′"]
        while "′" in whole:
            whole = re.sub(r"mediator \d′+", lambda found: names[found[0]], whole)
        worlds = nested.active_worlds()
        assert whole == _text(written_out(worlds, worlds.target))

    def test_hostile_names_and_values(self):
        graph = CausalGraph([("S", "\x1b[2JY")])
        paths = path_set(graph, "S", "\x1b[2JY", "all")
        nested = NestedCounterfactual(paths, "\x1b[2Jy", "\x07", "\n", {"S": "\u202e"})
        assert not set("\x1b\x07\u202e") & set(str(nested) + "".join(nested.expanded()))
        assert len(str(nested).splitlines()) == 2

    def test_as_plain_values(self):
        nested = ask(
            EXAMPLE_3, "direct", {"A": np.int64(3), "B": 1.5}, value=True, active=np.str_("m"), reference=None
        )
        document = nested.to_dict()
        assert json.loads(json.dumps(document)) == document
        assert document["given"] == {"A": "3", "B": 1.5}
        assert (document["outcome_value"], document["active"], document["reference"]) == (True, "m", None)
        assert (document["treatment"], document["outcome"]) == ("S", "Y")
        assert document["paths_in_words"] == "S → Y"
        assert document["notation"] == str(nested)
        assert document["paths"]["kind"] == "listed"


def _text(copy):
    variable, parents = copy
    parts = [f"S = {p}" if isinstance(p, str) else _text(p) for p in parents]
    return f"{variable}({', '.join(parts)})"


class TestNothingIsCompared:
    @pytest.mark.parametrize(
        ("paths", "active", "expected"),
        [("all", "s1", False), ("all", "s0", True), ([], "s1", True), ("direct", "s1", False)],
    )
    def test_is_null(self, paths, active, expected):
        assert ask(EXAMPLE_3, paths, active=active).is_null is expected

    def test_no_path_to_the_outcome(self):
        graph = CausalGraph.from_any("S -> W; Z -> Y")
        assert ask(graph).is_null
