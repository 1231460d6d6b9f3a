"""Several models, and several sensitive-feature classifiers: what stays the same and what does not.

The classifier is the method's instrument; a difference that depends on the instrument says little about the
model. Cornacchia et al. (2023) repeat theirs with three (Tables 9 and 10); so does this, with any number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.arguments import shown
from fairwitness.errors import ConfigError
from fairwitness.flips.chance import search_both
from fairwitness.flips.estimates import unknown
from fairwitness.flips.evaluate import eligible_rows, opportunity_from
from fairwitness.flips.inference import Classifier, align, people_proba
from fairwitness.flips.measures import Convention, Shortfall
from fairwitness.flips.results import MEASURES, OpportunityResult
from fairwitness.flips.search import draw_people
from fairwitness.flips.setting import chosen_generator, fitted_classifier, input_names, one_feature
from fairwitness.intake.prepare import prepare_case
from fairwitness.rng import seed_from
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, MissingPolicy, NativeFrame, RandomState

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairwitness.counterfactuals.base import CounterfactualGenerator
    from fairwitness.table.schema import Schema


@dataclass(frozen=True, eq=False, repr=False)
class OpportunityComparison:
    """One result for every model and classifier.

    Attributes
    ----------
    results
        ``(model name, classifier name)`` → result.
    """

    results: Mapping[tuple[str, str], OpportunityResult]

    def __getitem__(self, names: tuple[str, str]) -> OpportunityResult:
        if names not in self.results:
            raise unknown("pair of a model and a classifier", names, list(self.results))
        return self.results[names]

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return tuple(dict.fromkeys(model for model, _ in self.results))

    @property
    def classifiers(self) -> tuple[str, ...]:
        """Names of the classifiers, in the order given."""
        return tuple(dict.fromkeys(classifier for _, classifier in self.results))

    def to_frame(self) -> Any:
        """Give a pandas frame: a line a model, classifier, group, measure and k."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"model": model, "classifier": classifier, **line}
                for (model, classifier), result in self.results.items()
                for line in result.lines()
            ]
        )

    def stability(self, *, beyond_random: bool = False) -> Any:
        """Give a pandas frame: how far each difference depends on the classifier, at the k asked for.

        ``beyond_random=True`` takes the part of each difference that random acceptance does not give.

        A line a model, group and measure: ``lowest`` and ``highest`` signed difference (group minus
        privileged) among the classifiers, their ``range``, how many classifiers gave one, and
        ``same_sign``: whether all of these agree on who is worse off.
        """
        import pandas as pd

        lines = []
        for model in self.models:
            results = [self.results[model, classifier] for classifier in self.classifiers]
            for group in [difference.group for difference in results[0].differences]:
                for measure in MEASURES:
                    found = [
                        result.difference(group).at(measure, beyond_random=beyond_random)
                        for result in results
                    ]
                    known = [e.estimate for e in found if e is not None and np.isfinite(e.estimate)]
                    low, high = (min(known), max(known)) if known else (np.nan, np.nan)
                    lines.append(
                        {
                            "model": model,
                            "group": group,
                            "measure": measure,
                            "lowest": low,
                            "highest": high,
                            "range": high - low,
                            "n_classifiers": len(known),
                            "same_sign": bool(known) and (low > 0 or high < 0 or low == high == 0),
                        }
                    )
        return pd.DataFrame(lines)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        measure: str = "cflips",
        group: str | None = None,
        beyond_random: bool = False,
    ) -> Axes:
        """Draw one group's difference for every model, a dot with its interval for every classifier.

        ``beyond_random=True`` draws the part that random acceptance does not give.
        """
        from fairwitness.drawing import IntervalRow, figure, intervals

        names = {"cflips": "ΔCFlips", "ndccf": "ΔnDCCF", "ndccf_sorted": "ΔnDCCF (sorted)"}
        if measure not in names:
            raise ConfigError(
                "there is no such measure", got=measure, fix=f"use one of {listing(list(names))}"
            )
        rows = []
        for model in self.models:
            points = []
            for at, classifier in enumerate(self.classifiers):
                difference = self.results[model, classifier].difference(group)
                value = difference.at(measure, beyond_random=beyond_random)
                if value is not None:
                    points.append((plain(classifier), value.estimate, value.low, value.high, at))
            rows.append(IntervalRow(plain(model), points))
        first = next(iter(self.results.values()))
        versus = first.difference(group)
        return intervals(
            figure(640, 80 + 40 * len(rows) * (len(self.classifiers) + 1))[1] if ax is None else ax,
            rows,
            title=f"{plain(versus.group)} against {plain(versus.privileged)}",
            xlabel=f"{names[measure]}@{first.k}" + (", beyond random acceptance" if beyond_random else ""),
            reference=0.0,
        )

    def __repr__(self) -> str:
        return f"<OpportunityComparison: models {len(self.models)}, classifiers {len(self.classifiers)}>"

    def _repr_html_(self) -> str:
        return str(self.stability().to_html(index=False, escape=True, float_format="%.3g"))


def compare_opportunities(
    models: Mapping[str, object],
    X: NativeFrame,
    sensitive_features: object,
    *,
    classifiers: Mapping[str, object] | None = None,
    generator: CounterfactualGenerator | None = None,
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
) -> OpportunityComparison:
    """Measure several models with several sensitive-feature classifiers.

    Counterfactuals are found once a model, for everybody whom at least one classifier recognises; each
    classifier is fitted once, on the columns that any of the models reads.

    Parameters
    ----------
    models
        Name → anything :func:`fair_opportunity` takes.
    X, sensitive_features
        As in :func:`fair_opportunity`.
    classifiers
        Name → fitted classifier, or estimator to be cross-fitted; default: one, the library's own.
    generator, k, privileged, favorable, threshold, evidence, missing, schema, convention, shortfall
        As in :func:`fair_opportunity`. If ``privileged`` is not given, the first model's choice holds for
        all.
    confidence, n_resamples, n_permutations, minimum_n, max_people, random_state, n_jobs
        As in :func:`fair_opportunity`.

    Returns
    -------
    OpportunityComparison
        ``comparison["model", "classifier"]`` is an :class:`OpportunityResult`; ``.stability()`` says how far
        each difference depends on the classifier; ``.to_frame()``, ``.plot()``.

    Raises
    ------
    ConfigError, DataError, GroupError, ModelError
        As in :func:`fair_opportunity`, and if there is no model or no classifier.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from fairwitness.datasets import blind_world, proxy_world
    >>> from fairwitness.flips import compare_opportunities
    >>> world = proxy_world(200, random_state=0)
    >>> comparison = compare_opportunities(
    ...     {"by signal": world.model, "by merit": blind_world(200, random_state=0).model},
    ...     world.X,
    ...     world.sensitive,
    ...     classifiers={"boosting": None, "naive Bayes": GaussianNB()},
    ...     evidence=["signal", "merit"],
    ...     privileged="privileged",
    ...     k=5,
    ...     n_resamples=50,
    ...     n_permutations=50,
    ...     n_jobs=1,
    ... )
    >>> comparison
    <OpportunityComparison: models 2, classifiers 2>
    >>> comparison["by signal", "naive Bayes"].difference().at("cflips").estimate
    1.0
    """
    classifiers = {"default": None} if classifiers is None else classifiers
    for what, given in (("models", models), ("classifiers", classifiers)):
        if not isinstance(given, Mapping):
            raise ConfigError(
                f"{what} must be a mapping from names", got=shown(given), fix='pass for example {"LR": model}'
            )
    if not models or not classifiers:
        raise ConfigError(
            "there is nothing to compare", fix="pass at least one model and one classifier, by name"
        )
    seed = seed_from(random_state)
    if evidence is None:
        seen = input_names(models.values(), X, sensitive_features, favorable=favorable, threshold=threshold)
    else:
        seen = [evidence] if isinstance(evidence, str) else list(evidence)
    generator = chosen_generator(generator, n_jobs)
    instruments: dict[str, Classifier] = {}
    results: dict[tuple[str, str], OpportunityResult] = {}
    for model_name, model in models.items():
        case = prepare_case(
            model,
            X,
            sensitive_features=sensitive_features,
            privileged=privileged,
            favorable=favorable,
            threshold=threshold,
            evidence=seen,
            schema=schema,
            k=k,
            random_state=seed,
            n_jobs=n_jobs,
            missing=missing,
            intersections=False,
            confidence=confidence,
            minimum_n=minimum_n,
        )
        groups, accepted = one_feature(case.groups), case.judgement.accepted
        privileged = groups.labels[groups.privileged]
        if not instruments:
            instruments = {
                name: fitted_classifier(classifier, case.evidence, groups, seed=seed, n_jobs=n_jobs)
                for name, classifier in classifiers.items()
            }
        known = {name: people_proba(f_s, case.evidence) for name, f_s in instruments.items()}
        drawn: dict[str, BoolArray] = {}
        for name, f_s in instruments.items():
            _, looks = align(known[name], f_s, groups.labels)
            eligible = eligible_rows(accepted, groups.codes, looks)
            drawn[name] = draw_people(eligible, groups.codes, most=max_people, seed=seed)
        rows = np.flatnonzero(np.any(list(drawn.values()), axis=0))
        found, random = search_both(case, rows, generator)
        for name, f_s in instruments.items():
            mine = drawn[name][rows]
            result = opportunity_from(
                found.take(mine),
                groups,
                f_s,
                rows=rows[mine],
                accepted=accepted,
                evidence=case.evidence,
                known=known[name],
                random=None if random is None else random.take(mine),
                convention=convention,
                shortfall=shortfall,
                confidence=confidence,
                n_resamples=n_resamples,
                n_permutations=n_permutations,
                minimum_n=minimum_n,
                random_state=seed,
            )
            results[model_name, name] = result.in_order(case.row_number)
    return OpportunityComparison(results)
