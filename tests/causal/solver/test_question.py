from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from tests.causal.asking import simple
from tests.oracle import scm

from fairwitness.causal import CausalGraph, Distribution, Limits, path_set, through
from fairwitness.causal.solver.question import prepare, relevant, size_of
from fairwitness.causal.solver.solve import solve
from fairwitness.errors import ConfigError, DataError, FairwitnessError

ASK = {"treatment": "S", "outcome": "Y", "active": 1, "reference": 0, "outcome_value": 1}
TEXT = "S -> W -> Y; S -> Y; W <-> Y"

DATA = pd.DataFrame(
    {
        "S": [0, 1] * 10,
        "W": [True, False] * 5 + [False, True] * 5,
        "Y": ["no", "yes", "yes"] * 6 + ["no"] * 2,
    }
)


def table(text, cards=2, seed=0):
    graph, P = simple(text, cards, seed)
    return Distribution.from_table(graph.variables, [tuple(range(card)) for card in graph.cards.values()], P)


def ask(text=TEXT, data=None, **more):
    data = table(text) if data is None else data
    return prepare(data, text, **{**ASK, **more})


def solved(made, **more):
    found = solve(made.program(**more))
    return found.lower.bound, found.upper.bound


class TestRelevant:
    @pytest.mark.parametrize(
        ("text", "given", "expected"),
        [
            ("S -> Y -> Z; B -> Y", [], "SYB"),
            ("S -> Y -> Z; B -> Y", ["Z"], "SYZB"),
            ("S -> Y; Q -> Z", [], "SY"),
            ("S -> Y; Y <-> M; A -> M", [], "SYMA"),  # a mate, and its causes
            ("S -> Y; Y <-> M; A -> M; A <-> N; B -> N -> O", [], "SYMANB"),
        ],
    )
    def test_ancestors_and_their_mates(self, text, given, expected):
        assert relevant(CausalGraph.from_any(text), "Y", given) == set(expected)

    def test_is_the_smallest_closed_set(self):
        rng = np.random.default_rng(0)
        for seed in range(40):
            made = scm.random_graph(np.random.default_rng(seed), 7)
            graph = CausalGraph(made.edges, made.bidirected, nodes=made.variables)
            outcome, other = rng.permutation(made.variables)[:2]
            found = relevant(graph, outcome, [other])
            expected = {outcome, other}
            while True:  # by single steps
                more = {p for v in expected for p in graph.parents(v)}
                more |= {m for v in expected for m in graph.siblings(v)}
                if more <= expected:
                    break
                expected |= more
            assert found == expected


class TestWhatIsLeftOut:
    def test_variables_that_no_path_or_evidence_needs(self):
        made = ask("S -> W -> Y; S -> Y -> Z; Q -> Z")
        assert made.model.graph.nodes == ("S", "W", "Y")
        assert made.model.distribution.variables == ("S", "W", "Y")
        assert "left out, as no path or evidence needs it: Q and Z" in made.notes

    def test_nothing_is_said_where_nothing_is(self):
        assert ask().notes == ()

    def test_changes_nothing(self):
        """The effect is that of the whole graph, whatever hangs below it."""
        text = "S -> W -> Y; S -> Y -> Z; W <-> Y; Z <-> Q"
        data = table(text, seed=4)
        small = solved(ask(data=data, paths="S -> W -> Y"))
        assert solved(ask(text, data, paths="S -> W -> Y")) == pytest.approx(small)

    def test_a_mate_that_is_no_ancestor_tightens(self):
        """S ↔ Y ↔ M: what M says of the hidden cause counts."""
        made = ask("S -> Y; S <-> Y; Y <-> M; S <-> M", given={"M": 1})
        assert made.model.graph.has("M")
        assert ask("S -> Y; Y <-> M").model.graph.has("M")

    def test_columns_of_what_is_left_out_need_not_exist(self):
        rows = pd.DataFrame({"S": [0, 1, 0, 1, 1], "Y": [0, 1, 1, 1, 0]})
        made = ask("S -> Y -> Z", rows, bins={"Z": [3]}, levels={"Z": [1, 2]})
        assert made.model.graph.nodes == ("S", "Y")
        with pytest.raises(DataError, match="Z"):
            ask("S -> Y -> Z", rows, given={"Z": 1})

    def test_path_sets_that_speak_of_it(self):
        text = "S -> W -> Y; S -> Y; W -> Z"
        data = table(text)
        made = ask(text, data, paths=through("W", "Z"))
        assert not made.model.graph.has("Z")
        assert set(made.query.paths.paths()) == {("S", "W", "Y")}
        with pytest.raises(ConfigError, match="no path from S to Y passes through Z"):
            ask(text, data, paths=through("Z"))

    def test_a_treatment_without_a_path(self):
        """Then the effect is 0, and the treatment's values are checked all the same."""
        text = "Z -> Y; S -> W"
        made = ask(text)
        assert made.query.is_null
        assert solved(made) == (0.0, 0.0)
        with pytest.raises(DataError, match="'S' has no value 7"):
            ask(text, active=7)


class TestValues:
    @pytest.mark.parametrize(
        "one", [1, 1.0, True, np.int64(1), np.float32(1), np.bool_(True), np.array(1), np.array([1])]
    )
    def test_one_is_one(self, one):
        made = ask("S -> Y; W -> Y", DATA, active=one, given={"S": one, "W": one}, outcome_value="yes")
        assert made.query.active == 1
        plain = ask("S -> Y; W -> Y", DATA, given={"S": 1, "W": True}, outcome_value="yes")
        assert solved(made) == pytest.approx(solved(plain))
        assert repr(made.query.given) == repr(plain.query.given)

    def test_what_reads_like_it(self):
        """As it stands in a configuration file, or on the command line."""
        for one in ("1", np.str_("1")):
            made = ask("S -> Y; W -> Y", DATA, active=one, given={"W": "True"}, outcome_value="yes")
            assert (made.query.active, made.query.given) == (1, {"W": True})

    @pytest.mark.parametrize("yes", ["yes", np.str_("yes"), np.array("yes"), np.array(["yes"])])
    def test_text(self, yes):
        made = ask("S -> Y; W -> Y", DATA, outcome_value=yes, given={"Y": yes})
        assert made.query.outcome_value == "yes"
        assert made.query.given == {"Y": "yes"}

    def test_active_and_reference_may_be_written_differently(self):
        """1 and "1" are one value: nothing is compared."""
        made = ask("S -> Y; W -> Y", DATA, active="1", reference=1.0, outcome_value="yes")
        assert made.query.is_null

    @pytest.mark.parametrize("name", ["active", "reference", "outcome_value"])
    def test_unknown_ones(self, name):
        with pytest.raises(DataError, match="has no value 'perhaps'") as caught:
            ask("S -> Y; W -> Y", DATA, **{"outcome_value": "yes", name: "perhaps"})
        assert "levels" in str(caught.value)

    def test_unknown_evidence(self):
        with pytest.raises(DataError, match="'W' has no value 'perhaps'"):
            ask("S -> Y; W -> Y", DATA, outcome_value="yes", given={"W": "perhaps"})

    def test_numbers_in_bins(self):
        data = pd.DataFrame({"S": [0, 1] * 8, "age": [20, 30, 40, 50] * 4, "Y": [0, 0, 1, 1, 1, 0, 1, 0] * 2})
        made = ask("age -> Y; S -> Y", data, bins={"age": [35]}, given={"age": 41})
        assert made.query.given == {"age": "> 35"}
        assert made.model.distribution.levels[0] == ("≤ 35", "> 35")


class TestData:
    def test_rows_weights_and_tables_are_one_question(self):
        rng = np.random.default_rng(0)
        rows = pd.DataFrame(rng.integers(0, 2, size=(60, 3)), columns=["S", "W", "Y"])
        cells = rows.value_counts().reset_index(name="count")
        shares = cells.assign(share=cells["count"] / 60)
        counted = Distribution.from_data(rows, ["Y", "W", "S"])
        graphs = [TEXT, CausalGraph.from_any(TEXT), CausalGraph.from_any(TEXT).to_networkx()]
        asked = [
            *(prepare(rows, graph, **ASK) for graph in graphs),
            ask(data=cells, weights="count"),
            ask(data=shares[["S", "W", "Y", "share"]], weights="share"),
            ask(data=counted),
            ask(data=counted.to_dict()),
        ]
        for made in asked:
            assert solved(made) == pytest.approx(solved(asked[0]))
        assert [made.model.distribution.n for made in asked] == [60, 60, 60, 60, None, 60, 60]

    def test_what_was_done_to_the_data_is_noted(self):
        rows = pd.DataFrame({"S": [0, 1, 1, 0, None], "Y": [0, 1, 1, 0, 1]})
        made = ask("S -> Y", rows, missing="drop")
        assert made.model.distribution.n == 4
        assert any("1" in note and "missing" in note for note in made.notes)
        with pytest.raises(DataError, match="missing"):
            ask("S -> Y", rows)

    def test_a_treatment_of_one_value(self):
        rows = pd.DataFrame({"S": [0, 0, 0], "Y": [0, 1, 1]})
        with pytest.raises(DataError, match="the sensitive feature S has one value only; got 0"):
            ask("S -> Y", rows, active=0)
        made = ask("S -> Y", rows, levels={"S": [0, 1]})
        assert solved(made) == pytest.approx((-2 / 3, 1 / 3))  # of the other one nothing is known

    def test_a_hidden_cause_of_more_than_two(self):
        made = ask("S -> W -> Y; S -> Y; S <-> W; W <-> Y")
        (note,) = made.notes
        assert note.startswith("one hidden common cause is admitted for all of S, W and Y")
        assert ask("S -> W -> Y; S -> Y; S <-> W; W <-> Y; S <-> Y").notes == ()


class TestPredictor:
    def test_is_not_confounded_and_known(self):
        kernel = np.array([[0.1, 0.4], [0.2, 0.9]])
        made = ask(predictor=kernel)
        assert made.model.graph.bidirected == ()
        assert made.model.kernel.table[..., 1] == pytest.approx(kernel)
        data = made.model.distribution.probability
        w = data.sum(2) / data.sum((1, 2))[:, None]
        assert solved(made) == pytest.approx([(w[1] * kernel[1]).sum() - (w[0] * kernel[0]).sum()] * 2)

    def test_a_mate_of_the_outcome_is_none_any_more(self):
        text = "S -> Y; Y <-> M; S <-> M"
        assert ask(text).model.graph.has("M")
        made = ask(text, predictor=[0.2, 0.7])
        assert made.model.graph.bidirected == (("S", "M"),)
        assert solved(made) == pytest.approx((0.5, 0.5))

    def test_what_was_done_to_it_is_noted(self):
        rows = pd.DataFrame({"S": [0, 1, 0, 1], "Y": [0, 1, 1, 1], "said": [0, 1, 0, 0]})
        made = ask("S -> Y", rows, predictor="said")
        assert made.model.kernel.table[:, 1] == pytest.approx([0, 0.5])
        assert set(made.model.kernel.notes) <= set(made.notes)


class TestAskingAgain:
    def test_about_other_people(self):
        made = ask("S -> W -> Y; S -> Y; W -> Z", observed=["Z", "W"])
        assert made.query.given == {}
        for given in ({"Z": 1}, {"W": 0, "S": 1}, {}):
            again = made.about(given)
            assert again.query.given == given
            assert again.model is made.model
            direct = ask("S -> W -> Y; S -> Y; W -> Z", given=given)
            assert solved(again) == pytest.approx(solved(direct))
        assert made.query.given == {}

    def test_values_are_the_datas_own(self):
        made = ask(observed=["W"]).about({"W": "1"})
        assert made.query.given == {"W": 1}

    def test_about_what_was_left_out(self):
        with pytest.raises(DataError, match="no variable 'Z'"):
            ask("S -> W -> Y; S -> Y; W -> Z").about({"Z": 1})


class TestRelaxed:
    def test_one_hidden_cause_of_everything(self):
        made = ask("S -> W -> Y; S -> Y").relaxed()
        assert made.model.graph.components == (("S", "W", "Y"),)
        assert made.model.graph.shared_causes_only == ()
        assert made.query.paths.graph == made.model.graph
        assert made.query.given == {}

    def test_but_of_a_known_predictor(self):
        made = ask(predictor=[[0.1, 0.4], [0.2, 0.9]]).relaxed()
        assert made.model.graph.components == (("S", "W"), ("Y",))
        assert made.model.kernel is not None

    def test_keeps_the_paths(self):
        made = ask(paths=["S -> W -> Y"])
        assert made.relaxed().query.paths.listed == (("S", "W", "Y"),)
        assert made.program(relaxation="confounded").problem.query.paths.listed == (("S", "W", "Y"),)

    def test_unknown_relaxations(self):
        with pytest.raises(ConfigError, match="no such relaxation; got 'loose'"):
            ask().program(relaxation="loose")


class TestSizes:
    def test_of_the_papers_program(self):
        made = ask(
            "S -> W -> Y; S -> Y; W <-> Y", table("S -> W -> Y; S -> Y; W <-> Y", {"S": 2, "W": 3, "Y": 2})
        )
        sizes = size_of(made)
        assert list(sizes) == ["S", "W, Y"]
        assert 10 ** sizes["S"] == pytest.approx(2)
        assert 10 ** sizes["W, Y"] == pytest.approx(3**2 * 2**6)

    def test_of_what_no_program_could_hold(self):
        """Complete graph of 8 binary variables, all confounded: the spec's 5.8e76."""
        names = ["S", *"abcdef", "Y"]
        graph = CausalGraph.from_networkx(
            nx.DiGraph([(a, b) for i, a in enumerate(names) for b in names[i + 1 :]])
        )
        data = Distribution.from_table(names, [(0, 1)] * 8, np.ones(256))
        made = prepare(data, graph.confounded(), **ASK)
        (size,) = size_of(made).values()
        assert size == pytest.approx(np.log10(5.8e76), abs=0.01)


class TestRefusals:
    def test_names_that_are_not_in_the_graph(self):
        for name, value in (("treatment", "T"), ("outcome", "Q"), ("given", {"Q": 1}), ("observed", ["Q"])):
            with pytest.raises(ConfigError, match="the graph has no node"):
                ask(**{name: value})

    def test_an_effect_on_itself(self):
        with pytest.raises(ConfigError, match="treatment and outcome are the same variable; got S"):
            ask(outcome="S")

    @pytest.mark.parametrize("given", ["W", ["W"], 3, [("W", 1)]])
    def test_evidence_that_is_no_mapping(self, given):
        with pytest.raises(ConfigError, match="the evidence must map variables to values"):
            ask(given=given)

    def test_columns_that_are_not_there(self):
        with pytest.raises(DataError, match="W"):
            ask(data=pd.DataFrame({"S": [0, 1], "Y": [0, 1]}))

    def test_cycles(self):
        with pytest.raises(ConfigError, match="cycle"):
            ask("S -> Y; Y -> S", data=table("S -> Y"))


def test_the_path_set_of_another_call():
    made = path_set(CausalGraph.from_any(TEXT), "S", "Y", "S -> W -> Y")
    assert ask(paths=made).query.paths.listed == (("S", "W", "Y"),)


@pytest.mark.parametrize(
    ("changes", "more", "said"),
    [
        ({}, {"bins": 5}, "bins must map"),
        ({}, {"levels": 5}, "levels must map"),
        ({"S": [0, np.inf, 0, 1]}, {}, "infinite"),
        ("twice", {}, "two columns of one name"),
    ],
)
def test_tables_and_settings_that_cannot_be_read(changes, more, said):
    data = pd.DataFrame({"S": [0, 1, 0, 1], "Y": [0, 1, 1, 1]})
    data = pd.concat([data, data[["S"]]], axis=1) if changes == "twice" else data.assign(**changes)
    asked = {"treatment": "S", "outcome": "Y", "active": 1, "reference": 0, "outcome_value": 1}
    with pytest.raises(FairwitnessError, match=said):
        prepare(data, "S -> Y", **asked, **more)


def test_what_a_known_predictor_takes_out_is_said():
    """Its mean answers are not its rule: that is an assumption, and a note."""
    data = pd.DataFrame({"S": [0, 1, 0, 1], "Y": [0, 1, 1, 1], "p": [0, 1, 1, 1]})
    asked = {"treatment": "S", "outcome": "Y", "active": 1, "reference": 0, "outcome_value": 1}
    averaged = prepare(data, "S -> Y; S <-> Y", **asked, predictor="p")
    ruled = prepare(data, "S -> Y; S <-> Y", **asked, predictor=np.array([0.2, 0.7]))
    assert any("may lie outside the bounds" in note for note in averaged.notes)
    assert any(note.endswith("as the predictor's rule is known") for note in ruled.notes)
    assert not any("taken out" in note for note in prepare(data, "S -> Y", **asked, predictor="p").notes)


def test_limits_make_sense():
    for wrong in ({"columns": 0}, {"columns": "x"}, {"seconds": -1}):
        with pytest.raises(ConfigError):
            Limits(**wrong)
