from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.causal.asking import problem, simple
from tests.oracle import scm

from fairwitness.causal.data.kernel import Kernel
from fairwitness.causal.solver import expression
from fairwitness.causal.solver.expression import (
    Coded,
    TooLargeError,
    contract,
    difference,
    expand,
    split,
    too_large,
)
from fairwitness.causal.solver.factors import Table
from fairwitness.errors import ConfigError


def probability(model, event, entries):
    """What a structural model says of an event of one block: how probable these answers are, all at once."""
    if not event:
        return 1.0
    names = entries.model.graph.nodes
    members = next(c for c in model.graph.components if entries.variable(event[0][0]) in c)
    hidden = model.hidden[model.graph.components.index(members)]
    holds = np.ones(len(hidden), dtype=bool)
    for entry, value in event:
        variable = entries.variable(entry)
        assert variable in members
        place = names.index(variable)
        after = entries.base[names[place + 1]] if place + 1 < len(names) else entries.total
        table = model.tables[variable].reshape(after - entries.base[variable], len(hidden))
        holds &= table[entry - entries.base[variable]] == value
    return math.fsum(hidden[holds])


def value_of(polynomial, model, entries):
    return math.fsum(
        weight * math.prod(probability(model, event, entries) for event in key)
        for key, weight in polynomial.items()
    )


def moved(model, query, paths):
    """P(outcome, evidence) in a structural model, by enumeration."""
    chances, of = model.worlds()
    happens = (model.nested(query, paths, of) == query.value) & model.holds(query.given, of)
    return math.fsum(chances[happens])


def ask(text, query, cards=2, seed=0):
    graph, P = simple(text, cards, seed)
    return problem(graph, P, query), P


def total(paths, given=None, **more):
    settings = {"treatment": "S", "outcome": "Y", "value": 1, "active": 1, "reference": 0, **more}
    return scm.Query(paths=frozenset(paths), given=given or {}, **settings)


class TestExpand:
    def test_is_the_probability_it_stands_for(self):
        """Random models with their own response functions: whatever is not identified is put in from them."""
        seen = dict.fromkeys(["known", "open", "several", "evidence", "repeated"], 0)
        for seed in range(120):
            model, P, query = scm.random_case(seed, most=5)
            asked = problem(model.graph, P, query)
            for coded, paths in ((asked.active, query.paths), (asked.reference, frozenset())):
                found = expand(coded, asked.model, asked.blocks, asked.entries)
                assert value_of(found, model, asked.entries) == pytest.approx(
                    moved(model, query, paths), abs=1e-10
                ), seed
                blocks = {n for key in found for n, event in enumerate(key) if event}
                seen["known"] += not blocks
                seen["open"] += len(blocks) == 1
                seen["several"] += len(blocks) > 1
                seen["evidence"] += bool(query.given)
                seen["repeated"] += len(set(coded.variables)) < len(coded)
            # what the evidence alone says is known in any case
            assert asked.evidence_probability == pytest.approx(model.evidence(query)), seed
        assert min(seen.values()) > 20, seen

    def test_in_letters(self):
        """S → Y, both seen at 0: P(Y(1) = 1, S = 0, Y = 0) = P(S = 0) · P(r_Y(0) = 0, r_Y(1) = 1)."""
        asked, P = ask("S -> Y", total([("S", "Y")], {"S": 0, "Y": 0}))
        found = expand(asked.active, asked.model, asked.blocks, asked.entries)
        assert asked.blocks == (("S",), ("Y",))
        base = asked.entries.base["Y"]
        assert list(found) == [((), ((base, 0), (base + 1, 1)))]
        assert next(iter(found.values())) == pytest.approx(P[0].sum())

    def test_equal_answers_are_asked_once_and_contradictions_left_out(self):
        """S ↔ Y: P(Y(s) = 1, S = s', Y = y'): where s = s' the answer is known to be y'."""
        asked, _ = ask("S -> Y; S <-> Y", total([("S", "Y")], {"Y": 1}))
        s, y = asked.entries.base["S"], asked.entries.base["Y"]
        found = expand(asked.active, asked.model, asked.blocks, asked.entries)
        assert found == {(((s, 1), (y + 1, 1)),): 1.0, (((s, 0), (y, 1), (y + 1, 1)),): 1.0}
        asked, _ = ask("S -> Y; S <-> Y", total([("S", "Y")], {"Y": 0}))
        found = expand(asked.active, asked.model, asked.blocks, asked.entries)
        assert found == {(((s, 0), (y, 0), (y + 1, 1)),): 1.0}

    def test_what_contradicts_the_evidence_is_nothing(self):
        """People with s₀ and y = 0: their outcome under s₀ is 0."""
        asked, _ = ask("S -> Y", total([("S", "Y")], {"S": 0, "Y": 0}))
        assert asked.reference.impossible
        assert expand(asked.reference, asked.model, asked.blocks, asked.entries) == {}
        asked, P = ask("S -> Y", total([("S", "Y")], {"S": 0, "Y": 1}))
        assert not asked.reference.impossible
        found = expand(asked.reference, asked.model, asked.blocks, asked.entries)
        assert found == {((), ()): pytest.approx(P[0, 1])}

    def test_too_many_terms(self, monkeypatch):
        asked, _ = ask("S -> W -> Y; S -> Y; W <-> Y", total([("S", "Y"), ("S", "W", "Y")], {"W": 0}))
        monkeypatch.setattr(expression, "MOST_TERMS", 1)
        with pytest.raises(TooLargeError, match="its formula has too many terms"):
            expand(asked.active, asked.model, asked.blocks, asked.entries)


class TestEvidenceOnMates:
    """A variable whose confounded mate has causes of its own, and is not asked."""

    def test_by_hand(self):
        graph, P = simple("X -> V; V <-> W; W -> Z; S -> Y; W -> Y", seed=3)
        for name, share in (("W", P.sum((0, 1, 3, 4, 5))), ("Z", P.sum((0, 1, 2, 4, 5)))):
            assert graph.variables == ("X", "V", "W", "Z", "S", "Y")
            for level in (0, 1):
                asked = problem(graph, P, total([("S", "Y")], {name: level}))
                assert asked.evidence_probability == pytest.approx(share[level])
                factual = Coded.read(asked.query.factual(), asked.model, None)
                assert split(factual, asked.model, asked.blocks).unidentified == ()

    def test_where_the_mates_cause_never_takes_a_value(self):
        graph, _ = simple("X -> V; V <-> W; S -> W", {"X": 3, "V": 2, "W": 2, "S": 2})
        P = np.zeros((3, 2, 2, 2))  # X, V, S, W
        assert graph.variables == ("X", "V", "S", "W")
        P[:2] = np.random.default_rng(0).dirichlet(np.ones(4)).reshape(2, 2)[None, :, None, :]
        P[:2] *= np.array([0.3, 0.7])[:, None, None, None] * np.array([0.4, 0.6])[None, None, :, None]
        query = scm.Query("S", "W", 1, 1, 0, frozenset([("S", "W")]), {"W": 1})
        assert problem(graph, P, query).evidence_probability == pytest.approx(P[..., 1].sum())

    def test_where_the_data_are_not_as_the_graph_says(self):
        """W is not independent of X as it should be: its share is that of all rows."""
        graph, _ = simple("X -> V; V <-> W")
        P = np.random.default_rng(1).dirichlet(np.ones(8)).reshape(2, 2, 2)
        query = scm.Query("X", "V", 1, 1, 0, frozenset([("X", "V")]), {"W": 1})
        assert problem(graph, P, query).evidence_probability == pytest.approx(P[..., 1].sum())


class TestUnknownTables:
    def test_matter_only_where_there_is_weight(self):
        """P(y | s = 1) is unknown. Nobody has s = 1, so that what is known of all is known."""
        graph, _ = simple("S -> Y")
        P = np.array([[0.3, 0.7], [0.0, 0.0]])
        asked = problem(graph, P, total([("S", "Y")]))
        entries = asked.entries
        assert expand(asked.reference, asked.model, asked.blocks, entries) == {((), ()): pytest.approx(0.7)}
        assert expand(asked.active, asked.model, asked.blocks, entries) == {
            ((), ((entries.base["Y"] + 1, 1),)): pytest.approx(1.0)
        }
        assert problem(graph, P, total([("S", "Y")], {"Y": 1})).evidence_probability == pytest.approx(0.7)

    def test_a_known_predictor_that_is_unknown_in_places(self):
        graph, P = simple("S -> Y")
        kernel = Kernel("Y", (0, 1), ("S",), np.array([[0.2, 0.8], [np.nan, np.nan]]))
        asked = problem(graph, P, total([("S", "Y")]), kernel)
        assert split(asked.reference, asked.model, asked.blocks).unidentified == ()
        assert split(asked.active, asked.model, asked.blocks).unidentified == (1,)
        found = expand(asked.reference, asked.model, asked.blocks, asked.entries)
        assert found == {((), ()): pytest.approx(0.8)}


class TestCoded:
    def test_labels_become_codes(self):
        asked, _ = ask("S -> W -> Y; S -> Y", total([("S", "Y")], {"W": 1, "S": 0}))
        coded = asked.active
        assert coded.variables == ("S", "W", "Y")
        assert coded.sources == ((), (-1,), (-2, -2))  # s₀ is code 0, s₁ and w are code 1
        assert dict(coded.known) == {0: 0, 1: 1, 2: 1}
        assert not coded.impossible
        assert len(coded) == 3

    def test_only_the_evidence(self):
        asked, _ = ask("S -> W -> Y; S -> Y", total([("S", "Y")], {"W": 1}))
        coded = Coded.read(asked.query.factual(), asked.model, None)
        assert coded.variables == ("S", "W")
        assert dict(coded.known) == {1: 1}


class TestEntries:
    def test_one_number_for_each_row_of_each_variable(self):
        graph, P = simple("S -> W -> Y; S -> Y; Z -> Y", {"S": 2, "W": 3, "Y": 2, "Z": 4})
        entries = problem(graph, P, total([("S", "Y")])).entries
        numbers = {}
        for variable in graph.variables:
            for row in np.ndindex(*graph.rows(variable)):
                number = entries.number(variable, row)
                assert numbers.setdefault(number, variable) == variable
                assert entries.variable(number) == variable
                assert entries.cardinality(number) == graph.cards[variable]
        rows = {v: math.prod(graph.rows(v)) for v in graph.variables}
        assert rows == {"S": 1, "W": 2, "Z": 1, "Y": 24}
        assert sorted(numbers) == list(range(28))
        assert entries.total == 28


class TestContract:
    def test_is_a_sum_of_products(self):
        rng = np.random.default_rng(0)
        cards = dict(zip("abcde", (2, 3, 2, 4, 2), strict=True))
        for _ in range(60):
            tables = []
            for _ in range(int(rng.integers(1, 5))):
                names = rng.permutation(list(cards))[: int(rng.integers(0, 4))]
                tables.append(Table(tuple(names), rng.normal(size=[cards[n] for n in names])))
            present = {name for table in tables for name in table.variables}
            keep = [name for name in rng.permutation(list(cards))[:2] if name in present]
            letters = ",".join("".join(table.variables) for table in tables)
            expected = np.einsum(f"{letters}->{''.join(keep)}", *(table.values for table in tables))
            found = contract(tables, keep)
            assert found.variables == tuple(keep)
            assert found.values == pytest.approx(expected)

    def test_of_nothing_is_one(self):
        assert float(contract([], ()).values) == 1.0

    def test_the_cheapest_first(self, monkeypatch):
        """A chain of 12 variables is summed without its joint table of 2^12."""
        monkeypatch.setattr(expression, "MOST_TERMS", 2)
        names = [f"v{i}" for i in range(12)]
        links = [Table(pair, np.full((2, 2), 0.5)) for pair in itertools.pairwise(names)]
        assert float(contract(links, ()).values) == pytest.approx(2.0)

    def test_too_many_terms(self, monkeypatch):
        monkeypatch.setattr(expression, "MOST_TERMS", 2)
        with pytest.raises(TooLargeError, match="too many terms; got 16"):
            contract([Table(("a", "b", "c", "d"), np.ones((2, 2, 2, 2)))], ())


class TestTooLarge:
    @pytest.mark.parametrize(
        ("size", "said"),
        [(1e76, "about 10^76"), (2e7, "about 10^7"), (1e7, "10,000,000"), (123456, "123,456")],
    )
    def test_has_the_size_and_ways_out(self, size, said):
        error = too_large("its formula has too many terms", size)
        assert isinstance(error, ConfigError)
        text = str(error)
        assert f"the program is too large: its formula has too many terms; got {said}. To fix:" in text
        for way in ("bins=…", "leave variables out of the graph", "predictor=…", 'relaxation="confounded"'):
            assert way in text


def test_difference():
    a, b, c = (((0, 1),),), (((1, 1),),), (((2, 0),),)
    assert difference({a: 0.5, b: 0.25}, {b: 0.25, c: 0.125}) == {a: 0.5, c: -0.125}
    first = {a: 0.5}
    difference(first, {a: 0.1})
    assert first == {a: 0.5}
