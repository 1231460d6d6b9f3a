"""Rows as numbers: codes of levels for learning, and the way back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.canonical import TreeCanonicalSampler
from fairwitness.canonical.rows import read_rows
from fairwitness.errors import DataError


def test_codes_open_again_where_levels_are_not_met() -> None:
    # "z" is declared and no row has it; nothing is missing: neither has a code
    kind = pd.CategoricalDtype(["z", "a", "b", "c"])
    frame = pd.DataFrame({"k": pd.Series(["a", "b", "b", "b", "c"] * 4, dtype=kind), "x": range(20)})
    rows = read_rows(
        frame, np.linspace(0, 1, 20), protected=(), schema=None, max_rows=50, max_levels=2, seed=0
    )
    codes, count = rows.codes(0)
    assert count == 2
    opened = rows.levels(0, codes, np.random.default_rng(0))
    frequent = np.bincount(codes).argmax()
    again, _ = rows.codes(0)
    np.testing.assert_array_equal(opened[codes == frequent], rows.matrix[again == frequent, 0])
    assert set(opened[codes != frequent]) <= set(rows.matrix[codes != frequent, 0])


def test_a_refused_value_is_named_by_its_own_row() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=300)})
    frame.loc[4, "a"] = np.inf
    with pytest.raises(DataError, match=r"\b4\b") as refused:
        TreeCanonicalSampler().fit(frame, rng.random(300))
    assert "inf" in str(refused.value)
