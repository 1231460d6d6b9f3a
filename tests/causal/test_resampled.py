from __future__ import annotations

import math

import numpy as np
import pytest

from fairwitness.causal import CausalGraph, Distribution, effect_bounds, path_set, resampled
from fairwitness.causal.resampled import resampled_intervals

GRAPH = CausalGraph.from_text("s -> w; {s, w} -> y")
ASKED = {"treatment": "s", "outcome": "y", "active": 1, "reference": 0, "outcome_value": 1}


@pytest.fixture(scope="module")
def table() -> Distribution:
    rng = np.random.default_rng(0)
    return Distribution.from_counts(list("swy"), [(0, 1)] * 3, rng.integers(20, 120, (2, 2, 2)))


def intervals(
    table: Distribution, graph: CausalGraph = GRAPH, *names: str, **changes: int
) -> list[tuple[float, float]]:
    found = []
    for name in names or ("all",):
        paths = path_set(graph, "s", "y", name)
        found.append((paths, effect_bounds(table, graph, **ASKED, paths=paths)))
    settings = {"confidence": 0.95, "seed": 3, **changes}
    return resampled_intervals(table, graph, ASKED, found, **settings)


def test_a_difference_of_shares_gets_the_interval_that_theory_gives(table: Distribution) -> None:
    ((low, high),) = intervals(table, n_resamples=400)
    counts = table.counts.sum(axis=1)
    n = counts.sum(axis=1)
    share = counts[:, 1] / n
    error = math.sqrt((share * (1 - share) / n).sum())
    assert (low + high) / 2 == pytest.approx(share[1] - share[0])
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_bounds_stay_inside_and_a_wider_level_is_wider(table: Distribution) -> None:
    graph = CausalGraph.from_text("s -> w; {s, w} -> y; w <-> y")
    bounds = effect_bounds(table, graph, **ASKED, paths="direct")
    ((low, high),) = intervals(table, graph, "direct")
    ((lower, higher),) = intervals(table, graph, "direct", confidence=0.99)
    assert -1 <= lower < low < bounds.lower < bounds.upper < high < higher <= 1


def test_neither_workers_nor_company_change_an_interval(table: Distribution) -> None:
    alone = intervals(table, GRAPH, "all")
    together = intervals(table, GRAPH, "direct", "all", n_jobs=2)
    assert together[1] == alone[0]
    assert intervals(table, GRAPH, "all", seed=4) != alone


def test_cells_that_nobody_is_in_stay_empty() -> None:
    counts = np.array([[[40, 10], [30, 20]], [[0, 0], [25, 35]]])
    ((low, high),) = intervals(Distribution.from_counts(list("swy"), [(0, 1)] * 3, counts))
    assert -1 < low < high < 1


def test_few_draws_where_each_takes_long(table: Distribution, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = intervals(table)
    monkeypatch.setattr(resampled, "MANY_PROGRAMS", -1)
    few = intervals(table)
    assert few != usual
    assert few == intervals(table, n_resamples=resampled.N_SLOW)
