"""Every metric of a table at once: values, comparisons, intervals, p-values and power, as tidy rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, Literal

from fairwitness.arguments import shown, whole_number
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning
from fairwitness.metrics.counted.entropy import Benefit
from fairwitness.metrics.declared.catalogue import CATALOGUE, Metric, chosen
from fairwitness.metrics.measured.comparing import (
    OF_MARGINALS,
    Asked,
    compared_rows,
    level_rows,
    parts_of,
    pooled_rows,
)
from fairwitness.metrics.measured.reading import Inputs, TaskName, read_inputs
from fairwitness.metrics.measured.results import Measured, MeasuredValue
from fairwitness.metrics.measured.sources import OF_LABELS
from fairwitness.metrics.measured.tables import Tables
from fairwitness.metrics.measured.wholes import distance_rows, entropy_rows
from fairwitness.rng import seed_from
from fairwitness.stats.intervals import check_confidence
from fairwitness.table.groups import Groups
from fairwitness.text import listing, plain
from fairwitness.typing import Document, MissingPolicy, RandomState


def measure(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    sensitive_features: Any = None,
    task: TaskName = "auto",
    metrics: str | Sequence[str] = "all",
    favorable: object = 1,
    threshold: float = 0.5,
    sample_weight: Any = None,
    control_features: Any = None,
    privileged: object = None,
    reference: object = "privileged",
    missing: MissingPolicy = "group",
    confidence: float = 0.95,
    minimum_n: int = 30,
    random_state: RandomState = 0,
    n_resamples: int = 1000,
    adjust: Literal["holm", "max-t"] = "holm",
    intersections: bool = True,
    benefit: Benefit = None,
) -> Measured:
    """Measure how well a model predicts, and how that and its decisions differ between groups.

    Parameters
    ----------
    y_true
        (n,) true labels or numbers. Without them only what predictions say alone is measured.
    y_pred
        (n,) predicted labels or numbers; may be left out where ``y_score`` is given.
    y_score
        (n,) scores of the favourable outcome; probabilities for the Brier score, the log loss and
        calibration.
    sensitive_features
        A table, a mapping of columns, one column of n values, or :class:`fairwitness.table.Groups` (one or
        a list). Several columns are measured each and crossed (observed crossings only).
    task
        ``"classification"``, ``"regression"``, ``"score"`` (only what scores say), or ``"auto"``: a
        regression where no score is given and predictions hold more than 20 different numbers, or they or
        the true outcomes fractions.
    metrics
        ``"all"``, or names and families of the catalogue (:func:`list_metrics`).
    favorable
        The label of the good outcome, of whatever type: 1, True, 0, "good".
    threshold
        Scores from here on count as accepted where ``y_pred`` is not given.
    sample_weight
        (n,) weights, at least 0.
    control_features
        A table or column of strata. Group metrics are then also given within each stratum, and pooled over
        strata as Mantel–Haenszel differences (weights n₁n₀/(n₁ + n₀); the ratio as a Mantel–Haenszel ratio).
    privileged
        The privileged group: a label where there is one feature, else a mapping. Default: the group accepted
        most often of those with at least ``minimum_n`` rows, in a regression the largest.
    reference
        Whom groups are compared with: ``"privileged"``, ``"best"`` (the group with the metric's best value;
        that it was picked for its value is not in the interval), ``"overall"`` (everyone) or a group; or a
        mapping from feature to one of these.
    missing
        Missing sensitive values are a ``"group"``, ``"drop"``-ped or an ``"error"``; they are counted.
    confidence
        Level of each interval.
    minimum_n
        Groups with fewer rows have the status ``"small"``.
    random_state
        Seed of the resamples.
    n_resamples
        Resamples of each bootstrap.
    adjust
        ``"holm"`` (any metric), or ``"max-t"`` from the resamples where a difference has them.
    intersections
        Whether to cross several features.
    benefit
        For entropies: (n,) benefits of at least 0, or a function of (y_true, y_pred). Default ŷ − y + 1 of
        decisions; a regression has none.

    Returns
    -------
    Measured
        Differences are group − reference. What is undefined is NaN with a reason.

    Raises
    ------
    DataError, GroupError
        If rows do not align, labels or scores are unusable, the features give no groups, or metrics were
        named and none of them can be measured. (A :class:`FairwitnessWarning` if some cannot.)
    ConfigError
        For an unknown metric, task or option.

    Notes
    -----
    Shares have Wilson's interval, their differences Newcombe's with a score test (Fisher's where a cell
    expects fewer than 5 rows). All else made of counts has the percentile interval of a multinomial
    bootstrap of the counts, which is the bootstrap of the rows; sums over rows are resampled by row, or by
    random blocks of rows where there are many, and scores on at most 2,048 bins. p-values of such
    differences rest on the resamples' standard deviation. Power is that of one comparison at the level of
    the interval.

    Examples
    --------
    >>> from fairwitness.metrics import measure
    >>> found = measure([1, 1, 0, 0] * 20, [1, 0, 0, 0] * 20, sensitive_features=["a", "b"] * 40)
    >>> found.value("selection_rate", group="a").estimate
    0.5
    >>> found.farthest("statistical_parity_difference", "sensitive feature").estimate
    -0.5
    """
    asked = check_asked(reference, confidence, minimum_n, n_resamples, adjust)
    wanted = chosen(metrics)
    inputs = read_inputs(
        y_true,
        y_pred,
        y_score=y_score,
        sensitive_features=sensitive_features,
        control_features=control_features,
        task=task,
        favorable=favorable,
        threshold=threshold,
        sample_weight=sample_weight,
        privileged=privileged,
        missing=missing,
        minimum_n=minimum_n,
        intersections=intersections,
        benefit=benefit,
    )
    named = {metrics} if isinstance(metrics, str) else set(metrics)
    found = measure_inputs(
        inputs,
        wanted,
        named,
        asked,
        n_resamples=n_resamples,
        random_state=random_state,
        settings={"missing": missing},
    )
    check_measured(found.left_out, wanted, named)
    return found


def check_measured(left_out: Mapping[str, str], wanted: Sequence[Metric], named: Collection[str]) -> None:
    """Stop if nothing of what was asked for can be measured; warn of what was named and cannot.

    Raises
    ------
    DataError
        If metrics or families were named and all of them are left out.
    """
    if "all" in named:
        return
    why = {metric.name: left_out[metric.name] for metric in wanted if metric.name in left_out}
    if len(why) == len(wanted):
        raise DataError(
            "nothing of what was named can be measured",
            got=listing([f"{name} ({reason})" for name, reason in why.items()], most=4),
            fix="pass what is missing, or name others; see fairwitness metrics --list",
        )
    lacking = [f"{name} ({reason})" for name, reason in why.items() if name in named]
    if lacking:
        warnings.warn(f"not measured: {listing(lacking, most=8)}", FairwitnessWarning, stacklevel=3)


def check_asked(reference: object, confidence: float, minimum_n: int, n_resamples: int, adjust: str) -> Asked:
    """Check how comparisons are to be made.

    Raises
    ------
    ConfigError
        For an unknown or impossible option.
    """
    whole_number(n_resamples, "n_resamples", least=10, fix="pass for example n_resamples=1000")
    if not isinstance(adjust, str) or adjust not in {"holm", "max-t"}:
        raise ConfigError("unknown adjustment", got=shown(adjust), fix='use "holm" or "max-t"')
    if not isinstance(reference, Hashable | Mapping):
        raise ConfigError(
            "reference must be one group, or a mapping from feature to group",
            got=shown(reference),
            fix='pass for example reference="privileged"',
        )
    return Asked(
        reference,
        check_confidence(confidence),
        whole_number(minimum_n, "minimum_n", least=0, fix="pass for example minimum_n=30"),
        adjust,
    )


def measure_inputs(
    inputs: Inputs,
    wanted: Sequence[Metric],
    named: Collection[str],
    asked: Asked,
    *,
    n_resamples: int,
    random_state: RandomState,
    settings: Document,
) -> Measured:
    """Do what :func:`measure` does with what was read; metrics that are ``named`` get a row in any case."""
    left_out = {metric.name: why for metric in wanted if (why := _unfit(metric, inputs))}
    fit = [metric for metric in wanted if metric.name not in left_out]
    seed = seed_from(random_state)
    names = {part for metric in fit for part in parts_of(metric.name)} | {metric.name for metric in fit}
    if "balanced_accuracy" in names:
        names |= {"true_positive_rate", "true_negative_rate"}
    several = bool(names & {*OF_LABELS, *(OF_MARGINALS)})
    tables = Tables(inputs, names, several=several, seed=seed, n_resamples=n_resamples)
    values = list(_rows(fit, inputs, tables, asked))
    values += [
        MeasuredValue(name, CATALOGUE[name].family, reason=why)
        for name, why in left_out.items()
        if name in named
    ]
    order = {name: at for at, name in enumerate(CATALOGUE)}
    values.sort(key=lambda value: order[value.metric])
    return Measured(
        values=tuple(values),
        task=inputs.task,
        n_rows=inputs.n if inputs.rows is None else int(inputs.rows.sum()),
        confidence=asked.confidence,
        groups=inputs.described(),
        left_out=left_out,
        settings={
            "reference": plain(asked.reference),
            "adjust": asked.adjust,
            "n_resamples": n_resamples,
            "random_state": seed,
            "minimum_n": asked.minimum_n,
            "controlled": None if inputs.strata is None else inputs.strata.to_dict(),
            **settings,
            **inputs.notes,
        },
    )


def _rows(fit: Sequence[Metric], inputs: Inputs, tables: Tables, asked: Asked) -> Iterator[MeasuredValue]:
    for metric in fit:
        if metric.kind == "level":
            yield from level_rows(metric.name, tables.source(metric.name, None), None, asked)
    for groups in inputs.features:
        spread = []
        for metric in fit:
            name = metric.name
            if metric.family == "distribution" and name not in OF_MARGINALS:
                spread.append(name)
            elif metric.kind == "level":
                yield from level_rows(name, tables.source(name, groups), groups, asked)
            elif metric.kind == "comparison":
                yield from compared_rows(name, tables.source(name, groups), groups, asked)
        if spread:
            yield from distance_rows(spread, inputs, tables, groups, asked)
        yield from entropy_rows(
            [m.name for m in fit if m.family == "entropy" and m.kind == "whole"], tables, groups, asked
        )
        if inputs.strata is not None:
            yield from _controlled(fit, inputs.strata, tables, groups, asked)


def _controlled(
    fit: Sequence[Metric], strata: Groups, tables: Tables, groups: Groups, asked: Asked
) -> Iterator[MeasuredValue]:
    """Give the group metrics within each stratum, and the comparisons pooled."""
    for metric in fit:
        if metric.family != "group":
            continue
        sources = [tables.source(metric.name, groups, stratum) for stratum in range(strata.n_groups)]
        for stratum, source in zip(strata.labels, sources, strict=True):
            rows: Callable[..., Any] = level_rows if metric.kind == "level" else compared_rows
            yield from rows(metric.name, source, groups, asked, stratum)
        if metric.kind == "comparison":
            base = asked.reference_of(groups, tables.source(metric.name, groups), metric.name)
            if base < groups.n_groups:
                yield from pooled_rows(metric.name, sources, groups, base, asked)


def _unfit(metric: Metric, inputs: Inputs) -> str:
    """Say why a metric cannot be measured here; empty if it can."""
    task, name = inputs.task, metric.name
    scored = inputs.score is not None
    here = {"regression": {"regression"}, "score": {"score"}}.get(
        task, {"classification"} | ({"score"} if scored else set())
    )
    if not here & set(metric.tasks):
        if task == "classification" and "score" in metric.tasks:
            return "it needs scores, y_score="
        return f"it does not exist for the task {task}"
    if task == "score" and not scored:
        return "it needs scores, y_score="
    if metric.kind != "level" and not inputs.features:
        return "it needs sensitive_features="
    if "y_true" in metric.needs and inputs.y_true is None and inputs.benefit is None:
        return "it needs the true outcomes, y_true="
    if metric.family == "entropy" and task == "regression" and inputs.benefit is None:
        return "predicted numbers have no benefit of their own; state one, benefit="
    if name.removesuffix("_difference") in {"brier_score", "log_loss", "calibration_error"}:
        assert inputs.score is not None
        if not bool(((inputs.score >= 0) & (inputs.score <= 1)).all()):
            return "scores outside [0, 1] are no probabilities"
    return ""
