"""How far bounds move with the sample: indicative intervals from weights drawn anew.

The Bayesian bootstrap (D. B. Rubin, The Bayesian bootstrap, Annals of Statistics 9, 1981): cells keep a
positive weight, so that none of the table's conditions vanishes, as it would in rows drawn with replacement.
The interval goes from the lower bound less so many standard deviations of it to the upper bound plus as many
of its own. Unlike :mod:`fairwitness.causal.confidence`, it promises no coverage for a given number of rows.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri

from fairwitness.causal.bounds import effect_bounds
from fairwitness.causal.distribution import Distribution
from fairwitness.causal.graph import CausalGraph
from fairwitness.causal.paths import PathSet
from fairwitness.causal.problem import Limits
from fairwitness.causal.results import EffectBounds
from fairwitness.errors import FairwitnessError
from fairwitness.parallel import map_row_chunks
from fairwitness.rng import child
from fairwitness.stats.intervals import check_confidence
from fairwitness.typing import FloatArray

#: Tables drawn: a standard deviation from so many is known to about 7 %.
N_RESAMPLES = 100
#: Fewer where each takes more linear programs than this: then it is known to about 16 %.
N_SLOW, MANY_PROGRAMS = 20, 10
#: Draws that one worker is handed at a time.
CHUNK = 10


def resampled_intervals(
    distribution: Distribution,
    graph: CausalGraph,
    asked: Mapping[str, Any],
    found: Sequence[tuple[PathSet, EffectBounds]],
    *,
    confidence: float,
    seed: int,
    limits: Limits | None = None,
    n_resamples: int = N_RESAMPLES,
    n_jobs: int | None = None,
) -> list[tuple[float, float]]:
    """Give an indicative interval for each of several effects.

    Parameters
    ----------
    distribution
        With counts.
    graph, asked
        The graph, and treatment, outcome and values, as for :func:`effect_bounds`.
    found
        The paths of each effect, and its bounds in the table itself.
    confidence
        Level of the intervals.
    seed
        The same draws are used for all effects, and for all calls with this seed.

    Returns
    -------
    list
        ``(low, high)`` around the bounds, in [−1, 1].
    """
    z = float(ndtri(0.5 + check_confidence(confidence) / 2))
    quick = [bounds.certificate.programs <= MANY_PROGRAMS for _, bounds in found]
    draw = functools.partial(
        _draws, distribution, graph, dict(asked), [p for p, _ in found], quick, seed, limits
    )
    chunks = map_row_chunks(draw, n_resamples, chunk_size=CHUNK, n_jobs=n_jobs, description="resamples")
    ends = np.concatenate(chunks)
    spread = np.nanstd(ends, axis=0, ddof=1)
    return [
        (
            max(bounds.lower - z * float(low), -1.0),
            min(bounds.upper + z * float(high), 1.0),
        )
        for (_, bounds), (low, high) in zip(found, spread, strict=True)
    ]


def _draws(
    distribution: Distribution,
    graph: CausalGraph,
    asked: dict[str, Any],
    paths: list[PathSet],
    quick: list[bool],
    seed: int,
    limits: Limits | None,
    rows: slice,
) -> FloatArray:
    """Give lower and upper bounds, (draws, effects, 2); NaN where a drawn table gives none."""
    counts = distribution.counts
    assert counts is not None
    seen = counts > 0
    ends = np.full((rows.stop - rows.start, len(paths), 2), np.nan)
    for at, number in enumerate(range(rows.start, rows.stop)):
        weights = np.zeros(counts.shape)
        weights[seen] = child(seed, "bounds", number).gamma(counts[seen])
        drawn = Distribution.from_counts(distribution.variables, distribution.levels, weights)
        for place, each in enumerate(paths):
            if number >= N_SLOW and not quick[place]:
                continue
            try:
                bounds = effect_bounds(drawn, graph, **asked, paths=each, limits=limits)
            except FairwitnessError:
                continue
            ends[at, place] = bounds.lower, bounds.upper
    return ends
