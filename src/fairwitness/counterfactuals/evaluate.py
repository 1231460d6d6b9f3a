"""Measure counterfactuals, whoever made them, by one yardstick and by asking the model again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.counterfactuals.evaluation import QUALITIES, CounterfactualEvaluation, SetQuality
from fairwitness.counterfactuals.fitted import distinct_rows
from fairwitness.counterfactuals.sets import CounterfactualSet
from fairwitness.errors import ConfigError, DataError
from fairwitness.rng import child, seed_from
from fairwitness.stats.intervals import Estimate, check_confidence, percentile, wilson
from fairwitness.stats.resample import bootstrap_means
from fairwitness.text import plain
from fairwitness.typing import FloatArray, IntArray, NativeFrame, RandomState

if TYPE_CHECKING:
    from fairwitness.model.blackbox import BlackBox
    from fairwitness.table.distance import MixedDistance

#: Rows of the table whose own neighbours say how far apart rows of the table are.
_REFERENCE = 2000
#: A counterfactual is plausible up to this quantile of the table's own neighbour distances.
_QUANTILE = 0.95
#: Pairs of rows whose distances are held at once.
_PAIRS = 1 << 22


def evaluate_counterfactuals(
    sets: Mapping[str, CounterfactualSet] | CounterfactualSet,
    model: object,
    X: NativeFrame,
    *,
    neighbors: int = 5,
    max_rows: int | None = 10_000,
    cpu_seconds: Mapping[str, float] | float | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> CounterfactualEvaluation:
    r"""Say how good counterfactuals are, for one set or several side by side.

    Every quality is a mean over queries of a mean over the query's counterfactuals; a query without any
    counts for coverage and answered only. With :math:`d` the distance of
    :class:`fairwitness.table.MixedDistance`, scaled on ``X``, and :math:`c_1, \dots, c_m` the
    counterfactuals of query :math:`x` by rank:

    ``coverage``, ``answered``
        Share of queries with all k, and with at least one counterfactual. 0 to 1, higher is better.
    ``validity``
        Share accepted when the model is asked again, now. 0 to 1; anything below 1 is an error of the
        generator or an unstable model.
    ``distance``, ``first_distance``
        :math:`\frac1m \sum_i d(c_i, x)`, and :math:`d(c_1, x)`. From 0, lower is better.
    ``changed``
        Number of columns that differ from the query. From 1, lower is better.
    ``diversity``
        :math:`\frac{2}{m(m-1)} \sum_{i<j} d(c_i, c_j)`, for queries with at least two. From 0, higher is
        better.
    ``data_distance``
        Distance to the nearest row of ``X``; 0 for a row that exists. From 0, lower is better.
    ``plausible``
        Share of counterfactuals whose distance to the ``neighbors``-th nearest *other* row of ``X`` is at
        most the 95 % quantile of the same distance among rows of ``X``: about 0.95 for rows drawn from the
        table. 0 to 1, higher is better.
    ``cpu_seconds``
        Processor time a query, if given. From 0 seconds, lower is better.

    Parameters
    ----------
    sets
        Name → set, or one set. All must be of the same columns.
    model
        What accepts: a :class:`fairwitness.model.BlackBox`, or anything ``as_blackbox`` takes.
    X
        The whole table that the generators were fitted on: it gives the scales and the neighbours.
    neighbors
        Which nearest row tells whether a counterfactual is plausible, at least 1.
    max_rows
        Distinct rows of ``X`` that are looked at for neighbours, drawn at random; ``None``: all. Fewer
        rows are further apart, for all sets alike.
    cpu_seconds
        Name → processor seconds that ``generate`` took in all (for one set: the number).
    confidence, n_resamples, random_state
        Of the intervals: Wilson's for coverage and answered, for the others percentiles of bootstrap
        resamples of the queries, the same queries for every set.

    Returns
    -------
    CounterfactualEvaluation

    Raises
    ------
    DataError
        If the sets are of different columns, or ``X`` does not fit them.
    ConfigError
        If there is no set, or a setting makes no sense.
    """
    from fairwitness.model.blackbox import as_blackbox
    from fairwitness.table.distance import MixedDistance

    named = {sets.generator: sets} if isinstance(sets, CounterfactualSet) else dict(sets)
    check_confidence(confidence)
    for label, count in (("neighbors", neighbors), ("max_rows", max_rows)):
        if count is not None and count < 1:
            raise ConfigError(f"{label} must be at least 1", got=count, fix="pass 1 or more")
    seconds = _seconds(named, cpu_seconds)
    first = _one_table(named)
    seed = seed_from(random_state)
    matrix = first.encoder.encode(X)
    measure = MixedDistance.fit(matrix, first.encoder.schema)
    table = _Neighborhood.of(matrix, measure, neighbors=neighbors, max_rows=max_rows, seed=seed)
    box = as_blackbox(model)
    found = []
    for name, each in named.items():
        values = _values(each, box, measure, table)
        estimates = _shares(each, confidence) | _means(values, len(each), confidence, n_resamples, seed)
        estimates["cpu_seconds"] = _cpu(seconds.get(name), each.n_queries)
        if not box.info.can_query:
            estimates["validity"] = Estimate(np.nan, reason="the model cannot be asked again")
        found.append(
            SetQuality(
                name=name,
                generator=each.generator,
                k=each.k,
                n_queries=each.n_queries,
                n_counterfactuals=len(each),
                estimates={quality: estimates[quality] for quality in QUALITIES},
            )
        )
    settings = {
        "neighbors": neighbors,
        "n_rows_looked_at": len(table.rows),
        "plausible_up_to": table.limit,
        "confidence": confidence,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    return CounterfactualEvaluation(tuple(found), settings)


@dataclass(frozen=True, eq=False)
class _Neighborhood:
    """Distinct rows of the table, and how far their ``neighbors``-th nearest is at most, mostly."""

    rows: FloatArray
    measure: MixedDistance
    neighbors: int
    limit: float

    @classmethod
    def of(
        cls, matrix: FloatArray, measure: MixedDistance, *, neighbors: int, max_rows: int | None, seed: int
    ) -> _Neighborhood:
        rows = distinct_rows(matrix)[0]
        if max_rows is not None and len(rows) > max_rows:
            chosen = child(seed, "rows").permutation(len(rows))[:max_rows]
            rows = rows[np.sort(chosen)]
        chosen = np.sort(child(seed, "reference").permutation(len(rows))[:_REFERENCE])
        alone = cls(rows, measure, neighbors, np.nan)
        others = alone.look(rows[chosen])[1]
        others = others[np.isfinite(others)]
        return cls(rows, measure, neighbors, float(np.quantile(others, _QUANTILE)) if len(others) else np.nan)

    def look(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(m,) distance to the nearest row, and to the n-th nearest other one (∞ if there are fewer)."""
        nearest, other = np.empty(len(rows)), np.full(len(rows), np.inf)
        step = max(1, _PAIRS // max(len(self.rows), 1))
        for at in range(0, len(rows), step):
            block = slice(at, at + step)
            far = self.measure.pairwise(rows[block], self.rows)
            nearest[block] = far.min(axis=1)
            if len(self.rows) >= self.neighbors:
                far[far == 0] = np.inf
                other[block] = np.partition(far, self.neighbors - 1, axis=1)[:, self.neighbors - 1]
        return nearest, other


def _values(
    each: CounterfactualSet, box: BlackBox, measure: MixedDistance, table: _Neighborhood
) -> dict[str, FloatArray]:
    """(q,) every quality of every query; NaN where it has no counterfactuals."""
    query, n = each.query, each.n_queries
    home = each.queries[query]
    distance = measure.rowwise(each.rows, home) if len(each) else np.zeros(0)
    changed = measure.changed(each.rows, home).sum(axis=1) if len(each) else np.zeros(0)
    valid = np.full(len(each), np.nan)
    if len(each) and box.info.can_query:
        valid = box.judge(each.encoder.decode(each.rows)).accepted.astype(np.float64)
    # a row that many queries share is looked at once
    rows, place = _once(each.rows)
    nearest, other = table.look(rows)
    plausible = np.where(np.isnan(table.limit), np.nan, other[place] <= table.limit)
    top = np.full(n, np.nan)
    top[query[each.rank == 1]] = distance[each.rank == 1]
    return {
        "validity": _mean_of(valid, query, n),
        "distance": _mean_of(distance, query, n),
        "first_distance": top,
        "changed": _mean_of(changed.astype(np.float64), query, n),
        "diversity": _diversity(each, measure),
        "data_distance": _mean_of(nearest[place], query, n),
        "plausible": _mean_of(plausible, query, n),
    }


def _once(matrix: FloatArray) -> tuple[FloatArray, IntArray]:
    """Give the distinct rows, and (m,) where each row is among them."""
    if not len(matrix):
        return matrix, np.zeros(0, dtype=np.int64)
    rows, starts, order = distinct_rows(matrix)
    place = np.empty(len(matrix), dtype=np.int64)
    place[order] = np.repeat(np.arange(len(rows)), np.diff(np.append(starts, len(matrix))))
    return rows, place


def _mean_of(values: FloatArray, query: IntArray, n: int) -> FloatArray:
    count = np.bincount(query, minlength=n)
    total = np.bincount(query, weights=values, minlength=n)
    mean: FloatArray = np.divide(total, count, out=np.full(n, np.nan), where=count > 0)
    return mean


def _diversity(each: CounterfactualSet, measure: MixedDistance) -> FloatArray:
    out = np.full(each.n_queries, np.nan)
    ends = np.cumsum(each.n_found)
    for query, (end, count) in enumerate(zip(ends.tolist(), each.n_found.tolist(), strict=True)):
        if count > 1:
            rows = each.rows[end - count : end]
            out[query] = measure.pairwise(rows, rows).sum() / (count * (count - 1))
    return out


def _means(
    values: Mapping[str, FloatArray], n_found: int, confidence: float, n_resamples: int, seed: int
) -> dict[str, Estimate]:
    """Average over queries, with intervals from resampled queries."""
    table = np.column_stack(list(values.values()))
    none = np.zeros(len(table), dtype=np.int64)
    samples = bootstrap_means(table, none, 1, rng=child(seed, "queries"), n_resamples=n_resamples)[:, 0]
    low, high = percentile(samples, confidence)
    out = {}
    for at, name in enumerate(values):
        known = table[~np.isnan(table[:, at]), at]
        if len(known):
            out[name] = Estimate(float(known.mean()), float(low[at]), float(high[at]), n=len(known))
            continue
        reason = "no counterfactual was found"
        if n_found:
            reason = {
                "diversity": "no query has two counterfactuals",
                "plausible": "the table has too few rows",
            }.get(name, reason)
        out[name] = Estimate(np.nan, reason=reason)
    return out


def _shares(each: CounterfactualSet, confidence: float) -> dict[str, Estimate]:
    n, out = each.n_queries, {}
    for name, hits in (
        ("coverage", int((each.n_found == each.k).sum())),
        ("answered", int((each.n_found > 0).sum())),
    ):
        if not n:
            out[name] = Estimate(np.nan, reason="there are no queries")
            continue
        low, high = wilson(hits, n, confidence)
        out[name] = Estimate(hits / n, float(low), float(high), n=n, numerator=hits, denominator=n)
    return out


def _cpu(seconds: float | None, n: int) -> Estimate:
    if seconds is None or not n:
        return Estimate(np.nan, reason="not given")
    return Estimate(seconds / n, n=n)


def _seconds(
    named: Mapping[str, CounterfactualSet], given: Mapping[str, float] | float | None
) -> Mapping[str, float]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        if len(named) != 1:
            raise ConfigError(
                "cpu_seconds is one number for several sets", fix="pass a mapping from name to seconds"
            )
        return dict.fromkeys(named, float(given))
    stray = [plain(name) for name in given if name not in named]
    if stray:
        raise ConfigError("cpu_seconds names a set that is not there", got=stray[0])
    return given


def _one_table(named: Mapping[str, CounterfactualSet]) -> CounterfactualSet:
    """Give the first set; all must describe the same columns."""
    if not named:
        raise ConfigError("there is no counterfactual set to evaluate", fix="pass at least one")
    first = next(iter(named.values()))
    wanted = [(feature.name, feature.kind, feature.levels) for feature in first.encoder.schema]
    for name, each in named.items():
        if wanted != [(feature.name, feature.kind, feature.levels) for feature in each.encoder.schema]:
            raise DataError(
                "counterfactual sets of different columns cannot be compared",
                got=plain(name),
                fix="fit all generators on the same table, with the same kinds and levels",
            )
    return first
