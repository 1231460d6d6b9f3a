from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC

from fairwitness.errors import ConfigError, DataError, FairwitnessWarning
from fairwitness.fair import SCM, CounterfactuallyFairClassifier, CounterfactuallyFairRegressor
from fairwitness.fair.inputs import InputError, UnfittedError

LOADINGS = np.array([0.8, 1.2, 0.6])
SPREADS = np.array([0.6, 0.5, 0.8])
PUSHES = np.array([1.0, -0.5, 0.3])
GRAPH = "{group, K} -> {x0, x1, x2, y}; z -> y"


class World:
    """People whose latent merit is known, and who they would be in the other group."""

    def __init__(self, n: int = 2000, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.group = rng.integers(2, size=n)
        self.merit = rng.normal(size=n)
        self.own = rng.normal(size=(n, 3)) * SPREADS
        self.z = rng.normal(size=n)
        self.y = self.merit + 0.5 * self.z + self.group + 0.3 * rng.normal(size=n)

    def table(self, group: np.ndarray) -> pd.DataFrame:
        x = np.outer(self.merit, LOADINGS) + np.outer(group, PUSHES) + self.own
        columns = {f"x{at}": x[:, at] for at in range(3)}
        return pd.DataFrame({"group": np.where(group == 1, "a", "b"), **columns, "z": self.z})

    @property
    def X(self) -> pd.DataFrame:
        return self.table(self.group)

    @property
    def twins(self) -> pd.DataFrame:
        return self.table(1 - self.group)

    @property
    def posterior(self) -> np.ndarray:
        """Mean of merit given the columns and the group, with the numbers the world was made from."""
        weights = LOADINGS / SPREADS**2
        return (np.outer(self.merit, LOADINGS) + self.own) @ weights / (1 + LOADINGS @ weights)


WORLD = World()
MODEL = SCM(GRAPH, sensitive="group", latents="K", outcome="y")


def changed(model, world: World = WORLD) -> float:
    """How far predictions move when people change the group, against their own spread."""
    given = model.predict(world.X)
    return float(np.abs(model.predict(world.twins) - given).max() / given.std())


def test_level_1_reads_what_the_group_does_not_cause() -> None:
    model = CounterfactuallyFairRegressor(MODEL, level=1).fit(WORLD.X, WORLD.y)
    assert list(model.feature_names_out_) == ["z"]
    known = LinearRegression().fit(WORLD.z[:, None], WORLD.y)
    np.testing.assert_allclose(model.predict(WORLD.X), known.predict(WORLD.z[:, None]), atol=1e-10)
    assert changed(model) == 0
    assert list(model.feature_names_in_) == ["z"]
    np.testing.assert_array_equal(model.predict(WORLD.X[["z"]]), model.predict(WORLD.X))


def test_level_2_recovers_the_known_fair_predictor() -> None:
    model = CounterfactuallyFairRegressor(MODEL, level=2).fit(WORLD.X, WORLD.y)
    assert list(model.feature_names_out_) == ["z", "mean of K"]
    features = model.features(WORLD.X)
    assert np.corrcoef(features[:, 1], WORLD.posterior)[0, 1] > 0.998
    known = LinearRegression().fit(np.column_stack([WORLD.z, WORLD.posterior]), WORLD.y)
    fair = known.predict(np.column_stack([WORLD.z, WORLD.posterior]))
    assert np.corrcoef(model.predict(WORLD.X), fair)[0, 1] > 0.998
    assert np.abs(model.predict(WORLD.X) - fair).max() < 0.15
    # One who moves to the other group keeps the prediction, up to what the sample says of the pushes.
    assert changed(model) < 0.12
    plain = LinearRegression().fit(WORLD.X.drop(columns="group"), WORLD.y)
    unaware = np.abs(
        plain.predict(WORLD.twins.drop(columns="group")) - plain.predict(WORLD.X.drop(columns="group"))
    )
    assert unaware.max() > 0.3


def test_level_3_recovers_the_known_fair_predictor() -> None:
    model = CounterfactuallyFairRegressor(MODEL, level=3).fit(WORLD.X, WORLD.y)
    assert list(model.feature_names_out_) == ["z", "residual of x0", "residual of x1", "residual of x2"]
    noise = np.column_stack([WORLD.z, np.outer(WORLD.merit, LOADINGS) + WORLD.own])
    noise[:, 1:] -= noise[:, 1:].mean(axis=0)
    np.testing.assert_allclose(model.features(WORLD.X)[:, 1:], noise[:, 1:], atol=0.12)
    fair = LinearRegression().fit(noise, WORLD.y).predict(noise)
    assert np.corrcoef(model.predict(WORLD.X), fair)[0, 1] > 0.998
    assert changed(model) < 0.12


@pytest.mark.parametrize("level", [2, 3])
def test_more_people_leave_less_of_the_group(level: int) -> None:
    small, large = World(150, seed=3), World(6000, seed=3)
    moved = [
        changed(CounterfactuallyFairRegressor(MODEL, level=level).fit(world.X, world.y), world)
        for world in (small, large)
    ]
    assert moved[1] < 0.6 * moved[0]


def test_level_3_follows_a_chain_of_causes() -> None:
    rng = np.random.default_rng(0)
    n = 4000
    group = rng.integers(3, size=n)
    own = rng.normal(size=(n, 2))

    def people(group):
        first = 1.5 * (group == 1) - 0.7 * (group == 2) + own[:, 0]
        return pd.DataFrame({"group": group, "first": first, "second": 2 * first + (group == 2) + own[:, 1]})

    y = own[:, 0] - own[:, 1] + group
    scm = SCM("group -> {first, second}; first -> second", sensitive="group")
    model = CounterfactuallyFairRegressor(scm, level=3).fit(people(group), y)
    np.testing.assert_allclose(model.features(people(group)), own - own.mean(axis=0), atol=0.2)
    moved = model.predict(people((group + 1) % 3)) - model.predict(people(group))
    assert np.abs(moved).max() < 0.2


def test_classifier_predicts_labels_and_probabilities() -> None:
    labels = np.where(WORLD.y > WORLD.y.mean(), "yes", "no")
    for level in (1, 2, 3):
        model = CounterfactuallyFairClassifier(MODEL, level=level).fit(WORLD.X, labels)
        proba = model.predict_proba(WORLD.X)
        assert proba.shape == (len(labels), 2)
        np.testing.assert_array_equal(model.predict(WORLD.X), model.classes_[proba.argmax(axis=1)])
        right = model.score(WORLD.X, labels)
        assert right == (model.predict(WORLD.X) == labels).mean()
        assert right > (0.5 if level == 1 else 0.7)
        same = (model.predict(WORLD.twins) == model.predict(WORLD.X)).mean()
        assert same > 0.97


def test_sensitive_features_may_lie_beside_the_table() -> None:
    inside = CounterfactuallyFairRegressor(MODEL, level=3).fit(WORLD.X, WORLD.y)
    bare, group = WORLD.X.drop(columns="group"), WORLD.X["group"]
    table = WORLD.X[["group"]]
    for beside in (group, group.to_numpy(), table, {"group": group.to_numpy()}, group.rename("other")):
        model = CounterfactuallyFairRegressor(MODEL, level=3).fit(bare, WORLD.y, sensitive_features=beside)
        np.testing.assert_array_equal(model.predict(bare, sensitive_features=beside), inside.predict(WORLD.X))
        assert "group" not in model.feature_names_in_
    for wrong in (None, table.rename(columns={"group": "other"})):
        with pytest.raises(InputError, match="sensitive_features is missing"):
            model.predict(bare, sensitive_features=wrong)
    with pytest.raises(InputError, match="inconsistent numbers"):
        model.predict(bare, sensitive_features=group.to_numpy()[:5])
    with pytest.raises(InputError, match="different indexes"):
        model.predict(bare, sensitive_features=group[::-1])
    with pytest.raises(InputError, match="must have 1 columns"):
        model.predict(bare, sensitive_features=np.zeros((len(bare), 2)))


def test_other_learners() -> None:
    forest = RandomForestRegressor(n_estimators=5, random_state=0)
    model = CounterfactuallyFairRegressor(MODEL, level=3, estimator=forest, mechanism=forest).fit(
        WORLD.X, WORLD.y
    )
    assert model.score(WORLD.X, WORLD.y) > 0.5
    labels = WORLD.y > 0
    wood = CounterfactuallyFairClassifier(MODEL, level=2, estimator=RandomForestClassifier(5, random_state=0))
    assert wood.fit(WORLD.X, labels).predict_proba(WORLD.X).shape == (len(labels), 2)
    svm = CounterfactuallyFairClassifier(MODEL, level=3, estimator=LinearSVC()).fit(WORLD.X, labels)
    assert not hasattr(svm, "predict_proba")
    assert svm.predict(WORLD.X).dtype == bool


def test_columns_of_levels() -> None:
    rng = np.random.default_rng(0)
    table = WORLD.X.assign(
        region=rng.choice(["n", "s", "w"], len(WORLD.y)),
        job=np.where(WORLD.group + rng.random(len(WORLD.y)) > 0.8, "manual", "office"),
        unnamed=np.nan,
    )
    graph = "group -> {x0, job}; region; z -> x0"
    strict = CounterfactuallyFairRegressor(SCM(graph, sensitive="group"), level=3)
    with pytest.raises(InputError, match="level 3 cannot use job"):
        strict.fit(table, WORLD.y)
    model = CounterfactuallyFairRegressor(SCM(graph, sensitive="group"), level=3, discrete="drop").fit(
        table, WORLD.y
    )
    assert sorted(model.feature_names_out_) == ["region 0", "region 1", "region 2", "residual of x0", "z"]
    with pytest.raises(DataError, match="elsewhere"):
        model.predict(table.assign(region="elsewhere"))
    with pytest.raises(InputError, match="x0 contains NaN"):
        model.predict(table.assign(x0=np.nan))


def test_declared_families_are_checked() -> None:
    for family in ("poisson", "bernoulli"):
        scm = SCM(GRAPH, sensitive="group", latents="K", outcome="y", families={"x0": family})
        with pytest.raises(InputError, match="x0 is declared"):
            CounterfactuallyFairRegressor(scm, level=2).fit(WORLD.X, WORLD.y)


def test_counts_as_effects_of_a_latent() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.exp(0.5 + 0.5 * WORLD.merit + 0.3 * WORLD.group))
    scm = SCM(GRAPH, sensitive="group", latents="K", outcome="y", families={"x0": "poisson"})
    table = WORLD.X.assign(x0=counts)
    model = CounterfactuallyFairRegressor(scm, level=2).fit(table, WORLD.y)
    assert np.corrcoef(model.features(table)[:, 1], WORLD.merit)[0, 1] > 0.85


@pytest.mark.parametrize(
    ("scm", "settings", "message"),
    [
        ("group -> x0", {}, "structural causal model"),
        (MODEL, {"level": 4}, "level must be"),
        (MODEL, {"discrete": "guess"}, "discrete"),
        (SCM("group -> x0", sensitive="group"), {"level": 2}, "declares none"),
        (SCM("group -> {x0, x1}", sensitive="group"), {"level": 1}, "cause every column"),
        (
            SCM("group -> x0; group <-> x0", sensitive="group"),
            {"level": 3},
            "shares a hidden cause with group",
        ),
        (
            SCM("group -> x0 -> x1; x0 <-> x1", sensitive="group"),
            {"level": 3},
            "shares a hidden cause with x0",
        ),
        (
            SCM("{group, K} -> {x0, x1, x2}; x0 <-> x1", sensitive="group", latents="K"),
            {"level": 2},
            "shares a hidden cause",
        ),
    ],
)
def test_refuses_what_a_level_cannot_do(scm, settings, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CounterfactuallyFairRegressor(scm, **settings).fit(WORLD.X, WORLD.y)


def test_says_when_too_few_effects_settle_a_latent() -> None:
    scm = SCM("{group, K} -> {x0, x1}", sensitive="group", latents="K")
    with pytest.warns(FairwitnessWarning, match="fewer than three measured effects"):
        CounterfactuallyFairRegressor(scm, level=2).fit(WORLD.X, WORLD.y)


def test_asks_to_be_fitted_first() -> None:
    with pytest.raises(UnfittedError):
        CounterfactuallyFairRegressor(MODEL).predict(WORLD.X)


def test_columns_of_an_array_are_called_by_number() -> None:
    array = WORLD.X[["x0", "x1", "x2", "z"]].to_numpy()
    scm = SCM("group -> {x0, x1, x2}; x3", sensitive="group")
    model = CounterfactuallyFairRegressor(scm, level=3).fit(array, WORLD.y, sensitive_features=WORLD.group)
    again = CounterfactuallyFairRegressor(MODEL, level=3).fit(WORLD.X, WORLD.y)
    np.testing.assert_allclose(
        model.predict(array, sensitive_features=WORLD.group), again.predict(WORLD.X), atol=1e-9
    )
