"""What every loader gives back: the table, who is in it, and what was done to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fairwitness.arguments import shown
from fairwitness.errors import ConfigError
from fairwitness.text import listing
from fairwitness.typing import BoolArray, Document

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Dataset:
    """One public data set, ready for a model and an audit.

    Attributes
    ----------
    name, title
        Short name (``adult``) and one line for a reader.
    X
        (n, d) frame of model inputs. No sensitive column that the loader was asked for is in it.
    y
        (n,) true outcome, in readable labels; named :attr:`outcome`.
    sensitive
        (n, s) frame of the sensitive features, in readable labels; missing where not recorded.
    favorable
        The label of ``y`` that is good for the person.
    privileged
        Sensitive feature → the value every other value is compared with.
    people
        What one row is, in the plural: ``applicants``.
    kinds
        Column → hints for ``Schema.infer`` that the values alone do not show (integer codes that are
        categories, orders of levels).
    immutable
        Columns that no one can change about themselves.
    descriptions
        Column → what it means and its unit.
    dropped
        Column of the file → why it is neither in ``X`` nor in ``sensitive``.
    missing
        Column → number of missing values, in the file's rows before any row was left out.
    notes
        Sentences for a report: what was done to the data, and what a reader should know about it.
    beside
        (n, b) frame of columns that are no model inputs but of use beside them (a published split, scores
        of another model, finer groups).
    source, licence
        Where the data come from, and under which terms.
    digest
        SHA-256 of the (unpacked) file that was read; ``None`` where there was no single file.
    """

    name: str
    title: str
    X: pd.DataFrame
    y: pd.Series[Any]
    sensitive: pd.DataFrame
    favorable: object
    privileged: Mapping[str, object]
    people: str
    source: str
    licence: str
    kinds: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    immutable: tuple[str, ...] = ()
    descriptions: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    beside: pd.DataFrame | None = None
    digest: str | None = None

    @property
    def outcome(self) -> str:
        """Name of the outcome column."""
        return str(self.y.name)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def favored(self) -> BoolArray:
        """(n,) whether the true outcome is the favourable one."""
        return np.asarray(self.y == self.favorable, dtype=bool)

    @property
    def schema_hints(self) -> dict[str, dict[str, object]]:
        """Column → overrides, for ``Schema.infer(data.X, **data.schema_hints)``."""
        hints = {column: dict(kind) for column, kind in self.kinds.items()}
        for column in self.immutable:
            hints.setdefault(column, {})["immutable"] = True
        return hints

    def group_share(self, feature: str) -> float:
        """Give the share of rows in the privileged group, among rows whose group is known."""
        self._check(feature)
        known = self.sensitive[feature].notna()
        return float((self.sensitive.loc[known, feature] == self.privileged[feature]).mean())

    def outcome_gap(self, feature: str) -> float:
        """Give the favourable share of the privileged group less that of all others (the data's own DSP)."""
        self._check(feature)
        known = self.sensitive[feature].notna().to_numpy()
        inside = (self.sensitive[feature] == self.privileged[feature]).to_numpy()
        good = self.favored
        return float(good[known & inside].mean() - good[known & ~inside].mean())

    def _check(self, feature: str) -> None:
        if feature not in self.sensitive:
            raise ConfigError(
                "there is no such sensitive feature in this data set",
                got=shown(feature),
                fix=f"use one of {listing([str(name) for name in self.sensitive])}",
            )

    def to_dict(self) -> Document:
        """Give what a report prints about the data, as plain values (no rows)."""
        return {
            "name": self.name,
            "title": self.title,
            "rows": self.n_rows,
            "columns": list(map(str, self.X.columns)),
            "outcome": self.outcome,
            "favorable": str(self.favorable),
            "privileged": {feature: str(value) for feature, value in self.privileged.items()},
            "dropped": dict(self.dropped),
            "missing": dict(self.missing),
            "notes": list(self.notes),
            "source": self.source,
            "licence": self.licence,
            "digest": self.digest,
        }

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name!r}, {self.n_rows} rows, {self.X.shape[1]} inputs, "
            f"sensitive={list(self.sensitive.columns)}, favorable={self.favorable!r})"
        )
