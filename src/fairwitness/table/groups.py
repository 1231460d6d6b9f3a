"""Who is in which group: sensitive features, their privileged value, intersections, missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairwitness.errors import GroupError
from fairwitness.table.levels import level_text
from fairwitness.text import listing, plain
from fairwitness.typing import BoolArray, Document, IntArray, MissingPolicy, ObjectArray

GIVEN = "given"
BY_RATE = "chosen: highest acceptance rate"
BY_SIZE = "chosen: largest group"
CROSS = " × "


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """One sensitive feature of one table, or the intersection of several.

    Parameters
    ----------
    name
        Column name, cut (``"age > 25"``) or intersection (``"race × sex"``).
    labels
        The groups as text, in a fixed order; a group of missing values comes last.
    codes
        (n,) each row's position in ``labels``; -1 where the row was dropped for a missing value.
    privileged
        Position of the privileged group in ``labels``.
    privileged_reason
        ``"given"``, ``"chosen: highest acceptance rate"`` or ``"chosen: largest group"``.
    missing
        What was done with missing values.
    n_missing
        Rows whose value (or the value of any part of an intersection) is missing.
    parts
        The columns that the feature comes from.
    missing_labels
        Positions in ``labels`` that stand for missing values.
    rows
        (n,) rows of the table that each entry stands for, where cells were counted; ``None`` for 1 each.
    """

    name: str
    labels: tuple[str, ...]
    codes: IntArray
    privileged: int
    privileged_reason: str = GIVEN
    missing: MissingPolicy = "group"
    n_missing: int = 0
    parts: tuple[str, ...] = ()
    missing_labels: tuple[int, ...] = field(default=())
    rows: IntArray | None = None

    @property
    def n_groups(self) -> int:
        """Number of groups, G."""
        return len(self.labels)

    @property
    def privileged_label(self) -> str:
        """The privileged group as text."""
        return self.labels[self.privileged]

    @property
    def counts(self) -> IntArray:
        """Rows of each group, shape (G,)."""
        # What was dropped falls into a first cell, which is cut off.
        return np.bincount(self.codes + 1, self.rows, minlength=self.n_groups + 1)[1:].astype(np.int64)

    def index(self, label: object) -> int:
        """Give the position of a group, by its label or by the value it stands for.

        Raises
        ------
        GroupError
            If there is no such group; the message lists the groups.
        """
        text = _label_text(label)
        for candidate in (text, text.replace(">=", "≥").replace("<=", "≤")):
            if candidate in self.labels:
                return self.labels.index(candidate)
        raise GroupError(
            f"{plain(self.name)!r} has no group {plain(text)!r}",
            got=f"groups {listing([plain(each) for each in self.labels], most=30)}",
            fix="use one of these labels",
        )

    def mask(self, label: object) -> BoolArray:
        """Say which rows are in a group, as (n,)."""
        inside: BoolArray = self.codes == self.index(label)
        return inside

    def label_of(self, codes: ArrayLike) -> ObjectArray:
        """Give the label of each code, ``None`` for -1; same shape as ``codes``."""
        palette = np.empty(self.n_groups + 1, dtype=object)
        palette[:-1] = self.labels
        out: ObjectArray = palette[np.asarray(codes)]
        return out

    def small(self, minimum: int) -> tuple[str, ...]:
        """Give the labels of groups with fewer than ``minimum`` rows."""
        return tuple(label for label, n in zip(self.labels, self.counts, strict=True) if n < minimum)

    def take(self, rows: ArrayLike) -> Groups:
        """Give the same groups for some rows (positions or a mask); a group may then be empty."""
        codes = self.codes[np.asarray(rows)]
        left = None if self.rows is None else self.rows[np.asarray(rows)]
        gone = (codes < 0) | np.isin(codes, self.missing_labels)
        n_missing = gone.sum() if left is None else left[gone].sum()
        return replace(self, codes=codes, n_missing=int(n_missing), rows=left)

    def with_privileged(self, label: object) -> Groups:
        """Give the same groups with another privileged one."""
        return replace(self, privileged=self.index(label), privileged_reason=GIVEN)

    def to_dict(self) -> Document:
        """Give name, parts, labels, counts, privileged group and missing values for a document."""
        return {
            "name": self.name,
            "parts": list(self.parts),
            "labels": list(self.labels),
            "counts": self.counts.tolist(),
            "privileged": self.privileged_label,
            "privileged_reason": self.privileged_reason,
            "missing": self.missing,
            "n_missing": self.n_missing,
        }


def sensitive_groups(
    sensitive_features: Any,
    *,
    privileged: object = None,
    accepted: ArrayLike | None = None,
    missing: MissingPolicy = "group",
    intersections: bool | Sequence[Sequence[str]] = False,
    max_groups: int = 200,
    minimum_n: int = 30,
    rows: ArrayLike | None = None,
) -> tuple[Groups, ...]:
    """Find the groups of one or more sensitive features.

    Parameters
    ----------
    sensitive_features
        A table, a mapping of columns, a Series or one array of n values. A mapping's key, or a column
        name, such as ``"age > 25"`` cuts a numeric column in two.
    privileged
        The privileged group: a label where there is one feature, else a mapping from feature to label.
        What is left out is chosen, and the choice is said in ``privileged_reason``: the group with the
        highest acceptance rate if ``accepted`` is given, else the largest. Missing values are never
        chosen.
    accepted
        (n,) whether the row got the favourable outcome.
    missing
        Missing values are an ``"error"``, a ``"group"`` of their own or ``"drop"``-ped (code -1).
    intersections
        ``True``: also all features crossed. Or the crossings that are wanted, as lists of names. Only
        combinations that occur become groups. An intersection's privileged group is the crossing of the
        given ones, if all were given and it occurs.
    max_groups
        Most groups a feature may have.
    minimum_n
        A group below this size is not chosen as privileged for its acceptance rate, as long as a larger
        one exists. No group is ever left out for its size.
    rows
        (n,) rows that each entry stands for, where cells were counted (``accepted`` is then the share of
        them); ``None`` for 1 each.

    Returns
    -------
    tuple of Groups
        One for each feature, then one for each intersection.

    Raises
    ------
    GroupError
        For a feature with one group or too many, numbers without a cut, missing values under ``"error"``,
        an unknown privileged value, or columns of different lengths.
    """
    from fairwitness.table.grouping import build_groups

    return build_groups(
        sensitive_features,
        privileged=privileged,
        accepted=accepted,
        missing=missing,
        intersections=intersections,
        max_groups=max_groups,
        minimum_n=minimum_n,
        rows=rows,
    )


def sensitive_columns(frame: Any, specs: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Take sensitive features out of a table by their names or cuts: ``["race", "age > 25"]``.

    Returns
    -------
    dict
        Spec → native column, ready for :func:`sensitive_groups`.

    Raises
    ------
    DataError
        If a column is not in the table.
    GroupError
        If a column of text is to be cut, or a cut does not end in a number.
    """
    from fairwitness.table.columns import read_column
    from fairwitness.table.cuts import parse_sensitive_spec
    from fairwitness.table.frames import column_labels, native_column

    known = column_labels(frame)
    found = {}
    for name in map(str, specs):
        if name in known:
            found[name] = native_column(frame, name)
            continue
        spec = parse_sensitive_spec(name)
        found[name] = native_column(frame, spec.column)
        if spec.is_cut and read_column(found[name], name=spec.column).family in {"text", "category"}:
            raise GroupError(
                f"the column {plain(spec.column)!r} holds text, which cannot be cut",
                got=plain(name),
                fix=f"name the column alone, {plain(spec.column)!r}, or cut a column of numbers",
            )
    return found


def _label_text(value: object) -> str:
    return level_text(value.item() if isinstance(value, np.generic) else value)
