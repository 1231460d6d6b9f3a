from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairwitness.report import validate

Call = Callable[..., "object"]


def content(folder: Path) -> dict[str, object]:
    """The report without what differs between two runs."""
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    del document["run"]
    return document


def test_an_audit_writes_one_report(fairwitness: Call, project: Path) -> None:
    ran = fairwitness("audit", "audit.toml")
    assert (ran.code, ran.err) == (0, "")
    document = json.loads((project / "report" / "report.json").read_text(encoding="utf-8"))
    validate(document)
    assert document["audited"]["n_rejected"] > 0
    assert {finding["code"] for finding in document["findings"]} >= {"RATE001", "FLIP001"}
    assert (
        (project / "report" / "report.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    )
    lines = ran.out.strip().splitlines()
    assert len(lines) <= 10
    assert lines[-1] == f"Report: {project / 'report' / 'report.html'}"


def test_equal_seeds_give_equal_reports(fairwitness: Call, project: Path, applications: pd.DataFrame) -> None:
    fairwitness("audit", "audit.toml", "--seed", "0", "--n-jobs", "1", "--out", "one", "-q")
    fairwitness("audit", "audit.toml", "--seed", "0", "--n-jobs", "2", "--out", "two", "-q")
    order = np.random.default_rng(9).permutation(len(applications))
    applications.iloc[order].to_csv(project / "applications.csv", index=False)
    fairwitness("audit", "audit.toml", "--seed", "0", "--out", "shuffled", "-q")
    fairwitness("audit", "audit.toml", "--seed", "1", "--out", "other", "-q")
    one = content(project / "one")
    assert content(project / "two") == one
    assert content(project / "shuffled") == one
    assert content(project / "other") != one


def test_exit_codes(fairwitness: Call, project: Path) -> None:
    assert fairwitness("audit", "audit.toml", "--fail-on", "high", "-q").code == 1
    assert fairwitness("audit", "audit.toml", "--fail-on", "nonsense").code == 2
    assert fairwitness("audit", "nowhere.toml").code == 2
    (project / "applications.csv").unlink()
    ran = fairwitness("audit", "audit.toml")
    assert ran.code == 3
    assert "applications.csv" in ran.err
    assert "Traceback" not in ran.err


def test_json_for_machines(fairwitness: Call, project: Path) -> None:
    ran = fairwitness("audit", "audit.toml", "--format", "json")
    validate(json.loads(ran.out))


def test_people_can_be_left_out(fairwitness: Call, project: Path) -> None:
    fairwitness("audit", "audit.toml", "--no-rows", "-q")
    document = content(project / "report")
    assert all(not feature["people"] for feature in document["sections"]["opportunity"]["features"])


def test_a_pickle_is_refused_unless_allowed(fairwitness: Call, project: Path) -> None:
    import joblib
    from skops.io import load

    joblib.dump(load(project / "model.skops"), project / "model.joblib")
    text = (project / "audit.toml").read_text(encoding="utf-8").replace("model.skops", "model.joblib")
    (project / "audit.toml").write_text(text, encoding="utf-8")
    refused = fairwitness("audit", "audit.toml")
    assert refused.code == 3
    assert "--allow-pickle" in refused.err
    assert not (project / "report").exists()
    assert fairwitness("audit", "audit.toml", "--allow-pickle", "-q").code == 0


@pytest.mark.parametrize("train", ["LR", "SVM"])
def test_a_decision_maker_can_be_trained_out_of_sample(fairwitness: Call, project: Path, train: str) -> None:
    text = (project / "audit.toml").read_text(encoding="utf-8")
    (project / "audit.toml").write_text(
        text.replace('path = "model.skops"', f'train = "{train}"'), encoding="utf-8"
    )
    ran = fairwitness("audit", "audit.toml")
    assert (ran.code, ran.err) == (0, "")
    assert content(project / "report")["audited"]["model"]["n_models"] == 5


def test_the_classifier_can_be_chosen(fairwitness: Call, project: Path) -> None:
    text = (project / "audit.toml").read_text(encoding="utf-8")
    (project / "audit.toml").write_text(text.replace("k = 10", 'k = 10\nclassifier = "RF"'), encoding="utf-8")
    ran = fairwitness("audit", "audit.toml")
    assert (ran.code, ran.err) == (0, "")
    features = content(project / "report")["sections"]["opportunity"]["features"]
    assert "Forest" in features[0]["classifier"]["estimator"]


def test_a_column_of_predictions_is_enough(
    fairwitness: Call, project: Path, applications: pd.DataFrame
) -> None:
    decided = np.where(applications["income"] > 45, "yes", "no")
    applications.assign(decision=decided).to_csv(project / "applications.csv", index=False)
    text = (project / "audit.toml").read_text(encoding="utf-8")
    (project / "audit.toml").write_text(
        text.replace('path = "model.skops"', 'predictions = "decision"'), encoding="utf-8"
    )
    ran = fairwitness("audit", "audit.toml")
    assert (ran.code, ran.err) == (0, "")
    document = content(project / "report")
    assert document["audited"]["n_accepted"] == int((decided == "yes").sum())
    assert "decision" not in document["audited"]["model"]["feature_names"]


PAYLOADS = [
    '<script>alert("x")</script>',
    "<svg onload=alert(1)>",
    "![x](javascript:alert(1))",
    "\x1b[31mred\x1b[0m",
    "\u202eevil\u2066",
    '=HYPERLINK("http://evil","x")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
]


def test_hostile_names_and_values_stay_harmless(
    fairwitness: Call, project: Path, applications: pd.DataFrame
) -> None:
    rng = np.random.default_rng(0)
    hostile = applications.drop(columns="district").assign(
        **{PAYLOADS[0]: rng.choice(PAYLOADS[1:], len(applications)), PAYLOADS[5]: rng.integers(0, 3, 500)}
    )
    hostile["sex"] = hostile["sex"].map({"male": PAYLOADS[1], "female": PAYLOADS[3]})
    hostile.to_csv(project / "applications.csv", index=False)
    text = (project / "audit.toml").read_text(encoding="utf-8")
    text = text.replace('path = "model.skops"', 'train = "DT"').replace('sex = "male"', "")
    (project / "audit.toml").write_text(text, encoding="utf-8")
    ran = fairwitness("audit", "audit.toml", "-v")
    assert ran.code == 0, ran.err
    for shown in (ran.out, ran.err):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    page = (project / "report" / "report.html").read_text(encoding="utf-8")
    for bad in ("<script", "<svg onload", "\x1b", "\u202e", "\u2066"):
        assert bad not in page
    for file in (project / "report").glob("*.csv"):
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.reader(lines):
                for cell in row:
                    assert "\x1b" not in cell
                    if cell.lstrip(" ")[:1] in {"=", "@", "+", "\t"}:
                        float(cell)
                    if cell.startswith("-"):
                        float(cell)


def test_stopping_leaves_no_half_written_report(
    fairwitness: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairwitness import audit

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(audit.METHODS, "opportunity", stop)
    ran = fairwitness("audit", "audit.toml")
    assert ran.code == 130
    assert "Nothing was written" in ran.err
    assert not (project / "report").exists()
