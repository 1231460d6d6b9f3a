"""PySpark starts a Java machine: slow, so in a file of its own, and only where it is installed."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from fairwitness.metrics import count_metrics, measure

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    n = 400
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "race": rng.choice(["a", "b", None], n, p=[0.5, 0.4, 0.1]),
            "age": np.where(rng.random(n) < 0.05, np.nan, rng.integers(18, 70, n)),
            "y": rng.integers(0, 2, n),
            "pred": rng.integers(0, 2, n),
            "score": rng.random(n),
            "w": rng.random(n),
        }
    )


@pytest.fixture(scope="module")
def frame(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sql = pytest.importorskip("pyspark.sql")
        builder = sql.SparkSession.builder.master("local[1]")
        for key, value in {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1"}.items():
            builder = builder.config(key, value)
        try:
            session = builder.getOrCreate()
        except Exception as error:  # no Java
            pytest.skip(f"Spark does not start: {error}")
        # a missing text is null there, a missing number NaN
        listed = rows.to_numpy(dtype=object).tolist()
        for row in listed:
            row[1] = row[1] if isinstance(row[1], str) else None
        yield session.createDataFrame([tuple(row) for row in listed], list(rows))
        session.stop()


@pytest.mark.parametrize("weights", [None, "w"])
def test_the_same_numbers_as_in_memory(rows, frame, weights):
    got = count_metrics(
        frame,
        y_true="y",
        y_pred="pred",
        sensitive_features=["sex", "race", "age > 30"],
        sample_weight=weights,
        n_resamples=50,
    )
    want = measure(
        rows["y"],
        rows["pred"],
        sensitive_features={"sex": rows["sex"], "race": rows["race"], "age > 30": rows["age"]},
        sample_weight=None if weights is None else rows[weights],
        n_resamples=50,
    )
    assert got.groups == want.groups
    pd.testing.assert_frame_equal(got.to_frame(), want.to_frame(), rtol=1e-9)


def test_scores_are_binned_there(rows, frame):
    asked = {"metrics": ["wasserstein_distance"], "n_resamples": 20}
    got = count_metrics(frame, y_pred="pred", y_score="score", sensitive_features="sex", **asked)
    want = measure(None, rows["pred"], y_score=rows["score"], sensitive_features=rows["sex"], **asked)
    bound = got.settings["score_error"]["wasserstein_distance"]
    assert abs(got["wasserstein_distance"][0].estimate - want["wasserstein_distance"][0].estimate) <= bound
