"""One interval for each distinct evidence: for looking up, for a table of rows, for a picture."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.arguments import shown
from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.solver.results import EffectBounds, Word
from fairwitness.causal.words import effect, people
from fairwitness.errors import DataError, UnknownNameError
from fairwitness.table.columns import read_column
from fairwitness.table.frames import container_of, native_column
from fairwitness.text import listing, percent, plain
from fairwitness.typing import Document, FloatArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Cells that a notebook shows.
_MOST_SHOWN = 20

WORDS: tuple[Word, ...] = ("fair", "undetermined", "unfair")


@dataclass(frozen=True, eq=False)
class RowCell:
    """All people with the same evidence.

    Attributes
    ----------
    given
        Their values.
    share
        Their share of the people asked about.
    n
        Their number, where the number of rows is known.
    bounds
        Of the effect among them.
    """

    given: Mapping[str, object]
    share: float
    n: float | None
    bounds: EffectBounds


@dataclass(frozen=True, eq=False)
class RowBounds:
    """One interval for each distinct evidence, and through it for every row.

    Attributes
    ----------
    cells
        Those that occur, in the order of the evidence's values.
    evidence
        The variables that people are told apart by.
    fixed
        What all people asked about have in common.
    asked
        Their share of the population: P(fixed).
    """

    cells: tuple[RowCell, ...]
    evidence: tuple[str, ...]
    fixed: Mapping[str, object]
    asked: float
    _known: Distribution

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[RowCell]:
        return iter(self.cells)

    def __getitem__(self, given: Mapping[str, object]) -> EffectBounds:
        """Give the bounds for people with these values.

        Parameters
        ----------
        given
            A value for each variable of ``evidence`` (those that are fixed may be left out).

        Raises
        ------
        UnknownNameError
            If nobody has them, or a variable is missing.
        """
        if isinstance(given, Mapping):
            values = {**self.fixed, **given}
            if set(values) == set(self.evidence):
                cell = self._places.get(tuple(self._known.level_index(v, values[v]) for v in self.evidence))
                if cell is not None:
                    return self.cells[cell].bounds
        raise UnknownNameError(
            "nobody is like that",
            got=shown(given),
            fix=f"give a value that occurs for each of {listing([plain(name) for name in self.evidence])}",
        )

    @functools.cached_property
    def _places(self) -> dict[tuple[int, ...], int]:
        return {
            tuple(self._known.level_index(name, cell.given[name]) for name in self.evidence): number
            for number, cell in enumerate(self.cells)
        }

    def shares(self, tau: float = 0.1) -> dict[Word, float]:
        """Give the shares of people whose effect is surely within ±``tau``, surely beyond, or either.

        Returns
        -------
        dict
            ``"fair"``, ``"undetermined"`` and ``"unfair"`` → share of the people asked about, in [0, 1].
        """
        found: dict[Word, float] = dict.fromkeys(WORDS, 0.0)
        for cell in self.cells:
            found[cell.bounds.verdict(tau)] += cell.share
        return found

    def for_table(self, table: NativeFrame, *, tau: float = 0.1) -> NativeFrame:
        """Give every row of a table its interval.

        Parameters
        ----------
        table
            pandas, polars or pyarrow, with the columns of ``evidence`` as the data had them; cut or not.
        tau
            Threshold of the verdict.

        Returns
        -------
        NativeFrame
            The same kind of table with as many rows: ``cell`` (position in ``cells``, −1 if the row is none
            of the people asked about), ``lower``, ``upper``, ``interval_low``, ``interval_high`` (missing
            there) and ``verdict``.
        """
        places = np.stack([self._codes(table, name) for name in self.evidence], axis=1)
        different, inverse = np.unique(places, axis=0, return_inverse=True)
        found = np.array([self._places.get(tuple(row), -1) for row in different.tolist()], dtype=np.int64)
        cell = found[inverse.reshape(-1)]
        numbers = np.array(
            [(c.bounds.lower, c.bounds.upper, *c.bounds.interval) for c in self.cells] + [(np.nan,) * 4]
        )[cell]
        words = np.array([c.bounds.verdict(tau) for c in self.cells] + [None], dtype=object)[cell]
        columns: dict[str, Any] = {"cell": cell}
        for at, name in enumerate(("lower", "upper", "interval_low", "interval_high")):
            columns[name] = numbers[:, at]
        columns["verdict"] = words
        container = container_of(table)
        if container == "pandas":
            import pandas as pd

            return pd.DataFrame(columns, index=table.index)
        import narwhals as nw

        lists = {
            name: [None if value != value else value for value in values.tolist()]
            for name, values in columns.items()
        }
        return nw.from_dict(lists, backend=container).to_native()

    def _codes(self, table: NativeFrame, name: str) -> IntArray:
        """Give (n,) positions among a variable's levels, −1 for values that have none."""
        column = read_column(native_column(table, name), name=name)
        cuts = self._known.cuts.get(name)
        if cuts is not None and column.family in {"integer", "float"}:
            numbers: FloatArray = cuts.codes(column.numbers())
            return np.where(np.isnan(numbers), -1, numbers).astype(np.int64)
        codes, values = column.factorize()
        own = np.array([*(self._position(name, value) for value in values), -1], dtype=np.int64)
        return own[codes]

    def _position(self, name: str, value: object) -> int:
        try:
            return self._known.level_index(name, value)
        except DataError:
            return -1

    def to_frame(self, *, tau: float = 0.1) -> Any:
        """Give a pandas DataFrame, one row a cell: evidence, share of the people, bounds, verdict."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    **{name: cell.given[name] for name in self.evidence},
                    "share": cell.share,
                    "n": cell.n,
                    "lower": cell.bounds.lower,
                    "upper": cell.bounds.upper,
                    "interval_low": cell.bounds.interval[0],
                    "interval_high": cell.bounds.interval[1],
                    "status": cell.bounds.status,
                    "engine": cell.bounds.certificate.engine,
                    "verdict": cell.bounds.verdict(tau),
                }
                for cell in self.cells
            ]
        )

    def to_dict(self, *, tau: float = 0.1) -> Document:
        """Give everything as plain values."""
        return {
            "question": effect(self.cells[0].bounds.query),
            "paths": str(self.cells[0].bounds.query.paths),
            "evidence": list(self.evidence),
            "fixed": _values(self.fixed),
            "asked": self.asked,
            "tau": tau,
            "shares": dict(self.shares(tau)),
            "cells": [
                {
                    "given": _values(cell.given),
                    "share": cell.share,
                    "n": cell.n,
                    "verdict": cell.bounds.verdict(tau),
                    "bounds": cell.bounds.to_dict(),
                }
                for cell in self.cells
            ],
        }

    def plot(self, ax: Axes | None = None, *, tau: float = 0.1) -> Axes:
        """Draw the intervals: a line a cell or, beyond two dozen, a band as high as its share of people."""
        from fairwitness.causal.plots import plot_rows

        return plot_rows(self, ax, tau=tau)

    def _repr_html_(self) -> str:
        frame = self.to_frame().head(_MOST_SHOWN)
        for name in self.evidence:
            frame[name] = [plain(value) for value in frame[name]]
        rest = len(self) - len(frame)
        more = f"<p>{rest:,} more in <code>to_frame()</code></p>" if rest > 0 else ""
        return f"{frame.to_html(index=False, escape=True, float_format='%.3g')}{more}"

    def __repr__(self) -> str:
        said = ", ".join(f"{word} {percent(share)}" for word, share in self.shares().items())
        return (
            f"<RowBounds {people(self.fixed)} by {listing([plain(name) for name in self.evidence])}: "
            f"{len(self.cells):,} cells; at tau = 0.1 {said}>"
        )


def _values(given: Mapping[str, object]) -> dict[str, object]:
    return {
        name: value if isinstance(value, str | bool | int | float) else str(value)
        for name, value in given.items()
    }
