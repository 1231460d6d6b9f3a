"""A predictor given as a table of probabilities, in whatever form: checked, in the order of the graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from fairwitness.arguments import number_array, shown
from fairwitness.causal.data.counting import as_lazy
from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.data.tables import frozen
from fairwitness.errors import DataError
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, Document, FloatArray

#: Rows of a kernel that differ from a sum of 1 by more than this are a mistake, not rounding.
_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Kernel:
    """P(outcome | parents) of a predictor.

    Parameters
    ----------
    outcome
        Name of the outcome.
    levels
        Its values.
    parents
        The variables it depends on, in the graph's order.
    table
        Shape: the parents' numbers of levels, then the outcome's. The last axis sums to 1; NaN where the
        predictor is not known. Read-only.
    notes
        How it was read, one sentence each.
    rows
        In the shape of the parents' levels: of how many rows ``table`` holds means, so that it is uncertain
        as the data are. ``None`` where it is what the predictor does.
    """

    outcome: str
    levels: tuple[object, ...]
    parents: tuple[str, ...]
    table: FloatArray
    notes: tuple[str, ...] = ()
    rows: FloatArray | None = None

    @property
    def known(self) -> BoolArray:
        """For which values of the parents the predictor is known, in the shape of their levels."""
        return np.asarray(~np.isnan(self.table).any(axis=-1))

    def to_dict(self) -> Document:
        """Give plain values for JSON; what is not known is ``None``."""
        table = self.table.astype(object)
        table[np.isnan(self.table)] = None
        return {
            "outcome": self.outcome,
            "levels": list(self.levels),
            "parents": list(self.parents),
            "table": table.tolist(),
            "notes": list(self.notes),
            "rows": None if self.rows is None else self.rows.tolist(),
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """What a predictor has to say: the outcome's values for each combination of the parents' values.

    Parameters
    ----------
    outcome, levels
        The predicted variable and its values.
    parents, cards
        What it depends on, and how many values each has.
    distribution
        Has the parents' values.
    favorable
        The value that scores and decisions speak of.
    """

    outcome: str
    levels: tuple[object, ...]
    parents: tuple[str, ...]
    cards: tuple[int, ...]
    distribution: Distribution
    favorable: object

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the table P(outcome | parents)."""
        return (*self.cards, len(self.levels))

    @property
    def accepted(self) -> int:
        """Position of the favourable value among the outcome's two."""
        if len(self.levels) != 2:
            raise DataError(
                f"{plain(self.outcome)!r} has {len(self.levels)} values; scores and decisions tell two apart",
                got=listing([shown(level) for level in self.levels]),
                fix="merge the other values into one, or pass the predictor as a table with all values",
            )
        return position(self.outcome, self.levels, self.favorable)


def position(outcome: str, levels: Sequence[object], value: object) -> int:
    """Give the position of a value among the outcome's."""
    return Distribution.from_table([outcome], [levels], np.ones(len(levels))).level_index(outcome, value)


def wanted_shape(asked: Asked) -> str:
    """Say what an array should look like."""
    return (
        f"pass shape {asked.shape}: levels of {listing([plain(name) for name in asked.parents])}, then of "
        f"{plain(asked.outcome)}"
    )


def checked(asked: Asked, table: FloatArray) -> Kernel:
    """Give the kernel of a table whose rows sum to 1, or say where one does not."""
    if table.shape == asked.cards and table.shape != asked.shape:
        table = two(asked, table)
    if table.shape != asked.shape:
        raise DataError(
            "the predictor's table has the wrong shape", got=f"{table.shape}", fix=wanted_shape(asked)
        )
    known = np.asarray(~np.isnan(table).any(axis=-1))
    wrong = known & ~(
        (np.abs(np.nansum(table, axis=-1) - 1) < _TOLERANCE) & (np.nanmin(table, axis=-1, initial=1) >= 0)
    )
    if wrong.any():
        at = tuple(int(place) for place in np.argwhere(wrong)[0])
        raise DataError(
            f"the predictor's probabilities at {_cell(asked, at)} should be 0 or more and sum to 1",
            got=f"{table[at].tolist()}",
            fix=f"give the probability of each of {listing([shown(level) for level in asked.levels])}",
        )
    return make_kernel(asked, table, known, [])


def make_kernel(
    asked: Asked,
    table: FloatArray,
    known: BoolArray,
    notes: Sequence[str],
    rows: FloatArray | None = None,
) -> Kernel:
    """Give the kernel, and say where it is not known."""
    said = list(notes)
    if not known.all():
        said.append(
            f"the predictor is not known for {int((~known).sum()):,} of {known.size:,} combinations of "
            f"{listing([plain(name) for name in asked.parents])}"
        )
    out = np.where(known[..., None], table, np.nan)
    counted = None if rows is None else frozen(rows)
    return Kernel(asked.outcome, asked.levels, asked.parents, frozen(out), tuple(said), counted)


def two(asked: Asked, favourable: FloatArray) -> FloatArray:
    """Add the other outcome's probability to the favourable one's."""
    out = np.empty(asked.shape)
    out[..., asked.accepted] = favourable
    out[..., 1 - asked.accepted] = 1 - favourable
    return out


def _cell(asked: Asked, at: Sequence[int]) -> str:
    axes = [asked.distribution.levels[asked.distribution.axis(name)] for name in asked.parents]
    return listing(
        [f"{plain(n)} = {shown(axis[i])}" for n, axis, i in zip(asked.parents, axes, at, strict=True)]
    )


def of_mapping(asked: Asked, given: Mapping[Any, Any]) -> FloatArray:
    """Give the table that a mapping from the parents' values describes."""
    if not given:
        raise DataError(
            "the predictor's table is empty", got="{}", fix="map the parents' values to probabilities"
        )
    table = np.full(asked.shape, np.nan)
    for key, value in given.items():
        values = key if isinstance(key, tuple) else (key,)
        if len(values) != len(asked.parents):
            raise DataError(
                "a key of the predictor's table should have one value a parent",
                got=shown(key),
                fix=f"write the values of {listing([plain(name) for name in asked.parents])} as a tuple",
            )
        at = tuple(
            asked.distribution.level_index(name, each)
            for name, each in zip(asked.parents, values, strict=True)
        )
        if isinstance(value, Mapping):
            row = np.zeros(len(asked.levels))
            for level, share in value.items():
                row[position(asked.outcome, asked.levels, level)] = share
        else:
            numbers = number_array(value, "a probability of the predictor", fix="pass a number in [0, 1]")
            row = numbers
            if numbers.ndim == 0:
                row = np.empty(2)
                row[asked.accepted], row[1 - asked.accepted] = numbers, 1 - numbers
        if row.shape != (len(asked.levels),):
            raise DataError(
                f"the predictor's probabilities at {_cell(asked, at)} should be one for each outcome",
                got=shown(value),
                fix=f"give {len(asked.levels)} numbers",
            )
        table[at] = row
    return table


def of_distribution(asked: Asked, given: Distribution) -> Kernel:
    """Give the outcome's frequencies given the parents."""
    joint = given.take(*asked.parents, asked.outcome)
    counted = Distribution(
        joint.variables,
        (*(asked.distribution.levels[asked.distribution.axis(name)] for name in asked.parents), asked.levels),
        np.full(asked.shape, 1 / math.prod(asked.shape)),
    )
    places = [
        [counted.level_index(name, level) for level in axis]
        for name, axis in zip(joint.variables, joint.levels, strict=True)
    ]
    table = np.zeros(asked.shape)
    table[np.ix_(*places)] = joint.probability
    return conditional(asked, table, given.notes, n=given.n)


def of_frame(asked: Asked, given: Any, weights: object = None) -> Kernel:
    """Give the outcome's frequencies given the parents, from rows or cells."""
    lazy = as_lazy(given)
    schema = dict(lazy.collect_schema() if lazy is not None else nw.from_native(given).schema)
    named = ("probability", "count", *((weights,) if isinstance(weights, str) else ()))
    amount = next((name for name in named if name in schema), None)
    wanted = [*asked.parents, asked.outcome]
    counted = Distribution.from_data(given, wanted, weights=amount)
    others = [name for name, kind in schema.items() if name not in wanted and kind.is_numeric()]
    if amount is None and others and counted.counts is not None and float(counted.counts.max()) <= 1:
        raise DataError(
            "the predictor's table has each combination once, and does not say which column holds how often",
            got=f"columns {listing([plain(name) for name in others])} beside "
            f"{listing([plain(name) for name in wanted])}",
            fix='call the column "probability" or "count", or pass the columns named last if each row is a '
            "person",
        )
    return of_distribution(asked, counted)


def conditional(asked: Asked, table: FloatArray, notes: Sequence[str], *, n: float | None) -> Kernel:
    """Give the kernel of a table of joint frequencies, of ``n`` rows if that is known."""
    total = table.sum(axis=-1)
    known = total > 0
    rows = None if n is None else np.round(total * (n / table.sum()))
    return make_kernel(asked, table / np.where(known, total, 1)[..., None], known, notes, rows)
