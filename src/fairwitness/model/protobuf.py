"""Just enough of the protobuf wire format to read what an ONNX file says about itself.

No package is needed and nothing of the model is built: fields are skipped by their length, and only the
few that describe inputs, outputs and operators are looked at.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from fairwitness.errors import ModelError

#: Element types of the ONNX standard that a table can be turned into, and what they are called.
TYPES = {
    1: "float",
    2: "uint8",
    3: "int8",
    5: "int16",
    6: "int32",
    7: "int64",
    8: "string",
    9: "bool",
    11: "double",
}


@dataclass(frozen=True, slots=True)
class OnnxValue:
    """One input or output: name, element type (``"map"`` for dictionaries) and shape (None: any)."""

    name: str
    type: str
    shape: tuple[int | None, ...]

    def to_dict(self) -> dict[str, object]:
        """Give plain values for JSON."""
        return {"name": self.name, "type": self.type, "shape": list(self.shape)}


@dataclass(slots=True)
class OnnxFacts:
    """What an ONNX file says about itself."""

    ir_version: int = 0
    producer: str = ""
    opset: dict[str, int] = field(default_factory=dict)
    inputs: list[OnnxValue] = field(default_factory=list)
    outputs: list[OnnxValue] = field(default_factory=list)
    operators: list[str] = field(default_factory=list)
    class_labels: tuple[object, ...] | None = None
    external_data: bool = False
    has_graph: bool = False


def read_onnx(data: bytes | memoryview) -> OnnxFacts:
    """Read the description of an ONNX model.

    Raises
    ------
    ModelError
        If the bytes are no protobuf message with a graph.
    """
    facts = OnnxFacts()
    try:
        producer = ["", ""]
        for number, value in _fields(memoryview(data)):
            if number == 1 and isinstance(value, int):
                facts.ir_version = value
            elif number in (2, 3) and isinstance(value, memoryview):
                producer[number - 2] = _text(value)
            elif number == 7 and isinstance(value, memoryview):
                facts.has_graph = True
                _graph(value, facts)
            elif number == 8 and isinstance(value, memoryview):
                _opset(value, facts)
        facts.producer = " ".join(filter(None, producer))
    except (ValueError, IndexError, struct.error) as error:
        raise _broken() from error
    if not facts.has_graph or not facts.ir_version:
        raise _broken()
    return facts


def _broken() -> ModelError:
    return ModelError(
        "the file is no readable ONNX model", fix="export the model again, and compare the file's size"
    )


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("varint too long")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == 2:
            size, at = _varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError("unknown wire type")
        if number == 0 or at + size > len(data):
            raise ValueError("field past the end")
        yield number, data[at : at + size]
        at += size


def _text(value: memoryview) -> str:
    return bytes(value).decode("utf-8", errors="replace")


def _messages(data: memoryview, number: int) -> Iterator[memoryview]:
    for found, value in _fields(data):
        if found == number and isinstance(value, memoryview):
            yield value


def _opset(data: memoryview, facts: OnnxFacts) -> None:
    domain, version = "", 0
    for number, value in _fields(data):
        if number == 1 and isinstance(value, memoryview):
            domain = _text(value)
        elif number == 2 and isinstance(value, int):
            version = value
    facts.opset[domain or "ai.onnx"] = version


def _graph(data: memoryview, facts: OnnxFacts) -> None:
    held: set[str] = set()
    for number, value in _fields(data):
        if not isinstance(value, memoryview):
            continue
        if number == 1:
            _node(value, facts)
        elif number == 5:
            for field_number, part in _fields(value):
                if field_number == 8 and isinstance(part, memoryview):
                    held.add(_text(part))
                # data_location = EXTERNAL: the weights lie in another file
                facts.external_data |= field_number == 14 and part == 1
        elif number == 11:
            facts.inputs.append(_value(value))
        elif number == 12:
            facts.outputs.append(_value(value))
    # Old exporters list weights among the inputs.
    facts.inputs = [each for each in facts.inputs if each.name not in held]


def _node(data: memoryview, facts: OnnxFacts) -> None:
    operator = domain = ""
    labels: tuple[object, ...] | None = None
    for number, value in _fields(data):
        if not isinstance(value, memoryview):
            continue
        if number == 4:
            operator = _text(value)
        elif number == 7:
            domain = _text(value)
        elif number == 5:
            labels = _labels(value) or labels
    facts.operators.append(f"{domain}.{operator}" if domain else operator)
    if labels:
        facts.class_labels = labels


def _labels(attribute: memoryview) -> tuple[object, ...] | None:
    name = next((_text(value) for value in _messages(attribute, 1)), "")
    if not name.lower().startswith(("classlabels_", "classes_", "classlabels")):
        return None
    strings = tuple(_text(value) for value in _messages(attribute, 9))
    if strings:
        return strings
    numbers: list[int] = []
    for number, value in _fields(attribute):
        if number == 8 and isinstance(value, int):
            numbers.append(value)
        elif number == 8 and isinstance(value, memoryview):
            at = 0
            while at < len(value):
                item, at = _varint(value, at)
                numbers.append(item)
    # Negative labels are written as two's complement of 64 bits.
    return tuple(item - (1 << 64) if item >= 1 << 63 else item for item in numbers) or None


def _value(data: memoryview) -> OnnxValue:
    name = next((_text(value) for value in _messages(data, 1)), "")
    kind: str = "unknown"
    shape: tuple[int | None, ...] = ()
    for type_proto in _messages(data, 2):
        for number, value in _fields(type_proto):
            if number == 1 and isinstance(value, memoryview):
                kind, shape = _tensor(value)
            elif number in (4, 5):
                kind = "map"
    return OnnxValue(name=name, type=kind, shape=shape)


def _tensor(data: memoryview) -> tuple[str, tuple[int | None, ...]]:
    kind = "unknown"
    dims: list[int | None] = []
    for number, value in _fields(data):
        if number == 1 and isinstance(value, int):
            kind = TYPES.get(value, "unknown")
        elif number == 2 and isinstance(value, memoryview):
            for dim in _messages(value, 1):
                size = next((v for n, v in _fields(dim) if n == 1 and isinstance(v, int)), None)
                dims.append(size if size is None or size > 0 else None)
    return kind, tuple(dims)
