"""Example people: a row of the table, and with it the nearest changed profiles the model accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from fairwitness.report import show, tables
from fairwitness.report.groups import GroupStyles

#: Changed profiles shown with a person, at most.
MOST = 5
#: With more columns that change than this, profiles stand side by side and columns beneath each other: that
#: fits a page and a sheet of paper, and a table of thirty columns fits neither.
MOST_ACROSS = 7
_CHANGED = Markup('<mark><span aria-hidden="true">→ </span><span class="off">changed to </span>{}</mark>')
_SAME = Markup('<span class="same">{}</span>')


def view(
    key: str, feature: Mapping[str, Any], document: Mapping[str, Any], styles: GroupStyles
) -> list[dict[str, Any]]:
    """Give each example person as a table and the columns in which nothing changes."""
    shown = feature.get("people") or []
    order = document["audited"]["model"].get("feature_names") or []
    return [
        _person(f"{key}-person-{at}", at, len(shown), person, feature["name"], order, styles)
        for at, person in enumerate(shown, 1)
    ]


def _person(
    person_id: str,
    at: int,
    total: int,
    person: Mapping[str, Any],
    feature: str,
    order: Sequence[str],
    styles: GroupStyles,
) -> dict[str, Any]:
    row = person["row"]
    profiles = person["counterfactuals"][:MOST]
    columns = [*(c for c in order if c in row), *(c for c in row if c not in order)]
    moved = [c for c in columns if any(c in profile["changed"] for profile in profiles)]
    still = [c for c in columns if c not in moved]
    lines = [_first(person, moved, feature, styles)]
    lines += [_profile(profile, moved, feature, styles) for profile in profiles]
    headings: list[Markup | str] = ["Profile", *map(show.name, moved), "Distance", "Score", "Inferred group"]
    if len(moved) > MOST_ACROSS:
        headings, lines = _turned(headings, lines)
    caption = Markup("Person {} of {}, {}: rejected, and {} changed profile{} that the model accepts").format(
        at, total, styles.shown(feature, person["group"]), len(profiles), "" if len(profiles) == 1 else "s"
    )
    return {
        "table": tables.table(person_id, caption, headings, lines, look="profiles"),
        "key": show.name(person["key"]),
        "still": [Markup("{}&nbsp;{}").format(show.name(c), show.name(row[c])) for c in still],
    }


def _turned(
    headings: Sequence[Markup | str], lines: Sequence[Sequence[tables.Cell]]
) -> tuple[list[Markup | str], list[list[tables.Cell]]]:
    """Exchange lines and columns."""
    turned = [
        [tables.head(heading), *(line[at] for line in lines)] for at, heading in enumerate(headings) if at
    ]
    return ["Column", *(line[0].text for line in lines)], turned


def _first(
    person: Mapping[str, Any], moved: Sequence[str], feature: str, styles: GroupStyles
) -> list[tables.Cell]:
    inferred = person.get("inferred") or {}
    own = max(inferred, key=lambda label: show.finite(inferred[label])) if inferred else person["group"]
    probability = f"with probability {show.number(inferred[own])}" if inferred else ""
    return [
        tables.head("This person"),
        *(tables.words(show.name(person["row"][column])) for column in moved),
        tables.words(""),
        tables.words(show.number(person.get("score"))),
        tables.words(styles.shown(feature, own), probability),
    ]


def _profile(
    profile: Mapping[str, Any], moved: Sequence[str], feature: str, styles: GroupStyles
) -> list[tables.Cell]:
    # Colour alone would be lost in print and to some readers: an arrow and bold type go with it.
    cells = [
        (_CHANGED if column in profile["changed"] else _SAME).format(
            show.name(profile["values"].get(column, ""))
        )
        for column in moved
    ]
    group = styles.shown(feature, profile["inferred_group"])
    return [
        tables.head(f"Changed profile {profile['rank']}"),
        *map(tables.words, cells),
        tables.words(show.number(profile.get("distance"))),
        tables.words(show.number(profile.get("score"))),
        tables.words(group, "another group" if profile["flipped"] else "same group"),
    ]
