"""Estimates as dots with their intervals, a line an estimate, on one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairwitness.drawing.canvas import describe, names, style, wrapped
from fairwitness.drawing.palette import FAINT, MUTED, group_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: (name of the series, estimate, low, high, position in the palette)
Point = tuple[str, float, float, float, int]


@dataclass(frozen=True)
class IntervalRow:
    """One measure: a heading and beneath it an estimate with its interval for each series.

    A row with a single point whose series name is empty is drawn on one line, named by ``label``.

    Attributes
    ----------
    label
        Name of the measure.
    points
        ``(series name, estimate, low, high, style index)``; an estimate that is not finite leaves its
        line empty, and says so with a dash.
    reference
        Value of "no difference" for this row alone (a grey line over its height); None for none.
    thresholds
        Values to mark in this row by dotted grey lines.
    """

    label: str
    points: Sequence[Point]
    reference: float | None = None
    thresholds: Sequence[float] = ()


def intervals(
    ax: Axes,
    rows: Sequence[IntervalRow],
    *,
    title: str = "",
    xlabel: str = "",
    reference: float | None = None,
    thresholds: Sequence[float] = (),
    xlim: tuple[float, float] | None = None,
    wrap: int = 34,
) -> Axes:
    """Draw rows of dots with intervals on ``ax``, first row on top.

    Parameters
    ----------
    ax
        Axes to draw on.
    rows
        The measures.
    title, xlabel
        Words around the axes; empty for none.
    reference
        Value of "no difference": a solid grey line over the whole height.
    thresholds
        Values to mark by dotted grey lines.
    xlim
        Range of the axis; None to fit the data.
    wrap
        Characters after which a name at the left is broken.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    with style():
        ticks: list[tuple[float, str, bool]] = []
        y = 0.0
        for row in rows:
            lines: list[float] = []  # where this row has something to compare
            alone = len(row.points) == 1 and not row.points[0][0]
            if not alone:
                ticks.append((y, row.label, True))
                y += 1
            for name, value, low, high, index in row.points:
                ticks.append((y, row.label if alone else name, alone))
                if estimate(ax, y, value, low, high, index):
                    lines.append(y)
                y += 1
            if row.reference is not None:
                _mark(ax, row.reference, lines, dotted=False)
            for threshold in row.thresholds:
                _mark(ax, threshold, lines, dotted=True)
            y += 0.35
        for value in thresholds:
            ax.axvline(value, color=MUTED, linewidth=1, linestyle=(0, (1, 2)), zorder=1)
        if reference is not None:
            ax.axvline(reference, color=MUTED, linewidth=1.2, zorder=1)
        if xlim is not None:
            ax.set_xlim(*xlim)
        ax.set_ylim(max(y - 0.35, 1) - 0.3, -0.7)
        _name_lines(ax, ticks, wrap=wrap)
        describe(ax, title=title, xlabel=xlabel)
        ax.grid(axis="x", color=FAINT)
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
    return ax


def _mark(ax: Axes, value: float, lines: Sequence[float], *, dotted: bool) -> None:
    """Draw a value over the lines of one row."""
    if lines and math.isfinite(value):
        ax.plot(
            [value] * 2,
            (lines[0] - 0.5, lines[-1] + 0.5),
            color=MUTED,
            linewidth=1 if dotted else 1.2,
            linestyle=(0, (1, 2)) if dotted else "-",
            zorder=1,
        )


def estimate(
    ax: Axes, y: float, value: float, low: float, high: float, index: int, *, cap: float = 0.16
) -> bool:
    """Draw one estimate with its interval, whose ends are ``cap`` high; say whether there was one.

    An interval without an estimate (bounds that leave a range open) is drawn without a dot.
    """
    colour, marker = group_style(index)
    between = math.isfinite(low) and math.isfinite(high)
    if not math.isfinite(value) and not between:
        ax.annotate(
            "no value",
            (0.01, y),
            xycoords=("axes fraction", "data"),
            color=MUTED,
            va="center",
            fontsize=11,
        )
        return False
    if between:
        # One line with both ends: the same picture from a third of the paths.
        ends = [low, low, low, high, high, high]
        ax.plot(ends, [y - cap, y + cap, y, y, y - cap, y + cap], color=colour, linewidth=2, zorder=2)
    ax.plot([value], [y], color=colour, marker=marker, markersize=8, linestyle="none", zorder=3)
    return True


def _name_lines(ax: Axes, ticks: Sequence[tuple[float, str, bool]], *, wrap: int) -> None:
    ax.set_yticks([y for y, _, _ in ticks], [wrapped(name, wrap) for _, name, _ in ticks])
    marks = ax.get_yticklabels()
    names(list(marks))
    for mark, (_, _, strong) in zip(marks, ticks, strict=True):
        mark.set_fontweight("bold" if strong else "normal")
