from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from fairwitness.errors import ConfigError
from fairwitness.findings import Finding, Section, grade, load_thresholds
from fairwitness.record import sort_findings


@pytest.mark.parametrize(
    ("estimate", "low", "high", "expected"),
    [
        (0.30, 0.25, 0.35, ("high", 0.20, True)),
        (-0.30, -0.35, -0.25, ("high", 0.20, True)),
        (0.10, 0.05, 0.15, ("medium", 0.10, True)),
        (0.06, 0.01, 0.11, ("low", 0.05, True)),
        (0.01, 0.005, 0.015, ("note", None, True)),
        (0.30, -0.01, 0.61, ("note", None, False)),
        (math.nan, 0.1, 0.2, ("note", None, False)),
        (0.3, math.nan, math.nan, ("note", None, False)),
    ],
)
def test_severity_needs_both_size_and_certainty(
    estimate: float, low: float, high: float, expected: tuple[str, float | None, bool]
) -> None:
    assert grade("RATE001", estimate, (low, high)) == expected


def test_a_ratio_is_graded_from_below_only() -> None:
    assert grade("RATE002", 0.7, (0.6, 0.79))[0] == "medium"
    assert grade("RATE002", 1.4, (1.2, 1.6)) == ("note", None, True)


def test_thresholds_can_be_replaced_by_a_file(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("[RATE001]\nreference = 0.0\nhigh = 0.01\n", encoding="utf-8")
    assert grade("RATE001", 0.02, (0.015, 0.025), thresholds=load_thresholds(policy))[0] == "high"
    assert grade("RATE001", 0.06, (0.05, 0.07), thresholds=load_thresholds(str(policy)))[0] == "high"


def test_a_policy_changes_only_the_codes_it_names() -> None:
    strict = load_thresholds({"RATE001": {"medium": 0.01}, "RATE002": {}})
    assert grade("RATE001", 0.3, (0.2, 0.4), thresholds=strict)[:2] == ("medium", 0.01)
    assert grade("RATE002", 0.1, (0.05, 0.2), thresholds=strict)[0] == "note"
    assert grade("RATE003", 0.3, (0.2, 0.4), thresholds=strict)[0] == "high"
    assert load_thresholds()["RATE001"]["high"] == 0.2


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ("missing.toml", "cannot be read"),
        (3, "name of a file"),
        ({"RATE999": {"high": 1}}, "does not exist; got 'RATE999'"),
        ({"RATE001": 0.2}, "no table of values"),
        ({"RATE001": {"high": "much"}}, "high of RATE001 must be a number"),
        ({"RATE001": {"reference": None}}, "reference of RATE001"),
    ],
)
def test_a_policy_that_cannot_be_used_says_why(policy: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        load_thresholds(policy)


def test_a_policy_that_is_no_toml_says_where(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("[RATE001\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"policy\.toml is no TOML.*line 1"):
        load_thresholds(policy)


def test_an_unknown_code_is_an_error() -> None:
    with pytest.raises(ConfigError, match="NOPE1"):
        grade("NOPE1", 0.1, (0.0, 0.2))


def test_every_shipped_threshold_rises_with_severity() -> None:
    for code, entry in load_thresholds().items():
        reference = float(str(entry["reference"]))
        steps = [
            abs(float(str(entry[name])) - reference) for name in ("low", "medium", "high") if name in entry
        ]
        assert steps == sorted(steps), code
        assert entry["title"], code


def test_findings_are_sorted_by_severity_then_size_over_uncertainty() -> None:
    def finding(code: str, severity: str, estimate: float, width: float, established: bool = True) -> Finding:
        return Finding(
            code=code,
            severity=severity,  # type: ignore[arg-type]
            title="",
            section="rates",
            measure="",
            subject="",
            estimate=estimate,
            interval=(estimate - width / 2, estimate + width / 2),
            established=established,
        )

    given = [
        finding("A", "note", 0.9, 2.0, established=False),
        finding("B", "low", 0.2, 0.1),
        finding("C", "high", 0.3, 0.5),
        finding("D", "high", 0.3, 0.1),
    ]
    assert [each.code for each in sort_findings(given)] == ["D", "C", "B", "A"]
    json.dumps([each.to_dict() for each in given])


def test_findings_and_sections_are_one_line_each() -> None:
    finding = Finding(
        code="RATE001", severity="note", title="A title", section="rates", measure="m", subject="s", n=1200,
        established=False, evidence={"much": list(range(999))},
    )  # fmt: skip
    assert repr(finding) == "<Finding RATE001 (note, not established): A title (n = 1,200)>"
    section = Section(key="rates", findings=(finding,), document={"much": list(range(999))})
    assert repr(section) == "<Section rates: 0 results, 1 findings, 0 not applicable>"
