from __future__ import annotations

import copy
import pickle

import pytest

from fairwitness.causal import CausalGraph
from fairwitness.errors import ConfigError
from fairwitness.fair import SCM

GRAPH = "{race, sex, K} -> {UGPA, LSAT, FYA}; age -> UGPA; {age, LSAT} -> work"


def test_roles_follow_from_the_graph() -> None:
    scm = SCM(GRAPH, sensitive=["race", "sex"], outcome="FYA", latents="K", families={"LSAT": "poisson"})
    assert isinstance(scm.graph, CausalGraph)
    assert set(scm.columns) == {"UGPA", "LSAT", "age", "work"}
    assert scm.non_descendants == ("age",)
    assert set(scm.descendants) == {"UGPA", "LSAT", "work"}
    assert scm.latents_of("UGPA") == ("K",)
    assert set(scm.measured_causes("UGPA")) == {"race", "sex", "age"}
    assert scm.latents_of("work") == ()


def test_what_latents_cause_in_common_is_an_arc_when_they_are_hidden() -> None:
    scm = SCM(GRAPH, sensitive=["race", "sex"], outcome="FYA", latents="K")
    assert "K" not in scm.measured_graph.nodes
    assert set(scm.measured_graph.siblings("UGPA")) == {"LSAT", "FYA"}
    plain = SCM("sex -> grade", sensitive="sex")
    assert plain.measured_graph == plain.graph


def test_takes_any_form_of_graph_and_survives_copies() -> None:
    scm = SCM(CausalGraph([("sex", "grade")]), sensitive="sex")
    assert scm == SCM("sex -> grade", sensitive=("sex",))
    assert copy.deepcopy(scm) == scm
    assert pickle.loads(pickle.dumps(scm)) == scm


@pytest.mark.parametrize(
    ("graph", "roles", "message"),
    [
        ("sex -> grade", {"sensitive": ()}, "no sensitive feature"),
        ("sex -> grade", {"sensitive": "gender"}, "gender"),
        ("sex -> grade", {"sensitive": "sex", "outcome": "sex"}, "two roles"),
        ("sex -> grade", {"sensitive": "sex", "families": {"grade": "gamma"}}, "no such family"),
        ("sex -> grade", {"sensitive": "sex", "families": {"mark": "poisson"}}, "mark"),
        ("sex -> grade -> prize", {"sensitive": "sex", "outcome": "grade"}, "the outcome grade causes prize"),
        ("{sex, K} -> grade; age -> K", {"sensitive": "sex", "latents": "K"}, "latent K has causes"),
        ("{sex, K} -> grade; age <-> K; age", {"sensitive": "sex", "latents": "K"}, "latent K has causes"),
        (
            "K -> sex -> grade; K -> grade",
            {"sensitive": "sex", "latents": "K"},
            "causes the sensitive feature",
        ),
        ("sex -> grade; K", {"sensitive": "sex", "latents": "K"}, "causes no column"),
        ("sex -> passed", {"sensitive": "sex", "outcome": "passed"}, "no column to predict from"),
    ],
)
def test_refuses_what_contradicts_itself(graph: str, roles: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SCM(graph, **roles)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"graph": 5}, "no causal graph"),
        ({"sensitive": 5}, "sensitive must name nodes"),
        ({"sensitive": [5]}, "sensitive must name nodes"),
        ({"latents": None}, "latents must name nodes"),
        ({"outcome": ["b"]}, "outcome must name a node"),
        ({"families": 5}, "families must be a mapping"),
        ({"families": {"b": ["normal"]}}, "no such family"),
    ],
)
def test_arguments_of_a_wrong_type_are_named(change, match):
    given = {"graph": "a -> b", "sensitive": "a", **change}
    with pytest.raises(ConfigError, match=match):
        SCM(given.pop("graph"), **given)
