"""Estimators that want the sensitive features beside the table: to learn with, and some to predict with."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter


def takes_sensitive_features(estimator: Any, method: str = "fit") -> bool:
    """Say whether an estimator, or what a pipeline or a search ends in, takes sensitive features.

    Parameters
    ----------
    estimator
        Any scikit-learn estimator.
    method
        ``"fit"``, ``"predict"`` or another of its methods.
    """
    for _ in range(20):
        if _takes(estimator, method):
            return True
        # Others may have a parameter "steps" that is something else.
        piped = isinstance(estimator, Pipeline) and estimator.steps
        inner = estimator.steps[-1][1] if piped else getattr(estimator, "estimator", None)
        if inner is None:
            return False
        estimator = inner
    return False


def _takes(estimator: Any, method: str) -> bool:
    if method == "fit":
        return bool(has_fit_parameter(estimator, "sensitive_features"))
    found = getattr(estimator, method, None)
    if found is None:
        return False
    try:
        return "sensitive_features" in inspect.signature(found).parameters
    except (TypeError, ValueError):  # something written in C has no signature
        return False
