from __future__ import annotations

import numpy as np
import pytest

from fairwitness.errors import ConfigError, DataError
from fairwitness.model.folds import assign_folds


def keys_of(numbers: np.ndarray) -> np.ndarray:
    return np.array([f"{number:016x}" for number in numbers])


def test_equal_rows_share_a_fold_even_with_different_labels() -> None:
    keys = keys_of(np.array([1, 2, 3, 1, 2, 3, 4, 5]))
    codes = np.array([0, 0, 0, 1, 1, 0, 1, 1])
    folds = assign_folds(keys, codes, n_folds=2, seed=0)
    for key in np.unique(keys):
        assert len(set(folds[keys == key])) == 1


def test_classes_are_spread_evenly() -> None:
    codes = np.repeat([0, 1, 2], [101, 33, 7])
    folds = assign_folds(keys_of(np.arange(len(codes))), codes, n_folds=5, seed=3)
    for code in range(3):
        sizes = np.bincount(folds[codes == code], minlength=5)
        assert sizes.max() - sizes.min() <= 1
    sizes = np.bincount(folds, minlength=5)
    assert sizes.max() - sizes.min() <= 1


def test_heavy_duplicates_are_balanced() -> None:
    keys = keys_of(np.repeat(np.arange(8), [40, 40, 10, 10, 10, 10, 5, 5]))
    sizes = np.bincount(assign_folds(keys, np.zeros(130, dtype=np.int64), n_folds=2, seed=0))
    assert sizes.tolist() == [65, 65]


def test_the_seed_draws_the_folds() -> None:
    keys, codes = keys_of(np.arange(100)), np.arange(100) % 2
    first, again, other = (assign_folds(keys, codes, n_folds=5, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert (first != other).any()


def test_too_few_folds_or_rows() -> None:
    with pytest.raises(ConfigError, match="whole number of at least 2"):
        assign_folds(keys_of(np.arange(9)), np.arange(9) % 2, n_folds=1, seed=0)
    for strange in ("5", 2.5, True, None):
        with pytest.raises(ConfigError, match="number of folds must be a whole number"):
            assign_folds(keys_of(np.arange(9)), np.arange(9) % 2, n_folds=strange, seed=0)
    with pytest.raises(DataError, match="2 distinct rows, fewer than the 3 folds"):
        assign_folds(keys_of(np.arange(9) % 2), np.arange(9) % 2, n_folds=3, seed=0)
