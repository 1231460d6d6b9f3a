"""Proxy features: which columns change together with the inferred group.

Source: Cornacchia et al. (2023), section 6.3, Table 5 and Figure 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import number_array
from fairwitness.errors import ConfigError, DataError
from fairwitness.flips.inference import (
    Classifier,
    check_set,
    class_names,
    counterfactual_proba,
    people_proba,
    positions,
)
from fairwitness.flips.moments import Moments, Pairs, association_p, changes, correlation, moments
from fairwitness.flips.proxy_results import ProxyFeature, ProxyResult
from fairwitness.flips.shared import distinct_counterfactuals
from fairwitness.rng import child, seed_from
from fairwitness.stats.intervals import check_confidence, percentile
from fairwitness.stats.resample import resample_counts
from fairwitness.stats.significance import benjamini_hochberg
from fairwitness.text import plain
from fairwitness.typing import BoolArray, FloatArray, NativeFrame, RandomState

if TYPE_CHECKING:
    from fairwitness.counterfactuals.sets import CounterfactualSet


def proxy_correlations(epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
    """Pearson correlation of each column's change with the change of the inferred probability.

    Parameters
    ----------
    epsilon
        (m, d): for each pair of a person and a counterfactual, by how much each column changed; a level
        of a categorical column is -1 where left, +1 where entered, 0 elsewhere.
    delta
        (m,): change of the probability of being inferred to belong to the privileged group.

    Returns
    -------
    rho : (d,)
        In [-1, 1]; NaN (never 0) where a column or ``delta`` does not vary, or there are no pairs.

    Raises
    ------
    DataError
        If the shapes do not fit or a value is not finite.

    Examples
    --------
    Three pairs; capital gain, and a level that was entered, left and left alone:

    >>> from fairwitness.flips import proxy_correlations
    >>> proxy_correlations([[3000, 1], [2200, -1], [1200, 0]], [0.6, -0.4, -0.6]).round(2)
    array([0.91, 0.78])

    Notes
    -----
    Cornacchia et al. (2023), ρ(E, Δ) of section 6.3. Their Table 5 prints 0.93 for ``education-num``
    (ε = 4, 0, -1 with δ = 0.6, -0.4, -0.6); the value of the formula is 0.9994.
    """
    e = number_array(epsilon, "epsilon", fix="pass one line a pair, one number a column")
    d = number_array(delta, "delta", fix="pass one number a pair")
    if e.ndim != 2 or d.ndim != 1 or len(e) != len(d):
        raise DataError(
            "epsilon must be (pairs, columns) and delta (pairs,)",
            got=f"shapes {e.shape} and {d.shape}",
            fix="pass one line a pair of a person and a counterfactual",
        )
    if not (np.isfinite(e).all() and np.isfinite(d).all()):
        raise DataError("epsilon and delta must be finite", fix="leave out pairs with a missing change")
    if not len(d):
        return np.full(e.shape[1], np.nan)
    constant, still = np.ptp(e, axis=0) == 0, np.ptp(d) == 0
    e, d = e - e.mean(axis=0), d - d.mean()
    e[:, constant] = 0.0
    d = np.zeros_like(d) if still else d
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = (e * d[:, None]).sum(axis=0) / np.sqrt((e**2).sum(axis=0) * (d**2).sum())
    return np.asarray(np.clip(rho, -1.0, 1.0))


def proxy_features(
    counterfactuals: CounterfactualSet,
    classifier: Classifier,
    *,
    origins: NativeFrame | None = None,
    privileged: object = None,
    eligible: ArrayLike | None = None,
    flipped_only: bool = False,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> ProxyResult:
    """Rank columns by how far their change goes with a change of the inferred group.

    Parameters
    ----------
    counterfactuals
        Counterfactuals of q people.
    classifier
        A fitted sensitive-feature classifier.
    origins
        Frame of the q people with the columns the classifier reads; default: the people as they are in
        ``counterfactuals``. Columns that a counterfactual does not have keep the person's value.
    privileged
        Class whose probability δ follows; default: the classifier's last class, as in the coding
        ``s = 1``. With two classes the other choice only turns the signs.
    eligible
        (q,) mask or positions of the people to count; default all. The paper counts rejected people whose
        group the classifier recovers.
    flipped_only
        Count only counterfactuals whose inferred group differs from the person's, as the authors' code
        does; their text, and the default here, counts all.
    confidence, n_resamples, random_state
        Level of the percentile intervals, number of resamples of people, and their seed.

    Returns
    -------
    ProxyResult
        Ranked by |ρ|. Near 0 for every column: the inferred group does not change with any column alone.

    Raises
    ------
    ConfigError
        If ``privileged`` is no class of the classifier.
    DataError, ModelError
        If a column that the classifier reads is missing, lengths differ, or the classifier cannot be asked.

    Examples
    --------
    >>> from fairwitness.datasets import proxy_world
    >>> from fairwitness.flips import fair_opportunity, proxy_features
    >>> from fairwitness.model import SensitiveFeatureClassifier
    >>> world = proxy_world(300, random_state=0)
    >>> classifier = SensitiveFeatureClassifier(random_state=0, n_jobs=1).fit(world.X, world.sensitive)
    >>> result = fair_opportunity(
    ...     world.model, world.X, world.sensitive, classifier=classifier, k=10, n_resamples=100, n_jobs=1
    ... )
    >>> proxies = proxy_features(
    ...     result.counterfactuals, classifier, privileged="privileged", n_resamples=100
    ... )
    >>> proxies.features[0].label
    'signal'
    """
    from fairwitness.table.frames import n_rows, take_rows

    check_set(counterfactuals)
    check_confidence(confidence)
    seed = seed_from(random_state)
    if origins is not None and n_rows(origins) != counterfactuals.n_queries:
        raise DataError(
            "origins must hold one row for each query",
            got=f"{n_rows(origins)} rows for {counterfactuals.n_queries} queries",
            fix="pass the rows the counterfactuals were generated for, in that order",
        )
    who = None if eligible is None else positions(eligible, "eligible")
    chosen = counterfactuals if who is None else counterfactuals.take(who)
    if origins is None:
        origins = _read_by(classifier, chosen.encoder.decode(chosen.queries))
    elif who is not None:
        origins = take_rows(origins, who)
    before = people_proba(classifier, origins)
    after = counterfactual_proba(chosen, classifier, origins=origins)
    column = _class_of(classifier, privileged)
    return proxies_from(
        chosen,
        delta=after[:, column] - before[chosen.query, column],
        flipped=after.argmax(axis=1) != before.argmax(axis=1)[chosen.query],
        privileged=class_names(classifier)[column],
        flipped_only=flipped_only,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )


def proxies_from(
    counterfactuals: CounterfactualSet,
    *,
    delta: FloatArray,
    flipped: BoolArray,
    privileged: str,
    flipped_only: bool,
    confidence: float,
    n_resamples: int,
    seed: int,
) -> ProxyResult:
    """Rank columns when the inferred probabilities are there already (see :func:`proxy_features`)."""
    counted = flipped if flipped_only else np.ones(len(delta), dtype=bool)
    delta = delta[counted]
    people, person = np.unique(counterfactuals.query[counted], return_inverse=True)
    pairs = Pairs(
        person=person.reshape(-1).astype(np.int64),
        counterfactual=distinct_counterfactuals(counterfactuals)[counted],
        # Rounding of a common change must not pass for variation.
        delta=delta - delta.mean() if len(delta) and np.ptp(delta) else np.zeros(len(delta)),
    )
    before = counterfactuals.queries[counterfactuals.query[counted]]
    after = counterfactuals.rows[counted]
    columns = [
        moments(column, level, epsilon, pairs)
        for column, level, epsilon in changes(counterfactuals.encoder.schema, before, after)
    ]
    features = _measured(columns, len(people), confidence, n_resamples, seed)
    # Ties, and features without a value, stay in column order.
    ranked = sorted(features, key=lambda f: -abs(f.rho) if math.isfinite(f.rho) else 1.0)
    return ProxyResult(
        features=tuple(ranked),
        privileged=privileged,
        n_rows=len(people),
        n_pairs=len(delta),
        flipped_only=flipped_only,
        confidence=confidence,
    )


def _measured(
    columns: Sequence[Moments], n_people: int, confidence: float, n_resamples: int, seed: int
) -> list[ProxyFeature]:
    sums = np.stack([column.sums for column in columns], axis=1)  # (6, columns, people)
    rho = correlation(sums.sum(axis=2))
    shared = np.sqrt([column.shared_rho for column in columns])
    low, high = _interval(sums, shared, confidence, n_resamples, seed)
    p = np.array([association_p(column) for column in columns])
    q = benjamini_hochberg(p)
    n_rows = (sums[0] > 0).sum(axis=1)
    return [
        ProxyFeature(
            column=column.column,
            level=column.level,
            rho=float(rho[at]),
            low=float(low[at]),
            high=float(high[at]),
            p_value=float(p[at]),
            q_value=float(q[at]),
            n_rows=int(n_rows[at]),
            n_changed=column.n_changed,
            reason=_reason(sums[:, at], float(rho[at]), n_people),
        )
        for at, column in enumerate(columns)
    ]


def _interval(
    sums: FloatArray, shared: FloatArray, confidence: float, n_resamples: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    _, n_columns, people = sums.shape
    rho = correlation(sums.sum(axis=2))
    if people < 2:
        return np.full(n_columns, np.nan), np.full(n_columns, np.nan)
    flat = sums.reshape(6 * n_columns, people).T
    resampled = np.concatenate(
        [
            correlation((counts @ flat).T.reshape(6, n_columns, len(counts))).T
            for counts in resample_counts(people, rng=child(seed, "proxies"), n_resamples=n_resamples)
        ]
    )
    # Fisher's scale keeps a disturbed ρ inside [-1, 1].
    with np.errstate(divide="ignore", invalid="ignore"):
        jitter = child(seed, "proxies", "shared").normal(size=(n_resamples, 1)) * shared / (1 - rho**2)
        disturbed = np.tanh(np.arctanh(resampled) + jitter)
    low, high = percentile(np.where(np.isfinite(jitter), disturbed, resampled), confidence)
    return np.where(np.isnan(rho), np.nan, low), np.where(np.isnan(rho), np.nan, high)


def _reason(sums: FloatArray, rho: float, n_people: int) -> str:
    if n_people == 0:
        return "no counterfactuals"
    if math.isfinite(rho):
        return "" if n_people > 1 else "one person only: no interval"
    total = sums.sum(axis=1)
    if total[4] <= 0 or total[4] / total[0] <= (total[2] / total[0]) ** 2:
        return "the inferred probability never changes by a different amount"
    return "no counterfactual changes it by a different amount"


def _read_by(classifier: Classifier, frame: NativeFrame) -> NativeFrame:
    from fairwitness.table.frames import select_columns

    names = getattr(classifier, "feature_names_in_", None)
    return frame if names is None else select_columns(frame, [str(name) for name in names])


def _class_of(classifier: Classifier, privileged: object) -> int:
    from fairwitness.table.levels import level_text

    names = class_names(classifier)
    if privileged is None:
        return len(names) - 1
    wanted = level_text(privileged.item() if isinstance(privileged, np.generic) else privileged)
    if wanted not in names:
        raise ConfigError(
            "the privileged group is no class of the classifier",
            got=plain(privileged),
            fix=f"pass one of {', '.join(plain(name) for name in names)}",
        )
    return names.index(wanted)
