"""Which way a metric is good, how far a value is from no difference, and who is beaten by nobody."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairwitness.metrics.declared.catalogue import CATALOGUE, Metric
from fairwitness.stats import Estimate


def better(metric: Metric) -> int:
    """Give 1 where higher is better, −1 where lower is, and 0 where a certain value is (0, 1, or none)."""
    best = metric.best
    return 1 if best.startswith("higher") else -1 if best.startswith("lower") else 0


def target(metric: Metric) -> float | None:
    """Give the value of no difference; ``None`` where there is none."""
    return {"0": 0.0, "1": 1.0}.get(metric.best.split(" ")[0])


def limits(metric: Metric, n: int) -> tuple[float, float]:
    """Give the smallest and the largest possible value among n rows, as the catalogue declares the range."""
    ends = {"−∞": -math.inf, "∞": math.inf, "√2": math.sqrt(2), "ln n": math.log(max(n, 1))}
    low, high = metric.range.strip("[]()").split(", ")
    return tuple(  # type: ignore[return-value]
        ends[end] if end in ends else float(end.replace("−", "-")) for end in (low, high)
    )


def size(metric: Metric, found: Estimate) -> Estimate:
    """Give the distance from no difference, with its interval; what is good in itself stays as it is.

    A ratio r is as far as 1 − min(r, 1/r) says, so that a half and a double are equally far. An interval that
    holds no difference begins at 0.
    """
    aim = target(metric)
    if aim is None or not math.isfinite(found.estimate):
        return found

    def away(value: float) -> float:
        if aim == 0:
            return abs(value)
        return 1 - min(value, 1 / value) if value > 0 else 1.0

    low, high = found.low, found.high
    if math.isfinite(low) and math.isfinite(high):
        near, far = sorted((away(low), away(high)))
        low, high = (0.0 if found.low <= aim <= found.high else near), far
    return replace(found, estimate=away(found.estimate), low=low, high=high)


def front(
    accuracy: Mapping[str, Estimate], difference: Mapping[str, Estimate], *, accurate: int
) -> tuple[str, ...]:
    """Give the models that no other beats: none is at least as good on both and better on one.

    Parameters
    ----------
    accuracy, difference
        Model → estimate; the difference as :func:`size` gives it (smaller is better).
    accurate
        1 where a higher accuracy is better, −1 where a lower one is (an error).

    Returns
    -------
    Names, by their difference, smallest first; models without a value on either axis are not among them.
    """
    at = {
        name: (difference[name].estimate, -accurate * accuracy[name].estimate)
        for name in accuracy
        if name in difference
        and math.isfinite(accuracy[name].estimate)
        and math.isfinite(difference[name].estimate)
    }
    best = [
        name
        for name, own in at.items()
        if not any(_beats(other, own) for each, other in at.items() if each != name)
    ]
    return tuple(sorted(best, key=lambda name: (at[name], list(at).index(name))))


def _beats(left: Sequence[float], right: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(left, right, strict=True)) and tuple(left) != tuple(right)


def metric_named(name: str) -> Metric:
    """Give a declared metric.

    Raises
    ------
    ConfigError
        If there is none of that name.
    """
    from fairwitness.metrics.declared.catalogue import chosen

    if name in CATALOGUE:
        return CATALOGUE[name]
    return chosen(name)[0]
