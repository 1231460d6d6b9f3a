"""Pipelines, searches, copies, metadata routing, and audits: the estimators where they are used."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from tests.fair.people import people

import fairwitness as fw
from fairwitness.fair import (
    LFERM,
    SCM,
    AdvDeb,
    CounterfactuallyFairClassifier,
    CounterfactuallyFairRegressor,
    FairC,
    Full,
    InvariantMinimaxClassifier,
    InvariantMinimaxRegressor,
    Unaware,
)

PEOPLE = people(240)
TABLE, Y, SENSITIVE = PEOPLE.table, PEOPLE.y, PEOPLE.sensitive
WITH_SEX = TABLE.assign(sex=SENSITIVE["sex"])
MODEL = SCM("sex -> {x0, x1, x2, x3}; x4", sensitive="sex")
_SMALL = {"encoder": (6, 3), "head": (), "n_rounds": 8, "max_restarts": 0, "random_state": 0}

#: Name → (estimator, a parameter and two values of it).
CASES: dict[str, tuple[BaseEstimator, str, list[Any]]] = {
    "FairC": (FairC(), "C", [0.1, 1.0]),
    "LFERM": (LFERM(), "C", [0.1, 1.0]),
    "AdvDeb": (AdvDeb(hidden=(4,), n_epochs=2, random_state=0), "alpha", [0.0, 0.5]),
    "minimax": (InvariantMinimaxClassifier(**_SMALL), "invariance", [0.0, 5.0]),
    "minimax numbers": (InvariantMinimaxRegressor(**_SMALL), "invariance", [0.0, 5.0]),
}


@pytest.fixture(params=CASES)
def case(request):
    if request.param in ("AdvDeb", "minimax", "minimax numbers"):
        pytest.importorskip("torch")
    return CASES[request.param]


@pytest.mark.filterwarnings("ignore:the predictions collapsed")
class TestWhereTheyAreUsed:
    def test_clone_copy_and_pickle(self, case) -> None:
        estimator, name, values = case
        fitted = clone(estimator).set_params(**{name: values[1]}).fit(TABLE, Y, sensitive_features=SENSITIVE)
        assert getattr(fitted, name) == values[1]
        fresh = clone(fitted)
        assert fresh.get_params() == fitted.get_params()
        assert not hasattr(fresh, "n_features_in_")
        for twin in (copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted))):
            np.testing.assert_array_equal(twin.predict(TABLE), fitted.predict(TABLE))

    def test_pipeline_and_search_without_routing(self, case) -> None:
        estimator, name, values = case
        pipeline = Pipeline([("scale", StandardScaler()), ("model", clone(estimator))])
        pipeline.fit(TABLE, Y, model__sensitive_features=SENSITIVE)
        search = GridSearchCV(pipeline, {f"model__{name}": values}, cv=2, error_score="raise")
        search.fit(TABLE, Y, model__sensitive_features=SENSITIVE)
        assert search.predict(TABLE).shape == (240,)

    def test_pipeline_and_search_with_routing(self, case) -> None:
        estimator, name, values = case
        pipeline = Pipeline([("scale", StandardScaler()), ("model", clone(estimator))])
        scaled = StandardScaler().fit_transform(TABLE)
        direct = clone(estimator).fit(scaled, Y, sensitive_features=SENSITIVE)
        with sklearn.config_context(enable_metadata_routing=True):
            pipeline.fit(TABLE, Y, sensitive_features=SENSITIVE)
            np.testing.assert_allclose(pipeline.predict(TABLE), direct.predict(scaled), atol=1e-9)
            search = GridSearchCV(pipeline, {f"model__{name}": values}, cv=2, error_score="raise")
            search.fit(TABLE, Y, sensitive_features=SENSITIVE)
            scores = cross_val_score(pipeline, TABLE, Y, params={"sensitive_features": SENSITIVE}, cv=2)
        assert search.cv_results_["mean_test_score"].shape == (2,)
        assert np.isfinite(scores).all()

    def test_a_missing_sensitive_feature_is_said_in_a_pipeline(self, case) -> None:
        pipeline = Pipeline([("scale", StandardScaler()), ("model", clone(case[0]))])
        with pytest.raises(fw.errors.DataError, match="sensitive_features is missing"):
            pipeline.fit(TABLE, Y)

    def test_inputs_are_not_changed(self, case) -> None:
        table, y, beside = TABLE.copy(), Y.copy(), SENSITIVE.copy()
        clone(case[0]).fit(table, y, sensitive_features=beside).predict(table)
        assert table.equals(TABLE)
        assert beside.equals(SENSITIVE)
        np.testing.assert_array_equal(y, Y)

    def test_zero_is_a_seed(self, case) -> None:
        estimator = case[0]
        one, two = (clone(estimator).fit(TABLE, Y, sensitive_features=SENSITIVE) for _ in range(2))
        np.testing.assert_array_equal(one.predict(TABLE), two.predict(TABLE))
        if hasattr(estimator, "random_state"):
            assert one.seed_ == 0


@pytest.mark.parametrize("make", [CounterfactuallyFairClassifier, CounterfactuallyFairRegressor])
def test_levels_in_searches(make) -> None:
    model = make(MODEL, level=3)
    search = GridSearchCV(model, {"level": [1, 3]}, cv=2, error_score="raise").fit(WITH_SEX, Y)
    assert search.predict(WITH_SEX).shape == (240,)
    assert clone(search.best_estimator_).scm == MODEL
    with sklearn.config_context(enable_metadata_routing=True):
        beside = {"sensitive_features": SENSITIVE["sex"]}
        found = cross_validate(model, TABLE, Y, params=beside, cv=2, error_score="raise")
        assert np.isfinite(found["test_score"]).all()
        last = Pipeline([("model", model)]).fit(TABLE, Y, **beside)
        np.testing.assert_array_equal(last.predict(TABLE, **beside), model.fit(WITH_SEX, Y).predict(WITH_SEX))
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict(WITH_SEX), model.predict(WITH_SEX))


def audited() -> dict[str, Any]:
    """Every predictor of the room, fitted, with the table it is asked about."""
    quick = AdvDeb(hidden=(4,), n_epochs=2, random_state=0)
    models = {
        "FairC": FairC().fit(TABLE, Y, sensitive_features=SENSITIVE["sex"]),
        "LFERM": LFERM().fit(TABLE, Y, sensitive_features=SENSITIVE["sex"]),
        "AdvDeb": Pipeline([("scale", StandardScaler()), ("model", quick)]).fit(
            TABLE, Y, model__sensitive_features=SENSITIVE["sex"]
        ),
        "minimax": InvariantMinimaxClassifier(**_SMALL).fit(TABLE, Y, sensitive_features=SENSITIVE["sex"]),
        "minimax numbers": InvariantMinimaxRegressor(**_SMALL).fit(
            TABLE, Y, sensitive_features=SENSITIVE["sex"]
        ),
        "level 1": CounterfactuallyFairClassifier(MODEL, level=1).fit(WITH_SEX, Y),
        "level 3": CounterfactuallyFairClassifier(MODEL, level=3).fit(WITH_SEX, Y),
        "Unaware": Unaware(LogisticRegression(), sensitive=["sex"]).fit(WITH_SEX, Y),
        "Full": Full(LogisticRegression()).fit(TABLE.assign(sex=(SENSITIVE["sex"] == "m") * 1), Y),
    }
    return models


@pytest.mark.filterwarnings("ignore:the predictions collapsed")
def test_all_can_be_audited() -> None:
    pytest.importorskip("torch")
    for name, model in audited().items():
        table = TABLE.assign(sex=(SENSITIVE["sex"] == "m") * 1) if name == "Full" else WITH_SEX
        report = fw.Audit(
            model,
            table,
            Y,
            sensitive_features=["sex"],
            methods=["rates", "opportunity"],
            k=3,
            random_state=0,
            settings={"generator": "neighbors"},
        ).run()
        judged = fw.as_blackbox(model).judge(table).accepted
        given = np.asarray(model.predict(table[list(model.feature_names_in_)]))
        expected = given >= 0.5 if name == "minimax numbers" else given == 1
        np.testing.assert_array_equal(judged, expected)
        assert report.document["audited"]["table"]["rows"] == 240, name


def test_a_regressor_that_knows_everything_is_still_plain_least_squares() -> None:
    full = Full(LinearRegression()).fit(
        TABLE, Y, sensitive_features=(SENSITIVE["sex"] == "m").rename("sex") * 1
    )
    table = TABLE.assign(sex=(SENSITIVE["sex"] == "m") * 1)
    np.testing.assert_allclose(
        full.predict(table), LinearRegression().fit(table, Y).predict(table), atol=1e-12
    )


def test_the_room_says_what_it_exports() -> None:
    from fairwitness import fair

    assert set(fair.__all__) == set(dir(fair))
    assert all(getattr(fair, name).__doc__ for name in fair.__all__)
