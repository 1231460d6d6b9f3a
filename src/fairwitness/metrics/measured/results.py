"""What :func:`measure` gives: one tidy row a value, as a frame, a document or a lookup."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Literal, TypeAlias

from fairwitness.errors import UnknownNameError
from fairwitness.metrics.declared.catalogue import CATALOGUE
from fairwitness.model.labels import own
from fairwitness.table.levels import level_text
from fairwitness.text import interval, listing, number, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: ``ok``; ``small``: fewer rows than ``minimum_n``; ``partial``: a value whose interval or p-value is
#: incomplete; ``undefined``: no value.
Status: TypeAlias = Literal["ok", "small", "partial", "undefined"]
POOLED = "pooled"


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """One value of one metric.

    Attributes
    ----------
    metric, family
        What was measured.
    feature
        The sensitive feature; empty for everyone.
    group
        The group; empty for everyone, and for metrics of a whole feature.
    reference
        The group that ``group`` is compared with (``"overall"`` for everyone); empty where nothing is
        compared.
    control
        Stratum of the control features, ``"pooled"`` over strata, or empty.
    estimate, low, high
        The value and its interval; NaN where there is none.
    n
        Effective number of rows behind it.
    p, p_adjusted
        Two-sided, of no difference; alone, and adjusted for the other groups of the same metric and feature.
        NaN where nothing is tested.
    status
        ``"ok"``, ``"small"`` (a group has fewer than ``minimum_n`` rows), ``"partial"`` (no full interval) or
        ``"undefined"``. Neither of the last two can pass a gate.
    reason
        Why, unless ``"ok"``.
    smallest_detectable
        The difference from "no difference" that this many rows would have shown in 80 % of samples, at the
        level of the interval, without adjustment. NaN where nothing is tested.
    numerator, denominator
        Of a share: (weighted) rows.
    """

    metric: str
    family: str
    feature: str = ""
    group: str = ""
    reference: str = ""
    control: str = ""
    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    p: float = math.nan
    p_adjusted: float = math.nan
    status: Status = "undefined"
    reason: str = ""
    smallest_detectable: float = math.nan
    numerator: float = math.nan
    denominator: float = math.nan

    def to_dict(self) -> Document:
        """Give plain values, for JSON: NaN is null."""
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }

    def __repr__(self) -> str:
        where = " ".join(plain(part) for part in (self.feature, self.group, self.control) if part)
        against = f" against {plain(self.reference)}" if self.reference else ""
        said = f"{number(self.estimate)} {interval(self.low, self.high)}"
        return f"<{self.metric}{f' of {where}' if where else ''}{against}: {said}, {self.status}>"


COLUMNS = tuple(field.name for field in fields(MeasuredValue))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Measured:
    """Metrics of one table: overall, a group, and a group against its reference.

    Attributes
    ----------
    values
        One entry a value.
    task
        ``"classification"`` or ``"regression"``, as given or found.
    n_rows
        Rows of the table.
    confidence
        Level of all intervals.
    groups
        Sensitive feature → its groups: labels, counts, privileged group and why, missing values, and levels
        that are declared but occur nowhere.
    left_out
        Metric → why it was not measured.
    settings
        How the intervals and p-values were made.
    """

    values: tuple[MeasuredValue, ...]
    task: str
    n_rows: int
    confidence: float
    groups: Mapping[str, Document]
    left_out: Mapping[str, str]
    settings: Document

    def __getitem__(self, metric: str) -> tuple[MeasuredValue, ...]:
        """Give all values of one metric.

        Raises
        ------
        UnknownNameError
            If it was not measured; the message says why where that is known.
        """
        found = tuple(value for value in self.values if value.metric == metric)
        if not found:
            why = self.left_out.get(metric, "it is not among those that were asked for")
            known = listing(list(dict.fromkeys(value.metric for value in self.values)), most=60)
            raise UnknownNameError(
                f"{plain(metric)} was not measured: {why}", got=f"measured: {known}", fix="use one of these"
            )
        return found

    def __iter__(self) -> Iterator[MeasuredValue]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def value(
        self, metric: str, *, feature: str = "", group: object = "", control: object = ""
    ) -> MeasuredValue:
        """Give the one value of a metric: everyone's, or that of a group of a feature.

        Parameters
        ----------
        metric
            Its name.
        feature
            The sensitive feature; may be left out where there is one.
        group
            The group, by its label or the value it stands for (``0``); empty for everyone or for the feature
            as a whole.
        control
            Stratum of the control features, likewise, or ``"pooled"``.

        Raises
        ------
        UnknownNameError
            If there is no such value.
        """
        group, control = level_text(own(group)), level_text(own(control))
        wanted = [
            value
            for value in self[metric]
            if value.group == group and value.control == control and (not feature or value.feature == feature)
        ]
        if len(wanted) > 1 and not feature:
            wanted = [value for value in wanted if not value.feature] or wanted
        if len(wanted) != 1:
            known = [
                ": ".join(part for part in (v.feature, v.group) if part) or "everyone" for v in self[metric]
            ]
            raise UnknownNameError(
                f"{plain(metric)} has {'no' if not wanted else 'more than one'} such value",
                got=f"feature {plain(feature)!r}, group {plain(group)!r}, control {plain(control)!r}",
                fix=f"name one of {listing([plain(each) for each in dict.fromkeys(known)], most=20)}",
            )
        return wanted[0]

    def farthest(self, metric: str, feature: str, *, control: str = "") -> MeasuredValue:
        """Give the comparison of a feature's groups that is farthest from "no difference".

        A comparison that has no value comes first: it may be the farthest, so the others cannot stand for
        all.

        Parameters
        ----------
        metric
            A comparison, such as ``"statistical_parity_difference"``.
        feature
            The sensitive feature.
        control
            Stratum of the control features, or ``"pooled"``.
        """
        among = [v for v in self[metric] if v.feature == feature and v.control == control and v.reference]
        if not among:
            raise UnknownNameError(
                f"{plain(metric)} compares no groups of {plain(feature)!r}",
                got=f"features {listing([plain(name) for name in self.groups])}",
                fix="name a comparison and a feature that were measured",
            )
        distance = distance_of(metric)
        return max(among, key=lambda v: math.inf if math.isnan(v.estimate) else distance(v.estimate))

    def to_frame(self) -> pd.DataFrame:
        """Give one row a value, with the fields of :class:`MeasuredValue` as columns."""
        import pandas as pd

        rows = [[getattr(value, name) for name in COLUMNS] for value in self.values]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def to_dict(self) -> Document:
        """Give plain values, for JSON: NaN is null."""
        return {
            "task": self.task,
            "n_rows": self.n_rows,
            "confidence": self.confidence,
            "groups": {name: dict(groups) for name, groups in self.groups.items()},
            "values": [value.to_dict() for value in self.values],
            "left_out": dict(self.left_out),
            "settings": dict(self.settings),
        }

    def plot(self, metric: str, ax: Axes | None = None) -> Axes:
        """Draw one metric: every group's estimate and interval, a feature below the other.

        Parameters
        ----------
        metric
            Its name.
        ax
            Where to draw; a new figure without it.
        """
        from fairwitness.drawing import IntervalRow, figure, intervals

        rows, compared = [], False
        for feature in dict.fromkeys(value.feature for value in self[metric]):
            among = [v for v in self[metric] if v.feature == feature and not v.control]
            points = [
                (v.group or "everyone", v.estimate, v.low, v.high, at % 8)
                for at, v in enumerate(among)
                if math.isfinite(v.estimate)
            ]
            compared = any(v.reference for v in among)
            if points:
                rows.append(
                    IntervalRow(
                        feature or "everyone", points, reference=nothing(metric) if compared else None
                    )
                )
        if ax is None:
            ax = figure(640, 90 + sum(30 * (1 + len(row.points)) for row in rows))[1]
        return intervals(ax, rows, title=metric.replace("_", " "), xlabel=CATALOGUE[metric].formula)

    def __repr__(self) -> str:
        metrics = len(dict.fromkeys(value.metric for value in self.values))
        features = listing([plain(name) for name in self.groups], most=4) or "no groups"
        lacking = sum(value.status == "undefined" for value in self.values)
        more = f", {lacking:,} undefined" if lacking else ""
        return f"<Measured {self.task}: {metrics} metrics, {len(self.values):,} values{more}; {features}>"

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        for name in ("feature", "group", "reference", "control", "reason"):
            frame[name] = [plain(value) for value in frame[name]]
        return frame.to_html(escape=True, index=False, float_format="{:.3f}".format, na_rep="–", max_rows=200)


def nothing(metric: str) -> float:
    """Give the value that a comparison has where there is no difference."""
    return 1.0 if metric == "disparate_impact_ratio" else 0.0


def distance_of(metric: str) -> Callable[[float], float]:
    """Give how far a value of a comparison lies from "no difference"; of ratios, by the logarithm."""
    if metric != "disparate_impact_ratio":
        return abs
    return lambda ratio: abs(math.log(ratio)) if ratio > 0 else math.inf
