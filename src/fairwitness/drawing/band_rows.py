"""A whole population's ranges in one picture: bands on top of each other, as high as their shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairwitness.drawing.canvas import describe, label, percentages, style
from fairwitness.drawing.palette import FAINT, GROUP_COLOURS, INK, MUTED, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Band:
    """One kind of people: its share, its range, a confidence interval around it.

    Attributes
    ----------
    share
        From 0 to 1: how high the band is.
    low, high
        Where it starts and ends.
    interval
        Ends of the paler band around it; ``None`` for none.
    hollow
        Whether the range says nothing: then only its outline is drawn.
    """

    share: float
    low: float
    high: float
    interval: tuple[float, float] | None = None
    hollow: bool = False


def bands(
    ax: Axes,
    rows: Sequence[Band],
    *,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    reference: float | None = 0.0,
    thresholds: Sequence[float] = (),
    notes: Sequence[str] = (),
) -> Axes:
    """Draw bands on top of each other, the first at the bottom.

    Parameters
    ----------
    ax
        Axes to draw on.
    rows
        The bands; their shares sum to 1.
    title, xlabel, ylabel
        Words around the axes; empty for none.
    notes
        Lines beneath the title.
    reference
        Value of "no effect": a solid line; None for none.
    thresholds
        Values to mark by dotted lines.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    colour = GROUP_COLOURS[0]
    solid: list[Rectangle] = []
    pale: list[Rectangle] = []
    hollow: list[Rectangle] = []
    y = 0.0
    for row in rows:
        if row.interval is not None:
            pale.append(Rectangle((row.interval[0], y), row.interval[1] - row.interval[0], row.share))
        # one value is still to be seen
        width = max(row.high - row.low, 0.004)
        kind = hollow if row.hollow else solid
        kind.append(Rectangle(((row.low + row.high - width) / 2, y), width, row.share))
        y += row.share
    with style():
        ax.add_collection(PatchCollection(pale, facecolor=colour, alpha=0.25, edgecolor="none", zorder=2))
        ax.add_collection(
            PatchCollection(solid, facecolor=colour, edgecolor=PAPER, linewidth=0.4, zorder=2.2)
        )
        ax.add_collection(
            PatchCollection(hollow, facecolor="none", edgecolor=MUTED, linewidth=0.8, zorder=2.4)
        )
        for value in thresholds:
            ax.axvline(value, color=INK, linewidth=1.1, linestyle=(0, (1, 2)), zorder=3)
        if reference is not None:
            ax.axvline(reference, color=INK, linewidth=1.1, zorder=3)
        ends = [end for row in rows for end in (row.low, row.high, *(row.interval or ()))]
        ends += [*thresholds, *(() if reference is None else (reference,))]
        room = 0.04 * (max(ends) - min(ends)) or 0.05
        ax.set_xlim(min(ends) - room, max(ends) + room)
        ax.set_ylim(0.0, max(y, 1e-9))
        percentages(ax.yaxis)
        describe(ax, title=title, xlabel=xlabel, ylabel=ylabel)
        ax.grid(axis="x", color=FAINT)
        for at, note in enumerate(reversed(notes)):
            ax.annotate(
                label(note, most=110),
                (0, 1),
                xycoords="axes fraction",
                xytext=(0, 6 + 18 * at),
                textcoords="offset points",
                color=INK,
                fontsize=11.5,
                parse_math=False,
            )
        ax.set_title(ax.get_title(loc="left"), loc="left", pad=8 + 18 * len(notes), parse_math=False)
    return ax
