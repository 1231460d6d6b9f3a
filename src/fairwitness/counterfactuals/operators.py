"""How new rows come from old ones: crossover and mutation, and taking changes back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fairwitness.counterfactuals.archive import Archive, row_keys
from fairwitness.counterfactuals.choices import Choices
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: A child has a value from the first parent below this, from the second below the next, else a mutation.
_FIRST, _SECOND = 0.4, 0.8
#: Share of children whose second parent is the query itself: crossover then takes changes back.
_HOME = 0.5
#: Share of mutated numbers that are drawn between the query's and the first parent's value.
_BETWEEN = 0.5
#: Up to so many changes are taken back one by one.
_FEW = 8


def n_draws(d: int) -> int:
    """Random numbers a child of ``d`` columns takes."""
    return 3 + 2 * d


def cross(
    parents: FloatArray, filled: IntArray, home: FloatArray, choices: Choices, uniform: FloatArray
) -> FloatArray:
    """Make c children a query from parents of its fitter half.

    Parameters
    ----------
    parents
        (q, p, d) rows, best first, of which the first ``filled`` (q,) count.
    home
        (q, d) the queries.
    choices
        What the columns may become.
    uniform
        (q, c, n_draws(d)) uniform random numbers: two parents, the home share, then a source and a value
        for each column.

    Returns
    -------
    (q, c, d) children, not yet rounded
    """
    d = parents.shape[2]
    half = np.maximum(1, (filled + 1) // 2)[:, None]
    lines = np.arange(len(parents))[:, None]
    first = parents[lines, (uniform[:, :, 0] * half).astype(np.intp)]
    second = parents[lines, (uniform[:, :, 1] * half).astype(np.intp)]
    own = home[:, None, :]
    second = np.where((uniform[:, :, 2] < _HOME)[:, :, None], own, second)
    source, value = uniform[:, :, 3 : 3 + d], uniform[:, :, 3 + d :]
    if choices.linked:
        source = source[:, :, choices.lead]  # linked columns come from one parent, or mutate together
    children = choices.draw(np.where(source < _FIRST, first, second), source >= _SECOND, value)
    numbers = np.array([codes is None for codes in choices.codes], dtype=np.bool_) & choices.alone
    between = (source >= _SECOND) & (source < _SECOND + _BETWEEN * (1 - _SECOND)) & numbers
    between &= (first != own) & ~np.isnan(first) & ~np.isnan(own)
    return np.where(between, own + value * (first - own), children)


def take_back(
    rows: FloatArray,
    steps: FloatArray,
    home: FloatArray,
    index: IntArray,
    archive: Archive,
    links: Sequence[IntArray] = (),
) -> tuple[FloatArray, BoolArray]:
    """Give each row with its largest change undone that was not undone before.

    A row with many changes first has half of them undone at once, then quarters, and so on: one by one it
    would take as many rounds as it has changes. Linked columns are one change, of the size of all their
    steps.

    Parameters
    ----------
    rows
        (q, k, d).
    steps
        (q, k, d) size of each change, 0 where there is none to take back.
    home, index
        (q, d) and (q,) the queries and their numbers.
    archive
        What was scored before.
    links
        Positions of columns that change together.

    Returns
    -------
    rows, found
        (q, k, d) and (q, k): whether there was such a change.
    """
    q, k, d = rows.shape
    for columns in links:
        steps = steps.copy()
        steps[:, :, columns[0]] = steps[:, :, columns].sum(axis=2)
        steps[:, :, columns[1:]] = 0
    order = np.argsort(-steps, axis=2, kind="stable")
    out, found = rows.copy(), np.zeros((q, k), dtype=np.bool_)
    count = (steps > 0).sum(axis=2)
    line, slot = np.nonzero(count)
    for start, end in _parts(int(count.max(initial=0))):
        if not len(line):
            break
        n = count[line, slot]
        many = n > _FEW
        first = np.where(many, np.floor(start * n), -1).astype(np.int64)
        last = np.where(many, np.floor(end * n), -1).astype(np.int64)
        tried, some = _undone(rows, home, order, line, slot, first, last, links)
        line, slot = _settle(out, found, tried, some, line, slot, index, archive)
    for depth in range(d):
        left = depth < count[line, slot]
        line, slot = line[left], slot[left]
        if not len(line):
            break
        first = np.full(len(line), depth)
        tried, some = _undone(rows, home, order, line, slot, first, first + 1, links)
        line, slot = _settle(out, found, tried, some, line, slot, index, archive)
    return out, found


def _parts(n: int) -> Iterator[tuple[float, float]]:
    """Give halves, quarters, … of the changes, from the largest change on, down to parts of two."""
    pieces = 2
    while n > _FEW and n / pieces >= 2:
        for at in range(pieces):
            yield at / pieces, (at + 1) / pieces
        pieces *= 2


def _undone(
    rows: FloatArray,
    home: FloatArray,
    order: IntArray,
    line: IntArray,
    slot: IntArray,
    first: IntArray,
    last: IntArray,
    links: Sequence[IntArray],
) -> tuple[FloatArray, BoolArray]:
    """Undo the changes from the ``first`` to before the ``last`` largest of each row; say which have any."""
    tried = rows[line, slot]
    width = int((last - first).max(initial=0))
    for step in range(width):
        at = np.flatnonzero(first + step < last)
        column = order[line[at], slot[at], first[at] + step]
        tried[at, column] = home[line[at], column]
        for columns in links:
            whole = at[column == columns[0]]
            tried[whole[:, None], columns] = home[line[whole][:, None], columns]
    return tried, first < last


def _settle(
    out: FloatArray,
    found: BoolArray,
    tried: FloatArray,
    some: BoolArray,
    line: IntArray,
    slot: IntArray,
    index: IntArray,
    archive: Archive,
) -> tuple[IntArray, IntArray]:
    """Note the rows that were not tried before; give the places that still need one."""
    fresh = some.copy()
    fresh[some] = ~archive.knows(row_keys(index[line[some]], tried[some]))
    out[line[fresh], slot[fresh]] = tried[fresh]
    found[line[fresh], slot[fresh]] = True
    return line[~fresh], slot[~fresh]
