"""What the columns of a table mean, together: a schema, read off the table or written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fairwitness.arguments import shown
from fairwitness.errors import SchemaError
from fairwitness.table.feature import CHANGEABLE, Feature, Kind, Monotone, fields_only, revise
from fairwitness.table.links import Link, check_links, link_from
from fairwitness.text import listing, plain
from fairwitness.typing import Document, NativeFrame

__all__ = ["Feature", "Kind", "Monotone", "Schema"]


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of the model's input, in order.

    Parameters
    ----------
    features
        One :class:`Feature` a column.
    warnings
        What :meth:`infer` was not sure about, as sentences.
    links
        Columns that change together; see :meth:`link`.
    """

    features: tuple[Feature, ...]
    warnings: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        names = [feature.name for feature in self.features]
        if len(set(names)) < len(names):
            twice = [plain(name) for name in dict.fromkeys(names) if names.count(name) > 1]
            raise SchemaError(
                "the schema has two columns of one name", got=listing(twice), fix="rename one of them"
            )
        check_links(self.links, self.features)

    @classmethod
    def infer(cls, frame: NativeFrame, /, **overrides: Mapping[str, Any]) -> Schema:
        """Read kinds, ranges and levels from a table.

        Booleans and whole numbers that are only ever 0 and 1 become ``"boolean"``, other whole numbers
        ``"integer"``, floats ``"numeric"`` (a float column of nothing but 0 and 1 is boolean too, since
        pandas turns integers with gaps into floats), text and declared categories ``"categorical"``,
        *ordered* pandas and arrow categories ``"ordinal"``. A polars Enum lists its values without saying
        that their order means anything: it is categorical unless overridden, and then its own order
        counts. Bounds are the smallest and largest observed value; levels that a type declares and no
        row has are known but not among the ``allowed``.

        Parameters
        ----------
        frame
            pandas, polars or pyarrow table, one row a person.
        **overrides
            Column name → fields of :class:`Feature` that are known better. An end of ``bounds`` that is
            ``None`` is filled in from the data. ``linked`` names the columns that change together with
            this one, in combinations that occur in the table (see :meth:`link`).

        Raises
        ------
        SchemaError
            For an unknown column or field, or one that does not fit the data.
        DataError
            For a table without rows or columns, repeated names, or values of a type that cannot be used.

        Examples
        --------
        >>> Schema.infer(frame, age={"bounds": (18, 99), "immutable": True},
        ...              **{"marital status": {"allowed": ["single", "married"]}})  # doctest: +SKIP
        """
        from fairwitness.table.infer import infer_schema

        return infer_schema(frame, overrides)

    def feature(self, name: str, /, **changes: Any) -> Schema:
        """Give a copy with one column changed: ``schema.feature("age", immutable=True)``.

        Raises
        ------
        SchemaError
            For an unknown column or field, or a change that contradicts the rest.
        """
        old = self[name]
        changes = fields_only(dict(changes), set(CHANGEABLE), name)
        new = revise(old, changes)
        return replace(self, features=tuple(new if each is old else each for each in self.features))

    def link(
        self,
        first: str,
        /,
        *others: str,
        values: Mapping[Any, Any] | None = None,
        combinations: Iterable[Sequence[object]] | None = None,
    ) -> Schema:
        """Give a copy in which some columns change together only.

        A counterfactual then keeps all of these columns as its query has them, or takes a combination
        that may occur.

        Parameters
        ----------
        first, *others
            Two or more columns; a column is in one link at most.
        values
            What the others are for each value of the first: one value, or a list of one each.
        combinations
            Instead of ``values``: every combination that may occur, one value a column. With neither,
            those that occur in the table that an encoder or generator is fitted on.

        Raises
        ------
        SchemaError
            For an unknown or repeated column, or a value that a column cannot have.

        Examples
        --------
        >>> schema.link("education", "education-num")  # doctest: +SKIP
        >>> schema.link("education", "education-num", values={"HS-grad": 9, "Masters": 14})  # doctest: +SKIP
        """
        return replace(self, links=(*self.links, link_from((first, *others), values, combinations)))

    def select(self, names: Sequence[str]) -> Schema:
        """Give the columns called ``names``, in that order, and what links say of them."""
        links = tuple(kept for link in self.links if (kept := link.select(names)) is not None)
        return replace(self, features=tuple(self[name] for name in names), links=links)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, in order."""
        return tuple(feature.name for feature in self.features)

    def __getitem__(self, name: str) -> Feature:
        for feature in self.features:
            if feature.name == name:
                return feature
        known = listing([plain(each) for each in self.names])
        raise SchemaError(
            f"there is no column {plain(name)!r}", got=f"columns {known}", fix="check the spelling"
        )

    def __len__(self) -> int:
        return len(self.features)

    def __iter__(self) -> Iterator[Feature]:
        return iter(self.features)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def to_dict(self) -> Document:
        """Give a dictionary that :mod:`json` can write; :meth:`from_dict` reads it back."""
        return {
            "features": [feature.to_dict() for feature in self.features],
            "warnings": list(self.warnings),
            "links": [link.to_dict() for link in self.links],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Schema:
        """Read what :meth:`to_dict` wrote.

        Raises
        ------
        SchemaError
            If it is something else.
        """
        if not isinstance(document, Mapping) or "features" not in document:
            raise SchemaError(
                "this is no schema as to_dict writes it", got=shown(document), fix="pass Schema.to_dict()"
            )
        return cls(
            tuple(Feature.from_dict(each) for each in document["features"]),
            tuple(document.get("warnings", ())),
            tuple(Link.from_dict(each) for each in document.get("links", ())),
        )
