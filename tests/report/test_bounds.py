"""The section of causal bounds, drawn from a document of a real audit."""

from __future__ import annotations

import copy
import html
import json
import re
from typing import Any

import pytest

from fairwitness.errors import DataError
from fairwitness.report import ranges, render, to_json, validate

FORBIDDEN = re.compile(r"\b(biased|unbiased|compliant|debiased|discriminat\w*|(?:un)?fair)\b", re.IGNORECASE)


def words(page: str) -> str:
    page = re.sub(r"<style>.*?</style>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)).replace("\u00a0", " "))


def part(page: str) -> str:
    return page[page.index('<section id="bounds"') : page.index('<section id="limits"')]


def table(page: str, table_id: str) -> str:
    return words(page[page.index(f'id="{table_id}"') :].split("</table>")[0])


def contrasts(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [c for feature in document["sections"]["bounds"]["features"] for c in feature["contrasts"]]


def test_the_document_follows_the_schema(bounded: dict[str, Any]) -> None:
    validate(bounded)
    for change in ("verdict", "status"):
        wrong = copy.deepcopy(bounded)
        contrasts(wrong)[0]["effects"][0][change] = "unfair"
        with pytest.raises(DataError, match=change):
            validate(wrong)
    wrong = copy.deepcopy(bounded)
    contrasts(wrong)[0]["people"][0]["extra"] = 1
    with pytest.raises(DataError, match="people"):
        validate(wrong)


def test_the_section_has_the_five_parts_in_order(bounds_page: str) -> None:
    five = ["The question", "The answer", "How sure", "What it cannot tell you", "How it was computed"]
    headings = re.findall(r"<h3[^>]*>(.*?)</h3>", part(bounds_page))
    assert headings == five
    assert '<a href="#bounds">Causal bounds</a>' in bounds_page


def test_every_number_of_the_document_is_shown(bounded: dict[str, Any], bounds_page: str) -> None:
    effects = table(bounds_page, "bounds-1-effects-table")
    for contrast in contrasts(bounded):
        assert contrast["group"] in effects
        for effect in contrast["effects"]:
            assert effect["title"] in effects
            assert ranges.span(effect["lower"], effect["upper"]) in effects
            assert f"[{ranges.points(effect['low'])}, {ranges.points(effect['high'])}]" in effects
            assert ranges.verdict(effect, 0.1) in effects
    people = table(bounds_page, "bounds-1-people")
    for contrast in contrasts(bounded):
        for found in contrast["people"]:
            assert f"{found['open']:,}" in people
    ladder = table(bounds_page, "bounds-1-ladder-table")
    for contrast in contrasts(bounded):
        for found in contrast["ladders"]:
            for rung in found["rungs"]:
                assert rung["title"] in ladder
                assert ranges.span(rung["lower"], rung["upper"]) in ladder


def test_assumptions_stand_beside_what_rests_on_them(bounded: dict[str, Any], bounds_page: str) -> None:
    section = bounded["sections"]["bounds"]
    shown = words(part(bounds_page))
    for sentence in section["assumptions"]:
        assert sentence in shown
    for rung in contrasts(bounded)[0]["ladders"][0]["rungs"]:
        assert "; ".join(rung["assumptions"]) in shown
    assert "The graph as text: " in shown
    assert section["graph"]["text"] in shown
    # Exactly one rung of each ladder is the one that the numbers above stand on.
    for contrast in contrasts(bounded):
        for ladder in contrast["ladders"]:
            (asked,) = [rung for rung in ladder["rungs"] if rung["asked"]]
            own = next(effect for effect in contrast["effects"] if effect["key"] == ladder["key"])
            assert [asked[end] for end in ("lower", "upper", "low", "high", "verdict")] == [
                own[end] for end in ("lower", "upper", "low", "high", "verdict")
            ]


def test_the_graph_is_drawn_and_said(bounded: dict[str, Any], bounds_page: str) -> None:
    figure = bounds_page[bounds_page.index('<figure id="bounds-1-graph"') :].split("</figure>")[0]
    assert "<svg" in figure
    in_words = words(figure[figure.index('<ul class="edges">') :].split("</ul>")[0])
    assert "race → sch, gdlin, obrat and approve" in in_words
    assert "hidden common causes: sch ↔ gdlin; gdlin ↔ obrat" in in_words
    listed = table(bounds_page, "bounds-1-graph-data")
    for node in bounded["sections"]["bounds"]["graph"]["nodes"]:
        assert node["name"] in listed
        assert node["role"] in listed


def test_sampling_error_is_said_as_it_was_asked_for(bounded: dict[str, Any], bounds_page: str) -> None:
    assert "They are indicative: no coverage is promised" in words(bounds_page)
    assert "95 % interval, indicative" in table(bounds_page, "bounds-1-effects-table")
    assert "Interval, low" in table(bounds_page, "bounds-1-effects-data")
    section = bounded["sections"]["bounds"]
    section["sampling_error"] = "region"
    assert "They are indicative" not in words(render(bounded))
    assert "indicative" not in table(render(bounded), "bounds-1-effects-table")
    section.update(sampling_error="none", confidence=None)
    for contrast in contrasts(bounded):
        for effect in contrast["effects"]:
            effect.update(low=effect["lower"], high=effect["upper"])
    page = render(bounded)
    assert "All ranges are of the table as it stands, 1,987 rows" in words(page)
    assert "95 % interval" not in table(page, "bounds-1-effects-table")
    assert "Interval, low" not in table(page, "bounds-1-effects-data")


def test_what_a_computer_left_of_0_is_0_and_a_tiny_p_is_small(bounded: dict[str, Any]) -> None:
    total = contrasts(bounded)[0]["effects"][0]
    total.update(lower=-1e-13, upper=0.2, low=-1e-13, high=0.25, status="tight")
    note = next(each for each in bounded["findings"] if each["section"] == "bounds")
    note.update(code="BND007", estimate=3.2e-45, interval=[None, None], established=True, severity="note")
    page = render(bounded)
    assert "0000000" not in words(page)
    assert "< 0.001" in words(page)


def test_values_of_kinds_are_cut_in_pictures_only(bounded: dict[str, Any]) -> None:
    long = "a very long level that tells a whole story of its own"
    kinds = contrasts(bounded)[0]["people"][0]["kinds"]
    column = next(name for name in kinds[0]["given"] if name != "race")
    kinds[0]["given"][column] = long
    assert long in table(render(bounded), "bounds-1-1-kinds-data")


def test_uninformative_and_missing_bounds_are_words_not_numbers(bounded: dict[str, Any]) -> None:
    total, direct = contrasts(bounded)[0]["effects"][:2]
    total.update(status="uninformative", lower=-1, upper=1, low=-1, high=1, verdict="open")
    direct.update(
        dict.fromkeys(("lower", "upper", "low", "high", "status", "verdict", "notation", "certificate")),
        reason="the program is too large",
    )
    validate(bounded)
    shown = table(render(bounded), "bounds-1-effects-table")
    assert "–" in shown
    assert "cannot be told uninformative under these assumptions" in shown
    assert "the program is too large" in shown
    assert "not computed" in shown
    assert "−100" not in shown


def test_contradictions_and_slack_are_said(bounded: dict[str, Any], bounds_page: str) -> None:
    section = bounded["sections"]["bounds"]
    assert "The table contradicts none" in words(bounds_page) or not section["tests"]["tests"]
    test = {
        "statement": "sch ⊥ race", "kind": "independence", "statistic": 20.0, "df": 1.0, "information": 0.01,
        "deviation": 0.02, "p_value": 1e-5, "p_adjusted": 2e-5, "rejected": True, "reason": None,
    }  # fmt: skip
    unknown = {**test, "statement": "a", "p_value": None, "p_adjusted": None, "rejected": None}
    section["tests"].update(tests=[test, {**unknown, "reason": "too few rows"}], complete=False)
    contrasts(bounded)[0]["effects"][0]["slack"] = 0.0123
    validate(bounded)
    page = render(bounded)
    shown = words(page)
    assert "The table contradicts 1 of the statements" in shown
    assert "sch ⊥ race" in table(page, "bounds-tests")
    assert "too few rows" in table(page, "bounds-tests")
    assert "The list is cut" in shown
    assert "ε = 0.012 in total" in shown
    section["tests"]["tests"] = []
    assert "The graph says nothing about the table that could be tested." in words(render(bounded))


def test_one_group_takes_no_column_of_groups(bounded: dict[str, Any]) -> None:
    feature = bounded["sections"]["bounds"]["features"][0]
    feature["contrasts"] = feature["contrasts"][:1]
    page = render(bounded)
    assert "Group" not in table(page, "bounds-1-effects-table")
    title = f"{feature['contrasts'][0]['group']} in place of {feature['privileged']}: total effect"
    assert title in words(page[page.index('id="bounds-1-effects"') :].split("</figcaption>")[0])


def test_a_method_without_result_points_to_the_reason(bounded: dict[str, Any]) -> None:
    bounded["sections"]["bounds"] = {"features": []}
    bounded["not_applicable"].append(
        {"method": "bounds", "subject": "", "reason": "income holds amounts", "remedy": "say where to cut it"}
    )
    validate(bounded)
    page = render(bounded)
    assert "This method has no result here" in words(part(page))
    assert "Causal bounds: income holds amounts" in words(page.split('id="picture"')[0])


def test_without_a_graph_nothing_is_said_above(small: dict[str, Any]) -> None:
    reason = "bounds on causal effects rest on a causal graph, and none was given"
    small["not_applicable"].append(
        {"method": "bounds", "subject": "", "reason": reason, "remedy": "name one"}
    )
    page = render(small)
    assert '<section id="bounds"' not in page
    assert reason not in words(page.split('id="picture"')[0])
    assert reason in words(page)


def test_findings_and_the_picture_show_ranges(bounded: dict[str, Any], bounds_page: str) -> None:
    ranged = [f for f in bounded["findings"] if f["code"] == "BND004" and f["estimate"] is None]
    assert ranged
    low, high = ranged[0]["interval"]
    everything = words(bounds_page)
    shown = f"[{100 * low:.3g}, {100 * high:.3g}] points".replace("-", "−")
    assert shown in everything
    assert "Effects on acceptance, each group set against the comparison group" in everything
    assert "dotted lines at the tolerance" in everything
    assert "the whole interval passed it" in everything


def test_a_range_without_estimate_is_drawn_as_a_bar(bounded: dict[str, Any]) -> None:
    row = next(row for row in bounded["overview"] if row["unit"] == "difference")
    row["points"][0].update(estimate=None, low=-0.3, high=-0.1)
    page = words(render(bounded))
    assert "A bar without a dot is a range in which no value is likelier than another." in page
    assert f"{row['points'][0]['group']} in [−30.0, −10.0]" in page
    row["points"][0].update(low=None, high=None)
    assert f"{row['points'][0]['group']} no value" in words(render(bounded))


def test_names_of_the_users_are_only_words(bounded: dict[str, Any]) -> None:
    nasty = "<img src=x onerror=alert(1)>\u202e$x$"
    text = to_json(bounded).replace('"gdlin"', json.dumps(nasty)).replace('"Black"', json.dumps(nasty + "2"))
    page = render(json.loads(text))
    assert "<img" not in page
    assert "\u202e" not in page


def test_the_section_judges_nobody(bounds_page: str) -> None:
    said = words(part(bounds_page)).replace("counterfactual fairness", "").replace("PC-Fairness", "")
    assert not FORBIDDEN.search(said.replace("Causality-based Fairness", ""))


@pytest.mark.parametrize(
    ("lower", "upper", "says"),
    [
        (-0.177, -0.151, "−17.7 to −15.1"),
        (-0.17699, -0.17701, "−17.7"),
        (-0.0001, 0.0001, "0.0"),
        (None, 0.2, "– to 20.0"),
    ],
)
def test_ranges_are_written_in_points(lower: float | None, upper: float, says: str) -> None:
    assert ranges.span(lower, upper) == says
