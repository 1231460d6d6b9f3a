from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from tests.causal import asking
from tests.oracle import scm

from fairwitness.causal import Distribution
from fairwitness.causal.bounds import answer
from fairwitness.causal.data.kernel import Kernel
from fairwitness.causal.sampling.cell_region import interval_by_cells, mean_limit
from fairwitness.causal.sampling.confidence import effect_interval
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.formula import structural
from fairwitness.causal.solver.problem import Problem
from fairwitness.causal.solver.question import prepare

#: Bounds that no interval is widened to.
NOTHING = (1.0, -1.0)


def test_two_values_have_clopper_and_pearsons_limit():
    limit = mean_limit(np.array([0.0, 1.0, 0.0]), np.array([3, 7, 10]), 0.05)
    assert limit == pytest.approx(stats.binomtest(7, 20, alternative="less").proportion_ci(0.95).high)
    assert mean_limit(np.array([0.5, 0.5]), np.array([3, 7]), 0.05) == 0.5


@pytest.mark.parametrize("values", [np.array([-1.0, 0.0, 1.0]), np.linspace(-1, 1, 9)])
def test_limits_of_means_hold_by_enumeration(values):
    shares = np.arange(1.0, len(values) + 1)
    shares /= shares.sum()
    n = 5 if len(values) == 3 else 2
    passed = 0.0
    for table in itertools.product(range(n + 1), repeat=len(values)):
        if sum(table) == n:
            limit = mean_limit(values, np.array(table), 0.2)
            passed += stats.multinomial.pmf(table, n, shares) * (limit < shares @ values - 1e-9)
    assert passed <= 0.2


def test_many_rows_give_the_bounds_themselves():
    graph, P = asking.simple("S -> W -> Y; S -> Y; S <-> W; W <-> Y; S <-> Y", {"S": 2, "W": 3, "Y": 2}, 1)
    query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]), {"W": 1})
    counts = np.round(P * 1e7)
    data = Distribution.from_counts(graph.variables, [range(size) for size in P.shape], counts)
    question = prepare(data, asking.causal_graph(graph), **asking.asked(query))
    bounds = answer(question)
    found = effect_interval(question, NOTHING)
    assert found.engine == "cells"
    assert (found.low, found.high) == pytest.approx((bounds.lower, bounds.upper), abs=3e-3)
    assert found.low <= bounds.lower < bounds.upper < found.high


def test_a_known_predictor_gives_its_own_probabilities():
    graph, P = asking.simple("S -> W -> Y; S -> Y; S <-> W", 2, 3)
    query = scm.Query("S", "Y", 1, 1, 0, frozenset(graph.paths("S", "Y")), {"S": 0})
    data = Distribution.from_counts(graph.variables, [(0, 1)] * 3, np.round(P * 1e7) + 1)
    asked = prepare(data, asking.causal_graph(graph), **asking.asked(query))
    kernel = Kernel("Y", (0, 1), ("S", "W"), np.array([[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.2, 0.8]]]))
    even = structural(asked.model)
    problem = Problem(Model(even.graph, even.distribution, kernel), asked.query, even.graph.components)
    low, high = interval_by_cells(problem, Model(asked.model.graph, data, kernel), 0.05)
    # from 0.1 or 0.4, as W was, to 0.5 or 0.8, as W will be
    share = data.take("S", "W").probability[0, 1] / data.take("S").probability[0]
    before = 0.1 * (1 - share) + 0.4 * share
    assert (low, high) == pytest.approx((0.5 - before, 0.8 - before), abs=3e-3)


def test_questions_with_something_unconfounded_are_left_to_others():
    graph, P = asking.simple("S -> W -> Y; W <-> Y")
    query = scm.Query("S", "Y", 1, 1, 0, frozenset(graph.paths("S", "Y")))
    problem = asking.problem(graph, P, query)
    assert interval_by_cells(problem, problem.model, 0.05) is None
