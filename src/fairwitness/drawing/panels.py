"""Several measures on one axis: a row a measure, and in it each group's estimate with its interval.

Everything is placed in points from the top left corner, so that nothing has to be laid out twice and the
height follows from what there is to draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairwitness.drawing.canvas import (
    LETTER,
    describe,
    label,
    percentages,
    place,
    size,
    style,
    text_width,
    wrapped,
)
from fairwitness.drawing.dots import Point, estimate
from fairwitness.drawing.palette import FAINT, INK, MUTED, group_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Points: between two groups of a row, between rows, above a row's name, for a heading, under a panel.
_LINE, _GAP, _NAME, _HEAD, _APART = 15.0, 13.0, 17.0, 21.0, 12.0
#: Points: beneath the axis, right of it, and what a name at the left may take.
_FOOT, _RIGHT, _MOST = 44.0, 16.0, 210.0
_WRAP = 26
#: The short grey tick.
_BESIDE: dict[str, Any] = {"color": MUTED, "linewidth": 2.2}
#: An entry of the key: where it starts, its words, its style index (None for the grey tick).
_Entry = tuple[float, str, int | None]


@dataclass(frozen=True)
class Measure:
    """One row: a measure, and each group's estimate with its interval.

    Attributes
    ----------
    label
        Name of the measure.
    points
        ``(group, estimate, low, high, style index)``; an estimate that is not finite leaves a dash.
    beside
        For each point, a value to compare it with (a short grey tick; NaN for none); empty for none at all.
    reference
        Value of "no difference" (a grey line over the row); None for none.
    thresholds
        Values to mark by dotted grey lines.
    """

    label: str
    points: Sequence[Point]
    beside: Sequence[float] = ()
    reference: float | None = None
    thresholds: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """Measures of the same groups, under a heading that says which marker is which group.

    ``beside_label`` says what the short grey ticks are; empty to say nothing.
    """

    label: str
    measures: Sequence[Measure]
    beside_label: str = ""

    @property
    def key(self) -> list[tuple[str, int | None]]:
        """Each group's name and style index, in order of appearance; None for the grey ticks."""
        points = (point for row in self.measures for point in row.points if point[0])
        groups: list[tuple[str, int | None]] = list(dict.fromkeys((name, at) for name, *_, at in points))
        ticked = any(math.isfinite(value) for row in self.measures for value in row.beside)
        return [*groups, (self.beside_label, None)] if ticked and self.beside_label else groups


def measures_height(panels: Sequence[Panel], width: float, *, stacked: bool = False) -> float:
    """Give the height in points that :func:`measures` needs in a figure of this width."""
    return sum(_height(panel, width, stacked=stacked) for panel in panels) + _FOOT


def measures(
    ax: Axes,
    panels: Sequence[Panel],
    *,
    xlabel: str = "",
    xlim: tuple[float, float] | None = None,
    percent: bool = False,
    stacked: bool = False,
) -> Axes:
    """Draw panels beneath each other on one axis.

    Parameters
    ----------
    ax
        The only axes of its figure, which has the height that :func:`measures_height` gives; its place in the
        figure is set here.
    panels
        What to draw, first panel on top.
    xlabel
        Words under the axis; empty for none.
    xlim
        Range of the axis; None to fit the data.
    percent
        Write the values of the axis as percentages.
    stacked
        Put a measure's name above its row instead of at its left, for narrow figures.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    width, height = size(ax)
    bottom = height - _FOOT
    left = 8.0 if stacked else _left(panels)
    with style():
        place(ax, left=left, top=0, right=_RIGHT, bottom=_FOOT)
        top, bodies = 0.0, list[tuple[float, float]]()
        for panel in panels:
            y = top + _heading(ax, panel, top, width, height)
            for row in panel.measures:
                start = y + (_NAME if stacked else 0)
                y = _row(ax, row, y, left=left, height=height, stacked=stacked)
                bodies.append((start, y - (_GAP if stacked else 0)))
            top += _height(panel, width, stacked=stacked)
        if xlim is not None:
            ax.set_xlim(*xlim)
        ax.set_ylim(max(bottom, 1), 0)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        _scale(ax, bodies, percent=percent)
        describe(ax, title="", xlabel=xlabel)
    return ax


def _scale(ax: Axes, bodies: Sequence[tuple[float, float]], *, percent: bool) -> None:
    """Set the ticks, with grid lines behind rows only: they would run through names."""
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    ax.set_xticks(ticks)
    if percent:
        percentages(ax.xaxis)
    # One line with gaps: one path, where a line each would be a hundred.
    where = [(tick, start, end) for tick in ticks for start, end in bodies]
    x = [value for tick, _, _ in where for value in (tick, tick, math.nan)]
    y = [value for _, start, end in where for value in (start, end, math.nan)]
    ax.plot(x, y, color=FAINT, linewidth=0.6, solid_capstyle="butt", zorder=0)
    ax.set_xlim(low, high)


def _heading(ax: Axes, panel: Panel, top: float, width: float, height: float) -> float:
    """Write a panel's name and its key; give the height of both."""
    lines = list(_key_lines(panel, width))
    for at, line in enumerate(lines):
        y = top + _HEAD * (at + 0.5)
        if at == 0 and panel.label:
            _text(ax, label(panel.label), 0, y, height, weight="bold")
        for x, name, index in line:
            place = {"transform": _points(ax), "clip_on": False}
            if index is None:
                ax.plot([x + 4] * 2, [height - y - 5, height - y + 5], **_BESIDE, **place)
            else:
                colour, marker = group_style(index)
                ax.plot([x + 4], [height - y], color=colour, marker=marker, markersize=7, ls="none", **place)
            _text(ax, name, x + 13, y, height)
    return _HEAD * len(lines) + 2 if lines else 0.0


def _key_lines(panel: Panel, width: float) -> Iterator[list[_Entry]]:
    """Put the groups' names beside each other as long as they fit, then on further lines."""
    indent = text_width(label(panel.label), bold=True) + 16 if panel.label else 0.0
    if indent > width / 2:
        yield []
        indent = 0.0
    x, line = indent, list[_Entry]()
    for name, index in panel.key:
        shown = label(name, most=max(int((width - indent - 24) / LETTER), 8))
        needed = text_width(shown) + 30
        if line and x + needed > width:
            yield line
            x, line = indent, []
        line.append((x, shown, index))
        x += needed
    if line or panel.label:
        yield line


def _row(ax: Axes, row: Measure, y: float, *, left: float, height: float, stacked: bool) -> float:
    """Draw one measure from ``y`` downwards; give where the next one starts."""
    name = wrapped(row.label, _WRAP + 16 if stacked else _WRAP)
    body = _body(row, stacked=stacked)
    if stacked:
        _text(ax, name, left, y + _NAME / 2, height)
        y += _NAME
    first = y + (body - _LINE * (len(row.points) - 1)) / 2
    if not stacked:
        _text(ax, name, left - 10, y + body / 2, height, right=True)
    lines = [first + _LINE * at for at in range(len(row.points))]
    drawn = [
        line
        for line, (_, value, low, high, index) in zip(lines, row.points, strict=True)
        if estimate(ax, line, value, low, high, index, cap=3.5)
    ]
    for line, value in zip(lines, row.beside, strict=False):
        if math.isfinite(value):
            ax.plot([value] * 2, [line - 6, line + 6], **_BESIDE, zorder=4)
    marks = [(row.reference, "-")] if row.reference is not None else []
    for mark, line_style in [*marks, *((value, ":") for value in row.thresholds)]:
        if drawn and math.isfinite(mark):
            ends = [drawn[0] - _LINE / 2, drawn[-1] + _LINE / 2]
            ax.plot([mark] * 2, ends, color=MUTED, linewidth=1.1, linestyle=line_style, zorder=1)
    return y + body + _GAP


def _height(panel: Panel, width: float, *, stacked: bool) -> float:
    heading = len(list(_key_lines(panel, width)))
    rows = sum(_body(row, stacked=stacked) + _GAP + (_NAME if stacked else 0) for row in panel.measures)
    return (_HEAD * heading + 2 if heading else 0.0) + rows + _APART


def _body(row: Measure, *, stacked: bool) -> float:
    lines = 1 if stacked else wrapped(row.label, _WRAP).count("\n") + 1
    return max(_LINE * len(row.points), 15.0 * lines)


def _left(panels: Sequence[Panel]) -> float:
    """Give the room that names at the left take."""
    names = [line for p in panels for row in p.measures for line in wrapped(row.label, _WRAP).split("\n")]
    return min(max(map(text_width, names), default=0.0), _MOST) + 16


def _points(ax: Axes) -> Any:
    """Give the transform from points, counted from the figure's lower left corner."""
    fig = ax.get_figure()
    assert fig is not None
    from matplotlib.transforms import Affine2D

    return Affine2D().scale(fig.dpi / 72)


def _text(
    ax: Axes, text: str, x: float, y: float, height: float, *, weight: str = "normal", right: bool = False
) -> None:
    """Write a name at a place counted in points from the top left corner."""
    ax.text(
        x,
        height - y,
        text,
        transform=_points(ax),
        ha="right" if right else "left",
        va="center_baseline" if "\n" not in text else "center",
        fontweight=weight,
        color=INK,
        parse_math=False,
    )
