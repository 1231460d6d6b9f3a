"""What a model that accepts at random would give: the scale on which flips are read.

Neighbours of a person in a small group mostly belong to the large one, and a classifier that recognises few
of a small group takes most changed profiles for the large one, whatever the model does. Both make CFlips of a
small group high and of a large one low for *any* model. So the same people get counterfactuals once more,
from as many rows accepted at random, with the same generator, constraints and classifier; what the audited
model gives beyond that is its own. On the Boston mortgage applications a random model gives a ΔCFlips of .66
between women and men, and the decision maker .64.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.flips.estimates import (
    Means,
    MeasureCurve,
    expanded,
    group_means,
    measure_values,
    plain_curves,
    refit_spread,
)
from fairwitness.flips.measures import Convention, Shortfall
from fairwitness.flips.search import search
from fairwitness.flips.shared import Influence, influence
from fairwitness.rng import child
from fairwitness.stats.intervals import combine_difference, percentile, wilson
from fairwitness.stats.resample import bootstrap_means, permutation_p
from fairwitness.typing import BoolArray, FloatArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.case import Case
    from fairwitness.counterfactuals.base import CounterfactualGenerator
    from fairwitness.counterfactuals.sets import CounterfactualSet
    from fairwitness.model.blackbox import BlackBox
    from fairwitness.table.schema import Schema


def accept_at_random(inputs: NativeFrame, accepted: BoolArray, *, seed: int) -> BoolArray:
    """Accept as many distinct rows as ``accepted`` does, drawn at random; rows of equal content alike."""
    from fairwitness.table.canonical import row_keys

    _, first, inverse = np.unique(row_keys(inputs), return_index=True, return_inverse=True)
    distinct = accepted[first]
    return np.asarray(child(seed, "random acceptance").permutation(distinct)[inverse.reshape(-1)])


def search_at_random(
    model: BlackBox,
    inputs: NativeFrame,
    accepted: BoolArray,
    rows: IntArray,
    *,
    generator: CounterfactualGenerator,
    k: int,
    schema: Schema | None,
    seed: int,
) -> CounterfactualSet | None:
    """Find the counterfactuals that the people at ``rows`` would have, were acceptance random.

    Only a generator that returns rows of the table can be asked that, as there is no random model to query
    about new ones: ``None`` for any other.
    """
    from fairwitness.counterfactuals.neighbors import NeighborGenerator
    from fairwitness.model.judgement import Judgement
    from fairwitness.table.frames import take_rows

    if not isinstance(generator, NeighborGenerator) or not len(rows):
        return None
    told = Judgement(
        accepted=accept_at_random(inputs, accepted, seed=seed), score=np.full(len(accepted), np.nan)
    )
    fitted = copy.copy(generator).fit(inputs, model, schema=schema, judgement=told)
    return fitted.generate(take_rows(inputs, rows), k)


def search_both(
    case: Case, rows: IntArray, generator: CounterfactualGenerator
) -> tuple[CounterfactualSet, CounterfactualSet | None]:
    """Find the counterfactuals of the people at ``rows``: the model's, and those of random acceptance.

    Parameters
    ----------
    case
        Model, table and k.
    rows
        (q,) positions in the case's table.
    generator
        Unfitted or fitted; it is copied, never changed.

    Returns
    -------
    found, random
        Up to k for each of the q people; ``random`` as in :func:`search_at_random`.
    """
    found = search(
        case.models,
        case.fold,
        case.inputs,
        rows,
        generator=generator,
        k=case.k,
        schema=case.schema,
        judgement=case.judgement,
    )
    random = search_at_random(
        case.models[0],
        case.inputs,
        case.judgement.accepted,
        rows,
        generator=generator,
        k=case.k,
        schema=case.schema,
        seed=case.seed,
    )
    return found, random


def beyond_random(
    flips: FloatArray,
    sources: FloatArray,
    random_flips: FloatArray,
    random_sources: FloatArray,
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
    refitted: Sequence[tuple[FloatArray, FloatArray]] = (),
) -> tuple[list[dict[str, MeasureCurve]], dict[int, dict[str, MeasureCurve]]]:
    """Compare people's values with what random acceptance gives the same people.

    Parameters
    ----------
    flips, random_flips
        (q, k) flips of the model's counterfactuals, and of those under random acceptance.
    sources, random_sources
        (q, k) the row of the table that each of them is.
    codes, n_groups, privileged
        Group of each person, number of groups, and the reference among them.
    ks, convention, shortfall, confidence, n_resamples, n_permutations, seed, purpose
        As in :func:`fairwitness.flips.estimates.group_curves`.
    refitted
        ``flips`` and ``random_flips`` again as each fold's classifier infers them.

    Returns
    -------
    random
        For each group, measure → its values under random acceptance (without intervals).
    beyond
        Group code → measure → curve of the difference to the privileged group, minus the same difference
        under random acceptance. People are compared with themselves, so what a person's place in the table
        does to both cancels.
    """
    given = measure_values({"given": flips}, ks, convention, shortfall)
    chance = measure_values({"given": random_flips}, ks, convention, shortfall)
    names = list(given)
    gain = _gain(given, chance)
    again = [
        _gain(*(measure_values({"given": each}, ks, convention, shortfall) for each in pair))
        for pair in refitted
    ]
    n_rows = int(max(np.nanmax(sources, initial=-1), np.nanmax(random_sources, initial=-1))) + 1
    moved = [
        _moved(names, gain, codes == g, flips, sources, random_flips, random_sources, ks, n_rows)
        for g in range(n_groups)
    ]
    means = [group_means(gain[codes == g]) for g in range(n_groups)]
    boot = expanded(
        bootstrap_means(gain, codes, n_groups, rng=child(seed, "beyond", *purpose), n_resamples=n_resamples),
        means,
        confidence,
    )
    jitter = child(seed, "beyond shared", *purpose).normal(size=(max(n_resamples, n_permutations), 1))

    def bounds(g: int) -> tuple[FloatArray, FloatArray]:
        spread = np.hypot(np.concatenate([part.spread() for part in moved[g]]), refit_spread(again, codes, g))
        return _bounds(boot[:, g] + jitter[:n_resamples] * spread, means[g], confidence)

    reference, beyond = means[privileged], {}
    for g in range(n_groups):
        if g == privileged:
            continue
        spread = np.hypot(
            np.concatenate([a.spread(b) for a, b in zip(moved[g], moved[privileged], strict=True)]),
            refit_spread(again, codes, g, privileged),
        )
        low, high = percentile(boot[:, g] - boot[:, privileged] + jitter[:n_resamples] * spread, confidence)
        same = means[g].same | reference.same
        if same.any():
            # The bootstrap knows of no spread in a group whose people all gain the same, or are one.
            parts = combine_difference(means[g].value, bounds(g), reference.value, bounds(privileged))
            low, high = np.where(same, parts[0], low), np.where(same, parts[1], high)
        p = permutation_p(
            gain,
            codes,
            g,
            privileged,
            rng=child(seed, "beyond permutation", *purpose, g),
            n_permutations=n_permutations,
            disturbance=jitter[:n_permutations] * spread,
        )
        beyond[g] = plain_curves(
            names, ks, means[g].value - reference.value, low, high, means[g].n + reference.n, p
        )
    by_chance = np.concatenate([chance[name] for name in names], axis=1)
    nothing = np.full(by_chance.shape[1], np.nan)
    random = [
        plain_curves(names, ks, each.value, nothing, nothing, each.n, None)
        for each in (group_means(by_chance[codes == g]) for g in range(n_groups))
    ]
    return random, beyond


def _gain(given: Mapping[str, FloatArray], chance: Mapping[str, FloatArray]) -> FloatArray:
    return np.concatenate([given[name] - chance[name] for name in given], axis=1)


def _bounds(samples: FloatArray, mean: Means, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Give a group's mean gain, between -1 and 1, an interval.

    Where all n people gain the same, the share of people who gain something else is at most Wilson's bound
    for 0 of n, and they gain -1 or 1 at most.
    """
    low, high = percentile(samples, confidence)
    others = wilson(0 * mean.n, mean.n, confidence)[1]
    down, up = mean.value - others * (1 + mean.value), mean.value + others * (1 - mean.value)
    return np.where(mean.same, np.fmin(down, low), low), np.where(mean.same, np.fmax(up, high), high)


def _moved(
    names: Sequence[str],
    gain: FloatArray,
    chosen: BoolArray,
    flips: FloatArray,
    sources: FloatArray,
    random_flips: FloatArray,
    random_sources: FloatArray,
    ks: IntArray,
    n_rows: int,
) -> list[Influence]:
    """Give the influence of each row of the table on a group's mean gain: through both searches."""
    out = []
    for at, name in enumerate(names):
        counted = ~np.isnan(gain[chosen, at * len(ks) : (at + 1) * len(ks)])
        ranks = np.arange(1, flips.shape[1] + 1)
        weights = np.ones(len(ranks)) if name == "cflips" else 1 / np.log2(ranks + 1)
        one, other = (
            influence(f[chosen], s[chosen], counted, weights=weights, ks=ks, n_distinct=n_rows)
            for f, s in ((flips, sources), (random_flips, random_sources))
        )
        out.append(Influence(one.joint - other.joint, one.own + other.own))
    return out
