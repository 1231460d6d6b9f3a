"""What a contrast looks like when it is done."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from fairwitness.arguments import shown
from fairwitness.canonical.gate_report import GateReport
from fairwitness.errors import UnknownNameError
from fairwitness.stats import Estimate
from fairwitness.text import interval, listing, number, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _Named(Protocol):
    """Something with the name of a column."""

    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=_Named)


@dataclass(frozen=True, slots=True)
class LevelShare:
    """One level (or range) of one column.

    Attributes
    ----------
    label
        The level.
    positive, negative
        Share of the rows of each set that have it.
    real_positive, real_negative
        The same of the real rows in the two bands.
    lift, low, high
        Positive over negative with its interval; 1 is no difference.
    n_real
        Real rows in the two bands that have it.
    """

    label: str
    positive: float
    negative: float
    real_positive: float
    real_negative: float
    lift: float
    low: float
    high: float
    n_real: int

    def to_dict(self) -> Document:
        """Give plain values for JSON; NaN becomes null."""
        return {name: plain_value(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class FeatureContrast:
    """One column in the two sets.

    Attributes
    ----------
    name, kind
        The column, and whether it holds levels or numbers.
    protected
        Whether it is a sensitive column.
    estimates
        Distance → estimate between the made sets; its p-value is that of the real rows.
    real
        Distance → the same of the real rows.
    test
        The distance that is tested: Wasserstein for numbers, total variation for levels.
    p_value, p_adjusted
        Of the test, and after Holm's correction over all columns.
    established
        Whether the corrected p-value is at most one less the confidence level.
    levels
        Every level, or range of numbers.
    """

    name: str
    kind: Literal["levels", "numbers"]
    protected: bool
    estimates: Mapping[str, Estimate]
    real: Mapping[str, float]
    test: str
    p_value: float
    levels: tuple[LevelShare, ...]
    p_adjusted: float = math.nan
    established: bool = False

    def adjusted(self, p: float, confidence: float) -> FeatureContrast:
        """Give the same with its corrected p-value."""
        return replace(self, p_adjusted=p, established=bool(p <= 1 - confidence + 1e-12))

    @property
    def largest(self) -> LevelShare:
        """The level whose shares differ most between the sets."""
        return max(self.levels, key=lambda level: abs(level.positive - level.negative))

    @property
    def sentence(self) -> str:
        """The contrast in words, with its number."""
        found = self.estimates["total_variation"]
        said = (
            f"{plain(self.name)}: {number(100 * found.estimate)} % of the rows would have to change to make "
            f"the two sets alike {interval(100 * found.low, 100 * found.high)}"
        )
        real = self.real["total_variation"]
        return f"{said}, {number(100 * real)} % of the real rows" if math.isfinite(real) else said

    def to_dict(self) -> Document:
        """Give plain values for JSON; NaN becomes null."""
        return {
            "name": self.name,
            "kind": self.kind,
            "protected": self.protected,
            "distances": {name: estimate.to_dict() for name, estimate in self.estimates.items()},
            "real": {name: plain_value(value) for name, value in self.real.items()},
            "test": self.test,
            "p_value": plain_value(self.p_value),
            "p_adjusted": plain_value(self.p_adjusted),
            "established": self.established,
            "levels": [level.to_dict() for level in self.levels],
        }


@dataclass(frozen=True, eq=False)
class Contrast:
    """Two sets, column by column.

    Attributes
    ----------
    features
        One entry a column, in the order of the table.
    requests
        What the positive and the negative set were made for.
    n, n_real
        Rows of the two sets, and real rows in the two bands.
    gates
        What the gate says of the sets; empty if it was not asked.
    confidence
        Level of the intervals.
    """

    features: tuple[FeatureContrast, ...]
    requests: tuple[str, str]
    n: tuple[int, int]
    n_real: tuple[int, int]
    gates: tuple[GateReport, ...]
    confidence: float

    def __getitem__(self, name: str) -> FeatureContrast:
        return by_name(self.features, name)

    def __repr__(self) -> str:
        found = [feature.name for feature in self.ranked if feature.established]
        return f"<Contrast: {len(found)} of {len(self.features)} columns differ: {listing(found) or 'none'}>"

    @property
    def ranked(self) -> tuple[FeatureContrast, ...]:
        """The columns by total variation, largest first."""
        return tuple(sorted(self.features, key=lambda each: -each.estimates["total_variation"].estimate))

    @property
    def verdict(self) -> str:
        """The worse of the gate's verdicts of the two sets; ``not checked`` if it was not asked."""
        from fairwitness.canonical.criteria import VERDICTS

        if not self.gates:
            return "not checked"
        return max((gate.verdict for gate in self.gates), key=VERDICTS.index)

    def to_frame(self) -> Any:
        """Give one row a column of the table, as a pandas frame."""
        import pandas as pd

        out = []
        for feature in self.features:
            row: Document = {"feature": feature.name, "protected": feature.protected}
            for name, estimate in feature.estimates.items():
                row |= {name: estimate.estimate, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
                row[f"{name}_real"] = feature.real[name]
            row |= {"p_value": feature.p_value, "p_adjusted": feature.p_adjusted}
            out.append(row | {"established": feature.established, "gate": self.verdict})
        return pd.DataFrame(out)

    def levels_frame(self) -> Any:
        """Give one row a level of a column, as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"feature": feature.name, **level.to_dict()}
                for feature in self.features
                for level in feature.levels
            ]
        )

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "verdict": self.verdict,
            "requests": list(self.requests),
            "n": list(self.n),
            "n_real": list(self.n_real),
            "confidence": self.confidence,
            "features": [feature.to_dict() for feature in self.features],
            "gates": [gate.to_dict() for gate in self.gates],
        }

    def plot(self, ax: Axes | None = None, *, features: Sequence[str] | None = None) -> Axes:
        """Draw the distributions in both sets, with a tick where the real rows are (Figures 2, 3 and 5).

        Parameters
        ----------
        ax
            The only axes of a figure; a new figure of the right size if absent.
        features
            Columns to draw; by default the sensitive ones, and the five others that differ most.
        """
        from fairwitness.canonical.plots import plot_contrast

        return plot_contrast(self, ax, features)


def by_name(features: Sequence[Named], name: object) -> Named:
    """Give the column of that name.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    for feature in features:
        if feature.name == str(name):
            return feature
    raise UnknownNameError(
        "there is no such column in this result",
        got=shown(name),
        fix=f"use one of {listing([plain(feature.name) for feature in features])}",
    )


def plain_value(value: Any) -> Any:
    """Give a number as JSON holds it: NaN as null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
