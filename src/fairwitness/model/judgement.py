"""What a black box says about rows, and what is known about the box itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairwitness.typing import BoolArray, Document, FloatArray


@dataclass(frozen=True, slots=True)
class Judgement:
    """A model's answers for n rows.

    Attributes
    ----------
    accepted
        (n,) whether the row gets the favourable outcome.
    score
        (n,) score of the favourable outcome, higher is better, in [0, 1] for classifiers; NaN for every
        row of a model that gives none.
    """

    accepted: BoolArray
    score: FloatArray

    def __len__(self) -> int:
        return len(self.accepted)

    @property
    def has_score(self) -> bool:
        """Whether the rows have scores (an empty judgement has none)."""
        return bool(len(self.score)) and not bool(np.isnan(self.score).any())

    @classmethod
    def empty(cls) -> Judgement:
        """The judgement of no rows."""
        return cls(accepted=np.zeros(0, dtype=bool), score=np.zeros(0, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known about a model without asking it.

    Attributes
    ----------
    kind
        ``"scikit-learn"``, ``"xgboost"``, ``"lightgbm"``, ``"torch"``, ``"onnx"``, ``"function"``,
        ``"endpoint"`` or ``"predictions"``.
    name
        Class of the model, name of the function, or address of the endpoint (without credentials).
    classes
        The outcomes the model knows, in its own order, or ``None`` if it does not say.
    feature_names
        The input columns in the order of training, or ``None`` if the model does not say.
    has_score
        Whether it gives a score beside its decision.
    can_query
        Whether new rows can be judged; ``False`` for a column of predictions.
    digest
        SHA-256 of the model file or of the model's bytes, ``None`` where there are no stable bytes.
    notes
        What had to be assumed to read the model's answers, one sentence each.
    """

    kind: str
    name: str
    classes: tuple[object, ...] | None = None
    feature_names: tuple[str, ...] | None = None
    has_score: bool = True
    can_query: bool = True
    digest: str | None = None
    notes: tuple[str, ...] = ()

    def changed(self, **changes: object) -> ModelInfo:
        """Give a copy with some attributes replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def to_dict(self) -> Document:
        """Give plain values for JSON; classes become text."""
        return {
            "kind": self.kind,
            "name": self.name,
            "classes": None if self.classes is None else [str(value) for value in self.classes],
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "has_score": self.has_score,
            "can_query": self.can_query,
            "digest": self.digest,
            "notes": list(self.notes),
        }
