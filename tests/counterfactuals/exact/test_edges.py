"""Odd tables: the right answer, or a clear status."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from fairwitness.counterfactuals import ExactGenerator
from fairwitness.errors import DataError
from fairwitness.model import as_blackbox
from fairwitness.table import Schema


def search(frame, model, queries, k=3, schema=None):
    exact = ExactGenerator().fit(frame, as_blackbox(model), schema=schema)
    found = exact.generate(queries, k)
    rows = found.encoder.decode(found.rows)
    if len(rows):
        assert (model.predict(rows) == 1).all()
    assert found.encoder.validate(found.rows, found.queries[found.query]).all()
    assert rows.dtypes.equals(frame.dtypes)
    return found


def test_four_hundred_columns():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (120, 400)), columns=[f"c{j}" for j in range(400)])
    y = (X["c3"] + X["c200"] > 8).astype(int)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    found = search(X, model, X[model.predict(X) == 0].iloc[:2])
    assert set(found.status) == {"found"}


def test_all_columns_are_words():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({name: rng.choice(list("abcd"), 80) for name in "uvw"})
    y = ((X["u"] == "a") & (X["v"] != "b")).astype(int)
    model = make_pipeline(OneHotEncoder(), LogisticRegression(C=10)).fit(X, y)
    found = search(X, model, X[model.predict(X) == 0].iloc[:4], k=2)
    assert (found.distance == found.changed.sum(axis=1)).all()


def test_constant_columns_stay_and_one_row_is_a_table():
    X = pd.DataFrame({"a": [1, 2, 3, 4] * 5, "b": 7})
    model = DecisionTreeClassifier().fit(X, (X["a"] > 2).astype(int))
    found = search(X, model, X.iloc[:2], k=2)
    assert found.rows.tolist() == [[3, 7], [4, 7], [3, 7], [4, 7]]
    alone = search(X.iloc[:1], model, X.iloc[:1], schema=Schema.infer(X.iloc[:1], a={"bounds": (1, 3)}))
    assert (alone.status, alone.rows.tolist()) == (("short",), [[3, 7]])


def test_an_accepted_query_gets_other_rows():
    X = pd.DataFrame({"a": np.arange(12), "b": [0, 1, 2] * 4})
    model = RandomForestClassifier(5, random_state=0).fit(X, (X["a"] > 5).astype(int))
    found = search(X, model, X.iloc[[9]], k=4)
    assert found.status == ("found",)
    assert found.changed.any(axis=1).all()


def test_missing_may_be_left_or_taken_as_the_schema_says():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.integers(0, 9, 90).astype(float), "b": rng.integers(0, 5, 90)})
    X.loc[::4, "a"] = np.nan
    y = (X["a"].isna() | (X["b"] > 3)).astype(int)
    model = HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=3).fit(X, y)
    queries = X[model.predict(X) == 0].iloc[:3]
    free = search(X, model, queries, k=1)
    assert np.isnan(free.rows[:, 0]).all()  # becoming missing costs 1
    held = search(X, model, queries, k=1, schema=Schema.infer(X).feature("a", monotone="increase"))
    assert not np.isnan(held.rows[:, 0]).any()


def test_a_level_nobody_knows_is_an_error_that_names_it():
    X = pd.DataFrame({"a": list("xyxyxy"), "b": range(6)})
    y = [0, 1, 0, 1, 0, 1]
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier()).fit(X, y)
    exact = ExactGenerator().fit(X, as_blackbox(model))
    with pytest.raises(DataError, match="'q'"):
        exact.generate(pd.DataFrame({"a": ["q"], "b": [0]}), 1)
