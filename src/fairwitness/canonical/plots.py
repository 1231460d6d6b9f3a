"""The paper's figures 2 to 6, in the house's style, with real rows as ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairwitness.text import number, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairwitness.canonical.combined import Intersection
    from fairwitness.canonical.contrast_results import Contrast, FeatureContrast
    from fairwitness.canonical.gate_report import GateReport
    from fairwitness.canonical.proxy import DirectVsProxy

#: Width of a figure in points, and columns that are drawn unless named.
WIDTH, MOST = 640.0, 5


def plot_gate(report: GateReport, ax: Axes | None = None) -> Axes:
    """Draw every graded measure, scaled by its own thresholds: 0 is perfect, up to 1 trusted."""
    from fairwitness.drawing import Bar, figure, ranked_bars

    bars = []
    for measure in report.measures:
        criterion = measure.criterion
        if criterion.trust is None or not math.isfinite(measure.value) or measure.name == "support":
            continue
        perfect = 1.0 if criterion.better == "higher" else 0.5 if measure.name == "auc" else 0.0
        scaled = (measure.graded - perfect) / (criterion.trust - perfect)
        bars.append(Bar(f"{criterion.words} ({number(measure.value)})", max(scaled, 0.0)))
    if ax is None:
        _, ax = figure(WIDTH, 76 + 34 * max(len(bars), 1))
    drawn = ranked_bars(
        ax,
        bars,
        title=f"Gate: {report.verdict}",
        xlabel=f"distance from perfect, up to 1 trusted; {plain(report.request, most=40)}",
        wrap=40,
    )
    drawn.axvline(1.0, color="#73787f", linestyle=":", linewidth=1.2)
    return drawn


def chosen_features(found: Contrast, names: Sequence[str] | None) -> list[FeatureContrast]:
    """Give the columns to draw: those named, or the sensitive ones and those that differ most."""
    if names is not None:
        return [found[name] for name in names]
    protected = [feature for feature in found.features if feature.protected]
    return [*protected, *(each for each in found.ranked if not each.protected)][: len(protected) + MOST]


def plot_contrast(found: Contrast, ax: Axes | None, features: Sequence[str] | None) -> Axes:
    """Draw both sets' shares of every level (Figures 2, 3 and 5)."""
    from fairwitness.drawing import LevelBars, Profile, figure, profiles, profiles_height

    columns = [
        Profile(
            feature.name,
            [
                LevelBars(
                    level.label, (level.positive, level.negative), (level.real_positive, level.real_negative)
                )
                for level in feature.levels
            ],
        )
        for feature in chosen_features(found, features)
    ]
    if ax is None:
        _, ax = figure(WIDTH, profiles_height(columns))
    return profiles(
        ax,
        columns,
        sets=("positive set", "negative set"),
        xlabel=f"share of the rows; gate: {found.verdict}",
        tick_label="real rows of such scores",
    )


def plot_differences(found: DirectVsProxy, ax: Axes | None, features: Sequence[str] | None) -> Axes:
    """Draw how shares differ between a model with the protected columns and one without (Figure 6)."""
    from fairwitness.drawing import LevelBars, Profile, figure, profiles, profiles_height

    protected_first = sorted(found.features, key=lambda feature: not feature.protected)
    chosen = protected_first if features is None else [found[name] for name in features]
    columns = [
        Profile(
            feature.name,
            [LevelBars(level.label, (level.positive, level.negative)) for level in feature.levels],
        )
        for feature in chosen
    ]
    if ax is None:
        _, ax = figure(WIDTH, profiles_height(columns))
    return profiles(
        ax,
        columns,
        sets=("positive sets", "negative sets"),
        xlabel=f"share with the protected columns less share without them; gate: {found.verdict}",
        symmetric=True,
    )


def plot_intersection(found: Intersection, ax: Axes | None) -> Axes:
    """Draw one grid of ratios (Figure 4)."""
    from fairwitness.drawing import HeatCell, figure, heat, heat_size

    cells = [[HeatCell(cell.lift, cell.n, cell.few) for cell in line] for line in found.cells]
    if ax is None:
        _, ax = figure(*heat_size(found.row_labels, found.column_labels))
    said = (
        f"gate: {found.verdict}; ×: positive / negative; grey: n < 10"  # a small grid has room for 45 letters
    )
    return heat(ax, found.row_labels, found.column_labels, cells, title=found.words, xlabel=said)
