"""Samples of numbers as distances take them: finite, flat, with weights that make sense."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairwitness.arguments import number_array, whole_number
from fairwitness.errors import DataError
from fairwitness.typing import FloatArray, IntArray


def sample(values: ArrayLike, name: str = "x") -> NDArray[Any]:
    """Give values as a flat array of finite numbers, in their own type if that is float or integer.

    Raises
    ------
    DataError
        If one is no number, missing or infinite, or the array is not flat.
    """
    array = np.asarray(values) if hasattr(values, "__array__") else number_array(values, name, fix=_FIX)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        array = number_array(array, name, fix=_FIX)
    if array.ndim != 1:
        raise DataError(f"{name} must be one-dimensional", got=f"shape {array.shape}", fix="pass one column")
    if array.dtype.kind == "f":
        _finite(array, name)
    return array


def table(values: ArrayLike, name: str = "x") -> FloatArray:
    """Give values as (n, m) finite floats; a flat array is one column.

    Raises
    ------
    DataError
        If one is no number, missing or infinite, or there are more than two dimensions.
    """
    array = number_array(values, name, fix="pass rows of numbers of one length")
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2:
        raise DataError(f"{name} must be a table", got=f"shape {array.shape}", fix="pass (rows, columns)")
    _finite(array, name)
    return array


def sample_weights(weight: ArrayLike | None, n: int, name: str = "weight") -> FloatArray | None:
    """Give (n,) weights of at least 0, or ``None`` for 1 each.

    Raises
    ------
    DataError
        If there is not one a value, or one is negative, missing or infinite.
    """
    if weight is None:
        return None
    array = number_array(weight, name, fix="pass weights of at least 0")
    if array.shape != (n,):
        raise DataError(
            f"{name} must hold one number a value",
            got=f"shape {array.shape} for {n} values",
            fix="pass weights of the same rows",
        )
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        raise DataError(
            f"{name} holds a number that is negative or not finite",
            got=f"{array[wrong][0]} at position {int(wrong.argmax())}",
            fix="pass weights of at least 0",
        )
    return array


def group_codes(codes: ArrayLike | None, n: int, n_groups: int | None) -> tuple[IntArray, int]:
    """Give (n,) group codes and the number of groups; without codes all values are group 0.

    Raises
    ------
    DataError
        If there is not one whole number a value, or one is not below ``n_groups``.
    """
    if codes is None:
        return np.zeros(n, dtype=np.int64), whole_number(n_groups or 1, "n_groups")
    try:
        array = np.asarray(codes)
    except ValueError:  # rows of different lengths
        array = np.array(None, dtype=object)
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise DataError(
            "codes must hold one whole number a value",
            got=f"{array.dtype} of shape {array.shape} for {n} values",
            fix="pass each row's group, from 0; negative leaves the row out",
        )
    most = int(array.max(initial=-1)) + 1
    if n_groups is None:
        n_groups = most
    elif most > whole_number(n_groups, "n_groups", least=0):
        raise DataError(
            "a code lies beyond the groups", got=f"{most - 1} of {n_groups} groups", fix="raise n_groups"
        )
    return array.astype(np.int64, copy=False), n_groups


_FIX = "pass one number a row"


def _finite(array: NDArray[Any], name: str) -> None:
    # One sum tells of any; which one is asked only then.
    with np.errstate(over="ignore", invalid="ignore"):
        clean = bool(np.isfinite(array.sum(dtype=np.float64)))
    if clean:
        return
    wrong = ~np.isfinite(array)
    if wrong.any():
        raise DataError(
            f"{name} holds a value that is missing or infinite",
            got=f"{array[wrong][0]} at position {int(np.flatnonzero(wrong.ravel())[0])}",
            fix="leave those rows out, or replace the values",
        )
