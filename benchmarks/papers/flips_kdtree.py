"""The k-d tree of DiCE as it measures: rows that exist, nearest in unscaled numbers.

DiCE builds its tree on ``pandas.get_dummies`` of the table, numbers as they are. One dollar of capital gain,
or one unit of a census weight, counts as much as another occupation, so that the widest column decides.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from flips_tasks import Split
from scipy.spatial.distance import cdist

from fairwitness.counterfactuals import CounterfactualSet
from fairwitness.model.judgement import Judgement
from fairwitness.typing import FloatArray, IntArray


def unscaled_neighbors(
    split: Split, judgement: Judgement, rows: IntArray, like: CounterfactualSet, k: int
) -> CounterfactualSet:
    """Give what DiCE's k-d tree gives: the 10·k nearest by unscaled numbers and 0/1 levels, then its order.

    Its order is min–max scaled distance plus min–max scaled number of changed columns; rows of equal
    content count once. ``like``: any set for the same rows, whose encoding is kept.
    """
    pool = np.flatnonzero(judgement.accepted)
    everything = np.asarray(pd.get_dummies(split.X), dtype=np.float64)
    cells = np.column_stack([pd.factorize(split.X[name])[0] for name in split.X.columns])
    _, twin = np.unique(cells[pool], axis=0, return_inverse=True)
    query, source, far = [], [], []
    for at in range(0, len(rows), 256):
        block = rows[at : at + 256]
        distance = cdist(everything[block], everything[pool])
        near = np.argsort(distance, axis=1, kind="stable")[:, : 10 * k]
        for line, row in enumerate(block):
            chosen = _in_order(
                distance[line, near[line]], (cells[pool[near[line]]] != cells[row]).sum(axis=1)
            )
            places = _first_of_each(near[line][chosen], twin.reshape(-1))[:k]
            query.append(np.full(len(places), at + line))
            source.append(pool[places])
            far.append(distance[line, places])
    queries, sources = np.concatenate(query), np.concatenate(source)
    return replace(
        like,
        generator="kdtree",
        settings={"distance": "unscaled"},
        k=k,
        query=queries,
        rank=np.concatenate([np.arange(1, len(each) + 1) for each in query]),
        rows=like.encoder.encode(split.X.iloc[sources]),
        distance=np.concatenate(far),
        score=judgement.score[sources],
        source=sources,
        status=tuple("found" if len(each) == k else "short" for each in query),
    )


def _in_order(distance: FloatArray, changed: IntArray) -> IntArray:
    return np.argsort(_scaled(distance) + _scaled(changed.astype(np.float64)), kind="stable")


def _scaled(values: FloatArray) -> FloatArray:
    width = values.max() - values.min()
    return (values - values.min()) / width if width > 0 else np.zeros_like(values)


def _first_of_each(places: IntArray, twin: IntArray) -> IntArray:
    _, first = np.unique(twin[places], return_index=True)
    return places[np.sort(first)]
