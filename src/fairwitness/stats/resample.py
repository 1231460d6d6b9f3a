"""Bootstrap and permutation over rows, vectorised: a resample is a row of counts, a mean is a product."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fairwitness.arguments import number_array, whole_number
from fairwitness.errors import DataError
from fairwitness.typing import FloatArray, IntArray

#: Numbers held at once while resampling (counts of one batch), about 16 MB.
_CELLS = 2_000_000


def resample_counts(
    n: int, *, rng: np.random.Generator, n_resamples: int = 2000, batch: int | None = None
) -> Iterator[FloatArray]:
    """Yield how often each of ``n`` rows was drawn in each bootstrap resample, a batch at a time.

    Parameters
    ----------
    n
        Number of rows; each resample draws ``n`` of them with replacement.
    rng
        Source of the draws. The same generator state gives the same counts for any ``batch``.
    n_resamples
        Number of resamples.
    batch
        Resamples an array; default as many as fit in about 16 MB.

    Yields
    ------
    (b, n) array of counts, each row summing to ``n``.
    """
    whole_number(n_resamples, "n_resamples", fix="pass for example n_resamples=2000")
    step = max(_CELLS // max(n, 1), 1) if batch is None else batch
    whole_number(step, "batch")
    for at in range(0, n_resamples, step):
        size = min(step, n_resamples - at)
        if n == 0:
            yield np.zeros((size, 0))
            continue
        drawn = rng.integers(0, n, size=(size, n))
        drawn += (np.arange(size) * n)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def bootstrap_means(
    values: FloatArray,
    codes: IntArray,
    n_groups: int,
    *,
    rng: np.random.Generator,
    n_resamples: int = 2000,
    batch: int | None = None,
) -> FloatArray:
    """Resample rows within each group and give the group means of every resample.

    Parameters
    ----------
    values
        (n, m) values of each row, one column a measure; NaN where a row has none, which leaves the row
        out of that column's mean.
    codes
        (n,) group of each row, 0 to ``n_groups - 1``; negative for rows to leave out.
    n_groups
        Number of groups.
    rng
        Source of the draws; groups draw one after the other, so they are independent.
    n_resamples, batch
        As in :func:`resample_counts`; the result does not depend on ``batch``.

    Returns
    -------
    (n_resamples, n_groups, m)
        Means; NaN for an empty group, and where a resample holds no row with a value.
    """
    codes = np.asarray(codes)
    table = _as_table(values, codes)
    whole_number(n_resamples, "n_resamples", fix="pass for example n_resamples=2000")
    means = np.full((n_resamples, n_groups, table.shape[1]), np.nan)
    for group in range(n_groups):
        rows = table[codes == group]
        if not len(rows):
            continue
        known = ~np.isnan(rows)
        complete = bool(known.all())
        filled = rows if complete else np.where(known, rows, 0.0)
        at = 0
        for counts in resample_counts(len(rows), rng=rng, n_resamples=n_resamples, batch=batch):
            with np.errstate(invalid="ignore"):
                weight = float(len(rows)) if complete else counts @ known.astype(np.float64)
                means[at : at + len(counts), group] = (counts @ filled) / weight
            at += len(counts)
    return means


def permutation_p(
    values: FloatArray,
    codes: IntArray,
    a: int,
    b: int,
    *,
    rng: np.random.Generator,
    n_permutations: int = 2000,
    disturbance: FloatArray | None = None,
) -> FloatArray:
    """Give the two-sided permutation p-value of the difference in means of two groups.

    The group labels of the rows in ``a`` and ``b`` are shuffled; p is the share of shuffles whose
    absolute difference is at least the observed one, counting the observed labelling itself:
    ``(1 + #) / (1 + n_permutations)``, so p is never 0.

    Parameters
    ----------
    values
        (n,) or (n, m); with m columns all share the same shuffles. NaN leaves the row out of its column.
    codes
        (n,) group of each row.
    a, b
        The two groups' codes.
    rng
        Source of the shuffles.
    n_permutations
        Number of shuffles.
    disturbance
        (n_permutations, m) of something else that moves the difference without moving its expectation:
        added to the shuffled differences, for rows that are not independent of each other.

    Returns
    -------
    () or (m,) array
        In (0, 1]; NaN where a group has no value.
    """
    whole_number(n_permutations, "n_permutations", fix="pass for example n_permutations=2000")
    codes = np.asarray(codes)
    table = _as_table(values, codes)
    chosen = (codes == a) | (codes == b)
    rows, first = table[chosen], codes[chosen] == a
    known = ~np.isnan(rows)
    filled = np.where(known, rows, 0.0)
    counted = known.astype(np.float64)

    def differences(label: np.ndarray) -> FloatArray:
        weight = label.astype(np.float64)
        in_a, sum_a = weight @ counted, weight @ filled
        in_b, sum_b = counted.sum(axis=0) - in_a, filled.sum(axis=0) - sum_a
        with np.errstate(invalid="ignore", divide="ignore"):
            # An empty group has no mean; what rounding leaves of its sum must not make one.
            return np.asarray(np.where((in_a > 0) & (in_b > 0), sum_a / in_a - sum_b / in_b, np.nan))

    observed = np.abs(differences(first[None])[0])
    # Equal differences come out a rounding error apart; counting them as smaller would make p too small.
    bar = observed - 1e-12 * np.maximum(observed, 1.0)
    reached = np.zeros(table.shape[1])
    step = max(_CELLS // max(len(rows), 1), 1)
    for at in range(0, n_permutations, step):
        size = min(step, n_permutations - at)
        label = rng.permuted(np.broadcast_to(first, (size, len(first))), axis=1)
        shuffled = differences(label)
        if disturbance is not None:
            shuffled = shuffled + disturbance[at : at + size]
        # A shuffle that leaves a group without a value says nothing against the null.
        reached += (~(np.abs(shuffled) < bar)).sum(axis=0)
    p = np.where(np.isnan(observed), np.nan, (1 + reached) / (1 + n_permutations))
    return p if np.ndim(values) == 2 else np.asarray(p[0])


def jackknife_variance(estimates: Sequence[FloatArray]) -> FloatArray:
    """Give the delete-a-group jackknife variance of an estimate.

    Parameters
    ----------
    estimates
        K arrays of one shape: the estimate without each part of the data, NaN where it could not be made.

    Returns
    -------
    array of that shape
        (K - 1) / K times the sum of squared deviations from the mean, over those that are known; 0 where
        fewer than two are.
    """
    if len(estimates) < 2:
        return np.zeros(np.shape(estimates[0]) if estimates else ())
    table = np.stack(estimates)
    known = np.isfinite(table)
    count = np.maximum(known.sum(axis=0), 1)
    centre = np.where(known, table, 0.0).sum(axis=0) / count
    squares = np.where(known, table - centre, 0.0) ** 2
    return np.asarray((count - 1) / count * squares.sum(axis=0))


def _as_table(values: FloatArray, codes: IntArray) -> FloatArray:
    table = number_array(values, "values", fix="pass one number a row and measure")
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or len(table) != len(codes):
        raise DataError(
            "values and codes must have one entry a row",
            got=f"values of shape {np.shape(values)} and {len(codes)} codes",
            fix="pass values (n,) or (n, m) and codes (n,)",
        )
    return table
