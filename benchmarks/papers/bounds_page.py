"""The page: what is printed, what comes out, and why they differ."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bounds_tables as tables
import highspy
from bounds_orders import distances
from bounds_tables import Ends, Reference, Row, ends
from flips_text import table

import fairwitness
from fairwitness.causal import EffectBounds

#: Written by hand, with places for the tables.
TEXT = Path(__file__).with_suffix(".md")
TAU = 0.1
#: What 4 printed decimals may hide.
HALF = 0.5e-4


def write_page(out: Path, reference: Reference, date: str) -> None:
    """Write the page, and the picture beside it."""
    adult = tables.table4(reference)
    picture = out.with_name(f"{out.stem}-adult.png")
    _draw(picture, adult)
    parts = {
        "run": ", ".join(
            [
                date,
                f"fairwitness {fairwitness.__version__}",
                f"HiGHS {_highs()}",
                f"Python {platform.python_version()}",
            ]
        ),
        "tau": f"{TAU:g}",
        "picture": picture.name,
        **_table2(reference),
        **_table3(reference),
        **_table4(reference, adult),
        "rows": _rows(reference),
    }
    text = TEXT.read_text(encoding="utf-8").format_map(parts).strip() + "\n"
    out.write_text(text, encoding="utf-8")


def _highs() -> str:
    return str(getattr(highspy, "_Highs", highspy.Highs)().version())


def written(pair: Ends | EffectBounds, *, strong: bool = False) -> str:
    low, high = ends(pair) if isinstance(pair, EffectBounds) else pair
    text = f"[{_number(low)}, {_number(high)}]"
    return f"**{text}**" if strong else text


def _number(value: float | None) -> str:
    assert value is not None
    return f"{value + 0.0:.4f}".replace("-", "−")


def rounding(rows: Sequence[Row], printed: str, found: str) -> float:
    """The largest distance between print and ours over some rows, rounded up to one digit."""
    gaps = []
    for row in rows:
        ours = ends(row.found[found]) if found in row.found else row.formulas[found]
        gaps += [abs(a - b) for a, b in zip(row.printed[printed], ours, strict=True)]
    return math.ceil(max(gaps) * 1e5) / 1e5


def _given(row: Row) -> str:
    return ", ".join(str(value) for value in row.given.values()) or "everyone"


def _table2(reference: Reference) -> dict[str, str]:
    rows = tables.table2(reference)
    made_from, observed = tables.d1(reference)
    head = [
        "o",
        "S, W, A",
        "print",
        "from ∏ P(v \\| do(pa))",
        "**from P(v)**",
        "P(Y = 1 \\| o)",
        "printed truth",
    ]
    lines = [
        [
            row.label,
            _given(row),
            written(row.printed["ours"]),
            written(row.found["made from"]),
            written(row.found["right"], strong=True),
            _number(row.found["right"].reference_probability),
            _number(row.truth),
        ]
        for row in rows
    ]
    more = [
        [row.label, written(row.found["right"]), row.found["right"].status]
        for row in tables.table2_more(reference)
    ]
    return {
        "table2": table(head, lines),
        "table2_gap": f"{rounding(rows, 'ours', 'made from'):g}",
        "table2_more": table(["", "from P(v)", "status"], more),
        "independent": f"{tables.dependence(made_from):.4f}",
        "dependent": f"{tables.dependence(observed):.4f}",
    }


def _table3(reference: Reference) -> dict[str, str]:
    rows = tables.table3(reference)
    head = ["", "S, W, A", "print", "W and A answer jointly", "**tight**", "", "printed truth"]
    lines = [
        [
            row.label,
            _given(row),
            written(row.printed["ours"]),
            written(row.found["joint"]),
            written(row.found["right"], strong=True),
            _gained(row.found["joint"], row.found["right"]),
            _number(row.truth),
        ]
        for row in rows
    ]
    path = rows[0]
    ways = [
        ["as printed", written(path.printed["previous"])],
        ["S = 1 inside Y, as it was run", written(path.formulas["previous"])],
        ["S = 0 inside Y, as it is meant", written(path.formulas["S = 0 in Y"], strong=True)],
        ["the same, with the distribution of A kept", written(path.formulas["A kept"])],
        ["tight", written(path.found["right"], strong=True)],
    ]
    people = [
        [
            row.label,
            written(row.printed["previous"]),
            written(row.formulas["previous"]),
            written(row.found["right"], strong=True),
        ]
        for row in rows[1:]
    ]
    return {
        "table3": table(head, lines),
        "table3_gap": f"{rounding(rows, 'ours', 'joint'):g}",
        "table3_path": table(["path effect of all", ""], ways),
        "table3_people": table(["", "print: [14]", "computed", "**tight**"], people),
    }


def _gained(wider: EffectBounds, tight: EffectBounds) -> str:
    gained = (wider.upper - wider.lower) - (tight.upper - tight.lower)
    return "the same" if gained < HALF else f"narrower by {gained:.4f}"


def _table4(reference: Reference, rows: Sequence[Row]) -> dict[str, str]:
    orders = distances(reference)
    head = [
        "o",
        "print: [14]",
        "print",
        "[14], tables mixed up",
        "tight, tables mixed up",
        "tight, balanced rows",
        "**tight, the rows as they are**",
    ]
    lines = [
        [
            row.label,
            *(written(row.printed[which]) for which in ("previous", "ours")),
            written(row.formulas["previous"]),
            written(row.found["made from"]),
            written(row.found["balanced"]),
            written(row.found["right"], strong=True),
        ]
        for row in rows
    ]
    people = [
        [
            row.label,
            _verdict(row.printed["ours"]),
            _verdict(ends(row.found["right"])),
            written(row.formulas["right"]),
            written(row.found["right"], strong=True),
            written(row.found["all"]),
        ]
        for row in rows
    ]
    asked = ["o", "print says", "ours says", "women: [14]", "**women: tight**", "women and men: tight"]
    gap = max(rounding(rows, "ours", "made from"), rounding(rows, "previous", "previous"))
    balanced, original = (tables.counts(reference, which) for which in ("oversampled", "original_48842"))
    return {
        "table4": table(head, lines),
        "table4_gap": f"{gap:g}",
        "table4_people": table(asked, people),
        "balanced": f"{balanced['n'].sum():,}",
        "original": f"{original['n'].sum():,}",
        "orders": f"{len(orders):,}",
        "next_best": f"{orders[1]:.3f}",
    }


def _verdict(pair: Ends) -> str:
    low, high = pair
    if low > TAU or high < -TAU:
        return "beyond"
    return "within" if low > -TAU and high < TAU else "open"


def _rows(reference: Reference) -> str:
    if reference.rows is None:
        return ""
    rows, stored = (tables.counts(reference, which) for which in ("rows", "original_48842"))
    apart = tables.same_cells(rows, stored)
    same = "exactly" if apart == 0 else f"but for {apart:,} people"
    return f"""\
**Adult from its rows.** The {rows["n"].sum():,} rows of UCI's Adult, cut in two as the stored table is
(age > 37, Male, workclass not Private, education-num > 9, Married-civ-spouse, hours > 40, income > 50K;
an unknown workclass is not Private), give the stored cells {same}, and so the same bounds."""


def _draw(out: Path, rows: Sequence[Row]) -> None:
    """Print above, ours below, for each kind of woman."""
    from fairwitness.drawing import figure
    from fairwitness.drawing.range_rows import ranges, ranges_height

    drawn = list(_ranges(rows))
    fig, ax = figure(760, ranges_height(drawn, subtitle="x") - 20)
    ranges(
        ax,
        drawn,
        title="Being a man instead of a woman, on income above 50K",
        subtitle="Women by age, education and marriage, all paths. Pale: print; dark: the rows as they are",
        xlabel=f"effect: difference of probabilities; dotted: ±{TAU:g}",
        thresholds=(-TAU, TAU),
        key=False,
    )
    fig.savefig(out, dpi=110, facecolor="white", metadata={"Software": None})


def _ranges(rows: Sequence[Row]) -> Iterator[Any]:
    from fairwitness.drawing.range_rows import Range

    words = (("to 37", "over 37"), ("no college", "college"), ("unmarried", "married"))
    for row in rows:
        low, high = row.printed["ours"]
        yield Range("", low, high, attained=((low + high) / 2,) * 2)
        name = ", ".join(words[at][int(bit)] for at, bit in enumerate(row.label))
        yield Range(name, *ends(row.found["right"]))
