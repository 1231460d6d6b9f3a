"""Contrasts: what is known to differ is found, what does not is not, and the numbers are those of loops."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance
from tests.canonical.worlds import ANSWERS, world

from fairwitness.canonical import (
    BootstrapSampler,
    CanonicalGate,
    TreeCanonicalSampler,
    contrast,
    direct_vs_proxy,
    intersections,
    output_rates,
    together,
)
from fairwitness.errors import ConfigError, DataError, UnknownNameError


@pytest.mark.parametrize("name", ANSWERS)
def test_exactly_what_the_scores_go_with_is_found(name: str) -> None:
    frame, scores = world(name, 3000)
    hidden = ["sex", "race"] if name in ("null", "proxy") else []
    engine = TreeCanonicalSampler(protected=hidden).fit(frame, scores)
    found = contrast(engine.positive(800), engine.negative(800), protected=["sex", "race"])
    assert {feature.name for feature in found.features if feature.established} == ANSWERS[name]
    for feature in found.features:
        # made and real rows tell the same story
        made, real = feature.estimates["total_variation"].estimate, feature.real["total_variation"]
        assert made == pytest.approx(real, abs=0.12)


def test_tests_keep_their_level_where_there_is_nothing_to_find() -> None:
    p, runs_with_a_finding = [], 0
    for seed in range(100):
        frame, scores = world("null", 240, seed)
        engine = BootstrapSampler().fit(frame, scores)
        # many more made rows than real ones must not make anything surer
        sets = [engine.sample_set(2000, quantile=each) for each in ((0.75, 1.0), (0.0, 0.25))]
        found = contrast(*sets, n_resamples=199, random_state=seed)
        p += [feature.p_value for feature in found.features]
        runs_with_a_finding += any(feature.established for feature in found.features)
    # 600 p-values, ten or so of them discrete: below the level only
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.075
    assert 0.3 <= np.mean(np.array(p) <= 0.5) <= 0.56
    assert runs_with_a_finding <= 11  # of 100 at level .05: 12 or more has a chance of .4 %


def test_distances_are_those_of_loops_over_the_rows() -> None:
    frame, scores = world("direct", 600)
    engine = TreeCanonicalSampler().fit(frame, scores)
    sets = engine.positive(300), engine.negative(300)
    found = contrast(*sets)
    ends = np.quantile(scores, [0.1, 0.9], method="inverted_cdf")
    real = frame[scores >= ends[1]], frame[scores <= ends[0]]

    def value(name: str, distance: str, given: str) -> float:
        feature = found[name]
        return feature.estimates[distance].estimate if given == "made" else feature.real[distance]

    for pair, given in ((tuple(each.frame for each in sets), "made"), (real, "real")):
        for name in ("sex", "town"):
            shares = [
                each[name].value_counts(normalize=True).reindex(["a", "b", "c", "d", "man", "woman"])
                for each in pair
            ]
            a, b = (each.fillna(0).to_numpy() for each in shares)
            expected = {
                "total_variation": np.abs(a - b).sum() / 2,
                "jensen_shannon": jensenshannon(a, b, 2) ** 2,
            }
            for distance, value in expected.items():
                got = (
                    found[name].estimates[distance].estimate
                    if given == "made"
                    else found[name].real[distance]
                )
                assert got == pytest.approx(value, abs=1e-12)
        w = wasserstein_distance(pair[0]["age"], pair[1]["age"]) / frame["age"].std(ddof=0)
        got = (
            found["age"].estimates["wasserstein"].estimate
            if given == "made"
            else found["age"].real["wasserstein"]
        )
        assert got == pytest.approx(w, rel=1e-9)
    for feature in found.features:
        for estimate in feature.estimates.values():
            assert math.isnan(estimate.estimate) or 0 <= estimate.low <= estimate.high
    level = next(each for each in found["sex"].levels if each.label == "man")
    assert level.positive == (sets[0].frame["sex"] == "man").mean()
    assert level.real_negative == (real[1]["sex"] == "man").mean()
    assert level.n_real == sum((each["sex"] == "man").sum() for each in real)
    assert level.low < level.lift < level.high


def test_more_made_rows_make_nothing_surer() -> None:
    frame, scores = world("proxy", 800)
    engine = TreeCanonicalSampler().fit(frame, scores)
    found = [
        contrast(engine.positive(n), engine.negative(n))["sex"].estimates["total_variation"]
        for n in (80, 8000)
    ]
    assert found[1].p_value == found[0].p_value
    assert found[1].high - found[1].low > 0.6 * (found[0].high - found[0].low)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = 0
    for seed in range(60):
        frame, scores = world("proxy", 600, seed)
        engine = TreeCanonicalSampler().fit(frame, scores)
        found = contrast(engine.positive(600), engine.negative(600), n_resamples=199, random_state=seed)
        estimate = found["sex"].estimates["total_variation"]
        # in tenths of the scores everyone is in the club, or no one is: .8 and .2 are men
        held += estimate.low <= 0.6 <= estimate.high
    assert held >= 52  # of 60 at .95: 51 or fewer has a chance of .1 %


def test_results_in_every_form() -> None:
    frame, scores = world("proxy", 800)
    engine = TreeCanonicalSampler(protected=["sex"]).fit(frame, scores)
    sets = engine.positive(200), engine.negative(200)
    gates = [CanonicalGate(n_resamples=4).check(each) for each in sets]
    found = contrast(*sets, gates=gates)
    assert found.verdict == "weak"  # no model was asked
    assert "weak" in found.plot().get_xlabel()
    assert list(found.to_frame()["feature"]) == list(frame.columns)
    assert set(found.to_frame()["gate"]) == {"weak"}
    assert len(found.levels_frame()) == sum(len(feature.levels) for feature in found.features)
    json.dumps(found.to_dict(), allow_nan=False)
    assert "club" in repr(found)
    assert "would have to change" in found["club"].sentence
    assert [feature.name for feature in found.features if feature.protected] == ["sex"]
    with pytest.raises(UnknownNameError, match="no such column"):
        found["clubs"]


def test_sets_that_cannot_be_compared() -> None:
    frame, scores = world("direct", 400)
    engine = TreeCanonicalSampler().fit(frame, scores)
    one, other = engine.positive(50), TreeCanonicalSampler().fit(frame, scores).negative(50)
    with pytest.raises(ConfigError, match="different engines"):
        contrast(one, other)
    with pytest.raises(ConfigError, match="same request"):
        contrast(one, engine.positive(50))
    with pytest.raises(ConfigError, match="that an engine made"):
        contrast(one.frame, one)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="protected names"):
        contrast(one, engine.negative(50), protected=["gender"])


def test_what_is_left_without_the_protected_column_is_seen() -> None:
    frame, _ = world("proxy", 3000)
    rng = np.random.default_rng(0)
    man, club = (frame["sex"] == "man").to_numpy(), (frame["club"] == "in").to_numpy()
    noise = rng.normal(0, 0.4, len(frame))
    direct = 1 / (1 + np.exp(-(2.0 * man - 1 + 2.0 * club - 1 + noise)))
    proxy = 1 / (1 + np.exp(-(4.0 * club - 2 + noise)))
    found = direct_vs_proxy(frame, direct, proxy, protected=["sex"], n=600)
    sex = next(feature for feature in found.features if feature.name == "sex")
    assert sex.protected
    # with sex: all of the highest scored are men; without: as many as are in the club
    assert sex.direct == pytest.approx(1.0, abs=0.02)
    assert sex.proxy == pytest.approx(0.6, abs=0.12)
    level = next(each for each in sex.levels if each.label == "man")
    assert level.positive == pytest.approx(0.2, abs=0.08)
    assert level.positive_low > 0
    town = next(feature for feature in found.features if feature.name == "town")
    assert all(each.positive_low <= 0 <= each.positive_high for each in town.levels)
    assert set(found.to_frame()["feature"]) == set(frame.columns)
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.plot(features=["sex"]).get_xlim()[0] < 0
    assert found["sex"].protected
    with pytest.raises(UnknownNameError, match="no such column"):
        found["nobody"]
    assert "gate: not checked" in found.plot().get_xlabel()
    gates = [CanonicalGate(None, random_state=seed) for seed in (0, 1)]
    checked = direct_vs_proxy(frame, direct, proxy, protected=["sex"], gates=gates, n=200)
    assert checked.verdict == checked.to_dict()["verdict"] == "weak"  # no model that could be asked
    assert [len(each.gates) for each in (checked.direct, checked.proxy)] == [2, 2]
    with pytest.raises(ConfigError, match="two models"):
        direct_vs_proxy(frame, direct, proxy, protected=["sex"], gates=gates[:1])
    with pytest.raises(ConfigError, match="no column is protected"):
        direct_vs_proxy(frame, direct, proxy, protected=[])


def test_an_interaction_is_seen_in_the_grid_and_among_what_occurs_together() -> None:
    frame, scores = world("interaction", 4000)
    engine = TreeCanonicalSampler().fit(frame, scores)
    (grid,) = intersections(engine, "race", "sex")
    lifts = {
        (grid.row_labels[i], grid.column_labels[j]): cell
        for i, line in enumerate(grid.cells)
        for j, cell in enumerate(line)
    }
    assert lifts["white", "man"].low > 2
    assert all(cell.high < 1 for key, cell in lifts.items() if key != ("white", "man") and not cell.few)
    sets = engine.positive(800), engine.negative(800)
    first = together(*sets)[0] if together(*sets) else None
    # independent within the positive set, where nearly all are white men: nothing goes beyond chance
    assert first is None or first.positive < first.expected * 1.5
    assert len(grid.to_frame()) == 4
    json.dumps(grid.to_dict(), allow_nan=False)
    assert grid.plot().get_title() == ""
    assert grid.verdict == "not checked"
    gate = CanonicalGate(None, measures=["support"])
    assert intersections(engine, "race", "sex", gate=gate)[0].verdict == "trust"


def test_grids_are_made_for_every_fixed_combination_and_few_rows_are_marked() -> None:
    frame, scores = world("direct", 600)
    frame.loc[:4, "town"] = "tiny"
    engine = TreeCanonicalSampler().fit(frame, scores)
    with pytest.warns(UserWarning, match="support the request"):
        grids = intersections(engine, "race", "sex", given=["town"], n=200)
    assert [grid.given["town"] for grid in grids] == ["a", "b", "c", "d", "tiny"]
    tiny = grids[-1]
    assert all(cell.few for line in tiny.cells for cell in line)
    top = np.quantile(scores, 0.9, method="inverted_cdf")
    low = np.quantile(scores, 0.1, method="inverted_cdf")
    inside = frame[((scores >= top) | (scores <= low)) & (frame["town"] == "a").to_numpy()]
    for i, race in enumerate(grids[0].row_labels):
        for j, sex in enumerate(grids[0].column_labels):
            assert grids[0].cells[i][j].n == ((inside["race"] == race) & (inside["sex"] == sex)).sum()
    with pytest.raises(ConfigError, match="holds numbers"):
        intersections(engine, "race", "sex", given="age")
    with pytest.raises(ConfigError, match="named twice"):
        intersections(engine, "race", "race")


def test_levels_that_occur_together_are_counted() -> None:
    rng = np.random.default_rng(0)
    n = 3000
    married = rng.random(n) < 0.5
    man = rng.random(n) < 0.5
    role = np.where(married, np.where(man, "husband", "wife"), "single")
    frame = pd.DataFrame({"married": married, "sex": np.where(man, "man", "woman"), "role": role})
    scores = np.clip(0.3 + 0.4 * (married & man) + rng.normal(0, 0.1, n), 0, 1)
    engine = TreeCanonicalSampler().fit(frame, scores)
    sets = engine.sample_set(600, quantile=(0.6, 1)), engine.sample_set(600, quantile=(0, 0.4))
    found = together(*sets)[0]
    assert found.levels == {"married": "True", "sex": "man", "role": "husband"}
    made = sets[0].frame
    assert found.positive == ((made["role"] == "husband") & (made["sex"] == "man") & made["married"]).mean()
    expected = (made["role"] == "husband").mean() * (made["sex"] == "man").mean() * made["married"].mean()
    assert found.expected == pytest.approx(expected)
    assert found.positive > found.expected


def test_a_level_that_adds_nothing_is_not_listed() -> None:
    rng = np.random.default_rng(0)
    n = 4000
    man = rng.random(n) < 0.5
    role = np.where(man & (rng.random(n) < 0.8), "husband", "other")
    born = np.where(rng.random(n) < 0.9, "here", "abroad")
    frame = pd.DataFrame({"sex": np.where(man, "man", "woman"), "role": role, "born": born})
    scores = np.clip(0.3 + 0.3 * man + rng.normal(0, 0.1, n), 0, 1)
    engine = TreeCanonicalSampler().fit(frame, scores)
    sets = engine.sample_set(1000, quantile=(0.5, 1)), engine.sample_set(1000, quantile=(0, 0.5))
    made = sets[0].frame
    for each in together(*sets, at_least=0.01):
        mine = {name: made[name].astype(str) == level for name, level in each.levels.items()}
        for name in mine:  # more frequent than if any one of its levels were independent of the rest
            rest = np.logical_and.reduce([mask for other, mask in mine.items() if other != name])
            assert each.positive > rest.mean() * mine[name].mean()
    assert together(*sets)[0].levels == {"sex": "man", "role": "husband"}


def test_rates_have_their_right_names() -> None:
    y = np.array([1, 1, 1, 0, 0, 0, 1, 0], dtype=bool)
    accepted = np.array([1, 1, 0, 1, 0, 0, 0, 0], dtype=bool)
    groups = ["b"] * 6 + ["a"] * 2
    a, b = output_rates(y, accepted, groups)
    assert (a.label, b.label, b.n) == ("a", "b", 6)
    assert b.base_rate.estimate == 3 / 6
    assert b.positive_rate.estimate == 3 / 6
    assert b.true_positive_rate.estimate == 2 / 3
    assert b.precision.estimate == 2 / 3
    assert a.positive_rate.estimate == 0
    assert math.isnan(a.precision.estimate)
    assert a.precision.reason == "no row is accepted"
    with pytest.raises(DataError, match="differ in length"):
        output_rates(y, accepted[:3], groups)


def test_what_only_two_columns_together_say_is_in_no_column_but_in_the_grid() -> None:
    frame, _ = world("null", 4000)
    man, white = (frame["sex"] == "man").to_numpy(), (frame["race"] == "white").to_numpy()
    noise = np.random.default_rng(0).normal(0, 0.7, len(frame))
    scores = 1 / (1 + np.exp(-(np.where(man != white, 1.5, -1.5) + noise)))
    engine = TreeCanonicalSampler().fit(frame, scores)
    sets = engine.positive(800), engine.negative(800)
    assert not [each.name for each in contrast(*sets).features if each.established]
    (grid,) = intersections(engine, "sex", "race")
    for i, sex in enumerate(grid.row_labels):
        for j, race in enumerate(grid.column_labels):
            cell = grid.cells[i][j]
            if (sex == "man") != (race == "white"):
                assert cell.low > 1
            else:
                assert cell.high < 1
    found = [each.levels for each in together(*sets, columns=["sex", "race"])]
    expected = [{"sex": "man", "race": "black"}, {"sex": "woman", "race": "white"}]
    assert sorted(found, key=lambda levels: levels["sex"]) == expected


def test_intervals_hold_no_difference_where_the_test_does() -> None:
    """Distances of samples lie above 0; an interval that left 0 out for that would claim too much."""
    low = []
    for seed in range(12):
        rng = np.random.default_rng([seed, 5])
        frame = pd.DataFrame({"a": rng.normal(size=800), "level": rng.choice(list("abcdefgh"), 800)})
        engine = TreeCanonicalSampler(random_state=seed).fit(frame, 1 / (1 + np.exp(-frame["a"])))
        found = contrast(engine.positive(800), engine.negative(800), n_resamples=199, random_state=seed)
        for name in ("total_variation", "jensen_shannon"):
            each = found["level"].estimates[name]
            assert (each.low == 0) or each.p_value <= 0.05
        low.append(found["level"].estimates["total_variation"].low)
        assert found["a"].estimates["total_variation"].low > 0.5
    assert np.mean(np.array(low) == 0) > 0.75
