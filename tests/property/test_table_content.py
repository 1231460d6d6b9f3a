"""Keys, hashes, groups and counts depend on content: never on row order, library or chunking."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairwitness.table import canonical_order, count_table, row_keys, sensitive_groups, table_hash, take_rows

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=2)
VALUES = {
    "t": st.none() | TEXT,
    "n": st.none() | st.floats(allow_nan=False, allow_infinity=False),
    "i": st.integers(-(2**53), 2**53),
    "b": st.none() | st.booleans(),
}
ROWS = st.lists(st.fixed_dictionaries(VALUES), min_size=1, max_size=12)


def frame_of(rows):
    return pl.DataFrame(rows, schema={"t": pl.String, "n": pl.Float64, "i": pl.Int64, "b": pl.Boolean})


@settings(max_examples=75, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_rows_are_known_by_their_content(rows, random):
    frame = frame_of(rows)
    keys = row_keys(frame)
    same = {}
    for row, key in zip(rows, keys.tolist(), strict=True):
        same.setdefault((row["t"], row["n"], row["i"], row["b"]), set()).add(key)
    assert all(len(found) == 1 for found in same.values())
    assert len({key for found in same.values() for key in found}) == len(same)

    shuffled = list(rows)
    random.shuffle(shuffled)
    other = frame_of(shuffled).to_pandas()
    assert table_hash(other) == table_hash(frame)
    ordered = row_keys(take_rows(frame, canonical_order(frame)))
    np.testing.assert_array_equal(row_keys(take_rows(other, canonical_order(other))), ordered)


@settings(max_examples=75, deadline=None)
@given(ROWS, st.sampled_from(["group", "drop"]))
def test_groups_against_a_loop(rows, missing):
    frame = pd.DataFrame({"t": [row["t"] for row in rows], "b": [row["b"] for row in rows]}, dtype=object)
    kept = frame if missing == "group" else frame.dropna()
    for name in frame:
        assume(kept[name].nunique(dropna=missing == "drop") > 1)
        assume(frame[name].notna().any())
    assume(missing == "group" or all(frame[name].nunique() > 1 for name in frame))
    pairs = Counter(
        (t if isinstance(t, str) else None, b if isinstance(b, bool) else None) for t, b in kept.to_numpy()
    )
    assume(len(pairs) > 1)
    *single, both = sensitive_groups(frame, missing=missing, intersections=True)
    for groups in single:
        for value in frame[groups.name].dropna().unique():
            assert groups.mask(value).tolist() == (frame[groups.name] == value).tolist()
        assert groups.n_missing == frame[groups.name].isna().sum()
        assert groups.counts.sum() == (len(frame) if missing == "group" else frame[groups.name].notna().sum())
    assert sorted(both.counts.tolist()) == sorted(pairs.values())
    assert both.n_missing == frame.isna().any(axis=1).sum()
    backwards = sensitive_groups(frame[::-1], missing=missing, intersections=True)[-1]
    assert backwards.labels == both.labels
    assert backwards.codes.tolist() == both.codes.tolist()[::-1]
    assert backwards.privileged == both.privileged


@settings(max_examples=75, deadline=None)
@given(ROWS)
def test_counts_against_a_loop_eager_and_lazy(rows):
    frame = frame_of(rows)
    wanted = Counter((row["t"], row["b"]) for row in rows)
    for table in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow()):
        counted = count_table(table, ["t", "b"])
        found = {
            (t, b): counted.counts[i, j]
            for i, t in enumerate(counted.levels[0])
            for j, b in enumerate(counted.levels[1])
            if counted.counts[i, j]
        }
        assert found == wanted
