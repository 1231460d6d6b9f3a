"""A plain function of a frame, and a column of predictions made elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from fairwitness.errors import ModelError
from fairwitness.model.adapters.answers import as_numbers, is_scores, one_dimensional, read_answers
from fairwitness.model.adapters.base import Adapter, Reading, no_answer
from fairwitness.model.adapters.containers import container
from fairwitness.model.digest import bytes_digest
from fairwitness.model.judgement import Judgement, ModelInfo
from fairwitness.model.labels import as_labels
from fairwitness.table.frames import n_rows
from fairwitness.typing import NativeFrame


class FunctionAdapter(Adapter):
    """``function(frame)`` → one score or one label a row."""

    def __init__(
        self,
        function: Callable[[Any], object],
        reading: Reading,
        *,
        feature_names: tuple[str, ...] | None,
        digest: str | None,
    ) -> None:
        self._function = function
        self._reading = reading
        self._scores: bool | None = None
        self._ambiguous = False
        name = getattr(function, "__qualname__", type(function).__name__)
        self.info = ModelInfo(
            kind="function",
            name=str(name),
            classes=reading.classes,
            feature_names=feature_names,
            # Whether scores come is known once it is asked; nothing may rely on them before.
            has_score=reading.output != "labels",
            # A function is pickled by its name, which says nothing about what it does.
            digest=digest,
            notes=("Whether the function returns scores or labels is read off its answers.",)
            if reading.output == "auto"
            else (),
        )

    def ask(self, frame: NativeFrame) -> tuple[np.ndarray, ...]:
        """Call the function with one batch."""
        wanted = self._reading.container
        rows = container(frame, "pandas" if wanted == "numpy" else wanted)
        try:
            raw = self._function(rows)
        except Exception as error:  # the user's function may raise anything
            raise no_answer(
                self.info.name, error, fix="call it with the same table, and mend what it says"
            ) from error
        return (one_dimensional(raw, rows=n_rows(frame)),)

    def read(self, answers: tuple[np.ndarray, ...]) -> Judgement:
        """Decide once for all rows whether these are scores, and keep to it."""
        (raw,) = answers
        reading = self._reading
        scores = is_scores(raw, favorable=reading.favorable, output=reading.output)
        if self._scores is None or (scores and not self._scores):
            if scores and self._ambiguous:
                raise ModelError(
                    "the function answered with 0 and 1 before and with other numbers now",
                    fix='say what it returns: output="probability" or output="labels"',
                )
            self._scores = scores
        # Zeros and ones from a function known to give scores are scores, too.
        scores = scores or (self._scores and raw.dtype.kind in "fiub")
        self._ambiguous |= not scores and raw.dtype.kind == "f" and reading.favorable != 1
        if reading.output == "logit":
            raw = expit(as_numbers(raw))
        self.info = self.info.changed(has_score=bool(scores))
        return read_answers(
            raw,
            favorable=reading.favorable,
            threshold=reading.threshold,
            scores=bool(scores),
            classes=reading.classes,
        )


class PredictionsAdapter(Adapter):
    """Answers given in advance for one table; no other row can be asked about."""

    def __init__(self, values: object, reading: Reading, *, digest: str | None) -> None:
        raw = as_labels(values.to_numpy() if hasattr(values, "to_numpy") else values)
        answers = one_dimensional(raw, rows=len(raw) if raw.ndim else 0)
        scores = is_scores(answers, favorable=reading.favorable, output=reading.output)
        self.judgement = read_answers(
            answers,
            favorable=reading.favorable,
            threshold=reading.threshold,
            scores=scores,
            classes=reading.classes,
        )
        seen = reading.classes
        if not scores and seen is None:
            seen = tuple(sorted(set(answers.tolist()), key=lambda value: (type(value).__name__, value)))
        self.info = ModelInfo(
            kind="predictions",
            name="a column of scores" if scores else "a column of predictions",
            classes=seen,
            has_score=scores,
            can_query=False,
            digest=digest or bytes_digest("\x1f".join(map(repr, answers.tolist())).encode()),
        )

    def ask(self, frame: NativeFrame) -> tuple[np.ndarray, ...]:
        """Give the stored answers, if the table can be the one they belong to."""
        rows, known = n_rows(frame), len(self.judgement)
        if rows != known:
            raise ModelError(
                f"only predictions for {known} rows are there, and the model itself is not",
                got=f"{rows} rows to judge",
                fix="methods that need to ask the model are not applicable; pass the model to use them",
            )
        return self.judgement.accepted, self.judgement.score
