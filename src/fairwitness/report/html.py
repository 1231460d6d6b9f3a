"""The page: one static HTML file, rendered from the document and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from fairwitness.report import show
from fairwitness.report.document import clean, without_rows
from fairwitness.report.groups import GroupStyles
from fairwitness.report.sections import (
    bounds,
    canonical,
    carriers,
    evaluation,
    findings,
    head,
    limits,
    opportunity,
    overview,
    rates,
)
from fairwitness.text import plain

if TYPE_CHECKING:
    from jinja2 import Environment

#: No script, no network, nothing but the page's own styles.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("fairwitness.report", "templates"),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _visible(value: object) -> object:
    """Make text that no one has made safe to show visible; autoescaping comes after."""
    return plain(value, most=4000) if isinstance(value, str) and not isinstance(value, Markup) else value


def render(document: Mapping[str, object], *, rows: bool = True) -> str:
    """Render a document as one self-contained HTML page.

    Parameters
    ----------
    document
        The document (see ``report/schema.json``).
    rows
        False leaves out the example people, and says so.

    Returns
    -------
    str
        The page; the same document gives the same text.
    """
    audited = clean(document) if rows else without_rows(document)
    styles = GroupStyles(audited)
    sections = {
        "rates": rates.view(audited, styles),
        "opportunity": opportunity.view(audited, styles, rows=rows),
        "bounds": bounds.view(audited, styles),
        "canonical": canonical.view(audited, styles),
        "evaluation": evaluation.view(audited, styles),
        "carriers": carriers.view(audited),
    }
    contents = [("summary", "In plain words"), ("picture", "One picture"), ("findings", "Findings")]
    methods = [key for key in ("rates", "opportunity", "bounds", "canonical", "evaluation") if sections[key]]
    contents += [(key, overview.METHOD_NAMES[key]) for key in methods]
    contents += [("carriers", "Shared carriers")] if sections["carriers"] else []
    contents += [("limits", "Limits and reproducibility")]
    anchors = {key: key for key in methods}
    environment = _environment()
    source, _, _ = environment.loader.get_source(environment, "style.css")  # type: ignore[union-attr]
    return environment.get_template("page.html.j2").render(
        title=plain(head.title(audited)),
        policy=POLICY,
        css=source,
        contents=contents,
        people=show.name(audited["audited"]["people"]),
        facts=head.facts(audited, styles),
        summary=overview.summary(audited),
        not_measured=overview.not_measured(audited),
        pictures=overview.pictures(audited, styles),
        confidence=show.percent(audited["audited"]["confidence"]),
        at_random=overview.at_random(audited),
        effects=overview.effects(audited),
        ranges_only=overview.ranges_only(audited),
        findings=findings.established(audited, anchors),
        notes=findings.notes(audited, anchors),
        open_questions=findings.open_questions(audited, anchors),
        limits=limits.view(audited),
        version=show.prose(audited["fairwitness_version"]),
        **sections,
    )
