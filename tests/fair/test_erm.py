from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.svm import LinearSVC
from tests.fair.people import all_zero, people

from fairwitness.errors import ConfigError
from fairwitness.fair import LFERM
from fairwitness.fair.inputs import InputError

X, Y, SENSITIVE = people()
SEX = SENSITIVE["sex"].to_numpy()


def deserving_gap(model: LFERM, group: np.ndarray, *, wanted: object = 1, y: np.ndarray = Y) -> float:
    """Largest difference of mean scores between groups, among those whose outcome is the wanted one."""
    score = model.decision_function(X)
    means = [score[(y == wanted) & (group == label)].mean() for label in np.unique(group)]
    return float(np.ptp(means))


@pytest.mark.parametrize("basis", ["orthonormal", "published"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_is_exactly_orthogonal(basis: str, C: float) -> None:
    model = LFERM(C=C, basis=basis).fit(X, Y, sensitive_features=SEX)
    good = Y == 1
    u = X[good & (SEX == "m")].mean(axis=0) - X[good & (SEX == "f")].mean(axis=0)
    w = model.coef_[0]
    assert abs(w @ u) <= 1e-14 * np.linalg.norm(w) * np.linalg.norm(u) + 1e-15
    assert model.violation_ <= 1e-14
    assert np.linalg.norm(w) > 0.1
    assert deserving_gap(model, SEX) < 1e-13


def test_is_orthogonal_for_many_groups_and_features() -> None:
    model = LFERM().fit(X, Y, sensitive_features=SENSITIVE)
    assert model.directions_.shape == (3, 6)
    for name in SENSITIVE:
        assert deserving_gap(model, SENSITIVE[name].to_numpy()) < 1e-13


def test_is_the_minimum_that_cvxpy_finds() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cp = pytest.importorskip("cvxpy")
    for epsilon in (0.0, 0.05, 0.3):
        model = LFERM(C=0.1, epsilon=epsilon).fit(X, Y, sensitive_features=SENSITIVE)
        w, b = cp.Variable(6), cp.Variable()
        short = cp.pos(1 - cp.multiply(2 * Y - 1, X @ w + b))
        aim = 0.1 * cp.sum_squares(short) + 0.5 * cp.sum_squares(w)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cp.Problem(cp.Minimize(aim), [cp.abs(model.directions_ @ w) <= epsilon]).solve(solver="CLARABEL")
        np.testing.assert_allclose(model.coef_[0], w.value, atol=1e-4)
        assert model.violation_ <= epsilon + 1e-14


def test_published_basis_is_an_svm_on_the_printed_features() -> None:
    good = Y == 1
    u = X[good & (SEX == "m")].mean(axis=0) - X[good & (SEX == "f")].mean(axis=0)
    gone = int(np.abs(u).argmax())
    printed = np.delete(X - np.outer(X[:, gone], u / u[gone]), gone, axis=1)
    ones = np.column_stack(
        [printed, 1e4 * np.ones(len(X))]
    )  # the penalty on so small an intercept is nothing
    svm = LinearSVC(C=0.5, dual=False, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(ones, Y)
    model = LFERM(C=0.5, basis="published").fit(X, Y, sensitive_features=SEX)
    np.testing.assert_allclose(model.decision_function(X), svm.decision_function(ones), atol=1e-4)


def test_slack_is_used_up_to_the_limit() -> None:
    plain = LFERM(epsilon=100).fit(X, Y, sensitive_features=SEX)
    assert plain.violation_ > 0.1
    for epsilon in (0.01, 0.05):
        model = LFERM(epsilon=epsilon).fit(X, Y, sensitive_features=SEX)
        assert model.violation_ == pytest.approx(epsilon, rel=1e-6)


def test_the_favourable_outcome_can_be_the_first_class() -> None:
    labels = np.where(Y == 1, "yes", "but no")
    model = LFERM(favorable="but no").fit(X, labels, sensitive_features=SEX)
    assert deserving_gap(model, SEX, wanted="but no", y=labels) < 1e-13
    assert deserving_gap(model, SEX, wanted="yes", y=labels) > 1e-3
    assert set(model.predict(X)) == {"yes", "but no"}


def test_weights_are_repetitions() -> None:
    weights = np.random.default_rng(3).integers(0, 3, size=len(Y))
    many = np.repeat(np.arange(len(Y)), weights)
    weighted = LFERM().fit(X, Y, sensitive_features=SEX, sample_weight=weights)
    repeated = LFERM().fit(X[many], Y[many], sensitive_features=SEX[many])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)


def test_no_direction_left_is_a_constant() -> None:
    model = LFERM().fit(X[:, :2], Y, sensitive_features=SENSITIVE)
    assert all_zero(model.coef_, 1e-12)


def test_a_group_that_never_gets_the_good_outcome_is_named() -> None:
    y = np.where(SENSITIVE["race"] == "c", 0, Y)
    with pytest.raises(InputError, match=r"nobody of the group c \(race\) has the favourable outcome 1"):
        LFERM().fit(X, y, sensitive_features=SENSITIVE)


@pytest.mark.parametrize(
    "settings",
    [
        {"C": 0},
        {"C": None},
        {"epsilon": -1},
        {"basis": "other"},
        {"basis": "published", "epsilon": 0.1},
        {"max_iter": 0.5},
    ],
)
def test_refuses_parameters_that_make_no_sense(settings) -> None:
    with pytest.raises(ConfigError):
        LFERM(**settings).fit(X, Y, sensitive_features=SEX)


def test_the_published_basis_is_for_two_groups() -> None:
    with pytest.raises(ConfigError, match="two groups"):
        LFERM(basis="published").fit(X, Y, sensitive_features=SENSITIVE)
