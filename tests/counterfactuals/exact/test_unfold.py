from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from fairwitness.counterfactuals import ExactGenerator
from fairwitness.counterfactuals.exact.unfold import unfold
from fairwitness.counterfactuals.fitted import fit_table
from fairwitness.errors import ModelError
from fairwitness.model import BlackBox, as_blackbox
from fairwitness.model.adapters.base import Adapter
from fairwitness.model.boosting import TableBoosting
from fairwitness.table import Schema

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")


def looked_into(X, model, **settings):
    table = fit_table(X, as_blackbox(model, **settings), schema=None, judgement=None, ask=True)
    return table, unfold(table)


def margins(X, model, **settings):
    table, unfolded = looked_into(X, model, **settings)
    return table, unfolded.form.margin(unfolded.inputs(table.rows))


@pytest.mark.parametrize("favorable", [0, 1])
@pytest.mark.parametrize("threshold", [0.5, 0.3])
@pytest.mark.parametrize("kind", ["xgboost", "lightgbm", "histogram", "boosting", "logistic", "forest"])
def test_the_margin_is_the_models_own_score(kind, favorable, threshold, table, behind):
    whole = kind in {"xgboost", "lightgbm", "histogram"}
    X, y = table(1, gaps=whole, categories=whole)
    estimator = {
        "xgboost": xgboost.XGBClassifier(n_estimators=6, enable_categorical=True, max_cat_to_onehot=1),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=6, min_child_samples=3, verbose=-1),
        "histogram": HistGradientBoostingClassifier(max_iter=6, min_samples_leaf=3),
        "boosting": GradientBoostingClassifier(n_estimators=6),
        "logistic": LogisticRegression(),
        "forest": RandomForestClassifier(6, max_depth=3),
    }[kind]
    model = (estimator if whole else behind(estimator)).fit(X, y)
    table_, margin = margins(X, model, favorable=favorable, threshold=threshold)
    if kind == "forest":
        np.testing.assert_allclose(margin, table_.score - threshold, atol=1e-12)
    else:
        odds = np.log(table_.score) - np.log1p(-table_.score)
        np.testing.assert_allclose(margin, odds - np.log(threshold / (1 - threshold)), atol=2e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_sparse_encodings_are_read_as_the_library_reads_them(sparse, table, behind):
    """XGBoost takes what a sparse matrix does not store for missing, LightGBM for 0."""
    X, y = table(2)
    for estimator in (
        xgboost.XGBClassifier(n_estimators=5, max_depth=3),
        lightgbm.LGBMClassifier(n_estimators=5, min_child_samples=2, verbose=-1),
    ):
        model = behind(estimator, sparse=sparse).fit(X, y)
        table_, margin = margins(X, model)
        np.testing.assert_array_equal(margin > 0, table_.accepted)


def test_boosters_without_the_interface_of_scikit_learn(table):
    X, y = table(1, categories=True)
    for model in (
        xgboost.XGBClassifier(n_estimators=5, enable_categorical=True).fit(X, y).get_booster(),
        lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X, y).booster_,
    ):
        table_, margin = margins(X, model)
        np.testing.assert_array_equal(margin > 0, table_.accepted)


def test_wrappers_are_opened(table, behind):
    X, y = table(1)
    search = GridSearchCV(behind(LogisticRegression()), {"logisticregression__C": [0.1, 1.0]}, cv=2)
    imputed = make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(), MinMaxScaler()), ["income", "years"]),
            (OrdinalEncoder(), ["job"]),
            remainder="passthrough",
        ),
        DecisionTreeClassifier(),
    )
    for model in (search, imputed, TableBoosting(max_iter=5, min_samples_leaf=3)):
        table_, margin = margins(X, model.fit(X, y))
        np.testing.assert_array_equal(margin > 0, table_.accepted)


def test_numbers_encoded_by_value_take_values_of_the_table_only(by_hand, table):
    X, y = table(4)
    encode = make_column_transformer(
        (OneHotEncoder(), ["job", "years"]), (StandardScaler(), ["income"]), remainder="passthrough"
    )
    model = make_pipeline(encode, LogisticRegression()).fit(X, y)
    schema = Schema.infer(X, years={"bounds": (-2, 9)})
    exact = ExactGenerator().fit(X, as_blackbox(model), schema=schema)
    found = exact.generate(X[model.predict(X) == 0].iloc[:3], 3)
    assert found.settings["values of the table only"] == ["years"]
    assert set(found.encoder.decode(found.rows)["years"]) <= set(X["years"])


def test_a_number_new_to_an_encoder_is_kept_by_its_own_query_only(table):
    X, y = table(4)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["job", "years"]),
        (StandardScaler(), ["income"]),
        remainder="passthrough",
    )
    model = make_pipeline(encode, DecisionTreeClassifier(random_state=0)).fit(X, y)
    schema = Schema.infer(X, years={"bounds": (-2, 9000)})  # too many to be listed
    exact = ExactGenerator().fit(X, as_blackbox(model), schema=schema)
    queries = X.iloc[:3].assign(years=[77, 1, 2])
    found = exact.generate(queries, 20)
    years = found.encoder.decode(found.rows)["years"]
    assert set(years[found.query > 0]) <= set(X["years"])
    assert 77 in set(years[found.query == 0])
    alone = exact.generate(queries.iloc[1:], 20)
    np.testing.assert_array_equal(found.take([1, 2]).rows, alone.rows)


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (KNeighborsClassifier(), "KNeighborsClassifier"),
        (CalibratedClassifierCV(LogisticRegression(), cv=2), "CalibratedClassifierCV"),
        (make_pipeline(PCA(1), LogisticRegression()), "'pca' (PCA)"),
        (make_pipeline(MinMaxScaler(clip=True), LogisticRegression()), "clips"),
        (make_pipeline(FunctionTransformer(np.square), LogisticRegression()), "a function of its own"),
        (MLPClassifier((3,), activation="tanh", max_iter=500), "tanh"),
        (xgboost.XGBClassifier(booster="gblinear", n_estimators=3), "gblinear"),
        (GradientBoostingClassifier(init=LogisticRegression(), n_estimators=2), "init"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_looked_into_is_refused_by_name(model, named):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (40, 2)), columns=["a", "b"])
    model.fit(X, (X["a"] > X["b"]).astype(int))
    with pytest.raises(ModelError) as error:
        looked_into(X, model)
    assert named in str(error.value)
    assert "GeneticGenerator" in str(error.value)


def test_a_function_shows_its_answers_only():
    X = pd.DataFrame({"a": [1, 2, 3]})
    with pytest.raises(ModelError, match="function"):
        looked_into(X, lambda frame: (frame["a"] > 1).astype(float))


def test_three_outcomes_are_refused():
    X = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6]})
    model = DecisionTreeClassifier().fit(X, [0, 1, 2, 0, 1, 2])
    with pytest.raises(ModelError, match="3 outcomes"):
        looked_into(X, model)


def test_any_black_box_that_shows_its_model_is_looked_into(table, behind):
    class Wrapped(Adapter):
        """Another way to a model, which the search has never heard of."""

        def __init__(self, model):
            self._other = as_blackbox(model)
            self.info = self._other.info

        def ask(self, frame):
            judgement = self._other.judge(frame)
            return judgement.accepted, judgement.score

        def inside(self):
            return self._other.inside()

    X, y = table(0)
    model = behind(DecisionTreeClassifier(random_state=0)).fit(X, y)
    refused = X[model.predict(X) == 0]
    wrapped = ExactGenerator().fit(X, BlackBox(Wrapped(model), favorable=1)).generate(refused, 2)
    plain = ExactGenerator().fit(X, as_blackbox(model)).generate(refused, 2)
    np.testing.assert_array_equal(wrapped.rows, plain.rows)
