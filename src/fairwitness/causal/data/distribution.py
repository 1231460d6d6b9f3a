"""The joint distribution of a graph's variables: all that bounds on causal effects need of the data."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import items_of, number_array, shown
from fairwitness.causal.data.tables import aligned, checked_axes, checked_table, frozen, marginal
from fairwitness.errors import ConfigError, DataError
from fairwitness.table.levels import level_text
from fairwitness.text import did_you_mean, listing, plain
from fairwitness.typing import Document, FloatArray

if TYPE_CHECKING:
    from fairwitness.causal.data.bins import Bins, Cuts

#: Most cells of a table that is counted from rows: 24 variables of two values.
MOST_CELLS = 2**24

#: Sums of what calls itself a distribution that differ from 1 by more are a mistake.
CLOSE = 1e-6

#: Sums that differ from 1 by no more than this are a matter of floating-point arithmetic, not worth a note.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Distribution:
    """How often each combination of values of some discrete variables occurs.

    Parameters
    ----------
    variables
        Names, one an axis.
    levels
        The values along each axis, in their own type.
    probability
        One axis a variable; non-negative, sums to 1. Read-only.
    n
        Rows counted, or ``None`` where only probabilities are known: then nothing can be said about
        sampling error.
    counts
        Rows in each cell, in the shape of ``probability``, or ``None``. Read-only.
    notes
        What was done to the data on the way, one sentence each.
    cuts
        Where numbers were cut, for the variables that were: values of these may be given as numbers.
    """

    variables: tuple[str, ...]
    levels: tuple[tuple[object, ...], ...]
    probability: FloatArray
    n: float | None = None
    counts: FloatArray | None = None
    notes: tuple[str, ...] = ()
    cuts: Mapping[str, Cuts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        table = self.probability
        tuples = isinstance(self.variables, tuple) and isinstance(self.levels, tuple)
        shape = tuple(len(each) if isinstance(each, tuple) else -1 for each in self.levels) if tuples else ()
        fits = tuples and isinstance(table, np.ndarray) and table.shape == shape
        if not fits or len(self.variables) != len(shape):
            raise DataError(
                "a distribution has one axis a variable, as long as its levels",
                got=f"variables {shown(self.variables)}, levels {shown(self.levels)}",
                fix="make it by Distribution.from_table or from_counts",
            )
        if not (table.min() >= 0 and abs(table.sum() - 1) < CLOSE):  # NaN is neither
            raise DataError(
                "the probabilities of a distribution are at least 0 and sum to 1",
                got=f"least {table.min():.6g}, sum {table.sum():.6g}",
                fix="make it by Distribution.from_table, which brings them to sum to 1",
            )

    @classmethod
    def from_data(
        cls,
        data: Any,
        variables: Sequence[str],
        *,
        weights: str | ArrayLike | None = None,
        levels: Mapping[str, Sequence[object]] | None = None,
        bins: Bins | None = None,
        missing: Literal["error", "drop"] = "error",
        sampling: bool = False,
        max_cells: int = MOST_CELLS,
    ) -> Distribution:
        """Count the combinations of values of ``variables``.

        Parameters
        ----------
        data
            A table with one row a person, or one row a cell with its count or probability in the column
            ``weights``: pandas, polars, pyarrow, or lazily a polars LazyFrame, DuckDB relation or PySpark
            DataFrame (grouped where it is; only the cells are fetched). Or a :class:`Distribution`, or a
            mapping as :meth:`to_dict` gives it.
        variables
            Names of the columns, in the order of the axes.
        weights
            Name of a column of weights, or (n,) weights. Whole numbers that sum to 2 or more are counts;
            anything else is brought to sum to 1, and the number of rows stays unknown.
        levels
            Values along some variables' axes, for an order of one's own or for values that never occur.
        bins
            How numbers are cut: ``{"age": [25, 40]}`` gives ``"≤ 25"``, ``"> 25, ≤ 40"`` and ``"> 40"``;
            ``{"age": "> 37"}`` gives ``"age ≤ 37"`` and ``"age > 37"``.
        missing
            ``"error"`` refuses missing values, ``"drop"`` leaves those rows out and says how many.
        sampling
            Whether ``weights`` say how many people of a population a row stands for (survey weights).
            Then whole numbers are no counts either.
        max_cells
            Most cells of the table.

        Raises
        ------
        DataError
            For an unknown column, numbers that need bins, missing values, unusable weights, no rows, or
            too many cells.
        ConfigError
            For settings that make no sense.
        """
        from fairwitness.causal.data.counting import read_distribution

        return read_distribution(
            data,
            variables,
            weights=weights,
            levels=levels,
            bins=bins,
            missing=missing,
            sampling=sampling,
            max_cells=max_cells,
        )

    @classmethod
    def from_table(
        cls,
        variables: Sequence[str],
        levels: Sequence[Sequence[object]],
        probability: ArrayLike,
        *,
        notes: Sequence[str] = (),
    ) -> Distribution:
        """Take a table of probabilities.

        Parameters
        ----------
        variables
            Names, one an axis.
        levels
            The values along each axis.
        probability
            One axis a variable, or flat with the last variable running fastest. Brought to sum to 1.

        Raises
        ------
        DataError
            If the shapes do not fit, or a probability is negative or missing, or all are 0.
        """
        names, axes = checked_axes(variables, levels)
        table = checked_table(probability, names, axes, "probability")
        total = float(table.sum())
        said = list(notes)
        if abs(total - 1) > ROUNDING:
            said.append(f"probabilities summed to {total:.10g} and were divided by that")
        return cls(names, axes, frozen(table / total), notes=tuple(said))

    @classmethod
    def from_counts(
        cls,
        variables: Sequence[str],
        levels: Sequence[Sequence[object]],
        counts: ArrayLike,
        *,
        notes: Sequence[str] = (),
    ) -> Distribution:
        """Take a table of counts; as :meth:`from_table`, with the number of rows known.

        Raises
        ------
        DataError
            If the shapes do not fit, or a count is negative or missing, or all are 0.
        """
        names, axes = checked_axes(variables, levels)
        table = checked_table(counts, names, axes, "counts")
        total = float(table.sum())
        kept = table.copy() if np.may_share_memory(table, np.asarray(counts)) else table
        return cls(names, axes, frozen(table / total), total, frozen(kept), tuple(notes))

    @property
    def cards(self) -> tuple[int, ...]:
        """How many levels each variable has."""
        return self.probability.shape

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{plain(name, most=40)}: {size}" for name, size in zip(self.variables, self.cards, strict=True)
        )
        rows = "" if self.n is None else f", n={self.n:.10g}"
        return f"Distribution({sizes}{rows})"

    def axis(self, variable: str) -> int:
        """Give the position of a variable among the axes.

        Raises
        ------
        DataError
            If there is no such variable.
        """
        if not isinstance(variable, str) or variable not in self.variables:
            raise DataError(
                f"the distribution has no variable {plain(variable)!r}",
                got=f"variables {listing([plain(name) for name in self.variables])}",
                fix=did_you_mean(variable, self.variables),
            )
        return self.variables.index(variable)

    def level_index(self, variable: str, value: object) -> int:
        """Give the position of a value among the variable's levels.

        1, 1.0, ``True`` and numpy's numbers are one value. A number is found in its bin. Where no level is
        equal to ``value``, one that reads the same is taken: ``"1"`` for 1.

        Raises
        ------
        DataError
            If the variable or the value is unknown; the message lists the levels.
        """
        levels = self.levels[self.axis(variable)]
        value = value.item() if isinstance(value, np.generic | np.ndarray) and value.size == 1 else value
        if isinstance(value, bool | int | float | str):
            if value in levels:
                return levels.index(value)
            reads = [{str(level), level_text(level)} for level in levels]
            wanted = {str(value), level_text(value)}
            for position, texts in enumerate(reads):
                if texts & wanted:
                    return position
            if variable in self.cuts and np.isfinite(number := _number(value)):
                return int(self.cuts[variable].codes(np.array([number]))[0])
        elif isinstance(value, Hashable) and not hasattr(value, "__array__") and value in levels:
            return levels.index(value)
        raise DataError(
            f"{plain(variable)!r} has no value {shown(value)}",
            got=f"levels {listing([shown(level) for level in levels], most=20)}",
            fix=did_you_mean(value, [str(level) for level in levels]),
        )

    def evidence(self, given: Mapping[str, object] | None) -> dict[str, int]:
        """Give the position of each value in ``given``, in the order of the variables.

        Raises
        ------
        DataError
            If a variable or a value is unknown.
        ConfigError
            If ``given`` is no mapping.
        """
        if given is not None and not isinstance(given, Mapping):
            raise ConfigError(
                "what is given must say the value of each variable",
                got=shown(given),
                fix='pass for example {"age": "≤ 37"}',
            )
        codes = {str(name): self.level_index(str(name), value) for name, value in (given or {}).items()}
        return {name: codes[name] for name in self.variables if name in codes}

    def probability_of(self, codes: Mapping[str, int]) -> float:
        """Give the probability that each variable in ``codes`` takes the level at that position."""
        if not isinstance(codes, Mapping):
            raise DataError(
                "codes map variables to positions of levels", got=shown(codes), fix='pass {"sex": 0}'
            )
        at: list[Any] = [slice(None)] * len(self.variables)
        for name, code in codes.items():
            at[self.axis(name)] = code
        return float(np.sum(self.probability[tuple(at)]))

    def take(self, *variables: str) -> Distribution:
        """Sum over all other variables; axes in the order asked for.

        Raises
        ------
        DataError
            If a variable is unknown or named twice.
        """
        if all(isinstance(name, str) for name in variables) and variables == self.variables:
            return self
        kept = [self.axis(name) for name in variables]
        if not kept or len(set(kept)) < len(kept):
            raise DataError(
                "the variables to keep should be one or more different names",
                got=listing([plain(name) for name in variables]) or "none",
                fix="name each variable once",
            )
        return Distribution(
            tuple(variables),
            tuple(self.levels[axis] for axis in kept),
            frozen(marginal(self.probability, kept)),
            self.n,
            None if self.counts is None else frozen(marginal(self.counts, kept)),
            self.notes,
            {name: cuts for name, cuts in self.cuts.items() if name in variables},
        )

    def with_kernel(
        self,
        outcome: str,
        kernel: ArrayLike,
        parents: Sequence[str],
        *,
        levels: Sequence[object] | None = None,
    ) -> Distribution:
        """Replace how the outcome depends on everything else: P(rest) · kernel(outcome | parents).

        Only for an outcome that nothing else depends on, such as a prediction.

        Parameters
        ----------
        outcome
            The variable to replace; one that is not there yet is put last, with ``levels``.
        kernel
            Shape: the parents' numbers of levels, then the outcome's. NaN where it is not known, allowed
            only where the parents never take those values.
        parents
            Variables that the outcome depends on, in the order of the kernel's axes.
        levels
            The outcome's levels, if it is not there yet.

        Returns
        -------
        Distribution
            With the same axes. ``counts`` is ``None`` (no such rows were seen); ``n`` is that of the rest.

        Raises
        ------
        DataError
            If the shapes do not fit, the outcome is its own parent, or the kernel is unknown where needed.
        """
        if items_of(parents) is None or not isinstance(outcome, str):
            raise DataError(
                "a kernel is of one outcome, named, and of parents in a list of names",
                got=f"{shown(outcome)} and {shown(parents)}",
                fix='pass for example "hired" and ["sex", "dept"]',
            )
        new = outcome not in self.variables
        if new and levels is None:
            self.axis(outcome)
        names = (*self.variables, outcome) if new else self.variables
        axes = (*self.levels, tuple(levels or ())) if new else self.levels
        place = [names.index(outcome) if name == outcome else self.axis(name) for name in (*parents, outcome)]
        if len(set(place)) < len(place):
            raise DataError(
                f"the kernel of {plain(outcome)!r} should have different parents, and not itself among them",
                got=listing([plain(name) for name in parents]),
                fix="name each parent once",
            )
        shape = tuple(len(axes[axis]) for axis in place)
        table = number_array(kernel, "the kernel", fix="pass one row of probabilities for each parents' cell")
        if table.shape != shape:
            raise DataError(
                f"the kernel of {plain(outcome)!r} has the wrong shape",
                got=f"shape {table.shape}",
                fix=f"pass an array of shape {shape}: levels of {listing([plain(p) for p in parents])}, then "
                f"of {plain(outcome)}",
            )
        rest = (
            self.probability[..., None]
            if new
            else self.probability.sum(axis=names.index(outcome), keepdims=True)
        )
        joint = rest * aligned(table, place, len(names))
        unknown = np.isnan(joint)
        if unknown.any():
            if bool((unknown & (rest > 0)).any()):
                raise DataError(
                    f"the kernel of {plain(outcome)!r} is unknown where its parents do take those values",
                    fix="give probabilities for every combination of the parents' values that occurs",
                )
            joint[unknown] = 0.0
        return Distribution(names, axes, frozen(joint), self.n, None, self.notes, self.cuts)

    def to_frame(self) -> Any:
        """Give a pandas DataFrame with one row a cell: the variables, ``probability``, and ``count``.

        Raises
        ------
        DataError
            If a variable has one of these two names.
        """
        import pandas as pd

        taken = {"probability", "count"} & set(self.variables)
        if taken:
            raise DataError(
                f"a variable is called {taken.pop()!r}, as the column of the cells' numbers is",
                fix="give the variable another name",
            )
        columns: dict[str, Any] = {}
        for axis, (name, levels) in enumerate(zip(self.variables, self.levels, strict=True)):
            shape = [1] * len(self.cards)
            shape[axis] = -1
            palette = pd.Series(list(levels)).to_numpy()
            columns[name] = np.broadcast_to(palette.reshape(shape), self.cards).ravel()
        columns["probability"] = self.probability.ravel()
        if self.counts is not None:
            columns["count"] = self.counts.ravel()
        return pd.DataFrame(columns)

    def to_dict(self) -> Document:
        """Give plain values for JSON; :meth:`from_data` reads them back."""
        return {
            "variables": list(self.variables),
            "levels": [list(levels) for levels in self.levels],
            "probability": self.probability.tolist(),
            "n": self.n,
            "counts": None if self.counts is None else self.counts.tolist(),
            "notes": list(self.notes),
        }


def _number(value: bool | float | str) -> float:
    try:
        return float(value)
    except ValueError:
        return np.nan
