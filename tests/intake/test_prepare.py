from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.errors import ConfigError, DataError, FairwitnessError
from fairwitness.intake import prepare_case


def decide(frame: pd.DataFrame) -> np.ndarray:
    return 1 / (1 + np.exp(-frame["income"].to_numpy(dtype=float)))


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "income": rng.normal(size=60).round(2),
            "job": rng.choice(["a", "b"], 60),
            "age": rng.integers(18, 70, 60),
            "sex": rng.choice(["f", "m"], 60),
        }
    )


def test_sensitive_columns_leave_the_inputs(table: pd.DataFrame) -> None:
    case = prepare_case(decide, table, sensitive_features=["sex", "age > 40"], random_state=0)
    assert list(case.inputs.columns) == list(case.evidence.columns) == ["income", "job"]
    assert [groups.name for groups in case.groups] == ["sex", "age > 40", "sex × age > 40"]


def test_the_models_own_columns_are_kept(table: pd.DataFrame) -> None:
    from fairwitness import as_blackbox

    model = as_blackbox(decide, feature_names=["sex", "income"])
    case = prepare_case(model, table, sensitive_features="sex", random_state=0)
    assert list(case.inputs.columns) == ["sex", "income"]
    assert list(case.evidence.columns) == ["income"]


@pytest.mark.parametrize("kind", ["mapping", "frame", "series", "array"])
def test_sensitive_features_may_lie_beside_the_table(table: pd.DataFrame, kind: str) -> None:
    inputs, beside = table[["income", "job"]], table["sex"]
    given = {
        "mapping": {"sex": beside.tolist()},
        "frame": beside.to_frame(),
        "series": beside,
        "array": beside.to_numpy(),
    }[kind]
    case = prepare_case(decide, inputs, sensitive_features=given, random_state=0)
    assert case.groups[0].name == ("sensitive feature" if kind == "array" else "sex")
    back = np.empty(60, dtype=object)
    back[case.row_number] = case.groups[0].label_of(case.groups[0].codes)
    assert back.tolist() == beside.tolist()


def test_shuffled_rows_give_the_same_case(table: pd.DataFrame) -> None:
    y = (table["income"] > 0.2).astype(int)
    first = prepare_case(decide, table, y, sensitive_features="sex", random_state=0)
    order = np.random.default_rng(5).permutation(60)
    second = prepare_case(decide, table.iloc[order], y.iloc[order], sensitive_features="sex", random_state=0)
    assert (first.row_key == second.row_key).all()
    assert (first.judgement.score == second.judgement.score).all()
    assert (first.groups[0].codes == second.groups[0].codes).all()
    assert first.y is not None
    assert second.y is not None
    assert (first.y == second.y).all()
    assert (order[second.row_number] == first.row_number).all()


def test_row_numbers_lead_back_to_the_users_rows(table: pd.DataFrame) -> None:
    case = prepare_case(decide, table, sensitive_features="sex", random_state=0)
    assert (table["income"].to_numpy()[case.row_number] == case.inputs["income"].to_numpy()).all()


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"sensitive_features": "gender"}, DataError, "gender"),
        ({"sensitive_features": []}, ConfigError, "empty"),
        ({"sensitive_features": 3}, ConfigError, "column names"),
        ({"sensitive_features": {"sex": ["f"]}}, DataError, "different lengths"),
        ({"k": 0}, ConfigError, "k must be at least 1"),
        ({"confidence": 1.0}, ConfigError, "confidence"),
        ({"random_state": -1}, ConfigError, "random_state"),
        ({"y": [1]}, DataError, "different lengths"),
        ({"y": [None] * 60}, DataError, "missing in 60 rows"),
        ({"y": ["no"] * 60}, DataError, "favourable"),
        ({"missing": "ignore"}, FairwitnessError, "missing"),
        ({"sensitive_features": "age"}, FairwitnessError, "age > "),
        ({"privileged": "x"}, FairwitnessError, "x"),
    ],
)
def test_bad_input_says_what_is_wrong(
    table: pd.DataFrame, changes: dict[str, object], error: type[Exception], says: str
) -> None:
    settings: dict[str, object] = {"sensitive_features": "sex", "random_state": 0, **changes}
    with pytest.raises(error, match=says):
        prepare_case(decide, table, **settings)  # type: ignore[arg-type]


def test_an_empty_table_is_an_error(table: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="no rows"):
        prepare_case(decide, table.iloc[:0], sensitive_features="sex")
