from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairwitness.errors import DataError
from fairwitness.table import read_column


@pytest.mark.parametrize(
    ("values", "family"),
    [
        ([True, False], "boolean"),
        (np.array([1, 2], dtype=np.uint8), "integer"),
        ([1.5, None], "float"),
        (["a", None], "text"),
        (pd.Categorical(["a"]), "category"),
        (pd.Series([1, "a"], dtype=object), "mixed"),
        (pd.Series([None, np.nan], dtype=object), "empty"),
        (pd.Series([True, None], dtype=object), "boolean"),
        (pd.array([1, None], dtype="Int8"), "integer"),
        (pl.Series(["a", None]), "text"),
        (pl.Series([None, None]), "empty"),
        (pl.Series(["a"], dtype=pl.Enum(["a", "b"])), "category"),
        (pl.Series(["a"], dtype=pl.Categorical), "category"),
        (pa.array([1, None]), "integer"),
        (pa.chunked_array([["a"], [None]]), "text"),
        (pa.array(["a", None], type=pa.string_view()), "text"),
        (pa.array(["a", None]).dictionary_encode(), "category"),
    ],
)
def test_families(values, family):
    assert read_column(values, name="x").family == family


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["b", None, "a", "b"]),
        pd.Series(["b", np.nan, "a", "b"], dtype=object),
        pd.Series(["b", None, "a", "b"], dtype="category"),
        pl.Series(["b", None, "a", "b"]),
        pl.Series(["b", None, "a", "b"], dtype=pl.Categorical),
        pl.Series(["b", None, "a", "b"], dtype=pl.Enum(["z", "b", "a"])),
        pa.chunked_array([["b", None], ["a", "b"]]),
        pa.chunked_array(
            [pa.array(["b", None]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()]
        ),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0]), pa.array(["b", None, "a"])),
    ],
)
def test_codes_lead_back_to_the_values(values):
    codes, distinct = read_column(values, name="x").factorize()
    assert [None if code < 0 else distinct[code] for code in codes] == ["b", None, "a", "b"]


def test_nan_and_null_are_both_missing():
    codes, distinct = read_column(pl.Series([1.0, float("nan"), None, 2.0]), name="x").factorize()
    assert [None if code < 0 else distinct[code] for code in codes] == [1.0, None, None, 2.0]
    assert np.isnan(read_column(pl.Series([1.0, float("nan"), None]), name="x").numbers()).tolist() == [
        False,
        True,
        True,
    ]


def test_numbers_are_a_copy():
    values = np.array([1.0, 2.0])
    for series in (pd.Series(values, copy=False), pl.Series(values), pa.array(values)):
        numbers = read_column(series, name="x").numbers()
        numbers[0] = 9
        assert read_column(series, name="x").numbers()[0] == 1.0


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (pd.Series(pd.to_datetime(["2020-01-01"])), "dates or times"),
        (pl.Series([datetime.date(2020, 1, 1)]), "dates or times"),
        (pa.array([datetime.timedelta(1)]), "dates or times"),
        (pd.Series([datetime.date(2020, 1, 1)], dtype=object), "dates or times"),
        (pd.Series([b"x"], dtype=object), "cannot be used"),
        (pd.Series([decimal.Decimal(1)], dtype=object), "cannot be used"),
        (pd.Series([[1], [2]], dtype=object), "cannot be used"),
        (pa.array([b"x"]), "cannot be used"),
        (pl.Series([[1]]), "cannot be used"),
        (pl.Series([1], dtype=pl.Int128), "cannot be used"),
        (pl.Series([object()], dtype=pl.Object), "cannot be used"),
        (np.array([1j]), "cannot be used"),
        (pd.arrays.SparseArray([0, 1]), "sparse"),
        (np.zeros((2, 2)), "one-dimensional"),
        ("text", "cannot be read"),
    ],
)
def test_types_without_a_meaning_here_are_refused_by_name(values, says):
    series = pd.Series(values) if isinstance(values, pd.arrays.SparseArray) else values
    with pytest.raises(DataError, match=says) as caught:
        read_column(series, name="when\x1b").factorize()
    assert "when" in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("big", [2**53 + 1, -(2**60)])
def test_integers_that_a_float_would_merge_are_refused_as_numbers_but_not_as_levels(big):
    for series in (
        pd.Series([1, big]),
        pl.Series([1, big]),
        pa.array([1, big]),
        pd.Series([1, big], dtype="Int64"),
    ):
        column = read_column(series, name="id")
        with pytest.raises(DataError, match=r"2\*\*53"):
            column.numbers()
        assert set(column.factorize()[1]) == {1, big}


def test_infinity_is_refused_with_its_row():
    with pytest.raises(DataError, match="inf in row 1"):
        read_column([1.0, np.inf], name="x").numbers()


def test_equal_values_of_different_types_are_refused_as_levels():
    with pytest.raises(DataError, match="1 and True"):
        read_column(pd.Series([1, True, "a"], dtype=object), name="x").factorize()


def test_text_is_no_number():
    with pytest.raises(DataError, match=r"should hold numbers.*'a'"):
        read_column(["a", "b"], name="x").numbers()
