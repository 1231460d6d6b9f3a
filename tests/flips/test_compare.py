from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.errors import ConfigError, UnknownNameError
from fairwitness.flips import compare_opportunities, fair_opportunity

QUICK = {"n_resamples": 100, "n_permutations": 50, "n_jobs": 1, "privileged": "man", "k": 6}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    woman = rng.random(200) < 0.5
    return pd.DataFrame(
        {
            "sex": np.where(woman, "woman", "man"),
            "height": np.round(178 - 13 * woman + rng.normal(0, 6, 200), 1),
            "merit": rng.integers(0, 30, 200),
        }
    )


MODELS = {
    "by height": lambda X: 1 / (1 + np.exp(-(X["height"] - 175) / 5)),
    "by merit": lambda X: 1 / (1 + np.exp(-(X["merit"] - 15) / 5)),
}


@pytest.fixture(scope="module")
def classifiers(by_rule):
    return {
        "at 171": by_rule(lambda X: 1 / (1 + np.exp(-(X["height"] - 171.0))), ["woman", "man"]),
        "at 173": by_rule(lambda X: 1 / (1 + np.exp(-(X["height"] - 173.0))), ["woman", "man"]),
    }


@pytest.fixture(scope="module")
def comparison(people, classifiers):
    return compare_opportunities(MODELS, people, "sex", classifiers=classifiers, **QUICK)


def test_each_cell_is_what_the_pair_alone_gives(people, classifiers, comparison) -> None:
    assert comparison.models == ("by height", "by merit")
    assert comparison.classifiers == ("at 171", "at 173")
    for model in MODELS:
        for name in classifiers:
            alone = fair_opportunity(MODELS[model], people, "sex", classifier=classifiers[name], **QUICK)
            assert comparison[model, name].to_dict() == alone.to_dict()
            np.testing.assert_array_equal(comparison[model, name].rows, alone.rows)


def test_the_frame_is_tidy(comparison) -> None:
    frame = comparison.to_frame()
    keys = ["model", "classifier", "group", "measure", "k"]
    assert not frame.duplicated(keys).any()
    assert len(frame) == 2 * 2 * 2 * 3 * 6
    assert list(frame.columns[:2]) == ["model", "classifier"]


def test_stability_says_how_far_the_instrument_matters(comparison) -> None:
    stability = comparison.stability().set_index(["model", "group", "measure"])
    height = stability.loc[("by height", "woman", "cflips")]
    values = [comparison["by height", name].difference().at().estimate for name in comparison.classifiers]
    assert (height["lowest"], height["highest"]) == (min(values), max(values))
    assert height["range"] == pytest.approx(max(values) - min(values))
    assert height["same_sign"]
    assert height["n_classifiers"] == 2
    assert "<table" in comparison._repr_html_()


def test_generation_happens_once_a_model(people, classifiers) -> None:
    from fairwitness.counterfactuals import NeighborGenerator

    class Counting(NeighborGenerator):
        calls = 0

        def generate(self, *args, **kwargs):
            Counting.calls += 1
            return super().generate(*args, **kwargs)

    compare_opportunities(
        MODELS, people, "sex", classifiers=classifiers, generator=Counting(n_jobs=1), **QUICK
    )
    assert Counting.calls == 2 * len(MODELS)  # once with the model's choices, once with random ones


def test_estimators_are_fitted_once_on_what_any_model_reads(people) -> None:
    from sklearn.tree import DecisionTreeClassifier

    fitted = compare_opportunities(
        MODELS, people, "sex", classifiers={"tree": DecisionTreeClassifier(max_depth=2)}, **QUICK
    )
    qualities = [fitted[model, "tree"].quality for model in MODELS]
    assert qualities[0] == qualities[1]
    assert qualities[0]["better_than_chance"]


def test_the_favourable_label_may_be_any(people, classifiers, comparison) -> None:
    named = {
        name: lambda X, rule=rule: np.where(rule(X) >= 0.5, "yes", "no") for name, rule in MODELS.items()
    }
    found = compare_opportunities(named, people, "sex", classifiers=classifiers, favorable="yes", **QUICK)
    from sklearn.tree import DecisionTreeClassifier

    inputs = people[["height", "merit"]]
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(inputs, named["by height"](inputs))
    trees = compare_opportunities(
        {"tree": tree}, people, "sex", classifiers=classifiers, favorable="yes", **QUICK
    )
    for name in classifiers:
        for model in MODELS:
            mine, theirs = (each[model, name].difference().at() for each in (found, comparison))
            assert mine.estimate == theirs.estimate
        assert trees["tree", name].n_searched > 0


def test_the_dots_are_drawn(comparison) -> None:
    ax = comparison.plot()
    assert ax.get_xlabel() == "ΔCFlips@6"
    beyond = comparison.plot(beyond_random=True)
    assert beyond.get_xlabel() == "ΔCFlips@6, beyond random acceptance"
    with pytest.raises(ConfigError):
        comparison.plot(measure="flips")


def test_nothing_to_compare_is_refused(people) -> None:
    with pytest.raises(ConfigError, match="nothing to compare"):
        compare_opportunities({}, people, "sex", **QUICK)
    with pytest.raises(ConfigError, match="nothing to compare"):
        compare_opportunities(MODELS, people, "sex", classifiers={}, **QUICK)
    with pytest.raises(ConfigError, match="models must be a mapping"):
        compare_opportunities([MODELS["by merit"]], people, "sex", **QUICK)
    with pytest.raises(ConfigError, match="classifiers must be a mapping"):
        compare_opportunities(MODELS, people, "sex", classifiers=[None], **QUICK)


def test_pairs_that_were_not_compared(comparison) -> None:
    for ask in (lambda: comparison["by height"], lambda: comparison["by height", "at 2"]):
        with pytest.raises(UnknownNameError, match="no such pair"):
            ask()
    with pytest.raises(UnknownNameError, match="no such group"):
        comparison.plot(group="women")
