"""Whether a generator does as it is told, before what is fixed is written into its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fairwitness.text import listing, percent, plain
from fairwitness.typing import Document


@dataclass(frozen=True)
class Obedience:
    """How often a generator made the fixed columns as they were told.

    Attributes
    ----------
    columns
        Column → share of the rows, 0 to 1, in which it is as it was asked for; 1 is best.
    together
        Share of the rows in which all of them are.
    n
        Rows made.
    """

    columns: Mapping[str, float]
    together: float
    n: int

    def __repr__(self) -> str:
        return f"<Obedience: {self.words}>"

    @property
    def words(self) -> str:
        """The shares in words."""
        each = [f"{plain(name)} in {percent(share)}" for name, share in self.columns.items()]
        return f"of {self.n:,} rows, {listing(each)}, all at once in {percent(self.together)}"

    def to_dict(self) -> Document:
        """Give plain values for JSON."""
        return {"columns": dict(self.columns), "together": self.together, "n": self.n}
