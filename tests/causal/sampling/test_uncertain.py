from __future__ import annotations

import numpy as np
import pytest
from tests.causal import asking
from tests.oracle import scm

from fairwitness.causal import Distribution
from fairwitness.causal.sampling import uncertain
from fairwitness.causal.sampling.region import Coin, confidence_region
from fairwitness.causal.solver.expression import TooLargeError
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.formula import effect, structural
from fairwitness.causal.solver.problem import Problem
from fairwitness.causal.solver.question import prepare
from fairwitness.causal.solver.solve import solve
from fairwitness.causal.solver.stages import make_program

TWISTED = [("S", "W", "A", "Y"), ("S", "Y")]
CASES = {
    "one block": ("S -> W -> Y; S -> Y; W <-> Y", 2, [("S", "Y")], {}),
    "weights": ("S -> W -> Y; S -> Y; Z -> {W, Y}; W <-> Y", 2, [("S", "Y")], {"W": 1}),
    "two blocks": ("S -> W -> A -> Y; {S, W} -> Y", {"S": 2, "W": 3, "A": 2, "Y": 2}, TWISTED, {"W": 1}),
    "evidence below": ("S -> W -> X; S -> M -> Y; W -> {M, Y}", 2, [("S", "M", "Y")], {"X": 1, "M": 0}),
}


def planned(name, n=300, seed=1):
    text, cards, paths, given = CASES[name]
    graph, P = asking.simple(text, cards, seed)
    query = scm.Query("S", "Y", 1, 1, 0, frozenset(paths), given)
    data = Distribution.from_counts(graph.variables, [range(size) for size in P.shape], np.round(P * n) + 1)
    question = prepare(data, asking.causal_graph(graph), **asking.asked(query))
    even = structural(question.model)
    problem = Problem(even, question.query, even.graph.components)
    made = uncertain.plan(problem, effect(problem))
    return question, made, confidence_region(question.model, made.coins, 0.95)


def ratio_range(program):
    """The range of numerator − t · denominator tells on which side of t the ratio is."""
    n = program.polytope.n_columns

    def most(t, sense):
        cost = program.numerator.cost(n) - t * program.denominator.cost(n)
        found = program.polytope.optimize(cost, sense)
        if found is None:
            return -np.inf if sense == "max" else np.inf
        return found.value + program.numerator.constant - t * program.denominator.constant

    return most


@pytest.mark.parametrize("name", CASES)
def test_limits_are_narrowed_of_what_they_were_meant_for(name):
    _, made, region = planned(name)
    root = uncertain.program(made, region, {})

    def parts(program):
        return [(frozenset(p.first.terms), frozenset(p.second.terms)) for p in program.products]

    named = {each.name: each for p in root.products for each in (p.first, p.second)}
    assert len(named) > 3
    for key, quantity in named.items():
        middle = (quantity.low + quantity.high) / 2
        for ends in ((quantity.low, middle), (middle, quantity.high)):
            half = uncertain.program(made, region, {key: ends})
            if half is None:
                continue
            assert parts(half) == parts(root)
            again = {each.name: each for p in half.products for each in (p.first, p.second)}[key]
            assert ends[0] - 1e-12 <= again.low <= again.high <= ends[1] + 1e-12
    # also where what was wide is narrow
    events = {key: each for key, each in named.items() if isinstance(key, tuple) and isinstance(key[0], int)}
    thin = {key: (each.low, each.low + 0.001 * each.width) for key, each in events.items()}
    assert parts(uncertain.program(made, region, thin)) == parts(root)


@pytest.mark.parametrize("name", CASES)
def test_halves_of_the_region_hold_what_the_whole_may_hold(name):
    """A distribution in the region, and the bounds that it allows, must be possible in one of the halves."""
    question, made, region = planned(name)
    exact = solve(make_program(Problem(question.model, question.query, question.model.graph.components)))
    root = uncertain.program(made, region, {})
    wide = {p.second.name: p.second for p in root.products if not isinstance(p.second.name, Coin)}
    for key, quantity in list(wide.items())[:6]:
        middle = (quantity.low + quantity.high) / 2
        halves = [
            uncertain.program(made, region, {key: ends})
            for ends in ((quantity.low, middle), (middle, quantity.high))
        ]
        tops = [
            ratio_range(half)(exact.upper.value, "max")
            for half in halves
            if half is not None
            and half.polytope.optimize(half.numerator.cost(half.polytope.n_columns), "max")
        ]
        assert max(tops) >= -1e-7


@pytest.mark.parametrize("name", CASES)
def test_certain_frequencies_give_the_bounds_themselves_or_more(name):
    question, made, _ = planned(name, 2_000)
    few = solve(make_program(Problem(question.model, question.query, question.model.graph.components)))
    counts = question.model.distribution.counts
    data = Distribution.from_counts(
        question.model.graph.nodes, question.model.distribution.levels, counts * 10**9
    )
    region = confidence_region(Model(question.model.graph, data), made.coins, 0.95)
    program = uncertain.program(made, region, {})
    most = ratio_range(program)
    assert most(few.upper.value - 1e-3, "max") > 0
    assert most(few.lower.value + 1e-3, "min") < 0
    if name == "one block":  # nothing is multiplied that is wide
        assert most(few.upper.value + 1e-3, "max") < 0
        assert most(few.lower.value - 1e-3, "min") > 0


def test_only_coins_that_matter_are_asked_for():
    _, made, _ = planned("one block")
    families = {
        ("W", ("S",)),
        ("Y", ("S", "W")),
        ("Y", ("S",)),
    }  # the last for P(y_{s0}), which is identified
    assert {(coin.variable, coin.given) for coin in made.coins} == families
    _, made, _ = planned("two blocks")
    assert {coin.level for coin in made.coins if coin.variable == "W"} == {0, 1}


def test_too_many_terms_are_refused(monkeypatch):
    monkeypatch.setattr(uncertain, "MOST_TERMS", 2)
    with pytest.raises(TooLargeError, match="too many terms"):
        planned("weights")
