"""The oracles agree with published numbers, closed forms and one another."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from tests.causal import cases, closed_forms
from tests.oracle import pc_solve as by_hand
from tests.oracle import scm
from tests.oracle.c_factors import TooLargeError, fitted
from tests.oracle.pc_program import make_program

CHAIN = scm.Graph.of({"S": 2, "W": 2, "Y": 2}, [("S", "W"), ("W", "Y")])


def bounds(graph, P, query, **settings):
    return by_hand.tight(make_program(graph, P, query, **settings))


def ends(found):
    return found.lower, found.upper


def total(graph, treatment, outcome, *, active=1, reference=0, value=1, given=None):
    paths = cases.all_paths(graph, treatment, outcome)
    return scm.Query(treatment, outcome, value, active, reference, paths, given or {})


class TestReference:
    def test_random_models(self, shared_path):
        found = cases.reference_cases(shared_path)
        assert len(found) == 12
        for case in found:
            tight = by_hand.tight(make_program(case.graph, case.P, case.query), models=True)
            assert ends(tight) == pytest.approx((case.lower, case.upper), abs=1e-8), case.name
            assert case.truth in tight, case.name
            assert by_hand.certified(tight.lower_model, case.P, case.query, tight.lower), case.name
            assert by_hand.certified(tight.upper_model, case.P, case.query, tight.upper), case.name

    def test_table_2(self, shared_path):
        for case in cases.table2_cases(shared_path):
            for found in (
                bounds(case.graph, case.P, case.query),
                by_hand.naive(case.graph, case.P, case.query),
                by_hand.confounded(case.graph, case.P, case.query),
            ):
                assert ends(found) == pytest.approx((case.lower, case.upper), abs=1e-9), case.name

    def test_table_3(self, shared_path):
        found = cases.table3_cases(shared_path)
        for case in found:
            assert ends(bounds(case.graph, case.P, case.query)) == pytest.approx(
                (case.lower, case.upper), abs=1e-9
            ), case.name
            joint = ends(by_hand.joint(case.graph, case.P, case.query))
            if case.joint:
                assert joint == pytest.approx(case.joint, abs=1e-9), case.name
            # What was printed is the program with one response variable for W and A.
            assert joint == pytest.approx(case.published, abs=6e-5), case.name
        assert [case.upper - case.lower < joint_width(case) - 1e-3 for case in found[1:]] == [
            False,
            True,
            True,
            False,
        ]

    def test_table_4(self, shared_path):
        for case in cases.adult_cases(shared_path):
            program = make_program(case.graph, case.P, case.query)
            assert [(block.members, block.columns) for block in program.blocks] == [(("marital-status",), 4)]
            found = by_hand.tight(program)
            assert ends(found) == pytest.approx((case.lower, case.upper), abs=5.1e-5), case.name


def joint_width(case):
    return case.joint[1] - case.joint[0]


class TestClosedForms:
    def test_lipid(self):
        assert closed_forms.balke_pearl(closed_forms.LIPID) == pytest.approx((0.392, 0.780), abs=1e-12)
        graph = scm.Graph.of({"Z": 2, "X": 2, "Y": 2}, [("Z", "X"), ("X", "Y")], [("X", "Y")])
        found = bounds(graph, closed_forms.LIPID / 2, total(graph, "X", "Y"))
        assert ends(found) == pytest.approx((0.392, 0.780), abs=1e-9)

    @pytest.mark.parametrize("concentration", [0.1, 1.0])
    def test_balke_pearl(self, concentration):
        graph = scm.Graph.of({"Z": 2, "X": 2, "Y": 2}, [("Z", "X"), ("X", "Y")], [("X", "Y")])
        p = closed_forms.instrumented(np.random.default_rng(0), 40, concentration)
        expected = np.transpose(closed_forms.balke_pearl(p))
        for one, both in zip(p, expected, strict=True):
            assert ends(bounds(graph, one / 2, total(graph, "X", "Y"))) == pytest.approx(both, abs=1e-8)

    def test_tian_pearl_without_confounding(self):
        graph = scm.Graph.of({"X": 2, "Y": 2}, [("X", "Y")])
        rng = np.random.default_rng(1)
        for joint in rng.dirichlet(np.ones(4), size=20).reshape(-1, 2, 2):
            kernel = joint / joint.sum(1, keepdims=True)
            moved, kept = kernel[1, 1], kernel[0, 1]
            pn = bounds(graph, joint, total(graph, "X", "Y", active=0, reference=1, given={"X": 1, "Y": 1}))
            assert (-pn.upper, -pn.lower) == pytest.approx(closed_forms.tian_pearl_pn(joint, kept), abs=1e-8)
            ps = bounds(graph, joint, total(graph, "X", "Y", given={"X": 0, "Y": 0}))
            assert ends(ps) == pytest.approx(closed_forms.tian_pearl_ps(joint, moved), abs=1e-8)
            assert closed_forms.tian_pearl_pns(joint, moved, kept) == pytest.approx(
                (max(0, moved - kept), min(moved, 1 - kept))
            )

    def test_tian_pearl_with_experiments(self):
        """People observed, and two experiments that force x: an instrument with cells that never occur."""
        graph = scm.Graph.of({"Z": 3, "X": 2, "Y": 2}, [("Z", "X"), ("X", "Y")], [("X", "Y")])
        seen, moved, kept = closed_forms.observed_and_tried(np.random.default_rng(2), 20)
        for joint, y1, y0 in zip(seen, moved, kept, strict=True):
            P = closed_forms.with_experiments(joint, y1, y0)
            given = {"Z": 0, "X": 1, "Y": 1}
            pn = bounds(graph, P, total(graph, "X", "Y", active=0, reference=1, given=given))
            assert (-pn.upper, -pn.lower) == pytest.approx(closed_forms.tian_pearl_pn(joint, y0), abs=1e-8)
            ps = bounds(graph, P, total(graph, "X", "Y", given={"Z": 0, "X": 0, "Y": 0}))
            assert ends(ps) == pytest.approx(closed_forms.tian_pearl_ps(joint, y1), abs=1e-8)

    def test_tian_pearl_pns_in_a_kite(self):
        """x → w → a → y without w → y asks for the joint distribution of w's two responses, and no more."""
        edges = [("Z", "X"), ("X", "W"), ("W", "A"), ("W", "Y"), ("A", "Y")]
        graph = scm.Graph.of({"Z": 3, "X": 2, "W": 2, "A": 2, "Y": 2}, edges, [("X", "W")])
        rng = np.random.default_rng(3)
        seen, moved, kept = closed_forms.observed_and_tried(rng, 15)
        for joint, w1, w0 in zip(seen, moved, kept, strict=True):
            a, y = rng.uniform(size=2), rng.uniform(size=(2, 2))
            P = closed_forms.with_kite(closed_forms.with_experiments(joint, w1, w0), a, y)
            query = scm.Query("X", "Y", 1, 1, 0, frozenset([("X", "W", "A", "Y")]))
            expected = closed_forms.kite(closed_forms.tian_pearl_pns(joint, w1, w0), w1 - w0, a, y)
            assert ends(bounds(graph, P, query)) == pytest.approx(expected, abs=1e-8)

    def test_bow(self):
        graph = scm.Graph.of({"X": 3, "Y": 3}, [("X", "Y")], [("X", "Y")])
        for joint in np.random.default_rng(4).dirichlet(np.ones(9), size=10).reshape(-1, 3, 3):
            query = total(graph, "X", "Y", active=2, reference=0, value=1)
            expected = closed_forms.bow(joint, 1, 2, 0)
            assert ends(bounds(graph, joint, query)) == pytest.approx(expected, abs=1e-9)
            assert ends(by_hand.naive(graph, joint, query)) == pytest.approx(expected, abs=1e-9)

    def test_bow_of_two_values_has_width_one(self):
        lower, upper = closed_forms.bow(
            np.random.default_rng(5).dirichlet(np.ones(4), 9).reshape(-1, 2, 2), 1, 1, 0
        )
        assert upper - lower == pytest.approx(np.ones(9))

    def test_frechet(self):
        graph = scm.Graph.of({"X": 3, "Y": 3}, [("X", "Y")])
        for joint in np.random.default_rng(6).dirichlet(np.ones(9), size=10).reshape(-1, 3, 3):
            kernel = joint / joint.sum(1, keepdims=True)
            for seen in range(3):
                query = total(graph, "X", "Y", active=2, reference=1, value=0, given={"X": 1, "Y": seen})
                expected = closed_forms.frechet(kernel, 0, 2, 1, seen)
                assert ends(bounds(graph, joint, query)) == pytest.approx(expected, abs=1e-8)

    def test_natural_effects(self):
        graph = scm.Graph.of({"S": 2, "W": 3, "Y": 2}, [("S", "W"), ("S", "Y"), ("W", "Y")])
        P = np.random.default_rng(7).dirichlet(np.ones(12)).reshape(2, 3, 2)
        for path, expected in zip(
            [("S", "Y"), ("S", "W", "Y")], closed_forms.natural_effects(P), strict=True
        ):
            query = scm.Query("S", "Y", 1, 1, 0, frozenset([path]))
            for reduce in (True, False):
                assert ends(bounds(graph, P, query, reduce=reduce)) == pytest.approx([expected] * 2, abs=1e-9)

    def test_data_cannot_tell(self):
        """S confounded with Y, s₀ seen, S → Y in the paths: any effect that P(y | o) leaves room for."""
        graph = scm.Graph.of({"S": 2, "W": 2, "Y": 2}, [("S", "W"), ("S", "Y"), ("W", "Y")], [("S", "Y")])
        model = scm.random_model(np.random.default_rng(8), graph)
        P = model.distribution()
        y = P[0, :, 1].sum() / P[0].sum()
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]), {"S": 0})
        assert ends(bounds(graph, P, query)) == pytest.approx((-y, 1 - y), abs=1e-9)


class TestModels:
    def test_a_model_by_hand(self):
        """Two hidden values a variable: W = S xor u, Y = W and u'."""
        hidden = (np.array([0.3, 0.7]), np.array([0.8, 0.2]), np.array([0.4, 0.6]))
        tables = {
            "S": np.array([0, 1]),
            "W": np.array([[0, 1], [1, 0]]),
            "Y": np.array([[0, 0], [0, 1]]),
        }
        model = scm.Model(CHAIN, hidden, tables)
        P = model.distribution()
        assert P[0, 0, 0] == pytest.approx(0.3 * 0.8)
        assert P[1, 1, 1] == pytest.approx(0.7 * 0.8 * 0.6)
        assert P[1, 0, 1] == 0
        query = total(CHAIN, "S", "Y")
        assert model.effect(query) == pytest.approx(0.6 * (0.8 - 0.2))
        # Of those with S = 0, W = 1: W does the opposite of S, so s₁ turns W off; Y was 1 with 0.6.
        assert model.effect(dataclasses.replace(query, given={"S": 0, "W": 1})) == pytest.approx(-0.6)
        assert model.effect(dataclasses.replace(query, given={"S": 1, "W": 1, "Y": 1})) == pytest.approx(1)

    def test_paths_that_disagree_on_an_edge(self):
        """S → W → A → Y and S → B → Y but not S → W → Y: W has two copies, each with its own S."""
        cards = dict.fromkeys(["S", "W", "A", "Y"], 2)
        graph = scm.Graph.of(cards, [("S", "W"), ("W", "A"), ("W", "Y"), ("A", "Y")])
        one = np.ones(1)
        copied = np.array([[0], [1]])
        tables = {"S": np.array([1]), "W": copied, "A": copied, "Y": np.array([[[0], [1]], [[1], [0]]])}
        model = scm.Model(graph, (one,) * 4, tables)  # Y = W xor A
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "W", "A", "Y")]))
        assert model.effect(query) == 1
        assert model.effect(dataclasses.replace(query, paths=frozenset(graph.paths("S", "Y")))) == 0

    def test_nobody_as_given(self):
        hidden = (np.ones(1),) * 3
        tables = {"S": np.array([0]), "W": np.array([[0], [0]]), "Y": np.array([[0], [0]])}
        model = scm.Model(CHAIN, hidden, tables)
        query = total(CHAIN, "S", "Y", given={"S": 1})
        with pytest.raises(ValueError, match="nobody"):
            model.effect(query)
        with pytest.raises(ValueError, match="nobody"):
            make_program(CHAIN, model.distribution(), query)


class TestRandomModels:
    def test_chain_of_inclusions(self):
        """Truth ∈ tight ⊆ one response variable for all that is open ⊆ all confounded; tight is reached."""
        seen = dict.fromkeys(["number", "LP", "vertex", "joint", "wider"], 0)
        for seed in range(70):
            model, P, query = scm.random_case(seed, most=5)
            graph = model.graph
            assert fitted(graph, P) == pytest.approx(P, abs=1e-12)
            try:
                tight = by_hand.tight(make_program(graph, P, query, most_cells=200_000), models=True)
            except TooLargeError:
                continue
            seen[tight.engine.split()[0]] += 1
            assert model.effect(query) in tight, seed
            assert by_hand.certified(tight.lower_model, P, query, tight.lower), seed
            assert by_hand.certified(tight.upper_model, P, query, tight.upper), seed
            confounded = by_hand.confounded(graph, P, query)
            assert tight.lower in confounded, seed
            assert tight.upper in confounded, seed
            try:
                joint = by_hand.joint(graph, P, query, most_cells=200_000)
            except TooLargeError:
                continue
            seen["joint"] += 1
            seen["wider"] += joint.upper - joint.lower > tight.upper - tight.lower + 1e-6
            assert all(end in joint for end in ends(tight)), seed
            assert all(end in confounded for end in ends(joint)), seed
        assert min(seen.values()) >= 3, seen

    def test_reductions_change_nothing(self):
        compared = {"full": 0, "naive": 0}
        for seed in range(200, 280):
            model, P, query = scm.random_case(seed, most=4, most_values=3)
            graph = model.graph
            try:
                full = bounds(graph, P, query, reduce=False, most_columns=600, most_cells=60_000)
                assert ends(bounds(graph, P, query)) == pytest.approx(ends(full), abs=1e-7), seed
                compared["full"] += 1
            except TooLargeError:
                pass
            try:
                naive = by_hand.naive(graph, P, query, most=5_000)
            except TooLargeError:
                continue
            compared["naive"] += 1
            assert ends(by_hand.confounded(graph, P, query)) == pytest.approx(ends(naive), abs=1e-8), seed
        assert min(compared.values()) > 40

    def test_alternating_programs_stay_inside(self):
        rng = np.random.default_rng(0)
        reached = 0
        for seed in (2, 10, 12, 16, 22, 37):
            model, P, query = scm.random_case(seed, most=5)
            program = make_program(model.graph, P, query)
            tight, attained = by_hand.tight(program), by_hand.attained(program, rng)
            assert all(end in tight for end in ends(attained))
            reached += ends(attained) == pytest.approx(ends(tight), abs=1e-7)
        assert reached >= 4

    def test_generator_reaches_the_hard_corners(self):
        seen = dict.fromkeys(
            ["zero cells", "no zero cells", "never treated", "outcome given", "contradicts", "disagree"], 0
        )
        for seed in range(200):
            model, P, query = scm.random_case(seed)
            assert 3 <= len(model.graph.variables) <= 6
            assert P.sum() == pytest.approx(1)
            s = model.graph.variables.index(query.treatment)
            seen["zero cells"] += bool((P == 0).any())
            seen["no zero cells"] += bool((P > 0).all())
            seen["never treated"] += bool((P.sum(tuple(i for i in range(P.ndim) if i != s)) == 0).any())
            seen["outcome given"] += query.outcome in query.given
            seen["contradicts"] += query.given.get(query.treatment, query.active) != query.active
            others = set(model.graph.paths(query.treatment, query.outcome)) - query.paths
            edges = [{e for path in some for e in itertools.pairwise(path)} for some in (query.paths, others)]
            seen["disagree"] += bool(edges[0] & edges[1])
        assert min(seen.values()) >= 10, seen


class TestFitted:
    def test_data_without_the_independences_of_the_graph(self):
        P = np.random.default_rng(0).dirichlet(np.ones(8)).reshape(2, 2, 2)
        Q = fitted(CHAIN, P)
        assert Q.sum() == pytest.approx(1)
        assert Q.sum(2) == pytest.approx(P.sum(2))
        assert not np.allclose(P, Q)

    def test_no_model(self):
        """An instrument that moves (x, y) more than any model allows."""
        graph = scm.Graph.of({"Z": 2, "X": 2, "Y": 2}, [("Z", "X"), ("X", "Y")], [("X", "Y")])
        P = np.array([[[0.8, 0.1], [0.05, 0.05]], [[0.1, 0.8], [0.05, 0.05]]]) / 2
        with pytest.raises(by_hand.InfeasibleError):
            bounds(graph, P, total(graph, "X", "Y"))
