"""The tables of findings, and of what could not be established or asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.report import show, tables
from fairwitness.report.sections.overview import method_name

_ORDER = ("high", "medium", "low", "note")


def _strength(finding: Mapping[str, Any]) -> float:
    """Size over uncertainty: distance from the reference in half-widths of the interval."""
    low, high = (show.finite(end) for end in finding["interval"])
    size = abs(show.finite(finding["estimate"]) - show.finite(finding["reference"]))
    width = (high - low) / 2
    return size / width if math.isfinite(size) and math.isfinite(width) and width > 0 else 0.0


def ranked(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Sort by severity, then by size over uncertainty."""
    return sorted(
        document["findings"],
        key=lambda f: (_ORDER.index(f["severity"]), -_strength(f), f["code"], f["subject"]),
    )


def _sub(text: object) -> Markup:
    return show.prose(text) if text else Markup("")


def _what(finding: Mapping[str, Any], anchors: Mapping[str, str]) -> tables.Cell:
    anchor = anchors.get(finding["section"], "limits")
    below = Markup('{}, {}, see <a href="#{}">{}</a>').format(
        show.prose(finding["code"]),
        show.prose(finding["measure"]),
        anchor,
        method_name(finding["section"]),
    )
    return tables.head(show.prose(finding["title"]), below)


def _estimate(finding: Mapping[str, Any]) -> tables.Cell:
    shown = show.measured(finding["estimate"])
    if shown == show.DASH:
        return tables.words("")
    return tables.Cell(shown, show.interval(*finding["interval"]), "number")


def established(document: Mapping[str, Any], anchors: Mapping[str, str]) -> tables.Table | None:
    """Give the table of established findings; None if there is none."""
    rows = []
    for finding in ranked(document):
        if not finding["established"]:
            continue
        title = _what(finding, anchors)
        if finding.get("remedy"):
            title = tables.Cell(
                title.text,
                Markup("{}<br>Next: {}").format(title.sub, show.prose(finding["remedy"])),
                "head",
            )
        threshold = finding["threshold"]
        severity = Markup('<span class="severity-{0}">{0}</span>').format(finding["severity"])
        passed = "" if threshold is None else f"threshold {show.measured(threshold)}"
        rows.append(
            [
                title,
                tables.words(severity, passed),
                tables.words(show.prose(finding["subject"])),
                _estimate(finding),
                tables.whole(finding["n"]),
            ]
        )
    if not rows:
        return None
    return tables.table(
        "findings-table",
        "Findings, highest severity first, then largest in relation to its uncertainty",
        ["Finding", "Severity", "For whom", "Estimate", "n"],
        rows,
        wide=True,
        look="sentences",
    )


def open_questions(document: Mapping[str, Any], anchors: Mapping[str, str]) -> tables.Table | None:
    """Give the table of what was not established or not applicable, with the remedies."""
    rows = [_not_established(f, anchors) for f in ranked(document) if not f["established"]]
    rows += [_not_applicable(answer) for answer in document["not_applicable"]]
    if not rows:
        return None
    return tables.table(
        "open-table",
        "Not established and not applicable, with what would help",
        ["Question", "Answer", "For whom", "Estimate", "n", "What would help"],
        rows,
        wide=True,
        look="sentences",
    )


def _not_established(finding: Mapping[str, Any], anchors: Mapping[str, str]) -> list[tables.Cell]:
    why: Markup | str = "no interval"
    if show.interval(*finding["interval"]):
        reference = show.number(finding["reference"])
        why = Markup("the interval includes {}, the value of no difference").format(reference)
    return [
        _what(finding, anchors),
        tables.words("not established", why),
        tables.words(_sub(finding["subject"])),
        _estimate(finding),
        tables.whole(finding["n"]),
        tables.words(_sub(finding["remedy"])),
    ]


def _not_applicable(answer: Mapping[str, Any]) -> list[tables.Cell]:
    return [
        tables.head(method_name(answer["method"])),
        tables.words("not applicable", _sub(answer["reason"])),
        tables.words(_sub(answer.get("subject"))),
        tables.words(""),
        tables.words(""),
        tables.words(_sub(answer.get("remedy"))),
    ]
