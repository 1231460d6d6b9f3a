"""Cutting a number in two, in words: ``"age > 25"``."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from fairwitness.errors import GroupError
from fairwitness.table.columns import read_column
from fairwitness.table.levels import level_text
from fairwitness.text import plain
from fairwitness.typing import IntArray, ObjectArray

_CUT = re.compile(r"^\s*(?P<column>.*\S)\s*(?P<sign>>=|<=|≥|≤|>|<)\s*(?P<number>[^<>=≤≥]*)$", re.DOTALL)
_SIGNS = {"≥": ">=", "≤": "<="}
_WRITTEN = {">": ">", ">=": "≥", "<": "<", "<=": "≤"}
_OTHERWISE = {">": "≤", ">=": "<", "<": "≥", "<=": ">"}
_COMPARE = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}


class SensitiveSpec(NamedTuple):
    """A sensitive feature in words: a column, and where it is to be cut."""

    column: str
    operator: str | None = None
    number: float | None = None

    @property
    def is_cut(self) -> bool:
        """Whether there is a comparison behind the column's name."""
        return self.operator is not None

    @property
    def labels(self) -> tuple[str, str]:
        """The two groups of a cut: where the comparison holds, and where it does not.

        Raises
        ------
        GroupError
            If there is no comparison.
        """
        if self.operator is None or self.number is None:
            raise GroupError(
                f"{plain(self.column)!r} has no comparison", fix=f'write e.g. "{plain(self.column)} > 25"'
            )
        number = level_text(self.number)
        return (
            f"{self.column} {_WRITTEN[self.operator]} {number}",
            f"{self.column} {_OTHERWISE[self.operator]} {number}",
        )


def parse_sensitive_spec(text: str) -> SensitiveSpec:
    """Read ``"age > 25"`` as column, operator and number; a text without a comparison is a column.

    ``>``, ``>=``, ``<``, ``<=`` (and ``≥``, ``≤``) are understood.

    Raises
    ------
    GroupError
        If something that is no number follows the operator.
    """
    match = _CUT.match(text)
    if match is None:
        return SensitiveSpec(text)
    sign = match["sign"]
    try:
        number = float(match["number"])
        if not np.isfinite(number):
            raise ValueError
    except ValueError:
        raise GroupError(
            f"the cut {plain(text)!r} should end in a number",
            got=plain(match["number"]) or "nothing",
            fix=f'write e.g. "{plain(match["column"])} {sign} 25"',
        ) from None
    return SensitiveSpec(match["column"], _SIGNS.get(sign, sign), number)


def spec_of_name(name: str) -> SensitiveSpec:
    """Read a name as :func:`parse_sensitive_spec` does; one that only looks like a cut is a column.

    A column may be called ``"<b>sex"``: where the values are at hand already, that is no mistake.
    """
    try:
        return parse_sensitive_spec(name)
    except GroupError:
        return SensitiveSpec(name)


def cut(values: Any, expression: str | SensitiveSpec) -> ObjectArray:
    """Cut numbers in two groups.

    Parameters
    ----------
    values
        (n,) numbers: a Series, array or list.
    expression
        For example ``"age > 25"``.

    Returns
    -------
    object array of shape (n,)
        ``"age > 25"``, ``"age ≤ 25"``, or ``None`` where the value is missing.

    Raises
    ------
    GroupError
        If the expression is no comparison.
    DataError
        If the values are no numbers.
    """
    spec = parse_sensitive_spec(expression) if isinstance(expression, str) else expression
    palette: ObjectArray = np.array([*spec.labels, None], dtype=object)
    return palette[cut_codes(values, spec)]


def cut_codes(values: Any, spec: SensitiveSpec) -> IntArray:
    """Cut numbers as :func:`cut` does: 0 where it holds, 1 where not, -1 where missing, as (n,)."""
    numbers = read_column(values, name=spec.column).numbers()
    holds = _COMPARE[str(spec.operator)](numbers, float(spec.number or 0))
    return np.where(np.isnan(numbers), -1, np.where(holds, 0, 1)).astype(np.int64)
