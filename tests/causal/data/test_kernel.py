from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairwitness.causal.data.distribution import Distribution
from fairwitness.causal.data.kernel import read_predictor
from fairwitness.causal.graph.causal_graph import CausalGraph
from fairwitness.errors import ConfigError, DataError
from fairwitness.model.blackbox import as_blackbox

GRAPH = CausalGraph([("S", "W"), ("S", "Y"), ("W", "Y")])
KERNEL = np.array([[[0.9, 0.1], [0.6, 0.4], [0.5, 0.5]], [[0.2, 0.8], [0.3, 0.7], [1.0, 0.0]]])


def in_duckdb(frame):
    return pytest.importorskip("duckdb").from_df(frame)


EAGER = [lambda frame: frame, pl.from_pandas, lambda frame: pa.Table.from_pandas(frame)]
LAZY = [lambda frame: pl.from_pandas(frame).lazy(), in_duckdb]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"S": rng.choice(["f", "m"], 300), "W": rng.integers(0, 3, 300)})
    frame["Y"] = rng.integers(0, 2, 300)
    frame["score"] = rng.integers(0, 101, 300) / 100
    frame["label"] = (frame["score"] > 0.6).astype(int)
    frame["times"] = rng.integers(0, 4, 300)
    return frame[(frame["S"] == "f") | (frame["W"] < 2)].reset_index(drop=True)


@pytest.fixture(scope="module")
def distribution(rows):
    return Distribution.from_data(rows, ["S", "W", "Y"])


@pytest.fixture
def ask(distribution):
    def ask(predictor, **options):
        options = {"graph": GRAPH, "outcome": "Y", "distribution": distribution, **options}
        return read_predictor(predictor, **options)

    return ask


def by_hand(rows, values, weights=None):
    """P(Y = 1 | S, W) as pandas' mean by group."""
    amount = np.ones(len(rows)) if weights is None else weights
    frame = rows.assign(_w=amount, _v=values * amount)
    out = np.full((2, 3), np.nan)
    for (s, w), group in frame.groupby(["S", "W"]):
        out["fm".index(s), w] = group["_v"].sum() / group["_w"].sum() if group["_w"].sum() else np.nan
    return out


class TestTables:
    def test_an_array_in_the_graphs_order(self, ask):
        kernel = ask(KERNEL)
        assert kernel.parents == ("S", "W")
        assert kernel.levels == (0, 1)
        np.testing.assert_array_equal(kernel.table, KERNEL)
        assert kernel.known.all()
        assert kernel.notes == ()

    def test_an_array_of_the_favourable_outcome(self, ask):
        np.testing.assert_allclose(ask(KERNEL[..., 1].tolist()).table, KERNEL)
        np.testing.assert_allclose(ask(KERNEL[..., 0], favorable=0).table, KERNEL)

    def test_a_mapping(self, ask):
        given = {("f" if s == 0 else "m", w): KERNEL[s, w, 1] for s in range(2) for w in range(3)}
        np.testing.assert_allclose(ask(given).table, KERNEL)
        given[("f", 0)] = {0: 0.9, "1": 0.1}
        given[("m", "2")] = [1.0, 0.0]
        np.testing.assert_allclose(ask(given).table, KERNEL)
        del given[("m", 1)]
        partly = ask(given)
        assert partly.known.tolist() == [[True, True, True], [True, False, True]]
        assert np.isnan(partly.table[1, 1]).all()
        assert partly.notes == ("the predictor is not known for 1 of 6 combinations of S and W",)
        document = json.loads(json.dumps(partly.to_dict()))
        assert document["table"][1][1] == [None, None]

    def test_one_parent_needs_no_tuple(self, distribution):
        kernel = read_predictor(
            {"f": 0.25, "m": 1}, graph=CausalGraph([("S", "Y")]), outcome="Y", distribution=distribution
        )
        assert kernel.table.tolist() == [[0.75, 0.25], [0, 1]]

    def test_a_distribution_with_levels_in_another_order(self, ask):
        joint = np.einsum("swy,sw->ysw", KERNEL, [[0.1, 0.2, 0.1], [0.1, 0.5, 0.0]])[:, ::-1, :]
        given = Distribution.from_table(["Y", "S", "W"], [[0, 1], ["m", "f"], [0, 1, 2]], joint)
        kernel = ask(given)
        assert kernel.known.tolist() == [[True, True, True], [True, True, False]]
        np.testing.assert_allclose(kernel.table[kernel.known], KERNEL[kernel.known])

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_a_frame_of_cells_or_people(self, ask, convert):
        cells = [("f" if s == 0 else "m", w, y, KERNEL[s, w, y]) for s, w, y in np.ndindex(2, 3, 2)]
        frame = pd.DataFrame(cells, columns=["S", "W", "Y", "probability"])
        np.testing.assert_allclose(ask(convert(frame)).table, KERNEL)
        people = pd.DataFrame({"S": ["f", "f", "m"], "W": [0, 0, 2], "Y": [1, 0, 1]})
        kernel = ask(convert(people))
        assert kernel.table[0, 0].tolist() == [0.5, 0.5]
        assert kernel.table[1, 2].tolist() == [0, 1]
        assert kernel.known.sum() == 2

    @pytest.mark.parametrize(
        ("predictor", "message"),
        [
            (np.ones((3, 2)), r"wrong shape.*\(3, 2\).*\(2, 3, 2\).*S and W.*Y"),
            (KERNEL * 0.9, r"S = 'f' and W = 0 should .*sum to 1"),
            (KERNEL + np.array([0.5, -0.5]), "should be 0 or more"),
            ([["x"]], "must hold numbers"),
            ({("f",): 1}, "one value a parent"),
            ({("g", 0): 1}, "'S' has no value 'g'"),
            ({("f", 0): {2: 1}}, "'Y' has no value 2"),
            ({("f", 0): [0.2, 0.3, 0.5]}, "one for each outcome"),
            ({("f", 0): 1.5}, "should be 0 or more"),
            ({("f", 0): "often"}, "must hold numbers"),
            (pd.DataFrame({"S": ["f"], "W": [0]}), "no column 'Y'"),
        ],
    )
    def test_tables_that_do_not_fit(self, ask, predictor, message):
        with pytest.raises(DataError, match=message):
            ask(predictor)


class TestModels:
    @staticmethod
    def model(frame):
        return (frame["score"] / 2 + frame["Y"] / 2).to_numpy()

    def test_decisions_are_averaged_over_each_cell(self, ask, rows):
        kernel = ask(self.model, data=rows)
        wanted = by_hand(rows, (self.model(rows) >= 0.5).astype(float))
        np.testing.assert_allclose(kernel.table[..., 1], wanted)
        np.testing.assert_allclose(kernel.table[..., 0], 1 - wanted)
        assert kernel.known.tolist() == [[True, True, True], [True, True, False]]
        assert "share of acceptances" in kernel.notes[0]
        assert "not known for 1 of 6" in kernel.notes[-1]

    def test_scores_and_weights(self, ask, rows):
        scores = self.model(rows)
        np.testing.assert_allclose(
            ask(self.model, data=rows, use="score").table[..., 1], by_hand(rows, scores)
        )
        wanted = by_hand(rows, scores, rows["times"])
        for weights in ("times", rows["times"].to_numpy()):
            weighted = ask(self.model, data=rows, use="score", weights=weights)
            np.testing.assert_allclose(weighted.table[..., 1], wanted)

    def test_the_favourable_outcome_may_come_first(self, ask, rows):
        kernel = ask(self.model, data=rows, use="score", favorable=0)
        np.testing.assert_allclose(kernel.table[..., 0], by_hand(rows, self.model(rows)))

    def test_columns_beyond_the_parents_are_named(self, ask, rows):
        box = as_blackbox(lambda frame: frame["score"], feature_names=["S", "score"])
        assert "also reads score, which the graph does not give" in ask(box, data=rows).notes[1]
        inside = as_blackbox(lambda frame: frame["W"] / 2, feature_names=["W"])
        kernel = ask(inside, data=rows, use="score")
        np.testing.assert_allclose(kernel.table[0, :, 1], [0, 0.5, 1])
        assert len(kernel.notes) == 2

    def test_answers_beside_the_table(self, ask, rows):
        kernel = ask(rows["label"].to_numpy(), data=rows, kind="predictions")
        np.testing.assert_allclose(kernel.table[..., 1], by_hand(rows, rows["label"]))

    def test_an_outcome_that_is_no_column(self, rows):
        graph = CausalGraph([("S", "W"), ("S", "Yhat"), ("W", "Yhat")])
        distribution = Distribution.from_data(rows, ["S", "W"])
        options = {"graph": graph, "outcome": "Yhat", "distribution": distribution, "data": rows}
        kernel = read_predictor(self.model, **options)
        assert kernel.levels == (0, 1)
        joint = distribution.with_kernel("Yhat", kernel.table, kernel.parents, levels=kernel.levels)
        accepted = float((self.model(rows) >= 0.5).mean())
        assert joint.probability_of({"Yhat": 1}) == pytest.approx(accepted)
        named = read_predictor(
            rows["label"].map({0: "no", 1: "yes"}).to_numpy(), **options, kind="predictions", favorable="yes"
        )
        assert named.levels == ("not yes", "yes")

    def test_bins_and_missing_values(self, rows):
        frame = rows.assign(age=np.where(rows.index == 0, np.nan, 20 + rows.index % 40))
        graph = CausalGraph([("age", "Y")])
        options = {"bins": {"age": [30], "W": [1]}, "missing": "drop"}
        distribution = Distribution.from_data(frame, ["age", "Y"], bins={"age": [30]}, missing="drop")
        more = {"graph": graph, "outcome": "Y", "distribution": distribution, "data": frame}
        kernel = read_predictor(lambda given: given["score"], use="score", **more, missing="drop")
        again = read_predictor(lambda given: given["score"], use="score", **more, **options)
        np.testing.assert_array_equal(again.table, kernel.table)
        old = frame["age"] > 30
        np.testing.assert_allclose(
            kernel.table[:, 1], [frame["score"][1:][~old[1:]].mean(), frame["score"][old].mean()]
        )
        with pytest.raises(DataError, match="levels of 'age' are not those of the distribution"):
            read_predictor(lambda given: given["score"], **more, missing="drop", bins={"age": [31]})
        with pytest.raises(DataError, match="missing values"):
            read_predictor(lambda given: given["score"], **more, bins={"age": [30]})

    def test_what_cannot_be_asked(self, ask, rows):
        with pytest.raises(ConfigError, match="needs the rows"):
            ask(self.model)
        with pytest.raises(ConfigError, match="rows in memory"):
            ask(self.model, data=pl.from_pandas(rows).lazy())
        with pytest.raises(ConfigError, match="use is not known"):
            ask(self.model, data=rows, use="scores")
        with pytest.raises(ConfigError, match="gives no scores"):
            ask(
                rows["label"].map({0: "a", 1: "b"}).to_numpy(),
                data=rows,
                kind="predictions",
                use="score",
                favorable="b",
                distribution=Distribution.from_data(
                    rows.assign(Y=rows["Y"].map({0: "a", 1: "b"})), ["S", "W", "Y"]
                ),
            )


class TestColumns:
    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_predicted_values(self, ask, rows, convert):
        kernel = ask("label", data=convert(rows))
        np.testing.assert_allclose(kernel.table[..., 1], by_hand(rows, rows["label"]))
        assert kernel.known.sum() == 5
        weighted = ask("label", data=convert(rows), weights="times")
        np.testing.assert_allclose(weighted.table[..., 1], by_hand(rows, rows["label"], rows["times"]))

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_predicted_scores(self, ask, rows, convert):
        kernel = ask("score", data=convert(rows))
        np.testing.assert_allclose(kernel.table[..., 1], by_hand(rows, rows["score"]))
        assert "mean of score" in kernel.notes[0]
        weighted = ask("score", data=convert(rows), weights="times")
        np.testing.assert_allclose(weighted.table[..., 1], by_hand(rows, rows["score"], rows["times"]))

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_missing_predictions(self, ask, rows, convert):
        holes = rows.assign(score=rows["score"].where(rows.index > 4))
        with pytest.raises(DataError, match="5 of them"):
            ask("score", data=convert(holes))
        kernel = ask("score", data=convert(holes), missing="drop")
        np.testing.assert_allclose(kernel.table[..., 1], by_hand(rows[5:], rows["score"][5:]))
        assert "5 missing predictions of score were left out" in kernel.notes

    def test_the_outcome_itself(self, ask, rows):
        np.testing.assert_allclose(ask("Y", data=rows).table[..., 1], by_hand(rows, rows["Y"]))

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_columns_that_hold_neither(self, ask, rows, convert):
        frame = rows.assign(points=rows["score"] * 2, verdict=rows["label"].map({0: "no", 1: "yes"}))
        with pytest.raises(DataError, match=r"neither values of 'Y' nor scores.*0 to 2"):
            ask("points", data=convert(frame))
        with pytest.raises(DataError, match="neither values"):
            ask("verdict", data=convert(frame))
        with pytest.raises(DataError, match=r"no column 'scores'.*'score'"):
            ask("scores", data=convert(frame))

    def test_three_outcomes(self, rows):
        frame = rows.assign(Y=rows["W"] % 3, guess=(rows["W"] + rows["label"]) % 3)
        graph = CausalGraph([("S", "Y")])
        distribution = Distribution.from_data(frame, ["S", "Y"])
        more = {"graph": graph, "outcome": "Y", "distribution": distribution, "data": frame}
        kernel = read_predictor("guess", **more)
        wanted = pd.crosstab(frame["S"], frame["guess"], normalize="index").to_numpy()
        np.testing.assert_allclose(kernel.table, wanted)
        with pytest.raises(DataError, match="3 values; scores and decisions tell two apart"):
            read_predictor("score", **more)


class TestPlace:
    def test_outcomes_are_last(self, distribution):
        with pytest.raises(ConfigError, match=r"is a cause in the graph.*causes W and Y"):
            read_predictor(KERNEL, graph=GRAPH, outcome="S", distribution=distribution)
        graph = CausalGraph([("S", "W")], nodes=["Y"])
        with pytest.raises(ConfigError, match="has no cause"):
            read_predictor(KERNEL, graph=graph, outcome="Y", distribution=distribution)
        with pytest.raises(ConfigError, match="no node 'Z'"):
            read_predictor(KERNEL, graph=GRAPH, outcome="Z", distribution=distribution)
        with pytest.raises(DataError, match="no variable 'W'"):
            read_predictor(KERNEL, graph=GRAPH, outcome="Y", distribution=distribution.take("S", "Y"))
