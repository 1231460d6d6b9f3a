"""How far bounds move with the sample: indicative intervals from weights drawn anew.

The Bayesian bootstrap (D. B. Rubin, The Bayesian bootstrap, Annals of Statistics 9, 1981): cells keep a
positive weight, so that none of the table's conditions vanishes, as it would in rows drawn with replacement.
The interval goes from the lower bound less so many standard deviations of it to the upper bound plus as many
of its own. Unlike :mod:`fairwitness.causal.sampling.confidence`, it promises no coverage for a given number
of rows.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.sampling.region import counted
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.plugin import plug_in
from fairwitness.causal.solver.problem import Limits
from fairwitness.causal.solver.results import EffectBounds
from fairwitness.errors import FairwitnessError
from fairwitness.parallel import map_row_chunks
from fairwitness.rng import child
from fairwitness.stats.intervals import check_confidence
from fairwitness.typing import FloatArray

if TYPE_CHECKING:
    from fairwitness.causal.data.kernel import Kernel
    from fairwitness.causal.solver.question import Question

#: Tables drawn: a standard deviation from so many is known to about 7 %.
N_RESAMPLES = 100
#: Fewer where each takes more linear programs than this: then it is known to about 16 %.
N_SLOW, MANY_PROGRAMS = 20, 10
#: Draws that one worker is handed at a time.
CHUNK = 10
#: What a user should know of such an interval.
NOTE = "the interval is indicative: it says how far the bounds move with the sample, and promises no coverage"


def resampled_intervals(
    found: Sequence[tuple[Question, EffectBounds]],
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
    found
        The questions, and the bounds in their tables.
    confidence
        Level of the intervals.
    seed
        The same draws are used for all effects in one table, and for all calls with this seed.

    Returns
    -------
    list
        ``(low, high)`` around the bounds, in [−1, 1].

    Raises
    ------
    ConfigError
        If the number of rows is not known.
    """
    z = float(ndtri(0.5 + check_confidence(confidence) / 2))
    questions = [question for question, _ in found]
    for question in questions:
        counted(question.model, ())  # refuse tables without counts before anything is drawn
    quick = [bounds.certificate.programs <= MANY_PROGRAMS for _, bounds in found]
    draw = functools.partial(_draws, questions, quick, seed, limits)
    chunks = map_row_chunks(draw, n_resamples, chunk_size=CHUNK, n_jobs=n_jobs, description="resamples")
    spread = np.nanstd(np.concatenate(chunks), axis=0, ddof=1)
    return [
        (
            max(bounds.lower - z * float(low), -1.0),
            min(bounds.upper + z * float(high), 1.0),
        )
        for (_, bounds), (low, high) in zip(found, spread, strict=True)
    ]


def _draws(
    questions: Sequence[Question], quick: Sequence[bool], seed: int, limits: Limits | None, rows: slice
) -> FloatArray:
    """Give lower and upper bounds, (draws, effects, 2); NaN where a drawn table gives none."""
    ends = np.full((rows.stop - rows.start, len(questions), 2), np.nan)
    for at, number in enumerate(range(rows.start, rows.stop)):
        for place, question in enumerate(questions):
            if number >= N_SLOW and not quick[place]:
                continue
            try:
                bounds = plug_in(_drawn(question, child(seed, "bounds", number)), limits=limits)
            except FairwitnessError:
                continue
            ends[at, place] = bounds.lower, bounds.upper
    return ends


def _drawn(question: Question, rng: np.random.Generator) -> Question:
    """Ask the same of the table with weights drawn anew, and of a predictor known by its means likewise."""
    model = question.model
    weights = _gamma(counted(model, model.graph.nodes), rng)
    distribution = Distribution.from_counts(model.distribution.variables, model.distribution.levels, weights)
    return replace(question, model=Model(model.graph, distribution, _answers(model.kernel, rng)))


def _answers(kernel: Kernel | None, rng: np.random.Generator) -> Kernel | None:
    if kernel is None or kernel.rows is None:
        return kernel
    weights = _gamma(np.nan_to_num(kernel.table * kernel.rows[..., None]), rng)
    total = weights.sum(axis=-1, keepdims=True)
    return replace(kernel, table=np.divide(weights, total, out=kernel.table.copy(), where=total > 0))


def _gamma(counts: FloatArray, rng: np.random.Generator) -> FloatArray:
    weights = np.zeros(counts.shape)
    seen = counts > 0
    weights[seen] = rng.gamma(counts[seen])
    return weights
