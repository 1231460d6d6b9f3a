from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.causal import cases, closed_forms
from tests.causal.asking import asked as settings
from tests.causal.asking import ends, problem, question
from tests.oracle import pc_solve as by_hand
from tests.oracle import scm
from tests.oracle.c_factors import TooLargeError as TooLongError
from tests.oracle.pc_program import make_program

from fairwitness.causal import CausalGraph, Distribution
from fairwitness.causal.solver.induction import Individual, _fill
from fairwitness.causal.solver.question import prepare
from fairwitness.causal.solver.solve import solve


@pytest.fixture
def other_engine(monkeypatch):
    """Solve a question by its program, written out."""

    def solved(made):
        with monkeypatch.context() as patched:
            patched.setattr(Individual, "of", classmethod(lambda *_: None))
            found = solve(made.program())
        assert found.engine != "induction"
        return found

    return solved


def complete(cards):
    return scm.Graph.of(cards, list(itertools.combinations(cards, 2)))


def chain(cards):
    return scm.Graph.of(cards, list(itertools.pairwise(cards)))


def person(rng, model):
    """Somebody who occurs, fully observed, with or without the outcome."""
    graph = model.graph
    chances, of = model.worlds()
    someone = int(rng.choice(len(chances), p=chances / chances.sum()))
    values = model.factual(of)
    names = graph.variables if rng.random() < 0.5 else graph.variables[:-1]
    return {v: int(values[v][someone]) for v in names}


def individual_case(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    names = [f"v{i}" for i in range(n)]
    cards = {v: int(rng.choice([2, 2, 3])) for v in names}
    graph = (complete if rng.random() < 0.7 else chain)(cards)
    model = scm.random_model(rng, graph, constant=float(rng.choice([0.0, 0.4])), most=4)
    treatment, outcome = names[0], names[-1]
    paths = graph.paths(treatment, outcome)
    if rng.random() < 0.4:
        paths = [path for path in paths if rng.random() < 0.6] or paths[:1]
    given = person(rng, model)
    others = [x for x in range(cards[treatment]) if x != given[treatment]]
    active, reference = int(rng.choice(others)), given[treatment]
    if rng.random() < 0.3:
        active, reference = reference, active
    query = scm.Query(
        treatment, outcome, int(rng.integers(cards[outcome])), active, reference, frozenset(paths), given
    )
    return model, model.distribution(), query, rng


class TestAgainstPrograms:
    def test_complete_graphs_and_chains(self, other_engine):
        seen = dict.fromkeys(["induction", "zero", "outcome seen", "values", "open", "never treated"], 0)
        for seed in range(40):
            model, P, query, rng = individual_case(seed)
            if rng.random() < 0.25:  # the other treatment never occurs: its rows may be anything
                P = P.copy()
                P[query.active if query.given[query.treatment] == query.reference else query.reference] = 0
                P /= P.sum()
            asked = question(model.graph, P, query)
            quick = solve(asked.program())
            if quick.engine != "induction":
                continue
            slow = other_engine(asked)
            assert quick.exact
            assert ends(quick) == pytest.approx(ends(slow), abs=1e-7), seed
            assert quick.evidence_probability == pytest.approx(slow.evidence_probability)
            if slow.reference_probability is not None:
                assert quick.reference_probability == pytest.approx(slow.reference_probability), seed
            seen["induction"] += 1
            seen["zero"] += bool((P == 0).any())
            seen["outcome seen"] += query.outcome in query.given
            seen["values"] += max(model.graph.cards.values()) > 2
            seen["open"] += quick.upper.bound - quick.lower.bound > 0.01
            seen["never treated"] += bool((P.sum(tuple(range(1, P.ndim))) == 0).any())
        assert min(seen.values()) >= 4, seen

    def test_the_oracle(self):
        n = 0
        for seed in range(100, 125):
            model, P, query, _ = individual_case(seed)
            asked = question(model.graph, P, query)
            quick = solve(asked.program())
            if quick.engine != "induction":
                continue
            try:
                tight = by_hand.tight(make_program(model.graph, P, query, most_cells=100_000))
            except TooLongError:
                continue
            assert ends(quick) == pytest.approx((tight.lower, tight.upper), abs=1e-7), seed
            assert quick.lower.bound - 1e-9 <= model.effect(query) <= quick.upper.bound + 1e-9
            n += 1
        assert n >= 10

    def test_with_a_known_predictor(self, other_engine):
        n = 0
        for seed in range(200, 230):
            model, P, query, rng = individual_case(seed)
            if query.outcome in query.given or len(model.graph.variables) < 3:
                continue
            y = query.outcome
            kernel = rng.dirichlet(np.ones(model.graph.cards[y]), size=model.graph.rows(y))
            asked = question(model.graph, P, query, predictor=kernel)
            quick = solve(asked.program())
            if quick.engine != "induction":
                continue
            slow = other_engine(asked)
            assert ends(quick) == pytest.approx(ends(slow), abs=1e-7), seed
            n += quick.upper.bound - quick.lower.bound > 1e-3
        assert n >= 5


class TestByHand:
    @pytest.mark.parametrize("seen", [0, 1, 2])
    def test_frechet(self, seen):
        """Only the outcome is imagined, and it was seen under another treatment."""
        joint = np.random.default_rng(seen).dirichlet(np.ones(9)).reshape(3, 3)
        graph = scm.Graph.of({"X": 3, "Y": 3}, [("X", "Y")])
        query = scm.Query("X", "Y", 0, 2, 1, frozenset([("X", "Y")]), {"X": 1, "Y": seen})
        found = solve(question(graph, joint, query).program())
        assert found.engine == "induction"
        kernel = joint / joint.sum(1, keepdims=True)
        assert ends(found) == pytest.approx(closed_forms.frechet(kernel, 0, 2, 1, seen))
        assert found.reference_probability == float(seen == 0)

    def test_one_mediator(self):
        """P(w(1) = a | s = 0, w = 0) ≤ P(a | 1) / P(0 | 0); the outcome's rows are known."""
        w, y = np.array([[0.7, 0.3], [0.4, 0.6]]), np.array([[0.1, 0.8], [0.3, 0.5]])
        P = np.zeros((2, 2, 2))
        for s, m in np.ndindex(2, 2):
            P[s, m] = 0.5 * w[s, m] * np.array([1 - y[s, m], y[s, m]])
        graph = complete({"S": 2, "W": 2, "Y": 2})
        paths = frozenset(graph.paths("S", "Y"))
        query = scm.Query("S", "Y", 1, 1, 0, paths, {"S": 0, "W": 0})
        found = solve(question(graph, P, query).program())
        assert found.engine == "induction"
        stays = 0.4 / 0.7  # at most so many keep w = 0; and at most 6/7 move to w = 1
        low = (1 / 7) * y[1, 0] + (6 / 7) * y[1, 1] - y[0, 0]
        high = stays * y[1, 0] + (1 - stays) * y[1, 1] - y[0, 0]
        assert ends(found) == pytest.approx(sorted([low, high]))
        assert found.reference_probability == pytest.approx(y[0, 0])
        assert found.unidentified == (("W",),)

    def test_adult(self, shared_path):
        for case in cases.adult_cases(shared_path):
            found = solve(question(case.graph, case.P, case.query).program())
            # workclass and hours are not given: not one person's question, yet only one variable is open
            assert found.unidentified == (("marital-status",),)
            assert ends(found) == pytest.approx((case.lower, case.upper), abs=5.1e-5), case.name

    def test_many_mediators(self):
        """Complete graph of 10 mediators: 10^600 response functions, and truth within the bounds."""
        names = ["S", *(f"m{i}" for i in range(10)), "Y"]
        rng = np.random.default_rng(0)
        P = np.ones((2,) * 12)
        for place in range(12):  # each variable depends on all before it
            share = rng.uniform(0.1, 0.9, size=(2,) * place)
            factor = np.stack([share, 1 - share], axis=-1)
            P = P * factor.reshape(factor.shape + (1,) * (11 - place))
        data = Distribution.from_table(names, [(0, 1)] * 12, P)
        graph = CausalGraph(list(itertools.combinations(names, 2)))
        given = dict.fromkeys(names[:-1], 0)
        query = scm.Query("S", "Y", 1, 1, 0, frozenset(), given)
        made = prepare(data, graph, **settings(query, paths="all"))
        found = solve(made.program())
        assert found.engine == "induction"
        assert found.reference_probability == pytest.approx(P[(0,) * 11 + (1,)] / P[(0,) * 11].sum())
        width = found.upper.bound - found.lower.bound
        assert 0.01 < width <= 1
        assert len(found.unidentified) == 10


class TestOf:
    GRAPH = complete({"S": 2, "W": 2, "Y": 2})

    def of(self, given, graph=None, paths=None, active=1, reference=0):
        graph = graph or self.GRAPH
        chosen = frozenset(paths or graph.paths("S", "Y"))
        P = np.random.default_rng(3).dirichlet(np.ones(np.prod(graph.shape))).reshape(graph.shape)
        return Individual.of(problem(graph, P, scm.Query("S", "Y", 1, active, reference, chosen, given)))

    def test_one_person_whose_mediators_are_known(self):
        found = self.of({"S": 0, "W": 1})
        assert found.exact
        assert found.members == (("W",),)
        assert self.of({"S": 0, "W": 1, "Y": 0}).exact

    def test_not_everything_known(self):
        assert self.of({"S": 0}) is None
        assert self.of({"W": 0}) is None
        assert self.of({}) is None

    def test_confounding(self):
        assert self.of({"S": 0, "W": 1}, self.GRAPH.merged(("W", "Y"))) is None
        # what is not imagined may be confounded
        graph = scm.Graph.of(
            {"A": 2, "B": 2, "S": 2, "Y": 2}, [("A", "Y"), ("B", "Y"), ("S", "Y")], [("A", "B")]
        )
        assert self.of({"A": 0, "B": 0, "S": 0, "Y": 0}, graph) is not None

    def test_two_open_worlds(self):
        """Seen at s₁, with some paths at s₀: both probabilities are of what did not happen."""
        assert self.of({"S": 1, "W": 0}, paths=[("S", "Y")], active=1, reference=0) is None

    def test_a_mediator_that_is_needed_twice(self):
        graph = scm.Graph.of(
            {"S": 3, "W": 2, "A": 2, "Y": 2}, [("S", "W"), ("W", "A"), ("W", "Y"), ("A", "Y")]
        )
        given = {"S": 2, "W": 0, "A": 0}
        assert self.of(given, graph, [("S", "W", "A", "Y")], active=1, reference=0) is None
        assert self.of(given, graph, active=1, reference=2) is not None

    def test_rows_that_several_histories_reach(self):
        """S → A → Y ← B ← S without A → B: b's row is chosen without knowing a. Then it is a relaxation."""
        graph = scm.Graph.of(
            {"S": 2, "A": 2, "B": 2, "Y": 2}, [("S", "A"), ("S", "B"), ("A", "Y"), ("B", "Y")]
        )
        wider = 0
        for seed in range(8):
            rng = np.random.default_rng(seed)
            model = scm.random_model(rng, graph, dense=True)
            P = model.distribution()
            query = scm.Query("S", "Y", 1, 1, 0, frozenset(graph.paths("S", "Y")), {"S": 0, "A": 0, "B": 0})
            asked = problem(graph, P, query)
            relaxed = Individual.of(asked)
            assert not relaxed.exact
            tight = solve(question(graph, P, query).program())
            assert tight.engine == "corners"
            loose = relaxed.solve()
            assert loose.lower.bound <= tight.lower.bound + 1e-9
            assert loose.upper.bound >= tight.upper.bound - 1e-9
            wider += ends(loose) != pytest.approx(ends(tight), abs=1e-6)
        assert wider >= 1


class TestFill:
    def test_is_the_best_distribution_there_is_room_for(self):
        rng = np.random.default_rng(0)
        for _ in range(40):
            n = int(rng.integers(2, 5))
            gains = rng.normal(size=n).round(1)  # ties, now and then
            room = np.minimum(rng.uniform(size=n) * rng.choice([0.5, 1, 3]), 1.0)
            if room.sum() < 1:
                room = np.minimum(room + 1 - room.sum(), 1.0)
            for sense, sign in (("max", -1), ("min", 1)):
                best = linprog(
                    sign * gains, A_eq=np.ones((1, n)), b_eq=[1], bounds=[(0, float(r)) for r in room]
                )
                assert _fill(gains, room, sense) == pytest.approx(sign * best.fun, abs=1e-9)

    def test_many_at_once(self):
        rng = np.random.default_rng(1)
        gains, room = rng.normal(size=(4, 1, 3)), rng.uniform(0.4, 1, size=(5, 3))
        found = _fill(gains, room, "max")
        assert found.shape == (4, 5)
        for i, j in np.ndindex(4, 5):
            assert found[i, j] == pytest.approx(_fill(gains[i, 0], room[j], "max"))
