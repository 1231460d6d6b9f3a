"""The reader that chooses among candidates: its weights are the formula's, and it helps without narrowing."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.canonical.worlds import world

from fairwitness.canonical import CanonicalSampler, TreeCanonicalSampler
from fairwitness.canonical.reading import Reader, _mean
from fairwitness.errors import ConfigError, FairwitnessWarning


class Told:
    """Reads the first column."""

    def predict(self, places: np.ndarray) -> np.ndarray:
        return places[:, 0]


def whole(frame: pd.DataFrame) -> np.ndarray:
    """A model that no column by itself says much of."""
    z = frame["a"] * frame["b"] + frame["c"] * frame["d"] + (frame["a"] - frame["d"]) ** 2
    return (1 / (1 + np.exp(2.0 - z))).to_numpy()


def four(n: int, seed: int) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(n, 4)), columns=list("abcd"))


def test_a_candidate_is_drawn_as_often_as_its_weight_says() -> None:
    reader = Reader(Told(), np.array([0.0, 1.0]), np.array([0.0, 0.2]), np.array([0.0, 40.0]))
    n, asked = 20_000, 0.75  # between the knots: centre .15, sharpness 30
    read = np.array([0.8, 0.9, 1.1])
    chosen = reader.choose(np.tile(read, n)[:, None], np.full(n, asked), np.random.default_rng(0))
    weights = np.exp([-30.0 * (each - asked - 0.15) ** 2 for each in read])
    share = np.bincount(chosen % 3, minlength=3) / n
    assert share == pytest.approx(weights / weights.sum(), abs=0.012)
    assert (chosen // 3 == np.arange(n)).all()


def test_what_is_read_of_made_rows_is_as_far_off_as_of_real_ones() -> None:
    frame = four(4000, 0)
    scores = whole(frame)
    engine = TreeCanonicalSampler(candidates=2).fit(frame, scores)
    other = four(4000, 1)
    truth = whole(other)
    assert engine.reader_ is not None
    model = engine.reader_.model

    def off(places: np.ndarray, asked: np.ndarray) -> float:
        return float(np.sqrt(np.mean((model.predict(places) - asked) ** 2)))

    places = np.column_stack(
        [s.places(other[c].to_numpy()) for s, c in zip(engine._scales, other, strict=True)]
    )
    real = off(places, truth)
    misses = []
    for candidates in (1, 8):
        engine.candidates = candidates
        made = engine.sample_set(4000, quantile=(0, 1))
        placed = [s.places(made.matrix[:, j]) for j, s in enumerate(engine._scales)]
        misses.append(off(np.column_stack(placed), made.requested))
    assert misses[0] > 1.15 * real
    assert 0.85 * real < misses[1] < misses[0] - 0.5 * (misses[0] - real)  # as far off, not nearer


def test_sets_score_nearer_to_what_was_asked_for_and_keep_their_distribution() -> None:
    frame = four(3000, 0)
    scores = whole(frame)
    errors, spread = [], []
    for candidates in (1, 3):
        made = (
            TreeCanonicalSampler(candidates=candidates).fit(frame, scores).sample_set(3000, quantile=(0, 1))
        )
        errors.append(np.abs(whole(made.frame) - made.requested).mean())
        spread.append(made.frame.std().to_numpy())
    assert errors[1] < 0.9 * errors[0]
    assert spread[1] == pytest.approx(frame.std().to_numpy(), rel=0.06)


def test_where_nothing_can_be_read_all_weights_are_equal() -> None:
    frame, _ = world("null", 1000)
    scores = np.random.default_rng(0).random(1000)
    reader = TreeCanonicalSampler(candidates=2).fit(frame, scores).reader_
    assert reader is not None
    weight = reader.sharpness * 0.3**2  # of a miss as large as scores spread
    assert weight.max() < 0.5


@pytest.mark.parametrize("scores", [np.arange(60) % 2.0, np.full(60, 0.25), np.linspace(0, 1, 60)])
def test_few_rows_and_scores_that_repeat(scores: np.ndarray) -> None:
    frame, _ = world("null", 60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        engine = TreeCanonicalSampler(candidates=2).fit(frame, scores)
        assert len(engine.sample(40, quantile=(0, 1))) == 40
    assert engine.reader_ is not None
    assert np.isfinite(engine.reader_.sharpness).all()
    assert np.isfinite(engine.reader_.centre).all()


def test_means_are_of_the_rows_nearest_to_each_knot() -> None:
    knots = np.array([0.0, 0.5, 0.6, 1.0])
    scores = np.array([0.0, 0.2, 0.3, 0.5, 0.9, 1.0])
    values = np.arange(6.0)
    nearest = np.abs(scores[:, None] - knots).argmin(axis=1)
    expected = [values[nearest == k].mean() if (nearest == k).any() else values.mean() for k in range(4)]
    assert _mean(knots, scores, values).tolist() == expected


def test_one_candidate_needs_no_reader() -> None:
    frame, scores = world("direct", 300)
    engine = TreeCanonicalSampler(candidates=1).fit(frame, scores)
    assert engine.reader_ is None
    assert len(engine.sample(20, quantile=(0, 1))) == 20
    with pytest.raises(ConfigError, match="candidates"):
        TreeCanonicalSampler(candidates=0).fit(frame, scores)


def test_a_file_whose_reader_cannot_be_learnt_again_is_said(tmp_path: Path) -> None:
    frame, scores = world("direct", 300)
    engine = TreeCanonicalSampler(candidates=2).fit(frame, scores)
    engine.save(tmp_path / "engine.npz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CanonicalSampler.load(tmp_path / "engine.npz")
    assert engine.reader_ is not None
    engine.reader_ = replace(engine.reader_, model=Told())
    engine.save(tmp_path / "other.npz")
    with pytest.warns(FairwitnessWarning, match="another version of scikit-learn"):
        CanonicalSampler.load(tmp_path / "other.npz")


def test_by_default_shares_are_right_where_scores_follow_from_the_columns() -> None:
    """Rows with some levels obey a score more often: a choice that prefers obedient rows moves shares."""

    def drawn(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
        rng = np.random.default_rng(seed)
        married, age = rng.random(n) < 0.5, rng.normal(0, 1, n)
        hours = rng.normal(0, 1, n) + 0.5 * married
        z = 1.6 * married + 0.9 * age + 0.9 * hours - 1.6
        frame = pd.DataFrame({"married": np.where(married, "yes", "no"), "age": age, "hours": hours})
        return frame, 1 / (1 + np.exp(-z))

    band = (0.4, 0.6)
    apart = []
    for seed in range(1, 6):
        frame, scores = drawn(4000, seed)
        real = (frame["married"][(scores >= band[0]) & (scores <= band[1])] == "yes").mean()
        made = TreeCanonicalSampler(random_state=seed).fit(frame, scores).sample(4000, band=band)
        apart.append((made["married"] == "yes").mean() - real)
    assert abs(np.mean(apart)) < 0.01  # with two candidates it is .023
