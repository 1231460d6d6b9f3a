"""The steps before an estimator that can be followed: each number they give depends on one column alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fairwitness.counterfactuals.exact.readers import refuse

#: Steps that keep the order of numbers and move them by a straight line.
_STRAIGHT = frozenset({"StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "SimpleImputer"})
#: Steps that leave columns out and change nothing.
_CHOOSERS = frozenset({"VarianceThreshold", "SelectKBest", "SelectPercentile", "SelectFromModel"})
#: Steps that know values by name: a number that passes through one is a name, too.
_NAMERS = frozenset({"OneHotEncoder", "OrdinalEncoder"})


def follow(steps: Iterable[tuple[str, Any]], columns: Sequence[str]) -> dict[str, bool]:
    """Check every step, and tell which columns are encoded by value.

    Parameters
    ----------
    steps
        Names and fitted steps, in order.
    columns
        The model's input columns, in order.

    Returns
    -------
    dict
        Column that passes an encoder → whether the encoder takes values it was not trained on.

    Raises
    ------
    ModelError
        For a step that mixes columns or is not known; the message names it.
    """
    named: dict[str, bool] = {}
    mapped: Sequence[str] | None = list(columns)
    for name, step in steps:
        mapped = _one(name, step, mapped, named)
    return named


def _one(name: str, step: Any, columns: Sequence[str] | None, named: dict[str, bool]) -> Sequence[str] | None:
    """Follow one step; gives the columns behind it where they are still one for one."""
    if step is None or (isinstance(step, str) and step in {"passthrough", "drop"}):
        return columns
    kind, library = type(step).__name__, type(step).__module__.partition(".")[0]
    label = f"the step {name!r} ({kind})"
    if library != "sklearn":
        raise refuse(label, "it is none of scikit-learn's")
    if kind == "Pipeline":
        for inner, part in step.steps:
            columns = _one(f"{name}.{inner}", part, columns, named)
        return columns
    if kind == "ColumnTransformer":
        for inner, part, chosen in step.transformers_:
            picked = None if columns is None else _pick(chosen, columns)
            _one(f"{name}.{inner}", part, picked, named)
        return None
    if kind == "FunctionTransformer":
        if step.func is not None:
            raise refuse(label, "it calls a function of its own")
        return columns
    if kind in _NAMERS:
        if columns is None:
            raise refuse(label, "it encodes what another step has already put together")
        open_ended = step.handle_unknown != "error"
        for column in columns:
            named[column] = named.get(column, True) and open_ended
        return None if kind == "OneHotEncoder" else columns
    if kind in _CHOOSERS:
        return None
    if kind in _STRAIGHT:
        if kind == "MinMaxScaler" and step.clip:
            raise refuse(label, "it clips")
        return None if kind == "SimpleImputer" and step.add_indicator else columns
    raise refuse(label, "it is not among the steps that can be followed")


def _pick(chosen: Any, columns: Sequence[str]) -> list[str]:
    """Names of the columns that a ColumnTransformer gives to one of its parts."""
    names = [str(column) for column in columns]
    if isinstance(chosen, slice):
        if isinstance(chosen.start, str) or isinstance(chosen.stop, str):
            first = 0 if chosen.start is None else names.index(chosen.start)
            last = len(names) if chosen.stop is None else names.index(chosen.stop) + 1
            return names[first:last]
        return names[chosen]
    picked = np.atleast_1d(np.asarray(chosen))
    if picked.dtype == np.bool_:
        return [name for name, keep in zip(names, picked.tolist(), strict=True) if keep]
    return [names[each] if isinstance(each, int) else str(each) for each in picked.tolist()]
