from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.causal import cases
from tests.causal.asking import causal_graph, distribution, problem, question, simple
from tests.oracle import scm
from tests.oracle.c_factors import TooLargeError as TooLongError
from tests.oracle.c_factors import make_block

from fairwitness.causal.solver import program, stages
from fairwitness.causal.solver.diagram import build
from fairwitness.causal.solver.expression import Entries, TooLargeError
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.program import (
    BlockSize,
    assembled,
    block_program,
    constraints,
    naive_columns,
)

IV = scm.Graph.of({"Z": 2, "X": 2, "Y": 2}, [("Z", "X"), ("X", "Y")], [("X", "Y")])


def model_of(graph, P):
    return Model(causal_graph(graph), distribution(graph, P))


def some_events(rng, graph, members, entries, n):
    """Events about response tables of some variables: up to three answers at once."""
    rows = [(v, row) for v in members for row in np.ndindex(*graph.rows(v))]
    found = []
    for _ in range(n):
        chosen = [rows[i] for i in rng.permutation(len(rows))[: int(rng.integers(1, 4))]]
        found.append([(v, row, int(rng.integers(graph.cards[v]))) for v, row in chosen])
    numbered = [tuple(sorted((entries.number(v, row), x) for v, row, x in event)) for event in found]
    unique = dict(zip(numbered, found, strict=True))
    return list(unique), list(unique.values())


def holds(block, event):
    columns = [block.tables[v][row] == x for v, row, x in event]
    return np.all(columns, axis=0).astype(float)


def extremes(block, cost):
    """Over every joint response function."""
    found = [
        linprog(sign * cost, A_eq=block.A, b_eq=block.b, bounds=(0, None), method="highs") for sign in (1, -1)
    ]
    assert all(each.status == 0 for each in found)
    return found[0].fun, -found[1].fun


def blocks(seeds, most=600):
    """Components of random models that are small enough to list all their joint response functions."""
    for seed in seeds:
        model, P, _ = scm.random_case(seed, most=5)
        graph = model.graph
        every = {v: set(np.ndindex(*graph.rows(v))) for v in graph.variables}
        for members in graph.components:
            try:
                yield seed, graph, P, members, make_block(graph, P, members, every, most=most)
            except TooLongError:
                continue


class TestAgainstAllResponseFunctions:
    def test_one_question(self):
        """What the data leave open of random sums of events: nothing that matters was left out."""
        rng = np.random.default_rng(0)
        seen = {"open": 0, "alone": 0, "several": 0, "zero": 0}
        for seed, graph, P, members, block in blocks(range(24)):
            model = model_of(graph, P)
            entries = Entries(model)
            numbered, events = some_events(rng, graph, members, entries, int(rng.integers(1, 5)))
            weights = rng.choice([-1.0, -0.5, 0.25, 1.0], size=len(events))
            asked = {event: ((0, float(w)),) for event, w in zip(numbered, weights, strict=True)}
            made = block_program(model, members, entries, asked, 1)
            cost = np.asarray(made.asked.todense())[0]
            low, high = made.polytope.optimize(cost, "min"), made.polytope.optimize(cost, "max")
            expected = extremes(block, sum(w * holds(block, e) for w, e in zip(weights, events, strict=True)))
            assert (low.value, high.value) == pytest.approx(expected, abs=1e-7), seed
            assert (low.bound, high.bound) == pytest.approx(expected, abs=1e-7), seed
            assert made.slack == 0
            assert made.members == members
            seen["open"] += expected[1] - expected[0] > 1e-3
            seen["alone" if len(members) == 1 else "several"] += 1
            seen["zero"] += bool((block.b == 0).any())
        assert min(seen.values()) > 5, seen

    def test_several_questions_at_once(self):
        """In every direction the answers to several questions reach as far as they may, and no farther."""
        rng = np.random.default_rng(1)
        n = 0
        for seed, graph, P, members, block in blocks(range(100, 110), most=300):
            model = model_of(graph, P)
            entries = Entries(model)
            numbered, events = some_events(rng, graph, members, entries, 3)
            asked = {event: ((number, 1.0),) for number, event in enumerate(numbered)}
            made = block_program(model, members, entries, asked, len(numbered))
            functions = np.asarray(made.asked.todense())
            assert functions.shape == (len(numbered), made.polytope.n_columns)
            for direction in rng.normal(size=(3, len(numbered))):
                found = made.polytope.optimize(direction @ functions, "max")
                cost = sum(d * holds(block, e) for d, e in zip(direction, events, strict=True))
                assert found.value == pytest.approx(extremes(block, cost)[1], abs=1e-7), seed
            n += 1
        assert n > 10

    def test_the_event_that_always_happens(self):
        graph, P = simple("S -> Y")
        model = model_of(graph, P)
        made = block_program(model, ("Y",), Entries(model), {(): ((0, 1.0),), ((1, 1),): ((1, 1.0),)}, 2)
        always, one = np.asarray(made.asked.todense())
        for sense in ("min", "max"):
            assert made.polytope.optimize(always, sense).value == pytest.approx(1)
            assert made.polytope.optimize(one, sense).value == pytest.approx(P[0, 1] / P[0].sum())


class TestWhatIsBuilt:
    def test_rows_that_nobody_asks_for_are_left_out(self):
        """Of a variable with 4 rows, two are asked; the data say something of these two alone."""
        graph, P = simple("{A, B} -> Y")
        model = model_of(graph, P)
        entries = Entries(model)
        rows = [entries.number("Y", row) for row in ((0, 1), (1, 1))]
        found, cardinality = constraints(model.factor(["Y"]), entries, [((rows[0], 1), (rows[1], 0))])
        shares = P / P.sum(-1, keepdims=True)
        assert found == pytest.approx({((rows[a], y),): shares[a, 1, y] for a, y in np.ndindex(2, 2)})
        assert cardinality == dict.fromkeys(rows, 2)
        made = block_program(model, ["Y"], entries, {((rows[0], 1), (rows[1], 0)): ((0, 1.0),)}, 1)
        assert (made.size.entries, made.size.cells) == (2, 4)
        assert made.size.naive_columns == pytest.approx(math.log10(16))
        assert made.size.columns == made.polytope.n_columns <= 7

    def test_contexts_say_less_where_the_rest_is_asked_by_nobody(self):
        """X ↔ Y, and Y's rows belong to one context of Z each: where none is asked, X's margin is all."""
        graph, P = simple("Z -> {X, Y}; X -> Y; X <-> Y")
        model = model_of(graph, P)
        entries = Entries(model)
        factor = model.factor(["X", "Y"])
        x, y = entries.base["X"], entries.base["Y"]
        shares = P / P.sum((1, 2), keepdims=True)
        alone = {((x + z, v),): shares[z, v].sum() for z, v in np.ndindex(2, 2)}
        assert constraints(factor, entries, [((x, 1), (x + 1, 1))])[0] == pytest.approx(alone)
        # once an answer of Y is asked, all is said of its context
        whole = {((x, v), (y + v, w)): shares[0, v, w] for v, w in np.ndindex(2, 2)}
        found = constraints(factor, entries, [((x + 1, 1), (y + 1, 1))])[0]
        assert found == pytest.approx(whole | {((x + 1, v),): shares[1, v].sum() for v in (0, 1)})

    def test_answers_that_no_chain_joins_to_the_question(self):
        """What was said of X in the other context does not matter to Y's answer in this one."""
        graph, P = simple("Z -> {X, Y}; X -> Y; X <-> Y")
        model = model_of(graph, P)
        entries = Entries(model)
        x, y = entries.base["X"], entries.base["Y"]
        found, cardinality = constraints(model.factor(["X", "Y"]), entries, [((y + 1, 1),)])
        assert set(found) == {((x, v), (y + v, w)) for v, w in np.ndindex(2, 2)}
        assert cardinality == dict.fromkeys([x, y, y + 1], 2)

    def test_rows_that_several_contexts_share(self):
        """With an instrument, Y's rows are those of all contexts, and everything said matters."""
        graph, P = simple("Z -> X -> Y; X <-> Y", {"Z": 3, "X": 2, "Y": 2})
        model = model_of(graph, P)
        entries = Entries(model)
        found, _ = constraints(model.factor(["X", "Y"]), entries, [((entries.base["X"], 1),)])
        assert len(found) == 3 * 4

    def test_adults_four_columns(self, shared_path, monkeypatch):
        """Marital status has 2^8 response functions; the question tells few apart."""
        case = cases.adult_cases(shared_path)[1]
        monkeypatch.setattr(stages.Individual, "of", classmethod(lambda *_: None))
        made = question(case.graph, case.P, case.query).program()
        (size,) = made.sizes
        assert size.members == ("marital-status",)
        assert size.naive_columns == pytest.approx(math.log10(256))
        assert (size.cells, size.entries) == (4, 2)
        assert size.columns < 10
        assert "256 joint response functions" in str(size)
        assert f"tell {size.columns} columns apart" in str(size)

    def test_the_papers_first_table(self, shared_path, monkeypatch):
        case = cases.table2_cases(shared_path)[0]
        monkeypatch.setattr(stages.CellSearch, "of", classmethod(lambda *_: None))
        made = question(case.graph, case.P, case.query).program()
        (size,) = made.sizes
        assert size.naive_columns == pytest.approx(math.log10(8192))
        assert size.columns < 50
        assert size.cells == 16

    def test_events_of_probability_zero_are_no_steps(self):
        """What the data never show is no column: then there are fewer."""
        graph, P = simple("S -> Y; S <-> Y")
        fewer = P.copy()
        fewer[1, 1] = 0
        fewer /= fewer.sum()
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]))
        sizes = []
        for table in (P, fewer):
            asked = problem(graph, table, query)
            sizes.append(stages.formula(asked, relaxation="none", limits=stages.Limits()).sizes[0].columns)
        assert sizes[1] < sizes[0]


class TestNaiveColumns:
    def test_are_the_products(self):
        graph, P = simple("{A, B} -> Y; A -> B; A <-> B", {"A": 3, "B": 2, "Y": 4})
        model = model_of(graph, P)
        assert 10 ** naive_columns(model, ["A"]) == pytest.approx(3)
        assert 10 ** naive_columns(model, ["B"]) == pytest.approx(2**3)
        assert 10 ** naive_columns(model, ["Y"]) == pytest.approx(4**6)
        assert 10 ** naive_columns(model, ["A", "B"]) == pytest.approx(3 * 8)

    def test_of_numbers_without_a_name(self):
        size = BlockSize(("A", "\x1b[2J"), 76.4, 1234, 5, 6, 7)
        assert "about 10^76 joint response functions" in str(size)
        assert "1,234 columns" in str(size)
        assert "\x1b" not in str(size)


class TestSlack:
    def test_an_instrument_that_moves_too_much(self):
        """Σ_y max_z P(x = 0, y | z) = 1.6 (Pearl 1995 allows 1). Each unit too much has to be taken away once
        and put elsewhere once: ε = 2 × 0.6.
        """
        P = np.array([[[0.8, 0.1], [0.05, 0.05]], [[0.1, 0.8], [0.05, 0.05]]]) / 2
        query = scm.Query("X", "Y", 1, 1, 0, frozenset([("X", "Y")]))
        made = question(IV, P, query).program()
        assert made.kind == "linear"
        assert made.slack == pytest.approx(1.2)
        assert made.blocks[0].slack == pytest.approx(1.2)

    def test_at_the_edge_of_what_is_possible(self):
        P = np.array([[[0.7, 0.1], [0.1, 0.1]], [[0.3, 0.3], [0.2, 0.2]]]) / 2
        assert P[:, 0].max(0).sum() * 2 == pytest.approx(1)
        query = scm.Query("X", "Y", 1, 1, 0, frozenset([("X", "Y")]))
        assert question(IV, P, query).program().slack == pytest.approx(0, abs=1e-7)

    def test_what_never_occurs_may_then_occur(self):
        """P(x = 0, y = 0 | z = 0) = P(x = 0, y = 1 | z = 1) = 1: too much by 1, and cells of 0 must give."""
        P = np.zeros((2, 2, 2))
        P[0, 0, 0] = P[1, 0, 1] = 0.5
        query = scm.Query("X", "Y", 1, 1, 0, frozenset([("X", "Y")]))
        made = question(IV, P, query).program()
        assert made.slack == pytest.approx(2)
        (block,) = made.blocks
        cost = np.asarray(block.asked.todense())[0]
        assert len(cost) == block.polytope.n_columns
        low, high = block.polytope.optimize(cost, "min"), block.polytope.optimize(cost, "max")
        assert -1 - 1e-4 <= low.bound <= high.bound <= 1 + 1e-4


class TestTooLarge:
    def test_says_how_large_and_what_helps(self):
        graph, P = simple("S -> W -> Y; {S, A, B} -> Y; W <-> Y")
        model = model_of(graph, P)
        entries = Entries(model)
        asked = {((entries.base["Y"], 1), (entries.base["Y"] + 5, 0)): ((0, 1.0),)}
        with pytest.raises(TooLargeError) as caught:
            block_program(model, ["W", "Y"], entries, asked, 1, most_columns=5)
        text = str(caught.value)
        assert "the response functions of W and Y need more than 5 columns" in text
        assert f"got {4 * 2**16:,}" in text
        for way in ("bins=…", "leave variables out of the graph", "predictor=…", "relaxation="):
            assert way in text
        assert block_program(model, ["W", "Y"], entries, asked, 1).size.columns > 5

    def test_cells_that_are_too_many_to_look_at(self, monkeypatch):
        graph, P = simple("S -> W -> Y; {S, A, B} -> Y; W <-> Y")
        model = model_of(graph, P)
        entries = Entries(model)
        asked = {((entries.base["Y"], 1),): ((0, 1.0),)}
        monkeypatch.setattr(program, "MOST_LISTED", 31)
        said = "the table of W, Y, S, A and B has more than 31 cells; got 32"
        with pytest.raises(TooLargeError, match=said):
            block_program(model, ["W", "Y"], entries, asked, 1)

    def test_more_columns_than_a_number_can_hold(self):
        """2^2048 response functions: log10 is 616."""
        graph = scm.Graph.of({**{f"a{i}": 2 for i in range(11)}, "Y": 2}, [(f"a{i}", "Y") for i in range(11)])
        P = np.full(graph.shape, 1 / 2**12)
        model = model_of(graph, P)
        entries = Entries(model)
        asked = {tuple((entries.base["Y"] + row, 1) for row in range(6)): ((0, 1.0),)}
        with pytest.raises(TooLargeError, match=r"got about 10\^300"):
            block_program(model, ["Y"], entries, asked, 1, most_columns=3)


class TestAssembled:
    def test_rows_are_cells_and_what_flows(self):
        """Of one entry with two answers, one of which has probability 0.3."""
        made = build({((0, 1),): ((0, 2.0), (1, 1.0))}, {0: 2})
        polytope, asked = assembled(made, np.array([0.3]), 1)
        assert polytope.n_columns == 2
        cost = np.asarray(asked.todense())[0]
        assert sorted(cost) == [0.0, 2.0]
        for sense in ("min", "max"):
            found = polytope.optimize(cost, sense)
            assert found.value == pytest.approx(0.6)
            assert found.x.sum() == pytest.approx(1)

    def test_with_nothing_asked(self):
        polytope, asked = assembled(build({}, {}), np.zeros(0), 1)
        assert asked.shape == (1, 1)
        assert polytope.optimize(np.ones(1), "max").value == pytest.approx(1)
