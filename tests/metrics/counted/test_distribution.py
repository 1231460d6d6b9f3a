"""Distances between groups against SciPy and double loops, and the paper's own versions."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wasserstein_distance as scipy_w1
from tests.oracle.metrics_by_hand import mmd2

from fairwitness.errors import ConfigError, DataError, FairwitnessWarning
from fairwitness.metrics import (
    group_distances,
    measure,
    mmd,
    mmd_test,
    paper_mmd,
    paper_wasserstein,
    wasserstein_distance,
)
from fairwitness.table.groups import Groups


@pytest.mark.parametrize("seed", range(8))
def test_wasserstein_is_scipys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    g, s, w = rng.choice(["a", "b", "c"], 120), np.round(rng.normal(size=120), seed % 3), rng.random(120)
    weight = w if seed % 2 else None
    found = group_distances(s, sensitive_features=g, sample_weight=weight)
    for i, a in enumerate("abc"):
        for j, b in enumerate("abc"):
            expected = scipy_w1(s[g == a], s[g == b], *(() if weight is None else (w[g == a], w[g == b])))
            assert found.between[i, j] == pytest.approx(expected, abs=1e-12)
        whole = scipy_w1(s[g == a], s, *(() if weight is None else (w[g == a], w)))
        assert found.from_whole[i] == pytest.approx(whole, abs=1e-12)
    assert wasserstein_distance(s, sensitive_features=g, sample_weight=weight) == found.between.max()
    mean = sum(share * each for share, each in zip(found.share, found.from_whole, strict=True))
    assert wasserstein_distance(
        s, sensitive_features=g, sample_weight=weight, aggregate="whole"
    ) == pytest.approx(mean)


@pytest.mark.parametrize("seed", range(4))
def test_mmd_is_the_double_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    g, s = np.repeat(["a", "b"], [25, 35]), rng.normal(size=60)
    sigma = float(np.median(np.abs(s[:, None] - s)[np.triu_indices(60, 1)]))
    x, y = s[:25].tolist(), s[25:].tolist()
    found = group_distances(s, sensitive_features=g, distance="mmd")
    assert found.bandwidth == pytest.approx(sigma)
    assert mmd(s, sensitive_features=g) == pytest.approx(math.sqrt(mmd2(x, y, sigma)), abs=1e-9)
    unbiased = mmd_test(s, sensitive_features=g)
    assert unbiased.estimate == pytest.approx(mmd2(x, y, sigma, unbiased=True), abs=1e-10)
    assert unbiased.p_value is not None
    assert 0 < unbiased.p_value <= 1
    assert mmd(s, sensitive_features=g, bandwidth=0.3) == pytest.approx(math.sqrt(mmd2(x, y, 0.3)), abs=1e-9)


def test_the_papers_versions_sum_over_features() -> None:
    rng = np.random.default_rng(1)
    s = rng.normal(size=40)
    frame = pd.DataFrame({"race": np.repeat(["w", "b"], 20), "sex": np.tile(["f", "m"], 20)})
    half_mmd = half_w2 = 0.0
    for column in frame:
        values = [s[(frame[column] == level).to_numpy()] for level in frame[column].unique()]
        half_mmd += mmd2(values[0].tolist(), values[1].tolist(), 0.5) / 2
        half_w2 += float(np.mean((np.sort(values[0]) - np.sort(values[1])) ** 2)) / 2
    assert paper_mmd(s, sensitive_features=frame) == pytest.approx(half_mmd, abs=1e-10)
    assert paper_wasserstein(s, sensitive_features=frame) == pytest.approx(half_w2, abs=1e-12)
    assert paper_mmd(s, sensitive_features=dict(frame.items())) == pytest.approx(half_mmd, abs=1e-10)


def test_decisions_by_hand() -> None:
    p, g = ["y", "y", "n", "y", "n", "n"], list("aaabbb")
    variation = group_distances(p, sensitive_features=g, distance="total_variation")
    assert variation.max == pytest.approx(1 / 3)
    js = group_distances(p, sensitive_features=g, distance="jensen_shannon")
    assert js.max == pytest.approx(1 - (1 / 3 * math.log2(3) + 2 / 3 * math.log2(1.5)))
    assert js.to_frame().loc["a", "a"] == 0
    assert js.to_dict()["bandwidth"] is None


def test_nothing_to_compare_and_what_makes_no_sense() -> None:
    s = [0.1, 0.2, 0.3]
    assert wasserstein_distance([1.0, 1.0, 1.0], sensitive_features=list("aab")) == 0.0
    assert mmd([1.0, 1.0, 1.0], sensitive_features=list("aab")) == 0.0
    empty = Groups("g", ("a", "b"), np.zeros(3, dtype=np.int64), 0)
    with pytest.warns(FairwitnessWarning, match="b has no rows"):
        assert math.isnan(wasserstein_distance(s, sensitive_features=empty))
    assert mmd_test(s, sensitive_features=list("aab")).reason == "a group has fewer than two rows"
    with pytest.raises(DataError, match="missing or infinite"):
        wasserstein_distance([0.1, np.nan, 0.2], sensitive_features=list("aab"))
    with pytest.raises(ConfigError, match="unknown distance"):
        group_distances(s, sensitive_features=list("aab"), distance="far")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="aggregate"):
        wasserstein_distance(s, sensitive_features=list("aab"), aggregate="mean")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="bandwidth"):
        mmd(s, sensitive_features=list("aab"), bandwidth=0)


def test_measured_distances_are_the_functions() -> None:
    rng = np.random.default_rng(2)
    n = 500
    g, y = rng.choice(["a", "b", "c"], n), rng.integers(0, 2, n)
    s = np.clip(rng.random(n) * np.where(g == "a", 1.0, 0.8), 0, 1)
    w = rng.random(n) + 0.5
    for weight in (None, w):
        found = measure(
            y, y_score=s, sensitive_features=g, metrics="distribution", privileged="a", sample_weight=weight
        )
        feature = "sensitive feature"
        for kind, name in (("wasserstein", "wasserstein_distance"), ("mmd", "mmd")):
            table = group_distances(s, sensitive_features=g, distance=kind, sample_weight=weight)  # type: ignore[arg-type]
            for label, at in (("b", 1), ("c", 2)):
                value = found.value(name, group=label)
                assert value.estimate == pytest.approx(table.between[0, at])
                assert value.low <= value.estimate <= value.high
                assert 0 < value.p < 0.05
            assert found.value(f"{name}_max", feature=feature).estimate == pytest.approx(table.max)
            whole = found.value(f"{name}_to_whole", feature=feature)
            assert whole.estimate == pytest.approx(table.to_whole)
            assert whole.low <= whole.estimate <= whole.high
        unbiased = group_distances(s, sensitive_features=g, distance="mmd2_unbiased", sample_weight=weight)
        assert found.value("mmd2_unbiased", group="b").estimate == pytest.approx(unbiased.between[0, 1])
        marked = group_distances(
            s >= 0.5, sensitive_features=g, distance="total_variation", sample_weight=weight
        )
        assert found.value("total_variation", group="c").estimate == pytest.approx(marked.between[0, 2])


def test_equal_distributions_are_rarely_told_apart() -> None:
    rng = np.random.default_rng(3)
    wrong = {"wasserstein_distance": 0, "mmd": 0, "total_variation": 0}
    for _ in range(60):
        g, s = rng.choice(["a", "b"], 80), rng.random(80)
        found = measure(y_score=s, sensitive_features=g, metrics=list(wrong), n_resamples=200, random_state=1)
        for name in wrong:
            wrong[name] += found[name][0].p < 0.05
    assert all(count <= 9 for count in wrong.values()), wrong  # 5 % of 60 is 3; above 9 has p = .002


def test_many_labels_need_no_table_of_pairs() -> None:
    labels = [f"n{row}" for row in range(3000)]
    found = group_distances(labels, sensitive_features=["a", "b"] * 1500, distance="total_variation")
    assert found.between[0, 1] == pytest.approx(1.0)
    with pytest.raises(DataError, match="differ in their number of rows"):
        group_distances(
            labels,
            sensitive_features=Groups("g", ("a", "b"), np.array([0, 1]), 0),
            distance="total_variation",
        )
