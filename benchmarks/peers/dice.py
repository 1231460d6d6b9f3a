"""DiCE on a handful of queries; runs in an environment of its own
(``pip install dice-ml lightgbm pyarrow``).

Reads from the folder named as the first argument: ``input.joblib`` (the table with its ``outcome``,
the queries and the model); writes ``made.joblib`` there, and its user CPU seconds to stdout.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd


def main(folder: Path, method: str, k: int) -> dict[str, object]:
    import dice_ml

    table, queries, judge = joblib.load(folder / "input.joblib")
    numbers = [name for name in queries if pd.api.types.is_numeric_dtype(queries[name])]
    data = dice_ml.Data(dataframe=table, continuous_features=numbers, outcome_name="outcome")
    model = dice_ml.Model(model=judge, backend="sklearn")
    explainer = dice_ml.Dice(data, model, method=method)
    np.random.seed(0)  # noqa: NPY002 - DiCE reads the global state

    made, seconds, failed = [], [], 0
    for at in range(len(queries)):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        rows = None
        try:
            answer = explainer.generate_counterfactuals(
                queries[at : at + 1],
                total_CFs=k,
                desired_class="opposite",
                # its search along one number at a time takes minutes a query here: left out, in its favour
                posthoc_sparsity_param=None,
            )
            rows = answer.cf_examples_list[0].final_cfs_df
        except Exception as error:  # DiCE raises where it finds nothing
            print(f"query {at}: {type(error).__name__}: {error}", file=sys.stderr)
        seconds.append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
        if rows is None or not len(rows):
            failed += 1
            continue
        made.append(rows.drop(columns="outcome").assign(query=at, rank=range(1, len(rows) + 1)))
    if made:
        joint = pd.concat(made, ignore_index=True)
        joint = joint.astype({name: str(queries[name].dtype) for name in queries})
        joblib.dump(joint, folder / "made.joblib")
    return {"cpu_per_query": float(np.mean(seconds)), "queries": len(queries), "failed": failed}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()):  # DiCE prints its progress
        result = main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    print(json.dumps(result))
