"""The one order of levels: by value, never by where a value first appears in the table."""

from __future__ import annotations

from collections.abc import Iterable


def sort_levels(values: Iterable[object]) -> tuple[object, ...]:
    """Sort distinct values: booleans, then numbers by size, then text by code point, then the rest.

    Equal values are kept once. The result depends on the values only.
    """
    return tuple(sorted(dict.fromkeys(values), key=_key))


def level_text(value: object) -> str:
    """Write a level for people: whole floats without ``.0``, everything else as it reads."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _key(value: object) -> tuple[int, float, str, str]:
    if isinstance(value, bool):
        return (0, value, "", "")
    if isinstance(value, int | float):
        return (1, value, "", "")  # Python compares integers and floats exactly, however large
    if isinstance(value, str):
        return (2, 0, value, "")
    return (3, 0, type(value).__name__, str(value))
