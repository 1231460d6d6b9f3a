"""Colours and markers of groups: the same group looks the same in every figure.

The colours keep a contrast of at least 3:1 on white and on near-black, and the first four stay apart for
readers with protanopia, deuteranopia or tritanopia. Colour is never alone: a marker shape goes with it, and
as there are seven colours and eight shapes, 56 groups get 56 different pairs.
"""

from __future__ import annotations

#: One colour a group, in the order in which groups are listed.
GROUP_COLOURS: tuple[str, ...] = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#8a7600",
    "#7350c8",
    "#b0413e",
)
#: One matplotlib marker a group, likewise.
GROUP_MARKERS: tuple[str, ...] = ("o", "s", "^", "D", "v", "P", "X", "p")
#: Dashes of lines (in line widths), so that lines are told apart without colour as well.
GROUP_DASHES: tuple[tuple[float, tuple[float, ...] | None], ...] = (
    (0, None),
    (0, (5.0, 1.5)),
    (0, (1.5, 1.2)),
    (0, (6.0, 1.5, 1.5, 1.5)),
    (0, (9.0, 2.0)),
)

# Text, secondary text and grid have colours of their own that are used for nothing else: `svg.to_svg` finds
# them again and hands them to the reader's light or dark setting.
INK = "#1b1d21"
MUTED = "#73787f"
FAINT = "#c3c7cd"
PAPER = "#fefefe"


def group_style(index: int) -> tuple[str, str]:
    """Give the colour (``#rrggbb``) and the matplotlib marker of the group at position ``index``."""
    return GROUP_COLOURS[index % len(GROUP_COLOURS)], GROUP_MARKERS[index % len(GROUP_MARKERS)]
