"""What an evaluation comes out as: one tidy frame for all models, measures, groups and splits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fairwitness.errors import ConfigError, UnknownNameError
from fairwitness.metrics.declared.catalogue import Metric
from fairwitness.metrics.evaluation.front import better, front, metric_named, size
from fairwitness.metrics.measured.results import Status
from fairwitness.stats import Estimate
from fairwitness.text import listing, number, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: What stands as the seed of a row over all rows, and of the mean over several splits.
ALL, MEAN = "all", "mean"
#: How the reason begins where only groups of few rows could be compared.
SMALL = "small, n = "
#: What is noted of a model that answers the same for everybody.
EVERYBODY, NOBODY, ONE_NUMBER = "accepts everybody", "accepts nobody", "predicts one number for everybody"
CONSTANT = (EVERYBODY, NOBODY, ONE_NUMBER)
#: Measure of accuracy, and of difference between groups, that pictures show if none is named.
DEFAULTS: Mapping[str, tuple[str, str]] = {
    "classification": ("balanced_accuracy", "statistical_parity_difference"),
    "regression": ("rmse", "wasserstein_distance_max"),
}


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One number: a measure of one model, for one group or for everyone, in one split or over all.

    Attributes
    ----------
    model, metric
        Which model, and which measure (its name in the catalogue).
    seed
        ``"all"`` (all rows, no splits), the split's seed, or ``"mean"`` (over the splits).
    feature, group, reference
        The sensitive feature, the group, and the group it is compared with; empty where there is none.
    estimate
        Value, interval, n and, where there is no value, the reason.
    interval_of
        What the interval is of: ``"rows"`` (other rows like these), ``"splits"`` (training and test rows
        drawn anew) or ``"runs"`` (the widest of several runs on the same rows).
    status
        ``"ok"``, ``"small"`` (a group has fewer than ``minimum_n`` rows; of a mean, in at least half of the
        splits), ``"partial"`` (the interval is incomplete, or has no width) or ``"undefined"`` (no value).
    p, p_adjusted
        Of no difference, alone and adjusted for the other groups, as in
        :class:`fairwitness.metrics.MeasuredValue`; NaN where nothing is tested, and of a mean over splits.
    n_group
        Rows of the group (of a mean: in a split, on average); 0 where there is no group.
    """

    model: str
    seed: str
    metric: str
    feature: str
    group: str
    reference: str
    estimate: Estimate
    interval_of: str
    status: Status = "ok"
    p: float = math.nan
    p_adjusted: float = math.nan
    n_group: int = 0

    def to_dict(self) -> Document:
        """Give plain values: a flat row of the frame."""
        found = self.estimate
        return {
            "model": self.model,
            "seed": self.seed,
            "metric": self.metric,
            "feature": self.feature,
            "group": self.group,
            "reference": self.reference,
            "estimate": found.estimate,
            "low": found.low,
            "high": found.high,
            "n": found.n,
            "interval_of": self.interval_of,
            "status": self.status,
            "p": self.p,
            "p_adjusted": self.p_adjusted,
            "n_group": self.n_group,
            "reason": found.reason,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """Several models on the same rows, in the same measures.

    Attributes
    ----------
    rows
        All numbers.
    models
        Names of the models that gave any, in the order in which they were passed.
    failures
        Model → why it gave none.
    notes
        Model → what was warned of while it was fitted or asked, and whether it says the same of everybody.
    task
        ``"classification"`` or ``"regression"``.
    seeds
        Of the splits, where an estimator was fitted.
    test_size
        Share of the rows held out by each split.
    confidence
        Level of all intervals.
    n
        Rows of the table.
    minimum_n
        Groups with fewer rows are passed over where the farthest group is named, unless there are only such.
    """

    rows: tuple[EvaluationRow, ...]
    models: tuple[str, ...]
    failures: Mapping[str, str]
    task: str
    confidence: float
    n: int
    seeds: tuple[int, ...] = ()
    test_size: float | None = None
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    minimum_n: int = 30

    def constant(self, model: str) -> str:
        """Say that a model answers the same for everybody; empty where it does not."""
        return next((note for note in self.notes.get(model, ()) if note.startswith(CONSTANT)), "")

    def is_small(self, row: EvaluationRow) -> bool:
        """Say whether a row is of a group with fewer than ``minimum_n`` rows, or compared with one."""
        return row.status == "small" or 0 < row.n_group < self.minimum_n

    @property
    def headline(self) -> tuple[EvaluationRow, ...]:
        """The rows that count: the mean over splits, or the one measurement on all rows."""
        return tuple(row for row in self.rows if row.seed in (ALL, MEAN))

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the measures, in order."""
        return tuple(dict.fromkeys(row.metric for row in self.rows))

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the sensitive features, in order."""
        return tuple(dict.fromkeys(row.feature for row in self.rows if row.feature))

    def values(
        self, metric: str, *, feature: str | None = None, group: str | None = None
    ) -> dict[str, Estimate]:
        """Give one estimate a model.

        Parameters
        ----------
        metric
            Name of a measure.
        feature
            Sensitive feature; by default none for a measure of everyone, else the first.
        group
            One group. By default everyone; of a comparison with several groups, the group that is farthest
            from no difference, as a distance: which group that is may differ between models. Groups of fewer
            than ``minimum_n`` rows count only where there are no others; the reason then says so.

        Raises
        ------
        ConfigError
            If the measure, feature or group is not in the evaluation.
        """
        return {name: found for name, (found, _) in self.found(metric, feature=feature, group=group).items()}

    def found(
        self, metric: str, *, feature: str | None = None, group: str | None = None
    ) -> dict[str, tuple[Estimate, str]]:
        """Give, as :meth:`values` does, one estimate a model, and the group that it is of."""
        declared = metric_named(metric)
        rows = [row for row in self.headline if row.metric == metric]
        if not rows:
            raise ConfigError(
                "the evaluation does not have this measure",
                got=plain(metric),
                fix=f"use one of {listing(self.metrics, most=40)}, or evaluate with metrics=...",
            )
        if feature is not None:
            rows = [row for row in rows if row.feature == feature]
        elif group is None and any(not row.group for row in rows if declared.kind == "level"):
            rows = [row for row in rows if not row.group]
        elif declared.kind != "level" or group is not None:
            first = next((row.feature for row in rows if row.feature), "")
            rows = [row for row in rows if row.feature == first]
        if group is not None:
            rows = [row for row in rows if row.group == group]
        if not rows:
            raise UnknownNameError(
                f"{plain(metric)} is not there for that feature or group",
                got=plain(f"feature {feature}, group {group}"),
                fix=f"use a feature among {listing([plain(each) for each in self.features])}",
            )
        out: dict[str, tuple[Estimate, str]] = {}
        for name in self.models:
            mine = [row for row in rows if row.model == name]
            if mine:
                out[name] = self._one(mine, declared)
        return out

    def _one(self, rows: Sequence[EvaluationRow], declared: Metric) -> tuple[Estimate, str]:
        """Give the one row's estimate; of several groups' the one that is farthest from no difference."""
        known = [row for row in rows if math.isfinite(row.estimate.estimate)]
        if not known:
            return rows[0].estimate, rows[0].group
        # A group of five rows is far off by chance alone.
        enough = [row for row in known if not self.is_small(row)]
        worst = max(enough or known, key=lambda row: size(declared, row.estimate).estimate)
        said = [] if enough or not worst.group else [f"{SMALL}{worst.n_group or worst.estimate.n:,}"]
        lacking = [plain(row.group) for row in rows if row not in known]
        if lacking:
            said.append(f"no value for {listing(lacking, most=3)}")
        if enough and len(known) > len(enough):
            passed = [plain(row.group) for row in known if row not in enough]
            said.append(f"passed over for few rows: {listing(passed, most=3)}")
        if not said:
            return worst.estimate, worst.group
        if len(rows) == 1 and worst.estimate.reason:
            said.append(worst.estimate.reason)
        return replace(worst.estimate, reason="; ".join(said)), worst.group

    def pareto(
        self, accuracy: str | None = None, difference: str | None = None, *, feature: str | None = None
    ) -> tuple[str, ...]:
        """Give the models that no other beats: at least as good on both measures, and better on one.

        Differences count by their distance from no difference; of several groups, the farthest counts.
        Estimates are compared, not intervals: where intervals overlap, another sample might give another
        front.

        Parameters
        ----------
        accuracy, difference
            Names of measures; by default balanced accuracy and the difference in acceptance rates, or the
            root mean squared error and the largest Wasserstein distance between groups.
        feature
            Sensitive feature of the difference; by default the first.

        Returns
        -------
        Names of models, the one with the smallest difference first.
        """
        usual = DEFAULTS[self.task]
        first, second = metric_named(accuracy or usual[0]), metric_named(difference or usual[1])
        sign = better(first)
        if not sign:
            raise ConfigError(
                f"{first.name} is no measure of accuracy: more of it is neither better nor worse",
                fix=f"use for example accuracy={usual[0]!r}",
            )
        return front(self.values(first.name), self.sizes(second.name, feature=feature), accurate=sign)

    def sizes(
        self, metric: str, *, feature: str | None = None, group: str | None = None
    ) -> dict[str, Estimate]:
        """Give :meth:`values` as distances from no difference; smaller is less difference."""
        declared = metric_named(metric)
        return {
            name: size(declared, found)
            for name, found in self.values(metric, feature=feature, group=group).items()
        }

    def to_frame(self) -> pd.DataFrame:
        """Give all rows: model, seed, metric, feature, group, reference, estimate, low, high, n, ..."""
        import pandas as pd

        return pd.DataFrame([row.to_dict() for row in self.rows], columns=_COLUMNS)

    def table(self, metrics: Sequence[str] | None = None, *, feature: str | None = None) -> pd.DataFrame:
        """Give one row a model and one column a measure: the estimates to read at a glance."""
        import pandas as pd

        names = list(metrics) if metrics is not None else list(DEFAULTS[self.task])
        columns = {name: self.values(name, feature=feature if _compares(name) else None) for name in names}
        return pd.DataFrame(
            {name: {model: found.estimate for model, found in each.items()} for name, each in columns.items()}
        ).reindex(list(self.models))

    def to_dict(self) -> Document:
        """Give everything as plain values, for JSON; NaN is null."""
        return {
            "task": self.task,
            "n": self.n,
            "models": list(self.models),
            "failures": dict(self.failures),
            "notes": {name: list(said) for name, said in self.notes.items() if said},
            "seeds": list(self.seeds),
            "test_size": self.test_size,
            "confidence": self.confidence,
            "minimum_n": self.minimum_n,
            "rows": [{key: _plain(value) for key, value in row.to_dict().items()} for row in self.rows],
        }

    def plot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        feature: str | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw accuracy against difference: a point a model with its intervals, and the Pareto front.

        Parameters
        ----------
        x
            Measure of the difference between groups, drawn as a distance from no difference.
        y
            Measure of accuracy.
        feature
            Sensitive feature of the difference; by default the first.
        ax
            Axes to draw on; a new figure if absent.

        Returns
        -------
        Axes
        """
        from fairwitness.metrics.evaluation.plot import draw

        return draw(self, x=x, y=y, feature=feature, ax=ax)

    def __repr__(self) -> str:
        failed = f"; {len(self.failures)} gave nothing" if self.failures else ""
        splits = f", {len(self.seeds)} splits" if self.seeds else ""
        return (
            f"<Evaluation of {len(self.models)} models ({self.task}), {len(self.metrics)} measures, "
            f"{self.n:,} rows{splits}{failed}>"
        )

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        frame = frame[frame["seed"].isin([ALL, MEAN])]
        for name in ("model", "feature", "group", "reference", "reason"):
            frame[name] = [plain(value) for value in frame[name]]
        return frame.to_html(escape=True, index=False, float_format=lambda value: number(value))


_COLUMNS = [
    "model",
    "seed",
    "metric",
    "feature",
    "group",
    "reference",
    "estimate",
    "low",
    "high",
    "n",
    "interval_of",
    "status",
    "p",
    "p_adjusted",
    "n_group",
    "reason",
]


def _compares(metric: str) -> bool:
    return metric_named(metric).kind != "level"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
