"""Ratios of two shares in a grid: a cell a pair of levels, with its number of rows; few rows are grey."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairwitness.drawing.canvas import label, names, place, size, style, text_width
from fairwitness.drawing.palette import FAINT, INK, group_style
from fairwitness.text import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Points: size of a cell, room above for the columns' names, beneath for words.
_WIDE, _HIGH, _TOP, _FOOT = 92.0, 40.0, 52.0, 26.0
#: Narrowest figure: the words above and beneath have to fit.
_LEAST = 480.0
#: Ratios of 4 and of a quarter have the full colour.
_FULL = 2.0


@dataclass(frozen=True)
class HeatCell:
    """A ratio (1 is no difference, NaN not known), the rows behind it, and whether they are few."""

    ratio: float
    n: int
    few: bool


def heat_size(rows: Sequence[str], columns: Sequence[str]) -> tuple[float, float]:
    """Give the width and height in points that :func:`heat` needs."""
    return max(_left(rows) + _WIDE * len(columns) + 12, _LEAST), _TOP + _HIGH * len(rows) + _FOOT


def heat(
    ax: Axes,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[HeatCell]],
    *,
    title: str = "",
    xlabel: str = "",
) -> Axes:
    """Draw a grid of ratios: colour by the logarithm, above 1 one colour, below it another.

    Parameters
    ----------
    ax
        The only axes of its figure, of the size that :func:`heat_size` gives.
    rows, columns
        Names of the levels.
    cells
        One list a row, with one cell a column. Every cell holds its ratio and its n in text.
    title, xlabel
        Words above and beneath.
    """
    from matplotlib.patches import Rectangle

    with style():
        wide, _ = size(ax)
        left = _left(rows)
        place(ax, left=left, top=_TOP, right=max(wide - left - _WIDE * len(columns), 12), bottom=_FOOT)
        inside = _WIDE * len(columns)
        for i, line in enumerate(cells):
            for j, cell in enumerate(line):
                known = math.isfinite(cell.ratio) and cell.ratio > 0 and not cell.few
                power = math.log2(cell.ratio) if known else 0.0
                colour = group_style(0 if power >= 0 else 1)[0] if known else FAINT
                strength = 0.12 + 0.55 * min(abs(power) / _FULL, 1.0) if known else 0.35
                ax.add_patch(Rectangle((j, i), 0.97, 0.95, facecolor=colour, alpha=strength, linewidth=0))
                said = f"×{number(cell.ratio, 2)}" if math.isfinite(cell.ratio) else "–"
                ax.text(
                    j + 0.485,
                    i + 0.475,
                    f"{said}\nn = {cell.n:,}",
                    ha="center",
                    va="center",
                    fontsize=11,
                    color=INK,
                    parse_math=False,
                )
        ax.set_xlim(0, len(columns))
        ax.set_ylim(len(rows), 0)
        ax.set_xticks([j + 0.5 for j in range(len(columns))], [label(name, most=13) for name in columns])
        ax.set_yticks([i + 0.5 for i in range(len(rows))], [label(name, most=22) for name in rows])
        names([*ax.get_xticklabels(), *ax.get_yticklabels()])
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
        start = -(left - 8) / inside * len(columns)
        letters = int((wide - 16) / 7)
        words = {"ha": "left", "color": INK, "parse_math": False}
        ax.text(start, -0.95, label(title, most=letters), fontweight="bold", fontsize=13, **words)  # type: ignore[arg-type]
        ax.text(start, len(rows) + 0.45, label(xlabel, most=letters), fontsize=11, **words)  # type: ignore[arg-type]
    return ax


def _left(rows: Sequence[str]) -> float:
    return max((text_width(label(name, most=22)) for name in rows), default=0.0) + 14
