from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.counterfactuals import NeighborGenerator, PrecomputedGenerator
from fairwitness.datasets import blind_world, proxy_world
from fairwitness.flips import cflips, fair_opportunity
from fairwitness.flips.chance import accept_at_random, beyond_random, search_at_random
from fairwitness.model import as_blackbox
from fairwitness.stats import wilson


class BestClassifier:
    """The group's probability, given ``signal`` and how many of each group there are."""

    classes_ = np.array(["privileged", "unprivileged"], dtype=object)
    feature_names_in_ = np.array(["signal"], dtype=object)

    def __init__(self, strength: float, ratio: float) -> None:
        self.strength, self.ratio = strength, ratio

    def predict_proba(self, X):
        odds = self.ratio * np.exp(-self.strength * np.asarray(X["signal"], dtype=float))
        return np.stack([1 / (1 + odds), odds / (1 + odds)], axis=1)


def test_as_many_distinct_rows_are_accepted_and_equal_rows_alike() -> None:
    inputs = pd.DataFrame({"x": [1, 1, 1, 2, 3, 4, 5, 5]})
    accepted = np.array([True, True, True, False, False, True, False, False])
    drawn = accept_at_random(inputs, accepted, seed=3)
    assert len(set(inputs["x"][drawn])) == 2
    for value in inputs["x"].unique():
        assert drawn[inputs["x"] == value].all() or not drawn[inputs["x"] == value].any()
    order = np.random.default_rng(0).permutation(8)
    again = accept_at_random(inputs.iloc[order], accepted[order], seed=3)
    np.testing.assert_array_equal(again, drawn[order])
    assert any((accept_at_random(inputs, accepted, seed=s) != drawn).any() for s in range(5))


def test_only_rows_of_the_table_can_be_drawn_at_random() -> None:
    table = pd.DataFrame({"x": np.arange(30.0)})
    model = as_blackbox(lambda X: X["x"] / 30)
    accepted = np.arange(30) >= 15
    arguments = {"k": 3, "schema": None, "seed": 0}
    rows = np.arange(5)
    found = search_at_random(model, table, accepted, rows, generator=NeighborGenerator(n_jobs=1), **arguments)
    drawn = accept_at_random(table, accepted, seed=0)
    assert drawn[found.source].all()
    assert (found.source != rows[found.query]).all()
    made = PrecomputedGenerator(pd.DataFrame({"query": [0], "rank": [1], "x": [20.0]}))
    assert search_at_random(model, table, accepted, rows, generator=made, **arguments) is None


def test_the_part_beyond_random_is_the_mean_gain_of_people() -> None:
    rng = np.random.default_rng(1)
    flips, chance = rng.integers(0, 2, size=(2, 40, 6)).astype(float)
    flips[3, 4:] = np.nan
    chance[5] = np.nan
    sources, random_sources = rng.integers(0, 50, size=(2, 40, 6)).astype(float)
    sources[np.isnan(flips)] = np.nan
    random_sources[np.isnan(chance)] = np.nan
    codes = np.arange(40) % 2
    random, beyond = beyond_random(
        flips, sources, chance, random_sources, codes, 2,
        privileged=0, ks=np.array([1, 6]), convention="equations", shortfall="available", confidence=0.95,
        n_resamples=400, n_permutations=100, seed=0, purpose=("t",),
    )  # fmt: skip
    gain = cflips(flips, 6) - cflips(chance, 6)
    expected = np.nanmean(gain[codes == 1]) - np.nanmean(gain[codes == 0])
    value = beyond[1]["cflips"].at()
    assert value.estimate == pytest.approx(expected)
    assert value.low < expected < value.high
    assert value.n == 39
    assert random[0]["cflips"].at().estimate == pytest.approx(np.nanmean(cflips(chance, 6)[codes == 0]))
    assert set(beyond) == {1}


def test_a_model_that_is_random_itself_gives_nothing_beyond() -> None:
    flips = np.random.default_rng(1).integers(0, 2, size=(30, 4)).astype(float)
    sources = np.arange(120).reshape(30, 4).astype(float)
    _, beyond = beyond_random(
        flips, sources, flips, sources, np.arange(30) % 2, 2,
        privileged=0, ks=np.array([4]), convention="equations", shortfall="available", confidence=0.95,
        n_resamples=50, n_permutations=50, seed=0, purpose=("t",),
    )  # fmt: skip
    value = beyond[1]["ndccf"].at()
    assert value.estimate == 0
    # Fifteen people a group who all gain nothing: at 95 %, fewer than 21 % of people may gain something.
    assert value.high == -value.low == pytest.approx(np.sqrt(2) * wilson(0, 15)[1])
    assert value.p_value == 1


@pytest.mark.parametrize("few", [1, 2, 3])
def test_a_few_people_establish_nothing(few: int) -> None:
    rng = np.random.default_rng(2)
    codes = np.array([0] * few + [1] * 60)
    flips = (rng.random((len(codes), 10)) < 0.25).astype(float)
    chance = (rng.random((len(codes), 10)) < np.where(codes == 0, 0.4, 0.05)[:, None]).astype(float)
    sources = np.arange(len(codes) * 10).reshape(-1, 10).astype(float)
    _, beyond = beyond_random(
        flips, sources, chance, sources, codes, 2,
        privileged=0, ks=np.array([10]), convention="equations", shortfall="available", confidence=0.95,
        n_resamples=400, n_permutations=100, seed=0, purpose=("t",),
    )  # fmt: skip
    value = beyond[1]["cflips"].at()
    assert value.high - value.low > 0.5


def _few(world, share: float, seed: int):
    """Keep a share of the unprivileged, so that the groups are of unequal size."""
    few = np.random.default_rng(seed).random(len(world.X)) < share
    keep = (world.sensitive == "privileged").to_numpy() | few
    return world.X[keep].reset_index(drop=True), world.sensitive[keep].reset_index(drop=True)


def test_unequal_groups_make_a_blind_model_differ_but_not_beyond_random() -> None:
    held = 0
    for seed in range(8):
        world = blind_world(1000, strength=1.5, random_state=seed)
        X, s = _few(world, 0.2, seed)
        difference = fair_opportunity(
            world.model, X, s, classifier=BestClassifier(1.5, 0.2), privileged="privileged", k=20,
            n_resamples=300, n_permutations=50, n_jobs=1,
        ).difference()  # fmt: skip
        raw, beyond = difference.at(), difference.at(beyond_random=True)
        assert raw.low > 0.1  # the measure alone says "a large difference" about a blind model
        assert abs(beyond.estimate) < raw.estimate / 2
        held += beyond.low <= 0 <= beyond.high
    assert held >= 7


def test_a_proxy_model_stays_far_beyond_random() -> None:
    world = proxy_world(1000, random_state=0)
    X, s = _few(world, 0.3, 0)
    difference = fair_opportunity(
        world.model, X, s, classifier=BestClassifier(3.0, 0.3), privileged="privileged", k=20,
        n_resamples=300, n_permutations=200, n_jobs=1,
    ).difference()  # fmt: skip
    beyond = difference.at(beyond_random=True)
    assert beyond.low > 0.5
    assert beyond.p_value < 0.01
    assert difference.at("ndccf", beyond_random=True).high < -0.5
