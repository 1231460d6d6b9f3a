"""How near two sets of rows are to each other: column by column, pair by pair, and to a classifier."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairwitness.canonical.bins import Bins
from fairwitness.canonical.rows import Rows
from fairwitness.rng import child, child_seed
from fairwitness.stats import total_variation, wasserstein_1, wilson
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Bins a column where pairs of columns are compared: beyond it the cells are mostly empty.
PAIR_BINS = 8
#: A pair of levels that independent columns would show this often, and that no row has, is impossible.
EXPECTED = 5.0
#: Rows of each side that a classifier is trained and tested on.
MOST_ROWS = 2000
#: Fewest rows of each side that a classifier can be tried on.
FEWEST_ROWS = 30
#: Folds in which it is trained and tested.
FOLDS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """What every bin, and every pair of bins, holds of a set of rows.

    Attributes
    ----------
    one
        (b,) shares of the bins of all columns, one column after the other.
    two
        (b', b') shares of the pairs of (fewer) bins.
    """

    one: FloatArray
    two: FloatArray


class Comparer:
    """Compares sets of rows with real ones, bin by bin.

    Parameters
    ----------
    rows
        The fitted rows, which say what the bins are.
    """

    def __init__(self, rows: Rows) -> None:
        self.fine = Bins.of(rows)
        self.coarse = Bins.of(rows, PAIR_BINS)
        self._ends = [np.cumsum([0, *bins.sizes]) for bins in (self.fine, self.coarse)]

    def shares(self, matrix: FloatArray, counts: FloatArray | None = None) -> Shares:
        """Give the shares of (n, d) rows, each counted ``counts`` times."""
        weight = np.ones(len(matrix)) if counts is None else counts
        one = self._dense(self.fine, matrix, self._ends[0])
        two = self._dense(self.coarse, matrix, self._ends[1])
        total = max(float(weight.sum()), 1e-300)
        return Shares(weight @ one / total, (two * weight[:, None]).T @ two / total)

    def columns(self, a: Shares, b: Shares) -> FloatArray:
        """Give the total variation of every column, as (d,)."""
        return np.array([total_variation(a.one[part], b.one[part]) for part in self._parts(0)])

    def pairs(self, a: Shares, b: Shares) -> FloatArray:
        """Give the total variation of every pair of columns, as (d (d - 1) / 2,)."""
        apart = np.abs(a.two - b.two)
        starts = self._ends[1][:-1]
        blocks = np.add.reduceat(np.add.reduceat(apart, starts, axis=0), starts, axis=1) / 2
        return np.asarray(blocks[np.triu_indices(len(blocks), 1)])

    def _parts(self, which: int) -> Iterator[slice]:
        ends = self._ends[which]
        return (slice(low, high) for low, high in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))

    @staticmethod
    def _dense(bins: Bins, matrix: FloatArray, ends: IntArray) -> FloatArray:
        codes = bins.codes(matrix) + ends[:-1]
        out = np.zeros((len(matrix), int(ends[-1])))
        out[np.arange(len(matrix))[:, None], codes] = 1.0
        return out


def floor(
    comparer: Comparer,
    real: FloatArray,
    reference: FloatArray,
    n: int,
    *,
    rng: np.random.Generator,
    n_resamples: int,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give what ``n`` rows drawn from ``real`` are from ``reference``: the least any engine can be.

    Returns
    -------
    columns, pairs, numbers
        (n_resamples, d) total variation of each column, (n_resamples,) mean of the pairs, and mean
        Wasserstein distance of the numeric columns.
    """
    target = comparer.shares(reference)
    one = comparer._dense(comparer.fine, real, comparer._ends[0])
    two = comparer._dense(comparer.coarse, real, comparer._ends[1])
    columns = np.empty((n_resamples, len(comparer._ends[0]) - 1))
    pairs, numbers = np.empty(n_resamples), np.empty(n_resamples)
    for at in range(n_resamples):
        drawn = rng.integers(0, len(real), n)
        picked = two[drawn]
        shares = Shares(one[drawn].mean(axis=0), picked.T @ picked / n)
        columns[at] = comparer.columns(shares, target)
        found = comparer.pairs(shares, target)
        pairs[at] = found.mean() if len(found) else math.nan
        numbers[at] = wasserstein(comparer.fine, real[drawn], reference)
    return columns, pairs, numbers


def wasserstein(bins: Bins, matrix: FloatArray, reference: FloatArray) -> float:
    """Give the mean Wasserstein-1 distance of the numeric columns, in standard deviations; NaN if none."""
    found = []
    for column, place in enumerate(bins.place):
        a, b = (each[~np.isnan(each[:, column]), column] for each in (matrix, reference))
        if len(place) or not len(a) or not len(b):
            continue
        spread = float(b.std())
        found.append(wasserstein_1(a, b) / spread if spread > 0 else float(a.max() != b.max()))
    return float(np.mean(found)) if found else math.nan


def detect(made: FloatArray, real: FloatArray, *, seed: int) -> tuple[float, float, float, int]:
    """Give how well a classifier tells made rows from real ones that it was not trained on.

    Gradient-boosted trees, in three folds, on as many rows of each: more made rows than real ones hold values
    again and again, by which they would be known.

    Returns
    -------
    auc, low, high, n
        Area under the ROC curve (.5: not at all), its 95 % interval (Hanley and McNeil), and the number of
        rows of the smaller side. NaN with fewer than 30 rows on a side, or of too few kinds.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
    from threadpoolctl import threadpool_limits

    least = min(len(made), len(real), MOST_ROWS)
    rng = child(seed, "detect")
    made, real = (each[np.sort(rng.permutation(len(each))[:least])] for each in (made, real))
    if least < FEWEST_ROWS:
        return math.nan, math.nan, math.nan, least
    both = np.vstack([made, real])
    label = np.repeat([1, 0], [len(made), len(real)])
    varied = ~np.all((both == both[0]) | (np.isnan(both) & np.isnan(both[0])), axis=0)
    if not varied.any():
        return 0.5, 0.5, 0.5, least
    learner = HistGradientBoostingClassifier(
        max_iter=60,
        max_leaf_nodes=15,
        min_samples_leaf=5,
        early_stopping=False,
        random_state=child_seed(seed, "learner"),
    )
    # A copy and its original in two folds would teach the opposite of what is asked: they stay together.
    place: dict[bytes, int] = {}
    same = [place.setdefault(key, len(place)) for key in _keys(both)]
    if len(place) < FOLDS:  # too few kinds of rows to keep one from the classifier: their shares say it all
        return math.nan, math.nan, math.nan, least
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=child_seed(seed, "folds"))
    split = list(folds.split(both, label, same))
    if any(len(np.unique(label[part])) < 2 for parts in split for part in parts):
        return math.nan, math.nan, math.nan, least  # one kind of row is most of a side
    with threadpool_limits(1, user_api="openmp"):  # so few rows: threads would wait for each other
        answers = cross_val_predict(learner, both[:, varied], label, cv=split, method="predict_proba")[:, 1]
    auc = float(roc_auc_score(label, answers))
    half = 1.959964 * _auc_error(auc, len(made), len(real))
    return auc, max(auc - half, 0.0), min(auc + half, 1.0), least


def _auc_error(auc: float, m: int, n: int) -> float:
    first, second = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    variance = auc * (1 - auc) + (m - 1) * (first - auc * auc) + (n - 1) * (second - auc * auc)
    return math.sqrt(max(variance, 0.0) / (m * n))


def copies(matrix: FloatArray, rows: FloatArray) -> BoolArray:
    """Say which rows of a matrix are, value for value, rows of another."""
    known = set(_keys(rows))
    return np.array([key in known for key in _keys(matrix)], dtype=np.bool_)


def twins(rows: FloatArray) -> float:
    """Give the share of rows that another row equals: copies that the table has by itself."""
    keys = _keys(rows)
    counts: dict[bytes, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return sum(count for count in counts.values() if count > 1) / max(len(keys), 1)


def _keys(matrix: FloatArray) -> list[bytes]:
    plain = np.ascontiguousarray(np.where(np.isnan(matrix), np.nan, matrix) + 0.0)
    return [row.tobytes() for row in plain]


def impossible(rows: Rows, matrix: FloatArray) -> BoolArray:
    """Say which rows hold a pair of levels that no fitted row has, though it should have been met.

    It should have been met if the two columns, independent, would show it at least five times.
    """
    coded = [column for column in range(len(rows.names)) if rows.is_coded(column)]
    found = np.zeros(len(matrix), dtype=np.bool_)
    known: dict[int, tuple[IntArray, FloatArray]] = {}
    for column in coded:
        size = len(rows.schema.features[column].levels)
        codes = np.where(np.isnan(rows.matrix[:, column]), size, rows.matrix[:, column]).astype(np.int64)
        known[column] = codes, np.bincount(codes, minlength=size + 1) / len(rows)
    for i, first in enumerate(coded):
        for second in coded[:i]:
            (a, share_a), (b, share_b) = known[first], known[second]
            expected = np.outer(share_a, share_b) * len(rows)
            if (expected >= EXPECTED).sum() == 0:
                continue
            met = np.zeros(expected.shape, dtype=np.bool_)
            met[a, b] = True
            odd = (expected >= EXPECTED) & ~met
            if odd.any():
                mine = [
                    np.where(np.isnan(matrix[:, j]), len(share) - 1, matrix[:, j]).astype(np.int64)
                    for j, share in ((first, share_a), (second, share_b))
                ]
                found |= odd[mine[0], mine[1]]
    return found


def share(flags: BoolArray) -> tuple[float, float, float]:
    """Give a share with its Wilson interval."""
    low, high = wilson(flags.sum(), len(flags))
    return float(flags.mean()), float(low), float(high)
