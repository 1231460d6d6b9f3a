"""The evaluation as findings, sentences and tables of an audit: how well the model predicts, and for whom.

With models to compare, all of them on the same rows: accuracy against each difference between groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from fairwitness.case import Case
from fairwitness.findings import (
    Finding,
    NotApplicable,
    Section,
    Thresholds,
    grade,
    load_thresholds,
)
from fairwitness.metrics.declared.catalogue import CATALOGUE
from fairwitness.metrics.evaluation.measures import Ruler, constant, measured_rows
from fairwitness.metrics.evaluation.pairs import Beside, beside
from fairwitness.metrics.evaluation.plot import label
from fairwitness.metrics.evaluation.results import Evaluation
from fairwitness.metrics.evaluation.runs import Run
from fairwitness.model import Judgement
from fairwitness.rng import child_seed
from fairwitness.stats import Estimate
from fairwitness.text import interval, listing, number, plain
from fairwitness.typing import Document

KEY = "evaluation"
#: What the audited model is called beside others.
AUDITED = "the audited model"
ACCURACY = "balanced_accuracy"
#: Of everyone and of each group.
LEVELS = (ACCURACY, "roc_auc", "brier_score", "theil_index")
#: Of each feature: what accuracy is drawn against.
DIFFERENCES = (
    "statistical_parity_difference",
    "equal_opportunity_difference",
    "average_absolute_odds_difference",
    "wasserstein_distance_max",
)
#: Of each feature, in tables only.
MORE = ("balanced_accuracy_difference", "mmd_max")
#: Fewer than elsewhere: many models are measured in one audit.
N_RESAMPLES = 400
#: Loss of balanced accuracy that an interval may hold where a model is said to be no less accurate.
MARGIN = 0.02


def run(case: Case) -> Section:
    """Measure performance, entropy and distribution of scores, for the model and those beside it."""
    found = _evaluation(case)
    thresholds = load_thresholds(case.settings.get("thresholds"))
    findings = list(_gaps(found, case, thresholds))
    if case.y is not None:
        findings += _alternatives(found, case, thresholds)
    return Section(
        key=KEY,
        results=(found,),
        findings=tuple(findings),
        not_applicable=tuple(_unanswered(found, case)),
        paragraphs=tuple(_paragraphs(found)),
        document=_document(found, case),
        tables={"evaluation": [row.to_dict() for row in found.rows]},
    )


def _evaluation(case: Case) -> Evaluation:
    judged: dict[str, Judgement] = {AUDITED: case.judgement}
    failures = {}
    for name, other in case.compared.items():
        if other.judgement is None:
            failures[name] = other.failure
        else:
            judged[name] = other.judgement
    ruler = Ruler(
        y=case.y,
        regression=False,
        favorable=True,
        groups=[groups for groups in case.groups if len(groups.parts) <= 1],
        weight=None,
        options={
            "metrics": [*LEVELS, *DIFFERENCES, *MORE],
            "confidence": case.confidence,
            "minimum_n": case.minimum_n,
            "n_resamples": N_RESAMPLES,
            "random_state": child_seed(case.seed, KEY),
        },
    )
    import numpy as np

    everyone = np.arange(case.n_rows)
    rows = [
        row
        for name, answers in judged.items()
        for row in measured_rows(
            name,
            [Run(None, everyone, answers.accepted, answers.score if answers.has_score else None)],
            ruler,
        )
        if not _lacking(row.metric, case, answers)
    ]
    return Evaluation(
        rows=tuple(rows),
        models=tuple(judged),
        failures=failures,
        task="classification",
        confidence=case.confidence,
        n=case.n_rows,
        notes={
            name: note
            for name, answers in judged.items()
            if (note := constant([Run(None, everyone, answers.accepted)], regression=False))
        },
        minimum_n=case.minimum_n,
    )


def _lacking(metric: str, case: Case, answers: Judgement) -> bool:
    """Say whether a measure needs what is not there: that is said once, and not in every cell."""
    needs = CATALOGUE[metric].needs
    unscored = not answers.has_score and any("y_score" in need for need in needs)
    return unscored or (case.y is None and "y_true" in needs)


def _gaps(found: Evaluation, case: Case, thresholds: Thresholds) -> Iterator[Finding]:
    """Grade how much worse the audited model predicts a group than the one it is compared with."""
    counts = {
        groups.name: dict(zip(groups.labels, groups.counts.tolist(), strict=True)) for groups in case.groups
    }
    for row in found.rows:
        estimate = row.estimate
        if row.model != AUDITED or row.metric != "balanced_accuracy_difference":
            continue
        if not math.isfinite(estimate.estimate):
            continue
        bounds = (estimate.low, estimate.high)
        severity, threshold, established = grade("EVAL001", estimate.estimate, bounds, thresholds=thresholds)
        group, reference = plain(row.group), plain(row.reference)
        yield Finding(
            code="EVAL001",
            severity=severity,
            title=f"The balanced accuracy for {group} is {_points(estimate)} that for {reference}",
            section=KEY,
            measure="difference in balanced accuracy",
            subject=f"{plain(row.feature)}: {group} against {reference}",
            estimate=estimate.estimate,
            interval=bounds,
            n=estimate.n,
            confidence=case.confidence,
            threshold=threshold,
            established=established,
            remedy="" if established else "more rows of the smaller group would narrow the interval",
            evidence={
                "feature": row.feature,
                "group": row.group,
                "privileged": row.reference,
                "n_group": counts[row.feature].get(row.group, 0),
            },
        )


def _points(found: Estimate) -> str:
    sign = -1 if found.estimate < 0 else 1
    low, high = sorted((sign * found.low, sign * found.high))
    side = "below" if sign < 0 else "above"
    return f"{100 * abs(found.estimate):.1f} percentage points [{100 * low:.1f}, {100 * high:.1f}] {side}"


def _alternatives(found: Evaluation, case: Case, thresholds: Thresholds) -> Iterator[Finding]:
    """Name models that are no less accurate and accept two groups at rates closer to each other."""
    assert case.y is not None
    for name in found.models[1:]:
        other = case.compared[name].judgement
        assert other is not None
        for groups in (each for each in case.groups if len(each.parts) <= 1):
            for at, group in enumerate(groups.labels):
                if at == groups.privileged or at in groups.missing_labels:
                    continue
                pair = beside(
                    case.y,
                    case.judgement.accepted,
                    other.accepted,
                    groups.codes == at,
                    groups.codes == groups.privileged,
                    confidence=case.confidence,
                    seed=child_seed(case.seed, KEY, name, groups.name, group),
                )
                if pair is not None and _is_alternative(pair):
                    yield _alternative(
                        name, groups.name, group, groups.privileged_label, pair, case, thresholds
                    )


def _is_alternative(pair: Beside) -> bool:
    return pair.gain.estimate >= 0 and pair.gain.low >= -MARGIN and pair.closer.estimate > 0


def _alternative(
    name: str, feature: str, group: str, privileged: str, pair: Beside, case: Case, thresholds: Thresholds
) -> Finding:
    bounds = (pair.closer.low, pair.closer.high)
    severity, threshold, established = grade("EVAL002", pair.closer.estimate, bounds, thresholds=thresholds)
    return Finding(
        code="EVAL002",
        severity=severity,
        title=f"{plain(name)} accepts {plain(group)} and {plain(privileged)} at rates "
        f"{100 * pair.closer.estimate:.1f} percentage points [{100 * bounds[0]:.1f}, {100 * bounds[1]:.1f}] "
        f"closer, at a balanced accuracy {100 * pair.gain.estimate:.1f} points "
        f"[{100 * pair.gain.low:.1f}, {100 * pair.gain.high:.1f}] above the audited model's",
        section=KEY,
        measure="difference in acceptance rates less that of another model",
        subject=f"{plain(feature)}: {plain(group)} against {plain(privileged)}",
        estimate=pair.closer.estimate,
        interval=bounds,
        n=pair.closer.n,
        confidence=case.confidence,
        threshold=threshold,
        established=established,
        remedy="ask why it is not used"
        if established
        else "the interval holds no difference; more rows would narrow it",
        evidence={
            "feature": feature,
            "group": group,
            "privileged": privileged,
            "model": name,
            "gain": pair.gain.estimate,
            "gain_low": pair.gain.low,
            "gain_high": pair.gain.high,
        },
    )


def _unanswered(found: Evaluation, case: Case) -> Iterator[NotApplicable]:
    if case.y is None:
        yield NotApplicable(
            KEY,
            "how well the model predicts needs the true outcomes, and the table has none",
            "name the column with the outcome that really happened",
        )
    if not case.judgement.has_score:
        yield NotApplicable(
            KEY,
            "distances between the groups' scores need scores, and the model gives decisions only",
            "pass a model that gives probabilities",
        )
    for name, reason in found.failures.items():
        yield NotApplicable(KEY, reason, case.compared[name].remedy, subject=plain(name))


def _paragraphs(found: Evaluation) -> Iterator[str]:
    if ACCURACY not in found.metrics:
        return
    accuracy = found.values(ACCURACY)
    own = accuracy[AUDITED]
    if not math.isfinite(own.estimate):
        return
    said = f"{number(own.estimate, 2)} {_bounds(own)}"
    text = f"Against the recorded outcome, the model's balanced accuracy is {said} (guessing gives 0.50)."
    if len(found.models) > 1:
        named = []
        for feature in found.features:
            best = found.pareto(ACCURACY, DIFFERENCES[0], feature=feature)
            named.append(f"by {plain(feature)} {listing([plain(each) for each in best])}")
        text += (
            f" Of the {len(found.models)} models on the same rows, these are beaten by no other on balanced "
            f"accuracy and the difference in acceptance rates together: {'; '.join(named)}."
        )
    yield text


def _bounds(found: Estimate) -> str:
    low, high = (number(value, 2) for value in (found.low, found.high))
    return f"[{low}, {high}]" if interval(found.low, found.high) != "[–]" else "[–]"


def _document(found: Evaluation, case: Case) -> Document:
    names = [name for name in (*LEVELS, *DIFFERENCES, *MORE) if name in found.metrics]
    return {
        "n": found.n,
        "audited": AUDITED,
        "models": [
            {
                "name": name,
                "audited": name == AUDITED,
                "kind": case.compared[name].kind if name in case.compared else case.models[0].info.kind,
                "digest": case.compared[name].digest if name in case.compared else None,
                "failure": found.failures.get(name, ""),
                **({"constant": found.constant(name)} if found.constant(name) else {}),
            }
            for name in (*found.models, *found.failures)
        ],
        "measures": [_measure(name) for name in names],
        "rows": [
            {
                "model": row.model,
                "metric": row.metric,
                "feature": row.feature,
                "group": row.group,
                "reference": row.reference,
                "estimate": row.estimate.to_dict(),
                # Said of groups of few rows only, which need the mark.
                **({"n_group": row.n_group} if 0 < row.n_group < found.minimum_n else {}),
            }
            for row in found.rows
        ],
        "planes": list(_planes(found)) if len(found.models) > 1 else [],
        "settings": {
            "intervals": "percentile bootstrap of rows; Wilson and Newcombe for shares and their differences",
            "resamples": N_RESAMPLES,
        },
    }


def _measure(name: str) -> Document:
    declared = CATALOGUE[name]
    return {
        "name": name,
        "label": label(name),
        "formula": declared.formula,
        "best": declared.best,
        "source": declared.source,
        "kind": declared.kind,
    }


def _planes(found: Evaluation) -> Iterator[Document]:
    """Give, for each feature and difference, where every model stands, and who is beaten by nobody."""
    if ACCURACY not in found.metrics:
        return
    accuracy = found.values(ACCURACY)
    for feature in found.features:
        for difference in DIFFERENCES:
            if difference not in found.metrics:
                continue
            sizes: Mapping[str, Estimate] = found.sizes(difference, feature=feature)
            groups: Mapping[str, tuple[Estimate, str]] = found.found(difference, feature=feature)
            shown: Sequence[str] = [name for name in found.models if name in sizes]
            if not any(math.isfinite(sizes[name].estimate) for name in shown):
                continue
            yield {
                "feature": feature,
                "difference": difference,
                "points": [
                    {
                        "model": name,
                        "group": groups[name][1],
                        "accuracy": accuracy[name].to_dict(),
                        "difference": sizes[name].to_dict(),
                    }
                    for name in shown
                ],
                "front": list(found.pareto(ACCURACY, difference, feature=feature)),
            }
