"""One person and the changed profiles found for them, in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.drawing.canvas import describe, label, legend, style
from fairwitness.drawing.palette import INK, group_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def scatter_people(
    ax: Axes,
    query_xy: ArrayLike,
    points_xy: ArrayLike,
    style_indices: Sequence[int],
    labels: Sequence[str],
    *,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    query_label: str = "the person",
) -> Axes:
    """Draw a person (a star) and their counterfactuals, coloured by the group each looks like.

    Parameters
    ----------
    ax
        Axes to draw on.
    query_xy
        The person's two coordinates, shape (2,).
    points_xy
        The counterfactuals' coordinates, shape (m, 2).
    style_indices
        Position of each counterfactual's group in the palette, length m.
    labels
        Name of each counterfactual's group, length m.
    title, xlabel, ylabel
        Words around the axes; empty for none.
    query_label
        Name of the star in the legend.

    Returns
    -------
    Axes
        ``ax``, for chaining.
    """
    query = np.asarray(query_xy, dtype=float)
    points = np.asarray(points_xy, dtype=float).reshape(-1, 2)
    names_of: dict[int, str] = {}
    for index, name in zip(style_indices, labels, strict=True):
        names_of.setdefault(int(index), name)
    indices = np.asarray(style_indices, dtype=int)
    with style():
        for index in sorted(names_of):
            colour, marker = group_style(index)
            chosen = points[indices == index]
            ax.plot(
                chosen[:, 0],
                chosen[:, 1],
                color=colour,
                marker=marker,
                linestyle="none",
                alpha=0.75,
                label=label(names_of[index]),
            )
        ax.plot(
            query[:1],
            query[1:2],
            color=INK,
            marker="*",
            markersize=15,
            linestyle="none",
            label=label(query_label),
        )
        describe(ax, title=title, xlabel=xlabel, ylabel=ylabel)
        ax.grid()
        legend(ax, columns=3)
    return ax
