"""Figures without pyplot, and the one style they are drawn in."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fairwitness.drawing.palette import FAINT, INK, MUTED
from fairwitness.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

#: Width of a letter in points, on the safe side for a type of 12 points.
LETTER = 7.0

_STYLE: dict[str, object] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.grid": False,
    "axes.labelcolor": INK,
    "axes.labelsize": 12,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.unicode_minus": True,
    "figure.dpi": 72,
    "figure.edgecolor": "none",
    "figure.facecolor": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 12,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.fontsize": 12,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 6.5,
    "svg.fonttype": "none",
    "text.color": INK,
    # A label may hold dollar signs; it is a name, not mathematics.
    "text.parse_math": False,
    "text.usetex": False,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 12,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 12,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw in the house style inside the ``with``; settings of the caller come back afterwards."""
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]
        yield


def figure(width: float = 640, height: float = 360) -> tuple[Figure, Axes]:
    """Make an empty figure with one pair of axes, by the object interface (no pyplot state).

    Parameters
    ----------
    width, height
        Size in points; one point is one CSS pixel where the SVG is shown at its natural size.

    Returns
    -------
    fig, ax
        matplotlib ``Figure`` and ``Axes``.
    """
    from matplotlib.figure import Figure

    with style():
        fig = Figure(figsize=(width / 72, height / 72), dpi=72, layout="constrained")
        return fig, fig.add_subplot()


def place(ax: Axes, *, left: float, top: float = 8, right: float = 16, bottom: float = 44) -> None:
    """Put the only axes of a figure at fixed margins in points, instead of having them laid out.

    Laying out takes longer than drawing; where names are short enough to estimate, it is not needed.
    """
    width, height = size(ax)
    _figure(ax).set_layout_engine("none")
    wide, high = max(1 - (left + right) / width, 0.1), max(1 - (top + bottom) / height, 0.1)
    ax.set_position((left / width, bottom / height, wide, high))


def size(ax: Axes) -> tuple[float, float]:
    """Give width and height of the figure that ``ax`` stands in, in points."""
    width, height = _figure(ax).get_size_inches()
    return 72 * float(width), 72 * float(height)


def _figure(ax: Axes) -> Figure:
    from matplotlib.figure import Figure

    found = ax.get_figure()
    assert isinstance(found, Figure)
    return found


def text_width(text: str, *, bold: bool = False) -> float:
    """Estimate how wide a text is drawn, in points and on the safe side: the reader's font is not known."""
    lines = text.split("\n")
    letters = max(sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line) for line in lines)
    return letters * LETTER * (1.15 if bold else 1)


def label(value: object, *, most: int = 48) -> str:
    """Make a name safe to draw: as :func:`fairwitness.text.plain`, and nothing that XML forbids."""
    text = plain(value, most=most)
    return "".join("\ufffd" if unicodedata.category(c) == "Cn" else c for c in text)


def names(texts: list[Text]) -> None:
    """Say that ``texts`` are names: dollar signs in them are drawn, not typeset."""
    for text in texts:
        text.set_parse_math(False)


def describe(ax: Axes, *, title: str, xlabel: str, ylabel: str = "") -> None:
    """Set title and axis labels, as names."""
    ax.set_title(label(title, most=120), parse_math=False)
    ax.set_xlabel(label(xlabel, most=120), parse_math=False)
    ax.set_ylabel(label(ylabel, most=120), parse_math=False)


def percentages(axis: Axis) -> None:
    """Write the values of an axis, which are fractions, as percentages."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))


def wrapped(name: object, width: int, *, most: int = 2) -> str:
    """Break a name after ``width`` characters, and cut it at the end of line ``most``."""
    # A name without a blank is broken anywhere; escapes of odd characters would else make it endless.
    lines = textwrap.wrap(label(name, most=40 * most), width) or [""]
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: width - 1]}…"]
    return "\n".join(lines)


def legend(ax: Axes, *, columns: int = 1) -> None:
    """Put the legend above the axes, where it covers no data and needs no box."""
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    box = ax.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0, 1.01),
        ncols=columns,
        borderaxespad=0,
        handlelength=2.6,
        columnspacing=1.6,
    )
    names(list(box.get_texts()))
