"""Ranked bars with intervals: the features that go furthest with a measure, largest first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairwitness.drawing.canvas import describe, names, style, wrapped
from fairwitness.drawing.palette import FAINT, INK, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Bar:
    """One bar: its name, its value and the ends of its interval (NaN where there is none)."""

    label: str
    value: float
    low: float = math.nan
    high: float = math.nan


def ranked_bars(
    ax: Axes,
    bars: Sequence[Bar],
    *,
    title: str = "",
    xlabel: str = "",
    most: int = 20,
    xlim: tuple[float, float] | None = None,
    wrap: int = 34,
) -> Axes:
    """Draw bars from 0, the largest absolute value on top, with their intervals as whiskers.

    Parameters
    ----------
    ax
        Axes to draw on.
    bars
        In any order; a value that is not finite is left out.
    title, xlabel
        Words around the axes; empty for none.
    most
        How many bars to draw.
    xlim
        Range of the axis; None to fit the data.
    wrap
        Characters after which a name at the left is broken.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    finite = [bar for bar in bars if math.isfinite(bar.value)]
    shown = sorted(finite, key=lambda bar: -abs(bar.value))[:most]
    with style():
        positions = list(range(len(shown)))
        ax.barh(positions, [bar.value for bar in shown], height=0.62, color=MUTED, alpha=0.45)
        # All whiskers are one line with gaps: one path, where three each would be dozens.
        known = [(y, bar) for y, bar in enumerate(shown) if math.isfinite(bar.low + bar.high)]
        x = [end for _, bar in known for end in (*[bar.low] * 3, *[bar.high] * 3, math.nan)]
        y = [end for at, _ in known for end in (at - 0.14, at + 0.14, at, at, at - 0.14, at + 0.14, math.nan)]
        ax.plot(x, y, color=INK, linewidth=1.3)
        ax.axvline(0, color=MUTED, linewidth=1.2)
        if xlim is not None:
            ax.set_xlim(*xlim)
        ax.set_ylim(max(len(shown), 1) - 0.4, -0.6)
        ax.set_yticks(positions, [wrapped(bar.label, wrap) for bar in shown])
        names(list(ax.get_yticklabels()))
        describe(ax, title=title, xlabel=xlabel)
        ax.grid(axis="x", color=FAINT)
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
    return ax
