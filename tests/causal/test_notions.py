from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from tests.causal import cases
from tests.oracle import scm

from fairwitness.causal import (
    NOTIONS,
    CausalGraph,
    Distribution,
    notion_table,
    path_set,
    pc_fairness,
    through,
)
from fairwitness.causal.notion_rules import notion_paths
from fairwitness.causal.verdict import Verdict
from fairwitness.errors import ConfigError, DataError

#: Sensitive S, mediators W and A, a cause Q of the outcome alone, prediction P, true outcome Y.
GRAPH = "S -> W -> A -> P; {S, W, Q} -> P; {S, A, Q} -> Y"
SHAPE = CausalGraph.from_any(GRAPH)
#: Every notion with evidence that is its own.
GIVEN = {
    "total_effect": {},
    "direct_discrimination": {"S": 1},
    "indirect_discrimination": {},
    "individual_direct_discrimination": {"S": 1, "W": 0, "A": 0, "Q": 1},
    "group_direct_discrimination": {"W": 0, "A": 0, "Q": 1},
    "counterfactual_fairness": {"S": 1, "W": 0, "A": 0, "Q": 1},
    "counterfactual_error_rate": {"S": 1, "Y": 1},
}
EXTRA = {"counterfactual_error_rate": {"y": "Y", "paths": "direct"}}
WITH_TRUTH = {
    "individual_direct_discrimination": {"y": "Y"},
    "counterfactual_fairness": {"y": "Y"},
    **EXTRA,
}


@pytest.fixture(scope="module")
def model():
    """A structural model with the graph above: what is true of it can be enumerated."""
    graph = scm.Graph.of(dict.fromkeys(SHAPE.nodes, 2), SHAPE.directed)
    return scm.random_model(np.random.default_rng(5), graph, dense=True)


@pytest.fixture(scope="module")
def table(model):
    return Distribution.from_table(
        model.graph.variables, [(0, 1)] * len(model.graph.cards), model.distribution()
    )


def ask(table, notion, *, given=None, graph=GRAPH, **settings):
    question = {"treatment": "S", "outcome": "P", "active": 0, "reference": 1, "outcome_value": 1}
    return pc_fairness(table, graph, notion=notion, given=given, **{**question, **settings})


class TestTable1:
    def test_is_the_papers(self):
        assert [notion.title for notion in NOTIONS.values()] == [
            "Total effect",
            "(System) direct discrimination",
            "(System) indirect discrimination",
            "Individual direct discrimination",
            "Group direct discrimination",
            "Counterfactual fairness",
            "Counterfactual error rate",
        ]
        assert [[cited.number for cited in notion.citations] for notion in NOTIONS.values()] == [
            [19, 16],
            [19, 7, 16],
            [19, 7, 16],
            [17],
            [18],
            [5, 9, 14],
            [15],
        ]
        assert [(notion.evidence, notion.paths) for notion in NOTIONS.values()] == [
            ("none", "all"),
            ("none or S", "direct"),
            ("none or S", "indirect"),
            ("S and X", "direct"),
            ("parents", "direct"),
            ("S and X", "all"),
            ("S and Y", "direct or indirect"),
        ]

    def test_citations_stand_in_the_papers_reference_list(self, shared_path):
        paper = (shared_path / "papers" / "002_893de43935773e2f.txt").read_text(encoding="utf-8")
        listed = paper.partition("\nReferences\n")[2]
        for notion in NOTIONS.values():
            for cited in notion.citations:
                line = next(line for line in listed.splitlines() if line.startswith(f"[{cited.number}] "))
                assert cited.title in line
                assert str(cited.year) in line
                surnames = [who.split()[-1] for who in cited.authors.replace(" and ", ", ").split(", ")]
                assert all(surname in line for surname in surnames), line

    def test_as_a_table(self):
        found = notion_table()
        assert list(found.index) == list(NOTIONS)
        assert "Kusner" in found.loc["counterfactual_fairness", "citations"]

    def test_says_what_was_measured_and_no_more(self):
        for notion in NOTIONS.values():
            words = notion.description.lower()
            assert not any(bad in words for bad in ("bias", "compliant", "discriminates", "unfair"))


class TestVerdict:
    @pytest.mark.parametrize("name", NOTIONS)
    def test_every_notion_has_the_truth_in_its_bounds(self, model, table, name):
        verdict = ask(table, name, given=GIVEN[name], **WITH_TRUTH.get(name, {}))
        assert verdict in {"fair", "unfair", "undetermined"}
        assert verdict.notion is NOTIONS[name]
        graph = path_set(SHAPE, "S", "P", "all").graph
        chosen = notion_paths(NOTIONS[name], graph, "S", "P", EXTRA.get(name, {}).get("paths"))
        query = scm.Query("S", "P", 1, 0, 1, frozenset(chosen.paths()), GIVEN[name])
        truth = model.effect(query)
        assert verdict.bounds.lower - 1e-9 <= truth <= verdict.bounds.upper + 1e-9

    def test_paths_are_the_notions(self):
        def paths(name, given=None):
            return set(notion_paths(NOTIONS[name], SHAPE, "S", "P", given).paths())

        every = set(SHAPE.paths("S", "P"))
        edge = {("S", "P")}
        assert paths("total_effect") == paths("counterfactual_fairness") == every
        assert paths("direct_discrimination") == paths("group_direct_discrimination") == edge
        assert paths("indirect_discrimination") == every - edge
        assert paths("indirect_discrimination", through("A")) == {("S", "W", "A", "P")}
        assert paths("indirect_discrimination", ["A"]) == {("S", "W", "A", "P")}  # a redlining attribute
        assert paths("indirect_discrimination", ["S -> W -> P"]) == {("S", "W", "P")}
        assert paths("counterfactual_error_rate", "indirect") == every - edge

    def test_counterfactual_fairness_of_the_paper(self, shared_path):
        for case in cases.table3_cases(shared_path)[1:]:
            data = Distribution.from_table(case.graph.variables, [(0, 1)] * 4, case.P)
            verdict = pc_fairness(
                data,
                CausalGraph(case.graph.edges),
                treatment="S",
                outcome="Y",
                active=0,
                reference=1,
                outcome_value=1,
                given=case.query.given,
            )
            assert (verdict.bounds.lower, verdict.bounds.upper) == pytest.approx(
                (case.lower, case.upper), abs=1e-6
            )
            # τ = 0.1, by hand from the corrected Table 3
            expected = {(0, 1): "fair", (1, 0): "unfair"}.get(
                (case.query.given["W"], case.query.given["A"]), "undetermined"
            )
            assert verdict == expected

    def test_group_direct_discrimination_by_hand(self):
        rng = np.random.default_rng(2)
        joint = rng.dirichlet(np.ones(8)).reshape(2, 2, 2)
        data = Distribution.from_table(["S", "Q", "P"], [(0, 1)] * 3, joint)
        rate = joint[..., 1] / joint.sum(axis=-1)
        for q in (0, 1):
            verdict = ask(data, "group_direct_discrimination", graph="{S, Q} -> P", given={"Q": q})
            assert verdict.bounds.identified
            assert verdict.bounds.lower == pytest.approx(rate[0, q] - rate[1, q])

    def test_is_a_word_that_knows_where_it_comes_from(self, table):
        verdict = ask(table, "total_effect", tau=0.999)
        assert verdict == "fair"
        assert isinstance(verdict, str)
        assert verdict.tau == 0.999
        assert f"{verdict}" == str(verdict) == "fair"
        assert type(str(verdict)) is str
        assert {verdict: 1}["fair"] == 1
        assert json.dumps([verdict]) == '["fair"]'
        assert repr(verdict).startswith("<Verdict fair: total_effect [")
        for other in (pickle.loads(pickle.dumps(verdict)), copy.deepcopy(verdict), copy.copy(verdict)):
            assert other == verdict
            assert other.bounds.lower == verdict.bounds.lower
            assert (other.tau, other.notion.name) == (0.999, "total_effect")
        document = json.loads(json.dumps(verdict.to_dict()))
        assert document["verdict"] == "fair"
        assert document["sentence"] == verdict.sentence
        assert document["notion"]["name"] == "total_effect"

    def test_rests_on_tau(self, table):
        bounds = ask(table, "total_effect").bounds
        size = abs(bounds.lower)
        assert 0.01 < size < 0.9
        assert bounds.identified
        assert Verdict(bounds, size + 0.005) == "fair"
        assert Verdict(bounds, size - 0.005) == "unfair"

    def test_sentence_is_about_an_effect_and_not_about_a_model(self, table):
        for name, given in GIVEN.items():
            said = ask(table, name, given=given, **WITH_TRUTH.get(name, {})).sentence
            assert not any(bad in said.lower() for bad in ("bias", "fair", "discriminat", "compliant"))
            assert "effect of S = 0 instead of 1 on P = 1" in said

    def test_confidence_decides_where_it_is_asked_for(self):
        rows = pd.DataFrame({"S": [0] * 20 + [1] * 20, "P": ([0, 1] * 10) * 2})
        alone = ask(rows, "total_effect", graph="S -> P")
        assert alone == "fair"
        sure = ask(rows, "total_effect", graph="S -> P", confidence=0.95)
        assert sure == "undetermined"
        assert sure.bounds.lower == alone.bounds.lower


class TestWithoutANotion:
    def test_any_evidence_and_any_paths(self, table):
        verdict = ask(table, None, given={"S": 1, "A": 0}, paths=through("W"))
        assert verdict.notion is None
        assert "PC fairness" in repr(verdict)
        assert verdict.to_dict()["notion"] is None

    def test_all_paths_if_none_are_named(self, table):
        assert ask(table, None).bounds.lower == ask(table, "total_effect").bounds.lower

    def test_individual_indirect_discrimination(self, model, table):
        given = GIVEN["counterfactual_fairness"]
        verdict = ask(table, None, given=given, paths="indirect")
        paths = frozenset(path for path in SHAPE.paths("S", "P") if len(path) > 2)
        truth = model.effect(scm.Query("S", "P", 1, 0, 1, paths, given))
        assert verdict.bounds.lower - 1e-9 <= truth <= verdict.bounds.upper + 1e-9


class TestRefusals:
    @pytest.mark.parametrize(
        ("name", "given", "said"),
        [
            ("counterfactual_fairness", {"S": 1, "W": 0}, "missing: A, Q and Y"),
            ("individual_direct_discrimination", {}, "missing: S, W, A, Q and Y"),
            ("group_direct_discrimination", {"W": 0}, "missing: A and Q"),
            ("group_direct_discrimination", {"S": 1, "W": 0, "A": 0, "Q": 1}, "too much: S"),
            ("total_effect", {"S": 1}, "total_effect asks about everyone; too much: S"),
            ("direct_discrimination", {"S": 1, "W": 0}, "nothing but S is known; too much: W"),
            ("counterfactual_error_rate", {"S": 1, "Y": 1}, "none is named"),
        ],
    )
    def test_evidence_that_is_not_the_notions(self, table, name, given, said):
        with pytest.raises(ConfigError) as caught:
            ask(table, name, given=given)
        assert said in str(caught.value)
        assert "To fix" in str(caught.value)

    def test_the_true_outcome_is_no_attribute(self, table):
        given = GIVEN["counterfactual_fairness"]
        assert ask(table, "counterfactual_fairness", given=given, y="Y")
        with pytest.raises(ConfigError, match="name the true outcome with y"):
            ask(table, "counterfactual_fairness", given=given)
        with pytest.raises(ConfigError, match="too much: Y"):
            ask(table, "counterfactual_fairness", given={**given, "Y": 1}, y="Y")

    def test_counterfactual_error_rate(self, table):
        name = "counterfactual_error_rate"
        with pytest.raises(ConfigError, match="missing: Y"):
            ask(table, name, given={"S": 1}, y="Y", paths="direct")
        with pytest.raises(ConfigError, match="no node for the true outcome 'Z'"):
            ask(table, name, given={"S": 1}, y="Z", paths="direct")
        with pytest.raises(ConfigError, match="the prediction or the sensitive feature itself"):
            ask(table, name, given={"S": 1}, y="P", paths="direct")
        with pytest.raises(ConfigError, match="does not say which"):
            ask(table, name, given={"S": 1, "Y": 1}, y="Y")
        with pytest.raises(ConfigError, match="the edge S -> P alone, or indirect paths alone"):
            ask(table, name, given={"S": 1, "Y": 1}, y="Y", paths="all")

    @pytest.mark.parametrize(
        ("name", "paths"),
        [
            ("total_effect", "direct"),
            ("total_effect", through("A")),
            ("direct_discrimination", "indirect"),
            ("direct_discrimination", "all"),
            ("indirect_discrimination", "direct"),
            ("indirect_discrimination", "all"),
            ("indirect_discrimination", ["S -> P", "S -> W -> P"]),
        ],
    )
    def test_paths_that_are_not_the_notions(self, table, name, paths):
        with pytest.raises(ConfigError, match=f"{name} is about"):
            ask(table, name, paths=paths)

    def test_paths_that_do_not_exist(self, table):
        with pytest.raises(ConfigError, match="no edge S -> A"):
            ask(table, "indirect_discrimination", paths=["S -> A -> P"])
        with pytest.raises(ConfigError, match="the graph has no edge S -> P"):
            ask(table, "direct_discrimination", graph="S -> W -> A -> P")

    def test_a_notion_that_does_not_exist(self, table):
        with pytest.raises(ConfigError, match="use 'counterfactual_fairness'"):
            ask(table, "counterfactual_fairnes")
        with pytest.raises(ConfigError, match="there is no notion 3"):
            ask(table, 3)

    def test_names_may_be_written_as_words(self, table):
        assert ask(table, "Total effect").notion.name == "total_effect"

    @pytest.mark.parametrize("tau", [0, 1, -0.1, "much", float("nan")])
    def test_thresholds_that_make_no_sense(self, table, tau):
        with pytest.raises(ConfigError, match="tau"):
            ask(table, "total_effect", tau=tau)

    def test_what_bounds_refuse(self, table):
        with pytest.raises(ConfigError, match="cycle"):
            ask(table, "total_effect", graph="S -> P; P -> S")
        with pytest.raises(DataError, match="'P' has no value 7"):
            ask(table, "total_effect", outcome_value=7)
        with pytest.raises(ConfigError, match="no node 'T'"):
            ask(table, "total_effect", treatment="T")


def test_a_variable_on_no_path_changes_nothing(table):
    """Y is left out of what is solved, since neither the prediction nor the evidence needs it."""
    through_both = ask(table, None, paths=through("W", "Y"))
    assert through_both.bounds.lower == ask(table, None, paths=through("W")).bounds.lower
    assert "Y" not in through_both.bounds.query.graph.nodes


def test_no_indirect_path_is_no_indirect_effect():
    joint = np.array([[0.1, 0.4], [0.3, 0.2]])
    data = Distribution.from_table(["S", "P"], [(0, 1)] * 2, joint)
    verdict = ask(data, "indirect_discrimination", graph="S -> P")
    assert verdict == "fair"
    assert (verdict.bounds.lower, verdict.bounds.upper) == (0.0, 0.0)
    assert ask(data, None, graph="S -> P", paths="indirect").bounds.upper == 0.0
