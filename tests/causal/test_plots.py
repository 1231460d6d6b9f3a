from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from fairwitness.causal import (
    Distribution,
    Limits,
    assumption_ladder,
    effect_bounds,
    plot_bounds,
    population_bounds,
)
from fairwitness.drawing import figure, to_svg
from fairwitness.errors import ConfigError

QUESTION = {"treatment": "S", "outcome": "Y", "active": 0, "reference": 1, "outcome_value": 1}
GRAPH = "S -> W -> Y; S -> Y"


@pytest.fixture(scope="module")
def data():
    joint = np.random.default_rng(4).dirichlet(np.ones(8)).reshape(2, 2, 2)
    return Distribution.from_table(list("SWY"), [(0, 1)] * 3, joint)


@pytest.fixture(scope="module")
def found(data):
    return {
        "one value": effect_bounds(data, GRAPH, **QUESTION),
        "tight": effect_bounds(data, GRAPH, given={"S": 1, "W": 0}, **QUESTION),
        "confounded": effect_bounds(data, f"{GRAPH}; S <-> Y; W <-> Y; S <-> W", given={"S": 1}, **QUESTION),
    }


def labels(ax):
    return [text.get_text().replace("\n", " ").replace("\u00a0", " ") for text in ax.get_yticklabels()]


def words(ax):
    return " ".join([ax.get_title(loc="left"), *(text.get_text().replace("\n", " ") for text in ax.texts)])


def lines_at(ax):
    return {line.get_xdata()[0] for line in ax.lines if list(line.get_ydata()) == [0, 1]}


class TestBounds:
    def test_are_drawn_by_what_they_are(self, found):
        assert [bounds.status for bounds in found.values()] == ["identified", "tight", "uninformative"]
        ax = plot_bounds(list(found.values()), tau=0.1)
        (solid, hollow) = ax.patches
        tight = found["tight"]
        assert (solid.get_x(), solid.get_x() + solid.get_width()) == pytest.approx((tight.lower, tight.upper))
        assert hollow.get_hatch()
        assert sum(line.get_marker() == "D" for line in ax.lines) == 1
        assert lines_at(ax) == {0.0, 0.1, -0.1}

    def test_confidence_intervals_are_apart(self, found):
        tight = found["tight"]
        wider = dataclasses.replace(tight, interval=(tight.lower - 0.1, tight.upper + 0.2), confidence=0.9)
        ax = plot_bounds([wider])
        (thin,) = [line for line in ax.lines if len(line.get_xdata()) == 6]
        assert set(thin.get_xdata()) == set(wider.interval)
        assert "90 % interval" in [text.get_text() for text in ax.get_legend().get_texts()]

    def test_gap_is_pale(self, found):
        tight = found["tight"]
        proof = dataclasses.replace(
            tight.certificate, lower_attained=tight.lower + 0.01, upper_attained=tight.upper - 0.01
        )
        pale, solid = plot_bounds([dataclasses.replace(tight, certificate=proof)]).patches
        assert pale.get_alpha() < 1
        assert solid.get_width() == pytest.approx(pale.get_width() - 0.02)

    def test_relaxation_is_pale_all_over(self, found):
        tight = found["tight"]
        proof = dataclasses.replace(tight.certificate, exact=False)
        (pale,) = plot_bounds([dataclasses.replace(tight, certificate=proof)]).patches
        assert pale.get_alpha() < 1

    def test_are_named_by_what_tells_them_apart(self, data, found):
        people = [effect_bounds(data, GRAPH, given={"W": w}, **QUESTION) for w in (0, 1)]
        ax = plot_bounds(people)
        assert labels(ax) == ["W = 0", "W = 1"]
        assert "all paths from S to Y" in words(ax)
        paths = [effect_bounds(data, GRAPH, paths=paths, **QUESTION) for paths in ("direct", "S -> W -> Y")]
        ax = plot_bounds(paths)
        assert labels(ax) == ["S → Y", "S → W → Y"]
        assert "everyone" in words(ax)
        ax = plot_bounds([people[0], paths[0]])
        assert labels(ax) == ["all paths from S to Y; W = 0", "S → Y; everyone"]

    def test_assumptions_stand_beside(self, found):
        ax = plot_bounds([found["tight"], found["confounded"]])
        assert "No hidden common causes" in words(ax)
        assert "Hidden common causes of all variables are possible" in words(ax)
        assert "hidden common" not in words(plot_bounds([found["tight"]], beside=())).lower()

    def test_take_names_of_ones_own(self, found):
        ax = plot_bounds(
            list(found.values()), labels=["a", "b", "c"], beside=["x1", "x2", "x3"], title="Mine"
        )
        assert labels(ax) == ["a", "b", "c"]
        assert "x2" in words(ax)
        assert ax.get_title(loc="left") == "Mine"

    def test_one_draws_itself(self, found):
        ax = found["tight"].plot(tau=0.05)
        assert lines_at(ax) == {0.0, 0.05, -0.05}
        given = figure()[1]
        assert found["tight"].plot(given) is given

    def test_refusals(self, found):
        with pytest.raises(ConfigError, match="no bounds to draw"):
            plot_bounds([])
        with pytest.raises(ConfigError, match="no bounds to draw"):
            plot_bounds([1])
        with pytest.raises(ConfigError, match="one of labels for each of the 3"):
            plot_bounds(list(found.values()), labels=["a"])
        with pytest.raises(ConfigError, match="tau"):
            plot_bounds(list(found.values()), tau=2)

    def test_hostile_names_are_only_words(self):
        evil = "<b>$x$\u202e"
        cells = pd.DataFrame({evil: [0, 0, 1, 1], "Y": [0, 1, 0, 1], "p": [0.1, 0.2, 0.3, 0.4]})
        bounds = effect_bounds(
            cells, f'"{evil}" -> Y', weights="p", **{**QUESTION, "treatment": evil}, given={evil: 1}
        )
        svg = to_svg(bounds.plot().get_figure(), title="t", description="d")
        assert "<b>" not in svg
        assert "\u202e" not in svg


class TestLadder:
    def test_is_a_line_a_rung_with_its_assumptions(self, data):
        ladder = assumption_ladder(data, f"{GRAPH}; W <-> Y", **QUESTION)
        ax = ladder.plot(tau=0.1)
        assert labels(ax) == [rung.title for rung in ladder]
        assert "Nothing but the arrows" in words(ax)
        assert "all paths from S to Y; everyone" in words(ax)
        assert lines_at(ax) == {0.0, 0.1, -0.1}

    def test_says_where_there_are_no_bounds(self, data):
        ladder = assumption_ladder(
            data, f"{GRAPH}; W <-> Y", limits=Limits(columns=2), **QUESTION, given={"W": 0}
        )
        assert any(rung.bounds is None for rung in ladder)
        assert "no bounds" in words(ladder.plot())
        assert "too large" in words(ladder.plot())


class TestRows:
    def test_few_are_a_line_each(self, data):
        rows = population_bounds(data, GRAPH, **QUESTION)
        ax = rows.plot(tau=0.2)
        assert labels(ax) == [f"S = {s} and W = {w}" for s in (0, 1) for w in (0, 1)]
        assert words(ax).count("% of people") == 4
        assert lines_at(ax) == {0.0, 0.2, -0.2}

    def test_many_are_bands_as_high_as_their_shares(self, data, monkeypatch):
        monkeypatch.setattr("fairwitness.causal.plots.MOST_LINES", 3)
        rows = population_bounds(data, GRAPH, **QUESTION)
        ax = rows.plot(tau=0.2)
        heights = [path.get_extents().height for group in ax.collections for path in group.get_paths()]
        assert sorted(heights) == pytest.approx(sorted(cell.share for cell in rows))
        assert ax.get_ylim() == pytest.approx((0, 1))
        assert "surely within ±0.2" in words(ax)
        assert "unfair" not in words(ax)


def test_neither_pyplot_nor_matplotlib_is_imported_early():
    code = (
        "import sys; import fairwitness.causal.plots, fairwitness.drawing.range_rows; "
        "import fairwitness.drawing.band_rows; "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
