"""Tables as the page shows them: a caption, headings with scope, numbers aligned on the decimal point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from fairwitness.report import show


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell shows.

    ``sub`` is a second, smaller line (an interval, a reason); ``pad`` is how many characters the number
    lacks behind the decimal point in comparison with its column; ``kind`` is ``text``, ``number``,
    ``figure`` (a number with its unit), ``head`` (names the row) or ``none`` (a number that there is not,
    and why).
    """

    text: Markup | str = ""
    sub: Markup | str = ""
    kind: str = "text"
    pad: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A table ready to be shown."""

    id: str
    caption: Markup | str
    columns: tuple[tuple[Markup | str, bool], ...]  # (heading, whether numbers stand beneath it)
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Markup | str, ...] = ()
    look: str = ""


def head(label: Markup | str, sub: Markup | str = "") -> Cell:
    """Give the cell that names its row."""
    return Cell(label, sub, "head")


def words(text: Markup | str, sub: Markup | str = "") -> Cell:
    """Give a cell of text."""
    return Cell(text, sub)


def whole(value: object) -> Cell:
    """Give a cell with a count."""
    return Cell(show.count(value), kind="number")


def number(value: object) -> Cell:
    """Give a cell with a number."""
    return Cell(show.number(value), kind="number")


def hundredths(value: object) -> Cell:
    """Give a cell with a fraction in hundredths; the heading names the unit."""
    return Cell(show.hundredths(value), kind="number")


def probability(value: object) -> Cell:
    """Give a cell with a p- or q-value."""
    return Cell(show.probability(value), kind="number")


def estimate(value: show.Value, *, hundredths: bool = False) -> Cell:
    """Give a cell with an estimate and, beneath it, its interval or the reason why there is none.

    ``hundredths`` writes fractions as percentages or percentage points; the heading names the unit.
    """
    if value is None:
        return Cell(show.DASH, "not measured", "none")
    scale = 100 if hundredths else 1
    parts = [scale * show.finite(value.get(key)) for key in ("estimate", "low", "high")]
    shown = show.number(parts[0])
    if shown == show.DASH:
        return Cell(shown, show.prose(value.get("reason") or "no value"), "none")
    return Cell(shown, show.interval(*parts[1:]), "number")


def table(
    id: str,
    caption: Markup | str,
    columns: Sequence[Markup | str],
    rows: Iterable[Sequence[Cell]],
    *,
    notes: Sequence[Markup | str] = (),
    look: str = "",
) -> Table:
    """Put cells together, and align each column's numbers on the decimal point."""
    lines = [list(row) for row in rows]
    numeric = []
    for at in range(len(columns)):
        cells = [line[at] for line in lines if line[at].kind == "number" and line[at].text != show.DASH]
        numeric.append(any(line[at].kind in {"number", "figure", "none"} for line in lines))
        most = max((show.decimals(str(cell.text)) for cell in cells), default=0)
        for line in lines:
            if line[at].kind == "number" and line[at].text != show.DASH:
                line[at] = replace(line[at], pad=most - show.decimals(str(line[at].text)))
    return Table(
        id,
        caption,
        tuple(zip(columns, numeric, strict=True)),
        tuple(tuple(line) for line in lines),
        tuple(notes),
        look,
    )
