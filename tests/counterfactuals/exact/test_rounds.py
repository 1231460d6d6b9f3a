"""The time of a call, on a clock that moves only when something is done."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from fairwitness.counterfactuals import ExactGenerator, budget
from fairwitness.counterfactuals.exact import answer, rounds
from fairwitness.counterfactuals.exact.engines import TreeEngine
from fairwitness.counterfactuals.exact.ensemble import TreeRelaxation
from fairwitness.counterfactuals.genetic import GeneticGenerator
from fairwitness.model import as_blackbox


class Clock:
    """Seconds pass where ``work`` says so."""

    def __init__(self, monkeypatch):
        self.now, self.calls = 1000.0, {}
        self._monkeypatch = monkeypatch
        fake = SimpleNamespace(time=lambda: self.now)
        for module in (budget, answer, rounds):
            monkeypatch.setattr(module, "time", fake)

    def work(self, owner, name, seconds):
        original = getattr(owner, name)

        def slow(*given, **named):
            self.now += seconds
            self.calls[name] = self.calls.get(name, 0) + 1
            return original(*given, **named)

        self._monkeypatch.setattr(owner, name, slow)


@pytest.fixture(scope="module")
def forest():
    """A forest on four columns of full precision: its questions take many boxes."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd"))
    y = (X.sum(axis=1) + rng.normal(0, 1, 150) > 1).astype(int)
    model = RandomForestClassifier(8, max_depth=4, random_state=0).fit(X, y)
    exact = ExactGenerator(seconds=None).fit(X, as_blackbox(model))
    refused = X[model.predict(X) == 0].head(8)
    boxes = [exact.generate(refused[at : at + 1], 2).settings["n_boxes"] for at in range(len(refused))]
    assert min(boxes) > 5
    assert max(boxes) > 2 * np.mean(boxes)
    return exact, refused, boxes


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(GeneticGenerator, "_search", no_rows)
    return Clock(monkeypatch)


def no_rows(self, queries, k, budget):
    none = np.zeros(0)
    return SimpleNamespace(query=none.astype(np.int64), rows=np.zeros((0, queries.shape[1])), score=none)


def test_no_query_is_begun_when_the_time_is_over(forest, clock):
    exact, refused, _ = forest
    clock.work(TreeEngine, "relax", 100)
    found = exact.generate(refused, 2, time_budget=50)
    assert clock.calls["relax"] == 1
    assert set(found.status) == {"budget"}
    gaps = found.settings["gaps"]
    assert [gap["query"] for gap in gaps] == list(range(len(refused)))
    assert all(gap["gap"] == gap["nearest found"] - gap["none nearer than"] for gap in gaps)
    assert (found.n_found == 2).all()  # rows of the table stand in
    assert (found.source >= 0).all()


def test_no_box_is_looked_into_when_the_time_is_over(forest, clock):
    exact, refused, _ = forest
    clock.work(TreeRelaxation, "splits", 1)
    found = exact.generate(refused, 2, time_budget=5)
    assert clock.calls["splits"] <= 6
    assert clock.now - 1000 <= 6
    assert "budget" in found.status


def test_a_hard_query_does_not_spend_the_time_of_the_others(forest, clock):
    exact, refused, boxes = forest
    first = int(np.argmax(boxes))
    order = [first, *(at for at in range(len(boxes)) if at != first)]
    clock.work(TreeRelaxation, "splits", 1)
    found = exact.generate(refused.iloc[order], 2, time_budget=boxes[first])
    assert all(gap["none nearer than"] > 0 for gap in found.settings["gaps"])


def test_what_easy_queries_leave_goes_to_hard_ones_in_a_second_round(forest, clock):
    exact, refused, boxes = forest
    order = np.argsort(boxes)[::-1]
    clock.work(TreeRelaxation, "splits", 1)
    time = 2 * sum(boxes) + 1
    assert 0.9 * time / len(boxes) < max(boxes)  # the first one's share is too small for it
    found = exact.generate(refused.iloc[order], 2, time_budget=time)
    assert set(found.status) == {"found"}
    without = exact.generate(refused.iloc[order], 2)
    np.testing.assert_array_equal(found.rows, without.rows)


def test_a_query_that_had_its_own_seconds_is_not_begun_again(forest, clock, monkeypatch):
    exact, refused, _ = forest
    monkeypatch.setattr(exact, "seconds", 3.0)
    clock.work(TreeRelaxation, "splits", 1)
    found = exact.generate(refused, 2, time_budget=1e6)
    assert found.status.count("budget") == len(refused)
    assert clock.calls["splits"] == 3 * len(refused)


def test_rows_asked_about_in_workers_are_counted(forest):
    exact, refused, _ = forest
    model = exact.table_.model
    before = model.n_queries
    exact.generate(refused, 3)
    alone = model.n_queries - before
    exact.n_jobs, exact.chunk_size = 2, 4
    try:
        exact.generate(refused, 3)
        assert model.n_queries - before == 2 * alone > 0
        few = exact.generate(refused, 3, max_queries=5)
        assert int((few.source < 0).sum()) <= 5
    finally:
        exact.n_jobs, exact.chunk_size = None, 16
