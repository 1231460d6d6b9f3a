"""Canonical sets: the gate's verdict first, then both sets beside each other with the real rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from fairwitness import drawing
from fairwitness.report import show, tables
from fairwitness.report.figures import NARROW, WIDE, Picture, svg
from fairwitness.report.groups import GroupStyles
from fairwitness.report.sections.limits import facts_table
from fairwitness.text import plain

#: What a verdict means, in a sentence.
MEANINGS = {
    "trust": "The sets are what was asked for, on every measure below.",
    "weak": "The sets are near to what was asked for; the measures that fall short say where not to rely on "
    "them.",
    "do not use": "The sets are not what was asked for. What they show is not shown here as an answer.",
    "not checked": "The sets were not checked.",
}
#: What the sets were compared with, in a sentence.
REFERENCES = {
    "learnt": "The profiles were compared with the rows that they were learnt from, which is lenient: there "
    "are too few rows to keep some apart.",
    "held out": "The profiles were compared with rows that they were not learnt from.",
    "other half": "The profiles are learnt from all rows. The distances below, and how well a classifier "
    "tells profiles from real rows, are of others, learnt from one random half of the rows and compared with "
    "the other half: rows that were learnt from would flatter them.",
}
_SETS = ("positive set", "negative set")


def view(document: Mapping[str, Any], styles: GroupStyles) -> dict[str, Any] | None:
    """Give all that the section shows; None if the method was not run, or has no result."""
    section = document["sections"].get("canonical")
    if not section:
        return None
    usable = section["verdict"] != "do not use"
    by_name = {feature["name"]: feature for feature in section["features"]}
    return {
        "verdict": section["verdict"],
        "meaning": MEANINGS[section["verdict"]],
        "reasons": [show.prose(reason) for gate in section["gates"] for reason in gate["reasons"]],
        "gates": _gates(section["gates"]),
        "asked": any(
            measure["name"] == "score_error" and measure["value"] is not None
            for gate in section["gates"]
            for measure in gate["measures"]
        ),
        "references": list(
            dict.fromkeys(REFERENCES[gate["reference"]] for gate in section["gates"] if "reference" in gate)
        ),
        "requests": [show.prose(request) for request in section["requests"]],
        "n": [show.count(n) for n in section["n"]],
        "n_real": [show.count(n) for n in section["n_real"]],
        "confidence": show.percent(section["confidence"]),
        "people": show.name(document["audited"]["people"]),
        "decisions_only": section.get("decisions_only", False),
        "pictures": _pictures(section, by_name) if usable else [],
        "features": _features(section["features"]) if usable else None,
        "together": _together(section.get("together") or []) if usable else None,
        "heat": [
            _heat(at, grid)
            for at, grid in enumerate(section.get("intersections") or [], 1)
            if not grid["reason"]
        ]
        if usable
        else [],
        "hidden": [show.name(each["name"]) for each in section["sensitive"] if not each["seen"]],
        "notes": [show.prose(note) for note in section.get("notes") or []],
        "settings": facts_table(
            "canonical-settings", "Settings", ("Setting", "Value"), section.get("settings") or {}
        ),
    }


def _gates(gates: Sequence[Mapping[str, Any]]) -> tables.Table | None:
    """Give one line a measure, with both sets and the thresholds."""
    if not gates:
        return None
    rows = []
    for lines in zip(*(gate["measures"] for gate in gates), strict=True):
        first = lines[0]
        rows.append(
            [
                tables.head(show.prose(first["words"])),
                *(_measure(line) for line in lines),
                tables.words(_threshold(first)),
            ]
        )
    return tables.table(
        "canonical-gate",
        "What the gate measured",
        ["Measure", *(Markup("{}").format(name.capitalize()) for name in _SETS[: len(gates)]), "Trusted"],
        rows,
        notes=[
            "Beside “by chance” stands what as many real rows drawn at random give: the least that can be "
            "reached. Where there is one, the threshold is for what lies beyond it."
        ],
    )


def _measure(line: Mapping[str, Any]) -> tables.Cell:
    value = show.finite(line["value"])
    if not math.isfinite(value):
        return tables.Cell(show.DASH, show.prose(line["reason"]), "none")
    below = [line["detail"]] if line["detail"] else []
    if line["low"] is not None:
        below.append(show.interval(line["low"], line["high"]))
    if line["floor"] is not None:
        below.append(f"by chance {show.number(line['floor'])}")
    if line["verdict"] != "trust":
        below.append(line["verdict"])
    shown = show.count(line["value"]) if line["unit"] == "rows" else show.number(value)
    return tables.Cell(shown, show.prose("; ".join(below)), "number")


def _threshold(line: Mapping[str, Any]) -> str:
    if line["trust"] is None:
        return ""
    word = "at most" if line["better"] == "lower" else "at least"
    return f"{word} {show.number(line['trust'])}" + (" beyond chance" if line["floor"] is not None else "")


def _pictures(section: Mapping[str, Any], by_name: Mapping[str, Mapping[str, Any]]) -> list[Picture]:
    """Draw the sensitive columns one picture each, and the others that differ most in one."""
    sensitive = [each["column"] for each in section["sensitive"]]
    others = [name for name in section["shown"] if name not in sensitive]
    out = [_profile(at, [by_name[name]], section) for at, name in enumerate(sensitive, 1)]
    if others:
        out.append(_profile(len(out) + 1, [by_name[name] for name in others], section))
    return out


def _profile(at: int, features: Sequence[Mapping[str, Any]], section: Mapping[str, Any]) -> Picture:
    key = f"canonical-{at}"
    if len(features) == 1:
        level = _largest(features[0])
        title = (
            f"{plain(features[0]['name'])}: {plain(level['label'])} in {show.percent(level['positive'])} of "
            f"the positive set, {show.percent(level['negative'])} of the negative"
        )
    else:
        title = "The other columns that differ most between the sets"
    columns = [
        drawing.Profile(
            feature["name"],
            [
                drawing.LevelBars(
                    level["label"],
                    (level["positive"], level["negative"]),
                    (show.finite(level["real_positive"]), show.finite(level["real_negative"])),
                )
                for level in feature["levels"]
            ],
        )
        for feature in features
    ]
    said = ". ".join(
        f"{plain(feature['name'])}: "
        + "; ".join(
            f"{plain(level['label'])} {show.percent(level['positive'])} and {show.percent(level['negative'])}"
            for level in feature["levels"]
        )
        for feature in features
    )

    def draw(width: float, *, narrow: bool) -> Markup:
        fig, ax = drawing.figure(width, drawing.profiles_height(columns))
        drawing.profiles(
            ax,
            columns,
            sets=("positive", "negative") if narrow else _SETS,
            xlabel=f"share of the rows (gate: {section['verdict']})",
            tick_label="real" if narrow else "real rows of such scores",
        )
        return svg(fig, key, title, said, narrow=narrow)

    data = tables.table(
        f"{key}-data",
        "Shares of every level, %",
        ["Column", "Level", "Positive", "Negative", "Real, positive", "Real, negative", "Ratio", "Real rows"],
        [
            [
                tables.head(show.name(feature["name"])),
                tables.words(show.name(level["label"])),
                *(
                    tables.hundredths(level[part])
                    for part in ("positive", "negative", "real_positive", "real_negative")
                ),
                _ratio(level),
                tables.whole(level["n_real"]),
            ]
            for feature in features
            for level in feature["levels"]
        ],
    )
    return Picture(key, show.prose(title), draw(WIDE, narrow=False), draw(NARROW, narrow=True), data)


def _largest(feature: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = max(
        feature["levels"], key=lambda level: abs(level["positive"] - level["negative"])
    )
    return found


def _ratio(level: Mapping[str, Any]) -> tables.Cell:
    value = show.finite(level["lift"])
    if not math.isfinite(value):
        return tables.Cell(show.DASH, "in neither set", "none")
    return tables.Cell(show.number(value), show.interval(level["low"], level["high"]), "number")


def _features(features: Sequence[Mapping[str, Any]]) -> tables.Table:
    """Give one line a column: how far the sets are apart, and the real rows."""
    ranked = sorted(features, key=lambda each: (not each["protected"], -_tv(each)))
    return tables.table(
        "canonical-features",
        "How far the two sets are apart, column by column",
        ["Column", "Total variation", "Real rows", "Jensen–Shannon, bits", "Wasserstein, sd", "p, corrected"],
        [
            [
                tables.head(show.name(feature["name"]), "sensitive" if feature["protected"] else ""),
                tables.estimate(feature["distances"]["total_variation"]),
                tables.number(feature["real"]["total_variation"]),
                tables.estimate(feature["distances"]["jensen_shannon"]),
                tables.estimate(feature["distances"]["wasserstein"])
                if feature["kind"] == "numbers"
                else tables.words(""),
                tables.probability(feature["p_adjusted"]),
            ]
            for feature in ranked
        ],
        notes=[
            "0: the sets are alike. p is of the real rows in the two bands, permuted, after Holm's "
            "correction over all columns; the number of rows that were made has no part in it."
        ],
    )


def _tv(feature: Mapping[str, Any]) -> float:
    return show.finite(feature["distances"]["total_variation"]["estimate"])


def _together(found: Sequence[Mapping[str, Any]]) -> tables.Table | None:
    if not found:
        return None
    return tables.table(
        "canonical-together",
        "Levels that occur together in the positive set",
        ["Together", "Positive, %", "Negative, %", "If independent, %", "Real rows"],
        [
            [
                tables.head(
                    show.prose(", ".join(f"{plain(k)} = {plain(v)}" for k, v in each["levels"].items()))
                ),
                tables.hundredths(each["positive"]),
                tables.hundredths(each["negative"]),
                tables.hundredths(each["expected"]),
                tables.whole(each["n_real"]),
            ]
            for each in found
        ],
    )


def _heat(at: int, grid: Mapping[str, Any]) -> Picture:
    """Draw how much more frequent pairs of sensitive levels are in the positive set."""
    key = f"canonical-pairs-{at}"
    title = f"{plain(grid['row'])} by {plain(grid['column'])}: positive over negative set"
    cells = [
        [drawing.HeatCell(show.finite(cell["lift"]), cell["n"], cell["few"]) for cell in line]
        for line in grid["cells"]
    ]
    rows, columns = grid["row_labels"], grid["column_labels"]
    said = "; ".join(
        f"{plain(rows[i])} and {plain(columns[j])} {show.number(cell['lift'])}"
        for i, line in enumerate(grid["cells"])
        for j, cell in enumerate(line)
        if not cell["few"]
    )
    fig, ax = drawing.figure(*drawing.heat_size(rows, columns))
    drawing.heat(ax, rows, columns, cells, xlabel="grey: fewer than 10 real rows")
    data = tables.table(
        f"{key}-data",
        "Pairs of levels, shares in %",
        [show.name(grid["row"]), show.name(grid["column"]), "Positive", "Negative", "Ratio", "Real rows"],
        [
            [
                tables.head(show.name(rows[i])),
                tables.words(show.name(columns[j])),
                tables.hundredths(cell["positive"]),
                tables.hundredths(cell["negative"]),
                _ratio(cell),
                tables.whole(cell["n"]),
            ]
            for i, line in enumerate(grid["cells"])
            for j, cell in enumerate(line)
        ],
    )
    return Picture(key, show.prose(title), svg(fig, key, title, said), None, data)
