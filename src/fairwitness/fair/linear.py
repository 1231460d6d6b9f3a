"""What LFERM and FairC share: a linear score, its coefficients, and the rows it was fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from fairwitness.arguments import real_number, shown
from fairwitness.errors import ConfigError
from fairwitness.fair.inputs import (
    check_alignment,
    read_groups,
    row_weights,
    rows_to_judge,
    training_rows,
    two_classes,
)
from fairwitness.table.groups import Groups
from fairwitness.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Training:
    """Rows as an optimiser wants them.

    Attributes
    ----------
    X
        (n, d) features.
    design
        (n, d + 1) the same, and a column of ones in the last place if there is an intercept.
    sign
        (n,) +1 for ``classes_[1]``, −1 for ``classes_[0]``.
    codes
        (n,) 1 and 0.
    weights
        (n,) sample weights.
    groups
        One a sensitive feature.
    """

    X: FloatArray
    design: FloatArray
    sign: FloatArray
    codes: IntArray
    weights: FloatArray
    groups: tuple[Groups, ...]

    def padded(self, rows: FloatArray) -> FloatArray:
        """Give directions of the d coefficients a zero for the intercept, if there is one."""
        return np.pad(rows, ((0, 0), (0, self.design.shape[1] - rows.shape[1])))

    def ridge(self, C: float | None) -> FloatArray:
        """(d,) or (d + 1,) penalty of each coefficient beside the summed loss; the intercept's is 0."""
        strength = np.zeros(self.design.shape[1])
        strength[: self.X.shape[1]] = 0.0 if C is None else 1 / C
        return strength


class LinearDecision(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes with a linear score."""

    # With metadata routing enabled, meta-estimators pass it on without being asked to.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sensitive_features": True}

    coef_: FloatArray
    intercept_: FloatArray
    classes_: np.ndarray

    def decision_function(self, X: Any) -> FloatArray:
        """Give (n,) scores xᵀw + b; above 0 the decision is ``classes_[1]``.

        Parameters
        ----------
        X
            (n, d) rows with the columns that ``fit`` saw; no sensitive feature is needed.
        """
        rows = rows_to_judge(self, X)
        return np.asarray(rows @ self.coef_[0] + self.intercept_[0])

    def predict(self, X: Any) -> np.ndarray:
        """Give (n,) labels, ``classes_[1]`` where the score is above 0."""
        positive = self.decision_function(X) > 0
        return np.asarray(self.classes_[positive.astype(np.int64)])

    def _training(self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> Training:
        check_alignment(X=X, y=y, sensitive_features=sensitive_features)
        rows = training_rows(self, X)
        n = len(rows)
        codes = two_classes(self, y, rows=n)
        weights = row_weights(sample_weight, rows=n)
        groups = read_groups(sensitive_features, rows=n)
        intercept: bool = self.fit_intercept
        return Training(
            X=rows,
            design=np.column_stack([rows, np.ones(n)]) if intercept else rows,
            sign=np.where(codes == 1, 1.0, -1.0),
            codes=codes,
            weights=weights,
            groups=groups,
        )

    def _keep(self, coef: FloatArray) -> None:
        d = self.n_features_in_
        self.coef_ = coef[None, :d]
        self.intercept_ = coef[d:] if len(coef) > d else np.zeros(1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def penalty(C: object) -> float | None:
    """Check C, the inverse of the penalty; ``None`` is no penalty."""
    return None if C is None else real_number(C, "C", above=0, fix="pass for example C=1.0, or None")


def not_negative(value: object, name: str, *, fix: str) -> float:
    """Check a number of at least 0."""
    number = real_number(value, name, fix=fix)
    if number < 0:
        raise ConfigError(f"{name} must not be negative", got=shown(value), fix=fix)
    return number


def not_zero(rows: Sequence[FloatArray], *, width: int) -> FloatArray:
    """Stack directions, without those of length 0; (m, d)."""
    kept = [row for row in rows if np.any(row != 0)]
    return np.array(kept).reshape(len(kept), width)
