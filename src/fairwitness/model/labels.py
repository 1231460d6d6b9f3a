"""Outcome labels: ``0``, ``"good"``, ``True``, ``-1``, numpy's own, and how they are matched.

Text matches text only; numbers and booleans match by value (``True`` is 1, ``1.0`` is 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairwitness.errors import ModelError
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray


def own(label: object) -> object:
    """Turn a numpy scalar into the Python value it stands for."""
    return label.item() if isinstance(label, np.generic) else label


def same(left: object, right: object) -> bool:
    """Say whether two labels are one outcome."""
    left, right = own(left), own(right)
    if isinstance(left, str | bytes) or isinstance(right, str | bytes):
        return type(left) is type(right) and left == right
    return bool(left == right)


def is_label(labels: np.ndarray, label: object) -> BoolArray:
    """(n,) which of ``labels`` are ``label``."""
    label = own(label)
    if labels.dtype.kind in "biuf":
        if not isinstance(label, int | float):
            return np.zeros(len(labels), dtype=bool)
        return np.asarray(labels == label, dtype=bool)
    if labels.dtype.kind == "U":
        return np.asarray(labels == label if isinstance(label, str) else np.zeros(len(labels)), dtype=bool)
    return np.fromiter((same(value, label) for value in labels), dtype=bool, count=len(labels))


def missing_labels(labels: np.ndarray) -> BoolArray:
    """(n,) which labels are missing: ``None``, NaN, NaT or pandas' NA."""
    import pandas as pd

    return np.asarray(pd.isna(labels), dtype=bool)


def favorable_index(classes: Sequence[object], favorable: object) -> int:
    """Position of the favourable label among ``classes``.

    Raises
    ------
    ModelError
        If it is not among them; the message lists them.
    """
    for position, label in enumerate(classes):
        if same(label, favorable):
            return position
    shown = [f"{plain(repr(own(label)), most=60)}" for label in classes]
    twin = next((label for label in classes if str(own(label)) == str(own(favorable))), None)
    hint = "" if twin is None else " (mind the type: text in quotes is not the number)"
    raise ModelError(
        f"the favourable outcome is not among the model's outcomes {listing(shown)}",
        got=plain(repr(own(favorable)), most=60),
        fix=f"pass favorable= one of them{hint}",
    )


def as_labels(values: object) -> np.ndarray:
    """Bring a column of labels into one dimension, whatever container it came in."""
    array = np.asarray(values)
    if array.dtype.kind in "OSV" or (array.dtype.kind == "U" and not isinstance(values, np.ndarray)):
        # A list of mixed labels must not be turned into text as a whole.
        array = np.asarray(values, dtype=object)
    return array
