"""A causal graph from left to right: nodes, edges, the paths that count, hidden common causes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from fairwitness.drawing.canvas import figure, label, place, size, style, text_width
from fairwitness.drawing.layers import PORT_GAP, Layout, Point, lay_out
from fairwitness.drawing.palette import GROUP_COLOURS, INK, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Edge = tuple[str, str]

_LETTERS = 16  # in a line of a name
_LINES = 4
_LINE_HEIGHT = 16.0
_MARGIN = 10.0
_TITLE_HEIGHT = 28.0
_KEY_HEIGHT = 20.0
_KEY_WIDTH = 44.0
_MOST_PORTS = 16
_DOT = 9.0
_PART = re.compile(r"[^\s_\-./]+[_\-./]*\s*|[_\-./\s]+")


@dataclass(frozen=True)
class _Stroke:
    """How a kind of line looks."""

    colour: str
    width: float
    head: tuple[float, float]  # length, half the width
    dashes: tuple[float, tuple[float, ...]] | None = None
    layer: float = 2.0


_PLAIN = _Stroke(MUTED, 1.2, (8.5, 3.6))
_THICK = _Stroke(GROUP_COLOURS[0], 3.2, (11.0, 5.2), layer=2.4)
_HIDDEN = _Stroke(GROUP_COLOURS[1], 1.3, (8.5, 3.6), dashes=(0, (4.0, 2.6)), layer=2.2)


def graph(
    ax: Axes | None,
    nodes: Sequence[str],
    edges: Sequence[Edge],
    *,
    thick: Collection[Edge] = (),
    arcs: Sequence[Edge] = (),
    title: str = "",
) -> Axes:
    """Draw a graph without cycles, causes to the left of their effects.

    Lines run around the nodes. What each kind of line means stands below, where there is more than one.

    Parameters
    ----------
    ax
        Axes to draw on, which everything is scaled to fit; None for a figure of the size that it needs.
    nodes
        Names, causes before effects.
    edges
        ``(parent, child)`` pairs of ``nodes``.
    thick
        Edges to draw thick: those on the paths that count.
    arcs
        Pairs of ``nodes`` with a hidden common cause: dashed, with two heads. Where four or more nodes are
        all joined with each other, a dot stands for it, from which dashed lines lead to them.
    title
        Words above the drawing; empty for none.

    Returns
    -------
    Axes
        The axes drawn on, for chaining.
    """
    place_of = {name: at for at, name in enumerate(nodes)}
    hubs, single = _hubs(place_of, arcs)
    bold = set(thick)
    texts = [broken(name) for name in nodes]
    spokes = [(at, len(hubs) + place_of[name]) for at, members in enumerate(hubs) for name in members]
    boxes = _sizes(place_of, texts, edges, single, hubs)
    layout = lay_out(
        # The dots stand first, as they are causes.
        [(_DOT, _DOT)] * len(hubs) + boxes,
        spokes + [(len(hubs) + place_of[a], len(hubs) + place_of[b]) for a, b in edges],
        [(len(hubs) + place_of[a], len(hubs) + place_of[b]) for a, b in single],
        weights=[1.0] * len(spokes) + [2.0 if edge in bold else 1.0 for edge in edges],
    )
    keys = _keys(bold, edges, single, hubs)
    strokes = [_HIDDEN] * len(spokes) + [_THICK if edge in bold else _PLAIN for edge in edges]
    with style():
        pen = _Pen(ax, layout, keys, title)
        for route, stroke in zip(layout.edges, strokes, strict=True):
            pen.line(route, stroke)
        for route, loop in zip(layout.arcs, layout.loops, strict=True):
            pen.line(route, _HIDDEN, both=True, loop=loop)
        for centre in layout.centres[: len(hubs)]:
            pen.dot(centre)
        for text, box, centre in zip(texts, boxes, layout.centres[len(hubs) :], strict=True):
            pen.box(text, box, centre)
    return pen.axes


def broken(name: object) -> str:
    """Break a name into short lines, at blanks and joints where it has any; cut it where it is endless."""
    lines = [""]
    for part in _PART.findall(label(name, most=_LETTERS * _LINES)):
        rest = part
        while rest:
            free = _LETTERS - len(lines[-1])
            if len(rest.rstrip()) <= free:
                lines[-1] += rest
                break
            # A part that fits on a line of its own is not torn, nor are a few letters split off from it.
            if not lines[-1] or (len(rest.rstrip()) > _LETTERS and free >= 4):
                lines[-1] += rest[:free]
                rest = rest[free:]
            lines.append("")
    kept = [line.strip() for line in lines if line.strip()]
    if len(kept) > _LINES:
        kept = [*kept[: _LINES - 1], f"{kept[_LINES - 1][: _LETTERS - 1]}…"]
    return "\n".join(kept)


def _sizes(
    place_of: Mapping[str, int],
    texts: Sequence[str],
    edges: Sequence[Edge],
    arcs: Sequence[Edge],
    hubs: Sequence[Sequence[str]],
) -> list[tuple[float, float]]:
    """Width and height of each node: room for its name, and for the lines at its busier side."""
    left, right = [0] * len(texts), [0] * len(texts)
    for a, b in (*edges, *arcs):
        right[place_of[a]] += 1
        left[place_of[b]] += 1
    for name in itertools.chain(*hubs):
        left[place_of[name]] += 1
    found = []
    for at, text in enumerate(texts):
        ports = min(max(left[at], right[at]), _MOST_PORTS)
        high = max(_LINE_HEIGHT * (text.count("\n") + 1) + 14, PORT_GAP * (ports - 1) + 16)
        found.append((max(text_width(text) + 22, 36.0), high))
    return found


def _hubs(place_of: Mapping[str, int], arcs: Sequence[Edge]) -> tuple[list[list[str]], list[Edge]]:
    """Find sets of four or more nodes that are all joined; give them, and the arcs that are in none."""
    joined: dict[str, set[str]] = {}
    for a, b in arcs:
        joined.setdefault(a, set()).add(b)
        joined.setdefault(b, set()).add(a)
    hubs: list[list[str]] = []
    covered: set[frozenset[str]] = set()
    for a, b in arcs:
        if frozenset((a, b)) in covered:
            continue
        members, common = [a, b], joined[a] & joined[b]
        while common:
            members.append(min(common, key=place_of.__getitem__))
            common &= joined[members[-1]]
        if len(members) >= 4:
            hubs.append(sorted(members, key=place_of.__getitem__))
            covered |= {frozenset(pair) for pair in itertools.combinations(members, 2)}
    return hubs, [arc for arc in arcs if frozenset(arc) not in covered]


def _keys(
    bold: Collection[Edge], edges: Sequence[Edge], arcs: Sequence[Edge], hubs: Sequence[Sequence[str]]
) -> list[tuple[str, str]]:
    found = []
    if bold:
        found.append(("thick", "on a chosen path"))
    if arcs:
        found.append(("arc", "hidden common cause of both"))
    if hubs:
        found.append(("hub", "hidden common cause of all that the dot leads to"))
    if found and any(edge not in bold for edge in edges):
        found.insert(bool(bold), ("edge", "direct effect" if not bold else "direct effect on no chosen path"))
    return found


class _Pen:
    """Axes whose unit is the point, at the scale at which all fits in; and what is drawn on them."""

    def __init__(self, ax: Axes | None, layout: Layout, keys: Sequence[tuple[str, str]], title: str) -> None:
        heading = label(title, most=120)
        below = _KEY_HEIGHT * len(keys) + (8 if keys else 0)
        widths = [layout.width, *(_KEY_WIDTH + 8 + text_width(words) for _, words in keys)]
        width = max(widths) + 2 * _MARGIN
        height = layout.height + 2 * _MARGIN + below
        if ax is None:
            above = _TITLE_HEIGHT if title else 0.0
            width = max(width, text_width(heading, bold=True) + 2 * _MARGIN)
            _, ax = figure(width, height + above)
            place(ax, left=0, right=0, bottom=0, top=above)
        self.axes, self.ax = ax, cast("Any", ax)  # its stubs are stricter than it is
        wide, high = size(ax)
        box = ax.get_position()
        self.scale = min(wide * box.width / width, high * box.height / height)
        self.origin = ((width - layout.width) / 2, _MARGIN + below)
        ax.set_xlim(0, width)
        ax.set_ylim(0, height)
        ax.set_aspect("equal")
        ax.set_axis_off()
        if title:
            ax.set_title(heading, x=_MARGIN / width, parse_math=False)
        for at, (kind, words) in enumerate(keys):
            self._key(kind, words, below - _KEY_HEIGHT * (at + 0.5))

    def _key(self, kind: str, words: str, y: float) -> None:
        # Below the drawing, where its own origin does not reach.
        x = _MARGIN - self.origin[0]
        y -= self.origin[1]
        stroke = {"thick": _THICK, "edge": _PLAIN}.get(kind, _HIDDEN)
        start = x + (_DOT if kind == "hub" else 0)
        if kind == "hub":
            self.dot((x + _DOT / 2, y))
        self.line([(start, y), (x + _KEY_WIDTH, y)], stroke, both=kind == "arc")
        self._text(words, (x + _KEY_WIDTH + 8, y), "left")

    def _at(self, point: Point) -> Point:
        return point[0] + self.origin[0], point[1] + self.origin[1]

    def line(self, route: Sequence[Point], stroke: _Stroke, *, both: bool = False, loop: int = 0) -> None:
        """Draw a line with a head at its end, or at both."""
        from matplotlib.patches import PathPatch, Polygon
        from matplotlib.path import Path

        points = [self._at(point) for point in route]
        long, half = stroke.head
        # Lines are level at their ends, so heads point left or right; `back` leads away from the tip.
        heads = [(-1, loop or -1)] + ([(0, loop or 1)] if both else [])
        for end, back in heads:
            x, y = points[end]
            corners = [(x, y), (x + back * long, y + half), (x + back * long, y - half)]
            self.ax.add_patch(
                Polygon(corners, facecolor=stroke.colour, edgecolor="none", zorder=stroke.layer + 0.1)
            )
            points[end] = (x + back * (long - 1), y)
        vertices = _loop(points) if loop else _curve(points)
        self.ax.add_patch(
            PathPatch(
                Path(vertices, [Path.MOVETO] + [Path.CURVE4] * (len(vertices) - 1)),
                facecolor="none",
                edgecolor=stroke.colour,
                linewidth=stroke.width * self.scale,
                linestyle=stroke.dashes or "-",
                zorder=stroke.layer,
            )
        )

    def dot(self, centre: Point) -> None:
        """Draw a hidden cause."""
        from matplotlib.patches import Circle

        self.ax.add_patch(Circle(self._at(centre), _DOT / 2, facecolor=_HIDDEN.colour, edgecolor="none"))

    def box(self, text: str, box: tuple[float, float], centre: Point) -> None:
        """Draw a node."""
        from matplotlib.patches import FancyBboxPatch

        (x, y), (wide, high), round_by = self._at(centre), box, 5.0
        self.ax.add_patch(
            FancyBboxPatch(
                (x - wide / 2, y - high / 2),
                wide,
                high,
                boxstyle=f"round,pad=0,rounding_size={round_by}",
                facecolor="none",
                edgecolor=INK,
                linewidth=self.scale,
                zorder=2,
            )
        )
        self._text(text, centre, "center")

    def _text(self, text: str, point: Point, align: str) -> None:
        x, y = self._at(point)
        self.ax.text(
            x,
            y,
            text,
            ha=align,
            va="center",
            fontsize=12 * self.scale,
            color=INK,
            parse_math=False,
            zorder=3,
        )


def _loop(points: Sequence[Point]) -> list[Point]:
    """Control points of a curve that turns back at the middle one of three points."""
    start, middle, end = points
    out = start[0] + (middle[0] - start[0]) * 4 / 3  # where the control points lie, for it to come so far
    return [start, (out, start[1]), (out, end[1]), end]


def _curve(points: Sequence[Point]) -> list[Point]:
    """Control points of a smooth curve from left to right, level at its ends, that overshoots no point.

    Slopes as by Fritsch & Butland (1984).
    """
    runs = [b[0] - a[0] for a, b in itertools.pairwise(points)]
    rises = [(b[1] - a[1]) / run for (a, b), run in zip(itertools.pairwise(points), runs, strict=True)]
    slopes = [0.0]
    for (h0, h1), (d0, d1) in zip(itertools.pairwise(runs), itertools.pairwise(rises), strict=True):
        level = d0 * d1 <= 0
        slopes.append(0.0 if level else 3 * (h0 + h1) / ((2 * h1 + h0) / d0 + (h1 + 2 * h0) / d1))
    slopes.append(0.0)
    found = [points[0]]
    for (a, b), h, (m0, m1) in zip(itertools.pairwise(points), runs, itertools.pairwise(slopes), strict=True):
        found += [(a[0] + h / 3, a[1] + m0 * h / 3), (b[0] - h / 3, b[1] - m1 * h / 3), b]
    return found
