from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.errors import DataError, GroupError
from fairwitness.table import cut, parse_sensitive_spec


@pytest.mark.parametrize(
    ("text", "spec", "labels"),
    [
        ("age > 25", ("age", ">", 25.0), ("age > 25", "age ≤ 25")),
        ("age >= 26", ("age", ">=", 26.0), ("age ≥ 26", "age < 26")),
        ("age<40", ("age", "<", 40.0), ("age < 40", "age ≥ 40")),
        ("age <= -1.5", ("age", "<=", -1.5), ("age ≤ -1.5", "age > -1.5")),
        ("age ≥ 26", ("age", ">=", 26.0), ("age ≥ 26", "age < 26")),
        (
            " years of age  > 1e3 ",
            ("years of age", ">", 1000.0),
            ("years of age > 1000", "years of age ≤ 1000"),
        ),
        ("a > b > 3", ("a > b", ">", 3.0), ("a > b > 3", "a > b ≤ 3")),
    ],
)
def test_cuts_are_read(text, spec, labels):
    parsed = parse_sensitive_spec(text)
    assert tuple(parsed) == spec
    assert parsed.labels == labels
    assert parsed.is_cut


@pytest.mark.parametrize("text", ["age", "race or sex", "<b>", "a -> b", ""])
def test_a_column_is_a_column(text):
    if ">" in text:
        with pytest.raises(GroupError, match="number"):
            parse_sensitive_spec(text)
        return
    parsed = parse_sensitive_spec(text)
    assert tuple(parsed) == (text, None, None)
    assert not parsed.is_cut
    with pytest.raises(GroupError, match="no comparison"):
        parsed.labels  # noqa: B018


@pytest.mark.parametrize("text", ["age > old", "age >", "age > nan", "age > inf"])
def test_a_cut_ends_in_a_number(text):
    with pytest.raises(GroupError, match='"age > 25"'):
        parse_sensitive_spec(text)


@pytest.mark.parametrize("make", [np.array, list, pd.Series, pl.Series])
def test_values_are_cut_and_missing_stays_missing(make):
    values = make([25.0, 26.0, float("nan")])
    assert cut(values, "age > 25").tolist() == ["age ≤ 25", "age > 25", None]
    assert cut(values, "age >= 25").tolist() == ["age ≥ 25", "age ≥ 25", None]
    assert cut(values, "age < 26").tolist() == ["age < 26", "age ≥ 26", None]
    assert cut(values, "age <= 0").tolist() == ["age > 0", "age > 0", None]


def test_only_numbers_can_be_cut():
    with pytest.raises(DataError, match="numbers"):
        cut(["young"], "age > 25")
    with pytest.raises(GroupError, match="no comparison"):
        cut([1], "age")
