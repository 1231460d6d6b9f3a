from __future__ import annotations

import numpy as np
import pytest
from tests.causal.asking import problem, question, simple
from tests.oracle import scm

from fairwitness.errors import DataError


def total(given=None, **more):
    settings = {"treatment": "S", "outcome": "Y", "value": 1, "active": 1, "reference": 0, **more}
    return scm.Query(paths=frozenset([("S", "Y")]), given=given or {}, **settings)


class TestEvidence:
    def test_everybody(self):
        graph, P = simple("S -> Y")
        assert problem(graph, P, total()).evidence_probability == 1.0

    def test_is_what_the_graph_makes_of_the_data(self):
        """Where the data lack its independences, its factors are multiplied all the same."""
        graph, _ = simple("S -> Y; Z -> Y")
        P = np.random.default_rng(0).dirichlet(np.ones(8)).reshape(2, 2, 2)
        assert graph.variables == ("S", "Z", "Y")
        found = problem(graph, P, total({"S": 1, "Z": 1, "Y": 1})).evidence_probability
        assert found == pytest.approx(P[1].sum() * P[:, 1].sum() * P[1, 1, 1] / P[1, 1].sum())
        assert found != pytest.approx(P[1, 1, 1])

    @pytest.mark.parametrize("given", [{"S": 1}, {"S": 1, "Y": 0}, {"Y": 0, "S": 0}])
    def test_that_nobody_has(self, given):
        graph, _ = simple("S -> Y")
        P = np.array([[0.0, 1.0], [0.0, 0.0]])
        asked = problem(graph, P, total(given))
        with pytest.raises(
            DataError, match="the evidence has probability 0: nobody in the data has"
        ) as caught:
            asked.check_evidence()
        for name, value in given.items():
            assert f"{name} = {value}" in str(caught.value)

    def test_whose_share_the_data_do_not_give(self):
        """S and Z are independent by the graph, and never both 1: nothing is seen of such people's Y."""
        graph, _ = simple("S -> Y; Z -> Y")
        P = np.array([[[0.2, 0.1], [0.1, 0.2]], [[0.1, 0.3], [0, 0]]])
        with pytest.raises(DataError, match="the data do not say how many people have Y = 1: causes of Y"):
            problem(graph, P, total({"Y": 1})).check_evidence()
        # with one of them known, all of those people were seen
        asked = problem(graph, P, total({"Y": 1, "S": 0}))
        assert asked.evidence_probability == pytest.approx(_share(P))

    def test_is_asked_for_before_anything_is_divided_by_it(self):
        """One person's question has an engine of its own, which divides by shares of people like that."""
        graph, _ = simple("S -> W -> Y; S -> Y")
        P = np.array([[[0.2, 0.1], [0.1, 0.2]], [[0.1, 0.3], [0, 0]]])  # S, W, Y: nobody has s = w = 1
        for given in ({"S": 1, "W": 1}, {"S": 1, "W": 1, "Y": 0}):
            with pytest.raises(DataError, match="nobody in the data has S = 1, W = 1"):
                question(graph, P, total(given, active=0, reference=1)).program()


def _share(P):
    """P(s = 0) Σ_z P(z) P(y = 1 | s = 0, z)."""
    s, z = P.sum((1, 2)), P.sum((0, 2))
    return float(sum(s[0] * z[i] * P[0, i, 1] / P[0, i].sum() for i in (0, 1)))


def test_targets_are_copies_or_what_was_seen():
    graph, P = simple("S -> Y")
    open_, fixed = problem(graph, P, total({"S": 0, "Y": 1})).targets
    assert (open_, fixed) == (2, -2)  # −1 − code of y
    assert problem(graph, P, total()).targets == (0, 0)
