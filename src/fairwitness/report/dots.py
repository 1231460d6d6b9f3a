"""Measures as rows of dots with intervals on one axis, and what such a row says in a title."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from fairwitness import drawing
from fairwitness.report import show, tables
from fairwitness.report.figures import NARROW, WIDE, Picture, svg
from fairwitness.report.groups import GroupStyles
from fairwitness.text import listing, plain

#: What the axis of a measure means, for those that are not drawn as percentages.
_UNITS = {
    "index": "index, from 0 to 1",
    "difference": "difference in the share accepted, percentage points",
    "ratio": "ratio to the comparison group",
    "correlation": "correlation, from −1 to 1",
}
#: A little more than the range, so that a dot at its end is whole.
_RANGES = {"share": (-0.01, 1.01), "index": (-0.01, 1.01), "correlation": (-1.0, 1.0)}
#: The name of the short grey ticks.
AT_RANDOM = "the same, accepted at random"


@dataclass(frozen=True, slots=True)
class Dot:
    """One estimate of one group; ``at_random`` is what random acceptance would give (NaN: not known)."""

    group: str
    style: int
    estimate: float
    low: float
    high: float
    at_random: float = math.nan

    def said(self, unit: str) -> str:
        """Say the estimate with its interval."""
        between = show.hundredths_interval if unit == "share" else show.interval
        if not math.isfinite(self.estimate):
            range_ = between(self.low, self.high)
            return f"{plain(self.group)} {f'in {range_}' if range_ else 'no value'}"
        random = f", at random {value(self.at_random, unit)}" if math.isfinite(self.at_random) else ""
        shown = f"{plain(self.group)} {value(self.estimate, unit)} {between(self.low, self.high)}".strip()
        return f"{shown}{random}"


@dataclass(frozen=True, slots=True)
class DotRow:
    """One measure of one sensitive feature, an estimate a group."""

    measure: str
    subject: str
    dots: tuple[Dot, ...]
    unit: str = "share"
    privileged: str | None = None
    reference: float | None = None
    thresholds: tuple[float, ...] = ()

    @property
    def apart(self) -> float:
        """Largest distance from no difference, in half-widths of the interval; 0 if within one.

        No difference is the row's reference, or, where it is known, what random acceptance gives.
        """
        own = next((dot for dot in self.dots if dot.group == self.privileged), None)
        known = [dot for dot in self.dots if dot.high > dot.low]
        sizes = [self._distance(dot, own) / (dot.high - dot.low) * 2 for dot in known]
        most = max((size for size in sizes if math.isfinite(size)), default=0.0)
        return most if most > 1 else 0.0

    def _distance(self, dot: Dot, own: Dot | None) -> float:
        if own is not None and math.isfinite(own.at_random):
            return abs((dot.estimate - dot.at_random) - (own.estimate - own.at_random))
        return abs(dot.estimate - self.reference) if self.reference is not None else 0.0

    @property
    def label(self) -> str:
        """Name of the row, with its sensitive feature."""
        return f"{self.measure}, {self.subject}" if self.subject else self.measure


def value(number: float, unit: str) -> str:
    """Write a number in its unit."""
    return show.share(number) if unit == "share" else show.number(number)


def dot(feature: str, label: str, given: show.Value, styles: GroupStyles, *, scale: float = 1) -> Dot:
    """Make a dot of an estimate in the document."""
    parts = (scale * show.finite((given or {}).get(key)) for key in ("estimate", "low", "high", "at_random"))
    return Dot(label, styles.index(feature, label), *parts)


def spread(row: DotRow) -> str:
    """Say in a title what a row shows: both numbers, or the smallest and the largest."""
    known = sorted((d for d in row.dots if math.isfinite(d.estimate)), key=lambda d: d.estimate)
    if not known:
        return "no group has a value"
    if len(known) <= 2:
        chosen = [d for d in row.dots if d in known]
        return listing([f"{plain(d.group, most=40)} {value(d.estimate, row.unit)}" for d in chosen])
    low, high = known[0], known[-1]
    return (
        f"from {value(low.estimate, row.unit)} ({plain(low.group, most=40)}) "
        f"to {value(high.estimate, row.unit)} ({plain(high.group, most=40)})"
    )


def dots(picture_id: str, title: str, rows: Sequence[DotRow]) -> Picture:
    """Draw measures as rows of dots with intervals on one axis, a panel a sensitive feature."""
    units = {row.unit for row in rows}
    percent = "share" in units
    unit = "share" if percent else next(iter(units), "share")
    panels = [
        drawing.Panel(
            subject,
            [
                drawing.Measure(
                    row.measure,
                    [(d.group, d.estimate, d.low, d.high, d.style) for d in row.dots],
                    beside=[d.at_random for d in row.dots],
                    reference=row.reference,
                    thresholds=row.thresholds,
                )
                for row in rows
                if row.subject == subject
            ],
            beside_label=AT_RANDOM,
        )
        for subject in dict.fromkeys(row.subject for row in rows)
    ]
    said = ". ".join(
        f"{plain(row.label)}: {'; '.join(dot.said(row.unit) for dot in row.dots)}" for row in rows
    )

    def draw(width: float, *, narrow: bool) -> Markup:
        fig, ax = drawing.figure(width, drawing.measures_height(panels, width, stacked=narrow))
        drawing.measures(
            ax,
            panels,
            xlabel=_axis(rows) if percent else _UNITS.get(unit, unit),
            xlim=_RANGES.get(unit),
            percent=percent,
            stacked=narrow,
        )
        return svg(fig, picture_id, title, said, narrow=narrow)

    return Picture(
        picture_id,
        show.prose(title),
        draw(WIDE, narrow=False),
        draw(NARROW, narrow=True),
        _data(picture_id, rows),
    )


def _axis(rows: Sequence[DotRow]) -> str:
    """Name an axis of percentages on which an index may stand as well."""
    names = list(dict.fromkeys(row.measure.split("@")[0] for row in rows if row.unit != "share"))
    return f"share (for {listing(names)}, 100 % is 1)" if names else "share"


def _data(picture_id: str, rows: Sequence[DotRow]) -> tables.Table:
    random = any(math.isfinite(dot.at_random) for row in rows for dot in row.dots)
    lines: list[list[tables.Cell]] = []
    for row in rows:
        write = tables.hundredths if row.unit == "share" else tables.number
        name = f"{row.label}, %" if row.unit == "share" else row.label
        for each in row.dots:
            numbers: list[Any] = [each.estimate, each.low, each.high]
            lines.append(
                [
                    tables.head(show.prose(name)),
                    tables.words(show.name(each.group)),
                    *map(write, numbers),
                    *([write(each.at_random)] if random else []),
                ]
            )
    return tables.table(
        f"{picture_id}-data",
        "Estimates with their intervals",
        ["Measure", "Group", "Estimate", "Low", "High", *(["At random"] if random else [])],
        lines,
    )


def overview_row(row: Mapping[str, Any], styles: GroupStyles) -> DotRow:
    """Make a row of one in the document's overview."""
    subject, unit = row["subject"], row.get("unit", "share")
    # Differences of shares are shown in percentage points.
    scale = 100 if unit == "difference" else 1
    made = tuple(dot(subject, point["group"], point, styles, scale=scale) for point in row["points"])
    privileged = styles.privileged(subject)
    own = [d for d in made if d.group == privileged]
    reference = row.get("reference")
    # On an axis of levels "no difference" is wherever the comparison group stands; but where it is known
    # what random acceptance gives, that is the better place, and each group has its own.
    levels = unit in {"share", "index"} and not any(math.isfinite(d.at_random) for d in made)
    if reference is None and levels and own:
        reference = own[0].estimate
    thresholds = tuple(scale * float(value) for value in row.get("thresholds") or ())
    return DotRow(row["measure"], subject, made, unit, privileged, reference, thresholds)
