"""All distances between distributions in one place; each lives in a module of its own idea."""

from __future__ import annotations

from fairwitness.stats.bandwidth import median_bandwidth
from fairwitness.stats.characteristic import CharacteristicSums, mmd_squared
from fairwitness.stats.divergences import jensen_shannon, total_variation
from fairwitness.stats.sketch import HistogramSketch
from fairwitness.stats.wasserstein import wasserstein_1, wasserstein_2_squared, wasserstein_matrix

__all__ = [
    "CharacteristicSums",
    "HistogramSketch",
    "jensen_shannon",
    "median_bandwidth",
    "mmd_squared",
    "total_variation",
    "wasserstein_1",
    "wasserstein_2_squared",
    "wasserstein_matrix",
]
