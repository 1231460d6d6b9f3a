"""One column: its kind, what it may become, and what it must never do."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from fairwitness.errors import SchemaError
from fairwitness.table.levels import sort_levels
from fairwitness.table.transitions import Transitions, checked_transitions
from fairwitness.text import listing, plain
from fairwitness.typing import Document

Kind: TypeAlias = Literal["numeric", "integer", "ordinal", "categorical", "boolean"]
Monotone: TypeAlias = Literal["increase", "decrease"]

_Number = (int, float)
KINDS: tuple[Kind, ...] = ("numeric", "integer", "ordinal", "categorical", "boolean")
_CODED = frozenset({"ordinal", "categorical", "boolean"})
CHANGEABLE = (
    "kind", "bounds", "precision", "levels", "allowed", "forbidden", "immutable", "monotone", "nullable",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Feature:
    """One column of the model's input.

    A value that a row has already is always permitted to stay: ``bounds``, ``allowed``, ``forbidden`` and
    ``monotone`` say what a counterfactual may *change* it to.

    Parameters
    ----------
    name
        Name of the column as text.
    kind
        ``"numeric"``, ``"integer"``, ``"ordinal"`` (levels from low to high), ``"categorical"`` or
        ``"boolean"``.
    bounds
        Numeric and integer: inclusive range of values a counterfactual may take; ``None``: any.
    precision
        Numeric: decimals of the values, ``None`` for full floating point. Integer: 0.
    levels
        Coded kinds: all values that can occur, in their own type; ordinal from low to high.
    allowed
        Coded kinds: the levels a counterfactual may take, ``None`` among them if it may become missing.
        ``None`` instead of a tuple: all, and missing where ``nullable``.
    forbidden
        Coded kinds: changes that must not happen, as a mapping from a level to the levels it must not
        become, ``None`` for missing: ``{"Married": ["Never-married"]}``. Kept as pairs. A level that
        nothing may become is better left out of ``allowed``.
    immutable
        A counterfactual keeps the value.
    monotone
        Numeric, integer, ordinal: the only direction of change. A value can then neither become missing
        nor stop being so.
    nullable
        Missing values occur; missing is then a value of its own.
    column
        The column's label in the table where that is not ``name`` itself (pandas labels need not be text).

    Raises
    ------
    SchemaError
        If the fields contradict each other; the message names the column and what is allowed.
    """

    name: str
    kind: Kind
    bounds: tuple[float, float] | None = None
    precision: int | None = None
    levels: tuple[object, ...] = ()
    allowed: tuple[object, ...] | None = None
    immutable: bool = False
    monotone: Monotone | None = None
    nullable: bool = False
    column: Hashable = None
    forbidden: Transitions = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise _wrong(self.name, "kind", self.kind, "one of " + listing([repr(k) for k in KINDS]))
        for flag in ("immutable", "nullable"):
            if not isinstance(getattr(self, flag), bool):
                raise _wrong(self.name, flag, getattr(self, flag), "True or False")
        put = object.__setattr__
        if self.column is None:
            put(self, "column", self.name)
        if self.is_coded:
            put(self, "levels", self._checked_levels())
            put(self, "allowed", self._checked_allowed())
            if self.bounds is not None or self.precision is not None:
                raise _wrong(
                    self.name,
                    "bounds and precision",
                    (self.bounds, self.precision),
                    "left out: it has levels",
                )
        else:
            put(self, "bounds", self._checked_bounds())
            put(self, "precision", self._checked_precision())
            if self.levels or self.allowed is not None:
                raise _wrong(
                    self.name, "levels and allowed", (self.levels, self.allowed), "left out: use bounds"
                )
        put(self, "forbidden", checked_transitions(self))
        if self.monotone is not None:
            if self.kind in {"categorical", "boolean"}:
                raise _wrong(self.name, "monotone", self.monotone, f"left out: {self.kind} has no direction")
            if self.monotone not in {"increase", "decrease"}:
                raise _wrong(self.name, "monotone", self.monotone, "'increase', 'decrease' or None")

    @property
    def is_coded(self) -> bool:
        """Whether the column has levels (ordinal, categorical, boolean) rather than numbers."""
        return self.kind in _CODED

    def to_dict(self) -> Document:
        """Give a dictionary that :mod:`json` can write; :meth:`from_dict` reads it back."""
        return {
            "name": self.name,
            "kind": self.kind,
            "bounds": None if self.bounds is None else list(self.bounds),
            "precision": self.precision,
            "levels": [_to_json(level) for level in self.levels],
            "allowed": None if self.allowed is None else [_to_json(level) for level in self.allowed],
            "forbidden": [
                [_to_json(start), [_to_json(end) for end in ends]] for start, ends in self.forbidden
            ],
            "immutable": self.immutable,
            "monotone": self.monotone,
            "nullable": self.nullable,
            **({"column": self.column} if isinstance(self.column, int) else {}),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Feature:
        """Read what :meth:`to_dict` wrote."""
        return cls(**fields_only(dict(document), {f.name for f in fields(cls)}, document.get("name", "?")))

    def _checked_levels(self) -> tuple[object, ...]:
        levels = _as_tuple(self.name, "levels", self.levels)
        for level in levels:
            if level is None or level != level:
                raise _wrong(self.name, "levels", levels, "values only: set nullable=True for missing")
        if len(set(levels)) < len(levels) or not levels:
            raise _wrong(self.name, "levels", levels, "a list of one or more different values")
        if self.kind == "boolean" and len(levels) > 2:
            raise _wrong(self.name, "levels", levels, "at most two values, for a boolean column")
        return levels

    def _checked_allowed(self) -> tuple[object, ...] | None:
        if self.allowed is None:
            return None
        allowed = _as_tuple(self.name, "allowed", self.allowed)
        stray = [value for value in allowed if value is not None and value not in self.levels]
        if stray or not allowed or (None in allowed and not self.nullable):
            known = listing([repr(plain(level)) for level in self.levels])
            raise _wrong(self.name, "allowed", stray or allowed, f"some of its levels: {known}")
        kept = tuple(level for level in self.levels if level in allowed)
        return (*kept, None) if None in allowed else kept

    def _checked_bounds(self) -> tuple[float, float] | None:
        if self.bounds is None:
            return None
        ends = _as_tuple(self.name, "bounds", self.bounds)
        right = "two numbers, the lower one first"
        if len(ends) != 2 or any(isinstance(e, bool) or not isinstance(e, _Number) for e in ends):
            raise _wrong(self.name, "bounds", self.bounds, right)
        low, high = (float(end) for end in ends)  # type: ignore[arg-type]
        if math.isnan(low) or math.isnan(high) or low > high:
            raise _wrong(self.name, "bounds", self.bounds, right)
        return low, high

    def _checked_precision(self) -> int | None:
        if self.kind == "integer":
            if self.precision not in {None, 0}:
                raise _wrong(self.name, "precision", self.precision, "0 for an integer column")
            return 0
        if self.precision is None:
            return None
        if isinstance(self.precision, bool) or not isinstance(self.precision, int):
            raise _wrong(self.name, "precision", self.precision, "a number of decimals, or None")
        if not 0 <= self.precision <= 15:
            raise _wrong(self.name, "precision", self.precision, "between 0 and 15 decimals")
        return self.precision


def revise(old: Feature, changes: Mapping[str, Any]) -> Feature:
    """Change some fields of a feature; a new kind takes what it can from the old one."""
    changed = dict(changes)
    if changed.get("bounds") is not None and old.bounds is not None:
        changed["bounds"] = fill_bounds(old.name, changed["bounds"], old.bounds)
    kind = changed.get("kind", old.kind)
    if kind == old.kind or kind not in KINDS:
        if "levels" in changed and "allowed" not in changed and old.allowed is not None:
            changed["allowed"] = None
        return replace(old, **changed)
    if kind in _CODED:
        changed.setdefault("bounds", None)
        changed.setdefault("precision", None)
        if "levels" not in changed and (
            not old.is_coded or (kind == "ordinal" and not _has_order(old.levels))
        ):
            raise SchemaError(
                f"column {plain(old.name)!r} cannot become {kind} without its levels",
                fix=f"pass levels=[...]{' from low to high' if kind == 'ordinal' else ''}, "
                "or give the kind to Schema.infer, which sees the values",
            )
    else:
        changed.update(levels=(), allowed=None)
        if old.is_coded:
            if not all(isinstance(level, _Number) for level in old.levels):
                raise _wrong(
                    old.name, "kind", kind, "ordinal, categorical or boolean: its values are no numbers"
                )
            sizes = [float(level) for level in old.levels]  # type: ignore[arg-type]
            changed.setdefault("bounds", (min(sizes), max(sizes)))
    if kind in {"categorical", "boolean"}:
        changed.setdefault("monotone", None)
    return replace(old, **changed)


def fill_bounds(name: str, bounds: Any, observed: tuple[float, float]) -> tuple[object, ...]:
    """Put observed ends where ``bounds`` says ``None``."""
    ends = _as_tuple(name, "bounds", bounds)
    if len(ends) != 2:
        return ends  # Feature says what is wrong with them
    return tuple(seen if end is None else end for end, seen in zip(ends, observed, strict=True))


def check_overrides(overrides: Mapping[str, Any], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Check that overrides name columns that exist and fields that can be set."""
    for name, changes in overrides.items():
        if name not in names:
            raise SchemaError(
                f"the schema describes a column {plain(name)!r} that the table does not have",
                got=f"columns {listing([plain(each) for each in names])}",
                fix="check the spelling",
            )
        if not isinstance(changes, Mapping):
            raise _wrong(name, "description", changes, 'a mapping such as {"immutable": True}')
    return {n: fields_only(dict(changes), set(CHANGEABLE), n) for n, changes in overrides.items()}


def _has_order(levels: tuple[object, ...]) -> bool:
    """Whether sorting the levels gives low to high: true of numbers, not of words."""
    return all(isinstance(level, _Number) for level in levels) and levels == sort_levels(levels)


def fields_only(given: dict[str, Any], known: set[str], name: str) -> dict[str, Any]:
    """Refuse fields that a column does not have, and put lists into one form."""
    stray = [key for key in given if key not in known]
    if stray:
        raise SchemaError(
            f"column {plain(name)!r} cannot be described by {plain(stray[0])!r}",
            fix=f"use {listing(sorted(known))}",
        )
    for key in ("levels", "allowed", "bounds"):
        if given.get(key) is not None:
            given[key] = _as_tuple(name, key, given[key])
    return given


def _as_tuple(name: str, field: str, values: Any) -> tuple[object, ...]:
    """Take any list-like as Python values; a set has no order, so it is sorted."""
    if isinstance(values, set | frozenset):
        return sort_levels(values)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable) or isinstance(values, Mapping):
        raise _wrong(name, field, values, "a list of values")
    return tuple(value.item() if isinstance(value, np.generic) else value for value in values)


def _to_json(level: object) -> object:
    return level if level is None or isinstance(level, str | int | float | bool) else str(level)


def _wrong(name: str, field: str, got: object, right: str) -> SchemaError:
    return SchemaError(
        f"column {plain(name)!r}: wrong {field}", got=plain(got), fix=f"{field} must be {right}"
    )
