"""What group rates come out as: rates a group, comparisons with the privileged group, tables and a figure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairwitness.errors import GroupError
from fairwitness.stats.intervals import Estimate
from fairwitness.text import listing, number, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from fairwitness.metrics.counted.counts import Counts

#: Fields of :class:`GroupRate` and :class:`Comparison` that are estimates, and their names for a reader.
RATES: Mapping[str, str] = {
    "acceptance": "Acceptance rate",
    "true_positive_rate": "True positive rate",
    "false_positive_rate": "False positive rate",
}
COMPARISONS: Mapping[str, str] = {
    "statistical_parity_difference": "Difference in acceptance rates",
    "disparate_impact_ratio": "Ratio of acceptance rates",
    "equal_opportunity_difference": "Difference in true positive rates",
    "average_odds_difference": "Average odds difference",
    "average_absolute_odds_difference": "Average absolute odds difference",
}


@dataclass(frozen=True, slots=True)
class GroupRate:
    """One group's rates.

    Attributes
    ----------
    label
        The group.
    n, n_accepted
        Rows, and rows that the model accepts (counts, whatever the weights).
    small
        Whether ``n`` is below the smallest size that is compared without a mark.
    acceptance
        P(Ŷ = 1), in [0, 1], with Wilson's interval.
    true_positive_rate, false_positive_rate
        P(Ŷ = 1 | Y = 1) and P(Ŷ = 1 | Y = 0); ``None`` if outcomes are not known.
    """

    label: str
    n: int
    n_accepted: int
    small: bool
    acceptance: Estimate
    true_positive_rate: Estimate | None = None
    false_positive_rate: Estimate | None = None

    def to_dict(self) -> Document:
        """Give plain values, for JSON."""
        return {
            "label": self.label,
            "n": self.n,
            "n_accepted": self.n_accepted,
            "small": self.small,
            **{name: _plain(estimate) for name, estimate in self.estimates()},
        }

    def estimates(self) -> Iterator[tuple[str, Estimate | None]]:
        """Go through the rates by name."""
        for name in RATES:
            yield name, getattr(self, name)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One group compared with the privileged one; differences are group − privileged.

    Attributes
    ----------
    group
        The group.
    statistical_parity_difference
        Difference in acceptance rates, in [−1, 1]; 0 is no difference, below 0 the group is accepted less.
    disparate_impact_ratio
        Ratio of acceptance rates, at least 0; 1 is no difference (the four-fifths rule of thumb asks for .8).
    equal_opportunity_difference
        Difference in true positive rates, in [−1, 1].
    average_odds_difference
        ½ (ΔTPR + ΔFPR), in [−1, 1]: opposite differences cancel.
    average_absolute_odds_difference
        half of abs(ΔTPR) + abs(ΔFPR), in [0, 1]: they do not.
    """

    group: str
    statistical_parity_difference: Estimate
    disparate_impact_ratio: Estimate
    equal_opportunity_difference: Estimate | None = None
    average_odds_difference: Estimate | None = None
    average_absolute_odds_difference: Estimate | None = None

    def to_dict(self) -> Document:
        """Give plain values, for JSON."""
        return {"group": self.group, **{name: _plain(estimate) for name, estimate in self.estimates()}}

    def estimates(self) -> Iterator[tuple[str, Estimate | None]]:
        """Go through the measures by name."""
        for name in COMPARISONS:
            yield name, getattr(self, name)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupRates:
    """The group rates of one sensitive feature.

    Attributes
    ----------
    name
        The sensitive feature.
    privileged
        The group that all others are compared with.
    has_outcome
        Whether true outcomes were known.
    groups
        One entry a group, in the feature's order.
    comparisons
        One entry a group other than the privileged.
    confidence
        Level of all intervals.
    counts
        The tensor that all numbers come from.
    """

    name: str
    privileged: str
    has_outcome: bool
    groups: tuple[GroupRate, ...]
    comparisons: tuple[Comparison, ...]
    confidence: float
    counts: Counts

    def __getitem__(self, label: str) -> GroupRate:
        """Give one group's rates by its label."""
        for group in self.groups:
            if group.label == label:
                return group
        raise _no_group(self.name, label, [group.label for group in self.groups])

    def comparison(self, label: str) -> Comparison:
        """Give one group's comparison by its label."""
        for comparison in self.comparisons:
            if comparison.group == label:
                return comparison
        raise _no_group(self.name, label, [comparison.group for comparison in self.comparisons])

    def to_dict(self) -> Document:
        """Give the document that a report is drawn from; NaN is null with a reason."""
        return {
            "name": self.name,
            "privileged": self.privileged,
            "has_outcome": self.has_outcome,
            "groups": [group.to_dict() for group in self.groups],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
        }

    def rows(self) -> list[dict[str, object]]:
        """Give one flat row a group and measure: the long table that CSV files hold."""
        found: list[dict[str, object]] = []
        for group in self.groups:
            for name, estimate in group.estimates():
                found.extend(self._row(group.label, name, estimate))
        for comparison in self.comparisons:
            for name, estimate in comparison.estimates():
                found.extend(self._row(comparison.group, name, estimate))
        return found

    def to_frame(self) -> pd.DataFrame:
        """Give :meth:`rows` as a frame: feature, group, reference, measure, estimate, low, high, n, ..."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each rate with every group's estimate and interval; a grey line at the privileged group's."""
        from fairwitness.drawing import IntervalRow, figure, intervals

        rows = []
        for name, words in RATES.items():
            points = [
                (group.label, estimate.estimate, estimate.low, estimate.high, at)
                for at, group in enumerate(self.groups)
                if (estimate := getattr(group, name)) is not None
            ]
            if points:
                own = getattr(self[self.privileged], name).estimate
                rows.append(IntervalRow(words, points, reference=own if math.isfinite(own) else None))
        if ax is None:
            height = 90 + sum(30 * (1 + len(row.points)) for row in rows)
            ax = figure(640, height)[1]
        return intervals(ax, rows, title=f"Rates by {self.name}", xlabel="share of rows", xlim=(-0.02, 1.02))

    def __repr__(self) -> str:
        shares = ", ".join(f"{plain(g.label)} {number(g.acceptance.estimate)}" for g in self.groups[:6])
        more = f" and {len(self.groups) - 6} more" if len(self.groups) > 6 else ""
        return (
            f"<GroupRates {plain(self.name)}: acceptance {shares}{more}; reference {plain(self.privileged)}>"
        )

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        for name in ("feature", "group", "reference", "reason"):
            frame[name] = [plain(value) for value in frame[name]]
        return frame.to_html(escape=True, index=False, float_format="{:.3f}".format)

    def _row(self, group: str, name: str, estimate: Estimate | None) -> Iterator[dict[str, object]]:
        if estimate is None:
            return
        yield {
            "feature": self.name,
            "group": group,
            "reference": self.privileged if name in COMPARISONS else "",
            "measure": name,
            "estimate": estimate.estimate,
            "low": estimate.low,
            "high": estimate.high,
            "n": estimate.n,
            "accepted": estimate.numerator,
            "rows": estimate.denominator,
            "small": self[group].small,
            "reason": estimate.reason,
        }


def _plain(estimate: Estimate | None) -> Document | None:
    return None if estimate is None else estimate.to_dict()


def _no_group(feature: str, label: str, labels: list[str]) -> GroupError:
    return GroupError(
        f"{plain(feature)!r} has no group {plain(label)!r} here",
        got=f"groups {listing([plain(each) for each in labels], most=30)}",
        fix="use one of these labels",
    )
