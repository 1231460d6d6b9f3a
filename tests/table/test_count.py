from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairwitness.errors import DataError
from fairwitness.table import count_table

FRAME = pd.DataFrame(
    {
        "race": ["b", "a", "b", None, "b"],
        "ok": [True, False, True, True, False],
        "n": [2, 10, 2, 2, 10],
        "w": [0.5, 1.0, 2.0, 4.0, 8.0],
    }
)


def duckdb_table(frame):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.from_df(frame)


TABLES = [
    lambda f: f,
    pl.from_pandas,
    pa.Table.from_pandas,
    lambda f: pl.from_pandas(f).lazy(),
    lambda f: f.astype({"race": "category"}),
    lambda f: f.sample(frac=1, random_state=1),
    duckdb_table,
]


@pytest.mark.parametrize("convert", TABLES)
def test_rows_are_counted_wherever_the_table_is(convert):
    counted = count_table(convert(FRAME), ["race", "ok"])
    assert counted.columns == ("race", "ok")
    assert counted.levels == (("a", "b", None), (False, True))
    assert counted.counts.tolist() == [[1, 0], [1, 2], [0, 1]]
    assert counted.counts.dtype == np.int64
    assert counted.total == 5


@pytest.mark.parametrize("convert", TABLES)
def test_weights_are_summed(convert):
    counted = count_table(convert(FRAME), ["race"], weights="w")
    assert counted.counts.tolist() == [1.0, 10.5, 4.0]
    assert counted.counts.dtype == np.float64


def test_weights_beside_the_table():
    assert count_table(FRAME, ["ok"], weights=[1, 2, 3, 4, 5]).counts.tolist() == [7, 8]


def test_against_a_loop():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 4, 200) for name in "abc"})
    counted = count_table(frame, ["c", "a", "b"])
    wanted = np.zeros((4, 4, 4))
    for a, b, c in frame.itertuples(index=False):
        wanted[c, a, b] += 1
    np.testing.assert_array_equal(counted.counts, wanted)
    np.testing.assert_array_equal(counted.marginal("a").counts, wanted.sum(axis=(0, 2)))
    np.testing.assert_array_equal(counted.marginal("b", "c").counts, wanted.sum(axis=1).T)
    assert counted.marginal("b", "c").columns == ("b", "c")


@pytest.mark.parametrize("convert", TABLES)
def test_levels_of_ones_own(convert):
    counted = count_table(convert(FRAME), ["race", "n"], levels={"race": ["b", "c", None, "a"]})
    assert counted.levels == (("b", "c", None, "a"), (2, 10))
    assert counted.counts.tolist() == [[2, 1], [0, 0], [1, 0], [0, 1]]
    with pytest.raises(DataError, match="'b'"):
        count_table(convert(FRAME), ["race"], levels={"race": ["a", None]})
    with pytest.raises(DataError, match="None"):
        count_table(convert(FRAME), ["race"], levels={"race": ["a", "b"]})
    with pytest.raises(DataError, match="not counted"):
        count_table(convert(FRAME), ["race"], levels={"ok": [True]})


@pytest.mark.parametrize("convert", [TABLES[0], TABLES[3]])
def test_what_cannot_be_counted(convert):
    frame = convert(FRAME)
    for columns in ([], ["race", "race"]):
        with pytest.raises(DataError, match="different names"):
            count_table(frame, columns)
    with pytest.raises(DataError, match="colour"):
        count_table(frame, ["colour"])
    with pytest.raises(DataError, match="colour"):
        count_table(frame, ["race"], weights="colour")
    with pytest.raises(DataError, match="3 × 2"):
        count_table(frame, ["race", "ok"], max_cells=5)
    for bad in (-1.0, np.nan):
        with pytest.raises(DataError, match="weights"):
            count_table(convert(FRAME.assign(w=[1, 1, bad, 1, 1.0])), ["race"], weights="w")


def test_weights_must_fit():
    with pytest.raises(DataError, match="one weight a row"):
        count_table(FRAME, ["race"], weights=[1, 2])
    with pytest.raises(DataError, match="column's name"):
        count_table(pl.from_pandas(FRAME).lazy(), ["race"], weights=[1] * 5)
    with pytest.raises(DataError, match="inf in row 0"):
        count_table(FRAME, ["race"], weights=[np.inf, 1, 1, 1, 1])


def test_no_rows_make_no_cells():
    counted = count_table(FRAME[:0], ["race", "ok"], levels={"race": ["a", "b"], "ok": [False, True]})
    assert counted.counts.tolist() == [[0, 0], [0, 0]]
    assert count_table(FRAME[:0], ["race"]).counts.shape == (0,)


def test_an_axis_is_found_by_name():
    counted = count_table(FRAME, ["race", "ok"])
    assert counted.axis("ok") == 1
    with pytest.raises(DataError, match="race and ok"):
        counted.axis("n")
    assert json.loads(json.dumps(counted.to_dict()))["counts"] == [[1, 0], [1, 2], [0, 1]]
