"""Numbers cut into few groups: where, and what the groups are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from fairwitness.arguments import shown
from fairwitness.errors import ConfigError, GroupError
from fairwitness.table.cuts import parse_sensitive_spec
from fairwitness.table.levels import level_text
from fairwitness.text import did_you_mean, plain
from fairwitness.typing import FloatArray


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where one variable is cut.

    Parameters
    ----------
    points
        Ascending. Group i holds the numbers above ``points[i - 1]`` up to and with ``points[i]``.
    labels
        What the groups are called, low to high; one more than points.
    left
        Whether a number equal to a cut point belongs to the group above it instead.
    """

    points: tuple[float, ...]
    labels: tuple[str, ...]
    left: bool = False

    def codes(self, numbers: FloatArray) -> FloatArray:
        """Give the (n,) number of each value's group, NaN where the value is missing."""
        out = np.searchsorted(self.points, numbers, side="right" if self.left else "left").astype(np.float64)
        out[np.isnan(numbers)] = np.nan
        return out

    def expression(self, name: str, *, floating: bool) -> Any:
        """Give the same as an expression for a lazy table, null where the value is missing."""
        column = nw.col(name)
        code = nw.lit(len(self.points))
        for position in range(len(self.points) - 1, -1, -1):
            point = self.points[position]
            below = column < point if self.left else column <= point
            code = nw.when(below).then(nw.lit(position)).otherwise(code)
        absent = column.is_null()
        if floating:  # databases sort NaN above every number
            absent = absent | column.is_nan()
        return nw.when(~absent).then(code).alias(name)


#: Variable → cut points (``[25, 40]``), one cut point, or a cut in words (``"> 37"``).
Bins: TypeAlias = Mapping[str, Sequence[float] | float | str | Cuts]


def read_bins(bins: Bins | None, variables: Sequence[str]) -> dict[str, Cuts]:
    """Read where variables are to be cut.

    Raises
    ------
    ConfigError
        If a variable is not asked for, or its cut points are not ascending numbers.
    """
    if bins is None:
        return {}
    if not isinstance(bins, Mapping):
        raise ConfigError(
            "bins must say for each variable where it is cut", got=shown(bins), fix='pass e.g. {"age": [37]}'
        )

    out = {}
    for name, where in bins.items():
        if name not in variables:
            raise ConfigError(
                f"bins are given for {plain(name)!r}, which is no variable here",
                got=shown(where),
                fix=did_you_mean(name, variables),
            )
        if isinstance(where, Cuts):
            out[name] = where
        else:
            out[name] = _in_words(name, where) if isinstance(where, str) else _at_points(name, where)
    return out


def _at_points(name: str, where: Any) -> Cuts:
    try:
        points = tuple(float(point) for point in np.atleast_1d(np.asarray(where, dtype=np.float64)))
    except (TypeError, ValueError):
        points = ()
    if not points or not np.isfinite(points).all() or any(np.diff(points) <= 0):
        raise ConfigError(
            f"the cut points of {plain(name)!r} must be one or more numbers, low to high",
            got=shown(where),
            fix=f'pass e.g. bins={{"{plain(name)}": [25, 40]}}',
        )
    text = [level_text(point) for point in points]
    between = [f"> {low}, ≤ {high}" for low, high in pairwise(text)]
    return Cuts(points, (f"≤ {text[0]}", *between, f"> {text[-1]}"))


def _in_words(name: str, where: str) -> Cuts:
    written = where if where.lstrip().startswith(name) else f"{name} {where.strip()}"
    try:
        spec = parse_sensitive_spec(written)
    except GroupError as error:
        raise ConfigError(error.what, got=error.got, fix=error.fix) from error
    if spec.operator is None or spec.number is None or spec.column != name:
        raise ConfigError(
            f"the cut of {plain(name)!r} is no comparison with a number",
            got=shown(where),
            fix=f'pass e.g. bins={{"{plain(name)}": "> 37"}}',
        )
    holds, otherwise = spec.labels
    above = spec.operator in {">", ">="}
    low, high = (otherwise, holds) if above else (holds, otherwise)
    return Cuts((spec.number,), (low, high), left=spec.operator in {">=", "<"})
