from __future__ import annotations

import math
import re

import pytest

from fairwitness import drawing
from fairwitness.drawing.canvas import size


def panels(name: str = "Total effect") -> list[drawing.RangePanel]:
    rows = [
        drawing.Range(name, -0.3, -0.1, interval=(-0.4, 0.05), beside="−30.0 to −10.0; cannot be told"),
        drawing.Range("one value", -0.2, -0.2, "point", beside="−20.0"),
        drawing.Range("pale", -0.5, 0.1, attained=(-0.2, -0.2)),
        drawing.Range("says nothing", -0.9, 0.1, "hollow", beside="uninformative"),
        drawing.Range("nothing", math.nan, math.nan, "none", beside="too large"),
    ]
    return [drawing.RangePanel(name, rows, strong=1), drawing.RangePanel("", rows[:1])]


def draw(width: float, *, stacked: bool, name: str = "Total effect", tolerance: float | None = 0.1):
    shown = panels(name)
    fig, ax = drawing.figure(width, drawing.range_panels_height(shown, width, stacked=stacked))
    drawing.range_panels(ax, shown, xlabel="points", tolerance=tolerance, scale=100, stacked=stacked)
    return fig, ax


@pytest.mark.parametrize(("width", "stacked"), [(760, False), (340, True)])
def test_everything_stands_inside_the_figure(width: float, stacked: bool) -> None:
    fig, ax = draw(width, stacked=stacked)
    svg = drawing.to_svg(fig, title="a", description="words about it")
    low, high = ax.get_xlim()
    assert low < -90 < 10 < high
    wide, tall = size(ax)
    places = [float(y) for y in re.findall(r"translate\([\d.]+ ([\d.]+)\)", svg)]
    assert all(0 <= y <= tall for y in places)
    assert wide == width
    assert "uninformative" in svg
    assert "too large" in svg


@pytest.mark.parametrize("stacked", [False, True])
def test_same_panels_same_bytes(stacked: bool) -> None:
    one, two = (
        drawing.to_svg(draw(500, stacked=stacked)[0], title="a", description="words about it") for _ in "ab"
    )
    assert one == two


def test_each_kind_of_range_looks_like_itself() -> None:
    from matplotlib.patches import Rectangle

    _, ax = draw(760, stacked=False, tolerance=None)
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert len([box for box in boxes if box.get_hatch()]) == 1
    assert len([box for box in boxes if box.get_alpha() == 0.35]) == 1
    solid = [box for box in boxes if not box.get_hatch() and box.get_alpha() is None]
    assert [(box.get_x(), box.get_width()) for box in solid] == [pytest.approx((-30, 20))] * 2
    diamonds = [line for line in ax.lines if line.get_marker() == "D"]
    assert [float(line.get_xdata()[0]) for line in diamonds] == [pytest.approx(-20)]
    whiskers = [line for line in ax.lines if len(line.get_xdata()) == 6 and line.get_xdata()[0] == -40]
    assert len(whiskers) == 2


def test_the_tolerance_is_shaded_behind_each_row() -> None:
    from matplotlib.patches import Rectangle

    _, ax = draw(760, stacked=False)
    shades = [
        patch
        for patch in ax.patches
        if isinstance(patch, Rectangle) and patch.get_width() == 20 and patch.zorder == 0
    ]
    assert len(shades) == 6
    _, bare = draw(760, stacked=False, tolerance=None)
    assert not [patch for patch in bare.patches if patch.zorder == 0]


def test_a_narrow_range_is_a_mark() -> None:
    rows = [drawing.Range("close", -0.2001, -0.2), drawing.Range("wide", -1.0, 1.0)]
    shown = [drawing.RangePanel("", rows)]
    _, ax = drawing.figure(400, drawing.range_panels_height(shown, 400))
    drawing.range_panels(ax, shown)
    assert [line.get_marker() for line in ax.lines].count("D") == 1


def test_hostile_names_are_only_words() -> None:
    fig, _ = draw(500, stacked=False, name="$x$ <b>\u202e & ")
    svg = drawing.to_svg(fig, title="a", description="words about it")
    assert "<b>" not in svg
    assert "\u202e" not in svg
    assert "$x$" in svg


def test_nothing_to_draw_is_an_empty_figure() -> None:
    _, ax = drawing.figure(400, drawing.range_panels_height([], 400))
    drawing.range_panels(ax, [], tolerance=0.1)
    assert ax.get_xlim()[0] < 0 < ax.get_xlim()[1]
