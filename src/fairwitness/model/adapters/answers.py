"""Answers that do not say what they are: scores of the favourable outcome, or labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairwitness.errors import ModelError
from fairwitness.model.adapters.base import Output, refuse_not_finite, refuse_outside
from fairwitness.model.judgement import Judgement
from fairwitness.model.labels import as_labels, is_label, own
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray


def is_scores(answers: np.ndarray, *, favorable: object, output: Output) -> bool:
    """Say whether answers are scores (else labels).

    ``output`` decides where it is given. Otherwise booleans, text and whole numbers are labels; floats are
    scores, unless the favourable label is a number and all of them are that label or 0, 1 or -1.
    """
    if output == "labels":
        return False
    if output in ("probability", "logit"):
        return True
    numeric = isinstance(own(favorable), int | float)
    if answers.dtype.kind == "f":
        if not numeric:
            return True
        whole = is_label(answers, favorable) | np.isin(answers, (0.0, 1.0, -1.0))
        return not bool(whole.all())
    if answers.dtype.kind == "O" and all(isinstance(value, float) for value in answers):
        return is_scores(answers.astype(np.float64), favorable=favorable, output=output)
    return False


def read_answers(
    answers: np.ndarray,
    *,
    favorable: object,
    threshold: float,
    scores: bool,
    classes: Sequence[object] | None,
) -> Judgement:
    """Turn one-dimensional answers into decisions; labels give no score.

    Raises
    ------
    ModelError
        If a score is not finite or not in [0, 1], a label is missing, or the labels cannot be what the
        favourable one is.
    """
    if scores:
        numbers = as_numbers(answers)
        refuse_not_finite(numbers)
        refuse_outside(numbers)
        return Judgement(accepted=numbers >= threshold, score=numbers)
    if threshold != 0.5:
        raise ModelError(
            "the answers are labels, so no threshold can be set",
            got=f"threshold={threshold:g}",
            fix='leave threshold at 0.5, or return scores and say output="probability"',
        )
    accepted = is_label(answers, favorable)
    strange = _strange(answers, favorable, classes)
    if strange is not None:
        raise strange
    return Judgement(accepted=accepted, score=np.full(len(answers), np.nan))


def one_dimensional(raw: object, *, rows: int) -> np.ndarray:
    """Bring (n,), (n, 1) or (n, 2) answers into (n,); of two columns the second is the score."""
    answers = as_labels(raw)
    if answers.ndim == 2 and answers.shape[1] == 1:
        return answers[:, 0]
    if answers.ndim == 2 and answers.shape == (rows, 2) and answers.dtype.kind == "f":
        return answers[:, 1]
    if answers.ndim != 1:
        raise ModelError(
            f"asked about {rows} rows, the model gave answers of a shape that cannot be read",
            got=f"shape {answers.shape}",
            fix="return one score or one label a row",
        )
    return answers


def as_numbers(answers: np.ndarray) -> FloatArray:
    """Bring scores into float64.

    Raises
    ------
    ModelError
        If one of them is no number.
    """
    try:
        return answers.astype(np.float64)
    except (TypeError, ValueError) as error:
        row = next(at for at, value in enumerate(answers) if not isinstance(value, int | float | np.number))
        raise ModelError(
            f"a score is no number, in row {row}",
            got=plain(repr(answers[row]), most=60),
            fix="return one number a row",
        ) from error


def _strange(answers: np.ndarray, favorable: object, classes: Sequence[object] | None) -> ModelError | None:
    """Labels that cannot be what was meant: a missing one, or text where the favourable one is a number."""
    for row, value in enumerate(answers.tolist() if answers.dtype.kind == "O" else ()):
        if value is None or value != value:
            return ModelError(
                f"the model gives no answer for row {row}", got=repr(value), fix="return one label a row"
            )
    if classes is not None:
        known = np.zeros(len(answers), dtype=bool)
        for label in classes:
            known |= is_label(answers, label)
        if not known.all():
            row = int((~known).argmax())
            return ModelError(
                f"the model answers with a label that is not in classes, in row {row}",
                got=plain(repr(own(answers[row])), most=60),
                fix="list all outcomes in classes=",
            )
    text = answers.dtype.kind in "US" or (
        answers.dtype.kind == "O" and all(isinstance(value, str) for value in answers)
    )
    if len(answers) and text != isinstance(own(favorable), str):
        kinds = sorted({repr(own(value)) for value in answers[:10_000].tolist()})
        shown = plain(repr(own(favorable)), most=60)
        return ModelError(
            f"the favourable outcome {shown} cannot be among the model's labels",
            got=listing([plain(kind, most=40) for kind in kinds], most=8),
            fix="pass favorable= one of these labels, in its own type",
        )
    return None
