"""CFlips and nDCCF written as the equations are, with two loops: what the fast code is compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence


def cflips(flips: Sequence[float], k: int, shortfall: str) -> float:
    found = [flip for flip in flips if not math.isnan(flip)]
    if not found or (shortfall == "drop" and len(found) < k):
        return math.nan
    counted = 0.0
    for flip in found[:k]:
        counted += flip
    return counted / (min(k, len(found)) if shortfall == "available" else k)


def ndccf(flips: Sequence[float], k: int, convention: str, shortfall: str) -> float:
    found = [flip for flip in flips if not math.isnan(flip)]
    n = len(found)
    if not found or (shortfall == "drop" and n < k):
        return math.nan
    last = min(k, n) if convention == "equations" else min(k, n - 1)
    gained = 0.0
    for rank in range(1, last + 1):
        gained += (2 ** (1 - found[rank - 1]) - 1) / math.log2(rank + 1)
    ideal = 0.0
    for rank in range(1, (min(k, n) if shortfall == "available" else k) + 1):
        ideal += (2**1 - 1) / math.log2(rank + 1)
    return gained / ideal
