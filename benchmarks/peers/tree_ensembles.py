"""treecf on a handful of queries: ``FOLDER K``; see :mod:`served`.

It reads the trees of the pipeline's last step; their inputs are what the steps before make of the columns.
One-hot columns of one feature belong together, and scaled whole numbers keep their steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from served import Answer, serve, split_columns


def prepare(table: pd.DataFrame, model: Any, k: int, more: list[str]) -> Answer:
    import treecf

    X = table.drop(columns="outcome")
    numbers, words = split_columns(X)
    encode, trees = model[:-1], model[-1]
    transformer = encode[0]
    levels = [list(each) for each in transformer.named_transformers_["onehotencoder"].categories_]
    scaler = transformer.named_transformers_["standardscaler"]

    def inputs(frame: pd.DataFrame) -> np.ndarray:
        rows = encode.transform(frame)
        return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)

    # the normalizers of the distance are to be those of the table's columns, whatever the order of its rows
    probe = treecf.Explainer(trees, background=inputs(X))
    names = probe.ir.feature_names
    groups, begin = [], 0
    for each in levels:
        groups.append(tuple(names[begin : begin + len(each)]))
        begin += len(each)
    whole = [at for at, name in enumerate(numbers) if pd.api.types.is_integer_dtype(X[name].dtype)]
    explainer = treecf.Explainer(
        trees,
        background=inputs(X),
        constraints=[treecf.OneHot(group) for group in groups if len(group) > 1],
        value_policy={
            names[begin + at]: treecf.Grid(
                step=1 / scaler.scale_[at], anchor=-scaler.mean_[at] / scaler.scale_[at]
            )
            for at in whole
        },
    )
    kind = type(trees).__name__
    if kind == "RandomForestClassifier":  # its raw score is the probability
        target = treecf.Target.raw(range=(np.nextafter(0.5, 1), 1.0))
    else:
        target = treecf.Target.probability(range=(np.nextafter(0.5, 1), 1.0))

    def named(rows: np.ndarray) -> pd.DataFrame:
        columns: dict[str, Any] = {}
        at = 0
        for name, each in zip(words, levels, strict=True):
            columns[name] = np.array(each, dtype=object)[rows[:, at : at + len(each)].argmax(axis=1)]
            at += len(each)
        values = scaler.inverse_transform(rows[:, at:])
        columns |= {name: values[:, at] for at, name in enumerate(numbers)}
        return pd.DataFrame(columns)[list(X)]

    def answer(query: pd.DataFrame) -> pd.DataFrame | None:
        row = inputs(query)
        if k == 1:
            found = explainer.explain(row[0], target=target, seed=0)
            rows = [found.x_cf] if isinstance(found, treecf.Counterfactual) else []
        else:
            batch = explainer.explain_batch(row, target, n_per_example=k, seed=0)
            rows = [record.x_cf for record in batch if record.feasible]
        return named(np.array(rows)) if rows else None

    return answer


if __name__ == "__main__":
    serve(prepare)
