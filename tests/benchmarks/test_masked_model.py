"""The masked model that was measured and left out: its parts, so that the measurement says something."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.canonical.worlds import world

from fairwitness.canonical.faithful import impossible
from fairwitness.canonical.rows import Rows, read_rows

torch = pytest.importorskip("torch")


@pytest.fixture
def masked(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    yield importlib.import_module("masked_model")
    sys.modules.pop("masked_model", None)


def mixed(n: int) -> Rows:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "real": rng.normal(size=n),
            "text": rng.choice(np.array(["x", "y", None], dtype=object), n),
            "flag": rng.random(n) < 0.5,
            "constant": 7,
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 90, n)),
            "gain": np.where(rng.random(n) < 0.8, 0, np.round(rng.lognormal(7, 1, n))),
        }
    )
    scores = 1 / (1 + np.exp(-frame["real"].to_numpy() * 3))
    return read_rows(frame, scores, protected=(), schema=None, max_rows=10_000, max_levels=50, seed=0)


def test_codes_are_levels_or_ranges_of_equally_many_rows_with_frequent_values_apart(masked) -> None:
    rows = mixed(3000)
    names, rng = list(rows.names), np.random.default_rng(0)
    for at, name in enumerate(names):
        column, values = masked.Column.of(rows, at), rows.matrix[:, at]
        np.testing.assert_array_equal(column.code(values), column.codes)
        assert (column.count > 0).all()  # or a code could be drawn that no value stands for
        if name == "real":
            assert len(column.count) == masked.RANGES
            assert column.count.max() - column.count.min() <= 2
        if name == "gain":
            assert set(values[column.codes == column.code(np.zeros(1))[0]]) == {0.0}
        if name == "gaps":
            np.testing.assert_array_equal(column.codes == len(column.count) - 1, np.isnan(values))
        codes = rng.integers(0, len(column.count), 300)
        drawn = column.rows(codes, np.full(300, 0.5), rng)
        np.testing.assert_array_equal(column.codes[drawn], codes)


def test_hidings_meet_every_number_of_columns_and_never_hide_none(masked) -> None:
    known = masked.hidings(20_000, (2, 0, 1), np.random.default_rng(0))
    count = known.sum(axis=1)
    np.testing.assert_allclose(np.bincount(count) / 20_000, 1 / 3, atol=0.015)
    # of one known column: a quarter in the order of drawing, the others any
    np.testing.assert_allclose(known[count == 1].mean(axis=0), [0.25, 0.25, 0.5], atol=0.03)


def test_the_loss_is_the_mean_cross_entropy_of_what_is_hidden(masked) -> None:
    rows = mixed(40)
    columns = [masked.Column.of(rows, at) for at in range(6)]
    codes = np.stack([column.codes for column in columns], axis=1)
    asked = masked.told(np.sort(rows.scores), rows.scores)
    network = masked.Network(columns, 16, asked.shape[1], torch.Generator().manual_seed(0))
    net, known = network.net, masked.hidings(40, range(6), np.random.default_rng(0))
    found = float(network.loss(net, codes, known, asked))
    given, read = network.tables(net)
    total = 0.0
    for row in range(40):  # one row at a time, and one column at a time
        first = asked[row] @ net["score.w"] + net["score.b"]
        for at in np.flatnonzero(known[row]).tolist():
            first = first + given[network.starts[at] + codes[row, at]] + net["in.known"][at]
        within = network.inner(net, first[None])[0]
        missed = []
        for at in np.flatnonzero(~known[row]).tolist():
            own = slice(int(network.starts[at]), int(network.starts[at]) + network.sizes[at])
            chances = torch.softmax(read[own] @ within + net["out.b"][own], 0)
            missed.append(-np.log(float(chances[codes[row, at]])))
        total += np.mean(missed) / 40
    assert found == pytest.approx(total, rel=1e-5)


def test_it_learns_keeps_what_is_fixed_and_makes_no_pair_that_never_occurs(masked, monkeypatch) -> None:
    monkeypatch.setattr(masked, "LEAST_STEPS", 250)
    frame, scores = world("proxy", 1200)
    frame["role"] = np.where(frame["sex"] == "man", "husband", "wife")
    fitted = masked.MaskedModel(width=32, epochs=10, protected=["sex"]).fit(frame, scores)
    assert fitted.order_[0] == list(frame).index("sex")
    assert min(fitted.losses_) < fitted.losses_[0]
    made = fitted.sample_set(1500, quantile=(0.8, 1))
    assert (made.frame["club"] == "in").mean() > 0.85
    assert ((made.frame["role"] == "husband") == (made.frame["sex"] == "man")).all()
    assert not impossible(fitted.rows_, made.matrix).any()
    out = fitted.sample_set(1000, quantile=(0, 1), where={"club": "out", "age": (30, 60), "town": ["a", "b"]})
    assert out.kept == 1.0
    assert (out.frame["sex"] == "man").mean() < 0.4  # one in five are


def test_a_seed_gives_the_same_rows_whatever_the_order_and_global_state(masked, monkeypatch) -> None:
    monkeypatch.setattr(masked, "LEAST_STEPS", 20)
    frame, scores = world("direct", 200)
    order = np.random.default_rng(0).permutation(200)
    before = torch.get_rng_state()

    def made(seed: int, at: np.ndarray) -> pd.DataFrame:
        engine = masked.MaskedModel(width=16, epochs=2, random_state=seed).fit(frame.iloc[at], scores[at])
        return engine.sample(60, quantile=(0, 1))

    first = made(0, np.arange(200))
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(99)
    assert made(0, order).equals(first)
    assert not made(1, order).equals(first)
