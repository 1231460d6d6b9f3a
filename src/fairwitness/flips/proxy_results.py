"""What proxy features look like when they are measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairwitness.flips.estimates import unknown
from fairwitness.text import number, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class ProxyFeature:
    """How far one column (or one level of a categorical column) goes with the inferred group.

    Attributes
    ----------
    column
        Name of the column.
    level
        For a categorical column: the level, whose ε is +1 when entered and -1 when left; for a change to
        or from a missing value: ``"missing"``; otherwise ``None``.
    rho
        Pearson correlation of ε and δ over all pairs, in [-1, 1]; positive: more of it goes with looking
        more like the privileged group. NaN if ε or δ never varies.
    low, high
        Percentile interval: people resampled, and disturbed by what shared counterfactuals add
        (:mod:`fairwitness.flips.shared`).
    p_value, q_value
        Of no association (:func:`fairwitness.flips.moments.association_p`), alone and among all features
        (Benjamini-Hochberg).
    n_rows
        People behind the number.
    n_changed
        People for whom the column changes in at least one counterfactual.
    reason
        Why there is no value, in words.
    """

    column: str
    level: str | None
    rho: float
    low: float
    high: float
    p_value: float
    q_value: float
    n_rows: int
    n_changed: int
    reason: str = ""

    @property
    def label(self) -> str:
        """The column, and its level if it has one: ``workclass = Private``."""
        column = plain(self.column)
        return column if self.level is None else f"{column} = {plain(self.level)}"

    def to_dict(self) -> Document:
        """Give plain values for JSON; NaN becomes null."""
        numbers = {name: getattr(self, name) for name in ("rho", "low", "high", "p_value", "q_value")}
        return {
            "column": self.column,
            "level": self.level,
            "label": self.label,
            **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
            "n_rows": self.n_rows,
            "n_changed": self.n_changed,
            **({"reason": self.reason} if self.reason else {}),
        }


@dataclass(frozen=True, slots=True)
class ProxyResult:
    """All features, the strongest first; those without a value last.

    Attributes
    ----------
    features
        Ranked by |ρ|.
    privileged
        δ is the change of this group's inferred probability.
    n_rows, n_pairs
        People, and pairs of a person and a counterfactual.
    flipped_only
        Whether only counterfactuals whose inferred group differs were counted.
    confidence
        Level of the intervals.
    """

    features: tuple[ProxyFeature, ...]
    privileged: str
    n_rows: int
    n_pairs: int
    flipped_only: bool
    confidence: float

    def __getitem__(self, label: str) -> ProxyFeature:
        for feature in self.features:
            if feature.label == label:
                return feature
        raise unknown("feature", label, [feature.label for feature in self.features])

    def to_frame(self) -> Any:
        """Give a pandas frame, one line a feature, ranked."""
        import pandas as pd

        rows = [{"label": f.label, **{n: getattr(f, n) for n in _COLUMNS}} for f in self.features]
        return pd.DataFrame(rows, columns=["label", *_COLUMNS])

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {
            "privileged": self.privileged,
            "n_rows": self.n_rows,
            "n_pairs": self.n_pairs,
            "flipped_only": self.flipped_only,
            "confidence": self.confidence,
            "features": [feature.to_dict() for feature in self.features],
        }

    def plot(self, ax: Axes | None = None, *, most: int = 20) -> Axes:
        """Draw the ranked bars (the paper's Figure 2) and give the axes."""
        from fairwitness.flips.plots import plot_proxies

        return plot_proxies(self, ax, most=most)

    def __repr__(self) -> str:
        top = [f"{f.label} {number(f.rho, 2)}" for f in self.features[:3] if math.isfinite(f.rho)]
        return f"<ProxyResult: {len(self.features)} features, {self.n_rows} people; {', '.join(top)}>"

    def _repr_html_(self) -> str:
        shown = self.to_frame().drop(columns=["column", "level"]).head(_MOST_SHOWN)
        rest = len(self.features) - len(shown)
        more = f"<p>{rest} more in <code>to_frame()</code></p>" if rest else ""
        return f"{shown.to_html(index=False, escape=True, float_format='%.3g')}{more}"


#: Features that a notebook shows.
_MOST_SHOWN = 20
_COLUMNS = ("column", "level", "rho", "low", "high", "p_value", "q_value", "n_rows", "n_changed", "reason")
