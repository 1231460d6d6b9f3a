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
        ({"sensitive_features": {"sex": None}}, DataError, "no column of values; got None"),
        ({"sensitive_features": {"sex": "f"}}, DataError, "no column of values; got 'f'"),
        ({"sensitive_features": {"sex"}}, ConfigError, "a set has no order"),
        ({"sensitive_features": ["f"] * 59}, DataError, "no column 'f'"),
        ({"sensitive_features": [1, 0]}, DataError, "^the sensitive feature and the table have different"),
        ({"k": 0}, ConfigError, "k must be a whole number"),
        ({"k": "5"}, ConfigError, "k must be a whole number"),
        ({"k": 10**9}, ConfigError, "from 1 to 10,000"),
        ({"confidence": 1.0}, ConfigError, "confidence"),
        ({"confidence": "0.95"}, ConfigError, "confidence"),
        ({"minimum_n": None}, ConfigError, "minimum_n"),
        ({"n_jobs": 0}, ConfigError, "n_jobs"),
        ({"schema": {"income": "numeric"}}, ConfigError, "no Schema"),
        ({"settings": [1]}, ConfigError, "settings must be a mapping"),
        ({"settings": {"convension": "published"}}, ConfigError, "no such setting; got 'convension'"),
        ({"settings": {"thresholds": "missing.toml"}}, ConfigError, "thresholds file cannot be read"),
        ({"random_state": -1}, ConfigError, "random_state"),
        ({"y": [1]}, DataError, "different lengths"),
        ({"y": [None] * 60}, DataError, "missing in 60 rows"),
        ({"y": [pd.NA] * 60}, DataError, "missing in 60 rows"),
        ({"y": ["no"] * 60}, DataError, "favourable outcome 1; got 'no'"),
        ({"y": ["1"] * 60}, DataError, "favourable outcome 1; got '1'"),
        ({"y": "income"}, ConfigError, r"pass the column itself, X\['income'\]"),
        ({"y": np.zeros((60, 2))}, DataError, "different lengths"),
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


def test_columns_beside_the_table_must_have_its_index(table: pd.DataFrame) -> None:
    y = (table["income"] > 0).astype(int)
    shuffled = table["sex"].sample(frac=1, random_state=0)
    with pytest.raises(DataError, match="sex and the table have different indexes"):
        prepare_case(decide, table.drop(columns="sex"), sensitive_features=shuffled)
    with pytest.raises(DataError, match="the outcome and the table have different indexes"):
        prepare_case(decide, table, y.sample(frac=1, random_state=0), sensitive_features="sex")
    later = table.set_index(table.index + 100)
    by_place = prepare_case(decide, later, y.to_numpy(), sensitive_features="sex", random_state=0)
    first = prepare_case(decide, table, y, sensitive_features="sex", random_state=0)
    assert first.y is not None
    assert by_place.y is not None
    assert (by_place.y == first.y).all()


def test_a_black_box_keeps_its_label_and_threshold(table: pd.DataFrame) -> None:
    from fairwitness import as_blackbox

    box = as_blackbox(decide, favorable=0, threshold=0.4)
    with pytest.raises(ConfigError, match="made for the favourable label 0; got favorable=1"):
        prepare_case(box, table, sensitive_features="sex")
    with pytest.raises(ConfigError, match=r"made with the threshold 0\.4; got threshold=0\.3"):
        prepare_case(box, table, sensitive_features="sex", favorable=0, threshold=0.3)
    assert prepare_case(box, table, sensitive_features="sex", favorable=0).models == (box,)


def test_a_sensitive_column_may_have_a_number_for_a_name(table: pd.DataFrame) -> None:
    numbered = table.set_axis([0, 1, 2, 3], axis=1)
    model = lambda frame: decide(frame.rename(columns={0: "income"}))  # noqa: E731
    case = prepare_case(model, numbered, sensitive_features=3, random_state=0)
    assert (case.groups[0].name, case.groups[0].labels) == ("3", ("f", "m"))
