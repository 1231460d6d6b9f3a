"""Values as the page shows them: numbers aligned and short, names harmless and set apart."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from fairwitness import text

Value = Mapping[str, Any] | None

# Letters that run from right to left would pull the numbers after them along; isolated, they cannot.
_RTL = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RTL_RUN = re.compile(f"[{_RTL}](?:[^a-zA-Z0-9<>&;]*[{_RTL}])*")

# A hyphen before a number is a minus sign, unless it joins two things (a date, a name, a range).
_MINUS = re.compile(r"(?<![\w.)\]-])-(?=\d)")

# A number and its unit, an interval, a small equation: what must not be torn apart at the end of a line.
_HELD = re.compile(r"\d %| ?\[[^\]<>]{1,40}\]|\b[nkpρ] [=&lt;]+ −?[\d.]+")
_LONG = 24

#: Hundredths nearer to 0 than this come from rounding.
ROUNDING = 1e-9

DASH = "–"
_NBSP = "\u00a0"


def name(value: object) -> Markup:
    """Show a name or value of the user's: visible, harmless, in its own direction."""
    shown = text.plain(value)
    # Only names without a place to break may be broken anywhere; others would be torn in narrow columns.
    long = any(len(word) > _LONG for word in shown.split())
    return Markup('<bdi class="long">{}</bdi>' if long else "<bdi>{}</bdi>").format(shown)


def prose(value: object) -> Markup:
    """Show a sentence that may hold names of the user's."""
    safe = _MINUS.sub("−", str(escape(text.plain(value, most=4000))))
    safe = _HELD.sub(lambda match: held(match[0]), safe)
    return Markup(_RTL_RUN.sub(lambda match: f"<bdi>{match[0]}</bdi>", safe))


def held(shown: str) -> str:
    """Keep ``shown`` on one line."""
    return shown.replace(" ", _NBSP)


def finite(value: object) -> float:
    """Give a number as a float, and NaN for whatever is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    return float(value)


def number(value: object, digits: int = 3) -> str:
    """Write a number with three significant digits and a true minus sign."""
    return text.number(finite(value), digits).replace("-", "−")


def measured(value: object) -> str:
    """Write a number that may be a count: whole numbers from 2 upwards without decimals."""
    given = finite(value)
    return count(given) if abs(given) >= 2 and given.is_integer() else number(given)


def count(value: object) -> str:
    """Write a count with thousands set apart."""
    given = finite(value)
    return f"{given:,.0f}" if math.isfinite(given) else DASH


def percent(value: object) -> str:
    """Write a share as a percentage without decimals."""
    return held(text.percent(finite(value)).replace("-", "−"))


def interval(low: object, high: object) -> str:
    """Write an interval in square brackets; nothing if there is none."""
    given = finite(low), finite(high)
    return held(text.interval(*given).replace("-", "−")) if all(map(math.isfinite, given)) else ""


def percent_interval(low: object, high: object) -> str:
    """Write an interval of shares as percentages, in the same manner as :func:`percent`."""
    given = finite(low), finite(high)
    if not all(map(math.isfinite, given)):
        return ""
    return held(text.interval(*given, as_percent=True).replace("-", "−"))


def hundredths(value: object) -> str:
    """Write a fraction in hundredths with three significant digits: what stands before a percent sign."""
    return number(_hundred(value))


def _hundred(value: object) -> float:
    """Give hundredths; what a computer left of 0 is 0."""
    given = 100 * finite(value)
    return 0.0 if abs(given) < ROUNDING else given


def hundredths_interval(low: object, high: object) -> str:
    """Write an interval of fractions in hundredths, in square brackets; nothing if there is none."""
    return interval(_hundred(low), _hundred(high))


def share(value: object) -> str:
    """Write a fraction as a percentage with three significant digits."""
    shown = hundredths(value)
    return shown if shown == DASH else held(f"{shown} %")


def probability(value: object) -> str:
    """Write a p- or q-value: two significant digits, and no more zeros than help."""
    given = finite(value)
    if math.isfinite(given) and given < 0.001:
        return held("< 0.001")
    return number(given, 2)


def estimate(value: Value) -> str:
    """Write an estimate with its interval on one line."""
    if value is None or not math.isfinite(finite(value.get("estimate"))):
        return DASH
    shown = f"{number(value['estimate'])} {interval(value.get('low'), value.get('high'))}"
    return shown.strip()


def decimals(shown: str) -> int:
    """Count the characters from the decimal point on, to align numbers on it."""
    _, point, rest = shown.partition(".")
    return len(point) + len(rest)
