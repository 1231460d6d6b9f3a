from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.causal import asking
from tests.oracle import scm

from fairwitness.causal import Distribution
from fairwitness.causal.bounds import answer
from fairwitness.causal.data.kernel import Kernel
from fairwitness.causal.sampling.confidence import effect_interval
from fairwitness.causal.sampling.individual_region import interval_by_induction
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.question import prepare

#: Bounds that no interval is widened to.
NOTHING = (1.0, -1.0)
CHAIN = "S -> M -> N -> Y; {S, M} -> Y"


def person(text, n, given, cards=2, seed=1):
    graph, P = asking.simple(text, cards, seed)
    query = scm.Query("S", "Y", 1, 1, 0, frozenset(graph.paths("S", "Y")), given)
    data = Distribution.from_counts(graph.variables, [range(size) for size in P.shape], np.round(P * n) + 1)
    return prepare(data, asking.causal_graph(graph), **asking.asked(query))


@pytest.mark.parametrize(
    ("text", "given", "cards"),
    [
        (CHAIN, {"S": 0, "M": 1, "N": 0}, 2),
        (CHAIN, {"S": 0, "M": 1, "N": 0, "Y": 1}, 2),
        ("S -> M -> Y; S -> Y", {"S": 0, "M": 2}, {"S": 2, "M": 3, "Y": 2}),
        ("A -> {S, M, Y}; S -> M -> Y; S -> Y", {"A": 1, "S": 1, "M": 0}, 2),
    ],
)
def test_many_rows_give_the_bounds_themselves(text, given, cards):
    question = person(text, 1e11, given, cards)
    bounds, found = answer(question), effect_interval(question, NOTHING)
    assert found.engine == "induction"
    assert (found.low, found.high) == pytest.approx((bounds.lower, bounds.upper), abs=5e-3)
    few = effect_interval(person(text, 300, given, cards), NOTHING)
    assert few.low <= found.low < found.high <= few.high
    assert few.high - few.low > found.high - found.low


def test_distributions_within_the_intervals_allow_no_more():
    question = person("S -> M -> Y; S -> Y", 400, {"S": 0, "M": 1})
    found = effect_interval(question, NOTHING)
    counts, rng = question.model.distribution.counts, np.random.default_rng(0)
    n = counts.sum(axis=-1, keepdims=True)
    tried = []
    for _ in range(300):
        # rows are independent, so each may be 2 standard deviations out: that is inside the intervals
        outcome = counts[..., 1] / n[..., 0]
        far = 2 * np.sqrt(outcome * (1 - outcome) / n[..., 0])
        outcome = outcome + far * rng.choice([-1, 1], size=far.shape)
        mediator = n[..., 0] / n[..., 0].sum(axis=1, keepdims=True)
        far = (
            2 * np.sqrt(mediator[:, 1] * mediator[:, 0] / n[..., 0].sum(axis=1)) * rng.choice([-1, 1], size=2)
        )
        mediator = np.stack([mediator[:, 0] - far, mediator[:, 1] + far], axis=1)
        P = mediator[..., None] * np.stack([1 - outcome, outcome], axis=-1) / 2
        data = Distribution.from_table(question.model.distribution.variables, [(0, 1)] * 3, P)
        bounds = answer(replace(question, model=Model(question.model.graph, data)))
        assert found.low <= bounds.lower <= bounds.upper <= found.high
        tried.append((bounds.lower, bounds.upper))
    spread = np.array(tried)
    assert spread[:, 1].max() - spread[:, 0].min() > 0.6 * (found.high - found.low)


def test_a_known_predictor_is_certain():
    question = person("S -> M -> Y; S -> Y", 200, {"S": 0, "M": 1})
    table = np.array([[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.2, 0.8]]])
    model = Model(question.model.graph, question.model.distribution, Kernel("Y", (0, 1), ("S", "M"), table))
    found = effect_interval(replace(question, model=model), NOTHING)
    assert found.engine == "induction"
    assert found.low >= 0.5 - 0.4 - 1e-9
    assert found.high <= 0.8 - 0.4 + 1e-9
    averaged = replace(model, kernel=replace(model.kernel, rows=np.full((2, 2), 50.0)))
    wider = effect_interval(replace(question, model=averaged), NOTHING)
    assert wider.engine == "program"
    assert wider.high - wider.low > found.high - found.low


def test_other_questions_are_left_to_others():
    graph, P = asking.simple(CHAIN)
    query = scm.Query("S", "Y", 1, 1, 0, frozenset(graph.paths("S", "Y")), {"M": 1})
    problem = asking.problem(graph, P, query)
    assert interval_by_induction(problem, problem.model, 0.05) is None
