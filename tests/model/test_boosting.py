from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from fairwitness.errors import DataError
from fairwitness.model.boosting import TableBoosting


def test_text_is_split_as_categories_not_as_an_order() -> None:
    rng = np.random.default_rng(0)
    levels = [f"level {number}" for number in range(40)]
    frame = pd.DataFrame({"where": rng.choice(levels, 2000)})
    y = frame["where"].isin(levels[::2]).to_numpy().astype(int)  # no order separates these
    model = TableBoosting(max_iter=3).fit(frame, y)
    assert (model.predict(frame) == y).all()


def test_more_levels_than_bins() -> None:
    rng = np.random.default_rng(0)
    levels = np.array([f"v{number:03d}" for number in range(600)])
    frame = pd.DataFrame({"where": np.r_[rng.choice(levels[:5], 1000), levels]})
    y = (frame["where"] == "v000").to_numpy()
    model = TableBoosting(max_iter=5).fit(frame, y)
    assert model.predict_proba(frame).shape == (1600, 2)
    assert (model.predict(frame)[:1000] == y[:1000]).all()


def test_missing_and_unknown_values_are_taken(people: pd.DataFrame, outcome: np.ndarray) -> None:
    gaps = people.astype({"age": float, "job": object})
    gaps.loc[::5, "age"] = np.nan
    gaps.loc[::7, "job"] = None
    model = TableBoosting(max_iter=5).fit(gaps, outcome)
    unknown = gaps.assign(job="astronaut")
    assert np.array_equal(model.predict_proba(unknown), model.predict_proba(gaps.assign(job=None)))


def test_the_same_levels_in_other_types_mean_the_same(people: pd.DataFrame, outcome: np.ndarray) -> None:
    model = TableBoosting(max_iter=5).fit(people, outcome)
    expected = model.predict_proba(people)
    for dtype in ("category", "string", object):
        assert np.array_equal(model.predict_proba(people.astype({"job": dtype})), expected)
    assert np.array_equal(model.predict_proba(people[::-1])[::-1], expected)


def test_columns_of_mixed_objects() -> None:
    frame = pd.DataFrame({"a": ["1", 1, "x", None] * 30}, dtype=object)
    y = np.array([0, 1, 0, 1] * 30)
    assert (TableBoosting(max_iter=20).fit(frame, y).predict(frame) == y).all()


def test_it_is_an_estimator(people: pd.DataFrame, outcome: np.ndarray) -> None:
    model = TableBoosting(max_iter=7)
    assert clone(model).get_params()["max_iter"] == 7
    assert model.fit(people, outcome) is model
    assert model.classes_.tolist() == ["bad", "good"]
    assert model.score(people, outcome) > 0.8


def test_a_missing_column_and_dates_are_told(people: pd.DataFrame, outcome: np.ndarray) -> None:
    model = TableBoosting(max_iter=2).fit(people, outcome)
    with pytest.raises(DataError, match="no column 'job'"):
        model.predict(people.drop(columns="job"))
    with pytest.raises(DataError, match="dates or times"):
        model.fit(people.assign(day=pd.Timestamp("2020-01-01")), outcome)
