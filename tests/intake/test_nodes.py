from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairwitness.causal import CausalGraph
from fairwitness.errors import ConfigError
from fairwitness.intake import prepare_case
from fairwitness.table import column


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 70, 60),
            "job": rng.choice(["a", "b"], 60),
            "hired": rng.integers(0, 2, 60),
            "sex": rng.choice(["f", "m"], 60),
        }
    )


def case(table: pd.DataFrame, graph: str, **changes: Any) -> Any:
    arguments: dict[str, Any] = {"sensitive_features": ["sex"], "random_state": 0, **changes}
    return prepare_case(
        lambda rows: (rows["job"] == "a").to_numpy(dtype=float),
        table[["age", "job", "sex"]],
        table["hired"],
        graph=CausalGraph.from_text(graph),
        **arguments,
    )


@pytest.mark.parametrize(
    ("graph", "changes", "decision", "reason"),
    [
        ("sex -> job -> decision", {}, "decision", "by its name"),
        ("sex -> job -> Ŷ; job -> hired", {"outcome": "hired"}, "Ŷ", "by its name"),
        ("sex -> job -> hired", {"outcome": "hired"}, "hired", "named like the outcome"),
        ("sex -> job -> hired; age", {"outcome": "hired"}, "hired", "named like the outcome"),
        ("sex -> job -> accepted", {}, "accepted", "the only node without effects"),
        ("sex -> job -> accepted; sex -> age", {"settings": {"decision": "accepted"}}, "accepted", "named"),
    ],
)
def test_the_decision_is_found(
    table: pd.DataFrame, graph: str, changes: dict[str, Any], decision: str, reason: str
) -> None:
    found = case(table, graph, **changes).causal
    assert (found.decision, found.reason) == (decision, reason)


def test_nodes_are_columns_features_and_the_true_outcome(table: pd.DataFrame) -> None:
    made = case(table, "{sex, age} -> job -> decision; job -> hired", outcome="hired")
    found = made.causal
    assert found.features == {"sex": 0}
    assert found.outcome == "hired"
    assert list(found.columns.columns) == ["age", "job"]
    # Rows in canonical order, as everything else of the case.
    assert column(found.columns, "job").tolist() == column(made.inputs, "job").tolist()


def test_a_cut_feature_is_the_node_of_its_column(table: pd.DataFrame) -> None:
    found = case(table, "age -> job -> decision", sensitive_features=["age > 40"]).causal
    assert found.features == {"age": 0}
    assert not len(found.columns.columns.intersection(["age"]))
    named = case(table, '"age > 40" -> job -> decision', sensitive_features=["age > 40"]).causal
    assert named.features == {"age > 40": 0}
    # Two cuts of one column are two variables, and bins of one's own make it a column.
    for changes in (
        {"sensitive_features": ["age > 40", "age > 60"]},
        {"sensitive_features": ["age > 40"], "settings": {"bins": {"age": [30]}}},
    ):
        assert case(table, "age -> job -> decision", **changes).causal.features == {}


@pytest.mark.parametrize(
    ("graph", "changes", "says"),
    [
        ("sex -> job; sex -> age", {}, "cannot be told.*2 nodes without effects: job and age"),
        ("sex -> jop -> decision", {}, "node 'jop'.*did you mean 'job'.*A <-> B"),
        ("sex -> job -> decision -> age", {}, "age follows from the decision 'decision'"),
        ("job -> sex", {"settings": {"decision": "sex"}}, "the decision, 'sex', is a sensitive feature"),
        ("sex -> job -> decision", {"settings": {"decision": "nobody"}}, "no node 'nobody'"),
        ("sex -> job -> decision; job -> hired", {}, "node 'hired'"),
    ],
)
def test_a_graph_that_does_not_fit_is_refused(
    table: pd.DataFrame, graph: str, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        case(table, graph, **changes)
    assert caught.value.fix


def test_without_a_graph_there_is_none(table: pd.DataFrame) -> None:
    made = prepare_case(lambda rows: np.ones(len(rows)), table, sensitive_features="sex", random_state=0)
    assert made.causal is None
