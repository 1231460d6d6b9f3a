"""Which adapter a model gets: told by its library, without importing that library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np

from fairwitness.errors import ConfigError, ModelError
from fairwitness.model.adapters.base import Adapter, Reading
from fairwitness.model.adapters.functions import FunctionAdapter, PredictionsAdapter
from fairwitness.model.digest import file_digest, object_digest
from fairwitness.text import listing, plain

_KINDS = (
    "auto",
    "scikit-learn",
    "xgboost",
    "lightgbm",
    "torch",
    "onnx",
    "function",
    "endpoint",
    "predictions",
)


def choose_adapter(
    obj: object,
    kind: str,
    reading: Reading,
    *,
    feature_names: tuple[str, ...] | None,
    digest: str | None,
    endpoint: Any,
) -> Adapter:
    """Give the adapter for ``obj``; ``kind="auto"`` tells it from the object."""
    if kind not in _KINDS:
        raise ConfigError("unknown kind of model", got=plain(kind), fix=f"pass one of {listing(_KINDS)}")
    address = isinstance(obj, str) and obj.startswith(("http://", "https://"))
    if address or kind == "endpoint":
        from fairwitness.model.endpoint import EndpointAdapter

        return EndpointAdapter(str(obj), reading, settings=endpoint, feature_names=feature_names)
    if isinstance(obj, str | Path):
        from fairwitness.model.load import load_model

        path = Path(obj)
        obj = load_model(path)
        digest = digest or file_digest(path)
    if isinstance(obj, type):
        raise ModelError(
            "a class is no model", got=plain(obj.__name__), fix="pass an instance of it that was fitted"
        )
    found = kind if kind != "auto" else _kind_of(obj)
    if found == "predictions":
        return PredictionsAdapter(obj, reading, digest=digest)
    if found == "function":
        if not callable(obj):
            raise ModelError(
                "the function cannot be called", got=type(obj).__name__, fix="pass a function of a frame"
            )
        function = cast("Callable[[Any], object]", obj)
        return FunctionAdapter(function, reading, feature_names=feature_names, digest=digest)
    if found == "torch":
        from fairwitness.model.adapters.torch_module import TorchAdapter

        return TorchAdapter(obj, reading, feature_names=feature_names, digest=digest)
    if found == "onnx":
        from fairwitness.model.adapters.onnx_model import OnnxAdapter

        return OnnxAdapter(obj, reading, feature_names=feature_names, digest=digest)
    if type(obj).__name__ == "Booster" and _library(obj) in {"xgboost", "lightgbm"}:
        from fairwitness.model.adapters.boosters import LightGBMAdapter, XGBoostAdapter

        booster = XGBoostAdapter if _library(obj) == "xgboost" else LightGBMAdapter
        return booster(obj, reading, feature_names=feature_names, digest=digest)
    if not hasattr(obj, "predict"):
        raise ModelError(
            f"an object of type {plain(type(obj).__name__)} has no predict",
            fix="pass a fitted model or a function",
        )
    from fairwitness.model.adapters.estimators import EstimatorAdapter

    return EstimatorAdapter(obj, reading, feature_names=feature_names, digest=digest or object_digest(obj))


def _library(obj: object) -> str:
    return type(obj).__module__.partition(".")[0]


def _kind_of(obj: object) -> str:
    if hasattr(obj, "members") and hasattr(obj, "fold_of"):
        raise ModelError(
            "a cross-fitted model is one model a fold",
            got=type(obj).__name__,
            fix="use its members(favorable=...), or pass it to Audit as it is",
        )
    if any(
        kind.__module__.startswith("torch.nn") and kind.__name__ == "Module" for kind in type(obj).__mro__
    ):
        return "torch"
    if _library(obj) == "onnxruntime":
        return "onnx"
    if hasattr(obj, "predict"):
        return "scikit-learn"
    if isinstance(obj, np.ndarray | list | tuple) or (
        hasattr(obj, "to_numpy") and not hasattr(obj, "columns")
    ):
        return "predictions"
    if callable(obj):
        return "function"
    raise ModelError(
        "this cannot be used as a model",
        got=plain(type(obj).__name__),
        fix="pass a fitted estimator, a function of a frame, a model file, an https address, "
        'or a column of predictions with kind="predictions"',
    )
