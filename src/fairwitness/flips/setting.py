"""What a measurement needs besides the counterfactuals: who is judged, by whom, and in which group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fairwitness.errors import ConfigError, DataError, GroupError
from fairwitness.flips.inference import Classifier
from fairwitness.rng import child_seed
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, IntArray, MissingPolicy, NativeFrame

if TYPE_CHECKING:
    from fairwitness.counterfactuals.base import CounterfactualGenerator
    from fairwitness.model.blackbox import BlackBox
    from fairwitness.model.judgement import Judgement
    from fairwitness.table.groups import Groups


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One model and one sensitive feature, rows in an order that depends on their content only.

    Attributes
    ----------
    models, fold
        The model, or one a fold, and which of them judges each row.
    inputs, evidence
        What the model reads, and what the sensitive-feature classifier may see.
    groups, judgement
        Each row's group, and the model's answer.
    order
        (n,) position of each row in the user's table.
    """

    models: tuple[BlackBox, ...]
    fold: IntArray
    inputs: NativeFrame
    evidence: NativeFrame
    groups: Groups
    judgement: Judgement
    order: IntArray


def make_setting(
    model: object,
    X: NativeFrame,
    sensitive_features: object,
    *,
    privileged: object,
    favorable: object,
    threshold: float,
    evidence: Sequence[str] | None,
    missing: MissingPolicy,
) -> Setting:
    """Judge every row, find its group, and put the rows into canonical order.

    Parameters are those of :func:`fairwitness.flips.fair_opportunity`.
    """
    from fairwitness.model.blackbox import as_blackbox, judge_by_fold
    from fairwitness.model.crossfit import CrossFitted
    from fairwitness.model.judgement import Judgement
    from fairwitness.table.canonical import canonical_order
    from fairwitness.table.frames import n_rows, select_columns, take_rows

    if n_rows(X) == 0:
        raise DataError("the table has no rows", fix="pass the table the model decides about")
    if isinstance(model, CrossFitted):
        models = tuple(model.members(favorable=favorable))
    else:
        models = (as_blackbox(model, favorable=favorable, threshold=threshold),)
    values, columns = _sensitive_values(X, sensitive_features)
    names = _input_names(X, models[0], columns)
    inputs = select_columns(X, names)
    seen = [name for name in names if name not in columns] if evidence is None else list(evidence)
    if not seen:
        raise DataError(
            "the sensitive-feature classifier has no column to read",
            fix="name some with evidence=[...]",
        )
    fold = _fold(model, inputs)
    judgement = judge_by_fold(models, fold, inputs)
    groups = _groups(values, privileged=privileged, accepted=judgement.accepted, missing=missing)
    order = canonical_order(inputs, _as_frame(groups))
    return Setting(
        models=models,
        fold=fold[order],
        inputs=take_rows(inputs, order),
        evidence=take_rows(select_columns(X, seen), order),
        groups=groups.take(order),
        judgement=Judgement(accepted=judgement.accepted[order], score=judgement.score[order]),
        order=order,
    )


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


def input_names(models: Iterable[object], X: NativeFrame, sensitive_features: object) -> list[str]:
    """Give the columns that any of the models reads, without the sensitive one, in the table's order."""
    from fairwitness.model.blackbox import as_blackbox
    from fairwitness.model.crossfit import CrossFitted
    from fairwitness.table.frames import column_names

    _, columns = _sensitive_values(X, sensitive_features)
    read: set[str] = set()
    for model in models:
        boxes = model.members() if isinstance(model, CrossFitted) else (as_blackbox(model),)
        read |= set(_input_names(X, boxes[0], columns))
    return [name for name in column_names(X) if name in read and name not in columns]


def default_generator(n_jobs: int | None = None) -> CounterfactualGenerator:
    """Give the generator that is used if none is asked for: the nearest accepted rows of the table."""
    from fairwitness.counterfactuals.neighbors import NeighborGenerator

    return NeighborGenerator(n_jobs=n_jobs)


def _fold(model: object, inputs: NativeFrame) -> IntArray:
    from fairwitness.model.crossfit import CrossFitted
    from fairwitness.table.frames import n_rows

    if not isinstance(model, CrossFitted):
        return np.zeros(n_rows(inputs), dtype=np.int64)
    fold = np.asarray(model.fold_of(inputs), dtype=np.int64)
    if (fold < 0).any():
        raise DataError(
            f"{int((fold < 0).sum())} rows were not in the table that the model was cross-fitted on",
            fix="measure on the table that CrossFitted.fit was given",
        )
    return fold


def _groups(values: Any, *, privileged: object, accepted: BoolArray, missing: MissingPolicy) -> Groups:
    from fairwitness.table.groups import Groups, sensitive_groups

    if isinstance(values, Groups):
        if len(values.codes) != len(accepted):
            raise DataError(
                f"the groups of {plain(values.name)} and the table have different lengths",
                got=f"{len(values.codes)} and {len(accepted)}",
                fix="pass the groups of this very table",
            )
        return values if privileged is None else values.with_privileged(privileged)
    if not hasattr(values, "__len__"):
        raise ConfigError(
            "sensitive_features must be a column name, a cut, values beside the table, or a Groups",
            got=type(values).__name__,
            fix='pass for example "sex" or "age > 25"',
        )
    sizes = {len(column) for column in values.values()} if isinstance(values, Mapping) else {len(values)}
    if sizes != {len(accepted)}:
        raise DataError(
            "the sensitive feature and the table have different lengths",
            got=f"{listing([str(size) for size in sorted(sizes)])} and {len(accepted)}",
            fix="pass one value a row",
        )
    found = sensitive_groups(values, privileged=privileged, accepted=accepted, missing=missing)
    if len(found) != 1:
        raise ConfigError(
            "fair_opportunity takes one sensitive feature at a time",
            got=listing([plain(groups.name) for groups in found]),
            fix="call it once a feature, pass a Groups for an intersection, or use Audit",
        )
    return found[0]


def _as_frame(groups: Groups) -> NativeFrame:
    import pandas as pd

    return pd.DataFrame({groups.name: groups.label_of(groups.codes)})


def _input_names(X: NativeFrame, model: BlackBox, sensitive: set[str]) -> list[str]:
    from fairwitness.table.frames import column_names

    if model.info.feature_names is not None:
        return model.columns_in(X)
    names = [name for name in column_names(X) if name not in sensitive]
    if not names:
        raise DataError(
            "no column is left for the model to read",
            fix="pass the model's inputs beside the sensitive column",
        )
    return names


def _sensitive_values(X: NativeFrame, given: object) -> tuple[Any, set[str]]:
    """Give what :func:`sensitive_groups` takes, and the columns of ``X`` that must not be evidence."""
    from fairwitness.table.frames import column_names
    from fairwitness.table.groups import Groups, sensitive_columns

    if isinstance(given, Groups):
        return given, {column for part in (given.name, *given.parts) for column in _columns_of(part)}
    if isinstance(given, str):
        given = [given]
    if isinstance(given, list | tuple) and given and all(isinstance(name, str) for name in given):
        # A list of as many texts as there are rows is a column of values, unless they are all names.
        known = column_names(X)
        if all(set(_columns_of(name)) & set(known) for name in given) or len(given) == 1:
            given = sensitive_columns(X, given)
    if isinstance(given, Mapping):
        named = [str(name) for name in given]
    elif hasattr(given, "columns") or hasattr(given, "column_names"):
        named = column_names(given)
    else:
        named = [str(getattr(given, "name", None) or "")]
    return given, {column for name in named for column in _columns_of(name)}


def _columns_of(part: str) -> list[str]:
    """Give the names under which a part may stand in a table: itself, or the column of a cut."""
    from fairwitness.table.cuts import parse_sensitive_spec

    try:
        return [part, parse_sensitive_spec(part).column]
    except GroupError:
        return [part]
