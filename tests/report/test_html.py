from __future__ import annotations

import json
import re
from typing import Any

import pytest

from fairwitness.report import render, to_json

FORBIDDEN = re.compile(
    r"\b(biased|unbiased|compliant|debiased|discriminat\w*|(?:un)?fair model)\b", re.IGNORECASE
)


def words(page: str) -> str:
    page = re.sub(r"<style>.*?</style>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page).replace("\u00a0", " "))


def headings(page: str, level: int) -> list[str]:
    return [words(h).strip() for h in re.findall(rf"<h{level}[^>]*>(.*?)</h{level}>", page, re.DOTALL)]


def test_parts_stand_in_order(mortgage_page: str) -> None:
    page = mortgage_page
    assert headings(page, 2) == [
        "In plain words",
        "One picture",
        "Findings",
        "Group metrics",
        "Opportunity",
        "Shared carriers",
        "Limits and reproducibility",
    ]
    five = ["The question", "The answer", "How sure", "What it cannot tell you", "How it was computed"]
    assert [h for h in headings(page, 3) if h in five] == five * 2


def test_page_judges_nobody(mortgage_page: str, nothing: dict[str, Any]) -> None:
    for page in (mortgage_page, render(nothing)):
        assert not FORBIDDEN.search(words(page))


def test_same_document_same_bytes(small: dict[str, Any], small_page: str) -> None:
    assert small_page == render(json.loads(to_json(small)))


def test_rendering_changes_nothing(small: dict[str, Any]) -> None:
    before = to_json(small)
    render(small, rows=False)
    assert to_json(small) == before


def test_head_says_what_was_audited(small: dict[str, Any], small_page: str) -> None:
    header = words(small_page.split("<header>")[1].split("</header>")[0])
    for fact in (
        "HistGradientBoostingClassifier",
        "1,989 rows",
        "approve = 1",
        "White 1,681",
        "seed 0",
        "fairwitness demo",
    ):
        assert fact in header
    assert small["audited"]["table"]["digest"][:16] in header


def test_paragraph_holds_every_sentence(small: dict[str, Any], small_page: str) -> None:
    shown = words(small_page)
    for sentence in small["summary"]:
        assert sentence in shown
    assert small["not_applicable"][0]["reason"] in shown.split("One picture")[2]


def test_findings_are_sorted_by_severity_then_size_over_uncertainty(small: dict[str, Any]) -> None:
    one = small["findings"][0]
    small["findings"] = [
        {**one, "title": title, "severity": severity, "estimate": estimate, "interval": interval}
        for title, severity, estimate, interval in [
            ("fourth", "low", 0.9, [0.8, 1.0]),
            ("second", "high", 0.5, [0.4, 0.6]),
            ("third", "medium", 0.5, [0.4, 0.6]),
            ("first", "high", 0.3, [0.28, 0.32]),
            ("last", "note", None, [None, None]),
        ]
    ]
    page = render(small)
    table = page[page.index('id="findings-table"') :]
    places = [table.index(title) for title in ("first", "second", "third", "fourth", "last")]
    assert places == sorted(places)


def test_open_questions_stand_apart_with_their_remedy(small: dict[str, Any], small_page: str) -> None:
    page = small_page
    settled, rest = page.split('id="findings-table"')[1].split('id="open-table"')
    for finding in small["findings"]:
        assert (finding["title"] in settled.split("</table>")[0]) == finding["established"]
        if not finding["established"]:
            assert finding["remedy"] in rest
    assert "not applicable" in rest


def test_example_people_show_row_changes_and_group(small: dict[str, Any], small_page: str) -> None:
    page = small_page
    person = small["sections"]["opportunity"]["features"][0]["people"][-1]
    table = page[page.index('id="opportunity-1-person-3"') :].split("</table>")[0]
    first = person["counterfactuals"][0]
    marked = re.findall(r"<mark>.*?</mark>", table)
    assert len(marked) == sum(len(c["changed"]) for c in person["counterfactuals"][:5])
    assert "changed to" in marked[0]
    order = small["audited"]["model"]["feature_names"]
    leftmost = min(first["changed"], key=order.index)
    assert words(marked[0]).endswith(first["values"][leftmost])
    assert table.index("Inferred group") > table.index("Score")
    assert "same group" in table


def test_many_changed_columns_stand_beneath_each_other(small: dict[str, Any], small_page: str) -> None:
    page = small_page
    table = page[page.index('id="opportunity-1-person-2"') :].split("</table>")[0]
    person = small["sections"]["opportunity"]["features"][0]["people"][1]
    assert len(re.findall('scope="col"', table)) == len(person["counterfactuals"]) + 2
    assert "another group" in table.split("Inferred group")[1]


def test_people_are_left_out_on_request(small: dict[str, Any], small_page: str) -> None:
    page = render(small, rows=False)
    keys = [person["key"] for person in small["sections"]["opportunity"]["features"][0]["people"]]
    assert all(key in small_page for key in keys)
    assert not any(key in page for key in keys)
    assert "left out on request" in words(page)


def test_no_score_no_outcome_no_classifier(small: dict[str, Any]) -> None:
    rates = small["sections"]["rates"]["features"][0]
    rates["has_outcome"] = False
    for group in rates["groups"]:
        group["true_positive_rate"] = group["false_positive_rate"] = None
    for comparison in rates["comparisons"]:
        comparison.update(
            equal_opportunity_difference=None,
            average_odds_difference=None,
            average_absolute_odds_difference=None,
        )
    opportunity = small["sections"]["opportunity"]["features"][0]
    opportunity["classifier"] = None
    for group in opportunity["groups"]:
        group["curves"]["ndccf_sorted"] = group["at_k"]["ndccf_sorted"] = None
    opportunity["differences"][0]["ndccf_sorted"] = None
    page = words(render(small))
    assert "does not say how things turned out" in page
    assert "nDCCF, nearest to the boundary first" not in page


def test_nothing_measurable_says_so(nothing: dict[str, Any]) -> None:
    page = words(render(nothing))
    assert "Nothing could be measured here." in page
    for answer in nothing["not_applicable"]:
        assert answer["reason"] in page
        assert answer["remedy"] in page


@pytest.mark.parametrize(
    "sections", [{}, {"rates": {}}, {"rates": {"features": []}, "opportunity": {"features": []}}]
)
def test_methods_that_did_not_run(nothing: dict[str, Any], sections: dict[str, Any]) -> None:
    nothing["sections"] = sections
    page = render(nothing)
    assert ("Group metrics" in headings(page, 2)) == ("rates" in sections)


def test_every_value_missing_is_no_error(small: dict[str, Any]) -> None:
    def blank(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: blank(item) for key, item in value.items()}
        if isinstance(value, list):
            return [blank(item) for item in value]
        return float("nan") if isinstance(value, float) else value

    page = render({**small, "sections": blank(small["sections"])})
    assert "nan" not in words(page).lower().split()


def test_chosen_comparison_groups_and_small_groups_are_named(mortgage_page: str) -> None:
    page = words(mortgage_page)
    assert "chosen: highest acceptance rate" in page
    assert "missing †" in page


def test_flips_stand_beside_those_from_errors_alone(small_page: str) -> None:
    assert "24 % for Black or Hispanic (CFlips 62 %)" in words(small_page)
