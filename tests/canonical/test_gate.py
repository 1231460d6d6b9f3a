"""The gate: sets that are right are trusted, and sets that are wrong in one way each are found out."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest
from tests.canonical.worlds import world

from fairwitness.canonical import (
    CRITERIA,
    BootstrapSampler,
    CanonicalGate,
    CanonicalSet,
    TreeCanonicalSampler,
)
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning, NotFittedError

QUICK = [name for name in CRITERIA if name != "auc"]


def rule(frame: pd.DataFrame) -> np.ndarray:
    """A model: sex and income decide."""
    return np.clip(0.15 + 0.45 * (frame["sex"] == "man") + 0.3 * (frame["income"] > 20), 0, 1).to_numpy()


def table(n: int = 3000) -> tuple[pd.DataFrame, np.ndarray]:
    frame, _ = world("null", n)
    return frame, rule(frame)


def changed(made: CanonicalSet, **columns: object) -> CanonicalSet:
    """Give a set with some columns of its rows replaced."""
    matrix = made.matrix.copy(order="F")
    for name, values in columns.items():
        matrix[:, made.rows.names.index(name)] = values
    return dataclasses.replace(made, matrix=matrix, frame=made.rows.frame(matrix))


def test_a_set_that_is_right_is_trusted_on_rows_that_were_not_learnt_from() -> None:
    frame, scores = table(4000)
    half = len(frame) // 2
    engine = TreeCanonicalSampler().fit(frame[:half], scores[:half])
    gate = CanonicalGate(rule, reference=frame[half:], reference_scores=scores[half:], n_resamples=8)
    report = gate.check(engine.sample_set(600, quantile=(0.5, 1)))
    assert report.verdict == "trust"
    assert report.reasons == ()
    assert report.held_out
    assert report["right_side"].value > 0.97
    assert report["column_tv"].value - report["column_tv"].floor < 0.015
    assert report["auc"].value < 0.58
    probe = gate.probe(engine, 800)
    assert probe["correlation"].value > 0.95


@pytest.mark.parametrize(
    ("how", "measure"),
    [
        ({"sex": 1.0}, "worst_tv"),
        ({"income": 500.0}, "wasserstein"),
        ({"income": 1.0}, "score_error"),
    ],
)
def test_what_is_wrong_is_found(how: dict[str, object], measure: str) -> None:
    frame, scores = table()
    made = TreeCanonicalSampler().fit(frame, scores).sample_set(500, quantile=(0.6, 1))
    report = CanonicalGate(rule, measures=QUICK, n_resamples=6).check(changed(made, **how))
    assert report[measure].verdict != "trust"
    assert report.verdict == "do not use"
    assert any(CRITERIA[measure].words in reason for reason in report.reasons)
    assert "do not use" in report.sentence


def test_rows_that_ignore_what_goes_together_are_told_from_real_ones() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=3000)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(0, 0.1, 3000)})
    scores = 1 / (1 + np.exp(-x))
    made = TreeCanonicalSampler().fit(frame, scores).sample_set(900, quantile=(0, 1))
    gate = CanonicalGate(n_resamples=4)
    right = gate.check(made)
    wrong = gate.check(changed(made, y=rng.permutation(made.matrix[:, 1])))
    assert right["auc"].low < 0.6
    assert wrong["auc"].value > 0.9
    assert wrong["pair_tv"].value > 3 * right["pair_tv"].value
    assert wrong["column_tv"].value == pytest.approx(right["column_tv"].value)


def test_impossible_pairs_and_copies_are_counted() -> None:
    rng = np.random.default_rng(0)
    man = rng.random(1000) < 0.5
    frame = pd.DataFrame(
        {
            "sex": np.where(man, "man", "woman"),
            "role": np.where(man, "husband", "wife"),
            "x": rng.normal(size=1000),
        }
    )
    made = TreeCanonicalSampler().fit(frame, rng.random(1000)).sample_set(200, quantile=(0, 1))
    gate = CanonicalGate(measures=["impossible", "copies"])
    assert gate.check(made)["impossible"].value == 0
    half = made.matrix[:, made.rows.names.index("role")].copy()
    half[:50] = 1 - half[:50]
    report = gate.check(changed(made, role=half))
    assert report["impossible"].value == 0.25
    assert report.verdict == "do not use"
    real = BootstrapSampler().fit(frame, np.linspace(0, 1, 1000)).sample_set(100, quantile=(0, 1))
    copied = gate.check(real)
    assert copied["copies"].value == 1
    assert copied["copies"].floor == 0
    assert copied.verdict == "weak"  # a copy is right on all else


def test_a_fixed_column_that_is_not_kept_is_found() -> None:
    frame, scores = table()
    made = TreeCanonicalSampler().fit(frame, scores).sample_set(100, quantile=(0.5, 1), where={"town": "a"})
    gate = CanonicalGate(rule, measures=["kept"])
    assert gate.check(made)["kept"].value == 1
    towns = made.matrix[:, -1].copy()
    towns[:10] = 2
    assert gate.check(changed(made, town=towns)).verdict == "do not use"


def test_few_rows_and_no_model_keep_a_set_from_being_trusted() -> None:
    frame, scores = table(2000)
    engine = TreeCanonicalSampler().fit(frame, scores)
    no_model = CanonicalGate(measures=QUICK, n_resamples=4).check(engine.positive(200))
    assert no_model.verdict == "weak"
    assert math.isnan(no_model["score_error"].value)
    assert "no model was given" in no_model["score_error"].reason
    frame.loc[:2, "town"] = "rare"
    engine = TreeCanonicalSampler().fit(frame, scores)
    with pytest.warns(FairwitnessWarning):
        made = engine.sample_set(50, quantile=(0, 1), where={"town": "rare"})
    report = CanonicalGate(rule, n_resamples=4).check(made)
    assert report.verdict == "do not use"
    assert "only 3 real rows" in report["column_tv"].reason


def test_columns_that_the_model_does_not_see_are_not_given_to_it() -> None:
    frame, _ = world("null", 500)
    seen = []

    def model(rows: pd.DataFrame) -> np.ndarray:
        seen.append(list(rows.columns))
        return np.asarray(rows["age"] / 100)

    made = TreeCanonicalSampler(protected=["sex", "race"]).fit(frame, frame["age"] / 100).positive(50)
    CanonicalGate(model, measures=["score_error"]).check(made)
    assert seen == [["age", "income", "club", "town"]]
    both = CanonicalGate([model, model], measures=["score_error"]).check(made)
    assert len(seen) == 3
    assert both["score_error"].value < 0.1


def test_a_report_in_every_form() -> None:
    frame, scores = table(800)
    report = CanonicalGate(rule, measures=QUICK, n_resamples=4).check(
        TreeCanonicalSampler().fit(frame, scores).positive(100)
    )
    assert list(report.to_frame()["name"]) == QUICK
    json.dumps(report.to_dict(), allow_nan=False)
    assert report.plot().get_title(loc="left").startswith("Gate: ")
    assert repr(report).startswith("<GateReport: ")


def test_settings_that_make_no_sense() -> None:
    frame, scores = table(100)
    with pytest.raises(ConfigError, match="no such measure"):
        CanonicalGate(measures=["aux"])
    with pytest.raises(ConfigError, match="go together"):
        CanonicalGate(reference=frame)
    with pytest.raises(DataError, match="one score a row"):
        CanonicalGate(reference=frame, reference_scores=scores[:5])
    with pytest.raises(ConfigError, match="n_resamples"):
        CanonicalGate(n_resamples=0)


def test_a_twin_is_compared_in_place_of_the_set_with_rows_that_it_has_not_seen() -> None:
    frame, scores = table(2400)
    engine = TreeCanonicalSampler().fit(frame, scores)
    twin = TreeCanonicalSampler().fit(frame[:1200], scores[:1200])
    gate = CanonicalGate(
        rule, reference=frame[1200:], reference_scores=scores[1200:], measures=QUICK, n_resamples=4
    )
    made = engine.sample_set(300, quantile=(0.6, 1), where={"town": ["a", "b"]})
    report = gate.check(made, twin=twin)
    assert report.reference == "other half"
    assert report.held_out
    other = twin.sample_set(300, band=(made.request.low, made.request.high), where={"town": ["a", "b"]})
    alone = gate.check(other)
    assert alone.reference == "held out"
    mine = gate.check(made)
    for name in ("column_tv", "worst_tv", "pair_tv", "wasserstein"):
        assert report[name].value == alone[name].value
    for name in ("support", "kept", "score_error", "right_side", "copies", "impossible"):
        assert report[name].value == mine[name].value
    wanted = (scores[1200:] >= made.request.low) & frame[1200:]["town"].isin(["a", "b"]).to_numpy()
    assert report.n_reference == wanted.sum()
    assert CanonicalGate(rule, measures=QUICK, n_resamples=4).check(made).reference == "learnt"


def test_a_twin_without_such_rows_leaves_the_set_s_own() -> None:
    frame, scores = table(400)
    frame.loc[:49, "town"] = "new"
    engine = TreeCanonicalSampler().fit(frame, scores)
    twin = TreeCanonicalSampler(schema=engine.rows_.schema).fit(frame[50:], scores[50:])
    gate = CanonicalGate(
        rule, reference=frame[50:], reference_scores=scores[50:], measures=["column_tv"], n_resamples=4
    )
    report = gate.check(engine.sample_set(100, quantile=(0, 1), where={"town": "new"}), twin=twin)
    assert report.reference == "learnt"
    assert report.n_reference == 50


def test_a_twin_of_another_kind_is_refused() -> None:
    frame, scores = table(200)
    made = TreeCanonicalSampler().fit(frame, scores).positive(50)
    gate = CanonicalGate(rule, reference=frame, reference_scores=scores, measures=QUICK, n_resamples=4)
    with pytest.raises(ConfigError, match="twin must be a fitted TreeCanonicalSampler"):
        gate.check(made, twin=BootstrapSampler().fit(frame, scores))
    with pytest.raises(ConfigError, match="twin must be"):
        gate.check(made, twin=frame)  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        gate.check(made, twin=TreeCanonicalSampler())
    with pytest.raises(ConfigError, match="needs reference rows"):
        CanonicalGate(rule).check(made, twin=TreeCanonicalSampler().fit(frame, scores))
    with pytest.raises(ConfigError, match="needs reference rows"):
        gate.check(made, twin=TreeCanonicalSampler().fit(frame[["age", "sex"]], scores))


@pytest.mark.parametrize("values", [[True, False], ["one", "one"]])
def test_a_table_of_one_column_with_hardly_a_value(values: list[object]) -> None:
    frame = pd.DataFrame({"only": values * 100})
    made = TreeCanonicalSampler().fit(frame, np.linspace(0, 1, 200)).sample_set(100, quantile=(0, 1))
    report = CanonicalGate(n_resamples=4).check(made)
    assert math.isnan(report["auc"].value) == (values[0] is not values[1])
    assert report["column_tv"].value < 0.2


def test_each_column_is_judged_by_its_own_floor() -> None:
    """A wrong share of one sex is seen beside a column of many values, which varies more by chance."""
    rng = np.random.default_rng(0)

    def table(n: int) -> tuple[pd.DataFrame, np.ndarray]:
        frame = pd.DataFrame({"sex": rng.choice(["man", "woman"], n), "age": rng.normal(40, 10, n).round()})
        scores = 1 / (1 + np.exp(-(frame["age"] - 40) / 8))
        return frame, scores.to_numpy()

    frame, scores = table(20_000)
    held, held_scores = table(10_000)
    gate = CanonicalGate(None, reference=held, reference_scores=held_scores, measures=["worst_tv"])
    made = BootstrapSampler().fit(frame, scores).sample_set(3000, quantile=(0.9, 1))
    assert gate.check(made).verdict == "trust"
    matrix = made.matrix.copy()
    women = np.flatnonzero(matrix[:, 0] == matrix[:, 0].max())
    matrix[women[: len(women) // 3], 0] = matrix[:, 0].min()  # a sixth of the rows
    changed = gate.check(dataclasses.replace(made, matrix=matrix, frame=made.rows.frame(matrix)))
    assert changed["worst_tv"].detail == "sex"
    assert changed["worst_tv"].value == pytest.approx(1 / 6, abs=0.04)
    assert changed["worst_tv"].floor < 0.06
    assert changed.verdict != "trust"


def test_a_set_of_one_kind_of_row_is_measured() -> None:
    rng = np.random.default_rng(0)
    n = 1000
    frame = pd.DataFrame({"sex": rng.choice(["m", "f"], n), "x": rng.normal(size=n).round(2)})
    scores = (0.9 / (1 + np.exp(-frame["x"]))).to_numpy().copy()
    frame.loc[:59, "sex"], frame.loc[:59, "x"], scores[:60] = "m", 4.0, 1.0
    frame.loc[60:159, "x"], scores[60:160] = 3.9, 0.96
    made = TreeCanonicalSampler().fit(frame, scores).sample_set(300, score=1.0)
    assert len(made.frame.drop_duplicates()) == 1
    report = CanonicalGate().check(made)
    assert report["auc"].reason == "there are too few kinds of rows"
    assert report.verdict == "do not use"
