"""Bounds of resampled tables: how far they move with the sample. Indicative only.

Percentiles of resampled bounds (Efron 1979) promise nothing for a given number of rows: where a bound is the
largest of several expressions, or a probability is near 0, they may cover too rarely however many resamples
there are. :mod:`fairwitness.causal.sampling.confidence` gives an interval that holds.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.arguments import whole_number
from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.sampling.region import counted
from fairwitness.causal.solver.factors import Model
from fairwitness.causal.solver.plugin import plug_in
from fairwitness.errors import DataError
from fairwitness.parallel import map_row_chunks
from fairwitness.rng import child, seed_from
from fairwitness.stats.intervals import check_confidence, percentile
from fairwitness.typing import Document, FloatArray, RandomState

if TYPE_CHECKING:
    from fairwitness.causal.solver.problem import Limits
    from fairwitness.causal.solver.question import Question

#: Resamples that one worker is handed at a time.
CHUNK = 20


@dataclass(frozen=True, eq=False)
class BootstrapBounds:
    """Bounds of a table and of tables resampled from it.

    Attributes
    ----------
    lower, upper
        Bounds of the table itself.
    low, high
        Indicative interval: the lower percentile of lower bounds, and the upper percentile of upper bounds.
    samples
        (B, 2) lower and upper bound of each table; −1 and 1 where nobody in it is like the evidence.
    n_without
        How many those were.
    indicative
        Always true: it promises no coverage.
    """

    lower: float
    upper: float
    low: float
    high: float
    confidence: float
    samples: FloatArray
    n_without: int
    seed: int
    indicative: bool = True

    def to_frame(self) -> Any:
        """Give one row a bound: its value, the percentiles and the standard deviation of its resamples."""
        import pandas as pd

        low, high = percentile(self.samples, self.confidence)
        return pd.DataFrame(
            {
                "bound": ["lower", "upper"],
                "value": [self.lower, self.upper],
                "low": low,
                "high": high,
                "deviation": self.samples.std(axis=0, ddof=1) if len(self.samples) > 1 else [np.nan] * 2,
                "confidence": self.confidence,
                "n_resamples": len(self.samples),
                "indicative": True,
            }
        )

    def to_dict(self) -> Document:
        """Give everything but the samples as plain values."""
        return {
            "lower": self.lower,
            "upper": self.upper,
            "interval": [self.low, self.high],
            "confidence": self.confidence,
            "n_resamples": len(self.samples),
            "n_without": self.n_without,
            "seed": self.seed,
            "indicative": True,
        }

    def __repr__(self) -> str:
        return (
            f"<BootstrapBounds [{self.lower:.4f}, {self.upper:.4f}], indicative {self.confidence:.0%} "
            f"interval [{self.low:.4f}, {self.high:.4f}] of {len(self.samples)} resamples>"
        )


def bootstrap_bounds(
    question: Question,
    n_resamples: int = 200,
    confidence: float = 0.95,
    random_state: RandomState = None,
    *,
    limits: Limits | None = None,
    n_jobs: int | None = None,
) -> BootstrapBounds:
    """Bound the effect in tables resampled from the rows: an indication of sampling error, not more.

    Parameters
    ----------
    question
        From :func:`fairwitness.causal.solver.question.prepare`. A known predictor stays as it is.
    n_resamples
        How many tables.
    confidence
        Level of the percentiles.
    random_state
        Seed; each resample has its own stream, so that ``n_jobs`` changes nothing.

    Raises
    ------
    ConfigError
        If the number of rows is not known, or a setting makes no sense.
    """
    whole_number(n_resamples, "n_resamples", least=2)
    level = check_confidence(confidence)
    counts = counted(question.model, question.model.graph.nodes)
    seed = seed_from(random_state)
    plain = plug_in(question, limits=limits)
    draw = functools.partial(_drawn, question, counts, seed, limits)
    parts = map_row_chunks(draw, n_resamples, chunk_size=CHUNK, n_jobs=n_jobs, description="resamples")
    ends = np.concatenate(parts)
    without = np.isnan(ends[:, 0])
    samples = np.where(np.isnan(ends), [-1.0, 1.0], ends)
    low, high = percentile(samples, level)
    return BootstrapBounds(
        plain.lower,
        plain.upper,
        min(float(low[0]), plain.lower),
        max(float(high[1]), plain.upper),
        level,
        samples,
        int(without.sum()),
        seed,
    )


def _drawn(
    question: Question, counts: FloatArray, seed: int, limits: Limits | None, numbers: slice
) -> FloatArray:
    return np.array(
        [_ends(question, counts, seed, limits, number) for number in range(numbers.start, numbers.stop)]
    )


def _ends(
    question: Question, counts: FloatArray, seed: int, limits: Limits | None, number: int
) -> tuple[float, float]:
    generator = child(seed, "bootstrap", number)
    n = int(counts.sum())
    drawn = generator.multinomial(n, counts.ravel() / n).reshape(counts.shape)
    model, known = question.model, question.model.distribution
    table = Distribution.from_counts(known.variables, known.levels, drawn)
    again = replace(question, model=Model(model.graph, table, model.kernel))
    try:
        found = plug_in(again, limits=limits)
    except DataError:  # nobody is like the evidence
        return np.nan, np.nan
    return found.lower, found.upper
