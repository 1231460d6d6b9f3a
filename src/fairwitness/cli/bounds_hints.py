"""Advice written for Python, said in the options of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from fairwitness.errors import FairwitnessError

#: Arguments that have an option, and how their values are written there.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r'bins=\{"([^"]+)": "([^"]+)"\}'), r'--bins "\1 \2"'),
    (re.compile(r'bins=\{"([^"]+)": \[([^\]]+)\]\}'), r"--bins '\1=\2'"),
    (re.compile(r'given=\{"([^"]+)": "([^"]+)"\}'), r"--given '\1=\2'"),
    (re.compile(r'missing="drop"'), "--drop-missing"),
    (re.compile(r"Limits\(columns=([^)]+)\)|limits=\.\.\.|limits=…"), "--most-columns"),
    (re.compile(r'\b(relaxation|sampling|notion|weights)="([^"]+)"'), r"--\1 \2"),
    (re.compile(r"\b(tau|confidence)=([0-9.]+)"), r"--\1 \2"),
    (re.compile(r"\b(bins|predictor|confidence|weights|given)=(?:…|\.\.\.)?"), r"--\1"),
    (re.compile(r"\bin for_rows\b"), "with --for-rows"),
    (re.compile(r" \(notion=None\)"), ""),
    (re.compile(r'\by="…"|\by="\.\.\."|\by=…'), "--truth"),
    (re.compile(r"add them to given\b"), "add them with --given"),
    (re.compile(r" with effect_bounds\b"), " without --for-rows"),
)


def as_options(fix: str) -> str:
    """Write a piece of advice for somebody who types commands: ``missing="drop"`` is ``--drop-missing``."""
    for pattern, option in _RULES:
        fix = pattern.sub(option, fix)
    return re.sub(r"--bins '([^']+)'", lambda found: f"--bins '{found[1].replace(', ', ',')}'", fix)


@contextmanager
def in_options() -> Iterator[None]:
    """Raise errors again with their advice in options."""
    try:
        yield
    except FairwitnessError as error:
        if error.fix:
            error.fix = as_options(error.fix)
        raise
