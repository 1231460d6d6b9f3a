"""Canonical sets: what rows look like that a model is sure to accept, and rows that it is sure to reject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.canonical.base import CanonicalSampler as CanonicalSampler
    from fairwitness.canonical.base import CanonicalSet as CanonicalSet
    from fairwitness.canonical.bootstrap import BootstrapSampler as BootstrapSampler
    from fairwitness.canonical.tree import TreeCanonicalSampler as TreeCanonicalSampler

_NAMES = {
    "BootstrapSampler": "bootstrap",
    "CanonicalSampler": "base",
    "CanonicalSet": "base",
    "TreeCanonicalSampler": "tree",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
