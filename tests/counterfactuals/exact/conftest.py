from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


@pytest.fixture(scope="session")
def by_hand():
    from tests.oracle import exact_by_hand

    return exact_by_hand


@pytest.fixture(scope="session")
def table():
    """Forty rows on a grid of 546: one decimal, whole numbers, three levels, a boolean; maybe gaps."""

    def make(seed=0, *, gaps=False, categories=False):
        rng = np.random.default_rng(seed)
        n = 40
        X = pd.DataFrame(
            {
                "income": np.round(rng.integers(0, 13, n) / 10, 1),
                "years": rng.integers(-2, 5, n),
                "job": rng.choice(list("xyz"), n),
                "owner": rng.random(n) < 0.5,
            }
        )
        X.loc[0, "income"] = 0.1
        push = 0.3 * X["years"] * (X["job"] == "x") + 0.4 * X["owner"] + rng.normal(0, 0.3, n)
        y = (X["income"] - 0.6 + push > 0.3).astype(int).to_numpy()
        if gaps:
            X.loc[rng.choice(n, 5, replace=False), "income"] = np.nan
        if categories:
            X["job"] = X["job"].astype("category")
        return X, y

    return make


@pytest.fixture(scope="session")
def behind():
    """A pipeline of the usual encoding before an estimator."""

    def make(estimator, *, sparse=False):
        return make_pipeline(
            make_column_transformer(
                (OneHotEncoder(sparse_output=sparse), ["job"]),
                (StandardScaler(), ["income", "years"]),
                ("passthrough", ["owner"]),
                sparse_threshold=1.0 if sparse else 0.0,
            ),
            estimator,
        )

    return make
