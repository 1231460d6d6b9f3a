from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairwitness.errors import DataError
from fairwitness.table import (
    column,
    column_names,
    container_of,
    n_rows,
    native_column,
    select_columns,
    take_rows,
    to_pandas,
)

PLAIN = pd.DataFrame({"a b": [1, 2, 3], "<i>": ["x", None, "z"], "f": [0.5, 1.5, np.nan]})
TABLES = {"pandas": PLAIN, "polars": pl.from_pandas(PLAIN), "pyarrow": pa.Table.from_pandas(PLAIN)}


@pytest.mark.parametrize("kind", TABLES)
def test_the_three_libraries_answer_alike_and_stay_themselves(kind):
    frame = TABLES[kind]
    assert container_of(frame) == kind
    assert column_names(frame) == ["a b", "<i>", "f"]
    assert n_rows(frame) == 3
    assert column(frame, "a b").tolist() == [1, 2, 3]
    assert column(frame, "<i>").tolist() == ["x", None, "z"]
    assert column(frame, "f").tolist() == [0.5, 1.5, None]
    some = take_rows(select_columns(frame, ["f", "a b"]), [2, 0, 0])
    assert container_of(some) == kind
    assert column_names(some) == ["f", "a b"]
    assert column(some, "a b").tolist() == [3, 1, 1]
    assert column(take_rows(frame, np.array([True, False, True])), "a b").tolist() == [1, 3]
    assert n_rows(take_rows(frame, np.array([], dtype=np.int64))) == 0
    assert isinstance(to_pandas(frame), pd.DataFrame)
    assert to_pandas(frame)["a b"].tolist() == [1, 2, 3]


def test_taken_rows_are_numbered_anew():
    frame = PLAIN.set_axis([7, 7, 9])
    assert take_rows(frame, [1, 2]).index.tolist() == [0, 1]
    assert frame.index.tolist() == [7, 7, 9]


def test_labels_that_are_no_text_are_found_by_how_they_read():
    frame = pd.DataFrame([[1, 2]], columns=[0, ("a", 1)])
    assert column_names(frame) == ["0", "('a', 1)"]
    assert native_column(frame, "0").tolist() == [1]
    assert select_columns(frame, ["('a', 1)"]).iloc[0, 0] == 2


def test_names_that_polars_reads_as_patterns_are_names():
    frame = pl.DataFrame({"*": [1], "^.*$": [2], "a": [3]})
    assert select_columns(frame, ["^.*$"]).to_dict(as_series=False) == {"^.*$": [2]}
    assert column(frame, "*").tolist() == [1]


@pytest.mark.parametrize("labels", [["a", "a"], [1, "1"]])
def test_repeated_names_are_refused(labels):
    with pytest.raises(DataError, match="more than one column of the same name"):
        column_names(pd.DataFrame([[1, 2]], columns=labels))


def test_an_unknown_column_is_named_with_the_known_ones():
    with pytest.raises(DataError, match=r"no column 'x'.*a b, <i> and f"):
        select_columns(PLAIN, ["x"])


@pytest.mark.parametrize(
    ("thing", "fix"),
    [
        (np.zeros((2, 2)), "columns names"),
        (pl.DataFrame({"a": [1]}).lazy(), "collect"),
        ({"a": [1]}, "pandas DataFrame"),
        (None, "pandas DataFrame"),
    ],
)
def test_what_is_no_table_is_refused_with_the_way_to_make_one(thing, fix):
    with pytest.raises(DataError, match=fix):
        column_names(thing)
