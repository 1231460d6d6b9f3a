"""Folds that depend on what a row holds and on the seed, never on where the row stands."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from fairwitness.arguments import whole_number
from fairwitness.errors import DataError
from fairwitness.typing import IntArray


def assign_folds(keys: NDArray[np.str_], codes: IntArray, *, n_folds: int, seed: int) -> IntArray:
    """Give every row a fold: equal rows share one, classes are spread evenly, row order is irrelevant.

    Distinct contents are taken class by class (a content's class is the most frequent one among its
    rows), the most repeated first and equally repeated ones in an order drawn by the seed; each goes to
    the fold that has the fewest rows of its class so far.

    Parameters
    ----------
    keys
        (n,) keys of the rows' content, from :func:`fairwitness.table.row_keys`.
    codes
        (n,) class of each row, 0, 1, ...
    n_folds
        Number of folds, at least 2.
    seed
        Draws the order.

    Returns
    -------
    (n,) fold of each row, 0 to ``n_folds - 1``.

    Raises
    ------
    ConfigError
        If ``n_folds`` is below 2.
    DataError
        If there are fewer distinct rows than folds.
    """
    n_folds = whole_number(n_folds, "the number of folds", least=2, fix="pass cv=2 or more")
    distinct, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    if len(distinct) < n_folds:
        raise DataError(
            f"the table has {len(distinct)} distinct rows, fewer than the {n_folds} folds",
            fix="pass more rows or a smaller cv",
        )
    n_classes = int(codes.max()) + 1
    votes = np.bincount(inverse * n_classes + codes, minlength=len(distinct) * n_classes)
    kind = votes.reshape(len(distinct), n_classes).argmax(axis=1)
    drawn = [hashlib.sha256(f"{seed}:{key}".encode()).digest() for key in distinct.tolist()]
    order = sorted(range(len(distinct)), key=lambda at: (kind[at], -counts[at], drawn[at]))

    fold_of_content = np.zeros(len(distinct), dtype=np.int64)
    everyone = [0] * n_folds
    same_class = [0] * n_folds
    current = -1
    for at in order:
        if kind[at] != current:
            current, same_class = int(kind[at]), [0] * n_folds
        fold = min(range(n_folds), key=lambda f: (same_class[f], everyone[f], f))
        size = int(counts[at])
        same_class[fold] += size
        everyone[fold] += size
        fold_of_content[at] = fold
    return fold_of_content[inverse]
