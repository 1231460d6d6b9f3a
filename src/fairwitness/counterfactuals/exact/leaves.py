"""The leaves of all trees as boxes over the table's columns, worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairwitness.counterfactuals.exact.columns import Column
from fairwitness.counterfactuals.exact.forms import TreeForm
from fairwitness.counterfactuals.exact.unfold import Inputs
from fairwitness.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Leaves:
    """Every leaf that some row can reach, trees one after the other.

    Attributes
    ----------
    tree, value
        (l,) its tree, and what it adds to the margin.
    cuts
        Column of numbers → (m,) ascending grid positions: the first number beyond each threshold.
    tests
        … → (m,) a node for each of these thresholds.
    ranges
        … → (r, 2) the different first and last cells of the column that lead to leaves; cell c lies between
        cuts c − 1 and c, and where the first is beyond the last, none does.
    range_of
        … → (l,) which of the ranges is the leaf's. Most leaves do not test a column: there are few ranges.
    missing
        … → (l,) whether missing leads to it.
    options
        Column of options → (l, options) whether each leads to the leaf.
    """

    tree: IntArray
    value: FloatArray
    cuts: dict[int, IntArray]
    tests: dict[int, IntArray]
    ranges: dict[int, IntArray]
    range_of: dict[int, IntArray]
    missing: dict[int, BoolArray]
    options: dict[int, BoolArray]


def leaves_of(
    form: TreeForm, inputs: Inputs, source: IntArray, columns: Sequence[Column], base: FloatArray
) -> Leaves:
    """Follow all paths of all trees; ``base`` (1, d) is any row the model takes."""
    inner = np.flatnonzero(form.feature >= 0)
    column = np.full(len(form.feature), -1, dtype=np.int64)
    column[inner] = source[form.feature[inner]]
    number_columns = [c.j for c in columns if c.grid is not None]
    cuts, tests, rank = _cuts(form, inputs, columns, base, column)
    gone_left = _missing_left(form, inputs, number_columns, base, column)
    left_of = {
        c.j: _option_left(form, inputs, c, base, np.flatnonzero(column == c.j))
        for c in columns
        if c.options is not None
    }
    fixed = inner[column[inner] < 0]
    constant = np.zeros(len(form.feature), dtype=np.bool_)
    if len(fixed):
        constant[fixed] = form.goes_left(fixed, inputs(base)[:, form.feature[fixed]])[0]

    live = _Paths(
        node=form.roots.copy(),
        tree=np.arange(len(form.roots)),
        first={j: np.zeros(len(form.roots), dtype=np.int32) for j in number_columns},
        last={j: np.full(len(form.roots), len(cuts[j]), dtype=np.int32) for j in number_columns},
        missing={j: np.ones(len(form.roots), dtype=np.bool_) for j in number_columns},
        options={
            c.j: np.ones((len(form.roots), len(c.options)), dtype=np.bool_)
            for c in columns
            if c.options is not None
        },
    )
    done: list[_Paths] = []
    while len(live.node):
        ended = form.feature[live.node] < 0
        done.append(live.take(np.flatnonzero(ended)))
        live = live.take(np.flatnonzero(~ended))
        sides = []
        for to_left in (True, False):
            side = live.take(np.arange(len(live.node)))
            alive = np.ones(len(side.node), dtype=np.bool_)
            which = column[live.node]
            nothing = which < 0
            alive[nothing] = constant[live.node[nothing]] == to_left
            for j in np.unique(which[which >= 0]).tolist():
                at = np.flatnonzero(which == j)
                nodes = live.node[at]
                if j in cuts:
                    place = rank[nodes]
                    if to_left:
                        side.last[j][at] = np.minimum(side.last[j][at], place)
                    else:
                        side.first[j][at] = np.maximum(side.first[j][at], place + 1)
                    side.missing[j][at] &= gone_left[nodes] == to_left
                    alive[at] = (side.first[j][at] <= side.last[j][at]) | side.missing[j][at]
                else:
                    table, row = left_of[j]
                    goes = table[row[nodes]]
                    side.options[j][at] &= goes if to_left else ~goes
                    alive[at] = side.options[j][at].any(axis=1)
            side.node = (form.left if to_left else form.right)[side.node]
            sides.append(side.take(np.flatnonzero(alive)))
        live = sides[0].join(sides[1])
    every = done[0]
    for part in done[1:]:
        every = every.join(part)
    every = every.take(np.argsort(every.tree, kind="stable"))
    ranges: dict[int, IntArray] = {}
    range_of: dict[int, IntArray] = {}
    for j in number_columns:
        ranges[j], range_of[j] = _ranges(every.first[j], every.last[j], len(cuts[j]) + 1)
    return Leaves(
        tree=every.tree,
        value=form.value[every.node],
        cuts=cuts,
        tests=tests,
        ranges=ranges,
        range_of=range_of,
        missing=every.missing,
        options=every.options,
    )


def _ranges(first: IntArray, last: IntArray, cells: int) -> tuple[IntArray, IntArray]:
    """Give the different pairs of first and last cell, and (l,) which of them each leaf has."""
    pair, which = np.unique(first.astype(np.int64) * cells + last, return_inverse=True)
    return np.stack([pair // cells, pair % cells], axis=1), which.ravel().astype(np.int32)


@dataclass(eq=False)
class _Paths:
    """Paths that have come to some node, and what leads there."""

    node: IntArray
    tree: IntArray
    first: dict[int, IntArray]
    last: dict[int, IntArray]
    missing: dict[int, BoolArray]
    options: dict[int, BoolArray]

    def take(self, at: NDArray[np.integer]) -> _Paths:
        return _Paths(
            self.node[at],
            self.tree[at],
            *({j: v[at] for j, v in part.items()} for part in (self.first, self.last)),
            *({j: v[at] for j, v in part.items()} for part in (self.missing, self.options)),
        )

    def join(self, other: _Paths) -> _Paths:
        def both(
            one: dict[int, NDArray[np.generic]], two: dict[int, NDArray[np.generic]]
        ) -> dict[int, object]:
            return {j: np.concatenate([one[j], two[j]]) for j in one}

        return _Paths(
            np.concatenate([self.node, other.node]),
            np.concatenate([self.tree, other.tree]),
            both(self.first, other.first),  # type: ignore[arg-type]
            both(self.last, other.last),  # type: ignore[arg-type]
            both(self.missing, other.missing),  # type: ignore[arg-type]
            both(self.options, other.options),  # type: ignore[arg-type]
        )


def _cuts(
    form: TreeForm, inputs: Inputs, columns: Sequence[Column], base: FloatArray, column: IntArray
) -> tuple[dict[int, IntArray], dict[int, IntArray], IntArray]:
    """Find the first number beyond every threshold, by halving, for all columns at once."""
    rank = np.zeros(len(form.feature), dtype=np.int64)
    grids = {c.j: c.grid for c in columns if c.grid is not None}
    tests: dict[int, IntArray] = {}
    copies: dict[int, tuple[IntArray, IntArray]] = {}
    for j in grids:
        nodes = np.flatnonzero(column == j)
        pairs = np.stack([form.feature[nodes], form.threshold[nodes]], axis=1)
        _, first, inverse = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        tests[j] = nodes[first]
        copies[j] = (nodes, inverse.ravel())
    low = {j: np.full(len(tests[j]), grid.first, dtype=np.int64) for j, grid in grids.items()}
    high = {j: np.full(len(tests[j]), grid.last + 1, dtype=np.int64) for j, grid in grids.items()}
    depth = max([0, *(len(each) for each in tests.values())])
    while any((low[j] < high[j]).any() for j in grids):
        rows = np.repeat(base, depth, axis=0)
        middle = {}
        for j, grid in grids.items():
            # the sum of two positions of a grid of all floats is beyond 64 bits
            middle[j] = (low[j] >> 1) + (high[j] >> 1) + (low[j] & high[j] & 1)
            rows[: len(tests[j]), j] = grid.value(np.minimum(middle[j], grid.last)) + 0.0
        numbers = inputs(rows)
        for j in grids:
            nodes = tests[j]
            open_ = low[j] < high[j]
            seen = numbers[np.arange(len(nodes)), form.feature[nodes]]
            left = _each(form, nodes, seen)
            low[j] = np.where(open_ & left, middle[j] + 1, low[j])
            high[j] = np.where(open_ & ~left, middle[j], high[j])
    cuts: dict[int, IntArray] = {}
    for j in grids:
        order = np.lexsort((form.threshold[tests[j]], low[j]))
        cuts[j], tests[j] = low[j][order], tests[j][order]
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        nodes, inverse = copies[j]
        rank[nodes] = place[inverse]
    return cuts, tests, rank


def _each(form: TreeForm, nodes: IntArray, numbers: FloatArray) -> BoolArray:
    """(m,) whether the m-th number goes left at the m-th node."""
    left: BoolArray = form.goes_left(nodes, numbers[None, :])[0]
    return left


def _missing_left(
    form: TreeForm, inputs: Inputs, number_columns: Sequence[int], base: FloatArray, column: IntArray
) -> BoolArray:
    """(n,) whether a missing value of its column goes left at each node."""
    out = np.zeros(len(form.feature), dtype=np.bool_)
    for j in number_columns:
        nodes = np.flatnonzero(column == j)
        if not len(nodes) or not inputs.encoder.schema.features[j].nullable:
            continue
        row = base.copy()
        row[0, j] = np.nan
        out[nodes] = form.goes_left(nodes, inputs(row)[:, form.feature[nodes]])[0]
    return out


def _option_left(
    form: TreeForm, inputs: Inputs, column: Column, base: FloatArray, nodes: IntArray
) -> tuple[BoolArray, IntArray]:
    """(nodes, options) which options go left, and (n,) the row of each node in that table."""
    assert column.options is not None
    row = np.zeros(len(form.feature), dtype=np.int64)
    row[nodes] = np.arange(len(nodes))
    if not len(nodes):
        return np.zeros((0, len(column.options)), dtype=np.bool_), row
    rows = np.repeat(base, len(column.options), axis=0)
    rows[:, column.j] = column.options
    left = form.goes_left(nodes, inputs(rows)[:, form.feature[nodes]])
    return np.ascontiguousarray(left.T), row
