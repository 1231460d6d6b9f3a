"""Group rates against a double loop over rows, on random tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairwitness.metrics import group_rates
from fairwitness.table.groups import Groups

Row = tuple[int, bool, bool, float]

rows_of = st.lists(
    st.tuples(
        st.integers(-1, 2),
        st.booleans(),
        st.booleans(),
        st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    ),
    min_size=1,
    max_size=40,
)


def brute(rows: list[Row], group: int, wanted: bool | None) -> float:
    """Share of weight accepted among one group's rows with one outcome, by a plain loop."""
    accepted = total = 0.0
    for code, y, decision, weight in rows:
        if code != group or (wanted is not None and y != wanted):
            continue
        total += weight
        if decision:
            accepted += weight
    return accepted / total if total > 0 else math.nan


def half(*parts: float) -> float:
    return sum(parts) / 2


@settings(max_examples=150, deadline=None)
@given(rows=rows_of, weighted=st.booleans())
def test_every_number_is_the_loops(rows: list[Row], weighted: bool) -> None:
    rows = rows if weighted else [(*row[:3], 1.0) for row in rows]
    code, y, decision, weight = (np.array(column) for column in zip(*rows, strict=True))
    groups = Groups(name="g", labels=("a", "b", "c"), codes=code.astype(np.int64), privileged=1)
    found = group_rates(decision, groups, y, sample_weight=weight if weighted else None)
    rate = [[brute(rows, g, wanted) for wanted in (None, True, False)] for g in range(3)]
    for g, label in enumerate(groups.labels):
        for (name, estimate), expected in zip(found[label].estimates(), rate[g], strict=True):
            assert estimate is not None, name
            assert estimate.estimate == pytest.approx(expected, nan_ok=True)
            assert math.isnan(estimate.estimate) == bool(estimate.reason)
            if not math.isnan(expected):
                assert 0 <= estimate.low <= expected + 1e-12
                assert expected - 1e-12 <= estimate.high <= 1
                assert 0 <= estimate.n <= len(rows)
        assert found[label].n == (code == g).sum()
    for comparison in found.comparisons:
        g = groups.labels.index(comparison.group)
        gap, true, false = (rate[g][at] - rate[1][at] for at in range(3))
        base = rate[1][0]
        expected_values = {
            "statistical_parity_difference": gap,
            "disparate_impact_ratio": rate[g][0] / base if base > 0 else math.nan,
            "equal_opportunity_difference": true,
            "average_odds_difference": half(true, false),
            "average_absolute_odds_difference": half(abs(true), abs(false)),
        }
        for name, estimate in comparison.estimates():
            assert estimate is not None
            assert estimate.estimate == pytest.approx(expected_values[name], nan_ok=True, abs=1e-12), name
            assert math.isnan(estimate.estimate) == bool(estimate.reason), name
            if not estimate.reason:
                assert estimate.low <= estimate.estimate + 1e-12, name
                assert estimate.estimate - 1e-12 <= estimate.high, name


@settings(max_examples=50, deadline=None)
@given(rows=rows_of, seed=st.integers(0, 2**16))
def test_row_order_and_dropped_rows_do_not_matter(rows: list[Row], seed: int) -> None:
    code, y, decision, _ = (np.array(column) for column in zip(*rows, strict=True))
    groups = Groups(name="g", labels=("a", "b", "c"), codes=code.astype(np.int64), privileged=0)
    document = group_rates(decision, groups, y).to_dict()
    order = np.random.default_rng(seed).permutation(len(code))
    assert group_rates(decision[order], groups.take(order), y[order]).to_dict() == document
    kept = np.flatnonzero(code >= 0)
    assert group_rates(decision[kept], groups.take(kept), y[kept]).to_dict() == document


@settings(max_examples=50, deadline=None)
@given(rows=rows_of)
def test_exchanging_two_groups_turns_differences_round(rows: list[Row]) -> None:
    code, y, decision, _ = (np.array(column) for column in zip(*rows, strict=True))
    codes = np.where(code == 2, 1, code).astype(np.int64)
    one = Groups(name="g", labels=("a", "b"), codes=codes, privileged=0)
    there = group_rates(decision, one, y).comparisons[0]
    back = group_rates(decision, one.with_privileged("b"), y).comparisons[0]
    for name in ("statistical_parity_difference", "equal_opportunity_difference", "average_odds_difference"):
        first, second = getattr(there, name), getattr(back, name)
        assert first.estimate == pytest.approx(-second.estimate, nan_ok=True)
        assert first.low == pytest.approx(-second.high, nan_ok=True, abs=1e-12)
    first, second = there.average_absolute_odds_difference, back.average_absolute_odds_difference
    assert first is not None
    assert second is not None
    assert first.estimate == pytest.approx(second.estimate, nan_ok=True)
    assert first.high == pytest.approx(second.high, nan_ok=True)
