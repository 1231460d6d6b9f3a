"""Adult and COMPAS as Algaba et al. split them, and the black boxes whose canonical sets are made.

The rows are those of the authors' repository: Adult's own test split without incomplete rows, and of the
filtered COMPAS table the fifth that scikit-learn draws with seed 1234. All of their base rates come back
with them. The black boxes are two: what their program trains (a softmax on a linear layer), and what
the paper describes (a network with ReLU layers, its size chosen on validation rows).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from fairwitness.datasets import load_adult, load_compas
from fairwitness.typing import BoolArray, FloatArray, IntArray

#: The seed of the authors' splits.
SPLIT = 1234
PROTECTED = ("sex", "race")
#: What the paper says of the networks is that size was chosen on validation rows; these are tried.
SIZES = ((16,), (64,), (64, 32))
KINDS = {
    "linear": "the linear layer of the authors' program",
    "network": "a network with ReLU layers, as in the paper's text",
}


@dataclass(frozen=True, eq=False)
class Task:
    """One table in its three parts.

    Attributes
    ----------
    key, title
        Names.
    X
        All columns, the protected ones among them.
    y
        (n,) whether the outcome is the favourable one.
    train, validation, test
        Row numbers.
    shown
        The columns of the paper's figures.
    listed
        Those of its Table 1, which are compared level by level here.
    crossed, fixed
        The columns of its Figure 4, and what is fixed there besides.
    favourable, accuracy
        What the outcome is, and the accuracy in print.
    """

    key: str
    title: str
    X: pd.DataFrame
    y: BoolArray
    train: IntArray
    validation: IntArray
    test: IntArray
    shown: tuple[str, ...]
    listed: tuple[str, ...]
    fixed: tuple[str, str]
    favourable: str
    accuracy: float

    def rows(self, part: IntArray, *, blind: bool = False) -> pd.DataFrame:
        """Give some rows; ``blind``: without the protected columns."""
        frame = self.X.drop(columns=list(PROTECTED)) if blind else self.X
        return frame.iloc[part].reset_index(drop=True)

    def smaller(self, share: float) -> Task:
        """Keep the first part of every part, for the quick form."""
        cut = {name: getattr(self, name) for name in ("train", "validation", "test")}
        return replace(self, **{name: rows[: int(share * len(rows))] for name, rows in cut.items()})


def adult(folder: Path) -> Task:
    data = load_adult(folder, sensitive=PROTECTED)
    assert data.beside is not None
    X = pd.concat([data.X, data.sensitive], axis=1).reset_index(drop=True)
    at = np.arange(len(X))
    held = (data.beside["split"] == "test").to_numpy()
    train, validation = train_test_split(at[~held], test_size=0.2, random_state=SPLIT)
    listed = ("sex", "race", "relationship", "marital-status")
    return Task(
        key="adult",
        title="Adult",
        X=X,
        y=np.asarray(data.favored, dtype=np.bool_),
        train=train,
        validation=validation,
        test=at[held],
        shown=(*listed, "age", "education-num", "hours-per-week"),
        listed=listed,
        fixed=("marital-status", "Married-civ-spouse"),
        favourable="an income above 50K",
        accuracy=0.839,
    )


def compas(folder: Path) -> Task:
    data = load_compas(folder)
    assert data.beside is not None
    parts = [data.X[["c_charge_degree", "priors_count"]], data.beside[["age_cat"]], data.sensitive]
    X = pd.concat(parts, axis=1).reset_index(drop=True)
    rest, test = train_test_split(np.arange(len(X)), test_size=0.2, random_state=SPLIT)
    train, validation = train_test_split(rest, test_size=0.2, random_state=SPLIT)
    return Task(
        key="compas",
        title="COMPAS",
        X=X,
        y=np.asarray(data.favored, dtype=np.bool_),
        train=train,
        validation=validation,
        test=test,
        shown=("sex", "race", "age_cat", "priors_count"),
        listed=("sex", "race"),
        fixed=("age_cat", "Greater than 45"),
        favourable="no new charge in two years",
        accuracy=0.640,
    )


TASKS: Mapping[str, Callable[[Path], Task]] = {"adult": adult, "compas": compas}


@dataclass(frozen=True, eq=False)
class BlackBox:
    """A trained model.

    Attributes
    ----------
    kind, blind
        Which one, and whether it was trained without the protected columns.
    pipeline
        Preprocessing and model.
    accuracy
        On the test rows.
    size
        Units of the hidden layers.
    """

    kind: str
    blind: bool
    pipeline: Pipeline
    accuracy: float
    size: tuple[int, ...]

    def scores(self, X: pd.DataFrame) -> FloatArray:
        """Give the (n,) probabilities of the favourable outcome; columns it does not know are ignored."""
        inputs = X.drop(columns=list(PROTECTED), errors="ignore") if self.blind else X
        return np.asarray(self.pipeline.predict_proba(inputs)[:, 1])


def black_box(task: Task, kind: str, *, blind: bool) -> BlackBox:
    """Train a model on the training rows, with or without the protected columns."""
    X, y = task.rows(task.train, blind=blind), task.y[task.train]
    if kind == "linear":
        tried = [LogisticRegression(C=10.0, max_iter=3000)]
    else:
        tried = [
            MLPClassifier(
                size, batch_size=500, early_stopping=True, n_iter_no_change=5, max_iter=30, random_state=0
            )
            for size in SIZES
        ]
    validation = task.rows(task.validation, blind=blind), task.y[task.validation]
    fitted = []
    for model in tried:
        pipeline = make_pipeline(_prepared(X), model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted.append(pipeline.fit(X, y))
    best = max(fitted, key=lambda pipeline: accuracy_score(validation[1], pipeline.predict(validation[0])))
    test = task.rows(task.test, blind=blind)
    return BlackBox(
        kind,
        blind,
        best,
        float(accuracy_score(task.y[task.test], best.predict(test))),
        tuple(getattr(best[-1], "hidden_layer_sizes", ())),
    )


def _prepared(X: pd.DataFrame) -> Any:
    """Scale numbers to -1 to 1 and give every level a column, as published."""
    return make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32),
            make_column_selector(dtype_exclude="number"),
        ),
        (MinMaxScaler((-1, 1)), make_column_selector(dtype_include="number")),
        verbose_feature_names_out=False,
    )


@dataclass(frozen=True, eq=False)
class Module:
    """A black box as a torch module, for LUCID.

    Attributes
    ----------
    module
        From (n, d) inputs to (n, 1) logits.
    inputs
        The test rows as it takes them.
    one_hot
        Column → names of the inputs that are its levels.
    """

    module: Any
    inputs: pd.DataFrame
    one_hot: Mapping[str, Sequence[str]]


def as_module(task: Task, box: BlackBox) -> Module:
    """Write a trained pipeline as a torch module, weight by weight; the scaling goes into the first layer."""
    import torch

    prepared, model = box.pipeline[0], box.pipeline[-1]
    if box.kind == "linear":
        layers = [(model.coef_.T, model.intercept_)]
    else:
        layers = list(zip(model.coefs_, model.intercepts_, strict=True))
    (_, encoder, levels), (_, scaler, numbers) = prepared.transformers_[:2]
    names = list(prepared.get_feature_names_out())
    slope, shift = np.ones(len(names)), np.zeros(len(names))
    at = [names.index(name) for name in numbers]
    slope[at], shift[at] = scaler.scale_, scaler.min_
    weight, bias = layers[0]
    layers[0] = weight * slope[:, None], bias + shift @ weight
    parts: list[Any] = []
    for weight, bias in layers:
        layer = torch.nn.utils.skip_init(torch.nn.Linear, *weight.shape)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(np.ascontiguousarray(weight.T)).float())
            layer.bias.copy_(torch.from_numpy(np.asarray(bias)).float())
        parts += [layer, torch.nn.ReLU()]
    rows = task.rows(task.test, blind=box.blind)
    # a level that no training row has is none of the module's inputs
    known = np.logical_and.reduce(
        [rows[name].isin(there) for name, there in zip(levels, encoder.categories_, strict=True)]
    )
    rows = rows[known].reset_index(drop=True)
    inputs = pd.DataFrame(prepared.transform(rows), columns=names)
    inputs[list(numbers)] = rows[list(numbers)].astype(float)
    one_hot = {
        name: [f"{name}_{level}" for level in there]
        for name, there in zip(levels, encoder.categories_, strict=True)
    }
    return Module(torch.nn.Sequential(*parts[:-1]), inputs, one_hot)
