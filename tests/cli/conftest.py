from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def fairwitness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ran]:
    """Run one command line inside this process, in an empty folder."""
    from fairwitness.cli.app import run

    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | os.PathLike[str]) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([str(argument) for argument in arguments])
        return Ran(code, out.getvalue(), err.getvalue())

    return call


@pytest.fixture(scope="session")
def applications() -> pd.DataFrame:
    """Loan applications of 500 people: income and district carry sex, and the outcome follows income."""
    rng = np.random.default_rng(3)
    n = 500
    sex = rng.choice(["female", "male"], n)
    income = np.round(rng.normal(40, 10, n) + 12 * (sex == "male"), 1)
    district = np.where(rng.random(n) < np.where(sex == "male", 0.85, 0.15), "north", "south")
    approved = np.where(income + rng.normal(0, 6, n) > 44, "yes", "no")
    return pd.DataFrame(
        {
            "income": income,
            "district": district,
            "children": rng.integers(0, 4, n),
            "age": rng.integers(18, 80, n),
            "sex": sex,
            "approved": approved,
        }
    )


@pytest.fixture
def project(tmp_path: Path, applications: pd.DataFrame) -> Path:
    """A folder with the table, a model file and an audit.toml."""
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from skops.io import dump

    applications.to_csv(tmp_path / "applications.csv", index=False)
    inputs = ["income", "district", "children"]
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["district"]), remainder="passthrough"),
        LogisticRegression(),
    ).fit(applications[inputs], applications["approved"])
    dump(model, tmp_path / "model.skops")
    (tmp_path / "audit.toml").write_text(
        """
[table]
path = "applications.csv"

[outcome]
column = "approved"
favorable = "yes"
people = "applicants"

[sensitive]
columns = ["sex", "age > 40"]

[sensitive.privileged]
sex = "male"

[model]
path = "model.skops"

[methods]
k = 10

[report]
out = "report"
""",
        encoding="utf-8",
    )
    return tmp_path
