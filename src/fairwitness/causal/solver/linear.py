"""Linear programs over a polytope, solved by HiGHS, with a bound that holds whatever the solver did.

The bound comes from weak duality: for any multipliers ``y`` of the rows, no point of the polytope exceeds ``Σ
max(y_i·low_i, y_i·high_i) + Σ max(0, c_j − y·A_j)·u_j``. It is computed here from the solver's multipliers,
so an inaccurate solution can make it wide but never wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse

from fairwitness.errors import FairwitnessError
from fairwitness.typing import BoolArray, FloatArray

Sense = Literal["max", "min"]


class SolverError(FairwitnessError):
    """The linear program could not be solved."""


@dataclass(frozen=True, eq=False, slots=True)
class Optimum:
    """What a linear program gave.

    Attributes
    ----------
    value
        Attained by ``x``.
    bound
        No point is beyond it: at least ``value`` for a maximum, at most for a minimum.
    x
        Where it is attained.
    """

    value: float
    bound: float
    x: FloatArray


@dataclass(frozen=True, eq=False)
class Polytope:
    """``{x : low ≤ A x ≤ high, 0 ≤ x ≤ upper}``; ``upper`` must hold by itself or by the rows."""

    matrix: Any
    low: FloatArray
    high: FloatArray
    upper: FloatArray

    @property
    def n_rows(self) -> int:
        """Rows of the matrix."""
        return int(self.matrix.shape[0])

    @property
    def n_columns(self) -> int:
        """Columns of the matrix."""
        return int(self.matrix.shape[1])

    @cached_property
    def _solver(self) -> Any:
        import highspy

        # the plain class: the one with callbacks prints a banner as soon as it is made
        solver = getattr(highspy, "_Highs", highspy.Highs)()
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("random_seed", 0),
            ("primal_feasibility_tolerance", 1e-9),
            ("dual_feasibility_tolerance", 1e-9),
        ):
            solver.setOptionValue(name, value)
        columns = self.matrix.tocsc()
        model = highspy.HighsLp()
        model.num_col_ = self.n_columns
        model.num_row_ = self.n_rows
        model.col_cost_ = np.zeros(self.n_columns)
        model.col_lower_ = np.zeros(self.n_columns)
        # the rows already hold the flows under their limits; a bound twice only slows the solver
        model.col_upper_ = np.full(self.n_columns, highspy.kHighsInf)
        model.row_lower_ = self.low
        model.row_upper_ = self.high
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = columns.indptr
        model.a_matrix_.index_ = columns.indices
        model.a_matrix_.value_ = columns.data
        solver.passModel(model)
        return solver

    def optimize(self, cost: FloatArray, sense: Sense) -> Optimum | None:
        """Give the largest or smallest value of ``cost @ x``; ``None`` if the polytope is empty.

        Raises
        ------
        SolverError
            If the solver stops for another reason.
        """
        import highspy

        solver = self._solver
        solver.changeObjectiveSense(
            highspy.ObjSense.kMaximize if sense == "max" else highspy.ObjSense.kMinimize
        )
        solver.changeColsCost(self.n_columns, np.arange(self.n_columns, dtype=np.int32), cost)
        solver.run()
        status = solver.getModelStatus()
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(
                "the linear program was not solved",
                got=str(status),
                fix="report this with the graph and the table",
            )
        solution = solver.getSolution()
        x = np.maximum(np.array(solution.col_value), 0.0)
        multipliers = np.array(solution.row_dual)
        return Optimum(float(cost @ x), self._bound(cost, multipliers, sense), x)

    def _bound(self, cost: FloatArray, multipliers: FloatArray, sense: Sense) -> float:
        sign = 1.0 if sense == "max" else -1.0
        y = sign * multipliers
        # a row without a limit on one side cannot carry a multiplier of that sign
        y = np.where((y > 0) & np.isinf(self.high), 0.0, np.where((y < 0) & np.isinf(self.low), 0.0, y))
        reduced = sign * cost - self.matrix.T @ y
        with np.errstate(invalid="ignore"):
            rows = np.where(y > 0, y * self.high, np.where(y < 0, y * self.low, 0.0))
        return float(sign * (rows.sum() + (np.maximum(reduced, 0.0) * self.upper).sum()))


def with_slack(polytope: Polytope, soft: BoolArray) -> tuple[Polytope, float]:
    """Allow the rows marked ``soft`` to be missed, by the least total that makes the polytope non-empty.

    Returns
    -------
    tuple
        The polytope with columns for what each soft row is over and under, at the end; and that amount ε.
    """
    rows = np.flatnonzero(soft)
    ones = np.ones(len(rows))
    over = sparse.csc_matrix((ones, (rows, np.arange(len(rows)))), shape=(polytope.n_rows, len(rows)))
    matrix = sparse.hstack([polytope.matrix, over, -over], format="csc")
    upper = np.concatenate([polytope.upper, np.ones(2 * len(rows))])
    loose = Polytope(matrix, polytope.low, polytope.high, upper)
    cost = np.concatenate([np.zeros(polytope.n_columns), np.ones(2 * len(rows))])
    least = loose.optimize(cost, "min")
    if least is None:
        raise SolverError("the linear program is empty even with slack", fix="report this with the graph")
    budget = least.value * (1 + 1e-6) + 1e-9
    total = sparse.csc_matrix(cost.reshape(1, -1))
    tied = Polytope(
        sparse.vstack([matrix, total], format="csc"),
        np.append(polytope.low, -np.inf),
        np.append(polytope.high, budget),
        upper,
    )
    return tied, float(least.value)
