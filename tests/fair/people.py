"""Tables whose features carry the sensitive ones, for the tests of this room."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class People(NamedTuple):
    """n rows, a three-valued and a two-valued sensitive feature, an outcome of 0 and 1."""

    X: np.ndarray
    y: np.ndarray
    sensitive: pd.DataFrame

    @property
    def table(self) -> pd.DataFrame:
        return pd.DataFrame(self.X, columns=[f"x{at}" for at in range(self.X.shape[1])])


def people(n: int = 600, *, d: int = 6, seed: int = 0, pull: float = 1.0) -> People:
    rng = np.random.default_rng(seed)
    race = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    sex = rng.choice(["f", "m"], n)
    X = rng.normal(size=(n, d))
    X[:, 0] += pull * (race == "b")
    X[:, 1] += pull * (sex == "m")
    X[:, 2] += pull * (race == "c") - 0.5 * pull * (sex == "f")
    y = (X.sum(axis=1) + rng.normal(size=n) > 0.8 * pull).astype(int)
    return People(X, y, pd.DataFrame({"race": race, "sex": sex}))


def indicators(sensitive: pd.DataFrame) -> np.ndarray:
    """(n, groups) one column of 0 and 1 for each value of each column."""
    return pd.get_dummies(sensitive, dtype=float).to_numpy()


def all_zero(values: Any, within: float) -> bool:
    return bool(np.abs(np.asarray(values)).max() <= within)
