"""What all peers have in common: read the question, time every query, write the answers.

Runs in the peer's own environment. Reads from the folder named as the first argument: ``input.joblib`` (the
table with its ``outcome``, the queries and the model); writes ``made.joblib`` there, and the user CPU seconds
a query to stdout.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

#: A row → its counterfactuals, in the columns of the table; ``None`` if there are none.
Answer = Callable[[pd.DataFrame], pd.DataFrame | None]


def serve(prepare: Callable[[pd.DataFrame, Any, int, list[str]], Answer]) -> None:
    """Answer what the command line asks: ``FOLDER K [more, for the peer]``.

    ``prepare`` gets the table, the model, k and what more there is; its time does not count: it is a fit.
    """
    warnings.simplefilter("ignore")
    folder, k, more = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    table, queries, model = joblib.load(folder / "input.joblib")
    with contextlib.redirect_stdout(io.StringIO()):  # some print their progress
        result = _answers(folder, prepare(table, model, k, more), queries)
    print(json.dumps(result))


def _answers(folder: Path, answer: Answer, queries: pd.DataFrame) -> dict[str, object]:
    made, seconds, failed = [], [], 0
    for at in range(len(queries)):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        rows = None
        try:
            rows = answer(queries[at : at + 1])
        except Exception as error:  # DiCE raises where it finds nothing
            print(f"query {at}: {type(error).__name__}: {error}", file=sys.stderr)
        seconds.append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
        if rows is None or not len(rows):
            failed += 1
            continue
        made.append(rows[list(queries)].assign(query=at, rank=range(1, len(rows) + 1)))
    if made:
        joint = pd.concat(made, ignore_index=True)
        for name in queries:
            if pd.api.types.is_integer_dtype(queries[name].dtype):
                joint[name] = joint[name].astype(float).round()
        joint = joint.astype({name: str(queries[name].dtype) for name in queries})
        joblib.dump(joint, folder / "made.joblib")
    return {"cpu_per_query": float(np.mean(seconds)), "queries": len(queries), "failed": failed}


def split_columns(frame: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Give the columns of numbers, and those of words."""
    numbers = [name for name in frame if pd.api.types.is_numeric_dtype(frame[name])]
    return numbers, [name for name in frame if name not in numbers]
