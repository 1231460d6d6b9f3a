"""Pictures of bounds: ranges of effects on one axis, and the causal graph that they rest on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from fairwitness import drawing
from fairwitness.report import show, tables
from fairwitness.report.figures import NARROW, WIDE, Picture, svg
from fairwitness.report.groups import GroupStyles
from fairwitness.text import listing, plain

#: A verdict in words; ``{}`` is τ in percentage points.
VERDICTS = {"within": "within ±{}", "beyond": "beyond ±{}", "open": "cannot be told"}
UNINFORMATIVE = "uninformative under these assumptions"
#: What is said of how a range was found.
STATUS = {
    "identified": "one value",
    "tight": "proved tight",
    "gap": "valid; perhaps not tight",
    "outer": "valid, from a relaxation; perhaps not tight",
    "uninformative": UNINFORMATIVE,
}
#: Edges and nodes of a graph that is drawn; a larger one is listed.
MOST_DRAWN = 40


def points(value: object) -> str:
    """Write a difference of shares in percentage points, to one decimal."""
    given = show.finite(value)
    return f"{round(100 * given, 1) + 0.0:.1f}".replace("-", "−") if math.isfinite(given) else show.DASH


def span(lower: object, upper: object) -> str:
    """Write a range in percentage points: ``−17.7 to −15.1``; one number where both ends read alike."""
    a, b = points(lower), points(upper)
    return a if a == b else f"{a} to {b}"


def tolerance(tau: object) -> str:
    """Write τ in percentage points."""
    return f"{round(100 * show.finite(tau), 6):g}"


def verdict(found: Mapping[str, Any], tau: object) -> str:
    """Say what a range says of ±τ."""
    if found.get("lower") is None:
        return "not computed"
    if found.get("status") == "uninformative":
        return UNINFORMATIVE
    return VERDICTS.get(str(found.get("verdict")), "").format(tolerance(tau))


def ends(found: Mapping[str, Any]) -> str:
    """Say a range without its verdict."""
    if found.get("lower") is None or found.get("status") == "uninformative":
        return verdict(found, 0)
    return show.held(span(found["lower"], found["upper"]))


def said(found: Mapping[str, Any], tau: object) -> str:
    """Say a range and its verdict in a few words."""
    if found.get("lower") is None or found.get("status") == "uninformative":
        return verdict(found, tau)
    return f"{show.held(span(found['lower'], found['upper']))}; {show.held(verdict(found, tau))}"


def axis(tau: object) -> str:
    """Say what the axis of differences means."""
    return (
        f"difference in the share accepted, percentage points (left of 0: fewer; shaded: ±{tolerance(tau)})"
    )


def pair(feature: Mapping[str, Any], contrast: Mapping[str, Any]) -> str:
    """Say which group is set against which."""
    return f"{plain(contrast['group'])} in place of {plain(feature['privileged'])}"


def group(feature: Mapping[str, Any], contrast: Mapping[str, Any], styles: GroupStyles) -> tables.Cell:
    """Give the cell of a group: marker and name as one, also where cells become lines."""
    return tables.words(Markup("<span>{}</span>").format(styles.shown(feature["name"], contrast["group"])))


def line(name: str, found: Mapping[str, Any], tau: object, *, beside: str | None = None) -> drawing.Range:
    """Make a line of a picture of one range in the document."""
    lower, upper, low, high = (show.finite(found.get(end)) for end in ("lower", "upper", "low", "high"))
    status = found.get("status")
    sure = math.isfinite(low + high) and (low < lower - 5e-4 or high > upper + 5e-4)
    middle = (lower + upper) / 2
    return drawing.Range(
        plain(name),
        lower,
        upper,
        "none"
        if not math.isfinite(lower + upper)
        else "hollow"
        if status == "uninformative"
        else "point"
        if status == "identified"
        else "range",
        attained=(middle, middle) if status in {"gap", "outer"} else None,
        interval=(low, high) if sure else None,
        beside=said(found, tau) if beside is None else beside,
    )


def picture(
    picture_id: str,
    title: str,
    panels: Sequence[drawing.RangePanel],
    tau: object,
    data: tables.Table,
    *,
    words: str,
) -> Picture:
    """Draw ranges for wide and narrow windows."""
    shade = show.finite(tau)
    described = ". ".join(
        f"{plain(panel.label)}: " * bool(panel.label)
        + "; ".join(f"{row.label} {row.beside}" for row in panel.rows)
        for panel in panels
    )

    def draw(width: float, *, narrow: bool) -> Markup:
        height = drawing.range_panels_height(panels, width, stacked=narrow)
        fig, ax = drawing.figure(width, height)
        drawing.range_panels(
            ax,
            panels,
            xlabel="percentage points" if narrow else words,
            tolerance=shade if math.isfinite(shade) else None,
            scale=100,
            stacked=narrow,
        )
        return svg(fig, picture_id, title, described, narrow=narrow)

    return Picture(picture_id, show.prose(title), draw(WIDE, narrow=False), draw(NARROW, narrow=True), data)


def range_table(table_id: str, caption: str, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> tables.Table:
    """Give the ends of ranges, in percentage points, and of intervals around them where there are any."""

    def end(found: Mapping[str, Any], name: str) -> tables.Cell:
        return tables.hundredths(found.get(name))

    sure = any(
        each.get("low") is not None and (each["low"], each["high"]) != (each.get("lower"), each.get("upper"))
        for _, each in rows
    )
    parts = ("lower", "upper", *(("low", "high") if sure else ()))
    return tables.table(
        table_id,
        caption,
        ["What", "Lower", "Upper", *(["Interval, low", "Interval, high"] if sure else [])],
        [[tables.head(show.prose(name)), *(end(found, part) for part in parts)] for name, found in rows],
    )


def graph_picture(
    picture_id: str, title: str, graph: Mapping[str, Any], thick: Sequence[Sequence[str]]
) -> Picture:
    """Draw the causal graph, the edges ``thick`` thick; on narrow windows its edges stand in words."""
    names = [node["name"] for node in graph["nodes"]]
    edges = [(edge[0], edge[1]) for edge in graph["directed"]]
    arcs = [(arc[0], arc[1]) for arc in graph["bidirected"]]
    words = [_outgoing(name, edges) for name in names if any(edge[0] == name for edge in edges)]
    if arcs:
        words.append("hidden common causes: " + "; ".join(f"{plain(a)} ↔ {plain(b)}" for a, b in arcs[:40]))
    in_words = Markup('<ul class="edges">{}</ul>').format(
        Markup("").join(Markup("<li>{}</li>").format(show.prose(word)) for word in words)
    )
    if len(names) > MOST_DRAWN or len(edges) + len(arcs) > 3 * MOST_DRAWN:
        drawn = in_words
    else:
        ax = drawing.graph(None, names, edges, thick={(edge[0], edge[1]) for edge in thick}, arcs=arcs)
        drawn = svg(ax.get_figure(), picture_id, title, "; ".join(words))
    return Picture(picture_id, show.prose(title), drawn, in_words, _nodes(picture_id, graph))


def _outgoing(name: str, edges: Sequence[tuple[str, str]]) -> str:
    after = listing([plain(child) for parent, child in edges if parent == name], most=40)
    return f"{plain(name)} → {after}"


def _nodes(picture_id: str, graph: Mapping[str, Any]) -> tables.Table:
    edges = [*graph["directed"]]
    arcs = [*graph["bidirected"]]

    def joined(names: Sequence[str]) -> tables.Cell:
        return tables.words(Markup(", ").join(map(show.name, names)))

    return tables.table(
        f"{picture_id}-data",
        "The graph in words",
        ["Node", "What it is", "Values", "Direct causes", "Hidden common causes with"],
        [
            [
                tables.head(show.name(node["name"])),
                tables.words(node["role"]),
                joined(node["levels"][:8] + (["…"] if len(node["levels"]) > 8 else [])),
                joined([a for a, b in edges if b == node["name"]]),
                joined(
                    [*(b for a, b in arcs if a == node["name"]), *(a for a, b in arcs if b == node["name"])]
                ),
            ]
            for node in graph["nodes"]
        ],
    )
