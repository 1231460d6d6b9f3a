"""What a question about an effect is answered with: bounds, their certificate, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairwitness.arguments import real_number
from fairwitness.causal.graph.nested import NestedCounterfactual
from fairwitness.causal.solver.program import BlockSize
from fairwitness.causal.solver.solve import Engine
from fairwitness.causal.solver.stages import Relaxation
from fairwitness.typing import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Status = Literal["identified", "tight", "gap", "outer", "uninformative"]
Word = Literal["fair", "unfair", "undetermined"]
Sampling = Literal["region", "resampled"]

#: Bounds closer than this are one number; optimum and certificate may differ by it.
CLOSE = 1e-7


@dataclass(frozen=True, slots=True)
class Certificate:
    """What vouches for the bounds.

    Attributes
    ----------
    engine
        Which solver answered; see :mod:`fairwitness.causal.solver.solve`.
    exact
        Whether it solved the stated problem, not a relaxation of it.
    lower_bound, upper_bound
        Dual values: no model that agrees with the data and the graph has an effect beyond them.
    lower_attained, upper_attained
        Primal values: some such model has this effect (for a relaxation: some point of it).
    programs
        Linear programs solved.
    seconds
        Time it took.
    """

    engine: Engine
    exact: bool
    lower_bound: float
    upper_bound: float
    lower_attained: float
    upper_attained: float
    programs: int
    seconds: float

    @property
    def gap(self) -> float:
        """How far what was attained stays behind what cannot be passed; 0 is proved tight."""
        return max(self.lower_attained - self.lower_bound, self.upper_bound - self.upper_attained, 0.0)

    def to_dict(self) -> Document:
        """Give the certificate as plain values."""
        return {name: getattr(self, name) for name in (*self.__slots__, "gap")}


@dataclass(frozen=True, eq=False)
class EffectBounds:
    """The range of one path-specific counterfactual effect.

    Attributes
    ----------
    lower, upper
        Bounds, from −1 to 1, that hold for every causal model that agrees with the graph and the table. 0 is
        no effect; above 0, ``active`` along the paths makes the outcome more probable than ``reference``.
    interval
        What a verdict rests on: with ``confidence`` the interval that also covers sampling error, else
        ``(lower, upper)``.
    confidence
        Level of ``interval``, or ``None``.
    query
        The question; ``print(bounds.query)`` gives it in notation.
    certificate
        What vouches for the bounds.
    sizes
        Of each block's program.
    unidentified
        The sets of variables whose response functions the data do not identify, as far as they matter.
    evidence_probability
        P(o) in the models that the bounds speak of: of the graph's factors, where these are not the table's.
    evidence_share
        Share of the table's rows with the evidence.
    reference_probability
        P(y_{s0} | o) where the data identify it.
    slack
        ε: by how much the table had to be changed for the graph to be possible at all: the sum of the
        absolute changes of the conditional probabilities (of c-factors) that it gives; 0 is not at all.
    n
        Rows of the table, where known.
    notes
        What was done to the data, and what the bounds assume beyond the graph.
    relaxation
        Which wider bounds were asked for; ``"none"`` for the narrowest.
    known_predictor
        Whether the outcome's rule was given.
    sampling
        How ``interval`` covers sampling error: ``"region"`` (valid for any number of rows), ``"resampled"``
        (indicative), or ``None`` where it does not.
    """

    lower: float
    upper: float
    interval: tuple[float, float]
    confidence: float | None
    query: NestedCounterfactual
    certificate: Certificate
    sizes: tuple[BlockSize, ...]
    unidentified: tuple[tuple[str, ...], ...]
    evidence_probability: float
    reference_probability: float | None
    slack: float
    n: float | None
    notes: tuple[str, ...]
    evidence_share: float
    relaxation: Relaxation = "none"
    known_predictor: bool = False
    sampling: Sampling | None = None

    @property
    def identified(self) -> bool:
        """Whether graph and table leave one value."""
        return self.upper - self.lower < CLOSE

    @property
    def uninformative(self) -> bool:
        """Whether it is proved that graph and table say no more than what holds before any data are seen."""
        before = self.reference_probability
        low, high = (-1.0, 1.0) if before is None else (-before, 1.0 - before)
        proved = self.certificate.exact and self.certificate.gap < CLOSE
        return proved and self.lower <= low + CLOSE and self.upper >= high - CLOSE and not self.identified

    @property
    def status(self) -> Status:
        """``identified``, ``tight`` (proved), ``gap`` (perhaps not tight), ``outer`` or ``uninformative``."""
        if self.identified:
            return "identified"
        if self.uninformative:
            return "uninformative"
        if not self.certificate.exact:
            return "outer"
        return "tight" if self.certificate.gap < CLOSE else "gap"

    def verdict(self, tau: float = 0.1) -> Word:
        """Say whether the effect is within ±``tau``, from ``interval``.

        ``"fair"``: surely within (upper < τ and lower > −τ); ``"unfair"``: surely beyond (lower > τ or upper
        < −τ); ``"undetermined"`` otherwise (Section 4.3 of the paper).
        """
        tau = real_number(tau, "tau", above=0.0, below=1.0, fix="pass for example tau=0.1")
        low, high = self.interval
        if low > -tau and high < tau:
            return "fair"
        if low > tau or high < -tau:
            return "unfair"
        return "undetermined"

    def to_dict(self) -> Document:
        """Give everything as plain values."""
        return {
            "query": self.query.to_dict(),
            "graph": self.query.graph.to_text(),
            "relaxation": self.relaxation,
            "known_predictor": self.known_predictor,
            "lower": self.lower,
            "upper": self.upper,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "sampling": self.sampling,
            "status": self.status,
            "identified": self.identified,
            "certificate": self.certificate.to_dict(),
            "sizes": [
                {
                    name: list(v) if isinstance(v := getattr(size, name), tuple) else v
                    for name in size.__slots__
                }
                for size in self.sizes
            ],
            "unidentified": [list(block) for block in self.unidentified],
            "evidence_probability": self.evidence_probability,
            "evidence_share": self.evidence_share,
            "reference_probability": self.reference_probability,
            "slack": self.slack,
            "n": self.n,
            "notes": list(self.notes),
        }

    def to_frame(self) -> Any:
        """Give one row: the question, the bounds and how they were found."""
        import pandas as pd

        query = self.query
        return pd.DataFrame(
            [
                {
                    "paths": str(query.paths),
                    "active": query.active,
                    "reference": query.reference,
                    "given": ", ".join(f"{name} = {value}" for name, value in query.given.items()),
                    "lower": self.lower,
                    "upper": self.upper,
                    "interval_low": self.interval[0],
                    "interval_high": self.interval[1],
                    "confidence": self.confidence,
                    "sampling": self.sampling,
                    "status": self.status,
                    "engine": self.certificate.engine,
                    "gap": self.certificate.gap,
                    "evidence_probability": self.evidence_probability,
                    "n": self.n,
                    "relaxation": self.relaxation,
                    "known_predictor": self.known_predictor,
                    "graph": self.query.graph.to_text(),
                }
            ]
        )

    def plot(self, ax: Axes | None = None, *, tau: float | None = None) -> Axes:
        """Draw the interval on an axis with 0 (and ±``tau``)."""
        from fairwitness.causal.plots import plot_bounds

        return plot_bounds([self], ax=ax, tau=tau)

    def __repr__(self) -> str:
        sure = "" if self.confidence is None else f", {self.confidence:.0%} interval {_range(self.interval)}"
        return f"<EffectBounds {_range((self.lower, self.upper))} {self.status}{sure}>"


def _range(ends: tuple[float, float]) -> str:
    low, high = (round(end, 4) + 0.0 for end in ends)  # no -0.0000
    return f"[{low:.4f}, {high:.4f}]"
