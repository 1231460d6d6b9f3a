"""In which order were the parents of Adult's tables mixed up? All orders are tried against the print."""

from __future__ import annotations

import itertools

import numpy as np
from bounds_tables import ADULT, Reference, conditional, counts

#: Axes of the tables in the order of the graph.
WORK = ("age", "education", "marital-status")
HOURS = ("age", "sex", "education", "marital-status", "workclass")
INCOME = (*HOURS, "hours")


def distances(reference: Reference) -> np.ndarray:
    """For every order of the three tables' parents, the largest distance to the 16 printed bounds of [14].

    Sorted, so that the first is the best order's.
    """
    cells = counts(reference, "oversampled")
    printed = np.array(
        [
            [float(row["previous_lb"]), float(row["previous_ub"])]
            for row in reference.printed("pc_table4_adult_bounds.csv")
        ]
    )
    work = np.stack([_both(t) for t in _orders(conditional(cells, "workclass", WORK)[..., 1])])
    found = []
    incomes = list(_orders(conditional(cells, "income", INCOME)[..., 1]))
    for hours in _orders(conditional(cells, "hours", HOURS)[..., 1]):
        weights = _both(hours)
        for income in incomes:
            kept = (weights * income).sum(axis=-1)  # age, sex, education, married, workclass
            chance = np.einsum("kaemw,asemw->kaems", work, kept)
            known, moved = chance[..., 0], chance[..., 1]
            for end, column in ((np.min, 0), (np.max, 1)):
                gap = end(moved, axis=-1, keepdims=True) - known
                found.append(np.abs(gap.reshape(len(work), 8) - printed[:, column]).max(axis=1))
    pairs = np.array(found).reshape(-1, 2, len(work))
    return np.sort(pairs.max(axis=1).ravel())


def _orders(table: np.ndarray) -> list[np.ndarray]:
    return [np.transpose(table, order) for order in itertools.permutations(range(table.ndim))]


def _both(chance: np.ndarray) -> np.ndarray:
    return np.stack([1 - chance, chance], axis=-1)


assert set(INCOME) == set(ADULT["income"])
