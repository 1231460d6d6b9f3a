"""What the estimators of this room are given: checked once, in scikit-learn's own terms and in ours.

scikit-learn expects :class:`ValueError` where arrays make no sense, and its own ``NotFittedError`` before
``fit``; callers of fairwitness expect :class:`~fairwitness.errors.FairwitnessError`. Errors here are both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import sklearn.exceptions
from sklearn.utils.validation import check_array, check_is_fitted

from fairwitness.arguments import shown
from fairwitness.errors import DataError, NotFittedError
from fairwitness.model.labels import as_labels, missing_labels, own
from fairwitness.table.groups import Groups, sensitive_groups
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray, IntArray

#: What a column may hold is for the estimator inside to say. (Another name before scikit-learn 1.6.)
_NAN_ALLOWED = {
    "ensure_all_finite"
    if "ensure_all_finite" in signature(check_array).parameters
    else "force_all_finite": False
}
_HOW = "pass fit(X, y, sensitive_features=...): one value a row, or a table of columns"


class InputError(DataError, ValueError):
    """Rows, labels or weights that an estimator cannot learn from."""


class InputTypeError(DataError, TypeError):
    """A container that an estimator cannot read, such as a sparse matrix."""


class UnfittedError(NotFittedError, sklearn.exceptions.NotFittedError):  # type: ignore[misc]
    """An estimator of this room was asked before ``fit``."""


def check_fitted(estimator: Any) -> None:
    """Stop if ``estimator`` was not fitted.

    Raises
    ------
    UnfittedError
        Which scikit-learn knows as its own ``NotFittedError``.
    """
    try:
        check_is_fitted(estimator)
    except sklearn.exceptions.NotFittedError as error:
        raise UnfittedError(
            f"this {type(estimator).__name__} instance is not fitted yet", fix="call fit first"
        ) from error


def training_rows(estimator: Any, X: Any) -> FloatArray:
    """Check X for ``fit`` and record its columns on the estimator; (n, d) float64, finite."""
    return _rows(estimator, X, reset=True)


def rows_to_judge(estimator: Any, X: Any) -> FloatArray:
    """Check X for ``predict``: the columns that ``fit`` saw; (n, d) float64, finite."""
    check_fitted(estimator)
    return _rows(estimator, X, reset=False)


def _rows(estimator: Any, X: Any, *, reset: bool) -> FloatArray:
    settings: dict[str, Any] = {"dtype": np.float64, "order": "C", "reset": reset}
    if reset:
        settings["ensure_min_samples"] = 2
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn before 1.6 has it as a method
        check: Callable[..., Any] = estimator._validate_data
    else:
        check = partial(validate_data, estimator)
    try:
        return np.asarray(check(X, **settings), dtype=np.float64)
    except TypeError as error:
        raise InputTypeError(_first(error), fix="pass a dense table or array of numbers") from error
    except ValueError as error:
        raise InputError(
            _first(error), fix="put an imputer, encoder or scaler before the estimator, in a Pipeline"
        ) from error


def rows_of(X: Any) -> np.ndarray:
    """Give what is no table as an array of rows of any kind; (n, d)."""
    try:
        return np.asarray(check_array(X, dtype=None, **_NAN_ALLOWED))
    except TypeError as error:
        raise InputTypeError(_first(error), fix="pass a dense table or array") from error
    except ValueError as error:
        raise InputError(_first(error), fix="pass a table, or an array of rows") from error


def two_classes(estimator: Any, y: Any, *, rows: int) -> IntArray:
    """Check labels of two kinds, record ``classes_``, and give (n,) codes 0 and 1.

    Raises
    ------
    InputError
        If a label is missing, lengths differ, or there are not exactly two classes.
    """
    codes = any_classes(estimator, y, rows=rows)
    if len(estimator.classes_) > 2:
        # The first sentence is the one that scikit-learn's own checks look for.
        raise InputError(
            "Only binary classification is supported. The outcome has more than two classes",
            got=f"{len(estimator.classes_)} classes",
            fix="say which class is favourable and pass y == that class",
        )
    return codes


def any_classes(estimator: Any, y: Any, *, rows: int) -> IntArray:
    """Check labels, record ``classes_`` (sorted), and give (n,) codes 0, 1, ..."""
    from sklearn.utils.multiclass import check_classification_targets

    labels = _column(y, "y", rows=rows)
    gone = missing_labels(labels)
    if gone.any():
        raise InputError(
            f"y contains NaN: labels are missing in {int(gone.sum())} rows",
            got=f"the first is row {int(gone.argmax())}",
            fix="leave those rows out",
        )
    try:
        check_classification_targets(labels)
        estimator.classes_, codes = np.unique(labels, return_inverse=True)
    except (ValueError, TypeError) as error:  # continuous labels; labels of kinds that cannot be sorted
        raise InputError(_first(error), fix="pass one class label a row, all of one type") from error
    if len(estimator.classes_) < 2:
        raise InputError(
            "there is only 1 class in y, and it takes two classes to learn",
            got=plain(own(estimator.classes_[0]), most=60),
            fix="pass rows of both classes",
        )
    return np.asarray(codes, dtype=np.int64)


def numbers(values: Any, name: str, *, rows: int) -> FloatArray:
    """Check one number a row, such as what a regressor learns; (n,) float64, finite."""
    column = _column(values, name, rows=rows)
    try:
        out = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} must hold numbers", got=shown(column[:3].tolist()), fix="pass numbers"
        ) from error
    if not np.isfinite(out).all():
        raise InputError(
            f"{name} contains NaN or infinity",
            got=f"the first in row {int((~np.isfinite(out)).argmax())}",
            fix="leave those rows out",
        )
    return out


def row_weights(sample_weight: Any, *, rows: int) -> FloatArray:
    """Check sample weights; (n,) at least 0, not all 0. ``None`` is 1 for each row."""
    if sample_weight is None:
        return np.ones(rows)
    given = np.asarray(sample_weight)
    if given.ndim == 0:
        given = np.full(rows, given)
    if given.ndim > 1:
        raise InputError(
            "Sample weights must be 1D array or scalar",
            got=f"{given.ndim} dimensions",
            fix="pass (n,) weights",
        )
    weights = numbers(given, "sample_weight", rows=rows)
    if (weights < 0).any():
        raise InputError(
            "sample_weight must not be negative", got=f"{weights.min():g}", fix="pass weights of 0 or more"
        )
    if not weights.any():
        raise InputError("sample_weight is zero for every row", fix="give some rows a weight above 0")
    return weights


def check_no_others(estimator: Any, others: Mapping[str, Any]) -> None:
    """Stop if ``fit`` is given what the estimator does not learn from, such as weights.

    Raises
    ------
    InputTypeError
        Which is also a ``TypeError``, as for any argument that is not known.
    """
    if others:
        name = type(estimator).__name__
        raise InputTypeError(
            f"{name} learns from X, y and sensitive_features alone",
            got=listing([f"{plain(each)}=" for each in others]),
            fix="leave that out; to give rows a weight, draw them as often, or use FairC or LFERM"
            if "sample_weight" in others
            else "leave that out",
        )


def check_alignment(**columns: Any) -> None:
    """Stop if pandas objects have different indexes: rows are matched by position.

    Raises
    ------
    InputError
        Naming the two.
    """
    indexed = [
        (name, each.index)
        for name, each in columns.items()
        if hasattr(getattr(each, "index", None), "equals")
    ]
    for name, index in indexed[1:]:
        if not index.equals(indexed[0][1]):
            raise InputError(
                f"{indexed[0][0]} and {name} have different indexes",
                got=f"{shown(indexed[0][1][:3].tolist())} ... and {shown(index[:3].tolist())} ...",
                fix="align them, or pass plain arrays (.to_numpy()) if their rows are in the same order",
            )


def read_groups(sensitive_features: Any, *, rows: int) -> tuple[Groups, ...]:
    """Read the sensitive features of the training rows, one :class:`Groups` a column.

    Parameters
    ----------
    sensitive_features
        (n,) values, (n, s) array, Series, table or mapping of columns. Text, booleans, categories, or numbers
        of at most ten values; a column called ``"age > 25"`` is cut there.
    rows
        n.

    Raises
    ------
    InputError
        If nothing is given, or the number of rows differs.
    GroupError
        If a value is missing, or a column has a single group.
    """
    if sensitive_features is None:
        raise InputError("sensitive_features is missing: it is needed to train", fix=_HOW)
    if isinstance(sensitive_features, str) or not hasattr(sensitive_features, "__len__"):
        raise InputError(
            "sensitive_features must be values, not a name",
            got=shown(sensitive_features),
            fix=f"{_HOW}; for columns of X, wrap the estimator: fair.Unaware(estimator, sensitive=[...])",
        )
    if isinstance(sensitive_features, list | tuple):
        sensitive_features = as_labels(sensitive_features)
    if isinstance(sensitive_features, np.ndarray) and sensitive_features.ndim > 1:
        if sensitive_features.ndim > 2:
            raise InputError(
                "sensitive_features must have one or two dimensions",
                got=f"shape {sensitive_features.shape}",
                fix=_HOW,
            )
        sensitive_features = {
            f"sensitive feature {at}": sensitive_features[:, at] for at in range(sensitive_features.shape[1])
        }
    if not isinstance(sensitive_features, Mapping):
        _same_rows("sensitive_features", len(sensitive_features), rows)
    found = sensitive_groups(sensitive_features, missing="error")
    for groups in found:
        _same_rows("sensitive_features", len(groups.codes), rows)
    return found


def _column(values: Any, name: str, *, rows: int) -> np.ndarray:
    if values is None:
        raise InputError(
            f"{name} is missing: this estimator requires y to be passed, but the target y is None",
            fix="pass fit(X, y, sensitive_features=...)",
        )
    array = as_labels(values)
    if array.ndim == 2 and array.shape[1] == 1:
        import warnings

        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected.", DataConversionWarning, stacklevel=4
        )
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{name} must have one value a row", got=f"shape {array.shape}", fix="pass a column")
    _same_rows(name, len(array), rows)
    return array


def _same_rows(name: str, got: int, rows: int) -> None:
    if got != rows:
        raise InputError(
            f"Found inconsistent numbers of samples: X has {rows:,} rows and {name} has {got:,}",
            fix="pass one value a row, in the order of the rows",
        )


def _first(error: BaseException) -> str:
    """Give the first paragraph of scikit-learn's text, which may go on for a page."""
    return plain(" ".join(str(error).strip().split("\n\n")[0].split()).rstrip("."), most=400)


def names_of(groups: tuple[Groups, ...]) -> str:
    """List the sensitive features for a message."""
    return listing([plain(each.name, most=60) for each in groups])
