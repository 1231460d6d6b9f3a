"""Shares, their ratios and their intervals: the small arithmetic of the comparisons."""

from __future__ import annotations

import math

from scipy.special import ndtri


def ratio_interval(
    first: float, n_first: int, second: float, n_second: int, confidence: float
) -> tuple[float, float, float]:
    """Give the ratio of two shares with its interval (on the logarithm; half a row is added to each count).

    Parameters
    ----------
    first, second
        The shares, in [0, 1].
    n_first, n_second
        Independent rows behind them: real ones, however many were made.

    Returns
    -------
    ratio, low, high
        1 is no difference; NaN where a side has no rows, or neither has the level.

    References
    ----------
    D. Katz, J. Baptista, S. P. Azen & M. C. Pike (1978), Obtaining confidence intervals for the risk ratio
    in cohort studies.
    """
    if not n_first or not n_second or first + second == 0:
        return math.nan, math.nan, math.nan
    hits = (float(first) * n_first + 0.5, float(second) * n_second + 0.5)
    sizes = (n_first + 0.5, n_second + 0.5)
    ratio = (hits[0] / sizes[0]) / (hits[1] / sizes[1])
    error = math.sqrt(max(sum(1 / hit - 1 / size for hit, size in zip(hits, sizes, strict=True)), 0.0))
    half = float(ndtri(0.5 + confidence / 2)) * error
    return ratio, ratio * math.exp(-half), ratio * math.exp(half)
