"""Counterfactuals: the changed rows that a model accepts, for every row it rejects.

Fit a generator once on the table and the model, then ask for many rows at once; what comes out is a
:class:`CounterfactualSet`, whatever the generator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:
    from fairwitness.counterfactuals.base import CounterfactualGenerator as CounterfactualGenerator
    from fairwitness.counterfactuals.dice import DiceGenerator as DiceGenerator
    from fairwitness.counterfactuals.evaluate import evaluate_counterfactuals as evaluate_counterfactuals
    from fairwitness.counterfactuals.evaluation import QUALITIES as QUALITIES
    from fairwitness.counterfactuals.evaluation import CounterfactualEvaluation as CounterfactualEvaluation
    from fairwitness.counterfactuals.evaluation import SetQuality as SetQuality
    from fairwitness.counterfactuals.exact.generator import ExactGenerator as ExactGenerator
    from fairwitness.counterfactuals.genetic import GeneticGenerator as GeneticGenerator
    from fairwitness.counterfactuals.neighbors import NeighborGenerator as NeighborGenerator
    from fairwitness.counterfactuals.precomputed import PrecomputedGenerator as PrecomputedGenerator
    from fairwitness.counterfactuals.sets import STATUSES as STATUSES
    from fairwitness.counterfactuals.sets import CounterfactualSet as CounterfactualSet
    from fairwitness.counterfactuals.sets import Status as Status

_NAMES = {
    "CounterfactualEvaluation": "evaluation",
    "CounterfactualGenerator": "base",
    "CounterfactualSet": "sets",
    "DiceGenerator": "dice",
    "ExactGenerator": "exact.generator",
    "GeneticGenerator": "genetic",
    "NeighborGenerator": "neighbors",
    "PrecomputedGenerator": "precomputed",
    "QUALITIES": "evaluation",
    "STATUSES": "sets",
    "SetQuality": "evaluation",
    "Status": "sets",
    "evaluate_counterfactuals": "evaluate",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
