"""One door to every model: ``judge(frame)`` says who is accepted, and with what score."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, cast, get_args

import numpy as np

from fairwitness.arguments import real_number, shown, whole_number
from fairwitness.errors import ConfigError, ModelError, QueryBudgetError
from fairwitness.model.adapters.base import Adapter, Container, Inside, Output, Reading, refuse_not_finite
from fairwitness.model.adapters.containers import model_columns
from fairwitness.model.judgement import Judgement, ModelInfo
from fairwitness.table.frames import column_names, n_rows, select_columns, take_rows
from fairwitness.text import listing, plain
from fairwitness.typing import IntArray, NativeFrame

if TYPE_CHECKING:
    from fairwitness.model.endpoint import EndpointSettings

__all__ = ["BlackBox", "Judgement", "ModelInfo", "as_blackbox", "judge_by_fold"]

Kind = Literal[
    "auto", "scikit-learn", "xgboost", "lightgbm", "torch", "onnx", "function", "endpoint", "predictions"
]

OUTPUTS: tuple[str, ...] = get_args(Output)
CONTAINERS: tuple[str, ...] = get_args(Container)


class BlackBox:
    """A model behind one question: whether a row is accepted.

    Made by :func:`as_blackbox`. Answers do not depend on the batch size or on the order of the columns.
    Copies sent to worker processes count their queries for themselves: whoever sends them tells the
    original with :meth:`note_queries`.

    Attributes
    ----------
    info
        What is known about the model.
    favorable
        Label of the favourable outcome.
    in_table
        What the audited table calls that outcome; set it where that is not the model's own label, as for a
        booster that answers 1 where the table says ``"good"``.
    threshold
        Score from which a row is accepted; at 0.5 a classifier's own decision is used.
    max_queries
        Most rows that may ever be asked about, ``None`` for no limit.
    """

    def __init__(
        self,
        adapter: Adapter,
        *,
        favorable: object,
        threshold: float = 0.5,
        batch_size: int | None = None,
        max_queries: int | None = None,
    ) -> None:
        self._adapter = adapter
        self._batch_size = batch_size or adapter.batch_size
        self._asked = 0
        self._lock = threading.Lock()
        self.favorable = favorable
        self.in_table = favorable
        self.threshold = threshold
        self.max_queries = max_queries

    @property
    def info(self) -> ModelInfo:
        """What is known about the model."""
        return self._adapter.info

    @property
    def n_queries(self) -> int:
        """Rows asked about so far."""
        return self._asked

    def note_queries(self, n: int) -> None:
        """Count ``n`` rows that a copy of this model was asked about in another process.

        They are counted even beyond ``max_queries``, since they were asked; the next question is then
        refused.

        Raises
        ------
        ConfigError
            If ``n`` is negative.
        """
        if n < 0:
            raise ConfigError("a number of queries is negative", got=n, fix="pass 0 or more")
        with self._lock:
            self._asked += int(n)

    def __repr__(self) -> str:
        name = plain(self.info.name, most=80)
        return f"BlackBox({self.info.kind}: {name}, favorable={plain(repr(self.favorable), most=40)})"

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key != "_lock"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def inside(self) -> Inside | None:
        """Show the user's own estimator or booster, and how frames are handed to it.

        For methods that look into a model, as :class:`fairwitness.counterfactuals.ExactGenerator` does.
        What is asked of it directly is not counted.

        Returns
        -------
        Inside or None
            ``None`` for what shows its answers only: a function, an endpoint, a column, a network file.
        """
        return self._adapter.inside()

    def columns_in(self, frame: NativeFrame) -> list[str]:
        """Names of the columns of ``frame`` that the model reads, in the model's order.

        Raises
        ------
        ModelError
            If a column that the model was trained on is not there.
        """
        present = column_names(frame)
        known = self.info.feature_names
        return present if known is None else model_columns(known, present)

    def judge(self, frame: NativeFrame) -> Judgement:
        """Ask the model about every row.

        Parameters
        ----------
        frame
            pandas, polars or pyarrow table that has at least the columns the model was trained on, in
            any order; other columns are ignored where the model's columns are known.

        Returns
        -------
        Judgement
            Decisions and scores, in the order of the rows. No rows give an empty judgement, and the
            model is not asked.

        Raises
        ------
        QueryBudgetError
            If more than ``max_queries`` rows would have been asked about; nothing is asked then.
        ModelError
            If a column is missing, the model fails, or its answers cannot be read.
        """
        rows = n_rows(frame)
        names = self.columns_in(frame)
        if rows == 0:
            return Judgement.empty()
        if names != column_names(frame):
            frame = select_columns(frame, names)
        self._reserve(rows)
        size = rows if not self.info.can_query else self._batch_size
        parts: list[tuple[np.ndarray, ...]] = []
        with self._adapter.opened():
            for at in range(0, rows, size):
                batch = frame if size >= rows else take_rows(frame, np.arange(at, min(at + size, rows)))
                answers = self._adapter.ask(batch)
                _check_length(answers, n_rows(batch))
                parts.append(answers)
        joined = tuple(np.concatenate(each) for each in zip(*parts, strict=True))
        judgement = self._adapter.read(joined)
        if self.info.has_score:
            refuse_not_finite(judgement.score)
        return judgement

    def _reserve(self, rows: int) -> None:
        with self._lock:
            if self.max_queries is not None and self._asked + rows > self.max_queries:
                raise QueryBudgetError(
                    f"judging {rows:,} more rows would pass the budget of {self.max_queries:,} queries",
                    got=f"{self._asked:,} asked so far",
                    fix="raise max_queries, or audit fewer rows",
                )
            self._asked += rows


def as_blackbox(
    obj: object,
    *,
    favorable: object = 1,
    threshold: float = 0.5,
    kind: Kind = "auto",
    batch_size: int | None = None,
    feature_names: Sequence[str] | None = None,
    max_queries: int | None = None,
    classes: Sequence[object] | None = None,
    output: Output = "auto",
    container: Container = "auto",
    digest: str | None = None,
    endpoint: EndpointSettings | None = None,
) -> BlackBox:
    """Put any model behind one question: whether a row is accepted.

    Parameters
    ----------
    obj
        A fitted scikit-learn estimator or pipeline (or anything with ``predict``), an XGBoost or LightGBM
        model of either interface, a ``torch.nn.Module``, an onnxruntime session, the path of a model file
        (see :func:`fairwitness.model.load_model`), the ``https://`` address of an endpoint, a function of
        a frame that returns scores or labels, a column of predictions, or a :class:`BlackBox` (returned
        as it is).
    favorable
        Label of the good outcome, in its own type: ``1``, ``0``, ``"good"``, ``True``, ... With more than
        two outcomes it is this one against the rest.
    threshold
        Score from which a row is accepted, between 0 and 1; a regressor's number may have any. At 0.5 the
        model's own decision is used where it has one.
    kind
        What ``obj`` is, where that cannot be told; ``"predictions"`` for a column.
    batch_size
        Rows asked about at once; the answers do not depend on it.
    feature_names
        The input columns in the order of training, for models that do not say.
    max_queries
        Most rows that may be asked about in all.
    classes
        The outcomes in the order of the model's output columns, for models that do not say.
    output
        What a model without scikit-learn's interface returns: ``"probability"``, ``"logit"`` or
        ``"labels"``; ``"auto"`` decides and says so in ``info.notes``.
    container
        The kind of table the model is called with: ``"auto"`` is the kind the caller passes (pyarrow
        becomes pandas), or a matrix for a model that was trained on one.
    digest
        SHA-256 of the model's file, if it was loaded from one elsewhere.
    endpoint
        A :class:`fairwitness.model.EndpointSettings` for an address.

    Returns
    -------
    BlackBox
        ``.judge(frame)`` gives every row's decision and its score of the favourable outcome, in [0, 1].

    Raises
    ------
    ModelError
        If ``obj`` is no model, is not fitted, or does not know the favourable label.
    ConfigError
        If a setting makes no sense.

    Examples
    --------
    >>> import pandas as pd
    >>> from fairwitness.model import as_blackbox
    >>> rule = as_blackbox(lambda frame: (frame["income"] > 30).astype(float))
    >>> rule.judge(pd.DataFrame({"income": [20, 40]})).accepted
    array([False,  True])
    """
    if isinstance(obj, BlackBox):
        return obj
    _check_settings(threshold=threshold, batch_size=batch_size, max_queries=max_queries)
    from fairwitness.model.adapters.choose import choose_adapter

    reading = _reading(favorable, threshold, output, classes, container)
    names = _names(feature_names)
    adapter = choose_adapter(obj, kind, reading, feature_names=names, digest=digest, endpoint=endpoint)
    if not adapter.plain_number:
        _check_share(threshold, adapter.info)
    return BlackBox(
        adapter, favorable=favorable, threshold=threshold, batch_size=batch_size, max_queries=max_queries
    )


def judge_by_fold(members: Sequence[BlackBox], fold: IntArray, frame: NativeFrame) -> Judgement:
    """Let every row be judged by the member its entry in ``fold`` names.

    Parameters
    ----------
    members
        One black box a fold, from :meth:`fairwitness.model.CrossFitted.members`; or a single one.
    fold
        (n,) positions in ``members``.
    frame
        The n rows.
    """
    fold = np.asarray(fold)
    out = Judgement(accepted=np.zeros(len(fold), dtype=bool), score=np.full(len(fold), np.nan))
    for position in np.unique(fold).tolist():
        mine = np.flatnonzero(fold == position)
        part = members[position].judge(frame if len(mine) == len(fold) else take_rows(frame, mine))
        out.accepted[mine], out.score[mine] = part.accepted, part.score
    return out


def _check_settings(*, threshold: float, batch_size: int | None, max_queries: int | None) -> None:
    real_number(threshold, "threshold", fix="pass for example 0.5")
    if batch_size is not None:
        whole_number(batch_size, "batch_size", fix="pass 1 or more, or leave it out")
    if max_queries is not None:
        whole_number(max_queries, "max_queries", least=0, fix="pass 0 or more, or leave it out")


def _check_share(threshold: float, info: ModelInfo) -> None:
    """Refuse a threshold that every probability passes, or none; labels have refused any of their own."""
    if not 0 < threshold < 1:
        raise ConfigError(
            f"threshold must lie between 0 and 1, as the scores of {plain(info.name, most=80)} do",
            got=shown(threshold),
            fix="pass for example 0.5, the probability from which a row is accepted",
        )


def _names(given: Sequence[str] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ConfigError(
            "feature_names must be a list of column names",
            got=shown(given),
            fix='pass for example ["age", "income"]',
        )
    return tuple(str(name) for name in given)


def _reading(
    favorable: object, threshold: float, output: str, classes: Sequence[object] | None, container: str
) -> Reading:
    for name, value, known in (("output", output, OUTPUTS), ("container", container, CONTAINERS)):
        if value not in known:
            raise ConfigError(f"{name} is not known", got=shown(value), fix=f"pass one of {listing(known)}")
    if classes is not None and (isinstance(classes, str) or not isinstance(classes, Iterable)):
        raise ConfigError(
            "classes must be a list of outcomes", got=shown(classes), fix='pass for example ["bad", "good"]'
        )
    return Reading(
        favorable=favorable,
        threshold=threshold,
        output=cast(Output, output),
        classes=None if classes is None else tuple(classes),
        container=cast(Container, container),
    )


def _check_length(answers: tuple[np.ndarray, ...], rows: int) -> None:
    for each in answers:
        if len(each) != rows:
            raise ModelError(
                f"asked about {rows:,} rows, the model gave {len(each):,} answers",
                got=f"shape {each.shape}",
                fix="return one answer a row, in the order of the rows",
            )
