"""Curves with bands: a line a group, over k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.drawing.canvas import describe, label, legend, style
from fairwitness.drawing.palette import GROUP_DASHES, group_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Curve:
    """One line: ``y`` over ``x``, with the band ``low`` to ``high`` where both are given.

    Attributes
    ----------
    label
        Name of the group.
    x, y
        Values of shape (m,); NaN in ``y`` leaves a gap.
    low, high
        Ends of the interval at each point, shape (m,), or None.
    style_index
        Position of the group in the palette.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    style_index: int = 0


def curves(
    ax: Axes,
    lines: Sequence[Curve],
    *,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    ylim: tuple[float, float] | None = None,
    legend_columns: int = 2,
) -> Axes:
    """Draw curves with their bands on ``ax``; colour, dashes and markers tell the groups apart.

    Parameters
    ----------
    ax
        Axes to draw on.
    lines
        The curves, drawn in this order.
    title, xlabel, ylabel
        Words around the axes; empty for none.
    ylim
        Range of the vertical axis; None to fit the data.
    legend_columns
        How many names stand side by side above the axes.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    with style():
        for curve in lines:
            colour, marker = group_style(curve.style_index)
            x = np.asarray(curve.x, dtype=float)
            if curve.low is not None and curve.high is not None:
                low, high = np.asarray(curve.low, dtype=float), np.asarray(curve.high, dtype=float)
                ax.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
            ax.plot(
                x,
                np.asarray(curve.y, dtype=float),
                color=colour,
                linestyle=GROUP_DASHES[curve.style_index % len(GROUP_DASHES)],
                marker=marker,
                # Markers on a thick row of points would hide the line; a few are enough to name it.
                markevery=max(len(x) // 6, 1),
                label=label(curve.label, most=36),
            )
        describe(ax, title=title, xlabel=xlabel, ylabel=ylabel)
        if ylim is not None:
            ax.set_ylim(*ylim)
        ax.grid(axis="y")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        legend(ax, columns=legend_columns)
    return ax
