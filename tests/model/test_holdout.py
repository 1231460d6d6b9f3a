from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairwitness.errors import ConfigError, DataError
from fairwitness.model.holdout import holdout
from fairwitness.table import row_keys


def _keys(values: np.ndarray) -> np.ndarray:
    return row_keys(pd.DataFrame({"x": values}))


@settings(max_examples=40, deadline=None)
@given(st.integers(20, 60), st.floats(0.2, 0.8), st.integers(0, 5))
def test_parts_cover_all_rows_once_and_equal_rows_stay_together(n: int, share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.r_[np.arange(n), rng.integers(0, n, 2 * n)]
    strata = values % 2
    train, test = holdout(_keys(values), strata, test_size=share, seed=seed)
    assert sorted([*train, *test]) == list(range(len(values)))
    assert not set(values[train]) & set(values[test])


def test_each_stratum_has_its_share() -> None:
    values = np.arange(1000)
    strata = (values < 100).astype(int)
    _, test = holdout(_keys(values), strata, test_size=0.2, seed=0)
    assert np.bincount(strata[test]).tolist() == [180, 20]


def test_the_split_depends_on_content_and_seed_and_not_on_the_order_of_rows() -> None:
    values = np.arange(200)
    _, test = holdout(_keys(values), values * 0, test_size=0.25, seed=0)
    turned = values[::-1].copy()
    _, again = holdout(_keys(turned), values * 0, test_size=0.25, seed=0)
    _, other = holdout(_keys(values), values * 0, test_size=0.25, seed=1)
    assert set(values[test]) == set(turned[again])
    assert set(test) != set(other)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ConfigError, match="test_size"):
        holdout(_keys(np.arange(9)), np.zeros(9, dtype=int), test_size=20, seed=0)
    with pytest.raises(DataError, match="1 distinct rows"):
        holdout(_keys(np.zeros(9)), np.zeros(9, dtype=int), test_size=0.2, seed=0)
