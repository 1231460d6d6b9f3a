"""What is asked of a sampler: a score, a band or a quantile, and columns that are fixed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

import numpy as np

from fairwitness.arguments import real_number, shown
from fairwitness.canonical.rows import Rows
from fairwitness.errors import ConfigError, DataError
from fairwitness.table import level_text
from fairwitness.text import listing, number, plain
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: Rows whose score is this near to a requested score support the request.
TOLERANCE = 0.05
#: Fewer supporting rows than this are answered with a warning.
FEW = 30


@dataclass(frozen=True, slots=True)
class Request:
    """A request that has been understood.

    Attributes
    ----------
    low, high
        The band of scores.
    exact
        The score asked for, where one was; every row is then drawn for it.
    where
        Column → value, ``(low, high)`` or list of values, as it was given.
    words
        The request as text: ``score from 0.82 to 1, sex = Male``.
    rows
        Positions of the supporting rows among those that were fitted.
    """

    low: float
    high: float
    exact: float | None
    where: Mapping[str, object]
    words: str
    rows: IntArray

    @property
    def support(self) -> int:
        """Number of real rows that support the request."""
        return len(self.rows)


def resolve(
    rows: Rows,
    *,
    score: float | None,
    band: tuple[float, float] | None,
    quantile: tuple[float, float] | None,
    where: Mapping[str, object] | None,
) -> Request:
    """Understand a request, and find the real rows that support it.

    Raises
    ------
    ConfigError
        If not exactly one of ``score``, ``band`` and ``quantile`` is given, or it is none.
    DataError
        If ``where`` names no column or level of the table, or no row supports the request: the message
        names the nearest requests that rows do support.
    """
    low, high, exact, words = _scores(rows, score, band, quantile)
    fixed = dict(where or {}) if isinstance(where, Mapping | None) else _not_a_mapping(where)
    masks = {str(name): _mask(rows, str(name), value) for name, value in fixed.items()}
    inside = (rows.scores >= low) & (rows.scores <= high)
    kept = inside.copy()
    for mask in masks.values():
        kept &= mask
    said = ", ".join([words, *(_where_words(str(name), value) for name, value in fixed.items())])
    if not kept.any():
        raise _nobody(rows, said, inside, masks, (low + high) / 2 if exact is None else exact)
    return Request(
        low, high, exact, {str(k): v for k, v in fixed.items()}, said, np.flatnonzero(kept).astype(np.int64)
    )


def keeps(rows: Rows, matrix: FloatArray, where: Mapping[str, object]) -> BoolArray:
    """Say which rows of a matrix have every fixed column as it was asked for."""
    out = np.ones(len(matrix), dtype=np.bool_)
    for name, value in where.items():
        column = rows.names.index(name)
        out &= _matches(rows, column, matrix[:, column], name, value)
    return out


def _scores(
    rows: Rows, score: object, band: object, quantile: object
) -> tuple[float, float, float | None, str]:
    given = [
        name
        for name, value in (("score", score), ("band", band), ("quantile", quantile))
        if value is not None
    ]
    if len(given) != 1:
        raise ConfigError(
            "ask for exactly one of score, band and quantile",
            got=listing(given) or "none",
            fix="pass for example quantile=(0.9, 1) for the tenth of the rows with the highest scores",
        )
    if score is not None:
        if not isinstance(score, Real) or isinstance(score, bool) or not 0 <= float(score) <= 1:
            raise ConfigError(
                "score must be a number from 0 to 1", got=shown(score), fix="pass for example score=0.9"
            )
        exact = float(score)
        return exact - TOLERANCE, exact + TOLERANCE, exact, f"score {number(exact)}"
    if band is not None:
        low, high = _pair(band, "band")
        return low, high, None, f"score from {number(low)} to {number(high)}"
    low, high = _pair(quantile, "quantile")
    ends = np.quantile(rows.scores, [low, high], method="inverted_cdf")
    words = (
        f"score from {number(float(ends[0]))} to {number(float(ends[1]))} "
        f"(quantiles {number(low)} to {number(high)})"
    )
    return float(ends[0]), float(ends[1]), None, words


def _pair(value: object, name: str) -> tuple[float, float]:
    fix = f"pass two numbers from 0 to 1, the smaller first, for example {name}=(0.9, 1)"
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise ConfigError(f"{name} must be a pair of numbers", got=shown(value), fix=fix)
    low, high = (real_number(each, f"an end of {name}", fix=fix) for each in value)
    if not 0 <= low <= high <= 1:
        raise ConfigError(f"{name} must lie between 0 and 1", got=shown(value), fix=fix)
    return low, high


def _not_a_mapping(where: object) -> dict[str, object]:
    raise ConfigError(
        "where must say which columns are fixed",
        got=shown(where),
        fix='pass a dictionary such as where={"sex": "Male"}',
    )


def _mask(rows: Rows, name: str, value: object) -> BoolArray:
    if name not in rows.names:
        raise DataError(
            "where names a column that is not in the table",
            got=shown(name),
            fix=f"use one of {listing([plain(each) for each in rows.names])}",
        )
    column = rows.names.index(name)
    return _matches(rows, column, rows.matrix[:, column], name, value)


def _matches(rows: Rows, column: int, values: FloatArray, name: str, value: object) -> BoolArray:
    feature = rows.schema.features[column]
    if isinstance(value, list | set | frozenset):
        out = np.zeros(len(values), dtype=np.bool_)
        for each in value:
            out |= _matches(rows, column, values, name, each)
        return out
    if _is_missing(value):
        return np.isnan(values)
    if feature.is_coded:
        levels = {level: code for code, level in enumerate(feature.levels)}
        try:
            return np.asarray(values == levels[value])
        except (KeyError, TypeError):
            raise DataError(
                f"column {plain(name)!r} has no such level",
                got=shown(value),
                fix=f"use one of {listing([plain(repr(level)) for level in feature.levels])}",
            ) from None
    if isinstance(value, tuple):
        if len(value) != 2:
            raise ConfigError(
                f"a range of {plain(name)!r} must have two ends",
                got=shown(value),
                fix=f'pass for example where={{"{plain(name)}": (low, high)}}',
            )
        ends = [
            real_number(end, f"an end of the range of {plain(name)!r}")
            if end not in (None, sign * math.inf)
            else sign * math.inf
            for end, sign in zip(value, (-1, 1), strict=True)
        ]
        if ends[0] > ends[1]:
            raise ConfigError(
                f"the range of {plain(name)!r} is the wrong way round",
                got=f"from {number(ends[0])} to {number(ends[1])}",
                fix="put the smaller end first",
            )
        with np.errstate(invalid="ignore"):
            return np.asarray((values >= ends[0]) & (values <= ends[1]))
    wanted = real_number(value, f"the value of {plain(name)!r}", fix="pass a number, or a range (low, high)")
    return np.asarray(values == wanted)


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _where_words(name: str, value: object) -> str:
    if isinstance(value, tuple) and len(value) == 2:
        return f"{plain(name)} from {plain(value[0])} to {plain(value[1])}"
    if isinstance(value, list | set | frozenset):
        return f"{plain(name)} = {' or '.join(sorted(plain(level_text(each)) for each in value))}"
    return f"{plain(name)} = {'missing' if _is_missing(value) else plain(level_text(value))}"


def _nobody(
    rows: Rows, said: str, inside: BoolArray, masks: Mapping[str, BoolArray], centre: float
) -> DataError:
    """Say that no row supports a request, and which requests near it some rows do support."""
    together = np.ones(len(rows), dtype=np.bool_)
    for mask in masks.values():
        together &= mask
    ways: list[str] = []
    if together.any():
        scores = rows.scores[together]
        nearest = float(scores[np.argmin(np.abs(scores - centre))])
        near = int((np.abs(scores - nearest) <= TOLERANCE).sum())
        whose = " with these columns" if masks else ""
        ways.append(
            f"the nearest score{whose} is {number(nearest)} ({near:,} row{'s' * (near != 1)} within "
            f"{TOLERANCE:g} of it; their scores run from {number(float(scores.min()))} to "
            f"{number(float(scores.max()))})"
        )
    for name in masks:
        others = inside.copy()
        for other, mask in masks.items():
            if other != name:
                others &= mask
        if others.any():
            ways.append(f"without {plain(name)} there are {int(others.sum()):,} rows")
    return DataError(
        f"no row supports the request: {said}",
        got=f"{int(inside.sum()):,} rows with such a score, {int(together.sum()):,} with these columns"
        if masks
        else "0 rows with such a score",
        fix="; ".join(ways) or "ask for a wider band, or for fewer fixed columns",
    )
