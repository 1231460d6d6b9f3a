"""What functions of this room are given, checked in one place: engines, sets, and names of columns."""

from __future__ import annotations

from fairwitness.arguments import items_of, shown
from fairwitness.canonical.base import CanonicalSampler, CanonicalSet
from fairwitness.canonical.rows import Rows
from fairwitness.errors import ConfigError


def rows_of(sampler: object) -> Rows:
    """Give the rows that an engine has learnt from.

    Raises
    ------
    ConfigError
        If it is no engine.
    NotFittedError
        If it has not learnt anything yet.
    """
    if not isinstance(sampler, CanonicalSampler):
        raise ConfigError(
            "sampler must be an engine of canonical sets",
            got=type(sampler).__qualname__,
            fix="pass for example TreeCanonicalSampler().fit(frame, scores)",
        )
    return sampler._fitted()


def check_set(made: object, name: str) -> None:
    """Refuse what is no set.

    Raises
    ------
    ConfigError
        If an engine did not make it.
    """
    if not isinstance(made, CanonicalSet):
        raise ConfigError(
            f"{name} must be a set that an engine made",
            got=type(made).__qualname__,
            fix="pass what sampler.positive(), sampler.negative() or sampler.sample_set(...) gives",
        )


def check_sets(positive: object, negative: object) -> None:
    """Refuse what are not two sets of one engine.

    Raises
    ------
    ConfigError
        If one is no set, or they are of two engines.
    """
    check_set(positive, "positive")
    check_set(negative, "negative")
    assert isinstance(positive, CanonicalSet)
    assert isinstance(negative, CanonicalSet)
    if positive.rows is not negative.rows:
        raise ConfigError("the two sets are of different engines", fix="make both with one fitted engine")


def labels_of(columns: object, name: str) -> list[str]:
    """Give names of columns as text: one, or a list of them. A table may call its columns 0, 1 and so on.

    Raises
    ------
    ConfigError
        If it is neither.
    """
    if isinstance(columns, str | int) and not isinstance(columns, bool):
        return [str(columns)]
    items = items_of(columns)
    if items is None:
        raise ConfigError(
            f"{name} must be names of columns", got=shown(columns), fix=f'pass for example {name}=["sex"]'
        )
    return [str(each) for each in items]
