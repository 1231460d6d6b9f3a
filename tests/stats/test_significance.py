from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from fairwitness.errors import DataError
from fairwitness.stats import benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1), min_size=0, max_size=30)


@given(p_values)
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    expected = false_discovery_control(p) if p else np.empty(0)
    np.testing.assert_allclose(benjamini_hochberg(p), expected, atol=1e-12)


@given(p_values)
def test_holm_steps_down(p: list[float]) -> None:
    adjusted = holm(p)
    order = np.argsort(p, kind="stable")
    running = 0.0
    for place, index in enumerate(order):
        running = max(running, p[index] * (len(p) - place))
        assert adjusted[index] == pytest.approx(min(running, 1.0))


@pytest.mark.parametrize("correct", [benjamini_hochberg, holm])
def test_nan_stays_nan_and_does_not_count(correct) -> None:
    with_gap = correct([0.01, np.nan, 0.04])
    assert np.isnan(with_gap[1])
    np.testing.assert_allclose(with_gap[[0, 2]], correct([0.01, 0.04]))
    assert np.isnan(correct([np.nan])).all()


@pytest.mark.parametrize("correct", [benjamini_hochberg, holm])
@pytest.mark.parametrize("p", [[1.2], [-0.1, 0.5], [[0.1, 0.2]]])
def test_what_is_no_probability_is_refused(correct, p) -> None:
    with pytest.raises(DataError, match="To fix"):
        correct(p)
