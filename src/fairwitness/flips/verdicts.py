"""From measures to findings: severity by thresholds, and only where the evidence carries it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from fairwitness.findings import SEVERITIES, Finding, Severity, grade
from fairwitness.stats.intervals import Estimate, wilson
from fairwitness.text import interval, number, percent, plain

if TYPE_CHECKING:
    from fairwitness.flips.proxy_results import ProxyFeature, ProxyResult
    from fairwitness.flips.results import GroupDifference, OpportunityResult

Thresholds = Mapping[str, Mapping[str, object]] | None
#: Shares of the same changed profiles this far apart, by one fold's model and another's, are told.
APART = 0.25
#: Proxy features that become findings, for one sensitive feature; the rest are in the table.
MOST_PROXIES = 5


def difference_findings(
    result: OpportunityResult, *, thresholds: Thresholds, crossed: bool
) -> Iterator[Finding]:
    """Grade ΔCFlips and ΔnDCCF of every group; of an intersection only what passes a threshold.

    What is graded is the part beyond random acceptance (:mod:`fairwitness.flips.chance`) where that is
    known: sizes of groups and the classifier's mistakes make a difference for any model.
    """
    chance = result.quality is not None and not result.quality["better_than_chance"]
    for difference in result.differences:
        for code, measure in (("FLIP001", "cflips"), ("FLIP002", "ndccf")):
            raw, beyond = difference.at(measure), difference.at(measure, beyond_random=True)
            value = raw if beyond is None else beyond
            if raw is None or value is None or not math.isfinite(value.estimate):
                continue
            severity, threshold, established = grade(
                code, value.estimate, (value.low, value.high), thresholds=thresholds
            )
            remedy = _doubt(result, difference, value, established=established, chance=chance)
            if remedy:
                severity, threshold, established = "note", None, False
            if crossed and severity == "note":
                continue
            name = f"{'ΔCFlips' if measure == 'cflips' else 'ΔnDCCF'}@{result.k}"
            yield Finding(
                code=code,
                severity=severity,
                title=_title(measure, result, difference),
                section="opportunity",
                measure=name if beyond is None else f"{name} beyond random acceptance",
                subject=f"{plain(result.name)}: {plain(difference.group)} against {plain(result.privileged)}",
                estimate=value.estimate,
                interval=(value.low, value.high),
                n=value.n,
                confidence=result.confidence,
                threshold=threshold,
                established=established,
                remedy=remedy,
                evidence=_evidence(result, difference, measure, value),
            )


def instrument_findings(result: OpportunityResult, minimum_n: int) -> Iterator[Finding]:
    """Say where the classifier is not better than chance, and where it leaves few people to measure."""
    quality = result.quality
    if quality is not None and not quality["better_than_chance"]:
        balanced = quality["balanced_accuracy"]
        chance = 1 / len(quality["labels"])
        yield Finding(
            code="FLIP003",
            severity="note",
            title=(
                f"The classifier is not shown to recover {plain(result.name)} better than chance: balanced "
                f"accuracy {number(balanced['estimate'], 2)}, chance {number(chance, 2)}"
            ),
            section="opportunity",
            measure="balanced accuracy",
            subject=plain(result.name),
            estimate=_number(balanced["estimate"]),
            interval=(_number(balanced["low"]), _number(balanced["high"])),
            n=int(balanced["n"]),
            confidence=result.confidence,
            reference=chance,
            established=False,
            remedy="give the classifier more rows or columns, or another estimator, before reading the flips",
            evidence={"feature": result.name, "estimator": quality["estimator"]},
        )
    for group in result.groups:
        n = group.funnel.recognised
        if n < minimum_n:
            yield Finding(
                code="FLIP004",
                severity="note",
                title=(
                    f"{n:,} of {group.funnel.rejected:,} rejected {plain(group.label)} are recognised as "
                    f"such, fewer than {minimum_n:,}"
                ),
                section="opportunity",
                measure="eligible rows",
                subject=f"{plain(result.name)}: {plain(group.label)}",
                estimate=float(n),
                n=n,
                confidence=result.confidence,
                threshold=float(minimum_n),
                remedy="read its values with their intervals, or add rows",
                evidence={"feature": result.name, "group": group.label, **group.funnel.to_dict()},
            )


def unsettled_findings(result: OpportunityResult) -> Iterator[Finding]:
    """Say where the classifier's own models, each trained without a part of the table, disagree.

    Then the flips hang on few training rows: mostly those of a small group that have a rare value which many
    changed profiles share. Intervals contain it (:mod:`fairwitness.flips.refits`) and are wide, however many
    people there are, so the reader is told why. Of groups with few people that needs no words.
    """
    for group in result.groups:
        known = [value for value in group.by_fold if math.isfinite(value)]
        value = group.at()
        if group.small or len(known) < 2 or value is None or max(known) - min(known) < APART:
            continue
        name = plain(group.label)
        yield Finding(
            code="FLIP007",
            severity="note",
            title=(
                f"What changed profiles of {name} look like is not settled: each trained without a part "
                f"of the table, {len(known)} classifiers take {percent(min(known))} to "
                f"{percent(max(known))} of them for another group"
            ),
            section="opportunity",
            measure=f"CFlips@{result.k}",
            subject=f"{plain(result.name)}: {name}",
            estimate=value.estimate,
            interval=(value.low, value.high),
            n=value.n,
            confidence=result.confidence,
            remedy=(
                f"it hangs on few rows of {name}, so the interval is wide although {value.n:,} people are "
                f"behind it; more rows of the group, or columns that tell it apart, would settle it"
            ),
            evidence={"feature": result.name, "group": group.label, "by_fold": list(group.by_fold)},
        )


def established_proxies(proxies: ProxyResult, *, without: Collection[str] = ()) -> list[ProxyFeature]:
    """Give the features whose interval excludes 0 and whose q-value stays below one minus the level.

    ``without`` names the sensitive feature's own columns: where the model reads them, they are no carriers.
    """
    return [
        feature
        for feature in proxies.features
        if feature.column not in without
        and math.isfinite(feature.rho)
        and not feature.low <= 0 <= feature.high
        and feature.q_value < 1 - proxies.confidence
    ]


def proxy_findings(
    result: OpportunityResult,
    proxies: ProxyResult,
    *,
    thresholds: Thresholds,
    carried: Severity,
    without: Collection[str] = (),
) -> Iterator[Finding]:
    """Grade the strongest proxy features.

    A proxy tells how the inferred group goes with a column. That bears on the model only as far as a
    difference between the groups is established: a carrier is never graded above what it carries.
    """
    graded: list[tuple[ProxyFeature, Severity, float | None]] = []
    for feature in established_proxies(proxies, without=without):
        severity, threshold, _ = grade(
            "FLIP005", feature.rho, (feature.low, feature.high), thresholds=thresholds
        )
        if severity != "note":
            graded.append((feature, severity, threshold))
    for feature, severity, threshold in graded[:MOST_PROXIES]:
        towards = "more" if feature.rho > 0 else "less"
        yield Finding(
            code="FLIP005",
            severity=max(severity, carried, key=SEVERITIES.index),
            title=(
                f"Changed profiles with {_change(feature)} look {towards} like {plain(proxies.privileged)}: "
                f"ρ = {number(feature.rho, 2)} {interval(feature.low, feature.high)}"
            ),
            section="opportunity",
            measure="proxy correlation ρ",
            subject=f"{plain(result.name)}: {feature.label}",
            estimate=feature.rho,
            interval=(feature.low, feature.high),
            n=feature.n_rows,
            confidence=proxies.confidence,
            threshold=threshold,
            remedy=""
            if carried != "note"
            else f"no difference by {plain(result.name)} that it could carry passes a threshold",
            evidence={
                "feature": result.name,
                "column": feature.column,
                "level": feature.level,
                "p_value": feature.p_value,
                "q_value": feature.q_value,
                "n_changed": feature.n_changed,
                "others_over_a_threshold": max(len(graded) - MOST_PROXIES, 0),
            },
        )


def shortfall_finding(searched: int, short: int, none: int, k: int, confidence: float) -> Iterator[Finding]:
    """Say how many people have fewer counterfactuals than were asked for."""
    lacking = short + none
    if not lacking:
        return
    low, high = wilson(lacking, searched, confidence)
    yield Finding(
        code="FLIP006",
        severity="note",
        title=(
            f"For {lacking:,} of {searched:,} people fewer than {k:,} changed profiles were found"
            + (f", for {none:,} of them none" if none else "")
        ),
        section="opportunity",
        measure="share of rejected people",
        subject="all groups",
        estimate=lacking / searched,
        interval=(float(low), float(high)),
        n=searched,
        confidence=confidence,
        remedy="ask for fewer (k), loosen constraints of the schema, or use another generator",
        evidence={"short": short, "none": none},
    )


def _doubt(
    result: OpportunityResult,
    difference: GroupDifference,
    value: Estimate,
    *,
    established: bool,
    chance: bool,
) -> str:
    """Say what stands against calling a difference established; empty if nothing does."""
    groups = (result[difference.group], result[difference.privileged])
    n, label = min((group.funnel.with_counterfactuals, plain(group.label)) for group in groups)
    if chance:
        return f"the classifier is not shown to recover {plain(result.name)} better than chance (FLIP003)"
    if not established:
        what = "no difference" if difference.beyond is None else "what random acceptance gives"
        return f"the interval holds {what}; more eligible rows of {label} (n = {n:,}) would narrow it"
    if value.p_value is not None and value.p_value > 1 - result.confidence:
        return (
            f"shuffled groups differ as much in {percent(value.p_value)} of cases; more eligible rows of "
            f"{label} (n = {n:,}) would tell"
        )
    return ""


def _title(measure: str, result: OpportunityResult, difference: GroupDifference) -> str:
    group, reference = result[difference.group], result[difference.privileged]
    name, other = plain(group.label), plain(reference.label)

    def said(*, random: bool) -> tuple[str, str]:
        values = (group.at(measure, random=random), reference.at(measure, random=random))
        write = percent if measure == "cflips" else _hundredths
        mine, theirs = ("–" if value is None else write(value.estimate) for value in values)
        return mine, theirs

    mine, theirs = said(random=False)
    start = "Changed profiles stop looking like their own group:" if measure == "cflips" else "nDCCF is"
    title = f"{start} {mine} for {name}, {theirs} for {other}"
    if group.random is None:
        return title
    mine, theirs = said(random=True)
    return f"{title} (at random {mine} and {theirs})"


def _hundredths(value: float) -> str:
    return f"{value:.2f}"


def _evidence(
    result: OpportunityResult, difference: GroupDifference, measure: str, value: Estimate
) -> dict[str, object]:
    group, reference = result[difference.group], result[difference.privileged]

    def document(estimate: Estimate | None) -> object:
        return None if estimate is None else estimate.to_dict()

    return {
        "feature": result.name,
        "group": group.label,
        "privileged": reference.label,
        "group_value": document(group.at(measure)),
        "privileged_value": document(reference.at(measure)),
        "difference": document(difference.at(measure)),
        "group_at_random": document(group.at(measure, random=True)),
        "privileged_at_random": document(reference.at(measure, random=True)),
        "p_value": value.p_value,
        "expected_flip_rate": group.expected_flip_rate.to_dict(),
        "privileged_expected_flip_rate": reference.expected_flip_rate.to_dict(),
        "small": group.small or reference.small,
    }


def _change(feature: ProxyFeature) -> str:
    if feature.level is None:
        return f"a higher {plain(feature.column)}"
    return feature.label


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
