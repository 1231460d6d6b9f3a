"""The corners of what a block can answer: the projection of its polytope on the probabilities asked for.

A function that is linear in each block has its optimum at corners. The projection has few dimensions (one for
each probability that is truly open), so its corners are found from outside in: start with the extremes along
some directions, take the convex hull, and push every face outwards by a linear program until none moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, spatial

from fairwitness.causal.solver.linear import Polytope
from fairwitness.typing import FloatArray, IntArray

#: Most dimensions in which all corners are sought: their number grows quickly with it.
MOST_DIMENSIONS = 6

#: Where the projection has more, the polytope's own corners are sought if it is no larger than this.
MOST_COLUMNS, MOST_FREE = 40, 9

#: A face that moves less than this is final; dimensions thinner than this are taken as flat.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, slots=True)
class Corners:
    """Corners of a projection.

    Attributes
    ----------
    points
        (v, m) values of the m linear functions at each corner.
    complete
        Whether no face can be pushed out any more: then these are all corners.
    """

    points: FloatArray
    complete: bool


def corners(polytope: Polytope, functions: FloatArray, *, most: int = 400) -> Corners | None:
    """Find the corners of ``{functions @ x : x in polytope}``.

    Parameters
    ----------
    functions
        (m, n) linear functions.
    most
        Stop, incomplete, beyond this number of corners.

    Returns
    -------
    Corners or None
        ``None`` if the polytope is empty.
    """
    found: list[FloatArray] = []

    def push(direction: FloatArray) -> FloatArray | None:
        optimum = polytope.optimize(direction @ functions, "max")
        return None if optimum is None else functions @ optimum.x

    first = push(np.zeros(len(functions)))
    if first is None:
        return None
    found.append(first)
    basis = _span(functions, push, found)
    if not len(basis):
        return Corners(found[0][None, :], complete=True)
    if len(basis) > MOST_DIMENSIONS:
        return _by_halfspaces(polytope, functions) or Corners(np.array(found), complete=False)
    return _hull(basis, push, found, most)


def _span(functions: FloatArray, push: object, found: list[FloatArray]) -> FloatArray:
    """Find directions that span the projection, adding extreme points along them."""
    basis: list[FloatArray] = []
    rest = np.eye(len(functions))
    while len(rest) and len(basis) <= MOST_DIMENSIONS:
        direction = rest[0]
        low, high = push(-direction), push(direction)  # type: ignore[operator]
        step = high - low
        for each in basis:
            step = step - (step @ each) * each
        if abs(direction @ (high - low)) > TOLERANCE and np.linalg.norm(step) > TOLERANCE:
            found += [low, high]
            basis.append(step / np.linalg.norm(step))
            rest = _complement(rest, basis[-1])
        else:
            rest = rest[1:]
    return np.array(basis).reshape(len(basis), len(functions))


def _complement(rest: FloatArray, direction: FloatArray) -> FloatArray:
    """Make the remaining directions orthogonal to a new one, dropping what vanishes."""
    left = rest - np.outer(rest @ direction, direction)
    kept: list[FloatArray] = []
    for row in left:
        for each in kept:
            row = row - (row @ each) * each
        size = np.linalg.norm(row)
        if size > 1e-8:
            kept.append(row / size)
    return np.array(kept).reshape(len(kept), rest.shape[1])


def _hull(basis: FloatArray, push: object, found: list[FloatArray], most: int) -> Corners:
    origin = found[0]
    dimension = len(basis)
    if dimension == 1:
        along = np.array([(point - origin) @ basis[0] for point in found])
        return Corners(np.array([found[int(along.argmin())], found[int(along.argmax())]]), complete=True)
    final: set[tuple[float, ...]] = set()
    while True:
        flat = np.array([basis @ (point - origin) for point in found])
        try:
            hull = spatial.ConvexHull(flat)
        except spatial.QhullError:
            if _fatten(basis, push, found, origin):
                continue
            return Corners(np.array(found), complete=False)
        moved = False
        for normal, offset in {tuple(np.round(eq, 12)): (eq[:-1], eq[-1]) for eq in hull.equations}.values():
            name = tuple(np.round(np.append(normal, offset), 9))
            if name in final:
                continue
            point = push(normal @ basis)  # type: ignore[operator]
            if normal @ (basis @ (point - origin)) + offset > TOLERANCE:
                found.append(point)
                moved = True
            else:
                final.add(name)
        if len(found) > most:
            return Corners(np.array([found[i] for i in hull.vertices]), complete=False)
        if not moved:
            return Corners(np.array([found[i] for i in hull.vertices]), complete=True)


def _fatten(basis: FloatArray, push: object, found: list[FloatArray], origin: FloatArray) -> bool:
    """Add extremes across the flat found so far; say whether that gave it volume."""
    flat = np.array([basis @ (point - origin) for point in found])
    _, sizes, axes = np.linalg.svd(flat - flat.mean(axis=0))
    rank = int((sizes > TOLERANCE).sum())
    if rank == len(basis):
        return False
    before = len(found)
    for axis in axes[rank:]:
        found += [push(axis @ basis), push(-axis @ basis)]  # type: ignore[operator]
    flat = np.array([basis @ (point - origin) for point in found])
    sizes = np.linalg.svd(flat - flat.mean(axis=0), compute_uv=False)
    return len(found) > before and int((sizes > TOLERANCE).sum()) > rank


def _by_halfspaces(polytope: Polytope, functions: FloatArray) -> Corners | None:
    """Find the corners of a small polytope as those of the halfspaces that its columns are positive in."""
    if polytope.n_columns > MOST_COLUMNS or bool((polytope.low != polytope.high).any()):
        return None
    open_columns, centre = _inside(polytope)
    matrix = polytope.matrix.toarray()[:, open_columns]
    free = linalg.null_space(matrix, rcond=1e-10)
    if not 2 <= free.shape[1] <= MOST_FREE:
        return None
    # x = centre + free @ z; a column is positive where -free @ z - centre <= 0
    halfspaces = np.column_stack([-free, -centre[open_columns]])
    try:
        met = spatial.HalfspaceIntersection(halfspaces, np.zeros(free.shape[1]))
    except spatial.QhullError:
        return None
    x = np.zeros((len(met.intersections), polytope.n_columns))
    x[:, open_columns] = np.maximum(centre[open_columns] + met.intersections @ free.T, 0.0)
    points = np.unique(np.round(x @ functions.T, 12), axis=0)
    return Corners(points, complete=bool(np.isfinite(points).all()))


def _inside(polytope: Polytope) -> tuple[IntArray, FloatArray]:
    """Give the columns that are not always 0, and a point at which all of these are positive."""
    points = []
    for column in range(polytope.n_columns):
        cost = np.zeros(polytope.n_columns)
        cost[column] = 1.0
        most = polytope.optimize(cost, "max")
        if most is not None and most.value > TOLERANCE:
            points.append((column, most.x))
    return np.array([column for column, _ in points]), np.mean([x for _, x in points], axis=0)
