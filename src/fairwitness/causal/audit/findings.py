"""Bounds as findings: graded by the end of the interval that is nearest to no effect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from fairwitness.causal.audit.effects import WORDS
from fairwitness.causal.audit.words import one_value, people_title, title
from fairwitness.findings import Finding, Thresholds, grade
from fairwitness.stats.intervals import wilson
from fairwitness.text import listing, plain

if TYPE_CHECKING:
    from fairwitness.causal.audit.audited import Audited
    from fairwitness.causal.audit.effects import Contrast, Effect, People
    from fairwitness.causal.implied.independences import ImpliedTests

CODES = {
    "total": "BND001",
    "direct": "BND002",
    "indirect": "BND003",
    "redlining": "BND004",
    "paths": "BND004",
}
PEOPLE_CODES = {"counterfactual_fairness": "BND005", "group_direct_discrimination": "BND006"}
MEASURES = {
    "total": "total effect",
    "direct": "direct effect",
    "indirect": "indirect effect",
    "redlining": "effect along chosen paths",
    "paths": "effect along chosen paths",
    "counterfactual_fairness": "share of people whose effect is beyond ±τ",
    "group_direct_discrimination": "share of people whose direct effect is beyond ±τ",
}


def nearest(interval: tuple[float, float]) -> float:
    """Give the value of an interval that is nearest to 0."""
    low, high = interval
    return low if low > 0 else high if high < 0 else 0.0


def effect_findings(contrast: Contrast, audited: Audited, thresholds: Thresholds) -> Iterator[Finding]:
    """Give a finding for each effect over everyone, and for each share of people."""
    for effect in contrast.effects:
        if effect.bounds is not None:
            yield _effect(effect, contrast, audited, thresholds)
    for found in contrast.people:
        if found.n:
            yield _people(found, contrast, audited)


def _subject(contrast: Contrast) -> str:
    pair = contrast.pair
    return f"{plain(pair.groups.name)}: {plain(pair.group)} against {plain(pair.privileged)}"


def _evidence(contrast: Contrast) -> dict[str, object]:
    pair = contrast.pair
    return {"feature": pair.groups.name, "group": pair.group, "privileged": pair.privileged}


def _effect(effect: Effect, contrast: Contrast, audited: Audited, thresholds: Thresholds) -> Finding:
    bounds, code = effect.bounds, CODES[effect.key]
    assert bounds is not None
    interval = bounds.interval
    tau = audited.options.tau
    # What is graded is what surely holds: the end nearest to 0, not a middle that nothing vouches for.
    severity, threshold, established = grade(code, nearest(interval), interval, thresholds=thresholds)
    word = WORDS[bounds.verdict(tau)]
    if bounds.uninformative:
        interval, established = (math.nan, math.nan), False
    elif word == "within" and not established:
        established = True  # that there is at most a small effect is an answer, too
    said = {"within": f", within ±{100 * tau:g}", "beyond": f", beyond ±{100 * tau:g}", "open": ""}[word]
    return Finding(
        code=code,
        severity=severity,
        title=f"{title(effect, contrast)}{'' if bounds.uninformative else said}",
        section="bounds",
        measure=MEASURES[effect.key],
        subject=_subject(contrast),
        estimate=one_value(bounds),
        interval=interval,
        n=audited.n,
        confidence=audited.case.confidence,
        threshold=threshold,
        established=established,
        remedy="" if established else _remedy(effect, contrast),
        evidence={
            **_evidence(contrast),
            "paths": str(effect.paths),
            "lower": bounds.lower,
            "upper": bounds.upper,
            "status": bounds.status,
            "tau": tau,
            "verdict": word,
        },
    )


def _remedy(effect: Effect, contrast: Contrast) -> str:
    """Say what would narrow the bounds: the rung of the ladder on which they exclude 0, or more rows."""
    assert effect.bounds is not None
    if effect.bounds.lower > 0 or effect.bounds.upper < 0:
        return "sampling error alone makes the interval hold no effect; more rows would narrow it"
    ladder = contrast.ladders.get(effect.key)
    last = None if ladder is None else ladder.rungs[-1].bounds
    if last is not None and (last.lower > 0 or last.upper < 0):
        return (
            "the bounds hold no effect; without hidden common causes they would not, as the ladder of "
            "assumptions shows: measure those causes, or show that there are none"
        )
    if last is None:
        return "the bounds hold no effect"
    return "the bounds hold no effect, and would without hidden common causes, too"


def _people(found: People, contrast: Contrast, audited: Audited) -> Finding:
    tau = audited.options.tau
    beyond, open_ = found.count("beyond", tau), found.count("open", tau)
    low, high = beyond / found.n, (beyond + open_) / found.n
    if audited.level is not None:
        low = float(wilson(beyond, found.n, audited.case.confidence)[0])
        high = float(wilson(beyond + open_, found.n, audited.case.confidence)[1])
    code = PEOPLE_CODES[found.key]
    # Kinds are judged by the table as it stands: few people may differ by chance, so nothing is graded.
    nobody = beyond + open_ == 0
    return Finding(
        code=code,
        severity="note",
        title=people_title(found, contrast, tau),
        section="bounds",
        measure=MEASURES[found.key],
        subject=_subject(contrast),
        estimate=beyond / found.n if not open_ else math.nan,
        interval=(low, high),
        n=found.n,
        confidence=audited.case.confidence,
        established=nobody,
        remedy=""
        if nobody
        else "the sampling error of each kind is not in this: more rows would tell kinds apart from chance",
        evidence={
            **_evidence(contrast),
            "told_apart_by": list(found.observed),
            "within": found.count("within", tau),
            "beyond": beyond,
            "open": open_,
            "tau": tau,
        },
    )


def graph_findings(audited: Audited, tests: ImpliedTests, slack: Mapping[str, float]) -> Iterator[Finding]:
    """Give notes about how graph, table and model fit together."""
    worst = tests.worst
    if worst is not None:
        number = len(tests.rejected)
        said = "statement" if number == 1 else "statements"
        yield Finding(
            code="BND007",
            severity="note",
            title=f"The table contradicts {number} {said} of the causal graph, most of all {worst.statement}",
            section="bounds",
            measure="smallest p-value of what the graph implies (Holm)",
            subject="causal graph",
            estimate=worst.p_adjusted,
            n=audited.n,
            confidence=audited.case.confidence,
            remedy="add the edges or hidden common causes that are missing: bounds are those of the graph as "
            "it is drawn",
            evidence={
                "rejected": [str(test.statement) for test in tests.rejected],
                "tested": len(tests.tests),
            },
        )
    if slack:
        name, size = max(slack.items(), key=lambda item: item[1])
        yield Finding(
            code="BND008",
            severity="note",
            title=f"No model with this causal graph gives the table exactly; changed by ε = {size:.2g}",
            section="bounds",
            measure="least change of the table's probabilities, ε",
            subject="causal graph",
            estimate=size,
            n=audited.n,
            confidence=audited.case.confidence,
            remedy="a small ε may be chance; a large one says that the graph is wrong",
            evidence={"largest_for": name},
        )
    if audited.unlinked:
        names = listing([plain(name) for name in audited.unlinked])
        yield Finding(
            code="BND009",
            severity="note",
            title=f"The model reads {names}, but the causal graph has no edge from there to the decision",
            section="bounds",
            measure="model input",
            subject="causal graph",
            n=audited.n,
            confidence=audited.case.confidence,
            remedy="add the edge: what the model reads moves its decision",
            evidence={"columns": list(audited.unlinked)},
        )
    if audited.beyond:
        many = len(audited.beyond)
        yield Finding(
            code="BND010",
            severity="note",
            title=f"The causal graph leaves out {_columns(many)} that the model {_may(audited)}",
            section="bounds",
            measure="model inputs outside the graph",
            subject="causal graph",
            estimate=float(many),
            n=audited.n,
            confidence=audited.case.confidence,
            remedy="bounds assume that nothing hidden moves them together with columns of the graph",
            evidence={"columns": list(audited.beyond)},
        )


def _may(audited: Audited) -> str:
    """Of a column of predictions nobody knows what it was made from."""
    return "reads" if audited.case.models[0].info.can_query else "may read"


def _columns(many: int) -> str:
    return f"{many:,} column{'' if many == 1 else 's'}"
