"""Curves with bands: a line a group, over k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.drawing.canvas import describe, label, legend, percentages, style
from fairwitness.drawing.palette import GROUP_DASHES, MUTED, group_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Dashes of a line to compare with.
BESIDE = (0, (1.0, 1.6))


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
    beside
        Values of shape (m,) to compare ``y`` with, drawn as a thin dotted line; None for none.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    style_index: int = 0
    beside: Sequence[float] | None = None


def curves(
    ax: Axes,
    lines: Sequence[Curve],
    *,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    ylim: tuple[float, float] | None = None,
    legend_columns: int = 2,
    beside_label: str = "",
    percent: bool = False,
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
    beside_label
        What the thin dotted lines are; empty to say nothing.
    percent
        Write the values of the vertical axis as percentages.

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
            if curve.beside is not None:
                beside = np.asarray(curve.beside, dtype=float)
                ax.plot(x, beside, color=colour, linestyle=BESIDE, linewidth=1.4, alpha=0.85)
        if beside_label and any(curve.beside is not None for curve in lines):
            ax.plot([], [], color=MUTED, linestyle=BESIDE, linewidth=1.4, label=label(beside_label))
        describe(ax, title=title, xlabel=xlabel, ylabel=ylabel)
        if percent:
            percentages(ax.yaxis)
        if ylim is not None:
            ax.set_ylim(*ylim)
        ax.grid(axis="y")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        legend(ax, columns=legend_columns)
    return ax
