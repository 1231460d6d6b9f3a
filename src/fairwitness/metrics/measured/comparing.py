"""From a metric and a source of values to rows: levels, comparisons with a reference, pools over strata."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import chi2

from fairwitness.metrics.counted import gaps
from fairwitness.metrics.counted.gaps import Gap
from fairwitness.metrics.counted.intervals import distance_interval, mean_interval
from fairwitness.metrics.declared.catalogue import CATALOGUE, NAMED_DIFFERENCES
from fairwitness.metrics.measured.results import POOLED, MeasuredValue, Status
from fairwitness.metrics.measured.sources import CountSource, Source
from fairwitness.stats.divergences import jensen_shannon, total_variation
from fairwitness.stats.intervals import percentile, wilson
from fairwitness.stats.significance import holm
from fairwitness.table.groups import Groups
from fairwitness.text import plain
from fairwitness.typing import FloatArray, IntArray

OVERALL = "overall"
#: Difference → the level that it is a difference in.
LEVEL_OF: Mapping[str, str] = {
    **{f"{name}_difference": name for name, metric in CATALOGUE.items() if metric.kind == "level"},
    **{
        difference: level
        for level, difference in NAMED_DIFFERENCES.items()
        if level not in {"recall", "specificity", "precision"}
    },
}
#: Made of the differences in true and false positive rates.
OF_ODDS: Mapping[str, Callable[[Gap, Gap, float], Gap]] = {
    "average_odds_difference": gaps.mean_of,
    "average_absolute_odds_difference": gaps.mean_size_of,
    "equalized_odds_difference": gaps.larger_size_of,
}
_ODDS = ("true_positive_rate", "false_positive_rate")
_RECALLS = ("true_positive_rate", "true_negative_rate")
BALANCED = "balanced_accuracy"
RATIO = "disparate_impact_ratio"
SPREADLESS = "resamples do not vary, so the interval has no width and says nothing"
OF_MARGINALS: Mapping[str, Callable[..., FloatArray]] = {
    "total_variation": total_variation,
    "jensen_shannon": jensen_shannon,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """How comparisons are made.

    Attributes
    ----------
    reference
        ``"privileged"``, ``"best"``, ``"overall"`` or a group; or a mapping from feature to one of these.
    confidence, minimum_n
        Level of intervals; groups with fewer rows are marked.
    adjust
        ``"holm"`` or ``"max-t"``.
    """

    reference: object
    confidence: float
    minimum_n: int
    adjust: str

    def reference_of(self, groups: Groups, source: Source | None, metric: str) -> int:
        """Give the position of the reference group; the number of groups stands for everyone."""
        wanted = self.reference
        if isinstance(wanted, Mapping):
            wanted = wanted.get(groups.name, "privileged")
        if wanted == OVERALL and OVERALL not in groups.labels:
            return groups.n_groups
        if wanted == "best" and "best" not in groups.labels:
            if source is None or metric in OF_MARGINALS:  # a distribution is not better than another
                return groups.privileged
            return _best(groups, source, parts_of(metric)[0], self.minimum_n)
        if wanted == "privileged" and "privileged" not in groups.labels:
            return groups.privileged
        return groups.index(wanted)


def parts_of(metric: str) -> tuple[str, ...]:
    """Give the levels that a metric is made of."""
    if metric in OF_ODDS:
        return _ODDS
    return ("selection_rate",) if metric == RATIO else (LEVEL_OF.get(metric, metric),)


def level_rows(
    metric: str, source: Source, groups: Groups | None, asked: Asked, control: str = ""
) -> Iterator[MeasuredValue]:
    """Give one row a group, or one for everyone."""
    value, n, shares = source.value(metric), source.n(metric), source.shares(metric)
    lost = np.zeros(len(value))
    if shares is not None:
        low, high = wilson(shares.successes, shares.n, asked.confidence)
    elif metric == BALANCED and isinstance(source, CountSource) and source.two_labels:
        low, high = _balanced_interval(source, asked.confidence)
    else:
        samples = source.samples(metric)
        if metric == "calibration_error":
            low, high = distance_interval(value, samples, asked.confidence, most=1.0)
        else:
            low, high = percentile(samples, asked.confidence)
        lost = 1 - np.isfinite(samples).mean(axis=0)
    places = [len(value) - 1] if groups is None else range(groups.n_groups)
    for at in places:
        label = "" if groups is None else groups.labels[at]
        status, reason = _status([metric], [(at, label)], source, asked, float(lost[at]))
        found = MeasuredValue(
            metric,
            CATALOGUE[metric].family,
            feature="" if groups is None else groups.name,
            group=label,
            control=control,
            estimate=float(value[at]),
            n=_whole(n[at]),
            status=status,
            reason=reason,
        )
        if status != "undefined":
            found = replace(found, low=float(low[at]), high=float(high[at]))
            if low[at] == high[at]:
                found = replace(found, status="partial", reason=SPREADLESS)
        if shares is not None:
            found = replace(
                found, numerator=float(shares.numerator[at]), denominator=float(shares.denominator[at])
            )
        yield found


def compared_rows(
    metric: str, source: Source, groups: Groups, asked: Asked, control: str = ""
) -> list[MeasuredValue]:
    """Give one row for every group but the reference."""
    reference = asked.reference_of(groups, source, metric)
    gap, samples = gap_of(metric, source, reference, asked.confidence)
    return rows_of(metric, gap, samples, groups, reference, asked, source, control)


def pooled_rows(
    metric: str, sources: Sequence[Source], groups: Groups, reference: int, asked: Asked
) -> list[MeasuredValue]:
    """Give one row for every group but the reference: the Mantel–Haenszel mean over strata.

    A stratum weighs n₁n₀/(n₁ + n₀), with the effective rows of the group and of its reference that the rate
    is over.
    """
    parts = []
    for part in parts_of(metric):
        each = [_gap(part, source, reference, asked.confidence)[0] for source in sources]
        n = np.stack([source.n(part) for source in sources])
        with np.errstate(invalid="ignore", divide="ignore"):
            weight = np.nan_to_num(n * n[:, [reference]] / (n + n[:, [reference]]))
        parts.append(gaps.pooled_gap(each, weight, asked.confidence))
    if metric in OF_ODDS:
        gap = OF_ODDS[metric](parts[0], parts[1], asked.confidence)
    elif metric == RATIO:
        shares = [share for source in sources if (share := source.shares("selection_rate")) is not None]
        gap = gaps.pooled_ratio(shares, reference, parts[0], asked.confidence)
    else:
        gap = parts[0]
    return rows_of(metric, gap, None, groups, reference, asked, None, POOLED)


def gap_of(metric: str, source: Source, reference: int, confidence: float) -> tuple[Gap, FloatArray | None]:
    """Compare all groups with the reference; also give (B, G) resampled differences where there are any."""
    if metric in OF_MARGINALS:
        assert isinstance(source, CountSource)
        return _of_marginals(metric, source, reference, confidence), None
    if metric == f"{BALANCED}_difference" and isinstance(source, CountSource) and source.two_labels:
        first, second = (_gap(part, source, reference, confidence)[0] for part in _RECALLS)
        return gaps.mean_of(first, second, confidence), None
    if metric in OF_ODDS:
        first, second = (_gap(part, source, reference, confidence)[0] for part in _ODDS)
        return OF_ODDS[metric](first, second, confidence), None
    gap, samples = _gap(parts_of(metric)[0], source, reference, confidence)
    if metric == RATIO:
        shares = source.shares("selection_rate")
        if shares is not None and not _overlaps(source, reference):
            return gaps.share_ratio(shares, reference, gap, confidence), None
        value = source.value("selection_rate")
        return gaps.sampled_ratio(value, source.samples("selection_rate"), reference, gap, confidence), None
    return gap, samples


def rows_of(
    metric: str,
    gap: Gap,
    samples: FloatArray | None,
    groups: Groups,
    reference: int,
    asked: Asked,
    source: Source | None,
    control: str,
) -> list[MeasuredValue]:
    """Turn a gap into rows, with p-values adjusted for the number of groups."""
    places = [at for at in range(groups.n_groups) if at != reference]
    against = OVERALL if reference == groups.n_groups else groups.labels[reference]
    p = np.full(len(gap.p), np.nan)
    p[places] = np.clip(gap.p[places], 0.0, 1.0)
    adjusted = np.full(len(p), np.nan)
    if asked.adjust == "max-t" and samples is not None:
        adjusted[places] = gaps.largest_t(gap.estimate[places], samples[:, places], gap.variance[places])
        adjusted = np.where(np.isnan(p), np.nan, adjusted)
    else:
        adjusted[places] = holm(p[places])
    rows = []
    for at in places:
        status, reason = _compared_status(metric, gap, at, reference, groups, source, asked, against)
        found = MeasuredValue(
            metric,
            CATALOGUE[metric].family,
            groups.name,
            groups.labels[at],
            against,
            control,
            n=_whole(gap.n[at]),
            status=status,
            reason=reason,
        )
        if status != "undefined":
            found = replace(
                found,
                estimate=float(gap.estimate[at]),
                low=float(gap.low[at]),
                high=float(gap.high[at]),
                p=float(p[at]),
                p_adjusted=float(adjusted[at]),
                smallest_detectable=float(gap.detectable[at]),
            )
        rows.append(found)
    return rows


def _compared_status(
    metric: str,
    gap: Gap,
    at: int,
    reference: int,
    groups: Groups,
    source: Source | None,
    asked: Asked,
    against: str,
) -> tuple[Status, str]:
    if source is None:
        if math.isfinite(gap.estimate[at]):
            return "ok", ""
        return "undefined", f"no stratum has a value for both {plain(groups.labels[at])} and {plain(against)}"
    names = [(at, groups.labels[at]), (reference, "everyone" if reference == groups.n_groups else against)]
    status, reason = _status(list(parts_of(metric)), names, source, asked, float(gap.lost[at]))
    if status != "undefined" and not math.isfinite(gap.estimate[at]):
        why = "no row of the reference is accepted" if metric == RATIO else "there is no such number"
        return "undefined", f"{plain(against)}: {why}"
    known = math.isfinite(gap.low[at]) and math.isfinite(gap.high[at])
    if status in {"ok", "small"} and (not known or gap.low[at] == gap.high[at]):
        return "partial", SPREADLESS if known else "resamples hold no such value, so there is no interval"
    return status, reason


def _status(
    metrics: Sequence[str], names: Sequence[tuple[int, str]], source: Source, asked: Asked, lost: float
) -> tuple[Status, str]:
    """Say whether there is a value, and what to mind."""
    lacking = [
        f"{plain(label) or 'everyone'}: {_why(metric, source, at)}"
        for metric in metrics
        for at, label in names
        if metric not in OF_MARGINALS and not math.isfinite(source.value(metric)[at])
    ]
    if not lacking:
        lacking = [f"{plain(label)}: there are no rows" for at, label in names if not source.rows[at]]
    if lacking:
        return "undefined", "; ".join(dict.fromkeys(lacking))
    if lost > gaps.LOST:
        return (
            "partial",
            f"{100 * lost:.0f} % of the resamples have no value, so the interval leaves them out",
        )
    few = [
        f"{plain(label)} has {int(source.rows[at]):,} rows"
        for at, label in names
        if source.rows[at] < asked.minimum_n
    ]
    if few:
        return "small", f"{'; '.join(dict.fromkeys(few))}, fewer than {asked.minimum_n:,}"
    return "ok", ""


def _why(metric: str, source: Source, at: int) -> str:
    if not source.rows[at]:
        return "there are no rows"
    shares = source.shares(metric)
    if shares is not None and shares.rows[at]:
        return "all such rows have weight 0"
    return CATALOGUE[metric].undefined or "all rows have weight 0"


def _gap(part: str, source: Source, reference: int, confidence: float) -> tuple[Gap, FloatArray | None]:
    shares = source.shares(part)
    if shares is not None and not _overlaps(source, reference):
        return gaps.share_gap(shares, reference, confidence, weighted=source.weighted), None
    samples = source.samples(part)
    value, n = source.value(part), source.n(part)
    gap = gaps.sampled_gap(value, samples, reference, n, confidence)
    return gap, samples - samples[:, [reference]]


def _balanced_interval(source: CountSource, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Give the interval of a mean of two shares of different rows."""
    shares = [source.counted_shares(part) for part in _RECALLS]
    first, second = (wilson(each.successes, each.n, confidence) for each in shares)
    return mean_interval(shares[0].value, first, shares[1].value, second)


def _overlaps(source: Source, reference: int) -> bool:
    return reference == len(source.rows) - 1


def _of_marginals(metric: str, source: CountSource, reference: int, confidence: float) -> Gap:
    """Compare the distributions of predicted labels; the p-value is that of the χ² test of homogeneity."""
    function = OF_MARGINALS[metric]
    marginals = source.marginals
    estimate = function(marginals, marginals[reference])
    drawn = source.resampled_marginals()
    samples = function(drawn, drawn[:, [reference]])
    n = source.n("accuracy")
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = marginals / marginals.sum(axis=-1, keepdims=True)
        seen = shares * n[:, None]
        pooled = seen + seen[reference]
        pooled = pooled / pooled.sum(axis=-1, keepdims=True)
        terms = np.where(pooled > 0, (shares - shares[reference]) ** 2 / pooled, 0.0).sum(axis=-1)
        statistic = terms / (1 / n + 1 / n[reference])
        kinds = (pooled > 0).sum(axis=-1)
    p = np.where(kinds > 1, chi2.sf(statistic, np.maximum(kinds - 1, 1)), 1.0)
    if _overlaps(source, reference):
        p = np.full(len(p), np.nan)
    lacking = np.full(len(p), np.nan)
    p = np.where(np.isfinite(estimate), p, np.nan)
    low, high = distance_interval(estimate, samples, confidence, p=p, most=1.0)
    return Gap(
        estimate,
        low,
        high,
        (low, high),
        lacking,
        p,
        n + n[reference],
        lacking,
        1 - np.isfinite(samples).mean(axis=0),
    )


def _best(groups: Groups, source: Source, level: str, minimum_n: int) -> int:
    """Give the group with the best value; a small one, or one of missing values, only for want of others."""
    value = source.value(level)[:-1]
    direction = CATALOGUE[level].best
    if direction == "lower" or (direction == "0" and CATALOGUE[level].family == "entropy"):
        value = -value
    elif direction == "0":
        value = -np.abs(value)
    known = np.isfinite(value)
    rows: IntArray = source.rows[:-1]
    known[list(groups.missing_labels)] = False
    if (known & (rows >= minimum_n)).any():
        known &= rows >= minimum_n
    if not known.any():
        return groups.privileged
    best = np.flatnonzero(known & (value == value[known].max()))
    return int(best[np.argmax(rows[best])])


def _whole(n: float) -> int:
    # An effective number a rounding error below a whole one is that whole one.
    return math.floor(float(n) + 1e-9) if math.isfinite(n) else 0
