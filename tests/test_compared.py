"""``[compare]`` of an audit.toml: other models beside the audited one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairwitness.config import parse_config
from fairwitness.configured import audit_from_config
from fairwitness.errors import ConfigError, DataError, ModelError

RNG = np.random.default_rng(0)
HEAD = """
[table]
path = "people.csv"
[outcome]
column = "hired"
favorable = "yes"
[sensitive]
columns = ["sex"]
[model]
predictions = "now"
[methods]
run = ["evaluation"]
[compare]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    n = 300
    sex, skill = RNG.choice(["f", "m"], n), RNG.normal(size=n).round(3)
    table = pd.DataFrame({"sex": sex, "skill": skill, "noise": RNG.normal(size=n).round(3)})
    table["hired"] = np.where(skill + RNG.normal(size=n) > 0, "yes", "no")
    table["now"] = np.where(skill + (sex == "m") > 0.5, "yes", "no")
    table["vendor"] = np.where(skill > 0, "yes", "no")
    table["score"] = 1 / (1 + np.exp(-skill))
    table.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


def audited(folder: Path, text: str):
    return audit_from_config(parse_config(HEAD + text, source=folder / "audit.toml")).run()


def test_predictions_scores_and_trained_models_stand_beside(folder: Path) -> None:
    report = audited(
        folder,
        'vendor = { predictions = "vendor" }\nscored = { predictions = "score", threshold = 0.6 }\n'
        'trained = { train = "LR", features = ["skill"] }',
    )
    section = report.document["sections"]["evaluation"]
    assert [model["name"] for model in section["models"]] == [
        "the audited model", "vendor", "scored", "trained",
    ]  # fmt: skip
    assert not any(model["failure"] for model in section["models"])
    table = pd.read_csv(folder / "people.csv")
    good, women = table["hired"] == "yes", table["sex"] == "f"
    accepted = table["score"] >= 0.6
    right = (accepted[good].mean() + (~accepted[~good]).mean()) / 2
    found = {
        row["model"]: row["estimate"]["estimate"]
        for row in section["rows"]
        if row["metric"] == "balanced_accuracy" and not row["feature"]
    }
    assert found["scored"] == pytest.approx(right)
    assert found["trained"] > 0.6
    gap = (table["now"] == "yes")[women].mean() - (table["now"] == "yes")[~women].mean()
    (plane,) = [each for each in section["planes"] if each["difference"] == "statistical_parity_difference"]
    assert plane["points"][0]["difference"]["estimate"] == pytest.approx(abs(gap))


def test_a_path_alone_is_a_model(folder: Path) -> None:
    from sklearn.linear_model import LogisticRegression
    from skops.io import dump

    table = pd.read_csv(folder / "people.csv")
    dump(LogisticRegression().fit(table[["skill"]], table["hired"]), folder / "old.skops")
    report = audited(folder, '"last year" = "old.skops"')
    models = report.document["sections"]["evaluation"]["models"]
    assert models[1]["name"] == "last year"
    assert models[1]["digest"]


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ('a = { predictions = "gone" }', DataError, "no column 'gone'"),
        ('a = { train = "LR", features = ["sex"] }', DataError, "cannot be trained on sex"),
        ('a = { train = "LR", features = ["vendor"], path = "x" }', ConfigError, "exactly one"),
        ('a = "gone.skops"', ModelError, "gone.skops"),
        ('a = { predictions = "vendor", scores = "score" }', ConfigError, "evaluate.toml only"),
        ("a = 3", ConfigError, "a path or a table"),
        ('a = { train = "AdvDeb" }', ConfigError, "train is not one of"),
    ],
)
def test_what_makes_no_sense_names_the_line(
    folder: Path, text: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said) as caught:
        audited(folder, text)
    assert "audit.toml, line 1" in str(caught.value)
