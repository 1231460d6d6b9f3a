"""Numbers and hostile strings as text a person reads: one way of writing them, everywhere."""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections.abc import Iterable, Sequence

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


#: Numbers below this are written with a power of ten: a row of zeros cannot be read.
SMALL = 1e-6


def number(value: float, digits: int = 3) -> str:
    """Write ``value`` with ``digits`` significant digits, plainly; ``–`` if it is not a number."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    if abs(value) < SMALL:
        return f"{value:.{digits - 1}e}"
    rounded = float(f"{value:.{digits - 1}e}")
    magnitude = math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{max(digits - 1 - magnitude, 0)}f}"


def percent(value: float) -> str:
    """Write a fraction as a percentage without decimals: ``0.123`` → ``12 %``."""
    return f"{100 * value:.0f} %" if math.isfinite(value) else "–"


def interval(low: float, high: float, *, as_percent: bool = False) -> str:
    """Write an interval in square brackets, as numbers or as percentages."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "[–]"
    if as_percent:
        return f"[{100 * low:.0f}, {100 * high:.0f}]"
    return f"[{number(low)}, {number(high)}]"


def listing(items: Sequence[str], *, most: int = 10) -> str:
    """Join ``items`` with commas and "and"; beyond ``most`` say how many more there are."""
    shown = list(items[:most])
    if len(items) > most:
        shown.append(f"{len(items) - most} more")
    if len(shown) <= 1:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def plain(value: object, *, most: int = 200) -> str:
    """Make any value safe to print: control, bidirectional and escape characters become visible.

    Column names and cell values are hostile input. What comes out holds no terminal escape, no line
    break, no text-direction override, and at most ``most`` characters.
    """
    out: list[str] = []
    for character in str(value):
        category = unicodedata.category(character)
        if character in _BIDI or category in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}:
            out.append(f"\\u{ord(character):04x}")
        else:
            out.append(character)
    text = "".join(out)
    return text if len(text) <= most else text[: most - 1] + "…"


def csv_cell(value: object) -> object:
    """Disarm a text cell that a spreadsheet would run as a formula, by a leading apostrophe."""
    if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value


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
