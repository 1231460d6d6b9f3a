from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from tests.fair.people import people

from fairwitness.fair.newton import logistic, minimise, squared_hinge


def problem(seed: int = 0):
    X, y, _ = people(300, d=5, seed=seed)
    rows = np.random.default_rng(seed + 1).normal(size=(3, 5))
    return X, 2.0 * y - 1, rows


@pytest.mark.parametrize("make", [logistic, squared_hinge])
@pytest.mark.parametrize("bound", [0.0, 0.05, 0.7, np.inf])
@pytest.mark.parametrize("seed", range(3))
def test_equals_a_general_solver(make, bound: float, seed: int) -> None:
    X, sign, rows = problem(seed)
    weights = np.random.default_rng(seed).uniform(0.2, 2, size=len(X))
    loss = make(sign)

    def value(w):
        return float(weights @ loss(X @ w)[0] + 0.5 * w @ w)

    def slope(w):
        return X.T @ (weights * loss(X @ w)[1]) + w

    constraints = []
    if np.isfinite(bound):
        constraints = [
            {"type": "ineq", "fun": lambda w, s=s: bound - s * (rows @ w), "jac": lambda w, s=s: -s * rows}
            for s in (1, -1)
        ]
    reference = minimize(
        value,
        np.zeros(5),
        jac=slope,
        method="SLSQP",
        constraints=constraints,
        options={"ftol": 1e-14, "maxiter": 500},
    )
    found = minimise(X, loss, weights, ridge=np.ones(5), rows=rows, bound=bound)
    assert found.value == pytest.approx(value(found.coef), rel=1e-12)
    assert found.value <= reference.fun * (1 + 1e-7)
    np.testing.assert_allclose(found.coef, reference.x, atol=2e-3)
    assert np.abs(rows @ found.coef).max() <= bound + 1e-12


def test_slopes_and_curvatures_are_derivatives() -> None:
    score = np.linspace(-3, 3, 13) + 0.01
    for make in (logistic, squared_hinge):
        loss = make(np.where(np.arange(13) % 2, 1.0, -1.0))
        low, high = loss(score - 1e-6), loss(score + 1e-6)
        _, slope, curvature = loss(score)
        np.testing.assert_allclose((high[0] - low[0]) / 2e-6, slope, atol=1e-6)
        np.testing.assert_allclose((high[1] - low[1]) / 2e-6, curvature, atol=1e-5)


def test_without_bounds_it_is_scikit_learn() -> None:
    X, sign, rows = problem()
    ones = np.ones(len(X))
    plain = LogisticRegression(C=0.3, fit_intercept=False, tol=1e-10, max_iter=1000).fit(X, sign)
    found = minimise(X, logistic(sign), ones, ridge=np.full(5, 1 / 0.3), rows=rows, bound=np.inf)
    np.testing.assert_allclose(found.coef, plain.coef_[0], atol=1e-6)
    plain = LinearSVC(C=0.3, fit_intercept=False, dual=False, tol=1e-10, max_iter=10_000).fit(X, sign)
    found = minimise(X, squared_hinge(sign), ones, ridge=np.full(5, 1 / 0.3), rows=rows, bound=np.inf)
    np.testing.assert_allclose(found.coef, plain.coef_[0], atol=1e-6)


def test_starts_anywhere_within_the_bounds() -> None:
    X, sign, rows = problem()
    settings = {"ridge": np.ones(5), "rows": rows, "bound": 0.1}
    ones = np.ones(len(X))
    first = minimise(X, logistic(sign), ones, **settings)
    again = minimise(X, logistic(sign), ones, start=first.coef, **settings)
    np.testing.assert_allclose(again.coef, first.coef, atol=1e-8)
    assert again.n_iter <= 2


def test_copes_with_columns_that_repeat_each_other_without_a_penalty() -> None:
    X, sign, rows = problem()
    doubled = np.concatenate([X, X], axis=1)
    ones = np.ones(len(X))
    single = minimise(X, logistic(sign), ones, ridge=np.zeros(5), rows=rows, bound=0.1)
    both = minimise(doubled, logistic(sign), ones, ridge=np.zeros(10), rows=np.tile(rows, 2), bound=0.1)
    assert both.value == pytest.approx(single.value, rel=1e-7)


def test_says_when_the_loss_keeps_falling() -> None:
    X, sign, rows = problem()
    separable = X * 0 + sign[:, None]
    with pytest.warns(ConvergenceWarning, match="still falling"):
        minimise(
            separable, logistic(sign), np.ones(len(X)), ridge=np.zeros(5), rows=rows, bound=np.inf, max_iter=5
        )
