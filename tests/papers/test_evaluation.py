"""Duong et al. (2023): what their repository says of the law school data, to the last printed digit."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

from fairwitness.datasets import load_law_school
from fairwitness.metrics import evaluate, paper_mmd, paper_wasserstein


@pytest.fixture(scope="module")
def law_school(shared_path: Path) -> tuple[dict[str, np.ndarray], object, np.ndarray]:
    """Predictions for the test rows of the authors' split, their groups and outcomes."""
    data = load_law_school(shared_path / "data")
    kept = data.sensitive["race"].isin(["White", "Black"]).to_numpy()
    tests, groups = data.X[kept].reset_index(drop=True), data.sensitive[kept].reset_index(drop=True)
    y = data.beside["ZFYA"][kept].to_numpy()
    full = tests.assign(race=groups["race"] == "White", sex=groups["sex"] == "male").astype(float)
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=0)
    guesses = {
        name: LinearRegression().fit(inputs.iloc[train], y[train]).predict(inputs.iloc[test])
        for name, inputs in (("full", full), ("unaware", tests))
    }
    return guesses, groups.iloc[test].reset_index(drop=True), y[test]


def test_the_regression_is_the_published_one(law_school) -> None:
    guesses, groups, y = law_school
    found = evaluate(
        guesses,
        y=y,
        sensitive_features=groups,
        metrics=["rmse", "mae", "r2", "wasserstein_distance_max"],
        n_resamples=20,
    )
    table = found.table(["rmse", "mae", "r2"]).round(4)
    assert table.loc["full"].tolist() == [0.8708, 0.7044, 0.1202]
    assert table.loc["unaware"].tolist() == [0.8891, 0.7175, 0.0829]
    apart = [found.values("wasserstein_distance_max", feature=name) for name in ("race", "sex")]
    summed = {name: sum(each[name].estimate for each in apart) for name in guesses}
    assert {name: round(value, 3) for name, value in summed.items()} == {"full": 1.074, "unaware": 0.427}


def test_the_published_distances_are_of_half_as_many_rows_drawn_again(law_school) -> None:
    guesses, groups, _ = law_school
    drawn = groups.assign(guess=guesses["full"]).sample(frac=0.5, replace=True, random_state=0)
    guess, groups = drawn["guess"].to_numpy(), {name: drawn[name].to_numpy() for name in ("race", "sex")}
    assert paper_mmd(guess, sensitive_features=groups) == pytest.approx(0.7233, abs=5e-5)
    assert paper_wasserstein(guess, sensitive_features=groups) == pytest.approx(0.5328, abs=5e-5)


MODULES = (
    "evaluation", "evaluation_tasks", "evaluation_methods", "evaluation_page", "evaluation_published",
    "flips_cache", "flips_text",
)  # fmt: skip


@pytest.fixture
def papers(project_root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(project_root / "benchmarks" / "papers"))
    yield {name: importlib.import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name, None)


def test_every_table_is_split_and_every_method_named(papers, shared_path: Path) -> None:
    for key, load in papers["evaluation_tasks"].TASKS.items():
        task = load(shared_path / "data")
        assert len(task.X) == {"law-school": 19567, "compas": 6167, "adult": 45222}[key]
        train, test = task.split(0)
        assert len(test) == -(-len(task.X) // 5)
        assert not set(train) & set(test)
        assert set(papers["evaluation_published"].PUBLISHED[key]) <= set(papers["evaluation_methods"].METHODS)
        assert not {"race", "sex", str(task.y)} & set(task.X.columns)


def test_a_method_answers_for_test_rows_only(papers, shared_path: Path) -> None:
    methods = papers["evaluation_methods"]
    task = papers["evaluation_tasks"].TASKS["compas"](shared_path / "data").smaller(600)
    train, test = task.split(0)
    for name in ("full linear", "unaware boosting", "level 3", "FairC"):
        judged = methods.run(name, task, train, test, 0, True)
        assert len(judged.scores) == len(test)
        assert ((judged.scores >= 0) & (judged.scores <= 1)).all()
        assert set(judged.predictions) <= {0.0, 1.0}
    law = papers["evaluation_tasks"].TASKS["law-school"](shared_path / "data").smaller(300)
    with pytest.raises(methods.NotApplicableError, match="nothing is left"):
        methods.run("level 1", law, *law.split(0), 0, True)
