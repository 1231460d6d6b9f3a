"""The adapter to dice-ml, on a small stand-in for it that can be told what to answer.

The last test runs the real package where it is installed (extra ``dice``).
"""

from __future__ import annotations

import random
import sys
import types

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairwitness.configured import make_generator
from fairwitness.counterfactuals import DiceGenerator
from fairwitness.errors import ConfigError, MissingExtraError, ModelError
from fairwitness.model import as_blackbox
from fairwitness.table import Schema


class Stand:
    """What the stand-in was told and asked; ``answer`` makes rows from a query's row."""

    def __init__(self):
        self.asked = []
        self.answer = lambda query, explainer: pd.concat([query] * 2, ignore_index=True)


@pytest.fixture
def dice(monkeypatch):
    stand = Stand()

    class Data:
        def __init__(self, dataframe, continuous_features, outcome_name):
            self.frame, self.numbers, self.outcome = dataframe, continuous_features, outcome_name

    class Model:
        def __init__(self, model, backend):
            assert backend == "sklearn"
            self.model = model

    class Dice:
        def __init__(self, data, model, method):
            self.data, self.model, self.method = data, model.model, method

        def generate_counterfactuals(self, query, total_CFs, desired_class, **options):
            print("noise")
            stand.asked.append({"query": query, "k": total_CFs, "explainer": self, **options})
            assert desired_class == 1
            assert list(query.columns) == [name for name in self.data.frame if name != self.data.outcome]
            made = stand.answer(query, self)
            one = types.SimpleNamespace(final_cfs_df=made, final_cfs_df_sparse=None)
            return types.SimpleNamespace(cf_examples_list=[one])

    module = types.ModuleType("dice_ml")
    module.Data, module.Model, module.Dice, module.__version__ = Data, Model, Dice, "0.0"
    monkeypatch.setitem(sys.modules, "dice_ml", module)
    return stand


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype("int16"),
            "job": pd.Categorical(rng.choice(list("abc"), n)),
            "income": rng.normal(4, 2, n).round(1),
            "code": rng.choice([3, 7], n),
        }
    )


SCHEMA = {"code": {"kind": "categorical"}, "income": {"bounds": (-20, 20)}}


def rich(frame):
    return 1 / (1 + np.exp(6 - np.asarray(frame["income"], dtype=float)))


def fitted(frame, schema=None, model=rich, **settings):
    schema = schema or Schema.infer(frame, **SCHEMA)
    box = as_blackbox(model, output="probability")
    return DiceGenerator(**({"random_state": 0} | settings)).fit(frame, box, schema=schema)


def poor(frame, n=3):
    return frame[frame["income"] < 5][:n].reset_index(drop=True)


def with_income(*values):
    def answer(query, explainer):
        return pd.concat([query.assign(c2=value) for value in values], ignore_index=True)

    return answer


def test_rows_come_back_checked_sorted_and_in_the_tables_own_types(dice, capsys):
    frame = people()
    dice.answer = with_income(9.04, 7.0, 7.0, 5.0, float("nan"))
    got = fitted(frame).generate(poor(frame), 2)
    assert capsys.readouterr() == ("", "")
    assert got.status == ("found",) * 3
    made = got.to_frame()
    assert made["income"].tolist() == [7.0, 9.0] * 3
    assert made.drop(columns=["query", "rank", "distance", "score"]).dtypes.equals(frame.dtypes)
    assert got.encoder.decode(got.rows)["code"].tolist() == np.repeat(poor(frame)["code"], 2).tolist()
    assert (rich(made) >= 0.5).all()
    assert got.settings["dropped"] == {
        "equal_to_query": 0,
        "repeated": 3,
        "constraint": 0,
        "not_accepted": 3,
    }
    assert got.generator == "dice"
    assert got.settings["dice_ml"] == "0.0"


def test_dice_sees_codes_and_only_what_may_change(dice):
    frame = people()
    schema = (
        Schema.infer(frame, **SCHEMA)
        .feature("age", immutable=True)
        .feature("income", monotone="increase", bounds=(0, 8))
        .feature("job", forbidden={"a": ["b"]})
        .feature("code", allowed=[7])
    )
    dice.answer = with_income(8.0)
    query = poor(frame[(frame["job"] == "a") & (frame["code"] == 3)], 1)
    got = fitted(frame, schema).generate(query, 1)
    assert got.status == ("found",)
    asked = dice.asked[0]
    assert asked["query"].iloc[0].tolist() == [query["age"][0], "0", query["income"][0], "0"]
    assert asked["features_to_vary"] == ["c1", "c2", "c3"]
    assert asked["permitted_range"] == {"c1": ["0", "2"], "c2": [query["income"][0], 8.0], "c3": ["0", "1"]}
    data = asked["explainer"].data
    assert data.numbers == ["c0", "c2"]
    np.testing.assert_array_equal(data.frame["outcome"], [rich(r) >= 0.5 for _, r in decoded(data, frame)])


def decoded(data, frame):
    return data.frame.rename(columns={"c2": "income"}).iterrows()


def test_a_broken_constraint_is_dropped(dice):
    frame = people()
    dice.answer = with_income(7.0)
    got = fitted(frame, Schema.infer(frame, **SCHEMA).feature("income", bounds=(0, 6.5))).generate(
        poor(frame), 1
    )
    assert got.status == ("none",) * 3
    assert got.settings["dropped"]["constraint"] == 3


def test_one_failing_query_is_a_status(dice):
    frame = people()

    def answer(query, explainer):
        if len(dice.asked) == 2:
            raise RuntimeError("no luck\x1b[31m")
        return query.assign(c2=7.5)

    dice.answer = answer
    got = fitted(frame).generate(poor(frame), 1)
    assert got.status == ("found", "none", "found")
    assert got.settings["failed"] == {"RuntimeError: no luck\\u001b[31m": 1}


def test_no_answer_is_a_status(dice):
    frame = people()
    dice.answer = lambda query, explainer: None
    assert fitted(frame).generate(poor(frame), 2).status == ("none",) * 3


def test_missing_values(dice):
    frame = people().astype({"job": object})
    frame.loc[0, "income"], frame.loc[1, "job"], frame.loc[1:3, "income"] = np.nan, None, 1.0
    dice.answer = with_income(7.0)
    got = fitted(frame, model=lambda f: np.nan_to_num(rich(f))).generate(frame[:3], 1)
    assert got.status == ("none", "found", "found")
    assert got.settings["failed"] == {"DiCE cannot take a missing number.": 1}
    assert len(dice.asked) == 2
    assert dice.asked[0]["query"]["c1"].tolist() == ["missing"]
    assert got.encoder.decode(got.rows)["job"].isna().tolist() == [True, False]
    assert not dice.asked[0]["explainer"].data.frame["c2"].isna().any()


def test_nothing_that_may_change_is_not_asked(dice):
    frame = people()
    schema = Schema.infer(frame, **SCHEMA)
    for name in schema.names:
        schema = schema.feature(name, immutable=True)
    assert fitted(frame, schema).generate(poor(frame), 1).status == ("none",) * 3
    assert dice.asked == []


def test_the_model_is_asked_as_the_user_trained_it(dice):
    seen = []

    def model(frame):
        seen.append(frame)
        return rich(frame)

    frame = people()
    scores = []

    def answer(query, explainer):
        scores.append(explainer.model.predict_proba(query.assign(c2=[6.04])))
        assert explainer.model.predict(query).tolist() == [0]
        return query.assign(c2=9.0)

    dice.answer = answer
    fitted(frame, model=model).generate(poor(frame, 1), 1)
    assert all(each.dtypes.equals(frame.dtypes) for each in seen)
    assert scores[0].tolist() == [[0.5, 0.5]]  # rounded to one decimal as the table is: 6.0


def test_a_threshold_becomes_a_half(dice):
    frame = people()
    scores = []

    def answer(query, explainer):
        scores.append(explainer.model.predict_proba(query.assign(c2=7.0))[0, 1])
        return query.assign(c2=9.0)

    dice.answer = answer
    strict = as_blackbox(rich, output="probability", threshold=0.9)
    got = DiceGenerator(random_state=0).fit(frame, strict, schema=Schema.infer(frame, **SCHEMA))
    assert got.generate(poor(frame, 1), 1).status == ("found",)
    assert scores[0] < 0.5


def test_a_model_without_scores_gives_zero_and_one(dice):
    frame = people()
    scores = []

    def answer(query, explainer):
        scores.extend(
            explainer.model.predict_proba(query.assign(c2=value))[0].tolist() for value in (1.0, 9.0)
        )
        return query.assign(c2=9.0)

    dice.answer = answer
    labels = as_blackbox(lambda f: (rich(f) >= 0.5).astype(int), output="labels")
    DiceGenerator(random_state=0).fit(frame, labels, schema=Schema.infer(frame, **SCHEMA)).generate(
        poor(frame, 1), 1
    )
    assert np.round(scores, 9).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def endless(query, explainer):
    while True:
        explainer.model.predict_proba(query)


@pytest.mark.parametrize(
    ("settings", "limits"),
    [({"max_calls": 50}, {}), ({"max_calls": None}, {"max_queries": 40}), ({}, {"time_budget": 0.05})],
)
def test_a_search_without_end_is_stopped(dice, settings, limits):
    frame = people()
    dice.answer = endless
    got = fitted(frame, **settings).generate(poor(frame), 1, **limits)
    assert got.status == ("budget",) * 3


def test_what_was_found_before_the_budget_ran_out_stays(dice):
    frame = people()

    def answer(query, explainer):
        if len(dice.asked) > 1:
            endless(query, explainer)
        return query.assign(c2=7.0)

    dice.answer = answer
    box = as_blackbox(rich, output="probability", max_queries=len(frame) + 20)
    got = DiceGenerator(random_state=0).fit(frame, box, schema=Schema.infer(frame, **SCHEMA))
    assert got.generate(poor(frame), 1).status == ("found", "budget", "budget")


def test_random_numbers_are_the_querys_own_and_the_callers_stay(dice):
    frame = people()
    dice.answer = lambda query, explainer: query.assign(c2=7 + np.random.random() + random.random())  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.RandomState(5).random_sample()
    generator = fitted(frame, random_state=3)
    queries = poor(frame)
    got = generator.generate(queries, 1)
    assert np.random.random() == expected  # noqa: NPY002
    turned = generator.generate(queries[::-1], 1)
    np.testing.assert_array_equal(turned.take([2, 1, 0]).rows, got.rows)
    assert len(np.unique(got.rows[:, 2])) == 3
    other = fitted(frame, random_state=4).generate(queries, 1)
    assert not np.array_equal(other.rows, got.rows)


def test_every_query_has_an_explainer_of_its_own(dice):
    frame = people()
    fitted(frame).generate(poor(frame), 1)
    assert len({id(asked["explainer"]) for asked in dice.asked}) == 3
    assert {asked["explainer"].method for asked in dice.asked} == {"genetic"}


def test_options_reach_dice(dice):
    frame = people()
    fitted(frame, method="kdtree", options={"sparsity_weight": 2}).generate(poor(frame, 1), 4)
    asked = dice.asked[0]
    assert (asked["sparsity_weight"], asked["posthoc_sparsity_param"], asked["k"]) == (2, None, 4)
    assert asked["explainer"].method == "kdtree"
    fitted(frame, options={"posthoc_sparsity_param": 0.1}).generate(poor(frame, 1), 4)
    assert dice.asked[1]["posthoc_sparsity_param"] == 0.1


def test_polars_stays_polars(dice):
    frame = pl.from_pandas(people())
    dice.answer = with_income(7.0)
    box = as_blackbox(lambda f: rich({"income": f["income"].to_numpy()}), output="probability")
    got = DiceGenerator(random_state=0).fit(frame, box).generate(frame.filter(pl.col("income") < 5)[:2], 1)
    assert got.encoder.decode(got.rows).schema == frame.schema
    assert got.status == ("found", "found")


def test_no_queries(dice):
    frame = people()
    assert fitted(frame).generate(frame[:0], 1).status == ()


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "dice_ml", None)
    with pytest.raises(MissingExtraError, match=r"fairwitness\[dice\]"):
        DiceGenerator()


def test_settings_that_make_no_sense(dice):
    with pytest.raises(ConfigError, match="genetic, kdtree, random"):
        DiceGenerator(method="gradient")
    with pytest.raises(ConfigError, match="max_calls"):
        DiceGenerator(max_calls=0)


def test_a_column_of_predictions_cannot_be_asked(dice):
    frame = people()
    box = as_blackbox(rich(frame) >= 0.5, kind="predictions", favorable=True)
    with pytest.raises(ModelError, match="NeighborGenerator"):
        DiceGenerator().fit(frame, box)


def test_the_command_line_knows_it(dice):
    assert isinstance(make_generator("dice", 1, 0), DiceGenerator)


@pytest.mark.parametrize("method", ["genetic", "kdtree", "random"])
def test_the_real_package(method):
    pytest.importorskip("dice_ml", reason="dice-ml is not installed")
    frame = people(200)
    schema = Schema.infer(frame, **SCHEMA).feature("age", immutable=True)
    got = fitted(frame, schema, method=method).generate(poor(frame), 3)
    assert len(got) > 0
    assert got.settings["failed"] == {}  # to find nothing is no failure
    assert not got.changed[:, 0].any()
    again = fitted(frame, schema, method=method).generate(poor(frame)[::-1], 3)
    np.testing.assert_array_equal(again.take([2, 1, 0]).rows, got.rows)
    made = got.encoder.decode(got.rows)
    assert made.dtypes.equals(frame.dtypes)
    assert (rich(made) >= 0.5).all()
