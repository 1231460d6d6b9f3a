"""From counterfactuals and a classifier to groups: who counts, who flips, and what that makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import boolean_array, whole_number
from fairwitness.errors import DataError
from fairwitness.flips.chance import beyond_random
from fairwitness.flips.estimates import MeasureCurve, curve_ks, group_curves, group_means
from fairwitness.flips.inference import (
    Classifier,
    align,
    check_set,
    class_names,
    counterfactual_proba,
    people_proba,
    positions,
)
from fairwitness.flips.measures import Convention, Shortfall, cflips_curve, check_ks
from fairwitness.flips.refits import Refit, refits
from fairwitness.flips.results import (
    Funnel,
    GroupDifference,
    GroupOpportunity,
    OpportunityResult,
    order_by,
)
from fairwitness.flips.shared import distinct_counterfactuals
from fairwitness.rng import seed_from
from fairwitness.stats.intervals import Estimate, check_confidence, wilson
from fairwitness.table.groups import Groups
from fairwitness.typing import BoolArray, FloatArray, IntArray, NativeFrame, RandomState

if TYPE_CHECKING:
    from fairwitness.counterfactuals.sets import CounterfactualSet


def opportunity_from(
    counterfactuals: CounterfactualSet,
    groups: Groups,
    classifier: Classifier,
    *,
    rows: ArrayLike,
    accepted: ArrayLike,
    evidence: NativeFrame,
    k: int | None = None,
    known: FloatArray | None = None,
    random: CounterfactualSet | None = None,
    convention: Convention = "equations",
    shortfall: Shortfall = "available",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    n_permutations: int = 2000,
    minimum_n: int = 30,
    random_state: RandomState = 0,
) -> OpportunityResult:
    """Measure CFlips and nDCCF when the counterfactuals are there already.

    Parameters
    ----------
    counterfactuals
        Of the people at ``rows``; those who are not eligible are left out. ``source`` of the set must point
        into the same table.
    groups
        Of the n rows of the table.
    classifier
        Fitted sensitive-feature classifier.
    rows
        (q,) position in the table of each query of ``counterfactuals``, each at most once.
    accepted
        (n,) the model's decisions: booleans, or 0 and 1.
    evidence
        (n rows) the columns the classifier reads.
    k
        At most ``counterfactuals.k``, which is the default.
    known
        (n, classes) the classifier's probabilities of the table, if there already.
    random
        The same people's counterfactuals under random acceptance
        (:func:`fairwitness.flips.chance.search_at_random`).
    convention, shortfall, confidence, n_resamples, n_permutations, minimum_n, random_state
        As in :func:`fair_opportunity`.

    Returns
    -------
    OpportunityResult
        As of :func:`fair_opportunity`; its row numbers are positions in the table of ``groups``.

    Raises
    ------
    ConfigError, DataError, GroupError, ModelError
        If k or the level make no sense, lengths differ, or the classifier does not know the groups.
    """
    from fairwitness.table.frames import take_rows

    check_confidence(confidence)
    minimum_n = whole_number(minimum_n, "minimum_n", least=0)
    n_resamples = whole_number(n_resamples, "n_resamples", fix="pass for example n_resamples=2000")
    n_permutations = whole_number(
        n_permutations, "n_permutations", fix="pass for example n_permutations=2000"
    )
    check_set(counterfactuals)
    if not isinstance(groups, Groups):
        raise DataError(
            "groups must be the groups of one sensitive feature",
            got=type(groups).__name__,
            fix="pass one entry of fairwitness.table.sensitive_groups(...)",
        )
    k = check_ks(k, counterfactuals.k)[0]
    seed = seed_from(random_state)
    accepted = boolean_array(accepted, "accepted")
    at = _rows_of(rows, counterfactuals, groups, accepted)
    known = people_proba(classifier, evidence) if known is None else np.asarray(known, dtype=np.float64)
    if known.shape != (len(groups.codes), len(class_names(classifier))):
        raise DataError(
            "the classifier's rows and the groups differ in number",
            got=f"probabilities of shape {known.shape} and {len(groups.codes)} groups",
            fix="pass evidence (or known) with one row a row of the table",
        )
    people, looks = align(known, classifier, groups.labels)
    eligible = eligible_rows(accepted, groups.codes, looks)
    kept = eligible[at]
    chosen, at = counterfactuals.take(kept), at[kept]
    proba = counterfactual_proba(chosen, classifier, origins=take_rows(evidence, at), known=known)
    after, after_looks = align(proba, classifier, groups.labels)

    codes = groups.codes[at]
    flipped = (after_looks != codes[chosen.query]).astype(np.float64)
    number = distinct_counterfactuals(chosen).astype(np.float64)
    flips = {"given": chosen.spread(flipped)[:, :k]}
    numbers = {"given": chosen.spread(number)[:, :k]}
    gap = np.abs(chosen.score - chosen.query_score[chosen.query])
    nearest = None if np.isnan(gap).any() else order_by(chosen, gap)
    if nearest is not None:
        flips["sorted"] = chosen.spread(flipped[nearest])[:, :k]
        numbers["sorted"] = chosen.spread(number[nearest])[:, :k]
    common: dict[str, Any] = {
        "privileged": groups.privileged,
        "ks": curve_ks(k),
        "convention": convention,
        "shortfall": shortfall,
        "confidence": confidence,
        "n_resamples": n_resamples,
        "n_permutations": n_permutations,
        "seed": seed,
        "purpose": ("opportunity", groups.name),
    }
    drawn = None if random is None else random.take(kept)
    sets = [chosen] if drawn is None else [chosen, drawn]
    again = refits(classifier, sets, codes, rows=at, evidence=evidence, labels=groups.labels)
    curves, versus = group_curves(
        flips,
        numbers,
        codes,
        groups.n_groups,
        **common,
        refitted=[_refitted(each, chosen, nearest, k) for each in again],
    )
    by_chance: list[dict[str, MeasureCurve]] = []
    beyond: dict[int, dict[str, MeasureCurve]] = {}
    if drawn is not None:
        random_looks = align(
            counterfactual_proba(drawn, classifier, origins=take_rows(evidence, at), known=known),
            classifier,
            groups.labels,
        )[1]
        by_chance, beyond = beyond_random(
            flips["given"],
            chosen.spread(chosen.source)[:, :k],
            drawn.spread((random_looks != codes[drawn.query]).astype(np.float64))[:, :k],
            drawn.spread(drawn.source)[:, :k],
            codes,
            groups.n_groups,
            **common,
            refitted=[(each.flips(0, chosen)[:, :k], each.flips(1, drawn)[:, :k]) for each in again],
        )
    per_fold = [cflips_curve(each.flips(0, chosen)[:, :k], shortfall=shortfall)[:, -1:] for each in again]
    found = np.minimum(chosen.n_found, k)
    entries = []
    for g, label in enumerate(groups.labels):
        mine = groups.codes == g
        funnel = Funnel(
            all=int(mine.sum()),
            rejected=int((mine & ~accepted).sum()),
            recognised=int((mine & eligible).sum()),
            searched=int((codes == g).sum()),
            with_counterfactuals=int(((codes == g) & (found > 0)).sum()),
            short=int(((codes == g) & (found > 0) & (found < k)).sum()),
            none=int(((codes == g) & (found == 0)).sum()),
        )
        entries.append(
            GroupOpportunity(
                label=label,
                funnel=funnel,
                small=funnel.with_counterfactuals < minimum_n,
                expected_flip_rate=_expected(mine & accepted, looks != g, confidence),
                cflips=curves[g]["cflips"],
                ndccf=curves[g]["ndccf"],
                ndccf_sorted=curves[g].get("ndccf_sorted"),
                random=by_chance[g] if by_chance else None,
                reason=_reason(funnel),
                by_fold=tuple(float(group_means(each[codes == g]).value[0]) for each in per_fold),
            )
        )
    reference = entries[groups.privileged]
    return OpportunityResult(
        name=groups.name,
        labels=tuple(groups.labels),
        privileged=reference.label,
        k=k,
        convention=convention,
        shortfall=shortfall,
        confidence=confidence,
        groups=tuple(entries),
        differences=tuple(
            GroupDifference(
                group=entries[g].label,
                privileged=reference.label,
                cflips=measures["cflips"],
                ndccf=measures["ndccf"],
                ndccf_sorted=measures.get("ndccf_sorted"),
                beyond=beyond.get(g),
                reason=_difference_reason(entries[g], reference),
            )
            for g, measures in versus.items()
        ),
        quality=_quality(classifier),
        generator={
            "name": counterfactuals.generator,
            "settings": {n: v for n, v in counterfactuals.settings.items() if n != "distance"},
            "distance": counterfactuals.settings.get("distance", {}),
        },
        rows=at,
        codes=codes,
        flips=flips["given"],
        sorted_flips=flips.get("sorted"),
        counterfactuals=chosen,
        looks=after_looks,
        inferred=people[at],
        inferred_change=after[:, groups.privileged] - people[at][chosen.query, groups.privileged],
    )


def _refitted(
    refit: Refit, chosen: CounterfactualSet, nearest: IntArray | None, k: int
) -> dict[str, FloatArray]:
    """Lay out the flips that one fold's classifier infers, in both orders."""
    out = {"given": refit.flips(0, chosen)[:, :k]}
    if nearest is not None:
        out["sorted"] = refit.only_recognised(chosen.spread(refit.flipped[0][nearest]))[:, :k]
    return out


def eligible_rows(accepted: BoolArray, codes: IntArray, looks: IntArray) -> BoolArray:
    """X⁻: rows the model rejects and whose own group the classifier infers; rows without group are not."""
    return np.asarray(~accepted & (codes >= 0) & (looks == codes))


def _expected(members: BoolArray, mistaken: BoolArray, confidence: float) -> Estimate:
    n, wrong = int(members.sum()), int((members & mistaken).sum())
    if n == 0:
        return Estimate(float("nan"), numerator=0, denominator=0, reason="nobody of the group is accepted")
    low, high = wilson(wrong, n, confidence)
    return Estimate(wrong / n, float(low), float(high), n=n, numerator=wrong, denominator=n)


def _reason(funnel: Funnel) -> str:
    if not funnel.rejected:
        return "no eligible rows: nobody of the group is rejected"
    if not funnel.recognised:
        return (
            f"no eligible rows: the classifier recognises none of the {funnel.rejected} rejected of the group"
        )
    if not funnel.searched:
        return "no eligible rows were searched"
    if not funnel.with_counterfactuals:
        return f"no counterfactual was found for any of the {funnel.searched} eligible rows"
    return ""


def _difference_reason(group: GroupOpportunity, reference: GroupOpportunity) -> str:
    return "; ".join(f"{each.label}: {each.reason}" for each in (group, reference) if each.reason)


def _quality(classifier: Classifier) -> dict[str, object] | None:
    quality = getattr(classifier, "quality_", None)
    return None if quality is None else dict(quality.to_dict())


def _rows_of(
    rows: ArrayLike, counterfactuals: CounterfactualSet, groups: Groups, accepted: BoolArray
) -> IntArray:
    at = positions(rows, "rows")
    n = len(groups.codes)
    if len(at) != counterfactuals.n_queries or len(accepted) != n:
        raise DataError(
            "there must be one table row for each query, and one decision and group for each table row",
            got=f"{len(at)} rows, {counterfactuals.n_queries} queries; {len(accepted)} decisions, {n} groups",
            fix="pass the positions the counterfactuals were generated for",
        )
    if len(np.unique(at)) < len(at) or (len(at) and not (at.min() >= 0 and at.max() < n)):
        raise DataError(
            "rows must be different positions in the table",
            got=f"{len(at)} positions for a table of {n} rows",
            fix="pass each position once",
        )
    return at
