"""Kinds of people: how far an effect goes for people who are alike, and for how many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from fairwitness import drawing
from fairwitness.report import ranges, show, tables
from fairwitness.report.figures import Picture
from fairwitness.report.groups import GroupStyles
from fairwitness.text import plain

#: Names of the shares of people, and of whom they tell apart.
PEOPLE = {
    "counterfactual_fairness": ("All paths", "people alike in {}"),
    "group_direct_discrimination": ("Direct edge", "people alike in {}"),
}
#: Most kinds of people that are drawn.
MOST_KINDS = 8


def table(
    key: str,
    feature: Mapping[str, Any],
    document: Mapping[str, Any],
    styles: GroupStyles,
    *,
    several: bool,
) -> tables.Table | None:
    """Give for how many people the effect on people like them is beyond, within, or open."""
    section = document["sections"]["bounds"]
    tau, rows, few = section.get("tau"), [], 0
    for contrast in feature["contrasts"]:
        for found in contrast["people"]:
            n = found["n"]
            if not n:
                continue
            few = max(few, found.get("few", 0))
            name, alike = PEOPLE.get(found["key"], (found["key"], ""))
            known = Markup(", ").join(map(show.name, found["told_apart_by"]))
            rows.append(
                [
                    tables.head(name, Markup(alike).format(known)),
                    *([ranges.group(feature, contrast, styles)] if several else []),
                    tables.whole(n),
                    tables.whole(found["n_kinds"]),
                    *(
                        tables.Cell(show.percent(found[word] / n), show.count(found[word]), "number")
                        for word in ("beyond", "within", "open")
                    ),
                ]
            )
    if not rows:
        return None
    size = ranges.tolerance(tau)
    return tables.table(
        f"{key}-people",
        Markup("For how many {} the effect on people like them is beyond ±{} percentage points").format(
            show.name(document["audited"]["people"]), size
        ),
        [
            "Effect",
            *(["Group"] if several else []),
            "n",
            "Kinds of people",
            f"Beyond ±{size}",
            f"Within ±{size}",
            "Cannot be told",
        ],
        rows,
        notes=[
            f"Kinds of fewer than {show.count(section.get('minimum_n'))} people are not asked about (up to "
            f"{show.count(few)} people of a row); they count as “cannot be told”."
        ]
        if few
        else [],
    )


def pictures(
    key: str, feature: Mapping[str, Any], contrast: Mapping[str, Any], tau: object, *, several: bool
) -> Iterator[Picture]:
    """Draw the largest kinds of people, each with its range."""
    found = next((p for p in contrast["people"] if p["key"] == "counterfactual_fairness"), None)
    kinds = (found or {}).get("kinds", [])[:MOST_KINDS]
    if not kinds:
        return
    # What all of them have in common would only push what tells them apart out of the picture.
    first = kinds[0]["given"]
    common = {
        name: value
        for name, value in first.items()
        if len(kinds) > 1 and all(kind["given"].get(name) == value for kind in kinds)
    }
    lines = [
        ranges.line(
            _alike({n: v for n, v in kind["given"].items() if n not in common}, feature["node"]),
            kind,
            tau,
            beside=f"{show.count(kind['n'])} people: {ranges.said(kind, tau)}",
        )
        for kind in kinds
    ]
    pair = f": {ranges.pair(feature, contrast)}" if several else ""
    assert found is not None
    which = "kinds" if len(kinds) == found["n_kinds"] else f"{len(kinds)} largest of {found['n_kinds']} kinds"
    yield ranges.picture(
        f"{key}-kinds",
        f"How far {plain(feature['name'])} moves acceptance of the {which} of people{pair}",
        [drawing.RangePanel(f"All: {_alike(common, feature['node'])}" if common else "", lines)],
        tau,
        ranges.range_table(
            f"{key}-kinds-data",
            "Bounds for each kind of people, percentage points",
            [
                (f"{_alike(kind['given'], feature['node'], most=200)} (n = {kind['n']:,})", kind)
                for kind in kinds
            ],
        ),
        words=ranges.axis(tau),
    )


def _alike(given: Mapping[str, str], node: str, *, most: int = 24) -> str:
    """Name a kind of people by their values, their own group first; long ones are cut in pictures."""
    ordered = [*([node] if node in given else []), *(name for name in given if name != node)]

    def said(name: str) -> str:
        value = plain(given[name], most=most)
        # "Black" and "obrat > 36" say what they are of; "yes" does not.
        alone = name == node or value.startswith(f"{plain(name)} ")
        return show.held(value if alone else f"{plain(name, most=most)} {value}")

    return ", ".join(map(said, ordered))
