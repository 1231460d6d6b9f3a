"""Columns that more than one result names as carriers of a sensitive feature, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.report import show, tables


def view(document: Mapping[str, Any], *, most: int = 12) -> tables.Table | None:
    """Give the table of columns named at least twice; None if there is none.

    A result names a column where the interval of its correlation excludes 0.
    """
    section = document["sections"].get("opportunity") or {}
    features = section.get("features") or []
    named: dict[str, dict[str, Mapping[str, Any]]] = {}
    for feature in features:
        for row in feature.get("proxies") or []:
            low, high = show.finite(row.get("low")), show.finite(row.get("high"))
            if row.get("rho") is not None and (low > 0 or high < 0):
                named.setdefault(row["label"], {})[feature["name"]] = row
    shared = sorted(
        ((label, rows) for label, rows in named.items() if len(rows) > 1),
        key=lambda item: (-max(abs(row["rho"]) for row in item[1].values()), item[0]),
    )[:most]
    if not shared:
        return None
    names = [feature["name"] for feature in features if any(feature["name"] in rows for _, rows in shared)]
    return tables.table(
        "carriers-table",
        "ρ of a column's change with the change of the inferred group, where its interval excludes 0",
        ["Column", *(Markup("{}").format(show.name(name)) for name in names)],
        [
            [
                tables.head(show.name(label)),
                *(
                    tables.estimate({**rows[name], "estimate": rows[name]["rho"]})
                    if name in rows
                    else tables.words("")
                    for name in names
                ),
            ]
            for label, rows in shared
        ],
    )
