from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from fairwitness.flips import proxy_correlations
from fairwitness.flips.moments import Pairs, changes, moments
from fairwitness.table import Encoder, Schema

PEOPLE = 4


@st.composite
def worlds(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """A small mixed table, and pairs of its rows with a change of probability each."""
    n = draw(st.integers(2, 8))
    numbers = st.floats(-1e6, 1e6, width=32)
    values = [draw(numbers), *draw(st.lists(st.one_of(numbers, st.none()), min_size=n - 1, max_size=n - 1))]
    table = pd.DataFrame(
        {
            "x": pd.array(values, dtype="Float64"),
            "c": draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=n, max_size=n)),
            "flag": draw(st.lists(st.booleans(), min_size=n, max_size=n)),
        }
    )
    m = draw(st.integers(1, 20))
    rows = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    delta = draw(st.lists(st.floats(-1, 1, width=16), min_size=m, max_size=m))
    return table, np.array(draw(rows)), np.array(draw(rows)), np.array(delta)


@given(world=worlds())
def test_sums_per_person_give_the_correlation_of_the_dense_one_hot_matrix(world) -> None:
    table, before, after, delta = world
    encoder = Encoder.fit(table, Schema.infer(table, x={"kind": "numeric"}, c={"kind": "categorical"}))
    matrix = encoder.encode(table)
    person = before % PEOPLE
    pairs = Pairs(person, after, delta - delta.mean())
    found = {
        (name, level): moments(name, level, epsilon, pairs)
        for name, level, epsilon in changes(encoder.schema, matrix[before], matrix[after])
    }
    c = table["c"].to_numpy()
    for level in sorted(set(c)):
        epsilon = (c[after] == level) * 1.0 - (c[before] == level)
        _agree(found["c", level].sums, epsilon, delta)
    x = table["x"].to_numpy(dtype=float, na_value=np.nan)
    epsilon = np.where(np.isnan(x[after]) & np.isnan(x[before]), 0.0, x[after] - x[before])
    _agree(found["x", None].sums, epsilon, delta)


def _agree(sums: np.ndarray, epsilon: np.ndarray, delta: np.ndarray) -> None:
    known = ~np.isnan(epsilon)
    n, e, d, ee, dd, ed = sums.sum(axis=1)
    assert n == known.sum()
    expected = proxy_correlations(epsilon[known][:, None], delta[known])[0]
    if np.isnan(expected):
        return
    got = (ed / n - e * d / n**2) / np.sqrt((ee / n - (e / n) ** 2) * (dd / n - (d / n) ** 2))
    np.testing.assert_allclose(got, expected, atol=1e-6)
