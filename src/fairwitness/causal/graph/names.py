"""Names that are not known, with the known ones that read most like them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from fairwitness.text import listing, plain


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Say what to use instead of ``name``: the nearest of the known names, or all of them."""
    texts = {str(each): plain(each) for each in known}
    close = difflib.get_close_matches(str(name), list(texts), n=2, cutoff=0.6)
    if not close:
        lowered = {text.casefold(): text for text in reversed(texts)}
        close = [
            lowered[each] for each in difflib.get_close_matches(str(name).casefold(), list(lowered), n=2)
        ]
    if close:
        return f"use {' or '.join(repr(texts[each]) for each in close)}, if that is meant"
    return f"use one of {listing([repr(text) for text in texts.values()])}"
