"""Causal bounds: what a graph and a table say of the effect of each sensitive feature on acceptance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness import drawing
from fairwitness.report import ranges, show, tables
from fairwitness.report.figures import Picture
from fairwitness.report.groups import GroupStyles
from fairwitness.report.sections import kinds
from fairwitness.report.sections.limits import facts_table
from fairwitness.text import plain


def view(document: Mapping[str, Any], styles: GroupStyles) -> dict[str, Any] | None:
    """Give all that the section shows; None if there was no graph."""
    if "bounds" not in document["sections"]:
        return None
    section = document["sections"]["bounds"] or {}
    features = [
        _feature(at, feature, section, document, styles)
        for at, feature in enumerate(section.get("features") or [], 1)
    ]
    confidence = section.get("confidence")
    tests = section.get("tests") or {}
    settings = {"confidence": confidence, **(section.get("settings") or {})}
    graph = section.get("graph") or {}
    return {
        "features": features,
        "people": show.name(document["audited"]["people"]),
        "tau": ranges.tolerance(section.get("tau")),
        "n": show.count(section.get("n")),
        "confidence": show.percent(confidence) if confidence else None,
        "indicative": section.get("sampling_error") == "resampled",
        "decision": show.name(graph.get("decision", "")),
        "reason": show.prose(graph.get("reason", "")),
        "assumptions": [show.prose(sentence) for sentence in section.get("assumptions") or []],
        "notes": [show.prose(sentence) for sentence in section.get("notes") or []],
        "tests": _tests(tests),
        "rejected": sum(bool(test.get("rejected")) for test in tests.get("tests") or []),
        "slack": max(
            (
                effect.get("slack") or 0.0
                for feature in section.get("features") or []
                for contrast in feature["contrasts"]
                for effect in contrast["effects"]
            ),
            default=0.0,
        )
        or None,
        "text": show.name(graph.get("text", "")),
        "settings": facts_table("bounds-settings", "Settings", ("Setting", "Value"), settings)
        if features
        else None,
    }


def _feature(
    at: int,
    feature: Mapping[str, Any],
    section: Mapping[str, Any],
    document: Mapping[str, Any],
    styles: GroupStyles,
) -> dict[str, Any]:
    key, name, tau = f"bounds-{at}", feature["name"], section.get("tau")
    contrasts = feature["contrasts"]
    several = len(contrasts) > 1
    edges = [edge for c in contrasts for e in c["effects"] if e["key"] == "total" for edge in e["edges"]]
    graph = section["graph"]
    return {
        "id": key,
        "name": show.name(name),
        "privileged": styles.shown(name, feature["privileged"]),
        "graph": ranges.graph_picture(
            f"{key}-graph",
            f"The graph that is assumed, and its paths from {plain(feature['node'])} to the decision",
            graph,
            edges,
        ),
        "effects": _effects(key, feature, tau, several=several),
        "effects_table": _effects_table(key, feature, section, styles, several=several),
        "people": kinds.table(key, feature, document, styles, several=several),
        "kinds": [
            made
            for number, contrast in enumerate(contrasts, 1)
            for made in kinds.pictures(f"{key}-{number}", feature, contrast, tau, several=several)
        ],
        "ladder": _ladder(key, feature, tau, several=several),
        "ladder_table": _ladder_table(key, feature, styles, several=several),
        "notation": [
            (
                Markup("{}, {}").format(effect["title"], styles.shown(name, contrast["group"])),
                effect["notation"],
            )
            for contrast in contrasts
            for effect in contrast["effects"]
            if effect.get("notation")
        ],
    }


def _effects(key: str, feature: Mapping[str, Any], tau: object, *, several: bool) -> Picture:
    contrasts = feature["contrasts"]
    panels = [
        drawing.RangePanel(
            ranges.pair(feature, contrast) if several else "",
            [ranges.line(effect["title"], effect, tau) for effect in contrast["effects"]],
        )
        for contrast in contrasts
    ]
    first = contrasts[0]["effects"][0]
    title = f"Effects of {plain(feature['name'])} on acceptance"
    if not several:
        title = f"{title}, {ranges.pair(feature, contrasts[0])}: {first['title'].lower()} {_in_title(first)}"
    return ranges.picture(
        f"{key}-effects",
        title,
        panels,
        tau,
        ranges.range_table(
            f"{key}-effects-data",
            "Bounds of each effect, percentage points",
            [(f"{c['group']}: {e['title']}", e) for c in contrasts for e in c["effects"]],
        ),
        words=ranges.axis(tau),
    )


def _in_title(effect: Mapping[str, Any]) -> str:
    if effect.get("lower") is None or effect.get("status") == "uninformative":
        return ranges.verdict(effect, 0)
    return f"{ranges.span(effect['lower'], effect['upper'])} points"


def _effects_table(
    key: str,
    feature: Mapping[str, Any],
    section: Mapping[str, Any],
    styles: GroupStyles,
    *,
    several: bool,
) -> tables.Table:
    tau, level = section.get("tau"), section.get("confidence")
    rows = []
    for contrast in feature["contrasts"]:
        rows += [
            [
                tables.head(effect["title"], show.prose(_paths(effect["paths"]))),
                *([ranges.group(feature, contrast, styles)] if several else []),
                _range_cell(effect),
                *([_interval_cell(effect)] if level else []),
                tables.words(*_verdict(effect, tau)),
            ]
            for effect in contrast["effects"]
        ]
    pair = ranges.pair(feature, feature["contrasts"][0])
    return tables.table(
        f"{key}-effects-table",
        Markup("Effects of {} over everyone, percentage points").format(show.name(feature["name"])),
        [
            "Effect",
            *(["Group"] if several else []),
            "Bounds",
            *([f"{show.percent(level)} interval{_kind(section)}"] if level else []),
            f"Against ±{ranges.tolerance(tau)}",
        ],
        rows,
        notes=[
            show.prose(
                f"Below 0: fewer would be accepted if everyone were of the group than if everyone were "
                f"{plain(feature['privileged'])}."
                if several
                else f"{pair}: below 0, fewer would be accepted."
            )
        ],
        look="sentences",
    )


def _kind(section: Mapping[str, Any]) -> str:
    return ", indicative" if section.get("sampling_error") == "resampled" else ""


def _paths(words: str) -> str:
    return words[:1].upper() + words[1:] if words.startswith(("all ", "the ")) else words


def _range_cell(found: Mapping[str, Any]) -> tables.Cell:
    if found.get("lower") is None:
        return tables.words(show.DASH, show.prose(found.get("reason") or "no bounds"))
    if found.get("status") == "uninformative":
        return tables.words(show.DASH)
    return tables.words(show.held(ranges.span(found["lower"], found["upper"])))


def _interval_cell(found: Mapping[str, Any]) -> tables.Cell:
    if found.get("lower") is None or found.get("status") == "uninformative":
        return tables.words("")
    return tables.words(show.held(f"[{ranges.points(found['low'])}, {ranges.points(found['high'])}]"))


def _verdict(found: Mapping[str, Any], tau: object) -> tuple[str, str]:
    if found.get("status") == "uninformative":
        return "cannot be told", ranges.UNINFORMATIVE
    return ranges.verdict(found, tau), ranges.STATUS.get(str(found.get("status")), "")


def _ladder(key: str, feature: Mapping[str, Any], tau: object, *, several: bool) -> Picture | None:
    """Draw the total effect under each set of assumptions."""
    panels, rows = [], []
    for contrast in feature["contrasts"]:
        ladder = next((each for each in contrast["ladders"] if each["key"] == "total"), None)
        rungs = (ladder or {}).get("rungs") or []
        if rungs:
            strong = next((at for at, rung in enumerate(rungs) if rung["asked"]), -1)
            # No verdicts: those of other rungs know nothing of sampling error.
            lines = [ranges.line(rung["title"], rung, tau, beside=ranges.ends(rung)) for rung in rungs]
            panels.append(
                drawing.RangePanel(ranges.pair(feature, contrast) if several else "", lines, strong)
            )
            rows += [(f"{contrast['group']}: {rung['title']}", rung) for rung in rungs]
    if not panels:
        return None
    return ranges.picture(
        f"{key}-ladder",
        f"The total effect of {plain(feature['name'])} under other assumptions; bold: those made here",
        panels,
        tau,
        ranges.range_table(f"{key}-ladder-data", "Total effect, percentage points", rows),
        words=ranges.axis(tau),
    )


def _ladder_table(
    key: str, feature: Mapping[str, Any], styles: GroupStyles, *, several: bool
) -> tables.Table | None:
    """Set the assumptions beside what they give, all effects in one table."""
    names = {effect["key"]: effect["title"] for c in feature["contrasts"] for effect in c["effects"]}
    keys = [each for each in names if each in {"total", "direct", "indirect"}]
    rows = []
    for contrast in feature["contrasts"]:
        found = {ladder["key"]: ladder["rungs"] for ladder in contrast["ladders"]}
        for rung in found.get("total", []):
            head = Markup("<b>{}</b>").format(rung["title"]) if rung["asked"] else rung["title"]
            cells = []
            for each in keys:
                own: Mapping[str, Any] = next(
                    (other for other in found.get(each, []) if other["name"] == rung["name"]), {}
                )
                cells.append(_range_cell({"reason": "not computed", **own}))
            rows.append(
                [
                    tables.head(head, show.prose("; ".join(rung["assumptions"]))),
                    *([ranges.group(feature, contrast, styles)] if several else []),
                    *cells,
                ]
            )
    if not rows:
        return None
    return tables.table(
        f"{key}-ladder-table",
        "Assumptions, and the bounds that they give, percentage points",
        ["Assumptions", *(["Group"] if several else []), *(names[each] for each in keys)],
        rows,
        look="sentences",
    )


def _tests(tests: Mapping[str, Any]) -> tables.Table | None:
    """Give what the graph says of the table, tested."""
    listed = tests.get("tests") or []
    if not listed:
        return None
    return tables.table(
        "bounds-tests",
        "What the graph implies of the table, tested",
        ["Statement", "Size of the deviation, 0 to 1", "p", "p, adjusted (Holm)", "Answer"],
        [
            [
                tables.head(show.prose(test["statement"])),
                tables.number(test["deviation"]),
                tables.probability(test["p_value"]),
                tables.probability(test["p_adjusted"]),
                tables.words(
                    show.prose(test.get("reason") or "not tested")
                    if test["rejected"] is None
                    else "contradicted"
                    if test["rejected"]
                    else "not contradicted"
                ),
            ]
            for test in listed
        ],
        notes=[] if tests.get("complete", True) else ["The list is cut; the graph implies more."],
    )
