"""DiCE on a handful of queries: ``FOLDER K METHOD``; see :mod:`served`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from served import Answer, serve, split_columns


def prepare(table: pd.DataFrame, model: Any, k: int, more: list[str]) -> Answer:
    import dice_ml

    numbers, _ = split_columns(table.drop(columns="outcome"))
    data = dice_ml.Data(dataframe=table, continuous_features=numbers, outcome_name="outcome")
    explainer = dice_ml.Dice(data, dice_ml.Model(model=model, backend="sklearn"), method=more[0])
    np.random.seed(0)  # noqa: NPY002 - DiCE reads the global state

    def answer(query: pd.DataFrame) -> pd.DataFrame | None:
        found = explainer.generate_counterfactuals(
            query,
            total_CFs=k,
            desired_class="opposite",
            # its search along one number at a time takes minutes a query here: left out, in its favour
            posthoc_sparsity_param=None,
        )
        return found.cf_examples_list[0].final_cfs_df

    return answer


if __name__ == "__main__":
    serve(prepare)
