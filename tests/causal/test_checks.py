from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.case import Case
from fairwitness.causal import CausalGraph
from fairwitness.causal.audit.findings import effect_findings
from fairwitness.causal.audit.words import moved, paragraph
from fairwitness.causal.checks import run
from fairwitness.findings import Finding, Section, load_thresholds
from fairwitness.intake import prepare_case
from fairwitness.report import clean

GRAPH = "sex -> dept; {sex, dept} -> merit; {dept, merit} -> decision"
#: Cut where the model decides, so that its answer follows from dept and merit as the graph has them.
SETTINGS: dict[str, Any] = {"bins": {"merit": [45, 60]}, "sampling_error": "none"}
FORBIDDEN = re.compile(r"biased|compliant|discriminat|unfair|fair model", re.IGNORECASE)


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    n = 900
    woman = rng.random(n) < 0.5
    dept = rng.random(n) < np.where(woman, 0.7, 0.3)
    merit = np.round(rng.normal(50 + 6 * dept - 4 * woman, 10), 2)
    return pd.DataFrame(
        {
            "sex": np.where(woman, "woman", "man"),
            "dept": np.where(dept, "law", "art"),
            "merit": merit,
        }
    )


def decide(rows: pd.DataFrame) -> np.ndarray:
    """Accept in art from 45, in law from 60."""
    least = np.where(rows["dept"].to_numpy() == "law", 60.0, 45.0)
    return (rows["merit"].to_numpy(dtype=float) > least).astype(float)


def case(table: Any, graph: str | None = GRAPH, model: Any = decide, **changes: Any) -> Case:
    arguments: dict[str, Any] = {
        "sensitive_features": ["sex"],
        "privileged": {"sex": "man"},
        "random_state": 0,
        "settings": SETTINGS,
        **changes,
    }
    read = None if graph is None else CausalGraph.from_text(graph)
    return prepare_case(model, table, graph=read, **arguments)


@pytest.fixture(scope="module")
def section(people: pd.DataFrame) -> Section:
    return run(case(people))


def finding(section: Section, code: str) -> Finding:
    (found,) = [each for each in section.findings if each.code == code]
    return found


def test_the_total_effect_is_the_difference_where_nothing_confounds(
    section: Section, people: pd.DataFrame
) -> None:
    accepted = pd.Series(decide(people)).groupby(people["sex"]).mean()
    (contrast,) = section.results
    bounds = contrast.effect("total").bounds
    assert bounds.identified
    # sex has no causes and no hidden ones, so everyone's effect is the difference of the groups.
    assert bounds.lower == pytest.approx(accepted["woman"] - accepted["man"])
    found = finding(section, "BND001")
    assert found.estimate == pytest.approx(bounds.lower)
    assert found.interval == (bounds.lower, bounds.upper)
    assert (found.severity, found.established) == ("high", True)
    assert found.n == 900
    assert "fewer, beyond ±10" in found.title


def test_an_edge_that_is_not_drawn_has_no_effect_of_its_own(people: pd.DataFrame, section: Section) -> None:
    (contrast,) = section.results
    assert [effect.key for effect in contrast.effects] == ["total"]
    drawn = run(case(people, f"{GRAPH}; sex -> decision"))
    (contrast,) = drawn.results
    assert [effect.key for effect in contrast.effects] == ["total", "direct", "indirect"]
    # The model does not read sex: what its edge carries is how merit differs inside the cuts.
    said = drawn.document["assumptions"]
    assert any(
        sentence.startswith("The model does not read sex: its edge to the decision") for sentence in said
    )
    # and the finding and the paragraph say so themselves
    assert (
        "by way of columns outside the graph (the model does not read it)" in finding(drawn, "BND002").title
    )
    assert "which stands for columns outside the graph" in drawn.paragraphs[0]


def test_a_model_that_reads_the_feature_has_a_direct_effect_that_counting_gives(
    people: pd.DataFrame,
) -> None:
    def unequal(rows: pd.DataFrame) -> np.ndarray:
        least = np.where(rows["sex"].to_numpy() == "woman", 60.0, 50.0)
        return (rows["merit"].to_numpy(dtype=float) > least).astype(float)

    from fairwitness import as_blackbox

    graph = "sex -> merit; {sex, merit} -> decision"
    made = case(
        people,
        graph,
        as_blackbox(unequal, feature_names=["sex", "merit"]),
        settings={**SETTINGS, "bins": {"merit": [50, 60]}},
    )
    (contrast,) = run(made).results
    men = people.loc[people["sex"] == "man", "merit"]
    # Men accepted from 50; the same people under the women's threshold of 60.
    assert contrast.effect("direct").bounds.lower == pytest.approx(-((men > 50) & (men <= 60)).mean())
    shares = {found.key: found for found in contrast.people}
    group = shares["group_direct_discrimination"]
    between = int(((people["merit"] > 50) & (people["merit"] <= 60)).sum())
    # Of those seen between the thresholds, men are; what merit women would have as men is open.
    assert (group.count("beyond", 0.1), group.count("open", 0.1)) == (between, 900 - between)
    found = finding(run(made), "BND006")
    assert found.interval == pytest.approx((between / 900, 1.0))
    # small kinds of people may differ by chance, and their sampling error is not in this: nothing is graded
    assert (found.severity, found.established) == ("note", False)
    assert found.title.startswith("For between 33 and 100 % of people, the direct effect of sex")


def test_hidden_causes_widen_the_bounds_and_the_ladder_says_so(people: pd.DataFrame) -> None:
    section = run(case(people, f"{GRAPH}; sex <-> dept; sex <-> merit; dept <-> merit"))
    (contrast,) = section.results
    bounds = contrast.effect("total").bounds
    assert bounds.lower < 0 < bounds.upper
    found = finding(section, "BND001")
    assert (found.severity, found.established) == ("note", False)
    assert "without hidden common causes they would not" in found.remedy
    assert math.isnan(found.estimate)
    rungs = contrast.ladders["total"].rungs
    assert [rung.name for rung in rungs][-1] == "unconfounded"
    widths = [rung.width for rung in rungs]
    assert widths == sorted(widths, reverse=True)
    assert "declared" not in {rung.name for rung in rungs}


def test_arcs_at_the_decision_are_taken_out_and_said(people: pd.DataFrame) -> None:
    section = run(case(people, f"{GRAPH}; dept <-> decision"))
    (contrast,) = section.results
    assert contrast.effect("total").bounds.identified
    assert any("dept <-> decision" in sentence for sentence in section.document["assumptions"])
    assert section.document["graph"]["bidirected"] == [["dept", "decision"]]
    assert "declared" in {rung.name for rung in contrast.ladders["total"].rungs}


def test_arcs_at_the_decision_stay_where_the_model_reads_more_than_the_graph(people: pd.DataFrame) -> None:
    """Something hidden moves z with sex, and the model reads z alone: sex has no effect at all."""
    woman = (people["sex"] == "woman").to_numpy()
    moved = people.assign(
        z=np.where(np.random.default_rng(5).random(len(people)) < 0.8, woman, ~woman).astype(int)
    )

    def reads_z(rows: pd.DataFrame) -> np.ndarray:
        return rows["z"].to_numpy(dtype=float)

    section = run(
        case(
            moved,
            "sex -> decision; dept -> decision; sex <-> decision",
            reads_z,
            settings={"sampling_error": "none"},
        )
    )
    (contrast,) = section.results
    bounds = contrast.effect("total").bounds
    assert bounds.lower < -0.1 < 0 < bounds.upper
    assert any(
        "something hidden may move it together with sex" in said for said in section.document["assumptions"]
    )
    assert {rung.name for rung in contrast.ladders["total"].rungs} == {
        "confounded",
        "declared",
        "unconfounded",
    }


def test_intervals_cover_sampling_error(people: pd.DataFrame, section: Section) -> None:
    sure = run(case(people, settings={"bins": SETTINGS["bins"]}))
    plain = section.results[0].effect("total").bounds
    bounds = sure.results[0].effect("total").bounds
    assert (bounds.lower, bounds.upper) == (plain.lower, plain.upper)
    accepted = decide(people)
    woman = (people["sex"] == "woman").to_numpy()
    error = math.sqrt(sum(np.var(accepted[which]) / which.sum() for which in (woman, ~woman)))
    assert bounds.interval == pytest.approx(
        (bounds.lower - 1.96 * error, bounds.upper + 1.96 * error), abs=0.6 * error
    )
    assert bounds.confidence == sure.document["confidence"] == 0.95
    assert sure.document["sampling_error"] == "resampled"
    assert "95 % interval" in sure.paragraphs[0]


def test_kinds_of_people_add_up(section: Section, people: pd.DataFrame) -> None:
    (contrast,) = section.results
    (found,) = contrast.people
    assert found.observed == ("dept", "merit", "sex")
    cut = np.digitize(people["merit"], [45, 60], right=True)
    counts = people.assign(merit=cut).groupby(["dept", "merit", "sex"]).size()
    assert sorted(kind.n for kind in found.kinds) == sorted(counts[counts >= 30])
    assert found.n == 900
    assert found.few == counts[counts < 30].sum()
    assert sum(found.count(word, 0.1) for word in ("within", "beyond", "open")) == 900
    listed = section.document["features"][0]["contrasts"][0]["people"][0]
    assert [kind["n"] for kind in listed["kinds"]] == sorted((k.n for k in found.kinds), reverse=True)
    assert {"dept", "merit", "sex"} == set(listed["kinds"][0]["given"])


def test_every_group_is_set_against_the_privileged(people: pd.DataFrame) -> None:
    table = people.assign(sex=np.where(np.arange(900) % 3 == 0, "other", people["sex"]))
    section = run(case(table))
    assert [contrast.pair.group for contrast in section.results] == ["other", "woman"]
    assert "1 other group is compared in the table." in section.paragraphs[0]
    few = table.assign(sex=table["sex"].where(np.arange(900) >= 9, None))
    assert [c.pair.group for c in run(case(few)).results] == ["other", "woman"]


def test_paths_of_interest_are_bounded_on_their_own(people: pd.DataFrame) -> None:
    settings = {**SETTINGS, "redlining": ["dept"], "paths": ["sex -> merit -> decision"]}
    section = run(case(people, settings=settings))
    (contrast,) = section.results
    assert [effect.key for effect in contrast.effects] == ["total", "redlining", "paths"]
    through = contrast.effect("redlining")
    assert through.title == "Effect by way of dept"
    assert set(through.edges()) == {
        ("sex", "dept"), ("dept", "merit"), ("dept", "decision"), ("merit", "decision"),
    }  # fmt: skip
    assert len([each for each in section.findings if each.code == "BND004"]) == 2
    assert contrast.effect("paths").title == "Effect along sex → merit → decision"
    # Tight bounds of a part may be wide, but the paths left out of it are those of the other part.
    assert contrast.effect("paths").edges() == (("sex", "merit"), ("merit", "decision"))


def test_a_graph_that_the_table_contradicts_is_noted(people: pd.DataFrame) -> None:
    section = run(case(people, "sex -> decision; merit -> decision; dept -> decision"))
    found = finding(section, "BND007")
    assert found.severity == "note"
    assert "⊥" in found.title
    assert found.evidence["rejected"]
    tests = section.document["tests"]["tests"]
    assert any(test["rejected"] for test in tests)


def test_what_the_model_reads_beside_the_graph_is_noted(people: pd.DataFrame) -> None:
    section = run(case(people.assign(town="x"), "sex -> dept -> decision", settings=None))
    assert finding(section, "BND010").evidence["columns"] == ["merit", "town"]
    unlinked = run(case(people, "sex -> {dept, merit}; merit -> decision"))
    found = finding(unlinked, "BND009")
    assert found.evidence["columns"] == ["dept"]
    assert "no edge from there to the decision" in found.title


@pytest.mark.parametrize(
    ("graph", "changes", "reason", "remedy"),
    [
        (None, {}, "none was given", "[graph] in audit.toml"),
        (GRAPH, {"settings": {}}, "column merit of the graph holds amounts", 'bins = { "merit" = ['),
        ("sex; decision; dept", {"settings": {}}, "nothing leads to the decision", "draw an edge"),
        ("sex -> dept; merit -> decision", {}, "no path to decision: its effect is 0", "draw the edges"),
        ("dept -> decision", {"settings": {}}, "it is no node of the causal graph", "add it to the graph"),
        (GRAPH, {"model": lambda rows: np.ones(len(rows))}, "the model rejects nobody", "rejects some"),
    ],
)
def test_what_cannot_be_asked_is_answered_with_a_reason(
    people: pd.DataFrame, graph: str | None, changes: dict[str, Any], reason: str, remedy: str
) -> None:
    section = run(case(people, graph, **changes))
    (answer,) = section.not_applicable
    assert answer.method == section.key == "bounds"
    assert reason in answer.reason
    assert remedy in answer.remedy
    assert not section.findings
    assert bool(section.document) == (graph is not None)


def test_an_intersection_is_no_node(people: pd.DataFrame) -> None:
    table = people.assign(town=np.where(np.arange(900) % 2, "east", "west"))
    section = run(case(table, f"{GRAPH}; town -> dept", sensitive_features=["sex", "town"], privileged=None))
    (answer,) = section.not_applicable
    assert answer.subject == "sex × town"
    assert [feature["name"] for feature in section.document["features"]] == ["sex", "town"]
    assert len(section.paragraphs) == 2


def test_too_many_kinds_of_people_are_answered(people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairwitness.causal.audit import effects

    monkeypatch.setattr(effects, "MOST_KINDS", 3)
    section = run(case(people))
    (answer,) = section.not_applicable
    assert "kinds of people are told apart, more than 3" in answer.reason
    assert finding(section, "BND001").established


def test_rows_with_missing_values_are_left_out_and_said(people: pd.DataFrame) -> None:
    gaps = people.assign(dept=people["dept"].where(people.index >= 25, None))
    model = lambda rows: (rows["merit"] > 50).to_numpy(dtype=float)  # noqa: E731
    section = run(case(gaps, model=model))
    assert section.document["n"] == 875
    assert any("25 rows with a missing value were left out" in note for note in section.document["notes"])


def test_the_true_outcome_may_be_a_node(people: pd.DataFrame) -> None:
    y = (people["merit"] > 52).astype(int)
    made = prepare_case(
        decide,
        people,
        y,
        graph=CausalGraph.from_text(f"{GRAPH}; {{dept, merit}} -> paid"),
        sensitive_features=["sex"],
        outcome="paid",
        settings=SETTINGS,
        random_state=0,
    )
    section = run(made)
    roles = {node["name"]: node["role"] for node in section.document["graph"]["nodes"]}
    assert roles == {
        "sex": "sensitive feature", "dept": "column", "merit": "column", "decision": "decision",
        "paid": "true outcome",
    }  # fmt: skip
    # What comes out in the end is not among what is known of people beforehand.
    assert set(section.results[0].people[0].observed) == {"sex", "dept", "merit"}


def test_neither_the_order_of_rows_nor_their_container_matters(
    people: pd.DataFrame, section: Section
) -> None:
    said = json.dumps(clean(section.document), sort_keys=True)
    shuffled = people.sample(frac=1, random_state=1).reset_index(drop=True)
    for table in (shuffled, pl.from_pandas(people), pl.from_pandas(people).to_arrow()):

        def model(rows: Any) -> np.ndarray:
            return decide(rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows.to_pandas()))

        assert json.dumps(clean(run(case(table, model=model)).document), sort_keys=True) == said


def test_words_judge_nobody(section: Section) -> None:
    said = [*section.paragraphs, *(f.title + f.remedy for f in section.findings)]
    said += section.document["assumptions"]
    assert not FORBIDDEN.search(" ".join(said))
    (said_,) = section.paragraphs
    assert said_.startswith("If the causal graph holds, the model would accept ")
    assert "fewer people if everyone were woman than if everyone were man" in said_
    assert said_.endswith("graph and table leave it open.")


def test_bounds_that_hold_without_data_are_no_interval(section: Section) -> None:
    (contrast,) = section.results
    (effect,) = contrast.effects
    vacuous = replace(effect.bounds, lower=-1.0, upper=1.0, interval=(-1.0, 1.0), reference_probability=None)
    assert vacuous.uninformative
    told = replace(contrast, effects=(replace(effect, bounds=vacuous),))
    audited = contrast.pair.audited
    found = next(effect_findings(told, audited, load_thresholds()))
    assert found.title.endswith("woman in place of man: uninformative under these assumptions")
    assert (found.severity, found.established) == ("note", False)
    assert all(map(math.isnan, (found.estimate, *found.interval)))
    assert "cannot be told: the causal graph leaves all of it open" in paragraph([told], audited)


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [
        (-0.2, -0.1, "between 10.0 and 20.0 percentage points fewer"),
        (0.012, 0.03, "between 1.2 and 3.0 percentage points more"),
        (-0.024, 0.1, "between 2.4 percentage points fewer and 10.0 more"),
        (-0.17712, -0.17701, "17.7 percentage points fewer"),
        (0.05, 0.05, "5.0 percentage points more"),
        (-0.0001, 0.0002, "as many"),
        (0.0, 0.002, "between 0.0 and 0.2 percentage points more"),
    ],
)
def test_how_many_fewer_or_more_is_said_in_points(low: float, high: float, says: str) -> None:
    assert moved(low, high) == says


def test_tables_hold_every_effect_rung_and_kind(section: Section) -> None:
    effects, rungs, kinds = (section.tables[name] for name in ("bounds", "bounds_ladder", "bounds_people"))
    assert [row["effect"] for row in effects] == ["total"]
    assert len(rungs) == sum(len(ladder) for ladder in section.results[0].ladders.values())
    assert len(kinds) == len(section.results[0].people[0].kinds)
    assert {row["verdict"] for row in kinds} <= {"within", "beyond", "open"}
    json.dumps(clean(section.tables))


def test_hostile_names_become_harmless(people: pd.DataFrame) -> None:
    nasty = "<b>\u202e\x1b[31m"
    table = people.rename(columns={"dept": nasty}).assign(
        sex=people["sex"].map({"woman": "\x1b[2J", "man": "=1+1"})
    )
    graph = CausalGraph([("sex", nasty), (nasty, "decision")])
    made = prepare_case(
        lambda rows: (rows["merit"] > 50).to_numpy(dtype=float),
        table,
        graph=graph,
        sensitive_features=["sex"],
        privileged="=1+1",
        random_state=0,
        settings={"sampling_error": "none"},
    )
    section = run(made)
    said = [*section.paragraphs, *section.document["assumptions"], *section.document["notes"]]
    said += [f.title + f.subject + f.remedy for f in section.findings]
    said += [a.reason + a.subject for a in section.not_applicable]
    assert not {"\u202e", "\x1b"} & set("".join(said))


def test_a_path_that_is_another_set_of_paths_is_asked_about_once(people: pd.DataFrame) -> None:
    """With one indirect path, the path of interest is the indirect effect itself."""
    settings = {**SETTINGS, "paths": ["sex -> merit -> decision"], "redlining": ["merit"]}
    section = run(case(people, "sex -> merit -> decision; {dept, sex} -> decision", settings=settings))
    (contrast,) = section.results
    assert [effect.key for effect in contrast.effects] == ["total", "direct", "indirect"]


def test_a_graph_in_doubt_is_said_before_all_else(people: pd.DataFrame) -> None:
    doubted = run(case(people, "sex -> decision; dept -> decision; merit -> decision"))
    assert doubted.paragraphs[0].startswith("The table contradicts the causal graph (most of all ")
    assert not run(case(people)).paragraphs[0].startswith("The table contradicts")


def test_other_rungs_and_kinds_have_no_interval_of_their_own(section: Section) -> None:
    (listed,) = section.document["features"][0]["contrasts"]
    rungs = [rung for ladder in listed["ladders"] for rung in ladder["rungs"] if not rung["asked"]]
    kinds = [kind for found in listed["people"] for kind in found["kinds"]]
    assert rungs
    assert kinds
    assert {(each["low"], each["high"]) for each in [*rungs, *kinds]} == {(None, None)}
    assert {rung["verdict"] for rung in rungs} == {None}
