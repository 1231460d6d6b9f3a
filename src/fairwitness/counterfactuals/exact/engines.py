"""The engine for each kind of form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.counterfactuals.exact.answer import Engine
from fairwitness.counterfactuals.exact.columns import Column
from fairwitness.counterfactuals.exact.ensemble import TreeRelaxation
from fairwitness.counterfactuals.exact.forms import NetworkForm, TreeForm
from fairwitness.counterfactuals.exact.leaves import Leaves, leaves_of
from fairwitness.counterfactuals.exact.lines import Line
from fairwitness.counterfactuals.exact.metric import Metric
from fairwitness.counterfactuals.exact.search import Relaxation
from fairwitness.counterfactuals.exact.smooth import SmoothRelaxation
from fairwitness.counterfactuals.exact.terms import Terms, terms_of
from fairwitness.counterfactuals.exact.unfold import Unfolded
from fairwitness.typing import BoolArray, FloatArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.fitted import FittedTable


@dataclass(frozen=True, eq=False)
class TreeEngine:
    """Sums of trees."""

    form: TreeForm
    leaves: Leaves
    tolerance: float

    def relax(
        self, lines: Sequence[Line], numbers: FloatArray, metric: Metric, limit: float
    ) -> tuple[Sequence[Line], Relaxation]:
        """Keep the leaves within the limit."""
        relaxation = TreeRelaxation(self.leaves, self.form, lines, numbers, metric, limit)
        return relaxation.lines, relaxation

    @property
    def discrete(self) -> None:
        """Every row is an answer of its own."""
        return


@dataclass(frozen=True, eq=False)
class SmoothEngine:
    """Weighted sums and networks.

    Rows that differ only in columns that are not ``discrete`` (d,), those of full precision, are one answer.
    """

    form: NetworkForm
    terms: Terms
    discrete: BoolArray
    tolerance: float

    def relax(
        self, lines: Sequence[Line], numbers: FloatArray, metric: Metric, limit: float
    ) -> tuple[Sequence[Line], Relaxation]:
        """Every position of a line matters: there is nothing to keep."""
        return lines, SmoothRelaxation(self.form, self.terms, lines, metric)


def engine_for(model: Unfolded, columns: Sequence[Column], table: FittedTable) -> Engine:
    """Prepare whatever can be worked out before the first query."""
    base = table.rows[:1]
    if isinstance(model.form, NetworkForm):
        terms = terms_of(model.form, model.inputs, model.source, columns, base)
        discrete = np.array([c.grid is None or c.grid.discrete for c in columns], dtype=np.bool_)
        return SmoothEngine(model.form, terms, discrete, model.form.tolerance)
    leaves = leaves_of(model.form, model.inputs, model.source, columns, base)
    return TreeEngine(model.form, leaves, model.form.tolerance)
