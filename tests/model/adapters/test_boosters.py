from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.errors import ConfigError, ModelError
from fairwitness.model import as_blackbox

xgboost = pytest.importorskip("xgboost")
lightgbm = pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def typed(people: pd.DataFrame) -> pd.DataFrame:
    return people.assign(job=people["job"].astype("category"))


@pytest.fixture(scope="module")
def good(outcome: np.ndarray) -> np.ndarray:
    return (outcome == "good").astype(int)


def classifier(library: str) -> Any:
    if library == "xgboost":
        return xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1, enable_categorical=True)
    return lightgbm.LGBMClassifier(n_estimators=8, num_leaves=7, n_jobs=1, verbose=-1)


def booster_of(model: Any) -> Any:
    return model.get_booster() if hasattr(model, "get_booster") else model.booster_


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("favorable", [0, 1])
def test_wrapper_and_booster_agree_with_the_user(
    library: str, favorable: int, typed: pd.DataFrame, good: np.ndarray
) -> None:
    model = classifier(library).fit(typed, good)
    box = as_blackbox(model, favorable=favorable)
    judgement = box.judge(typed)
    assert box.info.kind == library
    assert judgement.accepted.tolist() == (model.predict(typed) == favorable).tolist()
    assert np.allclose(judgement.score, model.predict_proba(typed)[:, favorable])
    native = as_blackbox(booster_of(model), favorable=favorable).judge(typed)
    assert np.allclose(native.score, judgement.score, atol=1e-6)
    assert native.accepted.tolist() == judgement.accepted.tolist()


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("native", [False, True])
def test_categories_are_those_of_training(
    library: str, native: bool, people: pd.DataFrame, typed: pd.DataFrame, good: np.ndarray
) -> None:
    """Text from a file, other containers, other numbering and slices without some levels: all one answer."""
    model = classifier(library).fit(typed, good)
    box = as_blackbox(booster_of(model) if native else model, batch_size=7)
    expected = box.judge(typed).score
    other = people.assign(job=people["job"].astype(pd.CategoricalDtype(["nurse", "farmer", "clerk", "x"])))
    for frame in (people, other, pl.from_pandas(people), people[["owner", "age", "job", "hours per week"]]):
        assert np.array_equal(box.judge(frame).score, expected)
    part = people[people["job"] == "nurse"]
    assert np.array_equal(box.judge(part).score, expected[(people["job"] == "nurse").to_numpy()])


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_the_table_is_not_changed(
    library: str, people: pd.DataFrame, typed: pd.DataFrame, good: np.ndarray
) -> None:
    before = people.copy()
    as_blackbox(booster_of(classifier(library).fit(typed, good))).judge(people)
    pd.testing.assert_frame_equal(people, before)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("native", [False, True])
def test_trained_on_a_bare_matrix(
    library: str, native: bool, people: pd.DataFrame, numbers: pd.DataFrame, good: np.ndarray
) -> None:
    model = classifier(library).fit(numbers.to_numpy(), good)
    box = as_blackbox(booster_of(model) if native else model)
    assert box.info.feature_names is None
    assert np.allclose(box.judge(numbers).score, model.predict_proba(numbers.to_numpy())[:, 1], atol=1e-6)
    with pytest.raises(ModelError, match="holds text"):
        box.judge(people[["job", "age"]])


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_three_classes(library: str, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    labels = np.where(np.arange(len(outcome)) % 3 == 0, 2, (outcome == "good").astype(int))
    model = classifier(library).fit(numbers, labels)
    for favorable in (0, 1, 2):
        expected = model.predict(numbers) == favorable
        for obj in (model, booster_of(model)):
            judgement = as_blackbox(obj, favorable=favorable).judge(numbers)
            assert judgement.accepted.tolist() == expected.tolist()
    with pytest.raises(ModelError, match="0, 1 and 2"):
        as_blackbox(booster_of(model), favorable=3)


@pytest.mark.parametrize(
    "objective", ["binary:logistic", "binary:logitraw", "binary:hinge", "reg:squarederror", "multi:softmax"]
)
def test_xgboost_objectives(objective: str, numbers: pd.DataFrame, good: np.ndarray) -> None:
    settings = {"objective": objective, "max_depth": 2, "nthread": 1}
    if objective.startswith("multi"):
        settings["num_class"] = 2
    matrix = xgboost.DMatrix(numbers, good)
    booster = xgboost.train(settings, matrix, 5)
    box = as_blackbox(booster)
    judgement = box.judge(numbers)
    raw = booster.predict(xgboost.DMatrix(numbers))
    if objective == "binary:logitraw":
        assert judgement.accepted.tolist() == (raw >= 0).tolist()
        assert np.allclose(judgement.score, 1 / (1 + np.exp(-raw)))
    elif objective == "multi:softmax":
        assert judgement.accepted.tolist() == (raw == 1).tolist()
    else:
        assert np.allclose(judgement.score, raw)
        assert judgement.accepted.tolist() == (raw >= 0.5).tolist()
    assert bool(box.info.notes) == (objective == "reg:squarederror")
    if objective == "reg:squarederror":
        assert not as_blackbox(booster, threshold=2).judge(numbers).accepted.any()
        return
    with pytest.raises(ConfigError, match="between 0 and 1"):
        as_blackbox(booster, threshold=2)


def test_lightgbm_without_an_objective_gives_log_odds(numbers: pd.DataFrame, good: np.ndarray) -> None:
    def log_loss(scores: np.ndarray, data: Any) -> tuple[np.ndarray, np.ndarray]:
        share = 1 / (1 + np.exp(-scores))
        return share - data.get_label(), share * (1 - share)

    booster = lightgbm.train(
        {"objective": log_loss, "verbose": -1, "num_threads": 1}, lightgbm.Dataset(numbers, good), 5
    )
    judgement = as_blackbox(booster).judge(numbers)
    assert judgement.accepted.tolist() == (booster.predict(numbers) >= 0).tolist()


def test_lightgbm_writes_blanks_as_underscores(
    people: pd.DataFrame, typed: pd.DataFrame, good: np.ndarray
) -> None:
    booster = booster_of(classifier("lightgbm").fit(typed, good))
    box = as_blackbox(booster)
    assert box.columns_in(people) == ["hours per week", "job", "age", "owner"]
    twice = people.assign(**{"hours per_week": 0.0})
    with pytest.raises(ModelError, match="several columns could be meant"):
        box.columns_in(twice)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_digests_are_stable(library: str, typed: pd.DataFrame, good: np.ndarray) -> None:
    first, again = (booster_of(classifier(library).fit(typed, good)) for _ in range(2))
    assert as_blackbox(first).info.digest == as_blackbox(again).info.digest is not None


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_a_booster_is_shown_with_the_categories_it_was_trained_with(
    library: str, typed: pd.DataFrame, good: np.ndarray
) -> None:
    booster = booster_of(classifier(library).fit(typed, good))
    inside = as_blackbox(booster).inside()
    assert inside is not None
    assert inside.model is booster
    as_text = typed.astype(dict.fromkeys(typed.select_dtypes("category"), str))
    for name in typed.select_dtypes("category"):
        assert list(inside.prepare(as_text)[name].cat.categories) == list(typed[name].cat.categories)
