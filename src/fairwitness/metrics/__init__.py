"""Group metrics: how often each group is accepted, and how often rightly and wrongly so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.metrics.counts import Counts as Counts
    from fairwitness.metrics.counts import Rate as Rate
    from fairwitness.metrics.counts import count_decisions as count_decisions
    from fairwitness.metrics.functions import (
        average_absolute_odds_difference as average_absolute_odds_difference,
    )
    from fairwitness.metrics.functions import average_odds_difference as average_odds_difference
    from fairwitness.metrics.functions import disparate_impact_ratio as disparate_impact_ratio
    from fairwitness.metrics.functions import equal_opportunity_difference as equal_opportunity_difference
    from fairwitness.metrics.functions import false_positive_rate as false_positive_rate
    from fairwitness.metrics.functions import selection_rate as selection_rate
    from fairwitness.metrics.functions import statistical_parity_difference as statistical_parity_difference
    from fairwitness.metrics.functions import true_positive_rate as true_positive_rate
    from fairwitness.metrics.group import group_rates as group_rates
    from fairwitness.metrics.results import Comparison as Comparison
    from fairwitness.metrics.results import GroupRate as GroupRate
    from fairwitness.metrics.results import GroupRates as GroupRates

_NAMES = {
    "Comparison": "results",
    "Counts": "counts",
    "GroupRate": "results",
    "GroupRates": "results",
    "Rate": "counts",
    "average_absolute_odds_difference": "functions",
    "average_odds_difference": "functions",
    "count_decisions": "counts",
    "disparate_impact_ratio": "functions",
    "equal_opportunity_difference": "functions",
    "false_positive_rate": "functions",
    "group_rates": "group",
    "selection_rate": "functions",
    "statistical_parity_difference": "functions",
    "true_positive_rate": "functions",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
