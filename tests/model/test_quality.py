from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    confusion_matrix,
    precision_recall_fscore_support,
    roc_auc_score,
)

from fairwitness.model.quality import classifier_quality, macro_auc


def example(groups: int, n: int = 400, signal: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, groups, n)
    codes[:groups] = np.arange(groups)
    raw = rng.normal(size=(n, groups)).round(1)  # rounding makes ties
    raw[np.arange(n), codes] += signal
    proba = np.exp(raw)
    return codes, proba / proba.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("groups", [2, 3, 5])
def test_counts_and_rates_agree_with_scikit_learn(groups: int) -> None:
    codes, proba = example(groups)
    labels = tuple("abcde"[:groups])
    quality = classifier_quality(codes, proba, labels)
    inferred = proba.argmax(axis=1)
    precision, recall, f1, n = precision_recall_fscore_support(codes, inferred)
    assert np.array_equal(quality.confusion, confusion_matrix(codes, inferred))
    assert np.allclose(quality.precision, precision)
    assert np.allclose(quality.recall, recall)
    assert np.allclose(quality.f1, f1)
    assert quality.n.tolist() == n.tolist()
    assert quality.balanced_accuracy.estimate == pytest.approx(balanced_accuracy_score(codes, inferred))
    expected = (
        roc_auc_score(codes, proba[:, 1]) if groups == 2 else roc_auc_score(codes, proba, multi_class="ovr")
    )
    assert quality.auc.estimate == pytest.approx(expected)


@pytest.mark.parametrize("groups", [2, 3])
def test_the_auc_interval_is_as_wide_as_a_bootstrap_says(groups: int) -> None:
    codes, proba = example(groups, n=300)
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(400):
        rows = rng.integers(0, len(codes), len(codes))
        drawn.append(macro_auc(codes[rows], proba[rows]).estimate)
    low, high = np.quantile(drawn, [0.025, 0.975])
    found = macro_auc(codes, proba)
    assert found.low == pytest.approx(low, abs=0.015)
    assert found.high == pytest.approx(high, abs=0.015)


def test_the_interval_of_the_balanced_accuracy_covers_what_it_should() -> None:
    truth = classifier_quality(*example(2, n=200_000), ("a", "b")).balanced_accuracy.estimate
    covered = 0
    for seed in range(200):
        codes, proba = example(2, n=150, seed=seed + 10)
        found = classifier_quality(codes, proba, ("a", "b"), n_resamples=500).balanced_accuracy
        covered += found.low <= truth <= found.high
    assert covered >= 180


def test_the_gate() -> None:
    codes, proba = example(2, signal=0.0)
    nothing = classifier_quality(codes, proba, ("a", "b"))
    assert not nothing.better_than_chance
    assert "not shown to tell the groups apart" in nothing.note
    codes, proba = example(2, signal=2.0)
    assert classifier_quality(codes, proba, ("a", "b")).better_than_chance


def test_small_groups_are_said() -> None:
    codes = np.array([0] * 100 + [1] * 100 + [2] * 5)
    proba = np.eye(3)[codes] * 0.8 + 0.2 / 3
    assert "1 of 3 groups have fewer than 30 rows" in classifier_quality(codes, proba, ("a", "b", "c")).note


def test_a_group_never_inferred_has_no_precision() -> None:
    codes = np.array([0, 0, 0, 1])
    quality = classifier_quality(codes, np.tile([0.9, 0.1], (4, 1)), ("a", "b"))
    assert np.isnan(quality.precision[1])
    assert quality.recall.tolist() == [1.0, 0.0]
    document = quality.to_dict()
    assert document["per_group"][1]["precision"] is None
    json.dumps(document, allow_nan=False)


def test_perfect_ranking_has_a_closed_interval() -> None:
    codes = np.array([0] * 10 + [1] * 10)
    assert macro_auc(codes, np.eye(2)[codes]).low == 1.0


def test_the_same_seed_gives_the_same_interval() -> None:
    codes, proba = example(3)
    first, again, other = (classifier_quality(codes, proba, ("a", "b", "c"), seed=seed) for seed in (1, 1, 2))
    assert first.balanced_accuracy == again.balanced_accuracy
    assert first.balanced_accuracy != other.balanced_accuracy
