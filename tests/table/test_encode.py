from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal as assert_polars_equal

from fairwitness.errors import DataError, NotFittedError, SchemaError
from fairwitness.table import Encoder, Schema

TEXT = ["x", None, "", "é\u202e", "<b>", "=1+1"]

PANDAS = {
    **{
        f"{kind}{bits}": np.array([1, 2, 100, 4, 5, 6], dtype=f"{kind}{bits}")
        for kind in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
    "float64": np.array([0.1, np.nan, 1e300, -2.5, 1 / 3, 5e-324]),
    "float32": np.array([0.1, np.nan, 3e38, -2.5, 1 / 3, 1e-45], dtype=np.float32),
    "float16": np.array([0.1, np.nan, 6e4, -2.5, 1 / 3, 1e-3], dtype=np.float16),
    "bool": np.array([True, False] * 3),
    "zero or one": np.array([0, 1] * 3, dtype=np.int8),
    "zero or one as float": [0.0, 1.0, None] * 2,
    "str": pd.Series(TEXT),
    "object None": pd.Series(TEXT, dtype=object),
    "object NaN": pd.Series(["x", np.nan, ""] * 2, dtype=object),
    "object NA": pd.Series(["x", pd.NA, ""] * 2, dtype=object),
    "object bool": pd.Series([True, None, False] * 2, dtype=object),
    "object int": pd.Series([10, None, -3] * 2, dtype=object),
    "object float": pd.Series([10.5, np.nan, -3.25] * 2, dtype=object),
    "object mixed": pd.Series([1, "1", None] * 2, dtype=object),
    "string python": pd.array(TEXT, dtype="string[python]"),
    "string pyarrow": pd.array(TEXT, dtype="string[pyarrow]"),
    "category": pd.Categorical(TEXT, categories=["é\u202e", "z", "x", "", "=1+1", "<b>"]),
    "category ordered": pd.Categorical(["lo", "hi", None] * 2, categories=["lo", "mid", "hi"], ordered=True),
    "category int": pd.Categorical([30, 10, None] * 2, categories=[30, 10, 20]),
    "category bool": pd.Categorical([True, False, None] * 2),
    "Int64": pd.array([1, None, -3] * 2, dtype="Int64"),
    "UInt8": pd.array([1, None, 255] * 2, dtype="UInt8"),
    "boolean": pd.array([True, None, False] * 2, dtype="boolean"),
    "Float64": pd.array([1.5, None, 1 / 3] * 2, dtype="Float64"),
    "Float32": pd.array([1.5, None, 0.1] * 2, dtype="Float32"),
    "arrow int": pd.array([1, None, -3] * 2, dtype=pd.ArrowDtype(pa.int16())),
    "arrow bool": pd.array([True, None, False] * 2, dtype=pd.ArrowDtype(pa.bool_())),
    "arrow float": pd.array([1.5, None, 0.1] * 2, dtype=pd.ArrowDtype(pa.float64())),
    "arrow text": pd.array(TEXT, dtype=pd.ArrowDtype(pa.string())),
}

POLARS = {
    **{
        str(dtype): pl.Series([1, None, 100] * 2, dtype=dtype)
        for dtype in (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    },
    "float64 null": pl.Series([0.1, None, 1e300] * 2),
    "float64 NaN": pl.Series([0.1, float("nan"), 1e300] * 2),
    "float32": pl.Series([0.1, None, 3e38] * 2, dtype=pl.Float32),
    "bool": pl.Series([True, None, False] * 2),
    "text": pl.Series(TEXT),
    "enum": pl.Series(["b", None, "a"] * 2, dtype=pl.Enum(["b", "c", "a"])),
    "category": pl.Series(["b", None, "a"] * 2, dtype=pl.Categorical),
    "zero or one": pl.Series([0, None, 1] * 2, dtype=pl.UInt8),
}

ARROW = {
    "int8": pa.array([1, None, 100] * 2, type=pa.int8()),
    "uint64": pa.array([1, None, 100] * 2, type=pa.uint64()),
    "double": pa.array([0.1, None, 1e300] * 2),
    "float": pa.array([0.5, None, 0.1] * 2, type=pa.float32()),
    "half": pa.array(np.array([0.5, 1.5, 0.1] * 2, dtype=np.float16)),
    "bool": pa.array([True, None, False] * 2),
    "string": pa.array(TEXT),
    "large": pa.array(TEXT, type=pa.large_string()),
    "view": pa.array(TEXT, type=pa.string_view()),
    "dictionary": pa.array(["b", None, "a"] * 2).dictionary_encode(),
    "dictionary int": pa.DictionaryArray.from_arrays(
        pa.array([1, None, 0] * 2, type=pa.int8()), pa.array([30, 10, 20]), ordered=True
    ),
    "dictionary chunks": pa.chunked_array(
        [pa.array(["b", None, "a"]).dictionary_encode(), pa.array(["c", "b", "a"]).dictionary_encode()]
    ),
}


def assert_round_trip(frame) -> Encoder:
    encoder = Encoder.fit(frame)
    matrix = encoder.encode(frame)
    assert matrix.dtype == np.float64
    again = encoder.decode(matrix)
    if isinstance(frame, pd.DataFrame):
        pd.testing.assert_frame_equal(again, frame, check_exact=True)
    elif isinstance(frame, pl.DataFrame):
        assert_polars_equal(again, frame, check_exact=True)
        assert again.schema == frame.schema
    else:
        assert again.schema == frame.schema
        # chunks of different dictionaries come back with one dictionary
        assert again.to_pydict() == frame.to_pydict()
    np.testing.assert_array_equal(encoder.encode(again), matrix)
    np.testing.assert_array_equal(encoder.snap(matrix), matrix)
    assert encoder.validate(matrix, matrix).all()
    return encoder


@pytest.mark.parametrize("name", PANDAS)
def test_every_pandas_type_comes_back(name):
    frame = pd.DataFrame({name: PANDAS[name]})
    assert_round_trip(frame)
    values = frame[name].tolist()
    again = Encoder.fit(frame).decode(Encoder.fit(frame).encode(frame))[name].tolist()
    assert [type(v) for v in again] == [type(v) for v in values]


@pytest.mark.parametrize("name", POLARS)
def test_every_polars_type_comes_back(name):
    assert_round_trip(pl.DataFrame({name: POLARS[name]}))


@pytest.mark.parametrize("name", ARROW)
def test_every_arrow_type_comes_back(name):
    assert_round_trip(pa.table({name: ARROW[name]}))


def test_whole_tables_come_back_with_odd_names_and_labels():
    frame = pd.DataFrame(PANDAS)
    frame.columns = [*range(len(PANDAS) - 2), "<img onerror=x>", " blank "]
    frame.columns.name = "things"
    encoder = assert_round_trip(frame)
    assert encoder.names[-2:] == ("<img onerror=x>", " blank ")
    assert encoder.n_features == len(PANDAS)
    assert_round_trip(pl.DataFrame(POLARS))
    assert_round_trip(pl.DataFrame({"nul\0": ["a", "b"], "": [1.5, 2.0]}))
    assert_round_trip(pa.table(ARROW))


def test_tables_with_columns_of_one_label_type_keep_it():
    assert_round_trip(pd.DataFrame(np.arange(6.0).reshape(3, 2)))
    assert_round_trip(pd.DataFrame({"a": [1, 2]}, index=pd.RangeIndex(2)))


def test_the_matrix_holds_numbers_codes_and_nan():
    frame = pd.DataFrame(
        {"n": [1.5, np.nan], "c": ["b", "a"], "o": pd.Categorical(["hi", None], ["lo", "hi"], ordered=True)}
    )
    np.testing.assert_array_equal(Encoder.fit(frame).encode(frame), [[1.5, 1, 1], [np.nan, 0, np.nan]])


def test_large_integers_can_be_levels():
    frame = pd.DataFrame({"id": [2**60, 2**60 + 1]})
    with pytest.raises(DataError, match=r"2\*\*53"):
        Encoder.fit(frame)
    encoder = Encoder.fit(frame, Schema.infer(frame, id={"kind": "categorical"}))
    pd.testing.assert_frame_equal(encoder.decode(encoder.encode(frame)), frame)


def test_none_and_nan_together_become_one_missing_value():
    frame = pd.DataFrame({"x": pd.Series(["a", None, np.nan], dtype=object)})
    encoder = Encoder.fit(frame)
    assert encoder.decode(encoder.encode(frame))["x"].isna().tolist() == [False, True, True]


def test_text_that_reads_like_missing_is_a_level():
    frame = pd.DataFrame({"x": ["None", "nan", "", "NA", "?"]})
    encoder = assert_round_trip(frame)
    assert not encoder.schema["x"].nullable


def test_columns_are_found_by_name_in_any_table():
    frame = pd.DataFrame({"a": [1, 5], "b": ["x", "y"]})
    encoder = Encoder.fit(frame)
    wanted = encoder.encode(frame)
    assert wanted.flags.f_contiguous
    other = pl.DataFrame({"extra": [None, None], "b": ["x", "y"], "a": [1.0, 5.0]})
    np.testing.assert_array_equal(encoder.encode(other), wanted)
    np.testing.assert_array_equal(encoder.encode(other.to_arrow()), wanted)
    assert isinstance(encoder.decode(wanted), pd.DataFrame)


def test_a_schema_chooses_the_columns_and_the_table_their_order():
    frame = pd.DataFrame({"a": [1, 5], "b": ["x", "y"], "c": [1.5, 2.0]})
    encoder = Encoder.fit(frame, Schema.infer(frame).select(["c", "a"]))
    assert encoder.names == ("a", "c")
    pd.testing.assert_frame_equal(encoder.decode(encoder.encode(frame)), frame[["a", "c"]])
    with pytest.raises(DataError, match="lacks columns a and c"):
        Encoder.fit(frame[["b"]], encoder.schema)


def test_what_cannot_be_encoded_is_named():
    frame = pd.DataFrame({"age": [20, 30], "job": ["cook", "<b>"]})
    encoder = Encoder.fit(frame)
    with pytest.raises(DataError, match="lacks column job"):
        encoder.encode(frame[["age"]])
    with pytest.raises(DataError, match=r"column 'job'.*'pilot' in row 1.*'<b>' and 'cook'"):
        encoder.encode(pd.DataFrame({"age": [20, 30], "job": ["cook", "pilot"]}))
    with pytest.raises(DataError, match=r"'job' may not be missing.*row 1"):
        encoder.encode(pd.DataFrame({"age": [20, 30], "job": ["cook", None]}))
    with pytest.raises(DataError, match=r"'age' may not be missing.*row 0"):
        encoder.encode(pd.DataFrame({"age": [None, 30], "job": ["cook", "cook"]}))
    with pytest.raises(DataError, match=r"'age' should hold whole numbers.*2.5 in row 1"):
        encoder.encode(pd.DataFrame({"age": [2, 2.5], "job": ["cook", "cook"]}))
    with pytest.raises(DataError, match=r"'age' should hold numbers"):
        encoder.encode(pd.DataFrame({"age": ["2", "3"], "job": ["cook", "cook"]}))


def test_what_cannot_be_decoded_is_named():
    frame = pd.DataFrame({"age": np.array([20, 30], dtype=np.int8), "job": ["cook", "pilot"]})
    encoder = Encoder.fit(frame)
    for row in ([20.5, 0], [200, 0], [np.nan, 0], [20, 0.5], [20, 2], [20, -1], [20, np.nan]):
        with pytest.raises(DataError, match=r"Encoder\.snap"):
            encoder.decode(np.array([[20, 0], row]))
    for shape in ((2,), (2, 3)):
        with pytest.raises(DataError, match="shape"):
            encoder.decode(np.zeros(shape))


def test_levels_and_gaps_that_the_type_cannot_hold_are_refused_at_fit():
    frame = pd.DataFrame({"x": np.array([1, 2], dtype=np.int8)})
    schema = Schema.infer(frame, x={"kind": "categorical", "levels": [1, 2, 3000]})
    with pytest.raises(SchemaError, match="int8"):
        Encoder.fit(frame, schema)
    with pytest.raises(SchemaError, match="Int8"):
        Encoder.fit(pl.DataFrame({"x": pl.Series([1, 2], dtype=pl.Int8)}), schema)
    with pytest.raises(SchemaError, match="int8"):
        Encoder.fit(pa.table({"x": pa.array([1, 2], pa.int8())}), schema)
    with pytest.raises(SchemaError, match="missing"):
        Encoder.fit(frame, Schema.infer(frame, x={"nullable": True}))
    category = pd.DataFrame({"x": pd.Categorical(["a", "b"])})
    with pytest.raises(SchemaError, match="category"):
        Encoder.fit(category, Schema.infer(category, x={"levels": ["a", "b", "c"]}))


def test_levels_that_were_not_met_can_be_decoded():
    frame = pd.DataFrame({"x": ["a", "b"]})
    encoder = Encoder.fit(frame, Schema.infer(frame, x={"levels": ["a", "b", "c"]}))
    assert encoder.decode(np.array([[2.0]]))["x"].tolist() == ["c"]


def test_snap_moves_to_what_the_column_can_hold():
    frame = pd.DataFrame(
        {
            "n": [0.25, 1.5],
            "f": np.array([0.1, 0.2], dtype=np.float32),
            "i": np.array([1, 2], dtype=np.int8),
            "c": ["a", "b"],
            "free": [1 / 3, np.nan],
        }
    )
    encoder = Encoder.fit(frame)
    rough = np.array(
        [[0.129, 0.14, 1.6, 0.6, 0.777], [-0.001, 0.26, 300, 7, np.nan], [1.5, 0.1, -200, -3, 1.0]]
    )
    single = [float(np.float32(v)) for v in (0.1, 0.3, 0.1)]
    np.testing.assert_array_equal(
        encoder.snap(rough),
        [[0.13, single[0], 2, 1, 0.777], [0, single[1], 127, 1, np.nan], [1.5, single[2], -128, 0, 1]],
    )
    assert not np.signbit(encoder.snap(rough)[1, 0])
    encoder.decode(encoder.snap(rough))


def test_validate_says_which_rows_keep_the_constraints():
    frame = pd.DataFrame(
        {
            "age": [20, 60],
            "debt": [0.0, 9.5],
            "job": ["a", "b"],
            "grade": pd.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True),
            "gap": [1.0, np.nan],
            "sex": ["f", "m"],
        }
    )
    schema = Schema.infer(
        frame,
        age={"monotone": "increase"},
        debt={"monotone": "decrease", "bounds": (0, 5)},
        job={"allowed": ["a"]},
        grade={"monotone": "increase", "allowed": None},
        sex={"immutable": True},
    )
    encoder = Encoder.fit(frame, schema)
    query = np.array([30, 7.5, 1, 1, 2.0, 0])
    cases = [
        ({}, True),
        ({0: 31}, True),
        ({0: 29}, False),  # only upwards
        ({0: 61}, False),  # beyond the oldest
        ({0: 30.5}, False),  # no whole year
        ({1: 5}, True),
        ({1: 6}, False),  # less, but out of bounds
        ({1: 8}, False),
        ({2: 0}, True),
        ({3: 2}, True),
        ({3: 0}, False),
        ({4: np.nan}, True),
        ({0: np.nan}, False),  # nothing may be missing here
        ({5: 1}, False),
        ({2: 2}, False),  # no such level
        ({3: 1.5}, False),
    ]
    rows = np.repeat(query[None], len(cases), axis=0)
    for i, (change, _) in enumerate(cases):
        for j, value in change.items():
            rows[i, j] = value
    wanted = [good for _, good in cases]
    assert encoder.validate(rows, query).tolist() == wanted
    assert encoder.validate(rows, np.repeat(query[None], len(cases), axis=0)).tolist() == wanted


def test_missing_has_no_direction():
    frame = pd.DataFrame({"x": [1.0, np.nan]})
    encoder = Encoder.fit(frame, Schema.infer(frame, x={"monotone": "increase"}))
    gap = np.array([[np.nan]])
    one = np.array([[1.0]])
    assert not encoder.validate(gap, one)[0]
    assert not encoder.validate(one, gap)[0]
    assert encoder.validate(gap, gap)[0]


def test_becoming_missing_can_be_forbidden_for_levels():
    frame = pd.DataFrame({"x": ["a", "b", None]})
    free = Encoder.fit(frame)
    bound = Encoder.fit(frame, Schema.infer(frame, x={"allowed": ["a", "b"]}))
    gap, value = np.array([[np.nan]]), np.array([[0.0]])
    assert free.validate(gap, value)[0]
    assert not bound.validate(gap, value)[0]
    assert bound.validate(gap, gap)[0]


def test_an_empty_matrix_gives_an_empty_table():
    for frame in (pd.DataFrame(PANDAS), pl.DataFrame(POLARS), pa.table(ARROW)):
        encoder = Encoder.fit(frame)
        empty = np.empty((0, encoder.n_features))
        assert encoder.decode(empty).shape[0] == 0
        assert encoder.encode(encoder.decode(empty)).shape == (0, encoder.n_features)
        assert encoder.validate(empty, empty).shape == (0,)


def test_an_encoder_can_be_sent_to_another_process():
    for frame in (pd.DataFrame(PANDAS), pl.DataFrame(POLARS), pa.table(ARROW)):
        encoder = Encoder.fit(frame)
        again = pickle.loads(pickle.dumps(encoder))
        np.testing.assert_array_equal(again.encode(frame), encoder.encode(frame))


def test_inputs_are_left_alone():
    frame = pd.DataFrame({"n": [1.5, np.nan], "c": ["b", "a"]})
    before = frame.copy(deep=True)
    encoder = Encoder.fit(frame)
    matrix = encoder.encode(frame)
    kept = matrix.copy()
    decoded = encoder.decode(matrix)
    encoder.snap(matrix)[:] = 7
    decoded.loc[0, "n"] = 99.0
    np.testing.assert_array_equal(matrix, kept)
    pd.testing.assert_frame_equal(frame, before)


def test_an_encoder_is_made_by_fit():
    with pytest.raises(NotFittedError, match=r"Encoder\.fit"):
        Encoder()
