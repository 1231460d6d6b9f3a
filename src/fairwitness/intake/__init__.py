"""From what the user has (model, table, sensitive features) to the case that the methods read."""

from __future__ import annotations

from fairwitness._lazy import attach

_NAMES = {"prepare_case": "prepare", "repeated_groups": "checks", "Repeat": "checks"}
__getattr__, __dir__ = attach(__name__, _NAMES)
