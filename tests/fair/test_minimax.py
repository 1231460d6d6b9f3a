from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss, mean_squared_error
from tests.fair.people import people

from fairwitness.errors import ConfigError, FairwitnessWarning
from fairwitness.fair import InvariantMinimaxClassifier, InvariantMinimaxRegressor

pytest.importorskip("torch")

QUICK = {"encoder": (8, 4), "head": (8,), "n_rounds": 30, "learning_rate": 0.01, "random_state": 0}


def invariant_world(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merit says as much of the outcome whatever the group; the rating is the outcome, shifted by the group.

    An invariant code exists: merit alone. One that uses the rating is more exact, and the group then adds
    to it, because it tells the shift.
    """
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    merit = rng.normal(size=n)
    y = merit + 0.6 * rng.normal(size=n)
    rating = y + 1.5 * (group - 0.5) + 0.3 * rng.normal(size=n)
    return np.column_stack([merit, rating]), y, group


def gains(model, X, y, group, loss, probe) -> float:
    """What a fresh learner gains by the group, beside the code as the heads hear it, on rows not seen."""
    code = model.encode(X)
    code = code + model.noise * np.random.default_rng(1).normal(size=code.shape)
    half = len(X) // 2
    losses = []
    for seen in (code, np.column_stack([code, group])):
        fitted = probe(random_state=0, max_iter=50).fit(seen[:half], y[:half])
        answer = (
            fitted.predict_proba(seen[half:])
            if hasattr(fitted, "predict_proba")
            else fitted.predict(seen[half:])
        )
        losses.append(loss(y[half:], answer))
    return losses[0] - losses[1]


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_where_an_invariant_code_exists_the_aware_head_gains_nothing(kind: str) -> None:
    X, y, group = invariant_world(3000)
    settings = {"encoder": (16, 4), "head": (16,), "n_rounds": 250, "learning_rate": 0.01, "random_state": 0}
    if kind == "regressor":
        make, loss, probe = InvariantMinimaxRegressor, mean_squared_error, HistGradientBoostingRegressor
    else:
        make, loss, probe = InvariantMinimaxClassifier, log_loss, HistGradientBoostingClassifier
        y = (y > 0).astype(int)
    train = np.arange(len(X)) < 1500
    plain = make(invariance=0.0, **settings).fit(X[train], y[train], sensitive_features=group[train])
    model = make(invariance=30.0, **settings).fit(X[train], y[train], sensitive_features=group[train])
    # The heads that were trained, and a learner of another kind on other rows.
    assert plain.gap_ > 0.03
    assert abs(model.gap_) < 0.01
    fresh = {"loss": loss, "probe": probe}
    assert gains(plain, X, y, group, **fresh) > 0.02
    assert gains(model, X, y, group, **fresh) < 0.2 * gains(plain, X, y, group, **fresh)

    def answer(each, rows):
        return each.predict_proba(rows)[:, 1] if kind == "classifier" else each.predict(rows)

    def difference(each):
        given = answer(each, X[~train])
        return abs(given[group[~train] == 1].mean() - given[group[~train] == 0].mean())

    assert difference(model) < 0.5 * difference(plain)
    # It still predicts: merit alone explains about three quarters of the variance.
    assert np.corrcoef(answer(model, X[~train]), y[~train])[0, 1] > 0.55


@pytest.mark.parametrize("readout", ["head", "linear", "autoencoder"])
def test_readouts(readout: str) -> None:
    X, y, sensitive = people(400)
    model = InvariantMinimaxClassifier(**QUICK, readout=readout).fit(X, y, sensitive_features=sensitive)
    proba = model.predict_proba(X)
    assert proba.shape == (400, 2)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (model.predict(X) == y).mean() > 0.65
    assert np.isnan(model.gap_) == (readout == "autoencoder")
    assert model.encode(X).shape == (400, 4)
    assert np.abs(model.encode(X)).max() <= 1
    values = X[:, 0] - 3 * X[:, 1] + 7
    regressor = InvariantMinimaxRegressor(**QUICK, readout=readout, invariance=0).fit(
        X, values, sensitive_features=sensitive
    )
    assert regressor.score(X, values) > 0.5


def test_a_linear_readout_does_not_turn_up_what_the_code_has_turned_down() -> None:
    X, y, group = invariant_world(1500)
    settings = {**QUICK, "encoder": (16, 4), "n_rounds": 200, "invariance": 30.0}
    head = InvariantMinimaxRegressor(**settings).fit(X, y, sensitive_features=group)
    linear = InvariantMinimaxRegressor(**settings, readout="linear").fit(X, y, sensitive_features=group)

    def pull(model):
        return np.abs(model.predict(X + np.array([0, 0.01])) - model.predict(X)).mean() / 0.01

    assert pull(head) < 0.2
    assert pull(linear) < 0.2


def test_more_than_two_classes() -> None:
    X, _, sensitive = people(400)
    y = np.array(["low", "middle", "top"])[np.digitize(X[:, 0] + X[:, 3], [-1, 1])]
    settings = {**QUICK, "n_rounds": 100, "invariance": 0.5}
    model = InvariantMinimaxClassifier(**settings).fit(X, y, sensitive_features=sensitive)
    assert model.predict_proba(X).shape == (400, 3)
    assert (model.predict(X) == y).mean() > 0.7
    linear = InvariantMinimaxClassifier(**settings, readout="linear").fit(X, y, sensitive_features=sensitive)
    np.testing.assert_allclose(linear.predict_proba(X).sum(axis=1), 1)


def test_equal_seeds_give_equal_weights() -> None:
    X, y, sensitive = people(300)
    settings = {**QUICK, "dropout": 0.2}
    one, two = (
        InvariantMinimaxClassifier(**settings).fit(X, y, sensitive_features=sensitive) for _ in range(2)
    )
    other = InvariantMinimaxClassifier(**{**settings, "random_state": 1}).fit(
        X, y, sensitive_features=sensitive
    )
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert not np.array_equal(one.predict_proba(X), other.predict_proba(X))
    assert one.gap_ == two.gap_


def test_a_collapse_is_started_again_counted_and_said() -> None:
    X, y, sensitive = people(200)
    nothing = np.zeros_like(X)
    with pytest.warns(FairwitnessWarning, match="constant in each of 3 runs"):
        model = InvariantMinimaxClassifier(**{**QUICK, "n_rounds": 2}, max_restarts=2).fit(
            nothing, y, sensitive_features=sensitive
        )
    assert model.n_restarts_ == 2
    assert InvariantMinimaxClassifier(**QUICK).fit(X, y, sensitive_features=sensitive).n_restarts_ == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"encoder": ()},
        {"encoder": (0,)},
        {"head": "wide"},
        {"embedding": 0},
        {"invariance": -1},
        {"slope": 1.0},
        {"slope": -0.1},
        {"readout": "tree"},
        {"steps": (1, 3)},
        {"steps": (0, 3, 3)},
        {"n_rounds": 0},
        {"learning_rate": -1},
        {"dropout": 1.0},
        {"noise": -0.1},
        {"max_restarts": -1},
    ],
)
def test_refuses_parameters_that_make_no_sense(settings) -> None:
    X, _, sensitive = people(50)
    with pytest.raises(ConfigError):
        InvariantMinimaxRegressor(**{**QUICK, **settings}).fit(X, X[:, 0], sensitive_features=sensitive)
