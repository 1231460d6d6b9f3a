"""Sums over the rows of each group."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.typing import FloatArray, IntArray


def group_sums(values: ArrayLike | None, codes: IntArray, n_groups: int) -> FloatArray:
    """Give (G,) sums of (n,) values (``None`` counts rows); rows of code −1 count nowhere."""
    weight = None if values is None else np.asarray(values, dtype=np.float64)
    return np.bincount(codes + 1, weight, minlength=n_groups + 1)[1:].astype(np.float64)
