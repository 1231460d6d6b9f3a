"""From a model's answers to rows of the evaluation's frame."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairwitness.errors import FairwitnessError
from fairwitness.metrics.evaluation.front import limits, metric_named
from fairwitness.metrics.evaluation.mean import ROWS, over_splits
from fairwitness.metrics.evaluation.results import ALL, EVERYBODY, MEAN, NOBODY, ONE_NUMBER, EvaluationRow
from fairwitness.metrics.evaluation.runs import Asked, Run, runs_of
from fairwitness.metrics.measured.results import Status
from fairwitness.model.labels import is_label
from fairwitness.model.messages import said
from fairwitness.stats import Estimate
from fairwitness.table import Groups
from fairwitness.text import plain
from fairwitness.typing import FloatArray

#: Resamples of a single split, at least.
_FEWEST = 100
#: metric, feature, group, reference
_Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Ruler:
    """What every model's answers are measured with.

    Attributes
    ----------
    y
        (n,) outcomes as given, or ``None``.
    regression, favorable
        As in :func:`fairwitness.metrics.evaluate`.
    groups
        The sensitive features, the same privileged groups for all models.
    weight
        (n,) weights, or ``None``.
    options
        Passed to :func:`fairwitness.metrics.measure`. A single split is resampled a tenth as often: the
        interval of the mean comes from the spread over splits.
    """

    y: np.ndarray | None
    regression: bool
    favorable: object
    groups: Sequence[Groups]
    weight: FloatArray | None
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """One model's rows, or why there are none, and what was warned of."""

    rows: tuple[EvaluationRow, ...] = ()
    failure: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Measuring:
    """Fit, ask and measure one model; what fails is an answer as well."""

    asked: Asked
    ruler: Ruler

    def __call__(self, named: tuple[str, Any]) -> Answer:
        """Give the answer of ``(name, model)``."""
        name, model = named
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                runs = runs_of(model, self.asked)
                rows = tuple(measured_rows(name, runs, self.ruler))
            except FairwitnessError as error:
                return Answer(failure=str(error), notes=heard(caught))
            except Exception as error:  # a user's model may raise anything
                return Answer(failure=said(error), notes=heard(caught))
        return Answer(rows, notes=(*constant(runs, regression=self.ruler.regression), *heard(caught)))


def measured_rows(name: str, runs: Sequence[Run], ruler: Ruler) -> list[EvaluationRow]:
    """Give a row a measure of every run, and of their mean where there are several."""
    each = [_measure(name, run, ruler) for run in runs]
    rows = [row for found in each for row in found.values()]
    if runs[0].seed is None:
        return rows
    ratios = [None if run.n_train is None else len(run.rows) / run.n_train for run in runs]
    for key in dict.fromkeys(key for values in each for key in values):
        absent = Estimate(float("nan"), reason="the group is not among the rows of that split")
        there = [values[key] for values in each if key in values]
        mean, kind = over_splits(
            [values[key].estimate if key in values else absent for values in each],
            ratios,
            confidence=ruler.options["confidence"],
            limits=limits(metric_named(key[0]), max(row.estimate.n for row in there)),
        )
        status = _status(mean, there)
        if status == "small":
            few = f"fewer than {ruler.options['minimum_n']:,} rows in a split"
            mean = replace(mean, reason="; ".join(each for each in (mean.reason, few) if each))
        n_group = round(sum(row.n_group for row in there) / len(there))
        rows.append(EvaluationRow(name, MEAN, *key, mean, kind, status=status, n_group=n_group))
    return rows


def constant(runs: Sequence[Run], *, regression: bool) -> tuple[str, ...]:
    """Say whether a model answers the same for everybody, in all runs or in some."""
    kinds = {ONE_NUMBER: [bool((run.y_pred == run.y_pred[0]).all()) for run in runs]}
    if not regression:
        kinds = {
            EVERYBODY: [bool(run.y_pred.all()) for run in runs],
            NOBODY: [not run.y_pred.any() for run in runs],
        }
    if all(len(run.rows) < 2 for run in runs):
        return ()
    return tuple(
        f"{words} in {sum(which)} of {len(which)} splits" if not all(which) else words
        for words, which in kinds.items()
        if any(which)
    )


def _status(mean: Estimate, there: Sequence[EvaluationRow]) -> Status:
    """Give the status of a mean over splits."""
    if not math.isfinite(mean.estimate):
        return "undefined"
    if not mean.low < mean.high:
        return "partial"
    known = [row.status for row in there if row.status != "undefined"]
    return "small" if 2 * known.count("small") >= len(known) else "ok"


def heard(caught: Sequence[warnings.WarningMessage]) -> tuple[str, ...]:
    """Give the first lines of warnings, each once."""
    texts = (str(each.message).strip().splitlines() or [""] for each in caught)
    return tuple(dict.fromkeys(plain(lines[0], most=300) for lines in texts))


def _measure(name: str, run: Run, ruler: Ruler) -> dict[_Key, EvaluationRow]:
    from fairwitness.metrics.measured.measuring import measure

    y = None if ruler.y is None else ruler.y[run.rows]
    if y is not None and not ruler.regression:
        y = is_label(y, ruler.favorable)
    groups = [each.take(run.rows) for each in ruler.groups]
    counts = {
        (each.name, label): int(n)
        for each in groups
        for label, n in zip(each.labels, each.counts.tolist(), strict=True)
    }
    options = dict(ruler.options)
    if run.seed is not None:
        options["n_resamples"] = max(options["n_resamples"] // 10, _FEWEST)
    measured = measure(
        y,
        run.y_pred,
        y_score=run.y_score,
        sensitive_features=groups or None,
        task="regression" if ruler.regression else "classification",
        favorable=1 if ruler.regression else True,
        sample_weight=None if ruler.weight is None else ruler.weight[run.rows],
        intersections=False,
        **options,
    )
    seed = ALL if run.seed is None else str(run.seed)
    found = {}
    for value in measured:
        if not value.control:
            key = value.metric, value.feature, value.group, value.reference
            found[key] = EvaluationRow(
                name,
                seed,
                *key,
                Estimate(value.estimate, value.low, value.high, value.n, reason=value.reason),
                ROWS,
                status=value.status,
                p=value.p,
                p_adjusted=value.p_adjusted,
                n_group=counts.get((value.feature, value.group), 0),
            )
    return found
