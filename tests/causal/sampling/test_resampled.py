from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from fairwitness.causal import CausalGraph, Distribution, effect_bounds
from fairwitness.causal.bounds import answer
from fairwitness.causal.sampling import resampled
from fairwitness.causal.sampling.resampled import resampled_intervals
from fairwitness.causal.solver.question import prepare
from fairwitness.errors import ConfigError

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
        question = prepare(table, graph, **ASKED, paths=name)
        found.append((question, answer(question)))
    settings = {"confidence": 0.95, "seed": 3, **changes}
    return resampled_intervals(found, **settings)


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


def test_effect_bounds_give_the_same_indicative_interval_on_request(table: Distribution) -> None:
    found = effect_bounds(table, GRAPH, **ASKED, confidence=0.95, sampling="resampled", random_state=3)
    assert found.interval == intervals(table)[0]
    assert found.sampling == "resampled"
    assert "indicative" in found.notes[-1]
    valid = effect_bounds(table, GRAPH, **ASKED, confidence=0.95)
    assert valid.sampling == "region"
    assert valid.interval[0] < found.interval[0] < found.interval[1] < valid.interval[1]
    with pytest.raises(ConfigError, match="no such way to cover sampling error"):
        effect_bounds(table, GRAPH, **ASKED, confidence=0.95, sampling="bootstrap")


def test_a_predictor_known_by_its_means_moves_with_the_sample() -> None:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"s": rng.integers(0, 2, 300)})
    rows["said"] = (rng.random(300) < 0.3 + 0.3 * rows["s"]).astype(int)
    settings = {**ASKED, "confidence": 0.95, "sampling": "resampled"}
    found = effect_bounds(rows.assign(y=0), "s -> y", predictor="said", levels={"y": [0, 1]}, **settings)
    share, n = rows.groupby("s")["said"].mean(), rows["s"].value_counts()
    error = math.sqrt(sum(share[s] * (1 - share[s]) / n[s] for s in (0, 1)))
    assert found.lower == pytest.approx(share[1] - share[0])
    assert found.interval[1] - found.interval[0] == pytest.approx(2 * 1.96 * error, rel=0.25)


def test_without_counts_nothing_can_be_drawn() -> None:
    table = Distribution.from_table(list("swy"), [(0, 1)] * 3, np.ones((2, 2, 2)))
    with pytest.raises(ConfigError, match="number of rows"):
        effect_bounds(table, GRAPH, **ASKED, confidence=0.95, sampling="resampled")
