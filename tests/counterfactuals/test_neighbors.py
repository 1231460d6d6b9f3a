from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.counterfactuals import NeighborGenerator
from fairwitness.counterfactuals.budget import Budget
from fairwitness.errors import ConfigError, DataError, NotFittedError, QueryBudgetError
from fairwitness.model import Judgement, as_blackbox
from fairwitness.table import Schema

PEOPLE = {
    "age": [20, 30, 40, 50, 60, 60],
    "job": ["a", "b", "b", "a", "a", "a"],
    "income": [1.0, 2.0, 9.0, 8.0, 7.5, 7.5],
}


def people(container="pandas"):
    return pd.DataFrame(PEOPLE) if container == "pandas" else pl.DataFrame(PEOPLE)


def rich(frame):
    return (np.asarray(frame["income"]) > 5).astype(float)


def model(**settings):
    return as_blackbox(rich, output="probability", **settings)


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_rejected_people_get_accepted_people(container):
    frame = people(container)
    got = NeighborGenerator().fit(frame, model()).generate(frame[:2], 3)
    assert got.status == ("found", "found")
    assert type(got.to_frame()) is type(frame)
    assert (np.asarray(got.to_frame()["income"]) > 5).all()
    assert got.query_score.tolist() == [0.0, 0.0]
    assert got.generator == "neighbors"


def test_more_than_there_is_is_short_and_repeated_rows_count_once():
    got = NeighborGenerator().fit(people(), model()).generate(people()[:1], 100)
    assert got.status == ("short",)
    assert sorted(got.source.tolist()) == [2, 3, 4]


def test_an_accepted_query_gets_accepted_rows_other_than_itself():
    got = NeighborGenerator().fit(people(), model()).generate(people()[4:5], 100)
    assert sorted(got.source.tolist()) == [2, 3]
    assert got.query_score.tolist() == [1.0]


def test_nobody_accepted_is_a_status_with_a_reason():
    nobody = as_blackbox(lambda frame: np.zeros(len(frame)), output="probability")
    got = NeighborGenerator().fit(people(), nobody).generate(people(), 2)
    assert got.status == ("none",) * 6
    assert got.settings["reason"] == "the model accepts no row of the table"
    assert got.to_frame().shape == (0, 7)


def test_one_row_pool_and_constant_columns():
    frame = people().assign(city="x", height=1.8)
    one = as_blackbox(lambda f: (np.asarray(f["income"]) > 8.5).astype(float), output="probability")
    got = NeighborGenerator().fit(frame, one).generate(frame, 1)
    assert got.status == ("found", "found", "none", "found", "found", "found")
    assert set(got.source.tolist()) == {2}
    assert np.isfinite(got.distance).all()


def test_no_queries_give_an_empty_set():
    got = NeighborGenerator().fit(people(), model()).generate(people()[:0], 2)
    assert (got.n_queries, len(got), got.status) == (0, 0, ())


def test_columns_in_another_order_and_extra_columns_do_not_matter():
    generator = NeighborGenerator().fit(people(), model())
    plain = generator.generate(people(), 2)
    mixed = generator.generate(people().assign(extra=1)[["income", "extra", "job", "age"]], 2)
    np.testing.assert_array_equal(plain.rows, mixed.rows)


def test_immutable_column_is_identical_to_the_query():
    schema = Schema.infer(people(), job={"immutable": True})
    got = NeighborGenerator().fit(people(), model(), schema=schema).generate(people(), 100)
    decoded = got.to_frame()
    assert (decoded["job"].to_numpy() == people()["job"].to_numpy()[got.query]).all()
    assert got.status == ("short", "short", "none", "short", "short", "short")


def test_constraints_make_the_search_go_deeper():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"near": rng.normal(size=400), "sex": rng.choice(["f", "m"], 400, p=[0.03, 0.97])})
    everyone = as_blackbox(lambda f: np.ones(len(f)), output="probability")
    schema = Schema.infer(frame, sex={"immutable": True})
    women = frame[frame["sex"] == "f"]
    got = NeighborGenerator().fit(frame, everyone, schema=schema).generate(women, 5)
    assert set(got.status) == {"found"}
    assert (got.to_frame()["sex"] == "f").all()


def test_an_unseen_level_names_column_and_value():
    strange = people().assign(job=["a", "q", "b", "a", "a", "a"])
    with pytest.raises(DataError, match="job") as caught:
        NeighborGenerator().fit(people(), model()).generate(strange, 2)
    assert "q" in str(caught.value)


def test_known_answers_save_the_model_from_being_asked():
    box = model()
    answers = model().judge(people())
    got = NeighborGenerator().fit(people(), box, judgement=answers).generate(people(), 2)
    assert box.n_queries == 0
    assert set(got.status) == {"found"}


def test_copies_with_different_answers_count_as_rejected():
    accepted = np.array([False, False, True, True, True, False])
    answers = Judgement(accepted=accepted, score=accepted.astype(float))
    got = NeighborGenerator().fit(people(), model(), judgement=answers).generate(people()[:1], 9)
    assert sorted(got.source.tolist()) == [2, 3]


def test_a_judgement_of_another_table_is_refused():
    with pytest.raises(DataError, match="one answer for each row"):
        NeighborGenerator().fit(people(), model(), judgement=model().judge(people()[:3]))


def test_a_column_of_predictions_is_enough():
    box = as_blackbox(rich(people()).astype(int), kind="predictions")
    got = NeighborGenerator().fit(people(), box).generate(people()[:2], 2)
    assert got.status == ("found", "found")


def test_new_queries_are_scored_within_the_budget():
    new = people().assign(age=[21, 31, 41, 51, 61, 62])[:2]
    generator = NeighborGenerator().fit(people(), model())
    assert generator.generate(new, 2).query_score.tolist() == [0.0, 0.0]
    got = generator.generate(new, 2, max_queries=1)
    np.testing.assert_array_equal(got.query_score, [0.0, np.nan])
    assert got.status == ("found", "found")


def test_a_model_over_its_own_budget_is_not_asked():
    generator = NeighborGenerator().fit(people(), model(max_queries=6))
    new = people().assign(age=99)[:1]
    assert np.isnan(generator.generate(new, 2).query_score).all()
    with pytest.raises(QueryBudgetError):
        NeighborGenerator().fit(people(), model(max_queries=5))


def test_no_time_is_a_status():
    generator = NeighborGenerator(chunk_size=1).fit(people(), model())
    got = generator.generate(people(), 2, time_budget=0)
    assert got.status == ("budget",) * 6
    assert len(got) == 0


def test_time_runs_out_between_chunks(monkeypatch):
    generator = NeighborGenerator(chunk_size=2).fit(people(), model())
    late = iter([False, False, True])
    monkeypatch.setattr(Budget, "out_of_time", lambda budget: next(late))
    got = generator.generate(people(), 1, time_budget=10)
    assert got.status == ("found",) * 4 + ("budget",) * 2


def test_two_processes_give_what_one_gives():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=300).round(1), "job": rng.choice(list("abc"), 300)})
    box = as_blackbox(lambda f: (f["x"] > 0.5).astype(float), output="probability")
    one = NeighborGenerator(n_jobs=1).fit(frame, box).generate(frame, 7)
    two = NeighborGenerator(n_jobs=2, chunk_size=40).fit(frame, box).generate(frame, 7)
    for name in ("query", "rank", "rows", "distance", "score", "source"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_distances_in_blocks_smaller_than_a_chunk(monkeypatch):
    from fairwitness.counterfactuals import nearest

    generator = NeighborGenerator().fit(people(), model())
    whole = generator.generate(people(), 2)
    monkeypatch.setattr(nearest, "_PAIRS", 1)
    np.testing.assert_array_equal(generator.generate(people(), 2).rows, whole.rows)


def test_dice_prefers_fewer_changes():
    spread = np.arange(11.0)
    frame = pd.DataFrame({"a": -spread, "b": spread, "c": spread})
    frame = pd.concat([frame, pd.DataFrame([[1, 1, 1], [4, 0, 0], [9, 9, 9]], columns=list("abc"))])
    accept = as_blackbox(lambda f: (f["a"] > 0).astype(float), output="probability")
    near = NeighborGenerator().fit(frame, accept).generate(frame[:1], 2)
    dice = NeighborGenerator(rank="dice").fit(frame, accept).generate(frame[:1], 2)
    assert near.changed.sum(axis=1)[0] == 3
    assert dice.changed.sum(axis=1)[0] == 1


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "3"])
def test_k_must_be_a_count(k):
    with pytest.raises(ConfigError, match="k must be"):
        NeighborGenerator().fit(people(), model()).generate(people(), k)


@pytest.mark.parametrize("limits", [{"max_queries": -1}, {"time_budget": -1.0}, {"time_budget": np.nan}])
def test_budgets_must_make_sense(limits):
    with pytest.raises(ConfigError, match=next(iter(limits))):
        NeighborGenerator().fit(people(), model()).generate(people(), 2, **limits)


def test_settings_must_make_sense():
    with pytest.raises(ConfigError, match="rank"):
        NeighborGenerator(rank="luck")
    with pytest.raises(ConfigError, match="chunk_size"):
        NeighborGenerator(chunk_size=0)


def test_unfitted_and_empty():
    with pytest.raises(NotFittedError, match="fit"):
        NeighborGenerator().generate(people(), 2)
    with pytest.raises(DataError):
        NeighborGenerator().fit(people()[:0], model())


def test_settings_say_what_was_searched():
    settings = NeighborGenerator().fit(people(), model()).generate(people(), 2).settings
    assert settings["n_table_rows"] == 6
    assert settings["n_distinct_rows"] == 5
    assert settings["n_accepted_distinct_rows"] == 3
    assert settings["distance"] == {"age": "MAD", "job": "0/1", "income": "MAD"}
