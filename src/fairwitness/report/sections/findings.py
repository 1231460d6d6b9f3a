"""The tables of findings, of notes, and of what could not be established or asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.report import show, tables
from fairwitness.report.sections.overview import method_name

_ORDER = ("high", "medium", "low", "note")
#: Findings whose number is a difference of shares, shown in percentage points, or a share.
_POINTS = frozenset({"RATE001", "RATE003", "RATE004", "FLIP001", "BND001", "BND002", "BND003", "BND004"})
_SHARES = frozenset({"FLIP006", "BND005", "BND006"})
_PROBABILITIES = frozenset({"BND007"})


def _strength(finding: Mapping[str, Any]) -> float:
    """Size over uncertainty: distance from the reference in half-widths of the interval.

    Of a range without an estimate in it, the distance of its nearer end.
    """
    low, high = (show.finite(end) for end in finding["interval"])
    estimate, reference = show.finite(finding["estimate"]), show.finite(finding["reference"])
    if not math.isfinite(estimate):
        estimate = min(max(low, reference), high)
    size = abs(estimate - reference)
    width = (high - low) / 2
    return size / width if math.isfinite(size) and math.isfinite(width) and width > 0 else 0.0


def ranked(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Sort by severity; among equals, carriers after what they carry; then by size over uncertainty."""
    return sorted(
        document["findings"],
        key=lambda f: (
            _ORDER.index(f["severity"]),
            "column" in f["evidence"],
            -_strength(f),
            f["code"],
            f["subject"],
        ),
    )


def _sub(text: object) -> Markup:
    return show.prose(text) if text else Markup("")


def _sentence(text: object) -> Markup:
    """Begin with a capital letter, and leave the full stop to the caller."""
    given = str(text).rstrip(".")
    return show.prose(given[:1].upper() + given[1:])


def _what(finding: Mapping[str, Any], anchors: Mapping[str, str]) -> tables.Cell:
    anchor = anchors.get(finding["section"], "limits")
    below = Markup('{}, {}, see <a href="#{}">{}</a>').format(
        show.prose(finding["code"]),
        show.prose(finding["measure"]),
        anchor,
        method_name(finding["section"]),
    )
    return tables.head(show.prose(finding["title"]), below)


def _value(finding: Mapping[str, Any], number: object) -> str:
    """Write a number of a finding in the finding's unit."""
    if finding["code"] in _POINTS:
        shown = show.hundredths(number)
        return shown if shown == show.DASH else show.held(f"{shown} points")
    if finding["code"] in _SHARES:
        return show.share(number)
    if finding["code"] in _PROBABILITIES:
        return show.probability(number)
    return show.measured(number)


def _threshold(finding: Mapping[str, Any], threshold: float) -> str:
    """Write a threshold as the policy has it, not as if it were measured."""
    if finding["code"] in _POINTS:
        return show.held(f"{round(100 * threshold, 6):g} points")
    return f"{threshold:g}"


def _estimate(finding: Mapping[str, Any]) -> tables.Cell:
    shown = _value(finding, finding["estimate"])
    hundredths = finding["code"] in _POINTS | _SHARES
    between = show.hundredths_interval if hundredths else show.interval
    if shown == show.DASH:
        # A range in which no value is likelier than another, or nothing at all.
        range_ = between(*finding["interval"])
        unit = " points" if finding["code"] in _POINTS else " %" if finding["code"] in _SHARES else ""
        return tables.Cell(show.held(f"{range_}{unit}"), "", "figure") if range_ else tables.words("")
    # No decimal points to align: the units of the lines differ.
    return tables.Cell(shown, between(*finding["interval"]), "figure")


def _title(finding: Mapping[str, Any], anchors: Mapping[str, str]) -> tables.Cell:
    title = _what(finding, anchors)
    if not finding.get("remedy"):
        return title
    return tables.Cell(title.text, Markup("{}. {}.").format(title.sub, _sentence(finding["remedy"])), "head")


def established(document: Mapping[str, Any], anchors: Mapping[str, str]) -> tables.Table | None:
    """Give the table of established findings that passed a threshold; None if there is none."""
    rows = []
    for finding in _settled(document, notes=False):
        threshold = finding["threshold"]
        severity = Markup('<span class="severity-{0}">{0}</span>').format(finding["severity"])
        passed = "" if threshold is None else f"threshold {_threshold(finding, threshold)}"
        rows.append(
            [
                _title(finding, anchors),
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
        "Highest severity first, then largest in relation to its uncertainty",
        ["Finding", "Severity", "For whom", "Estimate", "n"],
        rows,
        look="sentences",
    )


def notes(document: Mapping[str, Any], anchors: Mapping[str, str]) -> tables.Table | None:
    """Give the quieter table of what is worth knowing without passing a threshold; None if there is none."""
    rows = [
        [
            _title(finding, anchors),
            tables.words(show.prose(finding["subject"])),
            _estimate(finding),
            tables.whole(finding["n"]),
        ]
        for finding in _settled(document, notes=True)
    ]
    if not rows:
        return None
    return tables.table(
        "notes-table",
        "Worth knowing; not graded",
        ["Note", "For whom", "Estimate", "n"],
        rows,
        look="sentences quiet",
    )


def _settled(document: Mapping[str, Any], *, notes: bool) -> Iterable[Mapping[str, Any]]:
    return (f for f in ranked(document) if f["established"] and (f["severity"] == "note") == notes)


def open_questions(document: Mapping[str, Any], anchors: Mapping[str, str]) -> tables.Table | None:
    """Give the table of what was not established or not applicable, with the remedies."""
    rows = [_not_established(f, anchors) for f in ranked(document) if not f["established"]]
    rows += [_not_applicable(answer) for answer in document["not_applicable"]]
    if not rows:
        return None
    return tables.table(
        "open-table",
        "Why there is no answer, and what would help",
        ["Question", "For whom", "Estimate", "n", "Answer"],
        rows,
        look="sentences",
    )


def _not_established(finding: Mapping[str, Any], anchors: Mapping[str, str]) -> list[tables.Cell]:
    why: Markup | str = finding["remedy"]
    if not why:
        why = "there is no interval"
        if show.interval(*finding["interval"]):
            why = f"the interval includes {show.number(finding['reference'])}, the value of no difference"
    return [
        _what(finding, anchors),
        tables.words(_sub(finding["subject"])),
        _estimate(finding),
        tables.whole(finding["n"]),
        tables.words("Not established", _sentence(why)),
    ]


def _not_applicable(answer: Mapping[str, Any]) -> list[tables.Cell]:
    # A reason may begin with a name of the user's, which keeps its letters.
    said = [show.prose(str(answer["reason"]).rstrip("."))]
    if answer.get("remedy"):
        said.append(_sentence(answer["remedy"]))
    return [
        tables.head(method_name(answer["method"])),
        tables.words(_sub(answer.get("subject"))),
        tables.words(""),
        tables.words(""),
        tables.words("Not applicable", Markup(". ").join(said)),
    ]
