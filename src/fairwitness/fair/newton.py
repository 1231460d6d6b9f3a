"""Smooth convex losses of a linear score, least under bounds on a few directions of the coefficients.

Minimise  Σ_i s_i ℓ(x_iᵀw) + ½ Σ_j r_j w_j²  subject to  |a_kᵀ w| ≤ c  for every k.

With c = 0 the problem has no bounds left: w = N v, where the columns of N span the null space of A, and v is
free. With c > 0 each step solves the quadratic model under the bounds exactly (least distance programming by
non-negative least squares; Lawson and Hanson, Solving Least Squares Problems, 1974). Either way a handful of
Newton steps reach the minimum to rounding, and equal inputs give equal results: nothing is drawn.

An augmented Lagrangian around L-BFGS, the other way to go, meets the bounds to a tolerance only.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, null_space, solve_triangular
from scipy.optimize import nnls
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from fairwitness.typing import FloatArray

#: score → (loss, slope, curvature) of each row.
Loss = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]
_BLOCK = 4_000_000
#: Bounds are kept with this much to spare, so that rounding does not cross them.
_SPARE = 1e-9
_HALVINGS = 40


def logistic(sign: FloatArray) -> Loss:
    """log(1 + exp(−y·score)) for y = ±1."""

    def loss(score: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        margin = sign * score
        wrong = expit(-margin)
        return np.logaddexp(0.0, -margin), -sign * wrong, wrong * (1 - wrong)

    return loss


def squared_hinge(sign: FloatArray) -> Loss:
    """max(0, 1 − y·score)² for y = ±1."""

    def loss(score: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        short = np.maximum(0.0, 1 - sign * score)
        return short**2, -2 * sign * short, np.where(short > 0, 2.0, 0.0)

    return loss


@dataclass(frozen=True, slots=True)
class Minimum:
    """What :func:`minimise` found.

    Attributes
    ----------
    coef
        (d,).
    value
        The objective there.
    n_iter
        Newton steps.
    """

    coef: FloatArray
    value: float
    n_iter: int


def minimise(
    X: FloatArray,
    loss: Loss,
    weights: FloatArray,
    *,
    ridge: FloatArray,
    rows: FloatArray,
    bound: float,
    start: FloatArray | None = None,
    max_iter: int = 100,
    tol: float = 1e-10,
) -> Minimum:
    """Find the least objective under the bounds.

    Parameters
    ----------
    X
        (n, d) rows, a column of ones among them if there is an intercept.
    loss
        Loss of each row as a function of its score.
    weights
        (n,) s_i, at least 0.
    ridge
        (d,) r_j, at least 0; or a (d, d) matrix R for a penalty of ½ wᵀRw.
    rows
        (m, d) the a_k.
    bound
        c ≥ 0, the same for all; infinite for none.
    start
        (d,) where to start; it has to be within the bounds. Zero if left out.
    max_iter
        Most steps; a warning is given if they do not suffice.
    tol
        Stop when a step promises less than this share of the objective.
    """
    penalty = np.diag(ridge) if ridge.ndim == 1 else ridge
    if bound == 0 and len(rows):
        basis = null_space(rows)
        free = minimise(
            X @ basis,
            loss,
            weights,
            ridge=basis.T @ penalty @ basis,
            rows=np.empty((0, basis.shape[1])),
            bound=np.inf,
            start=None if start is None else basis.T @ start,
            max_iter=max_iter,
            tol=tol,
        )
        return Minimum(basis @ free.coef, free.value, free.n_iter)
    bounded = len(rows) > 0 and np.isfinite(bound)
    limit = bound * (1 - _SPARE)
    w = np.zeros(X.shape[1]) if start is None else start.copy()
    score = X @ w
    value, slope, curvature = _at(loss, score, weights, w, penalty)
    for step in range(1, max_iter + 1):
        gradient = X.T @ slope + penalty @ w
        hessian = _gram(X, curvature) + penalty
        hessian[np.diag_indices_from(hessian)] += 1e-12 * max(float(np.trace(hessian)) / len(w), 1e-300)
        direction = _direction(hessian, gradient, rows, rows @ w, limit if bounded else np.inf)
        promised = -float(gradient @ direction)
        if promised <= 0:
            return Minimum(w, value, step - 1)
        ahead = X @ direction
        length = 1.0
        for _ in range(_HALVINGS):
            candidate = w + length * direction
            moved = score + length * ahead
            new_value, new_slope, new_curvature = _at(loss, moved, weights, candidate, penalty)
            if new_value <= value - 1e-4 * length * promised:
                break
            length /= 2
        else:  # no length helps: rounding is all that is left
            return Minimum(w, value, step)
        w, score, value, slope, curvature = candidate, moved, new_value, new_slope, new_curvature
        if promised < tol * max(abs(value), 1e-300):
            return Minimum(w, value, step)
    warnings.warn(
        f"the loss was still falling after {max_iter} steps; scale the columns, penalise more (a smaller C), "
        "or raise max_iter",
        ConvergenceWarning,
        stacklevel=3,
    )
    return Minimum(w, value, max_iter)


def _at(
    loss: Loss, score: FloatArray, weights: FloatArray, w: FloatArray, penalty: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    each, slope, curvature = loss(score)
    return float(weights @ each + 0.5 * w @ penalty @ w), weights * slope, weights * curvature


def _gram(X: FloatArray, weights: FloatArray) -> FloatArray:
    """Xᵀ diag(weights) X, in blocks of rows so that no second table of n rows is needed."""
    out = np.zeros((X.shape[1], X.shape[1]))
    block = max(1, _BLOCK // max(X.shape[1], 1))
    for first in range(0, len(X), block):
        part = X[first : first + block]
        out += part.T @ (weights[first : first + block, None] * part)
    return out


def _direction(
    hessian: FloatArray, gradient: FloatArray, rows: FloatArray, at: FloatArray, limit: float
) -> FloatArray:
    """Minimise ½ dᵀHd + gᵀd subject to |a_kᵀ(w + d)| ≤ limit."""
    factor = cho_factor(hessian, lower=True)
    free: FloatArray = -cho_solve(factor, gradient)
    if not np.isfinite(limit):
        return free
    reached = at + rows @ free
    if (np.abs(reached) <= limit).all():
        return free
    # In e = Lᵀ(d − free) the model is ½‖e‖²: the nearest point to 0 that keeps all bounds.
    lower = np.tril(factor[0])
    turned = solve_triangular(lower, rows.T, lower=True).T
    normals = np.concatenate([turned, -turned])
    least = np.concatenate([-limit - reached, reached - limit])
    size = np.linalg.norm(normals, axis=1)
    size[size == 0] = 1.0
    normals, least = normals / size[:, None], least / size
    scale = float(np.abs(least).max())
    system = np.concatenate([normals.T, least[None, :] / scale])
    aim = np.zeros(len(system))
    aim[-1] = 1.0
    multipliers, _ = nnls(system, aim)
    rest = system @ multipliers - aim
    nearest = -scale * rest[:-1] / rest[-1]
    direction: FloatArray = free + solve_triangular(lower, nearest, lower=True, trans="T")
    return direction
