"""Two sets of rows beside each other: for every level of a column a bar a set, and ticks where real rows are.

Everything is placed in points from the top left corner, so that the height follows from what is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairwitness.drawing.canvas import describe, label, names, percentages, place, size, style, text_width
from fairwitness.drawing.palette import FAINT, INK, MUTED, group_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Points: height of a bar, of the gap between levels, of a column's name, of the key, beneath the axis.
_BAR, _GAP, _NAME, _KEY, _FOOT = 6.5, 6.0, 24.0, 26.0, 44.0
_MOST, _RIGHT, _LETTERS = 170.0, 18.0, 22


@dataclass(frozen=True)
class LevelBars:
    """One level of a column: a value for each set, and for each the same of real rows (NaN for none)."""

    label: str
    values: Sequence[float]
    ticks: Sequence[float] = ()


@dataclass(frozen=True)
class Profile:
    """One column: its name and its levels, first level on top."""

    label: str
    levels: Sequence[LevelBars]


def profiles_height(columns: Sequence[Profile]) -> float:
    """Give the height in points that :func:`profiles` needs."""
    sets = max((len(level.values) for column in columns for level in column.levels), default=1)
    levels = sum(len(column.levels) for column in columns)
    return _KEY + len(columns) * _NAME + levels * (sets * _BAR + _GAP) + _FOOT


def profiles(
    ax: Axes,
    columns: Sequence[Profile],
    *,
    sets: Sequence[str],
    xlabel: str = "",
    tick_label: str = "",
    percent: bool = True,
    symmetric: bool = False,
) -> Axes:
    """Draw columns beneath each other on one axis.

    Parameters
    ----------
    ax
        The only axes of its figure, which has the height that :func:`profiles_height` gives.
    columns
        What to draw, first column on top.
    sets
        Names of the sets, in the order of the values; colours are the palette's.
    xlabel
        Words under the axis.
    tick_label
        What the short ticks are; empty if there are none.
    percent
        Write the values of the axis as percentages.
    symmetric
        Keep 0 in the middle, for differences.
    """
    _, height = size(ax)
    shown = [label(level.label, most=_LETTERS) for column in columns for level in column.levels]
    left = min(max(map(text_width, shown), default=0.0), _MOST) + 14
    values = [v for column in columns for level in column.levels for v in (*level.values, *level.ticks)]
    most = max((abs(v) for v in values if math.isfinite(v)), default=0.0) * 1.04 or 1.0
    with style():
        place(ax, left=left, top=0, right=_RIGHT, bottom=_FOOT)
        y, places = _KEY, list[float]()
        for column in columns:
            head = (-left + 8) / max(size(ax)[0] - left - _RIGHT, 1)
            ax.text(
                head,
                y + _NAME / 2 + 2,
                label(column.label),
                transform=ax.get_yaxis_transform(),
                ha="left",
                va="center",
                fontweight="bold",
                color=INK,
                parse_math=False,
            )
            y += _NAME
            for level in column.levels:
                places.append(y + _BAR * len(level.values) / 2)
                _level(ax, level, y)
                y += _BAR * len(level.values) + _GAP
        ax.set_xlim(-most if symmetric else 0, most)
        ax.set_ylim(max(height - _FOOT, 1), 0)
        ax.set_yticks(places, shown)
        names(list(ax.get_yticklabels()))
        low, high = ax.get_xlim()
        ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
        ax.vlines(ticks, _KEY, max(height - _FOOT, 1), color=FAINT, linewidth=0.6, zorder=0)
        ax.vlines([0], _KEY, max(height - _FOOT, 1), color=MUTED, linewidth=1)
        ax.set_xticks(ticks)
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        if percent:
            percentages(ax.xaxis)
        _key(ax, sets, tick_label)
        describe(ax, title="", xlabel=xlabel)
    return ax


def _level(ax: Axes, level: LevelBars, y: float) -> None:
    for at, value in enumerate(level.values):
        middle = y + _BAR * (at + 0.5)
        if math.isfinite(value):
            ax.barh([middle], [value], height=_BAR - 1, color=group_style(at)[0], linewidth=0)
        tick = level.ticks[at] if at < len(level.ticks) else math.nan
        if math.isfinite(tick):
            ends = [middle - _BAR / 2 - 1, middle + _BAR / 2 + 1]
            ax.plot([tick] * 2, ends, color=INK, linewidth=1.8, zorder=4)


def _key(ax: Axes, sets: Sequence[str], tick_label: str) -> None:
    """Say above the axes which colour is which set, and what the ticks are."""
    width, _ = size(ax)
    inside = max(width - _RIGHT, 1)
    x = 8.0
    box = ax.get_position()
    entries = [*((name, at) for at, name in enumerate(sets)), *([(tick_label, None)] if tick_label else [])]
    for name, at in entries:
        fraction = (x / width - box.x0) / box.width
        place_x = {"transform": ax.get_yaxis_transform(), "clip_on": False}
        if at is None:
            ax.plot([fraction] * 2, [8, 18], color=INK, linewidth=1.8, **place_x)  # type: ignore[arg-type]
        else:
            ax.plot([fraction], [13], color=group_style(at)[0], marker="s", ls="none", **place_x)  # type: ignore[arg-type]
        shown = label(name, most=max(int((inside - x) / 7), 8))
        ax.text(
            fraction + 10 / (box.width * width),
            13,
            shown,
            transform=ax.get_yaxis_transform(),
            va="center",
            color=INK,
            parse_math=False,
        )
        x += text_width(shown) + 24
