"""The distance is its formula, and a metric."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fairwitness.table import Feature, MixedDistance, Schema

KINDS = ("numeric", "integer", "ordinal", "categorical", "boolean")
NUMBERS = st.one_of(st.just(math.nan), st.floats(-1e6, 1e6), st.integers(-3, 3).map(float))
CODES = st.one_of(st.just(math.nan), st.integers(0, 2).map(float))


@st.composite
def cases(draw, rows=3):
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5))
    scales = np.array([1.0 if k in KINDS[3:] else draw(st.floats(1e-3, 1e3)) for k in kinds])
    labels = tuple("0/1" if k in KINDS[3:] else "MAD" for k in kinds)
    cells = [NUMBERS if k in KINDS[:2] else CODES for k in kinds]
    matrices = [
        np.array([[draw(cell) for cell in cells] for _ in range(draw(st.integers(1, 4)))])
        for _ in range(rows)
    ]
    return MixedDistance(scales, labels), matrices


def slow(distance, a, b):
    total = 0.0
    for x, y, scale, kind in zip(a, b, distance.scales, distance.scale_kinds, strict=True):
        if math.isnan(x) and math.isnan(y):
            continue
        if math.isnan(x) or math.isnan(y):
            total += 1
        elif kind == "0/1":
            total += x != y
        else:
            total += abs(x - y) / scale
    return total


@settings(max_examples=200, deadline=None)
@given(cases())
def test_it_is_the_formula(case):
    distance, (A, B, _) = case
    wanted = np.array([[slow(distance, a, b) for b in B] for a in A])
    np.testing.assert_allclose(distance.pairwise(A, B), wanted, rtol=1e-12, atol=0)
    for i, a in enumerate(A):
        rows = np.tile(a, (len(B), 1))
        np.testing.assert_array_equal(distance.rowwise(rows, B), distance.pairwise(A, B)[i])
        changed = [
            [not (x == y or (math.isnan(x) and math.isnan(y))) for x, y in zip(a, b, strict=True)] for b in B
        ]
        assert distance.changed(rows, B).tolist() == changed


@settings(max_examples=200, deadline=None)
@given(cases())
def test_it_is_symmetric_and_zero_for_equal_rows_only(case):
    distance, (A, B, _) = case
    np.testing.assert_array_equal(distance.pairwise(A, B), distance.pairwise(B, A).T)
    assert (np.diag(distance.pairwise(A, A)) == 0).all()
    far = distance.pairwise(A, B)
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            if distance.changed(a[None], b[None]).any():
                # a difference of two floats is never 0, but dividing a tiny one may make it so
                assert far[i, j] > 0 or np.nanmax(np.abs(a - b)) < 1e-300
            else:
                assert far[i, j] == 0


@settings(max_examples=200, deadline=None)
@given(cases())
def test_the_triangle_holds_where_values_are_not_missing(case):
    # a missing value is at 1 from everything, so it can be a short cut between numbers far apart
    distance, (A, B, C) = case
    A, B, C = (np.nan_to_num(side) for side in (A, B, C))
    direct = distance.pairwise(A, C)
    detour = (distance.pairwise(A, B)[:, :, None] + distance.pairwise(B, C)[None]).min(axis=1)
    assert (direct <= detour * (1 + 1e-12) + 1e-9).all()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.just(math.nan), st.floats(-1e9, 1e9)), min_size=1, max_size=20))
def test_scales_are_positive_whatever_the_column(values):
    schema = Schema((Feature("x", "numeric", nullable=True),))
    distance = MixedDistance.fit(np.array(values)[:, None], schema)
    assert distance.scales[0] > 0
    assert np.isfinite(distance.scales[0])
    present = [v for v in values if not math.isnan(v)]
    assert (distance.scale_kinds[0] == "constant") == (len(set(present)) <= 1) or np.ptp(present) < 1e-300
