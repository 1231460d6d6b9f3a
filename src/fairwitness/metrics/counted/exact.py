"""Exact values of metrics of scores, and the quantities a row whose sums make up all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairwitness.arguments import number_array
from fairwitness.metrics.counted import scores
from fairwitness.metrics.counted.sums import group_sums
from fairwitness.typing import FloatArray


def score_values(
    name: str,
    found: FloatArray,
    good: Any,
    codes: Any,
    n_groups: int,
    weight: FloatArray | None,
) -> FloatArray:
    """Give (G,) exact values of one metric of scores."""
    inside = codes >= 0
    found, good, codes = found[inside], good[inside], codes[inside]
    weight = np.ones(len(found)) if weight is None else weight[inside]
    if name in {"roc_auc", "average_precision"}:
        function = scores.roc_auc if name == "roc_auc" else scores.average_precision
        out = np.full(n_groups, np.nan)
        order = np.argsort(codes, kind="stable")
        stops = np.cumsum(np.bincount(codes, minlength=n_groups))
        for group in range(n_groups):
            rows = order[(stops[group - 1] if group else 0) : stops[group]]
            place = np.unique(found[rows], return_inverse=True)[1]
            size = int(place.max(initial=-1)) + 1
            other, positive = (group_sums(weight[rows] * each[rows], place, size) for each in (~good, good))
            out[group] = function(other, positive)
        return out
    if name == "calibration_error":
        size = scores.CALIBRATION_BINS
        cells = codes * size + scores.calibration_bins(found)
        parts = (
            group_sums(each, cells, n_groups * size).reshape(n_groups, size)
            for each in (weight, weight * good, weight * found)
        )
        return scores.calibration_gap(*parts)
    column = score_columns(found, good)["brier" if name == "brier_score" else "log loss"]
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = group_sums(weight * column, codes, n_groups)
        return np.asarray(sums / group_sums(weight, codes, n_groups))


def score_columns(found: FloatArray, good: Any) -> dict[str, FloatArray]:
    """Give the (n,) quantities whose means are the Brier score and the log loss."""
    kept = np.clip(found, scores.CLIP, 1 - scores.CLIP)
    return {
        "brier": (found - good) ** 2,
        "log loss": -np.where(good, np.log(kept), np.log1p(-kept)),
    }


def residual_columns(y_true: FloatArray, y_pred: FloatArray) -> dict[str, FloatArray]:
    """Give the (n,) quantities whose sums make up all metrics of predicted numbers."""
    residual = y_true - y_pred
    centred = y_true - y_true.mean() if len(y_true) else y_true
    return {
        "residual": residual,
        "|residual|": np.abs(residual),
        "residual²": residual**2,
        "y": centred,
        "y²": centred**2,
        "prediction": y_pred,
    }


def numbers(values: Any, name: str) -> FloatArray:
    """Give (n,) finite numbers.

    Raises
    ------
    DataError
        If one is no number, missing or infinite.
    """
    found = number_array(values, name, fix="pass one number a row").ravel()
    scores.check_scores(found, name)
    return found
