"""What every adapter gives, and what the readings of raw outputs share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import expit, softmax

from fairwitness.errors import ModelError
from fairwitness.model.judgement import Judgement, ModelInfo
from fairwitness.model.messages import said
from fairwitness.text import plain
from fairwitness.typing import BoolArray, FloatArray, NativeFrame

#: How raw outputs are read; ``"auto"`` lets the adapter decide and say so in ``info.notes``.
Output = Literal["auto", "probability", "logit", "labels"]
Container = Literal["auto", "pandas", "polars", "numpy"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The user's wishes about how answers become decisions.

    Attributes
    ----------
    favorable
        Label of the good outcome.
    threshold
        Score from which a row is accepted; at 0.5 a classifier's own decision is used.
    output
        What numbers a model without scikit-learn's interface returns.
    classes
        The outcomes in the order of the model's columns, for models that do not say.
    container
        The kind of table the model is called with.
    """

    favorable: object = 1
    threshold: float = 0.5
    output: Output = "auto"
    classes: tuple[object, ...] | None = None
    container: Container = "auto"


@dataclass(frozen=True, slots=True)
class Inside:
    """What is behind an adapter, for methods that read a model and do not only ask it.

    Attributes
    ----------
    model
        The user's own object, an estimator or a booster.
    prepare
        Brings a frame of the model's columns, in its order, into what that object is called with.
    """

    model: Any
    prepare: Callable[[NativeFrame], Any]


class Adapter(ABC):
    """One model: ``ask`` for one batch of rows, ``read`` for all answers of one call.

    Reading comes after all batches are in, so that what the answers are taken for can never depend on how
    the rows were cut into batches.
    """

    info: ModelInfo
    #: Whether scores are numbers of any size, as a regressor's, and no probabilities.
    plain_number: bool = False
    #: Rows asked at once where the user does not say.
    batch_size: int = 100_000

    @abstractmethod
    def ask(self, frame: NativeFrame) -> tuple[np.ndarray, ...]:
        """Give one or more arrays, each with one entry a row of ``frame``."""

    def read(self, answers: tuple[np.ndarray, ...]) -> Judgement:
        """Turn the joined answers into decisions and scores (the default takes them as such)."""
        accepted, score = answers
        return Judgement(accepted=accepted.astype(bool), score=score.astype(np.float64))

    def inside(self) -> Inside | None:
        """Show the model itself; ``None`` if it shows its answers only (the default)."""
        return None

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold whatever is needed for the batches of one call (a connection, say)."""
        yield


def class_scores(
    raw: np.ndarray, *, output: Literal["probability", "logit"], classes: Sequence[object], favorable: int
) -> tuple[FloatArray, FloatArray]:
    """Read network-like outputs: (n,), (n, 1) for two classes, or (n, C) for C.

    Returns
    -------
    score
        (n,) probability of the favourable class.
    lead
        (n,) its lead over the best of the others: positive where it is the most probable.
    """
    values = np.asarray(raw, dtype=np.float64)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if output == "probability":
        refuse_outside(values)
    if values.ndim == 1:
        if len(classes) != 2:
            raise ModelError(
                f"the model gives one number a row, which cannot tell {len(classes)} outcomes apart",
                fix="pass classes= with the two outcomes, the one the number stands for last",
            )
        second = expit(values) if output == "logit" else values
        table = np.column_stack([1.0 - second, second])
    elif values.ndim == 2 and values.shape[1] == len(classes):
        table = softmax(values, axis=1) if output == "logit" else values
    else:
        raise ModelError(
            f"the model's answers have a shape that cannot be read with {len(classes)} outcomes",
            got=f"shape {tuple(np.shape(raw))}",
            fix="return (n,), (n, 1) or one column an outcome, or pass classes= in the order of the columns",
        )
    others = np.delete(table, favorable, axis=1).max(axis=1)
    return table[:, favorable], table[:, favorable] - others


def decide(score: FloatArray, lead: FloatArray, *, n_classes: int, threshold: float) -> BoolArray:
    """Turn scores into decisions for models that have no decision of their own.

    ``score >= threshold``; at 0.5 and with more than two outcomes, the favourable one must lead the rest.
    """
    if threshold == 0.5 and n_classes > 2:
        return np.asarray(lead > 0, dtype=bool)
    return np.asarray(score >= threshold, dtype=bool)


def refuse_outside(values: np.ndarray) -> None:
    """Refuse probabilities that are below 0 or above 1 by more than rounding."""
    outside = ((values < -1e-6) | (values > 1 + 1e-6)).reshape(len(values), -1).any(axis=1)
    if outside.any():
        row = int(outside.argmax())
        raise ModelError(
            f"a score is not between 0 and 1, in row {row}",
            got=plain(values[row], most=60),
            fix='return probabilities, or say output="logit" if the model returns log-odds',
        )


def refuse_not_finite(scores: FloatArray) -> None:
    """Refuse a NaN or an infinite score, naming the first row."""
    bad = ~np.isfinite(scores)
    if bad.any():
        row = int(bad.argmax())
        raise ModelError(
            f"the model's score is not a finite number in row {row}",
            got=str(scores[row]),
            fix="look at that row for missing or extreme values, or make the model give a finite score",
        )


def no_answer(name: str, error: Exception, *, fix: str) -> ModelError:
    """Wrap whatever the user's model raised; the original error stays attached as the cause."""
    return ModelError(
        f"the model {plain(name, most=80)} could not judge the rows: {said(error, most=240)}", fix=fix
    )
