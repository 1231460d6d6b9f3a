"""What a canonical set is measured by, and the thresholds of the verdict: one table, nothing hidden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["trust", "weak", "do not use"]
#: The verdicts, the best first.
VERDICTS: tuple[Verdict, ...] = ("trust", "weak", "do not use")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One measure of a set.

    Attributes
    ----------
    words
        What is measured.
    unit
        Unit and range.
    better
        Which direction is better.
    trust, weak
        Beyond ``trust`` the set is weak, beyond ``weak`` it is not to be used; ``None``: not graded.
    against_floor
        Whether what is graded is the value less what real rows drawn at random give (the floor).
    """

    words: str
    unit: str
    better: Literal["higher", "lower"]
    trust: float | None = None
    weak: float | None = None
    against_floor: bool = False

    def grade(self, value: float) -> Verdict:
        """Give the verdict of a value that is a number."""
        if self.trust is None:
            return "trust"
        sign = 1 if self.better == "lower" else -1
        if sign * value <= sign * self.trust:
            return "trust"
        return "weak" if self.weak is None or sign * value <= sign * self.weak else "do not use"


#: Every measure of the gate, by name, in the order in which they are shown.
CRITERIA: Mapping[str, Criterion] = {
    "support": Criterion("real rows that support the request", "rows", "higher", 100, 20),
    "right_side": Criterion(
        "rows that the model puts on the requested side of its threshold", "share, 0 to 1", "higher", 0.9, 0.7
    ),
    "score_error": Criterion(
        "mean distance of the model's score from the requested one", "score, 0 to 1", "lower", 0.1, 0.2
    ),
    "correlation": Criterion(
        "correlation of requested and obtained scores", "correlation, -1 to 1", "higher", 0.9, 0.6
    ),
    "kept": Criterion("rows that keep every fixed column", "share, 0 to 1", "higher", 0.99, 0.95),
    "column_tv": Criterion(
        "total variation from real rows of the same scores, mean over columns",
        "total variation, 0 to 1",
        "lower",
        0.03,
        0.08,
        against_floor=True,
    ),
    "worst_tv": Criterion(
        "total variation from real rows of such scores, the column that is farthest off",
        "total variation, 0 to 1",
        "lower",
        0.05,
        0.15,
        against_floor=True,
    ),
    "pair_tv": Criterion(
        "the same for pairs of columns, mean",
        "total variation, 0 to 1",
        "lower",
        0.05,
        0.12,
        against_floor=True,
    ),
    "wasserstein": Criterion(
        "Wasserstein distance from them, mean over numeric columns",
        "standard deviations, from 0",
        "lower",
        0.1,
        0.25,
        against_floor=True,
    ),
    "auc": Criterion(
        "how well a classifier tells the rows from real ones", "AUC, 0.5 is not at all", "lower", 0.6, 0.8
    ),
    "impossible": Criterion(
        "rows with two levels that never occur together", "share, 0 to 1", "lower", 0.02, 0.1
    ),
    "copies": Criterion(
        "rows that copy a real one, beyond twins among the real", "share, 0 to 1", "lower", 0.2, None
    ),
}
