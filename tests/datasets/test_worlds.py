from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.datasets import World, blind_world, graded_world, proxy_world
from fairwitness.errors import ConfigError
from fairwitness.typing import BoolArray


def brute_force(world: World, *, k: int, change: str) -> dict[str, float]:
    """Mean flips a group by a double loop, with the best classifier (signal > 0) and a plain generator.

    ``change="nearest"``: the k nearest accepted rows of the table. ``change="least"``: the row itself, with
    the one column that decides at its window moved over the bar.
    """
    rows = world.X.to_dict("records")
    accepted = world.accepted
    privileged = (world.sensitive == "privileged").to_numpy()
    means: dict[str, list[float]] = {"privileged": [], "unprivileged": []}
    for i, row in enumerate(rows):
        looks = row["signal"] > 0
        if accepted[i] or looks != privileged[i]:
            continue
        if change == "least":
            column = "signal" if row["window"] in world.model.by_signal else "merit"
            bar = world.model.bar if column == "signal" else 0.0
            found = [{**row, column: bar + 0.01 * step} for step in range(1, k + 1)]
        else:
            keep = "window" in world.schema_hints
            candidates = [
                other
                for j, other in enumerate(rows)
                if accepted[j] and (not keep or other["window"] == row["window"])
            ]
            candidates.sort(
                key=lambda other: (
                    abs(other["signal"] - row["signal"])
                    + abs(other["merit"] - row["merit"])
                    + (other["window"] != row["window"])
                    + (other["colour"] != row["colour"])
                )
            )
            found = candidates[:k]
        assert (world.model(pd.DataFrame(found)) >= 0.5).all()
        flips = [(other["signal"] > 0) != privileged[i] for other in found]
        means["privileged" if privileged[i] else "unprivileged"].append(float(np.mean(flips)))
    return {group: float(np.mean(values)) for group, values in means.items()}


@pytest.mark.parametrize("change", ["nearest", "least"])
def test_a_proxy_model_is_at_the_ceiling_whatever_the_generator(change: str) -> None:
    found = brute_force(proxy_world(400, random_state=1), k=10, change=change)
    assert found == {"privileged": 0.0, "unprivileged": 1.0}


def test_a_blind_model_flips_no_one_by_the_least_change() -> None:
    found = brute_force(blind_world(400, random_state=2), k=5, change="least")
    assert found == {"privileged": 0.0, "unprivileged": 0.0}


def test_a_blind_model_flips_both_groups_alike_by_real_neighbours() -> None:
    gaps = []
    for seed in range(8):
        found = brute_force(blind_world(300, strength=1.5, random_state=seed), k=20, change="nearest")
        assert found["unprivileged"] > 0.02, "neighbours change the signal too: the test is not empty"
        gaps.append(found["unprivileged"] - found["privileged"])
    assert abs(np.mean(gaps)) < 3 * np.std(gaps, ddof=1) / np.sqrt(len(gaps)) + 0.01


def test_the_graded_answer_is_the_expected_one_and_rises() -> None:
    previous = -1.0
    for share in (0.0, 0.2, 0.5, 0.8, 1.0):
        world = graded_world(3000, share, random_state=3)
        found = brute_force(world, k=1, change="least")
        assert found["privileged"] == 0.0
        assert found["unprivileged"] == pytest.approx(world.expected["unprivileged"], abs=0.05)
        assert world.expected["difference"] == pytest.approx(2 * share / (1 + share))
        assert found["unprivileged"] > previous
        previous = found["unprivileged"]


def test_the_rows_are_what_the_page_says() -> None:
    world = graded_world(20_000, 0.3, strength=2.0, random_state=4)
    privileged = (world.sensitive == "privileged").to_numpy()
    assert privileged.sum() == 10_000
    signal, merit = world.X["signal"].to_numpy(), world.X["merit"].to_numpy()
    assert signal[privileged].mean() == pytest.approx(1, abs=0.05)
    assert signal[~privileged].mean() == pytest.approx(-1, abs=0.05)
    assert abs(np.corrcoef(merit, signal)[0, 1]) < 0.03
    assert abs(np.corrcoef(merit, privileged)[0, 1]) < 0.03
    assert world.X["window"].nunique() == 10
    assert world.model.by_signal == {"window 0", "window 1", "window 2"}
    # Both groups are rejected, and recognised, often enough to be measured, in each kind of window.
    by_signal = world.X["window"].isin(world.model.by_signal).to_numpy()
    for kind in (by_signal, ~by_signal):
        for group in (privileged, ~privileged):
            eligible: BoolArray = kind & group & ~world.accepted & world.recognised
            assert eligible.sum() > 0.1 * (kind & group).sum()
    assert set(world.y.unique()) == {0, 1}
    scores = world.model(world.X)
    assert ((scores >= 0) & (scores <= 1)).all()


def test_worlds_share_their_rows_and_nothing_else() -> None:
    blind, proxy = blind_world(200, random_state=5), proxy_world(200, random_state=5)
    graded = graded_world(200, 0.4, random_state=5)
    pd.testing.assert_frame_equal(blind.X, proxy.X)
    pd.testing.assert_frame_equal(blind.X, graded.X)
    assert (blind.accepted != proxy.accepted).any()
    assert not blind_world(200, random_state=6).X.equals(blind.X)
    assert graded.schema_hints == {"window": {"immutable": True}}
    assert proxy.schema_hints == {}
    assert "0.571" in graded.answer


@pytest.mark.parametrize(
    "arguments",
    [
        {"n": 10},
        {"n": 2.5},
        {"strength": 0.0},
        {"strength": np.nan},
        {"share": 0.25},
        {"share": -0.1},
        {"share": 2},
    ],
)
def test_what_makes_no_world_is_refused(arguments: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        graded_world(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "settings", [{"strength": "strong"}, {"share": None}, {"share": True}, {"n": "many"}]
)
def test_numbers_that_are_none_are_said(settings: dict) -> None:
    with pytest.raises(ConfigError, match=next(iter(settings))):
        graded_world(**settings)


def test_a_world_says_what_it_is_in_one_line() -> None:
    said = repr(proxy_world(100, random_state=0))
    assert said.startswith("World('proxy', 100 rows, share 1: ")
    assert "\n" not in said
