from __future__ import annotations

import numpy as np
import pytest
from tests.causal.asking import ends, question, simple
from tests.oracle import scm

from fairwitness.causal.solver.expression import TooLargeError
from fairwitness.causal.solver.problem import Limits
from fairwitness.causal.solver.solve import solve

KITE = "S -> W -> A -> Y; {S, W} -> Y"
CONFOUNDED = f"{KITE}; S <-> W; S <-> A; S <-> Y; W <-> A; W <-> Y; A <-> Y"


def ask(text, paths=None, given=None, *, cards=2, active=1, reference=0, seed=0):
    graph, P = simple(text, cards, seed)
    chosen = graph.paths("S", "Y") if paths is None else [tuple(path) for path in paths]
    return question(graph, P, scm.Query("S", "Y", 1, active, reference, frozenset(chosen), given or {}))


class TestWhatTheStructureCallsFor:
    @pytest.mark.parametrize(
        ("text", "paths", "given", "kind", "unidentified"),
        [
            (KITE, None, {}, "number", ()),
            (KITE, ["SY"], {"S": 0}, "number", ()),
            (KITE, ["SY"], {"W": 1}, "linear", (("W",),)),  # w as seen, and w₀
            ("S -> W -> Y; S <-> Y", None, {}, "number", ()),  # front door
            (KITE, ["SWAY"], {}, "linear", (("W",),)),  # w₁ for A, w₀ for Y
            ("S -> Y; Z -> Y; S <-> Y", None, {}, "linear", (("S", "Y"),)),
            (f"{KITE}; W <-> Y", None, {}, "number", ()),
            (f"{KITE}; W <-> Y", ["SWAY"], {}, "linear", (("W", "Y"),)),
            (
                CONFOUNDED,
                None,
                {},
                "cells",
                (("S", "W", "A", "Y"),),
            ),
            (KITE, None, {"S": 0, "W": 0, "A": 0}, "induction", (("W",), ("A",))),
            ("S -> Y; Z -> Y", None, {"S": 0, "Y": 0}, "linear", (("Y",),)),
            (KITE, None, {"W": 0, "S": 0, "Y": 0}, "several", (("W",), ("A",), ("Y",))),
            ("S -> {A, B} -> Y", None, {"S": 0, "A": 0, "B": 0}, "several", (("A",), ("B",))),
        ],
    )
    def test_kinds(self, text, paths, given, kind, unidentified):
        made = ask(text, paths, given).program()
        assert made.kind == kind
        assert made.unidentified == unidentified
        assert len(made.sizes) == (len(unidentified) if kind in ("linear", "several") else 0)
        assert (made.cells is not None) == (kind == "cells")
        assert (made.individual is not None) == (kind == "induction")
        assert (made.form is not None) == (kind == "several")
        assert made.slack == 0
        solved = solve(made)
        assert solved.engine == {"several": "corners"}.get(kind, kind)
        assert solved.unidentified == unidentified

    def test_nothing_is_compared(self):
        for made in (ask(KITE, paths=[]), ask(KITE, active=1, reference=1)):
            program = made.program()
            assert (program.kind, program.value) == ("number", 0.0)
            assert ends(solve(program)) == (0.0, 0.0)

    def test_what_is_known_of_the_reference(self):
        made = ask(KITE, ["SWAY"]).program()
        data = made.problem.model.distribution.probability  # S, W, A, Y
        known = 0.0
        for w, a in np.ndindex(2, 2):
            row = data[0, w]
            known += row.sum() / data[0].sum() * row[a].sum() / row.sum() * row[a, 1] / row[a].sum()
        assert made.reference_probability == pytest.approx(known)
        assert ask("S -> Y; Z -> Y; S <-> Y").program().reference_probability is None

    def test_what_is_known_of_the_reference_among_some(self):
        """Of those with s₀, P(y_{s0}) is what is seen of them."""
        made = ask(f"{KITE}; W <-> Y", ["SWAY"], {"S": 0}).program()
        data = made.problem.model.distribution.probability
        assert made.kind == "linear"
        assert made.reference_probability == pytest.approx(data[0, ..., 1].sum() / data[0].sum())

    def test_what_cancels_is_nothing(self):
        """y answers both treatments alike."""
        graph, _ = simple("S -> Y")
        P = np.array([[0.125, 0.375], [0.125, 0.375]])
        made = question(graph, P, scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]))).program()
        assert (made.kind, made.value) == ("number", 0.0)
        assert made.effect is None

    def test_the_effect_as_a_polynomial(self):
        """Σ of weight × probability of events: of W's two rows, as w₁ counts for A and w₀ for Y."""
        made = ask(KITE, ["SWAY"]).program()
        entries = made.problem.entries
        rows = {entries.base["W"], entries.base["W"] + 1}
        assert made.used == (1,)
        assert made.problem.blocks[1] == ("W",)
        for key in made.effect:
            assert all(not event for number, event in enumerate(key) if number != 1)
            assert {entry for entry, _ in key[1]} <= rows


class TestRelaxations:
    def test_jointly_there_is_one_program(self):
        made = ask(KITE, None, {"W": 0, "S": 0, "Y": 0})
        joint = made.program(relaxation="joint")
        assert joint.kind == "joint"
        assert joint.unidentified == (("W",), ("A",), ("Y",))
        assert [size.members for size in joint.sizes] == [("W", "A", "Y")]
        assert joint.form is None

    def test_quick_engines_step_aside_for_it(self):
        person = ask(KITE, None, {"S": 0, "W": 0, "A": 0})
        assert person.program().kind == "induction"
        joint = person.program(relaxation="joint")
        assert joint.kind == "joint"
        exact, loose = solve(person.program()), solve(joint)
        assert loose.lower.bound <= exact.lower.bound + 1e-9
        assert loose.upper.bound >= exact.upper.bound - 1e-9
        assert not loose.exact

    def test_one_block_is_the_same_jointly(self):
        made = ask(KITE, ["SWAY"])
        assert made.program(relaxation="joint").kind == "linear"
        assert ends(solve(made.program(relaxation="joint"))) == pytest.approx(ends(solve(made.program())))

    def test_confounded(self):
        made = ask(KITE, ["SWAY"]).program(relaxation="confounded")
        assert made.kind == "cells"
        assert made.unidentified == (("S", "W", "A", "Y"),)


class TestLimits:
    def test_too_large_for_one_program(self):
        made = ask("S -> Y; Z -> Y; S <-> Y")
        size = made.program().sizes[0].columns
        assert made.program(limits=Limits(columns=size)).kind == "linear"
        with pytest.raises(TooLargeError, match=f"more than {size - 1} columns"):
            made.program(limits=Limits(columns=size - 1))

    def test_too_large_each_but_not_jointly(self):
        """Jointly they are asked one question, each by itself many: that is a relaxation, and smaller."""
        model, P, query = scm.random_case(281, most=5, most_values=3)
        made = question(model.graph, P, query)
        sizes = [size.columns for size in made.program().sizes]
        joint = made.program(relaxation="joint").sizes[0].columns
        assert joint < max(sizes)
        fallen = made.program(limits=Limits(columns=joint))
        assert fallen.kind == "joint"
        exact, loose = solve(made.program()), solve(fallen)
        assert not loose.exact
        assert loose.lower.bound <= exact.lower.bound + 1e-9
        assert loose.upper.bound >= exact.upper.bound - 1e-9
        with pytest.raises(TooLargeError):
            made.program(limits=Limits(columns=joint // 2))


class TestInWords:
    def test_an_identified_one(self):
        assert str(ask("S -> Y").program()) == (
            "P(Y[S ← 1] = 1) − P(Y[S ← 0] = 1)\nand Y[…] = Y(S = 1)\nthe data identify it"
        )

    def test_what_is_not_identified_and_how_large_it_is(self):
        made = ask(KITE, None, {"W": 0, "S": 0, "Y": 0}).program()
        lines = str(made).splitlines()
        assert lines[-4] == "not identified: {W}, {A} and {Y}"
        assert lines[-3:] == [str(size) for size in made.sizes]
        assert lines[-1].startswith("{Y}: 256 joint response functions")
        confounded = ask("S -> Y; S <-> Y").program()
        assert str(confounded).splitlines()[-1] == "not identified: {S, Y}"


def test_slack_is_that_of_the_block_which_misses_most():
    """An impossible instrument, and another block whose data can be met."""
    P = np.array([[[0.8, 0.1], [0.05, 0.05]], [[0.1, 0.8], [0.05, 0.05]]]) / 2  # Z, X, Y
    graph = scm.Graph.of({"Z": 2, "X": 2, "Y": 2}, [("Z", "X"), ("X", "Y")], [("X", "Y")])
    made = question(graph, P, scm.Query("X", "Y", 1, 1, 0, frozenset([("X", "Y")]))).program()
    assert made.slack == pytest.approx(1.2)
    assert solve(made).slack == pytest.approx(1.2)
