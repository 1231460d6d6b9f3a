"""Arguments as callers give them, checked in one place: what is wrong, what was got, how to fix it.

Only values are checked here that Python's own types do not: a number in text, a count below 1, 95 for 0.95.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING

from fairwitness.errors import ConfigError, DataError
from fairwitness.text import plain

if TYPE_CHECKING:  # the command line imports this module and must start without numpy
    from fairwitness.typing import BoolArray, FloatArray


def shown(value: object) -> str:
    """Write a value for a message: as Python writes it, safe to print, not too long."""
    return plain(repr(value), most=80)


def items_of(values: object) -> list[object] | None:
    """Give the items of a list or of anything like one; ``None`` for a text, a mapping, or no such thing.

    What only looks like a list, such as an array of no dimension, is none.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        return None
    try:
        return list(values)
    except TypeError:
        return None


def whole_number(
    value: object, name: str, *, least: int = 1, most: int | None = None, fix: str | None = None
) -> int:
    """Give an integer from ``least`` to ``most`` back as :class:`int`.

    Raises
    ------
    ConfigError
        If it is no integer (a bool is none, nor is 5.0), or lies outside.
    """
    inside = isinstance(value, Integral) and not isinstance(value, bool)
    if not inside or int(value) < least or (most is not None and int(value) > most):  # type: ignore[call-overload]
        limits = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise ConfigError(
            f"{name} must be a whole number {limits}",
            got=shown(value),
            fix=fix or f"pass for example {name}={max(least, 1)}",
        )
    return int(value)  # type: ignore[call-overload, no-any-return]


def real_number(
    value: object,
    name: str,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    fix: str | None = None,
) -> float:
    """Give a finite number strictly between two others back as :class:`float`.

    Raises
    ------
    ConfigError
        If it is no number, not finite, or lies outside.
    """
    inside = isinstance(value, Real) and not isinstance(value, bool)
    if not inside or not math.isfinite(value) or not above < value < below:  # type: ignore[arg-type, operator]
        limits = [f"above {above:g}"] if math.isfinite(above) else []
        limits += [f"below {below:g}"] if math.isfinite(below) else []
        raise ConfigError(
            " ".join([f"{name} must be a number", " and ".join(limits)]).rstrip(), got=shown(value), fix=fix
        )
    return float(value)  # type: ignore[arg-type]


def check_jobs(n_jobs: object) -> None:
    """Refuse what joblib would refuse later, in its own words.

    Raises
    ------
    ConfigError
        If ``n_jobs`` is neither ``None`` nor an integer other than 0.
    """
    if n_jobs is None:
        return
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or int(n_jobs) == 0:
        raise ConfigError(
            "n_jobs must be a number of workers",
            got=shown(n_jobs),
            fix="pass 1 or more, or -1 for all cores",
        )


def number_array(values: object, name: str, *, fix: str) -> FloatArray:
    """Give values as a float array of whatever shape they have.

    Raises
    ------
    DataError
        If one is no number, or the rows differ in length.
    """
    import numpy as np

    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(
            f"{name} must hold numbers, in rows of one length", got=shown(values), fix=fix
        ) from error


def boolean_array(values: object, name: str) -> BoolArray:
    """Give booleans (or zeros and ones) as a boolean array.

    Raises
    ------
    DataError
        If they are anything else: labels have to be compared with the favourable one first.
    """
    import numpy as np

    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.array(None, dtype=object)
    if array.dtype == bool:
        return array
    if array.dtype.kind in "iuf" and bool(np.isin(array, (0, 1)).all()):
        return array.astype(bool)
    if (
        array.dtype == object
        and array.ndim
        and all(isinstance(value, bool | np.bool_) for value in array.ravel())
    ):
        return array.astype(bool)
    raise DataError(
        f"{name} must hold booleans, or 0 and 1",
        got=f"{array.dtype} values",
        fix=f'compare with the favourable label first, for example {name}=(labels == "good")',
    )


def as_path(value: object, name: str = "path") -> Path:
    """Give the path of a file or folder.

    Raises
    ------
    ConfigError
        If it is neither text nor a path.
    """
    if not isinstance(value, str | os.PathLike) or isinstance(value, bytes):
        raise ConfigError(
            f"{name} must be the name of a file or folder",
            got=shown(value),
            fix="pass text, or a pathlib.Path",
        )
    return Path(os.fspath(value)).expanduser()
