"""Profiles and heat maps: what is drawn, and that hostile names do no harm."""

from __future__ import annotations

import math

from matplotlib.patches import Rectangle

from fairwitness import drawing

HOSTILE = "<script>$x$\u202e</script>"


def test_a_bar_a_set_and_a_tick_where_the_real_rows_are() -> None:
    columns = [
        drawing.Profile("sex", [drawing.LevelBars("man", (0.8, 0.3), (0.75, math.nan))]),
        drawing.Profile(HOSTILE, [drawing.LevelBars(HOSTILE, (math.nan, 0.1))]),
    ]
    fig, ax = drawing.figure(500, drawing.profiles_height(columns))
    drawing.profiles(ax, columns, sets=("one", "other"), xlabel="share", tick_label="real")
    widths = sorted(bar.get_width() for bar in ax.patches if isinstance(bar, Rectangle))
    assert widths == [0.1, 0.3, 0.8]
    assert sum(list(line.get_xdata()) == [0.75, 0.75] for line in ax.lines) == 1
    assert "\u202e" not in drawing.to_svg(fig, title="t", description="d")


def test_cells_of_few_rows_are_grey_and_every_cell_says_its_ratio_and_n() -> None:
    cells = [[drawing.HeatCell(4.0, 100, False), drawing.HeatCell(0.25, 3, True)]]
    fig, ax = drawing.figure(*drawing.heat_size([HOSTILE], ["a", "b"]))
    drawing.heat(ax, [HOSTILE], ["a", "b"], cells, title="t")
    colours = [patch.get_facecolor()[:3] for patch in ax.patches]
    assert colours[0] != colours[1]
    assert len(set(colours[1])) <= 3
    assert max(colours[1]) - min(colours[1]) < 0.05  # grey
    said = [text.get_text() for text in ax.texts]
    assert "×4.0\nn = 100" in said
    assert "×0.25\nn = 3" in said
    assert "<script>" not in drawing.to_svg(fig, title="t", description="d")
