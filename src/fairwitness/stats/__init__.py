"""Resampling, intervals and significance, shared by the methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.stats.intervals import Estimate as Estimate
    from fairwitness.stats.intervals import combine_difference as combine_difference
    from fairwitness.stats.intervals import newcombe_difference as newcombe_difference
    from fairwitness.stats.intervals import percentile as percentile
    from fairwitness.stats.intervals import wilson as wilson
    from fairwitness.stats.resample import bootstrap_means as bootstrap_means
    from fairwitness.stats.resample import jackknife_variance as jackknife_variance
    from fairwitness.stats.resample import permutation_p as permutation_p
    from fairwitness.stats.resample import resample_counts as resample_counts
    from fairwitness.stats.significance import benjamini_hochberg as benjamini_hochberg
    from fairwitness.stats.significance import holm as holm

_NAMES = {
    "Estimate": "intervals",
    "benjamini_hochberg": "significance",
    "bootstrap_means": "resample",
    "combine_difference": "intervals",
    "holm": "significance",
    "jackknife_variance": "resample",
    "newcombe_difference": "intervals",
    "percentile": "intervals",
    "permutation_p": "resample",
    "resample_counts": "resample",
    "wilson": "intervals",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
