"""What :func:`fairwitness.metrics.measure` is given, read once: labels as codes, numbers, groups, strata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import narwhals as nw
import numpy as np

from fairwitness.arguments import number_array, real_number, shown
from fairwitness.errors import ConfigError, DataError, GroupError
from fairwitness.metrics.counted.confusion import check_weights
from fairwitness.metrics.counted.entropy import Benefit, benefits
from fairwitness.metrics.counted.exact import numbers
from fairwitness.metrics.counted.inputs import check_rows, coded_labels, favoured, labels_of, weights
from fairwitness.metrics.counted.scores import check_scores
from fairwitness.model.labels import same
from fairwitness.table.columns import read_column
from fairwitness.table.frames import column_labels
from fairwitness.table.groups import Groups, sensitive_groups
from fairwitness.table.levels import level_text
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, Document, FloatArray, IntArray, MissingPolicy

TaskName: TypeAlias = Literal["auto", "classification", "score", "regression"]
#: Distinct numbers beyond which predictions are taken for a regression's.
MOST_LABELS = 20
MOST_GROUPS = 1000


@dataclass(frozen=True, eq=False)
class Inputs:
    """One table's outcomes, predictions, groups and weights, checked and aligned.

    Attributes
    ----------
    task
        ``"classification"``, ``"score"`` or ``"regression"``.
    n
        Rows.
    y_true, y_pred
        As given.
    score
        (n,) scores of the favourable outcome, or ``None``.
    threshold
        Scores from here on are accepted, where no decisions are given.
    weight
        (n,) weights, or ``None``.
    features
        The groups of each sensitive feature, then of their intersection.
    strata
        The groups of the control features, or ``None``.
    empty_levels
        Feature → levels that its column declares and that occur nowhere.
    rows, squares
        (n,) rows that each entry stands for, where cells were counted, and sums of their squared weights;
        ``None`` where each entry is a row.
    """

    task: str
    n: int
    y_true: Any
    y_pred: Any
    score: FloatArray | None
    threshold: float
    favorable: object
    benefit: Benefit
    weight: FloatArray | None
    features: tuple[Groups, ...]
    strata: Groups | None
    empty_levels: Mapping[str, tuple[str, ...]]
    notes: Mapping[str, str]
    rows: IntArray | None = None
    squares: FloatArray | None = None

    def labels(self, *, several: bool) -> tuple[IntArray | BoolArray, IntArray | BoolArray | None, int, int]:
        """Predicted and true label codes, the number of labels, and the place of the favourable one.

        ``several`` tells labels apart that are not the favourable one; decisions do not need that.
        """
        if not several or self.binary:
            return self.accepted, None if self.y_true is None else self.good, 2, 1
        true, predicted, labels = coded_labels(self.y_true, self.y_pred)
        at = next((at for at, each in enumerate(labels) if same(each, self.favorable)), None)
        if at is None:
            raise DataError(
                "the favourable label is none of the labels",
                got=f"favorable={plain(self.favorable)}, labels {listing([plain(each) for each in labels])}",
                fix="pass favorable= one of these, in its own type",
            )
        return predicted, true, len(labels), at

    @cached_property
    def binary(self) -> bool:
        """Whether there are at most two labels, so that only the favourable one needs to be known."""
        if self.y_pred is None or self.y_true is None:
            return True
        return len(labels_of(self.y_true) | labels_of(self.y_pred)) <= 2

    @cached_property
    def accepted(self) -> BoolArray:
        """(n,) whether the decision is the favourable one."""
        if self.y_pred is None:
            assert self.score is not None
            return np.asarray(self.score >= self.threshold)
        return favoured(
            self.y_pred, self.favorable, "y_pred", also=None if self.y_true is None else self.good
        )

    @cached_property
    def good(self) -> BoolArray:
        """(n,) whether the true outcome is the favourable one."""
        return favoured(self.y_true, self.favorable, "y_true")

    @cached_property
    def outcome(self) -> FloatArray:
        """(n,) true numbers of a regression."""
        return numbers(self.y_true, "y_true")

    @cached_property
    def prediction(self) -> FloatArray:
        """(n,) predicted numbers of a regression."""
        return numbers(self.y_pred, "y_pred")

    @cached_property
    def benefits(self) -> FloatArray | None:
        """(n,) benefits that were stated, or ``None``."""
        if self.benefit is None:
            return None
        found = benefits(self.y_true, self.y_pred, benefit=self.benefit, task=self.task)
        if found.shape != (self.n,):
            raise DataError(
                "there should be one benefit a row",
                got=f"{len(found)} for {self.n} rows",
                fix="pass benefits of the same rows",
            )
        return found

    def described(self) -> dict[str, Document]:
        """Give each feature's groups for a document."""
        return {
            groups.name: {**groups.to_dict(), "empty_levels": list(self.empty_levels.get(groups.name, ()))}
            for groups in self.features
        }


def read_inputs(
    y_true: Any,
    y_pred: Any,
    *,
    y_score: Any,
    sensitive_features: Any,
    control_features: Any,
    task: str,
    favorable: object,
    threshold: float,
    sample_weight: Any,
    privileged: object,
    missing: MissingPolicy,
    minimum_n: int,
    intersections: bool,
    benefit: Benefit,
    rows: IntArray | None = None,
    squares: FloatArray | None = None,
) -> Inputs:
    """Check and align what :func:`measure` is given; see there.

    Raises
    ------
    DataError, GroupError, ConfigError
        If rows do not align, labels or scores are unusable, or the features give no groups.
    """
    if not isinstance(task, str) or task not in get_args(TaskName):
        raise ConfigError("unknown task", got=shown(task), fix=f"use {listing(get_args(TaskName))}")
    if not isinstance(intersections, bool | np.bool_):
        raise ConfigError(
            "intersections must be True or False",
            got=shown(intersections),
            fix="pass True to cross several sensitive features",
        )
    if y_pred is None and y_score is None:
        raise DataError("there is nothing to measure", fix="pass y_pred=, the predictions, or y_score=")
    check_rows(
        y_true=y_true,
        y_pred=y_pred,
        y_score=y_score,
        sample_weight=sample_weight,
        **_rowwise("sensitive_features", sensitive_features),
        **_rowwise("control_features", control_features),
    )
    n = len(y_pred if y_pred is not None else y_score)
    if not n:
        raise DataError("the table has no rows", fix="pass at least one row")
    weight = weights(sample_weight)
    if weight is not None:
        check_weights(weight)
    score = None
    if y_score is not None:
        score = number_array(y_score, "y_score", fix="pass one number a row").ravel()
        if score.shape != (n,):
            raise DataError(
                "y_score must have one value a row",
                got=f"{len(score)} values for {n} rows",
                fix="pass a column",
            )
        check_scores(score)
    if task == "auto":
        continuous = score is None and (_continuous(y_pred) or (y_true is not None and _fractions(y_true)))
        task = "regression" if continuous else "classification"
    inputs = Inputs(
        task,
        n,
        y_true,
        y_pred,
        score,
        real_number(threshold, "threshold", fix="pass for example threshold=0.5"),
        favorable,
        benefit,
        weight,
        (),
        None,
        {},
        {},
    )
    if task == "regression":
        if y_pred is None:
            raise DataError("a regression has predicted numbers", fix="pass them as y_pred=")
        accepted = None
        _ = inputs.prediction, None if y_true is None else inputs.outcome
    else:
        accepted = inputs.accepted
    features, notes = _features(
        sensitive_features, accepted, privileged, missing, minimum_n, rows, intersections=intersections
    )
    strata = None
    if control_features is not None:
        strata = sensitive_groups(
            control_features, missing=missing, intersections=True, max_groups=MOST_GROUPS, rows=rows
        )[-1]
        if len(strata.codes) != n:
            raise GroupError("the control features differ from the predictions in their number of rows")
    for groups in features:
        if len(groups.codes) != n:
            raise GroupError(
                "the sensitive features differ from the predictions in their number of rows",
                got=f"{plain(groups.name)}: {len(groups.codes)}, predictions: {n}",
                fix="pass columns of one table",
            )
    empty = _empty_levels(sensitive_features, features)
    found = Inputs(
        task,
        n,
        y_true,
        y_pred,
        score,
        inputs.threshold,
        favorable,
        benefit,
        weight,
        features,
        strata,
        empty,
        notes,
        rows,
        squares,
    )
    # What was computed on the way need not be computed again.
    for name in ("accepted", "good", "outcome", "prediction"):
        if name in inputs.__dict__:
            found.__dict__[name] = inputs.__dict__[name]
    return found


def _features(
    given: Any,
    accepted: BoolArray | None,
    privileged: object,
    missing: MissingPolicy,
    minimum_n: int,
    rows: IntArray | None,
    *,
    intersections: bool,
) -> tuple[tuple[Groups, ...], dict[str, str]]:
    if given is None:
        return (), {}
    listed = [given] if isinstance(given, Groups) else given
    if isinstance(listed, list | tuple) and listed and all(isinstance(each, Groups) for each in listed):
        if privileged is None:
            return tuple(listed), {}
        chosen = privileged if isinstance(privileged, Mapping) else {each.name: privileged for each in listed}
        return (
            tuple(g.with_privileged(chosen[g.name]) if g.name in chosen else g for g in listed),
            {},
        )

    def build(*, crossed: bool) -> tuple[Groups, ...]:
        return sensitive_groups(
            given,
            privileged=privileged,
            accepted=accepted,
            missing=missing,
            intersections=crossed,
            max_groups=MOST_GROUPS,
            minimum_n=minimum_n,
            rows=rows,
        )

    if not intersections:
        return build(crossed=False), {}
    try:
        return build(crossed=True), {}
    except GroupError as error:
        # The features may be fine where their crossing is not; if they are not, this says so.
        return build(crossed=False), {"intersection": str(error)}


def _empty_levels(given: Any, features: tuple[Groups, ...]) -> dict[str, tuple[str, ...]]:
    """List the levels that a column's type declares and no row has."""
    found = {}
    if nw.dependencies.is_into_dataframe(given):
        columns = {name: given[label] for name, label in column_labels(given).items()}
    elif isinstance(given, Mapping):
        columns = {str(name): values for name, values in given.items()}
    elif nw.dependencies.is_into_series(given) and features:
        columns = {features[0].name: given}
    else:
        columns = {}
    for groups in features:
        if groups.name in columns:
            declared = read_column(columns[groups.name], name=groups.name).declared or ()
            known = {label for label, n in zip(groups.labels, groups.counts.tolist(), strict=True) if n}
            found[groups.name] = tuple(
                text for text in (level_text(level) for level in declared) if text not in known
            )
        else:
            found[groups.name] = tuple(
                label for label, n in zip(groups.labels, groups.counts.tolist(), strict=True) if not n
            )
    return {name: levels for name, levels in found.items() if levels}


def _rowwise(name: str, features: Any) -> dict[str, Any]:
    """Give what of features has rows and perhaps an index, by name, to be compared with the predictions."""
    if isinstance(features, Mapping):
        return {f"{name}[{plain(column)!r}]": values for column, values in features.items()}
    if isinstance(features, list | tuple) and features and isinstance(features[0], Groups):
        return {}
    return {} if isinstance(features, Groups) else {name: features}


def _continuous(y_pred: Any) -> bool:
    """Say whether predictions look like a regression's: fractions, or many different numbers."""
    values = _some_numbers(y_pred)
    return len(values) > MOST_LABELS or _fractions(y_pred)


def _fractions(values: Any) -> bool:
    """Say whether there are fractions among values; missing and infinite ones are none."""
    some = _some_numbers(values)
    return some.dtype.kind == "f" and bool((np.isfinite(some) & (some != np.round(some))).any())


def _some_numbers(values: Any) -> np.ndarray:
    """Give different numbers among the first of the values; none where they are no numbers."""
    array = np.asarray(values)
    if array.dtype.kind == "O":
        array = np.asarray(list(labels_of(values)), dtype=object)
        if not all(isinstance(value, int | float) for value in array):
            return np.zeros(0)
        array = array.astype(np.float64)
    return np.unique(array[:1000]) if array.dtype.kind in "iuf" else np.zeros(0)
