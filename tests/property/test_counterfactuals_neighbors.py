from __future__ import annotations

import narwhals as nw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import mixed_tables as mixed
from tests.oracle import neighbors_by_hand as by_hand
from tests.property.audited import cases

from fairwitness.counterfactuals import NeighborGenerator
from fairwitness.counterfactuals.limits import Limits
from fairwitness.table import Encoder


def expected(frame, schema, generator, model, k, rule):
    rows = mixed.records(frame)
    accepted = model.judge(frame).accepted
    scales = generator.table_.distance.scales
    return [rule(rows, accepted, row, schema.features, scales, k) for row in rows]


@pytest.mark.parametrize("rank", ["distance", "dice"])
@settings(max_examples=60, deadline=None)
@given(case=cases(), k=st.integers(1, 6))
def test_a_double_loop_finds_the_same_rows_in_the_same_order(rank, case, k):
    frame, schema, model = case
    generator = NeighborGenerator(rank=rank).fit(frame, model, schema=schema)
    got = generator.generate(frame, k)
    rule = by_hand.nearest if rank == "distance" else by_hand.nearest_as_dice
    want = expected(frame, schema, generator, model, k, rule)

    decoded = mixed.records(got.encoder.decode(got.rows))
    for query, best in enumerate(want):
        lines = np.flatnonzero(got.query == query)
        assert [decoded[at] for at in lines] == [one[0] for one in best]
        np.testing.assert_allclose(got.distance[lines], [one[1] for one in best], rtol=1e-9)
        assert got.source[lines].tolist() == [one[2] for one in best]
        n = len(best)
        assert got.status[query] == ("found" if n == k else "short" if n else "none")


@settings(max_examples=40, deadline=None)
@given(case=cases(), k=st.integers(1, 6))
def test_every_row_is_accepted_permitted_new_and_scored(case, k):
    frame, schema, model = case
    got = NeighborGenerator().fit(frame, model, schema=schema).generate(frame, k)
    again = model.judge(got.encoder.decode(got.rows))
    assert again.accepted.all()
    np.testing.assert_array_equal(again.score, got.score)
    origin = got.queries[got.query]
    assert got.encoder.validate(got.rows, origin).all()
    assert got.changed.any(axis=1).all()
    pairs = [(int(q), row.tobytes()) for q, row in zip(got.query, got.rows, strict=True)]
    assert len(set(pairs)) == len(pairs)
    np.testing.assert_allclose(got.query_score, model.judge(frame).score)


@settings(max_examples=40, deadline=None)
@given(case=cases(max_rows=15), seed=st.integers(0, 99), k=st.integers(1, 5), chunk=st.integers(1, 7))
def test_neither_row_order_nor_chunks_change_the_answer(case, seed, k, chunk):
    frame, schema, model = case
    plain = NeighborGenerator().fit(frame, model, schema=schema).generate(frame, k)
    order = np.random.default_rng(seed).permutation(len(frame))
    shuffled = nw.from_native(frame, eager_only=True)[order.tolist()].to_native()
    other = NeighborGenerator(chunk_size=chunk).fit(shuffled, model, schema=schema).generate(frame, k)
    for name in ("query", "rank", "rows", "distance", "score"):
        np.testing.assert_array_equal(getattr(other, name), getattr(plain, name))
    assert other.status == plain.status
    np.testing.assert_array_equal(
        NeighborGenerator().fit(frame, model, schema=schema).generate(shuffled, k).rows,
        plain.take(order).rows,
    )


@settings(max_examples=100, deadline=None)
@given(case=cases())
def test_limits_say_what_the_encoder_says(case):
    frame, schema, _ = case
    encoder = Encoder.fit(frame, schema)
    rows = encoder.encode(frame)
    permitted = Limits.of(encoder.schema, rows).permits(rows)
    if permitted is None:
        permitted = np.ones((len(rows), len(rows)), dtype=bool)
    for at, query in enumerate(rows):
        np.testing.assert_array_equal(permitted[at], encoder.validate(rows, query))
