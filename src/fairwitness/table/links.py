"""Columns that change together: education as text and as a number, a city and its region."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.errors import SchemaError
from fairwitness.text import listing, plain
from fairwitness.typing import Document

if TYPE_CHECKING:
    from fairwitness.table.feature import Feature

Combination = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """Columns of which only certain combinations of values make sense.

    A counterfactual keeps all of them as the query has them, or takes one of the combinations.

    Parameters
    ----------
    columns
        Two or more column names. A column is in one link at most.
    combinations
        The combinations that may occur, one value a column, ``None`` for missing. ``None`` instead of a
        tuple: those that occur in the table, read by :meth:`fairwitness.table.Encoder.fit`.

    Raises
    ------
    SchemaError
        If there are fewer than two columns, or a combination has another number of values.
    """

    columns: tuple[str, ...]
    combinations: tuple[Combination, ...] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "columns", tuple(self.columns))
        if len(set(self.columns)) < max(len(self.columns), 2):
            raise _wrong(self.columns, "columns", listing(self.columns) or "none", "two or more names")
        if self.combinations is None:
            return
        rows = tuple(dict.fromkeys(self._row(row) for row in self.combinations))
        if not rows:
            raise _wrong(self.columns, "combinations", "none", "at least one combination")
        put(self, "combinations", rows)

    def _row(self, row: Any) -> Combination:
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            row = (row,)
        values = tuple(value.item() if isinstance(value, np.generic) else value for value in row)
        values = tuple(None if value is None or value != value else value for value in values)
        if len(values) != len(self.columns):
            raise _wrong(self.columns, "combinations", values, f"rows of {len(self.columns)} values")
        return values

    def select(self, names: Iterable[str]) -> Link | None:
        """Give what the link says of some columns; ``None`` if fewer than two of its own are left."""
        wanted = set(names)
        kept = [at for at, name in enumerate(self.columns) if name in wanted]
        if len(kept) == len(self.columns):
            return self
        if len(kept) < 2:
            return None
        rows = self.combinations
        return Link(
            tuple(self.columns[at] for at in kept),
            None if rows is None else tuple(tuple(row[at] for at in kept) for row in rows),
        )

    def to_dict(self) -> Document:
        """Give a dictionary that :mod:`json` can write; :meth:`from_dict` reads it back."""
        rows = self.combinations
        return {
            "columns": list(self.columns),
            "combinations": None if rows is None else [[_to_json(value) for value in row] for row in rows],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Link:
        """Read what :meth:`to_dict` wrote."""
        rows = document.get("combinations")
        return cls(tuple(document["columns"]), None if rows is None else tuple(tuple(row) for row in rows))


def link_from(
    columns: tuple[str, ...], values: Mapping[Any, Any] | None, combinations: Iterable[Any] | None
) -> Link:
    """Make a link from a mapping of the first column's values, or from combinations, or from neither."""
    if values is None:
        return Link(columns, None if combinations is None else tuple(combinations))
    if combinations is not None or not isinstance(values, Mapping):
        raise _wrong(columns, "values", plain(values), "a mapping, and no combinations beside it")
    rows = []
    for first, rest in values.items():
        alone = isinstance(rest, str | bytes) or not isinstance(rest, Iterable)
        rows.append((first, rest) if alone else (first, *rest))
    return Link(columns, tuple(rows))


def joined_links(named: Mapping[str, Sequence[str]]) -> tuple[Link, ...]:
    """Make links from what each column says it is linked with; what hangs together is one link."""
    groups: list[list[str]] = []
    for name, others in named.items():
        mine = list(dict.fromkeys([name, *others]))
        apart = []
        for group in groups:
            if set(group) & set(mine):
                mine = list(dict.fromkeys([*group, *mine]))
            else:
                apart.append(group)
        groups = [*apart, mine]
    return tuple(Link(tuple(group)) for group in groups)


def check_links(links: Sequence[Link], features: Sequence[Feature]) -> None:
    """Check that links speak of columns that exist, of each once, and of values they can have.

    Raises
    ------
    SchemaError
        Naming the column and what is allowed.
    """
    known = {feature.name: feature for feature in features}
    seen: set[str] = set()
    for link in links:
        for at, name in enumerate(link.columns):
            if name not in known:
                columns = listing([plain(each) for each in known])
                raise _wrong(link.columns, "columns", plain(name), f"columns of the table: {columns}")
            if name in seen:
                raise SchemaError(
                    f"column {plain(name)!r} is in two links",
                    fix="put all columns that change together into one link",
                )
            seen.add(name)
            for row in link.combinations or ():
                _check_value(known[name], row[at])


def _check_value(feature: Feature, value: object) -> None:
    if value is None:
        fine, right = feature.nullable, "values only: the column has no missing ones"
    elif feature.is_coded:
        fine = value in feature.levels
        right = f"about its levels: {listing([repr(plain(level)) for level in feature.levels])}"
    else:
        right = "whole numbers" if feature.kind == "integer" else "numbers"
        fine = isinstance(value, int | float) and not isinstance(value, bool)
        if fine and feature.kind == "integer" and isinstance(value, float):
            fine = value.is_integer()
    if not fine:
        raise SchemaError(
            f"column {plain(feature.name)!r}: a link names a value that it cannot have",
            got=plain(repr(value)),
            fix=f"combinations must be {right}",
        )


def _to_json(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _wrong(columns: Iterable[str], field: str, got: object, right: str) -> SchemaError:
    names = listing([repr(plain(name)) for name in columns]) or "no columns"
    return SchemaError(f"link of {names}: wrong {field}", got=plain(got), fix=f"{field} must be {right}")
