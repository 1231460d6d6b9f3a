"""Any mixed table survives the matrix; snap and validate say what a slow reading of the schema says."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal as assert_polars_equal

from fairwitness.table import Encoder, Feature, Schema

N = st.integers(1, 8)
#: The text that tables hold; a surrogate alone is no text in arrow or polars.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def some(values, n, gaps):
    cell = st.none() | values if gaps else values
    return st.lists(cell, min_size=n, max_size=n).filter(lambda cells: any(c is not None for c in cells))


@st.composite
def pandas_columns(draw, n):
    kind = draw(
        st.sampled_from(
            [
                *("int8", "uint64", "Int64", "float64", "float32", "Float64", "bool", "boolean", "object"),
                *("string[python]", "string[pyarrow]", "str", "category", "category-of-int"),
            ]
        )
    )
    gaps = kind not in {"int8", "uint64", "bool"}
    if kind == "int8":
        return pd.Series(draw(some(st.integers(-128, 127), n, gaps)), dtype=kind)
    if kind in {"uint64", "Int64"}:
        low = 0 if kind == "uint64" else -(2**53)
        return pd.Series(draw(some(st.integers(low, 2**53), n, gaps)), dtype=kind)
    if kind == "float32":
        return pd.Series(
            draw(some(st.floats(width=32, allow_nan=False, allow_infinity=False), n, gaps)), dtype=kind
        )
    if kind in {"float64", "Float64"}:
        return pd.Series(draw(some(FLOATS, n, gaps)), dtype=kind)
    if kind in {"bool", "boolean"}:
        return pd.Series(draw(some(st.booleans(), n, gaps)), dtype=kind)
    if kind == "category-of-int":
        return pd.Series(draw(some(st.integers(-5, 5), n, gaps)), dtype="Int64").astype("category")
    if kind == "category":
        levels = draw(st.lists(TEXT, min_size=1, max_size=5, unique=True))
        values = draw(some(st.sampled_from(levels), n, gaps))
        return pd.Series(pd.Categorical(values, categories=levels, ordered=draw(st.booleans())))
    return pd.Series(draw(some(TEXT, n, gaps)), dtype=object).astype(kind)


@st.composite
def polars_columns(draw, n):
    kind = draw(
        st.sampled_from(["Int16", "UInt64", "Float64", "Float32", "Boolean", "String", "Enum", "Categorical"])
    )
    if kind == "Int16":
        return pl.Series(draw(some(st.integers(-(2**15), 2**15 - 1), n, True)), dtype=pl.Int16)
    if kind == "UInt64":
        return pl.Series(draw(some(st.integers(0, 2**53), n, True)), dtype=pl.UInt64)
    if kind == "Float64":
        return pl.Series(draw(some(FLOATS, n, True)), dtype=pl.Float64)
    if kind == "Float32":
        values = st.floats(width=32, allow_nan=False, allow_infinity=False)
        return pl.Series(draw(some(values, n, True)), dtype=pl.Float32)
    if kind == "Boolean":
        return pl.Series(draw(some(st.booleans(), n, True)), dtype=pl.Boolean)
    if kind == "Enum":
        levels = draw(st.lists(TEXT, min_size=1, max_size=5, unique=True))
        return pl.Series(draw(some(st.sampled_from(levels), n, True)), dtype=pl.Enum(levels))
    return pl.Series(draw(some(TEXT, n, True)), dtype=pl.Categorical if kind == "Categorical" else pl.String)


@st.composite
def tables(draw, columns, names=TEXT):
    n = draw(N)
    names = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    return {name: draw(columns(n)) for name in names}


def check(frame, equal):
    encoder = Encoder.fit(frame)
    matrix = encoder.encode(frame)
    again = encoder.decode(matrix)
    equal(again, frame)
    np.testing.assert_array_equal(encoder.encode(again), matrix)
    np.testing.assert_array_equal(encoder.snap(matrix), matrix)
    assert encoder.validate(matrix, matrix).all()
    reversed_schema = Schema.infer(frame[::-1])
    assert reversed_schema.features == encoder.schema.features
    assert Schema.from_dict(encoder.schema.to_dict()).features == encoder.schema.features


@settings(max_examples=100, deadline=None)
@given(tables(pandas_columns))
def test_pandas_tables_come_back(columns):
    frame = pd.DataFrame(columns)
    check(frame, lambda a, b: pd.testing.assert_frame_equal(a, b, check_exact=True))


@settings(max_examples=100, deadline=None)
@given(tables(polars_columns))
def test_polars_tables_come_back(columns):
    frame = pl.DataFrame(columns)
    check(frame, lambda a, b: assert_polars_equal(a, b, check_exact=True))


@settings(max_examples=50, deadline=None)
@given(tables(polars_columns, names=TEXT.filter(lambda name: "\0" not in name)))
def test_arrow_tables_come_back(columns):
    frame = pl.DataFrame(columns).to_arrow()
    encoder = Encoder.fit(frame)
    again = encoder.decode(encoder.encode(frame))
    assert again.schema == frame.schema
    assert again.to_pydict() == frame.to_pydict()


FEATURES = {
    "any": {"kind": "numeric"},
    "half": {"kind": "numeric", "precision": 1, "bounds": (-1, 1)},
    "single": {"kind": "numeric", "precision": 2},
    "whole": {"kind": "integer", "bounds": (-2, 2)},
    "grade": {"kind": "ordinal", "levels": ("lo", "mid", "hi")},
    "word": {"kind": "categorical", "levels": ("x", "y", "z")},
    "flag": {"kind": "boolean", "levels": (False, True)},
}
BASE = pd.DataFrame(
    {
        "any": [0.5, -0.5, 0.1],
        "half": [0.5, -0.5, 1.0],
        "single": np.array([0.5, 0.25, 0.1], dtype=np.float32),
        "whole": pd.array([1, 2, 0], dtype="Int8"),
        "grade": ["lo", "mid", "hi"],
        "word": ["x", "y", "z"],
        "flag": pd.array([True, False, True], dtype="boolean"),
    }
)


@st.composite
def schemas(draw):
    features = []
    for name, fields in FEATURES.items():
        extra = {"immutable": draw(st.booleans()), "nullable": draw(st.booleans())}
        if fields["kind"] not in {"categorical", "boolean"}:
            extra["monotone"] = draw(st.sampled_from([None, "increase", "decrease"]))
        if "levels" in fields and draw(st.booleans()):
            values = [*fields["levels"], *([None] if extra["nullable"] else [])]
            extra["allowed"] = tuple(draw(st.lists(st.sampled_from(values), min_size=1, unique=True)))
        features.append(Feature(name, **fields, **extra))
    return Schema(tuple(features))


def cells(bound):
    return st.one_of(
        st.sampled_from([float("nan"), 0.0, 1.0, 2.0, 0.5]),
        st.floats(-bound, bound),
        st.integers(-3, 3).map(float),
    )


ROWS = st.lists(cells(3), min_size=len(FEATURES), max_size=len(FEATURES))


def keeps(feature, value, query):
    """Read the schema slowly: whether one value may stand where the query had another."""
    missing = math.isnan(value)
    same = value == query or (missing and math.isnan(query))
    if missing and not feature.nullable:
        return False
    if not missing and (feature.is_coded or feature.kind == "integer") and value != int(value):
        return False
    if not missing and feature.is_coded and int(value) not in range(len(feature.levels)):
        return False
    if same:
        return True
    if feature.immutable:
        return False
    if feature.monotone is not None:
        if missing or math.isnan(query):
            return False
        if (value > query) != (feature.monotone == "increase"):
            return False
    if feature.is_coded:
        level = None if missing else feature.levels[int(value)]
        return feature.allowed is None or level in feature.allowed
    return missing or feature.bounds is None or feature.bounds[0] <= value <= feature.bounds[1]


@settings(max_examples=200, deadline=None)
@given(schemas(), st.lists(st.tuples(ROWS, ROWS), min_size=1, max_size=5))
def test_validate_against_a_slow_reading(schema, pairs):
    encoder = Encoder.fit(BASE, schema)
    rows, queries = (np.array(side) for side in zip(*pairs, strict=True))
    wanted = [all(keeps(f, v, q) for f, v, q in zip(schema, row, query, strict=True)) for row, query in pairs]
    assert encoder.validate(rows, queries).tolist() == wanted
    one = [keeps(schema.features[0], row[0], query[0]) for row, query in pairs]
    alone = Encoder.fit(BASE, schema.select(["any"]))
    assert alone.validate(rows[:, :1], queries[:, :1]).tolist() == one


@settings(max_examples=200, deadline=None)
@given(schemas(), st.lists(st.lists(cells(1e6), min_size=7, max_size=7), min_size=1, max_size=5))
def test_snap_is_idempotent_and_gives_what_decode_takes(schema, rows):
    encoder = Encoder.fit(BASE, schema)
    matrix = np.array(rows)
    snapped = encoder.snap(matrix)
    np.testing.assert_array_equal(encoder.snap(snapped), snapped)
    np.testing.assert_array_equal(np.isnan(snapped), np.isnan(matrix))
    full = snapped[~np.isnan(snapped).any(axis=1)]
    np.testing.assert_array_equal(encoder.encode(encoder.decode(full)), full)
