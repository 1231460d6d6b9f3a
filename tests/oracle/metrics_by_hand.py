"""Metrics by plain loops over rows, sharing no code with the library."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Rows = Sequence[tuple[str, int, int, float]]  # group, y, decision, weight


def share(rows: Rows, hit: Callable[[int, int], bool], among: Callable[[int, int], bool]) -> float:
    top = bottom = 0.0
    for _, y, p, w in rows:
        if among(y, p):
            bottom += w
            top += w if hit(y, p) else 0.0
    return top / bottom if bottom > 0 else math.nan


RATES: dict[str, tuple[Callable[[int, int], bool], Callable[[int, int], bool]]] = {
    "accuracy": (lambda y, p: y == p, lambda y, p: True),
    "selection_rate": (lambda y, p: p == 1, lambda y, p: True),
    "true_positive_rate": (lambda y, p: p == 1, lambda y, p: y == 1),
    "false_positive_rate": (lambda y, p: p == 1, lambda y, p: y == 0),
    "true_negative_rate": (lambda y, p: p == 0, lambda y, p: y == 0),
    "false_negative_rate": (lambda y, p: p == 0, lambda y, p: y == 1),
    "positive_predictive_value": (lambda y, p: y == 1, lambda y, p: p == 1),
    "negative_predictive_value": (lambda y, p: y == 0, lambda y, p: p == 0),
    "precision": (lambda y, p: y == 1, lambda y, p: p == 1),
    "recall": (lambda y, p: p == 1, lambda y, p: y == 1),
    "specificity": (lambda y, p: p == 0, lambda y, p: y == 0),
}


def rate(rows: Rows, name: str, group: str | None = None) -> float:
    return share([row for row in rows if group is None or row[0] == group], *RATES[name])


def comparison(rows: Rows, name: str, group: str, reference: str | None) -> float:
    """One comparison metric; reference ``None`` is everyone."""

    def gap(of: str) -> float:
        return rate(rows, of, group) - rate(rows, of, reference)

    true, false = gap("true_positive_rate"), gap("false_positive_rate")
    if name == "disparate_impact_ratio":
        base = rate(rows, "selection_rate", reference)
        return rate(rows, "selection_rate", group) / base if base > 0 else math.nan
    odds = {
        "average_odds_difference": (true + false) / 2,
        "average_absolute_odds_difference": (abs(true) + abs(false)) / 2,
        "equalized_odds_difference": math.nan if math.isnan(true + false) else max(abs(true), abs(false)),
    }
    if name in odds:
        return odds[name]
    level = {
        "statistical_parity_difference": "selection_rate",
        "equal_opportunity_difference": "true_positive_rate",
        "false_positive_rate_difference": "false_positive_rate",
        "predictive_parity_difference": "positive_predictive_value",
        "negative_predictive_value_difference": "negative_predictive_value",
        "accuracy_difference": "accuracy",
    }[name]
    return gap(level)


def entropy(benefits: Sequence[float], weights: Sequence[float], alpha: float) -> float:
    total = sum(weights)
    mean = sum(w * b for b, w in zip(benefits, weights, strict=True)) / total if total else 0.0
    if mean == 0:
        return math.nan
    out = 0.0
    for b, w in zip(benefits, weights, strict=True):
        r = b / mean
        if alpha == 1:
            out += w * (r * math.log(r) if r > 0 else 0.0)
        else:
            out += w * (r**alpha - 1) / (alpha * (alpha - 1))
    return out / total


def auc(y: Sequence[int], s: Sequence[float]) -> float:
    pairs = [(a, b) for a, i in zip(s, y, strict=True) if i for b, j in zip(s, y, strict=True) if not j]
    return sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs) if pairs else math.nan


def mmd2(x: Sequence[float], y: Sequence[float], sigma: float, *, unbiased: bool = False) -> float:
    def kernel(a: float, b: float) -> float:
        return math.exp(-((a - b) ** 2) / (2 * sigma**2))

    def own(v: Sequence[float]) -> float:
        if unbiased:
            n = len(v)
            return sum(kernel(a, b) for i, a in enumerate(v) for j, b in enumerate(v) if i != j) / (
                n * (n - 1)
            )
        return sum(kernel(a, b) for a in v for b in v) / len(v) ** 2

    return own(x) + own(y) - 2 * sum(kernel(a, b) for a in x for b in y) / (len(x) * len(y))


def mantel_haenszel(strata: Sequence[tuple[float, float, float, float]]) -> tuple[float, float]:
    """Risk difference and risk ratio of (a, n1, c, n0) tables, by the books' formulas."""
    top = bottom = upper = lower = 0.0
    for a, n1, c, n0 in strata:
        whole = n1 + n0
        top += (a * n0 - c * n1) / whole
        bottom += n1 * n0 / whole
        upper += a * n0 / whole
        lower += c * n1 / whole
    return top / bottom, upper / lower
