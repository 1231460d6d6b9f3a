"""Counterfactuals: the changed rows that a model accepts, for every row it rejects.

Fit a generator once on the table and the model, then ask for many rows at once; what comes out is a
:class:`CounterfactualSet`, whatever the generator.
"""

from __future__ import annotations

from fairwitness._lazy import attach

_NAMES = {
    "CounterfactualGenerator": "base",
    "CounterfactualSet": "base",
    "NeighborGenerator": "neighbors",
    "PrecomputedGenerator": "precomputed",
    "STATUSES": "base",
    "Status": "base",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
