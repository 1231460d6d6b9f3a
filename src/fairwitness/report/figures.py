"""Pictures of the page, drawn from the document: each with a title, words and the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from fairwitness import drawing
from fairwitness.report import show, tables
from fairwitness.report.groups import GroupStyles
from fairwitness.report.tables import Table
from fairwitness.text import plain

#: Widths in CSS pixels: beside the text, and on a narrow window.
WIDE, NARROW = 760, 340
_PARTS = ("estimate", "low", "high")


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure: drawings for wide and narrow windows, and their data as a table."""

    id: str
    title: Markup
    wide: Markup
    narrow: Markup | None
    data: Table


def curves(
    picture_id: str,
    title: str,
    measure: str,
    ylabel: str,
    groups: Sequence[Mapping[str, Any]],
    feature: str,
    styles: GroupStyles,
    *,
    percent: bool = False,
) -> Picture | None:
    """Draw one measure over k, a line a group with its band; None if no group has a curve.

    ``percent`` writes fractions as percentages.
    """
    lines = []
    for group in groups:
        given = group.get("curves") or {}
        curve = {**(given.get(measure) or {}), "at_random": (given.get("at_random") or {}).get(measure)}
        values = {key: [show.finite(v) for v in curve.get(key) or []] for key in (*_PARTS, "at_random")}
        if any(map(math.isfinite, values["estimate"])):
            lines.append((group, given["k"], values))
    if not lines:
        return None
    write = show.share if percent else show.number
    parts = (*_PARTS, "at_random") if any(values["at_random"] for _, _, values in lines) else _PARTS
    said = "; ".join(
        f"{plain(group['label'])} from {write(values['estimate'][0])} at k = {k[0]} "
        f"to {write(values['estimate'][-1])} at k = {k[-1]}"
        + (f", at random {write(values['at_random'][-1])}" if values["at_random"] else "")
        for group, k, values in lines
    )
    # Names above the axes take a line each: on half the width, two do not fit side by side.
    names = 18 * (len(lines) + len(parts) - len(_PARTS))
    fig, ax = drawing.figure(NARROW + 10, 250 + names)
    drawing.place(ax, left=64, top=names + 10, right=10)
    drawing.curves(
        ax,
        [
            drawing.Curve(
                group["label"],
                k,
                values["estimate"],
                values["low"],
                values["high"],
                styles.index(feature, group["label"]),
                beside=values["at_random"] or None,
            )
            for group, k, values in lines
        ],
        xlabel="k, changed profiles counted for each person",
        ylabel=ylabel,
        ylim=(0, 1.02),
        legend_columns=1,
        beside_label="the same, accepted at random",
        percent=percent,
    )
    cell = tables.hundredths if percent else tables.number
    data = tables.table(
        f"{picture_id}-data",
        f"{ylabel} over k{', %' if percent else ''}",
        ["Group", "k", "Estimate", "Low", "High", *(["At random"] if parts != _PARTS else [])],
        [
            [
                tables.head(show.name(group["label"])),
                tables.whole(k[at]),
                *(cell(values[key][at] if values[key] else None) for key in parts),
            ]
            for group, k, values in lines
            for at in range(len(k))
        ],
    )
    return Picture(picture_id, show.prose(title), svg(fig, picture_id, title, said), None, data)


def proxies(picture_id: str, title: str, rows: Sequence[Mapping[str, Any]], *, most: int = 15) -> Picture:
    """Draw the columns whose change goes with a change of the inferred group, as ranked bars."""
    bars = [
        drawing.Bar(row["label"], *(show.finite(row.get(key)) for key in ("rho", "low", "high")))
        for row in rows
    ]
    shown = [bar for bar in bars if math.isfinite(bar.value)][:most]
    said = "; ".join(
        f"{plain(bar.label)} {show.number(bar.value)} {show.interval(bar.low, bar.high)}" for bar in shown
    )

    def draw(width: float, *, narrow: bool) -> Markup:
        fig, ax = drawing.figure(width, 56 + (30 if narrow else 27) * max(len(shown), 1))
        wrap = 16 if narrow else 34
        drawing.place(ax, left=_left([bar.label for bar in shown], wrap), right=24)
        drawing.ranked_bars(
            ax,
            shown,
            xlabel="ρ, from −1 to 1" if narrow else "proxy correlation ρ, from −1 to 1",
            xlim=(-1, 1),
            wrap=wrap,
        )
        return svg(fig, picture_id, title, said, narrow=narrow)

    data = tables.table(
        f"{picture_id}-data",
        "All columns, ranked by the size of the correlation",
        ["Column", "ρ", "p", "q", "n rows"],
        [
            [
                tables.head(show.name(row["label"])),
                tables.estimate(
                    {
                        "estimate": row.get("rho"),
                        "low": row.get("low"),
                        "high": row.get("high"),
                        "reason": row.get("reason"),
                    }
                ),
                tables.probability(row.get("p_value")),
                tables.probability(row.get("q_value")),
                tables.whole(row.get("n_rows")),
            ]
            for row in rows
        ],
    )
    return Picture(picture_id, show.prose(title), draw(WIDE, narrow=False), draw(NARROW, narrow=True), data)


def funnel(
    picture_id: str,
    title: str,
    groups: Sequence[Mapping[str, Any]],
    feature: str,
    styles: GroupStyles,
    data: Table,
) -> Picture:
    """Draw how many rejected people are left after each step, a group at a time."""
    steps = (
        ("rejected", "rejected"),
        ("group recovered", "recognised"),
        ("changed profiles found", "with_counterfactuals"),
    )
    rows = [
        drawing.Funnel(
            group["label"],
            [(name, int(group["funnel"].get(key) or 0)) for name, key in steps],
            styles.index(feature, group["label"]),
        )
        for group in groups
    ]
    said = ". ".join(
        f"{plain(row.label)}: {', '.join(f'{name} {number:,}' for name, number in row.steps)}" for row in rows
    )

    def draw(width: float, *, narrow: bool) -> Markup:
        fig, ax = drawing.figure(width, 50 + 93 * len(rows))
        wrap = 22 if narrow else 34
        names = [*(row.label for row in rows), *(name for name, _ in steps)]
        drawing.place(ax, left=_left(names, wrap))
        drawing.funnels(ax, rows, xlabel="people", wrap=wrap)
        return svg(fig, picture_id, title, said, narrow=narrow)

    return Picture(picture_id, show.prose(title), draw(WIDE, narrow=False), draw(NARROW, narrow=True), data)


def _left(names: Sequence[str], wrap: int) -> float:
    """Give the room in points that names at the left of an axis take."""
    return max((drawing.text_width(drawing.wrapped(name, wrap)) for name in names), default=0.0) + 12


def svg(fig: Any, picture_id: str, title: str, said: str, *, narrow: bool = False) -> Markup:
    """Write a drawing into the page, with its title and its words."""
    prefix = f"{picture_id}-{'n' if narrow else 'w'}"
    # Safe: to_svg escapes what it is given and writes no script.
    return Markup(drawing.to_svg(fig, title=title, description=said, prefix=prefix))
