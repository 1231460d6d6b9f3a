"""ONNX models: one input tensor or one input a column; a label, probabilities, or plain numbers out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairwitness.errors import MissingExtraError, ModelError
from fairwitness.model.adapters.base import Adapter, Reading, class_scores, decide, no_answer
from fairwitness.model.adapters.containers import numeric_matrix, text_refused
from fairwitness.model.digest import bytes_digest
from fairwitness.model.judgement import Judgement, ModelInfo
from fairwitness.model.labels import as_labels, favorable_index, is_label, own
from fairwitness.model.messages import said
from fairwitness.model.protobuf import OnnxFacts, OnnxValue, read_onnx
from fairwitness.table.columns import read_column
from fairwitness.table.frames import column, column_names, n_rows, native_column
from fairwitness.text import plain
from fairwitness.typing import NativeFrame

_NUMPY = {
    "float": np.float32,
    "double": np.float64,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "bool": np.bool_,
}


def onnx_session(data: bytes) -> Any:
    """Build an onnxruntime session from the bytes of a model.

    Raises
    ------
    MissingExtraError
        If onnxruntime is not installed.
    ModelError
        If the bytes are no usable model.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError("onnxruntime", "models", purpose="reading an ONNX model") from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(data, sess_options=options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own kinds, all of them plain Exceptions
        raise ModelError(
            f"onnxruntime cannot use the model: {said(error)}",
            fix="export it with operators that the installed onnxruntime knows",
        ) from error


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which output is which, and what its numbers mean."""

    label: int | None
    score: int | None
    meaning: Literal["probability", "logit", "number"]
    classes: tuple[object, ...] | None
    notes: tuple[str, ...]


class OnnxAdapter(Adapter):
    """An ONNX model, run by onnxruntime."""

    def __init__(
        self,
        source: object,
        reading: Reading,
        *,
        feature_names: tuple[str, ...] | None,
        digest: str | None,
    ) -> None:
        self._bytes = source if isinstance(source, bytes) else _bytes_of(source)
        self._session: Any = onnx_session(source) if isinstance(source, bytes) else source
        self._facts = read_onnx(self._bytes) if self._bytes is not None else _facts_of(source)
        if self._facts.external_data:
            raise ModelError(
                "the ONNX model keeps weights in another file",
                fix="export it as one file, without external data",
            )
        self._plan = _plan(self._facts, reading)
        self.plain_number = self._plan.meaning == "number"
        self._threshold = reading.threshold
        classes = self._plan.classes
        self._favorable = 0 if classes is None else favorable_index(classes, reading.favorable)
        names = tuple(each.name for each in self._facts.inputs) if len(self._facts.inputs) > 1 else None
        self.info = ModelInfo(
            kind="onnx",
            name=self._facts.producer or "ONNX model",
            classes=classes,
            feature_names=feature_names or names,
            has_score=self._plan.score is not None,
            digest=digest or (None if self._bytes is None else bytes_digest(self._bytes)),
            notes=self._plan.notes,
        )

    def __getstate__(self) -> dict[str, object]:
        # A session cannot travel to another process; the bytes it was built from can.
        if self._bytes is None:
            raise TypeError("an ONNX session without its bytes cannot be sent to another process")
        return {**self.__dict__, "_session": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._session = onnx_session(state["_bytes"])

    def ask(self, frame: NativeFrame) -> tuple[np.ndarray, ...]:
        """Give (labels, scores) for one batch, each present only if the model gives it."""
        plan = self._plan
        wanted = [at for at in (plan.label, plan.score) if at is not None]
        names = [self._facts.outputs[at].name for at in wanted]
        feeds = self._feeds(frame)
        try:
            answers = self._session.run(names, feeds)
        except Exception as error:  # onnxruntime raises its own kinds, all of them plain Exceptions
            raise no_answer(
                self.info.name, error, fix="compare the columns and their types with the model's inputs"
            ) from error
        return tuple(
            self._table(answer) if at == plan.score else as_labels(answer)
            for at, answer in zip(wanted, answers, strict=True)
        )

    def read(self, answers: tuple[np.ndarray, ...]) -> Judgement:
        """Let the model's own label decide at 0.5, else its score."""
        plan = self._plan
        n_classes = len(plan.classes or ())
        labels = None if plan.label is None else answers[0].reshape(len(answers[0]), -1)[:, 0]
        if plan.score is None:
            assert labels is not None
            return Judgement(accepted=self._decided(labels), score=np.full(len(labels), np.nan))
        raw = answers[-1]
        if plan.meaning == "number" or plan.classes is None:
            score = np.asarray(raw, dtype=np.float64).reshape(len(raw), -1)[:, 0]
            return Judgement(accepted=score >= self._threshold, score=score)
        score, lead = class_scores(raw, output=plan.meaning, classes=plan.classes, favorable=self._favorable)
        if labels is not None and self._threshold == 0.5:
            return Judgement(accepted=self._decided(labels), score=score)
        accepted = decide(score, lead, n_classes=n_classes, threshold=self._threshold)
        return Judgement(accepted=accepted, score=score)

    def _decided(self, labels: np.ndarray) -> np.ndarray:
        classes = self.info.classes or ()
        known = np.zeros(len(labels), dtype=bool)
        for label in classes:
            known |= is_label(labels, label)
        if not known.all():
            row = int((~known).argmax())
            raise ModelError(
                f"the model answers with an outcome that is not among the known ones, in row {row}",
                got=plain(repr(own(labels[row])), most=60),
                fix="pass classes= with all outcomes in the order of the probability columns",
            )
        return is_label(labels, classes[self._favorable])

    def _table(self, answer: Any) -> np.ndarray:
        """Bring a list of dictionaries (ZipMap) into one column an outcome."""
        if isinstance(answer, list) and answer and isinstance(answer[0], Mapping):
            classes = self.info.classes or tuple(answer[0])
            return np.array([[row[label] for label in classes] for row in answer], dtype=np.float64)
        return np.asarray(answer, dtype=np.float64)

    def _feeds(self, frame: NativeFrame) -> dict[str, np.ndarray]:
        inputs = self._facts.inputs
        names = column_names(frame)
        if len(inputs) == 1:
            (one,) = inputs
            width = one.shape[-1] if len(one.shape) == 2 else None
            if width is not None and width != len(names):
                raise ModelError(
                    f"the ONNX model takes {width} columns",
                    got=f"{len(names)} columns",
                    fix="pass feature_names= with the columns in the order of training",
                )
            if one.type == "string":
                rows = np.column_stack([column(frame, name).astype(str) for name in names]).astype(object)
                return {one.name: rows}
            matrix = numeric_matrix(frame, purpose="the ONNX model takes one matrix of numbers")
            return {one.name: matrix.astype(_NUMPY.get(one.type, np.float32))}
        wide = next((each for each in inputs if each.shape[1:] not in ((), (1,), (None,))), None)
        if wide is not None or len(inputs) != len(names):
            raise ModelError(
                f"the ONNX model has {len(inputs)} inputs, which do not stand for one column each",
                got=f"{len(names)} columns",
                fix="export the model with one input tensor, or with one input a column",
            )
        return {each.name: _input(frame, name, each) for each, name in zip(inputs, names, strict=True)}


def _input(frame: NativeFrame, name: str, wanted: OnnxValue) -> np.ndarray:
    shape = (n_rows(frame), 1) if len(wanted.shape) != 1 else (n_rows(frame),)
    if wanted.type == "string":
        values = column(frame, name)
        missing = [at for at, value in enumerate(values) if value is None]
        if missing:
            raise ModelError(
                f"the column {plain(name, most=80)!r} is missing in row {missing[0]}; the model takes text",
                fix="give missing text the value that the model was trained with",
            )
        return values.astype(str).astype(object).reshape(shape)
    read = read_column(native_column(frame, name), name=name)
    if read.family not in {"boolean", "integer", "float", "empty"}:
        raise text_refused(frame, name, purpose="the ONNX model takes a number there")
    numbers = read.numbers()
    kind = np.dtype(_NUMPY.get(wanted.type, np.float32))
    if kind.kind in "iub" and np.isnan(numbers).any():
        raise ModelError(
            f"the column {plain(name, most=80)!r} is missing in row {int(np.isnan(numbers).argmax())}, "
            "and the ONNX model takes whole numbers there",
            fix="fill the value as in training",
        )
    return numbers.astype(kind).reshape(shape)


def _plan(facts: OnnxFacts, reading: Reading) -> _Plan:
    label = score = None
    for at, output in enumerate(facts.outputs):
        if output.type in {"int64", "int32", "string", "bool"} and label is None:
            label = at
        elif output.type in {"float", "double", "map"} and (score is None or "prob" in output.name.lower()):
            score = at
    if label is None and score is None:
        raise ModelError(
            "the ONNX model has no output that can be read", fix="export a label or a probability"
        )
    if score is None and reading.threshold != 0.5:
        raise ModelError(
            "the ONNX model gives decisions only, so no threshold can be set",
            got=f"threshold={reading.threshold:g}",
            fix="leave threshold at 0.5, or export the probabilities too",
        )
    notes: list[str] = []
    last = facts.operators[-1] if facts.operators else ""
    meaning: Literal["probability", "logit", "number"] = "probability"
    if reading.output in ("probability", "logit"):
        meaning = "logit" if reading.output == "logit" else "probability"
    elif label is None and last in {"Gemm", "MatMul", "Add"}:
        meaning = "logit"
        notes.append(
            f"The outputs were read as logits because the last operator is {last}; output= says otherwise."
        )
    elif label is None and last not in {"Sigmoid", "Softmax"}:
        notes.append(
            "The model gives a number: it is taken as the score of the favourable outcome, and "
            f"{reading.threshold:g} or more is accepted."
        )
        return _Plan(None, score, "number", None, tuple(notes))
    classes = reading.classes or facts.class_labels
    if classes is None:
        if label is not None and facts.outputs[label].type == "string":
            raise ModelError(
                "the ONNX model answers with words, and the file does not list them",
                fix="pass classes= with all outcomes in the order of the probability columns",
            )
        width = None if score is None else facts.outputs[score].shape[1:]
        classes = tuple(range(max(width[0] or 2, 2) if width else 2))
        notes.append(f"The file does not list the outcomes: {', '.join(map(str, classes))} were assumed.")
    return _Plan(label, score, meaning, classes, tuple(notes))


def _bytes_of(session: Any) -> bytes | None:
    data = getattr(session, "_model_bytes", None)
    if data is not None:
        return bytes(data)
    path = getattr(session, "_model_path", None)
    if path is None:
        return None
    with open(path, "rb") as file:
        return file.read()


def _facts_of(session: Any) -> OnnxFacts:
    if not hasattr(session, "get_inputs"):
        raise ModelError(
            "this is no ONNX model",
            got=plain(type(session).__name__),
            fix="pass the path of an .onnx file, or an onnxruntime session",
        )

    def values(entries: Any) -> list[OnnxValue]:
        return [
            OnnxValue(
                name=entry.name,
                type=entry.type.removeprefix("tensor(").rstrip(")")
                if entry.type.startswith("tensor(")
                else "map",
                shape=tuple(size if isinstance(size, int) else None for size in entry.shape or ()),
            )
            for entry in entries
        ]

    return OnnxFacts(
        inputs=values(session.get_inputs()), outputs=values(session.get_outputs()), has_graph=True
    )
