from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from fairwitness.counterfactuals import CounterfactualSet
from fairwitness.table import Encoder, Groups


class ByRule:
    """A classifier that needs no fit: the probability of the second class is a function of the frame."""

    def __init__(self, rule: Callable[[pd.DataFrame], np.ndarray], classes: Sequence[object], columns=None):
        self.rule = rule
        self.classes_ = np.array(classes, dtype=object)
        if columns is not None:
            self.feature_names_in_ = np.array(columns, dtype=object)

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        p = np.asarray(self.rule(X), dtype=float)
        return np.stack([1 - p, p], axis=1)


@pytest.fixture(scope="session")
def by_rule() -> type[ByRule]:
    return ByRule


def _set_of(
    table: pd.DataFrame,
    queries: pd.DataFrame,
    found: Sequence[pd.DataFrame],
    *,
    k: int | None = None,
    score: Sequence[float] | None = None,
    query_score: Sequence[float] | None = None,
    schema=None,
) -> CounterfactualSet:
    """A set by hand: one frame of counterfactuals a query, in rank order."""
    encoder = Encoder.fit(table, schema)
    counts = [len(frame) for frame in found]
    k = max(counts, default=1) if k is None else k
    rows = pd.concat(found) if sum(counts) else table.iloc[:0]
    encoded = encoder.encode(rows)
    known = {row.tobytes(): at for at, row in reversed(list(enumerate(encoder.encode(table))))}
    q = encoder.encode(queries)
    return CounterfactualSet(
        encoder=encoder,
        queries=q,
        query_score=np.full(len(q), np.nan) if query_score is None else np.asarray(query_score, float),
        k=k,
        query=np.repeat(np.arange(len(counts)), counts),
        rank=np.concatenate([np.arange(1, n + 1) for n in counts] or [np.empty(0, int)]),
        rows=encoded,
        distance=np.zeros(len(encoded)),
        score=np.full(len(encoded), np.nan) if score is None else np.asarray(score, float),
        source=np.array([known.get(row.tobytes(), -1) for row in encoded], dtype=int),
        status=tuple("found" if n == k else "short" if n else "none" for n in counts),
        generator="by hand",
        settings={},
    )


@pytest.fixture(scope="session")
def set_of() -> Callable[..., CounterfactualSet]:
    return _set_of


@pytest.fixture(scope="session")
def groups_of() -> Callable[..., Groups]:
    def make(values: Sequence[object], *, privileged: str, name: str = "sex") -> Groups:
        labels = tuple(sorted({str(value) for value in values if value is not None}))
        codes = np.array([-1 if value is None else labels.index(str(value)) for value in values])
        return Groups(
            name=name, labels=labels, codes=codes, privileged=labels.index(privileged), parts=(name,)
        )

    return make
