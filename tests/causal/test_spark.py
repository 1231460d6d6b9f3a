"""PySpark starts a Java machine: slow, so in a file of its own, and only where it is installed."""

from __future__ import annotations

import warnings

import pytest

from fairwitness.causal.data.distribution import Distribution
from fairwitness.errors import DataError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

ROWS = [
    ("m", 1, 20.5, 2),
    ("f", 0, 37.0, 3),
    ("m", 1, 40.0, 4),
    (None, 1, 45.0, 5),
    ("f", 0, float("nan"), 6),
    ("m", None, 50.0, 0),
]


@pytest.fixture(scope="module")
def frame():
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
        yield session.createDataFrame(ROWS, ["sex", "ok", "age", "times"])
        session.stop()


def test_counted_where_they_are(frame):
    read = Distribution.from_data(frame, ["ok", "sex"], missing="drop")
    assert read.levels == ((0, 1), ("f", "m"))
    assert read.counts.tolist() == [[2, 0], [0, 2]]
    assert read.notes == ("2 rows with a missing value were left out: ok (1) and sex (1)",)


def test_cut_and_weighted(frame):
    read = Distribution.from_data(frame, ["sex", "age"], missing="drop", bins={"age": [30]}, weights="times")
    assert read.levels == (("f", "m"), ("≤ 30", "> 30"))
    assert read.counts.tolist() == [[0, 3], [2, 4]]


def test_refused(frame):
    with pytest.raises(DataError, match="holds an amount"):
        Distribution.from_data(frame, ["age"])
    with pytest.raises(DataError, match="1 row: ok"):
        Distribution.from_data(frame, ["ok"])
