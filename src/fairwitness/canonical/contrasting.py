"""The positive set against the negative one, column by column: how far apart, how sure, and on real rows too.

Made rows are as many as one asks for, so they can't be what a test counts. Everything that says how sure we
are rests on the *real* rows that support the two requests: p-values come from permuting which of them is in
which band, and intervals from resampling no more rows than there are real ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fairwitness.arguments import items_of, shown, whole_number
from fairwitness.canonical.base import CanonicalSet
from fairwitness.canonical.bins import Bins
from fairwitness.canonical.contrast_results import Contrast, FeatureContrast, LevelShare
from fairwitness.canonical.gate_report import GateReport
from fairwitness.canonical.given import check_sets
from fairwitness.canonical.rows import labels_of
from fairwitness.canonical.shares import ratio_interval
from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child, seed_from
from fairwitness.stats import Estimate, holm, jensen_shannon, percentile, total_variation
from fairwitness.stats.intervals import check_confidence
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, RandomState

#: Distinct numbers that a Wasserstein distance is resampled over; more are put in ranges.
MOST_VALUES = 256
#: The distances, in the order in which they are shown.
DISTANCES = ("total_variation", "jensen_shannon", "wasserstein")


def contrast(
    positive: CanonicalSet,
    negative: CanonicalSet,
    *,
    protected: Sequence[str] = (),
    gates: Sequence[GateReport] = (),
    confidence: float = 0.95,
    n_resamples: int = 999,
    random_state: RandomState = 0,
) -> Contrast:
    """Compare the distribution of every column in two sets.

    Parameters
    ----------
    positive, negative
        Two sets of one engine, from :meth:`~fairwitness.canonical.CanonicalSampler.positive` and
        :meth:`~fairwitness.canonical.CanonicalSampler.negative`, or any two requests.
    protected
        Sensitive columns, to be marked as such and shown first; those that the engine was told are among
        them in any case.
    gates
        What the gate says of the two sets, to be printed with every number.
    confidence
        Level of the intervals, and of the tests after Holm's correction over columns.
    n_resamples
        Permutations, and resamples; more if there are so many columns that Holm's correction needs them.
    random_state
        Seed.

    Returns
    -------
    Contrast
        One entry a column: total variation (0 to 1), Jensen–Shannon divergence (bits, 0 to 1) and, for
        numbers, the Wasserstein distance in standard deviations; 0 where the sets are alike. With each the
        same distance of the real rows, and a permutation p-value of that one.

    Raises
    ------
    ConfigError
        If the two sets are not of one engine, or the same, or ``gates`` are not about them.
    DataError
        If ``protected`` names no column.

    Examples
    --------
    >>> import fairwitness as fw
    >>> from fairwitness.canonical import TreeCanonicalSampler, contrast
    >>> world = fw.datasets.proxy_world(600, random_state=0)
    >>> table = world.X.assign(group=world.sensitive)
    >>> engine = TreeCanonicalSampler(protected=["group"]).fit(table, world.model(world.X))
    >>> found = contrast(engine.positive(500), engine.negative(500))
    >>> found["signal"].established, found["colour"].established
    (True, False)
    """
    check_sets(positive, negative)
    rows = positive.rows
    protected = labels_of(protected, "protected")
    unknown = [name for name in protected if name not in rows.names]
    if unknown:
        raise DataError(
            "protected names a column that is not in the sets",
            got=listing([shown(name) for name in unknown]),
            fix=f"use some of {listing([plain(name) for name in rows.names])}",
        )
    _check_gates(gates, positive, negative)
    level = check_confidence(confidence)
    n_resamples = whole_number(n_resamples, "n_resamples", least=19)
    # the smallest possible p-value has to survive the correction over all columns
    n_resamples = max(n_resamples, math.ceil(2 * len(rows.names) / (1 - level)))
    seed = seed_from(random_state)
    bins = Bins.of(rows, ranges=10)
    shared = np.intersect1d(positive.request.rows, negative.request.rows)
    if len(shared) == len(positive.request.rows) == len(negative.request.rows):
        raise ConfigError("both sets are for the same request", fix="ask for two bands of scores")
    # A row in both bands says nothing of what sets them apart.
    bands = [rows.matrix[np.setdiff1d(made.request.rows, shared)] for made in (positive, negative)]
    hidden = {*rows.protected, *protected}
    features = []
    for column, name in enumerate(rows.names):
        features.append(
            _feature(
                name,
                column,
                bins,
                [positive.matrix, negative.matrix],
                bands,
                spread=float(np.nanstd(rows.matrix[:, column])) if _numeric(bins, column) else math.nan,
                protected=name in hidden,
                confidence=level,
                n_resamples=n_resamples,
                rng=child(seed, "contrast", name),
            )
        )
    adjusted = holm([feature.p_value for feature in features])
    features = [
        feature.adjusted(float(p), level) for feature, p in zip(features, adjusted.tolist(), strict=True)
    ]
    return Contrast(
        features=tuple(features),
        requests=(positive.request.words, negative.request.words),
        n=(len(positive), len(negative)),
        n_real=(len(bands[0]), len(bands[1])),
        gates=tuple(gates),
        confidence=level,
    )


def _check_gates(gates: object, positive: CanonicalSet, negative: CanonicalSet) -> None:
    """Refuse reports that say nothing of the two sets: their verdict would be printed with every number."""
    reports = items_of(gates)
    asked = (positive.request.words, negative.request.words)
    if reports is None or not all(isinstance(each, GateReport) for each in reports):
        raise ConfigError(
            "gates must be reports of the gate",
            got=shown(gates),
            fix="pass [gate.check(positive), gate.check(negative)]",
        )
    for each in reports:
        if isinstance(each, GateReport) and each.request not in asked:
            raise ConfigError(
                "a report of the gate is about another set",
                got=plain(each.request),
                fix="pass [gate.check(positive), gate.check(negative)]",
            )


def _feature(
    name: str,
    column: int,
    bins: Bins,
    made: Sequence[FloatArray],
    bands: Sequence[FloatArray],
    *,
    spread: float,
    protected: bool,
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> FeatureContrast:
    counts = [_counts(bins, column, matrix) for matrix in (*made, *bands)]
    size = [min(len(made[side]), len(bands[side])) for side in (0, 1)]
    scale = _Numbers.of(column, bands, made, spread) if _numeric(bins, column) else None
    numbers = [scale.counts(matrix[:, column]) for matrix in (*made, *bands)] if scale else None
    estimates: dict[str, Estimate] = {}
    real: dict[str, float] = {}
    for distance in DISTANCES:
        given = numbers if distance == "wasserstein" else counts
        if given is None:
            why = "a column of levels has no such distance"
            estimates[distance], real[distance] = Estimate(math.nan, reason=why), math.nan
            continue
        measure = _measure(distance, scale)
        estimates[distance], real[distance] = _distance(
            measure, given, size, confidence, n_resamples, rng, [len(band) for band in bands]
        )
    test = "wasserstein" if scale else "total_variation"
    return FeatureContrast(
        name=name,
        kind="numbers" if scale else "levels",
        protected=protected,
        estimates=estimates,
        real=real,
        test=test,
        p_value=math.nan if (p := estimates[test].p_value) is None else p,
        levels=_levels(bins.labels[column], counts, size, [len(band) for band in bands], confidence),
    )


def _distance(
    measure: _Measure,
    counts: Sequence[FloatArray],
    size: Sequence[int],
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator,
    sizes: Sequence[int],
) -> tuple[Estimate, float]:
    """Give a distance of the made sets with interval and p-value, and that of the real rows."""
    positive, negative, real_positive, real_negative = counts
    value = float(measure(positive, negative))
    if not min(sizes):
        return Estimate(value, reason="no real row lies in one band only"), math.nan
    real = float(measure(real_positive, real_negative))
    ends = [
        _centred(measure, positive, negative, size, value, confidence, n_resamples, rng),
        _centred(measure, real_positive, real_negative, sizes, real, confidence, n_resamples, rng),
    ]
    # An engine weighs the real rows unevenly, so that its sets vary more than their number says: the interval
    # holds that of the real rows as well.
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    total = (real_positive + real_negative).astype(np.int64)
    n_first = int(real_positive.sum())
    first = rng.multivariate_hypergeometric(total, n_first, size=n_resamples, method="marginals")
    shuffled = measure(first.astype(np.float64), (total - first).astype(np.float64))
    p = (1 + int((shuffled >= real - 1e-12).sum())) / (1 + n_resamples)
    if p > 1 - confidence:
        low = 0.0  # what chance alone may give is no evidence of a difference
    return Estimate(value, low, high, n=int(total.sum()), p_value=p), real


def _centred(
    measure: _Measure,
    a: FloatArray,
    b: FloatArray,
    sizes: Sequence[int],
    value: float,
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Give the percentile interval of a distance, resampling so many rows of each side."""
    drawn = [
        rng.multinomial(n, counts / max(counts.sum(), 1), size=n_resamples).astype(np.float64)
        for n, counts in zip(sizes, (a, b), strict=True)
    ]
    samples = measure(drawn[0], drawn[1])
    # Resampled distances lie too high by about as much as the samples do: centred, then never below 0.
    low, high = percentile(samples - (samples.mean() - value), confidence)
    return max(float(low), 0.0), max(float(high), 0.0)


class _Measure:
    """A distance of counts over one set of values, for many pairs of counts at once."""

    def __init__(self, distance: str, steps: FloatArray | None) -> None:
        self.distance = distance
        self.steps = steps

    def __call__(self, a: FloatArray, b: FloatArray) -> FloatArray:
        if self.distance == "total_variation":
            return total_variation(a, b)
        if self.distance == "jensen_shannon":
            return jensen_shannon(a, b)
        assert self.steps is not None
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = [each / each.sum(axis=-1, keepdims=True) for each in (a, b)]
        apart = np.cumsum(shares[0] - shares[1], axis=-1)[..., :-1]
        return np.asarray(np.abs(apart) @ self.steps)


class _Numbers:
    """Numbers of a column on a fixed set of values, so that a sample is a row of counts."""

    def __init__(self, values: FloatArray, edges: FloatArray, spread: float) -> None:
        self.values = values
        self.edges = edges
        self.steps = np.diff(values) / (spread if spread > 0 else 1.0)

    @classmethod
    def of(
        cls, column: int, bands: Sequence[FloatArray], made: Sequence[FloatArray], spread: float
    ) -> _Numbers:
        pool = np.concatenate([matrix[:, column] for matrix in (*bands, *made)])
        pool = np.sort(pool[~np.isnan(pool)])
        values = np.unique(pool)
        if len(values) > MOST_VALUES:
            ends = np.unique(pool[np.linspace(0, len(pool) - 1, MOST_VALUES + 1).astype(np.int64)])[1:-1]
            code = np.searchsorted(ends, pool, side="left")
            sums = np.bincount(code, weights=pool, minlength=len(ends) + 1)
            return cls(sums / np.maximum(np.bincount(code, minlength=len(ends) + 1), 1), ends, spread)
        return cls(values, values[:-1], spread)

    def counts(self, values: FloatArray) -> FloatArray:
        present = values[~np.isnan(values)]
        code = np.searchsorted(self.edges, present, side="left")
        return np.bincount(code, minlength=max(len(self.values), 1)).astype(np.float64)


def _measure(distance: str, numbers: _Numbers | None) -> _Measure:
    return _Measure(distance, numbers.steps if numbers is not None and distance == "wasserstein" else None)


def _numeric(bins: Bins, column: int) -> bool:
    return not len(bins.place[column])


def _counts(bins: Bins, column: int, matrix: FloatArray) -> FloatArray:
    return bins.counts(bins.codes(matrix), column)


def _levels(
    labels: Sequence[str],
    counts: Sequence[FloatArray],
    size: Sequence[int],
    n_real: Sequence[int],
    confidence: float,
) -> tuple[LevelShare, ...]:
    shares = [each / max(each.sum(), 1) for each in counts]
    out = []
    for at, name in enumerate(labels):
        lift, low, high = ratio_interval(shares[0][at], size[0], shares[1][at], size[1], confidence)
        real = [float(shares[2 + side][at]) if n_real[side] else math.nan for side in (0, 1)]
        out.append(
            LevelShare(
                label=name,
                positive=float(shares[0][at]),
                negative=float(shares[1][at]),
                real_positive=real[0],
                real_negative=real[1],
                lift=lift,
                low=low,
                high=high,
                n_real=int(counts[2][at] + counts[3][at]),
            )
        )
    return tuple(out)
