from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET

import pytest

from fairwitness.drawing import figure, to_svg
from fairwitness.drawing.band_rows import Band, bands
from fairwitness.drawing.range_rows import Range, ranges, ranges_height

ROWS = [
    Range("a range", -0.2, 0.3, beside="no hidden common causes"),
    Range("a gap", -0.2, 0.3, attained=(-0.1, 0.2), interval=(-0.25, 0.34)),
    Range("one value", 0.05, 0.05, "point", interval=(-0.01, 0.1)),
    Range("nothing known", -0.5, 0.5, "hollow"),
    Range("no program", math.nan, math.nan, "none", beside="too large"),
]
HOSTILE = ["<script>alert(1)</script>", "$\\frac{$", "\u202eevil\x1b[31m", "]]></svg>", "&amp;"]


def drawn(rows=ROWS, **settings):
    fig, ax = figure(760, ranges_height(rows, subtitle=settings.get("subtitle", "")))
    return fig, ranges(ax, rows, **settings)


def boxes(ax):
    """The thick lines: (start, end, alpha, hatch), in the order drawn."""
    return [
        (
            round(patch.get_x(), 6),
            round(patch.get_x() + patch.get_width(), 6),
            patch.get_alpha(),
            patch.get_hatch(),
        )
        for patch in ax.patches
    ]


def test_thick_lines_are_the_ranges():
    _, ax = drawn()
    assert boxes(ax) == [
        (-0.2, 0.3, None, None),
        (-0.2, 0.3, 0.35, None),  # not excluded …
        (-0.1, 0.2, None, None),  # … and known to be possible
        (-0.5, 0.5, None, "////"),
    ]


def test_thin_lines_are_the_intervals():
    _, ax = drawn()
    ends = [set(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 6]
    assert ends == [{-0.25, 0.34}, {-0.01, 0.1}]


def test_one_value_is_a_diamond():
    _, ax = drawn()
    (point,) = [line for line in ax.lines if line.get_marker() == "D"]
    assert list(point.get_xdata()) == [0.05]


def test_reference_and_thresholds_are_lines_over_the_whole_height():
    _, ax = drawn(thresholds=(-0.1, 0.1))
    whole = {line.get_xdata()[0] for line in ax.lines if list(line.get_ydata()) == [0, 1]}
    assert whole == {0.0, -0.1, 0.1}
    _, bare = drawn(reference=None)
    assert not [line for line in bare.lines if list(line.get_ydata()) == [0, 1]]


def test_first_row_is_on_top_and_rows_do_not_overlap():
    _, ax = drawn()
    places = list(ax.get_yticks())
    assert places == sorted(places)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert min(b - a for a, b in itertools.pairwise(places)) >= 1.0


def test_key_names_the_kinds_there_are():
    _, ax = drawn(interval_label="95 % interval", hollow_label="uninformative")
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said == ["possible", "not excluded", "one value", "uninformative", "95 % interval"]
    _, ax = drawn(ROWS[:1])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["possible"]
    _, ax = drawn(ROWS[:1], key=False)
    assert ax.get_legend() is None
    assert drawn(ROWS[4:])[1].get_legend() is None


def test_everything_said_is_in_the_picture():
    fig, _ = drawn(title="A title", subtitle="beneath it", xlabel="effect")
    svg = to_svg(fig, title="t", description="d")
    for word in ("A title", "beneath it", "effect", "no hidden common causes", "no bounds", "too large"):
        assert word in svg


def test_nothing_to_draw_is_an_empty_figure():
    fig, ax = drawn([])
    assert to_svg(fig, title="t", description="d")
    assert ax.get_xlim()[0] < 0 < ax.get_xlim()[1]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_words(name):
    fig, _ = drawn([Range(name, 0.0, 0.1, beside=name)], title=name, subtitle=name, xlabel=name)
    root = ET.fromstring(to_svg(fig, title=name, description=name))
    assert not root.findall(".//{http://www.w3.org/2000/svg}script")


def test_long_names_are_broken_and_cut():
    _, ax = drawn([Range("very long name " * 20, 0.0, 0.1, beside="and words " * 60)])
    assert max(map(len, ax.get_yticklabels()[0].get_text().split("\n"))) <= 31
    beside = next(text.get_text() for text in ax.texts if text.get_text().startswith("and words"))
    assert len(beside.split("\n")) == 5
    assert beside.endswith("…")


def test_same_figure_same_bytes():
    first, second = (to_svg(drawn()[0], title="t", description="d") for _ in range(2))
    assert first == second


class TestBands:
    ROWS = (Band(0.5, 0.1, 0.2, (0.0, 0.3)), Band(0.3, 0.4, 0.4), Band(0.2, -0.5, 0.5, hollow=True))

    def corners(self, collection):
        return [path.get_extents().bounds for path in collection.get_paths()]

    def test_are_as_high_as_their_shares_and_stand_on_each_other(self):
        _, ax = figure()
        bands(ax, self.ROWS, thresholds=(-0.1, 0.1), notes=("beneath",))
        pale, solid, hollow = ax.collections
        assert self.corners(pale) == [pytest.approx((0.0, 0.0, 0.3, 0.5))]
        assert self.corners(solid)[0] == pytest.approx((0.1, 0.0, 0.1, 0.5))
        x, y, width, height = self.corners(solid)[1]
        assert (y, height) == pytest.approx((0.5, 0.3))
        assert x < 0.4 < x + width  # one value is still to be seen
        assert self.corners(hollow) == [pytest.approx((-0.5, 0.8, 1.0, 0.2))]
        assert ax.get_ylim() == (0.0, 1.0)

    def test_same_figure_same_bytes(self):
        def svg():
            fig, ax = figure()
            bands(ax, self.ROWS, title="T", notes=("one", "two"))
            return to_svg(fig, title="t", description="d")

        assert svg() == svg()
        assert "one" in svg()
