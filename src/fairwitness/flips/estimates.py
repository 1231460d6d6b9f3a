"""From people's values to groups': means, intervals, differences and p-values, all k at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from fairwitness.arguments import shown
from fairwitness.errors import UnknownNameError
from fairwitness.flips.measures import Convention, Shortfall, cflips_curve, ndccf_curve
from fairwitness.flips.shared import Influence, influence
from fairwitness.rng import child
from fairwitness.stats.intervals import Estimate, combine_difference, percentile, wilson
from fairwitness.stats.resample import bootstrap_means, jackknife_variance, permutation_p
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, Document, FloatArray, IntArray

#: Ranks that are always on the grid of a curve, where k allows: the paper's.
REPORTED = (10, 50, 100)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeasureCurve:
    """One measure of one group (or of a difference) over k.

    Attributes
    ----------
    ks
        (c,) the ranks, ascending; the last is the k asked for.
    estimate, low, high
        (c,) values and their intervals; NaN where there is none.
    n
        (c,) people behind each value (of both groups, for a difference).
    p_value
        (c,) for a difference: of the hypothesis that the group label does not matter.
    """

    ks: IntArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    n: IntArray
    p_value: FloatArray | None = None

    def __repr__(self) -> str:
        return f"<MeasureCurve at {len(self.ks)} ranks up to {int(self.ks[-1])}: {self.at()!r}>"

    def at(self, k: int | None = None, *, reason: str = "") -> Estimate:
        """Give the value at one k of the grid; default the last.

        Raises
        ------
        UnknownNameError
            If k is not on the grid.
        """
        grid = self.ks.tolist()
        if k is not None and k not in grid:
            raise unknown("rank", k, grid)
        i = len(grid) - 1 if k is None else grid.index(k)
        known = bool(np.isfinite(self.estimate[i]))
        return Estimate(
            estimate=float(self.estimate[i]),
            low=float(self.low[i]),
            high=float(self.high[i]),
            n=int(self.n[i]),
            p_value=None if self.p_value is None else float(self.p_value[i]),
            reason="" if known else reason or "no eligible row has a value at this k",
        )

    def to_dict(self) -> Document:
        """Give plain lists for JSON; NaN becomes null."""
        return {
            name: [float(v) if np.isfinite(v) else None for v in getattr(self, name)]
            for name in ("estimate", "low", "high")
        }


def unknown(what: str, name: object, known: Sequence[object]) -> UnknownNameError:
    """Make the error for a name that a result does not have."""
    return UnknownNameError(
        f"there is no such {what} in this result",
        got=shown(name),
        fix=f"use one of {listing([plain(each, most=60) for each in known], most=40)}",
    )


def curve_ks(k: int) -> IntArray:
    """Give the ranks at which curves are kept: every one to 10, then ever fewer, and ``k`` itself."""
    grid = [*range(1, 11), *range(15, 51, 5), *range(60, 101, 10)]
    decade = 100
    while decade < k:
        grid += [decade * step // 10 for step in (15, 20, 30, 50, 70, 100)]
        decade *= 10
    return np.array(sorted({rank for rank in grid if rank <= k} | {k}), dtype=np.int64)


def group_curves(
    flips: Mapping[str, FloatArray],
    numbers: Mapping[str, FloatArray],
    codes: IntArray,
    n_groups: int,
    *,
    privileged: int,
    ks: IntArray,
    convention: Convention,
    shortfall: Shortfall,
    confidence: float,
    n_resamples: int,
    n_permutations: int,
    seed: int,
    purpose: Sequence[str],
    refitted: Sequence[Mapping[str, FloatArray]] = (),
) -> tuple[list[dict[str, MeasureCurve]], dict[int, dict[str, MeasureCurve]]]:
    """Give every group's curves, and the curves of every difference to the privileged group.

    People are resampled within their group, so the groups' resamples are independent; each resampled mean
    is disturbed by what shared counterfactuals add (:mod:`fairwitness.flips.shared`) and by what other
    training rows of the classifier would (:mod:`fairwitness.flips.refits`), and so is each shuffled
    difference behind a p-value. Resampled means of few people are moved away from the mean
    (:func:`expanded`). Where all people of a group have the same value the bootstrap
    knows of no spread: the interval is then Wilson's for that mean, which is as wide as any spread between
    0 and 1 allows, and a difference combines its parts' intervals.

    Parameters
    ----------
    flips
        ``"given"``: (q, k_max) flips in the generator's order; optionally ``"sorted"``: nearest to the
        decision boundary first.
    numbers
        For the same orders: (q, k_max) which distinct counterfactual stands at each rank.
    codes
        (q,) group of each person.
    n_groups, privileged
        Number of groups and the reference among them.
    ks
        Ranks to report.
    convention, shortfall
        As in :func:`fairwitness.flips.ndccf`.
    confidence, n_resamples, n_permutations, seed, purpose
        Level, number of resamples and of shuffles, seed and what the seed is for.
    refitted
        ``flips`` again as each fold's classifier infers them, NaN for people it does not recognise.

    Returns
    -------
    groups
        Measure → curve, one entry a group.
    differences
        Group code → measure → curve of group minus privileged.
    """
    measured = measure_values(flips, ks, convention, shortfall)
    values = _side_by_side(measured)
    means = [group_means(values[codes == g]) for g in range(n_groups)]
    boot = expanded(
        bootstrap_means(
            values, codes, n_groups, rng=child(seed, "bootstrap", *purpose), n_resamples=n_resamples
        ),
        means,
        confidence,
    )
    jitter = child(seed, "shared", *purpose).normal(size=(max(n_resamples, n_permutations), 1))
    shared = [_influences(flips, numbers, measured, codes == g, ks) for g in range(n_groups)]
    again = [_side_by_side(measure_values(each, ks, convention, shortfall)) for each in refitted]

    def interval(samples: FloatArray, spread: FloatArray) -> tuple[FloatArray, FloatArray]:
        return percentile(samples + jitter[:n_resamples] * spread, confidence)

    bounds = []
    for g, mean in enumerate(means):
        low, high = interval(boot[:, g], np.hypot(_spread(shared[g]), refit_spread(again, codes, g)))
        low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
        wide = wilson(np.clip(mean.value, 0, 1) * mean.n, mean.n, confidence)
        # What is put on top of the bootstrap may reach farther than Wilson's bounds, even so.
        bounds.append(
            (
                np.where(mean.same, np.fmin(wide[0], low), low),
                np.where(mean.same, np.fmax(wide[1], high), high),
            )
        )
    groups = [
        plain_curves(list(measured), ks, mean.value, *bounds[g], mean.n, None) for g, mean in enumerate(means)
    ]
    reference = means[privileged]
    differences = {}
    for g, mean in enumerate(means):
        if g == privileged:
            continue
        spread = np.hypot(_spread(shared[g], shared[privileged]), refit_spread(again, codes, g, privileged))
        down, up = interval(boot[:, g] - boot[:, privileged], spread)
        parts = combine_difference(mean.value, bounds[g], reference.value, bounds[privileged])
        same = mean.same | reference.same
        p = permutation_p(
            values,
            codes,
            g,
            privileged,
            rng=child(seed, "permutation", *purpose, g),
            n_permutations=n_permutations,
            disturbance=jitter[:n_permutations] * spread,
        )
        differences[g] = plain_curves(
            list(measured),
            ks,
            mean.value - reference.value,
            np.where(same, parts[0], np.clip(down, -1.0, 1.0)),
            np.where(same, parts[1], np.clip(up, -1.0, 1.0)),
            mean.n + reference.n,
            p,
        )
    return groups, differences


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """Mean of each of m columns over a group's people, how many have a value, and whether all are equal."""

    value: FloatArray
    n: IntArray
    same: BoolArray


def group_means(rows: FloatArray) -> Means:
    """Take the means of one group's rows, (n, m), NaN where a person has no value."""
    known = ~np.isnan(rows)
    n = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(known, rows, 0.0).sum(axis=0) / n
    top = np.where(known, rows, -np.inf).max(axis=0, initial=-np.inf)
    bottom = np.where(known, rows, np.inf).min(axis=0, initial=np.inf)
    return Means(value, n, top <= bottom)


def refit_spread(
    values: Sequence[FloatArray], codes: IntArray, group: int, reference: int | None = None
) -> FloatArray:
    """Give the spread that the classifier's training rows add to a group's mean, or to a difference.

    Parameters
    ----------
    values
        For each fold's classifier, (q, m) the people's values, NaN for those it does not recognise.
    codes
        (q,) group of each person.
    group, reference
        The group, and the one it is compared with.
    """
    means = [group_means(each[codes == group]).value for each in values]
    if reference is not None:
        others = [group_means(each[codes == reference]).value for each in values]
        means = [mine - theirs for mine, theirs in zip(means, others, strict=True)]
    return np.sqrt(jackknife_variance(means))


def _side_by_side(measured: Mapping[str, FloatArray]) -> FloatArray:
    return np.concatenate(list(measured.values()), axis=1)


def expanded(boot: FloatArray, means: Sequence[Means], confidence: float) -> FloatArray:
    """Move resampled means away from the mean, so that percentiles of few people's are wide enough.

    A resample of n values varies as n - 1 of them would, and its percentiles know nothing of Student's t:
    the interval of 2 people's mean holds the truth in half of the cases, of 10 people's in nine of ten.
    The factor t / z · √(n / (n - 1)) mends both. It is 9.2 for 2 people, 1.2 for 10 and 1.02 for 100.

    Parameters
    ----------
    boot
        (n_resamples, G, m) means of resamples of each group.
    means
        The G groups' means.
    confidence
        Level of the interval that is to come.

    References
    ----------
    T. C. Hesterberg (2015), What teachers should know about the bootstrap: expanded percentile interval.
    """
    tail = (1 + confidence) / 2
    centre = np.stack([mean.value for mean in means])
    n = np.maximum(np.stack([mean.n for mean in means]), 2)  # of one person there is nothing to expand
    factor = stdtrit(n - 1, tail) / ndtri(tail) * np.sqrt(n / (n - 1))
    return np.asarray(centre + (boot - centre) * factor)


def _influences(
    flips: Mapping[str, FloatArray],
    numbers: Mapping[str, FloatArray],
    measured: Mapping[str, FloatArray],
    chosen: BoolArray,
    ks: IntArray,
) -> list[Influence]:
    n_distinct = int(np.nanmax(numbers["given"], initial=-1)) + 1
    ranks = np.arange(1, flips["given"].shape[1] + 1)
    out = []
    for name, values in measured.items():
        order = "sorted" if name == "ndccf_sorted" else "given"
        out.append(
            influence(
                flips[order][chosen],
                numbers[order][chosen],
                ~np.isnan(values[chosen]),
                weights=np.ones(len(ranks)) if name == "cflips" else 1 / np.log2(ranks + 1),
                ks=ks,
                n_distinct=n_distinct,
            )
        )
    return out


def _spread(parts: Sequence[Influence], others: Sequence[Influence] | None = None) -> FloatArray:
    versus: Sequence[Influence | None] = [None] * len(parts) if others is None else others
    return np.concatenate([part.spread(other) for part, other in zip(parts, versus, strict=True)])


def measure_values(
    flips: Mapping[str, FloatArray], ks: IntArray, convention: Convention, shortfall: Shortfall
) -> dict[str, FloatArray]:
    """Give every person's values at ``ks``: measure → (q, c)."""
    columns = ks - 1
    given = flips["given"]
    out = {
        "cflips": cflips_curve(given, shortfall=shortfall)[:, columns],
        "ndccf": ndccf_curve(given, convention=convention, shortfall=shortfall)[:, columns],
    }
    if "sorted" in flips:
        curve = ndccf_curve(flips["sorted"], convention=convention, shortfall=shortfall)
        out["ndccf_sorted"] = curve[:, columns]
    return out


def plain_curves(
    names: Sequence[str],
    ks: IntArray,
    estimate: FloatArray,
    low: FloatArray,
    high: FloatArray,
    n: IntArray,
    p: FloatArray | None,
) -> dict[str, MeasureCurve]:
    """Cut arrays that hold the measures side by side into one curve a measure."""
    c = len(ks)
    return {
        name: MeasureCurve(
            ks=ks,
            estimate=estimate[at * c : (at + 1) * c],
            low=low[at * c : (at + 1) * c],
            high=high[at * c : (at + 1) * c],
            n=n[at * c : (at + 1) * c],
            p_value=None if p is None else p[at * c : (at + 1) * c],
        )
        for at, name in enumerate(names)
    }
