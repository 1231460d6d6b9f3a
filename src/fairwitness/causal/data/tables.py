"""Arrays with one axis a variable: checked, summed over axes, laid beside one another."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import items_of, number_array, shown
from fairwitness.errors import DataError
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray


def marginal(table: FloatArray, kept: Sequence[int]) -> FloatArray:
    """Sum over all axes but ``kept``; axes in the order of ``kept``, in one piece of memory."""
    others = tuple(axis for axis in range(table.ndim) if axis not in kept)
    left = sorted(kept)
    summed = table.sum(axis=others) if others else table
    return np.ascontiguousarray(np.transpose(summed, [left.index(axis) for axis in kept]))


def aligned(kernel: FloatArray, place: Sequence[int], dimensions: int) -> FloatArray:
    """Give ``kernel`` as an array that broadcasts against a table, its axes at ``place``."""
    order = np.argsort(place)
    shape = [1] * dimensions
    for axis, size in zip(place, kernel.shape, strict=True):
        shape[axis] = size
    return np.transpose(kernel, order).reshape(shape)


def checked_axes(
    variables: Sequence[str], levels: Sequence[Sequence[object]]
) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """Give names and levels as tuples, or say which of them cannot be."""
    names = tuple(items_of(variables) or ())
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise DataError(
            "a distribution needs one or more variables of different names",
            got=shown(variables),
            fix="name each variable once, by text",
        )
    listed = [items_of(each) for each in items_of(levels) or ()]
    axes = tuple(tuple(each) for each in listed if each is not None)
    if len(listed) != len(names) or len(axes) != len(names):
        raise DataError(
            "there should be a list of levels for each variable",
            got=f"{len(listed) or shown(levels)} lists for {len(names)} variables",
            fix="pass the values along each axis of the table, in order",
        )
    for name, each in zip(names, axes, strict=True):
        if not each or not all(isinstance(level, Hashable) for level in each) or len(set(each)) < len(each):
            raise DataError(
                f"the levels of {plain(name)!r} should be one or more different values",
                got=listing([shown(level) for level in each]) or "none",
                fix="list each value once",
            )
    return tuple(str(name) for name in names), axes


def checked_table(
    values: ArrayLike, names: tuple[str, ...], axes: tuple[tuple[object, ...], ...], what: str
) -> FloatArray:
    """Give a table of non-negative numbers in the shape of its levels, or say where it is not one."""
    table = number_array(values, what, fix="pass an array with one axis a variable")
    shape = tuple(len(each) for each in axes)
    if table.shape != shape and table.shape == (int(np.prod(shape)),):
        table = table.reshape(shape)
    if table.shape != shape:
        raise DataError(
            f"the table ({what}) should have one axis a variable, as long as its levels",
            got=f"shape {table.shape}",
            fix=f"pass shape {shape} for {listing([plain(name) for name in names])}",
        )
    lowest = table.min()
    if not lowest >= 0 or not np.isfinite(table.max()):
        at = np.unravel_index(int(np.argmax(~((table >= 0) & np.isfinite(table)))), shape)
        cell = ", ".join(f"{plain(n)} = {shown(a[i])}" for n, a, i in zip(names, axes, at, strict=True))
        raise DataError(
            f"the table ({what}) may hold no negative, missing or infinite value",
            got=f"{table[at]} at {cell}",
            fix="put a number of at least 0 there",
        )
    if not table.sum() > 0:
        raise DataError(
            f"the table ({what}) sums to 0: it says nothing",
            fix="pass the probabilities or counts of the cells",
        )
    return table


def frozen(table: FloatArray) -> FloatArray:
    """Make an array read-only."""
    table.flags.writeable = False
    return table
