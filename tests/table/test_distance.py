from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.errors import DataError
from fairwitness.table import Encoder, Feature, MixedDistance, Schema

NAN = np.nan
SCHEMA = Schema(
    (
        Feature("n", "numeric", nullable=True),
        Feature("o", "ordinal", levels=(1, 2, 3)),
        Feature("c", "categorical", levels=("a", "b"), nullable=True),
    )
)


@pytest.mark.parametrize(
    ("values", "scale", "kind"),
    [
        ([0, 1, 2, 3, 100], 1.0, "MAD"),
        ([0, 0, 0, 0, 0, 1, 1, 2, 9], 1.0, "IQR"),
        ([0] * 9 + [10], 3.0, "standard deviation"),
        ([5, 5, 5], 1.0, "constant"),
        ([NAN, NAN], 1.0, "constant"),
        ([NAN, 1, 2, 3, NAN], 1.0, "MAD"),
        ([-1.7e308, 1.7e308], 1.0, "constant"),
    ],
)
def test_the_scale_is_the_first_positive_one_and_says_which(values, scale, kind):
    distance = MixedDistance.fit(np.array(values, dtype=float)[:, None], Schema((Feature("x", "numeric"),)))
    assert distance.scale_kinds == (kind,)
    assert distance.scales[0] == pytest.approx(scale)


def test_distances_by_hand():
    distance = MixedDistance(np.array([2.0, 0.5, 1.0]), ("MAD", "MAD", "0/1"))
    a = np.array([1.0, 0, 0])
    others = np.array([[1, 0, 0], [4, 0, 0], [1, 2, 0], [1, 0, 1], [NAN, 0, NAN], [0, 1, 1]])
    wanted = [0, 1.5, 4, 1, 2, 3.5]
    assert distance.pairwise(a, others).tolist() == [wanted]
    assert distance.rowwise(a[None], others).tolist() == wanted
    gaps = np.array([[NAN, 0, NAN]])
    assert distance.pairwise(gaps, gaps)[0, 0] == 0
    assert distance.changed(others, gaps).tolist() == [
        [True, False, True],
        [True, False, True],
        [True, True, True],
        [True, False, True],
        [False, False, False],
        [True, True, True],
    ]


def test_categories_have_scale_one():
    distance = MixedDistance.fit(np.array([[0.0, 0, 0], [4, 2, 1], [8, 1, 1]]), SCHEMA)
    assert distance.scale_kinds == ("MAD", "MAD", "0/1")
    assert distance.scales.tolist() == [4, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        distance.scales[0] = 2


def test_more_than_255_unlike_categories_are_counted():
    d = 300
    distance = MixedDistance(np.ones(d), ("0/1",) * d)
    assert distance.pairwise(np.zeros((1, d)), np.ones((1, d)))[0, 0] == d


def test_many_codes_are_told_apart():
    codes = np.arange(70_000.0)[:, None]
    distance = MixedDistance(np.ones(1), ("0/1",))
    assert distance.pairwise(codes[[0, 300, 65_536]], codes).sum(axis=1).tolist() == [69_999.0] * 3


def test_blocks_leave_no_seams():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"n": rng.normal(size=700), "c": rng.choice(list("abc"), 700), "i": rng.integers(0, 9, 700)}
    )
    frame.loc[::7, "n"] = NAN
    encoder = Encoder.fit(frame)
    matrix = encoder.encode(frame)
    distance = MixedDistance.fit(matrix, encoder.schema)
    whole = distance.pairwise(matrix, matrix)
    for i in (0, 1, 350, 699):
        np.testing.assert_array_equal(whole[i], distance.rowwise(np.tile(matrix[i], (700, 1)), matrix))


def test_nothing_and_too_far():
    distance = MixedDistance(np.array([0.5]), ("MAD",))
    assert distance.pairwise(np.empty((0, 1)), np.zeros((3, 1))).shape == (0, 3)
    assert distance.pairwise(np.zeros((3, 1)), np.empty((0, 1))).shape == (3, 0)
    far = np.array([[1.7e308]])
    assert np.isinf(distance.pairwise(far, -far)[0, 0])
    assert np.isinf(distance.rowwise(far, -far)[0])


def test_wrong_shapes_are_named():
    distance = MixedDistance(np.ones(2), ("MAD", "MAD"))
    with pytest.raises(DataError, match="2 columns"):
        distance.pairwise(np.zeros((1, 3)), np.zeros((1, 2)))
    with pytest.raises(DataError, match=r"\(n, 3\)"):
        MixedDistance.fit(np.zeros((2, 2)), SCHEMA)
