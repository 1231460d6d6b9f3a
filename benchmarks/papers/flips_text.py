"""How the page writes numbers, and tables of them."""

from __future__ import annotations

import math
from collections.abc import Sequence


def absolute(value: float | None) -> float | None:
    return None if value is None else abs(value)


def percents(values: Sequence[float | None]) -> str:
    return " / ".join("–" if v is None else f"{100 * v:.1f}" for v in values)


def threes(values: Sequence[float | None]) -> str:
    return " / ".join(three(v) for v in values)


def three(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.1f}".replace("-", "−")


def signed(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}".replace("-", "−")


def interval(value: float, low: float | None, high: float | None) -> str:
    text = f"{100 * value:.1f}"
    if low is not None and high is not None:
        text += f" ({100 * low:.1f} to {100 * high:.1f})"
    return text.replace("-", "−")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)
