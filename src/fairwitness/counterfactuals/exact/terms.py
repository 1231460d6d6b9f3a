"""What every value of every column adds to the first layer of a network, or to a weighted sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairwitness.counterfactuals.exact.columns import Column
from fairwitness.counterfactuals.exact.forms import NetworkForm
from fairwitness.counterfactuals.exact.readers import refuse
from fairwitness.counterfactuals.exact.unfold import Inputs
from fairwitness.typing import FloatArray, IntArray

#: How far a number's path through the steps may be from a straight line, relative to its size.
_STRAIGHT = 1e-6


@dataclass(frozen=True, eq=False)
class Terms:
    """The first layer as a sum over columns.

    Attributes
    ----------
    start
        (h,) what is there whatever the row.
    slope
        Column of numbers → (h,) what one unit adds; what zero adds is in ``start``.
    missing
        … → (h,) what missing adds, beyond what zero adds.
    options
        Column of options → (options, h).
    """

    start: FloatArray
    slope: dict[int, FloatArray]
    missing: dict[int, FloatArray]
    options: dict[int, FloatArray]


def terms_of(
    form: NetworkForm, inputs: Inputs, source: IntArray, columns: Sequence[Column], base: FloatArray
) -> Terms:
    """Work the terms out by changing one column of ``base`` (1, d) at a time."""
    weight = form.weights[0]
    home = inputs(base)[0]
    start = form.biases[0] + home[source < 0] @ weight[source < 0]
    slope: dict[int, FloatArray] = {}
    missing: dict[int, FloatArray] = {}
    options: dict[int, FloatArray] = {}
    for column in columns:
        j = column.j
        mine = np.flatnonzero(source == j)
        if column.options is not None:
            rows = np.repeat(base, len(column.options), axis=0)
            rows[:, j] = column.options
            options[j] = (
                inputs(rows)[:, mine] @ weight[mine]
                if len(mine)
                else np.zeros((len(column.options), weight.shape[1]))
            )
            continue
        a, b = _line(inputs, base, j, mine)
        slope[j] = a @ weight[mine]
        start = start + b @ weight[mine]
        gap = np.zeros(weight.shape[1])
        if inputs.encoder.schema.features[j].nullable and len(mine):
            row = base.copy()
            row[0, j] = np.nan
            gap = (inputs(row)[0, mine] - b) @ weight[mine]
        missing[j] = gap
    return Terms(start, slope, missing, options)


def _line(inputs: Inputs, base: FloatArray, j: int, mine: IntArray) -> tuple[FloatArray, FloatArray]:
    """Slopes and starts of the numbers that depend on column j, from values far apart."""
    low, high = inputs.encoder.schema.features[j].bounds or (0.0, 1.0)
    low = low if np.isfinite(low) else 0.0
    whole = inputs.encoder.schema.features[j].kind == "integer"
    if whole:
        low, high = np.ceil(low), np.floor(high)
    # A slope needs two places, even where the bounds leave one (or no) number between them.
    high = high if np.isfinite(high) and high > low else low + 1.0
    places = np.array([low, high, (low + high) / 2, low + (high - low) / 3])
    if whole:
        places = np.rint(places)
    rows = np.repeat(base, len(places), axis=0)
    rows[:, j] = places
    seen = inputs(rows)[:, mine]
    slope = (seen[1] - seen[0]) / (places[1] - places[0])
    start = seen[0] - slope * places[0]
    drawn = places[:, None] * slope + start
    if (np.abs(drawn - seen) > _STRAIGHT * (1 + np.abs(seen))).any():
        name = inputs.encoder.names[j]
        raise refuse("the steps before the model", f"they bend the numbers of column {name!r}")
    return slope, start
