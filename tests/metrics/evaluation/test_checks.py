from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

import fairwitness as fw
from fairwitness.metrics.evaluation.checks import AUDITED
from fairwitness.report import render, validate

RNG = np.random.default_rng(0)
N = 900
SEX = RNG.choice(["f", "m"], N)
X = pd.DataFrame({"skill": RNG.normal(size=N), "hobby": RNG.normal(size=N) + 1.5 * (SEX == "m")})
Y = (X["skill"] + 0.3 * RNG.normal(size=N) > 0).astype(int)
#: Reads what has nothing to do with the outcome and differs between groups.
MODEL = LogisticRegression().fit(X, (X["skill"] + X["hobby"] > 0.7).astype(int))
EVEN = (X["skill"] > 0).astype(int).to_numpy()


def audit(model=MODEL, y=Y, **more):
    return fw.Audit(
        model, X, y, sensitive_features={"sex": SEX}, methods=["evaluation"], random_state=0, **more
    ).run()


@pytest.fixture(scope="module")
def beside():
    compared = {"even": EVEN, "own twin": MODEL, "broken": LogisticRegression()}
    return audit(compare=compared)


def rows(report, **wanted):
    section = report.document["sections"]["evaluation"]
    return [row for row in section["rows"] if all(row[key] == value for key, value in wanted.items())]


def test_performance_is_that_of_scikit_learn() -> None:
    report = audit()
    validate(report.document)
    (balanced,) = rows(report, metric="balanced_accuracy", feature="", group="")
    assert balanced["estimate"]["estimate"] == pytest.approx(balanced_accuracy_score(Y, MODEL.predict(X)))
    women = SEX == "f"
    (auc,) = rows(report, metric="roc_auc", feature="sex", group="f")
    expected = roc_auc_score(Y[women], MODEL.predict_proba(X)[women, 1])
    assert auc["estimate"]["estimate"] == pytest.approx(expected)
    assert auc["estimate"]["low"] < expected < auc["estimate"]["high"]
    assert "balanced accuracy is 0." in report.document["summary"][0]
    assert report.document["sections"]["evaluation"]["planes"] == []


def test_a_gap_in_accuracy_is_a_finding() -> None:
    decided = np.where(SEX == "f", RNG.integers(0, 2, N), Y)
    (found,) = [each for each in audit(decided, privileged="m").findings if each.code == "EVAL001"]
    women = SEX == "f"
    gap = balanced_accuracy_score(Y[women], decided[women]) - 1
    assert found.estimate == pytest.approx(gap)
    assert found.severity == "high"
    assert found.established
    (same,) = [each for each in audit().findings if each.code == "EVAL001"]
    assert same.severity in ("note", "low")


def test_a_model_that_is_as_accurate_and_closer_is_a_finding(beside) -> None:
    found = {each.evidence["model"]: each for each in beside.findings if each.code == "EVAL002"}
    assert set(found) == {"even"}
    decided = MODEL.predict(X)
    gaps = [abs(a[SEX == "f"].mean() - a[SEX == "m"].mean()) for a in (decided, EVEN)]
    assert found["even"].estimate == pytest.approx(gaps[0] - gaps[1])
    assert found["even"].severity == "high"
    assert found["even"].interval[0] > 0


def test_a_less_accurate_model_is_no_alternative() -> None:
    coin = RNG.integers(0, 2, N)
    assert not [each for each in audit(compare={"coin": coin}).findings if each.code == "EVAL002"]


def test_models_stand_on_planes_with_the_front(beside) -> None:
    validate(beside.document)
    planes = {plane["difference"]: plane for plane in beside.document["sections"]["evaluation"]["planes"]}
    parity = planes["statistical_parity_difference"]
    assert [point["model"] for point in parity["points"]] == [AUDITED, "even", "own twin"]
    assert parity["front"] == ["even"]
    # A column of decisions has no scores.
    assert [point["model"] for point in planes["wasserstein_distance_max"]["points"]] == [AUDITED, "own twin"]
    twins = [point for point in parity["points"] if point["model"] != "even"]
    assert twins[0]["difference"]["estimate"] == twins[1]["difference"]["estimate"]


def test_a_model_that_cannot_be_asked_is_said(beside) -> None:
    (answer,) = [each for each in beside.not_applicable if each.subject == "broken"]
    assert "has not been fitted" in answer.reason
    page = render(beside.document)
    assert "broken" in page
    assert "could not be measured" in page


def test_the_page_shows_every_model_and_measure(beside) -> None:
    page = render(beside.document)
    section = page.split('id="evaluation"', 1)[1].split('id="limits"', 1)[0]
    for words in ("The question", "The answer", "How sure", "What it cannot tell you", "How it was computed"):
        assert words in section
    for name in (AUDITED, "even", "own twin"):
        assert name in section
    assert section.count("<svg") == 4
    alone = render(audit().document).split('id="evaluation"', 1)[1].split('id="limits"', 1)[0]
    assert "beside others" not in alone
    assert "Balanced accuracy by sex" in alone


def test_without_outcomes_only_scores_are_compared() -> None:
    report = audit(y=None)
    validate(report.document)
    measured = {row["metric"] for row in rows(report)}
    assert measured >= {"wasserstein_distance_max", "statistical_parity_difference"}
    assert not measured & {"balanced_accuracy", "roc_auc", "theil_index"}
    assert any("true outcomes" in answer.reason for answer in report.not_applicable)
    assert "did not" not in render(report.document).split('id="evaluation"', 1)[1][:200]


def test_decisions_alone_have_no_distances_of_scores() -> None:
    report = audit(EVEN)
    validate(report.document)
    assert not rows(report, metric="mmd_max")
    assert any("scores" in answer.reason for answer in report.not_applicable)


def test_nothing_at_all_to_measure() -> None:
    report = audit(EVEN, y=None)
    validate(report.document)
    assert render(report.document)


def test_equal_seeds_and_shuffled_rows_give_equal_sections() -> None:
    order = RNG.permutation(N)
    first = audit(compare={"even": EVEN}).document["sections"]["evaluation"]
    again = fw.Audit(
        MODEL,
        X.iloc[order],
        Y.iloc[order],
        sensitive_features={"sex": SEX[order]},
        methods=["evaluation"],
        compare={"even": EVEN[order]},
        random_state=0,
    ).run()
    assert again.document["sections"]["evaluation"] == first


def test_hostile_names_stay_harmless() -> None:
    name = "<script>\x1b[31m\u202e"
    report = audit(compare={name: EVEN, "broken<b>": object()})
    page = render(report.document)
    assert "<script>" not in page
    assert "\x1b" not in page
    assert "broken<b>" not in page


def test_the_answer_begins_with_a_sentence(beside) -> None:
    def answer(report) -> str:
        page = render(report.document)
        return page.split('id="evaluation-h"')[1].split("<h3>The answer</h3>")[1]

    alone = re.sub("<[^>]+>", "", answer(audit()).split("</p>")[0])
    assert re.search(r"balanced accuracy is 0\.\d+ \[0\.\d+,\s0\.\d+\] \(guessing gives 0\.5\)", alone)
    assert "most accurate" not in alone
    several = re.sub("<[^>]+>", "", answer(beside).split("</p>")[0])
    assert "Of the 3 models even is the most accurate" in several
    assert "By sex, acceptance rates differ least with even" in several
    caption = re.search(r"<caption[^>]*>(<span>)?Distances from no difference[^<]*", answer(beside))
    assert caption is not None
    assert "* marks models that no other beats" in caption.group()
    constant = answer(audit(compare={"all": np.ones(N, dtype=int)}))
    assert "differ least with all: 0" in re.sub("<[^>]+>", "", constant.split("</p>")[0])
    assert "(accepts everybody)" in re.sub("<[^>]+>", "", constant.split("</p>")[0])
    assert "MMD of scores (0 to √2)" in render(audit().document)


def test_small_groups_are_marked_and_do_not_lead() -> None:
    race = np.where(np.arange(N) < 5, "tiny", np.where(np.arange(N) % 2, "a", "b"))
    decided = np.where(race == "tiny", 0, MODEL.predict(X))

    def of(feature) -> dict:
        report = fw.Audit(
            decided, X, Y, sensitive_features={"race": feature}, methods=["evaluation"], random_state=0,
            compare={"even": EVEN},
        ).run()  # fmt: skip
        validate(report.document)
        return report

    report = of(race)
    planes = report.document["sections"]["evaluation"]["planes"]
    assert planes
    assert not [point for plane in planes for point in plane["points"] if point["group"] == "tiny"]
    assert {row["n_group"] for row in rows(report, group="tiny")} == {5}
    assert not [row for row in rows(report, group="a") if "n_group" in row]
    assert "small, n = 5" in render(report.document)
    only = of(np.where(race == "tiny", "tiny", "rest"))
    (plane,) = [
        each
        for each in only.document["sections"]["evaluation"]["planes"]
        if each["difference"] == "statistical_parity_difference"
    ]
    assert {point["difference"]["reason"].split(";")[0] for point in plane["points"]} == {"small, n = 5"}
    assert "only groups of few rows could be compared" in render(only.document)
