"""Metrics: how well a model predicts, and how that and its decisions differ between groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.metrics.counted.confusion import Confusion as Confusion
    from fairwitness.metrics.counted.confusion import Shares as Shares
    from fairwitness.metrics.counted.confusion import count_labels as count_labels
    from fairwitness.metrics.counted.counts import Counts as Counts
    from fairwitness.metrics.counted.counts import Rate as Rate
    from fairwitness.metrics.counted.counts import count_decisions as count_decisions
    from fairwitness.metrics.counted.distribution import Distances as Distances
    from fairwitness.metrics.counted.distribution import group_distances as group_distances
    from fairwitness.metrics.counted.distribution import mmd as mmd
    from fairwitness.metrics.counted.distribution import mmd_test as mmd_test
    from fairwitness.metrics.counted.distribution import paper_mmd as paper_mmd
    from fairwitness.metrics.counted.distribution import paper_wasserstein as paper_wasserstein
    from fairwitness.metrics.counted.distribution import wasserstein_distance as wasserstein_distance
    from fairwitness.metrics.counted.entropy import EntropyParts as EntropyParts
    from fairwitness.metrics.counted.entropy import card_cv as card_cv
    from fairwitness.metrics.counted.entropy import coefficient_of_variation as coefficient_of_variation
    from fairwitness.metrics.counted.entropy import entropy_decomposition as entropy_decomposition
    from fairwitness.metrics.counted.entropy import generalized_entropy_index as generalized_entropy_index
    from fairwitness.metrics.counted.entropy import paper_cv as paper_cv
    from fairwitness.metrics.counted.entropy import theil_index as theil_index
    from fairwitness.metrics.counted.performance import accuracy as accuracy
    from fairwitness.metrics.counted.performance import average_precision as average_precision
    from fairwitness.metrics.counted.performance import balanced_accuracy as balanced_accuracy
    from fairwitness.metrics.counted.performance import brier_score as brier_score
    from fairwitness.metrics.counted.performance import calibration_error as calibration_error
    from fairwitness.metrics.counted.performance import f1 as f1
    from fairwitness.metrics.counted.performance import log_loss as log_loss
    from fairwitness.metrics.counted.performance import mae as mae
    from fairwitness.metrics.counted.performance import mcc as mcc
    from fairwitness.metrics.counted.performance import mean_residual as mean_residual
    from fairwitness.metrics.counted.performance import precision as precision
    from fairwitness.metrics.counted.performance import r2 as r2
    from fairwitness.metrics.counted.performance import recall as recall
    from fairwitness.metrics.counted.performance import rmse as rmse
    from fairwitness.metrics.counted.performance import roc_auc as roc_auc
    from fairwitness.metrics.counted.performance import specificity as specificity
    from fairwitness.metrics.declared.catalogue import CATALOGUE as CATALOGUE
    from fairwitness.metrics.declared.catalogue import Metric as Metric
    from fairwitness.metrics.declared.catalogue import list_metrics as list_metrics
    from fairwitness.metrics.evaluation.evaluating import evaluate as evaluate
    from fairwitness.metrics.evaluation.results import Evaluation as Evaluation
    from fairwitness.metrics.evaluation.results import EvaluationRow as EvaluationRow
    from fairwitness.metrics.evaluation.runs import Predictions as Predictions
    from fairwitness.metrics.measured.lazy import count_metrics as count_metrics
    from fairwitness.metrics.measured.measuring import measure as measure
    from fairwitness.metrics.measured.results import Measured as Measured
    from fairwitness.metrics.measured.results import MeasuredValue as MeasuredValue
    from fairwitness.metrics.rates.confusion import equalized_odds_difference as equalized_odds_difference
    from fairwitness.metrics.rates.confusion import false_negative_rate as false_negative_rate
    from fairwitness.metrics.rates.confusion import (
        false_positive_rate_difference as false_positive_rate_difference,
    )
    from fairwitness.metrics.rates.confusion import negative_predictive_value as negative_predictive_value
    from fairwitness.metrics.rates.confusion import (
        negative_predictive_value_difference as negative_predictive_value_difference,
    )
    from fairwitness.metrics.rates.confusion import positive_predictive_value as positive_predictive_value
    from fairwitness.metrics.rates.confusion import (
        predictive_parity_difference as predictive_parity_difference,
    )
    from fairwitness.metrics.rates.confusion import true_negative_rate as true_negative_rate
    from fairwitness.metrics.rates.functions import (
        average_absolute_odds_difference as average_absolute_odds_difference,
    )
    from fairwitness.metrics.rates.functions import average_odds_difference as average_odds_difference
    from fairwitness.metrics.rates.functions import disparate_impact_ratio as disparate_impact_ratio
    from fairwitness.metrics.rates.functions import (
        equal_opportunity_difference as equal_opportunity_difference,
    )
    from fairwitness.metrics.rates.functions import false_positive_rate as false_positive_rate
    from fairwitness.metrics.rates.functions import selection_rate as selection_rate
    from fairwitness.metrics.rates.functions import (
        statistical_parity_difference as statistical_parity_difference,
    )
    from fairwitness.metrics.rates.functions import true_positive_rate as true_positive_rate
    from fairwitness.metrics.rates.group import group_rates as group_rates
    from fairwitness.metrics.rates.results import Comparison as Comparison
    from fairwitness.metrics.rates.results import GroupRate as GroupRate
    from fairwitness.metrics.rates.results import GroupRates as GroupRates

_NAMES = {
    "Evaluation": "evaluation.results",
    "EvaluationRow": "evaluation.results",
    "Predictions": "evaluation.runs",
    "evaluate": "evaluation.evaluating",
    "CATALOGUE": "declared.catalogue",
    "Comparison": "rates.results",
    "Confusion": "counted.confusion",
    "Counts": "counted.counts",
    "Distances": "counted.distribution",
    "EntropyParts": "counted.entropy",
    "GroupRate": "rates.results",
    "GroupRates": "rates.results",
    "Measured": "measured.results",
    "MeasuredValue": "measured.results",
    "Metric": "declared.catalogue",
    "Rate": "counted.counts",
    "Shares": "counted.confusion",
    "accuracy": "counted.performance",
    "average_absolute_odds_difference": "rates.functions",
    "average_odds_difference": "rates.functions",
    "average_precision": "counted.performance",
    "balanced_accuracy": "counted.performance",
    "brier_score": "counted.performance",
    "calibration_error": "counted.performance",
    "card_cv": "counted.entropy",
    "coefficient_of_variation": "counted.entropy",
    "count_decisions": "counted.counts",
    "count_labels": "counted.confusion",
    "count_metrics": "measured.lazy",
    "disparate_impact_ratio": "rates.functions",
    "entropy_decomposition": "counted.entropy",
    "equal_opportunity_difference": "rates.functions",
    "equalized_odds_difference": "rates.confusion",
    "f1": "counted.performance",
    "false_negative_rate": "rates.confusion",
    "false_positive_rate": "rates.functions",
    "false_positive_rate_difference": "rates.confusion",
    "generalized_entropy_index": "counted.entropy",
    "group_distances": "counted.distribution",
    "group_rates": "rates.group",
    "list_metrics": "declared.catalogue",
    "log_loss": "counted.performance",
    "mae": "counted.performance",
    "mcc": "counted.performance",
    "mean_residual": "counted.performance",
    "measure": "measured.measuring",
    "mmd": "counted.distribution",
    "mmd_test": "counted.distribution",
    "negative_predictive_value": "rates.confusion",
    "negative_predictive_value_difference": "rates.confusion",
    "paper_cv": "counted.entropy",
    "paper_mmd": "counted.distribution",
    "paper_wasserstein": "counted.distribution",
    "positive_predictive_value": "rates.confusion",
    "precision": "counted.performance",
    "predictive_parity_difference": "rates.confusion",
    "r2": "counted.performance",
    "recall": "counted.performance",
    "rmse": "counted.performance",
    "roc_auc": "counted.performance",
    "selection_rate": "rates.functions",
    "specificity": "counted.performance",
    "statistical_parity_difference": "rates.functions",
    "theil_index": "counted.entropy",
    "true_negative_rate": "rates.confusion",
    "true_positive_rate": "rates.functions",
    "wasserstein_distance": "counted.distribution",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
