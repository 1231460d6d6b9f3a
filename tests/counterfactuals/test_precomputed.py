from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.counterfactuals import NeighborGenerator, PrecomputedGenerator
from fairwitness.counterfactuals.budget import Budget
from fairwitness.errors import DataError
from fairwitness.model import as_blackbox
from fairwitness.table import Schema

TABLE = pd.DataFrame(
    {"age": [20, 30, 40, 50, 60], "job": ["a", "b", "b", "a", "a"], "income": [1.0, 2.0, 9.0, 8.0, 7.5]}
)


def rich(frame):
    return (np.asarray(frame["income"]) > 5).astype(float)


def model(**settings):
    return as_blackbox(rich, output="probability", **settings)


def made(**columns):
    rows = {
        "query": [1, 0, 0, 1, 0],
        "rank": [1, 2, 1, 2, 3],
        "age": [30, 20, 20, 30, 25],
        "job": ["b", "a", "b", "a", "a"],
        "income": [6.0, 7.0, 6.0, 3.0, 8.0],
    }
    return pd.DataFrame(rows | columns)


def generate(frame, *, queries=TABLE[:2], k=5, box=None, schema=None, **settings):
    generator = PrecomputedGenerator(frame, **settings).fit(TABLE, box or model(), schema=schema)
    return generator.generate(queries, k)


@pytest.mark.parametrize("container", ["pandas", "polars", "pyarrow"])
def test_rows_come_out_by_query_and_rank_and_invalid_ones_are_dropped(container):
    frame = made()
    if container != "pandas":
        frame = pl.from_pandas(frame)
    if container == "pyarrow":
        frame = frame.to_arrow()
    got = generate(frame)
    assert got.to_frame()[["query", "rank", "age", "income"]].values.tolist() == [
        [0, 1, 20, 6.0],
        [0, 2, 20, 7.0],
        [0, 3, 25, 8.0],
        [1, 1, 30, 6.0],
    ]
    assert got.settings["dropped"]["not_accepted"] == 1
    assert got.status == ("short", "short")
    assert got.source.tolist() == [-1] * 4
    assert got.generator == "precomputed"
    assert got.score.tolist() == [1.0] * 4


def test_first_k_by_rank():
    got = generate(made(), k=1)
    assert got.status == ("found", "found")
    assert got.to_frame()["income"].tolist() == [6.0, 6.0]


def test_without_ranks_the_nearest_comes_first():
    got = generate(made().drop(columns="rank"), rank=None)
    assert (np.diff(got.distance[:3]) >= 0).all()
    assert len(got) == 4


def test_repeats_and_copies_of_the_query_are_dropped():
    frame = pd.concat([made(), made()[1:3], made()[:1].assign(age=30, job="b", income=2.0)])
    got = generate(frame)
    assert got.settings["dropped"] == {
        "equal_to_query": 1,
        "repeated": 2,
        "constraint": 0,
        "not_accepted": 1,
    }
    assert len(got) == 4


def test_the_same_row_may_serve_two_queries():
    frame = pd.DataFrame(
        {"query": [0, 1], "rank": [1, 1], "age": [40, 40], "job": ["b", "b"], "income": [9.0, 9.0]}
    )
    got = generate(frame, k=1)
    assert got.status == ("found", "found")
    assert got.source.tolist() == [2, 2]


def test_constraints_are_kept():
    schema = Schema.infer(TABLE, age={"immutable": True})
    got = generate(made(), schema=schema)
    assert got.settings["dropped"]["constraint"] == 1
    assert (got.to_frame()["age"].to_numpy() == TABLE["age"].to_numpy()[got.query]).all()


def test_values_are_rounded_before_the_model_is_asked():
    edge = made(income=[6.0, 7.0, 5.0001, 3.0, 8.0])
    got = generate(edge, schema=Schema.infer(TABLE, income={"precision": 1}))
    assert got.settings["dropped"]["not_accepted"] == 2
    assert got.to_frame()["income"].tolist() == [7.0, 8.0, 6.0]


def test_no_row_for_a_query_is_a_status():
    got = generate(made(query=[0, 0, 0, 0, 0]))
    assert got.status == ("short", "none")


@pytest.mark.parametrize("query", [[0, 0, 0, 0, 2], [0, 0, 0, 0, -1], [0, 0, 0, 0, 0.5]])
def test_queries_that_do_not_exist_are_named(query):
    with pytest.raises(DataError, match="do not exist") as caught:
        generate(made(query=query))
    assert f"{query[-1]:g}" in str(caught.value)


@pytest.mark.parametrize("query", [["a", "b", "c", "d", "e"], [0, 0, 0, 0, None]])
def test_query_numbers_must_be_numbers(query):
    with pytest.raises(DataError, match="query"):
        generate(made(query=query))


def test_other_column_names_and_missing_ones():
    renamed = made().rename(columns={"query": "id", "rank": "place"})
    assert len(generate(renamed, query="id", rank="place")) == 4
    with pytest.raises(DataError, match="no column 'query'"):
        generate(renamed)


def test_an_unseen_level_is_named():
    with pytest.raises(DataError, match="job"):
        generate(made(job=["b", "a", "zzz", "a", "a"]))


def test_the_table_is_not_asked_about():
    box = model()
    generate(made(), box=box)
    assert box.n_queries == 2 + 5


def test_budgets_give_a_status():
    generator = PrecomputedGenerator(made()).fit(TABLE, model())
    got = generator.generate(TABLE[:2], 5, max_queries=2 + 2)
    assert got.status == ("budget", "budget")
    assert len(got) == 2
    got = generator.generate(TABLE[:2], 2, max_queries=2 + 3)
    assert got.status == ("found", "budget")
    assert generator.generate(TABLE[:2], 2, time_budget=0).status == ("budget", "budget")


def test_time_is_looked_at(monkeypatch):
    monkeypatch.setattr(Budget, "out_of_time", lambda budget: True)
    assert generate(made()).status == ("budget", "budget")


def test_what_one_generator_made_another_run_can_read():
    first = NeighborGenerator().fit(TABLE, model()).generate(TABLE[:2], 3)
    again = generate(first.to_frame(), k=3)
    for name in ("query", "rank", "rows", "distance", "score", "source"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first, name))
    assert again.status == first.status
    assert sum(again.settings["dropped"].values()) == 0
