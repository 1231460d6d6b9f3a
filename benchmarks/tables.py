"""The tables and the models that the benchmarks of counterfactuals use."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

LABEL, GOOD = "income", ">50K"
MODELS = ("lr", "dt", "rf", "lightgbm", "xgboost", "mlp")


def folder() -> Path:
    """Give the folder FAIRWITNESS_DATA, or the one beside the project."""
    return Path(os.environ.get("FAIRWITNESS_DATA", Path(__file__).parents[2] / "shared" / "data"))


def load(name: str, path: str | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """Give the inputs of ``"adult"`` or ``"german"``, and who has the good outcome (1)."""
    if name == "german":
        from fairwitness.datasets import load_german

        german = load_german(folder())
        return german.X, (german.y == "good").astype(int)
    return load_adult(Path(path) if path else folder() / "adult.csv.gz")


def load_adult(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Give the 13 inputs of the 45,222 complete rows, and whether income is above 50K (1)."""
    if not path.is_file():
        raise SystemExit(f"there is no {path}: pass the path of adult.csv.gz, or set FAIRWITNESS_DATA")
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
    if kind == "xgboost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=100, n_jobs=1, random_state=0)
    if kind == "lr":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)
    if kind == "dt":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=8, random_state=0)
    if kind == "rf":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(200, max_depth=20, n_jobs=1, random_state=0)
    if kind == "mlp":
        from sklearn.neural_network import MLPClassifier

        return MLPClassifier((32, 64), max_iter=20, early_stopping=True, random_state=0)
    raise SystemExit(f"no such model: {kind}; there are {', '.join(MODELS)}")


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
