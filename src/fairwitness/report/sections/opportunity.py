"""Opportunity: what the model would have needed the people it rejects to become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.report import dots, figures, show, tables
from fairwitness.report.groups import GroupStyles
from fairwitness.report.sections import people as people_view
from fairwitness.report.sections import values
from fairwitness.report.sections.limits import facts_table
from fairwitness.text import plain

CONVENTIONS = {
    "equations": "as the equations above have it: ranks 1 to m above and below the line",
    "published": "as the published tables have it: the numerator stops one rank earlier than the "
    "denominator when all k changed profiles were found, so that the highest value is below 1",
}
SHORTFALLS = {
    "available": "a person for whom fewer than k changed profiles were found is measured on those found",
    "ideal_k": "a person for whom fewer than k changed profiles were found is compared with a full list of k",
    "drop": "a person for whom fewer than k changed profiles were found is left out",
}


def view(document: Mapping[str, Any], styles: GroupStyles, *, rows: bool) -> dict[str, Any] | None:
    """Give all that the section shows; None if the method was not run."""
    if "opportunity" not in document["sections"]:
        return None
    section = document["sections"]["opportunity"] or {}
    audited = document["audited"]
    k = section.get("k", audited["k"])
    generator = section.get("generator") or {}
    settings = {
        "generator": generator.get("name"),
        **{f"generator.{name}": value for name, value in (generator.get("settings") or {}).items()},
        **{
            name: section.get(name)
            for name in ("k", "convention", "shortfall")
            if section.get(name) is not None
        },
        "confidence": audited["confidence"],
        **(section.get("settings") or {}),
    }
    features = [
        _feature(at, feature, document, k, styles, rows=rows)
        for at, feature in enumerate(section.get("features") or [], 1)
    ]
    return {
        "features": features,
        "has_random": any(feature["has_random"] for feature in features),
        "confidence": show.percent(audited["confidence"]),
        "convention": CONVENTIONS.get(section.get("convention", ""), ""),
        "shortfall": SHORTFALLS.get(section.get("shortfall", ""), ""),
        "settings": facts_table("opportunity-settings", "Settings", ("Setting", "Value"), settings)
        if features
        else None,
        "distance": facts_table(
            "opportunity-distance",
            "Scale that each column's difference is divided by",
            ("Column", "Scale"),
            generator.get("distance") or {},
        ),
    }


def _feature(
    at: int,
    feature: Mapping[str, Any],
    document: Mapping[str, Any],
    k: int,
    styles: GroupStyles,
    *,
    rows: bool,
) -> dict[str, Any]:
    name, groups, key = feature["name"], feature["groups"], f"opportunity-{at}"
    pictures = [
        figures.curves(
            f"{key}-{measure}",
            f"{words}@{k} by {plain(name)}: "
            + dots.spread(
                dots.DotRow(
                    words,
                    "",
                    tuple(dots.dot(name, g["label"], g["at_k"].get(measure), styles) for g in groups),
                    "share" if percent else "index",
                )
            ),
            measure,
            f"{words}@k",
            groups,
            name,
            styles,
            percent=percent,
        )
        for measure, words, percent in (("cflips", "CFlips", True), ("ndccf", "nDCCF", False))
    ]
    classifier = feature.get("classifier") or {}
    proxies = feature.get("proxies") or []
    return {
        "id": key,
        "name": show.name(name),
        "privileged": styles.shown(name, feature["privileged"]),
        "sentences": [*_sentences(feature, document["audited"]["people"], k), *_unmeasured(feature)],
        "curves": [picture for picture in pictures if picture],
        "measures": values.view(key, feature, k, styles),
        "has_random": values.has_random(feature),
        "funnel": _funnel(key, feature, styles),
        "proxies": _proxies(key, name, proxies),
        "people": people_view.view(key, feature, document, styles) if rows else None,
        "people_left_out": not rows or ("people" in feature and feature["people"] is None),
        "classifier": _classifier(key, name, classifier, styles),
        "confusion": _confusion(key, name, classifier, styles),
        "quality": _quality(name, classifier),
        "errors": _errors(feature),
    }


def _sentences(feature: Mapping[str, Any], people: str, k: int) -> list[Markup]:
    known = [g for g in feature["groups"] if (g["at_k"]["cflips"] or {}).get("estimate") is not None]
    if not known:
        return [Markup("No group of {} has a value.").format(show.name(people))]
    shares = [
        Markup("{} {} for {} (n = {})").format(
            show.percent(e["estimate"]),
            show.percent_interval(e.get("low"), e.get("high")),
            show.name(group["label"]),
            show.count(e.get("n")),
        )
        for group in known
        for e in [group["at_k"]["cflips"]]
    ]
    said = [
        Markup(
            "Of the first {} changed profiles found for each rejected person whose group is recovered, "
            "these shares no longer look like the person's own group: {}."
        ).format(show.count(k), Markup("; ").join(shares))
    ]
    random = [(g["label"], ((g.get("at_random") or {}).get("cflips") or {}).get("estimate")) for g in known]
    if all(share is not None for _, share in random):
        chances = [
            Markup("{} for {}").format(show.percent(share), show.name(label)) for label, share in random
        ]
        said.append(
            Markup("Were people accepted at random, the shares would be {}.").format(
                Markup("; ").join(chances)
            )
        )
    return said


def _unmeasured(feature: Mapping[str, Any]) -> list[Markup]:
    return [
        Markup("{} has no value: {}.").format(
            show.name(group["label"]), show.prose(str(group["reason"]).rstrip("."))
        )
        for group in feature["groups"]
        if group.get("reason") and (group["at_k"]["cflips"] or {}).get("estimate") is None
    ]


def _funnel(key: str, feature: Mapping[str, Any], styles: GroupStyles) -> figures.Picture | None:
    groups = [group for group in feature["groups"] if group.get("funnel")]
    if not groups:
        return None
    columns = (
        ("all", "In the table"),
        ("rejected", "Rejected"),
        ("recognised", "Group recovered"),
        ("with_counterfactuals", "With changed profiles"),
        ("short", "With fewer than k"),
        ("none", "With none"),
    )
    data = tables.table(
        f"{key}-funnel-data",
        "People left after each step",
        ["Group", *(words for _, words in columns)],
        [
            [
                tables.head(styles.shown(feature["name"], group["label"])),
                *(tables.whole(group["funnel"].get(step)) for step, _ in columns),
            ]
            for group in groups
        ],
    )
    used = sum(int(group["funnel"].get("with_counterfactuals") or 0) for group in groups)
    rejected = sum(int(group["funnel"].get("rejected") or 0) for group in groups)
    title = f"The numbers for {plain(feature['name'])} rest on {used:,} of {rejected:,} rejected people"
    return figures.funnel(f"{key}-funnel", title, groups, feature["name"], styles, data)


def _proxies(key: str, name: str, rows: list[Mapping[str, Any]]) -> figures.Picture | None:
    known = sorted((row for row in rows if row.get("rho") is not None), key=lambda row: -abs(row["rho"]))
    if not known:
        return None
    first = known[0]
    title = (
        f"Columns whose change goes with a change of the inferred {plain(name)}: "
        f"{plain(first['label'], most=40)} most, ρ = {show.number(first['rho'])}"
    )
    undefined = [row for row in rows if row.get("rho") is None]
    return figures.proxies(f"{key}-proxies", title, [*known, *undefined])


def _classifier(
    key: str, name: str, classifier: Mapping[str, Any], styles: GroupStyles
) -> tables.Table | None:
    rows = [
        [
            tables.head(styles.shown(name, group["label"])),
            tables.whole(group["n"]),
            *(tables.number(group.get(measure)) for measure in ("recall", "precision", "f1")),
        ]
        for group in classifier.get("per_group") or []
    ]
    if not rows:
        return None
    return tables.table(
        f"{key}-classifier",
        Markup("How well {} is recovered from the other columns, on people not used in training").format(
            show.name(name)
        ),
        ["Group", "n", "Recall", "Precision", "F1"],
        rows,
    )


def _confusion(
    key: str, name: str, classifier: Mapping[str, Any], styles: GroupStyles
) -> tables.Table | None:
    labels, counts = classifier.get("labels") or [], classifier.get("confusion") or []
    if not labels or not counts:
        return None
    return tables.table(
        f"{key}-confusion",
        "True group (lines) and inferred group (columns), counts of people",
        ["True group", *(Markup("inferred {}").format(show.name(label)) for label in labels)],
        [
            [tables.head(styles.shown(name, label)), *map(tables.whole, line)]
            for label, line in zip(labels, counts, strict=True)
        ],
    )


def _errors(feature: Mapping[str, Any]) -> Markup | None:
    """Set the flips beside those that the classifier's errors would give without any change."""
    said = []
    for group in feature["groups"]:
        alone, flips = group.get("expected_flip_rate") or {}, group["at_k"]["cflips"] or {}
        if alone.get("estimate") is None or flips.get("estimate") is None:
            continue
        said.append(
            Markup("{} for {} (CFlips {})").format(
                show.percent(alone["estimate"]), show.name(group["label"]), show.percent(flips["estimate"])
            )
        )
    if not said:
        return None
    end = (
        "The values at random hold these errors as well."
        if values.has_random(feature)
        else "Where CFlips is not above this share, the flips may be nothing but these errors."
    )
    return Markup(
        "The classifier also errs on people about whom nothing was changed. Among those the model accepts, "
        "the share whose group it does not recover is {}. {}"
    ).format(Markup("; ").join(said), end)


def _quality(name: str, classifier: Mapping[str, Any]) -> Markup | None:
    balanced = classifier.get("balanced_accuracy")
    if not balanced:
        return None
    chance = 1 / max(len(classifier.get("labels") or []), 1)
    said = Markup("{} is recovered with balanced accuracy {} (chance: {}) and AUC {}.").format(
        show.name(name),
        show.estimate(balanced),
        show.number(chance),
        show.estimate(classifier.get("auc")),
    )
    if not classifier.get("better_than_chance"):
        said += Markup(
            " <strong>It is not shown to be better than chance: the flips for {} say little.</strong>"
        ).format(show.name(name))
    if classifier.get("note"):
        said += Markup(" Note: {}.").format(show.prose(str(classifier["note"]).rstrip(".")))
    return said
