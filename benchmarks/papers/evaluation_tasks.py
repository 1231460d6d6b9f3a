"""The tables of the evaluation card (law school, COMPAS, Adult), with the causal models declared for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from fairwitness.datasets import load_adult, load_compas, load_law_school
from fairwitness.fair import SCM
from fairwitness.typing import IntArray

TEST_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class Task:
    """One table, what is predicted, for whom it is compared, and one causal model a level of assumption."""

    key: str
    title: str
    regression: bool
    X: pd.DataFrame
    y: np.ndarray
    sensitive: pd.DataFrame
    #: Level → causal model; a level without one has the reason in :attr:`no_level`.
    models: Mapping[int, SCM]
    no_level: Mapping[int, str]
    notes: tuple[str, ...]

    def split(self, seed: int) -> tuple[IntArray, IntArray]:
        """Give training and test rows; for the regression and seed 0 these are the authors' own."""
        return train_test_split(np.arange(len(self.X)), test_size=TEST_SHARE, random_state=seed)

    def smaller(self, rows: int) -> Task:
        """Keep some rows, for the quick form."""
        if rows >= len(self.X):
            return self
        at = np.sort(np.random.default_rng(0).choice(len(self.X), rows, replace=False))
        parts = {
            "X": self.X.iloc[at].reset_index(drop=True),
            "y": self.y[at],
            "sensitive": self.sensitive.iloc[at].reset_index(drop=True),
        }
        return Task(**{**self.__dict__, **parts})


def law_school(folder: Path) -> Task:
    data = load_law_school(folder)
    kept = data.sensitive["race"].isin(["White", "Black"]).to_numpy()
    X = data.X[kept].astype(float).reset_index(drop=True)
    scm = SCM("{race, sex, K} -> {UGPA, LSAT, ZFYA}", sensitive=["race", "sex"], outcome="ZFYA", latents="K")
    return Task(
        key="law-school",
        title="Law school (LSAC)",
        regression=True,
        X=X,
        y=data.beside["ZFYA"][kept].to_numpy(dtype=float),
        sensitive=data.sensitive[kept].reset_index(drop=True),
        models={2: scm, 3: scm},
        no_level={1: "race and sex cause both columns, so nothing is left to predict from"},
        notes=(
            f"{len(X):,} White and Black students; LSAT and UGPA. Predicted is ZFYA, the grade of year one.",
        ),
    )


def compas(folder: Path) -> Task:
    data = load_compas(folder, charge_description=True)
    X = data.X.drop(columns="c_charge_desc").reset_index(drop=True)
    X["c_charge_degree"] = X["c_charge_degree"].astype(str)
    caused = "priors_count, juv_fel_count, juv_misd_count, juv_other_count, c_charge_degree"
    plain = SCM(f"{{race, sex, age}} -> {{{caused}}}", sensitive=["race", "sex"])
    latent = SCM(
        f"{{race, sex, age}} -> {{{caused}}}; K -> {{priors_count, c_charge_degree, recid}}; "
        "{race, sex, age} -> recid",
        sensitive=["race", "sex"],
        outcome="recid",
        latents="K",
        families={"priors_count": "poisson"},
    )
    race = data.sensitive["race"].where(
        data.sensitive["race"].isin(["African-American", "Caucasian", "Hispanic"]), "Other"
    )
    return Task(
        key="compas",
        title="COMPAS",
        regression=False,
        X=X,
        y=np.asarray(data.y == 1, dtype=int),
        sensitive=data.sensitive.assign(race=race).reset_index(drop=True),
        models={1: plain, 2: latent, 3: plain},
        no_level={},
        notes=(
            f"{len(X):,} defendants with a charge description; age, earlier and juvenile charges, degree "
            "of the charge. Predicted is a new charge within two years (coded 1, as published).",
            "Race is African-American, Caucasian, Hispanic or other.",
        ),
    )


def adult(folder: Path) -> Task:
    data = load_adult(folder, sensitive=("race", "sex"))
    X = data.X.reset_index(drop=True)
    caused = '"education-num", "hours-per-week", "capital-gain", "capital-loss"'
    plain = SCM(f"{{race, sex, age}} -> {{{caused}}}", sensitive=["race", "sex"])
    latent = SCM(
        '{race, sex, age, K} -> {"education-num", "hours-per-week", income}',
        sensitive=["race", "sex"],
        outcome="income",
        latents="K",
    )
    race = data.sensitive["race"].where(data.sensitive["race"].isin(["White", "Black"]), "Other")
    return Task(
        key="adult",
        title="Adult",
        regression=False,
        X=X,
        y=np.asarray(data.y == ">50K", dtype=int),
        sensitive=data.sensitive.assign(race=race).reset_index(drop=True),
        models={1: plain, 2: latent, 3: plain},
        no_level={},
        notes=(
            f"{len(X):,} people without unknown values, all columns besides race and sex. Predicted is an "
            "income above 50K. Race is White, Black or other.",
        ),
    )


TASKS: Mapping[str, Callable[[Path], Any]] = {"law-school": law_school, "compas": compas, "adult": adult}
