"""Change one thing at a time, with neighbours: which of them brings the published figures back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from flips_cells import Asked, Searched, make_generator, measure, search, summary
from flips_models import weight_key
from flips_tasks import Split
from scipy.spatial.distance import cdist
from sklearn.base import clone

from fairwitness.flips.inference import people_proba
from fairwitness.model import SensitiveFeatureClassifier
from fairwitness.rng import child_seed
from fairwitness.typing import FloatArray, IntArray

#: Variant → what is different from the run itself.
VARIANTS = {
    "as run": "the run itself",
    "DiCE's order": 'rank="dice": of our 1,000 nearest, by distance and number of changed columns',
    "DiCE's distance": "the 1,000 nearest by raw, unscaled numbers, then in DiCE's order",
    "f_s out of sample": "f_s cross-fitted: rows it was trained on are judged by a fold that left them out",
    "f_s without weights": "f_s trained on the groups as they are, not weighted to equal size",
}


def run_variants(
    split: Split,
    decision_makers: Mapping[str, Any],
    classifier: Any,
    *,
    seed: int,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Give variant → decision maker → summary (neighbours, one f_s)."""
    asked = Asked("neighbors", n_resamples=1)
    plain = _without_weights(split, classifier)
    crossed = SensitiveFeatureClassifier(
        clone(classifier), random_state=child_seed(seed, "papers", "cross"), n_jobs=1
    ).fit(split.X, split.group_labels(np.arange(len(split.X))))
    proba = {
        name: people_proba(each, split.X)
        for name, each in (("f_s", classifier), ("plain", plain), ("crossed", crossed))
    }

    def flips(searched: Searched, f_s: Any, known: str) -> dict[str, Any]:
        bare = replace(searched, random=None)
        return summary(split, measure(split, bare, f_s, asked, known=proba[known], seed=seed), asked.k)

    out: dict[str, Any] = {name: {} for name in VARIANTS}
    for model, estimator in decision_makers.items():
        say(f"{split.task.key} {model}: variants")
        ours = search(split, estimator, asked, seed=seed)
        ranked = search(
            split, estimator, asked, seed=seed, generator=make_generator("neighbors", seed=seed, rank="dice")
        )
        raw = replace(ours, found=raw_neighbors(split, ours, asked.k))
        out["as run"][model] = flips(ours, classifier, "f_s")
        out["DiCE's order"][model] = flips(ranked, classifier, "f_s")
        out["DiCE's distance"][model] = flips(raw, classifier, "f_s")
        out["f_s out of sample"][model] = flips(ours, crossed, "crossed")
        out["f_s without weights"][model] = flips(ours, plain, "plain")
    return out


def raw_neighbors(split: Split, searched: Searched, k: int) -> Any:
    """Give what DiCE's k-d tree gives: the 10·k nearest by unscaled numbers and 0/1 levels, then its order.

    Its order is min–max scaled distance plus min–max scaled number of changed columns; rows of equal
    content count once.
    """
    pool = np.flatnonzero(searched.judgement.accepted)
    everything = np.asarray(pd.get_dummies(split.X), dtype=np.float64)
    cells = np.column_stack([pd.factorize(split.X[name])[0] for name in split.X.columns])
    _, twin = np.unique(cells[pool], axis=0, return_inverse=True)
    query, source, far = [], [], []
    for at in range(0, len(searched.rows), 256):
        rows = searched.rows[at : at + 256]
        distance = cdist(everything[rows], everything[pool])
        near = np.argsort(distance, axis=1, kind="stable")[:, : 10 * k]
        for line, row in enumerate(rows):
            chosen = _in_order(
                distance[line, near[line]], (cells[pool[near[line]]] != cells[row]).sum(axis=1)
            )
            places = _first_of_each(near[line][chosen], twin.reshape(-1))[:k]
            query.append(np.full(len(places), at + line))
            source.append(pool[places])
            far.append(distance[line, places])
    queries, sources = np.concatenate(query), np.concatenate(source)
    found = searched.found
    return replace(
        found,
        query=queries,
        rank=np.concatenate([np.arange(1, len(each) + 1) for each in query]),
        rows=found.encoder.encode(split.X.iloc[sources]),
        distance=np.concatenate(far),
        score=searched.judgement.score[sources],
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


def _without_weights(split: Split, classifier: Any) -> Any:
    """Give f_s trained again with its groups as they are."""
    unfitted = clone(classifier)
    unfitted.set_params(**{weight_key(unfitted): 1.0})
    return unfitted.fit(split.X.iloc[split.train], split.group_labels(split.train))
