"""What a graph with arcs implies, and distributions that obey it, by enumeration."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np

from fairwitness.causal.graph.causal_graph import CausalGraph


def random_graph(rng, n, *, edge=0.4, arc=0.3):
    names = [f"v{i}" for i in range(n)]
    pairs = list(itertools.combinations(names, 2))
    return CausalGraph(
        [pair for pair in pairs if rng.random() < edge],
        [pair for pair in pairs if rng.random() < arc],
        nodes=names,
    )


def with_hidden_nodes(graph):
    """The directed graph in which each arc is a hidden common cause."""
    full = nx.DiGraph()
    full.add_nodes_from(graph.nodes)
    full.add_edges_from(graph.directed)
    for a, b in graph.bidirected:
        full.add_edges_from([((a, b), a), ((a, b), b)])
    return full


def d_separated(graph, first, second, given):
    return nx.is_d_separator(with_hidden_nodes(graph), set(first), set(second), set(given))


def random_joint(rng, graph, *, values=2, hidden=3):
    """P(v) of random conditional distributions, with one hidden cause for each arc, summed out exactly."""
    letters = {name: at for at, name in enumerate([*graph.nodes, *graph.bidirected])}
    operands = []
    for arc in graph.bidirected:
        operands += [rng.dirichlet(np.ones(hidden)), [letters[arc]]]
    for name in graph.nodes:
        causes = [*graph.parents(name), *(arc for arc in graph.bidirected if name in arc)]
        shape = [values if isinstance(cause, str) else hidden for cause in causes]
        operands += [
            rng.dirichlet(np.ones(values), size=shape),
            [*(letters[c] for c in causes), letters[name]],
        ]
    return np.einsum(*operands, list(range(len(graph.nodes))), optimize="greedy")


def closure(statements):
    """All that follows by the semi-graphoid axioms; a statement is a triple of disjoint frozensets."""
    known = set()
    waiting = {*statements, *((b, a, c) for a, b, c in statements)}
    while waiting:
        known |= waiting
        new = set()
        for a, b, c in waiting:
            for one in b:
                fewer = b - {one}
                if fewer:
                    new |= {(a, fewer, c), (a, fewer, c | {one})}
        for a, b, c in waiting:  # contraction: a ⊥ b | c and a ⊥ d | b, c give a ⊥ b, d | c
            for a2, d, c2 in known:
                if a2 == a and c2 == b | c:
                    new.add((a, b | d, c))
                if a2 == a and d | c2 == c and not d & c2:
                    new.add((a, b | d, c2))
        new |= {(b, a, c) for a, b, c in new}
        waiting = new - known
    return known


def all_statements(graph):
    """Every pair of disjoint sets that some third set d-separates."""
    found = set()
    for roles in itertools.product(range(4), repeat=len(graph.nodes)):
        a, b, c = (frozenset(v for v, r in zip(graph.nodes, roles, strict=True) if r == k) for k in (1, 2, 3))
        if a and b and d_separated(graph, a, b, c):
            found.add((a, b, c))
    return found
