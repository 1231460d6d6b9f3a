from __future__ import annotations

import numpy as np
import pytest

from fairwitness.errors import DataError
from fairwitness.metrics import count_decisions


def test_cells_by_hand() -> None:
    codes = np.array([0, 0, 0, 1, 1, -1])
    accepted = np.array([True, False, True, True, False, True])
    y = np.array([True, True, False, True, False, True])
    counts = count_decisions(accepted, codes, 3, y)
    # [group, good outcome, accepted]
    assert counts.rows.tolist() == [[[0, 1], [1, 1]], [[1, 0], [0, 1]], [[0, 0], [0, 0]]]
    everyone, good, other = (counts.rate(among) for among in ("all", "good", "other"))  # type: ignore[arg-type]
    np.testing.assert_allclose(everyone.value, [2 / 3, 1 / 2, np.nan])
    np.testing.assert_allclose(good.value, [1 / 2, 1, np.nan])
    np.testing.assert_allclose(other.value, [1, 0, np.nan])
    assert everyone.accepted.tolist() == [2, 1, 0]
    assert everyone.rows.tolist() == [3, 2, 0]
    assert everyone.n.tolist() == [3, 2, 0]
    assert everyone.successes.tolist() == [2, 1, 0]


def test_without_outcomes_there_is_one_rate() -> None:
    counts = count_decisions(np.array([True, False]), np.array([0, 1]), 2)
    assert counts.rate().value.tolist() == [1.0, 0.0]
    with pytest.raises(DataError, match="need the true outcomes"):
        counts.rate("good")


def test_equal_weights_change_nothing_and_unequal_ones_cost_rows() -> None:
    rng = np.random.default_rng(0)
    codes, accepted = rng.integers(0, 2, 50), rng.random(50) < 0.5
    plain = count_decisions(accepted, codes, 2).rate()
    tripled = count_decisions(accepted, codes, 2, sample_weight=np.full(50, 3.0)).rate()
    np.testing.assert_allclose(tripled.value, plain.value)
    np.testing.assert_allclose(tripled.n, plain.n)
    weights = rng.random(50) + 0.01
    weighted = count_decisions(accepted, codes, 2, sample_weight=weights).rate()
    for group in (0, 1):
        inside = codes == group
        assert weighted.value[group] == pytest.approx(np.average(accepted[inside], weights=weights[inside]))
        assert weighted.n[group] < inside.sum()
    assert weighted.rows.tolist() == plain.rows.tolist()


def test_a_weight_of_zero_is_a_row_that_is_not_there() -> None:
    accepted, codes = np.array([True, False, True]), np.array([0, 0, 1])
    rate = count_decisions(accepted, codes, 2, sample_weight=np.array([1.0, 0.0, 0.0])).rate()
    assert rate.value[0] == 1.0
    assert np.isnan(rate.value[1])
    assert rate.n.tolist() == [1.0, 0.0]
    assert rate.rows.tolist() == [2, 1]


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0, np.nan], [np.inf, 1.0]])
def test_weights_that_make_no_sense(weights: list[float]) -> None:
    with pytest.raises(DataError, match="row"):
        count_decisions(np.array([True, False]), np.array([0, 1]), 2, sample_weight=np.array(weights))


def test_lengths_are_checked() -> None:
    with pytest.raises(DataError, match="accepted"):
        count_decisions(np.array([True]), np.array([0, 1]), 2)
    with pytest.raises(DataError, match="y and the groups"):
        count_decisions(np.array([True, False]), np.array([0, 1]), 2, np.array([True]))
