from __future__ import annotations

import itertools
import math
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from fairwitness import drawing
from fairwitness.drawing.palette import FAINT, INK, MUTED

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "$\\frac{$",
    "\u202eevil\x1b[31m",
    "a\x00b\ufffe",
    "]]></svg>",
    "漢字 שלום",
    "\ud800",
    "&amp;",
    "' onload='x",
]


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    weights = np.array([0.2126, 0.7152, 0.0722])
    low, high = sorted((float(linear(one) @ weights), float(linear(other) @ weights)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.072175],
            [0.0193339, 0.119192, 0.9503041],
        ]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.95047, 1, 1.08883])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# How colours look with each deficiency at full strength (Machado et al. 2009), on linear RGB.
VISION = {
    "typical": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    ),
}


@pytest.mark.parametrize("colour", [*drawing.GROUP_COLOURS, MUTED])
@pytest.mark.parametrize("paper", ["#ffffff", "#14161a"])
def test_colours_stand_out_on_light_and_dark(colour: str, paper: str) -> None:
    assert contrast(colour, paper) >= 3


@pytest.mark.parametrize("vision", VISION)
def test_first_four_colours_stay_apart(vision: str) -> None:
    seen = [lab(VISION[vision] @ linear(colour)) for colour in drawing.GROUP_COLOURS[:4]]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 15


def test_every_group_has_its_own_pair_of_colour_and_marker() -> None:
    assert len({drawing.group_style(i) for i in range(56)}) == 56


def test_ink_and_greys_are_no_group_colours() -> None:
    assert len({INK, MUTED, FAINT, *drawing.GROUP_COLOURS}) == 3 + len(drawing.GROUP_COLOURS)


def panels(name: str, other: str) -> list[drawing.Panel]:
    points = [(name, 0.9, 0.8, 1.0, 0), (other, 0.7, math.nan, math.nan, 1)]
    return [
        drawing.Panel(
            name,
            [
                drawing.Measure(f"rate of {other}", points, reference=0.9, thresholds=[0.2]),
                drawing.Measure("flips", points, beside=[0.5, math.nan]),
            ],
            beside_label=other,
        ),
        drawing.Panel("", [drawing.Measure(name, [("", math.nan, math.nan, math.nan, 2)])]),
    ]


def draw(kind: str, name: str = "White", other: str = "Black or Hispanic") -> str:
    fig, ax = drawing.figure(500, 300)
    if kind == "curves":
        x = [1.0, 2.0, 3.0]
        lines = [
            drawing.Curve(name, x, [0.1, 0.2, math.nan], [0.0, 0.1, math.nan], [0.2, 0.3, math.nan], 0),
            drawing.Curve(other, x, [0.5, 0.6, 0.7], style_index=1, beside=[0.4, 0.5, math.nan]),
        ]
        drawing.curves(
            ax, lines, ylabel=name, ylim=(0, 1), title=name, xlabel=other, beside_label=name, percent=True
        )
    elif kind in {"measures", "stacked"}:
        rows = panels(name, other)
        fig, ax = drawing.figure(500, drawing.measures_height(rows, 500, stacked=kind == "stacked"))
        drawing.measures(ax, rows, xlabel=name, xlim=(0, 1), percent=True, stacked=kind == "stacked")
    elif kind == "intervals":
        rows = [
            drawing.IntervalRow(
                "rate", [(name, 0.9, 0.8, 1.0, 0), (other, 0.7, math.nan, math.nan, 1)], reference=0.9
            ),
            drawing.IntervalRow(other, [("", math.nan, math.nan, math.nan, 2)]),
        ]
        drawing.intervals(ax, rows, reference=0, thresholds=[0.2], title=name, xlabel=other)
    elif kind == "funnels":
        groups = [
            drawing.Funnel(name, [("rejected", 9), ("left", 0)], 0),
            drawing.Funnel(other, [("rejected", 3), ("left", 1)], 1),
        ]
        drawing.funnels(ax, groups, title=name, xlabel=other)
    elif kind == "bars":
        bars = [drawing.Bar(name, 0.1, 0.0, 0.2), drawing.Bar(other, -0.5), drawing.Bar("gone", math.nan)]
        drawing.ranked_bars(ax, bars, xlim=(-1, 1), title=name, xlabel=other)
    else:
        drawing.scatter_people(
            ax,
            (0, 0),
            [[1, 1], [2, 1], [0, 2]],
            [0, 1, 1],
            [name, other, other],
            ylabel=name,
            title=name,
            xlabel=other,
        )
    return drawing.to_svg(fig, title=name, description=f"{name} and {other}")


KINDS = ["curves", "intervals", "measures", "stacked", "bars", "people", "funnels"]


@pytest.mark.parametrize("kind", KINDS)
def test_same_figure_same_bytes(kind: str) -> None:
    assert draw(kind) == draw(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_svg_is_labelled_and_needs_nothing_else(kind: str) -> None:
    text = draw(kind)
    root = ET.fromstring(text)
    assert root.get("role") == "img"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert set((root.get("aria-labelledby") or "").split()) <= set(ids)
    assert root.find(f"{SVG}title").text == "White"  # type: ignore[union-attr]
    used = {value[1:] for e in root.iter() for name, value in e.attrib.items() if name == "href"}
    assert used <= set(ids)
    assert not [e for e in root.iter() if e.tag in {f"{SVG}style", f"{SVG}script", f"{SVG}image"}]
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "Sans" not in text
    for ink in (INK, f" {MUTED}", f" {FAINT}"):
        assert f"{ink};" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_ink_follows_the_page_and_the_background_is_transparent(kind: str) -> None:
    root = ET.fromstring(draw(kind))
    texts = list(root.iter(f"{SVG}text"))
    assert texts
    styles = [e.get("style") or "" for e in texts]
    assert all("currentColor" in s or "var(--fw-muted" in s for s in styles)
    backdrop = next(iter(root.iter(f"{SVG}path")))
    assert "fill: none" in (backdrop.get("style") or "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_words(kind: str, name: str) -> None:
    text = draw(kind, name)
    root = ET.fromstring(text)
    tags = {e.tag.removeprefix(SVG) for e in root.iter()}
    assert tags <= {"svg", "title", "desc", "defs", "g", "path", "use", "text", "tspan", "clipPath", "rect"}
    assert not any(attribute.startswith("on") for e in root.iter() for attribute in e.attrib)
    assert not set("\u202e\x1b\x00\ufffe") & set(text)


def test_prefix_makes_ids_of_equal_figures_differ() -> None:
    def svg(prefix: str) -> str:
        fig, ax = drawing.figure(200, 100)
        drawing.ranked_bars(ax, [drawing.Bar("a", 1.0)])
        return drawing.to_svg(fig, title="t", description="d", prefix=prefix)

    def ids(text: str) -> set[str]:
        return {e.attrib["id"] for e in ET.fromstring(text).iter() if "id" in e.attrib}

    assert not ids(svg("one")) & ids(svg("two"))


def test_bars_are_ranked_by_size_and_cut() -> None:
    _, ax = drawing.figure(400, 200)
    bars = [drawing.Bar("a", 0.1), drawing.Bar("b", -0.9), drawing.Bar("c", 0.5), drawing.Bar("d", math.nan)]
    drawing.ranked_bars(ax, bars, most=2)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["b", "c"]


def test_a_row_holds_all_groups_and_a_tick_for_each_value_to_compare() -> None:
    rows = panels("a", "b")
    _, ax = drawing.figure(500, drawing.measures_height(rows, 500))
    drawing.measures(ax, rows, xlim=(0, 1))
    inside = [line for line in ax.lines if line.get_transform() == ax.transData]
    dots = [line for line in inside if line.get_marker() not in {"None", None, ""}]
    assert [list(line.get_xdata()) for line in dots] == [[0.9], [0.7]] * 2
    heights = [line.get_ydata()[0] for line in dots]
    assert heights == sorted(set(heights))
    ticks = [line for line in inside if list(line.get_xdata()) == [0.5, 0.5]]
    assert len(ticks) == 1
    assert min(ticks[0].get_ydata()) < heights[2] < max(ticks[0].get_ydata())
    assert [entry[0] for entry in rows[0].key] == ["a", "b", "b"]
    assert rows[1].key == []


def test_everything_in_a_panel_stands_inside_the_figure() -> None:
    name = "a group with a name that is rather long, and longer"
    rows = panels(name, "b" * 70)
    for stacked in (False, True):
        height = drawing.measures_height(rows, 340, stacked=stacked)
        _, ax = drawing.figure(340, height)
        drawing.measures(ax, rows, xlim=(0, 1), stacked=stacked)
        for line in ax.lines:
            if line.get_transform() != ax.transData:
                assert all(0 <= y <= height for y in line.get_ydata())
        bottom, top = ax.get_ylim()
        assert top == 0
        drawn = [y for line in ax.lines if line.get_transform() == ax.transData for y in line.get_ydata()]
        assert all(math.isnan(y) or top <= y <= bottom for y in drawn)


def test_nothing_to_draw_is_an_empty_figure() -> None:
    fig, ax = drawing.figure(400, drawing.measures_height([], 400))
    drawing.measures(ax, [])
    assert "<svg" in drawing.to_svg(fig, title="t", description="d")
    fig, ax = drawing.figure(400, 200)
    drawing.intervals(ax, [])
    assert "<svg" in drawing.to_svg(fig, title="t", description="d")
    fig, ax = drawing.figure(400, 200)
    drawing.ranked_bars(ax, [])
    drawing.curves(ax, [])
    drawing.funnels(ax, [])
    assert "<svg" in drawing.to_svg(fig, title="t", description="d")


def test_settings_of_the_caller_come_back() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    draw("curves")
    assert dict(mpl.rcParams) == before


def test_neither_pyplot_nor_matplotlib_is_imported_early() -> None:
    code = (
        "import sys, fairwitness.drawing as d; d.GROUP_COLOURS; d.Curve; d.to_svg;"
        "assert 'matplotlib' not in sys.modules;"
        "f, a = d.figure(); d.to_svg(f, title='t', description='d');"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
