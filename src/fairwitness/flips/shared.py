"""Counterfactuals that people share: the uncertainty that resampling people does not see.

With neighbours, the same accepted rows are the counterfactuals of many people, so the people's values are not
independent: had a few other rows been accepted, many values would have moved together. Each distinct
counterfactual's influence on a group's mean is what the mean gains if that counterfactual counts a little
more. Squared and summed over counterfactuals, without each person's own part, which resampling people sees
already, the influences give the variance that sharing adds.

In synthetic worlds whose true difference is 0, nominal 95 % intervals from people alone hold 0 in half to two
thirds of the worlds, and with this variance in 92 to 100 %. For a generator that makes new rows for each
person nothing is shared and nothing is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.counterfactuals.sets import CounterfactualSet


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """How the counterfactuals move a group's mean at each of c ranks.

    Attributes
    ----------
    joint
        (J, c) influence of each distinct counterfactual.
    own
        (c,) sum of squares of the single pairs' parts.
    """

    joint: FloatArray
    own: FloatArray

    def spread(self, other: Influence | None = None) -> FloatArray:
        """Give the spread, (c,), that sharing adds to the mean, or to its difference from another."""
        joint = self.joint if other is None else self.joint - other.joint
        own = self.own if other is None else self.own + other.own
        return np.asarray(np.sqrt(np.maximum((joint**2).sum(axis=0) - own, 0.0)))


def distinct_counterfactuals(counterfactuals: CounterfactualSet) -> IntArray:
    """Give each counterfactual a number, (m,), the same for the same row of the table; 0 to J - 1.

    A row that is not in the table counts as one of its own: it was made for its person.
    """
    number = counterfactuals.source.copy()
    made = np.flatnonzero(number < 0)
    number[made] = number.max(initial=-1) + 1 + np.arange(len(made))
    return np.unique(number, return_inverse=True)[1].reshape(-1).astype(np.int64)


def influence(
    flips: FloatArray,
    numbers: FloatArray,
    counted: BoolArray,
    *,
    weights: FloatArray,
    ks: IntArray,
    n_distinct: int,
) -> Influence:
    """Give the influence of every distinct counterfactual on the mean value of some people.

    Parameters
    ----------
    flips
        (q, k_max) whether each counterfactual flips; NaN where there is none.
    numbers
        (q, k_max) which distinct counterfactual stands at each rank.
    counted
        (q, c) which people have a value at each of ``ks``.
    weights
        (k_max,) weight of each rank in a value: ones for CFlips, discounts for nDCCF. A value is a weighted
        mean over ranks; a counterfactual that counts a little more moves it towards its own flip.
    ks
        (c,) ranks.
    n_distinct
        Number of distinct counterfactuals, J.
    """
    joint = np.zeros((n_distinct, len(ks)))
    own = np.zeros(len(ks))
    there = ~np.isnan(flips)
    whole = np.cumsum(np.where(there, weights, 0.0), axis=1)
    part = np.cumsum(np.where(there, weights * np.where(there, flips, 0.0), 0.0), axis=1)
    person, rank = np.nonzero(there)
    flip, number = flips[there], numbers[there].astype(np.int64)
    for at, k in enumerate(ks.tolist()):
        people = int(counted[:, at].sum())
        if not people:
            continue
        used = (rank < k) & counted[person, at]
        who = person[used]
        mean = part[who, k - 1] / whole[who, k - 1]
        moved = weights[rank[used]] * (flip[used] - mean) / whole[who, k - 1] / people
        joint[:, at] = np.bincount(number[used], moved, minlength=n_distinct)
        own[at] = moved @ moved
    return Influence(joint, own)
