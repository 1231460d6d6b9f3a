"""Ranges on one axis: what cannot be excluded as a thick line, how sure that is as a thin one.

A range is no estimate with an error: nothing inside it is more likely than anything else. So it has no dot.
Where it is known not to be one, it is drawn hollow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from fairwitness.drawing.canvas import describe, label, names, style, wrapped
from fairwitness.drawing.palette import FAINT, GROUP_COLOURS, INK, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind: TypeAlias = Literal["range", "point", "hollow", "none"]

_HEIGHT = 0.3  # of a thick line, in rows
_CAP = 0.15
_LINE = 15.0  # points a line of text needs
_ROW = 26.0
_HEAD, _FOOT, _KEY = 34.0, 46.0, 22.0
_BESIDE = 36  # letters in a line of what stands beside
_NAME = 30
_KEYS = 4  # in a line of the key


@dataclass(frozen=True)
class Range:
    """One line of the picture.

    Attributes
    ----------
    label
        What it is about.
    low, high
        Its ends: the thick line. Equal for a point, NaN where there is none.
    kind
        ``"range"``; ``"point"`` (drawn as a diamond); ``"hollow"`` (it says nothing: drawn as an empty box);
        ``"none"``.
    attained
        Ends that are known to be possible; between them and ``low`` and ``high`` the line is pale.
    interval
        Ends of a confidence interval around it: the thin line; ``None`` for none.
    beside
        Words at the right.
    """

    label: str
    low: float
    high: float
    kind: Kind = "range"
    attained: tuple[float, float] | None = None
    interval: tuple[float, float] | None = None
    beside: str = ""


def ranges_height(rows: Sequence[Range], *, subtitle: str = "") -> float:
    """Give the height in points that :func:`ranges` needs."""
    kinds = {row.kind for row in rows} | {"interval" for row in rows if row.interval is not None}
    lines = 2 if len(kinds) >= _KEYS else 1
    above = _HEAD + _KEY * (lines + bool(subtitle))
    return above + _FOOT + sum(_row_height(row) for row in rows)


def _row_height(row: Range) -> float:
    lines = max(len(_name(row).split("\n")), len(_beside(row).split("\n")) if row.beside else 1)
    return max(_ROW, _LINE * lines + 10)


def _name(row: Range) -> str:
    return wrapped(row.label, _NAME)


def _beside(row: Range) -> str:
    import textwrap

    lines = textwrap.wrap(label(row.beside, most=240), _BESIDE) or [""]
    return "\n".join([*lines[:4], f"{lines[4][: _BESIDE - 1]}…"] if len(lines) > 5 else lines)


def ranges(
    ax: Axes,
    rows: Sequence[Range],
    *,
    title: str = "",
    subtitle: str = "",
    xlabel: str = "",
    reference: float | None = 0.0,
    thresholds: Sequence[float] = (),
    interval_label: str = "confidence interval",
    hollow_label: str = "says nothing",
    xlim: tuple[float, float] | None = None,
    key: bool = True,
) -> Axes:
    """Draw ranges beneath each other, first row on top.

    Parameters
    ----------
    ax
        Axes to draw on; :func:`ranges_height` says how high their figure should be.
    rows
        What to draw.
    title, subtitle, xlabel
        Words around the axes; empty for none.
    reference
        Value of "no effect": a solid grey line over the whole height.
    thresholds
        Values to mark by dotted grey lines.
    interval_label, hollow_label
        What thin lines and empty boxes are, for the key.
    xlim
        Range of the axis; None to fit the data, with ``reference`` and ``thresholds`` inside.
    key
        Say above the axes what the kinds of lines are.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    with style():
        places, y = [], 0.0
        for row in rows:
            half = _row_height(row) / _ROW / 2
            places.append(y + half)
            y += 2 * half
        for at, row in zip(places, rows, strict=True):
            _draw(ax, at, row)
        for value in thresholds:
            ax.axvline(value, color=MUTED, linewidth=1.1, linestyle=(0, (1, 2)), zorder=1)
        if reference is not None:
            ax.axvline(reference, color=MUTED, linewidth=1.2, zorder=1)
        ax.set_xlim(*(xlim or _limits(rows, reference, thresholds)))
        ax.set_ylim(max(y, 1.0), 0.0)
        ax.set_yticks(places, [_name(row) for row in rows])
        names(list(ax.get_yticklabels()))
        describe(ax, title=title, xlabel=xlabel)
        ax.grid(axis="x", color=FAINT)
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        lines = _key(ax, rows, interval_label, hollow_label) if key else 0
        if subtitle:
            ax.annotate(
                label(subtitle, most=110),
                (0, 1),
                xycoords="axes fraction",
                xytext=(0, 6 + _KEY * lines),
                textcoords="offset points",
                color=INK,
                fontsize=11.5,
                parse_math=False,
            )
            lines += 1
        if title:
            ax.set_title(ax.get_title(loc="left"), loc="left", pad=6 + _KEY * lines, parse_math=False)
    return ax


def _draw(ax: Axes, y: float, row: Range) -> None:
    from matplotlib.patches import Rectangle

    colour = GROUP_COLOURS[0]
    known = math.isfinite(row.low) and math.isfinite(row.high)
    if row.interval is not None and all(map(math.isfinite, row.interval)):
        low, high = row.interval
        ends = [low, low, low, high, high, high]
        ax.plot(ends, [y - _CAP, y + _CAP, y, y, y - _CAP, y + _CAP], color=INK, linewidth=1.2, zorder=2.5)
    if not known or row.kind == "none":
        ax.annotate(
            "no bounds", (0.01, y), xycoords=("axes fraction", "data"), color=MUTED, va="center", fontsize=11
        )
    elif row.kind == "point":
        middle = (row.low + row.high) / 2
        ax.plot([middle], [y], color=colour, marker="D", markersize=7.5, linestyle="none", zorder=3)
    elif row.kind == "hollow":
        ax.add_patch(_box(Rectangle, row.low, row.high, y, facecolor="none", edgecolor=MUTED, hatch="////"))
    else:
        inner = row.attained or (row.low, row.high)
        if inner[0] > row.low or inner[1] < row.high:
            ax.add_patch(_box(Rectangle, row.low, row.high, y, facecolor=colour, alpha=0.35))
        if inner[1] > inner[0]:
            ax.add_patch(_box(Rectangle, *inner, y, facecolor=colour, edgecolor=colour))
    if row.beside:
        ax.annotate(
            _beside(row),
            (1.02, y),
            xycoords=("axes fraction", "data"),
            va="center",
            ha="left",
            color=INK,
            fontsize=11,
            parse_math=False,
            annotation_clip=False,
        )


def _box(rectangle: type, low: float, high: float, y: float, **look: object):  # type: ignore[no-untyped-def]
    return rectangle((low, y - _HEIGHT / 2), high - low, _HEIGHT, linewidth=1.0, zorder=2, **look)


def _limits(
    rows: Sequence[Range], reference: float | None, thresholds: Sequence[float]
) -> tuple[float, float]:
    values = [value for row in rows for value in (row.low, row.high, *(row.interval or ()))]
    values += [*thresholds, *(() if reference is None else (reference,))]
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    room = 0.04 * (high - low) or 0.05
    return low - room, high + room


def _key(ax: Axes, rows: Sequence[Range], interval_label: str, hollow_label: str) -> int:
    """Name the kinds of lines there are, above the axes; give the number of lines that takes."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    colour = GROUP_COLOURS[0]
    kinds = {row.kind for row in rows}
    handles: list[Line2D | Patch] = []
    if "range" in kinds:
        handles.append(Patch(facecolor=colour, label="possible"))
    if any(row.kind == "range" and row.attained not in (None, (row.low, row.high)) for row in rows):
        handles.append(Patch(facecolor=colour, alpha=0.35, label="not excluded"))
    if "point" in kinds:
        handles.append(
            Line2D([], [], color=colour, marker="D", markersize=7.5, linestyle="none", label="one value")
        )
    if "hollow" in kinds:
        handles.append(Patch(facecolor="none", edgecolor=MUTED, hatch="////", label=label(hollow_label)))
    if any(row.interval is not None for row in rows):
        handles.append(Line2D([], [], color=INK, linewidth=1.2, label=label(interval_label)))
    if not handles:
        return 0
    box = ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=min(len(handles), _KEYS),
        borderaxespad=0.2,
        handlelength=1.8,
        handleheight=0.5,
        columnspacing=1.4,
        fontsize=11,
    )
    names(list(box.get_texts()))
    return -(-len(handles) // _KEYS)
