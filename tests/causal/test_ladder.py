from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from tests.causal import cases
from tests.oracle import scm

from fairwitness.causal import CausalGraph, Distribution, Limits, assumption_ladder, effect_bounds
from fairwitness.errors import ConfigError, DataError, UnknownNameError

QUESTION = {"treatment": "S", "outcome": "Y", "active": 0, "reference": 1, "outcome_value": 1}
PATHS = ["S -> W -> A -> Y", "S -> Y"]
EDGES = "S -> W -> A -> Y; {S, W} -> Y"


@pytest.fixture(scope="module")
def d2(shared_path):
    case = cases.table3_cases(shared_path)[0]
    return Distribution.from_table(list("SWAY"), [(0, 1)] * 4, case.P)


@pytest.fixture(scope="module")
def kernel(d2):
    return d2.probability / d2.probability.sum(axis=-1, keepdims=True)


def ladder(data, graph=EDGES, **settings):
    return assumption_ladder(data, graph, **{**QUESTION, **settings})


def ends(rung):
    return rung.bounds.lower, rung.bounds.upper


class TestNumbers:
    def test_of_a_person_in_the_papers_data(self, d2, kernel):
        """Everything confounded 1.000, predictor known 0.360, nothing confounded 0.320."""
        found = ladder(d2, paths=PATHS, given={"S": 1, "W": 0, "A": 1}, predictor=kernel)
        assert [rung.name for rung in found] == [
            "confounded",
            "declared",
            "predictor, confounded",
            "predictor",
        ]
        assert found["confounded"].width == pytest.approx(1.0, abs=1e-9)
        assert found["predictor, confounded"].width == pytest.approx(0.360, abs=1e-3)
        assert found["predictor"].width == pytest.approx(0.320, abs=1e-3)
        assert found["confounded"].bounds.status == "uninformative"

    def test_of_the_path_effect(self, d2, kernel):
        """1.396, then 0.265, then 0.0064."""
        found = ladder(d2, paths=PATHS, predictor=kernel)
        assert found["confounded"].width == pytest.approx(1.396, abs=1e-3)
        assert found["predictor, confounded"].width == pytest.approx(0.265, abs=1e-3)
        assert found["predictor"].width == pytest.approx(0.0064, abs=1e-4)

    def test_a_rung_is_the_question_under_its_graph(self, d2):
        found = ladder(d2, f"{EDGES}; W <-> A", paths="direct")
        graphs = {
            "confounded": f"{EDGES}; S <-> W; S <-> A; S <-> Y; W <-> A; W <-> Y; A <-> Y",
            "declared": f"{EDGES}; W <-> A",
            "unconfounded": EDGES,
        }
        assert [rung.name for rung in found] == list(graphs)
        for name, graph in graphs.items():
            alone = effect_bounds(d2, graph, paths="direct", **QUESTION)
            assert ends(found[name]) == pytest.approx((alone.lower, alone.upper), abs=1e-9)
            assert found[name].graph == CausalGraph.from_text(graph)

    @pytest.mark.parametrize("seed", range(12))
    def test_stronger_assumptions_never_widen(self, seed):
        rng = np.random.default_rng(seed)
        graph = scm.random_graph(rng, 4, most_values=2)
        model = scm.random_model(rng, graph, dense=True)
        query = scm.random_query(rng, model)
        data = Distribution.from_table(
            graph.variables, [tuple(range(card)) for card in graph.shape], model.distribution()
        )
        settings = {
            "treatment": query.treatment,
            "outcome": query.outcome,
            "active": query.active,
            "reference": query.reference,
            "outcome_value": query.value,
            "paths": [list(path) for path in query.paths],
            "given": query.given,
        }
        whole = CausalGraph(graph.edges, graph.bidirected, nodes=graph.variables)
        found = assumption_ladder(data, whole, **settings)
        names = [rung.name for rung in found]
        assert names == [name for name in ("confounded", "declared", "unconfounded") if name in names]
        low, high = ends(found["declared"])
        assert low - 1e-7 <= model.effect(query) <= high + 1e-7
        if "confounded" in names:
            outer = ends(found["confounded"])
            assert outer[0] <= low + 1e-7
            assert outer[1] >= high - 1e-7


class TestRungs:
    def test_that_say_the_same_are_left_out(self, d2):
        assert [rung.name for rung in ladder(d2)] == ["confounded", "declared"]
        pairs = "S <-> W; S <-> A; S <-> Y; W <-> A; W <-> Y; A <-> Y"
        assert [rung.name for rung in ladder(d2, f"{EDGES}; {pairs}")] == ["declared", "unconfounded"]

    def test_with_a_predictor(self, d2, kernel):
        found = ladder(d2, f"{EDGES}; W <-> A; W <-> Y", predictor=kernel)
        assert [rung.name for rung in found] == [
            "confounded",
            "declared",
            "predictor, confounded",
            "predictor",
            "unconfounded",
        ]
        assert found.known_predictor
        assert found.asked is found["predictor"]
        assert ladder(d2).asked.name == "declared"

    def test_say_what_they_assume(self, d2, kernel):
        found = ladder(d2, f"{EDGES}; W <-> A", predictor=kernel)
        said = {rung.name: "; ".join(rung.assumptions) for rung in found}
        assert said["confounded"].startswith("nothing but the arrows")
        assert said["declared"] == "hidden common causes are possible of W and A; of no others"
        assert "all variables but Y" in said["predictor, confounded"]
        assert "more than the graph says" in said["unconfounded"]
        for name in ("predictor, confounded", "predictor", "unconfounded"):
            assert "it is the predictor's rule" in said[name]
        assert "predictor" not in said["declared"]

    def test_that_are_too_large_say_so(self, d2):
        found = ladder(d2, f"{EDGES}; W <-> A", limits=Limits(columns=2), paths="direct", given={"W": 0})
        sizes = {rung.name: rung.bounds is not None for rung in found}
        assert sizes["confounded"]
        assert not sizes["declared"]
        rung = found["declared"]
        assert "too large" in rung.reason
        assert math.isnan(rung.width)
        assert "no bounds: the program is too large" in repr(found)
        assert found.to_frame()["lower"].isna().tolist() == [not known for known in sizes.values()]
        json.dumps(found.to_dict(), allow_nan=False)

    def test_unknown_one(self, d2):
        with pytest.raises(UnknownNameError, match="'confounded' and 'declared'"):
            ladder(d2)["predictor"]


class TestForms:
    def test_frame(self, d2):
        found = ladder(d2)
        frame = found.to_frame(tau=0.1)
        assert frame["rung"].tolist() == ["confounded", "declared"]
        assert frame["width"].tolist() == [rung.width for rung in found]
        assert frame["verdict"].tolist() == ["undetermined", "unfair"]
        assert "Everything confounded" in found._repr_html_()

    def test_document(self, d2, kernel):
        found = ladder(d2, predictor=kernel)
        document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert document["known_predictor"] is True
        assert [rung["name"] for rung in document["rungs"]] == [rung.name for rung in found]
        assert document["rungs"][0]["bounds"]["status"] == found["confounded"].bounds.status

    def test_says_itself_a_rung_a_line(self, d2):
        lines = repr(ladder(d2, given={"S": 1})).splitlines()
        assert len(lines) == 3
        assert "people with S = 1" in lines[0]
        assert lines[1].split("  ")[1] == "Everything confounded"


class TestRefusals:
    def test_nobody_to_ask_about(self):
        cells = pd.DataFrame({"S": [0, 0, 1, 1], "Y": [0, 1, 0, 1], "p": [0.5, 0.5, 0.0, 0.0]})
        with pytest.raises(DataError, match="probability 0"):
            ladder(cells, "S -> Y", weights="p", given={"S": 1})

    def test_what_bounds_refuse(self, d2):
        with pytest.raises(ConfigError, match="the graph has a cycle"):
            ladder(d2, f"{EDGES}; Y -> S")
        with pytest.raises(ConfigError, match="does not exist"):
            ladder(d2, paths="S -> A -> Y")
        with pytest.raises(DataError, match="'S' has no value 4"):
            ladder(d2, active=4)


class TestNotes:
    """What keeps rungs from lying inside each other is said."""

    def test_a_predictor_that_is_not_the_outcomes_column(self, d2, kernel):
        other = kernel[..., ::-1]
        found = ladder(d2, paths="direct", predictor=other)
        (note,) = found.notes
        assert "speak of Y as it stands in the table" in note
        assert f"Note: {note}" in repr(found)
        assert found.to_dict()["notes"] == [note]
        assert ladder(d2, paths="direct", predictor=kernel).notes == ()

    def test_a_table_that_the_graph_cannot_give(self):
        P = np.array([[[0.8, 0.1], [0.05, 0.05]], [[0.1, 0.8], [0.05, 0.05]]]) / 2
        data = Distribution.from_table(list("ZSY"), [(0, 1)] * 3, P)
        found = ladder(data, "Z -> S -> Y; S <-> Y")
        (note,) = found.notes
        assert "as the graph declares: ε = 1.2" in note
        assert "need not lie inside those above" in note
