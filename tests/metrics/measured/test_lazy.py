"""Tables that are elsewhere: the same numbers as from the rows in memory."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairwitness.errors import ConfigError, DataError, FairwitnessWarning, GroupError
from fairwitness.metrics import count_metrics, measure

N = 1500
#: Metric of distances → its entry among the stated errors.
DISTANCES = {
    "wasserstein_distance": "wasserstein_distance",
    "wasserstein_distance_max": "wasserstein_distance",
    "wasserstein_distance_to_whole": "wasserstein_distance",
    "mmd": "mmd",
    "mmd_max": "mmd",
    "mmd_to_whole": "mmd",
}


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    race = rng.choice(["a", "b", "c"], N, p=[0.6, 0.3, 0.1]).astype(object)
    race[rng.random(N) < 0.05] = None
    sex = rng.choice(["f", "m"], N)
    y = rng.random(N) < 0.4 + 0.1 * (sex == "m")
    score = np.clip(0.3 * y + 0.6 * rng.random(N) + 0.05 * (race == "a"), 0, 1)
    return pd.DataFrame(
        {
            "race": race,
            "sex": sex,
            "age": rng.integers(18, 70, N),
            "region": rng.choice(["n", "s"], N),
            "y": np.where(y, "good", "bad"),
            "pred": np.where(score > 0.5, "good", "bad"),
            "score": score,
            "w": np.round(rng.random(N), 2),
        }
    )


def as_file(frame, folder):
    path = folder / "rows.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=200)
    return path


SOURCES = {
    "pandas": lambda f, _: f,
    "polars lazy": lambda f, _: pl.from_pandas(f).lazy(),
    "duckdb": lambda f, _: pytest.importorskip("duckdb").from_df(f),
    "file": as_file,
}
FEATURES = ["race", "sex", "age > 30"]


@pytest.fixture(params=SOURCES)
def source(request, frame, tmp_path):
    return SOURCES[request.param](frame, tmp_path)


def in_memory(frame, **options):
    columns = {"race": frame["race"], "sex": frame["sex"], "age > 30": frame["age"]}
    return measure(
        frame["y"], frame["pred"], sensitive_features=columns, favorable="good", n_resamples=50, **options
    )


@pytest.mark.parametrize(("weights", "missing"), [(None, "group"), ("w", "drop")])
def test_the_same_numbers_as_in_memory(frame, source, weights, missing):
    got = count_metrics(
        source,
        y_true="y",
        y_pred="pred",
        sensitive_features=FEATURES,
        sample_weight=weights,
        favorable="good",
        missing=missing,
        n_resamples=50,
    )
    want = in_memory(frame, sample_weight=None if weights is None else frame[weights], missing=missing)
    assert got.n_rows == want.n_rows == N
    assert got.groups == want.groups
    assert len(got) > 100
    pd.testing.assert_frame_equal(got.to_frame(), want.to_frame(), rtol=1e-9)
    json.dumps(got.to_dict(), allow_nan=False)


def test_strata_and_references_too(frame, source):
    asked = {"metrics": ["group"], "reference": "best", "n_resamples": 50}
    got = count_metrics(
        source,
        y_true="y",
        y_pred="pred",
        sensitive_features="sex",
        control_features=["region"],
        favorable="good",
        **asked,
    )
    want = measure(
        frame["y"],
        frame["pred"],
        sensitive_features=frame[["sex"]],
        control_features=frame[["region"]],
        favorable="good",
        **asked,
    )
    assert {value.control for value in got} == {"", "n", "s", "pooled"} | {v.control for v in want}
    pd.testing.assert_frame_equal(got.to_frame(), want.to_frame(), rtol=1e-9)
    assert got.settings["controlled"] == want.settings["controlled"]


def test_distances_are_within_their_stated_error(frame, source):
    got = count_metrics(
        source,
        y_pred="pred",
        y_score="score",
        sensitive_features=["race", "sex"],
        sample_weight="w",
        favorable="good",
        metrics=list(DISTANCES),
        bins=128,
        n_resamples=20,
    )
    want = measure(
        None,
        frame["pred"],
        y_score=frame["score"],
        sensitive_features=frame[["race", "sex"]],
        sample_weight=frame["w"],
        favorable="good",
        metrics=list(DISTANCES),
        n_resamples=20,
    )
    error = got.settings["score_error"]
    assert error["wasserstein_distance"] == 1 / 128
    compared = 0
    for value in want:
        mine = got.value(value.metric, feature=value.feature, group=value.group)
        bound = error[DISTANCES[value.metric]]
        bound = bound[value.feature] if isinstance(bound, dict) else bound
        assert abs(mine.estimate - value.estimate) <= 1.1 * bound
        assert mine.n == value.n
        compared += 1
    assert compared > 15


def test_what_needs_rows_is_left_out_with_the_reason(frame):
    got = count_metrics(
        frame, y_true="y", y_pred="pred", y_score="score", sensitive_features="sex", favorable="good", bins=16
    )
    assert "rows themselves" in got.left_out["roc_auc"]
    assert "rows themselves" in got.left_out["mmd2_unbiased"]
    assert "does not exist" in got.left_out["rmse"]
    without = count_metrics(frame, y_pred="pred", sensitive_features="sex", favorable="good")
    assert without.left_out["mmd"] == "it needs scores, y_score="
    assert without.left_out["accuracy"] == "it needs the true outcomes, y_true="
    assert without["selection_rate"]


def test_no_feature_at_all(frame):
    got = count_metrics(frame, y_true="y", y_pred="pred", favorable="good", metrics="performance")
    accuracy = float((frame["y"] == frame["pred"]).mean())
    assert got.value("accuracy").estimate == pytest.approx(accuracy)


def test_numbers_as_labels(frame, tmp_path):
    frame = frame.assign(y=(frame["y"] == "good") * 2 - 1, pred=(frame["pred"] == "good") * 2.0 - 1)
    got = count_metrics(as_file(frame, tmp_path), y_true="y", y_pred="pred", sensitive_features="sex")
    want = measure(frame["y"], frame["pred"], sensitive_features=frame["sex"])
    pd.testing.assert_frame_equal(got.to_frame(), want.to_frame(), rtol=1e-9)


def test_scores_and_names_are_no_decisions(frame, tmp_path):
    path = as_file(frame.assign(name=[f"n{row}" for row in range(N)]), tmp_path)
    with pytest.raises(DataError, match=r"'score' holds fractions, so it cannot be y_pred=.*y_score="):
        count_metrics(path, y_pred="score", y_true="y", sensitive_features=["sex"], favorable="good")
    with pytest.raises(DataError, match="'score' holds fractions, so it cannot be y_true="):
        count_metrics(path, y_pred="pred", y_true="score", favorable="good")
    with pytest.raises(DataError, match=r"'name' holds more than 50 different labels.*1,500 different"):
        count_metrics(path, y_pred="name", sensitive_features=["sex"], favorable="n0")


def test_what_was_named_and_is_not_made_of_counts_is_said(frame):
    asked = {"y_true": "y", "y_pred": "pred", "favorable": "good"}
    with pytest.raises(DataError, match=r"roc_auc \(it needs the rows themselves"):
        count_metrics(frame, metrics=["roc_auc"], y_score="score", sensitive_features="sex", **asked)
    with pytest.warns(FairwitnessWarning, match=r"not measured: mmd \(it needs scores") as caught:
        count_metrics(frame, metrics=["accuracy", "mmd"], sensitive_features="sex", n_resamples=10, **asked)
    assert caught[0].filename == __file__


def test_refused(frame, tmp_path):
    asked = {"y_true": "y", "y_pred": "pred", "favorable": "good"}
    with pytest.raises(DataError, match="lacks column lost"):
        count_metrics(frame, sensitive_features=["lost"], **asked)
    with pytest.raises(ConfigError, match="more than one part"):
        count_metrics(frame, sensitive_features=["y"], **asked)
    with pytest.raises(ConfigError, match="names of columns"):
        count_metrics(frame, sensitive_features=frame["sex"], **asked)
    with pytest.raises(ConfigError, match="name of a column"):
        count_metrics(frame, y_pred=frame["pred"])
    with pytest.raises(ConfigError, match="score_range must be two numbers"):
        count_metrics(frame, y_score="score", score_range=1, **asked)
    with pytest.raises(ConfigError, match="range of the scores is empty"):
        count_metrics(frame, y_score="score", score_range=(1, 0), **asked)
    with pytest.raises(ConfigError, match="max_cells"):
        count_metrics(frame, max_cells="many", **asked)
    with pytest.raises(ConfigError, match="unknown adjustment"):
        count_metrics(frame, adjust="none", **asked)
    with pytest.raises(GroupError, match="missing values"):
        count_metrics(frame, sensitive_features="race", missing="error", **asked)
    with pytest.raises(DataError, match="favourable label"):
        count_metrics(frame, sensitive_features="sex", y_true="y", y_pred="pred", favorable="fine")
    with pytest.raises(DataError, match=f"'pred' has missing values; got 3 of {N:,} rows"):
        count_metrics(frame.assign(pred=frame["pred"].where(frame.index > 2)), **asked)
    with pytest.raises(DataError, match="no rows"):
        count_metrics(frame[:0], **asked)
    with pytest.raises(DataError, match="outside their range"):
        count_metrics(frame, y_score="age", sensitive_features="sex", **asked)
    with pytest.raises(DataError, match="combinations"):
        count_metrics(frame, sensitive_features=["score"], max_cells=100, **asked)
