"""Two measures against each other: a point a model with its intervals, and the front of the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairwitness.drawing.canvas import describe, label, legend, size, style
from fairwitness.drawing.palette import FAINT, MUTED, group_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: value, low, high
Span = tuple[float, float, float]


@dataclass(frozen=True)
class Spot:
    """One model: where it stands on both axes.

    Attributes
    ----------
    label
        Its name.
    x, y
        Estimate with the ends of its interval; ends that are not finite are left out.
    style_index
        Position in the palette.
    """

    label: str
    x: Span
    y: Span
    style_index: int = 0


def tradeoff(
    ax: Axes,
    spots: Sequence[Spot],
    *,
    front: Sequence[str] = (),
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    reference: float | None = None,
    legend_columns: int = 3,
) -> Axes:
    """Draw models on a plane; those on the front are joined by a thin line.

    Parameters
    ----------
    ax
        Axes to draw on.
    spots
        The models. One without a finite estimate on either axis is left out of the picture, not of the key.
    front
        Names of the models that no other beats on both axes, in the order in which they are joined.
    title, xlabel, ylabel
        Words around the axes.
    reference
        Value of "no difference" on the horizontal axis: a grey line; None for none.
    legend_columns
        How many names stand side by side above the axes.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    with style():
        known = {spot.label: spot for spot in spots if math.isfinite(spot.x[0]) and math.isfinite(spot.y[0])}
        if reference is not None:
            ax.axvline(reference, color=MUTED, linewidth=1.1, zorder=1)
        joined = [known[name] for name in front if name in known]
        if len(joined) > 1:
            ax.plot(
                [spot.x[0] for spot in joined],
                [spot.y[0] for spot in joined],
                color=MUTED,
                linewidth=1.2,
                linestyle=(0, (4, 2)),
                zorder=2,
            )
        for spot in spots:
            colour, marker = group_style(spot.style_index)
            there = spot.label in known
            if there:
                for (x, y), (low, high), flat in (
                    ((spot.x[0], spot.y[0]), spot.x[1:], True),
                    ((spot.x[0], spot.y[0]), spot.y[1:], False),
                ):
                    if math.isfinite(low) and math.isfinite(high):
                        ends = ([low, high], [y, y]) if flat else ([x, x], [low, high])
                        ax.plot(*ends, color=colour, linewidth=1.4, alpha=0.7, zorder=3)
            inside = spot.label in front
            ax.plot(
                [spot.x[0]] if there else [],
                [spot.y[0]] if there else [],
                color=colour,
                marker=marker,
                markersize=9 if inside else 7.5,
                # A hollow marker is beaten on both axes by another: told apart without colour.
                markerfacecolor=colour if inside else "none",
                markeredgewidth=1.6,
                linestyle="none",
                zorder=4,
                label=label(spot.label, most=34) + ("" if there else " (no value)"),
            )
        describe(ax, title=title, xlabel=xlabel, ylabel=ylabel)
        ax.grid(color=FAINT)
        # A narrow picture has room for few numbers beside each other.
        ax.locator_params(axis="x", nbins=max(int(size(ax)[0] // 70), 3))
        ax.tick_params(length=0)
        legend(ax, columns=legend_columns)
    return ax
