"""A reader of UBJSON as XGBoost writes it; long arrays are stepped over, not read."""

from __future__ import annotations

import struct

from fairwitness.errors import ModelError

_NUMBERS = {
    b"i": (">b", 1),
    b"U": (">B", 1),
    b"I": (">h", 2),
    b"l": (">i", 4),
    b"L": (">q", 8),
    b"d": (">f", 4),
    b"D": (">d", 8),
}
_CONSTANTS = {b"T": True, b"F": False, b"Z": None}
_DEEPEST = 64


def read_ubjson(data: bytes) -> object:
    """Read a document; typed arrays of numbers become their length.

    Raises
    ------
    ModelError
        If the bytes are no such document.
    """
    try:
        value, _ = _value(data, 0, depth=0)
    except (IndexError, KeyError, ValueError, struct.error) as error:
        raise ModelError("the file is no readable UBJSON document", fix="save the model again") from error
    return value


def _number(data: bytes, at: int, marker: bytes) -> tuple[int | float, int]:
    form, size = _NUMBERS[marker]
    (value,) = struct.unpack_from(form, data, at)
    return value, at + size


def _length(data: bytes, at: int) -> tuple[int, int]:
    value, at = _number(data, at + 1, data[at : at + 1])
    if not isinstance(value, int) or value < 0 or value > len(data):
        raise ValueError("impossible length")
    return value, at


def _string(data: bytes, at: int) -> tuple[str, int]:
    size, at = _length(data, at)
    if at + size > len(data):
        raise ValueError("string past the end")
    return data[at : at + size].decode("utf-8", errors="replace"), at + size


def _value(data: bytes, at: int, *, depth: int) -> tuple[object, int]:
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    marker = data[at : at + 1]
    at += 1
    if marker == b"{":
        return _object(data, at, depth)
    if marker == b"[":
        return _array(data, at, depth)
    if marker == b"S":
        return _string(data, at)
    if marker in _CONSTANTS:
        return _CONSTANTS[marker], at
    if marker == b"C":
        return data[at : at + 1].decode("ascii", errors="replace"), at + 1
    return _number(data, at, marker)


def _object(data: bytes, at: int, depth: int) -> tuple[object, int]:
    out: dict[str, object] = {}
    while data[at : at + 1] != b"}":
        key, at = _string(data, at)
        out[key], at = _value(data, at, depth=depth + 1)
    return out, at + 1


def _array(data: bytes, at: int, depth: int) -> tuple[object, int]:
    if data[at : at + 1] == b"$":
        marker = data[at + 1 : at + 2]
        if data[at + 2 : at + 3] != b"#":
            raise ValueError("typed array without a length")
        count, at = _length(data, at + 3)
        at += count * _NUMBERS[marker][1]
        if at > len(data):
            raise ValueError("array past the end")
        return count, at
    out: list[object] = []
    if data[at : at + 1] == b"#":
        count, at = _length(data, at + 1)
        for _ in range(count):
            value, at = _value(data, at, depth=depth + 1)
            out.append(value)
        return out, at
    while data[at : at + 1] != b"]":
        value, at = _value(data, at, depth=depth + 1)
        out.append(value)
    return out, at + 1
