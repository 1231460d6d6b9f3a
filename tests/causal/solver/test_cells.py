from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.causal import cases, closed_forms
from tests.causal.asking import ends, problem, question, simple
from tests.oracle import pc_solve as by_hand
from tests.oracle import scm
from tests.oracle.pc_program import make_program

from fairwitness.causal.data.kernel import Kernel
from fairwitness.causal.solver import cells
from fairwitness.causal.solver.cells import CellSearch
from fairwitness.causal.solver.solve import solve


@pytest.fixture
def other_engine(monkeypatch):
    """Solve a question by its program, written out."""

    def solved(made):
        with monkeypatch.context() as patched:
            patched.setattr(CellSearch, "of", classmethod(lambda *_: None))
            found = solve(made.program())
        assert found.engine != "cells"
        return found

    return solved


def confounded_case(seed, n=4, known=False):
    """Everything confounded, but for the outcome where its response is ``known``."""
    rng = np.random.default_rng(seed)
    graph = scm.random_graph(rng, int(rng.integers(3, n + 1)), most_values=3, edge=0.7)
    last = graph.variables[-1]
    if known:
        if not graph.parents[last]:
            return None
        graph = scm.Graph.of(graph.cards, graph.edges, [graph.variables[:-1]])
    else:
        graph = graph.merged(graph.variables)
    model = scm.random_model(rng, graph)
    query = scm.random_query(rng, model)
    if known:
        starts = [v for v in graph.variables[:-1] if v in graph.ancestors([last])]
        paths = graph.paths(starts[0], last)
        chosen = frozenset(path for path in paths if rng.random() < 0.7) or frozenset(paths[:1])
        given = {v: x for v, x in query.given.items() if v != last}
        active, reference = (int(x) for x in rng.permutation(graph.cards[starts[0]])[:2])
        value = int(rng.integers(graph.cards[last]))
        query = scm.Query(starts[0], last, value, active, reference, chosen, given)
        if model.evidence(query) == 0:
            return None
    elif not query.paths:
        return None
    return graph, model.distribution(), query, rng


class TestAgainstPrograms:
    def test_everything_confounded(self, other_engine):
        seen = dict.fromkeys(["zero", "evidence", "outcome seen", "values", "known"], 0)
        for seed in range(32):
            made = confounded_case(seed)
            if made is None:
                continue
            graph, P, query, _ = made
            asked = question(graph, P, query)
            quick, slow = solve(asked.program()), other_engine(asked)
            assert quick.engine == "cells"
            assert quick.exact
            assert ends(quick) == pytest.approx(ends(slow), abs=1e-7), seed
            assert ends(quick) == pytest.approx(ends_of(by_hand.confounded(graph, P, query)), abs=1e-9), seed
            assert quick.evidence_probability == pytest.approx(slow.evidence_probability)
            if slow.reference_probability is not None:
                assert quick.reference_probability == pytest.approx(slow.reference_probability)
                seen["known"] += 1
            seen["zero"] += bool((P == 0).any())
            seen["evidence"] += bool(query.given)
            seen["outcome seen"] += query.outcome in query.given
            seen["values"] += max(graph.cards.values()) > 2
        assert min(seen.values()) >= 5, seen

    def test_with_a_known_predictor(self, other_engine):
        seen = dict.fromkeys(["zero", "evidence", "values", "open"], 0)
        for seed in range(45):
            made = confounded_case(seed, known=True)
            if made is None:
                continue
            graph, P, query, rng = made
            y = query.outcome
            kernel = rng.dirichlet(np.ones(graph.cards[y]), size=graph.rows(y))
            asked = question(graph, P, query, predictor=kernel)
            quick, slow = solve(asked.program()), other_engine(asked)
            assert quick.engine == "cells", seed
            assert ends(quick) == pytest.approx(ends(slow), abs=1e-7), seed
            tight = by_hand.tight(make_program(graph, P, query, known={y: kernel}))
            assert ends(quick) == pytest.approx(ends_of(tight), abs=1e-7), seed
            seen["zero"] += bool((P == 0).any())
            seen["evidence"] += bool(query.given)
            seen["values"] += graph.cards[y] > 2
            seen["open"] += quick.upper.bound - quick.lower.bound > 0.01
        assert min(seen.values()) >= 5, seen


def ends_of(bounds):
    return bounds.lower, bounds.upper


class TestByHand:
    def test_the_bow(self):
        for seed in range(5):
            joint = np.random.default_rng(seed).dirichlet(np.ones(9)).reshape(3, 3)
            graph = scm.Graph.of({"X": 3, "Y": 3}, [("X", "Y")], [("X", "Y")])
            query = scm.Query("X", "Y", 1, 2, 0, frozenset([("X", "Y")]))
            found = solve(question(graph, joint, query).program())
            assert found.engine == "cells"
            assert ends(found) == pytest.approx(closed_forms.bow(joint, 1, 2, 0))

    def test_the_papers_table_2(self, shared_path):
        for case in cases.table2_cases(shared_path):
            found = solve(question(case.graph, case.P, case.query).program())
            assert found.engine == "cells"
            assert ends(found) == pytest.approx((case.lower, case.upper), abs=1e-9), case.name

    def test_what_was_seen_is_known(self):
        """s₀ ∈ o: P(y_{s0} | o) = P(y | o), and along S → Y anything may happen."""
        graph, P = simple("S -> W -> Y; S -> Y; S <-> W; W <-> Y; S <-> Y")
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]), {"S": 0})
        found = solve(question(graph, P, query).program())
        share = P[0, :, 1].sum() / P[0].sum()
        assert found.reference_probability == pytest.approx(share)
        assert ends(found) == pytest.approx((-share, 1 - share))
        everyone = solve(question(graph, P, scm.Query("S", "Y", 1, 1, 0, query.paths)).program())
        assert everyone.reference_probability is None

    def test_a_known_predictor(self):
        """S ↔ W, S → Y ← W, W not moved by S: the effect on each person is a difference of the kernel."""
        graph, P = simple("S -> Y; W -> Y; S <-> W")
        assert graph.variables == ("S", "W", "Y")
        kernel = np.array([[0.2, 0.9], [0.5, 0.4]])  # P(y = 1 | s, w)
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]))
        found = solve(question(graph, P, query, predictor=kernel).program())
        w = P.sum((0, 2))
        assert ends(found) == pytest.approx([(w * (kernel[1] - kernel[0])).sum()] * 2)
        assert found.engine == "cells"


class TestOf:
    def asked(self, text, given=None, kernel=None, seed=0):
        graph, P = simple(text, seed=seed)
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]), given or {})
        more = {} if kernel is None else {"predictor": kernel}
        made = question(graph, P, query, **more)
        return CellSearch.of(made.program().problem)

    def test_all_that_matters_is_confounded(self):
        assert self.asked("S -> W -> Y; S -> Y; S <-> W; W <-> Y; S <-> Y") is not None
        assert self.asked("S -> W -> Y; S -> Y; W <-> Y") is None
        assert self.asked("S -> Y") is None
        assert self.asked("S -> Y; S <-> Y").members == ("S", "Y")

    def test_causes_of_the_treatment(self, other_engine):
        """Z is imagined in no world, but is in every cell: it says which row S was in."""
        text = "Z -> S -> Y; S <-> Y; Z <-> S; Z <-> Y"
        assert self.asked(text).members == ("Z", "S", "Y")
        graph, P = simple(text, seed=5)
        made = question(graph, P, scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")])))
        assert ends(solve(made.program())) == pytest.approx(ends(other_engine(made)))

    def test_causes_from_outside(self):
        assert self.asked("Z -> S -> Y; S <-> Y") is None

    def test_predictors(self):
        kernel = np.array([[0.2, 0.9], [0.5, 0.4]])
        text = "S -> Y; W -> Y; S <-> W"
        found = self.asked(text, kernel=kernel)
        assert found.members == ("S", "W")
        assert found.kernel == pytest.approx(kernel)
        assert self.asked(text) is None
        # what the predictor said of these people says something of them
        assert self.asked(text, {"Y": 1}, kernel) is None
        assert self.asked(text, {"W": 1}, kernel) is not None

    def test_predictors_that_are_unknown_in_places(self):
        graph, _ = simple("S -> Y; W -> Y; S <-> W")
        P = np.zeros((2, 2, 2))
        P[0, 0, 0] = P[1, 1, 1] = P[0, 1, 1] = 1 / 3
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y")]))
        table = P / np.where(P.sum(-1, keepdims=True) > 0, P.sum(-1, keepdims=True), np.nan)
        assert CellSearch.of(problem(graph, P, query, Kernel("Y", (0, 1), ("S", "W"), table))) is None


class TestSearch:
    def test_cells_that_agree_with_the_evidence_and_occur(self):
        graph, _ = simple("S -> W -> Y; S <-> W; W <-> Y; S <-> Y")
        P = np.random.default_rng(0).dirichlet(np.ones(8)).reshape(2, 2, 2)
        P[0, 1, 0] = 0
        P /= P.sum()
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "W", "Y")]), {"W": 1})
        search = CellSearch.of(problem(graph, P, query))
        found = dict(search.cells())
        assert found == pytest.approx({(0, 1, 1): P[0, 1, 1], (1, 1, 0): P[1, 1, 0], (1, 1, 1): P[1, 1, 1]})

    def test_few_answers_are_tried(self):
        """Complete graph of 8 binary variables, 10^76 joint response functions: no answer is tried twice."""
        names = ["S", *(f"m{i}" for i in range(6)), "Y"]
        edges = list(itertools.combinations(names, 2))
        graph = scm.Graph.of(dict.fromkeys(names, 2), edges, [names])
        P = np.random.default_rng(0).dirichlet(np.ones(256)).reshape(graph.shape)
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "Y"), ("S", "m0", "m3", "Y")]))
        search = CellSearch.of(problem(graph, P, query))
        for values, _ in itertools.islice(search.cells(), 0, None, 17):
            for sign in (1.0, -1.0):
                assert search.best(values, sign) in (-1.0, 0.0, 1.0)
                assert search.trials <= sum(map(len, search.copies))

    def test_too_many_trials(self, monkeypatch, other_engine):
        """Then the range stands in for what a cell may give; asked for more, the program is written out."""
        graph, P = simple("S -> W -> Y; S -> Y; W -> A -> Y; S <-> W; W <-> Y; S <-> Y; A <-> Y")
        query = scm.Query("S", "Y", 1, 1, 0, frozenset([("S", "W", "A", "Y")]), {"W": 0})
        asked = question(graph, P, query)
        tight = solve(asked.program())
        assert tight.exact
        monkeypatch.setattr(cells, "MOST_TRIALS", 2)
        loose = solve(asked.program(), exact=False)
        assert (loose.engine, loose.exact) == ("cells", False)
        assert loose.lower.bound <= tight.lower.bound + 1e-12
        assert loose.upper.bound >= tight.upper.bound - 1e-12
        assert ends(loose) != pytest.approx(ends(tight), abs=1e-3)
        again = solve(asked.program())
        assert again.engine == "linear"
        assert ends(again) == pytest.approx(ends(tight), abs=1e-7)
        assert ends(other_engine(asked)) == pytest.approx(ends(tight), abs=1e-7)
