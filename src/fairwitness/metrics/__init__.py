"""Metrics: how well a model predicts, and how that and its decisions differ between groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.metrics.catalogue import CATALOGUE as CATALOGUE
    from fairwitness.metrics.catalogue import Metric as Metric
    from fairwitness.metrics.catalogue import list_metrics as list_metrics
    from fairwitness.metrics.confusion import Confusion as Confusion
    from fairwitness.metrics.confusion import Shares as Shares
    from fairwitness.metrics.confusion import count_labels as count_labels
    from fairwitness.metrics.confusion_functions import equalized_odds_difference as equalized_odds_difference
    from fairwitness.metrics.confusion_functions import false_negative_rate as false_negative_rate
    from fairwitness.metrics.confusion_functions import (
        false_positive_rate_difference as false_positive_rate_difference,
    )
    from fairwitness.metrics.confusion_functions import negative_predictive_value as negative_predictive_value
    from fairwitness.metrics.confusion_functions import (
        negative_predictive_value_difference as negative_predictive_value_difference,
    )
    from fairwitness.metrics.confusion_functions import positive_predictive_value as positive_predictive_value
    from fairwitness.metrics.confusion_functions import (
        predictive_parity_difference as predictive_parity_difference,
    )
    from fairwitness.metrics.confusion_functions import true_negative_rate as true_negative_rate
    from fairwitness.metrics.counts import Counts as Counts
    from fairwitness.metrics.counts import Rate as Rate
    from fairwitness.metrics.counts import count_decisions as count_decisions
    from fairwitness.metrics.distribution import Distances as Distances
    from fairwitness.metrics.distribution import group_distances as group_distances
    from fairwitness.metrics.distribution import mmd as mmd
    from fairwitness.metrics.distribution import mmd_test as mmd_test
    from fairwitness.metrics.distribution import paper_mmd as paper_mmd
    from fairwitness.metrics.distribution import paper_wasserstein as paper_wasserstein
    from fairwitness.metrics.distribution import wasserstein_distance as wasserstein_distance
    from fairwitness.metrics.entropy import EntropyParts as EntropyParts
    from fairwitness.metrics.entropy import card_cv as card_cv
    from fairwitness.metrics.entropy import coefficient_of_variation as coefficient_of_variation
    from fairwitness.metrics.entropy import entropy_decomposition as entropy_decomposition
    from fairwitness.metrics.entropy import generalized_entropy_index as generalized_entropy_index
    from fairwitness.metrics.entropy import paper_cv as paper_cv
    from fairwitness.metrics.entropy import theil_index as theil_index
    from fairwitness.metrics.evaluate_runs import Predictions as Predictions
    from fairwitness.metrics.evaluating import evaluate as evaluate
    from fairwitness.metrics.evaluation import Evaluation as Evaluation
    from fairwitness.metrics.evaluation import EvaluationRow as EvaluationRow
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
    from fairwitness.metrics.lazy import count_metrics as count_metrics
    from fairwitness.metrics.measured import Measured as Measured
    from fairwitness.metrics.measured import MeasuredValue as MeasuredValue
    from fairwitness.metrics.measuring import measure as measure
    from fairwitness.metrics.performance import accuracy as accuracy
    from fairwitness.metrics.performance import average_precision as average_precision
    from fairwitness.metrics.performance import balanced_accuracy as balanced_accuracy
    from fairwitness.metrics.performance import brier_score as brier_score
    from fairwitness.metrics.performance import calibration_error as calibration_error
    from fairwitness.metrics.performance import f1 as f1
    from fairwitness.metrics.performance import log_loss as log_loss
    from fairwitness.metrics.performance import mae as mae
    from fairwitness.metrics.performance import mcc as mcc
    from fairwitness.metrics.performance import mean_residual as mean_residual
    from fairwitness.metrics.performance import precision as precision
    from fairwitness.metrics.performance import r2 as r2
    from fairwitness.metrics.performance import recall as recall
    from fairwitness.metrics.performance import rmse as rmse
    from fairwitness.metrics.performance import roc_auc as roc_auc
    from fairwitness.metrics.performance import specificity as specificity
    from fairwitness.metrics.results import Comparison as Comparison
    from fairwitness.metrics.results import GroupRate as GroupRate
    from fairwitness.metrics.results import GroupRates as GroupRates

_NAMES = {
    "Evaluation": "evaluation",
    "EvaluationRow": "evaluation",
    "Predictions": "evaluate_runs",
    "evaluate": "evaluating",
    "CATALOGUE": "catalogue",
    "Comparison": "results",
    "Confusion": "confusion",
    "Counts": "counts",
    "Distances": "distribution",
    "EntropyParts": "entropy",
    "GroupRate": "results",
    "GroupRates": "results",
    "Measured": "measured",
    "MeasuredValue": "measured",
    "Metric": "catalogue",
    "Rate": "counts",
    "Shares": "confusion",
    "accuracy": "performance",
    "average_absolute_odds_difference": "functions",
    "average_odds_difference": "functions",
    "average_precision": "performance",
    "balanced_accuracy": "performance",
    "brier_score": "performance",
    "calibration_error": "performance",
    "card_cv": "entropy",
    "coefficient_of_variation": "entropy",
    "count_decisions": "counts",
    "count_labels": "confusion",
    "count_metrics": "lazy",
    "disparate_impact_ratio": "functions",
    "entropy_decomposition": "entropy",
    "equal_opportunity_difference": "functions",
    "equalized_odds_difference": "confusion_functions",
    "f1": "performance",
    "false_negative_rate": "confusion_functions",
    "false_positive_rate": "functions",
    "false_positive_rate_difference": "confusion_functions",
    "generalized_entropy_index": "entropy",
    "group_distances": "distribution",
    "group_rates": "group",
    "list_metrics": "catalogue",
    "log_loss": "performance",
    "mae": "performance",
    "mcc": "performance",
    "mean_residual": "performance",
    "measure": "measuring",
    "mmd": "distribution",
    "mmd_test": "distribution",
    "negative_predictive_value": "confusion_functions",
    "negative_predictive_value_difference": "confusion_functions",
    "paper_cv": "entropy",
    "paper_mmd": "distribution",
    "paper_wasserstein": "distribution",
    "positive_predictive_value": "confusion_functions",
    "precision": "performance",
    "predictive_parity_difference": "confusion_functions",
    "r2": "performance",
    "recall": "performance",
    "rmse": "performance",
    "roc_auc": "performance",
    "selection_rate": "functions",
    "specificity": "performance",
    "statistical_parity_difference": "functions",
    "theil_index": "entropy",
    "true_negative_rate": "confusion_functions",
    "true_positive_rate": "functions",
    "wasserstein_distance": "distribution",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
