from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairwitness.errors import DataError, MissingExtraError
from fairwitness.report import SCHEMA_VERSION, clean, schema, to_json, validate, without_rows

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
nested = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(nested)
def test_cleaned_values_survive_json(value: object) -> None:
    cleaned = clean({"value": value})
    assert json.loads(to_json({"value": value})) == cleaned


@given(nested)
def test_cleaning_twice_changes_nothing(value: object) -> None:
    once = clean(value)
    assert to_json({"value": clean(once)}) == to_json({"value": once})


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_twelve_digits(value: float) -> None:
    cleaned = clean(value)
    assert cleaned == pytest.approx(value, rel=1e-11, abs=0)
    assert math.copysign(1, cleaned) == 1 or cleaned < 0


def test_machine_noise_is_rounded_away() -> None:
    assert clean(0.1 + 0.2) == 0.3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, None),
        (-math.inf, None),
        (np.float64("nan"), None),
        (pd.NA, None),
        (pd.NaT, None),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (True, True),
        ((1, 2), [1, 2]),
        ({3, 1}, [1, 3]),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        ({1: "a"}, {"1": "a"}),
        (Path("a"), "a"),
        (range(2), [0, 1]),
    ],
)
def test_values_of_other_kinds(value: object, expected: object) -> None:
    cleaned = clean(value)
    assert cleaned == expected
    assert type(cleaned) is type(expected)


def test_order_of_keys_is_kept() -> None:
    assert list(json.loads(to_json({"b": 1, "a": 2}))) == ["b", "a"]


def test_json_is_plain_ascii() -> None:
    assert to_json({"name": "\x1b[31m\u202e\ud800é"}).isascii()


def test_documents_follow_the_schema(mortgage: dict[str, Any], nothing: dict[str, Any]) -> None:
    for document in (mortgage, nothing, without_rows(mortgage)):
        validate(document)
    assert mortgage["schema_version"] == SCHEMA_VERSION == schema()["properties"]["schema_version"]["const"]


def _extra(document: dict[str, Any]) -> None:
    document["extra"] = 1


def _severity(document: dict[str, Any]) -> None:
    document["findings"][0]["severity"] = "terrible"


def _missing(document: dict[str, Any]) -> None:
    del document["audited"]["seed"]


def _no_reason(document: dict[str, Any]) -> None:
    rate = document["sections"]["rates"]["features"][0]["groups"][0]["acceptance"]
    rate.update(estimate=None)


def _version(document: dict[str, Any]) -> None:
    document["schema_version"] = "2"


def _too_many(document: dict[str, Any]) -> None:
    feature = document["sections"]["opportunity"]["features"][0]
    feature["people"] = feature["people"] * 2


@pytest.mark.parametrize("spoil", [_extra, _severity, _missing, _no_reason, _version, _too_many])
def test_schema_rejects(mortgage: dict[str, Any], spoil: Callable[[dict[str, Any]], None]) -> None:
    spoil(mortgage)
    with pytest.raises(DataError, match="schema"):
        validate(mortgage)


def test_without_rows_leaves_the_original_alone(mortgage: dict[str, Any]) -> None:
    before = to_json(mortgage)
    stripped = without_rows(mortgage)
    assert to_json(mortgage) == before
    people = mortgage["sections"]["opportunity"]["features"][0]["people"]
    assert people
    text = to_json(stripped)
    assert not any(person["key"] in text for person in people)


def test_validation_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(MissingExtraError, match=r"fairwitness\[dev\]"):
        validate({})
