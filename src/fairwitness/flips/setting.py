"""What a measurement needs besides the counterfactuals: a classifier, a generator, one feature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from fairwitness.arguments import shown
from fairwitness.errors import ConfigError
from fairwitness.flips.inference import Classifier
from fairwitness.rng import child_seed
from fairwitness.text import listing, plain
from fairwitness.typing import NativeFrame

if TYPE_CHECKING:
    from fairwitness.counterfactuals.base import CounterfactualGenerator
    from fairwitness.table.groups import Groups


def fitted_classifier(
    classifier: object, evidence: NativeFrame, groups: Groups, *, seed: int, n_jobs: int | None = None
) -> Classifier:
    """Give a fitted sensitive-feature classifier: the one given, or one cross-fitted on ``evidence``.

    Rows without group are left out of the fit.
    """
    from fairwitness.model.sensitive import SensitiveFeatureClassifier
    from fairwitness.table.frames import take_rows

    if classifier is not None and hasattr(classifier, "classes_"):
        return cast(Classifier, classifier)
    if classifier is not None and not hasattr(classifier, "fit"):
        raise ConfigError(
            "the sensitive-feature classifier can neither be fitted nor is it",
            got=type(classifier).__name__,
            fix="pass an estimator with fit and predict_proba, or a fitted classifier",
        )
    if isinstance(classifier, SensitiveFeatureClassifier):
        from sklearn.base import clone

        unfitted = clone(classifier)
        if unfitted.random_state is None:
            unfitted.random_state = child_seed(seed, "classifier", groups.name)
    else:
        unfitted = SensitiveFeatureClassifier(
            classifier, random_state=child_seed(seed, "classifier", groups.name), n_jobs=n_jobs
        )
    known = np.flatnonzero(groups.codes >= 0)
    labels = np.asarray(groups.labels, dtype=object)[groups.codes[known]]
    return cast(Classifier, unfitted.fit(take_rows(evidence, known), labels))


def input_names(
    models: Iterable[object],
    X: NativeFrame,
    sensitive_features: object,
    *,
    favorable: object = 1,
    threshold: float = 0.5,
) -> list[str]:
    """Give the columns that any of the models reads, without the sensitive one, in the table's order."""
    from fairwitness.intake.prepare import input_columns, resolve_sensitive
    from fairwitness.model.blackbox import as_blackbox
    from fairwitness.model.crossfit import CrossFitted
    from fairwitness.table.frames import column_names

    _, sensitive = resolve_sensitive(X, sensitive_features)
    read: set[str] = set()
    for model in models:
        if isinstance(model, CrossFitted):
            box = model.members(favorable=favorable, threshold=threshold)[0]
        else:
            box = as_blackbox(model, favorable=favorable, threshold=threshold)
        read |= set(input_columns(X, box, sensitive))
    return [name for name in column_names(X) if name in read and name not in sensitive]


def one_feature(groups: Sequence[Groups]) -> Groups:
    """Give the one sensitive feature there is.

    Raises
    ------
    ConfigError
        If there are several.
    """
    if len(groups) != 1:
        raise ConfigError(
            "fair_opportunity takes one sensitive feature at a time",
            got=listing([plain(each.name) for each in groups]),
            fix="call it once a feature, pass a Groups for an intersection, or use Audit",
        )
    return groups[0]


def chosen_generator(given: object, n_jobs: int | None = None) -> CounterfactualGenerator:
    """Give the generator that was asked for; by default the nearest accepted rows of the table.

    Raises
    ------
    ConfigError
        If it is no generator.
    """
    from fairwitness.counterfactuals.base import CounterfactualGenerator
    from fairwitness.counterfactuals.neighbors import NeighborGenerator

    if given is None or (isinstance(given, str) and given == "neighbors"):
        return NeighborGenerator(n_jobs=n_jobs)
    if not isinstance(given, CounterfactualGenerator):
        raise ConfigError(
            "generator is no counterfactual generator",
            got=shown(given),
            fix='pass "neighbors" or an instance, for example NeighborGenerator(rank="dice")',
        )
    return given
