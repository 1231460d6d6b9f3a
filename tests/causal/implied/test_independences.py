from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2_contingency
from tests.oracle.independence_by_hand import (
    all_statements,
    closure,
    d_separated,
    random_graph,
    random_joint,
)

from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.causal.graph.separation import separated
from fairwitness.causal.implied.independences import implied_independences, test_independences
from fairwitness.causal.implied.instruments import Instrument, _likelihood_ratio, instrument_test, instruments
from fairwitness.errors import ConfigError, DataError
from fairwitness.stats.significance import holm

IV = "Z -> X -> Y; X <-> Y"


def listed(text):
    return [str(each) for each in implied_independences(CausalGraph.from_text(text))]


def as_distribution(graph, joint, rng=None, n=None):
    levels = [range(size) for size in joint.shape]
    if n is None:
        return Distribution.from_table(graph.nodes, levels, joint)
    counts = rng.multinomial(n, joint.ravel()).reshape(joint.shape)
    return Distribution.from_counts(graph.nodes, levels, counts)


class TestSeparation:
    def test_against_networkx_with_hidden_nodes(self):
        rng = np.random.default_rng(0)
        for _ in range(25):
            graph = random_graph(rng, 5)
            for roles in itertools.product(range(3), repeat=3):
                a, b, *rest = rng.permutation(graph.nodes).tolist()
                given = [name for name, role in zip(rest, roles, strict=True) if role == 0]
                second = [b, *(name for name, role in zip(rest, roles, strict=True) if role == 1)]
                assert separated(graph, [a], second, given) == d_separated(graph, [a], second, given)


class TestListed:
    @pytest.mark.parametrize(
        ("graph", "statements"),
        [
            ("S -> W -> Y", ["Y ⊥ S | W"]),
            ("W -> S; W -> Y", ["Y ⊥ S | W"]),
            ("S -> W; Y -> W", ["Y ⊥ S"]),
            ("A; B; C", ["B ⊥ A", "C ⊥ A, B"]),
            ("S -> W; W -> Y; S -> Y", []),
            # hidden common causes
            ("A <-> B; B <-> C", ["C ⊥ A"]),
            (IV, []),
            ("S -> M -> Y; S <-> Y", []),  # the front door
            ("A <-> W; W <-> B; A -> B", []),
            ("A -> B -> C -> D; B <-> D", ["C ⊥ A | B"]),  # and a Verma constraint, which is none of these
            ("S -> W -> Y; S <-> W", ["Y ⊥ S | W"]),
            ("X -> Z; W -> Z; Z -> Y; X <-> W", ["Y ⊥ X, W | Z"]),
        ],
    )
    def test_textbook_graphs(self, graph, statements):
        assert listed(graph) == statements

    def test_without_arcs_each_variable_given_its_causes(self):
        rng = np.random.default_rng(1)
        for _ in range(20):
            graph = random_graph(rng, 6, arc=0)
            wanted = []
            for at, x in enumerate(graph.nodes):
                others = tuple(name for name in graph.nodes[:at] if name not in graph.parents(x))
                wanted += [(x, others, graph.parents(x))] if others else []
            assert [(each.x, each.y, each.given) for each in implied_independences(graph)] == wanted

    def test_every_statement_is_one_of_the_graph(self):
        rng = np.random.default_rng(2)
        for _ in range(60):
            graph = random_graph(rng, int(rng.integers(2, 8)), edge=rng.random() / 2, arc=rng.random() / 2)
            for each in implied_independences(graph):
                assert d_separated(graph, [each.x], each.y, each.given)

    @pytest.mark.parametrize("size", [3, 4])
    def test_all_others_follow(self, size):
        rng = np.random.default_rng(size)
        for _ in range(40):
            graph = random_graph(rng, size, edge=rng.random() * 0.7, arc=rng.random() * 0.7)
            named = {
                (frozenset({each.x}), frozenset(each.y), frozenset(each.given))
                for each in implied_independences(graph)
            }
            assert closure(named) == all_statements(graph), str(graph)

    def test_distributions_of_the_graph_obey(self):
        rng = np.random.default_rng(3)
        tested = 0
        for _ in range(40):
            graph = random_graph(rng, int(rng.integers(3, 7)))
            joint = random_joint(rng, graph, values=int(rng.integers(2, 4)))
            for test in test_independences(graph, as_distribution(graph, joint)).tests:
                tested += 1
                if test.kind == "independence":
                    assert test.information < 1e-12
                assert test.deviation < 1e-12
        assert tested > 100

    def test_distributions_of_other_graphs_do_not(self):
        rng = np.random.default_rng(4)
        for _ in range(15):
            graph = random_graph(rng, 5, edge=0.3, arc=0.1)
            full = graph.confounded()
            dependent = as_distribution(full, random_joint(rng, full))
            for test in test_independences(graph, dependent).tests:
                assert test.kind == "instrument" or test.information > 1e-9

    def test_many_variables(self):
        names = [f"v{i}" for i in range(22)]
        chain = CausalGraph(itertools.pairwise(names))
        assert len(implied_independences(chain)) == 20
        full = CausalGraph(itertools.combinations(names, 2)).confounded()
        assert implied_independences(full) == ()
        # one cause of all but the last, which arcs join with one another: one statement among 2^20 districts
        hub = CausalGraph([("S", name) for name in names[:-1]], nodes=["S"]).confounded()
        hub = CausalGraph(
            [("S", name) for name in names[:-1]], itertools.combinations(names, 2), nodes=["S", *names]
        )
        assert [str(each) for each in implied_independences(hub)] == ["v21 ⊥ S"]

    def test_long_lists_are_cut(self):
        names = [f"v{i}" for i in range(12)]
        ring = CausalGraph(bidirected=[*itertools.pairwise(names), (names[0], names[-1])], nodes=names)
        assert len(implied_independences(ring)) > 20
        assert len(implied_independences(ring, most=7)) == 7
        joint = np.ones((2,) * 12) / 2**12
        assert not test_independences(ring, as_distribution(ring, joint), most=7).complete
        assert test_independences(ring, as_distribution(ring, joint)).complete
        with pytest.raises(ConfigError, match="most"):
            implied_independences(ring, most=0)

    def test_names_are_shown_plainly(self):
        graph = CausalGraph(nodes=["\x1b[3m", "b"])
        assert "\x1b" not in str(implied_independences(graph)[0])


class TestIndependenceTests:
    GRAPH = CausalGraph.from_text("S -> W; Q -> W; W -> Y; Q -> Y")

    @staticmethod
    def rows(rng, n, **changes):
        frame = pd.DataFrame({"S": rng.integers(0, 2, n), "Q": rng.integers(0, 3, n)})
        frame["W"] = (rng.random(n) < 0.2 + 0.3 * frame["S"] + 0.2 * frame["Q"]).astype(int)
        frame["Y"] = (rng.random(n) < 0.1 + 0.4 * frame["W"] + 0.2 * frame["Q"]).astype(int)
        return frame.assign(**changes)

    def test_against_scipy_in_each_stratum(self):
        rng = np.random.default_rng(0)
        frame = self.rows(rng, 400)
        frame = frame[(frame["Q"] != 2) | (frame["W"] == 1)]  # a stratum that is empty
        frame = frame[(frame["Q"] != 1) | (frame["W"] == 1) | (frame["S"] == 0)]  # and one with one row
        found = test_independences(self.GRAPH, Distribution.from_data(frame, self.GRAPH.nodes))
        first, second = found.tests
        assert str(first.statement) == "Q ⊥ S"
        assert str(second.statement) == "Y ⊥ S | Q, W"
        plain = chi2_contingency(pd.crosstab(frame["Q"], frame["S"]), lambda_="log-likelihood")
        assert first.statistic == pytest.approx(plain.statistic)
        assert (first.df, first.p_value) == (plain.dof, pytest.approx(plain.pvalue))
        statistic, df = 0.0, 0
        for _, stratum in frame.groupby(["Q", "W"]):
            table = pd.crosstab(stratum["Y"], stratum["S"])
            if min(table.shape) > 1:
                part = chi2_contingency(table, lambda_="log-likelihood", correction=False)
                statistic, df = statistic + part.statistic, df + part.dof
        assert df == 4
        assert second.statistic == pytest.approx(statistic)
        assert second.df == df
        assert second.information == pytest.approx(statistic / 2 / len(frame))
        np.testing.assert_allclose(
            [test.p_adjusted for test in found.tests], holm([test.p_value for test in found.tests])
        )

    def test_several_variables_are_tested_together(self):
        rng = np.random.default_rng(1)
        graph = CausalGraph.from_text("A -> B; A <-> B; C")
        frame = pd.DataFrame({name: rng.integers(0, 3, 500) for name in "ABC"})
        test = test_independences(graph, Distribution.from_data(frame, graph.nodes)).tests[0]
        table = pd.crosstab(frame[test.statement.x], [frame[name] for name in test.statement.y])
        assert test.statistic == pytest.approx(chi2_contingency(table, lambda_="log-likelihood").statistic)
        assert test.df == 16

    def test_what_holds_is_rarely_rejected_and_what_does_not_is(self):
        rng = np.random.default_rng(2)
        rejected = []
        for _ in range(100):
            data = Distribution.from_data(self.rows(rng, 500), self.GRAPH.nodes)
            rejected.append(bool(test_independences(self.GRAPH, data).rejected))
        assert np.mean(rejected) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)
        rows = self.rows(rng, 500)
        changed = rows.assign(Y=np.where(rng.random(500) < 0.4, rows["S"], rows["Y"]))
        found = test_independences(self.GRAPH, Distribution.from_data(changed, self.GRAPH.nodes))
        assert [str(test.statement) for test in found.rejected] == ["Y ⊥ S | Q, W"]
        assert not test_independences(
            self.GRAPH, Distribution.from_data(changed, self.GRAPH.nodes), alpha=1e-30
        ).rejected

    def test_sizes_alone_where_rows_are_not_known(self):
        graph = CausalGraph(nodes=["A", "B"])
        table = as_distribution(graph, np.array([[0.5, 0.0], [0.1, 0.4]]))
        test = test_independences(graph, table).tests[0]
        assert test.deviation == pytest.approx(0.4)
        assert test.information == pytest.approx(
            0.5 * np.log(0.5 / 0.3) + 0.1 * np.log(0.1 / 0.3) + 0.4 * np.log(0.4 / 0.2)
        )
        assert np.isnan([test.statistic, test.p_value, test.p_adjusted]).all()
        assert test.rejected is None
        assert test.reason == "the number of rows is not known"

    def test_p_values_with_a_reason(self):
        graph = CausalGraph(nodes=["A", "B"])
        constant = Distribution.from_counts(["A", "B"], [[0], [0, 1]], [[10, 20]])
        test = test_independences(graph, constant).tests[0]
        assert test.reason == "nothing varies where all else is equal"
        assert np.isnan(test.p_value)
        predicted = Distribution.from_counts(["A"], [[0, 1]], [10, 20])
        predicted = predicted.with_kernel("B", np.eye(2), ["A"], levels=[0, 1])
        test = test_independences(graph, predicted).tests[0]
        assert test.reason == "some probabilities are a predictor's, not counted"
        assert test.deviation > 0
        halves = Distribution.from_counts(["A", "B"], [[0, 1], [0, 1]], [[0.5, 1], [2, 3]])
        assert test_independences(graph, halves).tests[0].reason == "counts are not whole numbers"

    def test_more_variables_than_the_graph_has(self):
        rows = self.rows(np.random.default_rng(3), 300)
        wide = Distribution.from_data(rows, ["Y", "Q", "S", "W"])
        graph = CausalGraph.from_text("S -> W; Q -> W")
        narrow = Distribution.from_data(rows, ["S", "Q", "W"])
        pd.testing.assert_frame_equal(
            test_independences(graph, wide).to_frame(), test_independences(graph, narrow).to_frame()
        )
        with pytest.raises(DataError, match="no variable 'W'"):
            test_independences(graph, wide.take("S", "Q"))
        with pytest.raises(ConfigError, match="alpha"):
            test_independences(graph, wide, alpha=5)

    def test_nothing_implied(self):
        graph = CausalGraph.from_text("S -> Y")
        found = test_independences(graph, as_distribution(graph, np.ones((2, 2)) / 4))
        assert found.tests == ()
        assert len(found.to_frame()) == 0

    def test_results_as_a_table_and_a_document(self):
        rows = self.rows(np.random.default_rng(4), 300)
        found = test_independences(self.GRAPH, Distribution.from_data(rows, self.GRAPH.nodes))
        frame = found.to_frame()
        assert frame["statement"].tolist() == ["Q ⊥ S", "Y ⊥ S | Q, W"]
        assert frame["p_value"].between(0, 1).all()
        document = json.loads(json.dumps(found.to_dict()))
        assert document["n"] == 300
        assert document["tests"][0]["kind"] == "independence"
        assert document["tests"][0]["rejected"] is False


class TestInstruments:
    @pytest.mark.parametrize(
        ("graph", "found"),
        [
            (IV, [Instrument("Z", "X", "Y")]),
            (f"{IV}; Z <-> X", [Instrument("Z", "X", "Y")]),  # Pearl's proof needs no more
            (f"{IV}; Z <-> Y", []),
            (f"{IV}; Z -> Y", []),
            ("Z -> X -> Y", []),  # an independence instead
            ("Z -> X -> Y; C -> X; C -> Y", []),  # two of them
            ("X -> Y; X <-> Y; Z", []),  # Z has nothing to do with X
            (f"{IV}; C -> Z; C -> Y", [Instrument("Z", "X", "Y", ("C",))]),
            (f"{IV}; C -> Z", [Instrument("Z", "X", "Y")]),
            ("Z -> X -> M -> Y; X <-> Y", [Instrument("Z", "M", "Y"), Instrument("Z", "X", "Y")]),
            ("Z -> X -> Y; X <-> Y; Y -> Z2", [Instrument("Z", "X", "Y")]),
        ],
    )
    def test_found(self, graph, found):
        assert sorted(map(str, instruments(CausalGraph.from_text(graph)))) == sorted(map(str, found))

    def test_value_by_hand(self):
        rng = np.random.default_rng(0)
        joint = rng.dirichlet(np.ones(36)).reshape(2, 3, 2, 3)  # C, Z, X, Y
        table = Distribution.from_table(list("CZXY"), [range(size) for size in joint.shape], joint)
        wanted = max(
            sum(max(joint[c, z, x, y] / joint[c, z].sum() for z in range(3)) for y in range(3))
            for c in range(2)
            for x in range(2)
        )
        value, p_value, reason = instrument_test(table, Instrument("Z", "X", "Y", ("C",)))
        assert value == pytest.approx(wanted)
        assert np.isnan(p_value)
        assert reason == "the number of rows is not known"

    def test_pearls_example_of_a_violation(self):
        graph = CausalGraph.from_text(IV)
        joint = np.zeros((2, 2, 2))
        joint[0, 0, 0] = joint[1, 0, 1] = 0.5  # x is always 0, and y is z
        found = test_independences(graph, as_distribution(graph, joint)).tests
        assert [str(test.statement) for test in found] == ["Z is an instrument for X → Y"]
        assert found[0].statistic == pytest.approx(2)
        assert found[0].deviation == pytest.approx(1)
        assert found[0].rejected is None
        counted = Distribution.from_counts(graph.nodes, [range(2)] * 3, joint * 40)
        tested = test_independences(graph, counted)
        assert tested.rejected == tested.tests
        assert tested.tests[0].kind == "instrument"

    def test_distributions_of_the_graph_obey(self):
        rng = np.random.default_rng(1)
        for _ in range(60):
            graph = random_graph(rng, 5, edge=0.4, arc=0.2)
            joint = random_joint(rng, graph, hidden=4)
            table = as_distribution(graph, joint)
            for each in instruments(graph):
                assert instrument_test(table, each)[0] <= 1 + 1e-12

    def test_likelihood_ratio_against_an_optimiser(self):
        rng = np.random.default_rng(2)
        for _ in range(20):
            size = int(rng.integers(2, 4))
            shares, rows = rng.uniform(0.05, 0.95, size), rng.integers(5, 100, size).astype(float)
            shares *= max(1, 1.1 / shares.sum())
            shares = np.minimum(shares, 0.98)

            def lost(q, shares=shares, rows=rows):
                q = np.clip(q, 1e-9, 1 - 1e-9)
                return 2 * np.sum(
                    rows * (shares * np.log(shares / q) + (1 - shares) * np.log((1 - shares) / (1 - q)))
                )

            best = minimize(
                lost,
                shares / shares.sum() * 0.95,
                bounds=[(1e-6, 1 - 1e-6)] * size,
                constraints=[{"type": "ineq", "fun": lambda q: 1 - q.sum()}],
            )
            assert _likelihood_ratio(shares, rows) == pytest.approx(best.fun, rel=1e-3, abs=1e-4)

    def test_at_the_boundary_it_is_rarely_rejected(self):
        rng = np.random.default_rng(3)
        graph = CausalGraph.from_text(IV)
        joint = np.zeros((2, 2, 2))
        joint[:, 0, :] = [[0.25, 0.05], [0.05, 0.25]]
        joint[:, 1, :] = [[0.1, 0.1], [0.1, 0.1]]
        boundary = as_distribution(graph, joint)
        each = instruments(graph)[0]
        assert instrument_test(boundary, each)[0] == pytest.approx(1)
        p_values = [instrument_test(as_distribution(graph, joint, rng, 300), each)[1] for _ in range(300)]
        assert np.mean(np.array(p_values) <= 0.05) < 0.05

    def test_too_many_combinations(self):
        graph = CausalGraph.from_text(IV)
        joint = np.random.default_rng(0).dirichlet(np.ones(8 * 2 * 8)).reshape(8, 2, 8)
        counted = Distribution.from_counts(graph.nodes, [range(8), range(2), range(8)], np.rint(joint * 1e4))
        value, p_value, reason = instrument_test(counted, instruments(graph)[0])
        assert value > 0
        assert np.isnan(p_value)
        assert "combinations" in reason
