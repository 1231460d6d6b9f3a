from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from fairwitness.model import CrossFitted
from fairwitness.model.folds import assign_folds
from fairwitness.table import row_keys

rows = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from(["a", "b", None]), st.integers(0, 2)),
    min_size=8,
    max_size=60,
)


@settings(max_examples=100, deadline=None)
@given(rows, st.integers(2, 5), st.integers(0, 3), st.randoms(use_true_random=False))
def test_folds_follow_content_not_position(data: list, n_folds: int, seed: int, random: object) -> None:
    frame = pd.DataFrame([row[:2] for row in data], columns=["x", "y"])
    codes = np.array([row[2] for row in data])
    keys = row_keys(frame)
    assume(len(set(keys)) >= n_folds)
    folds = assign_folds(keys, codes, n_folds=n_folds, seed=seed)
    order = list(range(len(data)))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = frame.iloc[order].reset_index(drop=True)[["y", "x"]]
    again = assign_folds(row_keys(shuffled), codes[order], n_folds=n_folds, seed=seed)
    assert np.array_equal(folds[order], again)
    by_content: dict[str, set[int]] = {}
    for key, fold in zip(keys, folds, strict=True):
        by_content.setdefault(key, set()).add(int(fold))
    assert all(len(each) == 1 for each in by_content.values())
    assert set(folds) == set(range(n_folds))


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(40)), st.integers(0, 2))
def test_a_shuffled_table_gives_the_same_probabilities(order: list[int], seed: int) -> None:
    frame = pd.DataFrame({"x": np.arange(40) % 33, "y": np.arange(40) % 5})
    y = (np.arange(40) % 33 % 2).astype(int)
    model = CrossFitted(DecisionTreeClassifier(max_features=1), cv=3, random_state=seed)
    first = model.fit(frame, y).held_out_proba(frame)
    again = model.fit(frame.iloc[order], y[order]).held_out_proba(frame)
    assert np.array_equal(first, again)
