"""Bounds on causal effects as findings, sentences and tables of an audit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fairwitness.causal.audit.audited import KEY, Audited, read_case
from fairwitness.causal.audit.options import read_options
from fairwitness.findings import Finding, NotApplicable, OverviewRow, Section, load_thresholds
from fairwitness.text import plain

if TYPE_CHECKING:
    from fairwitness.case import Case, CausalSetting
    from fairwitness.causal.audit.effects import Contrast, Key, Pair
    from fairwitness.causal.implied.independences import ImpliedTests


def run(case: Case) -> Section:
    """Bound the effect of every sensitive feature that is a node of the case's causal graph.

    Each group is set against the privileged one: an effect below 0 says that fewer would be accepted if
    everyone were of that group. Without a graph there is nothing to bound, and the section is empty.
    """
    setting = case.causal
    if setting is None:
        answer = NotApplicable(
            KEY,
            "bounds on causal effects rest on a causal graph, and none was given",
            "name one: graph=... in Python, [graph] in audit.toml",
        )
        return Section(key=KEY, not_applicable=(answer,))
    audited = read_case(case, setting, read_options(case.settings, setting.graph))
    if isinstance(audited, NotApplicable):
        return Section(key=KEY, not_applicable=(audited,), document={"features": []})
    unanswered = list(_no_nodes(case, setting))
    pairs = list(_pairs(audited, unanswered))
    if not pairs:
        return Section(key=KEY, not_applicable=tuple(unanswered), document={"features": []})
    return _section(audited, pairs, unanswered)


def _no_nodes(case: Case, setting: CausalSetting) -> Iterator[NotApplicable]:
    """Say which sensitive features are no node of the graph; intersections in one sentence."""
    nodes = set(setting.features.values())
    crossed = [groups for groups in case.groups if len(groups.parts) > 1]
    for at, groups in enumerate(case.groups):
        if at not in nodes and groups not in crossed:
            yield NotApplicable(
                KEY, "it is no node of the causal graph", "add it to the graph", subject=plain(groups.name)
            )
    if crossed:
        yield NotApplicable(
            KEY,
            "an intersection is no node of the causal graph",
            "add a column that holds the combination, and draw it as a node",
            subject=", ".join(plain(groups.name) for groups in crossed),
        )


def _pairs(audited: Audited, unanswered: list[NotApplicable]) -> Iterator[Pair]:
    """Give each group of each feature beside the privileged one; say where there is nothing to ask."""
    from fairwitness.causal.audit.effects import Pair

    case, graph = audited.case, audited.graph
    for node, at in audited.setting.features.items():
        groups = case.groups[at]
        name = plain(groups.name)
        axis = audited.distribution.axis(node)
        levels = audited.distribution.levels[axis]
        if groups.privileged_label not in levels or len(levels) < 2:
            unanswered.append(
                NotApplicable(
                    KEY,
                    "there is one group only, so nothing to compare",
                    "add rows of another",
                    subject=name,
                )
            )
            continue
        if not graph.count_paths(node, audited.decision):
            unanswered.append(
                NotApplicable(
                    KEY,
                    f"the graph has no path to {plain(audited.decision)}: its effect is 0 by assumption",
                    "draw the edges along which it may act",
                    subject=name,
                )
            )
            continue
        missing = {groups.labels[place] for place in groups.missing_labels}
        counts = dict(zip(groups.labels, groups.counts.tolist(), strict=True))
        for label in groups.labels:
            # A handful of people whose group is not known is no group to compare.
            few = label in missing and counts[label] < case.minimum_n
            if label in levels and label != groups.privileged_label and not few:
                yield Pair(audited, node, groups, label)


def _section(audited: Audited, pairs: Sequence[Pair], unanswered: list[NotApplicable]) -> Section:
    from fairwitness.causal.audit.document import document, tables
    from fairwitness.causal.audit.effects import measure
    from fairwitness.causal.audit.findings import effect_findings, graph_findings
    from fairwitness.causal.audit.words import paragraph
    from fairwitness.causal.implied.independences import test_independences
    from fairwitness.progress import track

    contrasts = [measure(pair) for pair in track(pairs, description="bounds", total=len(pairs))]
    tests = test_independences(audited.graph, audited.distribution)
    thresholds = load_thresholds(audited.case.settings.get("thresholds"))
    findings: list[Finding] = []
    for contrast in contrasts:
        findings += effect_findings(contrast, audited, thresholds)
        unanswered += _unanswered(contrast)
    findings += graph_findings(audited, tests, _slack(contrasts))
    by_node: dict[str, list[Contrast]] = {}
    for contrast in contrasts:
        by_node.setdefault(contrast.pair.node, []).append(contrast)
    return Section(
        key=KEY,
        results=tuple(contrasts),
        findings=tuple(findings),
        not_applicable=tuple(unanswered),
        overview=tuple(row for own in by_node.values() for row in _overview(own)),
        paragraphs=(*_doubt(tests), *(paragraph(own, audited) for own in by_node.values())),
        document=document(contrasts, audited, tests),
        tables=tables(contrasts, audited),
    )


def _unanswered(contrast: Contrast) -> Iterator[NotApplicable]:
    subject = f"{plain(contrast.pair.groups.name)}: {plain(contrast.pair.group)}"
    for effect in contrast.effects:
        if effect.bounds is None:
            yield NotApplicable(
                KEY, f"{effect.title.lower()}: {effect.reason}", effect.remedy, subject=subject
            )
    for found in contrast.people:
        if found.reason:
            yield NotApplicable(KEY, found.reason, found.remedy, subject=subject)


def _doubt(tests: ImpliedTests) -> Iterator[str]:
    """Say before all else if the table contradicts the graph that all bounds rest on."""
    worst = tests.worst
    if worst is not None:
        yield (
            f"The table contradicts the causal graph (most of all {worst.statement}, p = "
            f"{worst.p_adjusted:.2g}): what is said of causal effects rests on a graph that does not fit it."
        )


def _slack(contrasts: Sequence[Contrast]) -> dict[str, float]:
    """Give ε of the effects that needed one."""
    return {
        str(effect.paths): effect.bounds.slack
        for contrast in contrasts
        for effect in contrast.effects
        if effect.bounds is not None and effect.bounds.slack > 0
    }


def _overview(contrasts: Sequence[Contrast]) -> Iterator[OverviewRow]:
    """Give one row an effect, a point a group: with its value, or an interval without one."""
    from fairwitness.causal.audit.words import one_value

    names: tuple[tuple[Key, str], ...] = (
        ("total", "Total effect"),
        ("direct", "Direct effect"),
        ("indirect", "Indirect effect"),
    )
    for key, name in names:
        points = []
        for contrast in contrasts:
            effect = contrast.effect(key)
            if effect is not None and effect.bounds is not None and not effect.bounds.uninformative:
                bounds = effect.bounds
                points.append((contrast.pair.group, one_value(bounds), *bounds.interval))
        if points:
            pair = contrasts[0].pair
            tau = pair.audited.options.tau
            yield OverviewRow(
                name,
                pair.groups.name,
                tuple(points),
                unit="difference",
                reference=0.0,
                thresholds=(-tau, tau),
            )
