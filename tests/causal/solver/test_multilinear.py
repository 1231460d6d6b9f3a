from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse
from tests.causal.solver.test_vertices import basic_points, random_polytope

from fairwitness.causal.solver.linear import Polytope
from fairwitness.causal.solver.multilinear import Form, climb, over_corners
from fairwitness.causal.solver.vertices import corners

A, B, C = ((0, 1),), ((1, 0),), ((2, 1), (3, 0))
#: 2 − 3 p(A) q(C) + 0.5 p(B): blocks 0 and 2, block 1 is not asked.
POLYNOMIAL = {((), (), ()): 2.0, (A, (), C): -3.0, (B, (), ()): 0.5}


def random_form(rng, sizes, n_terms=6):
    """A multilinear function of blocks that are asked for so many events each."""
    polynomial = {}
    for _ in range(n_terms):
        key = tuple(((place, int(rng.integers(size))),) for place, size in enumerate(sizes))
        key = tuple(event if rng.random() < 0.8 else () for event in key)
        polynomial[key] = float(rng.normal())
    return Form.of(polynomial, range(len(sizes)))


def setup(rng, n_blocks, n=5):
    """Blocks with their programs, and for each the functions of the events that a form asks for."""
    form = random_form(rng, [3] * n_blocks)
    polytopes = [random_polytope(rng, n=n, rows=1) for _ in range(n_blocks)]
    functions = [np.vstack([np.ones(n), rng.uniform(size=(len(events) - 1, n))]) for events in form.events]
    return form, polytopes, functions


def brute(form, polytopes, functions):
    """All corners of all blocks."""
    points = [basic_points(p) @ f.T for p, f in zip(polytopes, functions, strict=True)]
    values = [form.at(choice) for choice in itertools.product(*points)]
    return min(values), max(values)


class TestForm:
    def test_reads_a_polynomial(self):
        form = Form.of(POLYNOMIAL, [0, 2])
        assert form.events == (((), A, B), ((), C))
        assert form.index.tolist() == [[0, 0], [1, 1], [2, 0]]
        assert form.weights.tolist() == [2.0, -3.0, 0.5]

    def test_value(self):
        form = Form.of(POLYNOMIAL, [0, 2])
        assert form.at([np.array([1, 0.5, 0.25]), np.array([1, 0.2])]) == pytest.approx(2 - 0.3 + 0.125)
        assert form.weights.tolist() == [2.0, -3.0, 0.5]

    def test_weights_of_one_block(self):
        form = Form.of(POLYNOMIAL, [0, 2])
        assert form.linear([None, np.array([1, 0.2])]) == pytest.approx([2, -0.6, 0.5])
        assert form.linear([np.array([1, 0.5, 0.25]), None]) == pytest.approx([2.125, -1.5])

    def test_linear_and_value_agree(self):
        rng = np.random.default_rng(0)
        for _ in range(20):
            form = random_form(rng, [3, 2, 4])
            answers = [np.append(1.0, rng.uniform(size=len(events) - 1)) for events in form.events]
            for place in range(3):
                others = [None if k == place else answer for k, answer in enumerate(answers)]
                assert form.linear(others) @ answers[place] == pytest.approx(form.at(answers))


class TestOverCorners:
    @pytest.mark.parametrize("n_blocks", [2, 3])
    def test_is_the_extreme_of_all_corners(self, n_blocks):
        rng = np.random.default_rng(n_blocks)
        for _ in range(8):
            form, polytopes, functions = setup(rng, n_blocks)
            largest = int(rng.integers(n_blocks))
            found = [
                None if place == largest else corners(p, f)
                for place, (p, f) in enumerate(zip(polytopes, functions, strict=True))
            ]
            assert all(each is None or each.complete for each in found)
            expected = brute(form, polytopes, functions)
            for sense, end in zip(("min", "max"), expected, strict=True):
                made = over_corners(form, polytopes, functions, found, largest, sense)
                assert made.value == pytest.approx(end, abs=1e-7)
                assert made.bound == pytest.approx(end, abs=1e-6)
                assert 1 <= made.programs <= np.prod([len(e.points) for e in found if e is not None])

    def test_equal_programs_are_solved_once(self):
        """Where the other block does not matter, one program does for all its corners."""
        rng = np.random.default_rng(7)
        _, polytopes, functions = setup(rng, 2)
        form = Form.of({(((0, 0),), ()): 1.0}, range(2))
        functions = [functions[0][:2], np.ones((1, 5))]
        found = [None, corners(polytopes[1], functions[1])]
        assert over_corners(form, polytopes, functions, found, 0, "max").programs == 1

    def test_out_of_time(self):
        """Of an extreme over some corners nothing follows, so nothing is said."""
        rng = np.random.default_rng(9)
        form, polytopes, functions = setup(rng, 2)
        found = [None, corners(polytopes[1], functions[1])]
        assert over_corners(form, polytopes, functions, found, 0, "max", seconds=-1.0) is None
        assert over_corners(form, polytopes, functions, found, 0, "max", seconds=60.0) is not None

    def test_the_bound_is_the_programs(self):
        """A solver that claims too little is not believed: the bound comes from its multipliers."""
        rng = np.random.default_rng(8)
        form, polytopes, functions = setup(rng, 2)
        found = [None, corners(polytopes[1], functions[1])]
        honest = over_corners(form, polytopes, functions, found, 0, "max")
        polytopes[0] = _Wrong(polytopes[0])
        wrong = over_corners(form, polytopes, functions, found, 0, "max")
        assert wrong.value == pytest.approx(honest.value - 1)
        assert wrong.bound == pytest.approx(honest.bound)


class _Wrong:
    """A polytope whose optima are reported too small."""

    def __init__(self, polytope: Polytope) -> None:
        self.polytope = polytope

    def optimize(self, cost, sense):
        found = self.polytope.optimize(cost, sense)
        return type(found)(found.value - 1, found.bound, found.x)


class TestClimb:
    @pytest.mark.parametrize("n_blocks", [2, 3])
    def test_is_attained_and_mostly_best(self, n_blocks):
        rng = np.random.default_rng(10 + n_blocks)
        best = 0
        for _ in range(6):
            form, polytopes, functions = setup(rng, n_blocks)
            low, high = brute(form, polytopes, functions)
            for sense, end in (("min", low), ("max", high)):
                value = climb(form, polytopes, functions, sense, seconds=10)
                assert low - 1e-7 <= value <= high + 1e-7
                best += abs(value - end) < 1e-6
        assert best >= 10

    def test_without_time_it_still_climbs_once(self):
        rng = np.random.default_rng(20)
        form, polytopes, functions = setup(rng, 2)
        low, high = brute(form, polytopes, functions)
        value = climb(form, polytopes, functions, "max", seconds=0)
        assert low - 1e-7 <= value <= high + 1e-7

    def test_equal_questions_get_equal_answers(self):
        values = {climb(*setup(np.random.default_rng(21), 2), "max", seconds=10, starts=2) for _ in range(2)}
        assert len(values) == 1


def test_a_cube_of_two_blocks():
    """max (1 − 2x)(1 − 2y) over two probabilities: 1, at two corners; min −1."""
    square = Polytope(sparse.csc_matrix([[1.0, 1.0]]), np.ones(1), np.ones(1), np.ones(2))
    functions = np.array([[1.0, 1.0], [1.0, 0.0]])
    one, x = (), ((0, 1),)
    form = Form.of({(one, one): 1.0, (x, one): -2.0, (one, x): -2.0, (x, x): 4.0}, [0, 1])
    found = [corners(square, functions), None]
    args = (form, [square, square], [functions, functions], found, 1)
    assert over_corners(*args, "max").value == pytest.approx(1)
    assert over_corners(*args, "min").bound == pytest.approx(-1)
