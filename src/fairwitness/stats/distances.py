"""All distances between distributions in one place; each lives in a module of its own idea."""

from __future__ import annotations

from fairwitness.stats.bandwidth import median_bandwidth
from fairwitness.stats.characteristic import CharacteristicSums, mmd_squared
from fairwitness.stats.divergences import jensen_shannon, total_variation
from fairwitness.stats.multivariate import mmd_squared_by_features, mmd_squared_in_blocks
from fairwitness.stats.permuted import mmd_permutation_p
from fairwitness.stats.sketch import HistogramSketch
from fairwitness.stats.wasserstein import wasserstein_1, wasserstein_2_squared, wasserstein_matrix

__all__ = [
    "CharacteristicSums",
    "HistogramSketch",
    "jensen_shannon",
    "median_bandwidth",
    "mmd_permutation_p",
    "mmd_squared",
    "mmd_squared_by_features",
    "mmd_squared_in_blocks",
    "total_variation",
    "wasserstein_1",
    "wasserstein_2_squared",
    "wasserstein_matrix",
]
