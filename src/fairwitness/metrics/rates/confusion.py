"""Single metrics of the whole confusion table of each group, in scikit-learn's manner.

Those that audits report, with their closed intervals, are in :mod:`fairwitness.metrics.rates.functions`.
Rates are for everyone; comparisons give the group that is farthest from the reference, NaN where a group has
no such rate.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from fairwitness.errors import FairwitnessWarning
from fairwitness.metrics.counted.confusion import Confusion, count_labels
from fairwitness.metrics.counted.inputs import check_rows, favoured, one_feature, weights
from fairwitness.metrics.declared.catalogue import CATALOGUE
from fairwitness.metrics.rates.functions import warn_if_missing
from fairwitness.table.groups import Groups
from fairwitness.text import listing, plain
from fairwitness.typing import MissingPolicy


def true_negative_rate(
    y_true: Any, y_pred: Any, *, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give the share refused among rows with the other outcome, P(Ŷ=0 | Y=0); NaN if there is none.

    Labels, weights and errors are as in :func:`statistical_parity_difference`.
    """
    return _rate("true_negative_rate", y_true, y_pred, favorable, sample_weight)


def false_negative_rate(
    y_true: Any, y_pred: Any, *, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give the share refused among rows with the favourable outcome, P(Ŷ=0 | Y=1); NaN if there is none.

    Labels, weights and errors are as in :func:`statistical_parity_difference`.
    """
    return _rate("false_negative_rate", y_true, y_pred, favorable, sample_weight)


def positive_predictive_value(
    y_true: Any, y_pred: Any, *, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give the share with the favourable outcome among those accepted, P(Y=1 | Ŷ=1); NaN if there is none.

    Labels, weights and errors are as in :func:`statistical_parity_difference`.
    """
    return _rate("positive_predictive_value", y_true, y_pred, favorable, sample_weight)


def negative_predictive_value(
    y_true: Any, y_pred: Any, *, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give the share with the other outcome among those refused, P(Y=0 | Ŷ=0); NaN if there is none.

    Labels, weights and errors are as in :func:`statistical_parity_difference`.
    """
    return _rate("negative_predictive_value", y_true, y_pred, favorable, sample_weight)


def false_positive_rate_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: object = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> float:
    """Give the difference in false positive rates, P(Ŷ=1 | Y=0, group) − P(Ŷ=1 | Y=0, privileged).

    In [−1, 1]; 0 is no difference. Parameters and errors are as in :func:`equal_opportunity_difference`.
    """
    return _compare(
        ["false_positive_rate"],
        y_true,
        y_pred,
        sensitive_features,
        privileged,
        favorable,
        sample_weight,
        missing,
    )


def predictive_parity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: object = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> float:
    """Give the difference in positive predictive values, P(Y=1 | Ŷ=1, group) − P(Y=1 | Ŷ=1, privileged).

    In [−1, 1]; 0 is no difference, and NaN where no one in a group is accepted. Parameters and errors are
    as in :func:`equal_opportunity_difference`.
    """
    return _compare(
        ["positive_predictive_value"],
        y_true,
        y_pred,
        sensitive_features,
        privileged,
        favorable,
        sample_weight,
        missing,
    )


def negative_predictive_value_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: object = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> float:
    """Give the difference in negative predictive values, P(Y=0 | Ŷ=0, group) − P(Y=0 | Ŷ=0, privileged).

    In [−1, 1]; 0 is no difference, and NaN where everyone in a group is accepted. Parameters and errors are
    as in :func:`equal_opportunity_difference`.
    """
    return _compare(
        ["negative_predictive_value"],
        y_true,
        y_pred,
        sensitive_features,
        privileged,
        favorable,
        sample_weight,
        missing,
    )


def equalized_odds_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: object = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> float:
    """Give the larger of abs(ΔTPR) and abs(ΔFPR), each group − privileged.

    In [0, 1]; 0 is no difference, and NaN where a group lacks rows of one outcome. Parameters and errors
    are as in :func:`equal_opportunity_difference`.
    """
    return _compare(
        ["true_positive_rate", "false_positive_rate"],
        y_true,
        y_pred,
        sensitive_features,
        privileged,
        favorable,
        sample_weight,
        missing,
    )


def _counted(
    y_true: Any,
    y_pred: Any,
    favorable: object,
    sample_weight: Any,
    sensitive_features: Any = None,
    privileged: object = None,
    missing: MissingPolicy = "group",
) -> tuple[Confusion, Groups]:
    check_rows(
        y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight
    )
    good = favoured(y_true, favorable, "y_true")
    accepted = favoured(y_pred, favorable, "y_pred", also=good)
    if sensitive_features is None:
        groups = Groups("everyone", ("everyone",), np.zeros(len(good), dtype=np.int64), 0)
    else:
        groups = one_feature(sensitive_features, privileged, accepted, missing)
    counted = count_labels(
        accepted, groups.codes, groups.n_groups, good, sample_weight=weights(sample_weight)
    )
    return counted, groups


def _rate(name: str, y_true: Any, y_pred: Any, favorable: object, sample_weight: Any) -> float:
    counted, _ = _counted(y_true, y_pred, favorable, sample_weight)
    value = float(counted.shares(name).value[0])
    if math.isnan(value):
        warnings.warn(f"the rate is undefined: {CATALOGUE[name].undefined}", FairwitnessWarning, stacklevel=3)
    return value


def _compare(
    rates: list[str],
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    privileged: object,
    favorable: object,
    sample_weight: Any,
    missing: MissingPolicy,
) -> float:
    counted, groups = _counted(
        y_true, y_pred, favorable, sample_weight, sensitive_features, privileged, missing
    )
    found = np.stack([counted.shares(rate).value for rate in rates])
    lacking = [
        f"{plain(groups.labels[at])}: {CATALOGUE[rates[which]].undefined}"
        for which, at in zip(*np.nonzero(np.isnan(found)), strict=True)
    ]
    if lacking:
        # A comparison that cannot be made may be the farthest one: the others alone would hide it.
        warnings.warn(f"the difference is undefined: {listing(lacking)}", FairwitnessWarning, stacklevel=3)
        return math.nan
    gaps = found - found[:, [groups.privileged]]
    size = np.abs(gaps).max(axis=0)
    size[groups.privileged] = -1.0
    farthest = int(size.argmax())
    warn_if_missing(groups, farthest, int(groups.counts[farthest]), stacklevel=4)
    return float(gaps[0, farthest] if len(rates) == 1 else size[farthest])
