from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairwitness.causal import effect_bounds

Call = Callable[..., "object"]

GRAPH = "sex -> dept -> hired; {sex, age} -> hired"
HIDDEN = f"{GRAPH}; dept <-> hired"
BASIC = ("--data", "people.csv", "--from", "sex", "--to", "hired", "--bins", "age > 40")


@pytest.fixture
def people(tmp_path: Path) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 400
    sex = rng.choice(["female", "male"], n)
    dept = np.where(rng.random(n) < np.where(sex == "male", 0.6, 0.3), "A", "B")
    age = rng.integers(18, 70, n)
    hired = np.where(rng.random(n) < 0.2 + 0.3 * (dept == "A") + 0.1 * (sex == "male"), "yes", "no")
    table = pd.DataFrame({"sex": sex, "dept": dept, "age": age, "hired": hired})
    table.assign(town=rng.choice(["x", "y", "z"], n), same="all").to_csv(tmp_path / "people.csv", index=False)
    return table


@pytest.fixture
def bounds(fairwitness: Call, people: pd.DataFrame) -> Call:
    return lambda *options, graph=GRAPH: fairwitness("bounds", "--graph", graph, *BASIC, *options)


def document(ran) -> dict:
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


class TestLines:
    def test_say_question_bounds_verdict_and_assumptions(self, bounds: Call) -> None:
        ran = bounds("--path", "direct", "--given", "dept=A", "--given", "sex=female")
        assert (ran.code, ran.err) == (0, "")
        question, about, found, how, verdict, assumed, *rest = ran.out.splitlines()
        assert question == "The effect of sex = male instead of female on hired = yes"
        assert about == "along sex → hired, among people with dept = A and sex = female"
        assert found.startswith("Bounds [")
        assert how.startswith("Found by ")
        assert verdict.startswith("At tau = 0.1 ")
        assert assumed == "Assumed: no hidden common causes"
        assert any("of 400 rows" in line for line in rest)

    @pytest.mark.parametrize(
        "options",
        [
            (),
            ("--confidence", "0.95", "--given", "dept=A", "--out", "bounds.json"),
            ("--ladder",),
            ("--for-rows", "all"),
            ("--for-rows", "all", "--out", "bounds.json"),
            ("--size-only",),
        ],
    )
    @pytest.mark.parametrize("graph", [GRAPH, HIDDEN])
    def test_are_ten_at_most(self, bounds: Call, options: tuple[str, ...], graph: str) -> None:
        ran = bounds(*options, graph=graph)
        assert ran.code == 0, ran.err
        assert 3 <= len(ran.out.splitlines()) <= 10

    def test_say_aloud_what_was_chosen(self, bounds: Call) -> None:
        said = bounds().out
        assert "sex = male against female" in said
        assert "hired = yes as the favourable outcome" in said
        assert "which the people have" in bounds("--given", "sex=male").out
        own = bounds("--active", "female", "--reference", "male", "--value", "no").out
        assert "instead of male on hired = no" in own
        assert "(--" not in own

    def test_reference_is_what_the_people_are(self, bounds: Call) -> None:
        assert "sex = female instead of male" in bounds("--given", "sex=male").out
        assert "sex = female instead of male" in bounds("--active", "female").out
        assert "sex = female instead of male" in bounds("--reference", "male").out

    def test_name_the_confidence_interval(self, bounds: Call) -> None:
        assert "95 % interval [" in bounds("--confidence", "0.95").out

    def test_never_judge_a_model(self, bounds: Call) -> None:
        for options in ((), ("--ladder",), ("--for-rows", "all")):
            said = bounds(*options).out.lower()
            assert not any(bad in said for bad in ("bias", "compliant", "discriminat"))

    def test_quiet_says_nothing(self, bounds: Call) -> None:
        assert bounds("-q").out == ""


class TestQuestions:
    def test_is_what_the_function_gives(self, bounds: Call, people: pd.DataFrame) -> None:
        told = document(bounds("--path", "sex -> dept -> hired", "--format", "json", graph=HIDDEN))
        alone = effect_bounds(
            people,
            HIDDEN,
            treatment="sex",
            outcome="hired",
            active="male",
            reference="female",
            outcome_value="yes",
            paths="sex -> dept -> hired",
            bins={"age": "age > 40"},
        )
        assert told["bounds"]["lower"] == pytest.approx(alone.lower)
        assert told["bounds"]["upper"] == pytest.approx(alone.upper)
        assert told["verdict"] == alone.verdict(0.1)

    def test_paths_in_words(self, bounds: Call) -> None:
        def lower(*paths: str) -> float:
            options = [part for path in paths for part in ("--path", path)]
            return document(bounds(*options, "--format", "json"))["bounds"]["lower"]

        assert lower() == lower("all") == pytest.approx(lower("sex -> hired", "sex -> dept -> hired"))
        assert lower("direct") == lower("sex -> hired")
        assert lower("indirect") == lower("through dept") == lower("sex -> dept -> hired")
        assert lower("direct") != lower("indirect")

    def test_cut_points(self, fairwitness: Call, people: pd.DataFrame) -> None:
        ran = fairwitness(
            "bounds",
            "-g",
            GRAPH,
            *BASIC[:-2],
            "--bins",
            "age=30,50",
            "--given",
            "age=> 30, ≤ 50",
            "--format",
            "json",
        )
        assert document(ran)["bounds"]["query"]["given"] == {"age": "> 30, ≤ 50"}

    def test_graph_from_a_file(self, fairwitness: Call, people: pd.DataFrame, tmp_path: Path) -> None:
        (tmp_path / "graph.dot").write_text("digraph { sex -> hired; dept -> hired }", encoding="utf-8")
        ran = fairwitness("bounds", "--graph", "graph.dot", *BASIC[:-2])
        assert ran.code == 0
        assert "Bounds [" in ran.out

    def test_cells_with_weights(self, fairwitness: Call, people: pd.DataFrame, tmp_path: Path) -> None:
        counted = people.groupby(["sex", "dept", "hired"]).size().rename("rows").reset_index()
        counted.to_csv(tmp_path / "cells.csv", index=False)
        graph = "sex -> dept -> hired; sex -> hired"
        common = ("--from", "sex", "--to", "hired", "--format", "json")
        cells = fairwitness("bounds", "-g", graph, "-d", "cells.csv", "--weights", "rows", *common)
        rows = fairwitness("bounds", "-g", graph, "-d", "people.csv", *common)
        assert document(cells)["bounds"]["lower"] == pytest.approx(document(rows)["bounds"]["lower"])
        assert document(cells)["bounds"]["n"] == 400

    def test_notion(self, bounds: Call) -> None:
        given = ("--given", "sex=female", "--given", "dept=A", "--given", "age=age > 40")
        ran = bounds("--notion", "counterfactual fairness", *given)
        assert ran.out.startswith("Counterfactual fairness: the effect of sex")
        told = document(bounds("--notion", "counterfactual_fairness", *given, "--format", "json"))
        assert told["notion"]["name"] == "counterfactual_fairness"
        assert any("Kusner" in cited for cited in told["notion"]["citations"])

    def test_ladder(self, bounds: Call) -> None:
        told = document(bounds("--ladder", "--predictor", "hired", "--format", "json", graph=HIDDEN))
        assert [rung["name"] for rung in told["ladder"]["rungs"]] == [
            "confounded",
            "declared",
            "predictor, confounded",
            "predictor",
        ]
        said = bounds("--ladder", graph=HIDDEN).out
        assert "Everything confounded" in said
        assert "Stated: as the graph declares" in said

    def test_a_graph_that_the_table_contradicts_is_said(self, fairwitness: Call, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        sex = rng.integers(0, 2, 400)
        place = tmp_path / "alike.csv"
        pd.DataFrame({"sex": sex, "dept": rng.integers(0, 2, 400), "hired": sex}).to_csv(place, index=False)
        asked = ("bounds", "--data", str(place), "--from", "sex", "--to", "hired")
        said = fairwitness(*asked, "--graph", "sex -> dept -> hired")
        assert "the table contradicts the graph" in said.out
        assert "the table contradicts the graph" not in fairwitness(*asked, "--graph", "sex -> hired").out

    def test_for_rows(self, bounds: Call) -> None:
        told = document(bounds("--for-rows", "sex, dept", "--format", "json"))
        assert told["rows"]["evidence"] == ["sex", "dept"]
        assert len(told["rows"]["cells"]) == 4
        assert sum(told["rows"]["shares"].values()) == pytest.approx(1)
        assert "and 5 smaller kinds of people" in bounds("--for-rows", "all").out

    def test_the_notation_is_printed_on_request(self, bounds: Call) -> None:
        assert "hired[sex ← male | π, sex ← female | π̄]" in bounds("--path", "direct", "-v").out

    def test_size_only_builds_nothing(self, bounds: Call, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise AssertionError("something was solved")

        monkeypatch.setattr("fairwitness.causal.solver.plugin.solve", refuse)
        said = bounds("--size-only", graph=HIDDEN).out
        assert "dept, hired: 1,024" in said
        assert "P(hired[sex ← male] = yes) − P(hired[sex ← female] = yes)" in said
        assert "jointly: 4,096" in said
        told = document(bounds("--size-only", "--format", "json", graph=HIDDEN))
        assert told["sizes"][1] == {"variables": ["dept", "hired"], "log10_columns": pytest.approx(3.0103)}


class TestFiles:
    def test_out_is_what_json_prints(self, bounds: Call, tmp_path: Path) -> None:
        ran = bounds("--out", "deep/bounds.json")
        assert f"Wrote {tmp_path / 'deep' / 'bounds.json'}" in ran.out
        written = json.loads((tmp_path / "deep" / "bounds.json").read_text(encoding="utf-8"))
        told = document(bounds("--format", "json"))
        for found in (written, told):
            found["bounds"]["certificate"].pop("seconds")
        assert written == told
        assert [path.name for path in (tmp_path / "deep").iterdir()] == ["bounds.json"]

    @pytest.mark.parametrize("out", [".", "people.csv/bounds.json"])
    def test_out_is_looked_at_before_anything_is_asked(self, bounds: Call, out: str) -> None:
        ran = bounds("--out", out)
        assert (ran.code, ran.out) == (2, "")
        assert "folder" in ran.err


class TestExitCodes:
    def test_one_on_a_verdict(self, bounds: Call) -> None:
        def word(*options: str) -> str:
            return document(bounds("--format", "json", *options))["verdict"]

        assert word("--tau", "0.01") == "unfair"
        assert bounds("--tau", "0.01").code == 0
        assert bounds("--tau", "0.01", "--fail-on", "unfair").code == 1
        assert bounds("--tau", "0.01", "--fail-on", "undetermined").code == 1
        assert word("--tau", "0.9") == "fair"
        assert bounds("--tau", "0.9", "--fail-on", "undetermined").code == 0
        hidden = ("--path", "direct", "--given", "sex=female")
        assert bounds(*hidden, "--fail-on", "unfair", graph=HIDDEN + "; sex <-> hired").code == 0
        assert bounds(*hidden, "--fail-on", "undetermined", graph=HIDDEN + "; sex <-> hired").code == 1

    @pytest.mark.parametrize(
        ("options", "graph", "said"),
        [
            ((), f"{GRAPH}; hired -> sex", "the graph has a cycle: sex -> dept -> hired -> sex"),
            ((), "sex -> ", "To fix"),
            (("--path", "sex -> age -> hired"), GRAPH, "no edge sex -> age"),
            (("--path", "direct", "--path", "sex -> hired"), GRAPH, "stands alone"),
            (("--given", "town=x"), GRAPH, "the graph has no node 'town'"),
            (("--given", "dept"), GRAPH, "write it as --given dept=A"),
            (("--bins", "age=old"), GRAPH, "are no numbers"),
            (("--tau", "2"), GRAPH, "--tau must be a number"),
            (("--confidence", "95"), GRAPH, "--confidence must be a number"),
            (("--notion", "fairness"), GRAPH, "there is no notion 'fairness'"),
            (("--notion", "counterfactual_fairness"), GRAPH, "missing: sex, dept and age"),
            (("--notion", "total_effect", "--ladder"), GRAPH, "ask different questions"),
            (("--for-rows", "town"), GRAPH, "the graph has no node 'town'"),
        ],
    )
    def test_two_on_questions_that_make_no_sense(
        self, bounds: Call, options: tuple[str, ...], graph: str, said: str
    ) -> None:
        ran = bounds(*options, graph=graph)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert "Traceback" not in ran.err

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--given", "dept=C"), "'dept' has no value 'C'"),
            (("--weights", "height"), "no column 'height'"),
            (("--value", "perhaps"), "'hired' has no value 'perhaps'"),
            (("--active", "other", "--reference", "male"), "'sex' has no value 'other'"),
        ],
    )
    def test_three_on_data_that_do_not_fit(self, bounds: Call, options: tuple[str, ...], said: str) -> None:
        ran = bounds(*options)
        assert (ran.code, ran.out) == (3, "")
        assert said in ran.err

    @pytest.mark.parametrize(
        ("treatment", "said"),
        [
            ("same", "the sensitive feature same has one value only"),
            ("town", "town has 3 values, and an effect compares two"),
            ("floor", "the table has no column 'floor'"),
        ],
    )
    def test_three_on_features_that_cannot_be_compared(
        self, fairwitness: Call, people: pd.DataFrame, treatment: str, said: str
    ) -> None:
        graph = f"{treatment} -> hired"
        ran = fairwitness("bounds", "-g", graph, "-d", "people.csv", "--from", treatment, "--to", "hired")
        assert ran.code == 3
        assert said in ran.err

    def test_three_where_nobody_is_like_that(self, fairwitness: Call, people: pd.DataFrame) -> None:
        ran = fairwitness("bounds", "-g", GRAPH, *BASIC[:-2], "--bins", "age=10,40", "--given", "age=≤ 10")
        assert ran.code == 3
        assert "nobody in the data has age" in ran.err

    def test_three_on_missing_values_that_are_not_dropped(
        self, fairwitness: Call, people: pd.DataFrame, tmp_path: Path
    ) -> None:
        people.assign(dept=people["dept"].where(people["age"] > 25)).to_csv(
            tmp_path / "gaps.csv", index=False
        )
        options = ("-g", GRAPH, "-d", "gaps.csv", *BASIC[2:])
        assert fairwitness("bounds", *options).code == 3
        assert fairwitness("bounds", *options, "--drop-missing").code == 0

    def test_two_on_a_program_that_is_too_large(self, bounds: Call) -> None:
        ran = bounds("--most-columns", "3", "--path", "direct", "--given", "dept=A", graph=HIDDEN)
        assert ran.code == 2
        assert "the program is too large" in ran.err
        assert "need more than 3 columns" in ran.err
        assert "1,024" in ran.err  # its size
        for way_out in ("bins", "predictor", "confounded"):
            assert way_out in ran.err
        assert (
            bounds("--relaxation", "confounded", "--path", "direct", "--given", "dept=A", graph=HIDDEN).code
            == 0
        )

    def test_two_on_one_column_for_both(self, fairwitness: Call, people: pd.DataFrame) -> None:
        ran = fairwitness("bounds", "-g", GRAPH, "-d", "people.csv", "--from", "sex", "--to", "sex")
        assert ran.code == 2
        assert "same column" in ran.err


def test_favourable_outcomes_are_guessed_or_asked_for(
    fairwitness: Call, people: pd.DataFrame, tmp_path: Path
) -> None:
    common = ("-g", "sex -> grade", "-d", "grades.csv", "--from", "sex", "--to", "grade")
    people.assign(grade=np.where(people["age"] > 40, 1, 0)).to_csv(tmp_path / "grades.csv", index=False)
    assert "grade = 1 as the favourable outcome" in fairwitness("bounds", *common).out
    people.assign(grade=np.where(people["age"] > 40, "P", "Q")).to_csv(tmp_path / "grades.csv", index=False)
    assert "grade = Q as the outcome, without a reason" in fairwitness("bounds", *common).out
    people.assign(grade=people["age"] % 3).to_csv(tmp_path / "grades.csv", index=False)
    assert "grade = 1 as the favourable outcome" in fairwitness("bounds", *common).out
    people.assign(grade=2 + people["age"] % 3).to_csv(tmp_path / "grades.csv", index=False)
    ran = fairwitness("bounds", *common)
    assert ran.code == 3
    assert "name one with --value" in ran.err


def test_hostile_names_do_not_reach_the_terminal(
    fairwitness: Call, people: pd.DataFrame, tmp_path: Path
) -> None:
    evil = "s\x1b[31mex\u202e"
    people.rename(columns={"sex": evil}).to_csv(tmp_path / "evil.csv", index=False)
    ran = fairwitness("bounds", "-g", f'"{evil}" -> hired', "-d", "evil.csv", "--from", evil, "--to", "hired")
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out


def test_help_lists_the_command_and_stays_light(fairwitness: Call) -> None:
    assert "bounds" in fairwitness("--help").out
    assert fairwitness("bounds", "--help").code == 0


class TestWhatWouldBeSilent:
    """Options that would do nothing, or not what was meant, are refused or said."""

    def test_two_values_of_one_column(self, bounds: Call) -> None:
        ran = bounds("--given", "sex=male", "--given", "sex=female")
        assert ran.code == 2
        assert "--given has two values of sex" in ran.err

    def test_sampling_without_an_interval(self, bounds: Call) -> None:
        ran = bounds("--sampling", "resampled")
        assert ran.code == 2
        assert "add --confidence 0.95" in ran.err

    def test_an_indicative_interval_is_called_so(self, bounds: Call) -> None:
        ran = bounds("--confidence", "0.95", "--sampling", "resampled", "-v")
        assert ran.code == 0
        assert "indicative" in ran.out
        assert "promises no coverage" in ran.out

    def test_a_graph_without_a_path(self, bounds: Call) -> None:
        ran = bounds("-v", graph="hired -> sex; dept -> sex; age -> sex")
        assert ran.code == 0
        assert "the graph has no such path from sex to hired: the effect is 0 by assumption" in ran.out

    def test_rows_say_what_they_are_and_rest_on(self, bounds: Call) -> None:
        assert "These are bounds. Assumed: no hidden common causes" in bounds("--for-rows", "dept").out
        ran = bounds("--for-rows", "dept", "--confidence", "0.95")
        assert "These are 95 % intervals, sampling error covered." in ran.out
