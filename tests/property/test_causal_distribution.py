"""However rows come, the distribution is the same."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairwitness.causal.data.distribution import Distribution

VALUES = {
    "text": st.sampled_from(["a", "B", "é", "", "1"]),
    "flag": st.booleans(),
    "whole": st.integers(-3, 3),
    "half": st.sampled_from([-0.5, 0.0, 0.5, 2.0, 37.0]),
}
ROWS = st.lists(st.tuples(*VALUES.values()), min_size=1, max_size=30)
BINS = {"half": [0, 2]}
CONTAINERS = [
    lambda frame: frame,
    pl.from_pandas,
    lambda frame: pa.Table.from_pandas(frame),
    lambda frame: pl.from_pandas(frame).lazy(),
]


def framed(rows):
    return pd.DataFrame(rows, columns=list(VALUES))


@pytest.mark.parametrize("convert", CONTAINERS)
@given(rows=ROWS)
def test_cells_are_what_a_counter_counts(convert, rows):
    read = Distribution.from_data(convert(framed(rows)), list(VALUES), bins=BINS)
    label = {-0.5: "≤ 0", 0.0: "≤ 0", 0.5: "> 0, ≤ 2", 2.0: "> 0, ≤ 2", 37.0: "> 2"}
    counted = Counter((*row[:3], label[row[3]]) for row in rows)
    assert read.n == len(rows)
    for at in np.ndindex(read.cards):
        values = tuple(levels[place] for levels, place in zip(read.levels, at, strict=True))
        assert read.counts[at] == counted.get(values, 0)
        given_ = dict(zip(VALUES, values, strict=True))
        assert read.probability_of(read.evidence(given_)) == pytest.approx(counted.get(values, 0) / len(rows))


@given(rows=ROWS, data=st.data())
def test_order_cells_and_margins(rows, data):
    frame = framed(rows)
    read = Distribution.from_data(frame, list(VALUES), bins=BINS)
    shuffled = Distribution.from_data(framed(data.draw(st.permutations(rows))), list(VALUES), bins=BINS)
    assert shuffled.levels == read.levels
    np.testing.assert_array_equal(shuffled.counts, read.counts)
    kept = data.draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, unique=True))
    fewer = Distribution.from_data(frame, kept, bins={name: BINS[name] for name in kept if name in BINS})
    np.testing.assert_array_equal(read.take(*kept).counts, fewer.counts)
    cells = read.to_frame()
    if len(rows) > 1:
        again = Distribution.from_data(
            cells, list(VALUES), weights="count", levels=dict(zip(read.variables, read.levels, strict=True))
        )
        np.testing.assert_array_equal(again.counts, read.counts)
        assert again.n == read.n
