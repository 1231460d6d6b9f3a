"""The evaluation's answer in a sentence or two, and what is said of small groups and constant models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from fairwitness.report import show, tables

_ACCURACY, _RATES, _DISTANCE = (
    "balanced_accuracy",
    "statistical_parity_difference",
    "wasserstein_distance_max",
)
#: How the reason of an estimate begins where only groups of few rows could be compared.
_SMALL = "small, n = "


def sentences(section: Mapping[str, Any], people: Markup) -> list[Markup]:
    """Give what the section found, first the audited model, then the others beside it."""
    own = section.get("audited", "")
    said = []
    accuracy = _of_everyone(section, own)
    if accuracy is not None:
        said.append(
            Markup("On these {} {} the audited model’s balanced accuracy is {} (guessing gives 0.5).").format(
                show.count(section.get("n")), people, show.estimate(accuracy)
            )
        )
    elif found := _distances(section, own):
        said.append(found)
    if constant := constant_of(section, own):
        said.append(Markup("It {}.").format(constant))
    return said + _compared(section)


def constant_of(section: Mapping[str, Any], model: str) -> str:
    """Give what a model says of everybody, if it says one thing."""
    return next(
        (
            show.prose(each["constant"])
            for each in section.get("models") or []
            if each["name"] == model and each.get("constant")
        ),
        "",
    )


def small_of(section: Mapping[str, Any], feature: str, group: str) -> str:
    """Say how many rows a group has, if it has few."""
    few = next(
        (
            row["n_group"]
            for row in section.get("rows") or []
            if row["feature"] == feature and row["group"] == group and row.get("n_group") is not None
        ),
        None,
    )
    return "" if few is None else f"{_SMALL}{show.count(few)}"


def small(value: show.Value) -> str:
    """Give the mark of an estimate that is of a group of few rows, for want of others."""
    reason = str((value or {}).get("reason") or "")
    return show.prose(reason.split(";")[0]) if reason.startswith(_SMALL) else ""


def marked(value: show.Value, *, starred: bool) -> tables.Cell:
    """Give the cell of an estimate, with an asterisk and the mark of a small group."""
    cell = tables.estimate(value)
    sub: Markup | str = cell.sub
    if few := small(value):
        sub = Markup("{}, {}").format(sub, few)
    return tables.Cell(cell.text, Markup("{} *").format(sub) if starred else sub, cell.kind)


def _of_everyone(section: Mapping[str, Any], model: str) -> Mapping[str, Any] | None:
    for row in section.get("rows") or []:
        if row["model"] == model and row["metric"] == _ACCURACY and not row["feature"]:
            found: Mapping[str, Any] = row["estimate"]
            return found if math.isfinite(show.finite(found.get("estimate"))) else None
    return None


def _distances(section: Mapping[str, Any], model: str) -> Markup | None:
    """Say, without outcomes, how far apart the scores of groups are."""
    parts = [
        Markup("{} by {}").format(show.estimate(row["estimate"]), show.name(row["feature"]))
        for row in section.get("rows") or []
        if row["model"] == model
        and row["metric"] == _DISTANCE
        and math.isfinite(show.finite(row["estimate"].get("estimate")))
    ]
    if not parts:
        return None
    return Markup(
        "The scores of the two groups farthest apart are a Wasserstein distance of {} apart."
    ).format(Markup("; ").join(parts))


def _compared(section: Mapping[str, Any]) -> list[Markup]:
    """Say which model is most accurate, and for each feature which accepts groups at the closest rates."""
    names = [model["name"] for model in section.get("models") or [] if not model["failure"]]
    accuracy = {name: value for name in names if (value := _of_everyone(section, name)) is not None}
    if len(names) < 2 or not accuracy:
        return []
    best = _first(accuracy, max)
    said = [
        Markup("Of the {} models {} the most accurate, at {}.").format(
            len(names), _are(best), show.estimate(accuracy[best[0]])
        )
    ]
    for plane in section.get("planes") or []:
        found = {
            point["model"]: point["difference"]
            for point in plane["points"]
            if math.isfinite(show.finite(point["difference"].get("estimate")))
        }
        if plane["difference"] == _RATES and found:
            least = _first(found, min)
            aside = [small(found[least[0]]), *(constant_of(section, name) for name in least)]
            aside = list(dict.fromkeys(each for each in aside if each))
            said.append(
                Markup("By {}, acceptance rates differ least with {}: {}{}.").format(
                    show.name(plane["feature"]),
                    _listed(least),
                    show.estimate(found[least[0]]),
                    Markup(" ({})").format(Markup(", ").join(aside)) if aside else "",
                )
            )
    return said


def _first(found: Mapping[str, Mapping[str, Any]], pick: Any) -> list[str]:
    """Give the models with the largest or smallest estimate; several where they are equal."""
    best = pick(value["estimate"] for value in found.values())
    return [name for name, value in found.items() if value["estimate"] == best]


def _listed(names: Sequence[str]) -> Markup:
    return Markup(" and ").join(show.name(name) for name in names)


def _are(names: Sequence[str]) -> Markup:
    return Markup("{} {}").format(_listed(names), "is" if len(names) == 1 else "are")
