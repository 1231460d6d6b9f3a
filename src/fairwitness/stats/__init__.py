"""Resampling, intervals, significance and distances between distributions, shared by the methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.stats.bandwidth import median_bandwidth as median_bandwidth
    from fairwitness.stats.characteristic import CharacteristicSums as CharacteristicSums
    from fairwitness.stats.characteristic import mmd_squared as mmd_squared
    from fairwitness.stats.divergences import jensen_shannon as jensen_shannon
    from fairwitness.stats.divergences import total_variation as total_variation
    from fairwitness.stats.intervals import Estimate as Estimate
    from fairwitness.stats.intervals import combine_difference as combine_difference
    from fairwitness.stats.intervals import newcombe_difference as newcombe_difference
    from fairwitness.stats.intervals import percentile as percentile
    from fairwitness.stats.intervals import wilson as wilson
    from fairwitness.stats.multivariate import mmd_squared_by_features as mmd_squared_by_features
    from fairwitness.stats.multivariate import mmd_squared_in_blocks as mmd_squared_in_blocks
    from fairwitness.stats.permuted import mmd_permutation_p as mmd_permutation_p
    from fairwitness.stats.resample import bootstrap_means as bootstrap_means
    from fairwitness.stats.resample import jackknife_variance as jackknife_variance
    from fairwitness.stats.resample import permutation_p as permutation_p
    from fairwitness.stats.resample import resample_counts as resample_counts
    from fairwitness.stats.significance import benjamini_hochberg as benjamini_hochberg
    from fairwitness.stats.significance import holm as holm
    from fairwitness.stats.sketch import HistogramSketch as HistogramSketch
    from fairwitness.stats.wasserstein import wasserstein_1 as wasserstein_1
    from fairwitness.stats.wasserstein import wasserstein_2_squared as wasserstein_2_squared
    from fairwitness.stats.wasserstein import wasserstein_matrix as wasserstein_matrix

_NAMES = {
    "CharacteristicSums": "characteristic",
    "Estimate": "intervals",
    "HistogramSketch": "sketch",
    "benjamini_hochberg": "significance",
    "bootstrap_means": "resample",
    "combine_difference": "intervals",
    "holm": "significance",
    "jackknife_variance": "resample",
    "jensen_shannon": "divergences",
    "median_bandwidth": "bandwidth",
    "mmd_permutation_p": "permuted",
    "mmd_squared": "characteristic",
    "mmd_squared_by_features": "multivariate",
    "mmd_squared_in_blocks": "multivariate",
    "newcombe_difference": "intervals",
    "percentile": "intervals",
    "permutation_p": "resample",
    "resample_counts": "resample",
    "total_variation": "divergences",
    "wasserstein_1": "wasserstein",
    "wasserstein_2_squared": "wasserstein",
    "wasserstein_matrix": "wasserstein",
    "wilson": "intervals",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
