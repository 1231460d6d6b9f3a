from __future__ import annotations

import itertools
import random
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon

from fairwitness import drawing
from fairwitness.drawing import graphs
from fairwitness.drawing.layers import lay_out
from fairwitness.drawing.palette import GROUP_COLOURS

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "$\\frac{$",
    "\u202eevil\x1b[31m",
    "a\x00b\ufffe",
    "]]></svg>",
    "\ud800",
    " ",
]
NAMES = [
    "Applicant age in years",
    "Sex as registered",
    "Highest education",
    "Region",
    "Marital status",
    "Number of dependants",
    "Employment_status_code",
    "Years-in-current-job",
    "Monthly income before tax",
    "Existing monthly debt",
    "Credit bureau score",
    "Requested amount",
    "Purpose",
    "Officer's recommendation",
    "Decision",
]


def some_graph(seed: int, n: int) -> tuple[list[str], list[tuple[str, str]], list[tuple[str, str]]]:
    rng = random.Random(seed)
    names = NAMES[:n]
    pairs = list(itertools.combinations(names, 2))
    share = rng.choice([0.15, 0.3, 0.6])
    edges = [pair for pair in pairs if rng.random() < share]
    return names, edges, [pair for pair in pairs if rng.random() < 0.12]


SOME = [some_graph(seed, n) for seed, n in enumerate([4, 5, 7, 9, 12, 15, 15])]


def boxes(ax) -> list[FancyBboxPatch]:
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def lines(ax, colour: str) -> list[PathPatch]:
    from matplotlib.colors import to_hex

    return [p for p in ax.patches if isinstance(p, PathPatch) and to_hex(p.get_edgecolor()) == colour]


def along(line: PathPatch) -> np.ndarray:
    """Points along a line of cubic curves, near to each other."""
    corners = np.asarray(line.get_path().vertices)
    t = np.linspace(0, 1, 24)[:, None]
    pieces = [
        (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
        for a, b, c, d in (corners[at : at + 4] for at in range(0, len(corners) - 1, 3))
    ]
    return np.concatenate(pieces)


# --- layout ---


@pytest.mark.parametrize(("nodes", "edges", "arcs"), SOME)
def test_causes_stand_left_of_effects_and_nodes_apart(nodes, edges, arcs) -> None:
    ax = drawing.graph(None, nodes, edges, arcs=arcs)
    found = dict(zip(nodes, boxes(ax), strict=True))
    for parent, child in edges:
        assert found[parent].get_x() + found[parent].get_width() < found[child].get_x()
    for one, other in itertools.combinations([box.get_bbox() for box in found.values()], 2):
        apart = max(one.x0 - other.x1, other.x0 - one.x1, one.y0 - other.y1, other.y0 - one.y1)
        assert apart > 20
    (low, high), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for box in found.values():
        assert low <= box.get_x() <= box.get_x() + box.get_width() <= high
        assert bottom <= box.get_y() <= box.get_y() + box.get_height() <= top


@pytest.mark.parametrize(("nodes", "edges", "arcs"), SOME)
def test_no_line_runs_through_a_node(nodes, edges, arcs) -> None:
    ax = drawing.graph(None, nodes, edges, arcs=arcs)
    for patch in ax.patches:
        if not isinstance(patch, PathPatch):
            continue
        points = along(patch)
        for box in boxes(ax):
            x, y, wide, high = box.get_x(), box.get_y(), box.get_width(), box.get_height()
            inside = (points[:, 0] > x + 1) & (points[:, 0] < x + wide - 1)
            inside &= (points[:, 1] > y + 1) & (points[:, 1] < y + high - 1)
            assert not inside.any()


@pytest.mark.parametrize(("nodes", "edges", "arcs"), SOME)
def test_names_fit_in_their_boxes(nodes, edges, arcs) -> None:
    ax = drawing.graph(None, nodes, edges, arcs=arcs)
    figure = ax.get_figure()
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    texts = ax.texts[-len(nodes) :]
    for text, box in zip(texts, boxes(ax), strict=True):
        inner, outer = text.get_window_extent(renderer), box.get_window_extent(renderer)
        assert outer.x0 <= inner.x0
        assert inner.x1 <= outer.x1
        assert outer.y0 <= inner.y0
        assert inner.y1 <= outer.y1


def test_crossings_that_can_be_avoided_are() -> None:
    # Listed so that every line crosses every other.
    layout = lay_out([(40, 30)] * 8, [(0, 7), (1, 6), (2, 5), (3, 4)])
    order = [
        np.sign(layout.centres[a][1] - layout.centres[b][1]) for a, b in itertools.combinations(range(4), 2)
    ]
    ends = [
        np.sign(layout.centres[7 - a][1] - layout.centres[7 - b][1])
        for a, b in itertools.combinations(range(4), 2)
    ]
    assert order == ends
    for start, *_, end in layout.edges:
        assert start[1] == pytest.approx(end[1], abs=0.5)  # and then lines are straight


def test_a_chain_is_level_and_a_cause_stands_just_before_its_effect() -> None:
    layout = lay_out([(40, 30)] * 5, [(0, 1), (1, 2), (2, 3), (4, 3)])
    heights = [y for _, y in layout.centres[:2]]
    assert heights[0] == pytest.approx(heights[1], abs=0.5)
    assert layout.centres[4][0] == layout.centres[2][0]


def test_layers_are_by_the_longest_path() -> None:
    layout = lay_out([(40, 30)] * 4, [(0, 1), (1, 2), (0, 2), (2, 3), (0, 3)])
    xs = [x for x, _ in layout.centres]
    assert xs == sorted(set(xs))


@pytest.mark.parametrize("edges", [[], [(0, 1)], [(0, 2), (1, 2)]])
def test_arcs_within_a_layer_turn_back(edges) -> None:
    layout = lay_out([(40, 30)] * 3, [*edges], [(0, 1)] if (0, 1) not in edges else [(1, 2)])
    for route, loop in zip(layout.arcs, layout.loops, strict=True):
        if loop:
            assert (route[1][0] - route[0][0]) * loop > 0
            assert (route[1][0] - route[2][0]) * loop > 0
        else:
            assert [x for x, _ in route] == sorted(x for x, _ in route)
        assert min(x for x, _ in route) >= 0
        assert max(x for x, _ in route) <= layout.width


# --- what is drawn ---


def test_chosen_paths_are_thick_and_arcs_dashed_with_two_heads() -> None:
    ax = drawing.graph(
        None,
        ["S", "W", "Y"],
        [("S", "W"), ("W", "Y"), ("S", "Y")],
        thick={("S", "W"), ("W", "Y")},
        arcs=[("W", "Y")],
    )
    thick, dashed = lines(ax, GROUP_COLOURS[0]), lines(ax, GROUP_COLOURS[1])
    assert len(thick) == 2 + 1  # and one in the key
    assert len(dashed) == 1 + 1
    assert all(line.get_linestyle() != "-" for line in dashed)
    assert all(line.get_linewidth() > 2 * dashed[0].get_linewidth() for line in thick)
    heads = [patch for patch in ax.patches if isinstance(patch, Polygon)]
    assert len(heads) == (3 + 2) + (2 + 2)
    assert [text.get_text() for text in ax.texts[:3]] == [
        "on a chosen path",
        "direct effect on no chosen path",
        "hidden common cause of both",
    ]


def test_a_plain_graph_needs_no_key() -> None:
    ax = drawing.graph(None, ["S", "Y"], [("S", "Y")])
    assert [text.get_text() for text in ax.texts] == ["S", "Y"]
    assert not ax.get_title(loc="left")


@pytest.mark.parametrize(("size", "dots", "dashed"), [(2, 0, 1), (3, 0, 3), (4, 1, 4), (7, 1, 7)])
def test_many_nodes_with_one_hidden_cause_get_a_dot(size: int, dots: int, dashed: int) -> None:
    names = [f"v{i}" for i in range(size)]
    ax = drawing.graph(
        None, names, list(itertools.pairwise(names)), arcs=list(itertools.combinations(names, 2))
    )
    assert len([patch for patch in ax.patches if isinstance(patch, Circle)]) == 2 * dots  # and one in the key
    assert len(lines(ax, GROUP_COLOURS[1])) == dashed + 1


def test_a_dot_stands_for_no_arc_that_is_not_there() -> None:
    names = ["a", "b", "c", "d", "e"]
    arcs = [*itertools.combinations(names[:4], 2), ("d", "e")]
    ax = drawing.graph(None, names, list(itertools.pairwise(names)), arcs=arcs)
    assert len(lines(ax, GROUP_COLOURS[1])) == 4 + 1 + 2
    almost = [arc for arc in itertools.combinations(names[:4], 2) if arc != ("a", "d")]
    ax = drawing.graph(None, names, list(itertools.pairwise(names)), arcs=almost)
    assert not any(isinstance(patch, Circle) for patch in ax.patches)
    assert len(lines(ax, GROUP_COLOURS[1])) == 5 + 1


def test_given_axes_are_used_and_everything_scales_to_them() -> None:
    nodes, edges, arcs = SOME[3]
    own = drawing.graph(None, nodes, edges, arcs=arcs)
    _, small = drawing.figure(320, 200)
    assert drawing.graph(small, nodes, edges, arcs=arcs, title="T") is small
    assert small.get_title(loc="left") == "T"
    assert small.texts[0].get_fontsize() < own.texts[0].get_fontsize() == 12


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("S", "S"),
        ("education-num", "education-num"),
        ("Employment_status_code", "Employment_\nstatus_code"),
        ("Years-in-current-job", "Years-in-\ncurrent-job"),
        ("a" * 20, "a" * 16 + "\n" + "a" * 4),
        ("ab " + "c" * 20, "ab " + "c" * 13 + "\n" + "c" * 7),
        ("a/b", "a/b"),
        ("\x1b[31m", "\\u001b[31m"),
        ("-", "-"),
    ],
)
def test_long_names_are_broken_where_they_have_joints(name: str, lines: str) -> None:
    assert graphs.broken(name) == lines


def test_endless_names_are_cut() -> None:
    for name in ("word " * 100, "x" * 1000, "a-" * 300, "漢" * 200):
        shown = graphs.broken(name).split("\n")
        assert len(shown) <= 4
        assert all(len(line) <= 16 for line in shown)
        assert shown[-1].endswith("…")


# --- as SVG ---


def test_svg_is_well_formed_harmless_and_the_same_each_time() -> None:
    def draw() -> str:
        ax = drawing.graph(
            None,
            HOSTILE,
            list(itertools.pairwise(HOSTILE)),
            arcs=[(HOSTILE[0], HOSTILE[2])],
            title=HOSTILE[0],
        )
        return drawing.to_svg(ax.get_figure(), title="t", description="d")

    text = draw()
    root = ET.fromstring(text)
    allowed = {"svg", "title", "desc", "defs", "path", "g", "text", "use", "clipPath", "rect", "tspan"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed
    assert "<script" not in text
    assert "\x1b" not in text
    assert text == draw()


def test_svg_follows_the_colours_of_the_page() -> None:
    ax = drawing.graph(None, ["S", "Y"], [("S", "Y")], thick=[("S", "Y")], arcs=[("S", "Y")])
    text = drawing.to_svg(ax.get_figure(), title="t", description="d")
    assert "currentColor" in text
    assert "--fw-group-0" in text
    assert "--fw-group-1" in text


def test_the_module_needs_matplotlib_only_to_draw() -> None:
    code = "import sys, fairwitness.drawing.graphs; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
