from __future__ import annotations

import pickle
import random
import sys

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import balanced_accuracy_score
from tests.fair.people import people

from fairwitness.errors import ConfigError, FairwitnessWarning, MissingExtraError
from fairwitness.fair import AdvDeb
from fairwitness.fair.adversarial import update
from fairwitness.fair.network import answers

torch = pytest.importorskip("torch")

X, Y, SENSITIVE = people(400)
SEX = SENSITIVE["sex"].to_numpy()
QUICK = {"hidden": (8,), "n_epochs": 3, "batch_size": 64, "learning_rate": 0.02, "random_state": 0}


@pytest.mark.parametrize("alpha", [0.0, 0.1, 3.0])
@pytest.mark.parametrize("seed", range(5))
def test_projection_identity(alpha: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    own, adversary = rng.normal(size=(2, 50)) * rng.uniform(0.01, 100, size=(2, 1))
    step = update(own, adversary, alpha)
    assert step @ adversary == pytest.approx(
        -alpha * adversary @ adversary, abs=1e-9 * (own @ own + adversary @ adversary)
    )
    # What does not concern the adversary is left as it is.
    aside = own - (own @ adversary) / (adversary @ adversary) * adversary
    np.testing.assert_allclose(step + alpha * adversary, aside, atol=1e-9)


def test_an_adversary_without_a_gradient_changes_nothing() -> None:
    own = np.arange(3.0)
    np.testing.assert_array_equal(update(own, np.zeros(3), 0.5), own)


@pytest.mark.parametrize("constraint", ["demographic_parity", "equalized_odds"])
@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_the_step_that_is_taken_keeps_the_identity(constraint: str, alpha: float) -> None:
    """One step of gradient descent on all rows: ⟨change, g_A⟩ = rate · α ‖g_A‖², with g_A by differences."""
    rate = 1e-6
    settings = {
        "hidden": (5,),
        "constraint": constraint,
        "alpha": alpha,
        "n_epochs": 1,
        "batch_size": len(X),
        "dropout": 0.0,
        "optimizer": "sgd",
        "random_state": 0,
    }
    # Steps too small to matter leave the networks where they began; two rates give the change of one step.
    begin = AdvDeb(learning_rate=1e-300, **settings).fit(X, Y, sensitive_features=SENSITIVE)
    after = AdvDeb(learning_rate=rate, **settings).fit(X, Y, sensitive_features=SENSITIVE)
    flat = np.concatenate([part.ravel() for layer in begin.layers_ for part in layer])
    moved = np.concatenate([part.ravel() for layer in after.layers_ for part in layer])
    change = (moved - flat) / rate
    against = adversary_gradient(begin, flat, constraint)
    assert np.linalg.norm(against) > 1e-4
    assert change @ against == pytest.approx(alpha * against @ against, rel=1e-3, abs=1e-7)
    assert np.linalg.norm(change) > 1e-3


def adversary_gradient(model: AdvDeb, flat: np.ndarray, constraint: str) -> np.ndarray:
    """Slope of the adversary's loss in the predictor's weights, by differences, for its first weights."""
    from fairwitness.fair.adversarial import _Training
    from fairwitness.fair.inputs import read_groups

    groups = read_groups(SENSITIVE, rows=len(X))
    training = _Training(model, X, Y.astype(np.int64), groups, model.seed_)
    reader = [each.detach().numpy() for each in training.adversary[1:]]
    sharpness = 1 + abs(float(training.sharpness.detach()))

    def loss(weights: np.ndarray) -> float:
        layers, at = [], 0
        for matrix, shift in model.layers_:
            layers.append(
                (
                    weights[at : at + matrix.size].reshape(matrix.shape),
                    weights[at + matrix.size :][: shift.size],
                )
            )
            at += matrix.size + shift.size
        s = expit(sharpness * answers(layers, X)[:, 0])
        seen = np.column_stack([s * Y, s * (1 - Y), Y] if constraint == "equalized_odds" else [s])
        heads = seen @ reader[0] + reader[1]
        total, first = 0.0, 0
        for each in groups:
            head = heads[:, first : first + each.n_groups]
            first += each.n_groups
            total -= (head[np.arange(len(X)), each.codes] - np.log(np.exp(head).sum(axis=1))).mean()
        return total

    steps = 1e-6 * np.eye(len(flat))
    return np.array([(loss(flat + step) - loss(flat - step)) / 2e-6 for step in steps])


def test_the_gap_between_groups_shrinks_and_the_outcome_is_still_learnt() -> None:
    rng = np.random.default_rng(0)
    n = 1500
    sex = rng.integers(2, size=n)
    X = rng.normal(size=(n, 4))
    X[:, 0] += 1.5 * sex
    y = (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n) > 0.75).astype(int)
    settings = {"hidden": (16,), "n_epochs": 25, "batch_size": 128, "learning_rate": 0.01, "random_state": 0}
    fair = AdvDeb(alpha=0.85, **settings).fit(X, y, sensitive_features=sex)
    given = fair.predict(X)

    def gap(decision):
        return decision[sex == 1].mean() - decision[sex == 0].mean()

    assert gap(y) > 0.3
    assert abs(gap(given)) < 0.5 * gap(y)
    assert balanced_accuracy_score(y, given) > 0.7
    assert fair.adversary_gain_["sensitive feature"] < 0.02


def test_equal_seeds_give_equal_weights_and_others_do_not() -> None:
    one, two = (AdvDeb(**QUICK).fit(X, Y, sensitive_features=SEX) for _ in range(2))
    other = AdvDeb(**{**QUICK, "random_state": 1}).fit(X, Y, sensitive_features=SEX)
    for (a, _), (b, _), (c, _) in zip(one.layers_, two.layers_, other.layers_, strict=True):
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(a, c)
    assert one.seed_ == 0
    assert one.layers_[0][0].dtype == np.float64


def test_global_random_states_are_left_alone() -> None:
    before = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    AdvDeb(**QUICK).fit(X, Y, sensitive_features=SEX)
    assert torch.equal(before[0], torch.get_rng_state())
    np.testing.assert_array_equal(before[1], np.random.get_state()[1])  # noqa: NPY002
    assert before[2] == random.getstate()


def test_what_was_learnt_needs_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    model = AdvDeb(**QUICK).fit(X, Y, sensitive_features=SEX)
    without_torch(monkeypatch)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(MissingExtraError, match=r"torch.*fairwitness\[gan\]"):
        AdvDeb(**QUICK).fit(X, Y, sensitive_features=SEX)


def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # what Python takes for a module that is not there


def test_many_groups_each_have_a_gain() -> None:
    model = AdvDeb(**QUICK, constraint="equalized_odds", adversary_hidden=(4,)).fit(
        X, Y, sensitive_features=SENSITIVE
    )
    assert list(model.adversary_gain_) == ["race", "sex"]
    assert all(np.isfinite(gain) and gain < np.log(3) for gain in model.adversary_gain_.values())
    assert model.history_["predictor"].shape == (3,)
    assert model.n_iter_ == 3 * 7


def test_labels_of_any_kind() -> None:
    labels = np.where(Y == 1, "good", "bad")
    named = AdvDeb(**QUICK).fit(X, labels, sensitive_features=SEX)
    coded = AdvDeb(**QUICK).fit(X, Y, sensitive_features=SEX)
    np.testing.assert_array_equal(named.predict(X) == "good", coded.predict(X) == 1)


def test_says_when_everybody_gets_the_same() -> None:
    with pytest.warns(FairwitnessWarning, match="same for everybody"):
        AdvDeb(**QUICK).fit(np.zeros_like(X), Y, sensitive_features=SEX)


@pytest.mark.parametrize(
    "settings",
    [
        {"constraint": "parity"},
        {"alpha": -1},
        {"n_epochs": 0},
        {"batch_size": 1.5},
        {"learning_rate": 0},
        {"dropout": 1},
        {"hidden": (0,)},
        {"hidden": "many"},
        {"adversary_hidden": (-1,)},
        {"optimizer": "rmsprop"},
        {"random_state": -1},
    ],
)
def test_refuses_parameters_that_make_no_sense(settings) -> None:
    with pytest.raises(ConfigError):
        AdvDeb(**{**QUICK, **settings}).fit(X, Y, sensitive_features=SEX)
