"""How new rows come from old ones: crossover and mutation, and taking changes back."""

from __future__ import annotations

from collections.abc import Sequence

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

    Linked columns are one change, of the size of all their steps.

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
    line, slot = np.nonzero(steps.max(axis=2) > 0)
    for depth in range(d):
        column = order[line, slot, depth]
        some = steps[line, slot, column] > 0
        line, slot, column = line[some], slot[some], column[some]
        if not len(line):
            break
        tried = rows[line, slot]
        tried[np.arange(len(line)), column] = home[line, column]
        for columns in links:
            whole = np.flatnonzero(column == columns[0])
            tried[whole[:, None], columns] = home[line[whole][:, None], columns]
        fresh = ~archive.knows(row_keys(index[line], tried))
        out[line[fresh], slot[fresh]] = tried[fresh]
        found[line[fresh], slot[fresh]] = True
        line, slot = line[~fresh], slot[~fresh]
    return out, found
