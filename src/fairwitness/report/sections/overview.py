"""The answer in words and the one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.report import dots, figures, show
from fairwitness.report.groups import GroupStyles

#: Headings of the methods, by the keys that documents use.
METHOD_NAMES = {
    "rates": "Group metrics",
    "opportunity": "Opportunity",
    "bounds": "Causal bounds",
    "canonical": "Canonical sets",
    "evaluation": "Evaluation",
    "data": "Limits",
}


def summary(document: Mapping[str, Any]) -> list[Markup]:
    """Give the paragraphs: one a method and sensitive feature."""
    return [show.prose(paragraph) for paragraph in document["summary"]]


def not_measured(document: Mapping[str, Any], *, most: int = 4) -> list[Markup]:
    """Say what could not be measured and why, a sentence each; not what nobody asked for."""
    answers = [answer for answer in document["not_applicable"] if not _unasked(answer, document)]
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


def _unasked(answer: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Whether bounds were not asked for: without a causal graph there is no section of theirs."""
    return answer["method"] == "bounds" and "bounds" not in document["sections"]


def method_name(key: str) -> Markup:
    """Give a method's heading."""
    return Markup(METHOD_NAMES[key]) if key in METHOD_NAMES else show.name(key)


def pictures(document: Mapping[str, Any], styles: GroupStyles) -> list[figures.Picture]:
    """Draw all measures, one picture for each kind of axis (usually one)."""
    rows = [dots.overview_row(row, styles) for row in document["overview"]]
    kinds: dict[str, list[dots.DotRow]] = {}
    for row in rows:
        if row.dots:
            # Shares and indices go from 0 to 1 alike: they stand on one axis.
            kinds.setdefault("level" if row.unit in {"share", "index"} else row.unit, []).append(row)
    return [
        dots.dots(f"overview-{at}", _title(chosen), chosen) for at, chosen in enumerate(kinds.values(), 1)
    ]


def at_random(document: Mapping[str, Any]) -> bool:
    """Say whether the picture shows what random acceptance gives."""
    return any(point.get("at_random") is not None for row in document["overview"] for point in row["points"])


def effects(document: Mapping[str, Any]) -> bool:
    """Say whether the picture shows effects, whose line of no difference stands at 0."""
    return any(row["unit"] == "difference" for row in document["overview"])


def ranges_only(document: Mapping[str, Any]) -> bool:
    """Say whether the picture has intervals without an estimate in them."""
    points = [point for row in document["overview"] for point in row["points"]]
    return any(point["estimate"] is None and point["low"] is not None for point in points)


def _title(rows: list[dots.DotRow]) -> str:
    """Name the measure on which the groups stand farthest apart, in relation to their intervals."""
    if rows[0].unit == "difference":
        return "Effects on acceptance, each group set against the comparison group, if the causal graph holds"
    apart = max(rows, key=lambda row: row.apart)
    if not apart.apart:
        return "Each measure, by group"
    name = apart.measure
    # "Acceptance rate" stands in a sentence here; "CFlips" and "nDCCF" are names.
    name = name[:1].lower() + name[1:] if name[1:2].islower() else name
    by = f" by {apart.subject}" if apart.subject else ""
    return f"Farthest apart in relation to its interval: {name}{by}, {dots.spread(apart)}"
