from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from fairwitness.counterfactuals import GeneticGenerator, NeighborGenerator
from fairwitness.datasets import blind_world
from fairwitness.flips import fair_opportunity
from fairwitness.flips.estimates import group_curves
from fairwitness.flips.refits import refits
from fairwitness.flips.verdicts import unsettled_findings
from fairwitness.model import SensitiveFeatureClassifier


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(21)
    woman = rng.random(300) < 0.5
    return pd.DataFrame(
        {"height": np.round(178 - 9 * woman + rng.normal(0, 6, 300), 1), "merit": rng.integers(0, 30, 300)}
    ).assign(sex=np.where(woman, "woman", "man"))


@pytest.fixture(scope="module")
def classifier(people) -> SensitiveFeatureClassifier:
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return SensitiveFeatureClassifier(tree, cv=3, random_state=0, n_jobs=1).fit(
        people[["height", "merit"]], people["sex"]
    )


def model(X: pd.DataFrame) -> np.ndarray:
    return 1 / (1 + np.exp(-(X["merit"] - 15) / 5))


def _ask(people, classifier, generator, rows):
    inputs = people[["height", "merit"]]
    found = generator.fit(inputs, model).generate(inputs.iloc[rows], 4)
    codes = (people["sex"].to_numpy()[rows] == "woman").astype(np.int64)
    asked = refits(classifier, [found], codes, rows=rows, evidence=inputs, labels=["man", "woman"])
    return found, codes, asked


@pytest.mark.parametrize(
    "generator", [NeighborGenerator(n_jobs=1), GeneticGenerator(random_state=0, n_jobs=1, generations=3)]
)
def test_each_fold_s_model_is_asked_about_people_and_counterfactuals(people, classifier, generator) -> None:
    inputs = people[["height", "merit"]]
    rows = np.flatnonzero(people["merit"] < 10)[:40]
    found, codes, asked = _ask(people, classifier, generator, rows)
    assert len(asked) == 3
    for refit, fold_model in zip(asked, classifier.crossfit_.models_, strict=True):
        looks = fold_model.predict(inputs.iloc[rows]) == "woman"
        np.testing.assert_array_equal(refit.recognised, looks == codes)
        changed = fold_model.predict(found.encoder.decode(found.rows)) == "woman"
        np.testing.assert_array_equal(refit.flipped[0], changed != codes[found.query])
        flips = refit.flips(0, found)
        assert np.isnan(flips[~refit.recognised]).all()
        assert np.isfinite(flips[refit.recognised]).any()


def test_of_new_rows_some_people_of_each_group_are_enough(people, classifier, monkeypatch) -> None:
    rows = np.flatnonzero(people["merit"] < 10)
    found, codes, all_asked = _ask(people, classifier, NeighborGenerator(n_jobs=1), rows)
    monkeypatch.setattr("fairwitness.flips.refits.MOST_PEOPLE", 7)
    made = replace(found, source=np.full(len(found), -1))
    inputs = people[["height", "merit"]]
    few = refits(classifier, [made], codes, rows=rows, evidence=inputs, labels=["man", "woman"])
    for some, everyone in zip(few, all_asked, strict=True):
        assert (some.recognised <= everyone.recognised).all()
        assert 0 < some.recognised[codes == 0].sum() <= 7
        flips = some.flips(0, made)[some.recognised]
        np.testing.assert_array_equal(flips, everyone.flips(0, found)[some.recognised])


def test_a_classifier_without_folds_is_not_asked(people, classifier, by_rule) -> None:
    rule = by_rule(lambda X: (X["height"] < 174).astype(float), ["man", "woman"])
    rows = np.arange(5)
    assert _ask(people, rule, NeighborGenerator(n_jobs=1), rows)[2] == []


def test_intervals_of_a_blind_model_hold_0_because_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def held(seeds: range) -> int:
        count = 0
        for seed in seeds:
            world = blind_world(400, strength=1.5, random_state=seed)
            difference = fair_opportunity(
                world.model, world.X, world.sensitive, privileged="privileged", k=10, random_state=seed,
                n_resamples=200, n_permutations=20, n_jobs=1,
            ).difference()  # fmt: skip
            for beyond in (False, True):
                value = difference.at(beyond_random=beyond)
                count += value.low <= 0 <= value.high
        return count

    with_it = held(range(10))
    monkeypatch.setattr("fairwitness.flips.evaluate.refits", lambda *_, **__: [])
    assert with_it >= 18
    assert held(range(10)) <= 14


def test_where_all_people_are_alike_other_training_rows_still_widen() -> None:
    flips = np.zeros((200, 3))
    codes = np.arange(200) % 2
    numbers = {"given": np.arange(600.0).reshape(200, 3)}
    refitted = [
        {"given": np.where(codes[:, None] == 1, fold % 2, 0.0) * np.ones((200, 3))} for fold in range(4)
    ]

    def bounds(refitted: list) -> tuple[float, float]:
        groups, differences = group_curves(
            {"given": flips}, numbers, codes, 2, privileged=0, ks=np.array([3]), convention="equations",
            shortfall="available", confidence=0.95, n_resamples=300, n_permutations=20, seed=0,
            purpose=("t",), refitted=refitted,
        )  # fmt: skip
        return groups[1]["cflips"].at().high, differences[1]["cflips"].at().high

    narrow, wide = bounds([]), bounds(refitted)
    assert narrow[0] == pytest.approx(0.037, abs=1e-3)
    assert wide[0] > 0.5
    assert wide[1] > 0.5 > narrow[1]


def _disagreeing(people, monkeypatch, *, apart: bool):
    """A result whose first fold's model takes everyone with much merit for a man, or whose models agree."""
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    classifier = SensitiveFeatureClassifier(tree, cv=3, random_state=0, n_jobs=1).fit(
        people[["height", "merit"]], people["sex"]
    )
    if apart:
        first = classifier.crossfit_.models_[0]
        told = first.predict_proba

        def unlike(X: pd.DataFrame) -> np.ndarray:
            return np.where((X["merit"] > 14).to_numpy()[:, None], [[0.9, 0.1]], told(X))

        monkeypatch.setattr(first, "predict_proba", unlike)
    inputs = people[["height", "merit"]]
    generator = GeneticGenerator(random_state=0, n_jobs=1, generations=3)
    return fair_opportunity(
        model, inputs, people["sex"], classifier=classifier, generator=generator, k=3,
        privileged="man", n_resamples=100, n_permutations=20, n_jobs=1,
    )  # fmt: skip


def test_what_hangs_on_few_rows_is_told(people, monkeypatch) -> None:
    result = _disagreeing(people, monkeypatch, apart=True)
    women = result["woman"]
    assert len(women.by_fold) == 3
    assert women.by_fold[0] == 1.0
    assert max(women.by_fold[1:]) < 0.5
    value = women.at()
    assert value.high - value.low > 0.9  # with people enough
    assert value.n > 50
    (finding,) = unsettled_findings(result)
    assert (finding.code, finding.severity) == ("FLIP007", "note")
    assert "profiles of woman look like is not settled" in finding.title
    assert "to 100 % of them" in finding.title.replace("\u202f", " ").replace("\xa0", " ")
    assert f"{value.n:,} people" in finding.remedy


def test_models_that_agree_need_no_words(people, monkeypatch) -> None:
    result = _disagreeing(people, monkeypatch, apart=False)
    assert np.ptp(result["woman"].by_fold) < 0.25
    assert not list(unsettled_findings(result))
    few = replace(
        result, groups=tuple(replace(group, small=True, by_fold=(0.0, 1.0)) for group in result.groups)
    )
    assert not list(unsettled_findings(few))
