from __future__ import annotations

import json
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fairwitness.findings import Section
from fairwitness.metrics.checks import run
from fairwitness.table.groups import sensitive_groups


def case(
    features: dict[str, Any],
    accepted: Any,
    y: Any = None,
    *,
    privileged: Any = None,
    intersections: bool = True,
    **changes: Any,
) -> Any:
    """Only what the room reads of a case."""
    accepted = np.asarray(accepted, dtype=bool)
    groups = sensitive_groups(features, privileged=privileged, accepted=accepted, intersections=intersections)
    facts = {
        "judgement": SimpleNamespace(accepted=accepted),
        "groups": groups,
        "y": None if y is None else np.asarray(y, dtype=bool),
        "confidence": 0.95,
        "minimum_n": 30,
        "people": "applicants",
        "favorable": "approve = 1",
        "settings": {},
    }
    return SimpleNamespace(**{**facts, **changes})


def shares(n: int, k: int) -> list[bool]:
    return [at < k for at in range(n)]


@pytest.fixture(scope="module")
def lending() -> Section:
    race = ["White"] * 1000 + ["Black"] * 200
    accepted = shares(1000, 930) + shares(200, 150)
    y = shares(900, 900) + [False] * 100 + shares(200, 160)
    return run(case({"race": race}, accepted, y, privileged="White"))


def test_sentences_say_who_how_much_and_how_sure(lending: Section) -> None:
    assert lending.paragraphs == (
        "The model accepts 93 % [91, 94] of White and 75 % [69, 80] of Black applicants "
        "(ratio 0.81 [0.74, 0.87]).",
    )
    forbidden = ("bias", "discriminat", "fair", "compliant")
    text = json.dumps([finding.to_dict() for finding in lending.findings]) + " ".join(lending.paragraphs)
    assert not [word for word in forbidden if word in text.lower()]


def test_a_policy_s_thresholds_hold_for_rates_too() -> None:
    settings = {"thresholds": {"RATE001": {"high": 0.15}}}
    accepted = shares(1000, 930) + shares(200, 150)
    race = ["White"] * 1000 + ["Black"] * 200
    section = run(case({"race": race}, accepted, privileged="White", settings=settings))
    assert {f.code: (f.severity, f.threshold) for f in section.findings}["RATE001"] == ("high", 0.15)


def test_findings_are_graded_by_the_thresholds_file(lending: Section) -> None:
    by_code = {finding.code: finding for finding in lending.findings}
    assert set(by_code) == {"RATE001", "RATE002", "RATE003", "RATE004"}
    gap = by_code["RATE001"]
    assert (gap.severity, gap.threshold, gap.established, gap.n) == ("medium", 0.10, True, 1200)
    assert gap.estimate == pytest.approx(-0.18)
    assert gap.title == (
        "The acceptance rate of Black is 18.0 percentage points [12.2, 24.6] below that of White"
    )
    assert gap.subject == "race: Black against White"
    ratio = by_code["RATE002"]
    # .8065: outside the four-fifths threshold, though its interval reaches below.
    assert (ratio.severity, ratio.reference, ratio.established) == ("note", 1.0, True)
    assert by_code["RATE004"].interval[0] > 0


def test_no_difference_is_not_established_and_gets_a_remedy() -> None:
    section = run(case({"sex": ["m"] * 100 + ["f"] * 40}, shares(100, 60) + shares(40, 23), privileged="m"))
    for finding in section.findings:
        assert finding.severity == "note"
        assert not finding.established
        assert "more rows of f (n = 40)" in finding.remedy


def test_without_an_outcome_the_question_is_not_applicable() -> None:
    section = run(case({"sex": ["m", "f"] * 50}, shares(100, 60)))
    assert {finding.code for finding in section.findings} == {"RATE001", "RATE002"}
    (answer,) = section.not_applicable
    assert answer.method == "rates"
    assert "true outcomes" in answer.reason
    assert answer.remedy
    assert len(section.paragraphs) == 1
    assert section.document["features"][0]["has_outcome"] is False
    assert section.document["features"][0]["groups"][0]["true_positive_rate"] is None


def test_small_groups_are_shown_marked_and_named() -> None:
    race = ["White"] * 100 + ["Black"] * 12
    section = run(case({"race": race}, shares(100, 90) + shares(12, 3), privileged="White"))
    small = [finding for finding in section.findings if finding.code == "RATE005"]
    assert [(finding.n, finding.threshold, finding.severity) for finding in small] == [(12, 30.0, "note")]
    assert small[0].title == "Black has 12 rows, fewer than 30"
    assert [group["small"] for group in section.document["features"][0]["groups"]] == [True, False]
    assert any(finding.code == "RATE001" for finding in section.findings)


def test_intersections_are_in_the_tables_and_only_passed_thresholds_are_findings() -> None:
    race = ["White"] * 400 + ["Black"] * 400
    sex = (["m"] * 200 + ["f"] * 200) * 2
    accepted = shares(200, 180) + shares(200, 178) + shares(200, 176) + shares(200, 100)
    privileged = {"race": "White", "sex": "m"}
    section = run(case({"race": race, "sex": sex}, accepted, privileged=privileged))
    assert [feature["name"] for feature in section.document["features"]] == ["race", "sex", "race × sex"]
    crossed = [finding for finding in section.findings if "×" in finding.subject]
    assert {finding.evidence["group"] for finding in crossed} == {"Black × f"}
    assert all(finding.severity != "note" for finding in crossed)
    table = section.tables["rates"]
    assert sum(row["feature"] == "race × sex" for row in table) == 4 + 3 * 2
    # The paragraph and the picture keep to the single features.
    assert section.paragraphs[0].count("The model accepts") == 2
    assert "×" not in section.paragraphs[0]
    assert {row.subject for row in section.overview} == {"race", "sex"}


def test_overview_puts_the_privileged_group_first(lending: Section) -> None:
    assert [row.measure for row in lending.overview] == [
        "Acceptance rate",
        "True positive rate",
        "False positive rate",
    ]
    row = lending.overview[0]
    assert row.subject == "race"
    assert [point[0] for point in row.points] == ["White", "Black"]
    assert row.points[0][1] == pytest.approx(0.93)


def test_a_few_people_with_an_unknown_group_are_no_group_to_compare() -> None:
    sex = np.array(["m"] * 100 + ["f"] * 60 + [None] * 5, dtype=object)
    accepted = shares(100, 80) + shares(60, 40) + shares(5, 5)
    section = run(case({"sex": sex}, accepted, [True] * 150 + [False] * 15, privileged="m"))
    assert "missing" not in section.paragraphs[0]
    assert "2 " not in section.paragraphs[0].split(" of ")[0]
    subjects = {finding.subject for finding in section.findings if finding.code != "RATE005"}
    assert subjects == {"sex: f against m"}
    assert [finding.subject for finding in section.findings if finding.code == "RATE005"] == ["sex: missing"]
    assert [group["label"] for group in section.document["features"][0]["groups"]] == ["f", "m", "missing"]
    many = np.array(["m"] * 100 + ["f"] * 60 + [None] * 50, dtype=object)
    section = run(case({"sex": many}, shares(100, 80) + shares(60, 40) + shares(50, 5), privileged="m"))
    assert "sex: missing against m" in {finding.subject for finding in section.findings}


def test_undefined_measures_are_answered_with_their_reason() -> None:
    y = shares(50, 50) + shares(50, 25)
    section = run(case({"g": ["a"] * 50 + ["b"] * 50}, shares(50, 40) + shares(50, 20), y, privileged="b"))
    (answer,) = section.not_applicable
    assert answer.subject == "g: a against b"
    assert answer.reason == (
        "no average odds difference and average absolute odds difference: "
        "no row of a has the unfavourable outcome"
    )
    assert {finding.code for finding in section.findings} == {"RATE001", "RATE002", "RATE003"}


def test_many_groups_are_named_up_to_a_number() -> None:
    group = [f"g{at % 7}" for at in range(700)]
    section = run(case({"g": group}, shares(700, 350), privileged="g0"))
    assert section.paragraphs[0].count("%") == 4
    assert "(3 smaller groups: see the table)" in section.paragraphs[0]
    assert "smallest ratio to g0" in section.paragraphs[0]


def test_hostile_names_are_made_visible() -> None:
    group = np.array(["a\u202e", "b\x1b[31m"] * 50)
    section = run(case({"race\n": group}, shares(100, 50), privileged="a\u202e"))
    said = " ".join([*section.paragraphs, *(finding.title + finding.subject for finding in section.findings)])
    assert not {"\u202e", "\x1b", "\n"} & set(said)
    # The document keeps the names as they are: whoever writes it out escapes them.
    assert section.document["features"][0]["privileged"] == "a\u202e"


def test_the_document_is_plain_json(lending: Section) -> None:
    document = json.loads(json.dumps(lending.document, allow_nan=False))
    comparison = document["features"][0]["comparisons"][0]
    assert comparison["group"] == "Black"
    assert comparison["disparate_impact_ratio"]["estimate"] == pytest.approx(0.75 / 0.93)


def test_the_document_is_what_the_reports_schema_asks_for(lending: Section) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    text = files("fairwitness.report").joinpath("schema.json").read_text(encoding="utf-8")
    schema = {"$defs": json.loads(text)["$defs"], "$ref": "#/$defs/rates"}
    undefined = run(case({"g": ["a"] * 5 + ["b"] * 5}, shares(10, 3), shares(10, 5), privileged="b"))
    blind = run(case({"g": ["a"] * 5 + ["b"] * 5}, shares(10, 3)))
    for section in (lending, undefined, blind):
        jsonschema.validate(json.loads(json.dumps(section.document)), schema)
