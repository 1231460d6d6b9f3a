"""LUCID-GAN: a conditional generator of rows, trained against a critic. Needs torch (extra ``gan``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.canonical.gan.engine import LucidGAN as LucidGAN

_NAMES = {"LucidGAN": "engine"}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
