"""Bounds of random models agree with brute force, contain the truth, and move as they must."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from tests.causal import cases, closed_forms
from tests.causal.asking import asked, causal_graph, distribution
from tests.oracle import pc_solve as by_hand
from tests.oracle import scm
from tests.oracle.c_factors import TooLargeError
from tests.oracle.pc_program import make_program, probability_of

from fairwitness.causal import Limits, effect_bounds

CLOSE = 1e-6
BRIEFLY = Limits(seconds=0.5)


def ask(graph, P, query, **more):
    return effect_bounds(distribution(graph, P), causal_graph(graph), **asked(query, **more))


@st.composite
def questions(draw, least, most, most_values=4):
    """A model with hidden causes, the distribution that it gives, and a query."""
    model, P, query = scm.random_case(
        draw(st.integers(0, 2**32 - 1)), least=least, most=most, most_values=most_values
    )
    note(f"{model.graph}\n{query}\nP = {P.ravel().tolist()}")
    return model, P, query


def total(graph, treatment, outcome, *, active=1, reference=0, value=1, given=None):
    paths = cases.all_paths(graph, treatment, outcome)
    return scm.Query(treatment, outcome, value, active, reference, paths, given or {})


def ends(found):
    return found.lower, found.upper


def inside(inner, outer, tolerance=CLOSE):
    return outer.lower - tolerance <= inner.lower and inner.upper <= outer.upper + tolerance


def slowly(n):
    return settings(
        max_examples=n,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def by_force(graph, P, query):
    """The tight bounds, or none if brute force would take too long."""
    try:
        program = make_program(graph, P, query, most_columns=5_000, most_cells=300_000)
        return by_hand.tight(program, most_programs=80)
    except TooLargeError:
        return None


def agree(found, model, P, query):
    """What must hold of any answer: truth inside; tight if it says so, else no narrower than that."""
    graph = model.graph
    truth = model.effect(query)
    assert found.lower - CLOSE <= truth <= found.upper + CLOSE
    certificate = found.certificate
    assert found.lower <= certificate.lower_attained + 1e-9
    assert certificate.upper_attained <= found.upper + 1e-9
    assert found.evidence_probability == pytest.approx(probability_of(graph, P, query.given), abs=1e-9)
    tight = by_force(graph, P, query)
    if tight is None:
        return False
    if certificate.exact and certificate.gap < CLOSE:
        assert ends(found) == pytest.approx(ends(tight), abs=CLOSE)
    else:
        assert inside(tight, found)
    if found.reference_probability is not None:
        before = found.reference_probability
        assert found.uninformative == (
            not found.identified and ends(found) == pytest.approx((-before, 1 - before), abs=CLOSE)
        )
    return True


class TestAgainstBruteForce:
    @slowly(250)
    @given(questions(3, 4, 3))
    def test_small_models(self, question):
        model, P, query = question
        found = ask(model.graph, P, query, limits=BRIEFLY)
        if agree(found, model, P, query):  # what few corners settle is settled
            assert found.status in {"identified", "tight", "uninformative"}

    @slowly(100)
    @given(questions(5, 6, 2))
    def test_more_variables(self, question):
        model, P, query = question
        agree(ask(model.graph, P, query, limits=BRIEFLY), model, P, query)

    @slowly(80)
    @given(questions(3, 5, 4))
    def test_more_values(self, question):
        model, P, query = question
        agree(ask(model.graph, P, query, limits=BRIEFLY), model, P, query)

    @slowly(50)
    @given(questions(3, 5, 3))
    def test_order_of_assumptions(self, question):
        """Truth ∈ tight ⊆ blocks that answer jointly ⊆ everything confounded, and the last in closed form."""
        model, P, query = question
        found = ask(model.graph, P, query, limits=BRIEFLY)
        joint = ask(model.graph, P, query, relaxation="joint")
        confounded = ask(model.graph, P, query, relaxation="confounded")
        assert inside(found, joint)
        assert inside(joint, confounded)
        expected = by_hand.confounded(model.graph, P, query)
        assert ends(confounded) == pytest.approx(ends(expected), abs=CLOSE)

    @slowly(40)
    @given(questions(4, 5, 4), st.integers(0, 2**32 - 1))
    def test_what_models_reach(self, question, seed):
        """Where vertices are too many, too: alternating programs reach no effect beyond the bounds."""
        model, P, query = question
        try:
            program = make_program(model.graph, P, query, most_columns=5_000)
        except TooLargeError:
            return
        found = ask(model.graph, P, query, limits=BRIEFLY)
        reached = by_hand.attained(program, np.random.default_rng(seed), starts=1, rounds=4)
        assert inside(reached, found)


class TestKnownPredictor:
    @slowly(60)
    @given(questions(3, 4, 3), st.integers(0, 2**32 - 1))
    def test_a_kernel_in_place_of_what_the_data_say(self, question, seed):
        """The outcome is decided by a table, so it is unconfounded and known where nobody is, too."""
        model, P, query = question
        graph, y = model.graph, query.outcome
        if not graph.parents[y] or any(y in above for above in graph.parents.values()):
            return
        if y in query.given:  # the evidence is about the predictor, which may never give what the data had
            query = dataclasses.replace(query, given={v: x for v, x in query.given.items() if v != y})
        kernel = np.random.default_rng(seed).dirichlet(np.ones(graph.cards[y]), size=graph.rows(y))
        free = tuple(tuple(v for v in c if v != y) for c in graph.components)
        alone = scm.Graph.of(graph.cards, graph.edges, [c for c in free if c])
        found = ask(graph, P, query, predictor=kernel, limits=BRIEFLY)
        try:
            program = make_program(alone, P, query, known={y: kernel}, most_columns=5_000, most_cells=300_000)
            tight = by_hand.tight(program, most_programs=80)
        except TooLargeError:
            return
        if found.certificate.exact and found.certificate.gap < CLOSE:
            assert ends(found) == pytest.approx(ends(tight), abs=CLOSE)
        else:
            assert inside(tight, found)


class TestInvariances:
    @slowly(30)
    @given(questions(3, 5, 3), st.integers(0, 2**32 - 1))
    def test_names_and_order_of_values_do_not_matter(self, question, seed):
        model, P, query = question
        graph = model.graph
        rng = np.random.default_rng(seed)
        name = {v: f"X{i}" for v, i in zip(graph.variables, rng.permutation(len(P.shape)), strict=True)}
        order = {v: rng.permutation(card) for v, card in graph.cards.items()}  # new code → old code
        code = {v: np.argsort(new) for v, new in order.items()}
        renamed = scm.Graph(
            {name[v]: card for v, card in graph.cards.items()},
            {name[v]: tuple(name[p] for p in graph.parents[v]) for v in graph.variables},
            tuple(tuple(name[v] for v in c) for c in graph.components),
        )
        S, Y = query.treatment, query.outcome
        renamed_query = scm.Query(
            name[S],
            name[Y],
            int(code[Y][query.value]),
            int(code[S][query.active]),
            int(code[S][query.reference]),
            frozenset(tuple(name[v] for v in path) for path in query.paths),
            {name[v]: int(code[v][x]) for v, x in query.given.items()},
        )
        moved = P[np.ix_(*(order[v] for v in graph.variables))]
        one, other = (
            ask(*each, limits=BRIEFLY) for each in ((graph, P, query), (renamed, moved, renamed_query))
        )
        if one.status != "gap" and other.status != "gap":
            assert ends(one) == pytest.approx(ends(other), abs=CLOSE)

    @slowly(30)
    @given(questions(3, 5, 3))
    def test_effects_on_all_outcomes_cancel(self, question):
        """With two values of the outcome, the effect on one is minus the effect on the other."""
        model, P, query = question
        if model.graph.cards[query.outcome] != 2:
            return
        other = dataclasses.replace(query, value=1 - query.value)
        one, two = (ask(model.graph, P, each, limits=BRIEFLY) for each in (query, other))
        if one.status != "gap" and two.status != "gap":
            assert ends(one) == pytest.approx((-two.upper, -two.lower), abs=CLOSE)

    @slowly(30)
    @given(questions(3, 4, 3), st.data())
    def test_another_hidden_cause_only_widens(self, question, data):
        model, P, query = question
        pair = data.draw(st.permutations(model.graph.variables))[:2]
        narrow = ask(model.graph, P, query, limits=BRIEFLY)
        wide = ask(model.graph.merged(pair), P, query, limits=BRIEFLY)
        if narrow.certificate.exact:
            assert wide.lower <= narrow.certificate.lower_attained + CLOSE
            assert wide.upper >= narrow.certificate.upper_attained - CLOSE

    @slowly(20)
    @given(questions(3, 5, 3))
    def test_nothing_moves(self, question):
        model, P, query = question
        for still in (
            dataclasses.replace(query, paths=frozenset()),
            dataclasses.replace(query, active=query.reference),
        ):
            assert ends(ask(model.graph, P, still)) == (0, 0)


class TestReference:
    def test_all_cases(self, shared_path):
        found = [
            *((case, 1e-8) for case in cases.reference_cases(shared_path)),
            *((case, 1e-8) for case in cases.table2_cases(shared_path)),
            *((case, 1e-8) for case in cases.table3_cases(shared_path)),
            *((case, 5.1e-5) for case in cases.adult_cases(shared_path)),
        ]
        assert len(found) == 12 + 7 + 5 + 8
        for case, tolerance in found:
            bounds = ask(case.graph, case.P, case.query)
            assert ends(bounds) == pytest.approx((case.lower, case.upper), abs=tolerance), case.name
            assert bounds.certificate.exact, case.name
            if case.joint:
                joint = ask(case.graph, case.P, case.query, relaxation="joint")
                assert ends(joint) == pytest.approx(case.joint, abs=1e-8), case.name


class TestClosedForms:
    def test_lipid(self):
        graph = scm.Graph.of({"Z": 2, "X": 2, "Y": 2}, [("Z", "X"), ("X", "Y")], [("X", "Y")])
        found = ask(graph, closed_forms.LIPID / 2, total(graph, "X", "Y"))
        assert ends(found) == pytest.approx((0.392, 0.780), abs=1e-9)

    @slowly(60)
    @given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0]))
    def test_balke_pearl(self, seed, concentration):
        graph = scm.Graph.of({"Z": 2, "X": 2, "Y": 2}, [("Z", "X"), ("X", "Y")], [("X", "Y")])
        p = closed_forms.instrumented(np.random.default_rng(seed), 1, concentration)[0]
        expected = closed_forms.balke_pearl(p)
        assert ends(ask(graph, p / 2, total(graph, "X", "Y"))) == pytest.approx(expected, abs=1e-8)

    @slowly(40)
    @given(st.integers(0, 2**32 - 1))
    def test_tian_pearl(self, seed):
        """Of people observed, with two experiments; and without confounding."""
        graph = scm.Graph.of({"Z": 3, "X": 2, "Y": 2}, [("Z", "X"), ("X", "Y")], [("X", "Y")])
        seen, moved, kept = closed_forms.observed_and_tried(np.random.default_rng(seed), 1)
        joint, y1, y0 = seen[0], moved[0], kept[0]
        P = closed_forms.with_experiments(joint, y1, y0)
        both = {"X": 1, "Y": 1}
        pn = ask(graph, P, total(graph, "X", "Y", active=0, reference=1, given={"Z": 0, **both}))
        assert (-pn.upper, -pn.lower) == pytest.approx(closed_forms.tian_pearl_pn(joint, y0), abs=1e-7)
        ps = ask(graph, P, total(graph, "X", "Y", given={"Z": 0, "X": 0, "Y": 0}))
        assert ends(ps) == pytest.approx(closed_forms.tian_pearl_ps(joint, y1), abs=1e-7)
        plain = scm.Graph.of({"X": 2, "Y": 2}, [("X", "Y")])
        y0 = joint[0, 1] / joint[0].sum()
        pn = ask(plain, joint, total(plain, "X", "Y", active=0, reference=1, given=both))
        assert (-pn.upper, -pn.lower) == pytest.approx(closed_forms.tian_pearl_pn(joint, y0), abs=1e-7)

    @slowly(30)
    @given(st.integers(0, 2**32 - 1))
    def test_tian_pearl_pns_in_a_kite(self, seed):
        edges = [("Z", "X"), ("X", "W"), ("W", "A"), ("W", "Y"), ("A", "Y")]
        graph = scm.Graph.of({"Z": 3, "X": 2, "W": 2, "A": 2, "Y": 2}, edges, [("X", "W")])
        rng = np.random.default_rng(seed)
        seen, moved, kept = closed_forms.observed_and_tried(rng, 1)
        joint, w1, w0 = seen[0], moved[0], kept[0]
        a, y = rng.uniform(size=2), rng.uniform(size=(2, 2))
        P = closed_forms.with_kite(closed_forms.with_experiments(joint, w1, w0), a, y)
        query = scm.Query("X", "Y", 1, 1, 0, frozenset([("X", "W", "A", "Y")]))
        expected = closed_forms.kite(closed_forms.tian_pearl_pns(joint, w1, w0), w1 - w0, a, y)
        assert ends(ask(graph, P, query)) == pytest.approx(expected, abs=1e-8)

    @slowly(40)
    @given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(2, 4), st.data())
    def test_bow_and_frechet(self, seed, n_x, n_y, data):
        joint = np.random.default_rng(seed).dirichlet(np.ones(n_x * n_y)).reshape(n_x, n_y)
        active, reference = data.draw(st.permutations(range(n_x)))[:2]
        value, seen = (data.draw(st.integers(0, n_y - 1)) for _ in range(2))
        settings = {"active": active, "reference": reference, "value": value}
        bow = scm.Graph.of({"X": n_x, "Y": n_y}, [("X", "Y")], [("X", "Y")])
        found = ask(bow, joint, total(bow, "X", "Y", **settings))
        assert ends(found) == pytest.approx(closed_forms.bow(joint, value, active, reference), abs=1e-9)
        plain = scm.Graph.of({"X": n_x, "Y": n_y}, [("X", "Y")])
        kernel = joint / joint.sum(1, keepdims=True)
        given_ = {"X": reference, "Y": seen}
        found = ask(plain, joint, total(plain, "X", "Y", given=given_, **settings))
        expected = closed_forms.frechet(kernel, value, active, reference, seen)
        assert ends(found) == pytest.approx(expected, abs=1e-8)

    @slowly(20)
    @given(st.integers(0, 2**32 - 1))
    def test_natural_effects(self, seed):
        graph = scm.Graph.of({"S": 2, "W": 3, "Y": 2}, [("S", "W"), ("S", "Y"), ("W", "Y")])
        P = np.random.default_rng(seed).dirichlet(np.ones(12)).reshape(2, 3, 2)
        paths = [("S", "Y"), ("S", "W", "Y")]
        for path, expected in zip(paths, closed_forms.natural_effects(P), strict=True):
            found = ask(graph, P, scm.Query("S", "Y", 1, 1, 0, frozenset([path])))
            assert found.identified
            assert found.lower == pytest.approx(expected, abs=1e-9)

    @slowly(20)
    @given(st.integers(0, 2**32 - 1))
    def test_data_cannot_tell(self, seed):
        """S confounded with Y, s₀ seen, S → Y in the paths: any effect that P(y | o) leaves room for."""
        graph = scm.Graph.of({"S": 2, "W": 2, "Y": 2}, [("S", "W"), ("S", "Y"), ("W", "Y")], [("S", "Y")])
        P = scm.random_model(np.random.default_rng(seed), graph, dense=True).distribution()
        y = P[0, :, 1].sum() / P[0].sum()
        found = ask(graph, P, scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]), {"S": 0}))
        assert ends(found) == pytest.approx((-y, 1 - y), abs=CLOSE)
        assert found.status == "uninformative"


class TestOnceWrong:
    """Questions that were once answered wrongly."""

    def check(self, cards, edges, groups, query, *, seeds=5, never=()):
        graph = scm.Graph.of(cards, edges, groups)
        for seed in range(seeds):
            model = scm.random_model(np.random.default_rng(seed), graph, dense=True)
            for v, level in never:
                table = model.tables[v]
                gone = np.where(table == level, (level + 1) % graph.cards[v], table)
                model = scm.Model(graph, model.hidden, {**model.tables, v: gone})
            P = model.distribution()
            assert agree(ask(graph, P, query), model, P, query)
            for relaxation in ("joint", "confounded"):
                wide = ask(graph, P, query, relaxation=relaxation)
                assert inside(by_force(graph, P, query), wide)
            assert inside(ask(graph, P, query, relaxation="joint"), wide)

    def test_evidence_and_a_mate_that_nothing_asks(self):
        """V is confounded with S and has a parent of its own: neither changes P(o)."""
        cards = dict.fromkeys(["U", "V", "S", "Y"], 2)
        query = scm.Query("S", "Y", 1, 0, 1, frozenset([("S", "Y")]), {"Y": 0})
        self.check(cards, [("U", "V"), ("S", "Y")], [("V", "S")], query)

    def test_evidence_after_an_outcome_that_is_not_seen(self):
        """What is seen of Z tells something of Y, which the imagined Y shares."""
        cards = dict.fromkeys(["S", "W", "Y", "Z"], 2)
        edges = [("S", "W"), ("S", "Y"), ("W", "Y"), ("S", "Z"), ("Y", "Z")]
        for paths in ([("S", "Y")], [("S", "W", "Y")], [("S", "Y"), ("S", "W", "Y")]):
            query = scm.Query("S", "Y", 1, 1, 0, frozenset(paths), {"S": 0, "W": 1, "Z": 0})
            self.check(cards, edges, [], query)

    def test_known_in_one_world_and_open_in_the_other(self):
        """S = 1 never occurs: W is known where S is set to 0, and free where it is set to 1."""
        cards = dict.fromkeys(["S", "W", "Y"], 2)
        edges = [("S", "W"), ("S", "Y"), ("W", "Y")]
        query = scm.Query("S", "Y", 1, 0, 1, frozenset([("S", "W", "Y"), ("S", "Y")]))
        self.check(cards, edges, [("S", "Y")], query, never=[("S", 1)])

    def test_no_path(self):
        graph = scm.Graph.of(dict.fromkeys(["S", "W", "Y"], 2), [("W", "Y")])
        P = scm.random_model(np.random.default_rng(0), graph, dense=True).distribution()
        for given_ in ({}, {"W": 1}):
            found = ask(graph, P, scm.Query("S", "Y", 1, 1, 0, frozenset(), given_))
            assert ends(found) == (0, 0)
            assert found.identified
