"""The answer in words and the one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.report import figures, show
from fairwitness.report.groups import GroupStyles

#: Headings of the methods, by the keys that documents use.
METHOD_NAMES = {"rates": "Group metrics", "opportunity": "Opportunity", "data": "Limits"}


def summary(document: Mapping[str, Any]) -> list[Markup]:
    """Give the paragraphs: one a method and sensitive feature."""
    return [show.prose(paragraph) for paragraph in document["summary"]]


def not_measured(document: Mapping[str, Any], *, most: int = 4) -> list[Markup]:
    """Say what could not be measured and why, a sentence each."""
    answers = document["not_applicable"]
    said = []
    for answer in answers[:most]:
        subject = Markup(" ({})").format(show.prose(answer["subject"])) if answer.get("subject") else ""
        said.append(
            Markup("{}{}: {}").format(
                method_name(answer["method"]), subject, show.prose(str(answer["reason"]).rstrip("."))
            )
        )
    if len(answers) > most:
        said.append(Markup("{} more, in the table below").format(len(answers) - most))
    return said


def method_name(key: str) -> Markup:
    """Give a method's heading."""
    return Markup(METHOD_NAMES[key]) if key in METHOD_NAMES else show.name(key)


def pictures(document: Mapping[str, Any], styles: GroupStyles) -> list[figures.Picture]:
    """Draw all measures, one picture for each kind of axis (usually one)."""
    units = list(dict.fromkeys(row.get("unit", "share") for row in document["overview"]))
    drawn = []
    for at, unit in enumerate(units, 1):
        rows = [_row(row, styles, unit) for row in document["overview"] if row.get("unit", "share") == unit]
        rows = [row for row in rows if row.dots]
        if rows:
            drawn.append(figures.dots(f"overview-{at}", _title(rows), rows, unit=unit))
    return drawn


def _title(rows: list[figures.DotRow]) -> str:
    """Name the measure on which the groups stand farthest apart, in relation to their intervals."""
    apart = max(rows, key=lambda row: row.apart)
    if not apart.apart:
        return "Each measure, by group"
    return f"Groups stand farthest apart on {apart.label}: {figures.spread(apart.dots)}"


def _row(row: Mapping[str, Any], styles: GroupStyles, unit: str) -> figures.DotRow:
    subject = row["subject"]
    dots = tuple(figures.dot(subject, point["group"], point, styles) for point in row["points"])
    # On an axis of shares "no difference" is wherever the comparison group stands.
    privileged = styles.privileged(subject)
    own = [d.estimate for d in dots if d.group == privileged]
    reference = row.get("reference")
    if reference is None and unit in {"share", "index"} and own:
        reference = own[0]
    return figures.DotRow(
        row["measure"], subject, dots, reference, tuple(map(float, row.get("thresholds") or ()))
    )
