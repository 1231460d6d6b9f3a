from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairwitness.causal.data.distribution import Distribution
from fairwitness.errors import ConfigError, DataError

FRAME = pd.DataFrame(
    {
        "sex": ["m", "f", "m", "f", "f", "m"],
        "ok": [1, 0, 1, 1, 0, 0],
        "age": [20.5, 37.0, 40.0, 45.0, 50.0, 37.1],
        "times": [2, 3, 4, 5, 6, 0],
        "share": [0.1, 0.2, 0.3, 0.2, 0.1, 0.1],
    }
)


def lazily_in_polars(frame):
    return pl.from_pandas(frame).lazy()


def in_duckdb(frame):
    return pytest.importorskip("duckdb").from_df(frame)


EAGER = [lambda frame: frame, pl.from_pandas, lambda frame: pa.Table.from_pandas(frame)]
LAZY = [lazily_in_polars, in_duckdb]


def read(data, variables=("ok", "sex"), **options):
    return Distribution.from_data(data, variables, **options)


def assert_same(one, other):
    assert one.variables == other.variables
    assert one.levels == other.levels
    assert one.n == other.n
    assert one.notes == other.notes
    np.testing.assert_allclose(one.probability, other.probability, rtol=1e-12)
    assert (one.counts is None) == (other.counts is None)
    if one.counts is not None:
        np.testing.assert_array_equal(one.counts, other.counts)


class TestRows:
    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_one_row_a_person(self, convert):
        read_ = read(convert(FRAME))
        assert read_.levels == ((0, 1), ("f", "m"))
        assert read_.n == 6
        assert read_.counts.tolist() == [[2, 1], [1, 2]]
        np.testing.assert_allclose(read_.probability, np.array([[2, 1], [1, 2]]) / 6)
        assert read_.notes == ()

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_one_row_a_cell_with_its_count(self, convert):
        read_ = read(convert(FRAME), weights="times")
        assert read_.n == 20
        assert read_.counts.tolist() == [[9, 0], [5, 6]]
        assert read_.notes == ("weights are counts of 20 rows",)
        surveyed = read(convert(FRAME), weights="times", sampling=True)
        assert surveyed.n is None
        assert surveyed.counts is None
        np.testing.assert_allclose(surveyed.probability, np.array([[9, 0], [5, 6]]) / 20)
        assert surveyed.notes == (
            "weights summed to 20 and were divided by that",
            "how many rows there were is not known",
        )

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_one_row_a_cell_with_its_probability(self, convert):
        read_ = read(convert(FRAME), weights="share")
        assert read_.n is None
        np.testing.assert_allclose(read_.probability, [[0.3, 0.1], [0.2, 0.4]])
        assert read_.notes == ("how many rows there were is not known",)
        halves = read(convert(FRAME.assign(share=[0.5, 0.5, 1.5, 0.5, 2.5, 0.5])), weights="share")
        # cells of 3.0, 0.5, 0.5, 2.0: weights are no counts because their sums may be whole
        assert halves.n is None
        assert halves.notes[0] == "weights summed to 6 and were divided by that"

    def test_one_certain_cell_is_a_probability(self):
        assert read(FRAME[:1], weights="times").n == 2
        assert read(FRAME[:1].assign(times=1), weights="times").n is None

    def test_weights_beside_the_table(self):
        assert_same(read(FRAME, weights=FRAME["times"].to_numpy()), read(FRAME, weights="times"))

    def test_the_order_of_the_rows_does_not_matter(self):
        assert_same(read(FRAME.sample(frac=1, random_state=3)), read(FRAME))

    def test_nothing_is_changed_in_the_table(self):
        table = FRAME.copy()
        read(table, ["age", "ok"], bins={"age": [30]})
        pd.testing.assert_frame_equal(table, FRAME)

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_levels_of_ones_own(self, convert):
        read_ = read(convert(FRAME), levels={"ok": [2, 1, 0]})
        assert read_.levels == ((2, 1, 0), ("f", "m"))
        assert read_.counts.tolist() == [[0, 0], [1, 2], [2, 1]]
        assert read_.notes == ("ok never takes the value 2",)
        with pytest.raises(DataError, match=r"not in its levels.*0"):
            read(convert(FRAME), levels={"ok": [1]})

    def test_one_value_is_a_variable_too(self):
        assert read(FRAME.assign(sex="f")).probability.shape == (2, 1)

    @pytest.mark.parametrize("convert", EAGER)
    def test_declared_categories_that_never_occur_are_left_out(self, convert):
        frame = FRAME.astype({"sex": pd.CategoricalDtype(["x", "m", "f"])})
        assert read(convert(frame)).levels[1] == ("f", "m")

    def test_columns_that_are_called_by_a_number(self):
        frame = FRAME.rename(columns={"ok": 1, "age": 2})
        read_ = read(frame, ["1", "2"], bins={"2": [39]})
        assert read_.counts.tolist() == [[2, 1], [1, 2]]


class TestBins:
    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_cut_points(self, convert):
        read_ = read(convert(FRAME), ["age"], bins={"age": [37, 45, 99]})
        assert read_.levels == (("≤ 37", "> 37, ≤ 45", "> 45, ≤ 99", "> 99"),)
        assert read_.counts.tolist() == [2, 3, 1, 0]
        assert read_.notes == (
            "age is cut into '≤ 37', '> 37, ≤ 45', '> 45, ≤ 99' and '> 99'",
            "age never takes the value '> 99'",
        )

    @pytest.mark.parametrize(
        ("words", "levels", "counts"),
        [
            ("> 37", ("age ≤ 37", "age > 37"), [2, 4]),
            (">= 37", ("age < 37", "age ≥ 37"), [1, 5]),
            ("< 37", ("age < 37", "age ≥ 37"), [1, 5]),
            ("age ≤ 37", ("age ≤ 37", "age > 37"), [2, 4]),
        ],
    )
    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_a_cut_in_words(self, convert, words, levels, counts):
        read_ = read(convert(FRAME), ["age"], bins={"age": words})
        assert read_.levels == (levels,)
        assert read_.counts.tolist() == counts

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_whole_numbers_and_weights(self, convert):
        frame = FRAME.assign(age=[20, 37, 40, 45, 50, 38])
        read_ = read(convert(frame), ["sex", "age"], bins={"age": 37}, weights="times")
        assert read_.counts.tolist() == [[3, 11], [2, 4]]

    @pytest.mark.parametrize("convert", [EAGER[0], LAZY[0]])
    def test_numbers_are_found_in_their_bins(self, convert):
        read_ = read(convert(FRAME), ["sex", "age"], bins={"age": [37, 45]}).take("age", "sex")
        assert [read_.level_index("age", at) for at in (-3, 37, "37.1", np.float32(45), 99)] == [
            0,
            0,
            1,
            1,
            2,
        ]
        assert read_.evidence({"age": "> 45"}) == read_.evidence({"age": 50}) == {"age": 2}
        assert read(convert(FRAME), ["age"], bins={"age": "< 37"}).level_index("age", 37) == 1
        for bad in (np.nan, np.inf, "inf", "old"):
            with pytest.raises(DataError, match="no value"):
                read_.level_index("age", bad)
        again = read(convert(FRAME), ["age"], bins=read_.cuts)
        np.testing.assert_array_equal(again.counts, read_.take("age").counts)

    def test_a_name_that_begins_like_the_comparison(self):
        assert read(
            FRAME.rename(columns={"age": "a > b"}), ["a > b"], bins={"a > b": "> 37"}
        ).counts.tolist() == [2, 4]

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_amounts_need_bins(self, convert):
        with pytest.raises(DataError, match=r"'age' holds an amount.*6 distinct numbers.*bins="):
            read(convert(FRAME), ["age"])
        many = pd.DataFrame({"id": range(21), "ok": [0, 1, 1] * 7})
        with pytest.raises(DataError, match="21 distinct"):
            read(convert(many), ["ok", "id"])
        assert read(convert(many[:20]), ["id"]).n == 20
        assert read(convert(FRAME.astype({"ok": float})), ["ok"]).levels == ((0.0, 1.0),)
        assert read(convert(many), ["id"], levels={"id": range(21)}).n == 21

    @pytest.mark.parametrize(
        ("bins", "message"),
        [
            ({"agee": [3]}, "no variable here.*use 'age', if that is meant"),
            ({"age": [3, 3]}, "low to high"),
            ({"age": []}, "low to high"),
            ({"age": [np.inf]}, "low to high"),
            ({"age": [None]}, "low to high"),
            ({"age": [[1, 2]]}, "low to high"),
            ({"age": "old"}, "no comparison"),
            ({"age": "> old"}, "end in a number"),
            ({"age": "ok > 3"}, "no comparison"),
            ([37], "where it is cut"),
        ],
    )
    def test_bins_that_make_no_sense(self, bins, message):
        with pytest.raises(ConfigError, match=message):
            read(FRAME, ["age"], bins=bins)

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_text_cannot_be_cut(self, convert):
        with pytest.raises(DataError, match="'sex' should hold numbers"):
            read(convert(FRAME), bins={"sex": [3]})


class TestMissing:
    HOLES = pd.DataFrame(
        {
            "sex": ["m", None, "f", "f", None],
            "ok": [1.0, 0.0, np.nan, 1.0, np.nan],
            "age": [20.5, 37.0, 40.0, np.nan, 50.0],
            "times": [2, 3, 4, 5, 6],
        }
    )

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_missing_values_are_refused(self, convert):
        with pytest.raises(DataError, match=r'3 rows: ok \(2\) and sex \(2\).*missing="drop"'):
            read(convert(self.HOLES))

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_or_their_rows_left_out_and_counted(self, convert):
        read_ = read(convert(self.HOLES), missing="drop")
        assert read_.levels == ((1.0,), ("f", "m"))
        assert read_.n == 2
        assert read_.notes == ("3 rows with a missing value were left out: ok (2) and sex (2)",)
        weighted = read(convert(self.HOLES), missing="drop", weights="times")
        assert weighted.counts.tolist() == [[5, 2]]
        cut = read(convert(self.HOLES), ["age", "sex"], missing="drop", bins={"age": [30]})
        assert cut.counts.tolist() == [[0, 1], [1, 0]]

    def test_nan_is_missing_to_a_database_too(self):
        lazy = pl.DataFrame({"age": [float("nan"), None, 1.0, 2.0]}).lazy()
        assert read(lazy, ["age"], missing="drop").n == 2
        cut = read(lazy, ["age"], missing="drop", bins={"age": [1]})
        assert cut.counts.tolist() == [1, 1]
        assert cut.notes[0] == "2 rows with a missing value were left out: age (2)"

    def test_weights_beside_the_table_go_along(self):
        weighted = read(self.HOLES, missing="drop", weights=[2, 3, 4, 5, 6])
        assert weighted.counts.tolist() == [[5, 2]]

    def test_a_policy_is_one_of_two(self):
        with pytest.raises(ConfigError, match="missing is not known"):
            read(FRAME, missing="group")

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_nothing_left(self, convert):
        with pytest.raises(DataError, match="no rows"):
            read(convert(self.HOLES[4:]), missing="drop")


class TestBadTables:
    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_columns_that_are_not_there(self, convert):
        with pytest.raises(DataError, match=r"no column 'Sex'.*use 'sex', if that is meant"):
            read(convert(FRAME), ["ok", "Sex"])
        with pytest.raises(DataError, match=r"no column 'time'.*use 'times', if that is meant"):
            read(convert(FRAME), weights="time")
        with pytest.raises(DataError, match=r"no column 'zzz'.*use one of"):
            read(convert(FRAME), ["zzz"])

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_weights_that_cannot_be(self, convert):
        for bad in (-1.0, np.nan, np.inf):
            with pytest.raises(DataError, match=r"weights|infinite"):
                read(convert(FRAME.assign(share=[1, 1, bad, 1, 1, 1.0])), weights="share")
        with pytest.raises(DataError, match="all weights are 0"):
            read(convert(FRAME.assign(share=0.0)), weights="share")
        with pytest.raises(ConfigError, match="'ok' is one of the variables"):
            read(convert(FRAME), weights="ok")
        with pytest.raises(DataError, match="'sex' should hold numbers"):
            read(convert(FRAME), ["ok"], weights="sex")

    def test_weights_of_another_table(self):
        with pytest.raises(DataError, match="one weight a row"):
            read(FRAME, weights=[1, 2])
        with pytest.raises(DataError, match="one weight a row"):
            read(TestMissing.HOLES, weights=[1, 2], missing="drop")
        with pytest.raises(DataError, match="weights must hold numbers"):
            read(FRAME, weights=list("abcdef"))
        with pytest.raises(ConfigError, match="column's name"):
            read(lazily_in_polars(FRAME), weights=[1] * 6)

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_no_rows(self, convert):
        with pytest.raises(DataError, match="no rows to count"):
            read(convert(FRAME[:0]))

    @pytest.mark.parametrize("convert", EAGER + LAZY)
    def test_too_many_cells(self, convert):
        with pytest.raises(DataError, match=r"2 of ok × 2 of sex.*fewer variables or bins.*max_cells"):
            read(convert(FRAME), max_cells=3)
        assert read(convert(FRAME), max_cells=4).n == 6

    def test_what_is_no_table(self):
        with pytest.raises(DataError, match="cannot be read"):
            read([1, 2])
        with pytest.raises(DataError, match="dates"):
            read(FRAME.assign(ok=pd.Timestamp("2020-01-01")))

    @pytest.mark.parametrize("variables", [[], ["ok", "ok"], "ok"])
    def test_variables_are_different_names(self, variables):
        with pytest.raises(ConfigError, match="different names"):
            read(FRAME, variables)

    @pytest.mark.parametrize("levels", [{"okk": [1]}, {"ok": []}, {"ok": [1, 1]}, {"sex": "fm"}])
    def test_levels_that_make_no_sense(self, levels):
        with pytest.raises(ConfigError, match="levels"):
            read(FRAME, levels=levels)
        with pytest.raises(ConfigError, match="cut into bins"):
            read(FRAME, ["age"], levels={"age": [1]}, bins={"age": [1]})

    def test_names_are_shown_plainly(self):
        with pytest.raises(DataError) as caught:
            read(FRAME.rename(columns={"sex": "\x1b[31m"}), ["ok", "\x1b[3m"])
        assert "\x1b" not in str(caught.value)


class TestTables:
    TABLE = np.arange(1, 13).reshape(2, 3, 2) / 78

    @pytest.fixture
    def table(self):
        return Distribution.from_table(["a", "b", "c"], [[0, 1], ["x", "y", "z"], [False, True]], self.TABLE)

    def test_taken_as_it_is(self, table):
        np.testing.assert_allclose(table.probability, self.TABLE, rtol=1e-15)
        assert table.n is None
        assert table.notes == ()
        assert table.cards == (2, 3, 2)
        assert repr(table) == "Distribution(a: 2, b: 3, c: 2)"

    def test_flat_with_the_last_variable_fastest(self, table):
        flat = Distribution.from_table(table.variables, table.levels, self.TABLE.ravel().tolist())
        assert_same(flat, table)

    def test_brought_to_sum_to_one_and_said(self):
        table = Distribution.from_table(["a"], [[0, 1]], [0.25, 0.7498])
        assert table.probability.sum() == pytest.approx(1, abs=1e-15)
        assert table.notes == ("probabilities summed to 0.9998 and were divided by that",)

    def test_the_callers_array_stays_theirs(self):
        for make in (Distribution.from_table, Distribution.from_counts):
            given = np.array([1.0, 3.0])
            made = make(["a"], [[0, 1]], given)
            given[0] = 0
            assert made.probability.tolist() == [0.25, 0.75]
            assert made.counts is None or made.counts.tolist() == [1, 3]
            with pytest.raises(ValueError, match="read-only"):
                made.probability[0] = 1

    def test_counts(self):
        counted = Distribution.from_counts(["a"], [[0, 1]], [1, 3])
        assert counted.n == 4
        assert repr(counted) == "Distribution(a: 2, n=4)"

    @pytest.mark.parametrize(
        ("levels", "probability", "message"),
        [
            ([[0, 1]], [0.5, -0.1], r"-0\.1 at a = 1"),
            ([[0, 1]], [np.nan, 0.1], "nan at a = 0"),
            ([[0, 1]], [np.inf, 0.1], "inf at a = 0"),
            ([[0, 1]], [0, 0], "sums to 0"),
            ([[0, 1]], [0.2, 0.3, 0.5], r"shape \(3,\).*\(2,\)"),
            ([[0, 1]], ["x", "y"], "must hold numbers"),
            ([[0, 0]], [0.5, 0.5], "different values"),
            ([[]], [], "different values"),
            ([[0, 1], [0, 1]], [0.5, 0.5], "2 lists for 1 variables"),
        ],
    )
    def test_tables_that_cannot_be(self, levels, probability, message):
        with pytest.raises(DataError, match=message):
            Distribution.from_table(["a"], levels, probability)

    @pytest.mark.parametrize("names", [[], ["a", "a"], "ab"])
    def test_names_are_different(self, names):
        with pytest.raises(DataError, match="different names"):
            Distribution.from_table(names, [[0], [0]], [[1]])

    def test_marginals(self, table):
        for kept in itertools.chain.from_iterable(itertools.permutations(range(3), r) for r in (1, 2, 3)):
            others = tuple(set(range(3)) - set(kept))
            names = [table.variables[axis] for axis in kept]
            taken = table.take(*names)
            wanted = np.einsum(self.TABLE, [0, 1, 2], list(kept))
            np.testing.assert_allclose(taken.probability, wanted, rtol=1e-14)
            assert taken.levels == tuple(table.levels[axis] for axis in kept)
            assert taken.probability.flags.c_contiguous, others
        assert table.take("a", "b", "c") is table
        for bad in ([], ["a", "a"]):
            with pytest.raises(DataError, match="different names"):
                table.take(*bad)

    def test_counts_are_summed_as_well(self):
        counted = Distribution.from_counts(["a", "b"], [[0, 1], [0, 1]], [[1, 2], [3, 4]]).take("b")
        assert counted.counts.tolist() == [4, 6]
        assert counted.n == 10

    def test_axes_by_name(self, table):
        assert table.axis("b") == 1
        with pytest.raises(DataError, match=r"no variable 'B'.*use 'b', if that is meant"):
            table.axis("B")

    @pytest.mark.parametrize(
        ("variable", "value", "index"),
        [
            ("a", 1, 1),
            ("a", 1.0, 1),
            ("a", True, 1),
            ("a", np.int8(1), 1),
            ("a", np.array(1), 1),
            ("a", np.bool_(True), 1),
            ("a", "1", 1),
            ("b", "y", 1),
            ("b", np.str_("y"), 1),
            ("c", 1, 1),
            ("c", "True", 1),
        ],
    )
    def test_values_by_what_they_are(self, table, variable, value, index):
        assert table.level_index(variable, value) == index

    def test_numbers_written_as_text(self):
        table = Distribution.from_table(["a"], [["0", "1", "2.5"]], [1, 1, 1])
        assert [table.level_index("a", value) for value in (0, 1.0, 2.5)] == [0, 1, 2]
        table = Distribution.from_table(["a"], [[0.0, 1.0]], [1, 1])
        assert table.level_index("a", "1") == table.level_index("a", "1.0") == 1

    @pytest.mark.parametrize("value", [2, "u", None, np.nan, np.array([0, 1]), [0], "1.5"])
    def test_values_that_are_none(self, table, value):
        with pytest.raises(DataError, match=r"'a' has no value .*levels 0 and 1"):
            table.level_index("a", value)

    def test_evidence(self, table):
        assert table.evidence({"c": True, "a": "0"}) == {"a": 0, "c": 1}
        assert list(table.evidence({"c": True, "a": 0})) == ["a", "c"]
        assert table.evidence(None) == table.evidence({}) == {}
        with pytest.raises(DataError, match="no variable 'd'"):
            table.evidence({"d": 1})
        with pytest.raises(ConfigError, match="value of each variable"):
            table.evidence([("a", 1)])

    def test_probabilities_of_evidence(self, table):
        assert table.probability_of({}) == pytest.approx(1)
        assert table.probability_of({"a": 1, "c": 0}) == pytest.approx(self.TABLE[1, :, 0].sum())
        assert table.probability_of({"c": 1, "b": 2, "a": 0}) == pytest.approx(self.TABLE[0, 2, 1])

    def test_there_and_back(self, table):
        written = json.loads(json.dumps(table.to_dict()))
        assert_same(Distribution.from_data(written, ["a", "b", "c"]), table)
        framed = Distribution.from_data(table.to_frame(), ["a", "b", "c"], weights="probability")
        np.testing.assert_allclose(framed.probability, table.probability)
        assert framed.levels == table.levels
        counted = read(FRAME)
        assert_same(Distribution.from_data(counted.to_dict(), ["sex"]), counted.take("sex"))
        again = Distribution.from_data(counted.to_frame(), ["ok", "sex"], weights="count")
        np.testing.assert_array_equal(again.counts, counted.counts)
        with pytest.raises(DataError, match="another name"):
            Distribution.from_table(["count"], [[0, 1]], [1, 1]).to_frame()

    def test_a_distribution_is_data(self, table):
        assert Distribution.from_data(table, ["a", "b", "c"]) is table
        assert Distribution.from_data(table, ["c", "a"]).variables == ("c", "a")
        with pytest.raises(ConfigError, match="counted already"):
            Distribution.from_data(table, ["a"], bins={"a": [1]})
        with pytest.raises(DataError, match="no variable"):
            Distribution.from_data(table, ["d"])
        with pytest.raises(DataError, match="pandas"):
            Distribution.from_data({"a": [1, 2]}, ["a"])

    def test_many_variables(self):
        names = [f"v{i}" for i in range(20)]
        cells = np.arange(2**20, dtype=np.float64).reshape((2,) * 20)
        table = Distribution.from_table(names, [(0, 1)] * 20, cells)
        last = table.take("v19", "v0").probability
        total = cells.sum()
        np.testing.assert_allclose(
            last,
            [
                [cells[0, ..., 0].sum(), cells[1, ..., 0].sum()],
                [cells[0, ..., 1].sum(), cells[1, ..., 1].sum()],
            ]
            / total,
        )


class TestKernels:
    def test_an_outcome_replaced(self):
        rng = np.random.default_rng(0)
        joint = Distribution.from_table(
            list("abyc"), [range(2), range(3), range(2), range(2)], rng.random((2, 3, 2, 2))
        )
        kernel = rng.dirichlet([1, 1], size=(2, 3))
        made = joint.with_kernel("y", kernel, ["c", "b"])
        assert made.variables == joint.variables
        for a, b, y, c in itertools.product(range(2), range(3), range(2), range(2)):
            wanted = joint.probability[a, b, :, c].sum() * kernel[c, b, y]
            assert made.probability[a, b, y, c] == pytest.approx(wanted, abs=1e-15)
        assert made.counts is None

    def test_an_outcome_added(self):
        counted = read(FRAME)
        made = counted.with_kernel("model", [[1, 0], [0.5, 0.5]], ["sex"], levels=["no", "yes"])
        assert made.variables == ("ok", "sex", "model")
        assert made.levels[2] == ("no", "yes")
        assert made.n == 6
        assert made.probability_of({"model": 1, "sex": 1}) == pytest.approx(0.25)
        np.testing.assert_allclose(made.take("ok", "sex").probability, counted.probability)

    def test_unknown_only_where_nobody_is(self):
        table = Distribution.from_table(["a", "y"], [[0, 1, 2], [0, 1]], [[0.2, 0.3], [0, 0], [0.1, 0.4]])
        made = table.with_kernel("y", [[0, 1], [np.nan, np.nan], [1, 0]], ["a"])
        np.testing.assert_allclose(made.probability, [[0, 0.5], [0, 0], [0.5, 0]])
        with pytest.raises(DataError, match="unknown where its parents"):
            table.with_kernel("y", [[np.nan, np.nan], [0, 1], [1, 0]], ["a"])

    def test_kernels_that_do_not_fit(self):
        table = read(FRAME)
        with pytest.raises(DataError, match=r"shape \(3, 2\).*\(2, 2\)"):
            table.with_kernel("ok", np.ones((3, 2)) / 2, ["sex"])
        with pytest.raises(DataError, match="different parents"):
            table.with_kernel("ok", np.ones((2, 2)) / 2, ["ok"])
        with pytest.raises(DataError, match="no variable 'model'"):
            table.with_kernel("model", np.ones((2, 2)) / 2, ["sex"])
