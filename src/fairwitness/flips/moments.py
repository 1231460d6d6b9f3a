"""Correlations over pairs (person, counterfactual), with the two ways in which pairs depend on each other.

A correlation needs six sums: of 1, ε, δ, ε², δ² and εδ. Kept per person they are small, and a resample of
people is a weighted sum of them, so the 300,000 × 100 matrix of one-hot changes is never built: one column
of it exists at a time.

Pairs of one person are alike, and so are pairs that share a counterfactual (see
:mod:`fairwitness.flips.shared`). Resampling people sees the first; what sharing adds is the sum, over
counterfactuals, of the products of different people's contributions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtr

from fairwitness.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from fairwitness.table.schema import Feature, Schema

#: A variance below this share of the second moment is rounding, not change.
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All pairs counted.

    Attributes
    ----------
    person, counterfactual
        (m,) numbers from 0: whose counterfactual it is, and which distinct counterfactual.
    delta
        (m,) change of the inferred probability, centred.
    own
        (3, people): sums over each person's pairs of 1, δ and δ².
    """

    person: IntArray
    counterfactual: IntArray
    delta: FloatArray
    own: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        everyone = np.ones(len(self.person), dtype=np.bool_)
        object.__setattr__(self, "own", own_sums(self.person, self.delta, everyone))


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """What is kept of one column of ε.

    Attributes
    ----------
    column, level
        The feature, and the level of a categorical one.
    sums
        (6, people): 1, ε, δ, ε², δ², εδ over each person's pairs.
    n_changed
        People for whom it changes at least once.
    shared_score, shared_rho
        What shared counterfactuals add to the variance of the summed score, and of ρ.
    n_counterfactuals
        Distinct counterfactuals behind it.
    """

    column: str
    level: str | None
    sums: FloatArray
    n_changed: int
    shared_score: float
    shared_rho: float
    n_counterfactuals: int


def changes(
    schema: Schema, before: FloatArray, after: FloatArray
) -> Iterator[tuple[str, str | None, FloatArray]]:
    """Yield every column of ε = c - x: name, level, and (m,) changes; NaN where there is no difference.

    Numbers and ordinal codes give their difference; a level of a categorical column is -1 where left and
    +1 where entered; missing is a level, of a numeric column too.

    Parameters
    ----------
    schema
        Kinds and levels of the d columns.
    before, after
        (m, d) encoded person and counterfactual of each pair.
    """
    for at, feature in enumerate(schema.features):
        old, new = before[:, at], after[:, at]
        if feature.kind in {"categorical", "boolean"}:
            yield from _levels(feature, old, new)
            continue
        yield feature.name, None, np.where(np.isnan(old) & np.isnan(new), 0.0, new - old)
        became = np.isnan(new).astype(np.float64) - np.isnan(old)
        if became.any():
            yield feature.name, "missing", became


def own_sums(person: IntArray, delta: FloatArray, counted: BoolArray) -> FloatArray:
    """Sum 1, δ and δ² over each person's counted pairs: (3, people)."""
    people = int(person.max(initial=-1)) + 1
    weights = (counted.astype(np.float64), delta, delta * delta)
    return np.stack([np.bincount(person, each, people).astype(np.float64) for each in weights])


def moments(column: str, level: str | None, epsilon: FloatArray, pairs: Pairs) -> Moments:
    """Take the sums of one column of ε, and what shared counterfactuals add."""
    known = ~np.isnan(epsilon)
    people = int(pairs.person.max(initial=-1)) + 1
    centre, scale = _standard(epsilon[known])
    # Centred and scaled, so that squares of large numbers do not swallow the differences.
    e = np.where(known, (epsilon - centre) / scale, 0.0)
    d = np.where(known, pairs.delta, 0.0)
    sums = np.zeros((6, people))
    sums[1], sums[3], sums[5] = (np.bincount(pairs.person, each, people) for each in (e, e * e, e * d))
    # Where every pair counts, what does not depend on the column is known already.
    sums[0], sums[2], sums[4] = pairs.own if known.all() else own_sums(pairs.person, d, known)
    n, e_sum, d_sum, ee, dd, _ = sums.sum(axis=1)
    shared_score = shared_rho = 0.0
    rho = float(correlation(sums.sum(axis=1)))
    if np.isfinite(rho):
        e_mean, d_mean = e_sum / n, d_sum / n
        e_unit = np.where(known, (e - e_mean) / np.sqrt(ee / n - e_mean**2), 0.0)
        d_unit = np.where(known, (d - d_mean) / np.sqrt(dd / n - d_mean**2), 0.0)
        shared_score = _between(e_unit * d_unit, pairs.counterfactual)
        slope = (e_unit * d_unit - rho / 2 * (e_unit**2 + d_unit**2)) / n
        shared_rho = _between(slope, pairs.counterfactual)
    return Moments(
        column=column,
        level=level,
        sums=sums,
        n_changed=int((np.bincount(pairs.person[known & (epsilon != 0)], minlength=people) > 0).sum()),
        shared_score=shared_score,
        shared_rho=shared_rho,
        n_counterfactuals=int((np.bincount(pairs.counterfactual[known]) > 0).sum()),
    )


def correlation(sums: FloatArray) -> FloatArray:
    """Give Pearson's ρ from the six sums along the first axis; NaN where ε or δ does not vary."""
    n, e, d, ee, dd, ed = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = ed / n - (e / n) * (d / n)
        e_variance = ee / n - (e / n) ** 2
        d_variance = dd / n - (d / n) ** 2
        varies = (e_variance > _NOTHING * ee / n) & (d_variance > _NOTHING * dd / n)
        rho = covariance / np.sqrt(e_variance * d_variance)
    return np.asarray(np.clip(np.where(varies, rho, np.nan), -1.0, 1.0))


def association_p(column: Moments) -> float:
    """Give the p-value of "ε and δ do not go together"; people and counterfactuals are the units, not pairs.

    Each person contributes one number, the sum of (ε - mean)(δ - mean) over their pairs, in units of the
    two spreads; a one-sample t test asks whether these average to zero. To the variance comes what shared
    counterfactuals add. In simulations without association (pairs of one person alike, 8 to 100 people,
    rare levels, skewed and unequal spreads) the test stays at or below its level, where the usual test of ρ
    rejects in half of the cases at the 5 % level, and a normal approximation from a bootstrap of people in
    6 to 19 %.
    """
    n, e, d, ee, dd, ed = column.sums
    counted = n > 0
    people = int(counted.sum())
    if people < 2 or not np.isfinite(correlation(column.sums.sum(axis=1))):
        return float("nan")
    total = n.sum()
    e_mean, d_mean = e.sum() / total, d.sum() / total
    unit = np.sqrt((ee.sum() / total - e_mean**2) * (dd.sum() / total - d_mean**2))
    score = (ed - e_mean * d - d_mean * e + n * e_mean * d_mean)[counted] / unit
    variance = people * score.var(ddof=1) + column.shared_score
    if variance <= 0:
        return float("nan")
    freedom = min(people, column.n_counterfactuals) - 1
    return float(2 * stdtr(max(freedom, 1), -abs(score.sum()) / np.sqrt(variance)))


def _between(contribution: FloatArray, number: IntArray) -> float:
    """Sum the products of different pairs' contributions to the same counterfactual; at least 0."""
    joint = np.bincount(number, contribution)
    return max(float(joint @ joint - contribution @ contribution), 0.0)


def _levels(
    feature: Feature, old: FloatArray, new: FloatArray
) -> Iterator[tuple[str, str | None, FloatArray]]:
    from fairwitness.table.levels import level_text

    levels = list(enumerate(feature.levels))
    # The two levels of a boolean mirror each other; one says it all.
    for code, level in levels[-1:] if feature.kind == "boolean" else levels:
        yield feature.name, level_text(level), (new == code).astype(np.float64) - (old == code)
    became = np.isnan(new).astype(np.float64) - np.isnan(old)
    if became.any():
        yield feature.name, "missing", became


def _standard(values: FloatArray) -> tuple[float, float]:
    if not len(values):
        return 0.0, 1.0
    if np.ptp(values) <= _NOTHING * np.abs(values).max():
        # Constant: every ε becomes exactly zero, so that no rounding passes for change.
        return float(values[0]), np.inf
    return float(values.mean()), float(values.std())
