from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from fairwitness.causal.solver import vertices
from fairwitness.causal.solver.linear import Polytope
from fairwitness.causal.solver.vertices import corners


def equalities(A, b):
    A, b = np.asarray(A, float), np.asarray(b, float)
    return Polytope(sparse.csc_matrix(A), b, b, np.ones(A.shape[1]))


def cube(n):
    """x + its slack = 1, in each of n dimensions; the functions are the x."""
    A = np.hstack([np.eye(n), np.eye(n)])
    return equalities(A, np.ones(n)), np.hstack([np.eye(n), np.zeros((n, n))])


def basic_points(polytope):
    """All corners of the polytope itself: every basis solved."""
    A, b = polytope.matrix.toarray(), polytope.low
    kept = []
    for row in range(len(A)):
        if np.linalg.matrix_rank(A[[*kept, row]]) > len(kept):
            kept.append(row)
    points = []
    for basis in itertools.combinations(range(A.shape[1]), len(kept)):
        square = A[np.ix_(kept, basis)]
        if abs(np.linalg.det(square)) < 1e-9:
            continue
        x = np.zeros(A.shape[1])
        x[list(basis)] = np.linalg.solve(square, b[kept])
        if (x > -1e-10).all() and np.allclose(A @ x, b):
            points.append(x)
    return np.array(points)


def extreme(points):
    """Those points that are no mixture of the others."""
    points = unique(points)
    kept = []
    for number, point in enumerate(points):
        others = np.delete(points, number, axis=0)
        if not len(others):
            return points
        mixed = linprog(
            np.zeros(len(others)),
            A_eq=np.vstack([others.T, np.ones(len(others))]),
            b_eq=np.append(point, 1.0),
            bounds=(0, None),
        )
        if mixed.status == 2:
            kept.append(point)
    return np.array(kept)


def unique(points, tolerance=1e-7):
    kept = []
    for point in points:
        if all(np.abs(point - other).max() > tolerance for other in kept):
            kept.append(point)
    return np.array(kept)


def same(found, expected):
    """The same points, each once, in any order."""
    found = np.asarray(found)
    return len(unique(found)) == len(found) == len(expected) and all(
        np.abs(found - point).max(axis=1).min() < 1e-6 for point in expected
    )


def random_polytope(rng, n=7, rows=2):
    p = rng.dirichlet(np.ones(n))
    A = np.vstack([np.ones(n), rng.integers(0, 2, size=(rows, n))])
    return equalities(A, A @ p)


class TestAllCorners:
    @pytest.mark.parametrize("m", [1, 2, 3, 4])
    def test_random_projections(self, m):
        rng = np.random.default_rng(m)
        sizes = set()
        for _ in range(12):
            polytope = random_polytope(rng)
            functions = rng.normal(size=(m, 7))
            found = corners(polytope, functions)
            expected = extreme(basic_points(polytope) @ functions.T)
            assert found.complete
            assert same(found.points, expected)
            sizes.add(len(expected))
        assert len(sizes) > (m > 1)

    def test_probabilities_of_events(self):
        """Zeros and ones, as events have them, where many corners coincide."""
        rng = np.random.default_rng(5)
        flat = 0
        for _ in range(25):
            polytope = random_polytope(rng, rows=int(rng.integers(1, 4)))
            functions = rng.integers(0, 2, size=(int(rng.integers(1, 5)), 7)).astype(float)
            found = corners(polytope, functions)
            points = basic_points(polytope) @ functions.T
            assert found.complete
            assert same(found.points, extreme(points))
            flat += np.linalg.matrix_rank(points - points[0], tol=1e-8) < len(functions)
        assert flat > 5

    def test_a_cube(self):
        for n in (1, 2, 3, 4):
            polytope, functions = cube(n)
            found = corners(polytope, functions)
            assert found.complete
            assert same(found.points, np.array(list(itertools.product([0.0, 1.0], repeat=n))))

    def test_a_simplex_is_flat(self):
        polytope = equalities([[1, 1, 1, 1]], [1])
        found = corners(polytope, np.eye(4))
        assert found.complete
        assert same(found.points, np.eye(4))

    def test_functions_that_depend_on_one_another(self):
        polytope, functions = cube(2)
        twice = np.vstack([functions, functions[0] + functions[1], 0 * functions[0], 1 + 0 * functions[0]])
        found = corners(polytope, twice)
        assert found.complete
        square = [[a, b, a + b, 0, 2] for a, b in itertools.product([0.0, 1.0], repeat=2)]
        assert same(found.points, np.array(square))

    def test_along_no_axis(self):
        """A segment from one corner of the cube to the other."""
        polytope, functions = cube(1)
        found = corners(polytope, np.vstack([functions, functions, -functions]))
        assert found.complete
        assert same(found.points, np.array([[0.0, 0, 0], [1, 1, -1]]))

    def test_thin_but_not_flat(self):
        """One side is a thousand times shorter than the other."""
        polytope, functions = cube(2)
        found = corners(polytope, functions * np.array([[1.0], [1e-3]]))
        assert found.complete
        assert len(found.points) == 4
        assert found.points.max(0) == pytest.approx([1, 1e-3])


class TestOnePoint:
    def test_of_a_polytope_of_one(self):
        polytope = equalities([[1, 1], [1, 0]], [1, 0.3])
        found = corners(polytope, np.array([[1.0, 0.0], [2.0, 1.0]]))
        assert found.complete
        assert found.points == pytest.approx(np.array([[0.3, 1.3]]))

    def test_of_functions_that_are_known(self):
        polytope = equalities([[1, 1, 1]], [1])
        found = corners(polytope, np.ones((2, 3)))
        assert found.complete
        assert found.points == pytest.approx(np.ones((1, 2)))

    def test_of_an_empty_polytope(self):
        assert corners(equalities([[1, 1], [1, 0]], [1, 2]), np.eye(2)) is None


class TestManyDimensions:
    """Beyond those in which a hull is grown, small polytopes are taken as they are, large ones left."""

    def test_of_a_small_polytope(self):
        n = vertices.MOST_DIMENSIONS + 1
        polytope, functions = cube(n)
        found = corners(polytope, functions)
        assert found.complete
        assert same(found.points, np.array(list(itertools.product([0.0, 1.0], repeat=n))))

    def test_all_corners_are_among_those_found(self, monkeypatch):
        monkeypatch.setattr(vertices, "MOST_DIMENSIONS", 1)
        rng = np.random.default_rng(6)
        for _ in range(15):
            polytope = random_polytope(rng, rows=int(rng.integers(1, 4)))
            functions = rng.normal(size=(3, 7))
            points = basic_points(polytope) @ functions.T
            found = corners(polytope, functions)
            assert found.complete
            for corner in extreme(points):
                assert np.abs(found.points - corner).max(axis=1).min() < 1e-6
            for point in found.points:  # those of the polytope that are no corners of its image do no harm
                assert np.abs(points - point).max(axis=1).min() < 1e-6

    def test_columns_that_are_always_nothing(self, monkeypatch):
        """x₁ = 0 by the rows: the polytope is flat among its own columns."""
        monkeypatch.setattr(vertices, "MOST_DIMENSIONS", 1)
        polytope = equalities([[1, 1, 1, 1, 1], [1, 0, 0, 0, 0]], [1, 0])
        found = corners(polytope, np.eye(5))
        assert found.complete
        assert same(found.points, np.eye(5)[1:])

    def test_of_a_large_polytope(self, monkeypatch):
        monkeypatch.setattr(vertices, "MOST_COLUMNS", 13)
        polytope, functions = cube(vertices.MOST_DIMENSIONS + 1)
        found = corners(polytope, functions)
        assert not found.complete
        assert np.isin(found.points.round(9), [0.0, 1.0]).all()  # what was found is attained all the same

    def test_limits_instead_of_values(self, monkeypatch):
        """Rows within limits are no halfspaces of columns alone."""
        monkeypatch.setattr(vertices, "MOST_DIMENSIONS", 1)
        polytope = Polytope(sparse.csc_matrix(np.ones((1, 3))), np.zeros(1), np.ones(1), np.ones(3))
        assert not corners(polytope, np.eye(3)).complete

    def test_which_are_many(self, monkeypatch):
        monkeypatch.setattr(vertices, "MOST_COLUMNS", 0)
        monkeypatch.setattr(vertices, "MOST_DIMENSIONS", 3)
        polytope, functions = cube(3)
        assert corners(polytope, functions).complete
        polytope, functions = cube(4)
        assert not corners(polytope, functions).complete
        # five functions, but of three dimensions
        polytope, functions = cube(3)
        assert corners(polytope, np.vstack([functions, functions[:2]])).complete

    def test_of_more_corners_than_asked_for(self):
        polytope, functions = cube(4)
        found = corners(polytope, functions, most=12)
        assert not found.complete
        assert set(map(tuple, found.points.round(9))) <= set(itertools.product([0.0, 1.0], repeat=4))
        assert corners(polytope, functions, most=40).complete


class TestFlatPoints:
    """What Qhull refuses: points without volume, or with next to none."""

    def test_are_given_volume_where_there_is_some(self):
        polytope, functions = cube(3)

        def push(direction):
            return functions @ polytope.optimize(direction @ functions, "max").x

        found = [np.zeros(3), np.array([1.0, 0, 0]), np.array([0, 1.0, 0])]
        assert vertices._fatten(np.eye(3), push, found, found[0])
        assert np.linalg.matrix_rank(np.array(found) - np.mean(found, axis=0)) == 3
        assert not vertices._fatten(np.eye(3), push, found, found[0])  # nothing is left to add

    def test_stay_flat_where_there_is_none(self):
        found = [np.zeros(2), np.array([1.0, 0.0])]
        assert not vertices._fatten(np.eye(2), lambda direction: np.zeros(2), found, found[0])

    @pytest.mark.parametrize(("refusals", "complete"), [(1, True), (1000, False)])
    def test_of_a_hull_are_tried_again_or_given_up(self, monkeypatch, refusals, complete):
        polytope, functions = cube(3)
        left = [refusals]
        hull = vertices.spatial.ConvexHull

        def refusing(points):
            if left[0]:
                left[0] -= 1
                raise vertices.spatial.QhullError("flat")
            return hull(points)

        grown = []

        def fatten(*_):
            grown.append(1)
            return len(grown) < 3

        monkeypatch.setattr(vertices.spatial, "ConvexHull", refusing)
        monkeypatch.setattr(vertices, "_fatten", fatten)
        found = corners(polytope, functions)
        assert found.complete is complete
        if complete:
            assert len(found.points) == 8

    def test_of_halfspaces_leave_the_corners_incomplete(self, monkeypatch):
        polytope, functions = cube(vertices.MOST_DIMENSIONS + 1)

        def refusing(*_):
            raise vertices.spatial.QhullError("flat")

        monkeypatch.setattr(vertices.spatial, "HalfspaceIntersection", refusing)
        found = corners(polytope, functions)
        assert not found.complete
        assert found.points.shape[1] == len(functions)
