"""XGBoost and LightGBM boosters without scikit-learn's interface: the objective says what a number means."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from fairwitness.model.adapters.base import Adapter, Inside, Reading, class_scores, decide, no_answer
from fairwitness.model.adapters.categories import training_levels, with_positions
from fairwitness.model.adapters.containers import numeric_matrix
from fairwitness.model.digest import bytes_digest
from fairwitness.model.judgement import Judgement, ModelInfo
from fairwitness.model.labels import favorable_index
from fairwitness.table.frames import to_pandas
from fairwitness.typing import NativeFrame

#: What ``predict`` returns, by objective; everything else is a plain number.
_XGBOOST: dict[str, Literal["probability", "logit"]] = {
    "binary:logistic": "probability",
    "reg:logistic": "probability",
    "binary:hinge": "probability",
    "binary:logitraw": "logit",
    "multi:softprob": "probability",
    "multi:softmax": "logit",  # asked for margins: its predict returns labels
}
_LIGHTGBM: dict[str, Literal["probability", "logit"]] = {
    "binary": "probability",
    "cross_entropy": "probability",
    "cross_entropy_lambda": "probability",
    "multiclass": "probability",
    "multiclassova": "probability",
    "custom": "logit",
}


class _BoosterAdapter(Adapter):
    """What both libraries share: reading numbers by objective."""

    _booster: Any
    _levels: Mapping[int, Sequence[object]]

    def __init__(
        self,
        reading: Reading,
        *,
        kind: str,
        objective: str,
        n_classes: int,
        meaning: Literal["probability", "logit"] | None,
        feature_names: tuple[str, ...] | None,
        digest: str,
    ) -> None:
        notes = []
        if reading.output in ("probability", "logit"):
            meaning = "probability" if reading.output == "probability" else "logit"
        if meaning is None:
            notes.append(
                f"The objective {objective} predicts a number: it is taken as the score of the favourable "
                f"outcome, and {reading.threshold:g} or more is accepted."
            )
            classes = None
        else:
            classes = reading.classes or tuple(range(max(n_classes, 2)))
        self.plain_number = meaning is None
        self._meaning = meaning
        self._threshold = reading.threshold
        self._favorable = 0 if classes is None else favorable_index(classes, reading.favorable)
        self.info = ModelInfo(
            kind=kind,
            name=f"Booster ({objective})",
            classes=classes,
            feature_names=feature_names,
            digest=digest,
            notes=tuple(notes),
        )

    def inside(self) -> Inside:
        """Show the booster, which takes columns of categories as it was trained with."""
        return Inside(self._booster, partial(with_positions, levels=self._levels))

    def read(self, answers: tuple[np.ndarray, ...]) -> Judgement:
        """Turn the numbers into decisions and scores, as the objective says."""
        (raw,) = answers
        if self._meaning is None or self.info.classes is None:
            score = np.asarray(raw, dtype=np.float64)
            return Judgement(accepted=score >= self._threshold, score=score)
        classes = self.info.classes
        score, lead = class_scores(raw, output=self._meaning, classes=classes, favorable=self._favorable)
        accepted = decide(score, lead, n_classes=len(classes), threshold=self._threshold)
        return Judgement(accepted=accepted, score=score)


class XGBoostAdapter(_BoosterAdapter):
    """A native ``xgboost.Booster``."""

    def __init__(
        self, booster: Any, reading: Reading, *, feature_names: tuple[str, ...] | None, digest: str | None
    ) -> None:
        config = json.loads(booster.save_config())["learner"]
        objective = str(config["objective"]["name"])
        self._booster = booster
        self._levels = training_levels(booster)
        self._named = booster.feature_names is not None
        self._margin = objective == "multi:softmax"
        super().__init__(
            reading,
            kind="xgboost",
            objective=objective,
            n_classes=int(config["learner_model_param"].get("num_class", 0)),
            meaning=_XGBOOST.get(objective),
            feature_names=feature_names or (tuple(booster.feature_names) if self._named else None),
            digest=digest or bytes_digest(booster.save_raw("ubj")),
        )

    def ask(self, frame: NativeFrame) -> tuple[np.ndarray, ...]:
        """Give the booster's numbers for one batch."""
        import xgboost

        if self._named:
            rows = with_positions(frame, self._levels)
            # The names were matched already; the booster insists on its own spelling.
            rows.columns = self._booster.feature_names
        else:
            rows = numeric_matrix(frame, purpose="the model was trained on a matrix without column names")
        try:
            matrix = xgboost.DMatrix(rows, enable_categorical=True)
            return (np.asarray(self._booster.predict(matrix, output_margin=self._margin)),)
        except (ValueError, xgboost.core.XGBoostError) as error:
            raise no_answer(
                self.info.name, error, fix="pass numbers, or columns of the category type used in training"
            ) from error


class LightGBMAdapter(_BoosterAdapter):
    """A native ``lightgbm.Booster``."""

    def __init__(
        self, booster: Any, reading: Reading, *, feature_names: tuple[str, ...] | None, digest: str | None
    ) -> None:
        text = booster.model_to_string()
        header = dict(line.split("=", 1) for line in text.partition("\nTree=")[0].splitlines() if "=" in line)
        objective = header.get("objective", "custom").split(" ")[0]
        names = tuple(booster.feature_name())
        self._booster = booster
        self._levels = training_levels(booster)
        # LightGBM invents these names for a matrix without any.
        self._named = names != tuple(f"Column_{position}" for position in range(len(names)))
        super().__init__(
            reading,
            kind="lightgbm",
            objective=objective,
            n_classes=int(header.get("num_class", 1)),
            meaning=_LIGHTGBM.get(objective),
            feature_names=feature_names or (names if self._named else None),
            digest=digest or bytes_digest(text.encode()),
        )

    def ask(self, frame: NativeFrame) -> tuple[np.ndarray, ...]:
        """Give the booster's numbers for one batch."""
        import lightgbm

        if self._levels:
            rows = with_positions(frame, self._levels)
        elif self._named:
            rows = to_pandas(frame)
        else:
            rows = numeric_matrix(frame, purpose="the model was trained on a matrix without column names")
        try:
            return (np.asarray(self._booster.predict(rows)),)
        except (ValueError, lightgbm.basic.LightGBMError) as error:
            raise no_answer(
                self.info.name, error, fix="pass numbers, or columns of the category type used in training"
            ) from error
