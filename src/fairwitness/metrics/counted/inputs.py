"""Labels as users have them (text, booleans, −1 and 1, a favourable 0) turned into booleans, rows aligned."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from fairwitness.arguments import shown
from fairwitness.errors import ConfigError, DataError
from fairwitness.model.labels import as_labels, is_label, missing_labels, own, same
from fairwitness.table.groups import Groups, sensitive_groups
from fairwitness.table.levels import sort_levels
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, FloatArray, IntArray, MissingPolicy

#: Labels that are understood without being seen: a model may give only one of the two.
_CODES = frozenset({-1, 0, 1})
#: Arguments that are one column.
_COLUMNS = frozenset({"y_true", "y_pred", "y_score", "scores", "sample_weight"})


def favoured(values: Any, favorable: object, name: str, *, also: BoolArray | None = None) -> BoolArray:
    """Say which labels are the favourable one.

    Parameters
    ----------
    values
        (n,) or (n, 1) labels of any kind, none missing.
    favorable
        The label of the good outcome, in the labels' own type.
    name
        What the argument is called, for messages.
    also
        The same for the other array of labels: the favourable label needs to occur in one of the two only.

    Raises
    ------
    DataError
        If a label is missing, or the favourable one occurs nowhere and cannot be meant.
    ConfigError
        If ``favorable`` is no single label.
    """
    if isinstance(favorable, tuple) or not isinstance(favorable, Hashable):
        raise ConfigError(
            "favorable must be one label", got=shown(favorable), fix='pass for example favorable=1 or "good"'
        )
    array, hits = _matched(values, favorable, name)
    if len(array) and not hits.any() and not (also is not None and also.any()):
        seen = labels_of(array)
        if not ({favorable} | seen <= _CODES):
            raise DataError(
                f"no row of {name} has the favourable label {plain(favorable)}",
                got=f"labels {listing(sorted(plain(label) for label in seen))}",
                fix="pass favorable= one of these, in its own type",
            )
    return hits


def coded_labels(y_true: Any, y_pred: Any) -> tuple[IntArray, IntArray, tuple[object, ...]]:
    """Give true and predicted labels as positions among all labels that occur, in a fixed order.

    Raises
    ------
    DataError
        If a label is missing, or true and predicted labels have nothing in common (text and numbers, say).
    """
    true, met = _factorized(y_true, "y_true")
    predicted, given = _factorized(y_pred, "y_pred")
    if met and given and not set(met) & set(given) and not set(met) | set(given) <= _CODES:
        raise DataError(
            "true and predicted labels have nothing in common",
            got=f"{_shown(met)} and {_shown(given)}",
            fix="give both in the same words and of the same type",
        )
    labels = sort_levels(dict.fromkeys([*met, *given]))
    place = {label: at for at, label in enumerate(labels)}
    return (
        np.array([place[label] for label in met] or [0], dtype=np.int64)[true],
        np.array([place[label] for label in given] or [0], dtype=np.int64)[predicted],
        labels,
    )


def _factorized(values: Any, name: str) -> tuple[IntArray, list[object]]:
    """Give (n,) codes into the labels that occur."""
    extended = nw.dependencies.is_pandas_series(values) and not isinstance(values.dtype, np.dtype)
    array: Any = values if extended else _flat(values, name)
    codes, levels = pd.factorize(array, use_na_sentinel=True)
    _check_missing(codes < 0, name)
    return codes.astype(np.int64, copy=False), [own(level) for level in levels]


def _shown(labels: list[object]) -> str:
    return listing([plain(repr(label), most=40) for label in labels], most=4)


def labels_of(values: Any) -> set[object]:
    """Give the different labels among (n,) labels, as Python's own values; missing ones are none."""
    if nw.dependencies.is_pandas_series(values) and not isinstance(values.dtype, np.dtype):
        return {own(label) for label in values.dropna().unique().tolist()}
    array = as_labels(values)
    if array.dtype.kind in "biu" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low < 2:  # most labels are 0 and 1, and need no sorting
            return {low, high}
    return {own(label) for label in pd.unique(array.ravel()) if label == label and label is not None}


def _matched(values: Any, favorable: object, name: str) -> tuple[Any, BoolArray]:
    """Give labels as a flat array (or Series) without missing ones, and which are the favourable one."""
    if nw.dependencies.is_pandas_series(values) and not isinstance(values.dtype, np.dtype):
        # pandas' own types compare faster than the objects they would become: text a hundred times so.
        gone = values.isna().to_numpy(dtype=bool)
        _check_missing(gone, name)
        if isinstance(values.dtype, pd.CategoricalDtype):
            levels = np.array([same(level, favorable) for level in values.cat.categories] + [False])
            return values, levels[values.cat.codes.to_numpy()]
        if isinstance(favorable, str) == pd.api.types.is_string_dtype(values.dtype):
            return values, (values == favorable).to_numpy(dtype=bool)
        return values, np.zeros(len(values), dtype=bool)
    array = _flat(values, name)
    if array.dtype.kind == "U":
        return array, is_label(array, favorable)
    if array.dtype.kind not in "biuf":
        array = array.astype(object)
    _check_missing(missing_labels(array), name)
    hits: BoolArray = np.asarray(array == favorable, dtype=bool)
    return array, np.broadcast_to(hits, array.shape)


def _flat(values: Any, name: str) -> np.ndarray:
    array = as_labels(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"{name} must have one value a row", got=f"shape {array.shape}", fix="pass a column")
    return array


def _check_missing(gone: BoolArray, name: str) -> None:
    if gone.any():
        raise DataError(
            f"{name} is missing in {int(gone.sum())} rows",
            got=f"the first is row {int(gone.argmax())}",
            fix="leave those rows out",
        )


def check_rows(**columns: Any) -> None:
    """Stop if columns differ in length, or are pandas objects whose indexes differ.

    Raises
    ------
    DataError
        In both cases: rows are matched by position, which an index of another order would silently break.
        Also if outcomes, predictions, scores or weights are no column at all.
    """
    given = {name: values for name, values in columns.items() if values is not None}
    lengths = {name: n for name, values in given.items() if (n := _length(values)) is not None}
    for name in _COLUMNS & given.keys():
        if name not in lengths or isinstance(given[name], str | bytes | Mapping | Set):
            raise DataError(
                f"{name} must have one value a row",
                got=shown(given[name]),
                fix="pass a column: an array, a list or a series",
            )
    if len(set(lengths.values())) > 1:
        raise DataError(
            "the columns differ in their number of rows",
            got=listing([f"{name}: {n}" for name, n in lengths.items()]),
            fix="pass one value a row in each",
        )
    indexed = [(name, values.index) for name, values in given.items() if _is_pandas(values)]
    for name, index in indexed[1:]:
        if not index.equals(indexed[0][1]):
            raise DataError(
                f"{indexed[0][0]} and {name} have different indexes",
                fix="align them, or pass plain arrays (.to_numpy()) if their rows are in the same order",
            )


def _length(values: Any) -> int | None:
    """Give the number of rows; ``None`` for what has none, such as groups or an array of no dimension."""
    try:
        return len(values)
    except TypeError:
        return None


def one_feature(
    sensitive_features: Any, privileged: object, accepted: BoolArray | None, missing: MissingPolicy
) -> Groups:
    """Give the groups of the one sensitive feature, or of the intersection of all that are given."""
    if isinstance(sensitive_features, Groups):
        return sensitive_features if privileged is None else sensitive_features.with_privileged(privileged)
    found = sensitive_groups(
        sensitive_features,
        privileged=privileged,
        accepted=accepted,
        missing=missing,
        intersections=True,
    )
    return found[-1]


def weights(sample_weight: Any) -> FloatArray | None:
    """Give sample weights as an array of floats."""
    if sample_weight is None:
        return None
    try:
        return np.asarray(sample_weight, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise DataError("sample_weight must hold numbers", fix="pass weights of at least 0") from None


def _is_pandas(values: object) -> bool:
    return type(values).__module__.split(".")[0] == "pandas" and hasattr(values, "index")
