"""The opening sentences: what came out, with number and interval, in words that can be read aloud."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairwitness.stats.intervals import Estimate
from fairwitness.text import interval, listing, number, percent, plain

if TYPE_CHECKING:
    from fairwitness.case import Case
    from fairwitness.findings import Finding
    from fairwitness.flips.proxy_results import ProxyFeature
    from fairwitness.flips.results import GroupOpportunity, OpportunityResult


def sentences(
    result: OpportunityResult, proxies: Sequence[ProxyFeature], findings: Sequence[Finding], case: Case
) -> Iterator[str]:
    """Say what one sensitive feature's result is.

    Parameters
    ----------
    result
        The measures.
    proxies
        The proxy features that are established, strongest first.
    findings
        The feature's findings: a difference that is not established is said to be so.
    case
        For the names of things.
    """
    people = plain(case.people)
    label = main_group(result)
    group, reference = result[label], result[result.privileged]
    name, other = plain(label), plain(result.privileged)
    rejected = int((~case.judgement.accepted).sum())
    yield (
        f"Of {rejected:,} {people} the model rejects, {group.funnel.rejected:,} are {name}; from the other "
        f"columns, {group.funnel.recognised:,} of them are recognised as {name}."
    )
    mine, theirs = group.at(), reference.at()
    assert mine is not None
    assert theirs is not None
    if not math.isfinite(mine.estimate):
        yield f"What they would have to become cannot be said: {group.reason}."
    else:
        yield (
            f"To be accepted, {_share(mine)} of the changed profiles found for them would no longer be "
            f"recognised as {name}; "
            + (
                f"for {other} {people} the figure is {_share(theirs)}."
                if math.isfinite(theirs.estimate)
                else f"for {other} {people} there is no figure: {reference.reason}."
            )
        )
    if math.isfinite(mine.estimate) and math.isfinite(theirs.estimate):
        yield from _difference(result, label, findings)
    more = len(result.differences) - 1
    if more > 0:
        yield f"{more} other group{'s are' if more > 1 else ' is'} compared in the table."
    yield from _carriers(result, proxies, case)
    yield from _instrument(result.quality, result.name)


def main_group(result: OpportunityResult) -> str:
    """Give the group that is spoken of: among those large enough, the one whose profiles flip most.

    Most beyond what random acceptance gives, if that is known; against the privileged group in any case.
    """

    def size(label: str) -> int:
        return result[label].funnel.with_counterfactuals

    def excess(label: str) -> float:
        difference = result.difference(label)
        value = difference.at(beyond_random=True) or difference.at()
        return value.estimate if value is not None and math.isfinite(value.estimate) else -math.inf

    labels = [difference.group for difference in result.differences]
    large = [label for label in labels if not result[label].small]
    return max(large, key=lambda label: (excess(label), size(label))) if large else max(labels, key=size)


def _difference(result: OpportunityResult, label: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Say the difference, and how much of it random acceptance does not give."""
    difference = result.difference(label)
    raw, beyond = difference.at(), difference.at(beyond_random=True)
    assert raw is not None
    points = f"{_points(raw.estimate)} {_points_interval(raw)} percentage points"
    found = [f for f in findings if f.code == "FLIP001" and f.evidence.get("group") == label]
    if beyond is None:
        if found and found[0].established:
            yield f"That is a difference of {points}."
        else:
            yield f"That is a difference of {points}, which is not established."
        yield from _expected(result[label], result[result.privileged])
        return
    random = [each.at(random=True) for each in (result[label], result[result.privileged])]
    shares = [percent(value.estimate) for value in random if value is not None]
    start = f"Were people accepted at random, the figures would be {' and '.join(shares)}"
    if not (found and found[0].established):
        yield f"{start}: the difference of {points} is not shown to be another than that."
        return
    side = "larger" if beyond.estimate > 0 else "smaller"
    sign = 1 if beyond.estimate > 0 else -1
    low, high = sorted((sign * beyond.low, sign * beyond.high))
    yield (
        f"{start}: the difference of {points} is {_points(abs(beyond.estimate))} "
        f"[{_points(low)}, {_points(high)}] {side} than that."
    )


def _expected(group: GroupOpportunity, reference: GroupOpportunity) -> Iterator[str]:
    mine, theirs = group.expected_flip_rate, reference.expected_flip_rate
    if math.isfinite(mine.estimate) and math.isfinite(theirs.estimate):
        yield (
            f"Among accepted people, the classifier does not recognise {_share(mine)} of "
            f"{plain(group.label)} and {_share(theirs)} of {plain(reference.label)}."
        )


def _carriers(result: OpportunityResult, proxies: Sequence[ProxyFeature], case: Case) -> Iterator[str]:
    from fairwitness.table.cuts import spec_of_name

    parts = [groups.parts for groups in case.groups if groups.name == result.name]
    columns = {spec_of_name(part).column for each in parts for part in each}
    seen = bool(columns & set(case.schema.names))
    start = "" if seen else f"The model never sees {plain(result.name)}; "
    names = list(dict.fromkeys(plain(feature.column) for feature in proxies))[:3]
    if not names:
        if start:
            yield f"{start}no column's change is shown to go with a change of the inferred group."
        return
    verb = "columns whose change goes" if len(names) > 1 else "column whose change goes"
    yield _capital(
        f"{start}the {verb} most with a change of the inferred group "
        f"{'are' if len(names) > 1 else 'is'} {listing(names)}."
    )


def _instrument(quality: Mapping[str, Any] | None, name: str) -> Iterator[str]:
    if quality is None:
        yield f"How well the classifier recovers {plain(name)} is not known: it was fitted elsewhere."
        return
    balanced = quality["balanced_accuracy"]
    value = f"{number(balanced['estimate'], 2)} [{number(balanced['low'], 2)}, {number(balanced['high'], 2)}]"
    said = (
        f"This rests on a classifier that recovers {plain(name)} from the other columns with balanced "
        f"accuracy {value}, where chance is {number(1 / len(quality['labels']), 2)}"
    )
    if quality["better_than_chance"]:
        yield f"{said}."
    else:
        yield f"{said}: it is not shown to be better than chance, so the figures say little about the model."


def _share(value: Estimate) -> str:
    return f"{percent(value.estimate)} {interval(value.low, value.high, as_percent=True)}"


def _points(value: float) -> str:
    rounded = round(100 * value)
    return f"−{-rounded}" if rounded < 0 else f"{rounded}"


def _points_interval(value: Estimate) -> str:
    return f"[{_points(value.low)}, {_points(value.high)}]"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
