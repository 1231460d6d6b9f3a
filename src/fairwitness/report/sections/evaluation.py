"""Evaluation: how well the model predicts, for whom, and how others do on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from fairwitness import drawing
from fairwitness.report import dots, show, tables
from fairwitness.report.figures import NARROW, Picture, svg
from fairwitness.report.groups import GroupStyles
from fairwitness.report.sections import evaluation_answer
from fairwitness.report.sections.evaluation_answer import marked, small
from fairwitness.report.sections.limits import facts_table
from fairwitness.text import listing, plain

#: Measure → heading; what is not here keeps the document's own words.
_WORDS = {
    "balanced_accuracy": "Balanced accuracy",
    "roc_auc": "Area under the ROC curve",
    "brier_score": "Brier score",
    "theil_index": "Theil index",
    "statistical_parity_difference": "Difference in acceptance rates",
    "equal_opportunity_difference": "Difference in true positive rates",
    "average_absolute_odds_difference": "Average absolute odds difference",
    "wasserstein_distance_max": "Wasserstein distance of scores",
    "mmd_max": "MMD of scores (0 to √2)",
    "balanced_accuracy_difference": "Difference in balanced accuracy",
}
_LEVELS = ("balanced_accuracy", "roc_auc", "brier_score", "theil_index")
_WHOLE = ("wasserstein_distance_max", "mmd_max")
#: Style of models is counted apart from that of groups.
_MODELS = "\0models"


def view(document: Mapping[str, Any], styles: GroupStyles) -> dict[str, Any] | None:
    """Give all that the section shows; None if the method was not run."""
    if "evaluation" not in document["sections"]:
        return None
    section = document["sections"]["evaluation"] or {}
    models = [model["name"] for model in section.get("models") or [] if not model["failure"]]
    measures = [measure["name"] for measure in section.get("measures") or []]
    names = [each["name"] for each in document["audited"]["sensitive_features"] if len(each["parts"]) <= 1]
    several = len(models) > 1
    features = [
        _feature(at, name, section, models, styles, several=several) for at, name in enumerate(names, 1)
    ]
    return {
        "features": [feature for feature in features if feature["there"]],
        "models": several,
        "sentences": evaluation_answer.sentences(section, show.name(document["audited"]["people"])),
        "everyone": _everyone(section, models, styles) if several else None,
        "failed": [
            (show.name(model["name"]), show.prose(model["failure"].rstrip(".")))
            for model in section.get("models") or []
            if model["failure"]
        ],
        "has_outcome": "balanced_accuracy" in measures,
        "has_score": "wasserstein_distance_max" in measures,
        "people": show.name(document["audited"]["people"]),
        "n": show.count(section.get("n")),
        "confidence": show.percent(document["audited"]["confidence"]),
        "formulas": [
            (_WORDS.get(measure["name"], measure["label"]), show.prose(measure["formula"]))
            for measure in section.get("measures") or []
        ],
        "sources": listing(
            list(dict.fromkeys(measure["source"] for measure in section.get("measures") or [])), most=40
        ),
        "settings": facts_table(
            "evaluation-settings", "Settings", ("Setting", "Value"), section.get("settings") or {}
        ),
    }


def _rows(section: Mapping[str, Any], **wanted: str) -> list[Mapping[str, Any]]:
    return [
        row for row in section.get("rows") or [] if all(row[name] == value for name, value in wanted.items())
    ]


def _one(section: Mapping[str, Any], **wanted: str) -> Mapping[str, Any] | None:
    found = _rows(section, **wanted)
    return found[0]["estimate"] if found else None


def _measured(section: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    there = {measure["name"] for measure in section.get("measures") or []}
    return [name for name in names if name in there]


def _everyone(section: Mapping[str, Any], models: Sequence[str], styles: GroupStyles) -> tables.Table | None:
    """Give one line a model: how well it predicts, for all rows."""
    names = _measured(section, _LEVELS)
    if not names:
        return None
    return tables.table(
        "evaluation-models",
        "Models on the same rows",
        ["Model", *(_WORDS[name] for name in names)],
        [
            [
                tables.head(_model(model, section, styles), evaluation_answer.constant_of(section, model)),
                *(
                    tables.estimate(_one(section, model=model, metric=name, feature="", group=""))
                    for name in names
                ),
            ]
            for model in models
        ],
    )


def _model(name: str, section: Mapping[str, Any], styles: GroupStyles) -> Markup:
    shown = styles.shown(_MODELS, name)
    return Markup("<strong>{}</strong>").format(shown) if name == section["audited"] else shown


def _feature(
    at: int,
    name: str,
    section: Mapping[str, Any],
    models: Sequence[str],
    styles: GroupStyles,
    *,
    several: bool,
) -> dict[str, Any]:
    planes = [plane for plane in section.get("planes") or [] if plane["feature"] == name]
    groups, whole = _groups(at, name, section, styles), _whole(at, name, section)
    return {
        "id": f"evaluation-{at}",
        "name": show.name(name),
        "pictures": [_picture(at, number, plane, section, styles) for number, plane in enumerate(planes, 1)],
        "dots": None if several else _dots(at, name, section, styles),
        "fronts": _fronts(at, planes, section, models, styles) if several else None,
        "groups": groups,
        "whole": whole,
        "there": bool(planes or groups or whole),
    }


def _picture(
    at: int, number: int, plane: Mapping[str, Any], section: Mapping[str, Any], styles: GroupStyles
) -> Picture:
    """Draw accuracy against one difference: a point a model with its intervals, the front joined."""
    key = f"evaluation-{at}-{number}"
    words = _WORDS[plane["difference"]]
    front = [plain(name) for name in plane["front"]]
    title = f"{words} by {plain(plane['feature'])}: {listing(front, most=4)} beaten by no other"
    spots = [
        drawing.Spot(
            plain(point["model"]),
            _span(point["difference"]),
            _span(point["accuracy"]),
            styles.index(_MODELS, point["model"]),
        )
        for point in plane["points"]
    ]
    fig, ax = drawing.figure(NARROW + 10, 250 + 19 * len(spots))
    drawing.tradeoff(
        ax,
        spots,
        front=front,
        xlabel=f"{words.lower()}",
        ylabel="balanced accuracy",
        reference=0.0,
        legend_columns=1,
    )
    said = "; ".join(
        f"{plain(point['model'])}: balanced accuracy {show.estimate(point['accuracy'])}, "
        f"{words.lower()} {show.estimate(point['difference'])}"
        for point in plane["points"]
    )
    data = tables.table(
        f"{key}-data",
        f"Balanced accuracy and {words.lower()}",
        ["Model", "Balanced accuracy", words, "Group farthest off"],
        [
            [
                tables.head(_model(point["model"], section, styles)),
                tables.estimate(point["accuracy"]),
                tables.estimate(point["difference"]),
                tables.words(
                    styles.shown(plane["feature"], point["group"]) if point["group"] else show.DASH,
                    small(point["difference"]),
                ),
            ]
            for point in plane["points"]
        ],
    )
    return Picture(key, show.prose(title), svg(fig, key, title, said), None, data)


def _span(value: Mapping[str, Any]) -> tuple[float, float, float]:
    return show.finite(value.get("estimate")), show.finite(value.get("low")), show.finite(value.get("high"))


def _fronts(
    at: int,
    planes: Sequence[Mapping[str, Any]],
    section: Mapping[str, Any],
    models: Sequence[str],
    styles: GroupStyles,
) -> tables.Table | None:
    """Give one line a model: its differences, an asterisk where no other beats it."""
    if not planes:
        return None
    found = {
        (point["model"], plane["difference"]): (point["difference"], point["model"] in plane["front"])
        for plane in planes
        for point in plane["points"]
    }
    rows = []
    for model in models:
        cells = [tables.head(_model(model, section, styles), evaluation_answer.constant_of(section, model))]
        for plane in planes:
            value, best = found.get((model, plane["difference"]), (None, False))
            cells.append(marked(value, starred=best))
        rows.append(cells)
    return tables.table(
        f"evaluation-{at}-fronts",
        "Distances from no difference: 0 is none; * marks models that no other beats on this difference and "
        "balanced accuracy together",
        ["Model", *(_WORDS[plane["difference"]] for plane in planes)],
        rows,
        notes=_notes(planes),
    )


def _notes(planes: Sequence[Mapping[str, Any]]) -> list[str]:
    if any(small(point["difference"]) for plane in planes for point in plane["points"]):
        return ["Small: only groups of few rows could be compared; chance moves such a difference far."]
    return []


def _groups(at: int, name: str, section: Mapping[str, Any], styles: GroupStyles) -> tables.Table | None:
    """Give how well the audited model predicts each group."""
    names, own = _measured(section, _LEVELS), section.get("audited", "")
    labels = list(
        dict.fromkeys(
            row["group"]
            for row in _rows(section, model=own, feature=name)
            if row["group"] and row["metric"] in names and not row["reference"]
        )
    )
    if not names or not labels:
        return None
    rows = [
        [
            tables.head(
                styles.shown(name, group) if group else "Everyone",
                evaluation_answer.small_of(section, name, group) if group else "",
            ),
            *(
                tables.estimate(
                    _one(section, model=own, metric=each, feature=name if group else "", group=group)
                )
                for each in names
            ),
        ]
        for group in ("", *labels)
    ]
    return tables.table(
        f"evaluation-{at}-groups",
        Markup("How well the audited model predicts, by {}").format(show.name(name)),
        ["Group", *(_WORDS[each] for each in names)],
        rows,
    )


def _dots(at: int, name: str, section: Mapping[str, Any], styles: GroupStyles) -> Picture | None:
    """Draw how well the audited model predicts each group, on one axis from 0 to 1."""
    own, rows = section.get("audited", ""), []
    for each in _measured(section, ("balanced_accuracy", "roc_auc")):
        found = [
            row
            for row in _rows(section, model=own, metric=each, feature=name)
            if row["group"] and not row["reference"]
        ]
        if found:
            points = tuple(dots.dot(name, row["group"], row["estimate"], styles) for row in found)
            rows.append(dots.DotRow(_WORDS[each], "", points, "index"))
    if not rows:
        return None
    # Groups of few rows are drawn, but do not lead.
    enough = [each for each in rows[0].dots if not evaluation_answer.small_of(section, name, each.group)]
    leading = replace(rows[0], dots=tuple(enough) or rows[0].dots)
    title = f"{rows[0].measure} by {plain(name)}: {dots.spread(leading)}"
    return dots.dots(f"evaluation-{at}-levels", title, rows)


def _whole(at: int, name: str, section: Mapping[str, Any]) -> tables.Table | None:
    """Give what is measured for a feature as a whole: distances between groups, entropy."""
    own = section.get("audited", "")
    rows = [
        [tables.head(_WORDS[each]), tables.estimate(value)]
        for each in _measured(section, _WHOLE)
        if (value := _one(section, model=own, metric=each, feature=name)) is not None
    ]
    if not rows:
        return None
    return tables.table(
        f"evaluation-{at}-whole",
        Markup("Groups of {} as a whole, the audited model").format(show.name(name)),
        ["Measure", "Value"],
        rows,
        notes=[
            "Distances are of the two groups farthest apart, small groups included. 0 is no difference; "
            "chance alone gives more."
        ],
    )
