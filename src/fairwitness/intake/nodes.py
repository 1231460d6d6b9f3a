"""Which node of a causal graph is which part of an audit: the decision, a sensitive feature, a column."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from fairwitness.arguments import shown
from fairwitness.case import CausalSetting
from fairwitness.errors import ConfigError
from fairwitness.table import Groups, column_names, select_columns, take_rows
from fairwitness.table.cuts import spec_of_name
from fairwitness.text import listing, plain
from fairwitness.typing import IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.causal.graph.causal_graph import CausalGraph

#: Names that a node of the model's decision goes by.
DECISION_NAMES = ("decision", "Ŷ", "Y_hat", "y_hat", "yhat", "prediction")


def read_setting(
    graph: CausalGraph,
    X: NativeFrame,
    order: IntArray,
    *,
    groups: Sequence[Groups],
    decision: object = None,
    outcome: str | None = None,
    has_outcome: bool = True,
    cut: Collection[str] = (),
) -> CausalSetting:
    """Find for every node of a graph where its values come from.

    Parameters
    ----------
    graph
        The causal graph.
    X
        The user's table, in the user's order.
    order
        (n,) rows of ``X`` in canonical order.
    groups
        The sensitive features. One such as ``"age > 25"`` is the node ``age``, unless ``cut`` has that name.
    decision
        Node of the model's decision. Without one: a node of one of :data:`DECISION_NAMES` that is no column,
        else the node named like the outcome, else the only node without effects.
    outcome, has_outcome
        Name of the outcome column, and whether its values are known.
    cut
        Columns that are cut in a way of their own.

    Raises
    ------
    ConfigError
        If the decision cannot be told, something follows from it, or a node is nowhere in the table.
    """
    present = set(column_names(X))
    features = _features(graph, groups, cut)
    node, reason = _decision(graph, decision, outcome, present - set(features))
    if node in features:
        raise ConfigError(
            f"the node of the decision, {plain(node)!r}, is a sensitive feature",
            fix=f"name another node as the decision: {_named([n for n in graph.nodes if n not in features])}",
        )
    after = graph.children(node)
    if after:
        raise ConfigError(
            f"in the graph, {_named(after)} follows from the decision {plain(node)!r}",
            fix="leave out what comes after the decision, or name another node as the decision",
        )
    truth = outcome if has_outcome and graph.has(outcome) and outcome != node else None
    columns = [n for n in graph.nodes if n in present and n not in features and n not in (node, truth)]
    known = {node, truth, *features, *columns}
    for name in graph.nodes:
        if name not in known:
            raise _nowhere(name, [*present, *features])
    return CausalSetting(
        graph=graph,
        decision=node,
        reason=reason,
        columns=take_rows(select_columns(X, columns), order),
        features=features,
        outcome=truth,
    )


def _features(graph: CausalGraph, groups: Sequence[Groups], cut: Collection[str]) -> dict[str, int]:
    """Give the node of each sensitive feature that has one: node → position of the feature."""
    single = {each.name: at for at, each in enumerate(groups) if len(each.parts) <= 1}
    found = {name: at for name, at in single.items() if graph.has(name)}
    by_column: dict[str, list[int]] = {}
    for name, at in single.items():
        if name not in found:
            by_column.setdefault(spec_of_name(name).column, []).append(at)
    for column, places in by_column.items():
        # Two cuts of one column are two variables: neither is the node.
        if len(places) == 1 and graph.has(column) and column not in found and column not in cut:
            found[column] = places[0]
    return {name: found[name] for name in graph.nodes if name in found}


def _decision(
    graph: CausalGraph, given: object, outcome: str | None, columns: Collection[str]
) -> tuple[str, str]:
    if given is not None:
        graph.check(given)
        return str(given), "named"
    for name in DECISION_NAMES:
        if graph.has(name) and name not in columns:
            return name, "by its name"
    if outcome is not None and graph.has(outcome):
        return outcome, "named like the outcome"
    last = [name for name in graph.nodes if not graph.children(name)]
    if len(last) == 1:
        return last[0], "the only node without effects"
    raise ConfigError(
        "it cannot be told which node of the graph is the model's decision",
        got=f"{len(last)} nodes without effects: {_named(last)}",
        fix='call it "decision", name it like the outcome column, or name it in the settings as decision',
    )


def _nowhere(name: str, known: Sequence[str]) -> ConfigError:
    close = difflib.get_close_matches(name, known, n=1)
    return ConfigError(
        f"the graph has the node {plain(name)!r}, but the table has no such column",
        got=f"columns {_named(sorted(known))}",
        fix=(f"did you mean {shown(close[0])}? " if close else "")
        + "A cause that is not measured is drawn as an arc between what it causes: A <-> B",
    )


def _named(names: Sequence[str]) -> str:
    return listing([plain(name) for name in names], most=20)
