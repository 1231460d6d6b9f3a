from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from fairwitness.causal.solver.linear import Polytope, SolverError, with_slack


def polytope(matrix, low, high, upper=None):
    matrix = sparse.csc_matrix(np.asarray(matrix, float))
    bound = np.ones(matrix.shape[1]) if upper is None else np.asarray(upper, float)
    return Polytope(matrix, np.asarray(low, float), np.asarray(high, float), bound)


def random_polytope(rng, n=7, equal=2, between=2):
    """Distributions of n values, some sums of which are known, some within limits."""
    p = rng.dirichlet(np.ones(n))
    A = rng.integers(0, 2, size=(equal + between, n)).astype(float)
    at = A @ p
    room = np.concatenate([np.zeros(equal), rng.uniform(0, 0.2, between)])
    low, high = at - room, at + room
    for row in range(equal, equal + between):  # one limit only, now and then
        if rng.random() < 0.4:
            if rng.random() < 0.5:
                low[row] = -np.inf
            else:
                high[row] = np.inf
    whole = np.vstack([A, np.ones(n)])
    return polytope(whole, np.append(low, 1.0), np.append(high, 1.0)), p


def best(p, cost, sense):
    """By another solver's interface."""
    A = p.matrix.toarray()
    above, below = np.isfinite(p.high), np.isfinite(p.low)
    found = linprog(
        -cost if sense == "max" else cost,
        A_ub=np.vstack([A[above], -A[below]]),
        b_ub=np.concatenate([p.high[above], -p.low[below]]),
        bounds=(0, None),
    )
    return None if found.status == 2 else -found.fun if sense == "max" else found.fun


class TestOptimize:
    def test_random_programs(self):
        rng = np.random.default_rng(0)
        for _ in range(15):
            made, _ = random_polytope(rng)
            for _ in range(3):  # one after the other: each starts from where the last one ended
                cost = rng.normal(size=7)
                for sense in ("max", "min"):
                    found = made.optimize(cost, sense)
                    expected = best(made, cost, sense)
                    assert found.value == pytest.approx(expected, abs=1e-8)
                    assert found.bound == pytest.approx(expected, abs=1e-7)
                    sign = 1 if sense == "max" else -1
                    assert sign * (found.bound - found.value) > -1e-9
                    assert cost @ found.x == pytest.approx(found.value)
                    rows = made.matrix @ found.x
                    assert (found.x >= 0).all()
                    assert ((rows > made.low - 1e-7) & (rows < made.high + 1e-7)).all()

    def test_by_hand(self):
        made = polytope([[1, 1, 1], [1, 0, 0]], [1, 0.3], [1, 0.3])
        high = made.optimize(np.array([0.0, 2.0, 1.0]), "max")
        low = made.optimize(np.array([0.0, 2.0, 1.0]), "min")
        assert (high.value, high.bound) == pytest.approx((1.4, 1.4))
        assert high.x == pytest.approx([0.3, 0.7, 0])
        assert (low.value, low.bound) == pytest.approx((0.7, 0.7))
        assert (made.n_rows, made.n_columns) == (2, 3)

    def test_empty(self):
        made = polytope([[1, 1], [1, 0]], [1, 2], [1, 2])
        assert made.optimize(np.zeros(2), "max") is None
        assert made.optimize(np.ones(2), "min") is None

    def test_without_an_end(self):
        made = polytope([[1.0, -1.0]], [0.0], [0.0])
        with pytest.raises(SolverError, match="the linear program was not solved"):
            made.optimize(np.array([1.0, 1.0]), "max")


class TestBound:
    """The bound is computed from multipliers, and holds whatever they are."""

    @pytest.mark.parametrize("sense", ["max", "min"])
    def test_holds_with_wrong_multipliers(self, sense):
        rng = np.random.default_rng(1)
        sign = 1 if sense == "max" else -1
        wide = 0
        for _ in range(15):
            made, p = random_polytope(rng)
            cost = rng.normal(size=7)
            end = best(made, cost, sense)
            for size in (0.0, 0.1, 1.0, 10.0):
                bound = made._bound(cost, size * rng.normal(size=made.n_rows), sense)
                assert np.isfinite(bound)
                assert sign * (bound - end) > -1e-9
                assert sign * (bound - cost @ p) > -1e-9
                wide += sign * (bound - end) > 0.01
        assert wide > 30

    def test_is_tight_with_the_right_ones(self):
        rng = np.random.default_rng(2)
        for _ in range(15):
            made, _ = random_polytope(rng)
            cost = rng.normal(size=7)
            made.optimize(cost, "max")
            multipliers = np.array(made._solver.getSolution().row_dual)
            end = best(made, cost, "max")
            assert made._bound(cost, multipliers, "max") == pytest.approx(end, abs=1e-8)
            # and a little off they are a little off
            off = made._bound(cost, multipliers + 1e-4, "max")
            assert end - 1e-9 <= off <= end + 0.01

    def test_by_hand(self):
        """max x₁ + 2 x₂ over x₁ + x₂ = 1: y = 2 gives 2; y = 0 gives what the columns allow, 3."""
        made = polytope([[1, 1]], [1], [1])
        cost = np.array([1.0, 2.0])
        assert made._bound(cost, np.array([2.0]), "max") == pytest.approx(2)
        assert made._bound(cost, np.array([0.0]), "max") == pytest.approx(3)
        assert made._bound(cost, np.array([1.0]), "max") == pytest.approx(1 + 1)
        assert made._bound(cost, np.array([1.0]), "min") == pytest.approx(1)
        assert made._bound(cost, np.array([0.0]), "min") == pytest.approx(0)
        assert made._bound(cost, np.array([2.0]), "min") == pytest.approx(2 - 1)

    def test_limits_on_one_side_only(self):
        made = polytope([[1, 1], [1, 0]], [1, -np.inf], [1, 0.4])
        cost = np.array([2.0, 1.0])
        assert made._bound(cost, np.array([1.0, 1.0]), "max") == pytest.approx(1.4)
        assert made._bound(cost, np.array([1.0, -1.0]), "max") == pytest.approx(
            1 + 1
        )  # of no use: taken as 0
        upward = polytope([[1, 1], [1, 0]], [1, 0.4], [1, np.inf])
        assert upward._bound(cost, np.array([2.0, -1.0]), "max") == pytest.approx(2 - 0.4 + 1)
        assert upward._bound(cost, np.array([2.0, 5.0]), "max") == pytest.approx(2)

    def test_uses_what_each_column_may_be(self):
        made = polytope([[1, 1]], [1], [1], upper=[0.25, 1.0])
        assert made._bound(np.array([4.0, 1.0]), np.array([1.0]), "max") == pytest.approx(1 + 3 * 0.25)


class TestSlack:
    def test_by_hand(self):
        """x₁ + x₂ = 1 is certain; x₁ = 0.7 and x₂ = 0.5 miss each other by 0.2."""
        made = polytope([[1, 1], [1, 0], [0, 1]], [1, 0.7, 0.5], [1, 0.7, 0.5])
        assert made.optimize(np.zeros(2), "max") is None
        loose, slack = with_slack(made, np.array([False, True, True]))
        assert slack == pytest.approx(0.2)
        assert loose.n_columns == 2 + 2 * 2
        cost = np.array([1.0, 0, 0, 0, 0, 0])
        high, low = loose.optimize(cost, "max"), loose.optimize(cost, "min")
        assert (low.value, high.value) == pytest.approx((0.5, 0.7), abs=1e-5)
        assert low.bound <= low.value + 1e-9
        assert high.bound >= high.value - 1e-9
        assert high.x[:2].sum() == pytest.approx(1)

    def test_over_and_under_weigh_the_same(self):
        made = polytope([[1.0], [1.0], [1.0]], [0.1, 0.4, 0.5], [0.1, 0.4, 0.5])
        _, slack = with_slack(made, np.ones(3, dtype=bool))
        assert slack == pytest.approx(0.4)  # at the median

    def test_is_nothing_where_nothing_is_missed(self):
        made = polytope([[1, 1], [1, 0]], [1, 0.7], [1, 0.7])
        loose, slack = with_slack(made, np.array([False, True]))
        assert slack == pytest.approx(0, abs=1e-12)
        high = loose.optimize(np.array([1.0, 0, 0, 0]), "max")
        assert high.value == pytest.approx(0.7, abs=1e-6)

    def test_is_the_least_possible(self):
        rng = np.random.default_rng(3)
        for _ in range(15):
            A = np.vstack([np.ones(5), rng.integers(0, 2, size=(4, 5))]).astype(float)
            b = np.concatenate([[1.0], rng.uniform(size=4)])
            soft = np.array([False, True, True, True, True])
            loose, slack = with_slack(polytope(A, b, b), soft)
            eye = np.vstack([np.zeros(4), np.eye(4)])
            whole = linprog(np.concatenate([np.zeros(5), np.ones(8)]), A_eq=np.hstack([A, eye, -eye]), b_eq=b)
            assert slack == pytest.approx(whole.fun, abs=1e-8)
            point = loose.optimize(np.zeros(13), "max")
            assert np.abs(A[1:] @ point.x[:5] - b[1:]).sum() == pytest.approx(slack, abs=1e-5)

    def test_of_what_no_slack_can_help(self):
        made = polytope([[1.0], [1.0]], [2.0, 0.5], [2.0, 0.5])
        made = Polytope(sparse.csc_matrix([[0.0], [1.0]]), made.low, made.high, made.upper)
        with pytest.raises(SolverError, match="empty even with slack"):
            with_slack(made, np.array([False, True]))
