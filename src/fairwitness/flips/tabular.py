"""Results of counterfactual fair opportunity as lines of tables, and in a few words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairwitness.flips.results import MEASURES
from fairwitness.stats.intervals import Estimate
from fairwitness.text import interval, number, plain

if TYPE_CHECKING:
    from fairwitness.flips.results import GroupDifference, GroupOpportunity, OpportunityResult

NAMES = {"cflips": "CFlips", "ndccf": "nDCCF", "ndccf_sorted": "nDCCF, sorted"}


def curve_lines(result: OpportunityResult) -> Iterator[dict[str, object]]:
    """Give one line a group, measure and rank, with the difference to the privileged group."""
    versus = {difference.group: difference for difference in result.differences}
    for group in result.groups:
        for measure in MEASURES:
            if getattr(group, measure) is not None:
                other = versus.get(group.label)
                yield from (_line(result, group, other, measure, k) for k in result.ks.tolist())


def summary_lines(result: OpportunityResult) -> Iterator[dict[str, object]]:
    """Give one line a group and measure at the k asked for, values as text to look at."""
    versus = {difference.group: difference for difference in result.differences}
    for group in result.groups:
        other = versus.get(group.label)
        for measure in MEASURES:
            value = group.at(measure)
            if value is None:
                continue
            random = group.at(measure, random=True)
            beyond = None if other is None else other.at(measure, beyond_random=True)
            yield {
                "group": plain(group.label) + (" (few)" if group.small else ""),
                "n": value.n,
                "measure": f"{NAMES[measure]}@{result.k}",
                "value": _cell(value),
                "at random": "" if random is None else number(random.estimate),
                f"against {plain(result.privileged)}": _cell(None if other is None else other.at(measure)),
                "beyond random": _cell(beyond),
                "p": "" if beyond is None or beyond.p_value is None else number(beyond.p_value, 2),
                "reason": value.reason,
            }


def in_short(entry: GroupOpportunity | GroupDifference, *, start: str = "") -> str:
    """Name every measure and its value at the k asked for."""
    k = int(entry.cflips.ks[-1])
    said = [
        f"{start}{NAMES[name]}@{k} {_cell(value) or '–'}"
        for name in MEASURES
        if (value := entry.at(name)) is not None
    ]
    return ", ".join(said) + (f" ({entry.reason})" if entry.reason else "")


def _line(
    result: OpportunityResult,
    group: GroupOpportunity,
    difference: GroupDifference | None,
    measure: str,
    k: int,
) -> dict[str, object]:
    nothing = Estimate(math.nan, p_value=math.nan)
    value = group.at(measure, k) or nothing
    chance = group.at(measure, k, random=True) or nothing
    versus = (None if difference is None else difference.at(measure, k)) or nothing
    beyond = (None if difference is None else difference.at(measure, k, beyond_random=True)) or nothing
    return {
        "feature": result.name,
        "group": group.label,
        "privileged": group.label == result.privileged,
        "measure": measure,
        "k": k,
        "estimate": value.estimate,
        "low": value.low,
        "high": value.high,
        "n": value.n,
        "random_acceptance": chance.estimate,
        "difference": versus.estimate,
        "difference_low": versus.low,
        "difference_high": versus.high,
        "absolute_difference": abs(versus.estimate),
        "p_value": versus.p_value,
        "beyond_random": beyond.estimate,
        "beyond_random_low": beyond.low,
        "beyond_random_high": beyond.high,
        "beyond_random_p_value": beyond.p_value,
        "reason": value.reason,
    }


def _cell(value: Estimate | None) -> str:
    """Write a value with its interval; nothing where there is none."""
    if value is None or not math.isfinite(value.estimate):
        return ""
    return f"{number(value.estimate)} {interval(value.low, value.high)}"
