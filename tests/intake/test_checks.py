from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.intake import prepare_case, repeated_groups
from fairwitness.intake.checks import _reading, run
from fairwitness.typing import IntArray


def brute_force_lambda(column: list[float], codes: IntArray) -> float:
    """Goodman and Kruskal's λ by counting, level by level."""
    largest = max((codes == code).sum() for code in set(codes.tolist()))
    right = 0
    for level in set(column):
        inside = [code for value, code in zip(column, codes.tolist(), strict=True) if value == level]
        right += max(inside.count(code) for code in set(inside))
    return (right - largest) / (len(codes) - largest)


def test_a_copy_of_the_group_is_found_and_others_are_not() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 300)
    other = rng.integers(0, 3, 300).astype(float)
    matrix = np.column_stack([1.0 - codes, other, np.full(300, 7.0)])
    found = repeated_groups(matrix, ["copy", "other", "constant"], codes, "sex")
    assert [(repeat.column, repeat.share) for repeat in found] == [("copy", 1.0)]
    assert brute_force_lambda(other.tolist(), codes) < 0.99


def test_missing_values_count_as_a_level() -> None:
    codes = np.array([0, 1] * 20)
    matrix = np.where(codes[:, None] == 1, np.nan, 3.0)
    assert [repeat.column for repeat in repeated_groups(matrix, ["gap"], codes, "sex")] == ["gap"]


def test_a_column_of_row_numbers_is_no_copy() -> None:
    codes = np.array([0, 1] * 100)
    assert repeated_groups(np.arange(200.0)[:, None], ["id"], codes, "sex") == []


def test_a_few_rows_make_no_copies() -> None:
    codes = np.array([0, 1, 1, 0, 1, 0, 1, 0])
    distinct = np.arange(8.0)[:, None]
    assert repeated_groups(distinct, ["age"], codes, "sex") == []
    assert [repeat.column for repeat in repeated_groups(codes[:, None] * 1.0, ["copy"], codes, "sex")] == [
        "copy"
    ]


def test_a_number_that_was_cut_is_found_in_another_unit() -> None:
    rng = np.random.default_rng(2)
    age = rng.integers(18, 90, 400)
    codes = (age <= 25).astype(np.int64)
    matrix = np.column_stack([age * 12.0, rng.normal(size=400)])
    found = repeated_groups(matrix, ["months", "noise"], codes, "age > 25")
    assert [(repeat.column, repeat.share) for repeat in found] == [("months", 1.0)]


def test_one_group_or_none_gives_nothing() -> None:
    matrix = np.arange(4.0)[:, None]
    assert repeated_groups(matrix, ["a"], np.zeros(4, dtype=np.int64), "sex") == []
    assert repeated_groups(matrix, ["a"], np.full(4, -1), "sex") == []


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    sex = np.where(rng.random(200) < 0.5, "f", "m")
    return pd.DataFrame(
        {"income": rng.normal(size=200).round(2), "title": np.where(sex == "f", "Ms", "Mr"), "sex": sex}
    )


def test_findings_name_copies_and_direct_reading(table: pd.DataFrame) -> None:
    def decide(frame: pd.DataFrame) -> np.ndarray:
        return (frame["income"] > 0).to_numpy().astype(float)

    blind = run(prepare_case(decide, table, sensitive_features="sex", random_state=0))
    assert [(finding.code, finding.subject) for finding in blind.findings] == [("DATA002", "title")]
    assert blind.paragraphs == ("The model reads 2 columns; sex is not among them.",)

    from fairwitness import as_blackbox

    reading = as_blackbox(decide, feature_names=["income", "sex"])
    seen = run(prepare_case(reading, table, sensitive_features="sex", random_state=0))
    assert [finding.code for finding in seen.findings] == ["DATA001"]
    assert seen.paragraphs == ("The model reads 2 columns, sex among them.",)


def test_a_model_reads_the_column_not_the_cut(table: pd.DataFrame) -> None:
    from fairwitness import as_blackbox

    frame = table.assign(age=np.arange(200) % 60)
    model = as_blackbox(lambda rows: (rows["income"] > 0).astype(float), feature_names=["income", "age"])
    section = run(prepare_case(model, frame, sensitive_features=["age > 25", "sex"], random_state=0))
    assert [finding.title for finding in section.findings] == ["The model reads age directly"]
    assert section.paragraphs == ("The model reads 2 columns, age among them, but not sex.",)


def test_what_a_column_of_predictions_reads_is_not_known():
    assert "is not known" in _reading(3, ["sex"], [], asked=False)
    assert _reading(1, [], ["sex"], asked=True) == "The model reads 1 column; sex is not among them."
