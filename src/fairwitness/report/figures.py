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
from fairwitness.text import listing, plain

#: Widths in CSS pixels: beside the text, and on a narrow window.
WIDE, NARROW = 720, 340

#: What the horizontal axis of a measure means.
_UNITS = {
    "share": "from 0 to 1",
    "index": "index, from 0 to 1",
    "difference": "difference from the comparison group",
    "ratio": "ratio to the comparison group",
    "correlation": "correlation, from −1 to 1",
}
_RANGES = {"share": (0.0, 1.0), "index": (0.0, 1.0), "correlation": (-1.0, 1.0)}
_REFERENCES = {"difference": 0.0, "ratio": 1.0, "correlation": 0.0}


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure: drawings for wide and narrow windows, and their data as a table."""

    id: str
    title: Markup
    wide: Markup
    narrow: Markup | None
    data: Table


@dataclass(frozen=True, slots=True)
class Dot:
    """One estimate of one group."""

    group: str
    style: int
    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        if not math.isfinite(self.estimate):
            return f"{plain(self.group)} no value"
        shown = show.interval(self.low, self.high)
        return f"{plain(self.group)} {show.number(self.estimate)} {shown}".strip()


@dataclass(frozen=True, slots=True)
class DotRow:
    """One measure of one sensitive feature, an estimate a group."""

    measure: str
    subject: str
    dots: tuple[Dot, ...]
    reference: float | None = None
    thresholds: tuple[float, ...] = ()

    @property
    def apart(self) -> float:
        """Largest distance from the reference, in half-widths of the interval; 0 if within one."""
        if self.reference is None:
            return 0.0
        sizes = [
            abs(d.estimate - self.reference) / (d.high - d.low) * 2
            for d in self.dots
            if math.isfinite(d.estimate) and math.isfinite(d.high - d.low) and d.high > d.low
        ]
        most = max(sizes, default=0.0)
        return most if most > 1 else 0.0

    @property
    def label(self) -> str:
        """Name of the row in the figure."""
        return f"{self.measure}, {self.subject}" if self.subject else self.measure


def dots(picture_id: str, title: str, rows: Sequence[DotRow], *, unit: str = "share") -> Picture:
    """Draw measures as rows of dots with intervals on one axis."""
    reference, limits = _REFERENCES.get(unit), _RANGES.get(unit)
    if limits is not None and unit != "correlation":
        limits = (limits[0] - 0.01, limits[1] + 0.01)
    said = ". ".join(f"{plain(row.label)}: {'; '.join(map(str, row.dots))}" for row in rows)
    lines = sum(len(row.dots) + 1.4 for row in rows)

    def draw(width: float, *, narrow: bool) -> Markup:
        fig, ax = drawing.figure(width, 60 + lines * (37 if narrow else 25))
        drawing.intervals(
            ax,
            [
                drawing.IntervalRow(
                    row.label,
                    [(d.group, d.estimate, d.low, d.high, d.style) for d in row.dots],
                    reference=row.reference,
                    thresholds=row.thresholds,
                )
                for row in rows
            ],
            xlabel=_UNITS.get(unit, unit),
            reference=reference,
            xlim=limits,
            stacked=narrow,
        )
        return _svg(fig, picture_id, title, said, narrow=narrow)

    data = tables.table(
        f"{picture_id}-data",
        "Estimates with their intervals",
        ["Measure", "Group", "Estimate", "Low", "High"],
        [
            [
                tables.head(show.prose(row.label)),
                tables.words(show.name(dot.group)),
                *map(tables.number, (dot.estimate, dot.low, dot.high)),
            ]
            for row in rows
            for dot in row.dots
        ],
    )
    return Picture(picture_id, show.prose(title), draw(WIDE, narrow=False), draw(NARROW, narrow=True), data)


def curves(
    picture_id: str,
    title: str,
    measure: str,
    ylabel: str,
    groups: Sequence[Mapping[str, Any]],
    feature: str,
    styles: GroupStyles,
) -> Picture | None:
    """Draw one measure over k, a line a group with its band; None if no group has a curve."""
    lines = []
    for group in groups:
        curve = (group.get("curves") or {}).get(measure)
        values = {
            k: [show.finite(v) for v in (curve or {}).get(k) or []] for k in ("estimate", "low", "high")
        }
        if any(map(math.isfinite, values["estimate"])):
            lines.append((group, group["curves"]["k"], values))
    if not lines:
        return None
    said = "; ".join(
        f"{plain(group['label'])} from {show.number(values['estimate'][0])} at k = {k[0]} "
        f"to {show.number(values['estimate'][-1])} at k = {k[-1]}"
        for group, k, values in lines
    )
    # Names above the axes take a line each: on half the width, two do not fit side by side.
    fig, ax = drawing.figure(NARROW + 10, 250 + 18 * len(lines))
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
            )
            for group, k, values in lines
        ],
        xlabel="k, changed profiles counted for each person",
        ylabel=ylabel,
        ylim=(0, 1.02),
        legend_columns=1,
    )
    data = tables.table(
        f"{picture_id}-data",
        f"{ylabel} over k",
        ["Group", "k", "Estimate", "Low", "High"],
        [
            [
                tables.head(show.name(group["label"])),
                tables.whole(k[at]),
                *(tables.number(values[key][at]) for key in ("estimate", "low", "high")),
            ]
            for group, k, values in lines
            for at in range(len(k))
        ],
    )
    return Picture(picture_id, show.prose(title), _svg(fig, picture_id, title, said), None, data)


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
        drawing.ranked_bars(
            ax,
            shown,
            xlabel="ρ, from −1 to 1" if narrow else "correlation ρ, from −1 to 1",
            xlim=(-1, 1),
            wrap=16 if narrow else 34,
        )
        return _svg(fig, picture_id, title, said, narrow=narrow)

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
        drawing.funnels(ax, rows, xlabel="people", wrap=22 if narrow else 34)
        return _svg(fig, picture_id, title, said, narrow=narrow)

    return Picture(picture_id, show.prose(title), draw(WIDE, narrow=False), draw(NARROW, narrow=True), data)


def spread(dots_: Sequence[Dot]) -> str:
    """Say in a title what a row of dots shows: both numbers, or the smallest and the largest."""
    known = sorted((d for d in dots_ if math.isfinite(d.estimate)), key=lambda d: d.estimate)
    if not known:
        return "no group has a value"
    if len(known) <= 2:
        chosen = [d for d in dots_ if d in known]
        return listing([f"{plain(d.group, most=40)} {show.number(d.estimate)}" for d in chosen])
    low, high = known[0], known[-1]
    return (
        f"from {show.number(low.estimate)} ({plain(low.group, most=40)}) "
        f"to {show.number(high.estimate)} ({plain(high.group, most=40)})"
    )


def dot(feature: str, label: str, value: show.Value, styles: GroupStyles) -> Dot:
    """Make a dot of an estimate in the document."""
    given = value or {}
    parts = (show.finite(given.get(key)) for key in ("estimate", "low", "high"))
    return Dot(label, styles.index(feature, label), *parts)


def _svg(fig: Any, picture_id: str, title: str, said: str, *, narrow: bool = False) -> Markup:
    prefix = f"{picture_id}-{'n' if narrow else 'w'}"
    # Safe: to_svg escapes what it is given and writes no script.
    return Markup(drawing.to_svg(fig, title=title, description=said, prefix=prefix))
