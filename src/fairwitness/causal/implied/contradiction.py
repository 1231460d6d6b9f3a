"""Whether a table contradicts the graph that an answer rests on, in one sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fairwitness.causal.implied.independences import test_independences

if TYPE_CHECKING:
    from fairwitness.causal.solver.factors import Model

#: Cells of a table that is tested on the way to an answer; larger ones are tested on request.
MOST_CELLS = 100_000


def contradiction(model: Model) -> str | None:
    """Say what the table contradicts most, if it does; ``None`` too where it cannot be told or takes long.

    A known predictor's answer is no part of the table, so what the graph says of the outcome is not tested.
    """
    graph, distribution = model.graph, model.distribution
    if distribution.n is None or math.prod(distribution.cards) > MOST_CELLS:
        return None
    if model.kernel is not None:
        graph = graph.hiding(model.kernel.outcome)
    tests = test_independences(graph, distribution)
    worst, others = tests.worst, len(tests.rejected) - 1
    if worst is None:
        return None
    more = f" (and {others} more)" if others else ""
    return (
        f"the table contradicts the graph: {worst.statement}, p = {worst.p_adjusted:.2g}{more}; the bounds "
        "are those of the graph as it is drawn"
    )
