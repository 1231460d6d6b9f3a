"""What the gate found: every measure with its thresholds, and one verdict with its reasons in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairwitness.arguments import shown
from fairwitness.canonical.criteria import CRITERIA, VERDICTS, Criterion, Verdict
from fairwitness.errors import UnknownNameError
from fairwitness.text import interval, listing, number
from fairwitness.typing import Document, FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: Which real rows a set was compared with.
Reference = Literal["learnt", "held out", "other half"]
COMPARED: dict[Reference, str] = {
    "learnt": "compared with the rows that were learnt from, which is lenient",
    "held out": "compared with rows that were not learnt from",
    "other half": "distances are of rows learnt from one half, compared with the other",
}


@dataclass(frozen=True, slots=True)
class GateMeasure:
    """One measure of one set.

    Attributes
    ----------
    name
        Its name among :data:`fairwitness.canonical.CRITERIA`.
    value, low, high
        The number and its 95 % interval; NaN where there is none.
    floor
        What real rows drawn at random give, where the measure has such a floor.
    n
        Rows behind it.
    reason
        Why there is no value; empty where there is one.
    detail
        Which column it is of, where it is of one.
    weakens
        Whether the lack of a value keeps the set from being trusted.
    """

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    floor: float = math.nan
    n: int = 0
    reason: str = ""
    detail: str = ""
    weakens: bool = False

    @property
    def criterion(self) -> Criterion:
        """What it means, and its thresholds."""
        return CRITERIA[self.name]

    @property
    def graded(self) -> float:
        """The number that is compared with the thresholds: less the floor, if there is one.

        Of the classifier's AUC it is the lower end of the interval, so that few rows condemn nothing.
        """
        if self.name == "auc":
            return self.low
        return self.value - self.floor if math.isfinite(self.floor) else self.value

    @property
    def verdict(self) -> Verdict:
        """The verdict of this measure alone."""
        if not math.isfinite(self.value):
            return "weak" if self.weakens else "trust"
        return self.criterion.grade(self.graded)

    @property
    def sentence(self) -> str:
        """The measure in words, with its number."""
        if not math.isfinite(self.value):
            return f"{self.criterion.words}: not known, {self.reason}"
        which = f" ({self.detail})" if self.detail else ""
        said = f"{self.criterion.words}{which}: {number(self.value)}"
        if math.isfinite(self.low):
            said += f" {interval(self.low, self.high)}"
        if math.isfinite(self.floor):
            said += f", where real rows drawn at random give {number(self.floor)}"
        return said

    def to_dict(self) -> Document:
        """Give plain values for JSON; NaN becomes null."""
        criterion = self.criterion
        return {
            "name": self.name,
            "words": criterion.words,
            "unit": criterion.unit,
            "value": _finite(self.value),
            "low": _finite(self.low),
            "high": _finite(self.high),
            "floor": _finite(self.floor),
            "n": self.n,
            "better": criterion.better,
            "trust": criterion.trust,
            "weak": criterion.weak,
            "verdict": self.verdict,
            "reason": self.reason,
            "detail": self.detail,
        }


@dataclass(frozen=True, eq=False)
class GateReport:
    """What the gate says of one set.

    Attributes
    ----------
    engine, request
        What made the set, and what for.
    n, support, n_reference
        Rows of the set, real rows that support the request, and real rows it was compared with.
    reference
        What those are. ``"learnt"``: the rows that the engine learnt from, which is lenient; ``"held out"``:
        rows that it has not seen; ``"other half"``: rows that its twin has not seen, which was compared in
        its place.
    measures
        Every measure that was taken.
    requested, obtained
        (n,) the scores that the rows were made for, and those that the model gives them (NaN if not asked).
    """

    engine: str
    request: str
    n: int
    support: int
    n_reference: int
    reference: Reference
    measures: tuple[GateMeasure, ...]
    requested: FloatArray
    obtained: FloatArray

    def __getitem__(self, name: str) -> GateMeasure:
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise UnknownNameError(
            "the gate did not take such a measure",
            got=shown(name),
            fix=f"use one of {listing([measure.name for measure in self.measures])}",
        )

    def __repr__(self) -> str:
        return f"<GateReport: {self.verdict}; {self.n:,} rows by {self.engine} for {self.request}>"

    @property
    def held_out(self) -> bool:
        """Whether what was compared had not been learnt from the rows that it was compared with."""
        return self.reference != "learnt"

    @property
    def verdict(self) -> Verdict:
        """``trust``, ``weak`` or ``do not use``: that of the worst measure."""
        return max((each.verdict for each in self.measures), key=VERDICTS.index, default="weak")

    @property
    def reasons(self) -> tuple[str, ...]:
        """What keeps the set from being trusted, worst first; for a trusted set, nothing."""
        failing = [each for each in self.measures if each.verdict != "trust"]
        failing.sort(key=lambda each: -VERDICTS.index(each.verdict))
        return tuple(each.sentence for each in failing)

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, to be printed with every figure and number of the set."""
        said = (
            f"Gate: {self.verdict}, {self.n:,} rows made for {self.request}, {self.support:,} real rows; "
            f"{COMPARED[self.reference]}"
        )
        return f"{said}. Reasons: {'; '.join(self.reasons)}." if self.reasons else f"{said}."

    def to_frame(self) -> Any:
        """Give one row a measure, as a pandas frame."""
        import pandas as pd

        return pd.DataFrame([measure.to_dict() for measure in self.measures])

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "engine": self.engine,
            "request": self.request,
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "n": self.n,
            "support": self.support,
            "n_reference": self.n_reference,
            "held_out": self.held_out,
            "reference": self.reference,
            "measures": [measure.to_dict() for measure in self.measures],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw every measure on the scale of its own thresholds: 0 is perfect, 1 ends trust.

        Parameters
        ----------
        ax
            Axes to draw on; a new figure if absent.
        """
        from fairwitness.canonical.plots import plot_gate

        return plot_gate(self, ax)


def gate_rows(reports: Sequence[GateReport]) -> list[Document]:
    """Give one row a set and measure, for a table; a measure that was not taken has no verdict."""
    return [
        {
            "set": report.request,
            **measure.to_dict(),
            "verdict": measure.verdict if math.isfinite(measure.value) or measure.weakens else "not measured",
        }
        for report in reports
        for measure in report.measures
    ]


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
