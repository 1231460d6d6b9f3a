"""From the user's model to a form over the table's columns.

The steps before the estimator are never imitated: they are called, on rows in which single columns were
changed. What is known of them (:mod:`.steps`) is only that every number they give depends on one column,
and keeps its order. So their rounding is theirs, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.counterfactuals.exact.forms import Form, TreeForm
from fairwitness.counterfactuals.exact.readers import read_form, refuse
from fairwitness.counterfactuals.exact.steps import follow
from fairwitness.errors import ModelError
from fairwitness.model.adapters.categories import training_levels, with_positions
from fairwitness.model.labels import favorable_index
from fairwitness.table.frames import select_columns
from fairwitness.typing import FloatArray, IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.counterfactuals.fitted import FittedTable
    from fairwitness.table.encode import Encoder

#: Values of a column tried to see which numbers depend on it, and rows on which form and model must agree.
_TRIED, _COMPARED = 64, 1000
#: Whole numbers between a column's bounds that are tried one by one where they are encoded by value.
_LISTED = 256
#: Cells of one call of the steps.
_CELLS = 1 << 21
_SEARCHES = frozenset({"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"})


@dataclass(frozen=True, eq=False)
class Inputs:
    """The numbers the estimator reads, for encoded rows.

    ``names`` are the model's columns in its order; ``prepare`` brings a frame into the container the model
    was trained on; ``steps`` are applied one after the other; ``finish`` gives the (n, inputs) matrix.
    """

    encoder: Encoder
    names: tuple[str, ...]
    prepare: Callable[[NativeFrame], Any]
    steps: tuple[Any, ...]
    finish: Callable[[Any], FloatArray]

    def __call__(self, rows: FloatArray) -> FloatArray:
        """(n, inputs) for (n, d) encoded rows."""
        flow: Any = self.prepare(select_columns(self.encoder.decode(rows), list(self.names)))
        for step in self.steps:
            flow = step.transform(flow)
        return self.finish(flow)


@dataclass(frozen=True, eq=False)
class Unfolded:
    """A model as a form over the columns of a table.

    Attributes
    ----------
    form
        The estimator.
    inputs
        What it reads.
    source
        (inputs,) the column each number depends on, −1 for none.
    named
        Columns (positions) that are encoded by value → whether new values are taken.
    """

    form: Form
    inputs: Inputs
    source: IntArray
    named: Mapping[int, bool]

    def known_by_value(self) -> dict[int, bool]:
        """Columns whose order means nothing to the model → whether values not trained on are taken."""
        known = dict(self.named)
        if isinstance(self.form, TreeForm):
            for node in self.form.categories:
                j = int(self.source[self.form.feature[node]])
                if j >= 0:
                    known.setdefault(j, True)
        return known


def unfold(table: FittedTable) -> Unfolded:
    """Look into the model a table was fitted with.

    Raises
    ------
    ModelError
        If it cannot be looked into; the message names the model or the step, and the reason.
    """
    model, prepare = _opened(table)
    steps: list[tuple[str, Any]] = []
    while True:
        kind = type(model).__name__
        if kind in _SEARCHES and hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif kind == "Pipeline":
            steps += model.steps[:-1]
            model = model.steps[-1][1]
        elif kind == "CodedLabels":
            if model.estimator_ is None:
                raise refuse(kind, "it knows one outcome only")
            model = model.estimator_
        elif kind == "TableBoosting":
            prepare = _then(prepare, model.matrix)
            model = model.booster_
        else:
            break
    encoder = table.encoder
    first = encoder.decode(table.rows[:1])
    names = tuple(table.model.columns_in(first))
    named = follow(steps, names)
    inputs = Inputs(
        encoder=encoder,
        names=names,
        prepare=prepare,
        steps=tuple(step for _, step in steps if step is not None and not isinstance(step, str)),
        finish=_finish(model),
    )
    classes = table.model.info.classes
    favorable = 1 if classes is None else favorable_index(classes, table.model.favorable)
    form = read_form(model, favorable=favorable, threshold=table.model.threshold)
    position = {name: at for at, name in enumerate(encoder.names)}
    out = Unfolded(
        form=form,
        inputs=inputs,
        source=_sources(inputs, table, [position[name] for name in named]),
        named={position[name]: open_ended for name, open_ended in named.items()},
    )
    _compare(out, table)
    return out


def _opened(table: FittedTable) -> tuple[Any, Callable[[NativeFrame], Any]]:
    """Take the user's object out of the black box, and how frames are handed to it."""
    inside = table.model.inside()
    if inside is None:
        info = table.model.info
        raise refuse(info.name, f"a model of the kind {info.kind} shows its answers only")
    return inside.model, inside.prepare


def _then(first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda frame: second(first(frame))


def _finish(model: Any) -> Callable[[Any], FloatArray]:
    """How the estimator itself turns what it is given into numbers."""
    kind = type(model).__name__
    if kind == "HistGradientBoostingClassifier":
        return lambda rows: _dense(model._preprocess_X(rows, reset=False))
    if type(model).__module__.startswith("xgboost"):
        levels = training_levels(model)
        return lambda rows: _dense(_coded(rows, levels), stored_only=True)
    if type(model).__module__.startswith("lightgbm"):
        levels = training_levels(model)
        return lambda rows: _dense(_coded(rows, levels))
    return _dense


def _coded(rows: Any, levels: Mapping[int, Any]) -> Any:
    """Give categorical columns of a frame as the codes a booster numbers them by."""
    if not hasattr(rows, "columns"):
        return rows
    frame = with_positions(rows, levels) if levels else rows
    out = np.empty(frame.shape)
    for at in range(frame.shape[1]):
        column = frame.iloc[:, at]
        if hasattr(column, "cat"):
            codes = column.cat.codes.to_numpy().astype(np.float64)
            out[:, at] = np.where(codes < 0, np.nan, codes)
        else:
            out[:, at] = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return out


def _dense(rows: Any, *, stored_only: bool = False) -> FloatArray:
    """(n, inputs) float64; where only what is stored counts, the rest of a sparse matrix is missing."""
    if hasattr(rows, "tocsr"):
        if not stored_only:
            return np.asarray(rows.toarray(), dtype=np.float64)
        sparse = rows.tocoo()
        out = np.full(sparse.shape, np.nan)
        out[sparse.row, sparse.col] = sparse.data
        return out
    if hasattr(rows, "to_numpy"):
        rows = rows.to_numpy()
    try:
        return np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(
            "the numbers the model reads cannot be followed from the table's columns",
            fix="use GeneticGenerator, or put the encoding into the pipeline",
        ) from error


def _sources(inputs: Inputs, table: FittedTable, named: Collection[int]) -> IntArray:
    """Find the column each number depends on, by changing one column at a time."""
    base = table.rows[:1]
    home = inputs(base)[0]
    source = np.full(len(home), -1, dtype=np.int64)
    known, unseen = _probes(table, named)
    for probes in (known, unseen):
        step = max(1, _CELLS // base.shape[1])
        for start in range(0, len(probes), step):
            part = probes[start : start + step]
            columns = part[:, 0].astype(np.int64)
            rows = np.repeat(base, len(part), axis=0)
            rows[np.arange(len(part)), columns] = part[:, 1]
            for at, seen in _seen(inputs, rows):
                moved = (seen != home) & ~(np.isnan(seen) & np.isnan(home))
                for row, number in zip(*np.nonzero(moved), strict=True):
                    j = columns[at + row]
                    if source[number] not in (-1, j):
                        raise refuse(table.model.info.name, "a number it reads depends on several columns")
                    source[number] = j
    return source


def _seen(inputs: Inputs, rows: FloatArray, at: int = 0) -> Iterator[tuple[int, FloatArray]]:
    """Give what the model reads of the rows, with their place; rows that an encoder refuses are left out."""
    try:
        yield at, inputs(rows)
    except (ValueError, TypeError):  # an encoder without one of the levels, which then is no option either
        if len(rows) > 1:
            half = len(rows) // 2
            yield from _seen(inputs, rows[:half], at)
            yield from _seen(inputs, rows[half:], at + half)


def _probes(table: FittedTable, named: Collection[int]) -> tuple[FloatArray, FloatArray]:
    """(n, 2) columns and values on which all numbers that depend on them change: in the table, and not."""
    known: list[FloatArray] = []
    unseen: list[FloatArray] = []
    for j, feature in enumerate(table.encoder.schema.features):
        values = np.unique(table.rows[:, j])
        if feature.is_coded:
            more = np.setdiff1d(np.arange(len(feature.levels), dtype=np.float64), values)
        else:
            more = np.array([end for end in feature.bounds or () if np.isfinite(end)])
            if feature.kind == "integer":
                more = np.concatenate([np.ceil(more[:1]), np.floor(more[1:])])
            if j in named and len(more) == 2 and more[1] - more[0] < _LISTED:
                more = np.arange(more[0], more[1] + 1)
            elif j not in named and len(values) > _TRIED:
                values = values[np.linspace(0, len(values) - 1, _TRIED).astype(int)]
        for found, some in ((known, values), (unseen, more)):
            found.append(np.stack([np.full(len(some), float(j)), some], axis=1))
    return np.concatenate(known), np.concatenate(unseen)


def _compare(out: Unfolded, table: FittedTable) -> None:
    """Hold the form against what the model said about the table."""
    if not table.judged:
        return
    some = np.unique(np.linspace(0, len(table.rows) - 1, min(_COMPARED, len(table.rows))).astype(int))
    margin = out.form.margin(out.inputs(table.rows[some]))
    wrong = ((margin > 0) != table.accepted[some]) & (np.abs(margin) > out.form.tolerance)
    if wrong.any():
        kind = "trees" if isinstance(out.form, TreeForm) else "weights"
        raise refuse(
            table.model.info.name,
            f"its {kind} as read decide otherwise than the model in {int(wrong.sum())} of {len(some)} rows",
        )
