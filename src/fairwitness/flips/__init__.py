"""Counterfactual flips: what rejected people would have to look like to be accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.flips.compare import OpportunityComparison as OpportunityComparison
    from fairwitness.flips.compare import compare_opportunities as compare_opportunities
    from fairwitness.flips.estimates import MeasureCurve as MeasureCurve
    from fairwitness.flips.evaluate import opportunity_from as opportunity_from
    from fairwitness.flips.measures import Convention as Convention
    from fairwitness.flips.measures import Shortfall as Shortfall
    from fairwitness.flips.measures import cflips as cflips
    from fairwitness.flips.measures import cflips_curve as cflips_curve
    from fairwitness.flips.measures import ndccf as ndccf
    from fairwitness.flips.measures import ndccf_curve as ndccf_curve
    from fairwitness.flips.opportunity import fair_opportunity as fair_opportunity
    from fairwitness.flips.proxies import proxy_correlations as proxy_correlations
    from fairwitness.flips.proxies import proxy_features as proxy_features
    from fairwitness.flips.proxy_results import ProxyFeature as ProxyFeature
    from fairwitness.flips.proxy_results import ProxyResult as ProxyResult
    from fairwitness.flips.results import GroupDifference as GroupDifference
    from fairwitness.flips.results import GroupOpportunity as GroupOpportunity
    from fairwitness.flips.results import OpportunityResult as OpportunityResult

_NAMES = {
    "Convention": "measures",
    "GroupDifference": "results",
    "GroupOpportunity": "results",
    "MeasureCurve": "estimates",
    "OpportunityComparison": "compare",
    "OpportunityResult": "results",
    "ProxyFeature": "proxy_results",
    "ProxyResult": "proxy_results",
    "Shortfall": "measures",
    "cflips": "measures",
    "cflips_curve": "measures",
    "compare_opportunities": "compare",
    "fair_opportunity": "opportunity",
    "ndccf": "measures",
    "ndccf_curve": "measures",
    "opportunity_from": "evaluate",
    "proxy_correlations": "proxies",
    "proxy_features": "proxies",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
