from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from tests.causal.asking import causal_graph, distribution, simple
from tests.oracle import scm
from tests.oracle.c_factors import fitted, prefix_factors

from fairwitness.causal import CausalGraph, Distribution
from fairwitness.causal.data.kernel import Kernel
from fairwitness.causal.solver.factors import Model, Table


def model_of(graph, P, kernel=None):
    return Model(causal_graph(graph), distribution(graph, P), kernel)


def reordered(table, names):
    return np.transpose(table.values, [table.variables.index(name) for name in names])


@functools.cache
def cases():
    found = []
    for seed in range(40):
        model, P, _ = scm.random_case(seed, most=5)
        found.append((seed, model.graph, P))
    return found


class TestTable:
    def test_aligned(self):
        table = Table(("B", "A"), np.arange(6.0).reshape(2, 3))
        assert table.aligned(("A", "X", "B")).shape == (3, 1, 2)
        for a, b in np.ndindex(3, 2):
            assert table.aligned(("A", "X", "B"))[a, 0, b] == table.values[b, a]

    def test_of_no_variables(self):
        assert Table((), np.array(2.0)).aligned(("A",)).shape == (1,)


class TestConditionals:
    def test_are_shares_of_rows(self):
        """By hand: P(y | s), where s = 1 never occurs."""
        data = Distribution.from_table(["S", "Y"], [(0, 1), ("a", "b", "c")], [[0.2, 0.3, 0.5], [0, 0, 0]])
        found = Model(CausalGraph.from_any("S -> Y"), data).conditional("Y")
        assert found.variables == ("S", "Y")
        assert found.values[0] == pytest.approx([0.2, 0.3, 0.5])
        assert np.isnan(found.values[1]).all()

    def test_given_what_precedes_and_matters(self):
        """In X → W → Y with W and Y confounded, y depends on the mate w and the mate's cause x."""
        graph, P = simple("X -> W -> Y; W <-> Y", {"X": 2, "W": 3, "Y": 2})
        found = model_of(graph, P).conditional("Y")
        assert found.variables == ("X", "W", "Y")
        assert found.values == pytest.approx(P / P.sum(-1, keepdims=True))

    def test_a_mate_that_comes_later_does_not_matter(self):
        graph, P = simple("A -> B -> C; A <-> C")
        model = model_of(graph, P)
        assert model.pillow("A") == ()
        assert model.pillow("B") == ("A",)
        assert model.pillow("C") == ("A", "B")
        assert model.conditional("B").values == pytest.approx(P.sum(2) / P.sum((1, 2))[:, None])

    def test_pillow_is_reached_by_arcs_among_the_earlier(self):
        rng = np.random.default_rng(0)
        seen = 0
        for _ in range(60):
            names = [f"v{i}" for i in range(6)]
            pairs = list(itertools.combinations(names, 2))
            edges = [pair for pair in pairs if rng.random() < 0.4]
            arcs = [pair for pair in pairs if rng.random() < 0.3]
            graph = CausalGraph(edges, arcs, nodes=names)
            data = Distribution.from_table(names, [(0, 1)] * 6, np.ones(64))
            model = Model(graph, data)
            for place, name in enumerate(names):
                earlier = set(names[: place + 1])
                # the mates: all that a chain of arcs within the earlier reaches
                linked = CausalGraph([], [arc for arc in arcs if set(arc) <= earlier], nodes=sorted(earlier))
                mates = set(linked.component_of(name))
                expected = (mates | {p for mate in mates for p in graph.parents(mate)}) - {name}
                assert set(model.pillow(name)) == expected
                assert list(model.pillow(name)) == sorted(expected)
                seen += len(mates) > 2
        assert seen > 20

    def test_a_known_predictor(self):
        graph, P = simple("S -> Y", seed=1)
        kernel = Kernel("Y", (0, 1), ("S",), np.array([[0.9, 0.1], [np.nan, np.nan]]))
        found = model_of(graph, P, kernel).conditional("Y")
        assert found.variables == ("S", "Y")
        np.testing.assert_array_equal(found.values, kernel.table)
        assert model_of(graph, P, kernel).conditional("S").values == pytest.approx(P.sum(1))


class TestFactors:
    def test_are_the_oracles(self):
        """Random graphs, some contexts without anybody: every prefix of every component."""
        seen = {"unknown": 0, "zero": 0, "prefix": 0}
        for seed, graph, P in cases():
            model = model_of(graph, P)
            for members in graph.components:
                factor = model.factor(members)
                assert factor.members == members
                for size, (outside, expected) in enumerate(prefix_factors(graph, P, members), start=1):
                    names = (*members[:size], *outside)
                    shape = tuple(graph.cards[v] if v in names else 1 for v in factor.axes)
                    order = np.argsort([factor.axes.index(v) for v in names])
                    np.testing.assert_allclose(
                        factor.prefixes[size],
                        np.transpose(expected, order).reshape(shape),
                        atol=1e-12,
                        err_msg=str(seed),
                    )
                    seen["prefix"] += size > 1
                    seen["unknown"] += bool(np.isnan(expected).any())
                    seen["zero"] += bool((expected == 0).any())
                assert factor.table.shape == tuple(graph.cards[v] for v in factor.axes)
        assert min(seen.values()) > 20, seen

    def test_multiply_to_the_distribution(self):
        for seed, graph, P in cases():
            model = model_of(graph, P)
            product = np.ones(graph.shape)
            for members in graph.components:
                factor = model.factor(members)
                product = product * Table(factor.axes, factor.table).aligned(graph.variables)
            # where something is unknown, another factor says that nobody is there
            assert np.where(P > 0, product, 0) == pytest.approx(P, abs=1e-12), seed
            assert np.nansum(product) == pytest.approx(1), seed

    def test_the_distribution_that_they_make(self):
        rng = np.random.default_rng(0)
        seen = {"other": 0, "open": 0}
        for seed, graph, P in cases():
            assert model_of(graph, P).fitted().probability == pytest.approx(P, abs=1e-12), seed
            table = rng.dirichlet(np.full(P.size, 0.3)).reshape(P.shape)  # without the graph's independences
            table[table < 1e-3] = 0
            found = model_of(graph, table / table.sum()).fitted()
            try:
                expected = fitted(graph, table / table.sum())
            except ValueError:
                assert found is None
                seen["open"] += 1
                continue
            assert found.probability == pytest.approx(expected, abs=1e-12), seed
            assert found.levels == distribution(graph, P).levels
            seen["other"] += not np.allclose(expected, table / table.sum())
        assert min(seen.values()) >= 3, seen

    def test_of_several_components_at_once(self):
        graph, P = simple("S -> W -> Y; S -> Y; W <-> Y")
        model = model_of(graph, P)
        both = model.factor(["Y", "S", "W"])
        assert (both.members, both.parents) == (("S", "W", "Y"), ())
        assert both.table == pytest.approx(P)
        assert model.factor(("W", "Y")).parents == ("S",)
        assert model.factor(("W", "Y")).table[:, :, 1] == pytest.approx(P[1] / P[1].sum())


class TestCells:
    def test_of_a_degenerate_cause(self):
        """Only s = 0 occurs. Of the rest, s = 1 says nothing."""
        data = Distribution.from_table(["S", "Y"], [(0, 1), (0, 1)], [[0.3, 0.7], [0, 0]])
        model = Model(CausalGraph.from_any("S -> Y"), data)
        found = list(model.factor(["Y"]).cells())
        assert [(cell.members, cell.context) for cell in found] == [((0,), (0,)), ((1,), (0,))]
        assert [cell.probability for cell in found] == pytest.approx([0.3, 0.7])
        assert [cell.probability for cell in model.factor(["S"]).cells()] == [1.0, 0.0]

    def test_shorter_ones_where_the_rest_is_unknown(self):
        """a = 1 is seen without b = 1 ever being: P(y | a, b) of b = 1 is unknown, P(a) is not."""
        P = np.zeros((2, 2, 2))  # A, B, Y
        P[:, 0] = [[0.1, 0.2], [0.3, 0.4]]
        data = Distribution.from_table(["A", "B", "Y"], [(0, 1)] * 3, P)
        model = Model(CausalGraph.from_any("{A, B} -> Y; A <-> Y"), data)
        factor = model.factor(["A", "Y"])
        found = {(cell.members, cell.context): cell.probability for cell in factor.cells()}
        assert found == pytest.approx(
            {
                **{((a, y), (0,)): P[a, 0, y] for a, y in np.ndindex(2, 2)},
                ((0,), (1,)): 0.3,
                ((1,), (1,)): 0.7,
            }
        )

    def test_say_all_that_is_known_and_no_more(self):
        """Every known probability of every prefix is a sum of cells, and cells of a context sum to 1."""
        shorter = 0
        for seed, graph, P in cases():
            model = model_of(graph, P)
            for members in graph.components:
                factor = model.factor(members)
                cells = list(factor.cells())
                keys = [(cell.members, cell.context) for cell in cells]
                assert len(set(keys)) == len(keys)
                contexts = list(np.ndindex(*(graph.cards[v] for v in factor.parents)))
                for context in contexts:
                    there = [cell for cell in cells if cell.context == context]
                    shorter += any(0 < len(cell.members) < len(members) for cell in there)
                    known = [
                        size
                        for size in range(1, len(members) + 1)
                        if not np.isnan(_at(factor, size, context)).all()
                    ]
                    total = sum(cell.probability for cell in there)
                    assert total == pytest.approx(1 if known else 0), seed
                    for size in known:
                        table = _at(factor, size, context)
                        for values in np.ndindex(*(graph.cards[v] for v in members[:size])):
                            if np.isnan(table[values]):
                                continue
                            parts = [c.probability for c in there if c.members[:size] == values]
                            assert sum(parts) == pytest.approx(table[values]), seed
        assert shorter > 5


def _at(factor, size, context):
    """The table of the first members in one context."""
    cards = tuple(factor.model.cardinality(v) for v in factor.axes)
    n = len(factor.members)
    whole = np.broadcast_to(factor.prefixes[size], (*cards[:size], *(1,) * (n - size), *cards[n:]))
    return whole[(..., *context)].reshape(cards[:size])
