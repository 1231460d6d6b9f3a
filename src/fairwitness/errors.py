"""One base class for everything that can go wrong, so that every message answers three questions.

What was wrong, what was got, and how to fix it. Callers catch :class:`FairwitnessError`; the command
line turns each branch into an exit code (:attr:`FairwitnessError.exit_code`).
"""

from __future__ import annotations


class FairwitnessError(Exception):
    """Base of all errors raised on purpose.

    Parameters
    ----------
    what
        What is wrong, with the place (file, line, column, row), as one sentence without a full stop.
    got
        The offending value, shortened if need be.
    fix
        What the reader can do about it, as one sentence without a full stop.
    """

    exit_code = 3

    def __init__(self, what: str, *, got: object = None, fix: str | None = None) -> None:
        self.what = what
        self.got = got
        self.fix = fix
        super().__init__(what)

    def __str__(self) -> str:
        parts = [self.what]
        if self.got is not None:
            shown = self.got if isinstance(self.got, str) else repr(self.got)
            parts.append(f"got {shown if len(shown) <= 300 else shown[:297] + '...'}")
        text = "; ".join(parts)
        return f"{text}. To fix: {self.fix}." if self.fix else f"{text}."


class ConfigError(FairwitnessError):
    """The call, the command line or ``audit.toml`` asks for something that makes no sense."""

    exit_code = 2


class DataError(FairwitnessError):
    """The table cannot be read or does not say what is needed."""


class SchemaError(DataError):
    """A column's kind, bounds, levels or constraints do not fit the table."""


class GroupError(DataError):
    """The sensitive features do not give groups that can be compared."""


class ModelError(FairwitnessError):
    """The model cannot be loaded, called, or answers in a shape that makes no sense."""


class UnsafeFileError(ModelError):
    """A model file whose loading could run code, refused unless the user allows it."""


class QueryBudgetError(ModelError):
    """The model would have to be asked more often than the user allows."""


class MissingExtraError(FairwitnessError):
    """An optional dependency is needed and not installed; the message names the extra."""

    exit_code = 2

    def __init__(self, package: str, extra: str, *, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}, which is not installed",
            fix=f'pip install "fairwitness[{extra}]"',
        )
        self.package = package
        self.extra = extra


class UnknownNameError(ConfigError, KeyError):
    """A result is asked for a group, feature, measure or rank that it does not have."""


class NotFittedError(FairwitnessError, ValueError, AttributeError):
    """A method was called before ``fit``."""


class FairwitnessWarning(UserWarning):
    """Something a reader of the result should know; never a reason to stop."""
