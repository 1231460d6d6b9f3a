from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.counterfactuals import CounterfactualSet
from fairwitness.errors import DataError
from fairwitness.table import Encoder


def make(frame=None, **changes):
    frame = pd.DataFrame({"age": [20, 30, 40, 50], "job": ["a", "b", "b", "a"]}) if frame is None else frame
    encoder = Encoder.fit(frame)
    matrix = encoder.encode(frame)
    fields = {
        "encoder": encoder,
        "queries": matrix[:3],
        "query_score": [0.1, 0.2, 0.3],
        "k": 2,
        "query": [0, 0, 2],
        "rank": [1, 2, 1],
        "rows": matrix[[1, 3, 1]],
        "distance": [1.0, 2.0, 3.0],
        "score": [0.6, 0.7, 0.8],
        "source": [1, 3, -1],
        "status": ("found", "none", "short"),
        "generator": "made up",
        "settings": {"rank": "distance"},
    }
    return CounterfactualSet(**(fields | changes))


def test_spread_lays_out_by_query_and_rank():
    got = make().spread([10, 20, 30])
    np.testing.assert_array_equal(got, [[10, 20], [np.nan, np.nan], [30, np.nan]])


def test_n_found_and_changed():
    got = make()
    assert got.n_found.tolist() == [2, 0, 1]
    assert got.changed.tolist() == [[True, True], [True, False], [True, False]]
    assert len(got) == 3
    assert got.n_queries == 3


def test_missing_against_missing_is_no_change():
    frame = pd.DataFrame({"age": [np.nan, np.nan, 1.5, 2.5], "job": ["a", "b", "b", "a"]})
    assert make(frame).changed[0].tolist() == [False, True]


def test_rerank_is_stable_and_puts_nan_last():
    got = make().rerank([5.0, 1.0, 0.0])
    assert got.distance.tolist() == [2.0, 1.0, 3.0]
    assert got.rank.tolist() == [1, 2, 1]
    assert make().rerank([1.0, 1.0, 0.0]).distance.tolist() == [1.0, 2.0, 3.0]
    assert make().rerank([np.nan, 1.0, 0.0]).distance.tolist() == [2.0, 1.0, 3.0]


def test_take_by_position_and_mask():
    got = make().take([2, 0, 0])
    assert got.query.tolist() == [0, 1, 1, 2, 2]
    assert got.rank.tolist() == [1, 1, 2, 1, 2]
    assert got.status == ("short", "found", "found")
    assert got.distance.tolist() == [3.0, 1.0, 2.0, 1.0, 2.0]
    assert make().take(np.array([True, False, True])).status == ("found", "short")
    assert make().take([]).n_queries == 0


@pytest.mark.parametrize("at", [-1, 3])
def test_take_refuses_what_is_not_there(at):
    with pytest.raises(DataError, match=f"no query {at}"):
        make().take([at])


def test_join_undoes_take():
    whole = make()
    parts = [whole.take([2, 0]), whole.take([1])]
    joint = CounterfactualSet.join(parts, [[2, 0], [1]])
    for name in ("queries", "query_score", "query", "rank", "rows", "distance", "score", "source"):
        np.testing.assert_array_equal(getattr(joint, name), getattr(whole, name))
    assert joint.status == whole.status
    assert joint.settings == whole.settings


def test_join_lists_settings_that_differ():
    parts = [make(settings={"n": 1, "rank": "dice"}), make(settings={"n": 2, "rank": "dice"})]
    joint = CounterfactualSet.join(parts, [[0, 1, 2], [3, 4, 5]])
    assert joint.settings == {"n": [1, 2], "rank": "dice"}


@pytest.mark.parametrize("positions", [[[0, 1, 2], [2, 3, 4]], [[0, 1], [2, 3, 4]], [[0, 1, 2]]])
def test_join_needs_every_position_once(positions):
    with pytest.raises(DataError):
        CounterfactualSet.join([make(), make()], positions)


def test_join_needs_equal_k():
    with pytest.raises(DataError, match="same k"):
        CounterfactualSet.join([make(), make(k=3, status=("short", "none", "short"))], [[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"query": [0, 2, 0]}, "sorted"),
        ({"query": [0, 0, 3]}, "sorted"),
        ({"rank": [1, 3, 1]}, "rank"),
        ({"distance": [1.0, -2.0, 3.0]}, "distance"),
        ({"distance": [1.0, np.nan, 3.0]}, "distance"),
        ({"score": [1.0]}, "as long as"),
        ({"status": ("found", "none")}, "length"),
        ({"status": ("found", "none", "found")}, "found"),
        ({"status": ("short", "none", "short")}, "short"),
        ({"status": ("found", "short", "short")}, "short"),
        ({"status": ("found", "none", "none")}, "none"),
        ({"status": ("found", "none", "infeasible")}, "infeasible"),
        ({"status": ("found", "none", "lost")}, "lost"),
        ({"k": 1, "status": ("found", "none", "found")}, "more than k"),
        ({"query_score": [0.1]}, "query_score"),
        ({"rows": np.zeros((3, 1))}, "rows"),
        ({"queries": np.zeros(3)}, "two dimensions"),
    ],
)
def test_contradictions_are_named(changes, words):
    with pytest.raises(DataError, match=words):
        make(**changes)


def test_budget_may_stop_anywhere():
    assert make(status=("budget", "budget", "budget")).status[0] == "budget"


def test_arrays_are_read_only_and_inputs_are_not_touched():
    distance = np.array([1.0, 2.0, 3.0])
    got = make(distance=distance)
    with pytest.raises(ValueError):
        got.distance[0] = 9
    distance[0] = 1.0
    with pytest.raises(TypeError):
        got.settings["rank"] = "other"


def test_frame_in_the_same_container():
    frame = make().to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["query", "rank", "distance", "score", "age", "job"]
    assert frame["job"].tolist() == ["b", "a", "b"]
    assert frame["age"].dtype == np.int64
    frame = make(pl.DataFrame({"age": [20, 30, 40, 50], "rank": ["a", "b", "b", "a"]})).to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["query", "rank_", "distance", "score", "age", "rank"]


def test_empty_set_has_a_frame_and_a_summary():
    empty = make().take([1])
    assert len(empty.to_frame()) == 0
    assert empty.to_dict()["median_distance"] is None
    assert empty.spread([]).shape == (1, 2)


def test_summary():
    document = make().to_dict()
    assert document["status"] == {"found": 1, "short": 1, "none": 1, "infeasible": 0, "budget": 0}
    assert document["n_counterfactuals"] == 3
    assert document["median_distance"] == 2.0
    assert document["mean_changed"] == pytest.approx(4 / 3)
    assert "rows" not in document


def test_short_representations_are_safe():
    shown = make(generator="<b>\x1b[31m")
    assert "3 counterfactuals of 3 queries" in repr(shown)
    assert "\x1b" not in repr(shown)
    assert "<b>" not in shown._repr_html_()
