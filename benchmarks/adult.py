"""The Adult table and a model on it, as the benchmarks of counterfactuals use them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

LABEL, GOOD = "income", ">50K"


def find_table(given: str | None) -> Path:
    """Give the path of adult.csv.gz: as given, in the folder FAIRWITNESS_DATA, or beside the project."""
    folder = os.environ.get("FAIRWITNESS_DATA", Path(__file__).parents[2] / "shared" / "data")
    path = Path(given) if given else Path(folder) / "adult.csv.gz"
    if not path.is_file():
        raise SystemExit(f"there is no {path}: pass the path of adult.csv.gz, or set FAIRWITNESS_DATA")
    return path


def load(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Give the 13 inputs of the 45,222 complete rows, and whether income is above 50K (1)."""
    frame = pd.read_csv(path)
    frame = frame[~(frame == "?").any(axis=1)].reset_index(drop=True)
    return frame.drop(columns=[LABEL, "split", "sex"]), (frame[LABEL] == GOOD).astype(int)


def train(kind: str, X: pd.DataFrame, y: pd.Series) -> Any:
    """Train a pipeline that takes the frame with its text columns."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    words = list(X.select_dtypes(exclude="number"))
    numbers = [name for name in X if name not in words]
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), words), (StandardScaler(), numbers)
    )
    return make_pipeline(columns, _estimator(kind)).fit(X, y)


def _estimator(kind: str) -> Any:
    if kind == "lightgbm":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1, random_state=0)
    if kind == "lr":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)
    if kind == "rf":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(200, max_depth=20, n_jobs=1, random_state=0)
    if kind == "mlp":
        from sklearn.neural_network import MLPClassifier

        return MLPClassifier((32, 64), max_iter=20, early_stopping=True, random_state=0)
    raise SystemExit(f"no such model: {kind}")


def timed(function: Callable[[], Any]) -> tuple[Any, float, float]:
    """Call a function; give its result, user CPU seconds of this process, and wall seconds."""
    import resource

    wall, cpu = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
    result = function()
    return (
        result,
        resource.getrusage(resource.RUSAGE_SELF).ru_utime - cpu,
        time.perf_counter() - wall,
    )
