from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from tests.fair.people import people

from fairwitness.errors import DataError, FairwitnessError, GroupError
from fairwitness.fair import LFERM, AdvDeb, FairC, InvariantMinimaxClassifier, InvariantMinimaxRegressor
from fairwitness.fair.inputs import InputError, InputTypeError, UnfittedError, read_groups, row_weights

X, Y, SENSITIVE = people(120)
SEX = SENSITIVE["sex"]
QUICK = {
    AdvDeb: {"hidden": (4,), "n_epochs": 1, "random_state": 0},
    FairC: {},
    LFERM: {},
    InvariantMinimaxClassifier: {"encoder": (4,), "n_rounds": 1, "max_restarts": 0, "random_state": 0},
}


@pytest.fixture(params=QUICK, ids=lambda each: each.__name__)
def model(request):
    if request.param in (AdvDeb, InvariantMinimaxClassifier):
        pytest.importorskip("torch")
    return request.param(**QUICK[request.param])


def said(error: BaseException) -> str:
    """Every error says what to do about it."""
    assert isinstance(error, FairwitnessError)
    assert error.fix
    return str(error)


def test_sensitive_features_are_needed(model) -> None:
    with pytest.raises(InputError, match="sensitive_features is missing") as caught:
        model.fit(X, Y)
    assert "fit(X, y, sensitive_features=...)" in said(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.ones(120)}, "only 1 class"),
        ({"y": np.where(Y == 1, 1.0, np.nan)}, "y contains NaN: labels are missing"),
        ({"y": Y[:5]}, "inconsistent numbers of samples"),
        ({"y": None}, "y is missing"),
        ({"y": np.column_stack([Y, Y])}, "one value a row"),
        ({"sensitive_features": np.zeros(120)}, "single group"),
        ({"sensitive_features": np.where(Y == 1, "a", None)}, "missing values"),
        ({"sensitive_features": SEX[:7].to_numpy()}, "inconsistent numbers of samples"),
        ({"sensitive_features": np.arange(120.0)}, "120 different values"),
        ({"sensitive_features": "sex"}, "must be values, not a name"),
        ({"sensitive_features": np.zeros((120, 2, 2))}, "one or two dimensions"),
        ({"sensitive_features": {}}, "no sensitive feature"),
        ({"sensitive_features": {"sex": SEX, "short": [1, 2]}}, "differ in their number of rows"),
        ({"X": np.where(X > 2, np.nan, X)}, "contains NaN"),
        ({"X": X[:1]}, "1 sample"),
        ({"X": X[:, 0]}, "2D array"),
    ],
)
def test_says_what_is_wrong(model, change, message: str) -> None:
    given = {"X": X, "y": Y, "sensitive_features": SEX, **change}
    if message == "1 sample":
        given |= {"y": Y[:1], "sensitive_features": SEX[:1]}
    with pytest.raises(DataError, match=message) as caught:
        model.fit(given["X"], given["y"], sensitive_features=given["sensitive_features"])
    said(caught.value)


def test_two_classes_only_where_the_mathematics_wants_two() -> None:
    three = np.arange(120) % 3
    for make in (FairC, LFERM, AdvDeb):
        with pytest.raises(InputError, match="Only binary classification is supported") as caught:
            make(**QUICK[make]).fit(X, three, sensitive_features=SEX)
        assert "3 classes" in said(caught.value)


def test_rows_are_matched_by_position_never_by_index(model) -> None:
    table = pd.DataFrame(X)
    with pytest.raises(InputError, match="X and sensitive_features have different indexes"):
        model.fit(table, Y, sensitive_features=SEX.sample(frac=1, random_state=0))
    model.fit(table, pd.Series(Y), sensitive_features=SEX)


def test_containers_of_sensitive_features(model) -> None:
    forms = [
        SEX,
        SEX.to_numpy(),
        SEX.tolist(),
        SEX.to_numpy()[:, None],
        SEX.astype("category"),
        pd.DataFrame({"sex": SEX}),
        pl.DataFrame({"sex": SEX.tolist()}),
        pl.Series("sex", SEX.tolist()),
        {"sex": SEX.to_numpy()},
        (SEX == "m").to_numpy(),
        (SEX == "m").astype(int).to_numpy(),
    ]
    answers = [model.fit(X, Y, sensitive_features=form).predict(X) for form in forms]
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])


def test_a_number_can_be_cut() -> None:
    age = pd.DataFrame({"age > 40": np.linspace(18, 70, 120)})
    old = FairC().fit(X, Y, sensitive_features=age)
    assert list(old.covariance_) == ["age > 40"]
    by_hand = FairC().fit(X, Y, sensitive_features=age["age > 40"].to_numpy() > 40)
    np.testing.assert_allclose(old.coef_, by_hand.coef_, atol=1e-12)


def test_errors_are_scikit_learns_and_ours(model) -> None:
    for method in ("predict",):
        with pytest.raises(NotFittedError) as caught:
            getattr(model, method)(X)
        assert isinstance(caught.value, UnfittedError)
        assert "call fit first" in said(caught.value)
    with pytest.raises(ValueError, match="NaN") as wrong:
        model.fit(np.where(X > 2, np.nan, X), Y, sensitive_features=SEX)
    said(wrong.value)
    model.fit(X, Y, sensitive_features=SEX)
    with pytest.raises(InputError, match="expecting 6 features"):
        model.predict(X[:, :3])


def test_sparse_tables_are_refused() -> None:
    from scipy.sparse import csr_matrix

    with pytest.raises(InputTypeError, match=r"[Ss]parse"):
        FairC().fit(csr_matrix(X), Y, sensitive_features=SEX)


def test_hostile_labels_are_shown_harmlessly() -> None:
    with pytest.raises(InputError) as caught:
        LFERM().fit(X, Y, sensitive_features=np.where(Y == 1, "\x1b[31mred", "blue"))
    assert "\x1b" not in str(caught.value)


def test_weights() -> None:
    np.testing.assert_array_equal(row_weights(None, rows=3), [1, 1, 1])
    np.testing.assert_array_equal(row_weights(2, rows=3), [2, 2, 2])
    for wrong, message in [
        ([1, -1, 1], "negative"),
        ([0, 0, 0], "zero for every row"),
        ([1, np.nan, 1], "NaN"),
        ([1, 1], "inconsistent"),
        (["a", "b", "c"], "must hold numbers"),
        (np.ones((3, 2)), "1D array"),
    ]:
        with pytest.raises(InputError, match=message):
            row_weights(wrong, rows=3)


def test_names_of_columns_are_kept() -> None:
    table = pd.DataFrame(X, columns=[f"c{at}" for at in range(6)])
    model = FairC().fit(table, Y, sensitive_features=SENSITIVE)
    assert list(model.feature_names_in_) == list(table)
    with pytest.raises(InputError, match="feature names should match"):
        model.predict(table.rename(columns={"c0": "other"}))
    groups = read_groups(SENSITIVE, rows=120)
    assert [each.name for each in groups] == ["race", "sex"]
    with pytest.raises(GroupError):
        read_groups({"sex": [None] * 120}, rows=120)


@pytest.mark.parametrize("kind", [AdvDeb, InvariantMinimaxClassifier, InvariantMinimaxRegressor])
def test_weights_are_refused_where_none_are_learnt_from(kind):
    rows, y, groups = np.arange(20.0)[:, None], np.arange(20) % 2, ["f", "m"] * 10
    with pytest.raises(
        DataError, match=f"{kind.__name__} learns from X, y and sensitive_features alone"
    ) as said:
        kind().fit(rows, y, sensitive_features=groups, sample_weight=np.ones(20))
    assert "sample_weight=" in str(said.value)
    assert isinstance(said.value, TypeError)
