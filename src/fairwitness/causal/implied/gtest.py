"""The G-test of conditional independence, with p-values that hold in sparse tables too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairwitness.rng import child
from fairwitness.typing import FloatArray, IntArray

#: Expected rows in a cell from which the large-sample distribution is good enough.
_ENOUGH = 5

#: Random tables from which the mean and variance of G are estimated, where they are not computed.
_DRAWS = 1000


class Dependence(NamedTuple):
    """How far x and y are from independent, given z.

    Attributes
    ----------
    information
        Conditional mutual information in nats.
    deviation
        Total variation distance from the independent distribution with the same margins, in [0, 1].
    df
        Degrees of freedom over the rows and columns that occur.
    """

    information: float
    deviation: float
    df: int


def dependence(cells: FloatArray) -> Dependence:
    """Measure how far cells (x, y, z), which sum to 1, are from x and y being independent given z."""
    of_x, of_y, of_z = _margins(cells)
    independent = of_x * of_y / np.where(of_z > 0, of_z, 1)
    met = cells > 0
    information = float(np.sum(cells[met] * np.log(cells[met] / independent[met])))
    deviation = float(np.abs(cells - independent).sum() / 2)
    return Dependence(max(information, 0.0), deviation, int(_degrees(of_x, of_y).sum()))


def g_test(counts: FloatArray, seed: int = 0) -> tuple[float, float]:
    """Give G = 2 Σ n log(n / expected) of counts (x, y, z), and the p-value of x and y independent given z.

    Given the margins within each value of z, the distribution of G has the χ² mean and variance if every cell
    may expect 5 rows, and others if not: then they are those of all tables with these margins (Fisher's exact
    test looks at the same), exactly for two rows and two columns, from 1,000 random tables for others. Summed
    over z, a gamma distribution of that mean and variance gives the p-value; where all cells are well filled
    that is the χ² distribution itself.

    Parameters
    ----------
    counts
        (x, y, z) whole numbers.
    seed
        Of the random tables.
    """
    of_x, of_y, of_z = _margins(counts)
    expected = of_x * of_y / np.where(of_z > 0, of_z, 1)
    met = counts > 0
    statistic = max(float(2 * np.sum(counts[met] * np.log(counts[met] / expected[met]))), 0.0)
    df = _degrees(of_x, of_y)
    occurs = (of_x > 0) & (of_y > 0)
    sparse = (df > 0) & (np.where(occurs, expected, np.inf).min(axis=(0, 1)) < _ENOUGH)
    mean = float(df[~sparse].sum())
    variance = 2 * mean
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[float, float]] = {}
    for stratum in np.flatnonzero(sparse):
        rows, columns = _sorted(of_x[:, 0, stratum]), _sorted(of_y[0, :, stratum])
        if (rows, columns) not in known:
            known[rows, columns] = _moments(rows, columns, seed)
        mean += known[rows, columns][0]
        variance += known[rows, columns][1]
    if not variance > 0:
        return statistic, 1.0 if df.sum() else np.nan
    from scipy.special import gammaincc

    return statistic, float(gammaincc(mean * mean / variance, statistic * mean / variance))


def _margins(cells: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    of_x = cells.sum(axis=1, keepdims=True)
    return of_x, cells.sum(axis=0, keepdims=True), of_x.sum(axis=0, keepdims=True)


def _degrees(of_x: FloatArray, of_y: FloatArray) -> IntArray:
    rows, columns = (of_x > 0).sum(axis=(0, 1)), (of_y > 0).sum(axis=(0, 1))
    degrees: IntArray = np.maximum(rows - 1, 0) * np.maximum(columns - 1, 0)
    return degrees


def _sorted(margin: FloatArray) -> tuple[int, ...]:
    return tuple(sorted(round(amount) for amount in margin.tolist() if amount > 0))


def _moments(rows: tuple[int, ...], columns: tuple[int, ...], seed: int) -> tuple[float, float]:
    """Give mean and variance of G over all tables with these margins, weighted as independence does."""
    total = sum(rows)
    if len(rows) == len(columns) == 2:
        from scipy.stats import hypergeom

        low, high = max(0, rows[0] + columns[0] - total), min(rows[0], columns[0])
        first = np.arange(low, high + 1, dtype=np.float64)
        weights = hypergeom.pmf(first, total, rows[0], columns[0])
        tables = np.stack(
            [first, rows[0] - first, columns[0] - first, total - rows[0] - columns[0] + first], axis=1
        )
    else:
        from scipy.stats import random_table

        rng = child(seed, "tables with margins", *rows, "by", *columns)
        tables = random_table(rows, columns).rvs(_DRAWS, random_state=rng).reshape(_DRAWS, -1)
        weights = np.full(_DRAWS, 1 / _DRAWS)
    fixed = _entropy(np.array([rows])) + _entropy(np.array([columns])) - _entropy(np.array([[total]]))
    values = 2 * (_entropy(tables) - fixed)
    mean = float(weights @ values)
    return mean, float(weights @ (values - mean) ** 2)


def _entropy(counts: FloatArray | IntArray) -> FloatArray:
    """Give Σ n log n along the last axis."""
    summed: FloatArray = np.sum(counts * np.log(np.where(counts > 0, counts, 1)), axis=-1)
    return summed
