from __future__ import annotations

import time

from fairwitness.counterfactuals.budget import Budget


def test_rows_are_counted():
    budget = Budget.start(max_queries=5, time_budget=None)
    assert budget.allowed(3) == 3
    budget.spend(3)
    assert budget.allowed(3) == 2
    budget.spend(2)
    assert budget.allowed(3) == 0
    assert Budget.start(max_queries=None, time_budget=None).allowed(10**9) == 10**9


def test_time_is_over_at_the_deadline(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 100.0)
    budget = Budget.start(max_queries=None, time_budget=10.0)
    assert not budget.out_of_time()
    monkeypatch.setattr(time, "time", lambda: 110.0)
    assert budget.out_of_time()
    assert not Budget.start(max_queries=None, time_budget=None).out_of_time()
