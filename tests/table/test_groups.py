from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairwitness.errors import ConfigError, DataError, GroupError
from fairwitness.table import Groups, sensitive_columns, sensitive_groups

PEOPLE = pd.DataFrame(
    {
        "race": ["White", "Black", "White", None, "Black", "White", "Asian", "White"],
        "sex": ["f", "m", "f", "m", "m", "m", "f", "f"],
        "age": [20, 30, 40, 50, 25, 26, 60, 26],
    }
)


@pytest.mark.parametrize(
    "convert", [lambda f: f, pl.from_pandas, pa.Table.from_pandas, lambda f: f.to_dict("list")]
)
def test_one_feature_of_any_table(convert):
    frame = convert(PEOPLE[["race"]])
    (groups,) = sensitive_groups(frame)
    assert groups.name == "race"
    assert groups.parts == ("race",)
    assert groups.labels == ("Asian", "Black", "White", "missing")
    assert groups.codes.tolist() == [2, 1, 2, 3, 1, 2, 0, 2]
    assert groups.counts.tolist() == [1, 2, 4, 1]
    assert groups.n_groups == 4
    assert groups.n_missing == 1
    assert groups.privileged_label == "White"
    assert groups.privileged_reason == "chosen: largest group"


@pytest.mark.parametrize(
    "make", [lambda v: v, np.array, pd.Series, pl.Series, lambda v: pd.Series(v, name="sex")]
)
def test_one_column_alone(make):
    values = make(["b", "a", "b"])
    (groups,) = sensitive_groups(values)
    assert groups.labels == ("a", "b")
    assert groups.name == ("sex" if getattr(values, "name", None) == "sex" else "sensitive feature")


def test_missing_values_by_policy():
    frame = PEOPLE[["race"]]
    with pytest.raises(GroupError, match=r"1 of 8 rows, the first in row 3.*drop"):
        sensitive_groups(frame, missing="error")
    (dropped,) = sensitive_groups(frame, missing="drop")
    assert dropped.labels == ("Asian", "Black", "White")
    assert dropped.codes.tolist() == [2, 1, 2, -1, 1, 2, 0, 2]
    assert (dropped.n_missing, dropped.missing) == (1, "drop")
    assert dropped.label_of(dropped.codes).tolist()[3] is None
    assert sensitive_groups(PEOPLE[["sex"]], missing="error")[0].n_missing == 0
    with pytest.raises(ConfigError, match="error, group and drop"):
        sensitive_groups(frame, missing="ignore")


def test_a_group_that_is_called_missing_is_not_the_missing_ones():
    (groups,) = sensitive_groups({"x": ["missing", "a", None]})
    assert groups.labels == ("a", "missing", "(missing)")
    assert groups.codes.tolist() == [1, 0, 2]


def test_privileged_is_given_or_chosen_and_said():
    (given,) = sensitive_groups(PEOPLE[["race"]], privileged="Black")
    assert (given.privileged_label, given.privileged_reason) == ("Black", "given")
    accepted = [0, 1, 0, 1, 1, 0, 0, 1]
    (chosen,) = sensitive_groups(PEOPLE[["race"]], accepted=accepted)
    assert (chosen.privileged_label, chosen.privileged_reason) == ("Black", "chosen: highest acceptance rate")
    (large,) = sensitive_groups(PEOPLE[["race"]], accepted=accepted, minimum_n=3)
    assert large.privileged_label == "White"
    other = chosen.with_privileged("Asian")
    assert (other.privileged_label, other.privileged_reason) == ("Asian", "given")
    assert chosen.privileged_label == "Black"


def test_missing_is_never_chosen_as_privileged():
    values = [None] * 5 + ["a", "b"]
    assert sensitive_groups({"x": values})[0].privileged_label == "a"
    (groups,) = sensitive_groups({"x": values}, accepted=[1] * 5 + [0, 0])
    assert groups.privileged_label == "a"
    assert sensitive_groups({"x": values}, privileged="missing")[0].privileged_label == "missing"


def test_equal_rates_give_the_larger_group_then_the_first():
    (groups,) = sensitive_groups({"x": list("abbcc")}, accepted=[1] * 5)
    assert groups.privileged_label == "b"


@pytest.mark.parametrize("value", [1, 1.0, True, np.int64(1), "1"])
def test_a_privileged_value_is_found_by_how_it_reads(value):
    if value is True:
        (groups,) = sensitive_groups({"x": [True, False]}, privileged=value)
        assert groups.privileged_label == "True"
        return
    (groups,) = sensitive_groups({"x": [0.0, 1.0, None]}, privileged=value)
    assert groups.labels == ("0", "1", "missing")
    assert groups.privileged_label == "1"


def test_an_unknown_privileged_value_gets_the_labels():
    with pytest.raises(GroupError, match="Asian, Black, White and missing"):
        sensitive_groups(PEOPLE[["race"]], privileged="white")
    with pytest.raises(GroupError, match="Asian"):
        sensitive_groups(PEOPLE, privileged={"race": "white"})
    with pytest.raises(GroupError, match="no sensitive feature 'colour'"):
        sensitive_groups(PEOPLE[["race"]], privileged={"colour": "White"})
    with pytest.raises(GroupError, match="several sensitive features"):
        sensitive_groups(PEOPLE[["race", "sex"]], privileged="White")


def test_a_number_needs_a_cut():
    numbers = pd.DataFrame({"age": np.arange(30)})
    with pytest.raises(GroupError, match=r"30 different values.*0 to 29.*age > 14.5"):
        sensitive_groups(numbers)
    assert sensitive_groups({"band": np.arange(30) // 10})[0].labels == ("0", "1", "2")
    (groups,) = sensitive_groups({"age > 25": numbers["age"]}, privileged=False)
    assert groups.name == "age > 25"
    assert groups.parts == ("age",)
    assert groups.labels == ("age > 25", "age ≤ 25")
    assert groups.counts.tolist() == [4, 26]
    assert groups.privileged_label == "age ≤ 25"


def test_cuts_are_taken_from_a_table_in_words():
    columns = sensitive_columns(PEOPLE, ["race", "age >= 26"])
    race, age = sensitive_groups(columns, privileged={"age": "age >= 26"})
    assert race.name == "race"
    assert age.name == "age ≥ 26"
    assert age.labels == ("age ≥ 26", "age < 26")
    assert age.privileged_reason == "given"
    for key in ("age >= 26", "age ≥ 26", "age"):
        assert sensitive_groups(columns, privileged={key: False})[1].privileged_label == "age < 26"
    with pytest.raises(DataError, match="no column 'height'"):
        sensitive_columns(PEOPLE, ["height > 2"])


def test_a_column_that_is_called_like_a_cut_is_taken_as_it_is():
    frame = pd.DataFrame({"age > 25": [True, False, True]})
    (groups,) = sensitive_groups(sensitive_columns(frame, ["age > 25"]))
    assert groups.labels == ("age ≤ 25", "age > 25")
    assert groups.codes.tolist() == [1, 0, 1]
    (words,) = sensitive_groups({"age > 25": ["yes", "no"]})
    assert words.labels == ("no", "yes")


def test_a_name_that_only_looks_like_a_cut_is_a_name():
    frame = pd.DataFrame({"<b>sex": ["f", "m"], "income > mean": [True, False]})
    groups = sensitive_groups(
        sensitive_columns(frame, ["<b>sex", "income > mean"]), privileged={"<b>sex": "m"}
    )
    assert [each.name for each in groups] == ["<b>sex", "income > mean"]
    assert groups[0].privileged_label == "m"
    with pytest.raises(GroupError, match="should end in a number"):
        sensitive_columns(frame, ["sex > mean"])


def test_text_cannot_be_cut():
    for values in (["a", "b"], pd.Categorical(["a", "b"])):
        with pytest.raises(GroupError, match="'town' holds text, which cannot be cut"):
            sensitive_columns(pd.DataFrame({"town": values}), ["town > 3"])


def test_a_missing_number_stays_missing_under_a_cut():
    (groups,) = sensitive_groups({"age > 25": [20.0, 30.0, np.nan]})
    assert groups.labels == ("age > 25", "age ≤ 25", "missing")
    assert groups.codes.tolist() == [1, 0, 2]


def test_ordered_categories_keep_their_order():
    bands = pd.Categorical(["old", "young", "old"], ["young", "middle", "old"], ordered=True)
    assert sensitive_groups({"age": bands})[0].labels == ("young", "old")


def test_intersections_are_the_cells_that_occur():
    race, sex, both = sensitive_groups(PEOPLE[["race", "sex"]], intersections=True)
    assert both.name == "race × sex"
    assert both.parts == ("race", "sex")
    assert both.labels == ("Asian × f", "Black × m", "White × f", "White × m", "missing × m")
    assert both.counts.tolist() == [1, 2, 3, 1, 1]
    assert both.n_missing == 1
    for row in range(len(PEOPLE)):
        assert (
            both.labels[both.codes[row]] == f"{race.labels[race.codes[row]]} × {sex.labels[sex.codes[row]]}"
        )
    assert both.privileged_label == "White × f"
    assert both.privileged_reason == "chosen: largest group"


def test_dropped_rows_are_dropped_from_intersections():
    *_, both = sensitive_groups(PEOPLE[["race", "sex"]], intersections=True, missing="drop")
    assert both.codes.tolist() == [2, 1, 2, -1, 1, 3, 0, 2]
    assert both.n_missing == 1


def test_the_privileged_cell_is_the_crossing_of_the_given_ones():
    pair = PEOPLE[["race", "sex"]]
    *_, both = sensitive_groups(pair, intersections=True, privileged={"race": "White", "sex": "m"})
    assert (both.privileged_label, both.privileged_reason) == ("White × m", "given")
    *_, both = sensitive_groups(pair, intersections=True, privileged={"race": "White"})
    assert both.privileged_reason == "chosen: largest group"
    *_, both = sensitive_groups(pair, intersections=True, privileged={"race": "Asian", "sex": "m"})
    assert both.privileged_label == "White × f"  # no such cell
    *_, both = sensitive_groups(pair, intersections=True, privileged={"race × sex": "Black × m"})
    assert (both.privileged_label, both.privileged_reason) == ("Black × m", "given")


def test_wanted_crossings_only():
    columns = sensitive_columns(PEOPLE, ["race", "sex", "age > 25"])
    done = sensitive_groups(columns, intersections=[("sex", "age > 25"), ("age", "race")])
    assert [groups.name for groups in done] == [
        "race",
        "sex",
        "age > 25",
        "sex × age > 25",
        "age > 25 × race",
    ]
    assert sensitive_groups(columns, intersections=True)[-1].name == "race × sex × age > 25"
    for wrong in (["race"], [("race",)], [("race", "race")]):
        with pytest.raises(GroupError, match="two or more"):
            sensitive_groups(columns, intersections=wrong)
    with pytest.raises(GroupError, match="'job'"):
        sensitive_groups(columns, intersections=[("race", "job")])
    assert len(sensitive_groups(PEOPLE[["race"]], intersections=True)) == 1


def test_what_gives_no_groups_is_refused():
    cases = [
        ({"x": ["a", "a"]}, {}, "single group"),
        ({"x": ["a", None]}, {"missing": "drop"}, "single group"),
        ({"x": [None, None]}, {}, "no values"),
        ({"x": []}, {}, "no values"),
        ({}, {}, "no sensitive feature"),
        ({"x": [f"v{i}" for i in range(201)]}, {}, "201 groups"),
        (
            {"x": list("aabb"), "y": list("abab")},
            {"intersections": True, "max_groups": 3},
            "4 groups.*set intersections to false",
        ),
        ({"x": ["a", "b"], "y": ["a", "b", "a"]}, {}, "x: 2 and y: 3"),
        ({"x": ["a", "b"]}, {"accepted": [1]}, "one value for every row"),
        ({"x": pd.Series([1, "1"], dtype=object)}, {}, "read alike"),
        ({"age > 25": [20, 30], "age>25": [20, 30]}, {}, "same"),
    ]
    for features, options, says in cases:
        with pytest.raises(GroupError, match=says):
            sensitive_groups(features, **options)


def test_cells_that_read_alike_are_refused():
    features = {"x": ["a", "a × b"], "y": ["b × c", "c"]}
    with pytest.raises(GroupError, match="told apart"):
        sensitive_groups(features, intersections=True)


def test_small_groups_are_listed_and_kept():
    (groups,) = sensitive_groups(PEOPLE[["race"]])
    assert groups.small(2) == ("Asian", "missing")
    assert groups.small(5) == groups.labels
    assert groups.small(0) == ()


def test_masks_and_labels():
    (groups,) = sensitive_groups(PEOPLE[["sex"]])
    assert groups.mask("f").tolist() == (PEOPLE["sex"] == "f").tolist()
    assert groups.label_of([0, 1, -1]).tolist() == ["f", "m", None]
    assert groups.label_of(1) == "m"
    with pytest.raises(GroupError, match="f and m"):
        groups.mask("x")


def test_rows_can_be_taken_and_groups_may_empty():
    (groups,) = sensitive_groups(PEOPLE[["race"]])
    some = groups.take([3, 0])
    assert some.labels == groups.labels
    assert some.codes.tolist() == [3, 2]
    assert some.counts.tolist() == [0, 0, 1, 1]
    assert some.n_missing == 1
    assert groups.take(PEOPLE["sex"].to_numpy() == "f").n_missing == 0
    assert sensitive_groups(PEOPLE[["race"]], missing="drop")[0].take([3]).n_missing == 1


def test_codes_cannot_be_changed_by_accident():
    for groups in sensitive_groups(PEOPLE[["race", "sex"]], intersections=True):
        with pytest.raises(ValueError, match="read-only"):
            groups.codes[0] = 1


def test_a_document():
    (groups,) = sensitive_groups(PEOPLE[["race"]])
    assert json.loads(json.dumps(groups.to_dict())) == {
        "name": "race",
        "parts": ["race"],
        "labels": ["Asian", "Black", "White", "missing"],
        "counts": [1, 2, 4, 1],
        "privileged": "White",
        "privileged_reason": "chosen: largest group",
        "missing": "group",
        "n_missing": 1,
    }


def test_groups_can_be_made_by_hand():
    groups = Groups(name="x", labels=("a", "b"), codes=np.array([0, 1, 1]), privileged=0)
    assert groups.counts.tolist() == [1, 2]
    assert groups.take([1]).n_missing == 0
