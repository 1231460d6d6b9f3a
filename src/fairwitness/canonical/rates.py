"""Output-based rates of the paper's Table 1, under their right names, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import boolean_array
from fairwitness.canonical.contrast_results import plain_value
from fairwitness.errors import DataError
from fairwitness.stats import Estimate, wilson
from fairwitness.table import level_text, read_column, sort_levels
from fairwitness.text import plain
from fairwitness.typing import BoolArray, Document


@dataclass(frozen=True, slots=True)
class OutputRates:
    """One group's rates, each in [0, 1]; which is better depends on what being accepted means.

    Attributes
    ----------
    label, n
        The group and its rows.
    base_rate
        Share whose true outcome is the favourable one: says nothing of the model. Print's "PR".
    positive_rate
        Share that the model accepts.
    true_positive_rate
        Share accepted among those whose true outcome is favourable.
    precision
        Share with a favourable true outcome among the accepted. Print's "TPR".
    """

    label: str
    n: int
    base_rate: Estimate
    positive_rate: Estimate
    true_positive_rate: Estimate
    precision: Estimate

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        names = ("base_rate", "positive_rate", "true_positive_rate", "precision")
        return {"label": self.label, "n": self.n, **{name: getattr(self, name).to_dict() for name in names}}


def output_rates(
    y_true: ArrayLike, y_pred: ArrayLike, groups: ArrayLike, *, confidence: float = 0.95
) -> tuple[OutputRates, ...]:
    """Give base rate, positive rate, true positive rate and precision of every group.

    The published Table 1 has its arguments swapped: what it prints as PR is the base rate of the label, and
    what it prints as TPR is the precision.

    Parameters
    ----------
    y_true, y_pred
        (n,) booleans: the true outcome is the favourable one, and the model accepts.
    groups
        (n,) the group of each row; missing is a group of its own.
    confidence
        Level of the (Wilson) intervals.

    Raises
    ------
    DataError
        If the three differ in length, are not one-dimensional, or outcomes are no booleans.
    """
    truth, accepted = boolean_array(y_true, "y_true"), boolean_array(y_pred, "y_pred")
    codes, levels = read_column(groups, name="groups").factorize()
    if truth.ndim != 1 or accepted.ndim != 1:
        raise DataError(
            "y_true and y_pred must be one-dimensional",
            got=f"arrays of shape {truth.shape} and {accepted.shape}",
            fix="pass one value a row in each",
        )
    if not len(truth) == len(accepted) == len(codes):
        raise DataError(
            "y_true, y_pred and groups differ in length",
            got=f"{len(truth)}, {len(accepted)} and {len(codes)}",
            fix="pass one value a row in each",
        )
    order = [levels.index(level) for level in sort_levels(levels)]
    out = []
    for code in [*order, *([-1] if (codes < 0).any() else [])]:
        mine = codes == code
        label = "missing" if code < 0 else plain(level_text(levels[code]))
        y, a = truth[mine], accepted[mine]
        out.append(
            OutputRates(
                label,
                int(mine.sum()),
                _rate(y, confidence, "the group is empty"),
                _rate(a, confidence, "the group is empty"),
                _rate(a[y], confidence, "no row has a favourable true outcome"),
                _rate(y[a], confidence, "no row is accepted"),
            )
        )
    return tuple(out)


def rates_frame(rates: tuple[OutputRates, ...]) -> Any:
    """Give one row a group and rate, as a pandas frame."""
    import pandas as pd

    return pd.DataFrame(
        [
            {"group": each.label, "n": each.n, "rate": name, "estimate": plain_value(rate.estimate)}
            | {"low": rate.low, "high": rate.high}
            for each in rates
            for name in ("base_rate", "positive_rate", "true_positive_rate", "precision")
            for rate in [getattr(each, name)]
        ]
    )


def _rate(flags: BoolArray, confidence: float, reason: str) -> Estimate:
    if not len(flags):
        return Estimate(np.nan, reason=reason)
    hits = int(flags.sum())
    low, high = wilson(hits, len(flags), confidence)
    return Estimate(hits / len(flags), float(low), float(high), len(flags), hits, len(flags))
