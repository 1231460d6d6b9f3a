"""The metrics that are made of counts, of tables that are elsewhere or do not fit into memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from fairwitness.arguments import shown
from fairwitness.errors import ConfigError, DataError
from fairwitness.metrics.declared.catalogue import CATALOGUE, Metric, chosen
from fairwitness.metrics.measured.measuring import check_asked, check_measured, measure_inputs
from fairwitness.metrics.measured.reading import Inputs, read_inputs
from fairwitness.metrics.measured.results import Measured
from fairwitness.metrics.measured.spreads import COMPARED, WHOLE
from fairwitness.rng import seed_from
from fairwitness.stats.bandwidth import median_bandwidth
from fairwitness.table.bins import EqualBins
from fairwitness.table.cells import Cells, count_cells
from fairwitness.table.cuts import spec_of_name
from fairwitness.table.frames import column
from fairwitness.text import listing, plain
from fairwitness.typing import Document, FloatArray, MissingPolicy, RandomState

#: Distances whose estimate needs the rows themselves, not bins.
_OF_ROWS = frozenset({"mmd2_unbiased"})
#: Different labels beyond which a column holds something else than decisions.
_MOST_LABELS = 50
_OF_BINS = (frozenset(COMPARED) | frozenset(WHOLE)) - _OF_ROWS


def count_metrics(
    source: Any,
    *,
    y_pred: str,
    y_true: str | None = None,
    y_score: str | None = None,
    sensitive_features: str | Sequence[str] = (),
    control_features: str | Sequence[str] = (),
    sample_weight: str | None = None,
    metrics: str | Sequence[str] = "all",
    favorable: object = 1,
    privileged: object = None,
    reference: object = "privileged",
    missing: MissingPolicy = "group",
    intersections: bool = True,
    confidence: float = 0.95,
    minimum_n: int = 30,
    random_state: RandomState = 0,
    n_resamples: int = 1000,
    adjust: Literal["holm", "max-t"] = "holm",
    score_range: tuple[float, float] = (0.0, 1.0),
    bins: int = 2048,
    max_cells: int = 1_000_000,
) -> Measured:
    """Measure decisions of a table that is elsewhere, or larger than memory: only its cells are fetched.

    Parameters
    ----------
    source
        A DuckDB relation, polars LazyFrame or PySpark DataFrame (grouped where it is); the path of a parquet
        file or folder, a list of paths, a :class:`pyarrow.dataset.Dataset` or a stream of arrow batches (a
        :class:`pyarrow.RecordBatchReader` or any iterator of batches; read once, a batch at a time, in memory
        that does not grow with the rows); or a table in memory.
    y_pred
        Name of the column of decisions.
    y_true
        Name of the column of true outcomes.
    y_score
        Name of a column of scores, whose distances between groups (W1, MMD) are measured on equal bins.
    sensitive_features
        Names of columns, or cuts (``"age > 25"``). Several are measured each and crossed. Only levels that
        occur make groups.
    control_features
        Names of columns (or cuts) whose combinations are strata.
    sample_weight
        Name of a column of weights, at least 0.
    metrics, favorable, privileged, reference, missing, intersections
        As in :func:`fairwitness.metrics.measure`, which gives the same numbers for the same rows.
    confidence, minimum_n, random_state, n_resamples, adjust
        As in :func:`fairwitness.metrics.measure`, which gives the same numbers for the same rows.
    score_range, bins
        Range of the scores, ends included, and number of bins.
    max_cells
        Most combinations of values (and bins) that are fetched.

    Returns
    -------
    Measured
        As :func:`fairwitness.metrics.measure` gives it. With ``y_score``, ``settings["score_error"]`` says
        how far the distances of each feature can be off: a bin's width for W1, and width / σ for the MMD at
        the bandwidth σ, because no score is moved by more than half a bin and the kernel's features move by
        at most 1 / σ times that (σ itself, the median distance, is off by a width at the most). In
        ``left_out`` is what needs the rows themselves.

    Raises
    ------
    DataError
        If a column is not there, an outcome, weight or score is missing or makes no sense, decisions or
        outcomes hold fractions or more than 50 different labels, or there are too many cells.
    GroupError
        If a feature gives no groups that can be compared.
    ConfigError
        For an unknown metric or option.

    Examples
    --------
    >>> import polars as pl
    >>> from fairwitness.metrics import count_metrics
    >>> rows = pl.DataFrame({"sex": ["f", "m"] * 50, "hired": [0, 1, 1, 1] * 25}).lazy()
    >>> found = count_metrics(rows, y_pred="hired", sensitive_features="sex")
    >>> found.value("statistical_parity_difference", group="f").estimate
    -0.5
    """
    asked = check_asked(reference, confidence, minimum_n, n_resamples, adjust)
    wanted = chosen(metrics)
    features = _names(sensitive_features, "sensitive_features")
    controls = _names(control_features, "control_features")
    scored = {} if y_score is None else {_name(y_score, "y_score"): _bins(score_range, bins)}
    columns = [_name(y_pred, "y_pred")]
    columns += [] if y_true is None else [_name(y_true, "y_true")]
    _check_once([*columns, *features, *scored])
    cells = count_cells(
        source,
        list(dict.fromkeys([*columns, *features, *controls, *scored])),
        weights=None if sample_weight is None else _name(sample_weight, "sample_weight"),
        bins=scored,
        max_cells=max_cells,
    )
    if not len(cells.rows):
        raise DataError("the table has no rows", fix="pass at least one row")
    for name, role in ((y_pred, "y_pred"), *([] if y_true is None else [(y_true, "y_true")])):
        _check_decisions(_labels(cells, name), name, role)

    def read(counted: Cells, *, score: FloatArray | None) -> Inputs:
        return read_inputs(
            None if y_true is None else _labels(counted, y_true),
            _labels(counted, y_pred),
            y_score=score,
            sensitive_features=_part(counted, features),
            control_features=_part(counted, controls),
            task="classification",
            favorable=favorable,
            threshold=0.5,
            sample_weight=counted.weight if counted.weighted or score is not None else None,
            privileged=privileged,
            missing=missing,
            minimum_n=minimum_n,
            intersections=intersections,
            benefit=None,
            rows=counted.rows,
            squares=counted.squares,
        )

    named = {metrics} if isinstance(metrics, str) else set(metrics)
    options: dict[str, Any] = {"n_resamples": n_resamples, "random_state": seed_from(random_state)}
    of_counts = [metric for metric in wanted if "classification" in metric.tasks]
    done = measure_inputs(
        read(cells, score=None), of_counts, named, asked, settings={"missing": missing}, **options
    )
    left_out = {metric.name: _why(metric) for metric in wanted if metric not in of_counts}
    if y_score is not None:
        bins_of = scored[y_score]
        centres = bins_of.centres(np.array(cells.table[y_score].to_pylist(), dtype=np.int64))
        inputs = read(cells, score=centres)
        of_bins = [metric for metric in wanted if metric.name in _OF_BINS]
        far = measure_inputs(inputs, of_bins, named, asked, settings={}, **options)
        left_out = {name: why for name, why in left_out.items() if name not in _OF_BINS}
        order = {name: at for at, name in enumerate(CATALOGUE)}
        done = replace(
            done,
            values=tuple(sorted(done.values + far.values, key=lambda value: order[value.metric])),
            left_out={**done.left_out, **far.left_out},
            settings={**done.settings, "score_error": _errors(inputs, centres, cells, bins_of)},
        )
    done = replace(done, left_out={**done.left_out, **left_out})
    check_measured(done.left_out, wanted, named)
    return done


def _bins(score_range: object, bins: int) -> EqualBins:
    if not isinstance(score_range, Sequence) or isinstance(score_range, str) or len(score_range) != 2:
        raise ConfigError(
            "score_range must be two numbers", got=shown(score_range), fix="pass e.g. score_range=(0, 1)"
        )
    return EqualBins(score_range[0], score_range[1], bins)


def _why(metric: Metric) -> str:
    if metric.name in _OF_BINS:
        return "it needs scores, y_score="
    if "score" not in metric.tasks:
        return "it does not exist for the task classification"
    return "it needs the rows themselves, not counts; use fairwitness.metrics.measure"


def _errors(inputs: Inputs, centres: FloatArray, cells: Cells, bins: EqualBins) -> Document:
    """Say how far the distances can be off: W1 by a bin's width, the MMD by 1 / σ of that."""
    found: Document = {"bins": bins.count, "range": [bins.low, bins.high], "wasserstein_distance": bins.width}
    mmd = {}
    for groups in inputs.features:
        inside = groups.codes >= 0
        sigma = median_bandwidth(centres[inside], cells.weight[inside])
        mmd[groups.name] = bins.width / sigma if sigma > 0 else None
    return {**found, "mmd": mmd}


def _labels(cells: Cells, name: str) -> np.ndarray:
    """Give the labels of the cells, in their own type where they have one."""
    values = column(cells.table, name)
    gone = np.array([value is None for value in values], dtype=bool)
    if gone.any():
        raise DataError(
            f"the column {plain(name)!r} has missing values",
            got=f"{int(cells.rows[gone].sum()):,} of {int(cells.rows.sum()):,} rows",
            fix="leave those rows out",
        )
    kinds = {type(value) for value in values}
    return values if kinds - {bool, int, float} else np.array(values.tolist())


def _check_decisions(values: np.ndarray, name: str, role: str) -> None:
    """Stop if a column of decisions or outcomes holds scores, amounts or names."""
    fractions = values.dtype.kind == "f" and bool((values != np.round(values)).any())
    labels = list(dict.fromkeys(values.tolist()))
    if not fractions and len(labels) <= _MOST_LABELS:
        return
    kind = "fractions" if fractions else f"more than {_MOST_LABELS} different labels"
    told = f"{len(labels):,} different values, among them {listing([shown(each) for each in labels[:3]])}"
    raise DataError(
        f"the column {plain(name)!r} holds {kind}, so it cannot be {role}=",
        got=told,
        fix=f"name scores as y_score=; {role}= is a column of "
        f"{'decisions' if role == 'y_pred' else 'true outcomes'}, such as 0 and 1",
    )


def _part(cells: Cells, names: Sequence[str]) -> dict[str, Any] | None:
    """Give the columns of some features, under the names that cuts have."""
    known = cells.table.column_names
    found = {name if name in known else spec_of_name(name).labels[0]: None for name in names}
    return {name: cells.table[name] for name in found} or None


def _names(given: object, argument: str) -> list[str]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, Sequence) and all(isinstance(name, str) for name in given):
        return list(given)
    raise ConfigError(
        f"{argument} must be names of columns",
        got=shown(given),
        fix=f'pass e.g. {argument}=["sex", "age > 25"]',
    )


def _name(given: object, argument: str) -> str:
    if not isinstance(given, str):
        raise ConfigError(
            f"{argument} must be the name of a column",
            got=shown(given),
            fix=f'pass e.g. {argument}="{argument}"',
        )
    return given


def _check_once(names: Sequence[str]) -> None:
    twice = list(dict.fromkeys(name for name in names if names.count(name) > 1))
    if twice:
        raise ConfigError(
            "a column has more than one part to play",
            got=listing([plain(name) for name in twice]),
            fix="name each column once: as decision, outcome, score or feature",
        )
