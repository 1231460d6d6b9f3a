"""How unequally benefits are spread over people: generalised entropy, its parts between and within groups.

A benefit is a number of at least 0 a person. Of decisions it is b = ŷ − y + 1: 1 where the decision is the
true outcome, 2 where a person got more than that, 0 where they got less.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from fairwitness.arguments import number_array, real_number
from fairwitness.errors import ConfigError, DataError, FairwitnessError, FairwitnessWarning
from fairwitness.metrics.counted.inputs import check_rows, favoured, one_feature, weights
from fairwitness.metrics.counted.sums import group_sums
from fairwitness.model.messages import said
from fairwitness.text import plain
from fairwitness.typing import Document, FloatArray, MissingPolicy

#: (n,) benefits, a function (y_true, y_pred) → (n,) benefits, or None for ŷ − y + 1 of decisions.
Benefit: TypeAlias = "ArrayLike | Callable[[Any, Any], ArrayLike] | None"

#: Benefits of the four cells (y, ŷ) = 00, 01, 10, 11.
CELL_BENEFITS = np.array([1.0, 2.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class EntropyParts:
    """A generalised entropy index and what it is made of.

    Attributes
    ----------
    alpha
        Of the index.
    total
        The index of all benefits; ``between + within``.
    between
        The index if everyone had their group's mean benefit: 0 is no difference between groups.
    within
        What the spread inside the groups adds.
    groups
        Label → the index inside that group, NaN for an empty one.
    """

    alpha: float
    total: float
    between: float
    within: float
    groups: dict[str, float]

    def to_dict(self) -> Document:
        """Give plain values, for JSON: NaN is null."""

        def plainly(value: float) -> float | None:
            return value if math.isfinite(value) else None

        return {
            "alpha": self.alpha,
            "total": plainly(self.total),
            "between": plainly(self.between),
            "within": plainly(self.within),
            "groups": {label: plainly(value) for label, value in self.groups.items()},
        }


def entropy_of_sums(n: FloatArray, total: FloatArray, power: FloatArray, alpha: float) -> FloatArray:
    """Give generalised entropy from sums, of any shape.

    Parameters
    ----------
    n, total
        Σw and Σwb.
    power
        Σw b^alpha; Σw b ln b for alpha = 1, Σw ln b for alpha = 0.
    alpha
        Of the index.

    Returns
    -------
    array
        At least 0; NaN where n or Σwb is 0, infinite for alpha ≤ 0 where a benefit is 0.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / n
        if alpha == 1:
            value = power / total - np.log(mean)
        elif alpha == 0:
            value = np.log(mean) - power / n
        else:
            value = (power / (n * mean**alpha) - 1) / (alpha * (alpha - 1))
    # Equal benefits leave a rounding error, which may lie below 0.
    return np.where((n > 0) & (total > 0), np.where(np.abs(value) < 1e-15, 0.0, value), np.nan)


def powers(benefit: FloatArray, alpha: float) -> FloatArray:
    """Give what :func:`entropy_of_sums` sums a row: b^alpha, b ln b (alpha = 1) or ln b (alpha = 0)."""
    if alpha == 1:
        return np.asarray(xlogy(benefit, benefit))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(benefit) if alpha == 0 else benefit**alpha)


def entropy_of_cells(cells: FloatArray, alpha: float) -> FloatArray:
    """Give generalised entropy of ŷ − y + 1 from (..., 2, 2) cells: the closed forms for decisions.

    For alpha = 2 it is ((c1 + 4c2)/(nμ²) − 1)/2, for 1 (c1 ln(1/μ) + 2c2 ln(2/μ))/(nμ), with c1 and c2
    people of benefit 1 and 2.
    """
    flat = cells.reshape(*cells.shape[:-2], 4)
    with np.errstate(invalid="ignore"):
        summed = np.where(flat > 0, flat * powers(CELL_BENEFITS, alpha), 0.0).sum(axis=-1)
    return entropy_of_sums(flat.sum(axis=-1), flat @ CELL_BENEFITS, summed, alpha)


def benefits(
    y_true: Any, y_pred: Any, *, benefit: Benefit = None, favorable: object = 1, task: str = "auto"
) -> FloatArray:
    """Give each person's benefit.

    Parameters
    ----------
    y_true, y_pred
        (n,) true labels and decisions, or numbers.
    benefit
        (n,) benefits, or a function of (y_true, y_pred) that gives them; ``None`` for ŷ − y + 1 of decisions.
    favorable
        The favourable label.
    task
        ``"regression"`` refuses to guess a benefit.

    Raises
    ------
    DataError
        If a benefit is negative or not finite, there is not one a row, the function fails, or numbers are
        given without a benefit.
    ConfigError
        If the function does not take two arguments.
    """
    if benefit is None:
        if task == "regression":
            raise DataError(
                "predicted numbers have no benefit of their own",
                fix="pass benefit=, (n,) numbers of at least 0 or a function of (y_true, y_pred)",
            )
        good = favoured(y_true, favorable, "y_true")
        return favoured(y_pred, favorable, "y_pred", also=good).astype(np.float64) - good + 1
    called = "benefit"
    if callable(benefit):
        called = f"the benefit function {getattr(benefit, '__name__', type(benefit).__name__)}"
        benefit = _asked(benefit, called, y_true, y_pred)
    found = number_array(benefit, called, fix="pass one number of at least 0 a row")
    n = next((len(each) for each in (y_pred, y_true) if hasattr(each, "__len__")), found.size)
    if not found.ndim or found.size != n:
        raise DataError(
            "there should be one benefit a row",
            got=f"{called}: {'one number' if not found.ndim else f'{found.size:,}'}"
            + (f" for {n:,} rows" if n != found.size else ""),
            fix="pass benefits of the same rows",
        )
    found = found.ravel()
    wrong = ~(np.isfinite(found) & (found >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(
            f"{called} gives a negative or infinite benefit, of which there is no entropy",
            got=f"{found[row]:g} in row {row}",
            fix="choose a benefit of at least 0, for example by adding a constant that has a meaning",
        )
    return found


def _asked(function: Callable[[Any, Any], ArrayLike], called: str, y_true: Any, y_pred: Any) -> ArrayLike:
    """Call a benefit function with arrays where lists were given, and say so if it cannot be called."""
    given = [np.asarray(each) if isinstance(each, list | tuple) else each for each in (y_true, y_pred)]
    try:
        inspect.signature(function).bind(*given)
    except TypeError as error:
        raise ConfigError(
            f"{called} must take two arguments, y_true and y_pred",
            got=plain(error),
            fix="write for example def benefit(y_true, y_pred): return y_pred - y_true + 1",
        ) from error
    except ValueError:  # built in, and does not say what it takes
        pass
    try:
        return function(*given)
    except FairwitnessError:
        raise
    except Exception as error:  # a user's function may raise anything
        raise DataError(
            f"{called} failed", got=said(error), fix="it is called with all rows at once, as arrays"
        ) from error


def generalized_entropy_index(
    y_true: Any,
    y_pred: Any,
    *,
    alpha: float = 2,
    benefit: Benefit = None,
    favorable: object = 1,
    sample_weight: Any = None,
) -> float:
    """Give GE(alpha) = E[(b/μ)^alpha − 1] / (alpha (alpha − 1)): how unequally benefits are spread.

    Parameters
    ----------
    y_true, y_pred
        (n,) true labels and decisions; with ``benefit`` of any kind, or ``None``.
    alpha
        1 is the Theil index, 0 the mean log deviation, 2 half the squared coefficient of variation. The
        higher, the more large benefits count.
    benefit
        (n,) benefits of at least 0, or a function of (y_true, y_pred); default ŷ − y + 1, which is 0 for a
        person wrongly refused, 2 for one wrongly accepted and 1 for all others.
    favorable
        The label of the good outcome.
    sample_weight
        (n,) weights, at least 0.

    Returns
    -------
    float
        At least 0; 0 where all benefits are equal. NaN, with a warning, where all are 0; infinite for
        alpha ≤ 0 where one is.

    Raises
    ------
    DataError
        If rows do not align, a label is missing or a benefit is negative.

    References
    ----------
    T. Speicher et al. (2018), A unified approach to quantifying algorithmic unfairness, equation 2.

    Examples
    --------
    >>> from fairwitness.metrics import generalized_entropy_index
    >>> generalized_entropy_index([1, 1, 0, 0], [1, 0, 1, 0])
    0.25
    """
    return _index(y_true, y_pred, alpha, benefit, favorable, sample_weight)


def theil_index(
    y_true: Any, y_pred: Any, *, benefit: Benefit = None, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give E[(b/μ) ln(b/μ)] with 0 ln 0 = 0, in [0, ln n]; 0 where all benefits are equal.

    All else is as in :func:`generalized_entropy_index`, of which it is the limit at alpha = 1.
    """
    return _index(y_true, y_pred, 1, benefit, favorable, sample_weight)


def coefficient_of_variation(
    y_true: Any, y_pred: Any, *, benefit: Benefit = None, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give σ/μ of the benefits, √(2 · GE(2)), at least 0; 0 where all benefits are equal.

    All else is as in :func:`generalized_entropy_index`.
    """
    return math.sqrt(2) * math.sqrt(_index(y_true, y_pred, 2, benefit, favorable, sample_weight))


def card_cv(
    y_true: Any, y_pred: Any, *, benefit: Benefit = None, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give what the evaluation card of Duong et al. (2023) calls ``cv``: GE(2).

    For comparison with published numbers only; all else is as in :func:`generalized_entropy_index`.
    """
    return _index(y_true, y_pred, 2, benefit, favorable, sample_weight)


def paper_cv(
    y_true: Any, y_pred: Any, *, benefit: Benefit = None, favorable: object = 1, sample_weight: Any = None
) -> float:
    """Give what the code of Duong et al. (2023) calls ``cv``: 2 √GE(2), which is √2 σ/μ.

    For comparison with published numbers only; all else is as in :func:`generalized_entropy_index`.
    """
    return 2 * math.sqrt(_index(y_true, y_pred, 2, benefit, favorable, sample_weight))


def entropy_decomposition(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    alpha: float = 2,
    benefit: Benefit = None,
    favorable: object = 1,
    sample_weight: Any = None,
    missing: MissingPolicy = "group",
) -> EntropyParts:
    """Split a generalised entropy index into what lies between groups and what lies within them.

    Parameters
    ----------
    y_true, y_pred, alpha, benefit, favorable, sample_weight
        As in :func:`generalized_entropy_index`.
    sensitive_features
        One column of n values (of several in a table: their intersection), or
        :class:`fairwitness.table.Groups`.
    missing
        What to do with missing sensitive values: ``"group"``, ``"drop"`` or ``"error"``.

    Returns
    -------
    EntropyParts
        ``between`` and ``within`` sum to ``total``.

    References
    ----------
    A. F. Shorrocks (1980), The class of additively decomposable inequality measures.
    """
    alpha = real_number(alpha, "alpha", fix="pass for example alpha=2")
    check_rows(
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        benefit=None if callable(benefit) else benefit,
    )
    found = benefits(y_true, y_pred, benefit=benefit, favorable=favorable)
    groups = one_feature(sensitive_features, None, None, missing)
    given = weights(sample_weight)
    weight = np.ones(len(found)) if given is None else given
    n, total, power = (
        group_sums(weight * each, groups.codes, groups.n_groups)
        for each in (np.ones(len(found)), found, powers(found, alpha))
    )
    each = entropy_of_sums(n, total, power, alpha)
    whole = float(entropy_of_sums(n.sum(), total.sum(), power.sum(), alpha))
    between = float(between_groups(n, total, alpha))
    return EntropyParts(
        alpha, whole, between, whole - between, dict(zip(groups.labels, each.tolist(), strict=True))
    )


def between_groups(n: FloatArray, total: FloatArray, alpha: float) -> FloatArray:
    """Give the index of group means from (..., G) sums Σw and Σwb, as (...,)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(n > 0, total / n, 0.0)
        power = np.where(n > 0, n * powers(mean, alpha), 0.0).sum(axis=-1)
    return entropy_of_sums(n.sum(axis=-1), total.sum(axis=-1), power, alpha)


def _index(
    y_true: Any, y_pred: Any, alpha: float, benefit: Benefit, favorable: object, sample_weight: Any
) -> float:
    alpha = real_number(alpha, "alpha", fix="pass for example alpha=2")
    check_rows(
        y_true=y_true,
        y_pred=y_pred,
        sample_weight=sample_weight,
        benefit=None if callable(benefit) else benefit,
    )
    found = benefits(y_true, y_pred, benefit=benefit, favorable=favorable)
    given = weights(sample_weight)
    weight = np.ones(len(found)) if given is None else given
    met = weight > 0  # what has no weight is not there: 0 · ∞ is not 0
    n, total, power = (
        np.asarray(np.sum(weight[met] * each[met]))
        for each in (np.ones(len(found)), found, powers(found, alpha))
    )
    value = float(entropy_of_sums(n, total, power, alpha))
    if math.isnan(value):
        why = "every benefit is 0" if met.any() else "there are no rows, or only rows of weight 0"
        warnings.warn(f"the entropy is undefined: {why}", FairwitnessWarning, stacklevel=3)
    return value
