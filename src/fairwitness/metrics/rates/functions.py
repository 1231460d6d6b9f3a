"""Single group metrics in scikit-learn's manner: ``metric(y_true, y_pred, *, sensitive_features=...)``.

With more than two groups every group is compared with the privileged one, and the comparison that is
farthest from "no difference" is given; :func:`fairwitness.metrics.group_rates` has them all, with
intervals. Where a rate is undefined (a group without positives, say) the result is NaN, never 0, and a
:class:`~fairwitness.errors.FairwitnessWarning` says why.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from fairwitness.errors import FairwitnessWarning
from fairwitness.metrics.counted.counts import Among, count_decisions
from fairwitness.metrics.counted.inputs import check_rows, favoured, one_feature, weights
from fairwitness.metrics.rates.group import group_rates
from fairwitness.stats.intervals import Estimate
from fairwitness.table.groups import Groups
from fairwitness.text import plain
from fairwitness.typing import MissingPolicy


def statistical_parity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: object = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> float:
    """Give the difference in acceptance rates, P(Ŷ=1 | group) − P(Ŷ=1 | privileged).

    Parameters
    ----------
    y_true
        Not used, there for the common signature; may be ``None``.
    y_pred
        (n,) the model's labels.
    sensitive_features
        One column of n values (of several in a table: their intersection), or
        :class:`fairwitness.table.Groups`.
    privileged
        The group the others are compared with; default the one with the highest acceptance rate.
    favorable
        The label of the good outcome, of whatever type: 1, True, 0, "good".
    sample_weight
        (n,) weights, at least 0.
    missing
        What to do with missing sensitive values: ``"group"`` (of their own; a warning says so if it is the
        one that differs most), ``"drop"`` or ``"error"``.

    Returns
    -------
    float
        In [−1, 1]; 0 is no difference, below 0 the group is accepted less often. Its absolute value is the
        DSP of the counterfactual fair opportunity paper (section 5).

    Raises
    ------
    DataError
        If rows do not align, a label is missing, or ``favorable`` does not occur.
    GroupError
        If the sensitive feature does not give two groups, or has no group ``privileged``.

    Examples
    --------
    >>> from fairwitness.metrics import statistical_parity_difference
    >>> decisions, sex = ["yes", "no", "yes", "yes"], ["f", "f", "m", "m"]
    >>> statistical_parity_difference(None, decisions, sensitive_features=sex, favorable="yes")
    -0.5
    """
    measure = "statistical_parity_difference"
    return _compare(
        measure,
        y_true,
        y_pred,
        sensitive_features,
        privileged,
        favorable,
        sample_weight,
        missing,
        outcome=False,
    )


def disparate_impact_ratio(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: object = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> float:
    """Give the ratio of acceptance rates, P(Ŷ=1 | group) / P(Ŷ=1 | privileged).

    Parameters and errors are those of :func:`statistical_parity_difference`.

    Returns
    -------
    float
        At least 0; 1 is no difference, and the four-fifths rule of thumb asks for .8. NaN where no one in
        the privileged group is accepted. "Farthest" among several groups is by the logarithm.
    """
    measure = "disparate_impact_ratio"
    return _compare(
        measure,
        y_true,
        y_pred,
        sensitive_features,
        privileged,
        favorable,
        sample_weight,
        missing,
        outcome=False,
    )


def equal_opportunity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: object = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> float:
    """Give the difference in true positive rates, P(Ŷ=1 | Y=1, group) − P(Ŷ=1 | Y=1, privileged).

    ``y_true`` are the (n,) true labels; all else is as in :func:`statistical_parity_difference`.

    Returns
    -------
    float
        In [−1, 1]; 0 is no difference. Its absolute value is the paper's DEO. NaN where a group has no row
        with the favourable outcome.
    """
    measure = "equal_opportunity_difference"
    return _compare(
        measure, y_true, y_pred, sensitive_features, privileged, favorable, sample_weight, missing
    )


def average_odds_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: object = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> float:
    """Give ½ Σ_{y∈{0,1}} (P(Ŷ=1 | Y=y, group) − P(Ŷ=1 | Y=y, privileged)), signed inside the sum.

    A higher true and a lower false positive rate cancel; see :func:`average_absolute_odds_difference`.
    Parameters and errors are those of :func:`equal_opportunity_difference`.

    Returns
    -------
    float
        In [−1, 1]; 0 is no difference, or two that cancel. Its absolute value is the paper's DAO. NaN where
        a group lacks rows of one outcome.
    """
    measure = "average_odds_difference"
    return _compare(
        measure, y_true, y_pred, sensitive_features, privileged, favorable, sample_weight, missing
    )


def average_absolute_odds_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: object = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> float:
    """Give ½ Σ_{y∈{0,1}} abs(P(Ŷ=1 | Y=y, group) − P(Ŷ=1 | Y=y, privileged)): nothing cancels.

    Parameters and errors are those of :func:`equal_opportunity_difference`.

    Returns
    -------
    float
        In [0, 1]; 0 is no difference. NaN where a group lacks rows of one outcome.
    """
    measure = "average_absolute_odds_difference"
    return _compare(
        measure, y_true, y_pred, sensitive_features, privileged, favorable, sample_weight, missing
    )


def selection_rate(y_true: Any, y_pred: Any, *, favorable: object = 1, sample_weight: Any = None) -> float:
    """Give the share accepted among all rows, P(Ŷ=1), in [0, 1]; ``y_true`` is not used.

    Labels, weights and errors are as in :func:`statistical_parity_difference`.
    """
    return _rate("all", None, y_pred, favorable, sample_weight)


def true_positive_rate(
    y_true: Any, y_pred: Any, *, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give the share accepted among rows with the favourable outcome, P(Ŷ=1 | Y=1); NaN if there is none.

    Labels, weights and errors are as in :func:`statistical_parity_difference`.
    """
    return _rate("good", y_true, y_pred, favorable, sample_weight)


def false_positive_rate(
    y_true: Any, y_pred: Any, *, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give the share accepted among rows with the other outcome, P(Ŷ=1 | Y=0); NaN if there is none.

    Labels, weights and errors are as in :func:`statistical_parity_difference`.
    """
    return _rate("other", y_true, y_pred, favorable, sample_weight)


def _rate(among: Among, y_true: Any, y_pred: Any, favorable: object, sample_weight: Any) -> float:
    check_rows(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    good = None if among == "all" else favoured(y_true, favorable, "y_true")
    accepted = favoured(y_pred, favorable, "y_pred", also=good)
    everyone = np.zeros(len(accepted), dtype=np.int64)
    counts = count_decisions(accepted, everyone, 1, good, sample_weight=weights(sample_weight))
    value = float(counts.rate(among).value[0])
    if math.isnan(value):
        whom = {"all": "no rows", "good": "no row with", "other": "no row without"}[among]
        what = "" if among == "all" else f" the favourable outcome {favorable!r}"
        warnings.warn(f"the rate is undefined: there is {whom}{what}", FairwitnessWarning, stacklevel=3)
    return value


def _compare(
    measure: str,
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    privileged: object,
    favorable: object,
    sample_weight: Any,
    missing: MissingPolicy,
    *,
    outcome: bool = True,
) -> float:
    check_rows(
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
    )
    good = favoured(y_true, favorable, "y_true") if outcome else None
    accepted = favoured(y_pred, favorable, "y_pred", also=good)
    groups = one_feature(sensitive_features, privileged, accepted, missing)
    rates = group_rates(accepted, groups, good, sample_weight=weights(sample_weight))
    found: list[Estimate] = [getattr(comparison, measure) for comparison in rates.comparisons]
    reasons = [estimate.reason for estimate in found if estimate.reason]
    if reasons:
        # A comparison that cannot be made may be the farthest one: the others alone would hide it.
        text = "; ".join(dict.fromkeys(reasons))
        warnings.warn(f"{measure} is undefined: {text}", FairwitnessWarning, stacklevel=3)
        return math.nan
    distance = _distance(measure)
    farthest = max(range(len(found)), key=lambda at: distance(found[at].estimate))
    label = rates.comparisons[farthest].group
    warn_if_missing(groups, groups.labels.index(label), rates[label].n, stacklevel=4)
    return found[farthest].estimate


def warn_if_missing(groups: Groups, at: int, n: int, *, stacklevel: int) -> None:
    """Warn if the group that differs most is that of the missing values."""
    if at in groups.missing_labels:
        warnings.warn(
            f"the group farthest from {plain(groups.privileged_label)} is the {n:,} rows whose "
            f'{plain(groups.name)} is missing; missing="drop" leaves them out',
            FairwitnessWarning,
            stacklevel=stacklevel,
        )


def _distance(measure: str) -> Callable[[float], float]:
    if measure != "disparate_impact_ratio":
        return abs
    return lambda ratio: abs(math.log(ratio)) if ratio > 0 else math.inf
