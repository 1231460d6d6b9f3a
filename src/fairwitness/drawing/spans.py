"""Panels of ranges on one axis, with 0, a tolerance, and words beside each: for pages of any width.

The lines mean what they mean in :mod:`fairwitness.drawing.range_rows`; everything is placed in points from
the top left corner, so that the height follows from what there is to draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairwitness.drawing.canvas import describe, label, place, size, style, text_width, wrapped
from fairwitness.drawing.palette import FAINT, GROUP_COLOURS, INK, MUTED
from fairwitness.drawing.range_rows import Range

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Points: a line of text, a bar's body, between two rows, a heading, beneath the axis, between columns.
_LINE, _BAR, _GAP, _HEAD, _FOOT, _APART = 15.0, 17.0, 9.0, 24.0, 46.0, 14.0
_THICK = 9.0  # height of a bar itself
#: Letters after which a name at the left is broken, and points that columns of words may take.
_WRAP, _MOST = 34, 245.0
#: Lines of a name: people told apart by several columns have long ones.
_LINES = 4
#: A bar narrower than this many points is drawn as a mark.
_NARROW = 6.0


@dataclass(frozen=True)
class RangePanel:
    """Ranges under one heading; an empty heading takes no room.

    ``strong`` is the position of the row that counts, whose name is bold; -1 for none.
    """

    label: str
    rows: Sequence[Range]
    strong: int = -1


def range_panels_height(panels: Sequence[RangePanel], width: float, *, stacked: bool = False) -> float:
    """Give the height in points that :func:`range_panels` needs in a figure of this width."""
    rows = sum(_height(row, width, stacked=stacked) + _GAP for panel in panels for row in panel.rows)
    return rows + sum(_HEAD for panel in panels if panel.label) + _FOOT


def range_panels(
    ax: Axes,
    panels: Sequence[RangePanel],
    *,
    xlabel: str = "",
    tolerance: float | None = None,
    scale: float = 1.0,
    stacked: bool = False,
) -> Axes:
    """Draw panels of ranges beneath each other on one axis.

    Parameters
    ----------
    ax
        The only axes of its figure, which has the height that :func:`range_panels_height` gives; its place
        in the figure is set here.
    panels
        What to draw, first panel on top.
    xlabel
        Words under the axis; empty for none.
    tolerance
        Values between minus this and this are shaded; None for no shade.
    scale
        What a value of 1 is on the axis: 100 for percentage points.
    stacked
        Put names and words above each bar instead of beside it, for narrow figures.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    width, height = size(ax)
    rows = [row for panel in panels for row in panel.rows]
    left, right = (10.0, 14.0) if stacked else (_column(panels, "label"), _column(panels, "beside"))
    with style():
        place(ax, left=left, top=0, right=right, bottom=_FOOT)
        ax.set_ylim(max(height - _FOOT, 1), 0)
        low, high = _limits(rows, tolerance, scale)
        ax.set_xlim(low, high)
        unit = (high - low) / max(width - left - right, 1)
        top, bodies = 0.0, list[tuple[float, float]]()
        for panel in panels:
            if panel.label:
                _text(ax, label(panel.label, most=90), 0, top + _HEAD / 2, height, weight="bold")
                top += _HEAD
            for at, row in enumerate(panel.rows):
                weight = "bold" if at == panel.strong else "normal"
                body = _row(ax, row, top, weight=weight, left=left, right=right, stacked=stacked)
                _bar(ax, row, (body[0] + body[1]) / 2, scale, unit)
                bodies.append(body)
                top += _height(row, width, stacked=stacked) + _GAP
        _scenery(ax, bodies, tolerance, scale)
        ax.set_xlim(low, high)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        describe(ax, title="", xlabel=xlabel)
    return ax


def _limits(rows: Sequence[Range], tolerance: float | None, scale: float) -> tuple[float, float]:
    """Give the ends of the axis: all that is drawn, 0 and the tolerance, and a little more."""
    ends = [0.0, *([] if tolerance is None else [-tolerance, tolerance])]
    for row in rows:
        ends += [end for end in (row.low, row.high, *(row.interval or ())) if math.isfinite(end)]
    low, high = min(ends) * scale, max(ends) * scale
    room = 0.04 * max(high - low, 1e-9)
    return low - room, high + room


def _scenery(ax: Axes, bodies: Sequence[tuple[float, float]], tolerance: float | None, scale: float) -> None:
    """Draw tolerance, grid and the line of no effect behind the bars only: they would run through names."""
    from matplotlib.patches import Rectangle

    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    ax.set_xticks(ticks)
    if tolerance is not None:
        for top, bottom in bodies:
            size_ = (2 * tolerance * scale, bottom - top)
            ax.add_patch(
                Rectangle(
                    (-tolerance * scale, top), *size_, facecolor=FAINT, alpha=0.55, linewidth=0, zorder=0
                )
            )
    lines: list[tuple[Sequence[float], dict[str, Any]]] = [
        (ticks, {"color": FAINT, "linewidth": 0.6}),
        ([0.0], {"color": MUTED, "linewidth": 1.3}),
    ]
    if tolerance is not None:
        dotted = {"color": MUTED, "linewidth": 1.0, "linestyle": (0, (1, 2))}
        lines.append(([-tolerance * scale, tolerance * scale], dotted))
    for values, look in lines:
        x = [value for at in values for _ in bodies for value in (at, at, math.nan)]
        y = [value for _ in values for top, bottom in bodies for value in (top, bottom, math.nan)]
        ax.plot(x, y, solid_capstyle="butt", zorder=1, **look)


def _row(
    ax: Axes,
    row: Range,
    y: float,
    *,
    weight: str,
    left: float,
    right: float,
    stacked: bool,
) -> tuple[float, float]:
    """Write the words of one range from ``y`` downwards; give where its body stands."""
    width, height = size(ax)
    if stacked:
        names, words = _stacked(row, width)
        for at, (text, muted) in enumerate([*((n, False) for n in names), *((w, True) for w in words)]):
            place_ = y + _LINE * (at + 0.5)
            _text(ax, text, left, place_, height, weight="normal" if muted else weight, muted=muted)
        y += _LINE * (len(names) + len(words))
        return y + 1, y + _BAR
    bottom = y + _height(row, width, stacked=False)
    middle = (y + bottom) / 2
    _text(
        ax, wrapped(row.label, _WRAP, most=_LINES), left - _APART, middle, height, weight=weight, right=True
    )
    _text(ax, wrapped(row.beside, _WRAP, most=_LINES), width - right + _APART, middle, height)
    return y - _GAP / 2, bottom + _GAP / 2


def _bar(ax: Axes, row: Range, y: float, scale: float, unit: float) -> None:
    """Draw one range at height ``y``; ``unit`` is the width of a point in the axis' own numbers."""
    from matplotlib.patches import Rectangle

    colour, low, high = GROUP_COLOURS[0], row.low * scale, row.high * scale
    if row.interval is not None and all(map(math.isfinite, row.interval)):
        a, b = (end * scale for end in row.interval)
        ax.plot([a, a, a, b, b, b], [y - 4, y + 4, y, y, y - 4, y + 4], color=INK, linewidth=1.2, zorder=2.5)
    if row.kind == "none" or not (math.isfinite(low) and math.isfinite(high)):
        return

    def box(start: float, end: float, **look: Any) -> None:
        place_ = (start, y - _THICK / 2)
        ax.add_patch(Rectangle(place_, end - start, _THICK, **{"linewidth": 1.0, "zorder": 2, **look}))

    if row.kind == "hollow":
        box(low, high, facecolor="none", edgecolor=MUTED, hatch="////")
    elif row.kind == "point" or high - low < _NARROW * unit:
        ax.plot([(low + high) / 2], [y], color=colour, marker="D", markersize=7.5, linestyle="none", zorder=3)
    else:
        inner = row.attained
        first, last = (low, high) if inner is None else (inner[0] * scale, inner[1] * scale)
        if first > low or last < high:
            box(low, high, facecolor=colour, edgecolor="none", alpha=0.35)
        if last > first:
            box(first, last, facecolor=colour, edgecolor=colour)


def _stacked(row: Range, width: float) -> tuple[list[str], list[str]]:
    letters = max(int((width - 24) / 7), 10)
    names = wrapped(row.label, letters, most=_LINES).split("\n")
    return names, wrapped(row.beside, letters, most=_LINES).split("\n") if row.beside else []


def _height(row: Range, width: float, *, stacked: bool) -> float:
    if stacked:
        names, words = _stacked(row, width)
        return _LINE * (len(names) + len(words)) + _BAR
    lines = max(wrapped(words, _WRAP, most=_LINES).count("\n") + 1 for words in (row.label, row.beside))
    return max(_BAR, _LINE * lines)


def _column(panels: Sequence[RangePanel], name: str) -> float:
    """Give the room that a column of words takes."""
    wide = [
        text_width(line, bold=name == "label" and at == panel.strong)
        for panel in panels
        for at, row in enumerate(panel.rows)
        for line in wrapped(getattr(row, name), _WRAP, most=_LINES).split("\n")
    ]
    return min(max(wide, default=0.0), _MOST) + _APART + 4


def _text(
    ax: Axes,
    text: str,
    x: float,
    y: float,
    height: float,
    *,
    weight: str = "normal",
    right: bool = False,
    muted: bool = False,
) -> None:
    """Write words at a place counted in points from the top left corner."""
    from matplotlib.transforms import Affine2D

    fig = ax.get_figure()
    assert fig is not None
    ax.text(
        x,
        height - y,
        text,
        transform=Affine2D().scale(fig.dpi / 72),
        ha="right" if right else "left",
        va="center_baseline" if "\n" not in text else "center",
        fontweight=weight,
        color=MUTED if muted else INK,
        parse_math=False,
    )
