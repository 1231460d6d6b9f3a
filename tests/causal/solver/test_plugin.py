from __future__ import annotations

import numpy as np
import pytest

from fairwitness.causal import (
    CausalGraph,
    Distribution,
    Limits,
    NestedCounterfactual,
    effect_bounds,
    plot_bounds,
)
from fairwitness.causal.bounds import answer
from fairwitness.causal.solver.question import prepare
from fairwitness.errors import ConfigError

ASK = {"treatment": "s", "outcome": "y", "active": 1, "reference": 0, "outcome_value": 1}


def counts(cells: object, names: str = "swy") -> Distribution:
    return Distribution.from_counts(list(names), [(0, 1)] * len(names), np.asarray(cells))


class TestWhatIsNotKnown:
    LACKING = counts([[[40, 10], [30, 20]], [[25, 35], [0, 0]]])

    def test_people_whom_nobody_is_like_are_named(self) -> None:
        found = effect_bounds(self.LACKING, "s -> w; {s, w} -> y", **ASK, paths="direct")
        assert found.upper - found.lower == pytest.approx(0.5)  # P(w = 1 | s = 0), of which y is not known
        (note,) = found.notes
        assert "nobody in the table has, so how y would follow there is not known" in note
        assert "the graph alone would leave one value" in note

    def test_nothing_is_said_where_they_do_not_matter(self) -> None:
        found = effect_bounds(self.LACKING, "s -> w; {s, w} -> y", **ASK, paths="indirect")
        assert (found.status, found.notes) == ("identified", ())

    def test_nor_where_the_graph_leaves_it_open_itself(self) -> None:
        found = effect_bounds(self.LACKING, "s -> w; {s, w} -> y; w <-> y", **ASK, paths="direct")
        assert found.upper > found.lower
        assert found.notes == ()


class TestRelaxations:
    TABLE = counts([[[40, 10], [30, 20]], [[15, 35], [20, 30]]])

    def test_what_is_proved_of_a_wider_graph_is_not_called_tight(self) -> None:
        graph = "s -> w; {s, w} -> y; w <-> y"
        found = effect_bounds(self.TABLE, graph, **ASK, paths="direct", relaxation="confounded")
        assert found.status == "outer"
        assert not found.certificate.exact
        assert found.relaxation == "confounded"

    def test_but_of_the_same_graph_it_is(self) -> None:
        graph = CausalGraph.from_text("s -> w; {s, w} -> y").confounded()
        asked = [effect_bounds(self.TABLE, graph, **ASK, relaxation=each) for each in ("none", "confounded")]
        assert {each.status for each in asked} == {"tight"}

    def test_everything_that_bounds_rest_on_is_written_down(self) -> None:
        kernel = self.TABLE.probability / self.TABLE.probability.sum(axis=-1, keepdims=True)
        settings = {**ASK, "predictor": kernel, "relaxation": "confounded", "given": {"w": 0}}
        found = effect_bounds(self.TABLE, "s -> w; {s, w} -> y", **settings)
        (row,) = found.to_frame().to_dict("records")
        for written in (found.to_dict(), row):
            assert written["relaxation"] == "confounded"
            assert written["known_predictor"] is True
            assert "s <-> w" in written["graph"]
            assert written["sampling"] is None


class TestShares:
    def test_of_the_table_and_of_the_graph(self) -> None:
        """The graph has no edge from s to w; the table does not quite agree."""
        table = counts([[[40, 10], [30, 20]], [[15, 35], [10, 40]]])
        found = effect_bounds(table, "{s, w} -> y", **ASK, given={"s": 0, "w": 0})
        assert found.evidence_share == pytest.approx(50 / 200)
        assert found.evidence_probability == pytest.approx(0.5 * 0.5)
        table = counts([[[40, 10], [30, 20]], [[35, 35], [10, 20]]])
        found = effect_bounds(table, "{s, w} -> y", **ASK, given={"s": 0, "w": 0})
        assert found.evidence_share == pytest.approx(50 / 200)
        assert found.evidence_probability == pytest.approx((100 / 200) * (120 / 200))


class TestWrongArguments:
    TABLE = counts([[[40, 10], [30, 20]], [[15, 35], [20, 30]]])

    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"limits": 100}, "limits must say when to give up; got 100"),
            ({"bins": {"agee": [25]}}, "bins speaks of 'agee', which is no variable of the graph"),
            ({"levels": {"x": [0, 1]}}, "levels speaks of 'x', which is no variable of the graph"),
            ({"confidence": 0.95, "random_state": -1, "sampling": "resampled"}, "random_state is negative"),
        ],
    )
    def test_of_effect_bounds(self, settings: dict, said: str) -> None:
        with pytest.raises(ConfigError) as caught:
            effect_bounds(self.TABLE, "s -> w; {s, w} -> y", **ASK, **settings)
        assert said in str(caught.value)

    def test_of_a_nested_counterfactual(self) -> None:
        with pytest.raises(ConfigError, match="needs a set of paths; got 1"):
            NestedCounterfactual(1, 2, 3, 4, 5)
        paths = effect_bounds(self.TABLE, "s -> w; {s, w} -> y", **ASK).query.paths
        with pytest.raises(ConfigError, match="must map variables to values; got 5"):
            NestedCounterfactual(paths, 1, 1, 0, 5)
        with pytest.raises(ConfigError, match="'v'"):
            NestedCounterfactual(paths, 1, 1, 0, {"v": 1})

    def test_of_plots(self) -> None:
        with pytest.raises(ConfigError, match="no bounds to draw; got 5"):
            plot_bounds(5)

    def test_files_of_other_formats(self) -> None:
        with pytest.raises(ConfigError, match="not read as a graph") as caught:
            effect_bounds(self.TABLE, "graphs/mine.gml", **ASK)
        assert "networkx" in str(caught.value)

    def test_limits_that_are_some(self) -> None:
        assert effect_bounds(self.TABLE, "s -> w; {s, w} -> y", **ASK, limits=Limits(seconds=1)).identified


class TestIntervals:
    FEW = counts([[[4, 3], [2, 3]], [[2, 5], [3, 1]]])
    GRAPH = "s -> w; {s, w} -> y"

    def test_that_exclude_nothing_say_so(self) -> None:
        found = effect_bounds(self.FEW, self.GRAPH, **ASK, given={"s": 0, "y": 1}, confidence=0.95)
        assert -1 < found.lower < found.upper < 0
        assert found.interval == (-1.0, 0.0)
        assert "the interval excludes nothing" in found.notes[-1]

    def test_that_exclude_something_do_not(self) -> None:
        found = effect_bounds(self.FEW, self.GRAPH, **ASK, confidence=0.95)
        assert -1 < found.interval[0] < found.interval[1] < 1
        assert found.notes == ()

    @pytest.mark.parametrize(
        ("given", "range_"),
        [
            ({}, (-1.0, 1.0)),
            ({"s": 0, "y": 1}, (-1.0, 0.0)),
            ({"s": 0, "y": 0}, (0.0, 1.0)),
            ({"s": 1, "y": 1}, (0.0, 1.0)),
            ({"s": 1, "y": 0}, (-1.0, 0.0)),
            ({"s": 1, "w": 0}, (-1.0, 1.0)),
        ],
    )
    def test_lie_within_what_is_conceivable(self, given: dict, range_: tuple[float, float]) -> None:
        """Of people seen accepted as they are, another group could accept fewer only, and so on."""
        question = prepare(self.FEW, self.GRAPH, **ASK, given=given)
        assert question.conceivable == range_
        found = answer(question, confidence=0.95)
        assert range_[0] <= found.interval[0] <= found.lower <= found.upper <= found.interval[1] <= range_[1]
