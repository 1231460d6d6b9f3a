"""Drawing primitives over matplotlib's object interface: one style, one palette, no global state.

Every function draws on axes that it is given, so that the same code serves ``result.plot(ax=...)`` and the
report. matplotlib is imported when something is drawn, never before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairwitness._lazy import attach

if TYPE_CHECKING:  # what type checkers and editors see; at run time the names come when first used
    from fairwitness.drawing.band_rows import Band as Band
    from fairwitness.drawing.band_rows import bands as bands
    from fairwitness.drawing.bars import Bar as Bar
    from fairwitness.drawing.bars import ranked_bars as ranked_bars
    from fairwitness.drawing.canvas import figure as figure
    from fairwitness.drawing.canvas import place as place
    from fairwitness.drawing.canvas import style as style
    from fairwitness.drawing.canvas import text_width as text_width
    from fairwitness.drawing.canvas import wrapped as wrapped
    from fairwitness.drawing.dots import IntervalRow as IntervalRow
    from fairwitness.drawing.dots import intervals as intervals
    from fairwitness.drawing.graphs import graph as graph
    from fairwitness.drawing.heat_grid import HeatCell as HeatCell
    from fairwitness.drawing.heat_grid import heat as heat
    from fairwitness.drawing.heat_grid import heat_size as heat_size
    from fairwitness.drawing.lines import Curve as Curve
    from fairwitness.drawing.lines import curves as curves
    from fairwitness.drawing.palette import GROUP_COLOURS as GROUP_COLOURS
    from fairwitness.drawing.palette import GROUP_MARKERS as GROUP_MARKERS
    from fairwitness.drawing.palette import group_style as group_style
    from fairwitness.drawing.panels import Measure as Measure
    from fairwitness.drawing.panels import Panel as Panel
    from fairwitness.drawing.panels import measures as measures
    from fairwitness.drawing.panels import measures_height as measures_height
    from fairwitness.drawing.people import scatter_people as scatter_people
    from fairwitness.drawing.plane import Spot as Spot
    from fairwitness.drawing.plane import tradeoff as tradeoff
    from fairwitness.drawing.profile_rows import LevelBars as LevelBars
    from fairwitness.drawing.profile_rows import Profile as Profile
    from fairwitness.drawing.profile_rows import profiles as profiles
    from fairwitness.drawing.profile_rows import profiles_height as profiles_height
    from fairwitness.drawing.range_rows import Range as Range
    from fairwitness.drawing.range_rows import ranges as ranges
    from fairwitness.drawing.range_rows import ranges_height as ranges_height
    from fairwitness.drawing.spans import RangePanel as RangePanel
    from fairwitness.drawing.spans import range_panels as range_panels
    from fairwitness.drawing.spans import range_panels_height as range_panels_height
    from fairwitness.drawing.steps import Funnel as Funnel
    from fairwitness.drawing.steps import funnels as funnels
    from fairwitness.drawing.svg import to_svg as to_svg

_NAMES = {
    "GROUP_COLOURS": "palette",
    "GROUP_MARKERS": "palette",
    "group_style": "palette",
    "figure": "canvas",
    "graph": "graphs",
    "place": "canvas",
    "style": "canvas",
    "text_width": "canvas",
    "wrapped": "canvas",
    "HeatCell": "heat_grid",
    "heat": "heat_grid",
    "heat_size": "heat_grid",
    "LevelBars": "profile_rows",
    "Profile": "profile_rows",
    "profiles": "profile_rows",
    "profiles_height": "profile_rows",
    "Curve": "lines",
    "curves": "lines",
    "IntervalRow": "dots",
    "intervals": "dots",
    "Measure": "panels",
    "Panel": "panels",
    "measures": "panels",
    "measures_height": "panels",
    "Band": "band_rows",
    "bands": "band_rows",
    "Range": "range_rows",
    "ranges": "range_rows",
    "ranges_height": "range_rows",
    "Funnel": "steps",
    "funnels": "steps",
    "RangePanel": "spans",
    "range_panels": "spans",
    "range_panels_height": "spans",
    "Bar": "bars",
    "ranked_bars": "bars",
    "scatter_people": "people",
    "to_svg": "svg",
    "Spot": "plane",
    "tradeoff": "plane",
}
__getattr__, __dir__ = attach(__name__, _NAMES)
__all__ = sorted(_NAMES)
