"""Drawing primitives over matplotlib's object interface: one style, one palette, no global state.

Every function draws on axes that it is given, so that the same code serves ``result.plot(ax=...)`` and the
report. matplotlib is imported when something is drawn, never before.
"""

from __future__ import annotations

from fairwitness._lazy import attach

_NAMES = {
    "GROUP_COLOURS": "palette",
    "GROUP_MARKERS": "palette",
    "group_style": "palette",
    "figure": "canvas",
    "style": "canvas",
    "Curve": "lines",
    "curves": "lines",
    "IntervalRow": "dots",
    "intervals": "dots",
    "Bar": "bars",
    "ranked_bars": "bars",
    "scatter_people": "people",
    "to_svg": "svg",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
