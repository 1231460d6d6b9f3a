"""One tensor of counts C[group, good outcome, accepted]: every group rate is a quotient of its sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairwitness.errors import DataError
from fairwitness.metrics.counted.confusion import count_labels
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Whom a rate is taken over: all rows, those with the good outcome, those with the other.
Among = Literal["all", "good", "other"]


@dataclass(frozen=True, slots=True, eq=False)
class Rate:
    """The share accepted in every group.

    Attributes
    ----------
    value
        (G,) shares in [0, 1]; NaN where a group has no such row, or only rows of weight 0.
    accepted, rows
        (G,) rows accepted, and rows in all: counts, whatever the weights.
    n
        (G,) effective number of rows: ``rows`` without weights, else Kish's (Σw)² / Σw², never more.
    """

    value: FloatArray
    accepted: IntArray
    rows: IntArray
    n: FloatArray

    @property
    def successes(self) -> FloatArray:
        """(G,) ``value`` times ``n``: what a score interval takes for the number of successes."""
        return np.where(self.n > 0, np.nan_to_num(self.value) * self.n, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Sums over the cells group × good outcome (0, 1) × accepted (0, 1).

    Attributes
    ----------
    rows
        (G, 2, 2) numbers of rows.
    weight, squares
        (G, 2, 2) sums of the weights and of their squares; equal to ``rows`` without weights.
    has_outcome
        Whether outcomes are known; if not, all rows stand at outcome 0 and only the rate among all
        rows has a meaning.
    """

    rows: IntArray
    weight: FloatArray
    squares: FloatArray
    has_outcome: bool
    weighted: bool

    @property
    def n_groups(self) -> int:
        """Number of groups, G."""
        return len(self.rows)

    def rate(self, among: Among = "all") -> Rate:
        """Give the share accepted among all rows, among those with the good outcome, or with the other.

        These are P(Ŷ = 1), P(Ŷ = 1 | Y = 1) (true positive rate) and P(Ŷ = 1 | Y = 0) (false positive rate).
        """
        part = {"all": slice(None), "good": slice(1, 2), "other": slice(0, 1)}[among]
        if among != "all" and not self.has_outcome:
            raise DataError(
                "true and false positive rates need the true outcomes, which were not given",
                fix="pass y, one outcome a row",
            )
        rows = self.rows[:, part].sum(axis=1)
        weight = self.weight[:, part].sum(axis=1)
        squares = self.squares[:, part].sum(axis=(1, 2))
        total = weight.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = weight[:, 1] / total
            n = np.where(total > 0, total**2 / squares, 0.0)
        return Rate(value=value, accepted=rows[:, 1], rows=rows.sum(axis=1), n=n)


def count_decisions(
    accepted: BoolArray,
    codes: IntArray,
    n_groups: int,
    y: BoolArray | None = None,
    *,
    sample_weight: FloatArray | None = None,
) -> Counts:
    """Count rows in every cell, in one pass.

    Parameters
    ----------
    accepted
        (n,) whether the model gives the favourable outcome.
    codes
        (n,) group of each row, 0 to ``n_groups - 1``; −1 leaves the row out.
    n_groups
        Number of groups, G.
    y
        (n,) whether the true outcome is the favourable one; ``None`` if not known.
    sample_weight
        (n,) weights, at least 0; ``None`` for 1 each.

    Returns
    -------
    Counts

    Raises
    ------
    DataError
        If lengths differ, or a weight is negative or not finite.
    """
    counted = count_labels(
        accepted, codes, n_groups, y, sample_weight=sample_weight, names=("accepted", "y", "sample_weight")
    )
    return Counts(
        rows=counted.rows,
        weight=counted.weight,
        squares=counted.squares,
        has_outcome=y is not None,
        weighted=sample_weight is not None,
    )
