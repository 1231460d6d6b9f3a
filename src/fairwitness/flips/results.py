"""What the measures of counterfactual fair opportunity look like when they are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.flips.estimates import MeasureCurve, unknown
from fairwitness.flips.measures import Convention, Shortfall
from fairwitness.stats.intervals import Estimate
from fairwitness.text import number, plain
from fairwitness.typing import Document, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairwitness.counterfactuals.sets import CounterfactualSet

MEASURES = ("cflips", "ndccf", "ndccf_sorted")
#: Measures for which random acceptance is known too: it gives no scores to sort by.
AT_RANDOM = ("cflips", "ndccf")


@dataclass(frozen=True, slots=True)
class Funnel:
    """How many people of a group were left at each step.

    Attributes
    ----------
    all
        People of the group.
    rejected
        Of these, rejected by the model.
    recognised
        Of these, inferred to belong to their own group: the eligible rows, X⁻.
    searched
        Of these, those for whom counterfactuals were sought (all, unless a cap was set).
    with_counterfactuals
        Of these, those with at least one.
    short
        Searched, with at least one but fewer than k.
    none
        Searched, without any: left out of all measures.
    """

    all: int
    rejected: int
    recognised: int
    searched: int
    with_counterfactuals: int
    short: int
    none: int

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupOpportunity:
    """One group's values.

    Attributes
    ----------
    label
        Name of the group.
    funnel
        Who was counted.
    small
        Whether fewer than ``minimum_n`` people are behind the values.
    expected_flip_rate
        Share of the group's *accepted* people whom the classifier does not recognise: the flips that its
        errors alone would give if the counterfactuals were just those people.
    cflips, ndccf, ndccf_sorted
        Curves over k; ``ndccf_sorted`` is ``None`` where the model gives no scores.
    random
        What a model that accepts at random gives the same people (:mod:`fairwitness.flips.chance`), for
        ``cflips`` and ``ndccf``, without intervals; ``None`` if it was not computed.
    reason
        Why there are no values; empty if there are.
    by_fold
        CFlips at the k asked for as each fold's model of the classifier infers it, of people it recognises:
        trained without one part of the table each, they show what hangs on few rows
        (:mod:`fairwitness.flips.refits`). Empty if the classifier has no folds.
    """

    label: str
    funnel: Funnel
    small: bool
    expected_flip_rate: Estimate
    cflips: MeasureCurve
    ndccf: MeasureCurve
    ndccf_sorted: MeasureCurve | None
    random: Mapping[str, MeasureCurve] | None = None
    reason: str = ""
    by_fold: tuple[float, ...] = ()

    def at(self, measure: str = "cflips", k: int | None = None, *, random: bool = False) -> Estimate | None:
        """Give one measure at one k (default: the k asked for); ``None`` for a measure not taken.

        ``random=True`` gives what random acceptance would give.
        """
        return _at(self, measure, self.random if random else None, k, only=random)

    def __repr__(self) -> str:
        from fairwitness.flips.tabular import in_short

        n = self.funnel.with_counterfactuals
        few = ", few" if self.small else ""
        return f"<GroupOpportunity {plain(self.label)} (n = {n:,}{few}): {in_short(self)}>"

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        curves = {name: getattr(self, name) for name in MEASURES}
        return {
            "label": self.label,
            "funnel": self.funnel.to_dict(),
            "small": self.small,
            "expected_flip_rate": self.expected_flip_rate.to_dict(),
            "curves": {
                "k": [int(rank) for rank in self.cflips.ks],
                **{name: None if curve is None else curve.to_dict() for name, curve in curves.items()},
                "at_random": None
                if self.random is None
                else {name: self.random[name].to_dict()["estimate"] for name in AT_RANDOM},
            },
            "at_k": {name: _document(self.at(name)) for name in MEASURES},
            "at_random": None
            if self.random is None
            else {name: _document(self.at(name, random=True)) for name in AT_RANDOM},
            **({"reason": self.reason} if self.reason else {}),
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupDifference:
    """One group against the privileged one: signed, group minus privileged.

    Higher ``cflips``: the group's counterfactuals have to change the inferred group more often than the
    privileged group's do. Higher ``ndccf``: less often, early ranks counting more. 0: no difference. The
    tables of Cornacchia et al. (2023) print the absolute value.

    ``beyond`` is the same difference minus what it is if the model accepts at random
    (:mod:`fairwitness.flips.chance`), for ``cflips`` and ``ndccf``: the part that the model's choices add.
    """

    group: str
    privileged: str
    cflips: MeasureCurve
    ndccf: MeasureCurve
    ndccf_sorted: MeasureCurve | None
    beyond: Mapping[str, MeasureCurve] | None = None
    reason: str = ""

    def at(
        self, measure: str = "cflips", k: int | None = None, *, beyond_random: bool = False
    ) -> Estimate | None:
        """Give one signed difference at one k (default: the k asked for); ``None`` if it was not taken.

        ``beyond_random=True`` gives the part beyond random acceptance.
        """
        return _at(self, measure, self.beyond if beyond_random else None, k, only=beyond_random)

    def __repr__(self) -> str:
        from fairwitness.flips.tabular import in_short

        names = f"{plain(self.group)} minus {plain(self.privileged)}"
        return f"<GroupDifference {names}: {in_short(self, start='Δ')}>"

    def to_dict(self) -> Document:
        """Give plain values for JSON, at the k asked for."""
        return {
            "group": self.group,
            **{name: _document(self.at(name)) for name in MEASURES},
            "beyond_random": None
            if self.beyond is None
            else {name: _document(self.at(name, beyond_random=True)) for name in AT_RANDOM},
        }


@dataclass(frozen=True, eq=False, repr=False)
class OpportunityResult:
    """Counterfactual fair opportunity of one model with respect to one sensitive feature.

    Attributes
    ----------
    name, labels, privileged
        The sensitive feature, its groups, and the label of the reference.
    k, convention, shortfall, confidence
        What was asked for.
    groups, differences
        One entry a group; one entry a group other than the privileged.
    quality
        The classifier's held-out quality as plain values; ``None`` if it does not know its own.
    generator
        Name, settings and distance scales of the generator.
    rows
        (q,) position of each eligible person searched in the table that was passed; ``source`` of the
        counterfactuals are positions in the same table.
    codes
        (q,) their group.
    flips, sorted_flips
        (q, k) flips in the generator's order, and nearest to the decision boundary first (``None`` without
        scores).
    counterfactuals, looks
        The q people's counterfactuals, and (m,) the code of the group each is inferred to belong to (-1:
        a class that is none of the groups).
    inferred, inferred_change
        (q, G) the probability of each group that the classifier gives the people, and (m,) by how much the
        privileged group's probability changes with each counterfactual (δ).
    """

    name: str
    labels: tuple[str, ...]
    privileged: str
    k: int
    convention: Convention
    shortfall: Shortfall
    confidence: float
    groups: tuple[GroupOpportunity, ...]
    differences: tuple[GroupDifference, ...]
    quality: Mapping[str, Any] | None
    generator: Mapping[str, Any]
    rows: IntArray
    codes: IntArray
    flips: FloatArray
    sorted_flips: FloatArray | None
    counterfactuals: CounterfactualSet
    looks: IntArray
    inferred: FloatArray
    inferred_change: FloatArray

    def __getitem__(self, label: str) -> GroupOpportunity:
        for group in self.groups:
            if group.label == label:
                return group
        raise unknown("group", label, self.labels)

    def difference(self, label: str | None = None) -> GroupDifference:
        """Give one group's difference to the privileged group; default the only one, or the first."""
        for difference in self.differences:
            if label in (None, difference.group):
                return difference
        raise unknown("group", label, [difference.group for difference in self.differences])

    @property
    def ks(self) -> IntArray:
        """The ranks at which curves are kept."""
        return self.groups[0].cflips.ks

    @property
    def n_searched(self) -> int:
        """Number of eligible people for whom counterfactuals were sought."""
        return len(self.rows)

    def in_order(self, order: IntArray) -> OpportunityResult:
        """Give the same result with the row numbers of another table.

        Parameters
        ----------
        order
            (n,) the place in that table of each row of the table that was measured.
        """
        found = self.counterfactuals
        source = np.where(found.source >= 0, order[found.source], -1)
        return replace(
            self, rows=order[self.rows], counterfactuals=replace(found, source=source.astype(np.int64))
        )

    def to_frame(self) -> Any:
        """Give a pandas frame: a line a group, measure and k, with the difference to the privileged."""
        import pandas as pd

        return pd.DataFrame(self.lines())

    def lines(self) -> list[dict[str, object]]:
        """Give the same lines as plain dictionaries, for CSV."""
        from fairwitness.flips.tabular import curve_lines

        return list(curve_lines(self))

    def to_dict(self) -> Document:
        """Give plain values for JSON: one entry of ``sections.opportunity.features``."""
        return {
            "name": self.name,
            "privileged": self.privileged,
            "classifier": None if self.quality is None else dict(self.quality),
            "groups": [group.to_dict() for group in self.groups],
            "differences": [difference.to_dict() for difference in self.differences],
        }

    def plot(self, ax: Axes | None = None, *, measure: str = "cflips") -> Axes:
        """Draw one measure over k, a line a group with its band (the paper's Figure 3)."""
        from fairwitness.flips.plots import plot_opportunity

        return plot_opportunity(self, ax, measure=measure)

    def plot_person(
        self, person: int = 0, ax: Axes | None = None, *, columns: tuple[str, str] | None = None
    ) -> Axes:
        """Draw one person and their counterfactuals in two dimensions (the paper's Figure 1).

        ``person`` is a position in ``rows``; ``columns`` names two numeric columns to draw, in place of
        the first two principal components.
        """
        from fairwitness.flips.plots import plot_person

        return plot_person(self, person, ax, columns=columns)

    def __repr__(self) -> str:
        said = []
        for difference in self.differences:
            value = difference.at("cflips")
            shown = number(value.estimate) if value is not None else "–"
            said.append(f"{plain(difference.group)} {shown}")
        return (
            f"<OpportunityResult: {plain(self.name)}, {self.n_searched} eligible people, "
            f"ΔCFlips@{self.k} against {plain(self.privileged)}: {', '.join(said)}>"
        )

    def summary(self) -> Any:
        """Give a pandas frame to look at: a line a group and measure, at the k asked for, values as text."""
        import pandas as pd

        from fairwitness.flips.tabular import summary_lines

        frame = pd.DataFrame(list(summary_lines(self)))
        return frame if (frame["reason"] != "").any() else frame.drop(columns="reason")

    def _repr_html_(self) -> str:
        return str(self.summary().to_html(index=False, escape=True))


def _at(
    entry: GroupOpportunity | GroupDifference,
    measure: str,
    others: Mapping[str, MeasureCurve] | None,
    k: int | None,
    *,
    only: bool,
) -> Estimate | None:
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    curve = (others or {}).get(measure) if only else getattr(entry, measure)
    return None if curve is None else curve.at(k, reason=entry.reason)


def _document(estimate: Estimate | None) -> Document | None:
    return None if estimate is None else estimate.to_dict()


def order_by(counterfactuals: CounterfactualSet, by: FloatArray) -> IntArray:
    """Order (m,) lines by person, and each person's counterfactuals by ``by``, ascending; ties by rank."""
    return np.lexsort((counterfactuals.rank, by, counterfactuals.query)).astype(np.int64)
