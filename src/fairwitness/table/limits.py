"""How large a table may be, with the way out for whoever meets a limit."""

from __future__ import annotations

from dataclasses import dataclass

from fairwitness.errors import DataError
from fairwitness.text import plain


@dataclass(frozen=True, slots=True)
class Limits:
    """Largest sizes that are accepted; each is there to give a clear message before memory runs out.

    Parameters
    ----------
    max_rows, max_columns
        Size of a table that is read from a file.
    max_levels
        Distinct values of one categorical column.
    max_bytes
        Size of a text file once unpacked.
    """

    max_rows: int = 5_000_000
    max_columns: int = 2_000
    max_levels: int = 10_000
    max_bytes: int = 4 * 2**30

    def check_rows(self, n: int, where: str) -> None:
        """Raise :class:`DataError` if ``n`` rows are too many."""
        if n > self.max_rows:
            raise DataError(
                f"{where} has more than {self.max_rows:,} rows",
                got=f"{n:,} rows or more",
                fix="take a random sample of the rows, or in Python pass limits=Limits(max_rows=...)",
            )

    def check_columns(self, n: int, where: str) -> None:
        """Raise :class:`DataError` if ``n`` columns are too many."""
        if n > self.max_columns:
            raise DataError(
                f"{where} has more than {self.max_columns:,} columns",
                got=f"{n:,} columns",
                fix="keep the columns that are needed, or in Python pass limits=Limits(max_columns=...)",
            )

    def check_levels(self, n: int, name: str) -> None:
        """Raise :class:`DataError` if ``n`` distinct values of a column are too many."""
        if n > self.max_levels:
            raise DataError(
                f"column {plain(name)!r} has more than {self.max_levels:,} distinct values",
                got=f"{n:,} distinct values",
                fix="drop the column if it is an identifier or free text, or merge its rare values",
            )

    def check_bytes(self, n: int, where: str) -> None:
        """Raise :class:`DataError` if a file of ``n`` bytes is too large."""
        if n > self.max_bytes:
            raise DataError(
                f"{where} is larger than {self.max_bytes:,} bytes once unpacked",
                fix="save it as parquet, take a sample, or in Python pass limits=Limits(max_bytes=...)",
            )


DEFAULT_LIMITS = Limits()
