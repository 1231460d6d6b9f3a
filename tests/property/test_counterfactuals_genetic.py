from __future__ import annotations

import itertools

import narwhals as nw
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import mixed_tables as mixed
from tests.oracle import neighbors_by_hand as by_hand
from tests.property.audited import cases

from fairwitness.counterfactuals import GeneticGenerator
from fairwitness.counterfactuals.archive import row_keys
from fairwitness.counterfactuals.choices import Choices
from fairwitness.counterfactuals.limits import Limits
from fairwitness.table import Encoder


def small(**changes):
    plan = {"population": 20, "offspring": 12, "patience": 2, "random_state": 0}
    return GeneticGenerator(**(plan | changes))


@settings(max_examples=40, deadline=None)
@given(case=cases(max_rows=12), k=st.integers(1, 6), diversity=st.sampled_from([0.0, 1.0]))
def test_every_row_is_accepted_permitted_new_and_rounded(case, k, diversity):
    frame, schema, model = case
    got = small(diversity=diversity).fit(frame, model, schema=schema).generate(frame, k)
    again = model.judge(got.encoder.decode(got.rows))
    assert again.accepted.all()
    np.testing.assert_array_equal(again.score, got.score)
    origin = got.queries[got.query]
    assert got.encoder.validate(got.rows, origin).all()
    np.testing.assert_array_equal(got.encoder.snap(got.rows), got.rows)
    assert got.changed.any(axis=1).all()
    pairs = [(int(q), row.tobytes()) for q, row in zip(got.query, got.rows, strict=True)]
    assert len(set(pairs)) == len(pairs)
    for query in range(got.n_queries):
        assert (np.diff(got.distance[got.query == query]) >= 0).all()


@settings(max_examples=20, deadline=None)
@given(case=cases(max_rows=10), seed=st.integers(0, 99), chunk=st.integers(1, 4), k=st.integers(1, 4))
def test_neither_order_nor_chunks_change_the_answer(case, seed, chunk, k):
    frame, schema, model = case
    plain = small().fit(frame, model, schema=schema).generate(frame, k)
    order = np.random.default_rng(seed).permutation(len(frame))
    shuffled = nw.from_native(frame, eager_only=True)[order.tolist()].to_native()
    other = small(chunk_size=chunk).fit(shuffled, model, schema=schema).generate(shuffled, k)
    expected = plain.take(order)
    for name in ("query", "rank", "rows", "distance", "score"):
        np.testing.assert_array_equal(getattr(other, name), getattr(expected, name))
    assert other.status == expected.status


@settings(max_examples=40, deadline=None)
@given(
    case=cases(max_rows=8, max_columns=3, kinds=("ordinal", "categorical", "boolean")),
    k=st.integers(1, 8),
)
def test_in_a_small_world_the_nearest_are_found(case, k):
    frame, schema, model = case
    fitted = GeneticGenerator(random_state=0).fit(frame, model, schema=schema)
    got = fitted.generate(frame, k)
    features, encoder = schema.features, got.encoder
    values = [[*range(len(f.levels)), *([np.nan] if f.nullable else [])] for f in features]
    world = encoder.decode(np.array(list(itertools.product(*values)), dtype=float))
    records, accepted = mixed.records(world), model.judge(world).accepted
    scales = fitted.table_.distance.scales
    for query, row in enumerate(mixed.records(frame)):
        best = by_hand.nearest(records, accepted, row, features, scales, k)
        mine = got.distance[got.query == query]
        np.testing.assert_allclose(mine[:1], [one[1] for one in best[:1]], rtol=1e-9)
        assert len(mine) == len(best)


@settings(max_examples=60, deadline=None)
@given(case=cases(), seed=st.integers(0, 99))
def test_draws_stay_within_the_limits(case, seed):
    frame, schema, _ = case
    encoder = Encoder.fit(frame, schema)
    rows = encoder.encode(frame)
    limits = Limits.of(encoder.schema, rows)
    choices = Choices.of(encoder.schema, limits, (np.fmin.reduce(rows), np.fmax.reduce(rows)))
    rng = np.random.default_rng(seed)
    home = np.repeat(rows[:, None, :], 5, axis=1)
    drawn = choices.draw(home, rng.random(home.shape) < 0.7, rng.random(home.shape))
    whole = [j for j, f in enumerate(encoder.schema.features) if f.kind != "numeric"]
    for slot in range(5):
        kept = np.array(rows)
        kept[:, whole] = drawn[:, slot][:, whole]
        assert encoder.validate(kept, rows).all()
        numbers = [j for j in range(rows.shape[1]) if j not in whole]
        for j in numbers:
            value, own = drawn[:, slot, j], rows[:, j]
            inside = (value >= limits.low[:, j]) & (value <= limits.high[:, j]) & ~limits.frozen[j]
            assert (inside | (value == own) | (np.isnan(value) & np.isnan(own))).all()


@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_repaired_rows_are_permitted(case):
    frame, schema, _ = case
    encoder = Encoder.fit(frame, schema)
    rows = encoder.encode(frame)
    every = np.repeat(rows[None], len(rows), axis=0)
    repaired = Limits.of(encoder.schema, rows).repair(every)
    for at, query in enumerate(rows):
        assert encoder.validate(repaired[at], query).all()
        fits = encoder.validate(rows, query)
        np.testing.assert_array_equal(repaired[at][fits], rows[fits])


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), *[st.sampled_from([0.0, -0.0, 1.0, 2.5, np.nan])] * 3), min_size=1)
)
def test_keys_are_equal_where_contents_are(lines):
    query = np.array([line[0] for line in lines])
    rows = np.array([line[1:] for line in lines])
    keys = row_keys(query, rows).tolist()
    contents = [
        (q, *(None if np.isnan(x) else x + 0.0 for x in row))
        for q, row in zip(query.tolist(), rows.tolist(), strict=True)
    ]
    assert len(set(keys)) == len(set(contents))
    assert len(set(zip(keys, contents, strict=True))) == len(set(keys))


def test_keys_of_small_codes_differ():
    """Codes are small whole numbers, whose floats have only a few bits at the upper end."""
    rows = np.array(list(itertools.product([0.0, 1.0, 2.0, 3.0, np.nan], repeat=6)))
    assert len(set(row_keys(np.zeros(len(rows), dtype=np.int64), rows).tolist())) == len(rows)
