"""CFlips and nDCCF at the k asked for: each group's value, what random acceptance gives, the differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.report import show, tables
from fairwitness.report.groups import GroupStyles

#: Key, name, what the table is called, and what the values mean.
_MEASURES = (
    (
        "cflips",
        "CFlips",
        "CFlips at k = {}, by {}",
        "CFlips: the share of changed profiles that no longer look like the person's own group.",
    ),
    (
        "ndccf",
        "nDCCF",
        "nDCCF at k = {}, by {}",
        "nDCCF: 1 if every changed profile still looks like the person's own group, 0 if none does; "
        "first ranks weigh more.",
    ),
    (
        "ndccf_sorted",
        "nDCCF",
        "nDCCF at k = {}, nearest to the boundary first, by {}",
        "The same, with the profiles in the order of their scores, nearest to the person's own first.",
    ),
)


def has_random(feature: Mapping[str, Any]) -> bool:
    """Say whether the document knows what random acceptance gives."""
    return any(group.get("at_random") for group in feature["groups"])


def view(key: str, feature: Mapping[str, Any], k: int, styles: GroupStyles) -> list[tables.Table]:
    """Give a table a measure, the groups as lines."""
    made = []
    for measure, name, caption, meaning in _MEASURES:
        if any(group["at_k"].get(measure) for group in feature["groups"]):
            columns, rows = _lines(feature, measure, name, k, styles)
            made.append(
                tables.table(
                    f"{key}-{measure.replace('_', '-')}-values",
                    Markup(caption).format(show.count(k), show.name(feature["name"])),
                    columns,
                    rows,
                    notes=_notes(feature, measure, meaning),
                )
            )
    return made


def _lines(
    feature: Mapping[str, Any], measure: str, name: str, k: int, styles: GroupStyles
) -> tuple[list[str], list[list[tables.Cell]]]:
    """Give the headings and a line a group; CFlips are shown in percent."""
    hundredths = measure == "cflips"
    share, points = (",\u00a0%", ", points") if hundredths else ("", "")
    random = any((group.get("at_random") or {}).get(measure) for group in feature["groups"])
    columns = ["Group", "n", f"{name}@{k}{share}", f"Δ{name}{points}", "p"]
    if random:
        columns.insert(3, f"At random{share}")
        columns += [f"Δ{name} beyond random acceptance{points}", "p"]
    versus = {difference["group"]: difference for difference in feature["differences"]}
    rows = []
    for group in feature["groups"]:
        value, difference = group["at_k"].get(measure), versus.get(group["label"])
        label = styles.shown(feature["name"], group["label"], small=bool(group.get("small")))
        cells = [
            tables.head(label),
            tables.whole((value or {}).get("n")),
            tables.estimate(value, hundredths=hundredths),
        ]
        cells += _difference(difference, measure, hundredths=hundredths)
        if random:
            by_chance = (group.get("at_random") or {}).get(measure)
            cells.insert(3, tables.estimate(by_chance, hundredths=hundredths))
            beyond = None if difference is None else difference.get("beyond_random") or {}
            cells += _difference(beyond, measure, hundredths=hundredths)
        rows.append(cells)
    return columns, rows


def _difference(
    values: Mapping[str, Any] | None, measure: str, *, hundredths: bool
) -> tuple[tables.Cell, tables.Cell]:
    """Give the cells of a difference and its p; empty for the group that the others are compared with."""
    if values is None:
        return tables.words(""), tables.words("")
    value = values.get(measure)
    return tables.estimate(value, hundredths=hundredths), tables.probability((value or {}).get("p_value"))


def _notes(feature: Mapping[str, Any], measure: str, meaning: str) -> list[Markup | str]:
    points = ", in percentage points" if measure == "cflips" else ""
    said = Markup("{} Δ: less the value of {}{}.").format(meaning, show.name(feature["privileged"]), points)
    if measure == "cflips" and has_random(feature):
        said += (
            " At random: the value of the same people if as many people were accepted, but drawn at random."
        )
    if any(group.get("small") for group in feature["groups"]):
        said += " † small group: read its numbers with its n."
    return [said]
