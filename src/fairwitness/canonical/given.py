"""What functions of this room are given, checked in one place: engines and sets."""

from __future__ import annotations

from fairwitness.canonical.base import CanonicalSampler, CanonicalSet
from fairwitness.canonical.rows import Rows
from fairwitness.errors import ConfigError


def check_engine(sampler: object) -> None:
    """Refuse what is no engine.

    Raises
    ------
    ConfigError
        If it is none.
    """
    if not isinstance(sampler, CanonicalSampler):
        raise ConfigError(
            "sampler must be an engine of canonical sets",
            got=type(sampler).__qualname__,
            fix="pass for example TreeCanonicalSampler()",
        )


def rows_of(sampler: object) -> Rows:
    """Give the rows that an engine has learnt from.

    Raises
    ------
    ConfigError
        If it is no engine.
    NotFittedError
        If it has not learnt anything yet.
    """
    check_engine(sampler)
    assert isinstance(sampler, CanonicalSampler)
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
