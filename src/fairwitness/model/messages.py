"""What another library said, in one printable line."""

from __future__ import annotations

from fairwitness.text import plain


def said(error: BaseException, *, most: int = 200) -> str:
    """Give kind and first line of an error, safe to print."""
    lines = str(error).strip().splitlines()
    first = plain(lines[0].strip(), most=most) if lines else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
