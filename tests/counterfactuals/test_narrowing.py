"""What the genetic search does for the nearest row: changes of one column, and numbers moved by bisection."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.counterfactuals import GeneticGenerator
from fairwitness.counterfactuals.archive import Archive
from fairwitness.counterfactuals.tips import Tips
from fairwitness.model import as_blackbox
from fairwitness.table import Schema


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "gain": np.where(rng.random(n) < 0.1, rng.integers(1, 100_000, n), 0),
            "rate": rng.normal(4, 2, n).round(2),
            "job": rng.choice(list("abcdefgh"), n),
        }
    )


def nearest(rule, frame, queries, k=1, **schema):
    box = as_blackbox(rule, output="probability")
    fitted = GeneticGenerator(random_state=0).fit(frame, box, schema=Schema.infer(frame, **schema))
    return fitted, fitted.generate(queries, k)


def test_a_number_ends_within_a_hundredth_of_its_scale_of_the_threshold():
    frame = people()

    def rule(f):
        return (np.asarray(f["gain"]) > 41_234).astype(float)

    fitted, got = nearest(rule, frame, frame[frame["gain"] < 41_234][:20])
    scale = fitted.table_.distance.scales[1]
    gain = got.to_frame()["gain"].to_numpy()
    assert (got.changed.sum(axis=1) == 1).all()
    assert (gain > 41_234).all()
    assert (gain <= 41_235 + 0.01 * scale).all()


def test_as_near_as_any_change_of_one_column():
    """A jagged score: what comes back is no farther than the best single change, but for the bisection."""
    frame = people(seed=3)
    jobs = {name: at for at, name in enumerate("hcbgadfe")}

    def rule(f):
        age, rate = np.asarray(f["age"], dtype=float), np.asarray(f["rate"], dtype=float)
        steps = np.floor(age / 7) / 10 + np.floor(rate * 3) / 9 + np.asarray(f["job"].map(jobs)) / 5
        return 1 / (1 + np.exp(2.4 - steps))

    queries = frame[rule(frame) < 0.5][:25]
    fitted, got = nearest(rule, frame, queries)
    assert set(got.status) == {"found"}
    home, scales = got.queries, fitted.table_.distance.scales
    for query, (row, ours) in enumerate(zip(home, got.distance, strict=True)):
        best = np.inf
        for j, values in enumerate(
            (np.arange(18, 80), np.arange(0), np.arange(-300, 1200) / 100, np.arange(8))
        ):
            tried = np.repeat(row[None], len(values), axis=0)
            tried[:, j] = values
            good = fitted.table_.model.judge(got.encoder.decode(tried)).accepted & (values != row[j])
            cost = np.abs(values - row[j]) / scales[j] if j != 3 else np.ones(len(values))
            best = min(best, cost[good].min(initial=np.inf))
        # a row that changes two columns may be nearer, but pays for the second
        assert ours + got.changed[query].sum() <= best + 1 + 0.02


def test_a_second_column_helps_where_it_is_cheap():
    """One year more halves the gain that is needed: the pair is found although neither alone is near."""
    frame = people().assign(age=lambda f: f["age"].clip(18, 60))

    def rule(f):
        need = np.where(np.asarray(f["age"]) >= 24, 20_000, 90_000)
        return 1 / (1 + np.exp((need - np.asarray(f["gain"], dtype=float)) / 10_000))

    queries = people(seed=1).assign(age=23, gain=0)[:10]
    _, got = nearest(rule, frame, queries)
    rows = got.to_frame()
    assert rows["age"].between(24, 25).all()
    assert rows["gain"].between(20_000, 20_400).all()


def test_bounds_and_precision_hold_on_the_way():
    frame = people()
    seen = []

    def rule(f):
        seen.append(f.copy())
        return (np.asarray(f["rate"]) > 6.125).astype(float)

    queries = frame[frame["rate"] < 5][:10]
    _, got = nearest(rule, frame, queries, rate={"bounds": (0, 8)}, age={"monotone": "increase"})
    asked = pd.concat(seen[1:])
    assert set(got.status) == {"found"}
    inside = asked["rate"].between(0, 8) | asked["rate"].isin(queries["rate"])
    assert inside.all()
    np.testing.assert_allclose(asked["rate"], asked["rate"].round(2), atol=1e-12)
    assert len(asked.drop_duplicates()) > 100


@pytest.mark.parametrize("chunk", [1, 7, 40])
def test_chunks_do_not_matter(chunk):
    frame = people()

    def rule(f):
        return 1 / (1 + np.exp(6.5 - np.asarray(f["rate"]) - np.asarray(f["gain"], dtype=float) / 30_000))

    box = as_blackbox(rule, output="probability")
    queries = frame[rule(frame) < 0.5][:12]
    whole, parts = (
        GeneticGenerator(random_state=0, chunk_size=size).fit(frame, box).generate(queries, 3)
        for size in (1024, chunk)
    )
    np.testing.assert_array_equal(whole.rows, parts.rows)
    np.testing.assert_array_equal(whole.score, parts.score)


def test_few_rows_are_asked_for_one():
    frame = people()
    _, got = nearest(lambda f: (np.asarray(f["rate"]) > 6.1).astype(float), frame, frame[frame["rate"] < 5])
    assert got.settings["n_rows_scored"] / got.n_queries < 700


def test_tips_find_the_threshold_of_each_column():
    """By hand: accepted where both numbers are above their thresholds."""
    home, scales = np.zeros((1, 2)), np.array([1.0, 10.0])
    tips = Tips.none(1, 2, 2)
    start = np.array([[8.0, 640.0], [0.3, 5.0]])
    place = np.zeros(2, dtype=np.int64), np.arange(2)
    tips.put(*place, start, np.ones((2, 2), dtype=np.bool_), np.array([True, False]))
    asked = 0
    while tips.active.any():
        line, slot, rows = tips.propose(home, scales)
        accepted = (rows[:, 0] > 1.5) & (rows[:, 1] > 100)
        tips.learn(line, slot, rows, accepted, np.where(accepted, 0.7, 0.2))
        asked += len(rows)
    assert 1.5 < tips.rows[0, 0, 0] <= 1.51
    assert 100 < tips.rows[0, 0, 1] <= 100.1
    assert tips.score[0, 0] == 0.7
    assert tips.moved.tolist() == [[True, False]]  # the other was never accepted
    assert asked < 30


def test_rows_aside_are_remembered_with_their_score():
    archive = Archive()
    archive.add(np.array([5, 1]))
    archive.put_aside(np.array([9, 3]), np.array([0.9, 0.3]))
    assert archive.knows(np.array([1, 3, 5, 9])).tolist() == [True, False, True, False]
    there, score = archive.aside(np.array([3, 4, 9]))
    assert there.tolist() == [True, False, True]
    np.testing.assert_array_equal(score, [0.3, np.nan, 0.9])
    archive.add(np.array([3]))
    assert archive.knows(np.array([3, 9])).tolist() == [True, False]
    assert not archive.aside(np.array([3]))[0].any()
    assert len(archive) == 4


@pytest.mark.parametrize("d", [128, 129, 260])
def test_many_columns_are_tried_alone_as_few_are(d: int):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, d)).round(2), columns=[f"c{i}" for i in range(d)])
    weight = np.r_[2.0, 1.0, -1.0, np.full(d - 3, 0.3 / np.sqrt(d))]

    def accepts(frame: pd.DataFrame) -> np.ndarray:
        return 1 / (1 + np.exp(-(frame.to_numpy() @ weight - 1)))

    model = as_blackbox(accepts)
    queries = X[accepts(X) < 0.5].head(5)
    generator = GeneticGenerator(random_state=0).fit(X, model)
    found = generator.generate(queries, 1)
    need = 1 - queries.to_numpy() @ weight
    alone = need[:, None] / weight  # what each column alone would have to change by
    value = queries.to_numpy() + alone
    inside = (value >= X.min().to_numpy()) & (value <= X.max().to_numpy())
    best = np.where(inside, np.abs(alone) / generator.table_.distance.scales, np.inf).min(axis=1)
    assert np.isfinite(best).all()
    assert found.distance == pytest.approx(best, abs=0.05)
