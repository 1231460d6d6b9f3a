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


def table(page: str, table_id: str) -> str:
    return page[page.index(f'id="{table_id}"') :].split("</table>")[0]


def capital(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")


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
    listed = page[page.index('id="findings-table"') :]
    places = [listed.index(title) for title in ("first", "second", "third", "fourth", "last")]
    assert places == sorted(places)


def test_open_questions_stand_apart_with_their_remedy(small: dict[str, Any], small_page: str) -> None:
    graded = table(small_page, "findings-table")
    noted = table(small_page, "notes-table")
    rest = table(small_page, "open-table")
    for finding in small["findings"]:
        is_note = finding["severity"] == "note"
        assert (finding["title"] in graded) == (finding["established"] and not is_note)
        assert (finding["title"] in noted) == (finding["established"] and is_note)
        assert (finding["title"] in rest) == (not finding["established"])
        if not finding["established"]:
            assert capital(finding["remedy"]) in rest
    assert "Not applicable" in rest


def test_columns_stand_after_the_differences_of_their_severity(small: dict[str, Any]) -> None:
    one = {**small["findings"][0], "severity": "low"}
    carrier = {**one, "title": "carrier", "interval": [0.52, 0.54], "evidence": {"column": "price"}}
    small["findings"] = [carrier, {**one, "title": "difference", "interval": [0.1, 0.9], "evidence": {}}]
    rows = table(render(small), "findings-table")
    assert rows.index("difference") < rows.index("carrier")


def test_differences_of_shares_are_shown_in_points(small: dict[str, Any]) -> None:
    one = small["findings"][0]
    shown = {"estimate": -0.1754, "interval": [-0.2271, -0.1294], "threshold": 0.1, "severity": "medium"}
    small["findings"] = [{**one, **shown, "code": code, "title": code} for code in ("RATE001", "FLIP005")]
    rows = words(table(render(small), "findings-table"))
    assert "−17.5 points[−22.7, −12.9]" in rows
    assert "threshold 10 points" in rows
    assert "−0.175[−0.227, −0.129]" in rows
    assert "threshold 0.1" in rows


def test_example_people_show_row_changes_and_group(small: dict[str, Any], small_page: str) -> None:
    page = small_page
    person = small["sections"]["opportunity"]["features"][0]["people"][-1]
    shown = table(page, "opportunity-1-person-3")
    first = person["counterfactuals"][0]
    marked = re.findall(r"<mark>.*?</mark>", shown)
    assert len(marked) == sum(len(c["changed"]) for c in person["counterfactuals"][:5])
    assert "changed to" in marked[0]
    order = small["audited"]["model"]["feature_names"]
    leftmost = min(first["changed"], key=order.index)
    assert words(marked[0]).endswith(first["values"][leftmost])
    assert shown.index("Inferred group") > shown.index("Score")
    assert "same group" in shown


def test_many_changed_columns_stand_beneath_each_other(small: dict[str, Any], small_page: str) -> None:
    page = small_page
    shown = table(page, "opportunity-1-person-2")
    person = small["sections"]["opportunity"]["features"][0]["people"][1]
    assert len(re.findall('scope="col"', shown)) == len(person["counterfactuals"]) + 2
    assert "another group" in shown.split("Inferred group")[1]


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
        assert capital(answer["remedy"]) in page


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


def test_random_acceptance_stands_beside_each_measure(small_page: str) -> None:
    flips = words(table(small_page, "opportunity-1-cflips-values"))
    for part in ("At random, %", "ΔCFlips beyond random acceptance, points", "55.0", "53.0[44.5, 61.5]"):
        assert part in flips
    assert "9.00[3.00, 15.0]" in flips
    gains = words(table(small_page, "opportunity-1-ndccf-values"))
    assert "−0.0800[−0.150, −0.0200]" in gains
    assert "At random" not in words(table(small_page, "opportunity-1-ndccf-sorted-values"))
    text = words(small_page)
    assert "Were people accepted at random, the shares would be 11 % for White; 55 % for Black" in text
    assert "CFlips of unequal groups differ for any model" in text
    assert "grade only what goes beyond random acceptance" in text
    # In words too: the picture on wide and narrow windows, and the curve.
    assert small_page.count("at random 55.0\u00a0%") == 3


def test_without_random_acceptance_the_page_says_so(small: dict[str, Any]) -> None:
    feature = small["sections"]["opportunity"]["features"][0]
    for group in feature["groups"]:
        group["at_random"] = group["curves"]["at_random"] = None
    feature["differences"][0]["beyond_random"] = None
    for row in small["overview"]:
        for point in row["points"]:
            point.pop("at_random", None)
    page = words(render(small))
    assert "At random" not in page
    assert "accepted at random" not in page
    assert "findings grade the whole difference" in page


def test_the_picture_s_title_agrees_with_its_table(small: dict[str, Any], small_page: str) -> None:
    row = small["overview"][0]
    title = words(small_page.split("<figcaption>")[1].split("</figcaption>")[0])
    data = words(table(small_page, "overview-1-data"))
    assert "acceptance rate by race" in title
    for point in row["points"]:
        shown = f"{100 * point['estimate']:.3g}"
        assert shown.rstrip("0").rstrip(".") in title
        assert shown in data


def test_how_sure_names_what_intervals_hold_and_what_they_do_not(small_page: str) -> None:
    text = words(small_page)
    assert "Several people may also share a profile" in text
    assert "Not in them is what another training of the classifier, or of the model, would give" in text
