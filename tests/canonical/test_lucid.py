"""LUCID: what a module prefers, by its gradient."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest

import fairwitness as fw
from fairwitness.canonical import Lucid
from fairwitness.errors import (
    ConfigError,
    DataError,
    MissingExtraError,
    ModelError,
    NotFittedError,
    UnknownNameError,
)

torch = pytest.importorskip("torch")

LEVELS = {"colour": ["red", "green", "blue"], "place": ["town", "land"]}


def table(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    out = pd.DataFrame({"age": rng.integers(18, 80, n).astype(float), "income": rng.normal(0, 1, n)})
    for levels in LEVELS.values():
        drawn = rng.integers(0, len(levels), n)
        for at, level in enumerate(levels):
            out[level] = (drawn == at).astype(float)
    return out


def linear(weights: list[list[float]], shift: list[float], *after: object) -> object:
    """A linear module with given weights: what it prefers is known."""
    layer = torch.nn.utils.skip_init(torch.nn.Linear, len(weights[0]), len(weights))
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weights))
        layer.bias.copy_(torch.tensor(shift))
    return torch.nn.Sequential(layer, *after)


# age, income, red, green, blue, town, land
WEIGHTS = [0.0, 3.0, -4.0, 0.0, 4.0, 0.0, 0.0]


def test_it_goes_where_a_linear_module_points() -> None:
    found = Lucid(linear([WEIGHTS], [0.0]), one_hot=LEVELS).fit(table()).sample(300)
    assert found.reached.mean() > 0.95
    frame = found.to_frame()
    assert (frame["colour"] == "red").mean() < found.start[:, 2].mean() - 0.1
    assert (frame["colour"] == "blue").mean() > found.start[:, 4].mean() + 0.05
    # neither age nor place means anything to the module: they stay where they started
    assert np.array_equal(found.matrix[:, 0], found.start[:, 0])
    assert np.array_equal(found.matrix[:, 5:], found.start[:, 5:])
    assert found.matrix[:, 1].mean() > found.start[:, 1].mean()
    assert found.history[-1] > found.history[0]
    other = Lucid(linear([WEIGHTS], [0.0]), one_hot=LEVELS).fit(table()).sample(300, positive=False)
    assert other.scores.max() < 0.5
    assert (other.to_frame()["colour"] == "blue").mean() < other.start[:, 4].mean() - 0.1


def test_scores_are_those_of_the_module_on_the_rows_given() -> None:
    module = linear([WEIGHTS], [-1.0])
    found = Lucid(module, one_hot=LEVELS, steps=3).fit(table()).sample(50)
    again = torch.sigmoid(module(torch.tensor(found.frame.to_numpy(), dtype=torch.float32)))[:, 0]
    assert found.scores == pytest.approx(again.detach().numpy(), abs=1e-6)


@pytest.mark.parametrize("start", ["uniform", "data"])
def test_rows_stay_within_what_a_module_can_be_given(start: str) -> None:
    rows = table()
    found = Lucid(linear([WEIGHTS], [-20.0]), one_hot=LEVELS).fit(rows).sample(100, start=start)
    assert not found.reached.any()  # out of reach within the ranges, and said so
    low, high = rows.to_numpy().min(axis=0), rows.to_numpy().max(axis=0)
    assert (found.matrix >= low - 1e-6).all()
    assert (found.matrix <= high + 1e-6).all()
    assert np.array_equal(found.matrix[:, 0], np.round(found.matrix[:, 0]))  # ages are whole
    assert np.array_equal(found.matrix[:, 2:5].sum(axis=1), np.ones(100))
    assert set(np.unique(found.matrix[:, 2:])) <= {0.0, 1.0}
    assert found.steps.max() < 200  # samples that get no further stop


def test_what_is_fixed_stays() -> None:
    engine = Lucid(linear([WEIGHTS], [0.0]), one_hot=LEVELS).fit(table())
    found = engine.sample(50, where={"colour": "red", "income": 0.5})
    assert (found.to_frame()["colour"] == "red").all()
    assert found.matrix[:, 1] == pytest.approx(np.full(50, 0.5))


def test_every_kind_of_output_means_the_same() -> None:
    sigmoid = Lucid(linear([WEIGHTS], [0.0], torch.nn.Sigmoid()), one_hot=LEVELS).fit(table()).sample(40)
    logit = Lucid(linear([WEIGHTS], [0.0]), one_hot=LEVELS).fit(table()).sample(40)
    two = linear([[0.0] * 7, WEIGHTS], [0.0, 0.0], torch.nn.Softmax(1))
    softmax = Lucid(two, one_hot=LEVELS).fit(table()).sample(40)
    told = Lucid(two, one_hot=LEVELS, output="probability", favorable=1).fit(table()).sample(40)
    for other in (sigmoid, softmax, told):
        assert other.matrix == pytest.approx(logit.matrix, abs=1e-4)
        assert other.scores == pytest.approx(logit.scores, abs=1e-4)


def test_a_seed_is_a_seed_and_nothing_else_is_touched() -> None:
    module = linear([WEIGHTS], [0.0], torch.nn.Dropout(0.5)).train()
    engine = Lucid(module, one_hot=LEVELS).fit(table())
    before = torch.random.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = engine.sample(30), engine.sample(30)
    assert np.array_equal(first.matrix, second.matrix)
    assert not np.array_equal(first.matrix, engine.sample(30, random_state=5).matrix)
    assert torch.equal(torch.random.get_rng_state(), before[0])
    assert np.array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002
    assert module.training
    assert module[1].training
    assert all(weight.grad is None and weight.requires_grad for weight in module.parameters())


@pytest.mark.parametrize("container", ["polars", "pyarrow"])
def test_other_tables_come_back_as_they_came(container: str) -> None:
    if container == "polars":
        rows = pytest.importorskip("polars").from_pandas(table())
    else:
        rows = pytest.importorskip("pyarrow").Table.from_pandas(table(), preserve_index=False)
    found = Lucid(linear([WEIGHTS], [0.0]), one_hot=LEVELS).fit(rows).sample(10)
    assert type(found.frame) is type(rows)
    assert type(found.to_frame()) is type(rows)


def test_results_are_written_and_drawn() -> None:
    found = Lucid(linear([WEIGHTS], [0.0]), one_hot=LEVELS).fit(table()).sample(20)
    document = json.loads(json.dumps(found.to_dict()))
    assert document["n"] == 20
    assert document["shifts"][0]["feature"] in {"colour", "income"}
    assert "20 inputs" in repr(found)
    assert found.plot().get_title(loc="left")


def test_columns_without_blocks_and_constant_ones() -> None:
    rows = pd.DataFrame({"a": [0.0, 0.5, 1.0], "b": [2.0, 2.0, 2.0]})
    found = Lucid(linear([[9.0, 0.0]], [-1.0])).fit(rows).sample(20)
    assert found.reached.all()
    assert (found.matrix[:, 1] == 2).all()


def test_refusals_say_what_is_wrong() -> None:
    module = linear([WEIGHTS], [0.0])
    with pytest.raises(ModelError, match="no torch module"):
        Lucid(object())
    with pytest.raises(ConfigError, match="output must be"):
        Lucid(module, output="odds")  # type: ignore[arg-type]
    with pytest.raises(NotFittedError, match="not seen any inputs"):
        Lucid(module).sample()
    with pytest.raises(DataError, match="not one-hot"):
        Lucid(module, one_hot={"x": ["red", "green"]}).fit(table())
    with pytest.raises(DataError, match="not in the table"):
        Lucid(module, one_hot={"x": ["red", "pink"]}).fit(table())
    with pytest.raises(ConfigError, match="level of two columns"):
        Lucid(module, one_hot={**LEVELS, "again": ["town", "land"]}).fit(table())
    with pytest.raises(DataError, match="missing or infinite"):
        Lucid(module).fit(table().assign(age=np.nan))
    with pytest.raises(DataError, match="no rows"):
        Lucid(module).fit(table().iloc[:0])
    engine = Lucid(module, one_hot=LEVELS).fit(table())
    with pytest.raises(ConfigError, match="start must be"):
        engine.sample(3, start="zero")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no such input"):
        engine.sample(3, where={"colour": "pink"})
    with pytest.raises(DataError, match="outside its range"):
        engine.sample(3, where={"income": 99})
    with pytest.raises(DataError, match="names no input"):
        engine.sample(3, where={"height": 1})
    with pytest.raises(ModelError, match="failed"):
        Lucid(linear([[1.0, 2.0]], [0.0])).fit(table()).sample(3)


def test_without_torch_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linear([WEIGHTS], [0.0])
    monkeypatch.setitem(sys.modules, "torch", None)  # what Python takes for a module that is not there
    with pytest.raises(MissingExtraError, match=r"fairwitness\[gan\]"):
        Lucid(module).fit(table())
    assert fw.canonical.LucidGAN is not None  # names are there without torch


def test_distributions_are_shares_of_the_samples() -> None:
    found = Lucid(linear([WEIGHTS], [0.0]), one_hot=LEVELS).fit(table()).sample(200)
    listed = found.distributions()
    frame = found.to_frame()
    for each in listed:
        if each.feature in LEVELS:
            assert each.end == pytest.approx((frame[each.feature] == each.label).mean())
            assert each.start == pytest.approx(found.start[:, found.names.index(each.label)].mean())
    ages = [each for each in listed if each.feature == "age"]
    for each in ages:  # whole numbers are in ranges of whole numbers, both ends in them
        low, high = map(int, each.label.split(" to "))
        inside = (found.matrix[:, 0] >= low) & (found.matrix[:, 0] <= high)
        assert each.end == pytest.approx(inside.mean())
    for name in ("age", "income", "colour", "place"):
        mine = [each for each in listed if each.feature == name]
        assert sum(each.start for each in mine) == pytest.approx(1)
        assert sum(each.end for each in mine) == pytest.approx(1)
    assert [each.feature for each in found.distributions(["place"])] == ["place", "place"]
    drawn = found.plot_distributions(features=["colour", "age"])
    assert {text.get_text() for text in drawn.get_yticklabels()} >= {"red", "blue", ages[0].label}
    with pytest.raises(UnknownNameError, match="colour, place, age"):
        found.distributions(["size"])
