"""NICE (package NICEx) on a handful of queries: ``FOLDER 1``; see :mod:`served`.

It gives one counterfactual a query. Of its three variants the one that looks for a small distance is asked,
in its favour: distance is what the benchmark compares.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from served import Answer, serve, split_columns


def prepare(table: pd.DataFrame, model: Any, k: int, more: list[str]) -> Answer:
    from nice import NICE

    X, y = table.drop(columns="outcome"), table["outcome"].to_numpy()
    numbers, words = split_columns(X)
    levels = {name: sorted(X[name].unique()) for name in words}

    def coded(frame: pd.DataFrame) -> np.ndarray:
        out = np.empty(frame.shape)
        for at, name in enumerate(X):
            values = frame[name]
            out[:, at] = values if name in numbers else [levels[name].index(each) for each in values]
        return out

    def named(rows: np.ndarray) -> pd.DataFrame:
        columns = {
            name: rows[:, at] if name in numbers else np.array(levels[name])[rows[:, at].astype(int)]
            for at, name in enumerate(X)
        }
        frame = pd.DataFrame(columns, columns=list(X))
        return frame.astype({name: X[name].dtype for name in X})

    explainer = NICE(
        predict_fn=lambda rows: model.predict_proba(named(rows)),
        X_train=coded(X),
        cat_feat=[at for at, name in enumerate(X) if name in words],
        y_train=y,
        optimization="proximity",
    )
    return lambda query: named(explainer.explain(coded(query)))


if __name__ == "__main__":
    serve(prepare)
