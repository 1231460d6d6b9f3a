"""Counterfactual fair opportunity: do rejected people have to look like another group to be accepted.

Source: Cornacchia et al. (2023), definition 4.1 and equations 1-11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairwitness.flips.chance import search_both
from fairwitness.flips.evaluate import eligible_rows, opportunity_from
from fairwitness.flips.inference import align, people_proba
from fairwitness.flips.measures import Convention, Shortfall
from fairwitness.flips.results import OpportunityResult
from fairwitness.flips.search import draw_people
from fairwitness.flips.setting import chosen_generator, fitted_classifier, one_feature
from fairwitness.intake.prepare import prepare_case
from fairwitness.typing import MissingPolicy, NativeFrame, RandomState

if TYPE_CHECKING:
    from fairwitness.counterfactuals.base import CounterfactualGenerator
    from fairwitness.table.schema import Schema


def fair_opportunity(
    model: object,
    X: NativeFrame,
    sensitive_features: object,
    *,
    generator: CounterfactualGenerator | None = None,
    classifier: object = None,
    k: int = 100,
    privileged: object = None,
    favorable: object = 1,
    threshold: float = 0.5,
    evidence: Sequence[str] | None = None,
    missing: MissingPolicy = "group",
    schema: Schema | None = None,
    convention: Convention = "equations",
    shortfall: Shortfall = "available",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    n_permutations: int = 2000,
    minimum_n: int = 30,
    max_people: int | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> OpportunityResult:
    """Measure CFlips and nDCCF of a model's rejected people, group by group.

    Parameters
    ----------
    model
        Anything :func:`fairwitness.as_blackbox` takes, or a fitted :class:`fairwitness.model.CrossFitted`,
        whose people are judged, and their counterfactuals accepted, by the fold's own model.
    X
        (n rows) the model's input columns, and the sensitive one unless it lies beside.
    sensitive_features
        One sensitive feature: a column name, a cut (``"age > 25"``), n values, or a
        :class:`fairwitness.table.Groups` (an intersection, for example).
    generator
        Default :class:`fairwitness.counterfactuals.NeighborGenerator`.
    classifier
        Sensitive-feature classifier: fitted (used as it is), or an estimator that
        :class:`fairwitness.model.SensitiveFeatureClassifier` cross-fits. Default: its own default.
    k
        Counterfactuals a person.
    privileged
        Label of the reference group; default: the group accepted most often.
    favorable, threshold
        The good outcome's label, and the score from which it is given.
    evidence
        Columns the classifier may see; default: the model's inputs without the sensitive column.
    missing
        What a missing sensitive value means.
    schema
        Kinds and constraints of the model's inputs; inferred if absent.
    convention, shortfall
        As in :func:`fairwitness.flips.ndccf`.
    confidence, n_resamples, n_permutations
        Level of the percentile intervals (people are resampled, never counterfactuals; what shared
        counterfactuals and other training rows of a cross-fitted classifier add is put on top), number of
        resamples, and number of shuffles of the group label for the p-values.
    minimum_n
        Groups with fewer eligible people are marked ``small``.
    max_people
        At most this many eligible people of each group are searched, drawn at random; default: all.
    random_state, n_jobs
        Seed and workers. The result depends on neither ``n_jobs`` nor the order of the rows.

    Returns
    -------
    OpportunityResult
        ``.groups``, ``.differences`` (signed: group minus privileged), ``.to_frame()``, ``.plot()``. Equal
        values in all groups are what the definition asks for; a group whose CFlips is higher gets accepted
        by looking like another group more often. Unequal sizes of groups and the classifier's mistakes
        alone make them differ, whatever the model: ``.differences[0].at("cflips", beyond_random=True)`` is
        the part that a model which accepts at random would not give (:mod:`fairwitness.flips.chance`).

    Raises
    ------
    ConfigError, DataError, GroupError, ModelError
        If the call, the table, the groups or the model make no sense.

    Examples
    --------
    A model that accepts whoever looks privileged enough: everybody else has to look so, too.

    >>> from fairwitness.datasets import proxy_world
    >>> from fairwitness.flips import fair_opportunity
    >>> world = proxy_world(300, random_state=0)
    >>> result = fair_opportunity(
    ...     world.model, world.X, world.sensitive, privileged="privileged", k=10, n_resamples=200, n_jobs=1
    ... )
    >>> result["unprivileged"].at("cflips").estimate, result["privileged"].at("cflips").estimate
    (1.0, 0.0)
    >>> result.difference().at("cflips", beyond_random=True).low > 0.5
    True
    """
    case = prepare_case(
        model,
        X,
        sensitive_features=sensitive_features,
        privileged=privileged,
        favorable=favorable,
        threshold=threshold,
        evidence=evidence,
        schema=schema,
        k=k,
        random_state=random_state,
        n_jobs=n_jobs,
        missing=missing,
        intersections=False,
        confidence=confidence,
        minimum_n=minimum_n,
    )
    groups, accepted, seed = one_feature(case.groups), case.judgement.accepted, case.seed
    f_s = fitted_classifier(classifier, case.evidence, groups, seed=seed, n_jobs=n_jobs)
    known = people_proba(f_s, case.evidence)
    _, looks = align(known, f_s, groups.labels)
    eligible = eligible_rows(accepted, groups.codes, looks)
    rows = np.flatnonzero(draw_people(eligible, groups.codes, most=max_people, seed=seed))
    generator = chosen_generator(generator, n_jobs)
    found, random = search_both(case, rows, generator)
    result = opportunity_from(
        found,
        groups,
        f_s,
        rows=rows,
        accepted=accepted,
        evidence=case.evidence,
        known=known,
        random=random,
        convention=convention,
        shortfall=shortfall,
        confidence=confidence,
        n_resamples=n_resamples,
        n_permutations=n_permutations,
        minimum_n=minimum_n,
        random_state=seed,
    )
    return result.in_order(case.row_number)
