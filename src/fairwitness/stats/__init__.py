"""Resampling, intervals and significance, shared by the methods."""

from __future__ import annotations

from fairwitness._lazy import attach

_NAMES = {
    "Estimate": "intervals",
    "benjamini_hochberg": "significance",
    "bootstrap_means": "resample",
    "holm": "significance",
    "newcombe_difference": "intervals",
    "percentile": "intervals",
    "permutation_p": "resample",
    "resample_counts": "resample",
    "wilson": "intervals",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
