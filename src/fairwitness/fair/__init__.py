"""Predictors that try to treat groups alike, as scikit-learn estimators to audit and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.fair.adversarial import AdvDeb as AdvDeb
    from fairwitness.fair.constraints import FairC as FairC
    from fairwitness.fair.erm import LFERM as LFERM
    from fairwitness.fair.levels import CounterfactuallyFairClassifier as CounterfactuallyFairClassifier
    from fairwitness.fair.levels import CounterfactuallyFairRegressor as CounterfactuallyFairRegressor
    from fairwitness.fair.makers import decision_makers as decision_makers
    from fairwitness.fair.makers import tune as tune
    from fairwitness.fair.minimax import InvariantMinimaxClassifier as InvariantMinimaxClassifier
    from fairwitness.fair.minimax import InvariantMinimaxRegressor as InvariantMinimaxRegressor
    from fairwitness.fair.scm import SCM as SCM
    from fairwitness.fair.unaware import Full as Full
    from fairwitness.fair.unaware import Unaware as Unaware

_NAMES = {
    "AdvDeb": "adversarial",
    "CounterfactuallyFairClassifier": "levels",
    "CounterfactuallyFairRegressor": "levels",
    "FairC": "constraints",
    "Full": "unaware",
    "InvariantMinimaxClassifier": "minimax",
    "InvariantMinimaxRegressor": "minimax",
    "LFERM": "erm",
    "SCM": "scm",
    "Unaware": "unaware",
    "decision_makers": "makers",
    "tune": "makers",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
