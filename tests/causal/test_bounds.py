from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pandas as pd
import pytest
from tests.causal import closed_forms
from tests.causal.asking import asked as settings
from tests.causal.asking import causal_graph, distribution, simple
from tests.oracle import pc_solve as by_hand
from tests.oracle import scm
from tests.oracle.pc_program import make_program

from fairwitness.causal import CausalGraph, Distribution, Limits, effect_bounds, through
from fairwitness.causal.implied import contradiction as doubts
from fairwitness.causal.solver import cells, plugin
from fairwitness.causal.solver import solve as solving
from fairwitness.causal.solver.cells import CellSearch
from fairwitness.causal.solver.expression import TooLargeError
from fairwitness.causal.solver.question import prepare
from fairwitness.errors import ConfigError, DataError, FairwitnessError

ASK = {"treatment": "S", "outcome": "Y", "active": 1, "reference": 0, "outcome_value": 1}


def table(names, P):
    return Distribution.from_table(list(names), [tuple(range(card)) for card in np.shape(P)], P)


def ask(data, graph, **more):
    return effect_bounds(data, graph, **{**ASK, **more})


def ends(found):
    return found.lower, found.upper


def share(P, axis=-1):
    return P / P.sum(axis=axis, keepdims=True)


def random_table(names, text, seed=0):
    graph, P = simple(text, seed=seed)
    return np.moveaxis(P, range(P.ndim), [names.index(v) for v in graph.variables])


class TestIdentified:
    """What the data identify is the number that do-calculus gives, worked out here."""

    def test_no_confounding(self):
        P = np.array([[0.3, 0.2], [0.1, 0.4]])
        found = ask(table("SY", P), "S -> Y")
        assert ends(found) == pytest.approx((0.4, 0.4))
        assert (found.status, found.identified, found.certificate.gap) == ("identified", True, 0.0)
        assert found.reference_probability == pytest.approx(0.4)

    def test_back_door(self):
        """Σ_z P(z) (P(y | 1, z) − P(y | 0, z)), which differs from P(y | 1) − P(y | 0)."""
        P = random_table("ZSY", "Z -> S -> Y; Z -> Y", seed=1)
        rate = share(P)[..., 1]
        expected = (P.sum((1, 2)) * (rate[:, 1] - rate[:, 0])).sum()
        found = ask(table("ZSY", P), "Z -> S -> Y; Z -> Y")
        assert ends(found) == pytest.approx([expected] * 2)
        both = P.sum(0)
        assert expected != pytest.approx(share(both)[1, 1] - share(both)[0, 1], abs=0.01)

    def test_front_door(self):
        """P(y | do(s)) = Σ_m P(m | s) Σ_t P(t) P(y | m, t) for S → M → Y, S ↔ Y."""
        P = random_table("SMY", "S -> M -> Y; S <-> Y", seed=2)
        m, rate, s = share(P.sum(2)), share(P)[..., 1], P.sum((1, 2))
        done = [(m[t] * (s[:, None] * rate).sum(0)).sum() for t in (0, 1)]
        found = ask(table("SMY", P), "S -> M -> Y; S <-> Y")
        assert ends(found) == pytest.approx([done[1] - done[0]] * 2)
        assert found.reference_probability == pytest.approx(done[0])
        assert done[1] - done[0] != pytest.approx(share(P.sum(1))[1, 1] - share(P.sum(1))[0, 1], abs=0.01)

    def test_mediation(self):
        """Natural direct and indirect effects: Pearl's mediation formula (2001)."""
        text = "S -> W -> Y; S -> Y"
        P = np.random.default_rng(3).dirichlet(np.ones(8)).reshape(2, 2, 2)
        direct, indirect = closed_forms.natural_effects(P)
        assert ends(ask(table("SWY", P), text, paths="direct")) == pytest.approx([direct] * 2)
        assert ends(ask(table("SWY", P), text, paths="indirect")) == pytest.approx([indirect] * 2)
        assert ends(ask(table("SWY", P), text)) != pytest.approx([direct + indirect] * 2, abs=0.001)

    def test_two_mediators_on_their_own(self):
        """Through A alone: A at s₁, B and the edge at s₀."""
        text = "S -> {A, B} -> Y; S -> Y"
        P = random_table("SABY", text, seed=4)
        a, b = share(P.sum((2, 3))), share(P.sum((1, 3)))
        rate = share(P)[0, ..., 1]
        expected = sum(
            (a[1, i] - a[0, i]) * b[0, j] * rate[i, j] for i, j in itertools.product((0, 1), repeat=2)
        )
        for paths in (through("A"), "S -> A -> Y", [("S", "A", "Y")]):
            assert ends(ask(table("SABY", P), text, paths=paths)) == pytest.approx([expected] * 2)

    def test_evidence_on_what_is_no_cause(self):
        """D tells of Z, and Z of the effect: Σ_z P(z | d) (P(y | 1, z) − P(y | 0, z))."""
        text = "S -> Y; Z -> Y; Z -> D"
        P = random_table("SZDY", text, seed=5)
        rate = share(P.sum(2))[..., 1]
        for d in (0, 1):
            z = P[:, :, d].sum((0, 2))
            z = z / z.sum()
            found = ask(table("SZDY", P), text, given={"D": d})
            assert ends(found) == pytest.approx([(z * (rate[1] - rate[0])).sum()] * 2)
            assert found.evidence_probability == pytest.approx(P[:, :, d].sum())

    def test_among_the_treated(self):
        """Of those with s₀ and w: P(y | s₁, w) − P(y | s₀, w) along the edge."""
        text = "S -> W -> Y; S -> Y"
        P = random_table("SWY", text, seed=6)
        found = ask(table("SWY", P), text, paths="direct", given={"S": 0, "W": 1})
        assert ends(found) == pytest.approx([share(P)[1, 1, 1] - share(P)[0, 1, 1]] * 2)


class TestBounded:
    def test_the_bow(self):
        """S ↔ Y: a width of 1, and 0 always inside."""
        P = np.random.default_rng(0).dirichlet(np.ones(4)).reshape(2, 2)
        found = ask(table("SY", P), "S -> Y; S <-> Y")
        assert ends(found) == pytest.approx(closed_forms.bow(P, 1, 1, 0))
        assert found.upper - found.lower == pytest.approx(1)
        assert found.status == "tight"
        assert found.unidentified == (("S", "Y"),)

    def test_an_instrument(self):
        found = ask(
            table("ZXY", closed_forms.LIPID / 2),
            "Z -> X -> Y; X <-> Y",
            treatment="X",
        )
        assert ends(found) == pytest.approx((0.392, 0.780))

    def test_a_treatment_that_only_some_have(self):
        """S degenerate: of s₁ nothing is known, so the effect may be anything in [−p, 1 − p]."""
        data = Distribution.from_table(["S", "Y"], [(0, 1), (0, 1)], [[0.3, 0.7], [0, 0]])
        found = ask(data, "S -> Y")
        assert ends(found) == pytest.approx((-0.7, 0.3))
        assert found.status == "uninformative"
        rows = pd.DataFrame({"S": [0] * 10, "Y": [1] * 7 + [0] * 3})
        again = ask(rows, "S -> Y", levels={"S": [0, 1]})
        assert ends(again) == pytest.approx((-0.7, 0.3))

    def test_paths_that_disagree_on_an_edge(self):
        """S → W → A → Y and not S → W → Y: what W does under both treatments matters."""
        text = "S -> W -> A -> Y; W -> Y"
        P = random_table("SWAY", text, seed=7)
        w, a = share(P.sum((2, 3)))[:, 1], share(P.sum((0, 3)))[:, 1]
        y = share(P.sum(0))[..., 1].T  # [a, w]
        pns = max(0.0, w[1] - w[0]), min(w[1], 1 - w[0])
        expected = closed_forms.kite(pns, w[1] - w[0], a, y)
        found = ask(table("SWAY", P), text, paths="S -> W -> A -> Y")
        assert ends(found) == pytest.approx(expected)
        assert found.unidentified == (("W",),)
        assert ask(table("SWAY", P), text, paths=["S -> W -> A -> Y", "S -> W -> Y"]).identified

    def test_evidence_on_a_descendant_of_the_outcome(self):
        """S → Y → D: what came of it says what Y was, and so how Y answers."""
        text = "S -> Y -> D"
        graph, P = simple(text, seed=8)
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]), {"D": 1, "S": 0})
        found = effect_bounds(distribution(graph, P), causal_graph(graph), **settings(query))
        tight = by_hand.tight(make_program(graph, P, query))
        assert ends(found) == pytest.approx((tight.lower, tight.upper), abs=1e-7)
        # by hand: of y = 1 and y = 0 in the shares that D leaves, each within Fréchet's limits
        rate, d = share(P.sum(2))[:, 1], share(P.sum(0))[:, 1]
        weight = np.array([1 - rate[0], rate[0]]) * d
        weight = weight / weight.sum()
        stay = max(0.0, rate[1] + rate[0] - 1) / rate[0], min(1.0, rate[1] / rate[0])
        # P(y₁ = 1, y₀ = 1) = q determines the other: P(y₁ = 1, y₀ = 0) = P(y₁ = 1) − q
        values = [
            weight[1] * q + weight[0] * (rate[1] - q * rate[0]) / (1 - rate[0]) - weight[1] for q in stay
        ]
        assert ends(found) == pytest.approx(sorted(values))

    def test_whatever_the_data_they_cannot_tell(self):
        """S ↔ Y, s₀ ∈ o, S → Y ∈ π: [−P(y | o), 1 − P(y | o)]."""
        text = "S -> W -> Y; S -> Y; S <-> Y"
        P = random_table("SWY", text, seed=9)
        found = ask(table("SWY", P), text, paths="direct", given={"S": 0})
        p = P[0, :, 1].sum() / P[0].sum()
        assert ends(found) == pytest.approx((-p, 1 - p))
        assert found.status == "uninformative"

    def test_assumptions_in_order(self):
        """The more is known, the narrower: everything confounded, all but the predictor, nothing."""
        edges = "S -> W -> A -> Y; {S, W} -> Y; S -> A"
        P = np.random.default_rng(10).dirichlet(np.ones(16)).reshape(2, 2, 2, 2)
        data = table("SWAY", P)
        kernel = share(P)
        given = {"S": 0, "W": 1, "A": 0}
        confounded = "; ".join(f"{a} <-> {b}" for a, b in itertools.combinations("SWA", 2))
        whole = f"{confounded}; S <-> Y; W <-> Y; A <-> Y"
        found = [
            ask(data, f"{edges}; {whole}", given=given),
            ask(data, f"{edges}; {whole}", given=given, predictor=kernel),
            ask(data, edges, given=given),
        ]
        assert found[0].upper - found[0].lower == pytest.approx(1)
        assert found[0].status == "uninformative"
        for wide, narrow in itertools.pairwise(found):
            assert wide.lower < narrow.lower - 1e-3 or wide.upper > narrow.upper + 1e-3
            assert wide.lower <= narrow.lower + 1e-9
            assert wide.upper >= narrow.upper - 1e-9

    def test_relaxations_are_wider(self):
        text = "S -> W -> A -> Y; {S, W} -> Y"
        P = random_table("SWAY", text, seed=12)
        given = {"S": 0, "Y": 1}
        tight, joint, confounded = (
            ask(table("SWAY", P), text, given=given, relaxation=r) for r in ("none", "joint", "confounded")
        )
        for narrow, wide in ((tight, joint), (joint, confounded)):
            assert wide.lower <= narrow.lower + 1e-9
            assert wide.upper >= narrow.upper - 1e-9
        assert ends(joint) != pytest.approx(ends(tight), abs=1e-3)
        assert (tight.status, joint.status) == ("tight", "outer")
        assert not joint.certificate.exact
        assert confounded.query.graph.components == (("S", "W", "A", "Y"),)


class TestNothingToCompare:
    DATA = table("SWY", random_table("SWY", "S -> W -> Y; S -> Y; S <-> Y"))
    TEXT = "S -> W -> Y; S -> Y; S <-> Y"

    @pytest.mark.parametrize("more", [{"reference": 1}, {"paths": []}, {"paths": ()}])
    @pytest.mark.parametrize("given", [{}, {"S": 1, "Y": 1}, {"W": 0}])
    def test_is_no_effect(self, more, given):
        found = ask(self.DATA, self.TEXT, given=given, **more)
        assert ends(found) == (0.0, 0.0)
        assert found.status == "identified"
        assert found.certificate.engine == "number"

    def test_no_path(self):
        assert ends(ask(self.DATA, "S -> W; W <-> Y")) == (0.0, 0.0)
        assert ends(ask(self.DATA, "S <-> W; W -> Y", paths="indirect")) == (0.0, 0.0)

    def test_outcomes_that_are_certain(self):
        P = np.zeros((2, 2))
        P[:, 1] = [0.4, 0.6]
        assert ends(ask(table("SY", P), "S -> Y")) == (0.0, 0.0)
        assert ends(ask(table("SY", P), "S -> Y", given={"S": 0, "Y": 1})) == pytest.approx((0.0, 0.0))


class TestOneSetOfPaths:
    TEXT = 'S -> W -> "A b" -> Y; {S, W} -> Y; W <-> Y'

    @pytest.mark.parametrize(
        "ways",
        [
            [
                "all",
                "S -> Y; S → W → Y; S -> W -> A b -> Y",
                ["S -> Y", ("S", "W", "Y"), 'S -> W -> "A b" -> Y'],
            ],
            ["direct", "S -> Y", ["S → Y"], [("S", "Y")]],
            ["indirect", through("W"), {"through": ["W", "A b"]}, ["S -> W -> Y", "S -> W -> A b -> Y"]],
            [through("A b"), "through A b", 'through "A b"', "S -> W -> A b -> Y", [["S", "W", "A b", "Y"]]],
        ],
    )
    def test_has_one_answer(self, ways):
        graph, P = simple(self.TEXT, seed=12)
        data = distribution(graph, P)
        found = [ask(data, self.TEXT, paths=paths) for paths in ways]
        for other in found[1:]:
            assert ends(other) == pytest.approx(ends(found[0]), abs=1e-9)


class TestMissedTables:
    def test_an_impossible_instrument(self):
        P = np.array([[[0.8, 0.1], [0.05, 0.05]], [[0.1, 0.8], [0.05, 0.05]]]) / 2
        found = ask(table("ZXY", P), "Z -> X -> Y; X <-> Y", treatment="X")
        assert found.slack == pytest.approx(1.2)
        (note,) = found.notes
        assert note.startswith("no model with this graph gives the table exactly")
        assert "ε = 1.2 in total" in note
        assert -1 <= found.lower <= found.upper <= 1

    def test_none_is_missed(self):
        found = ask(table("ZXY", closed_forms.LIPID / 2), "Z -> X -> Y; X <-> Y", treatment="X")
        assert found.slack == 0
        assert found.notes == ()


class TestLimits:
    def test_too_large(self):
        graph, P = simple("S -> Y; {A, B} -> Y; S <-> Y", seed=13)
        data = distribution(graph, P)
        with pytest.raises(TooLargeError) as caught:
            ask(data, causal_graph(graph), limits=Limits(columns=10))
        text = str(caught.value)
        assert "the response functions of S and Y need more than 10 columns; got 512" in text
        for way in ("bins=…", "leave variables out of the graph", "predictor=…", 'relaxation="confounded"'):
            assert way in text
        assert isinstance(caught.value, ConfigError)
        # and the way out that it names works
        found = ask(data, causal_graph(graph), limits=Limits(columns=10), relaxation="confounded")
        assert found.certificate.engine == "cells"

    def test_out_of_time(self, monkeypatch):
        """Bounds hold and say that they are not proved; within what holds if everything is confounded."""
        seen = set()
        for seed in (59, 63, 64, 85, 98):
            model, P, query = scm.random_case(seed, most=4, most_values=2)
            data, graph = distribution(model.graph, P), causal_graph(model.graph)
            exact = effect_bounds(data, graph, **settings(query))
            assert exact.status in ("tight", "uninformative")
            with monkeypatch.context() as patched:
                patched.setattr(solving, "MOST_COMBINATIONS", 0)
                hasty = effect_bounds(data, graph, **settings(query), limits=Limits(seconds=0.0))
            wide = effect_bounds(data, graph, **settings(query), relaxation="confounded")
            assert wide.lower - 1e-9 <= hasty.lower <= exact.lower + 1e-7
            assert wide.upper + 1e-9 >= hasty.upper >= exact.upper - 1e-7
            assert hasty.certificate.gap > 1e-4
            assert hasty.lower <= hasty.certificate.lower_attained
            assert hasty.certificate.upper_attained <= hasty.upper
            seen.add(hasty.status)
        assert seen == {"gap"}

    def test_nothing_proved_but_by_full_confounding(self, monkeypatch):
        """Neither time to branch nor room for the joint program: what needs no program is left."""
        narrower = 0
        for seed in (63, 64, 95, 98, 110):
            model, P, query = scm.random_case(seed, most=4, most_values=2)
            data, graph = distribution(model.graph, P), causal_graph(model.graph)
            exact = effect_bounds(data, graph, **settings(query))
            room = max(size.columns for size in exact.sizes)
            with monkeypatch.context() as patched:
                patched.setattr(solving, "MOST_COMBINATIONS", 0)
                found = effect_bounds(data, graph, **settings(query), limits=Limits(room, 0.0))
            wide = effect_bounds(data, graph, **settings(query), relaxation="confounded")
            assert ends(found) == pytest.approx(ends(wide)), seed
            assert found.certificate.engine == "joint"
            assert exact.lower - 1e-9 <= found.certificate.lower_attained
            assert found.certificate.upper_attained <= exact.upper + 1e-9
            narrower += ends(found) != pytest.approx((-1.0, 1.0))
        assert narrower >= 2

    def test_what_is_not_soon_known_is_not_asked(self, monkeypatch):
        """What a known predictor said of people takes several blocks, however much is confounded."""
        text = "S -> W -> A -> Y; {S, W} -> Y"
        data = table("SWAY", random_table("SWAY", text, seed=18))
        kernel = share(np.random.default_rng(18).dirichlet(np.ones(16)).reshape(2, 2, 2, 2))
        settings = {"given": {"S": 0, "Y": 1}, "predictor": kernel}
        assert ask(data, text, **settings, relaxation="confounded").certificate.engine == "corners"
        solved = []

        def counting(program, **more):
            solved.append(program.kind)
            return solving.solve(program, **more)

        monkeypatch.setattr(plugin, "solve", counting)
        ask(data, text, **settings, relaxation="joint")
        assert solved == ["joint"]
        solved.clear()
        ask(data, text, given={"S": 0, "Y": 1}, relaxation="joint")
        assert solved == ["joint", "cells"]

    def test_an_effect_is_from_minus_one_to_one(self, monkeypatch):
        """Rounding in a certificate is no effect."""

        def beyond(*_, **__):
            solution = solving.solve(made)
            lower = dataclasses.replace(solution.lower, bound=-1.5)
            upper = dataclasses.replace(solution.upper, bound=1.5)
            return dataclasses.replace(solution, lower=lower, upper=upper)

        data = table("SY", [[0.3, 0.7], [0, 0]])
        made = prepare(data, "S -> Y", **ASK).program()
        monkeypatch.setattr(plugin, "solve", beyond)
        found = ask(data, "S -> Y", relaxation="confounded")
        assert ends(found) == (-1.0, 1.0)
        assert found.certificate.lower_bound == -1.5

    def test_cells_with_too_many_answers(self, monkeypatch):
        """The stated question is then written out; its relaxation takes what is quick."""
        text = "S -> W -> A -> Y; {S, W} -> Y"
        arcs = "; ".join(f"{a} <-> {b}" for a, b in itertools.combinations("SWAY", 2))
        data = table("SWAY", random_table("SWAY", text, seed=16))
        tight = ask(data, f"{text}; {arcs}", paths="S -> W -> A -> Y", given={"W": 0})
        monkeypatch.setattr(cells, "MOST_TRIALS", 2)
        written = ask(data, f"{text}; {arcs}", paths="S -> W -> A -> Y", given={"W": 0})
        assert (tight.certificate.engine, written.certificate.engine) == ("cells", "linear")
        assert ends(written) == pytest.approx(ends(tight))
        loose = ask(data, text, paths="S -> W -> A -> Y", given={"W": 0}, relaxation="confounded")
        assert (loose.certificate.engine, loose.certificate.exact) == ("cells", False)
        assert loose.lower <= tight.lower + 1e-9
        assert loose.upper >= tight.upper - 1e-9

    def test_tables_without_the_independences_of_the_graph(self):
        """W's row s = 0 and Y's row w = 0 both occur, but nobody has s = 0, w = 0 and y = 0."""
        data = table("SWY", [[[0, 0.2], [0.2, 0.1]], [[0.1, 0.1], [0.1, 0.2]]])
        given = {"S": 0, "W": 0, "Y": 0}
        for relaxation in ("none", "joint", "confounded"):
            with pytest.raises(DataError, match="nobody in the data has S = 0, W = 0, Y = 0"):
                ask(data, "S -> W -> Y", given=given, relaxation=relaxation)

    def test_what_is_not_proved_is_read_as_the_rest_is(self):
        """Full confounding knows no independences: the table is read with the graph's before it is asked."""
        wider = 0
        for seed in (5178, 5208, 5214, 5376, 5610):
            model, P, query = scm.random_case(seed, most=5, most_values=3)
            rng = np.random.default_rng(seed)
            P = rng.dirichlet(np.full(P.size, 0.5)).reshape(P.shape)
            data, graph = distribution(model.graph, P), causal_graph(model.graph)
            tight = effect_bounds(data, graph, **settings(query))
            joint = effect_bounds(data, graph, **settings(query), relaxation="joint")
            assert tight.certificate.gap < 1e-6
            assert joint.lower <= tight.lower + 1e-7, seed
            assert joint.upper >= tight.upper - 1e-7, seed
            wider += ends(joint) != pytest.approx(ends(tight), abs=1e-4)
        assert wider

    def test_without_a_quick_engine(self, monkeypatch):
        P = np.random.default_rng(3).dirichlet(np.ones(8)).reshape(2, 2, 2)
        text = "S -> W -> Y; S -> Y; S <-> W; W <-> Y; S <-> Y"
        quick = ask(table("SWY", P), text)
        monkeypatch.setattr(CellSearch, "of", classmethod(lambda *_: None))
        slow = ask(table("SWY", P), text)
        assert (quick.certificate.engine, slow.certificate.engine) == ("cells", "linear")
        assert ends(quick) == pytest.approx(ends(slow))


class TestConfidence:
    def test_an_interval_around_the_bounds(self):
        rng = np.random.default_rng(17)
        s = rng.integers(0, 2, 400)
        rows = pd.DataFrame({"S": s, "Y": (rng.random(400) < 0.3 + 0.4 * s).astype(int)})
        plain, sure = ask(rows, "S -> Y; S <-> Y"), ask(rows, "S -> Y; S <-> Y", confidence=0.95)
        assert plain.interval == ends(plain) == ends(sure)
        assert (plain.confidence, sure.confidence) == (None, 0.95)
        assert sure.interval[0] < sure.lower < sure.upper < sure.interval[1]
        alone = ask(rows, "S -> Y", confidence=0.95)
        rate = rows.groupby("S")["Y"].mean()
        assert alone.interval[0] < rate[1] - rate[0] < alone.interval[1]
        assert alone.interval[1] - alone.interval[0] < 0.3


class TestLabels:
    """Values of all types, as rows have them."""

    def rows(self):
        rng = np.random.default_rng(14)
        s, w = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
        return s, w, (rng.random(80) < 0.2 + 0.3 * s + 0.3 * w).astype(int)

    @pytest.mark.parametrize(
        ("levels", "asked"),
        [
            ((0, 1), (0, 1)),
            ((0, 1), (np.int64(0), np.int64(1))),
            ((0, 1), (np.float64(0), True)),
            ((0, 1), ("0", "1")),
            ((False, True), (False, True)),
            ((False, True), (np.bool_(False), 1)),
            ((0.0, 1.0), (0, 1)),
            (("no", "yes"), ("no", "yes")),
            (("no", "yes"), (np.str_("no"), np.array("yes"))),
            (("0", "1"), (0, 1)),
        ],
    )
    @pytest.mark.parametrize("frame", ["pandas", "polars"])
    def test_give_one_answer(self, levels, asked, frame):
        s, w, y = self.rows()
        text = "S -> W -> Y; S -> Y"
        plain = ask(pd.DataFrame({"S": s, "W": w, "Y": y}), text, given={"S": 0, "W": 1}, paths="direct")
        columns = {
            name: [levels[code] for code in codes] for name, codes in zip("SWY", (s, w, y), strict=True)
        }
        if frame == "polars":
            data = pytest.importorskip("polars").DataFrame(columns)
        else:
            data = pd.DataFrame(columns)
        found = ask(
            data,
            text,
            active=asked[1],
            reference=asked[0],
            outcome_value=asked[1],
            given={"S": asked[0], "W": asked[1]},
            paths="direct",
        )
        assert ends(found) == pytest.approx(ends(plain))
        assert found.n == 80
        assert found.evidence_probability == pytest.approx(((s == 0) & (w == 1)).mean())


class TestRefusals:
    DATA = table("SY", [[0.5, 0.5], [0, 0]])

    def test_people_who_do_not_occur(self):
        with pytest.raises(DataError, match="nobody in the data has S = 1"):
            ask(self.DATA, "S -> Y", given={"S": 1})
        with pytest.raises(DataError, match="nobody in the data has S = 1"):
            ask(self.DATA, "S -> Y; S <-> Y", given={"S": 1, "Y": 0})
        with pytest.raises(DataError, match="nobody in the data has S = 1"):
            ask(self.DATA, "S -> Y", given={"S": 1}, paths=[])

    def test_what_makes_no_sense(self):
        for more, said in (
            ({"paths": "S -> W -> Y"}, "no node 'W'"),
            ({"treatment": "Y"}, "same variable"),
            ({"relaxation": "some"}, "no such relaxation"),
            ({"given": "S"}, "must map variables"),
        ):
            with pytest.raises(ConfigError, match=said) as caught:
                ask(self.DATA, "S -> Y", **more)
            assert "To fix" in str(caught.value)


class TestInputsAreLeftAlone:
    def test_frames_evidence_and_tables(self):
        rows = pd.DataFrame({"S": [0, 1, 0, 1], "Y": [0, 1, 1, 1]})
        given, before = {"S": "0"}, rows.copy()
        ask(rows, "S -> Y", given=given, paths=(paths := ["S -> Y"]))
        pd.testing.assert_frame_equal(rows, before)
        assert (given, paths) == ({"S": "0"}, ["S -> Y"])

    def test_graphs(self):
        graph = CausalGraph.from_any("S -> W -> Y; W -> Z")
        text = str(graph)
        ask(table("SWYZ", np.full((2, 2, 2, 2), 1 / 16)), graph, relaxation="confounded")
        assert str(graph) == text


def test_equal_calls_have_equal_answers():
    graph, P = simple("S -> W -> A -> Y; {S, W} -> Y; A <-> Y", seed=15)
    data = distribution(graph, P)

    def document(found):
        whole = found.to_dict()
        del whole["certificate"]["seconds"]
        return json.dumps(whole)

    first, second = (ask(data, causal_graph(graph), given={"W": 1, "Y": 0}) for _ in range(2))
    assert document(first) == document(second)
    assert first.lower < first.upper


class TestContradictions:
    ROWS = pd.DataFrame({"S": [0, 0, 1, 1] * 50, "Y": [0, 1, 0, 1] * 50, "Z": [0, 0, 1, 1] * 50})

    def test_are_the_first_note(self):
        found = ask(self.ROWS, "S -> Y; Z -> Y")
        assert found.notes[0].startswith("the table contradicts the graph: ")

    def test_are_not_looked_for_without_rows_or_in_large_tables(self, monkeypatch):
        shares = Distribution.from_data(self.ROWS, ["S", "Z", "Y"]).probability
        data = Distribution.from_table(["S", "Z", "Y"], [(0, 1)] * 3, shares)
        assert not any("contradicts" in note for note in ask(data, "S -> Y; Z -> Y").notes)
        monkeypatch.setattr(doubts, "MOST_CELLS", 7)
        assert not any("contradicts" in note for note in ask(self.ROWS, "S -> Y; Z -> Y").notes)


class TestPredictorTables:
    """A frame whose numbers are not named must not be read as rows."""

    ROWS = pd.DataFrame({"S": [0, 1] * 40, "Y": [0, 1, 1, 0] * 20})

    def test_numbers_without_a_name_are_refused(self):
        told = pd.DataFrame({"S": [0, 0, 1, 1], "Y": [1, 0, 1, 0], "p": [0.75, 0.25, 0.25, 0.75]})
        with pytest.raises(DataError, match="does not say which column holds how often; got columns p"):
            ask(self.ROWS, "S -> Y", predictor=told)
        found = ask(self.ROWS, "S -> Y", predictor=told.rename(columns={"p": "probability"}))
        assert found.lower == pytest.approx(-0.5)

    def test_rows_with_more_columns_are_rows(self):
        told = self.ROWS.assign(age=range(80))
        assert ask(self.ROWS, "S -> Y", predictor=told).identified

    def test_an_empty_mapping_is_refused(self):
        with pytest.raises(DataError, match="predictor's table is empty"):
            ask(self.ROWS, "S -> Y", predictor={})


class TestWrongTypes:
    DATA = pd.DataFrame({"S": [0, 1] * 10, "Y": [0, 1, 1, 0] * 5})

    @pytest.mark.parametrize(
        "settings",
        [
            {"missing": []},
            {"missing": np.array(["drop"])},
            {"levels": {"S": None}},
            {"levels": {"S": 5}},
            {"levels": {"S": [[1], [0]]}},
            {"paths": np.array(1)},
            {"active": pd.Series([0, 1])},
            {"reference": pd.DataFrame({"a": [1]})},
            {"outcome_value": [1]},
            {"sampling": np.array([1, 2]), "confidence": 0.9},
            {"relaxation": pd.Series([1])},
            {"given": {"S": pd.Series([1])}},
        ],
    )
    def test_are_refused_in_words(self, settings):
        with pytest.raises(FairwitnessError):
            ask(self.DATA, "S -> Y", **settings)

    def test_of_a_distribution(self):
        for wrong in (
            lambda: Distribution(("S", "Y"), ((0, 1), (0, 1)), np.array([[1.5, -0.5], [0, 0]])),
            lambda: Distribution(("S", "Y"), ((0, 1), (0, 1)), np.full((2, 2), np.nan)),
            lambda: Distribution(("S", "Y"), ((0, 1), (0, 1)), np.full((2, 2), 1.0)),
            lambda: Distribution(("S",), ((0, 1), (0, 1)), np.full((2, 2), 0.25)),
            lambda: Distribution.from_data(self.DATA, None),
            lambda: Distribution.from_table(None, [[0, 1]], [0.5, 0.5]),
            lambda: Distribution.from_table(["a"], [1, 2], [0.5, 0.5]),
            lambda: Distribution.from_table([["a"]], [[0, 1]], [0.5, 0.5]),
            lambda: Distribution.from_data(self.DATA, ["S"]).probability_of([]),
            lambda: Distribution.from_data(self.DATA, ["S"]).axis(np.array([1, 2])),
            lambda: Distribution.from_data(self.DATA, ["S", "Y"]).with_kernel("Y", np.eye(2), None),
        ):
            with pytest.raises(FairwitnessError):
                wrong()
