from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """200 rows of every kind of column, with blanks in the names and no duplicates."""
    rng = np.random.default_rng(7)
    n = 200
    return pd.DataFrame(
        {
            "hours per week": rng.normal(40, 8, n).round(2),
            "job": rng.choice(["clerk", "nurse", "farmer"], n),
            "age": rng.integers(18, 70, n),
            "owner": rng.random(n) < 0.5,
        }
    )


@pytest.fixture(scope="session")
def numbers(people: pd.DataFrame) -> pd.DataFrame:
    return people[["hours per week", "age"]]


@pytest.fixture(scope="session")
def outcome(people: pd.DataFrame) -> np.ndarray:
    rng = np.random.default_rng(8)
    wealth = (
        (people["hours per week"] - 40) / 8 + (people["job"] == "nurse") + rng.normal(0, 0.5, len(people))
    )
    return np.where(wealth > 0.3, "good", "bad")
