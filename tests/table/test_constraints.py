"""Forbidden transitions and links: what a schema accepts, and what an encoder makes of it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from fairwitness.errors import SchemaError
from fairwitness.table import Encoder, Feature, Link, Schema


def people():
    return pd.DataFrame(
        {
            "school": ["HS", "BA", "MA", "HS", "BA", "MA"],
            "years": [9, 13, 14, 9, 13, 14],
            "status": ["never", "married", "divorced", "married", "never", None],
            "rank": [1, 2, 3, 1, 2, 3],
            "pay": [1.25, 2.5, 3.75, 1.0, 2.0, 3.0],
        }
    )


def valid(schema, query, **changed):
    """Whether the query may change so, where each keyword is a column and its new value."""
    frame = people()
    encoder = Encoder.fit(frame, schema)
    old = frame.iloc[[query]]
    return bool(encoder.validate(encoder.encode(old.assign(**changed)), encoder.encode(old))[0])


# ---------------------------------------------------------------------- forbidden transitions


def test_only_the_forbidden_transitions_are_ruled_out():
    schema = Schema.infer(people()).feature(
        "status", forbidden={"married": ["never", None], "divorced": "never", None: ["never"]}
    )
    assert not valid(schema, 1, status="never")
    assert not valid(schema, 1, status=None)
    assert valid(schema, 1, status="divorced")
    assert not valid(schema, 2, status="never")
    assert valid(schema, 2, status=None)
    assert not valid(schema, 5, status="never")
    assert valid(schema, 0, status="married")
    assert valid(schema, 0, status="never")  # stays


def test_a_key_that_is_text_finds_the_number_that_reads_so():
    schema = Schema.infer(people(), rank={"kind": "ordinal", "forbidden": {"3": [1]}})
    assert schema["rank"].forbidden == ((3, (1,)),)
    assert not valid(schema, 2, rank=1)
    assert valid(schema, 2, rank=2)


def test_true_is_not_the_level_one():
    flag = Feature("x", "boolean", levels=(False, True), forbidden={"true": [False]})
    assert flag.forbidden == ((True, (False,)),)
    with pytest.raises(SchemaError, match="its levels"):
        Feature("x", "ordinal", levels=(0, 1), forbidden={True: [0]})


def test_transitions_have_one_form():
    one = Feature("x", "categorical", levels=("a", "b", "c"), forbidden={"c": ["b", "a", "c"], "a": []})
    two = Feature("x", "categorical", levels=("a", "b", "c"), forbidden=[["c", ["a", "b"]]])
    assert one == two
    assert one.forbidden == (("c", ("a", "b")),)
    assert Feature.from_dict(json.loads(json.dumps(one.to_dict()))) == one
    assert hash(one) == hash(two)


@pytest.mark.parametrize(
    ("forbidden", "said"),
    [
        ({"divorced": ["widowed"]}, "'divorced'"),
        ({"widowed": ["never"]}, "'never'"),
        ("never", "mapping"),
        (["never"], "mapping"),
        (3, "mapping"),
    ],
)
def test_a_transition_that_cannot_be_is_named_with_what_can(forbidden, said):
    with pytest.raises(SchemaError, match="'status'") as caught:
        Schema.infer(people(), status={"forbidden": forbidden})
    assert said in str(caught.value)


def test_numbers_have_no_transitions():
    with pytest.raises(SchemaError, match=r"'pay'.*no levels"):
        Schema.infer(people(), pay={"forbidden": {1.0: [2.0]}})


def test_new_levels_do_not_silently_lose_a_transition():
    schema = Schema.infer(people()).feature("school", forbidden={"MA": ["HS"]})
    with pytest.raises(SchemaError, match="'school'"):
        schema.feature("school", levels=("HS", "BA"))
    assert schema.feature("school", levels=("HS", "BA"), forbidden={})["school"].forbidden == ()


# ---------------------------------------------------------------------- links


LEARNT = Schema.infer(people()).link("school", "years")


@pytest.mark.parametrize(
    "schema",
    [
        LEARNT,
        Schema.infer(people(), school={"linked": ["years"]}),
        Schema.infer(people(), school={"linked": "years"}, years={"linked": ["school"]}),
        Schema.infer(people()).link("school", "years", values={"HS": 9, "BA": 13, "MA": 14}),
        Schema.infer(people()).link("years", "school", combinations=[(9, "HS"), (13, "BA"), (14, "MA")]),
    ],
)
def test_linked_columns_change_together(schema):
    assert len(schema.links) == 1
    assert valid(schema, 0, school="BA", years=13)
    assert not valid(schema, 0, school="BA")
    assert not valid(schema, 0, years=13)
    assert not valid(schema, 0, school="MA", years=13)
    assert valid(schema, 0, pay=2.0)


def test_a_combination_that_a_query_has_may_stay():
    schema = Schema.infer(people()).link("school", "years", values={"HS": 9, "BA": 13})
    assert valid(schema, 2, pay=2.0)
    assert valid(schema, 2, school="HS", years=9)
    assert not valid(schema, 0, school="MA", years=14)


def test_missing_is_a_value_of_a_combination():
    schema = Schema.infer(people()).link("school", "status")
    assert valid(schema, 2, school="MA", status=None)
    assert not valid(schema, 0, status=None)


def test_the_other_constraints_of_linked_columns_hold():
    schema = LEARNT.feature("years", monotone="increase")
    assert valid(schema, 1, school="MA", years=14)
    assert not valid(schema, 1, school="HS", years=9)


def test_columns_that_hang_together_are_one_link():
    schema = Schema.infer(people(), school={"linked": ["years"]}, rank={"linked": ["school"]})
    assert [set(link.columns) for link in schema.links] == [{"school", "years", "rank"}]
    assert schema.select(["years", "rank", "pay"]).links == (Link(("years", "rank")),)
    assert schema.select(["years", "pay"]).links == ()


def test_rounded_combinations_count_as_the_same():
    frame = people()
    schema = Schema.infer(frame, pay={"precision": 1, "bounds": (0, 10)}).link("school", "pay")
    encoder = Encoder.fit(frame, schema)
    rows = encoder.encode(frame)
    assert encoder.validate(encoder.snap(rows), np.roll(rows, 1, axis=0)).all()


def test_a_link_survives_json():
    schema = Schema.infer(people()).link("school", "years", values={"HS": 9, "BA": 13})
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == schema
    learnt = Schema.from_dict(json.loads(json.dumps(LEARNT.to_dict())))
    assert learnt.links == LEARNT.links


@pytest.mark.parametrize(
    ("link", "said"),
    [
        (lambda s: s.link("school"), "two or more"),
        (lambda s: s.link("school", "school"), "two or more"),
        (lambda s: s.link("school", "year"), "'year'|got: year"),
        (lambda s: s.link("school", "years").link("rank", "years"), "'years' is in two links"),
        (lambda s: s.link("school", "years", values={"HS": 9.5}), "'years'.*whole numbers"),
        (lambda s: s.link("school", "years", values={"PhD": 16}), "'school'.*'HS'"),
        (lambda s: s.link("school", "years", values={"HS": None}), "'years'.*no missing"),
        (lambda s: s.link("school", "years", values={"HS": "nine"}), "'years'.*whole numbers"),
        (lambda s: s.link("school", "years", values={"HS": (9, 1)}), "rows of 2 values"),
        (lambda s: s.link("school", "years", values={}), "at least one"),
        (lambda s: s.link("school", "years", values=[("HS", 9)]), "a mapping"),
        (lambda s: s.link("school", "years", values={"HS": 9}, combinations=[("HS", 9)]), "a mapping"),
    ],
)
def test_a_link_that_cannot_be_is_named_with_what_can(link, said):
    with pytest.raises(SchemaError, match=rf"(?s){said}"):
        link(Schema.infer(people()))


@pytest.mark.parametrize("linked", [3, [3], {"years": 1}])
def test_linked_must_be_names(linked):
    with pytest.raises(SchemaError, match="'school': wrong linked"):
        Schema.infer(people(), school={"linked": linked})


def test_linked_columns_must_be_there():
    with pytest.raises(SchemaError, match="columns of the table"):
        Schema.infer(people(), school={"linked": ["nothing"]})
    with pytest.raises(SchemaError, match="does not have"):
        Schema.infer(people(), nothing={"linked": ["school"]})


def test_many_columns_of_many_values_stay_exact():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{j}": rng.integers(0, 50, 400) for j in range(12)})
    encoder = Encoder.fit(frame, Schema.infer(frame).link(*frame.columns))
    rows = encoder.encode(frame)
    link = encoder.links[0]
    assert link.knows(rows).all()
    changed = rows.copy()
    changed[np.arange(400), rng.integers(0, 12, 400)] += 1
    table = {tuple(row) for row in rows.tolist()}
    assert link.knows(changed).tolist() == [tuple(row) in table for row in changed.tolist()]
