from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.causal import asking
from tests.oracle import scm

from fairwitness.causal import CausalGraph, Distribution, effect_bounds
from fairwitness.causal.bounds import answer
from fairwitness.causal.data.kernel import Kernel
from fairwitness.causal.sampling import confidence, uncertain
from fairwitness.causal.sampling.confidence import confidence_interval, effect_interval
from fairwitness.causal.sampling.region import confidence_region
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.formula import effect, structural
from fairwitness.causal.solver.problem import Problem
from fairwitness.causal.solver.question import prepare
from fairwitness.causal.solver.solve import solve
from fairwitness.errors import ConfigError

#: Bounds that no interval is widened to.
NOTHING = (1.0, -1.0)
IV, NDE = "S -> W -> Y; W <-> Y", "S -> W -> Y; S -> Y; W <-> Y"
FOUR = "S -> W -> A -> Y; {S, W} -> Y"
TWISTED = [("S", "W", "A", "Y"), ("S", "Y")]
#: Text, sizes, paths, evidence.
CASES = {
    "iv": (IV, 2, "all", {}),
    "iv, given cause": (IV, 2, "all", {"S": 0, "W": 1}),
    "iv, given outcome": (IV, 2, "all", {"Y": 0}),
    "direct": (NDE, 2, [("S", "Y")], {}),
    "three values": (NDE, {"S": 2, "W": 3, "Y": 2}, [("S", "Y")], {"S": 0}),
    "weights": ("S -> W -> Y; S -> Y; Z -> {W, Y}; W <-> Y", 2, [("S", "Y")], {}),
    "two blocks": (FOUR, 2, TWISTED, {"W": 1}),
    "a person": (FOUR, 2, "all", {"S": 0, "W": 1, "A": 0}),
    "bow": ("S -> Y; S <-> Y", 2, "all", {"S": 0}),
    "confounded treatment": ("S -> W -> Y; S <-> W; S -> Y", 2, "all", {}),
}


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    """Wider intervals, sooner: what holds of them holds of all."""
    monkeypatch.setattr(confidence, "MOST_WORK", 8.0)


def asked_of(graph, paths, given):
    chosen = graph.paths("S", "Y") if paths == "all" else paths
    return scm.Query("S", "Y", 1, 1, 0, frozenset(chosen), given)


def counting(graph, counts, query, confounded=None):
    levels = [range(size) for size in graph.shape]
    table = Distribution.from_counts(graph.variables, levels, counts)
    return prepare(table, confounded or asking.causal_graph(graph), **asking.asked(query))


def case(name, n, seed=0):
    """A question about rows drawn from a world of the case's graph, and the world and query."""
    text, cards, paths, given = CASES[name]
    graph = CausalGraph.from_any(text)
    sizes = dict.fromkeys(graph.nodes, cards) if isinstance(cards, int) else cards
    rng = np.random.default_rng(seed)
    made = scm.Graph.of({v: sizes[v] for v in graph.nodes}, graph.directed, graph.bidirected)
    model = scm.random_model(rng, made, dense=True)
    P = model.distribution()
    query = asked_of(made, paths, given)
    return counting(made, rng.multinomial(n, P.ravel()).reshape(P.shape), query), model, query


def interval(question, level=0.95):
    bounds = answer(question)
    return bounds, effect_interval(question, (bounds.lower, bounds.upper), level)


# --- the interval holds what it should ---


@pytest.mark.parametrize("name", CASES)
def test_the_true_effect_is_inside(name):
    """Each sample is from another world; at 95 % none should be missed, as the intervals are conservative."""
    for n, seed in itertools.product((80, 2_000), range(2)):
        question, model, query = case(name, n, seed)
        bounds, found = interval(question)
        assert found.low - 1e-9 <= model.effect(query) <= found.high + 1e-9
        assert -1 <= found.low <= bounds.lower <= bounds.upper <= found.high <= 1
        assert not found.contradicted


def tables(n, cells):
    """All ways to put n rows in cells."""
    for bars in itertools.combinations(range(n + cells - 1), cells - 1):
        ends = (-1, *bars, n + cells - 1)
        yield [b - a - 1 for a, b in itertools.pairwise(ends)]


@pytest.mark.parametrize(
    ("text", "n", "given", "shares"),
    [
        ("S -> Y", 6, {}, [0.4, 0.1, 0.05, 0.45]),
        ("S -> Y", 6, {}, [0.25, 0.25, 0.02, 0.48]),
        ("S -> Y; S <-> Y", 6, {}, [0.3, 0.2, 0.1, 0.4]),
        ("S -> Y; S <-> Y", 6, {"S": 0}, [0.6, 0.1, 0.1, 0.2]),
        ("S -> Y; S <-> Y", 6, {"S": 1, "Y": 1}, [0.2, 0.3, 0.1, 0.4]),
        ("S -> M -> Y; S -> Y", 3, {"S": 0, "M": 1}, [0.1, 0.15, 0.2, 0.15, 0.15, 0.05, 0.15, 0.05]),
    ],
)
def test_coverage_by_enumeration(text, n, given, shares):
    """All tables of n rows: the interval contains both ends of what the true distribution allows."""
    names = CausalGraph.from_text(text)
    graph = scm.Graph.of(dict.fromkeys(names.nodes, 2), names.directed, names.bidirected)
    query = asked_of(graph, "all", given)
    truth = answer(asking.question(graph, np.reshape(shares, graph.shape), query))
    covered = total = 0.0
    for table in tables(n, len(shares)):
        counts = np.reshape(table, graph.shape)
        if not counts[tuple(given.get(v, slice(None)) for v in graph.variables)].sum():
            continue  # nobody is like the evidence: refused
        weight = stats.multinomial.pmf(table, n, shares)
        total += weight
        question = counting(graph, counts, query)
        found = effect_interval(question, NOTHING, 0.8)
        covered += weight * (found.low <= truth.lower + 1e-9 and found.high >= truth.upper - 1e-9)
    assert covered / total >= 0.8


def pieces(model):
    """P(variable | pillow) of each variable, nowhere 0."""
    found = {}
    for name in model.graph.nodes:
        table = np.nan_to_num(np.asarray(model.conditional(name).values), nan=0.5)
        table = np.clip(table, 1e-3, None)
        found[name] = table / table.sum(axis=-1, keepdims=True)
    return found


def joined(model, conditionals):
    """The distribution that these make."""
    names = model.graph.nodes
    P = np.ones(model.distribution.cards)
    for name, table in conditionals.items():
        place = [names.index(each) for each in (*model.pillow(name), name)]
        shape = [size if i in place else 1 for i, size in enumerate(P.shape)]
        P = P * np.transpose(table, np.argsort(place)).reshape(shape)
    return Distribution.from_table(names, model.distribution.levels, P)


class Climber:
    """Looks for distributions in the region whose bounds are far out, by trial."""

    def __init__(self, question, confidence):
        self.question = question
        even = structural(question.model)
        problem = Problem(even, question.query, even.graph.components)
        self.coins = uncertain.plan(problem, effect(problem)).coins
        self.region = confidence_region(question.model, self.coins, confidence)

    def ends(self, conditionals):
        """Bounds of the distribution, if it is in the region and the graph can give it."""
        table = joined(self.question.model, conditionals)
        chances = []
        for coin in self.coins:
            shares = table.take(*coin.given, coin.variable).probability[coin.row][coin.level :]
            chances.append(shares[0] / shares.sum())
        if not self.region.contains(np.array(chances)):
            return None
        model = Model(self.question.model.graph, table)
        found = solve(replace(self.question, model=model).program())
        return None if found.slack > 1e-9 else (found.lower.bound, found.upper.bound)

    def farthest(self, side, steps, rng):
        sign = 1 if side else -1
        now = pieces(self.question.model)
        best, step = self.ends(now), 0.3
        assert best is not None
        for _ in range(steps):
            tried = dict(now)
            for name in rng.choice(list(now), size=2):
                noise = step * rng.normal(size=now[name].shape) * (rng.random(now[name].shape) < 0.5)
                table = tried[name] * np.exp(noise)
                tried[name] = table / table.sum(axis=-1, keepdims=True)
            found = self.ends(tried)
            better = found is not None and sign * found[side] > sign * best[side]
            now, best, step = (tried, found, step * 1.3) if better else (now, best, max(step * 0.95, 0.02))
        return best[side]


@pytest.mark.parametrize(
    "name", ["iv, given cause", "iv, given outcome", "direct", "weights", "two blocks", "three values"]
)
def test_no_distribution_in_the_region_allows_more(name):
    text, cards, paths, given = CASES[name]
    graph, P = asking.simple(text, cards, 3)
    question = counting(graph, np.round(P * 400), asked_of(graph, paths, given))
    bounds, found = interval(question)
    assert found.engine == "program"
    climber = Climber(question, 0.95)
    rng = np.random.default_rng(0)
    low, high = (climber.farthest(side, 50, rng) for side in (0, 1))
    assert found.low - 1e-6 <= low
    assert high <= found.high + 1e-6
    # and some allow a good part of it
    assert (high - low) - (bounds.upper - bounds.lower) > 0.05


# --- what it does ---


@pytest.mark.parametrize("name", ["iv", "iv, given cause", "direct", "two blocks", "a person", "bow"])
def test_more_rows_narrow_it_and_more_confidence_widens_it(name):
    text, cards, paths, given = CASES[name]
    graph, P = asking.simple(text, cards, 5)
    query = asked_of(graph, paths, given)
    widths = []
    for n in (200, 4_000, 400_000):
        bounds, found = interval(counting(graph, np.round(P * n) + 1, query))
        widths.append(found.high - found.low - (bounds.upper - bounds.lower))
    assert widths[0] > widths[1] > widths[2] >= 0
    assert widths[2] < 0.06
    question = counting(graph, np.round(P * 500) + 1, query)
    ends = NOTHING
    loose, strict = effect_interval(question, ends, 0.5), effect_interval(question, ends, 0.99)
    assert strict.low < loose.low
    assert loose.high < strict.high


def test_engines():
    engines = {name: interval(case(name, 300)[0])[1].engine for name in ("direct", "a person", "bow")}
    assert engines == {"direct": "program", "a person": "induction", "bow": "cells"}


def test_an_effect_that_is_0_by_definition_is_0():
    question, *_ = case("direct", 50)
    null = replace(question, query=replace(question.query, active=question.query.reference))
    found = effect_interval(null, NOTHING)
    assert (found.low, found.high, found.engine) == (0, 0, "number")


def test_bounds_are_asked_with_confidence():
    question, *_ = case("iv, given cause", 300)
    bounds = answer(question, confidence=0.9)
    assert bounds.interval == confidence_interval(question, (bounds.lower, bounds.upper), 0.9)
    assert bounds.interval == answer(question, confidence=0.9).interval


def test_probabilities_are_refused_whatever_is_asked():
    graph, P = asking.simple("S -> Y")
    settings = asking.asked(asked_of(graph, "all", {}))
    with pytest.raises(ConfigError, match="number of rows"):
        effect_bounds(asking.distribution(graph, P), "S -> Y", confidence=0.95, **settings)


def test_a_table_that_no_model_gives_is_contradicted():
    graph, _ = asking.simple(IV)
    counts = np.zeros((2, 2, 2))
    counts[0, 0, 0] = counts[1, 0, 1] = 5_000  # Y follows S although W, which alone acts on it, never moves
    counts[:, 1] = 10
    question = counting(graph, counts, asked_of(graph, "all", {"W": 0}))
    bounds, found = interval(question)
    assert found.contradicted
    assert (found.low, found.high) == (bounds.lower, bounds.upper)
    assert "the graph is in doubt" in answer(question, confidence=0.95).notes[-1]


def test_what_is_too_large_is_answered_as_if_all_were_confounded(monkeypatch):
    question, model, query = case("direct", 300)
    bounds, program = interval(question)
    monkeypatch.setattr(uncertain, "MOST_COLUMNS", 3)
    found = effect_interval(question, (bounds.lower, bounds.upper))
    assert found.engine == "confounded"
    assert "too large" in found.notes[0]
    assert found.low <= bounds.lower <= bounds.upper <= found.high
    assert found.low <= model.effect(query) <= found.high
    assert found.high - found.low > program.high - program.low


def test_a_known_predictor_narrows_the_interval():
    graph, P = asking.simple("S -> W -> Y; S -> Y; S <-> W", 2, 2)
    query = asked_of(graph, "all", {})
    counts = np.round(P * 300) + 1
    question, rows = counting(graph, counts, query), counts.sum(axis=2)
    kernel = Kernel("Y", (0, 1), ("S", "W"), counts / rows[..., None])
    ends = {}
    for name, each in {
        "data": None,
        "known": kernel,
        "averaged": replace(kernel, rows=rows),
    }.items():
        model = Model(question.model.graph, question.model.distribution, each)
        found = effect_interval(replace(question, model=model), NOTHING)
        ends[name] = found.high - found.low
    assert ends["known"] < 0.9 * ends["data"]
    assert ends["known"] < ends["averaged"] < 1.5 * ends["data"]


def test_evidence_of_a_root_costs_nothing():
    graph, P = asking.simple("S -> W -> Y", 2, 2)
    counts = np.round(P * 300) + 1
    plain = effect_interval(counting(graph, counts, asked_of(graph, "all", {})), NOTHING)
    given = effect_interval(counting(graph, counts, asked_of(graph, "all", {"S": 0})), NOTHING)
    assert (given.low, given.high) == pytest.approx((plain.low, plain.high), abs=1e-6)
    assert given.n_uncertain == 2
