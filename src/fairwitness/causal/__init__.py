"""Causal bounds: what a graph and a table say about the effect of a sensitive feature along chosen paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.causal.bounds import Certificate as Certificate
    from fairwitness.causal.bounds import EffectBounds as EffectBounds
    from fairwitness.causal.bounds import effect_bounds as effect_bounds
    from fairwitness.causal.distribution import Distribution as Distribution
    from fairwitness.causal.graph import CausalGraph as CausalGraph
    from fairwitness.causal.nested import NestedCounterfactual as NestedCounterfactual
    from fairwitness.causal.paths import PathSet as PathSet
    from fairwitness.causal.paths import path_set as path_set
    from fairwitness.causal.paths import through as through
    from fairwitness.causal.solve import Limits as Limits

_NAMES = {
    "CausalGraph": "graph",
    "Certificate": "bounds",
    "Distribution": "distribution",
    "EffectBounds": "bounds",
    "Limits": "solve",
    "NestedCounterfactual": "nested",
    "PathSet": "paths",
    "effect_bounds": "bounds",
    "path_set": "paths",
    "through": "paths",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
