"""Changes of a level that must not happen, such as from married back to never married."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fairwitness.errors import SchemaError
from fairwitness.table.levels import level_text
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray

if TYPE_CHECKING:
    from fairwitness.table.feature import Feature

#: From each level (``None``: missing) to the levels it must not become.
Transitions: TypeAlias = tuple[tuple[object, tuple[object, ...]], ...]


def checked_transitions(feature: Feature) -> Transitions:
    """Put ``feature.forbidden`` into one form: levels in their own order, each once.

    A mapping, or pairs as :meth:`Feature.to_dict` writes them. Keys that are text find a level that reads
    so, since the keys of a TOML table are always text.

    Raises
    ------
    SchemaError
        If the column has no levels, or one that is named is not among them.
    """
    given: Any = feature.forbidden
    if given is None or (isinstance(given, Mapping | Sequence) and not len(given)):
        return ()
    if not feature.is_coded:
        raise _wrong(feature, given, f"left out: a column of kind {feature.kind} has no levels")
    if isinstance(given, str | bytes) or not isinstance(given, Mapping | Sequence):
        raise _wrong(feature, given, "a mapping from a level to a list of levels")
    pairs = list(given.items()) if isinstance(given, Mapping) else list(given)
    if any(isinstance(pair, str | bytes) or len(tuple(pair)) != 2 for pair in pairs):
        raise _wrong(feature, given, "a mapping from a level to a list of levels")
    known: list[object] = [*feature.levels, *([None] if feature.nullable else [])]
    banned: dict[int, set[int]] = {}
    for start, ends in pairs:
        ends = [ends] if isinstance(ends, str | bytes) or not isinstance(ends, Iterable) else list(ends)
        at = _place(feature, known, start, as_text=True)
        banned.setdefault(at, set()).update(_place(feature, known, end) for end in ends)
    return tuple(
        (known[at], tuple(known[to] for to in sorted(banned[at] - {at})))
        for at in sorted(banned)
        if banned[at] - {at}  # staying is no change
    )


def banned_codes(feature: Feature) -> BoolArray | None:
    """Give (L + 1, L + 1), from code and to code, what must not happen; the last stands for missing.

    ``None`` if nothing is forbidden.
    """
    if not feature.forbidden:
        return None
    places = {level: at for at, level in enumerate(feature.levels)} | {None: len(feature.levels)}
    out = np.zeros((len(places), len(places)), dtype=np.bool_)
    for start, ends in feature.forbidden:
        out[places[start], [places[end] for end in ends]] = True
    return out


def _place(feature: Feature, known: list[object], level: object, *, as_text: bool = False) -> int:
    value = level.item() if isinstance(level, np.generic) else level
    if value is None or value != value:
        value = None
    for at, each in enumerate(known):
        # True is not the level 1, nor the other way round
        if each == value and isinstance(each, bool) == isinstance(value, bool):
            return at
    if as_text and isinstance(value, str):
        for at, each in enumerate(known):
            if each is not None and value.lower() == level_text(each).lower():
                return at
    named = listing([repr(plain(each)) for each in known])
    raise _wrong(feature, level, f"about its levels: {named}")


def _wrong(feature: Feature, got: object, right: str) -> SchemaError:
    return SchemaError(
        f"column {plain(feature.name)!r}: wrong forbidden transitions",
        got=plain(got),
        fix=f"forbidden must be {right}",
    )
