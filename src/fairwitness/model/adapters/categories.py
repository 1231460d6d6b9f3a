"""The categories a booster was trained with, put back onto a table before the booster is asked.

A booster numbers the levels of a categorical column as the training table's dtype did. A table from a CSV
file has text there, and a slice of a table may lack levels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairwitness.model.adapters.containers import with_categories
from fairwitness.table.frames import column_names
from fairwitness.typing import NativeFrame


def training_levels(model: Any) -> Mapping[int, Sequence[object]]:
    """Position of each categorical column in the model's input → its levels, in the order of training.

    Empty for models that are no boosters, for boosters without categorical columns, and for versions of
    XGBoost (before 3.1) that do not keep the levels.
    """
    library = type(model).__module__.partition(".")[0]
    if library == "xgboost":
        return _xgboost(model.get_booster() if hasattr(model, "get_booster") else model)
    if library == "lightgbm":
        return _lightgbm(model.booster_ if hasattr(model, "booster_") else model)
    return {}


def with_positions(frame: NativeFrame, levels: Mapping[int, Sequence[object]]) -> Any:
    """Give ``frame`` in pandas, its columns at these positions with these categories."""
    names = column_names(frame)
    return with_categories(frame, {names[at]: values for at, values in levels.items() if at < len(names)})


def _xgboost(booster: Any) -> Mapping[int, Sequence[object]]:
    if not hasattr(booster, "get_categories") or "c" not in (booster.feature_types or ()):
        return {}
    stored = booster.get_categories(export_to_arrow=True).to_arrow() or ()
    return {at: levels.to_pylist() for at, (_, levels) in enumerate(stored) if levels is not None}


def _lightgbm(booster: Any) -> Mapping[int, Sequence[object]]:
    levels = getattr(booster, "pandas_categorical", None)
    if not levels:
        return {}
    infos: Sequence[str] = ()
    for line in booster.model_to_string(num_iteration=1).splitlines():
        if line.startswith("feature_infos="):
            infos = line.partition("=")[2].split(" ")
            break
    # "[low:high]" is a numeric column, "none" a constant one, "0:1:2" a categorical one.
    positions = [at for at, info in enumerate(infos) if info and info != "none" and not info.startswith("[")]
    if len(positions) != len(levels):
        positions = sorted((getattr(booster, "params", None) or {}).get("categorical_column", ()))
    return dict(zip(positions, levels, strict=True)) if len(positions) == len(levels) else {}
