"""Every metric, declared once: what it is, what it needs, its formula, its range and where it comes from.

The page in ``docs/metrics.md``, ``fairwitness metrics --list`` and :func:`measure` read this table; the
numbers are computed elsewhere, by name. Formulas write Y for the true label (1 is the favourable one), Ŷ
for the decision, s for the score, A for the group, a for one group and r for the reference it is compared
with, and w for the weights.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import get_args

from fairwitness.arguments import items_of, shown
from fairwitness.errors import ConfigError
from fairwitness.metrics.declared.groups import (
    NAMED_DIFFERENCES as NAMED_DIFFERENCES,
)
from fairwitness.metrics.declared.groups import (
    comparisons,
    distances,
    entropies,
    level_differences,
)
from fairwitness.metrics.declared.metric import (
    Family as Family,
)
from fairwitness.metrics.declared.metric import (
    Metric as Metric,
)
from fairwitness.metrics.declared.metric import (
    Task,
    performance,
    rates,
)
from fairwitness.text import listing, plain


def _declared() -> dict[str, Metric]:
    levels = [*performance(), *rates()]
    every = [*levels, *comparisons(), *level_differences(levels), *entropies(), *distances()]
    return {metric.name: metric for metric in every}


#: Every metric by name, in the order in which they are shown.
CATALOGUE: dict[str, Metric] = _declared()


def list_metrics(*, family: str | None = None, task: str | None = None) -> tuple[Metric, ...]:
    """Give the declared metrics, or those of one family or task.

    Parameters
    ----------
    family
        ``"performance"``, ``"group"``, ``"entropy"`` or ``"distribution"``; ``None`` for all.
    task
        ``"classification"``, ``"score"`` or ``"regression"``; ``None`` for all.

    Raises
    ------
    ConfigError
        For another family or task.

    Examples
    --------
    >>> from fairwitness.metrics import list_metrics
    >>> [metric.name for metric in list_metrics(family="performance", task="regression")]
    ['rmse', 'mae', 'r2', 'mean_residual']
    """
    for what, given, known in (("family", family, get_args(Family)), ("task", task, get_args(Task))):
        if given is not None and given not in known:
            raise ConfigError(
                f"there is no such {what} of metrics", got=plain(given), fix=f"use {listing(known)}"
            )
    return tuple(
        metric
        for metric in CATALOGUE.values()
        if (family is None or metric.family == family) and (task is None or task in metric.tasks)
    )


def chosen(metrics: str | Sequence[str]) -> tuple[Metric, ...]:
    """Give the metrics that names and families stand for; ``"all"`` for every one.

    Raises
    ------
    ConfigError
        For a name that is neither a metric nor a family, or what holds no names.
    """
    wanted = [metrics] if isinstance(metrics, str) else items_of(metrics)
    if wanted is None or not all(isinstance(name, str) for name in wanted):
        raise ConfigError(
            "metrics must be names", got=shown(metrics), fix='pass metrics="all", or names and families'
        )
    families = get_args(Family)
    for name in wanted:
        if name != "all" and name not in CATALOGUE and name not in families:
            near = difflib.get_close_matches(str(name), [*CATALOGUE, *families], n=3)
            raise ConfigError(
                "there is no such metric",
                got=plain(name),
                fix=f"did you mean {listing(near)}?" if near else "see fairwitness metrics --list",
            )
    if not wanted:
        raise ConfigError("no metric is named", fix='pass metrics="all", names or families')
    return tuple(
        metric
        for metric in CATALOGUE.values()
        if "all" in wanted or metric.name in wanted or metric.family in wanted
    )
