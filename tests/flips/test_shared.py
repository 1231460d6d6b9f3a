from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.flips import cflips, ndccf
from fairwitness.flips.shared import distinct_counterfactuals, influence


def test_rows_of_the_table_are_one_counterfactual_and_new_rows_one_each(set_of) -> None:
    table = pd.DataFrame({"x": [1.0, 2, 3, 4]})
    new = pd.DataFrame({"x": [9.0]})
    pairs = set_of(
        table, table.iloc[:2], [pd.concat([table.iloc[2:4], new]), pd.concat([table.iloc[3:], new])]
    )
    number = distinct_counterfactuals(pairs)
    assert number[1] == number[3]
    assert len(set(number.tolist())) == 4
    assert number.min() == 0
    assert number.max() == 3


@pytest.mark.parametrize("measure", ["cflips", "ndccf"])
def test_influence_is_the_derivative_of_the_mean(measure: str) -> None:
    rng = np.random.default_rng(2)
    flips = rng.integers(0, 2, size=(6, 5)).astype(float)
    flips[2, 3:] = np.nan
    flips[4] = np.nan
    numbers = np.where(np.isnan(flips), np.nan, rng.integers(0, 7, size=(6, 5)))
    ks = np.array([1, 3, 5])
    weights = np.ones(5) if measure == "cflips" else 1 / np.log2(np.arange(2, 7))
    values = cflips(flips, ks) if measure == "cflips" else 1 - ndccf(flips, ks)

    def mean(counts: np.ndarray, k: int) -> float:
        """The group mean where counterfactual j counts ``counts[j]`` times."""
        out = []
        for person in range(6):
            there = ~np.isnan(flips[person, :k])
            if there.any():
                w = weights[:k][there] * counts[numbers[person, :k][there].astype(int)]
                out.append((w * flips[person, :k][there]).sum() / w.sum())
        return float(np.mean(out))

    found = influence(flips, numbers, ~np.isnan(values), weights=weights, ks=ks, n_distinct=7)
    for at, k in enumerate(ks.tolist()):
        assert mean(np.ones(7), k) == pytest.approx(np.nanmean(values[:, at]))
        for j in range(7):
            step = np.ones(7)
            step[j] += 1e-6
            slope = (mean(step, k) - mean(np.ones(7), k)) / 1e-6
            assert found.joint[j, at] == pytest.approx(slope, abs=1e-5)


def test_nothing_shared_adds_nothing_and_sharing_adds() -> None:
    flips = np.array([[1.0, 0], [0, 1], [1, 1]])
    counted = np.ones((3, 1), bool)
    arguments = {"weights": np.ones(2), "ks": np.array([2]), "n_distinct": 6}
    alone = influence(flips, np.arange(6).reshape(3, 2), counted, **arguments)
    assert alone.spread() == pytest.approx([0.0])
    same = influence(np.array([[1.0, 0]] * 3), np.array([[0, 1]] * 3), counted, **arguments)
    assert same.spread() == pytest.approx([np.sqrt(2 * 0.25**2 - 6 * (0.25 / 3) ** 2)])
    # The same people against themselves: what moves both does not move the difference.
    assert same.spread(same) == pytest.approx([0.0])
