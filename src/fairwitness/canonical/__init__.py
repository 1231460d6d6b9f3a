"""Canonical sets: what rows look like that a model is sure to accept, and rows that it is sure to reject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.canonical.base import CanonicalSampler as CanonicalSampler
    from fairwitness.canonical.base import CanonicalSet as CanonicalSet
    from fairwitness.canonical.bootstrap import BootstrapSampler as BootstrapSampler
    from fairwitness.canonical.combined import Intersection as Intersection
    from fairwitness.canonical.combined import intersections as intersections
    from fairwitness.canonical.contrast_results import Contrast as Contrast
    from fairwitness.canonical.contrast_results import FeatureContrast as FeatureContrast
    from fairwitness.canonical.contrast_results import LevelShare as LevelShare
    from fairwitness.canonical.contrasting import contrast as contrast
    from fairwitness.canonical.criteria import CRITERIA as CRITERIA
    from fairwitness.canonical.criteria import Criterion as Criterion
    from fairwitness.canonical.gan.engine import LucidGAN as LucidGAN
    from fairwitness.canonical.gate import CanonicalGate as CanonicalGate
    from fairwitness.canonical.gate_report import GateMeasure as GateMeasure
    from fairwitness.canonical.gate_report import GateReport as GateReport
    from fairwitness.canonical.lucid import Lucid as Lucid
    from fairwitness.canonical.lucid_set import LucidSet as LucidSet
    from fairwitness.canonical.lucid_set import LucidShare as LucidShare
    from fairwitness.canonical.lucid_set import LucidShift as LucidShift
    from fairwitness.canonical.occurring import Together as Together
    from fairwitness.canonical.occurring import together as together
    from fairwitness.canonical.proxy import DirectVsProxy as DirectVsProxy
    from fairwitness.canonical.proxy import direct_vs_proxy as direct_vs_proxy
    from fairwitness.canonical.rates import OutputRates as OutputRates
    from fairwitness.canonical.rates import output_rates as output_rates
    from fairwitness.canonical.request import Request as Request
    from fairwitness.canonical.rows import Rows as Rows
    from fairwitness.canonical.spread import SeedSpread as SeedSpread
    from fairwitness.canonical.spread import over_seeds as over_seeds
    from fairwitness.canonical.tree import TreeCanonicalSampler as TreeCanonicalSampler

_NAMES = {
    "BootstrapSampler": "bootstrap",
    "CRITERIA": "criteria",
    "CanonicalGate": "gate",
    "CanonicalSampler": "base",
    "CanonicalSet": "base",
    "Contrast": "contrast_results",
    "Criterion": "criteria",
    "DirectVsProxy": "proxy",
    "FeatureContrast": "contrast_results",
    "GateMeasure": "gate_report",
    "GateReport": "gate_report",
    "Intersection": "combined",
    "LevelShare": "contrast_results",
    "Lucid": "lucid",
    "LucidGAN": "gan.engine",
    "LucidSet": "lucid_set",
    "LucidShare": "lucid_set",
    "LucidShift": "lucid_set",
    "OutputRates": "rates",
    "Request": "request",
    "Rows": "rows",
    "SeedSpread": "spread",
    "Together": "occurring",
    "TreeCanonicalSampler": "tree",
    "contrast": "contrasting",
    "direct_vs_proxy": "proxy",
    "intersections": "combined",
    "output_rates": "rates",
    "over_seeds": "spread",
    "together": "occurring",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
