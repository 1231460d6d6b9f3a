"""Counterfactual fair opportunity as findings, sentences and tables of an audit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from fairwitness.case import Case
from fairwitness.errors import DataError, ModelError
from fairwitness.findings import (
    SEVERITIES,
    Finding,
    NotApplicable,
    OverviewRow,
    Section,
    Severity,
    load_thresholds,
)
from fairwitness.flips.chance import search_both
from fairwitness.flips.evaluate import eligible_rows, opportunity_from
from fairwitness.flips.inference import Classifier, align, people_proba
from fairwitness.flips.measures import Convention, Shortfall
from fairwitness.flips.people import example_people, person_lines
from fairwitness.flips.proxies import proxies_from
from fairwitness.flips.proxy_results import ProxyResult
from fairwitness.flips.results import OpportunityResult
from fairwitness.flips.search import draw_people
from fairwitness.flips.setting import chosen_generator, fitted_classifier
from fairwitness.flips.verdicts import (
    difference_findings,
    established_proxies,
    instrument_findings,
    proxy_findings,
    shortfall_finding,
    unsettled_findings,
)
from fairwitness.flips.words import main_group, sentences
from fairwitness.progress import track
from fairwitness.table.cuts import spec_of_name
from fairwitness.text import plain
from fairwitness.typing import BoolArray, Document, FloatArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.base import CounterfactualGenerator
    from fairwitness.counterfactuals.sets import CounterfactualSet
    from fairwitness.table.groups import Groups

KEY = "opportunity"
#: People of one group searched in an audit, unless ``settings["max_people"]`` says otherwise: the interval of
#: a share of 2,000 people is at most 5 points wide.
MAX_PEOPLE = 2000


@dataclass(frozen=True, slots=True, eq=False)
class _Instrument:
    """One sensitive feature, and what its classifier says of the table."""

    groups: Groups
    classifier: Classifier
    known: FloatArray
    drawn: BoolArray

    @property
    def crossed(self) -> bool:
        return len(self.groups.parts) > 1


def run(case: Case) -> Section:
    """Measure counterfactual fair opportunity for every sensitive feature of the case.

    Intersections are measured where the privileged cell and another have enough eligible people. A model
    that cannot be asked about new rows (a column of predictions) is measured with neighbours, which are
    people it has judged already.
    """
    generator = _generator(case)
    problem = _impossible(case, generator)
    if problem is not None:
        return Section(key=KEY, not_applicable=(problem,), document=_document(case, None, []))
    unanswered: list[NotApplicable] = []
    instruments: list[_Instrument] = []
    for groups in track(case.groups, description="sensitive-feature classifiers", total=len(case.groups)):
        ready = _instrument(case, groups)
        if isinstance(ready, NotApplicable):
            unanswered.append(ready)
        else:
            instruments.append(ready)
    if not instruments:
        return Section(key=KEY, not_applicable=tuple(unanswered), document=_document(case, None, []))
    wanted = np.any([each.drawn for each in instruments], axis=0)
    most, rejected = _most_people(case), ~case.judgement.accepted
    if most is None or rejected.sum() <= most:
        # Few enough to answer for everyone rejected, whether or not a classifier recovers their group.
        wanted |= rejected
    rows = np.flatnonzero(wanted)
    found, random = search_both(case, rows, generator)
    return _section(case, instruments, found, random, rows, unanswered)


def _section(
    case: Case,
    instruments: list[_Instrument],
    found: CounterfactualSet,
    random: CounterfactualSet | None,
    rows: np.ndarray,
    unanswered: list[NotApplicable],
) -> Section:
    thresholds = load_thresholds(case.settings.get("thresholds"))
    findings: list[Finding] = []
    features: list[Document] = []
    spoken: list[str] = []
    results: list[OpportunityResult] = []
    proxies: list[ProxyResult] = []
    overview: list[OverviewRow] = []
    for each in instruments:
        mine = each.drawn[rows]
        result = _measure(
            case, each, found.take(mine), None if random is None else random.take(mine), rows[mine]
        )
        carriers = proxies_from(
            result.counterfactuals,
            delta=result.inferred_change,
            flipped=result.looks != result.codes[result.counterfactuals.query],
            privileged=result.privileged,
            flipped_only=False,
            confidence=case.confidence,
            n_resamples=2000,
            seed=case.seed,
        )
        said = list(difference_findings(result, thresholds=thresholds, crossed=each.crossed))
        said += unsettled_findings(result)
        if not each.crossed:
            carried: Severity = min((f.severity for f in said), key=SEVERITIES.index, default="note")
            said += instrument_findings(result, case.minimum_n)
            own = {spec_of_name(part).column for part in each.groups.parts}
            said += proxy_findings(result, carriers, thresholds=thresholds, carried=carried, without=own)
            names = established_proxies(carriers, without=own)
            spoken.append(" ".join(sentences(result, names, said, case)))
            overview += _overview(result)
        findings += said
        unanswered += _without_value(result, each.crossed)
        results.append(result)
        proxies.append(carriers)
        features.append(
            {
                **result.to_dict(),
                "proxies": [feature.to_dict() for feature in carriers.features],
                "people": [] if each.crossed else example_people(result, case, main_group(result)),
            }
        )
    n_found = found.n_found
    short = int(((n_found > 0) & (n_found < case.k)).sum())
    findings += shortfall_finding(len(rows), short, int((n_found == 0).sum()), case.k, case.confidence)
    singles = [result for each, result in zip(instruments, results, strict=True) if not each.crossed]
    return Section(
        key=KEY,
        # Everything above counts rows in the case's order; the user has a table of their own.
        results=(*(result.in_order(case.row_number) for result in results), *proxies),
        findings=tuple(findings),
        not_applicable=tuple(unanswered),
        overview=tuple(overview),
        paragraphs=tuple(spoken),
        document=_document(case, found, features),
        tables={
            "opportunity": [line for result in results for line in result.lines()],
            "proxies": [
                {"feature": result.name, **feature.to_dict()}
                for result, carriers in zip(results, proxies, strict=True)
                for feature in carriers.features
            ],
            "people": [line for result in singles for line in person_lines(result, case)],
        },
    )


def _measure(
    case: Case,
    each: _Instrument,
    found: CounterfactualSet,
    random: CounterfactualSet | None,
    rows: np.ndarray,
) -> OpportunityResult:
    return opportunity_from(
        found,
        each.groups,
        each.classifier,
        rows=rows,
        accepted=case.judgement.accepted,
        evidence=case.evidence,
        known=each.known,
        random=random,
        convention=cast(Convention, case.settings.get("convention") or "equations"),
        shortfall=cast(Shortfall, case.settings.get("shortfall") or "available"),
        confidence=case.confidence,
        minimum_n=case.minimum_n,
        random_state=case.seed,
    )


def _impossible(case: Case, generator: CounterfactualGenerator) -> NotApplicable | None:
    """Say why nothing can be measured at all; ``None`` if something can."""
    from fairwitness.counterfactuals.neighbors import NeighborGenerator
    from fairwitness.counterfactuals.precomputed import PrecomputedGenerator
    from fairwitness.table.frames import column_names

    if case.judgement.accepted.all():
        return NotApplicable(KEY, "the model rejects nobody", "audit a table in which it rejects some")
    if not case.judgement.accepted.any():
        return NotApplicable(KEY, "the model accepts nobody", "audit a table in which it accepts some")
    if not column_names(case.evidence):
        return NotApplicable(
            KEY,
            "the model reads sensitive columns only, so nothing is left to infer a group from",
            "keep the other columns in the table",
        )
    if not case.can_query and not isinstance(generator, NeighborGenerator | PrecomputedGenerator):
        return NotApplicable(
            KEY,
            "this generator makes new rows, and a column of predictions cannot be asked about them",
            "use the neighbours generator, which returns people that were judged, or give the model itself",
        )
    return None


def _instrument(case: Case, groups: Groups) -> _Instrument | NotApplicable:
    """Fit the classifier of one feature and find who is eligible; or say why not."""
    name = plain(groups.name)
    groups = _without_few_missing(groups, case.minimum_n)
    if groups.n_groups < 2:
        return NotApplicable(KEY, "there is one group only, so nothing to compare", subject=name)
    rejected = ~case.judgement.accepted
    crossed = len(groups.parts) > 1
    few = _too_few(groups, rejected, case.minimum_n, "rejected") if crossed else None
    if few is not None:
        return few
    try:
        classifier = fitted_classifier(
            case.settings.get("classifier"), case.evidence, groups, seed=case.seed, n_jobs=case.n_jobs
        )
        known = people_proba(classifier, case.evidence)
        _, looks = align(known, classifier, groups.labels)
    except (DataError, ModelError) as error:
        return NotApplicable(
            KEY,
            f"the sensitive-feature classifier could not be used: {error.what}",
            error.fix or "",
            subject=name,
        )
    eligible = eligible_rows(case.judgement.accepted, groups.codes, looks)
    few = _too_few(groups, eligible, case.minimum_n, "eligible") if crossed else None
    if few is not None:
        return few
    drawn = draw_people(eligible, groups.codes, most=_most_people(case), seed=case.seed)
    return _Instrument(groups, classifier, known, drawn)


def _most_people(case: Case) -> int | None:
    return cast("int | None", case.settings.get("max_people", MAX_PEOPLE))


def _too_few(groups: Groups, chosen: BoolArray, minimum_n: int, word: str) -> NotApplicable | None:
    """Refuse an intersection in which not even two cells have enough people."""
    counts = np.bincount(groups.codes[chosen & (groups.codes >= 0)], minlength=groups.n_groups)
    others = np.delete(counts, groups.privileged)
    if counts[groups.privileged] >= minimum_n and others.max(initial=0) >= minimum_n:
        return None
    return NotApplicable(
        KEY,
        f"of this intersection, {plain(groups.labels[groups.privileged])} has {counts[groups.privileged]:,} "
        f"{word} rows and the largest other cell {others.max(initial=0):,}; {minimum_n:,} are needed in both",
        "add rows, cross fewer features, or lower minimum_n",
        subject=plain(groups.name),
    )


def _without_few_missing(groups: Groups, minimum_n: int) -> Groups:
    """Leave a group of a few missing values out: it is no group that a classifier could learn."""
    few = [at for at in groups.missing_labels if groups.counts[at] < minimum_n and at != groups.privileged]
    if not few:
        return groups
    kept = [at for at in range(groups.n_groups) if at not in few]
    new = np.full(groups.n_groups + 1, -1, dtype=np.int64)
    new[kept] = np.arange(len(kept))
    return replace(
        groups,
        labels=tuple(groups.labels[at] for at in kept),
        codes=new[groups.codes],
        privileged=kept.index(groups.privileged),
        missing_labels=tuple(kept.index(at) for at in groups.missing_labels if at in kept),
    )


def _without_value(result: OpportunityResult, crossed: bool) -> list[NotApplicable]:
    if crossed:
        return []  # the table of cells says it; a list of empty cells would drown the rest
    return [
        NotApplicable(
            KEY,
            group.reason,
            "add rows, or give the classifier more columns",
            subject=f"{plain(result.name)}: {plain(group.label)}",
        )
        for group in result.groups
        if group.reason
    ]


def _overview(result: OpportunityResult) -> list[OverviewRow]:
    """Give one row a measure; the privileged group first."""
    ordered = sorted(result.groups, key=lambda group: group.label != result.privileged)
    rows = []
    for measure, words, unit in (("cflips", "CFlips", "share"), ("ndccf", "nDCCF", "index")):
        values = [(group.label, group.at(measure)) for group in ordered]
        points = tuple((label, e.estimate, e.low, e.high) for label, e in values if e is not None)
        random = [group.at(measure, random=True) for group in ordered]
        if any(np.isfinite(point[1]) for point in points):
            rows.append(
                OverviewRow(
                    measure=f"{words}@{result.k}",
                    subject=result.name,
                    points=points,
                    unit=unit,
                    at_random=tuple(e.estimate for e in random if e is not None),
                )
            )
    return rows


def _document(case: Case, found: CounterfactualSet | None, features: list[Document]) -> Document:
    settings = {} if found is None else dict(found.settings)
    distance = settings.pop("distance", {})
    return {
        "generator": {
            "name": _generator(case).name if found is None else found.generator,
            "settings": settings,
            "distance": distance,
        },
        "k": case.k,
        "convention": case.settings.get("convention") or "equations",
        "shortfall": case.settings.get("shortfall") or "available",
        "settings": {
            "intervals": "percentiles of 2,000 resamples of people, disturbed by what shared changed "
            "profiles and other training rows of the classifier add to the variance; Wilson's where all "
            "people of a group have the same value",
            "p-values": "2,000 shuffles of the group label, disturbed likewise; proxies: a t test of one "
            "score a person, corrected by Benjamini and Hochberg",
            "people of a group searched at most": case.settings.get("max_people", MAX_PEOPLE),
            **(
                {}
                if case.can_query
                else {"model": "not asked: neighbours are people that it has judged already"}
            ),
        },
        "features": features,
    }


def _generator(case: Case) -> CounterfactualGenerator:
    return chosen_generator(case.settings.get("generator"), case.n_jobs)
