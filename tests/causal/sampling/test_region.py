from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from tests.causal.asking import causal_graph, simple

from fairwitness.causal import CausalGraph, Distribution
from fairwitness.causal.data.kernel import Kernel
from fairwitness.causal.sampling.region import Coin, confidence_region, counted, tosses
from fairwitness.causal.solver.factors import Model
from fairwitness.errors import ConfigError


def counting_model(graph, counts, kernel=None):
    levels = [range(size) for size in np.shape(counts)]
    graph = CausalGraph.from_any(graph)
    return Model(graph, Distribution.from_counts(graph.nodes, levels, counts), kernel)


def all_coins(model):
    """One for each variable, row of its pillow, and level but the last."""
    found = []
    for variable in model.graph.nodes:
        given = model.pillow(variable)
        for row in itertools.product(*(range(model.cardinality(name)) for name in given)):
            found += [Coin(variable, given, row, level) for level in range(model.cardinality(variable) - 1)]
    return found


def true_chances(model, P, coins):
    table = Distribution.from_table(model.graph.nodes, model.distribution.levels, P)
    found = []
    for coin in coins:
        shares = table.take(*coin.given, coin.variable).probability[coin.row][coin.level :]
        found.append(shares[0] / shares.sum() if shares.sum() else 0.5)
    return np.array(found)


def test_heads_and_tosses_are_counted_by_hand():
    counts = np.arange(12).reshape(2, 2, 3)  # S, W, Y
    model = counting_model("S -> W -> Y; S -> Y", counts)
    coins = [
        Coin("S", (), (), 0),
        Coin("W", ("S",), (1,), 0),
        Coin("Y", ("W", "S"), (1, 0), 0),
        Coin("Y", ("W", "S"), (1, 0), 1),
        Coin("Y", (), (), 1),
    ]
    seen = tosses(model, coins)
    assert seen.heads.tolist() == [15, 21, 3, 4, 22]
    assert seen.tosses.tolist() == [66, 51, 12, 9, 48]
    assert not seen.exact.any()


def test_one_chance_has_its_clopper_pearson_interval():
    model = counting_model("S -> Y", [[8, 2], [0, 0]])
    region = confidence_region(model, [Coin("Y", ("S",), (0,), 0)], 0.95)
    exact = stats.binomtest(8, 10).proportion_ci(0.95, method="exact")
    assert (region.lower[0], region.upper[0]) == pytest.approx((exact.low, exact.high))
    assert region.budget is None
    assert not len(region.tangents.coin)


def test_rows_that_never_occur_say_nothing_and_cost_other_rows_nothing():
    coins = [Coin("Y", ("S",), (row,), 0) for row in range(2)]
    region = confidence_region(counting_model("S -> Y", [[8, 2], [0, 0]]), coins, 0.9)
    assert (region.lower[1], region.upper[1]) == (0, 1)
    exact = stats.binomtest(8, 10).proportion_ci(0.95, method="exact")  # half of the error is the budget's
    assert (region.lower[0], region.upper[0]) == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize("confidence", [0.5, 0.9])
def test_coverage_of_two_rows_by_enumeration(confidence):
    """Whatever the chances and however many rows: no simulation."""
    coins = [Coin("Y", ("S",), (row,), 0) for row in range(2)]
    sizes = (3, 7)
    grid = np.array([0.02, 0.2, 0.5, 0.71, 0.97])
    covered = np.zeros((5, 5))
    for heads in itertools.product(*(range(n + 1) for n in sizes)):
        counts = [[k, n - k] for k, n in zip(heads, sizes, strict=True)]
        region = confidence_region(counting_model("S -> Y", counts), coins, confidence)
        for i, j in itertools.product(range(5), repeat=2):
            weight = stats.binom.pmf(heads[0], sizes[0], grid[i]) * stats.binom.pmf(
                heads[1], sizes[1], grid[j]
            )
            covered[i, j] += weight * region.contains(grid[[i, j]])
    assert covered.min() >= confidence
    assert covered.min() < 1 - 1e-6  # or the test would not see a region that is everything


@pytest.mark.parametrize("n", [60, 1_000])
def test_coverage_of_a_whole_graph(n):
    graph, P = simple("S -> W -> Y; W <-> Y; S -> Y", {"S": 2, "W": 3, "Y": 2}, seed=3)
    rng = np.random.default_rng(n)
    levels = [range(size) for size in P.shape]
    hits = []
    for _ in range(150):
        counts = rng.multinomial(n, P.ravel()).reshape(P.shape)
        model = Model(causal_graph(graph), Distribution.from_counts(graph.variables, levels, counts))
        coins = all_coins(model)
        hits.append(confidence_region(model, coins, 0.9).contains(true_chances(model, P, coins)))
    assert np.mean(hits) >= 0.9


def test_tangents_are_below_the_penalties_and_near_them():
    rng = np.random.default_rng(0)
    model = counting_model("S -> W -> Y; S -> Y", rng.integers(0, 40, size=(2, 2, 2)))
    coins = all_coins(model)
    region = confidence_region(model, coins, 0.95)
    lines = region.tangents
    for _ in range(100):
        chances = region.lower + rng.random(len(coins)) * (region.upper - region.lower)
        penalty = region.penalty(chances)
        heights = lines.at + lines.slope * chances[lines.coin]
        assert (heights <= penalty[lines.coin] + 1e-9).all()
        best = np.zeros(len(coins))
        np.maximum.at(best, lines.coin, heights)
        near = penalty < region.budget
        assert (penalty - best)[near].max(initial=0.0) < 0.1


def test_pooled_coins_can_be_looked_at_one_after_another():
    model = counting_model("S -> W -> Y", np.ones((2, 2, 2), dtype=int))
    chain = [Coin("W", ("S",), (0,), 0), Coin("Y", ("W",), (0,), 0)]
    assert confidence_region(model, chain, 0.95).pooled.all()
    # how Y follows S is no longer binomial once it is known how W does
    mixed = [Coin("W", ("S",), (0,), 0), Coin("Y", ("S",), (0,), 0), Coin("Y", ("S",), (1,), 0)]
    assert confidence_region(model, mixed, 0.95).pooled.tolist() == [True, False, False]
    twice = [Coin("Y", ("S",), (0,), 0), Coin("Y", (), (), 0), Coin("Y", ("S",), (1,), 0)]
    assert confidence_region(model, twice, 0.95).pooled.tolist() == [True, False, True]


def test_a_known_predictor_is_certain_and_an_averaged_one_as_uncertain_as_its_rows():
    counts = np.array([[30, 10], [0, 0]])
    coins = [Coin("Y", ("S",), (row,), 0) for row in range(2)]
    table = np.array([[0.6, 0.4], [np.nan, np.nan]])
    exact = Kernel("Y", (0, 1), ("S",), table)
    region = confidence_region(counting_model("S -> Y", counts, exact), coins, 0.95)
    assert (region.lower[0], region.upper[0]) == (0.6, 0.6)
    assert (region.lower[1], region.upper[1]) == (0, 1)
    assert region.n_uncertain == 1
    shares = Kernel("Y", (0, 1), ("S",), table, rows=np.array([40.0, 0.0]))
    seen = tosses(counting_model("S -> Y", counts, shares), coins)
    assert (seen.heads[0], seen.tosses[0]) == (24, 40)
    assert not seen.average[0]
    scores = Kernel("Y", (0, 1), ("S",), np.array([[0.61, 0.39], [0.5, 0.5]]), rows=np.array([40.0, 3.0]))
    seen = tosses(counting_model("S -> Y", counts, scores), coins)
    assert seen.average.tolist() == [True, True]
    wide = confidence_region(counting_model("S -> Y", counts, scores), coins[:1], 0.95)
    narrow = confidence_region(counting_model("S -> Y", counts, shares), coins[:1], 0.95)
    assert wide.upper[0] - wide.lower[0] > narrow.upper[0] - narrow.lower[0]


@pytest.mark.parametrize("counts", [None, np.array([[0.5, 1.5], [1, 1]])])
def test_probabilities_have_no_region(counts):
    levels = [(0, 1), (0, 1)]
    if counts is None:
        table = Distribution.from_table(("S", "Y"), levels, np.full((2, 2), 0.25))
    else:
        table = Distribution.from_counts(("S", "Y"), levels, counts)
    with pytest.raises(ConfigError, match="needs the number of rows") as error:
        counted(Model(CausalGraph.from_text("S -> Y"), table), ("S",))
    assert "counts of the cells" in str(error.value)


def test_rows_are_known_where_only_the_outcome_was_replaced():
    table = Distribution.from_counts(("S", "Y"), [(0, 1), (0, 1)], [[3, 1], [2, 2]])
    replaced = table.with_kernel("Y", [[0.25, 0.75], [1, 0]], ["S"])
    model = Model(CausalGraph.from_text("S -> Y"), replaced)
    assert counted(model, ("S",)).tolist() == [4, 4]
