from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from tests.fair.people import people

from fairwitness.errors import ConfigError, DataError
from fairwitness.fair import LFERM, FairC, Full, Unaware
from fairwitness.fair.inputs import InputError, UnfittedError
from fairwitness.model import CrossFitted
from fairwitness.model.beside import takes_sensitive_features

PEOPLE = people(400)
Y = PEOPLE.y
BARE = PEOPLE.table
TABLE = BARE.assign(sex=(PEOPLE.sensitive["sex"] == "m").astype(int), race=PEOPLE.sensitive["race"])
SEX = TABLE["sex"]


def test_unaware_is_the_estimator_without_the_columns() -> None:
    model = Unaware(LogisticRegression(), sensitive=["sex", "race"]).fit(TABLE, Y)
    plain = LogisticRegression().fit(BARE, Y)
    np.testing.assert_array_equal(model.predict_proba(TABLE), plain.predict_proba(BARE))
    np.testing.assert_array_equal(model.predict(TABLE), model.predict(BARE))
    np.testing.assert_array_equal(model.decision_function(BARE), plain.decision_function(BARE))
    assert list(model.feature_names_in_) == list(BARE)
    assert list(model.classes_) == [0, 1]
    assert model.score(TABLE, Y) == plain.score(BARE, Y)
    # Nothing it says depends on them.
    np.testing.assert_array_equal(model.predict(TABLE.assign(sex=1 - SEX, race="?")), model.predict(TABLE))


def test_full_is_the_estimator_with_the_columns() -> None:
    with_sex = BARE.assign(sex=SEX)
    plain = LogisticRegression().fit(with_sex, Y)
    inside = Full(LogisticRegression()).fit(with_sex, Y)
    beside = Full(LogisticRegression()).fit(BARE, Y, sensitive_features=SEX)
    unnamed = Full(LogisticRegression(), sensitive="sex").fit(BARE, Y, sensitive_features=SEX.to_numpy())
    expected = plain.predict_proba(with_sex)
    np.testing.assert_array_equal(inside.predict_proba(with_sex), expected)
    np.testing.assert_array_equal(beside.predict_proba(BARE, sensitive_features=SEX), expected)
    np.testing.assert_array_equal(beside.predict_proba(with_sex), expected)
    np.testing.assert_array_equal(unnamed.predict_proba(BARE, sensitive_features=SEX.to_numpy()), expected)
    np.testing.assert_array_equal(beside.predict(with_sex), plain.predict(with_sex))
    np.testing.assert_array_equal(beside.decision_function(with_sex), plain.decision_function(with_sex))
    assert beside.score(BARE, Y, sensitive_features=SEX) == plain.score(with_sex, Y)
    assert list(beside.feature_names_in_) == [*BARE, "sex"]
    with pytest.raises(InputError, match="neither X nor sensitive_features has sex"):
        beside.predict(BARE)


def test_estimators_of_the_room_get_the_columns_beside_the_table() -> None:
    model = Unaware(FairC(), sensitive=["sex", "race"]).fit(TABLE, Y)
    direct = FairC().fit(BARE, Y, sensitive_features=TABLE[["sex", "race"]])
    np.testing.assert_array_equal(model.predict_proba(TABLE), direct.predict_proba(BARE))
    elsewhere = Unaware(FairC(), sensitive=["sex", "race"]).fit(
        BARE, Y, sensitive_features=TABLE[["sex", "race"]]
    )
    np.testing.assert_array_equal(elsewhere.predict_proba(BARE), direct.predict_proba(BARE))
    with pytest.raises(DataError):
        Unaware(FairC(), sensitive=["sex"]).fit(BARE, Y)


@pytest.mark.parametrize("routing", [False, True])
def test_through_pipelines_and_searches(routing: bool) -> None:
    inner = Pipeline([("scale", StandardScaler()), ("model", LFERM())])
    search = GridSearchCV(inner, {"model__C": [0.01, 1.0]}, cv=3)
    with sklearn.config_context(enable_metadata_routing=routing):
        model = Unaware(search, sensitive=["sex"]).fit(TABLE.drop(columns="race"), Y)
        assert model.estimator_.best_estimator_[-1].violation_ < 1e-12
        outer = GridSearchCV(Unaware(inner, sensitive=["sex"]), {"estimator__model__C": [0.01, 1.0]}, cv=3)
        outer.fit(TABLE.drop(columns="race"), Y)
        np.testing.assert_array_equal(outer.predict(BARE), model.predict(BARE))
    assert sklearn.get_config()["enable_metadata_routing"] is False


def test_with_a_cut_the_whole_column_is_left_out() -> None:
    table = BARE.assign(age=np.linspace(18, 70, len(Y)))
    model = Unaware(FairC(), sensitive=["age > 40"]).fit(table, Y)
    assert "age" not in model.feature_names_in_
    assert list(model.estimator_.covariance_) == ["age > 40"]


def test_cross_fitted_models_learn_with_sensitive_features() -> None:
    table = TABLE.drop(columns="race")
    fitted = CrossFitted(Unaware(FairC(), sensitive=["sex"]), cv=3, random_state=0, n_jobs=1).fit(table, Y)
    assert all(member.estimator_.max_covariance_ < 1e-10 for member in fitted.models_)
    assert fitted.held_out_proba(table).shape == (len(Y), 2)


def test_kinds_are_those_of_the_estimator_inside() -> None:
    assert is_classifier(Unaware(LogisticRegression()))
    assert is_regressor(Full(LinearRegression()))
    assert not hasattr(Unaware(LinearSVC()), "predict_proba")
    assert not hasattr(Unaware(RandomForestClassifier()), "decision_function")
    assert Unaware(LinearRegression(), sensitive="sex").fit(BARE.assign(sex=SEX), Y).score(BARE, Y) > 0.3
    copy = clone(Unaware(LogisticRegression(C=3.0), sensitive=["sex"]))
    assert copy.get_params()["estimator__C"] == 3.0
    scores = cross_val_score(Unaware(LogisticRegression(), sensitive=["sex", "race"]), TABLE, Y, cv=3)
    assert scores.min() > 0.6


def test_other_containers() -> None:
    frame = pl.from_pandas(BARE.assign(sex=SEX))
    model = Unaware(make_pipeline(StandardScaler(), FairC()), sensitive=["sex"]).fit(frame, Y)
    assert model.predict(frame.drop("sex")).shape == (len(Y),)
    array = Unaware(LogisticRegression()).fit(PEOPLE.X, Y)
    assert array.predict(PEOPLE.X).shape == (len(Y),)


def test_takes_sensitive_features_looks_inside() -> None:
    assert takes_sensitive_features(FairC())
    assert takes_sensitive_features(GridSearchCV(make_pipeline(StandardScaler(), FairC()), {}))
    assert not takes_sensitive_features(make_pipeline(StandardScaler(), LogisticRegression()))


def test_refusals() -> None:
    with pytest.raises(ConfigError, match="sensitive must name columns"):
        Unaware(LogisticRegression(), sensitive=[3]).fit(TABLE, Y)
    with pytest.raises(DataError, match="gender"):
        Unaware(LogisticRegression(), sensitive=["gender"]).fit(BARE, Y)
    with pytest.raises(InputError, match="no column is left"):
        Unaware(LogisticRegression(), sensitive=["sex"]).fit(pd.DataFrame({"sex": SEX}), Y)
    for model in (Unaware(LogisticRegression()), Full(LogisticRegression())):
        with pytest.raises(UnfittedError):
            model.predict(BARE)


@pytest.mark.parametrize("kind", [Unaware, Full])
@pytest.mark.parametrize("inside", [None, 5, LogisticRegression])
def test_what_is_no_estimator_is_named(kind, inside):
    table = pd.DataFrame({"sex": ["f", "m"] * 10, "income": range(20)})
    with pytest.raises(ConfigError, match="must be a scikit-learn estimator"):
        kind(inside, sensitive="sex").fit(table, table["income"] > 9)
