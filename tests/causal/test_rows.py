from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.causal import cases

from fairwitness.causal import CausalGraph, Distribution, effect_bounds, population_bounds
from fairwitness.causal.data.distribution import Distribution as Counted
from fairwitness.errors import ConfigError, DataError, UnknownNameError

GRAPH = "sex -> dept -> hired; {sex, age} -> hired; dept <-> hired"
QUESTION = {
    "treatment": "sex",
    "outcome": "hired",
    "active": "m",
    "reference": "f",
    "outcome_value": "yes",
}
BINS = {"age": [40]}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = 600
    sex = rng.choice(["f", "m"], n)
    dept = np.where(rng.random(n) < np.where(sex == "m", 0.7, 0.3), "A", "B")
    age = rng.integers(18, 70, n)
    hired = np.where(rng.random(n) < 0.2 + 0.3 * (dept == "A") + 0.1 * (sex == "m"), "yes", "no")
    return pd.DataFrame({"sex": sex, "dept": dept, "age": age, "hired": hired}).set_index(
        pd.Index(range(1000, 1000 + n))
    )


@pytest.fixture(scope="module")
def found(people):
    return population_bounds(people, GRAPH, bins=BINS, **QUESTION)


class TestCells:
    def test_are_what_each_question_gives_alone(self, people, found):
        assert len(found) == 8
        for cell in found:
            alone = effect_bounds(people, GRAPH, bins=BINS, given=cell.given, **QUESTION)
            assert (cell.bounds.lower, cell.bounds.upper) == (alone.lower, alone.upper)
            assert cell.bounds.evidence_probability == alone.evidence_probability
            assert dict(cell.bounds.query.given) == dict(cell.given)

    def test_are_all_people_once(self, people, found):
        assert found.evidence == ("sex", "dept", "age")
        assert sum(cell.share for cell in found) == pytest.approx(1)
        counted = people.groupby(["sex", "dept", people["age"] > 40]).size()
        assert sorted(cell.n for cell in found) == pytest.approx(sorted(counted))

    def test_table_is_counted_once(self, people, monkeypatch):
        calls = []
        original = Counted.from_data.__func__

        def counting(cls, *arguments, **settings):
            calls.append(arguments)
            return original(cls, *arguments, **settings)

        monkeypatch.setattr(Counted, "from_data", classmethod(counting))
        population_bounds(people, GRAPH, bins=BINS, **QUESTION)
        assert len(calls) == 1

    def test_of_some_columns(self, people):
        some = population_bounds(people, GRAPH, bins=BINS, for_rows=["dept"], **QUESTION)
        assert [dict(cell.given) for cell in some] == [{"dept": "A"}, {"dept": "B"}]
        one = population_bounds(people, GRAPH, bins=BINS, for_rows="dept", **QUESTION)
        assert [cell.bounds.lower for cell in one] == [cell.bounds.lower for cell in some]

    def test_of_some_people(self, people):
        women = population_bounds(people, GRAPH, bins=BINS, given={"sex": "f"}, **QUESTION)
        assert len(women) == 4
        assert all(cell.given["sex"] == "f" for cell in women)
        assert women.asked == pytest.approx((people["sex"] == "f").mean())
        assert sum(cell.share for cell in women) == pytest.approx(1)
        assert women[{"dept": "A", "age": 30}].query.given == {"sex": "f", "dept": "A", "age": "≤ 40"}

    def test_of_a_table_of_counts(self, people):
        small = people.assign(age=np.where(people["age"] > 40, "old", "young"))
        counts = small.groupby(list(small.columns)).size().rename("rows").reset_index()
        by_rows = population_bounds(small, GRAPH, **QUESTION).to_frame()
        by_cells = population_bounds(counts, GRAPH, weights="rows", **QUESTION).to_frame()
        pd.testing.assert_frame_equal(by_rows, by_cells)

    def test_are_the_same_with_workers(self, people, found, monkeypatch):
        monkeypatch.setattr("fairwitness.causal.rows.CHUNK", 3)
        spread = population_bounds(people, GRAPH, bins=BINS, n_jobs=2, **QUESTION)
        pd.testing.assert_frame_equal(
            spread.to_frame().drop(columns="engine"), found.to_frame().drop(columns="engine")
        )

    def test_corrected_table_4(self, shared_path):
        graph, counts = cases.adult_counts(shared_path)
        data = Distribution.from_counts(graph.variables, [(0, 1)] * 7, counts)
        adult = population_bounds(
            data,
            CausalGraph(graph.edges, nodes=graph.variables),
            treatment="sex",
            outcome="income",
            active=1,
            reference=0,
            outcome_value=1,
            given={"sex": 0},
            for_rows=["age", "education", "marital-status"],
        )
        for cell, (lower, upper) in zip(adult, cases.ADULT_BOUNDS, strict=True):
            assert (cell.bounds.lower, cell.bounds.upper) == pytest.approx((lower, upper), abs=5.1e-5)
        assert adult.shares(0.1)["undetermined"] == pytest.approx(
            sum(cell.share for cell in adult if cell.given["marital-status"] == 1)
        )


class TestShares:
    def test_sum_to_one_and_follow_the_threshold(self, found):
        for tau in (0.01, 0.1, 0.5, 0.99):
            shares = found.shares(tau)
            assert set(shares) == {"fair", "undetermined", "unfair"}
            assert sum(shares.values()) == pytest.approx(1)
            by_hand = sum(cell.share for cell in found if cell.bounds.verdict(tau) == "fair")
            assert shares["fair"] == pytest.approx(by_hand)
        assert found.shares(0.99)["fair"] > found.shares(0.01)["fair"]

    def test_say_themselves_in_one_line(self, found):
        assert "\n" not in repr(found)
        assert "8 cells" in repr(found)


class TestLookingUp:
    def test_a_cell(self, found):
        bounds = found[{"sex": "f", "dept": "A", "age": "≤ 40"}]
        assert bounds.query.given == {"sex": "f", "dept": "A", "age": "≤ 40"}
        assert found[{"age": 22, "sex": "f", "dept": "A"}] is bounds

    @pytest.mark.parametrize("given", [{"sex": "f"}, {}, "f", {"sex": "f", "dept": "A", "age": 1, "x": 2}])
    def test_refuses_what_is_no_cell(self, found, given):
        with pytest.raises(UnknownNameError, match="give a value that occurs"):
            found[given]

    def test_refuses_an_unknown_value(self, found):
        with pytest.raises(DataError, match="'dept' has no value 'Z'"):
            found[{"sex": "f", "dept": "Z", "age": 22}]

    def test_refuses_people_who_do_not_occur(self, people):
        some = people[(people["sex"] == "m") | (people["dept"] == "A")]
        few = population_bounds(some, GRAPH, bins=BINS, **QUESTION)
        assert len(few) == 6
        with pytest.raises(UnknownNameError, match="nobody is like that"):
            few[{"sex": "f", "dept": "B", "age": 50}]


class TestForTable:
    KINDS = (lambda frame: frame, pl.from_pandas, lambda frame: pa.Table.from_pandas(frame))

    @pytest.mark.parametrize("kind", KINDS, ids=["pandas", "polars", "pyarrow"])
    def test_gives_every_row_its_interval(self, people, found, kind):
        table = kind(people)
        given = found.for_table(table, tau=0.2)
        assert type(given) is type(table)
        rows = given if isinstance(given, pd.DataFrame) else given.to_pandas()
        assert len(rows) == len(people)
        for at in (0, 17, 599):
            person = people.iloc[at]
            bounds = found[{name: person[name] for name in found.evidence}]
            row = rows.iloc[at]
            assert (row["lower"], row["upper"]) == (bounds.lower, bounds.upper)
            assert (row["interval_low"], row["interval_high"]) == bounds.interval
            assert row["verdict"] == bounds.verdict(0.2)
            assert found.cells[row["cell"]].bounds is bounds

    def test_keeps_the_index(self, people, found):
        assert found.for_table(people).index.equals(people.index)

    def test_leaves_rows_empty_that_are_none_of_the_people(self, people, found):
        table = people.head(4).assign(dept=["A", None, "Z", "B"], age=[20.0, 20.0, 20.0, np.nan])
        given = found.for_table(table)
        assert given["cell"].tolist()[1:] == [-1, -1, -1]
        assert given["lower"].isna().tolist() == [False, True, True, True]
        assert given["verdict"].isna().tolist() == [False, True, True, True]
        in_polars = found.for_table(pl.from_pandas(table))
        assert in_polars["lower"].null_count() == 3

    def test_leaves_out_people_who_were_not_asked_about(self, people):
        women = population_bounds(people, GRAPH, bins=BINS, given={"sex": "f"}, **QUESTION)
        given = women.for_table(people)
        assert ((given["cell"] == -1) == (people["sex"] == "m")).all()

    def test_reads_columns_that_are_cut_already(self, people, found):
        cut = people.assign(age=np.where(people["age"] > 40, "> 40", "≤ 40"))
        pd.testing.assert_frame_equal(found.for_table(cut), found.for_table(people))

    def test_refuses_a_table_without_the_columns(self, people, found):
        with pytest.raises(DataError, match="dept"):
            found.for_table(people.drop(columns="dept"))


class TestForms:
    def test_frame(self, found):
        frame = found.to_frame(tau=0.3)
        assert list(frame.columns)[:4] == ["sex", "dept", "age", "share"]
        assert (frame["lower"] <= frame["upper"]).all()
        assert frame["verdict"].tolist() == [cell.bounds.verdict(0.3) for cell in found]

    def test_notebook_shows_a_table_that_is_only_words(self, people):
        evil = people.replace({"dept": {"A": "<b>A</b>\u202e"}})
        shown = population_bounds(evil, GRAPH, bins=BINS, **QUESTION)._repr_html_()
        assert "&lt;b&gt;A" in shown
        assert "\u202e" not in shown

    def test_document(self, found):
        document = json.loads(json.dumps(found.to_dict(tau=0.2), allow_nan=False))
        assert document["evidence"] == ["sex", "dept", "age"]
        assert len(document["cells"]) == 8
        assert document["shares"] == found.shares(0.2)

    def test_confidence_widens_every_interval(self, people):
        some = population_bounds(people, GRAPH, bins=BINS, for_rows=["dept"], confidence=0.9, **QUESTION)
        for cell in some:
            low, high = cell.bounds.interval
            assert low <= cell.bounds.lower
            assert high >= cell.bounds.upper
            assert (low, high) != (cell.bounds.lower, cell.bounds.upper)


class TestRefusals:
    def test_nobody_to_ask_about(self, people):
        men = people[people["dept"] == "A"]
        with pytest.raises(DataError, match="nobody in the data has dept = B"):
            population_bounds(
                men, GRAPH, bins=BINS, given={"dept": "B"}, levels={"dept": ["A", "B"]}, **QUESTION
            )

    def test_unknown_columns(self, people):
        with pytest.raises(ConfigError, match="no node 'town'"):
            population_bounds(people, GRAPH, bins=BINS, for_rows=["town"], **QUESTION)

    def test_nothing_to_tell_people_apart_by(self, people):
        with pytest.raises(ConfigError, match="no column is named"):
            population_bounds(people, GRAPH, bins=BINS, for_rows=[], **QUESTION)

    def test_a_path_that_does_not_exist(self, people):
        with pytest.raises(ConfigError, match="no edge sex -> age"):
            population_bounds(people, GRAPH, bins=BINS, paths="sex -> age -> hired", **QUESTION)

    def test_a_sensitive_feature_with_one_value(self, people):
        women = people[people["sex"] == "f"]
        with pytest.raises(DataError, match=r"sex.* has no value 'm'|one value only"):
            population_bounds(women, GRAPH, bins=BINS, **QUESTION)
