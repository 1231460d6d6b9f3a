from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from fairwitness.counterfactuals import CounterfactualSet
from fairwitness.table import Encoder

ENCODER = Encoder.fit(pd.DataFrame({"x": [0.0, 1.0], "job": ["a", "b"]}))


@st.composite
def sets(draw):
    k = draw(st.integers(1, 4))
    counts = draw(st.lists(st.integers(0, k), min_size=1, max_size=6))
    m = sum(counts)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return CounterfactualSet(
        encoder=ENCODER,
        queries=rng.integers(0, 2, (len(counts), 2)),
        query_score=rng.random(len(counts)),
        k=k,
        query=np.repeat(np.arange(len(counts)), counts),
        rank=[r + 1 for n in counts for r in range(n)],
        rows=rng.integers(0, 2, (m, 2)),
        distance=rng.random(m),
        score=rng.random(m),
        source=np.arange(m),
        status=tuple("found" if n == k else "short" if n else "none" for n in counts),
        generator="random",
        settings={},
    )


def same(one, other):
    for name in ("queries", "query_score", "query", "rank", "rows", "distance", "score", "source"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.status == other.status


@settings(deadline=None)
@given(whole=sets())
def test_spread_puts_each_value_at_its_query_and_rank(whole):
    laid_out = whole.spread(whole.source)
    for query in range(whole.n_queries):
        own = [s for q, s in zip(whole.query.tolist(), whole.source.tolist(), strict=True) if q == query]
        row = laid_out[query]
        assert row[: len(own)].tolist() == own
        assert np.isnan(row[len(own) :]).all()
    assert (~np.isnan(laid_out)).sum(axis=1).tolist() == whole.n_found.tolist()


@settings(deadline=None)
@given(whole=sets(), data=st.data())
def test_join_puts_together_what_take_took_apart(whole, data):
    order = data.draw(st.permutations(range(whole.n_queries)))
    cut = data.draw(st.integers(0, whole.n_queries))
    parts = [list(order[:cut]), list(order[cut:])]
    same(CounterfactualSet.join([whole.take(p) for p in parts], parts), whole)


@settings(deadline=None)
@given(whole=sets(), data=st.data())
def test_rerank_sorts_each_query_and_keeps_its_rows(whole, data):
    by = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=len(whole), max_size=len(whole)))
    )
    ordered = whole.rerank(by)
    assert ordered.query.tolist() == whole.query.tolist()
    want = sorted(range(len(whole)), key=lambda i: (whole.query[i], by[i], whole.rank[i]))
    assert ordered.source.tolist() == want
    np.testing.assert_array_equal(ordered.rows, whole.rows[want])
    same(ordered.rerank(want), whole)
