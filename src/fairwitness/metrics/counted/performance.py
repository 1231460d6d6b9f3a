"""How well labels, scores and numbers are predicted: single metrics in scikit-learn's manner.

Without ``sensitive_features`` each gives one number, with them a pandas Series, one number a group. What is
not defined (the precision of a model that accepts no one) is NaN with a
:class:`~fairwitness.errors.FairwitnessWarning` that says why, never 0.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fairwitness.arguments import number_array
from fairwitness.errors import FairwitnessWarning
from fairwitness.metrics.counted import confusion, moments, scores
from fairwitness.metrics.counted.exact import numbers, residual_columns, score_values
from fairwitness.metrics.counted.inputs import check_rows, coded_labels, favoured, one_feature, weights
from fairwitness.metrics.counted.sums import group_sums
from fairwitness.metrics.declared.catalogue import CATALOGUE
from fairwitness.table.groups import Groups
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray

if TYPE_CHECKING:
    import pandas as pd

#: One number, or a Series of one a group.
Value: TypeAlias = "float | pd.Series[float]"


def accuracy(y_true: Any, y_pred: Any, *, sensitive_features: Any = None, sample_weight: Any = None) -> Value:
    """Give the share of rows whose label is predicted, P(Ŷ = Y).

    Parameters
    ----------
    y_true, y_pred
        (n,) true and predicted labels, of two or more kinds.
    sensitive_features
        One column of n values (of several in a table: their intersection), or
        :class:`fairwitness.table.Groups`; ``None`` for one number.
    sample_weight
        (n,) weights, at least 0.

    Returns
    -------
    float or pandas.Series
        In [0, 1]; higher is better.

    Raises
    ------
    DataError
        If rows do not align, or a label is missing.

    Examples
    --------
    >>> from fairwitness.metrics import accuracy
    >>> accuracy(["yes", "no", "no"], ["yes", "no", "yes"], sensitive_features=["f", "f", "m"]).to_dict()
    {'f': 1.0, 'm': 0.0}
    """
    return _of_labels("accuracy", confusion.accuracy, y_true, y_pred, sensitive_features, sample_weight)


def balanced_accuracy(
    y_true: Any, y_pred: Any, *, sensitive_features: Any = None, sample_weight: Any = None
) -> Value:
    """Give the mean recall over the classes of Y, in [0, 1]; a constant prediction of two classes has ½.

    NaN where Y has one class. All else is as in :func:`accuracy`.
    """
    return _of_labels(
        "balanced_accuracy", confusion.balanced_accuracy, y_true, y_pred, sensitive_features, sample_weight
    )


def mcc(y_true: Any, y_pred: Any, *, sensitive_features: Any = None, sample_weight: Any = None) -> Value:
    """Give Matthews' correlation of true and predicted labels, in [−1, 1]; 0 is no better than chance.

    NaN where either is constant. All else is as in :func:`accuracy`; for more than two labels it is
    Gorodkin's.
    """
    return _of_labels("mcc", confusion.mcc, y_true, y_pred, sensitive_features, sample_weight)


def precision(
    y_true: Any,
    y_pred: Any,
    *,
    favorable: object = 1,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Value:
    """Give P(Y = 1 | Ŷ = 1), in [0, 1]; NaN where no row is accepted.

    ``favorable`` is the label that counts as 1; all else is as in :func:`accuracy`.
    """
    share = confusion.share_of("precision")
    return _of_labels("precision", share, y_true, y_pred, sensitive_features, sample_weight, favorable)


def recall(
    y_true: Any,
    y_pred: Any,
    *,
    favorable: object = 1,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Value:
    """Give P(Ŷ = 1 | Y = 1), in [0, 1]; NaN where no row has the favourable outcome.

    ``favorable`` is the label that counts as 1; all else is as in :func:`accuracy`.
    """
    share = confusion.share_of("recall")
    return _of_labels("recall", share, y_true, y_pred, sensitive_features, sample_weight, favorable)


def specificity(
    y_true: Any,
    y_pred: Any,
    *,
    favorable: object = 1,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Value:
    """Give P(Ŷ = 0 | Y = 0), in [0, 1]; NaN where every row has the favourable outcome.

    ``favorable`` is the label that counts as 1; all else is as in :func:`accuracy`.
    """
    share = confusion.share_of("specificity")
    return _of_labels("specificity", share, y_true, y_pred, sensitive_features, sample_weight, favorable)


def f1(
    y_true: Any,
    y_pred: Any,
    *,
    favorable: object = 1,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Value:
    """Give 2TP / (2TP + FP + FN), in [0, 1]; NaN where no row is accepted or has the favourable outcome.

    ``favorable`` is the label that counts as 1; all else is as in :func:`accuracy`.
    """
    return _of_labels("f1", confusion.f1, y_true, y_pred, sensitive_features, sample_weight, favorable)


def brier_score(
    y_true: Any,
    y_score: Any,
    *,
    favorable: object = 1,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Value:
    """Give the mean of (s − Y)², in [0, 1]; lower is better, and ¼ is what a score of ½ for all has.

    Parameters
    ----------
    y_true
        (n,) true labels.
    y_score
        (n,) probabilities of the favourable outcome.
    favorable
        The label that the score is of.
    sensitive_features, sample_weight
        As in :func:`accuracy`.

    Raises
    ------
    DataError
        If a score is missing or lies outside [0, 1], or rows do not align.
    """
    return _of_scores("brier_score", y_true, y_score, favorable, sensitive_features, sample_weight)


def log_loss(
    y_true: Any,
    y_score: Any,
    *,
    favorable: object = 1,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Value:
    """Give −E[Y ln s + (1 − Y) ln(1 − s)] in nats, at least 0; lower is better.

    A score of ½ for all has ln 2. Scores are kept 2.2e−16 away from 0 and 1. All else is as in
    :func:`brier_score`.
    """
    return _of_scores("log_loss", y_true, y_score, favorable, sensitive_features, sample_weight)


def calibration_error(
    y_true: Any,
    y_score: Any,
    *,
    favorable: object = 1,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Value:
    """Give Σ_b P(b) abs(E[s | b] − P(Y = 1 | b)) over ten bins of scores, in [0, 1]; lower is better.

    Noise alone makes it positive, the more so the fewer rows there are. All else is as in
    :func:`brier_score`.
    """
    return _of_scores("calibration_error", y_true, y_score, favorable, sensitive_features, sample_weight)


def roc_auc(
    y_true: Any,
    y_score: Any,
    *,
    favorable: object = 1,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Value:
    """Give the chance that a row with the favourable outcome scores above one without, ties counting half.

    In [0, 1]; ½ is no better than chance. NaN where Y has one class. Scores may be any finite numbers; all
    else is as in :func:`brier_score`.
    """
    return _of_scores("roc_auc", y_true, y_score, favorable, sensitive_features, sample_weight)


def average_precision(
    y_true: Any,
    y_score: Any,
    *,
    favorable: object = 1,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Value:
    """Give precision averaged over the steps of recall, in [0, 1].

    NaN where no row has the favourable outcome. Scores may be any finite numbers; all else is as in
    :func:`brier_score`.
    """
    return _of_scores("average_precision", y_true, y_score, favorable, sensitive_features, sample_weight)


def rmse(y_true: Any, y_pred: Any, *, sensitive_features: Any = None, sample_weight: Any = None) -> Value:
    """Give √E[(ŷ − y)²], at least 0 and in units of y; lower is better.

    ``y_true`` and ``y_pred`` are (n,) finite numbers; all else is as in :func:`accuracy`.
    """
    return _of_numbers("rmse", y_true, y_pred, sensitive_features, sample_weight)


def mae(y_true: Any, y_pred: Any, *, sensitive_features: Any = None, sample_weight: Any = None) -> Value:
    """Give E|ŷ − y|, at least 0 and in units of y; lower is better.

    ``y_true`` and ``y_pred`` are (n,) finite numbers; all else is as in :func:`accuracy`.
    """
    return _of_numbers("mae", y_true, y_pred, sensitive_features, sample_weight)


def r2(y_true: Any, y_pred: Any, *, sensitive_features: Any = None, sample_weight: Any = None) -> Value:
    """Give 1 − E[(ŷ − y)²] / Var(y), at most 1; 0 is what the mean of y has. NaN where y is constant.

    ``y_true`` and ``y_pred`` are (n,) finite numbers; all else is as in :func:`accuracy`. A group's R²
    measures against the spread inside that group.
    """
    return _of_numbers("r2", y_true, y_pred, sensitive_features, sample_weight)


def mean_residual(
    y_true: Any, y_pred: Any, *, sensitive_features: Any = None, sample_weight: Any = None
) -> Value:
    """Give E[y − ŷ] in units of y: above 0 where predictions are too low on average.

    ``y_true`` and ``y_pred`` are (n,) finite numbers; all else is as in :func:`accuracy`.
    """
    return _of_numbers("mean_residual", y_true, y_pred, sensitive_features, sample_weight)


def _of_labels(
    name: str,
    function: Callable[[FloatArray], FloatArray],
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    sample_weight: Any,
    favorable: object = None,
) -> Value:
    check_rows(
        y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight
    )
    if favorable is None:
        true, predicted, labels = coded_labels(y_true, y_pred)
        size = max(len(labels), 1)
    else:
        true = favoured(y_true, favorable, "y_true").astype(np.int64)
        predicted = favoured(y_pred, favorable, "y_pred", also=true > 0).astype(np.int64)
        size = 2
    groups = _groups(sensitive_features, len(true))
    counted = confusion.count_labels(
        predicted, groups.codes, groups.n_groups, true, n_labels=size, sample_weight=weights(sample_weight)
    )
    return _given(name, function(counted.weight), counted.rows.sum(axis=(1, 2)), groups, sensitive_features)


def _of_scores(
    name: str, y_true: Any, y_score: Any, favorable: object, sensitive_features: Any, sample_weight: Any
) -> Value:
    check_rows(
        y_true=y_true, y_score=y_score, sensitive_features=sensitive_features, sample_weight=sample_weight
    )
    found = number_array(y_score, "y_score", fix="pass one number a row").ravel()
    scores.check_scores(found, probabilities=name not in {"roc_auc", "average_precision"})
    good = favoured(y_true, favorable, "y_true")
    groups = _groups(sensitive_features, len(found))
    weight = weights(sample_weight)
    value = score_values(name, found, good, groups.codes, groups.n_groups, weight)
    return _given(name, value, groups.counts, groups, sensitive_features)


def _of_numbers(name: str, y_true: Any, y_pred: Any, sensitive_features: Any, sample_weight: Any) -> Value:
    check_rows(
        y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight
    )
    columns = residual_columns(numbers(y_true, "y_true"), numbers(y_pred, "y_pred"))
    groups = _groups(sensitive_features, len(columns["y"]))
    given = weights(sample_weight)
    weight = np.ones(len(columns["y"])) if given is None else given
    confusion.check_weights(weight)
    sums = {
        key: group_sums(weight * each, groups.codes, groups.n_groups)
        for key, each in {"weight": np.ones(len(weight)), **columns}.items()
    }
    rows = groups.counts
    return _given(name, moments.OF_SUMS[name](sums), rows, groups, sensitive_features)


def _groups(sensitive_features: Any, n: int) -> Groups:
    if sensitive_features is None:
        return Groups("everyone", ("everyone",), np.zeros(n, dtype=np.int64), 0)
    return one_feature(sensitive_features, None, None, "group")


def _given(name: str, value: FloatArray, rows: Any, groups: Groups, sensitive_features: Any) -> Value:
    lacking = [
        f"{plain(label)}: {undefined(name, int(n))}"
        for label, each, n in zip(groups.labels, value, rows, strict=True)
        if math.isnan(each)
    ]
    if lacking:
        what = f"{name} is undefined for {listing(lacking)}"
        warnings.warn(what, FairwitnessWarning, stacklevel=4)
    if sensitive_features is None:
        return float(value[0])
    import pandas as pd

    return pd.Series(value, index=pd.Index(groups.labels, name=groups.name), name=name)


def undefined(name: str, rows: int) -> str:
    """Say why a metric has no value on so many rows."""
    if not rows:
        return "there are no rows"
    return CATALOGUE[name].undefined or "all rows have weight 0"
