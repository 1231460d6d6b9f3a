"""One engine over several seeds: shares recomputed by hand, and requests that have no spread."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from tests.canonical.worlds import world

from fairwitness.canonical import BootstrapSampler, CanonicalGate, TreeCanonicalSampler, over_seeds
from fairwitness.errors import ConfigError, DataError, UnknownNameError

SEEDS = (0, 3, 11)
#: Few rows lie in a tenth of a small table, and it is said.
pytestmark = pytest.mark.filterwarnings("ignore:Only .* support:fairwitness.errors.FairwitnessWarning")


def spread(**more: Any) -> Any:
    frame, scores = world("direct", 400)
    settings = {"random_states": SEEDS, "n": 150, **more}
    return over_seeds(TreeCanonicalSampler(protected=["sex"]), frame, scores, **settings)


def test_shares_are_those_of_engines_fitted_by_hand() -> None:
    frame, scores = world("direct", 400)
    found = spread()
    assert found.seeds == SEEDS
    for column in ("sex", "town"):
        feature = found[column]
        high = {level.label: level.positive.values for level in feature.levels}
        low = {level.label: level.negative.values for level in feature.levels}
        for at, seed in enumerate(SEEDS):
            engine = TreeCanonicalSampler(protected=["sex"], random_state=seed).fit(frame, scores)
            top, bottom = (engine.sample(150, quantile=each)[column] for each in ((0.9, 1), (0, 0.1)))
            apart = 0.0
            for label in high:
                assert high[label][at] == pytest.approx((top == label).mean())
                assert low[label][at] == pytest.approx((bottom == label).mean())
                apart += abs((top == label).mean() - (bottom == label).mean()) / 2
            assert feature.total_variation.values[at] == pytest.approx(apart)


def test_what_is_said_of_the_numbers() -> None:
    level = next(each for each in spread()["sex"].levels if each.label == "man")
    values = np.array(level.positive.values)
    assert level.positive.mean == pytest.approx(values.mean())
    assert (level.positive.least, level.positive.largest) == (values.min(), values.max())
    assert level.positive.deviation == pytest.approx(np.sqrt(((values - values.mean()) ** 2).sum() / 2))
    assert level.difference.values == pytest.approx(values - np.array(level.negative.values))
    assert level.by_chance == pytest.approx(np.sqrt(values.mean() * (1 - values.mean()) / 150))


def test_the_order_of_seeds_does_not_matter_and_a_number_counts_from_0() -> None:
    assert spread(random_states=[11, 0, 3]).to_dict() == spread().to_dict()
    assert spread(random_states=2).seeds == (0, 1)
    assert spread(random_states=np.array([0, 5])).seeds == (0, 5)
    first = spread(random_states=(0, 7))
    assert first["sex"].total_variation.values[0] == spread()["sex"].total_variation.values[0]


def test_the_sampler_is_left_as_it_is() -> None:
    frame, scores = world("direct", 200)
    sampler = BootstrapSampler(random_state=9)
    before = sampler.get_params()
    over_seeds(sampler, frame, scores, random_states=2, n=50)
    assert sampler.get_params() == before
    assert not hasattr(sampler, "rows_")
    assert not hasattr(clone(sampler), "rows_")


def test_agreement_is_of_level_and_direction() -> None:
    found = spread()
    assert found["sex"].agreed == 1
    assert found["sex"].largest.difference.mean != 0
    shown = found["town"]
    level = shown.largest
    differences = np.array([each.difference.values for each in shown.levels])
    largest = np.abs(differences).max(axis=0)
    mine = np.array(level.difference.values)
    expected = (np.abs(mine) >= largest - 1e-12) & (np.sign(mine) == np.sign(mine.mean()))
    assert shown.agreed == pytest.approx(expected.mean())


def test_words_frame_and_dictionary_hold_the_numbers() -> None:
    found = spread(gate=CanonicalGate(measures=["support"]))
    man = next(each for each in found["sex"].levels if each.label == "man")
    assert f"in the positive set {found['sex'].largest.positive.words}" in found.words
    assert "over 3 seeds" in repr(found)
    assert "town" not in found.words  # where there are protected columns, they are what is said
    assert len(found.verdicts) == 3
    frame = found.to_frame()
    row = frame[(frame["feature"] == "sex") & (frame["level"] == "man")].iloc[0]
    assert row["positive_mean"] == pytest.approx(man.positive.mean)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["seeds"] == list(SEEDS)
    assert "3 seeds" in found.plot(features=["sex", "town"]).get_title(loc="left")


def test_requests_of_every_kind_and_fixed_columns() -> None:
    found = spread(
        random_states=2, positive={"score": 0.7}, negative={"band": (0, 0.4)}, where={"club": ["in"]}
    )
    shares = {level.label: level.positive.values for level in found["club"].levels}
    assert shares["in"] == (1.0, 1.0)
    assert "0.7" in found.requests[0]
    assert "club = in" in found.requests[1]


def test_large_tables_are_drawn_anew_for_every_seed_with_the_same_levels() -> None:
    frame, scores = world("direct", 300)
    frame["town"] = [f"t{at % 90}" for at in range(300)]
    sampler = BootstrapSampler(max_rows=60)
    with pytest.warns(UserWarning, match="60 of 300"):
        found = over_seeds(sampler, pl.from_pandas(frame), scores, random_states=3, n=40)
    for level_sum in np.array([level.positive.values for level in found["town"].levels]).sum(axis=0):
        assert level_sum == pytest.approx(1)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"random_states": 1}, "random_states"),
        ({"random_states": [4]}, "two or more different seeds"),
        ({"random_states": [4, 4]}, "two or more different seeds"),
        ({"random_states": [0, -1]}, "negative"),
        ({"random_states": [0, "1"]}, "non-negative integer"),
        ({"random_states": [0, None]}, "two or more different seeds"),
        ({"random_states": True}, "random_states"),
        ({"n": 0}, "n must be"),
        ({"positive": 0.9}, "positive must be two quantiles"),
        ({"negative": {"score": 0, "band": (0, 1)}}, "negative must be two quantiles"),
        ({"positive": (0.9, 2)}, "between 0 and 1"),
    ],
)
def test_what_has_no_spread_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        spread(**settings)


def test_other_things_are_refused_in_words() -> None:
    frame, scores = world("direct", 100)
    with pytest.raises(ConfigError, match="must be an engine"):
        over_seeds("tree", frame, scores)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="one score a row"):
        over_seeds(BootstrapSampler(), frame, scores[:50])
    with pytest.raises(UnknownNameError, match="no such column"):
        spread()["sexx"]
    with pytest.raises(DataError, match="no row supports"):
        over_seeds(BootstrapSampler(), frame, scores, where={"age": 500})
