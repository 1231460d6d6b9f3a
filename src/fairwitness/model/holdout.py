"""Training and test rows that depend on what a row holds and on the seed, never on where the row stands."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from fairwitness.arguments import real_number
from fairwitness.errors import DataError
from fairwitness.typing import IntArray


def holdout(
    keys: NDArray[np.str_], strata: IntArray, *, test_size: float, seed: int
) -> tuple[IntArray, IntArray]:
    """Split rows in two; equal rows stay together, so that no test row was seen in training.

    Distinct contents of each stratum (a content's is the most frequent one among its rows) are put into an
    order drawn by the seed, and go to the test part until it has its share of the stratum's rows.

    Parameters
    ----------
    keys
        (n,) keys of the rows' content, from :func:`fairwitness.table.row_keys`.
    strata
        (n,) 0, 1, ...: what is to have the same share in both parts, such as the outcome.
    test_size
        Share of the test rows, strictly between 0 and 1.
    seed
        Draws the order.

    Returns
    -------
    Positions of the training rows and of the test rows, both ascending.

    Raises
    ------
    ConfigError
        If ``test_size`` is not between 0 and 1.
    DataError
        If one of the two parts would be empty.
    """
    share = real_number(test_size, "test_size", above=0, below=1, fix="pass for example test_size=0.2")
    distinct, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    n_strata = int(strata.max(initial=0)) + 1
    votes = np.bincount(inverse * n_strata + strata, minlength=len(distinct) * n_strata)
    kind = votes.reshape(len(distinct), n_strata).argmax(axis=1)
    drawn = np.array([hashlib.sha256(f"{seed}:{key}".encode()).hexdigest() for key in distinct.tolist()])
    order = np.lexsort((drawn, kind))
    tested = np.zeros(len(distinct), dtype=bool)
    for each in range(n_strata):
        mine = order[kind[order] == each]
        before = np.cumsum(counts[mine]) - counts[mine]
        # A content goes where most of it belongs: half a row more or less, however often it occurs.
        tested[mine] = before + counts[mine] / 2 <= share * counts[mine].sum()
    rows = tested[inverse]
    train, test = np.flatnonzero(~rows), np.flatnonzero(rows)
    if not len(train) or not len(test):
        raise DataError(
            f"the table has {len(distinct):,} distinct rows, too few to hold out a share of {share:g}",
            fix="pass more rows, or another test_size",
        )
    return train, test
