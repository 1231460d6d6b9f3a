from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from fairwitness.errors import ConfigError, DataError, GroupError
from fairwitness.metrics import GroupRates, group_rates
from fairwitness.stats.intervals import Estimate, newcombe_difference, wilson
from fairwitness.table.groups import Groups, sensitive_groups

# Two groups with counts one can do in one's head: rows (group, y, accepted) and how often.
CELLS = {
    ("a", 1, 1): 30,
    ("a", 1, 0): 10,
    ("a", 0, 1): 20,
    ("a", 0, 0): 40,
    ("b", 1, 1): 10,
    ("b", 1, 0): 10,
    ("b", 0, 1): 5,
    ("b", 0, 0): 25,
}


def expand() -> tuple[np.ndarray, np.ndarray, Groups]:
    rows = [key for key, count in CELLS.items() for _ in range(count)]
    group, y, accepted = (np.array(column) for column in zip(*rows, strict=True))
    groups = sensitive_groups({"g": group}, privileged="a")[0]
    return accepted.astype(bool), y.astype(bool), groups


@pytest.fixture(scope="module")
def rates() -> GroupRates:
    accepted, y, groups = expand()
    return group_rates(accepted, groups, y)


def test_values_by_hand(rates: GroupRates) -> None:
    a, b = rates["a"], rates["b"]
    assert (a.n, a.n_accepted, b.n, b.n_accepted) == (100, 50, 50, 15)
    assert a.acceptance.estimate == 0.5
    assert b.acceptance.estimate == 0.3
    assert a.true_positive_rate is not None
    assert a.true_positive_rate.estimate == 0.75
    assert (a.true_positive_rate.numerator, a.true_positive_rate.denominator) == (30, 40)
    assert b.false_positive_rate is not None
    assert b.false_positive_rate.estimate == pytest.approx(1 / 6)
    c = rates.comparison("b")
    assert c.statistical_parity_difference.estimate == pytest.approx(-0.2)
    assert c.disparate_impact_ratio.estimate == pytest.approx(0.6)
    assert c.equal_opportunity_difference is not None
    assert c.equal_opportunity_difference.estimate == pytest.approx(-0.25)
    # ½ (−1/4 − 1/6), and the same size without signs.
    assert c.average_odds_difference is not None
    assert c.average_odds_difference.estimate == pytest.approx(-5 / 24)
    assert c.average_absolute_odds_difference is not None
    assert c.average_absolute_odds_difference.estimate == pytest.approx(5 / 24)
    assert [each.group for each in rates.comparisons] == ["b"]


def test_intervals_are_the_named_ones(rates: GroupRates) -> None:
    low, high = wilson(50, 100)
    assert (rates["a"].acceptance.low, rates["a"].acceptance.high) == (low, high)
    low, high = newcombe_difference(15, 50, 50, 100)
    found = rates.comparison("b").statistical_parity_difference
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.n == 150
    for _, estimate in rates.comparison("b").estimates():
        assert estimate is not None
        assert estimate.low < estimate.estimate < estimate.high


def test_closed_forms_agree_with_the_bootstrap_of_the_tensor() -> None:
    """Resample the eight cells as a multinomial a group: the percentile intervals are near ours."""
    rng = np.random.default_rng(0)
    accepted, y, groups = expand()
    counts = group_rates(
        np.repeat(accepted, 20), groups.take(np.repeat(np.arange(150), 20)), np.repeat(y, 20)
    )
    cells = counts.counts.rows.reshape(2, 4)
    draws = np.stack([rng.multinomial(cell.sum(), cell / cell.sum(), 20_000) for cell in cells], axis=1)
    draws = draws.reshape(-1, 2, 2, 2)
    share = draws[..., 1] / draws.sum(axis=-1)
    rate = draws[..., 1].sum(axis=-1) / draws.sum(axis=(-1, -2))
    false, true = (share[:, 1, at] - share[:, 0, at] for at in (0, 1))
    expected = {
        "statistical_parity_difference": rate[:, 1] - rate[:, 0],
        "disparate_impact_ratio": rate[:, 1] / rate[:, 0],
        "equal_opportunity_difference": true,
        "average_odds_difference": (true + false) / 2,
    }
    for name, samples in expected.items():
        found: Estimate = getattr(counts.comparison("b"), name)
        low, high = np.quantile(samples, [0.025, 0.975])
        slack = 0.06 * (high - low)
        assert found.low == pytest.approx(low, abs=slack), name
        assert found.high == pytest.approx(high, abs=slack), name


def test_opposite_differences_cancel_only_where_they_are_said_to() -> None:
    # True positive rates .5 and 1, false positive rates 1 and .5.
    group = np.repeat(["a", "b"], 4)
    y = np.tile([True, True, False, False], 2)
    accepted = np.array([True, False, True, True, True, True, True, False])
    comparison = group_rates(accepted, sensitive_groups({"g": group}, privileged="a")[0], y).comparison("b")
    assert comparison.average_odds_difference is not None
    assert comparison.average_odds_difference.estimate == 0
    assert comparison.average_absolute_odds_difference is not None
    assert comparison.average_absolute_odds_difference.estimate == 0.5


def test_without_outcomes_only_acceptance_is_measured() -> None:
    accepted, _, groups = expand()
    rates = group_rates(accepted, groups)
    assert not rates.has_outcome
    assert rates["a"].true_positive_rate is None
    assert rates.comparison("b").average_odds_difference is None
    assert rates.comparison("b").statistical_parity_difference.estimate == pytest.approx(-0.2)


def test_undefined_is_nan_with_a_reason_never_zero() -> None:
    group = np.array(["a", "a", "b", "b"])
    y = np.array([True, False, False, False])
    accepted = np.array([True, False, True, False])
    rates = group_rates(accepted, sensitive_groups({"g": group}, privileged="a")[0], y)
    rate = rates["b"].true_positive_rate
    assert rate is not None
    assert math.isnan(rate.estimate)
    assert rate.reason == "no row of b has the favourable outcome"
    comparison = rates.comparison("b")
    for found in (comparison.equal_opportunity_difference, comparison.average_absolute_odds_difference):
        assert found is not None
        assert math.isnan(found.estimate)
        assert math.isnan(found.low)
        assert found.reason == "no row of b has the favourable outcome"
    assert rates.to_dict()["comparisons"][0]["equal_opportunity_difference"]["estimate"] is None


def test_a_privileged_group_without_acceptance_has_no_ratio() -> None:
    groups = sensitive_groups({"g": np.array(["a", "a", "b", "b"])}, privileged="a")[0]
    comparison = group_rates(np.array([False, False, True, False]), groups).comparison("b")
    assert math.isnan(comparison.disparate_impact_ratio.estimate)
    assert comparison.disparate_impact_ratio.reason == "no row of a is accepted"
    assert comparison.statistical_parity_difference.estimate == 0.5
    turned = group_rates(np.array([True, True, False, False]), groups).comparison("b")
    assert turned.disparate_impact_ratio.estimate == 0
    assert turned.disparate_impact_ratio.low == 0
    assert 0 < turned.disparate_impact_ratio.high < math.inf


def test_an_empty_group_is_kept_and_says_so() -> None:
    accepted, y, groups = expand()
    only_a = np.flatnonzero(groups.codes == 0)
    rates = group_rates(accepted[only_a], groups.take(only_a), y[only_a])
    assert rates["b"].n == 0
    assert rates["b"].small
    assert rates["b"].acceptance.reason == "b has no rows"
    assert rates.comparison("b").disparate_impact_ratio.reason == "b has no rows"


def test_more_than_two_groups_are_each_compared_with_the_privileged() -> None:
    group = np.repeat(["x", "y", "z"], [10, 20, 30])
    accepted = np.concatenate([np.arange(10) < 5, np.arange(20) < 5, np.arange(30) < 24])
    groups = sensitive_groups({"g": group}, accepted=accepted)[0]
    rates = group_rates(accepted, groups, minimum_n=15)
    assert rates.privileged == "z"
    gaps = {c.group: c.statistical_parity_difference.estimate for c in rates.comparisons}
    assert gaps == {"x": pytest.approx(-0.3), "y": pytest.approx(-0.55)}
    assert [each.small for each in rates.groups] == [True, False, False]


def test_dropped_rows_count_nowhere() -> None:
    group = np.array(["a", None, "b", "a", "b", None], dtype=object)
    accepted = np.array([True, True, True, False, False, True])
    dropped = sensitive_groups({"g": group}, missing="drop", privileged="a")[0]
    rates = group_rates(accepted, dropped)
    assert sum(each.n for each in rates.groups) == 4
    kept = group_rates(accepted, sensitive_groups({"g": group}, missing="group", privileged="a")[0])
    assert [each.n for each in kept.groups] == [2, 2, 2]


def test_weights_move_the_rates_and_shorten_the_effective_n() -> None:
    accepted, y, groups = expand()
    weight = np.where(accepted, 3.0, 1.0)
    rates = group_rates(accepted, groups, y, sample_weight=weight)
    assert rates["a"].acceptance.estimate == pytest.approx(150 / 200)
    assert rates["a"].acceptance.n == math.floor(200**2 / (50 * 9 + 50))
    assert rates["a"].acceptance.numerator is None
    assert rates["a"].n == 100
    none = group_rates(accepted, groups, y, sample_weight=np.where(groups.codes == 1, 0.0, 1.0))
    assert none["b"].acceptance.reason == "all such rows of b have weight 0"


def test_frame_document_and_lookups(rates: GroupRates) -> None:
    frame = rates.to_frame()
    assert len(frame) == 2 * 3 + 5
    row = frame[(frame["measure"] == "disparate_impact_ratio")].iloc[0]
    assert (row["group"], row["reference"], row["estimate"]) == ("b", "a", pytest.approx(0.6))
    document = rates.to_dict()
    assert set(document) == {"name", "privileged", "has_outcome", "groups", "comparisons"}
    assert document["groups"][0]["acceptance"] == {
        "estimate": 0.5,
        "low": pytest.approx(0.4038, abs=1e-4),
        "high": pytest.approx(0.5962, abs=1e-4),
        "n": 100,
        "numerator": 50,
        "denominator": 100,
    }
    with pytest.raises(GroupError, match="groups a and b"):
        rates["c"]
    with pytest.raises(GroupError, match="'a' here"):
        rates.comparison("a")


def test_names_are_escaped_in_notebooks() -> None:
    group = np.array(["<script>alert(1)</script>", "b"] * 20)
    groups = sensitive_groups({"g": group}, privileged="b")[0]
    html = group_rates(np.arange(40) % 3 == 0, groups)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_plot_draws_every_rate(rates: GroupRates) -> None:
    ax = rates.plot()
    words = {text.get_text() for text in ax.get_yticklabels()}
    assert {"Acceptance rate", "True positive rate", "False positive rate", "a", "b"} <= words
    assert rates.plot(ax) is ax
    empty = sensitive_groups({"g": np.array(["a", "b"])}, privileged="a")[0].take(np.array([0]))
    assert group_rates(np.array([True]), empty).plot().get_title(loc="left") == "Rates by g"


def test_inputs_that_make_no_sense_are_named() -> None:
    accepted, y, groups = expand()
    with pytest.raises(DataError, match="must hold booleans"):
        group_rates(np.array(["yes"] * 150), groups)
    with pytest.raises(DataError, match="must hold booleans"):
        group_rates(accepted, groups, np.where(y, 2, 1))
    with pytest.raises(DataError, match="number of rows"):
        group_rates(accepted[:-1], groups)
    for level in (95, "0.95", None):
        with pytest.raises(ConfigError, match="confidence level must be a number above 0 and below 1"):
            group_rates(accepted, groups, confidence=level)
    with pytest.raises(ConfigError, match="minimum_n"):
        group_rates(accepted, groups, minimum_n="30")
    with pytest.raises(DataError, match="groups of one sensitive feature; got str"):
        group_rates(accepted, "sex")
    with pytest.raises(DataError, match="sample_weight must hold numbers"):
        group_rates(accepted, groups, sample_weight=["heavy"] * 150)
    zeros_and_ones = group_rates(accepted.astype(int), groups, y.astype(float))
    objects = group_rates(pd.Series(accepted, dtype=object), groups, pd.Series(y))
    assert zeros_and_ones.to_dict() == objects.to_dict() == group_rates(accepted, groups, y).to_dict()
