"""2,000 real people, two real models: what comes back is put to the user's own model again."""

from __future__ import annotations

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fairwitness.counterfactuals import GeneticGenerator, NeighborGenerator, PrecomputedGenerator
from fairwitness.model import as_blackbox
from fairwitness.table import Schema


@pytest.fixture(scope="module")
def adult(shared_path):
    frame = pd.read_csv(shared_path / "data" / "adult.csv.gz").sample(2000, random_state=0)
    frame = frame.reset_index(drop=True)
    X = frame.drop(columns=["income", "split", "sex"])
    for name in X.select_dtypes(exclude="number"):
        X[name] = X[name].astype("category")
    return X, frame["income"].to_numpy()


@pytest.fixture(scope="module", params=["LightGBM", "pipeline"])
def model(request, adult):
    X, y = adult
    if request.param == "LightGBM":
        return lightgbm.LGBMClassifier(n_estimators=30, n_jobs=1, verbose=-1).fit(X, y)
    words = list(X.select_dtypes(exclude="number"))
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), words), remainder=StandardScaler()
    )
    return make_pipeline(columns, LogisticRegression(max_iter=500)).fit(X, y)


def rejected(model, X):
    return X[model.predict(X) == "<=50K"]


def test_every_row_is_accepted_by_the_users_own_model(adult, model):
    X, _ = adult
    queries = rejected(model, X)[:300]
    got = NeighborGenerator().fit(X, as_blackbox(model, favorable=">50K")).generate(queries, 50)
    assert set(got.status) == {"found"}
    decoded = got.encoder.decode(got.rows)
    assert decoded.dtypes.equals(X.dtypes)
    assert (model.predict(decoded) == ">50K").all()
    np.testing.assert_allclose(model.predict_proba(decoded)[:, 1], got.score)
    np.testing.assert_allclose(model.predict_proba(queries)[:, 1], got.query_score)
    pd.testing.assert_frame_equal(decoded, X.iloc[got.source].reset_index(drop=True), check_categorical=True)


def test_what_came_back_survives_a_second_look(adult, model):
    X, _ = adult
    box = as_blackbox(model, favorable=">50K")
    queries = rejected(model, X)[:40]
    first = NeighborGenerator().fit(X, box).generate(queries, 20)
    again = PrecomputedGenerator(first.to_frame()).fit(X, box).generate(queries, 20)
    assert sum(again.settings["dropped"].values()) == 0
    np.testing.assert_array_equal(again.rows, first.rows)


def test_constraints_hold_on_real_people(adult, model):
    X, _ = adult
    schema = Schema.infer(
        X,
        race={"immutable": True},
        age={"monotone": "increase"},
        **{"hours-per-week": {"bounds": (20, 60)}, "native-country": {"immutable": True}},
    )
    queries = rejected(model, X)[:200]
    got = (
        NeighborGenerator().fit(X, as_blackbox(model, favorable=">50K"), schema=schema).generate(queries, 10)
    )
    after, before = got.encoder.decode(got.rows), queries.iloc[got.query].reset_index(drop=True)
    assert len(got)
    for name in ("race", "native-country"):
        assert (after[name].astype(str) == before[name].astype(str)).all()
    assert (after["age"] >= before["age"]).all()
    hours = after["hours-per-week"]
    assert (hours.between(20, 60) | (hours == before["hours-per-week"])).all()
    assert got.n_found.tolist() == [
        {"found": 10, "none": 0}.get(status, n)
        for status, n in zip(got.status, got.n_found.tolist(), strict=True)
    ]


def test_new_rows_are_accepted_by_the_users_own_model_and_nearer(adult, model):
    X, _ = adult
    queries = rejected(model, X)[:40]
    box = as_blackbox(model, favorable=">50K")
    got = GeneticGenerator(random_state=0).fit(X, box).generate(queries, 20)
    assert set(got.status) == {"found"}
    decoded = got.encoder.decode(got.rows)
    assert decoded.dtypes.equals(X.dtypes)
    assert (model.predict(decoded) == ">50K").all()
    np.testing.assert_allclose(model.predict_proba(decoded)[:, 1], got.score)
    exist = NeighborGenerator().fit(X, box).generate(queries, 20)
    assert got.distance.mean() < exist.distance.mean()
    assert got.changed.sum(axis=1).mean() < 2.5 < exist.changed.sum(axis=1).mean()
