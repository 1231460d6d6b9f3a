"""Scores in equal bins of a fixed range: as codes of an array, or as an expression for a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from fairwitness.arguments import real_number, whole_number
from fairwitness.errors import ConfigError, DataError
from fairwitness.table.columns import read_column
from fairwitness.text import number, plain
from fairwitness.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class EqualBins:
    """Bins of one width from ``low`` to ``high``, both included.

    Raises
    ------
    ConfigError
        If the range is empty or not finite, or the number of bins below 1.
    """

    low: float = 0.0
    high: float = 1.0
    count: int = 2048

    def __post_init__(self) -> None:
        if not real_number(self.low, "low") < real_number(self.high, "high"):
            raise ConfigError(
                "the range of the scores is empty",
                got=f"{self.low} to {self.high}",
                fix="pass low below high",
            )
        whole_number(self.count, "bins")

    @property
    def width(self) -> float:
        """Width of a bin."""
        return (self.high - self.low) / self.count

    def centres(self, codes: IntArray) -> FloatArray:
        """Give the middle of each bin, as (m,)."""
        return np.asarray(self.low + (codes + 0.5) * self.width, dtype=np.float64)

    def codes(self, values: Any, name: str) -> IntArray:
        """Give the bin of each value of a column, as (n,).

        Raises
        ------
        DataError
            If a value is no number, missing, or outside the range.
        """
        numbers = read_column(values, name=name).numbers()
        if len(numbers):
            self.check(
                name, float(np.isnan(numbers).sum()), float(np.nanmin(numbers)), float(np.nanmax(numbers))
            )
        scaled = (numbers - self.low) * (self.count / (self.high - self.low))
        return np.minimum(scaled.astype(np.int64), self.count - 1)

    def check(self, name: str, missing: float, least: float, most: float) -> None:
        """Stop if a value is missing or outside the range.

        Raises
        ------
        DataError
            In both cases.
        """
        if missing:
            raise DataError(
                f"column {plain(name)!r} of scores has missing values",
                got=f"{int(missing):,} rows",
                fix="leave those rows out",
            )
        if not self.low <= least or not most <= self.high:
            raise DataError(
                f"column {plain(name)!r} holds scores outside their range",
                got=f"{number(least)} to {number(most)}, for a range of {self.low:g} to {self.high:g}",
                fix="give the range of all scores, score_range=(low, high)",
            )

    def expression(self, name: str) -> Any:
        """Give the bin of a column that is elsewhere, as a narwhals expression."""
        scaled = (nw.col(name).cast(nw.Float64) - self.low) * (self.count / (self.high - self.low))
        code = scaled.floor().cast(nw.Int64)
        return nw.when(code >= self.count).then(nw.lit(self.count - 1)).otherwise(code)
