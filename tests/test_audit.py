"""The audit end to end, on a table small enough to run in a moment."""

from __future__ import annotations

import csv
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import fairwitness as fw
from fairwitness.audit import METHODS
from fairwitness.errors import ConfigError, FairwitnessWarning
from fairwitness.findings import SEVERITIES
from fairwitness.model import CrossFitted
from fairwitness.report import validate

INPUTS = ["height", "merit", "town"]


def encoded(estimator: Any) -> Pipeline:
    numbers = make_column_selector(dtype_include="number")
    words = make_column_selector(dtype_exclude="number")
    columns = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(), words))
    return make_pipeline(columns, estimator)


#: A classifier that is quick to fit; the default is tried once.
FAST = {"classifier": encoded(LogisticRegression())}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    n = 300
    woman, old = rng.random(n) < 0.5, rng.random(n) < 0.4
    table = pd.DataFrame(
        {
            "height": np.round(178 - 13 * woman + rng.normal(0, 6, n), 1),
            "merit": rng.integers(0, 40, n),
            "town": rng.choice(["A", "B", "C"], n),
            "sex": np.where(woman, "woman", "man"),
            "age": np.where(old, rng.integers(50, 80, n), rng.integers(20, 50, n)),
        }
    )
    good = 0.2 * (table["height"] - 172) + 0.15 * (table["merit"] - 20) + rng.normal(0, 1, n) > 0
    return table.assign(paid=np.where(good, "yes", "no"))


@pytest.fixture(scope="module")
def model(people: pd.DataFrame) -> Pipeline:
    return encoded(LogisticRegression()).fit(people[INPUTS], people["paid"])


def audit(model: object, table: Any, **changes: Any) -> fw.Audit:
    arguments: dict[str, Any] = {
        "sensitive_features": ["sex"],
        "privileged": {"sex": "man"},
        "favorable": "yes",
        "k": 8,
        "random_state": 0,
        "n_jobs": 1,
        "settings": FAST,
        **changes,
    }
    y = arguments.pop("y") if "y" in arguments else table["paid"]
    return fw.Audit(model, table, y, **arguments)


@pytest.fixture(scope="module")
def report(model: Pipeline, people: pd.DataFrame) -> fw.AuditReport:
    return audit(
        model, people, sensitive_features=["sex", "age > 49"], privileged=None, people="applicants",
        outcome="paid", source="people.csv", notes="Rows without an outcome were left out.",
    ).run()  # fmt: skip


def facts(report: fw.AuditReport) -> str:
    """The document without the one part that may differ between equal audits."""
    return json.dumps(
        {name: part for name, part in report.to_dict().items() if name != "run"}, sort_keys=True
    )


def test_all_methods_are_planned_and_some_can_be_chosen(model: Pipeline, people: pd.DataFrame) -> None:
    assert (
        audit(model, people).methods
        == tuple(METHODS)
        == ("rates", "opportunity", "bounds", "canonical", "evaluation")
    )
    assert (
        repr(audit(model, people))
        == "<Audit: rates, opportunity, bounds, canonical, evaluation; run() gives the report>"
    )
    assert audit(model, people, methods=["opportunity", "rates"]).methods == ("rates", "opportunity")
    one = audit(model, people, methods="rates").run()
    assert [section.key for section in one.sections] == ["data", "rates"]
    assert set(one.document["sections"]) == {"rates"}
    validate(one.document)


def test_some_intersections_can_be_chosen(model: Pipeline, people: pd.DataFrame) -> None:
    features = {"sex": people["sex"], "age > 49": people["age"], "town": people["town"]}

    def names(intersections: Any) -> list[str]:
        report = audit(
            model, people, sensitive_features=features, privileged=None, methods="rates",
            intersections=intersections,
        ).run()  # fmt: skip
        return [feature["name"] for feature in report.document["audited"]["sensitive_features"]][3:]

    assert names([("sex", "town")]) == ["sex × town"]
    assert names(True) == ["sex × age > 49 × town"]
    assert names(False) == names(None) == []
    with pytest.raises(ConfigError, match="lists of names; got 'sex'"):
        names("sex")


def test_words_for_the_report_may_be_left_out(model: Pipeline, people: pd.DataFrame) -> None:
    report = audit(model, people, methods="rates", people=None, source=None, notes=None, command=None).run()
    validate(report.document)
    assert report.document["audited"]["people"] == "people"


@pytest.mark.parametrize("methods", ["rate", ["rates", "bound"], [], None, 3, [1], ["auto", "rates"]])
def test_methods_that_do_not_exist(model: Pipeline, people: pd.DataFrame, methods: Any) -> None:
    with pytest.raises(ConfigError, match="use auto, or some of rates, opportunity, bounds"):
        audit(model, people, methods=methods)


def test_the_document_follows_the_shipped_schema(report: fw.AuditReport) -> None:
    document = report.document
    validate(document)
    validate(json.loads(report.to_json()))
    assert json.loads(json.dumps(document, allow_nan=False)) == json.loads(report.to_json()) == document
    audited = document["audited"]
    assert audited["table"]["source"] == "people.csv"
    assert audited["people"] == "applicants"
    assert audited["n_accepted"] + audited["n_rejected"] == 300
    names = [feature["name"] for feature in audited["sensitive_features"]]
    assert names == ["sex", "age > 49", "sex × age > 49"]
    assert document["limits"]["data"][0] == "Rows without an outcome were left out."
    assert set(document["run"]["seconds"]) == {
        "prepare",
        "rates",
        "opportunity",
        "bounds",
        "canonical",
        "evaluation",
    }
    # Rates, one paragraph a feature, canonical sets, how well the model predicts, and what it reads.
    assert len(document["summary"]) == 6
    assert document["summary"][-1].startswith("The model reads 3 columns; sex and age are not among them.")


def test_rates_are_those_that_counting_gives(
    report: fw.AuditReport, model: Pipeline, people: pd.DataFrame
) -> None:
    accepted = pd.Series(model.predict(people[INPUTS]) == "yes")
    shares = accepted.groupby(people["sex"]).mean()
    paid = accepted[people["paid"] == "yes"].groupby(people["sex"]).mean()
    rates = report.sections[1].results[0]
    for group in ("man", "woman"):
        assert rates[group].acceptance.estimate == pytest.approx(shares[group])
        assert rates[group].true_positive_rate.estimate == pytest.approx(paid[group])


def test_every_counterfactual_is_accepted_by_the_users_own_model(
    report: fw.AuditReport, model: Pipeline
) -> None:
    found = report.sections[2].results[0].counterfactuals
    assert len(found) > 500
    assert (model.predict(found.encoder.decode(found.rows)) == "yes").all()
    assert (model.predict(found.encoder.decode(found.queries)) == "no").all()


def test_findings_come_sorted_and_by_severity(report: fw.AuditReport) -> None:
    findings = report.findings
    assert [finding.code for finding in findings].count("FLIP001") >= 2
    keys = [(not finding.established, SEVERITIES.index(finding.severity)) for finding in findings]
    assert keys == sorted(keys)
    assert [each["title"] for each in report.document["findings"]] == [each.title for each in findings]
    counted = [len(report.at_least(severity)) for severity in SEVERITIES]
    assert counted == sorted(counted)
    assert counted[0] > 0
    assert all(finding.severity == "high" for finding in report.at_least("high"))
    assert all(finding.established for finding in report.at_least("note"))
    for wrong in ("worst", "HIGH", None):
        with pytest.raises(ConfigError, match="no such severity"):
            report.at_least(wrong)  # type: ignore[arg-type]


def test_the_report_says_what_it_is_in_a_line_and_in_a_notebook(report: fw.AuditReport) -> None:
    assert repr(report).startswith("<AuditReport: ")
    assert f"{len(report.at_least('high'))} high" in repr(report)
    frame = report._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert "<h1" not in frame  # the page is escaped inside the attribute


def test_pages_and_files_are_written(report: fw.AuditReport, tmp_path: Path) -> None:
    page = report.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert page.startswith("<!doctype html>")
    assert json.loads(report.to_json(str(tmp_path / "report.json"))) == json.loads(report.to_json())
    folder = report.write(tmp_path / "out", rows=False)
    assert (folder / "report.html").stat().st_size < (tmp_path / "page.html").stat().st_size
    assert {"report.html", "report.json", "rates.csv", "opportunity.csv", "proxies.csv"} <= {
        path.name for path in folder.iterdir()
    }
    with (folder / "opportunity.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(report.tables["opportunity"])
    for path in (tmp_path / "missing" / "page.html", tmp_path, 3):
        with pytest.raises(ConfigError, match=r"cannot be written|name of a file"):
            report.to_html(path)  # type: ignore[arg-type]


def test_equal_seeds_give_equal_documents(model: Pipeline, people: pd.DataFrame) -> None:
    first = facts(audit(model, people).run())
    order = np.random.default_rng(1).permutation(len(people))
    same: list[Any] = [
        people.iloc[order],
        people.iloc[order].reset_index(drop=True),
        people[people.columns[::-1]],
    ]
    for table in same:
        assert facts(audit(model, table).run()) == first
    assert facts(audit(model, people, n_jobs=2).run()) == first
    chunked = {**FAST, "generator": fw.counterfactuals.NeighborGenerator(chunk_size=7, n_jobs=1)}
    again = json.loads(facts(audit(model, people, settings=chunked).run()))
    again["reproducibility"]["settings"].pop("generator")  # named, where it was asked for
    assert again == json.loads(first)
    assert facts(audit(model, people, random_state=1).run()) != first


def test_any_container_gives_the_same_numbers(people: pd.DataFrame, model: Pipeline) -> None:
    first = facts(audit(model, people).run())
    for table in (pl.from_pandas(people), pl.from_pandas(people).to_arrow()):
        assert facts(audit(model, table).run()) == first
    beside = audit(model, people[INPUTS], y=people["paid"], sensitive_features=people[["sex"]])
    assert facts(beside.run()) == first


def test_a_cross_fitted_decision_maker_judges_out_of_sample(people: pd.DataFrame) -> None:
    fitted = CrossFitted(encoded(LogisticRegression()), cv=3, random_state=0, n_jobs=1)
    fitted.fit(people[INPUTS], people["paid"])
    report = audit(fitted, people).run()
    validate(report.document)
    assert report.document["audited"]["model"]["n_models"] == 3
    held_out = fitted.held_out_proba(people[INPUTS])[:, list(fitted.classes_).index("yes")]
    assert report.document["audited"]["n_accepted"] == int((held_out > 0.5).sum())
    result = report.sections[2].results[0]
    folds = fitted.folds_[result.rows]
    for fold, member in enumerate(fitted.members(favorable="yes")):
        lines = np.flatnonzero(folds[result.counterfactuals.query] == fold)
        rows = result.counterfactuals.encoder.decode(result.counterfactuals.rows[lines])
        assert member.judge(rows).accepted.all()
    shuffled = people.sample(frac=1, random_state=0)
    again = CrossFitted(encoded(LogisticRegression()), cv=3, random_state=0, n_jobs=2)
    again.fit(shuffled[INPUTS], shuffled["paid"])
    assert facts(audit(again, shuffled).run()) == facts(report)


def test_a_column_of_predictions_is_enough(
    model: Pipeline, people: pd.DataFrame, report: fw.AuditReport
) -> None:
    told = audit(model.predict(people[INPUTS]), people[[*INPUTS, "sex"]], y=people["paid"]).run()
    validate(told.document)
    assert told.document["audited"]["model"]["kind"] == "predictions"
    mine, theirs = (each.sections[2].results[0]["woman"].at() for each in (told, report))
    assert mine.estimate == theirs.estimate
    genetic = {**FAST, "generator": fw.counterfactuals.GeneticGenerator()}
    asked = audit(
        model.predict(people[INPUTS]), people[[*INPUTS, "sex"]], y=people["paid"], settings=genetic
    ).run()
    assert "column of predictions" in asked.not_applicable[0].reason
    validate(asked.document)


def test_without_outcomes_what_needs_them_is_not_applicable(model: Pipeline, people: pd.DataFrame) -> None:
    report = audit(model, people, y=None).run()
    assert [answer.method for answer in report.not_applicable] == ["rates", "bounds", "evaluation"]
    assert "true outcomes" in report.not_applicable[0].reason
    validate(report.document)


def test_a_model_that_accepts_everybody_is_answered(people: pd.DataFrame) -> None:
    report = audit(lambda rows: np.ones(len(rows)), people[[*INPUTS, "sex"]], y=None, favorable=1).run()
    assert "rejects nobody" in " ".join(answer.reason for answer in report.not_applicable)
    validate(report.document)
    assert "rejects nobody" in report.to_html()


def test_our_warnings_reach_the_report_and_others_the_caller(people: pd.DataFrame) -> None:
    def noisy(rows: pd.DataFrame) -> np.ndarray:
        warnings.warn("of the table", FairwitnessWarning, stacklevel=1)
        warnings.warn("of another library", UserWarning, stacklevel=1)
        return 1 / (1 + np.exp(-0.2 * (rows["height"] - 172)))

    with pytest.warns(UserWarning, match="of another library") as caught:
        report = audit(noisy, people[[*INPUTS, "sex"]], y=None, favorable=1, methods="rates").run()
    assert report.document["limits"]["warnings"] == ["of the table"]
    assert not [each for each in caught if issubclass(each.category, FairwitnessWarning)]


def test_hostile_names_and_values_are_made_visible(people: pd.DataFrame) -> None:
    payload = '<img src=x onerror="alert(1)">'
    table = people[INPUTS].rename(columns={"town": payload})
    hostile = people["sex"].replace({"woman": f"{payload}\u202e\x1b[31m", "man": "=1+1"}).rename("<b>sex")
    report = audit(
        lambda rows: 1 / (1 + np.exp(-0.2 * (rows["height"] - 172))), table, y=None, favorable=1,
        sensitive_features=hostile, privileged="=1+1",
    ).run()  # fmt: skip
    validate(report.document)
    page = report.to_html()
    assert "<img" not in page
    assert not {"\u202e", "\x1b"} & set(page + repr(report.findings))


def test_the_default_classifier_needs_no_settings(model: Pipeline, people: pd.DataFrame) -> None:
    report = audit(model, people, settings=None, methods=["opportunity"]).run()
    classifier = report.document["sections"]["opportunity"]["features"][0]["classifier"]
    assert classifier["estimator"] == "gradient boosting"
    assert classifier["better_than_chance"]


GRAPH = "sex -> height; town; {height, merit, town} -> decision; sex -> merit; height <-> merit"
CUT = {"bins": {"height": [172], "merit": [20]}, "sampling_error": "none"}


@pytest.fixture(scope="module")
def bounded(model: Pipeline, people: pd.DataFrame) -> fw.AuditReport:
    return audit(model, people, graph=GRAPH, settings={**FAST, **CUT}, outcome="paid").run()


def test_a_causal_graph_gives_bounds(bounded: fw.AuditReport, tmp_path: Path) -> None:
    validate(bounded.document)
    assert list(bounded.document["sections"]) == ["rates", "opportunity", "bounds", "canonical", "evaluation"]
    assert {"BND001", "BND005"} <= {finding.code for finding in bounded.findings}
    assert any("If the causal graph holds" in paragraph for paragraph in bounded.document["summary"])
    assert '<section id="bounds"' in bounded.to_html()
    folder = bounded.write(tmp_path / "out", rows=False)
    assert {"bounds.csv", "bounds_ladder.csv", "bounds_people.csv"} <= {
        path.name for path in folder.iterdir()
    }
    settings = bounded.document["reproducibility"]["settings"]
    assert settings["bins"] == {"height": [172], "merit": [20]}


def test_without_a_causal_graph_bounds_say_so_quietly(report: fw.AuditReport) -> None:
    assert "bounds" not in report.document["sections"]
    (answer,) = [answer for answer in report.not_applicable if answer.method == "bounds"]
    assert "none was given" in answer.reason
    page = report.to_html()
    assert answer.reason not in page.split('id="findings"')[0]
    assert answer.reason in page


def test_order_and_container_leave_bounds_as_they_are(
    model: Pipeline, people: pd.DataFrame, bounded: fw.AuditReport
) -> None:
    def bounds(table: Any, **changes: Any) -> Any:
        settings = {**FAST, **CUT}
        arguments = {
            "graph": GRAPH,
            "settings": settings,
            "outcome": "paid",
            "methods": ["bounds"],
            **changes,
        }
        return audit(model, table, **arguments).run().document["sections"]["bounds"]

    first = bounded.document["sections"]["bounds"]
    shuffled = people.sample(frac=1, random_state=2)
    for table in (shuffled, pl.from_pandas(people), pl.from_pandas(people).to_arrow()):
        assert bounds(table) == first
    drawn = {"settings": {**FAST, **CUT, "sampling_error": "resampled"}}
    assert bounds(people, **drawn) == bounds(shuffled, n_jobs=2, **drawn)


def test_a_graph_that_cannot_be_is_refused_before_anything_runs(
    model: Pipeline, people: pd.DataFrame
) -> None:
    for graph, settings, says in (
        ("sex -> height -> sex", None, "cycle"),
        ("sex -> height -> decision", {"bins": {"merit": [3]}}, "in bins"),
        ("sex -> decision", {"tau": 3}, "tau must be a number"),
    ):
        with pytest.raises(ConfigError, match=says):
            audit(model, people, graph=graph, settings=settings)
    with pytest.raises(ConfigError, match=r"node 'heigth'.*did you mean 'height'"):
        audit(model, people, graph="sex -> heigth -> decision").run()
