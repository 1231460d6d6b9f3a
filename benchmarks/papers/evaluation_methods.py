"""The methods of the comparison, each as an estimator of one table, or the reason why it does not apply."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from evaluation_tasks import Task
from scipy.special import expit
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fairwitness.fair import (
    LFERM,
    AdvDeb,
    CounterfactuallyFairClassifier,
    CounterfactuallyFairRegressor,
    FairC,
    Full,
    InvariantMinimaxClassifier,
    InvariantMinimaxRegressor,
    Unaware,
)
from fairwitness.typing import IntArray

SENSITIVE = ("race", "sex")
#: Method → the published table's name for it; in the order of the page.
METHODS = {
    "full linear": "Full (linear)",
    "full boosting": "Full (boosting)",
    "unaware linear": "Unaware (linear)",
    "unaware boosting": "Unaware (boosting)",
    "level 1": "Counterfactually fair, level 1",
    "level 2": "Counterfactually fair, level 2",
    "level 3": "Counterfactually fair, level 3",
    "AL": "Autoencoder, linear read-out (AL)",
    "GL": "Invariant minimax, linear read-out (GL)",
    "GD": "Invariant minimax, fair head (GD)",
    "AdvDeb": "Adversarial, demographic parity (AdvDeb)",
    "AdvDeb odds": "Adversarial, equalised odds (AdvDeb)",
    "LFERM": "LFERM",
    "FairC": "FairC",
}
#: Rounds of the minimax and epochs of AdvDeb: what ends on two cores.
ROUNDS, EPOCHS = {"law-school": 300, "compas": 300, "adult": 300}, {"compas": 30, "adult": 10}


class NotApplicableError(Exception):
    """A method that does not exist for a table; the message says why."""


@dataclass(frozen=True)
class Judged:
    """What a method says of the test rows."""

    predictions: np.ndarray
    scores: np.ndarray
    seconds: float
    restarts: int
    warnings: tuple[str, ...]


def settings(method: str, task: Task, quick: bool) -> dict[str, Any]:
    """Give what, besides the table and the seed, a result depends on."""
    rounds, epochs = (40, 3) if quick else (ROUNDS[task.key], EPOCHS.get(task.key, 0))
    if method in ("AL", "GL", "GD"):
        return {"rounds": rounds, "invariance": 50 if task.regression else 10}
    return {"epochs": epochs} if method.startswith("AdvDeb") else {}


def run(method: str, task: Task, train: IntArray, test: IntArray, seed: int, quick: bool) -> Judged:
    """Fit a method on the training rows and ask it for the test rows."""
    began = time.process_time()
    model, needs_groups = _model(method, task, seed, settings(method, task, quick))
    X, groups = task.X, task.sensitive
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model.fit(X.iloc[train], task.y[train], **_beside(model, groups.iloc[train], fitting=True))
    asked = _beside(model, groups.iloc[test], fitting=False) if needs_groups else {}
    predictions = np.asarray(model.predict(X.iloc[test], **asked), dtype=float)
    return Judged(
        predictions=predictions,
        scores=predictions if task.regression else _scores(model, X.iloc[test], asked),
        seconds=time.process_time() - began,
        restarts=int(getattr(_last(model), "n_restarts_", 0)),
        warnings=tuple(sorted({str(each.message).splitlines()[0] for each in heard})),
    )


def _beside(model: Any, groups: Any, *, fitting: bool) -> dict[str, Any]:
    if isinstance(model, Pipeline) and fitting:
        return {"model__sensitive_features": groups}
    return {"sensitive_features": groups}


def _last(model: Any) -> Any:
    return model[-1] if isinstance(model, Pipeline) else model


def _scores(model: Any, rows: Any, asked: dict[str, Any]) -> np.ndarray:
    """P(ŷ = 1), or the squashed distance of a model that has no probabilities."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(rows, **asked))[:, 1]
    return np.asarray(expit(model.decision_function(rows, **asked)))


def _model(method: str, task: Task, seed: int, setting: dict[str, Any]) -> tuple[Any, bool]:
    """Give an estimator, and whether it wants the sensitive features to predict."""
    regression = task.regression
    if method.startswith(("full", "unaware")):
        inner = _boosting(task, seed) if method.endswith("boosting") else _linear(task)
        if method.startswith("full"):
            return Full(inner, sensitive=SENSITIVE), True
        # The columns are beside the table, so there is nothing for Unaware to hide.
        return Unaware(inner), False
    if method.startswith("level"):
        level = int(method[-1])
        if level in task.no_level:
            raise NotApplicableError(task.no_level[level])
        kind = CounterfactuallyFairRegressor if regression else CounterfactuallyFairClassifier
        return kind(task.models[level], level=level, discrete="drop"), True
    if method in ("AL", "GL", "GD"):
        kind = InvariantMinimaxRegressor if regression else InvariantMinimaxClassifier
        model = kind(
            readout={"AL": "autoencoder", "GL": "linear", "GD": "head"}[method],
            invariance=float(setting["invariance"]),
            n_rounds=setting["rounds"],
            steps=(2, 4, 4) if regression else (1, 3, 3),
            random_state=seed,
        )
        return Pipeline([("columns", _scaled()), ("model", model)]), False
    if regression:
        raise NotApplicableError("it learns two classes, and the outcome is a number")
    fair = {
        "AdvDeb": lambda: AdvDeb(
            n_epochs=setting["epochs"], batch_size=256, learning_rate=0.003, random_state=seed
        ),
        "AdvDeb odds": lambda: AdvDeb(
            constraint="equalized_odds",
            alpha=1.0,
            n_epochs=setting["epochs"],
            batch_size=256,
            learning_rate=0.003,
            random_state=seed,
        ),
        "LFERM": lambda: LFERM(C=0.01),
        "FairC": lambda: FairC(max_covariance=0.001),
    }[method]()
    return Pipeline([("columns", _scaled()), ("model", fair)]), False


def _linear(task: Task) -> Any:
    model = LinearRegression() if task.regression else LogisticRegression(max_iter=2000)
    return Pipeline([("columns", _scaled()), ("model", model)])


def _boosting(task: Task, seed: int) -> Any:
    kind = HistGradientBoostingRegressor if task.regression else HistGradientBoostingClassifier
    # Shallow trees without early stopping: the law school table has two columns.
    model = kind(max_iter=100, max_leaf_nodes=8, early_stopping=False, random_state=seed)
    return Pipeline([("columns", _scaled()), ("model", model)])


def _scaled() -> ColumnTransformer:
    """Scale numbers, expand text; chosen when fitted, since Full sees more columns than Unaware."""
    return ColumnTransformer(
        [
            ("numbers", StandardScaler(), _numbers),
            ("levels", OneHotEncoder(handle_unknown="ignore", sparse_output=False), _text),
        ]
    )


def _numbers(table: Any) -> list[str]:
    return [str(name) for name in table.select_dtypes("number").columns]


def _text(table: Any) -> list[str]:
    return [str(name) for name in table.select_dtypes(exclude="number").columns]
