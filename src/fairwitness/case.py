"""The case: everything one audit is about, prepared once and read by every method.

Rows are put into an order that depends on their content only, so that a shuffled table gives the same
numbers to the last digit. ``row_number`` leads back to the user's rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairwitness.typing import BoolArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.causal.graph.causal_graph import CausalGraph
    from fairwitness.model import BlackBox, Judgement
    from fairwitness.table import Encoder, Groups, Schema


@dataclass(frozen=True, slots=True)
class CausalSetting:
    """A causal graph, and where the values of its nodes stand in one audit.

    Attributes
    ----------
    graph
        The graph. Every node is the decision, a sensitive feature, the true outcome or a column.
    decision
        Node of the model's decision.
    reason
        Why that one: ``named``, ``by its name``, ``named like the outcome`` or ``the only node without
        effects``.
    columns
        The nodes that are columns of the user's table, n rows in canonical order.
    features
        Node → position among the case's ``groups``.
    outcome
        Node of the true outcome, where the graph has one beside the decision.
    """

    graph: CausalGraph
    decision: str
    reason: str
    columns: NativeFrame
    features: Mapping[str, int]
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """Another model on the rows of an audit.

    Attributes
    ----------
    judgement
        Its answers, in canonical order; ``None`` where it could not be asked.
    failure, remedy
        Why not, and what to do about it; empty if it could.
    kind, digest
        As in :class:`fairwitness.model.ModelInfo`; ``kind`` is empty where there is no model.
    """

    judgement: Judgement | None
    failure: str = ""
    remedy: str = ""
    kind: str = ""
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One model, one table, and the groups to compare.

    Attributes
    ----------
    models
        The model, or, for a cross-fitted decision maker, one model a fold.
    fold
        (n,) which of ``models`` judges each row; zeros for one model.
    inputs
        The columns the model reads, n rows in canonical order.
    evidence
        The non-sensitive columns: what a sensitive-feature classifier may see.
    groups
        One entry a sensitive feature, then their intersections.
    y
        (n,) whether the true outcome is the favourable one; ``None`` if the table does not say.
    judgement
        The model's decisions (and scores) on ``inputs``.
    schema, encoder
        Kinds, ranges and constraints of ``inputs``; frame ↔ matrix.
    row_key
        (n,) a short text that depends on the row's content only, to name a row in a report.
    row_number
        (n,) position of each row in the user's table.
    k, seed, n_jobs, confidence, minimum_n
        Counterfactuals a person; seed; workers; level of all intervals; smallest unmarked group.
    favorable, people
        The favourable outcome in words ("approve = 1"), and what to call the rows ("applicants").
    settings
        Whatever a method may be told: ``generator``, ``convention``, ...
    causal
        The causal graph with its place in the table; ``None`` if none was given.
    compared
        Name → another model's answers on the same rows.
    """

    models: tuple[BlackBox, ...]
    fold: IntArray
    inputs: NativeFrame
    evidence: NativeFrame
    groups: tuple[Groups, ...]
    y: BoolArray | None
    judgement: Judgement
    schema: Schema
    encoder: Encoder
    row_key: NDArray[np.str_]
    row_number: IntArray
    k: int
    seed: int
    n_jobs: int | None
    confidence: float
    minimum_n: int
    favorable: str
    people: str
    settings: Mapping[str, object] = field(default_factory=dict)
    causal: CausalSetting | None = None
    compared: Mapping[str, Compared] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.row_number)

    @property
    def can_query(self) -> bool:
        """Whether the model answers for rows that are not in the table."""
        return all(model.info.can_query for model in self.models)
