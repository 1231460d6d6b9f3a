"""Counterfactual flips: what rejected people would have to look like to be accepted."""

from __future__ import annotations

from fairwitness._lazy import attach

_NAMES = {
    "Convention": "measures",
    "Shortfall": "measures",
    "cflips": "measures",
    "cflips_curve": "measures",
    "ndccf": "measures",
    "ndccf_curve": "measures",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
