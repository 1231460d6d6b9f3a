"""Group metrics: how often each group is accepted, and how often rightly and wrongly so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.report import dots, show, tables
from fairwitness.report.groups import GroupStyles
from fairwitness.report.sections.limits import facts_table
from fairwitness.text import plain

_RATES = (
    ("acceptance", "Acceptance rate"),
    ("true_positive_rate", "True positive rate"),
    ("false_positive_rate", "False positive rate"),
)
#: Key, name (as findings have it), and whether it is a difference of shares, shown in percentage points.
_DIFFERENCES = (
    ("statistical_parity_difference", "Difference in acceptance rates", True),
    ("disparate_impact_ratio", "Ratio of acceptance rates", False),
    ("equal_opportunity_difference", "Difference in true positive rates", True),
    ("average_odds_difference", "Average odds difference", True),
    ("average_absolute_odds_difference", "Average absolute odds difference", True),
)


def view(document: Mapping[str, Any], styles: GroupStyles) -> dict[str, Any] | None:
    """Give all that the section shows; None if the method was not run."""
    if "rates" not in document["sections"]:
        return None
    section = document["sections"]["rates"] or {}
    people = document["audited"]["people"]
    features = [
        _feature(at, feature, people, styles) for at, feature in enumerate(section.get("features") or [], 1)
    ]
    settings = {"confidence": document["audited"]["confidence"], **(section.get("settings") or {})}
    return {
        "features": features,
        "people": show.name(people),
        "confidence": show.percent(document["audited"]["confidence"]),
        "has_outcome": any(feature["has_outcome"] for feature in features),
        "small": [(feature["name"], small) for feature in features for small in feature["small"]],
        "smallest": min((n for feature in features for n in feature["sizes"]), default=None),
        "minimum_n": document["reproducibility"]["settings"].get("minimum_n"),
        "settings": facts_table("rates-settings", "Settings", ("Setting", "Value"), settings),
    }


def _feature(at: int, feature: Mapping[str, Any], people: str, styles: GroupStyles) -> dict[str, Any]:
    name, groups = feature["name"], feature["groups"]
    outcome = bool(feature.get("has_outcome"))
    measures = _RATES if outcome else _RATES[:1]
    rows = []
    for key, words in measures:
        points = tuple(dots.dot(name, group["label"], group.get(key), styles) for group in groups)
        own = [d.estimate for d in points if d.group == feature["privileged"]]
        rows.append(dots.DotRow(words, "", points, reference=own[0] if own else None))
    title = f"Acceptance rate by {plain(name)}: {dots.spread(rows[0])}"
    return {
        "id": f"rates-{at}",
        "name": show.name(name),
        "has_outcome": outcome,
        "privileged": styles.shown(name, feature["privileged"]),
        "sentence": _sentence(feature, people),
        "picture": dots.dots(f"rates-{at}-rates", title, rows),
        "groups": _groups(at, feature, measures, styles),
        "comparisons": _comparisons(at, feature, styles),
        "small": [
            Markup("{} (n = {})").format(styles.shown(name, group["label"]), show.count(group["n"]))
            for group in groups
            if group.get("small")
        ],
        "sizes": [group["n"] for group in groups],
    }


def _sentence(feature: Mapping[str, Any], people: str) -> Markup:
    """Say each group's acceptance rate in words; with many groups, the ends."""
    known = [g for g in feature["groups"] if g["acceptance"].get("estimate") is not None]
    if not known:
        return Markup("No group has an acceptance rate.")

    def said(group: Mapping[str, Any]) -> Markup:
        e = group["acceptance"]
        return Markup("{} {} of {} (n = {})").format(
            show.percent(e["estimate"]),
            show.percent_interval(e.get("low"), e.get("high")),
            show.name(group["label"]),
            show.count(group["n"]),
        )

    if len(known) <= 3:
        return Markup("The model accepts {} {}.").format(_join([said(g) for g in known]), show.name(people))
    known.sort(key=lambda g: g["acceptance"]["estimate"])
    return Markup("Acceptance among {} goes from {} to {}.").format(
        show.name(people), said(known[0]), said(known[-1])
    )


def _join(parts: list[Markup]) -> Markup:
    if len(parts) <= 1:
        return Markup("").join(parts)
    return Markup("{} and {}").format(Markup(", ").join(parts[:-1]), parts[-1])


def _groups(
    at: int, feature: Mapping[str, Any], measures: tuple[tuple[str, str], ...], styles: GroupStyles
) -> tables.Table:
    rows = []
    for group in feature["groups"]:
        label = styles.shown(feature["name"], group["label"], small=bool(group.get("small")))
        rows.append(
            [
                tables.head(label),
                tables.whole(group["n"]),
                tables.whole(group["n_accepted"]),
                *(tables.estimate(group.get(key), hundredths=True) for key, _ in measures),
            ]
        )
    small = any(group.get("small") for group in feature["groups"])
    return tables.table(
        f"rates-{at}-groups",
        Markup("Rates by {}").format(show.name(feature["name"])),
        ["Group", "n", "Accepted", *(f"{words},\u00a0%" for _, words in measures)],
        rows,
        notes=["† small group: read its numbers with its n"] if small else [],
    )


def _comparisons(at: int, feature: Mapping[str, Any], styles: GroupStyles) -> tables.Table | None:
    shown = [
        (key, words, points)
        for key, words, points in _DIFFERENCES
        if any(comparison.get(key) for comparison in feature["comparisons"])
    ]
    rows = [
        [
            tables.head(styles.shown(feature["name"], comparison["group"])),
            *(tables.estimate(comparison.get(key), hundredths=points) for key, _, points in shown),
        ]
        for comparison in feature["comparisons"]
    ]
    if not rows or not shown:
        return None
    return tables.table(
        f"rates-{at}-comparisons",
        Markup("Differences from {}, and ratio to it").format(show.name(feature["privileged"])),
        ["Group", *(f"{words}, points" if points else words for _, words, points in shown)],
        rows,
        notes=["Points are percentage points. No difference is 0 for differences and 1 for the ratio."],
    )
