"""The picture of an evaluation: accuracy against a difference between groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness.errors import ConfigError
from fairwitness.metrics.evaluation.front import metric_named, target
from fairwitness.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairwitness.metrics.evaluation.results import Evaluation
    from fairwitness.stats import Estimate


def draw(found: Evaluation, *, x: str | None, y: str | None, feature: str | None, ax: Axes | None) -> Axes:
    """Draw one point a model; see :meth:`fairwitness.metrics.Evaluation.plot`."""
    from fairwitness.drawing import Spot, figure, tradeoff
    from fairwitness.metrics.evaluation.results import DEFAULTS

    usual = DEFAULTS[found.task]
    y, x = y or usual[0], x or usual[1]
    if not found.models:
        raise ConfigError("no model gave anything to draw", fix="see .failures")
    across = found.sizes(x, feature=feature)
    upward = found.values(y)
    spots = [
        Spot(plain(name), _span(across[name]), _span(upward[name]), at)
        for at, name in enumerate(found.models)
        if name in across and name in upward
    ]
    if ax is None:
        lines = -(-len(spots) // 3)
        ax = figure(640, 400 + 18 * lines)[1]
    named = next((row.feature for row in found.headline if row.metric == x and row.feature), "")
    of = feature or named
    return tradeoff(
        ax,
        spots,
        front=[plain(name) for name in found.pareto(y, x, feature=feature)],
        xlabel=f"{label(x)}{f', {plain(of)}' if of else ''} (0 is no difference)",
        ylabel=label(y),
        reference=0.0 if target(metric_named(x)) is not None else None,
    )


def label(metric: str) -> str:
    """Write a measure's name for an axis."""
    short = {"rmse": "root mean squared error", "mae": "mean absolute error", "r2": "R²", "mmd": "MMD"}
    return short.get(metric, metric.replace("_", " "))


def _span(found: Estimate) -> tuple[float, float, float]:
    return found.estimate, found.low, found.high
