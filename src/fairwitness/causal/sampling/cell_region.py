"""Everything confounded: the bounds are means over the people like the evidence, and so are their limits.

The bound is ``Σ_{v ⊨ o} P(v | o) · m(v)`` with ``m`` known (:mod:`fairwitness.causal.solver.cells`): the mean
of a variable that takes few values. Given how many people are like the evidence, the number of them with a
value of at least ``t`` is binomial, so that Clopper and Pearson's limits of these shares, one for each ``t``,
give a limit of the mean. No other frequency of the table matters, and none costs any confidence.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.causal.sampling.region import counted
from fairwitness.causal.sampling.tails import Tosses, limits
from fairwitness.causal.solver.cells import CellSearch
from fairwitness.causal.solver.problem import Problem

if TYPE_CHECKING:
    from fairwitness.causal.solver.factors import Model
    from fairwitness.typing import FloatArray

#: Most cells whose people are looked at.
MOST_CELLS = 20_000
#: From as many values on, a bound for means of any variable in an interval is better than one limit each.
MANY_VALUES = 8


def interval_by_cells(problem: Problem, model: Model, error: float) -> tuple[float, float] | None:
    """Give an interval with error probability ``error``; ``None`` if not all that matters is confounded.

    Parameters
    ----------
    problem
        With a model under which everything occurs.
    model
        With the counts.
    """
    search = CellSearch.of(problem)
    if search is None:
        return None
    sizes = [problem.model.cardinality(name) for name in search.members if name not in problem.query.given]
    if math.prod(sizes) > MOST_CELLS:
        return None
    table = counted(model, search.members)
    cells = [values for values, _ in search.cells()]
    counts = np.array([table[values] for values in cells])
    least = np.array([-search.best(values, -1.0) for values in cells])
    most = np.array([search.best(values, 1.0) for values in cells])
    return -mean_limit(-least, counts, error / 2), mean_limit(most, counts, error / 2)


def mean_limit(values: FloatArray, counts: FloatArray, error: float) -> float:
    """Give what the mean of a variable exceeds with probability ``error`` at most.

    Parameters
    ----------
    values
        (cells,) what the variable is in each cell.
    counts
        (cells,) people in each.
    """
    steps = np.unique(values)
    n = counts.sum()
    if len(steps) > MANY_VALUES:
        width = steps[-1] - steps[0]
        share = float(((values - steps[0]) / width * counts).sum())
        seen = Tosses.of(np.array([share]), np.array([n]), average=True)
        return float(steps[0] + width * limits(seen, math.log(error))[1][0])
    reached = np.array([counts[values >= step].sum() for step in steps[1:]])
    if not len(reached):
        return float(steps[0])
    seen = Tosses.of(reached, np.full(len(reached), n))
    return float(steps[0] + (np.diff(steps) * limits(seen, math.log(error / len(reached)))[1]).sum())
