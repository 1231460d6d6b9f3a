"""How many are left after each step, a group at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairwitness.drawing.canvas import describe, names, style, wrapped
from fairwitness.drawing.palette import FAINT, INK, group_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Funnel:
    """One group: its heading and ``(step, count)`` from the first step to the last."""

    label: str
    steps: Sequence[tuple[str, int]]
    style_index: int = 0


def funnels(ax: Axes, groups: Sequence[Funnel], *, title: str = "", xlabel: str = "", wrap: int = 34) -> Axes:
    """Draw each group's counts as bars, first step on top, with the counts written out.

    Parameters
    ----------
    ax
        Axes to draw on.
    groups
        The groups; all bars share one scale.
    title, xlabel
        Words around the axes; empty for none.
    wrap
        Characters after which a name at the left is broken.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    with style():
        ticks: list[tuple[float, str, bool]] = []
        most = max((count for group in groups for _, count in group.steps), default=1) or 1
        y = 0.0
        for group in groups:
            ticks.append((y, group.label, True))
            colour, _ = group_style(group.style_index)
            for step, count in group.steps:
                y += 1
                ticks.append((y, step, False))
                ax.barh([y], [count], height=0.66, facecolor=colour, edgecolor=colour, alpha=0.7)
                ax.annotate(
                    f"{count:,}",
                    (count, y),
                    xytext=(5, 0),
                    textcoords="offset points",
                    va="center",
                    color=INK,
                )
            y += 1.35
        ax.set_xlim(0, most * 1.12)
        ax.set_ylim(max(y - 0.9, 1), -0.7)
        ax.set_yticks([at for at, _, _ in ticks], [wrapped(text, wrap) for _, text, _ in ticks])
        marks = ax.get_yticklabels()
        names(list(marks))
        for mark, (_, _, strong) in zip(marks, ticks, strict=True):
            mark.set_fontweight("bold" if strong else "normal")
        describe(ax, title=title, xlabel=xlabel)
        ax.grid(axis="x", color=FAINT)
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
    return ax
