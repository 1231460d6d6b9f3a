"""Every constraint a schema can state, for every generator, against a slow reading row by row."""

from __future__ import annotations

import itertools

import narwhals as nw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import mixed_tables as mixed
from tests.oracle import neighbors_by_hand as by_hand

from fairwitness.counterfactuals import GeneticGenerator, NeighborGenerator, PrecomputedGenerator
from fairwitness.counterfactuals.choices import Choices
from fairwitness.counterfactuals.limits import Limits
from fairwitness.model import as_blackbox
from fairwitness.table import Encoder, Schema


@st.composite
def cases(draw, **table):
    frame, kinds = draw(mixed.tables(**table))
    ordinal = {
        name: {"kind": "ordinal", "levels": ("low", "mid", "high")}
        for name, kind in zip(list(frame.columns), kinds, strict=True)
        if kind == "ordinal"
    }
    schema = draw(mixed.vocabulary(Schema.infer(frame, **ordinal), frame))
    share = draw(st.sampled_from([0.3, 0.7, 1.0]))
    return frame, schema, as_blackbox(mixed.coin(share), output="probability")


def made_elsewhere(frame, seed):
    """Rows put together from cells of the table, three a query, among them many that break constraints."""
    rng = np.random.default_rng(seed)
    table = nw.from_native(frame, eager_only=True)
    n = len(table)
    columns = [table[name][rng.integers(0, n, 3 * n).tolist()] for name in table.columns]
    ids = nw.new_series("query", np.repeat(np.arange(n), 3), backend=table.implementation)
    first = columns[0].to_frame().with_columns(*columns[1:], ids.alias("query"))
    return first.to_native()


def generators(frame, seed):
    return {
        "genetic": GeneticGenerator(population=20, offspring=12, patience=2, random_state=seed),
        "neighbors": NeighborGenerator(),
        "precomputed": PrecomputedGenerator(made_elsewhere(frame, seed), rank=None),
    }


@pytest.mark.parametrize("name", ["genetic", "neighbors", "precomputed"])
@settings(max_examples=40, deadline=None)
@given(case=cases(max_rows=12), seed=st.integers(0, 99), k=st.integers(1, 4))
def test_every_row_keeps_every_constraint(name, case, seed, k):
    frame, schema, model = case
    got = generators(frame, seed)[name].fit(frame, model, schema=schema).generate(frame, k)
    table, rows = mixed.records(frame), mixed.records(got.encoder.decode(got.rows))
    for query, row in zip(got.query.tolist(), rows, strict=True):
        assert by_hand.keeps(row, table[query], schema, table)


@settings(max_examples=60, deadline=None)
@given(case=cases(), k=st.integers(1, 4))
def test_neighbors_leave_out_nothing_that_is_permitted(case, k):
    frame, schema, model = case
    got = NeighborGenerator().fit(frame, model, schema=schema).generate(frame, k)
    table, accepted = mixed.records(frame), model.judge(frame).accepted
    for query, old in enumerate(table):
        good = {
            row
            for row, yes in zip(table, accepted, strict=True)
            if yes and row != old and by_hand.keeps(row, old, schema, table)
        }
        assert got.n_found[query] == min(k, len(good))


@settings(max_examples=30, deadline=None)
@given(
    case=cases(max_rows=8, max_columns=3, kinds=("ordinal", "categorical", "boolean")),
    k=st.integers(1, 6),
)
def test_in_a_small_world_all_that_is_permitted_is_found(case, k):
    frame, schema, model = case
    fitted = GeneticGenerator(random_state=0).fit(frame, model, schema=schema)
    got = fitted.generate(frame, k)
    values = [[*range(len(f.levels)), *([np.nan] if f.nullable else [])] for f in schema.features]
    world = got.encoder.decode(np.array(list(itertools.product(*values)), dtype=float))
    rows, accepted, table = mixed.records(world), model.judge(world).accepted, mixed.records(frame)
    scales = fitted.table_.distance.scales
    for query, old in enumerate(table):
        far = sorted(
            by_hand.distance(row, old, schema.features, scales)
            for row, yes in zip(rows, accepted, strict=True)
            if yes and row != old and by_hand.keeps(row, old, schema, table)
        )
        mine = got.distance[got.query == query]
        assert len(mine) == min(k, len(far))
        np.testing.assert_allclose(mine[:1], far[:1], rtol=1e-9)


@settings(max_examples=80, deadline=None)
@given(case=cases())
def test_three_ways_to_say_what_is_permitted_agree(case):
    frame, schema, _ = case
    encoder = Encoder.fit(frame, schema)
    rows, table = encoder.encode(frame), mixed.records(frame)
    limits = Limits.of(encoder.schema, rows, encoder.links)
    permitted = limits.permits(rows)
    if permitted is None:
        permitted = np.ones((len(rows), len(rows)), dtype=bool)
    repaired = limits.repair(np.repeat(rows[None], len(rows), axis=0))
    for at, query in enumerate(rows):
        wanted = [by_hand.keeps(row, table[at], schema, table) for row in table]
        assert encoder.validate(rows, query).tolist() == wanted
        assert permitted[at].tolist() == wanted
        assert encoder.validate(repaired[at], query).all()
        np.testing.assert_array_equal(repaired[at][wanted], rows[wanted])


@settings(max_examples=60, deadline=None)
@given(case=cases(), seed=st.integers(0, 99))
def test_draws_keep_forbidden_transitions_and_links(case, seed):
    frame, schema, _ = case
    encoder = Encoder.fit(frame, schema)
    rows = encoder.encode(frame)
    limits = Limits.of(encoder.schema, rows, encoder.links)
    choices = Choices.of(encoder.schema, limits, (np.fmin.reduce(rows), np.fmax.reduce(rows)))
    half = len(rows) // 2
    first, rest = np.arange(half), np.arange(half, len(rows))
    choices = choices.take(first).join(choices.take(rest))
    rng = np.random.default_rng(seed)
    home = np.repeat(rows[:, None, :], 5, axis=1)
    drawn = choices.draw(home, rng.random(home.shape) < 0.7, rng.random(home.shape))
    free = np.array([f.kind == "numeric" for f in encoder.schema.features]) & choices.alone
    for slot in range(5):
        kept = drawn[:, slot].copy()
        kept[:, free] = rows[:, free]  # not yet rounded
        assert encoder.validate(kept, rows).all()
