from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairwitness.errors import DataError, SchemaError
from fairwitness.table import Feature, Schema


def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [30, 41, 30, 62],
            "income": [1200.5, 900.25, 1200.5, 3000.0],
            "owns <b>": [True, False, False, True],
            "flag": [0, 1, 1, 0],
            "marital status": ["single", "married", "single", ""],
            "grade": pd.Categorical(
                ["low", "high", "low", "low"], categories=["low", "mid", "high"], ordered=True
            ),
            "region": pd.Categorical(["S", "N", "S", "N"], categories=["S", "N", "E"]),
            "gap": [1.0, None, 2.5, 2.5],
        }
    )


def test_kinds_ranges_and_levels():
    schema = Schema.infer(table())
    assert [f.kind for f in schema] == [
        "integer",
        "numeric",
        "boolean",
        "boolean",
        "categorical",
        "ordinal",
        "categorical",
        "numeric",
    ]
    assert schema["age"].bounds == (30, 62)
    assert schema["age"].precision == 0
    assert (schema["income"].bounds, schema["income"].precision) == ((900.25, 3000.0), 2)
    assert schema["owns <b>"].levels == (False, True)
    assert schema["flag"].levels == (0, 1)
    assert [type(level) for level in schema["flag"].levels] == [int, int]
    assert schema["marital status"].levels == ("", "married", "single")
    assert schema["grade"].levels == ("low", "mid", "high")
    assert schema["region"].levels == ("E", "N", "S")
    assert [f.nullable for f in schema] == [False] * 7 + [True]


def test_declared_levels_that_no_row_has_are_known_but_not_allowed():
    schema = Schema.infer(table())
    assert schema["grade"].allowed == ("low", "high")
    assert schema["region"].allowed == ("N", "S")
    assert Schema.infer(pd.DataFrame({"x": [True, True]}))["x"].allowed == (True,)
    gaps = pd.DataFrame({"x": pd.Categorical(["a", None], categories=["a", "b"])})
    assert Schema.infer(gaps)["x"].allowed == ("a", None)


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas])
def test_libraries_agree(convert):
    ours = Schema.infer(table())
    theirs = Schema.infer(convert(table()))
    for feature, other in zip(ours, theirs, strict=True):
        if convert is pl.from_pandas and feature.name in {"grade", "region"}:
            continue  # polars does not say whether its categories have an order
        assert feature == other


@pytest.mark.parametrize("seed", range(5))
def test_row_order_changes_nothing(seed):
    frame = table()
    shuffled = frame.sample(frac=1, random_state=seed)
    assert Schema.infer(shuffled) == Schema.infer(frame)
    both = [pl.DataFrame({"x": pl.Series(v, dtype=pl.Categorical)}) for v in (["b", "a"], ["a", "b"])]
    assert Schema.infer(both[0]) == Schema.infer(both[1])


def test_floats_of_nothing_but_zero_and_one_are_boolean():
    feature = Schema.infer(pd.DataFrame({"x": [0.0, 1.0, None]}))["x"]
    assert (feature.kind, feature.levels, feature.nullable) == ("boolean", (0.0, 1.0), True)
    assert [type(level) for level in feature.levels] == [float, float]
    assert Schema.infer(pd.DataFrame({"x": [0, 0]}))["x"].kind == "integer"
    assert Schema.infer(pd.DataFrame({"x": [1, 2]}))["x"].kind == "integer"


@pytest.mark.parametrize(
    ("values", "precision"),
    [
        ([1.0, 2.0], 0),
        ([0.1, 0.25], 2),
        ([1e-10, 1.0], 10),
        ([1e-11, 1.0], None),
        ([1 / 3, 1.0], None),
        ([1e300, 0.5], 1),
        ([-0.001, 123456.789], 3),
        (np.array([0.1, 0.7], dtype=np.float32), 1),
        (np.array([0.1, 0.7], dtype=np.float32).astype(np.float64), None),
    ],
)
def test_precision_is_the_fewest_decimals_that_reproduce_every_value(values, precision):
    assert Schema.infer(pd.DataFrame({"x": values}))["x"].precision == precision
    assert Schema.infer(pl.DataFrame({"x": values}))["x"].precision == precision


def test_a_polars_enum_has_no_order_until_it_is_said():
    frame = pl.DataFrame({"x": pl.Series(["mid", "low"], dtype=pl.Enum(["low", "mid", "high"]))})
    assert Schema.infer(frame)["x"].kind == "categorical"
    said = Schema.infer(frame, x={"kind": "ordinal"})["x"]
    assert said.levels == ("low", "mid", "high")
    assert said.allowed == ("low", "mid")


def test_a_dictionary_of_arrow_is_ordinal_where_it_says_ordered():
    for ordered, kind in ((True, "ordinal"), (False, "categorical")):
        column = pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array(["low", "high"]), ordered=ordered)
        assert Schema.infer(pa.table({"x": column}))["x"].kind == kind


def test_overrides():
    schema = Schema.infer(
        table(),
        age={"bounds": (18, None), "immutable": True},
        flag={"kind": "categorical"},
        income={"precision": 0, "monotone": "increase", "nullable": True},
        **{"marital status": {"allowed": ["single", "married"]}, "region": {"kind": "ordinal"}},
    )
    assert schema["age"].bounds == (18.0, 62.0)
    assert schema["age"].immutable
    assert schema["flag"].kind == "categorical"
    assert (schema["income"].precision, schema["income"].monotone, schema["income"].nullable) == (
        0,
        "increase",
        True,
    )
    assert schema["marital status"].allowed == ("married", "single")
    assert schema["region"].levels == ("S", "N", "E")


def test_columns_may_be_called_anything():
    frame = pd.DataFrame({"frame": [1, 2], "cls": [1, 2], "self": [1, 2], 7: [1, 2]})
    schema = Schema.infer(
        frame, frame={"immutable": True}, cls={"immutable": True}, **{"7": {"immutable": True}}
    )
    assert [f.immutable for f in schema] == [True, True, False, True]
    assert schema["7"].column == 7
    assert schema.feature("self", immutable=True)["self"].immutable


def test_integers_can_be_levels_and_numbers_can_be_asked_to_be_whole():
    frame = pd.DataFrame({"x": [3, 1, 2], "y": [1.0, 2.0, np.nan]})
    schema = Schema.infer(frame, x={"kind": "ordinal"}, y={"kind": "integer"})
    assert schema["x"].levels == (1, 2, 3)
    assert (schema["y"].kind, schema["y"].bounds, schema["y"].nullable) == ("integer", (1, 2), True)


def test_levels_as_numpy_values_or_a_set_are_plain_and_ordered():
    frame = pd.DataFrame({"x": [3, 1, 2]})
    for given in (np.array([1, 2, 3]), {3, 2, 1}):
        levels = Schema.infer(frame, x={"kind": "ordinal", "levels": given})["x"].levels
        assert levels == (1, 2, 3)
        assert {type(level) for level in levels} == {int}


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("nope", {"immutable": True}, "does not have"),
        ("age", {"imutable": True}, "imutable"),
        ("age", {"kind": "number"}, "'numeric', 'integer', 'ordinal', 'categorical' and 'boolean'"),
        ("age", {"bounds": (9, 1)}, "lower one first"),
        ("age", {"bounds": ("a", 1)}, "two numbers"),
        ("age", {"bounds": (1, 2, 3)}, "two numbers"),
        ("age", {"bounds": 3}, "a list of values"),
        ("age", {"bounds": (1, float("nan"))}, "two numbers"),
        ("age", {"precision": 2}, "0 for an integer"),
        ("age", {"allowed": [30]}, "use bounds"),
        ("age", {"immutable": "yes"}, "True or False"),
        ("age", {"monotone": "up"}, "'increase', 'decrease' or None"),
        ("age", "immutable", "a mapping"),
        ("income", {"precision": -1}, "between 0 and 15"),
        ("income", {"precision": 1.5}, "number of decimals"),
        ("income", {"kind": "integer"}, "fractions"),
        ("gap", {"nullable": False}, "missing values"),
        ("marital status", {"kind": "numeric"}, "holds no numbers"),
        ("marital status", {"kind": "ordinal"}, "low to high"),
        ("marital status", {"kind": "ordinal", "levels": ["single", "married"]}, "not among its levels"),
        ("marital status", {"levels": ["", "single", "married", "single"]}, "different values"),
        ("marital status", {"levels": ["", "single", "married", None]}, "nullable=True"),
        ("marital status", {"allowed": ["widowed"]}, "'', 'married' and 'single'"),
        ("marital status", {"allowed": ["single", None]}, "some of its levels"),
        ("marital status", {"allowed": []}, "some of its levels"),
        ("marital status", {"allowed": "single"}, "a list of values"),
        ("marital status", {"monotone": "increase"}, "no direction"),
        ("marital status", {"bounds": (0, 1)}, "it has levels"),
        ("marital status", {"kind": "boolean"}, "at most two"),
    ],
)
def test_wrong_overrides_are_named_with_what_is_right(name, changes, says):
    with pytest.raises(SchemaError) as caught:
        Schema.infer(table(), **{name: changes})
    assert name in str(caught.value)
    assert says in str(caught.value)


def test_a_feature_can_be_changed_later():
    schema = Schema.infer(table())
    assert schema.feature("age", immutable=True)["age"].immutable
    assert not schema["age"].immutable
    assert schema.feature("age", bounds=(None, 50))["age"].bounds == (30.0, 50.0)
    assert schema.feature("age", bounds=None)["age"].bounds is None
    assert schema.feature("age", kind="numeric", precision=2)["age"].precision == 2
    assert schema.feature("age", kind="ordinal", levels=[30, 41, 62])["age"].levels == (30, 41, 62)
    assert schema.feature("flag", kind="integer")["flag"].bounds == (0.0, 1.0)
    assert schema.feature("flag", kind="ordinal", monotone="increase")["flag"].monotone == "increase"
    assert schema.feature("grade", kind="categorical")["grade"].levels == ("low", "mid", "high")
    assert schema.feature("grade", levels=["low", "high"])["grade"].allowed is None
    with pytest.raises(SchemaError, match="without its levels"):
        schema.feature("marital status", kind="ordinal")
    with pytest.raises(SchemaError, match="without its levels"):
        schema.feature("age", kind="categorical")
    with pytest.raises(SchemaError, match="no numbers"):
        schema.feature("marital status", kind="numeric")
    with pytest.raises(SchemaError, match="'colour'"):
        schema.feature("colour", immutable=True)


def test_selection_keeps_the_order_asked_for():
    schema = Schema.infer(table()).select(["gap", "age"])
    assert schema.names == ("gap", "age")
    assert len(schema) == 2
    assert "gap" in schema
    assert "income" not in schema


def test_a_schema_survives_json():
    schema = Schema.infer(pd.DataFrame({0: [1.5, 2.0], "b": [True, False], "c": [1, 0], "d": ["é", None]}))
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == schema
    assert [type(v) for f in again for v in f.levels] == [bool, bool, int, int, str]


def test_a_schema_of_two_equal_names_is_refused():
    with pytest.raises(SchemaError, match="two columns"):
        Schema((Feature("a", "numeric"), Feature("a", "numeric")))


def test_empty_tables_and_columns_are_refused():
    with pytest.raises(DataError, match="0 rows, 1 columns"):
        Schema.infer(pd.DataFrame({"a": []}))
    with pytest.raises(DataError, match="3 rows, 0 columns"):
        Schema.infer(pd.DataFrame(index=range(3)))
    for values in ([None, None], [np.nan, np.nan], pd.array([None, None], dtype="Int64")):
        with pytest.raises(SchemaError, match="'hole' has no values"):
            Schema.infer(pd.DataFrame({"hole": values}))
    kept = Schema.infer(pd.DataFrame({"hole": [np.nan, np.nan]}), hole={"kind": "numeric"})["hole"]
    assert (kept.bounds, kept.nullable) == (None, True)


def test_too_many_levels_are_refused_unless_the_kind_is_stated():
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(10_001)]})
    with pytest.raises(DataError, match="10,001 distinct"):
        Schema.infer(frame)
    assert len(Schema.infer(frame, id={"kind": "categorical"})["id"].levels) == 10_001


def test_doubts_are_said():
    n = 60
    frame = pd.DataFrame(
        {
            "code": np.arange(n) % 4,
            "name\x1b": [f"p{i}" for i in range(n)],
            "row": np.arange(n),
            "same": ["x"] * n,
            "age": 20 + np.arange(n) * 7 % 40,
        }
    )
    warnings = Schema.infer(frame).warnings
    assert [w.split()[0] for w in warnings] == ["code", "name\\u001b", "row", "same"]
    assert "only 4 different whole numbers" in warnings[0]
    assert "identifier" in warnings[1]
    assert "identifier" in warnings[2]
    assert "same value" in warnings[3]
    assert not Schema.infer(frame[["code"]], code={"kind": "integer"}).warnings


def test_infer_leaves_its_input_alone():
    frame = table()
    before = frame.copy(deep=True)
    overrides = {"age": {"bounds": [18, None]}}
    Schema.infer(frame, **overrides)
    pd.testing.assert_frame_equal(frame, before)
    assert overrides == {"age": {"bounds": [18, None]}}
