"""``fairwitness canonical``: from scores in the table, and from a model's file."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from tests.canonical.worlds import world
from tests.cli.conftest import Ran

Run = Callable[..., Ran]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    frame, scores = world("proxy", 1500)
    frame.assign(score=scores, paid="yes").to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_scores_of_a_column(fairwitness: Run, table: Path, tmp_path: Path) -> None:
    ran = fairwitness(
        "canonical", table, "--scores", "score", "-s", "sex,race", "--drop", "paid", "--n", "300"
    )
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].startswith("Positive set. Gate: weak")  # no model can be asked
    assert "no model was given" in lines[0]
    assert "the rows that were learnt from" in lines[0]
    assert [line.split()[0] for line in lines[3:5]] == ["sex", "race"]
    assert "club" in lines[5]
    out = tmp_path / "fairwitness-canonical"
    assert {path.name for path in out.iterdir()} == {
        "canonical.json", "canonical.svg", "contrast.csv", "gate.csv", "levels.csv",
    }  # fmt: skip
    found = json.loads((out / "canonical.json").read_text())
    assert {each["name"] for each in found["features"] if each["established"]} == {"sex", "club"}
    assert "paid" not in {each["name"] for each in found["features"]}


def test_large_tables_are_gated_by_halves_and_it_is_said(fairwitness: Run, tmp_path: Path) -> None:
    frame, scores = world("proxy", 2000)
    frame["town"] = frame["town"].astype(object)
    frame.loc[[3, 700], "town"] = ["rare", "rarer"]  # each in one half only
    frame.assign(score=scores).to_csv(tmp_path / "table.csv", index=False)
    ran = fairwitness("canonical", "table.csv", "--scores", "score", "--n", "300")
    assert ran.code == 0, ran.err
    assert "learnt from one half, compared with the other" in ran.out.splitlines()[0]
    found = json.loads((tmp_path / "fairwitness-canonical" / "canonical.json").read_text())
    assert {gate["reference"] for gate in found["gates"]} == {"other half"}


def test_the_same_seed_gives_the_same_files_and_rows_are_written_when_asked(
    fairwitness: Run, table: Path, tmp_path: Path
) -> None:
    more = ("--scores", "score", "--n", "80", "--where", "town=a", "--where", "age=30..60", "--rows", "-q",
            "--positive", "0.5,1", "--negative", "0,0.5")  # fmt: skip
    for folder in ("one", "two"):
        assert fairwitness("canonical", table, *more, "--out", folder).code == 0
    both = (*more, "--where", "town=b", "--out", "both")
    assert fairwitness("canonical", table, *both).code == 0
    assert set(pd.read_csv(tmp_path / "both" / "positive.csv")["town"]) == {"a", "b"}
    gate = pd.read_csv(tmp_path / "both" / "gate.csv").set_index(["set", "name"])["verdict"]
    assert set(gate.xs("right_side", level="name")) == {"not measured"}  # no model that could be asked
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert {"positive.csv", "negative.csv"} <= set(files)
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    made = pd.read_csv(tmp_path / "one" / "positive.csv")
    assert len(made) == 80
    assert (made["town"] == "a").all()
    assert made["age"].between(30, 60).all()


def test_a_model_is_asked_about_its_own_set(fairwitness: Run, table: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(table)
    inputs = ["club", "income"]
    label = (frame["score"] > 0.5).astype(int)
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["club"]), remainder="passthrough"), LogisticRegression()
    ).fit(frame[inputs], label)
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(model))
    refused = fairwitness("canonical", table, "--model", "model.pkl")
    assert refused.code == 3
    ran = fairwitness(
        "canonical", table, "--model", "model.pkl", "--allow-pickle", "-s", "sex", "--positive", "0.6,1",
        "--negative", "0,0.4", "--n", "300", "--format", "json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert [each["name"] for each in found["features"]] == ["income", "sex", "club"]
    measures = {each["name"]: each["value"] for each in found["gates"][0]["measures"]}
    assert measures["score_error"] < 0.05
    assert measures["right_side"] > 0.95


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ((), 2, "either the column of scores or the model"),
        (("--scores", "scor"), 3, "lacks columns"),
        (("--scores", "age"), 3, "between 0 and 1"),
        (("--scores", "score", "--where", "club"), 2, "COLUMN=VALUE"),
        (("--scores", "score", "--where", "club=inn"), 3, "no such level"),
        (("--scores", "score", "--where", "age=old"), 2, "a number or a range"),
        (("--scores", "score", "--where", "age=60..30"), 2, "the wrong way round"),
        (("--scores", "score", "--positive", "0.9"), 2, "two numbers"),
        (("--scores", "score", "--positive", "1,0.9"), 2, "between 0 and 1"),
        (("--scores", "score", "--where", "age=500"), 3, "no row supports the request"),
        (("--scores", "score", "--time-budget", "9"), 2, "for --engine gan"),
        (("--scores", "score", "--time-budget", "0", "--engine", "gan"), 2, "time_budget must be"),
    ],
)
def test_what_cannot_be_answered(
    fairwitness: Run, table: Path, options: tuple[str, ...], code: int, says: str
) -> None:
    ran = fairwitness("canonical", table, *options)
    assert ran.code == code
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_the_gan_stops_in_time(fairwitness: Run, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    frame, scores = world("direct", 120)
    frame.assign(score=scores).to_csv(tmp_path / "small.csv", index=False)
    ran = fairwitness(
        "canonical", "small.csv", "--scores", "score", "--n", "40", "--engine", "gan", "--time-budget", "0.2",
        "--positive", "0.5,1",
    )  # fmt: skip
    assert ran.code in (0, 1), ran.err
    assert "The time budget ended the training" in ran.out + ran.err
    assert "Positive set. Gate" in ran.out
    assert (tmp_path / "fairwitness-canonical" / "contrast.csv").exists()


def test_without_torch_the_extra_is_named(
    fairwitness: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # what Python takes for a module that is not there
    ran = fairwitness("canonical", table, "--scores", "score", "--engine", "gan")
    assert ran.code != 0
    assert "fairwitness[gan]" in ran.err
    assert "Traceback" not in ran.err


def test_a_set_that_the_gate_refuses_is_not_shown(fairwitness: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "k": rng.choice(["a", "b"], 60), "score": rng.random(60)})
    frame.to_csv(tmp_path / "few.csv", index=False)
    ran = fairwitness("canonical", "few.csv", "--scores", "score", "--n", "50")
    assert ran.code == 1
    assert "do not use" in ran.out
    assert "p, corrected" not in ran.out
