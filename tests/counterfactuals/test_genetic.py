from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.counterfactuals import GeneticGenerator
from fairwitness.errors import ConfigError, DataError, ModelError
from fairwitness.model import as_blackbox
from fairwitness.table import Schema

FIELDS = ("query", "rank", "rows", "distance", "score", "source")


def people(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "job": rng.choice(list("abcd"), n),
            "income": rng.normal(4, 2, n).round(1),
            "owner": rng.random(n) < 0.5,
        }
    )


def rich(frame):
    """Accept on income alone, in steps of a smooth score."""
    return 1 / (1 + np.exp(6 - np.asarray(frame["income"], dtype=float)))


def model(**settings):
    return as_blackbox(rich, output="probability", **settings)


def generator(**settings):
    return GeneticGenerator(**({"random_state": 0, "patience": 3, "offspring": 40} | settings))


class Recorder:
    """A model that keeps every row it is asked about."""

    def __init__(self, rule):
        self.rule = rule
        self.seen = []

    def __call__(self, frame):
        self.seen.extend(map(tuple, frame.itertuples(index=False)))
        return self.rule(frame)


def rejected(frame, n=10):
    return frame[frame["income"] < 5][:n]


def test_only_what_must_change_changes():
    frame = people()
    got = generator().fit(frame, model()).generate(rejected(frame), 5)
    assert set(got.status) == {"found"}
    assert got.changed.sum(axis=1).mean() < 1.2
    assert (got.changed[got.rank == 1].sum(axis=1) == 1).all()
    assert got.changed[:, 2].all()
    income = got.to_frame()["income"].to_numpy()
    assert income.min() >= 6.0
    assert np.median(income[got.rank == 1]) < 6.5


def test_no_single_change_can_be_taken_back():
    frame = people()
    # one child in one generation: what is left to do is done by taking changes back
    fitted = generator(generations=1, offspring=1, patience=5).fit(frame, model())
    got = fitted.generate(rejected(frame), 5)
    found = {(q, *row) for q, row in zip(got.query.tolist(), got.rows.tolist(), strict=True)}
    undone = []
    for line, (query, row) in enumerate(zip(got.query.tolist(), got.rows, strict=True)):
        for column in np.flatnonzero(got.changed[line]):
            back = row.copy()
            back[column] = got.queries[query, column]
            if (query, *back.tolist()) not in found:
                undone.append(back)
    assert len(undone) > 20
    assert not model().judge(got.encoder.decode(np.array(undone))).accepted.any()


@pytest.mark.parametrize("container", ["pandas", "polars", "pyarrow"])
def test_the_same_container_and_types_come_back(container):
    frame = people()
    seen = {"pandas": frame, "polars": pl.from_pandas(frame)}
    table = seen.get(container, pl.from_pandas(frame).to_arrow())
    rule = as_blackbox(lambda f: rich({"income": f["income"]}), output="probability")
    got = generator().fit(table, rule).generate(table[:3], 4)
    assert type(got.to_frame()) is type(table)
    decoded = got.encoder.decode(got.rows)
    if container == "pandas":
        assert decoded.dtypes.equals(frame.dtypes)
    else:
        assert decoded.schema == table.schema


def test_no_row_is_scored_twice_for_a_query():
    frame = people()
    recorder = Recorder(rich)
    fitted = generator().fit(frame, as_blackbox(recorder, output="probability"))
    recorder.seen.clear()
    query = rejected(frame)[:1]
    got = fitted.generate(query, 10)
    assert len(recorder.seen) == got.settings["n_rows_scored"] > 0
    assert len(set(recorder.seen)) == len(recorder.seen)
    known = set(map(tuple, frame[rich(frame) >= 0.5].itertuples(index=False)))
    assert not known & set(recorder.seen)
    assert tuple(query.iloc[0]) not in recorder.seen


def test_one_call_a_generation_for_all_queries():
    frame = people()
    calls = []

    def counting(asked):
        calls.append(len(asked))
        return rich(asked)

    fitted = generator().fit(frame, as_blackbox(counting, output="probability"))
    calls.clear()
    fitted.generate(frame[:1], 5)
    alone = len(calls)
    calls.clear()
    fitted.generate(frame[:60], 5)
    assert len(calls) < 6 * alone
    assert max(calls) > 40


def test_constraints_are_hard_limits():
    frame = people()
    schema = Schema.infer(
        frame,
        job={"immutable": True},
        age={"monotone": "increase"},
        income={"bounds": (0, 7)},
        owner={"allowed": (True,)},
    )
    recorder = Recorder(rich)
    fitted = generator().fit(frame, as_blackbox(recorder, output="probability"), schema=schema)
    recorder.seen.clear()
    query = frame[(frame["income"] < 5) & frame["owner"]][:1]
    got = fitted.generate(query, 20)
    assert set(got.status) == {"found"}
    before = query.iloc[0]
    for age, job, income, owner in recorder.seen:  # not only what is returned: nothing else is ever tried
        assert job == before["job"]
        assert age >= before["age"]
        assert 0 <= income <= 7
        assert owner


def test_two_processes_chunks_and_orders_give_the_same():
    frame = people()
    queries = frame[:24]
    whole = generator().fit(frame, model()).generate(queries, 6)
    for other in (
        generator(n_jobs=2, chunk_size=7).fit(frame, model()).generate(queries, 6),
        generator(chunk_size=1).fit(frame[::-1], model()).generate(queries, 6),
    ):
        for name in ("query", "rank", "rows", "distance", "score"):
            np.testing.assert_array_equal(getattr(other, name), getattr(whole, name))
        assert other.status == whole.status
        assert other.settings == whole.settings
    backwards = generator().fit(frame, model()).generate(queries[::-1], 6)
    np.testing.assert_array_equal(backwards.take(np.arange(24)[::-1]).rows, whole.rows)


def test_few_queries_at_once_give_what_many_give(monkeypatch):
    from fairwitness.counterfactuals import evolution

    frame = people()
    whole = generator().fit(frame, model()).generate(frame[:30], 6)
    monkeypatch.setattr(evolution, "_ACTIVE", 5)
    few = generator().fit(frame, model()).generate(frame[:30], 6)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(few, name), getattr(whole, name))


def test_seeds_matter_and_zero_is_one():
    frame = people()
    queries = rejected(frame)
    one, two, again = (
        generator(random_state=seed).fit(frame, model()).generate(queries, 20).rows for seed in (0, 1, 0)
    )
    np.testing.assert_array_equal(one, again)
    assert one.shape != two.shape or not np.array_equal(one, two, equal_nan=True)


def test_unreachable_outcome_is_a_status():
    frame = people()
    never = as_blackbox(lambda f: np.zeros(len(f)), output="probability")
    got = generator(offspring=10).fit(frame, never).generate(frame[:3], 5)
    assert got.status == ("none",) * 3


def test_an_outcome_no_row_of_the_table_has_can_be_reached():
    frame = people()
    old = as_blackbox(lambda f: (np.asarray(f["age"]) == 81).astype(float), output="probability")
    schema = Schema.infer(frame, age={"bounds": (18, 81)})
    got = generator().fit(frame, old, schema=schema).generate(frame[:5], 3)
    assert set(got.status) == {"found"}
    assert (got.to_frame()["age"] == 81).all()
    assert set(got.source.tolist()) == {-1}


def test_one_accepted_row_is_enough_to_start_from():
    frame = people()
    frame.loc[3, "income"] = 30.0
    top = as_blackbox(lambda f: (np.asarray(f["income"]) > 20).astype(float), output="probability")
    got = generator().fit(frame, top).generate(frame[:3], 10)
    assert set(got.status) == {"found"}


def test_a_frozen_query_has_none():
    frame = people()
    schema = Schema.infer(frame, **{name: {"immutable": True} for name in frame})
    got = generator().fit(frame, model(), schema=schema).generate(rejected(frame), 5)
    assert set(got.status) == {"none"}


def test_a_small_world_is_short():
    frame = pd.DataFrame({"a": list("xyxy"), "b": list("uuvv")})
    rule = as_blackbox(lambda f: (np.asarray(f["a"]) == "y").astype(float), output="probability")
    got = generator().fit(frame, rule).generate(frame[:1], 5)
    assert got.status == ("short",)
    assert got.to_frame()["distance"].tolist() == [1.0, 2.0]
    assert got.source.tolist() == [1, 3]


def test_labels_without_scores_are_enough():
    frame = people()
    label = as_blackbox(lambda f: np.where(np.asarray(f["income"]) > 6, "yes", "no"), favorable="yes")
    got = generator().fit(frame, label).generate(rejected(frame), 5)
    assert set(got.status) == {"found"}
    assert (got.to_frame()["income"] > 6).all()


def test_missing_is_a_value():
    frame = people()
    frame.loc[::7, "job"] = None
    frame.loc[::5, "income"] = np.nan
    rule = as_blackbox(lambda f: f["income"].isna().to_numpy().astype(float), output="probability")
    got = generator().fit(frame, rule).generate(frame[1:4], 5)
    assert set(got.status) == {"found"}
    assert got.to_frame()["income"].isna().all()


def test_whole_numbers_and_decimals_stay_so():
    frame = people().assign(code=np.arange(200) % 5)
    schema = Schema.infer(frame, code={"kind": "categorical"})
    got = generator().fit(frame, model(), schema=schema).generate(rejected(frame), 60)
    rows = got.to_frame()
    assert rows["code"].dtype == frame["code"].dtype
    assert set(rows["code"]) <= set(range(5))
    np.testing.assert_array_equal(rows["income"], rows["income"].round(1))


def test_wide_tables():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 400)).round(2), columns=[f"x{i}" for i in range(400)])
    rule = as_blackbox(lambda f: (np.asarray(f["x0"]) > 1).astype(float), output="probability")
    got = generator(population=50, offspring=30).fit(frame, rule).generate(frame[:2], 3)
    assert set(got.status) == {"found"}


def test_an_accepted_query_gets_others():
    frame = people()
    accepted = frame[frame["income"] > 7][:3]
    got = generator().fit(frame, model()).generate(accepted, 5)
    assert set(got.status) == {"found"}
    assert got.changed.any(axis=1).all()


def test_diversity_spreads_the_rows():
    frame = people()

    def spread(cset):
        rows = cset.rows[cset.query == 0]
        return np.mean([d for at, one in enumerate(rows) for d in (rows[at + 1 :] != one).sum(axis=1)])

    near, wide = (
        generator(diversity=weight).fit(frame, model()).generate(rejected(frame)[:1], 10)
        for weight in (0.0, 5.0)
    )
    assert near.status == wide.status == ("found",)
    assert spread(wide) > spread(near)


def test_the_query_budget_is_shared_out():
    frame = people()
    box = model()
    fitted = generator().fit(frame, box)
    before = box.n_queries
    got = fitted.generate(rejected(frame), 300, max_queries=200)
    assert box.n_queries - before == got.settings["n_rows_scored"]
    assert 100 < got.settings["n_rows_scored"] <= 200
    assert set(got.status) == {"budget"}
    assert (got.n_found > 0).all()
    assert set(fitted.generate(rejected(frame), 5, max_queries=0).status) == {"found"}


def test_a_model_over_its_own_budget_is_not_asked():
    frame = people()
    box = model(max_queries=200 + 30)
    fitted = generator().fit(frame, box)
    fitted.generate(rejected(frame), 5)
    assert box.n_queries <= 230


def test_no_time_is_a_status():
    frame = people()
    got = generator().fit(frame, model()).generate(frame[:4], 5, time_budget=0)
    assert got.status == ("budget",) * 4
    assert len(got) == 0


def test_what_time_allows_is_kept(monkeypatch):
    from fairwitness.counterfactuals.budget import Budget

    frame = people()
    fitted = generator().fit(frame, model())
    late = iter([False, True])
    monkeypatch.setattr(Budget, "out_of_time", lambda budget: np.isfinite(budget.deadline) and next(late))
    got = fitted.generate(rejected(frame), 5, time_budget=100)
    assert set(got.status) == {"found"}


def test_predictions_cannot_judge_new_rows():
    frame = people()
    with pytest.raises(ModelError, match="column of predictions"):
        generator().fit(frame, as_blackbox((rich(frame) > 0.5).astype(int), kind="predictions"))


def test_an_unseen_level_is_named():
    with pytest.raises(DataError, match="job"):
        generator().fit(people(), model()).generate(people()[:2].assign(job="zzz"), 3)


@pytest.mark.parametrize(
    "settings",
    [{"population": 0}, {"offspring": 0}, {"patience": 0}, {"tolerance": -1}, {"diversity": np.nan}],
)
def test_settings_must_make_sense(settings):
    with pytest.raises(ConfigError, match=next(iter(settings))):
        GeneticGenerator(**settings)


def test_no_queries_give_an_empty_set():
    frame = people()
    assert len(generator().fit(frame, model()).generate(frame[:0], 3)) == 0


def test_linked_columns_are_found_together_and_cost_nothing():
    frame = people().assign(town=lambda f: f["job"].map({"a": "x", "b": "y", "c": "z", "d": "x"}))
    rule = Recorder(lambda f: (f["job"].isin(["b", "c"]) & (f["income"] > 2)).to_numpy(dtype=float))
    schema = Schema.infer(frame).link("job", "town").feature("job", forbidden={"a": ["b"]})
    fitted = generator().fit(frame, as_blackbox(rule, output="probability"), schema=schema)
    rule.seen.clear()
    got = fitted.generate(frame[frame["job"] == "a"][:10], 5)
    assert set(got.status) == {"found"}
    found = got.to_frame()
    assert set(zip(found["job"], found["town"], strict=True)) == {("c", "z")}
    # nothing that breaks a link or makes a forbidden transition is ever asked about
    pairs = {(row[1], row[4]) for row in rule.seen}
    assert pairs == {("a", "x"), ("c", "z"), ("d", "x")}
    assert (got.changed[got.rank == 1].sum(axis=1) <= 3).all()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_queries_of_worker_processes_count(n_jobs):
    frame = people()
    asked = model(max_queries=100_000)
    fitted = generator(n_jobs=n_jobs, chunk_size=3).fit(frame, asked)
    before = asked.n_queries
    got = fitted.generate(rejected(frame, 6), 4)
    assert asked.n_queries - before == got.settings["n_rows_scored"] > 0
