"""Canonical sets in an audit: findings, sentences, the document, and the page that is drawn from it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.canonical.worlds import world

import fairwitness as fw
from fairwitness.report.document import validate


def by_club(frame: pd.DataFrame) -> np.ndarray:
    """A model that reads the club, and a little of the income."""
    frame = frame.to_pandas() if isinstance(frame, pl.DataFrame) else frame
    return np.asarray(1 / (1 + np.exp(-(2.0 * (frame["club"] == "in") - 1 + frame["income"] / 100))))


def audited(n: int = 1200, model: object = by_club, **options: object) -> fw.AuditReport:
    frame, _ = world("proxy", n)
    inputs = frame[["age", "income", "club", "town"]]
    options = {
        "sensitive_features": frame[["sex", "race"]],
        "methods": ["canonical"],
        "random_state": 0,
    } | options
    given = options.pop("X", inputs)
    return fw.Audit(model, given, **options).run()  # type: ignore[arg-type]


def test_a_proxy_is_found_though_the_model_does_not_see_the_feature() -> None:
    report = audited()
    validate(report.document)
    findings = {finding.subject: finding for finding in report.findings if finding.code == "CAN001"}
    assert findings["sex"].established
    assert findings["sex"].severity == "high"
    assert findings["sex"].evidence["seen_by_the_model"] is False
    assert findings["sex"].evidence["gate"] in ("trust", "weak")
    assert not findings["race"].established
    section = report.document["sections"]["canonical"]
    assert [each["seen"] for each in section["sensitive"]] == [False, False]
    assert section["shown"][:2] == ["sex", "race"]
    assert len(section["gates"]) == 2
    assert section["intersections"][0]["row"] == "sex"
    assert report.sections[-1].tables["canonical_gate"]
    (said,) = [text for text in report.document["summary"] if "profiles" in text]
    assert "By race, no difference beyond chance was found" in said
    assert "the gate says" in said


def test_the_page_has_the_verdict_before_all_else() -> None:
    report = audited()
    page = report.to_html()
    section = page[page.index('<section id="canonical"') : page.index('<section id="limits"')]
    verdict = report.document["sections"]["canonical"]["verdict"]
    assert section.index(f"Gate: {verdict}.") < section.index("The question") < section.index("<figure")
    assert section.index("What the gate measured") > section.index("How sure")
    assert "The model does not see" in section
    assert f"(gate: {verdict})" in section  # with every figure
    assert '<a href="#canonical">Canonical sets</a>' in page


def test_a_set_that_is_not_to_be_used_is_no_answer() -> None:
    frame, _ = world("proxy", 1200)

    def restless(rows: pd.DataFrame) -> np.ndarray:
        # asked about made rows, it answers the other way round: none has the score it was made for
        return by_club(rows) if len(rows) == len(frame) else 1 - by_club(rows)

    report = audited(model=restless)
    section = report.document["sections"]["canonical"]
    assert section["verdict"] == "do not use"
    assert not any(finding.established for finding in report.findings if finding.code == "CAN001")
    (note,) = [finding for finding in report.findings if finding.code == "CAN002"]
    assert "do not use" in note.title
    page = report.to_html()
    assert "so they are no answer" in page
    assert 'id="canonical-features"' not in page
    assert any("says not to use them" in text for text in report.document["summary"])


@pytest.mark.parametrize("container", ["polars", "pyarrow"])
def test_other_libraries_give_the_same_answer(container: str) -> None:
    frame, _ = world("proxy", 300)
    inputs = frame[["age", "income", "club", "town"]]
    given = pl.from_pandas(inputs)
    if container == "pyarrow":
        given = given.to_arrow()
    one = audited(300, sensitive_features={"sex": frame["sex"].tolist()})
    other = audited(300, X=given, sensitive_features={"sex": frame["sex"].tolist()})
    assert one.document["sections"]["canonical"] == other.document["sections"]["canonical"]


def test_decisions_without_scores_are_compared_as_they_are() -> None:
    accepted = pd.Series(by_club(world("proxy", 1200)[0]) > 0.5).map({True: 1, False: 0})
    report = audited(model=accepted.to_numpy())
    section = report.document["sections"]["canonical"]
    assert section["decisions_only"]
    assert section["verdict"] == "weak"  # a column of decisions cannot be asked
    assert "could not be asked" in report.to_html()
    assert next(f for f in report.findings if f.code == "CAN001" and f.subject == "sex").established


@pytest.mark.parametrize(
    ("n", "model", "says"),
    [
        (60, by_club, "60 are too few"),
        (300, lambda frame: np.full(len(frame), 0.7), "same score"),
    ],
)
def test_what_does_not_apply_is_said(n: int, model: object, says: str) -> None:
    report = audited(n, model)
    (answer,) = [each for each in report.not_applicable if each.method == "canonical"]
    assert says in answer.reason
    assert "canonical" not in report.document["sections"]
    assert '<section id="canonical"' not in report.to_html()


@pytest.mark.parametrize(
    ("n", "reference", "says"),
    [(1200, "learnt", "which is lenient"), (2000, "other half", "compared with the other half")],
)
def test_the_report_says_which_rows_the_gate_compared_with(n: int, reference: str, says: str) -> None:
    report = audited(n)
    gates = report.document["sections"]["canonical"]["gates"]
    assert [gate["reference"] for gate in gates] == [reference, reference]
    page = report.to_html()
    assert page.count(says) == 1
    request = gates[0]["request"]
    low = float(request.split("from ")[1].split(" to")[0])
    scores = by_club(world("proxy", n)[0])
    # half of the rows with such scores, or all of them
    share = gates[0]["n_reference"] / (scores >= low).sum()
    assert share == pytest.approx(1.0 if reference == "learnt" else 0.5, abs=0.15)
    validate(report.document)


def test_a_seed_and_the_order_of_rows() -> None:
    frame, _ = world("proxy", 400)
    order = np.random.default_rng(0).permutation(400)
    one = audited(400)
    other = audited(
        400,
        X=frame[["age", "income", "club", "town"]].iloc[order],
        sensitive_features=frame[["sex", "race"]].iloc[order],
    )
    assert one.document["sections"]["canonical"] == other.document["sections"]["canonical"]
