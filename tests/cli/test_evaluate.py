from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

Call = Callable[..., "object"]
QUICK = ("--metrics", "balanced_accuracy", "--metrics", "statistical_parity_difference")


@pytest.fixture
def judged(project: Path, applications: pd.DataFrame) -> Path:
    """The applications with two columns of decisions and one of scores."""
    table = applications.assign(
        strict=np.where(applications["income"] > 50, "yes", "no"),
        even=np.where(applications["income"] + 12 * (applications["sex"] == "female") > 50, "yes", "no"),
        score=1 / (1 + np.exp((50 - applications["income"]) / 5)),
    )
    table.to_csv(project / "judged.csv", index=False)
    return project


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "evaluation.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def only(folder: Path, **wanted: str) -> float:
    (found,) = [row for row in rows(folder) if all(row[name] == value for name, value in wanted.items())]
    return float(found["estimate"])


def test_columns_of_predictions(fairwitness: Call, judged: Path, applications: pd.DataFrame) -> None:
    ran = fairwitness(
        "evaluate", "judged.csv", "--outcome", "approved", "--predictions", "strict,even",
        "--sensitive", "sex", "--out", "out", *QUICK,
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    out = judged / "out"
    strict = applications["income"] > 50
    women = applications["sex"] == "female"
    gap = strict[women].mean() - strict[~women].mean()
    found = only(out, model="strict", metric="statistical_parity_difference", group="female")
    assert found == pytest.approx(gap)
    good = applications["approved"] == "yes"
    right = ((strict & good).sum() / good.sum() + (~strict & ~good).sum() / (~good).sum()) / 2
    assert only(out, model="strict", metric="balanced_accuracy", feature="") == pytest.approx(right)
    document = json.loads((out / "evaluation.json").read_text(encoding="utf-8"))
    assert document["pareto"]["by_feature"]["sex"] == ["even", "strict"]
    assert (out / "evaluation.png").read_bytes().startswith(b"\x89PNG")
    assert (out / "evaluation.svg").read_text(encoding="utf-8").startswith("<svg")
    lines = ran.out.splitlines()
    assert lines[0] == "Statistical parity difference by sex:"
    assert lines[2].startswith("strict")
    assert lines[3].startswith("even")
    assert len(lines) <= 10


def test_decisions_and_scores_go_together(fairwitness: Call, judged: Path) -> None:
    ran = fairwitness(
        "evaluate", "judged.csv", "-y", "approved", "-p", "strict", "--score", "score", "-s", "sex",
        "--metrics", "roc_auc", "--metrics", "accuracy", "--out", "both",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    fairwitness(
        "evaluate", "judged.csv", "-y", "approved", "--score", "score", "-s", "sex",
        "--metrics", "roc_auc", "--out", "alone",
    )  # fmt: skip
    both = only(judged / "both", model="strict", metric="roc_auc", feature="")
    assert both == only(judged / "alone", model="score", metric="roc_auc", feature="")
    assert both > 0.8


def write_toml(folder: Path, models: str, **settings: str) -> None:
    more = "\n".join(f"{name} = {value}" for name, value in settings.items())
    (folder / "evaluate.toml").write_text(
        f"""
[table]
path = "judged.csv"
drop = ["even"]
[outcome]
column = "approved"
favorable = "yes"
[sensitive]
columns = ["sex"]
[evaluate]
seeds = 2
metrics = ["balanced_accuracy", "statistical_parity_difference"]
out = "out"
{more}
{models}
""",
        encoding="utf-8",
    )


def test_a_file_of_models(fairwitness: Call, judged: Path) -> None:
    write_toml(
        judged,
        """
[models.loaded]
path = "model.skops"
[models.trained]
train = "LR"
features = ["income", "children"]
[models.equal]
train = "FairC"
features = ["income", "children"]
[models.column]
predictions = "strict"
""",
    )
    ran = fairwitness("evaluate", "evaluate.toml")
    assert (ran.code, ran.err) == (0, "")
    found = rows(judged / "out")
    seeds = {name: {row["seed"] for row in found if row["model"] == name} for name in ("loaded", "trained")}
    assert seeds == {"loaded": {"all"}, "trained": {"0", "1", "mean"}}
    plain = only(judged / "out", model="trained", metric="statistical_parity_difference", seed="mean")
    equal = only(judged / "out", model="equal", metric="statistical_parity_difference", seed="mean")
    assert abs(equal) < abs(plain)
    assert "Means over 2 splits with 20% test rows" in ran.out
    first = (judged / "out" / "evaluation.json").read_bytes()
    fairwitness("evaluate", "evaluate.toml", "-q")
    assert (judged / "out" / "evaluation.json").read_bytes() == first


def test_a_model_that_fails_is_said_and_the_others_are_there(fairwitness: Call, judged: Path) -> None:
    write_toml(
        judged,
        """
[models.column]
predictions = "strict"
[models.wrong]
path = "model.skops"
features = ["income"]
""",
    )
    ran = fairwitness("evaluate", "evaluate.toml")
    assert ran.code == 3
    assert {row["model"] for row in rows(judged / "out")} == {"column"}
    assert "Left out: wrong:" in ran.out


def test_a_pickle_is_refused_unless_allowed(fairwitness: Call, judged: Path) -> None:
    import joblib
    from skops.io import load

    joblib.dump(load(judged / "model.skops"), judged / "model.joblib")
    write_toml(judged, '[models.pickled]\npath = "model.joblib"')
    ran = fairwitness("evaluate", "evaluate.toml", "-q")
    assert ran.code == 3
    assert "evaluate.toml, line 15" in ran.err
    assert "pickle" in ran.err
    assert fairwitness("evaluate", "evaluate.toml", "-q", "--allow-pickle").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("judged.csv", "-s", "sex"), 2, "--predictions"),
        (("judged.csv", "-p", "strict"), 2, "--sensitive"),
        (("judged.csv", "-p", "strict,even", "--score", "score", "-s", "sex"), 2, "2 and 1"),
        (("judged.csv", "-p", "nowhere", "-s", "sex"), 3, "nowhere"),
        (("judged.csv", "-p", "strict", "-s", "sex", "-y", "approved", "--favorable", "maybe"), 3, "maybe"),
        (("judged.csv", "-p", "strict", "-s", "sex", "-y", "district"), 3, "--favorable"),
        (("judged.csv", "-p", "strict", "-s", "sex", "--metrics", "nonsense"), 2, "nonsense"),
        (("judged.csv", "-p", "strict", "-s", "sex", "--confidence", "95"), 2, "confidence"),
        (("nowhere.csv", "-p", "strict", "-s", "sex"), 3, "nowhere.csv"),
        (("nowhere.toml",), 2, "nowhere.toml"),
        (("nowhere.toml", "-s", "sex"), 2, "--sensitive"),
    ],
)
def test_what_makes_no_sense_is_said(
    fairwitness: Call, judged: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = fairwitness("evaluate", *arguments, "--out", "out")
    assert ran.code == code, ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[models.a]\npath = "m.skops"\ntrain = "LR"', "exactly one of path, predictions and train"),
        ('[models.a]\ntrain = "LRX"', "train is not one of"),
        ('[models.a]\npredictions = "strict"\nfeatures = ["income"]', "features says nothing about"),
        ("[models]", "there are no models"),
        ('[models.a]\npredictions = "approved"', "are the outcome"),
        ('[models.a]\npredictions = "gone"', "no column 'gone'"),
        ('[modles.a]\npath = "m"', "write models"),
    ],
)
def test_a_wrong_file_names_the_line(fairwitness: Call, judged: Path, text: str, said: str) -> None:
    write_toml(judged, text)
    ran = fairwitness("evaluate", "evaluate.toml")
    assert ran.code in (2, 3)
    assert "evaluate.toml" in ran.err
    assert said in ran.err


def test_json_for_machines(fairwitness: Call, judged: Path) -> None:
    ran = fairwitness(
        "evaluate", "judged.csv", "-y", "approved", "-p", "strict", "-s", "sex", "--out", "o", "--format",
        "json", *QUICK,
    )  # fmt: skip
    assert json.loads(ran.out)["models"] == ["strict"]


def test_a_regression(fairwitness: Call, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 300)
    grade = rng.normal(size=300) + (sex == "m")
    pd.DataFrame({"sex": sex, "grade": grade, "guess": grade + 0.5, "same": 0.5}).to_csv(
        tmp_path / "grades.csv", index=False
    )
    ran = fairwitness(
        "evaluate", "grades.csv", "-y", "grade", "-p", "guess", "-p", "same", "-s", "sex", "--out", "out"
    )
    assert ran.code == 0, ran.err
    assert only(tmp_path / "out", model="guess", metric="rmse", feature="") == pytest.approx(0.5)
    assert only(tmp_path / "out", model="same", metric="wasserstein_distance_max") == 0


def test_numbers_beside_words_are_not_taken_for_no(fairwitness: Call, judged: Path) -> None:
    table = pd.read_csv(judged / "judged.csv")
    table.assign(coded=(table["strict"] == "yes").astype(int)).to_csv(judged / "judged.csv", index=False)
    ran = fairwitness(
        "evaluate", "judged.csv", "-y", "approved", "-p", "coded", "-p", "strict", "-s", "sex",
        "--out", "out", *QUICK,
    )  # fmt: skip
    assert ran.code != 0
    assert "no prediction in coded is 'yes'" in ran.out + ran.err


def test_small_groups_and_constant_models_are_marked(fairwitness: Call, judged: Path) -> None:
    table = pd.read_csv(judged / "judged.csv")
    at = np.arange(len(table))
    table.assign(
        everyone="yes",
        region=np.where(at < 4, "isle", np.where(at % 2, "north", "south")),
        rare=np.where(at < 4, "rare", "usual"),
        strict=np.where(at < 4, "no", table["strict"]),
    ).to_csv(judged / "judged.csv", index=False)
    ran = fairwitness(
        "evaluate", "judged.csv", "-y", "approved", "-p", "everyone,strict", "-s", "region,rare",
        "--out", "out", *QUICK,
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    text = " ".join(ran.out.split())
    assert "everyone accepts everybody." in text
    assert "isle" not in text
    assert "(small, n = 4)" in text
    assert {row["status"] for row in rows(judged / "out") if row["group"] == "isle"} <= {"small", "partial"}
