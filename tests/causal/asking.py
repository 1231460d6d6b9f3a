"""The oracles' graphs, distributions and queries as the package takes them."""

from __future__ import annotations

import numpy as np
from tests.oracle import scm

from fairwitness.causal import CausalGraph, Distribution, NestedCounterfactual, path_set
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.problem import Problem
from fairwitness.causal.solver.question import prepare


def causal_graph(graph):
    return CausalGraph(graph.edges, graph.bidirected, nodes=graph.variables)


def distribution(graph, P):
    return Distribution.from_table(graph.variables, [tuple(range(card)) for card in graph.cards.values()], P)


def asked(query, **more):
    """The settings of a call that asks the oracle's query."""
    return {
        "treatment": query.treatment,
        "outcome": query.outcome,
        "active": query.active,
        "reference": query.reference,
        "outcome_value": query.value,
        "paths": list(query.paths),
        "given": dict(query.given),
        **more,
    }


def question(graph, P, query, **more):
    return prepare(distribution(graph, P), causal_graph(graph), **asked(query, **more))


def problem(graph, P, query, kernel=None):
    """The whole graph, nothing left out."""
    model = Model(causal_graph(graph), distribution(graph, P), kernel)
    paths = path_set(model.graph, query.treatment, query.outcome, list(query.paths))
    nested = NestedCounterfactual(paths, query.value, query.active, query.reference, query.given)
    return Problem(model, nested, model.graph.components)


def ends(found):
    """What cannot be passed, of bounds or of a solution."""
    sides = (found.lower, found.upper)
    return tuple(side if isinstance(side, float) else side.bound for side in sides)


def simple(text, cards=2, seed=0):
    """A graph in words, and any distribution that has its independences."""
    graph = CausalGraph.from_any(text)
    sizes = dict.fromkeys(graph.nodes, cards) if isinstance(cards, int) else cards
    made = scm.Graph.of({v: sizes[v] for v in graph.nodes}, graph.directed, graph.bidirected)
    return made, scm.random_model(np.random.default_rng(seed), made, dense=True).distribution()
