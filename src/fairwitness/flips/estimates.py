"""From people's values to groups': means, intervals, differences and p-values, all k at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairwitness.flips.measures import Convention, Shortfall, cflips_curve, ndccf_curve
from fairwitness.rng import child
from fairwitness.stats.intervals import Estimate, combine_difference, percentile, wilson
from fairwitness.stats.resample import bootstrap_means, permutation_p
from fairwitness.typing import Document, FloatArray, IntArray

#: Ranks that are always on the grid of a curve, where k allows: the paper's.
REPORTED = (10, 50, 100)


@dataclass(frozen=True, slots=True, eq=False)
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

    def at(self, k: int | None = None, *, reason: str = "") -> Estimate:
        """Give the value at one k of the grid; default the last.

        Raises
        ------
        KeyError
            If k is not on the grid.
        """
        where = np.flatnonzero(self.ks == (self.ks[-1] if k is None else k))
        if not len(where):
            raise KeyError(k)
        i = int(where[0])
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


def curve_ks(k: int) -> IntArray:
    """Give the ranks at which curves are kept: every one to 10, then ever fewer, and ``k`` itself."""
    grid = [*range(1, 11), *range(15, 51, 5), *range(60, 101, 10)]
    step = 100
    while grid[-1] < k:
        grid += range(grid[-1] + step // 4, 10 * step + 1, step // 4)
        step *= 10
    return np.array(sorted({rank for rank in grid if rank <= k} | {k}), dtype=np.int64)


def group_curves(
    flips: Mapping[str, FloatArray],
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
) -> tuple[list[dict[str, MeasureCurve]], dict[int, dict[str, MeasureCurve]]]:
    """Give every group's curves, and the curves of every difference to the privileged group.

    People are resampled within their group, so the groups' resamples are independent and a difference's
    interval comes from the differences of resamples. Where all people of a group have the same value the
    bootstrap knows of no spread: the interval is then Wilson's for that mean, which is at least as wide as
    any spread between 0 and 1 allows, and a difference combines its parts' intervals.

    Parameters
    ----------
    flips
        ``"given"``: (q, k_max) flips in the generator's order; optionally ``"sorted"``: nearest to the
        decision boundary first.
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

    Returns
    -------
    groups
        Measure → curve, one entry a group.
    differences
        Group code → measure → curve of group minus privileged.
    """
    measured = _measured(flips, ks, convention, shortfall)
    values = np.concatenate(list(measured.values()), axis=1)
    estimate, low, high, count, flat = _group_means(
        values, codes, n_groups, confidence, n_resamples, child(seed, "bootstrap", *purpose)
    )
    boot, degenerate = flat
    names = list(measured)
    groups = [_cut(names, ks, estimate[g], low[g], high[g], count[g], None) for g in range(n_groups)]
    differences = {}
    for g in range(n_groups):
        if g == privileged:
            continue
        down, up = percentile(boot[:, g] - boot[:, privileged], confidence)
        parts = combine_difference(
            estimate[g], (low[g], high[g]), estimate[privileged], (low[privileged], high[privileged])
        )
        wide = degenerate[g] | degenerate[privileged]
        p = permutation_p(
            values,
            codes,
            g,
            privileged,
            rng=child(seed, "permutation", *purpose, g),
            n_permutations=n_permutations,
        )
        differences[g] = _cut(
            names,
            ks,
            estimate[g] - estimate[privileged],
            np.where(wide, parts[0], down),
            np.where(wide, parts[1], up),
            count[g] + count[privileged],
            p,
        )
    return groups, differences


def _measured(
    flips: Mapping[str, FloatArray], ks: IntArray, convention: Convention, shortfall: Shortfall
) -> dict[str, FloatArray]:
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


def _group_means(
    values: FloatArray,
    codes: IntArray,
    n_groups: int,
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, tuple[FloatArray, FloatArray]]:
    estimate = np.full((n_groups, values.shape[1]), np.nan)
    count = np.zeros((n_groups, values.shape[1]), dtype=np.int64)
    same = np.zeros((n_groups, values.shape[1]), dtype=bool)
    for g in range(n_groups):
        rows = values[codes == g]
        known = ~np.isnan(rows)
        count[g] = known.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            estimate[g] = np.where(known, rows, 0.0).sum(axis=0) / count[g]
        top = np.where(known, rows, -np.inf).max(axis=0, initial=-np.inf)
        bottom = np.where(known, rows, np.inf).min(axis=0, initial=np.inf)
        same[g] = top <= bottom
    boot = bootstrap_means(values, codes, n_groups, rng=rng, n_resamples=n_resamples)
    low, high = percentile(boot, confidence)
    wide_low, wide_high = wilson(np.clip(estimate, 0, 1) * count, count, confidence)
    return (
        estimate,
        np.where(same, wide_low, low),
        np.where(same, wide_high, high),
        count,
        (boot, same),
    )


def _cut(
    names: Sequence[str],
    ks: IntArray,
    estimate: FloatArray,
    low: FloatArray,
    high: FloatArray,
    n: IntArray,
    p: FloatArray | None,
) -> dict[str, MeasureCurve]:
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
