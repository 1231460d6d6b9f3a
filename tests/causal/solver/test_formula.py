from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.causal import asking
from tests.oracle import scm

from fairwitness.causal.solver.expression import contract, split
from fairwitness.causal.solver.formula import Answer, Conditional, assignments, effect, structural, valued
from fairwitness.causal.solver.problem import Problem


def made(text, cards=2, *, paths="all", given=None, active=1, reference=0, seed=0, whole=None):
    """The effect of S on Y as formulas, and what it was made of."""
    graph, P = asking.simple(text, cards, seed)
    chosen = graph.paths("S", "Y") if paths == "all" else paths
    query = scm.Query("S", "Y", 1, active, reference, frozenset(chosen), given or {})
    problem = asking.problem(graph, P, query)
    return problem, effect(problem, whole=whole), graph, P


def value(formula, model):
    """Put the distribution's own frequencies in."""
    if formula.impossible:
        return 0.0
    total = 0.0
    for codes in assignments(list(formula.sizes), formula.sizes):
        product = 1.0
        for factor in formula.factors:
            table = model.distribution.take(*factor.given, factor.variable).probability
            shares = table[valued(factor.row, codes)]
            product *= shares[valued((factor.own,), codes)] / shares.sum()
        total += product
    return total


def coins(formulas):
    return {(each.variable, each.given) for formula in formulas for each in formula.factors}


def identified(seed):
    """A question that the data answer with one number, or None; and the number."""
    rng = np.random.default_rng(seed)
    graph = scm.random_graph(rng, int(rng.integers(3, 6)), most_values=3)
    model = scm.random_model(rng, graph, dense=True)
    query = scm.random_query(rng, model)
    query = replace(query, given=dict(list(query.given.items())[:1]))
    problem = asking.problem(graph, model.distribution(), query)
    worlds = (problem.active, problem.reference)
    parts = [split(coded, problem.model, problem.blocks) for coded in worlds]
    if any(part.unidentified for part in parts):
        return None
    ends = [
        0.0 if coded.impossible else float(contract(part.tables, ()).values)
        for coded, part in zip(worlds, parts, strict=True)
    ]
    return problem, (ends[0] - ends[1]) / problem.evidence_probability


def test_what_is_identified_has_the_value_that_the_data_give():
    cases = [case for case in map(identified, range(60)) if case is not None]
    assert len(cases) > 20
    fewer = 0
    for problem, expected in cases:
        found = effect(problem)
        assert not found.open_blocks
        active, reference, evidence = (value(each, problem.model) for each in found.formulas)
        assert (active - reference) / evidence == pytest.approx(expected, abs=1e-9)
        pillows = {(name, problem.model.pillow(name)) for name in problem.model.graph.nodes}
        fewer += not coins(found.formulas) <= pillows
    assert fewer > 5  # some were merged


@pytest.mark.parametrize(
    "text", ["S -> W -> A -> Y; {S, W} -> Y", "S -> W -> Y; W <-> Y", "S -> W -> Y; Z -> {W, Y}; W <-> Y"]
)
def test_a_total_effect_of_a_root_needs_two_frequencies(text):
    problem, found, *_ = made(text)
    assert coins(found.formulas) == {("Y", ("S",))}
    assert [each.sizes for each in found.formulas] == [{}, {}, {}]
    assert value(found.active, problem.model) - value(found.reference, problem.model) != 0


def test_confounders_are_adjusted_for():
    _, found, *_ = made("Z -> {S, Y}; S -> Y")
    assert coins(found.formulas) == {("Z", ()), ("Y", ("Z", "S"))}


def test_a_known_predictor_is_not_merged():
    _, found, *_ = made("S -> W -> Y; S -> Y", whole="Y")
    assert coins(found.formulas) == {("W", ("S",)), ("Y", ("S", "W"))}


def test_frequencies_are_not_merged_into_more():
    # one of Y given six others would have as many rows as Y and W together, and many more
    text = "{A, B} -> W; S -> W; W -> Y; {C, D} -> Y"
    problem, found, *_ = made(text, paths=[("S", "W", "Y")])
    rows = sum(
        math.prod(problem.model.cardinality(name) for name in given) for _, given in coins(found.formulas)
    )
    assert rows <= 4 + 8 + 8 + 4


def test_what_all_three_share_is_left_out():
    _, found, *_ = made("S -> W -> Y; W <-> Y", given={"S": 0, "W": 1})
    assert all(isinstance(factor, Answer) for formula in found.formulas for factor in formula.factors)
    _, found, *_ = made("S -> W -> Y", given={"S": 0})
    assert not found.evidence.factors
    assert coins(found.formulas) == {("Y", ("S",))}


def test_a_block_is_identified_where_it_is_one_world_unless_it_is_evidence():
    paths = [("S", "W", "A", "Y"), ("S", "Y")]
    text = "S -> W -> A -> Y; {S, W} -> Y"
    _, found, *_ = made(text, paths=paths)
    assert any(isinstance(factor, Answer) for factor in found.active.factors)
    assert [factor.variable for factor in found.reference.factors if isinstance(factor, Conditional)] == ["Y"]
    _, found, *_ = made(text, paths=paths, given={"W": 1})
    assert any(isinstance(factor, Answer) for factor in found.evidence.factors)


def test_what_contradicts_a_fixed_value_is_impossible():
    _, found, *_ = made("S -> Y", given={"S": 0, "Y": 0})
    assert found.reference.impossible
    assert not found.active.impossible


def test_structure_has_nothing_of_the_data():
    graph, P = asking.simple("S -> W -> Y", 2, 1)
    query = scm.Query("S", "Y", 1, 1, 0, frozenset(graph.paths("S", "Y")), {"W": 1})
    problems = [asking.problem(graph, table, query) for table in (P, np.eye(8)[0].reshape(2, 2, 2))]
    even = [structural(problem.model) for problem in problems]
    assert np.array_equal(even[0].distribution.probability, even[1].distribution.probability)
    found = [effect(Problem(model, problems[0].query, problems[0].blocks)) for model in even]
    assert found[0].formulas[0].factors == found[1].formulas[0].factors
