"""Group rates as findings, sentences and tables of an audit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from fairwitness.case import Case
from fairwitness.findings import (
    Finding,
    NotApplicable,
    OverviewRow,
    Section,
    Thresholds,
    grade,
    load_thresholds,
)
from fairwitness.metrics.rates.group import group_rates
from fairwitness.metrics.rates.results import RATES, Comparison, GroupRate, GroupRates
from fairwitness.stats.intervals import Estimate
from fairwitness.table.groups import Groups
from fairwitness.text import interval, listing, number, percent, plain

#: Most groups of a feature that a sentence names.
MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Check:
    """One measure as a finding: its code, and how it is said."""

    code: str
    measure: str
    words: str
    title: Callable[[str, str, Estimate], str]
    reference: float = 0.0


def run(case: Case) -> Section:
    """Measure group rates for every sensitive feature of the case and their intersections."""
    results = tuple(
        group_rates(
            case.judgement.accepted,
            groups,
            case.y,
            confidence=case.confidence,
            minimum_n=case.minimum_n,
        )
        for groups in case.groups
    )
    measured = list(zip(results, case.groups, strict=True))
    singles = [(rates, _missing(groups)) for rates, groups in measured if len(groups.parts) <= 1]
    thresholds = load_thresholds(case.settings.get("thresholds"))
    findings: list[Finding] = []
    unanswered: list[NotApplicable] = []
    for rates, groups in measured:
        missing = _missing(groups)
        # A handful of people whose group is not known is no group to compare; the table has them.
        compared = [c for c in rates.comparisons if c.group not in missing or not rates[c.group].small]
        findings.extend(_findings(rates, compared, thresholds, crossed=len(groups.parts) > 1))
        findings.extend(_small(rates, case.minimum_n))
        unanswered.extend(_undefined(rates, compared))
    if case.y is None:
        unanswered.append(
            NotApplicable(
                method="rates",
                reason="true and false positive rates need the true outcomes, and the table has none",
                remedy="name the column with the outcome that really happened",
            )
        )
    return Section(
        key="rates",
        results=results,
        findings=tuple(findings),
        not_applicable=tuple(unanswered),
        overview=tuple(row for rates, missing in singles for row in _overview(rates, missing)),
        paragraphs=(" ".join(_sentence(rates, missing, case) for rates, missing in singles),),
        document={
            "features": [rates.to_dict() for rates in results],
            "settings": {
                "intervals": "Wilson for rates, Newcombe for differences, the same construction for ratios",
            },
        },
        tables={"rates": [row for rates in results for row in rates.rows()]},
    )


def _against(start: str) -> Callable[[str, str, Estimate], str]:
    def title(group: str, privileged: str, found: Estimate) -> str:
        sign = -1 if found.estimate < 0 else 1
        low, high = sorted((sign * found.low, sign * found.high))
        side = "below" if sign < 0 else "above"
        return f"{start} of {group} is {_points(abs(found.estimate), low, high)} {side} that of {privileged}"

    return title


def _points(size: float, low: float, high: float) -> str:
    """Say a difference of rates in percentage points, to one decimal."""
    return f"{100 * size:.1f} percentage points [{100 * low:.1f}, {100 * high:.1f}]"


def _ratio(group: str, privileged: str, found: Estimate) -> str:
    times = f"{number(found.estimate, 2)} {_bounds(found)}"
    return f"The acceptance rate of {group} is {times} times that of {privileged}"


def _odds(group: str, privileged: str, found: Estimate) -> str:
    size = _points(found.estimate, found.low, found.high)
    return f"True and false positive rates of {group} and {privileged} are {size} apart on average"


CHECKS = (
    Check(
        "RATE001",
        "statistical_parity_difference",
        "difference in acceptance rates",
        _against("The acceptance rate"),
    ),
    Check("RATE002", "disparate_impact_ratio", "ratio of acceptance rates", _ratio, reference=1.0),
    Check(
        "RATE003",
        "equal_opportunity_difference",
        "difference in true positive rates",
        _against("Where the true outcome is the favourable one, the acceptance rate"),
    ),
    Check("RATE004", "average_absolute_odds_difference", "average absolute odds difference", _odds),
)


def _findings(
    rates: GroupRates, compared: Sequence[Comparison], thresholds: Thresholds, *, crossed: bool
) -> Iterator[Finding]:
    """Grade every comparison; of intersections only what passes a threshold, the rest is in the table."""
    for comparison in compared:
        for check in CHECKS:
            found: Estimate | None = getattr(comparison, check.measure)
            if found is None or not math.isfinite(found.estimate):
                continue
            severity, threshold, established = grade(
                check.code, found.estimate, (found.low, found.high), thresholds=thresholds
            )
            if crossed and severity == "note":
                continue
            group, privileged = plain(comparison.group), plain(rates.privileged)
            yield Finding(
                code=check.code,
                severity=severity,
                title=check.title(group, privileged, found),
                section="rates",
                measure=check.words,
                subject=f"{plain(rates.name)}: {group} against {privileged}",
                estimate=found.estimate,
                interval=(found.low, found.high),
                n=found.n,
                confidence=rates.confidence,
                reference=check.reference,
                threshold=threshold,
                established=established,
                remedy="" if established else _remedy(rates, comparison),
                evidence={
                    "feature": rates.name,
                    "group": comparison.group,
                    "privileged": rates.privileged,
                    "n_group": rates[comparison.group].n,
                    "n_privileged": rates[rates.privileged].n,
                },
            )


def _remedy(rates: GroupRates, comparison: Comparison) -> str:
    sizes = ((rates[label].n, label) for label in (comparison.group, rates.privileged))
    n, label = min(sizes)
    return f"the interval holds no difference; more rows of {plain(label)} (n = {n:,}) would narrow it"


def _small(rates: GroupRates, minimum_n: int) -> Iterator[Finding]:
    for group in rates.groups:
        if group.small:
            yield Finding(
                code="RATE005",
                severity="note",
                title=f"{plain(group.label)} has {group.n:,} rows, fewer than {minimum_n:,}",
                section="rates",
                measure="group size",
                subject=f"{plain(rates.name)}: {plain(group.label)}",
                estimate=float(group.n),
                n=group.n,
                confidence=rates.confidence,
                threshold=float(minimum_n),
                remedy="read its rates with their intervals, or add rows",
                evidence={"feature": rates.name, "group": group.label},
            )


def _undefined(rates: GroupRates, compared: Sequence[Comparison]) -> Iterator[NotApplicable]:
    """Say once for each reason which measures have no value."""
    for comparison in compared:
        lacking: dict[str, list[str]] = {}
        for name, found in comparison.estimates():
            if found is not None and found.reason:
                lacking.setdefault(found.reason, []).append(name.replace("_", " "))
        for reason, names in lacking.items():
            yield NotApplicable(
                method="rates",
                subject=f"{plain(rates.name)}: {plain(comparison.group)} against {plain(rates.privileged)}",
                reason=f"no {listing(names)}: {reason}",
                remedy="add rows of that kind, or leave the group out on purpose",
            )


def _missing(groups: Groups) -> frozenset[str]:
    """Give the labels that stand for a missing value."""
    return frozenset(groups.labels[at] for at in groups.missing_labels)


def _overview(rates: GroupRates, missing: Set[str]) -> Iterator[OverviewRow]:
    """Give one row a rate; the privileged group first."""
    shown = [group for group in rates.groups if group.label not in missing or not group.small]
    ordered = sorted(shown, key=lambda group: group.label != rates.privileged)
    for name, words in RATES.items():
        points = [(group.label, getattr(group, name)) for group in ordered]
        known = tuple((label, e.estimate, e.low, e.high) for label, e in points if e is not None)
        if any(math.isfinite(point[1]) for point in known):
            yield OverviewRow(measure=words, subject=rates.name, points=known)


def _sentence(rates: GroupRates, missing: Set[str], case: Case) -> str:
    named = [group for group in rates.groups if group.label not in missing]
    shares = _shares(named, "acceptance", rates.privileged, case.people)
    return f"The model accepts {shares}{_ratios(rates, missing)}."


def _shares(groups: Sequence[GroupRate], name: str, first: str, people: str) -> str:
    """Say "93 % [92, 94] of White and 75 % [70, 80] of Black applicants": the privileged, then by size."""
    ordered = sorted(groups, key=lambda group: (group.label != first, -group.n))
    said = []
    for group in ordered[:MOST_NAMED]:
        found: Estimate = getattr(group, name)
        bounds = interval(found.low, found.high, as_percent=True)
        said.append(f"{percent(found.estimate)} {bounds} of {plain(group.label)}")
    text = f"{listing(said)} {plain(people)}"
    more = len(ordered) - MOST_NAMED
    return text if more <= 0 else f"{text} ({more} smaller group{'s' if more > 1 else ''}: see the table)"


def _ratios(rates: GroupRates, missing: Set[str]) -> str:
    """Say the one ratio, or the smallest of several."""
    known = {
        comparison.group: comparison.disparate_impact_ratio
        for comparison in rates.comparisons
        if comparison.group not in missing and _known(comparison.disparate_impact_ratio)
    }
    if not known:
        return ""
    label = min(known, key=lambda each: known[each].estimate)
    said = f"{number(known[label].estimate, 2)} {_bounds(known[label])}"
    if len(known) == 1:
        return f" (ratio {said})"
    return f" (smallest ratio to {plain(rates.privileged)}: {plain(label)}, {said})"


def _known(found: Estimate | None) -> bool:
    return found is not None and math.isfinite(found.estimate)


def _bounds(found: Estimate) -> str:
    return f"[{number(found.low, 2)}, {number(found.high, 2)}]"
