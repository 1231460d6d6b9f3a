"""All count metrics against loops over rows, on random tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import metrics_by_hand as by_hand

from fairwitness.metrics import measure
from fairwitness.table.groups import Groups

rows_of = st.lists(
    st.tuples(
        st.sampled_from("abc"), st.integers(0, 1), st.integers(0, 1), st.sampled_from([0.0, 0.5, 1.0, 2.0])
    ),
    min_size=1,
    max_size=30,
)
COMPARED = (
    "statistical_parity_difference",
    "disparate_impact_ratio",
    "equal_opportunity_difference",
    "false_positive_rate_difference",
    "predictive_parity_difference",
    "negative_predictive_value_difference",
    "average_odds_difference",
    "average_absolute_odds_difference",
    "equalized_odds_difference",
)
ENTROPIES = {"generalized_entropy_index": 2.0, "theil_index": 1.0}


@settings(max_examples=100, deadline=None)
@given(rows=rows_of, weighted=st.booleans())
def test_every_number_is_the_loops(rows: list[tuple[str, int, int, float]], weighted: bool) -> None:
    rows = rows if weighted else [(*row[:3], 1.0) for row in rows]
    g, y, p, w = (np.array(column) for column in zip(*rows, strict=True))
    codes = np.searchsorted(np.array(list("abc")), g).astype(np.int64)
    groups = Groups("g", ("a", "b", "c"), codes, 1)
    found = measure(
        y,
        p,
        sensitive_features=groups,
        sample_weight=w if weighted else None,
        metrics=[*by_hand.RATES, *COMPARED, *ENTROPIES],
        n_resamples=10,
    )
    for value in found:
        if value.metric in COMPARED:
            expected = by_hand.comparison(rows, value.metric, value.group, "b")
        elif value.metric in by_hand.RATES:
            expected = by_hand.rate(rows, value.metric, value.group or None)
        else:
            inside = [row for row in rows if value.group in ("", row[0])]
            expected = by_hand.entropy(
                [row[2] - row[1] + 1.0 for row in inside],
                [row[3] for row in inside],
                ENTROPIES[value.metric],
            )
        assert value.estimate == pytest.approx(expected, nan_ok=True, abs=1e-9), value
        assert math.isnan(value.estimate) == (value.status == "undefined"), value
        assert bool(value.reason) == (value.status != "ok"), value
        if value.status == "undefined":
            assert math.isnan(value.low)
            assert math.isnan(value.p)
        elif value.metric not in ENTROPIES:
            assert value.low - 1e-12 <= value.estimate <= value.high + 1e-12
        if not math.isnan(value.p):
            assert 0 <= value.p <= value.p_adjusted <= 1


@settings(max_examples=25, deadline=None)
@given(rows=rows_of, seed=st.integers(0, 2**16))
def test_row_order_does_not_matter(rows: list[tuple[str, int, int, float]], seed: int) -> None:
    rows = [*rows, ("a", 1, 1, 1.0), ("b", 0, 0, 1.0)]
    g, y, p, _ = (np.array(column) for column in zip(*rows, strict=True))
    order = np.random.default_rng(seed).permutation(len(g))
    one = measure(y, p, sensitive_features=g, n_resamples=10)
    other = measure(y[order], p[order], sensitive_features=g[order], n_resamples=10)
    assert one.to_dict() == other.to_dict()
