from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fairwitness.counterfactuals import ExactGenerator, GeneticGenerator
from fairwitness.errors import ConfigError
from fairwitness.model import as_blackbox
from fairwitness.table import Schema

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")
R = {"random_state": 0}
#: name → estimator, whether it stands behind a pipeline, whether the table has gaps
MODELS = {
    "tree": (DecisionTreeClassifier(**R), True, False),
    "forest": (RandomForestClassifier(10, max_depth=4, **R), True, False),
    "forest with gaps": (RandomForestClassifier(5, max_depth=4, **R), True, True),
    "extra trees": (ExtraTreesClassifier(7, max_depth=5, **R), True, False),
    "boosting": (GradientBoostingClassifier(n_estimators=8, **R), True, False),
    "exponential": (GradientBoostingClassifier(n_estimators=8, loss="exponential", **R), True, False),
    "histogram": (HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=3, **R), False, True),
    "xgboost": (
        xgboost.XGBClassifier(n_estimators=8, max_depth=3, enable_categorical=True, max_cat_to_onehot=1),
        False,
        True,
    ),
    "xgboost behind": (xgboost.XGBClassifier(n_estimators=8, max_depth=3, **R), True, True),
    "lightgbm": (
        lightgbm.LGBMClassifier(
            n_estimators=8, min_child_samples=3, min_data_per_group=2, cat_smooth=1, verbose=-1
        ),
        False,
        True,
    ),
    "logistic": (LogisticRegression(), True, False),
    "svm": (LinearSVC(), True, False),
    "kernel": (SVC(kernel="linear"), True, False),
    "ridge": (RidgeClassifier(), True, False),
    "sgd": (SGDClassifier(**R), True, False),
    "network": (MLPClassifier((8,), max_iter=150, **R), True, False),
    "deep network": (MLPClassifier((6, 5), max_iter=150, **R), True, False),
}
DISTANCES = ("shared", "l0", "l1", "linf")


def fitted(name, table, behind, seed=0):
    estimator, piped, gaps = MODELS[name]
    X, y = table(seed, gaps=gaps, categories=not piped)
    model = behind(estimator) if piped else estimator
    with np.errstate(all="ignore"):
        return X, model.fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
def test_equal_to_asking_about_every_row_there_is(name, table, behind, by_hand):
    X, model = fitted(name, table, behind)
    at = list(MODELS).index(name)
    distance, favorable = DISTANCES[at % 4], int(at % 3 > 0)
    schema = Schema.infer(X)
    if at % 2:
        schema = schema.feature("income", monotone="increase").feature("years", bounds=(0, 3))
    box = as_blackbox(model, favorable=favorable)
    exact = ExactGenerator(distance=distance).fit(X, box, schema=schema)
    queries = X.iloc[:4]
    found = exact.generate(queries, 3)
    encoded = exact.table_.encode(queries)
    for query in range(len(queries)):
        wanted = by_hand.nearest(exact, encoded[query], 3, distance)
        rows = found.rows[found.query == query]
        scales, seen = exact.table_.distance.scales, exact.table_.rows
        got = by_hand.distances(distance, encoded[query], rows, schema, scales, seen)
        np.testing.assert_allclose(np.sort(got), wanted, rtol=1e-9)
        assert found.status[query] == (
            "found" if len(wanted) == 3 else "short" if len(wanted) else "infeasible"
        )
    assert box.judge(found.encoder.decode(found.rows)).accepted.all()
    assert found.encoder.validate(found.rows, found.queries[found.query]).all()
    assert "rows the model refused against the bounds" not in found.settings


def test_what_cannot_be_reached_is_proved(table, behind):
    X, model = fitted("forest", table, behind)
    schema = Schema.infer(X)
    for name in X.columns:
        schema = schema.feature(name, immutable=True)
    some = schema.feature("owner", immutable=False)
    refused = X[model.predict(X) == 0]
    nothing = ExactGenerator().fit(X, as_blackbox(model), schema=schema).generate(refused, 2)
    assert set(nothing.status) == {"infeasible"}
    one = ExactGenerator().fit(X, as_blackbox(model), schema=some).generate(refused, 2)
    turned = model.predict(refused.assign(owner=~refused["owner"])) == 1
    assert [status == "short" for status in one.status] == turned.tolist()
    assert set(one.status) == {"short", "infeasible"}


def test_linked_columns_change_together(by_hand, table, behind):
    X, y = table(3)
    X["code"] = X["job"].map({"x": 10, "y": 20, "z": 30})
    whole = behind(RandomForestClassifier(10, max_depth=4, **R))
    whole.steps[0][1].transformers.append(("code", "passthrough", ["code"]))
    model = whole.fit(X, y)
    schema = Schema.infer(X, code={"bounds": (10, 30)}).link("job", "code")
    exact = ExactGenerator().fit(X, as_blackbox(model), schema=schema)
    queries = X[model.predict(X) == 0].iloc[:6]
    found = exact.generate(queries, 4)
    frame = found.encoder.decode(found.rows)
    assert (frame["job"].map({"x": 10, "y": 20, "z": 30}) == frame["code"]).all()
    encoded = exact.table_.encode(queries)
    for query in range(len(queries)):
        wanted = by_hand.nearest(exact, encoded[query], 4, "shared")
        np.testing.assert_allclose(found.distance[found.query == query], wanted, rtol=1e-9)


def test_full_precision_stops_right_behind_the_threshold():
    """The nearest number that a float32 model takes for larger than its threshold, to the last bit."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200) / 3, "b": rng.normal(size=200) / 7})
    y = (X["a"] + X["b"] > 0).astype(int)
    for model in (
        DecisionTreeClassifier(max_depth=3, **R),
        xgboost.XGBClassifier(n_estimators=5, max_depth=3),
        lightgbm.LGBMClassifier(n_estimators=5, verbose=-1),
    ):
        model.fit(X, y)
        queries = X[model.predict(X) == 0].iloc[:5]
        found = ExactGenerator().fit(X, as_blackbox(model)).generate(queries, 2)
        rows = found.encoder.decode(found.rows)
        assert (model.predict(rows) == 1).all()
        home = queries.iloc[found.query].reset_index(drop=True)
        for name in X.columns:
            moved = (rows[name] != home[name]) & (found.rank == 1)
            inward = rows.copy()
            inward[name] = np.nextafter(rows[name], home[name])
            if moved.any():
                assert (model.predict(inward[moved]) == 0).all()


def test_linear_in_full_precision_is_the_formula():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    model = LogisticRegression().fit(X, (X @ [1.0, -2.0, 0.5] > 0.2).astype(int))
    exact = ExactGenerator().fit(X, as_blackbox(model))
    queries = X[model.predict(X) == 0].iloc[:8]
    found = exact.generate(queries, 2)
    assert set(found.status) == {"short"}  # all else is the same row moved by a hair
    weight, scales = model.coef_[0], exact.table_.distance.scales
    far = np.where(weight > 0, X.max(), X.min()).astype(float)  # the end of each column that helps
    for query, (row, missing) in enumerate(
        zip(queries.to_numpy(), -model.decision_function(queries), strict=True)
    ):
        wanted = 0.0
        for j in np.argsort(-np.abs(weight) * scales):  # the most margin for its cost first
            gain = min(missing, weight[j] * (far[j] - row[j]))
            wanted, missing = wanted + gain / abs(weight[j]) / scales[j], missing - gain
        assert missing < 1e-9
        np.testing.assert_allclose(found.distance[found.query == query], [wanted], rtol=1e-5, atol=1e-6)
    assert (model.predict(found.encoder.decode(found.rows)) == 1).all()


def test_nothing_depends_on_chunks_or_the_order_of_rows(table, behind):
    X, model = fitted("boosting", table, behind)
    one = ExactGenerator().fit(X, as_blackbox(model)).generate(X, 3)
    order = np.random.default_rng(0).permutation(len(X))
    other = ExactGenerator(chunk_size=7).fit(X.iloc[order], as_blackbox(model)).generate(X.iloc[order], 3)
    expected = one.take(order)
    for name in ("query", "rank", "rows", "distance", "score"):
        np.testing.assert_array_equal(getattr(other, name), getattr(expected, name))
    assert other.status == expected.status


def test_out_of_time_the_best_so_far_and_its_gap_are_given(table, behind):
    X, model = fitted("forest", table, behind)
    exact = ExactGenerator().fit(X, as_blackbox(model))
    refused = X[model.predict(X) == 0]
    late = exact.generate(refused, 2, time_budget=0)
    best = exact.generate(refused, 2)
    assert set(late.status) == {"budget"}
    assert (model.predict(late.encoder.decode(late.rows)) == 1).all()
    gaps = late.settings["gaps"]
    assert [gap["query"] for gap in gaps] == list(range(len(refused)))
    for gap, nearest in zip(gaps, best.distance[best.rank == 1], strict=True):
        assert gap["none nearer than"] <= nearest + 1e-12
        assert gap["nearest found"] >= nearest - 1e-12
        assert gap["gap"] == gap["nearest found"] - gap["none nearer than"]


def test_the_budget_of_rows_is_kept(table, behind):
    X, model = fitted("forest", table, behind)
    box = as_blackbox(model)
    exact = ExactGenerator().fit(X, box)
    refused = X[model.predict(X) == 0]
    before = box.n_queries
    found = exact.generate(refused, 5, max_queries=7)
    assert box.n_queries - before <= 7
    assert "budget" in found.status


def test_never_farther_than_the_genetic_search(shared_path, monkeypatch):
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    from fairwitness.datasets import load_german

    monkeypatch.setenv("FAIRWITNESS_DATA", str(shared_path / "data"))
    german = load_german()
    X, y = german.X, german.y
    numbers = make_column_selector(dtype_include="number")
    words = make_column_selector(dtype_exclude="number")
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), words), (StandardScaler(), numbers)
    )
    model = make_pipeline(encode, RandomForestClassifier(30, max_depth=8, **R)).fit(X, y)
    box = as_blackbox(model, favorable="good")
    queries = X[model.predict(X) == "bad"].iloc[:6]
    exact = ExactGenerator().fit(X, box).generate(queries, 2)
    genetic = GeneticGenerator(random_state=0).fit(X, box).generate(queries, 2)
    assert set(exact.status) == {"found"}
    assert (exact.spread(exact.distance) <= genetic.spread(genetic.distance) + 1e-9).all()
    assert (exact.distance[exact.rank == 1] < genetic.distance[genetic.rank == 1] - 1e-9).any()


@pytest.mark.parametrize(
    "wrong",
    [
        {"distance": "l2"},
        {"distance": ["l1"]},
        {"seconds": 0},
        {"seconds": "10"},
        {"chunk_size": 0},
        {"chunk_size": "16"},
    ],
)
def test_settings_that_make_no_sense(wrong):
    (name,) = wrong
    with pytest.raises(ConfigError, match=name):
        ExactGenerator(**wrong)


def test_the_command_line_knows_it():
    from fairwitness.configured import make_generator

    assert isinstance(make_generator("exact", None, 0), ExactGenerator)
