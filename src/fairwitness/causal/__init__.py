"""Causal bounds: what a graph and a table say about the effect of a sensitive feature along chosen paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.causal.graph import CausalGraph as CausalGraph

_NAMES = {
    "CausalGraph": "graph",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
