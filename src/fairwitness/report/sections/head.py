"""The head: what was audited, when, and how to do it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fairwitness.report import show
from fairwitness.report.groups import GroupStyles

Fact = tuple[str, list[Markup]]

#: Groups of a sensitive feature that the head names; all are in the tables.
MOST_GROUPS = 8


def title(document: Mapping[str, Any]) -> str:
    """Give the page's title: model and table, as plain text."""
    audited = document["audited"]
    return f"{audited['model']['name']} on {audited['table']['source']}"


def facts(document: Mapping[str, Any], styles: GroupStyles) -> list[Fact]:
    """Give the facts of the head as (term, lines)."""
    audited, run = document["audited"], document["run"]
    listed: list[Fact] = [
        ("Model", _model(audited["model"])),
        ("Table", _table(audited["table"])),
        ("Favourable outcome", _outcome(audited)),
    ]
    listed += [
        (f"Sensitive feature{'s' if len(audited['sensitive_features']) > 1 else ''}", lines)
        for lines in [[_feature(f, styles) for f in audited["sensitive_features"]]]
        if lines
    ]
    listed.append(
        (
            "Made",
            [
                Markup("{} with fairwitness {}, seed {}").format(
                    show.prose(_when(run["created"])),
                    show.prose(document["fairwitness_version"]),
                    show.prose(audited["seed"]),
                )
            ],
        )
    )
    if run.get("command"):
        listed.append(("Make it again", [Markup("<code>{}</code>").format(show.name(run["command"]))]))
    return listed


def short(digest: object) -> Markup:
    """Show the first 16 characters of a hash; the whole one stands at the end of the page."""
    shown = str(digest)
    return Markup("hash <code>{}</code>").format(show.name(shown[:16] + ("…" if len(shown) > 16 else "")))


def _when(created: object) -> str:
    day, _, clock = str(created).partition("T")
    return f"{day}, {clock[:5]} UTC" if clock.endswith("+00:00") else str(created)


def _model(model: Mapping[str, Any]) -> list[Markup]:
    lines = [Markup("{} ({})").format(show.name(model["name"]), show.prose(model["kind"]))]
    more: list[Markup | str] = []
    if model.get("n_models", 1) > 1:
        more.append(f"{model['n_models']} copies, one a fold")
    if model.get("feature_names"):
        more.append(f"reads {len(model['feature_names'])} columns")
    if model.get("has_score") and model.get("threshold") is not None:
        more.append(f"accepts from a score of {show.number(model['threshold'])}")
    if model.get("digest"):
        more.append(short(model["digest"]))
    if more:
        lines.append(Markup("; ").join(more))
    return lines


def _table(table: Mapping[str, Any]) -> list[Markup]:
    line = Markup("{}: {} rows").format(show.name(table["source"]), show.count(table["rows"]))
    if table["columns"]:
        line += f", {show.count(table['columns'])} columns"
    return [Markup("{}; {}").format(line, short(table["digest"]))] if table.get("digest") else [line]


def _outcome(audited: Mapping[str, Any]) -> list[Markup]:
    accepted, rejected = audited["n_accepted"], audited["n_rejected"]
    line = Markup("{}: {} {} accepted, {} rejected").format(
        show.name(audited["favorable"]),
        show.count(accepted),
        show.name(audited["people"]),
        show.count(rejected),
    )
    if accepted + rejected:
        line += f" ({show.percent(rejected / (accepted + rejected))})"
    return [line]


def _feature(feature: Mapping[str, Any], styles: GroupStyles) -> Markup:
    pairs = list(zip(feature["labels"], feature["counts"], strict=True))
    shown = [
        Markup('<span class="together">{} {}</span>').format(
            styles.shown(feature["name"], label), show.count(count)
        )
        for label, count in pairs[:MOST_GROUPS]
    ]
    if len(pairs) > MOST_GROUPS:
        shown.append(Markup("{} more").format(len(pairs) - MOST_GROUPS))
    return Markup('<b>{}</b>: {}; <span class="aside">compared with {} ({})</span>').format(
        show.name(feature["name"]),
        Markup(", ").join(shown),
        show.name(feature["privileged"]),
        show.prose(feature["privileged_reason"]),
    )
