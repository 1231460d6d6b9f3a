"""A predictor asked about rows: its answers averaged within each combination of the parents' values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike

from fairwitness.arguments import number_array
from fairwitness.causal.data.bins import Bins
from fairwitness.causal.data.counting import as_lazy, tabulate
from fairwitness.causal.data.distribution import MOST_CELLS
from fairwitness.causal.data.kernel_tables import Asked, Kernel, conditional, make_kernel, two
from fairwitness.errors import ConfigError, DataError
from fairwitness.model.blackbox import BlackBox, as_blackbox
from fairwitness.table.columns import read_column
from fairwitness.table.frames import native_column, take_rows
from fairwitness.text import listing, plain
from fairwitness.typing import FloatArray

_PRODUCT = "__fairwitness_score__"


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows a predictor is asked about, as the distribution was counted from them."""

    data: Any
    weights: str | ArrayLike | None
    bins: Bins | None
    missing: str

    def sums(
        self, asked: Asked, weights: Any, *more: str, levels: Mapping[str, Any] | None = None
    ) -> FloatArray:
        """Sum weights over the rows with each combination of the parents' values, and of ``more``."""
        names = (*asked.parents, *more)
        bins = {**asked.distribution.cuts, **(self.bins or {})}
        bins = {name: where for name, where in bins.items() if name in names}
        axes = {name: asked.distribution.levels[asked.distribution.axis(name)] for name in asked.parents}
        own = {name: axis for name, axis in {**axes, **(levels or {})}.items() if name not in bins}
        counted = tabulate(
            self.data,
            names,
            weights=weights,
            levels=own,
            bins=bins,
            missing=self.missing,
            max_cells=MOST_CELLS * len(asked.levels),
        )
        for name, axis in zip(asked.parents, counted.levels, strict=False):
            if axis != axes[name]:
                raise DataError(
                    f"the levels of {plain(name)!r} are not those of the distribution",
                    got=listing([plain(level) for level in axis]),
                    fix="cut it with the bins that the distribution was made with",
                )
        return counted.counts


def of_model(asked: Asked, model: Any, rows: Rows, *, use: str, settings: Mapping[str, Any]) -> Kernel:
    """Ask a model about every row."""
    if as_lazy(rows.data) is not None:
        raise ConfigError(
            "a model is asked about rows in memory",
            got=type(rows.data).__name__,
            fix="collect a sample of the rows, or pass the name of a column with the model's predictions",
        )
    at = asked.accepted
    box = model if isinstance(model, BlackBox) else as_blackbox(model, favorable=asked.favorable, **settings)
    judged = box.judge(rows.data)
    if use == "score" and not judged.has_score:
        raise ConfigError(
            "the model gives no scores", got=box.info.name, fix='pass use="decision", or a model that does'
        )
    answers = judged.score if use == "score" else judged.accepted.astype(np.float64)
    if answers.size and (answers.min() < 0 or answers.max() > 1):
        raise ConfigError(
            "the model's scores are no probabilities",
            got=f"{answers.min():g} to {answers.max():g}",
            fix='pass use="decision", or scores in [0, 1]',
        )
    notes = [
        f"P({plain(asked.outcome)} = {plain(asked.levels[at])}) is the model's "
        f"{'mean score' if use == 'score' else 'share of acceptances'} over the rows with the same values of "
        f"{listing([plain(name) for name in asked.parents])}"
    ]
    if box.info.feature_names is not None:
        beyond = [name for name in box.columns_in(rows.data) if name not in asked.parents]
        if beyond:
            notes.append(
                f"the model also reads {listing([plain(name) for name in beyond])}, which the graph does "
                f"not give as causes of {plain(asked.outcome)}: what they add is taken as chance"
            )
    found = _averaged(asked, rows, answers, notes)
    read = box.info.feature_names
    cut = set(rows.bins or {})
    if read is not None and all(name in asked.parents and name not in cut for name in read):
        return replace(found, rows=None)  # within a combination of the parents' values it answers one thing
    return found


def of_column(asked: Asked, name: str, rows: Rows) -> Kernel:
    """Take a column of predictions: the outcome's values, or scores of the favourable one."""
    values = _few_values(rows.data, name, most=max(len(asked.levels), 2))
    if name == asked.outcome or (values is not None and all(value in asked.levels for value in values)):
        counted = rows.sums(asked, rows.weights, name, levels={name: asked.levels})
        n = float(counted.sum()) if asked.distribution.n is not None else None
        notes = [f"P({plain(asked.outcome)}) is how often {plain(name)} says so"]
        return conditional(asked, counted, notes, n=n)
    notes = [
        f"P({plain(asked.outcome)} = {plain(asked.levels[asked.accepted])}) is the mean of {plain(name)}"
    ]
    lazy = as_lazy(rows.data)
    if lazy is not None:
        return _averaged_lazily(asked, rows, lazy, name, notes)
    column = read_column(native_column(rows.data, name), name=name)
    if column.family not in {"boolean", "integer", "float", "empty"}:
        raise _no_scores(asked, name, column.dtype)
    scores = column.numbers()
    rows, scores, said = _complete(rows, scores, name)
    if scores.size and not (scores.min() >= 0 and scores.max() <= 1):
        raise _no_scores(asked, name, f"{scores.min():g} to {scores.max():g}")
    return _averaged(asked, rows, scores, notes + said)


def _averaged(asked: Asked, rows: Rows, answers: FloatArray, notes: list[str]) -> Kernel:
    if rows.weights is None:
        amount = np.ones(len(answers))
    elif isinstance(rows.weights, str):
        amount = read_column(native_column(rows.data, rows.weights), name=rows.weights).numbers()
    else:
        amount = number_array(rows.weights, "weights", fix="pass one number a row, or the name of a column")
    total = rows.sums(asked, amount)
    return _mean(asked, rows.sums(asked, amount * answers), total, notes)


def _averaged_lazily(asked: Asked, rows: Rows, lazy: Any, name: str, notes: list[str]) -> Kernel:
    schema = lazy.collect_schema()
    if not schema[name].is_numeric():
        raise _no_scores(asked, name, str(schema[name]))
    score = nw.col(name).cast(nw.Float64)
    absent = score.is_null() | score.fill_null(0.0).is_nan()
    present = nw.when(~absent).then(score)
    ask = {"absent": absent.cast(nw.Int64).sum(), "low": present.min(), "high": present.max()}
    found = lazy.select(*[each.alias(key) for key, each in ask.items()]).collect(backend="pyarrow")
    answer = found.rows(named=True)[0]
    if answer["absent"]:
        lazy = lazy.filter(~absent)
        notes = [*notes, _dropped(name, int(answer["absent"]), rows.missing)]
    if answer["low"] is not None and not (answer["low"] >= 0 and answer["high"] <= 1):
        raise _no_scores(asked, name, f"{answer['low']:g} to {answer['high']:g}")
    product = score if rows.weights is None else score * nw.col(str(rows.weights)).cast(nw.Float64)
    weighted = replace(rows, data=lazy.with_columns(product.alias(_PRODUCT)).to_native())
    return _mean(asked, weighted.sums(asked, _PRODUCT), weighted.sums(asked, rows.weights), notes)


def _mean(asked: Asked, sums: FloatArray, total: FloatArray, notes: list[str]) -> Kernel:
    known = total > 0
    rows = None if asked.distribution.n is None else total
    return make_kernel(asked, two(asked, sums / np.where(known, total, 1)), known, notes, rows)


def _few_values(data: Any, name: str, *, most: int) -> list[object] | None:
    """Give a column's values, or ``None`` where it has more than ``most``."""
    lazy = as_lazy(data)
    if lazy is None:
        codes, values = read_column(native_column(data, name), name=name).factorize()
        met = np.bincount(codes + 1, minlength=len(values) + 1)[1:] > 0
        found = [value for value, was_met in zip(values, met.tolist(), strict=True) if was_met]
        return found if len(found) <= most else None
    one = lazy.select(nw.col(name))
    found = one.unique().head(most + 3).collect(backend="pyarrow").to_dict(as_series=False)[name]
    found = [value for value in found if value is not None and value == value]
    return found if len(found) <= most else None


def _complete(rows: Rows, scores: FloatArray, name: str) -> tuple[Rows, FloatArray, list[str]]:
    absent = np.isnan(scores)
    if not absent.any():
        return rows, scores, []
    said = _dropped(name, int(absent.sum()), rows.missing)
    weights = rows.weights
    if weights is not None and not isinstance(weights, str):
        weights = number_array(weights, "weights", fix="pass one number a row")[~absent]
    return replace(rows, data=take_rows(rows.data, ~absent), weights=weights), scores[~absent], [said]


def _dropped(name: str, count: int, missing: str) -> str:
    if missing != "drop":
        raise DataError(
            f"column {plain(name)!r} has missing predictions",
            got=f"{count:,} of them",
            fix='pass missing="drop" to leave those rows out, or fill them in',
        )
    return f"{count:,} missing predictions of {plain(name)} were left out"


def _no_scores(asked: Asked, name: str, got: str) -> DataError:
    return DataError(
        f"column {plain(name)!r} holds neither values of {plain(asked.outcome)!r} nor scores in [0, 1]",
        got=got,
        fix=f"predict one of {listing([repr(plain(level)) for level in asked.levels])}, or probabilities",
    )
