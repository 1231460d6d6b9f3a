"""Packages that only some of us need, imported when they are, with the name of the extra that brings them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fairwitness.errors import MissingExtraError


def import_extra(package: str, extra: str, *, purpose: str) -> Any:
    """Give a module of an optional dependency.

    Parameters
    ----------
    package
        Name of the module, which is that of the package.
    extra
        The extra of fairwitness that installs it.
    purpose
        What it is needed for, as the subject of a sentence: ``"training AdvDeb"``.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingExtraError(package, extra, purpose=purpose) from error
