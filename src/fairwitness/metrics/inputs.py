"""Labels as users have them (text, booleans, −1 and 1, a favourable 0) turned into booleans, rows aligned."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairwitness.errors import DataError
from fairwitness.model.labels import as_labels, missing_labels
from fairwitness.table.groups import Groups, sensitive_groups
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, FloatArray, MissingPolicy

#: Labels that are understood without being seen: a model may give only one of the two.
_CODES = frozenset({-1, 0, 1})


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
    """
    array = as_labels(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"{name} must have one value a row", got=f"shape {array.shape}", fix="pass a column")
    if array.dtype.kind not in "biuf":
        array = array.astype(object)
    gone = missing_labels(array)
    if gone.any():
        raise DataError(
            f"{name} is missing in {int(gone.sum())} rows",
            got=f"the first is row {int(gone.argmax())}",
            fix="leave those rows out",
        )
    hits: BoolArray = np.asarray(array == favorable, dtype=bool)
    hits = np.broadcast_to(hits, array.shape)
    if len(array) and not hits.any() and not (also is not None and also.any()):
        seen = set(np.unique(array).tolist()) if array.dtype != object else set(array.tolist())
        if not ({favorable} | seen <= _CODES):
            raise DataError(
                f"no row of {name} has the favourable label {plain(favorable)}",
                got=f"labels {listing(sorted(plain(label) for label in seen))}",
                fix="pass favorable= one of these, in its own type",
            )
    return hits


def check_rows(**columns: Any) -> None:
    """Stop if columns differ in length, or are pandas objects whose indexes differ.

    Raises
    ------
    DataError
        In both cases: rows are matched by position, which an index of another order would silently break.
    """
    given = {name: values for name, values in columns.items() if values is not None}
    lengths = {name: len(values) for name, values in given.items() if hasattr(values, "__len__")}
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


def one_feature(
    sensitive_features: Any, privileged: object, accepted: BoolArray, missing: MissingPolicy
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
