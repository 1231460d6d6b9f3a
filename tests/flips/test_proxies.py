from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairwitness.errors import ConfigError, DataError, ModelError, UnknownNameError
from fairwitness.flips import proxy_correlations, proxy_features
from fairwitness.flips.moments import Pairs, association_p, moments
from fairwitness.table import Schema


def test_the_paper_s_worked_example() -> None:
    # Table 5 of Cornacchia et al. (2023): three pairs.
    delta = [0.6, -0.4, -0.6]
    epsilon = np.array(
        [
            [3000, 4, 1, 0, -1],
            [2200, 0, -1, 1, 0],
            [1200, -1, 0, 1, -1],
        ]
    )
    rho = proxy_correlations(epsilon, delta)
    assert [f"{value:.2f}" for value in rho[[0, 2, 3, 4]]] == ["0.91", "0.78", "-0.99", "-0.36"]
    # The table prints 0.93 for education-num, which its own numbers do not give.
    assert rho[1] == pytest.approx(0.9994, abs=5e-5)


def test_a_column_that_does_not_vary_has_no_correlation() -> None:
    rho = proxy_correlations([[0.1, 2], [0.1, 3], [0.1, 5]], [1, 2, 4])
    assert np.isnan(rho[0])
    assert rho[1] == pytest.approx(1)
    assert np.isnan(proxy_correlations([[1.0], [2.0]], [0.3, 0.3])).all()
    assert np.isnan(proxy_correlations(np.empty((0, 2)), [])).all()


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [([1, 2], [1, 2]), ([[1.0]], [1, 2]), ([[np.nan]], [1]), ([[1.0]], [np.inf]), ([["a"]], [1])],
)
def test_pairs_that_make_no_sense_are_refused(epsilon, delta) -> None:
    with pytest.raises(DataError):
        proxy_correlations(epsilon, delta)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    n = 60
    return pd.DataFrame(
        {
            "income": rng.normal(1e6, 50, n).round(2),
            "dependants": rng.integers(0, 5, n),
            "grade": rng.choice(["low", "mid", "high"], n),
            "sector": rng.choice(["a", "b", "c"], n),
            "own home": rng.random(n) < 0.5,
            "constant": 1.5,
        }
    )


@pytest.fixture(scope="module")
def schema(table: pd.DataFrame) -> Schema:
    return Schema.infer(table, grade={"kind": "ordinal", "levels": ("low", "mid", "high")})


def _rule(X: pd.DataFrame) -> np.ndarray:
    return 1 / (1 + np.exp(-(X["dependants"] - 2 + (X["sector"] == "a") - 0.3 * X["own home"])))


@pytest.fixture(scope="module")
def pairs(table, schema, set_of):
    rng = np.random.default_rng(1)
    found = [table.iloc[rng.choice(60, size=rng.integers(0, 7), replace=False)] for _ in range(20)]
    return set_of(table, table.iloc[:20], found, k=6, schema=schema)


def _dense(pairs, table) -> tuple[np.ndarray, list[str]]:
    before = pairs.encoder.decode(pairs.queries[pairs.query])
    after = pairs.encoder.decode(pairs.rows)
    grade = {"low": 0, "mid": 1, "high": 2}
    columns = {
        "income": after["income"] - before["income"],
        "dependants": after["dependants"] - before["dependants"],
        "grade": after["grade"].map(grade) - before["grade"].map(grade),
        **{
            f"sector = {level}": (after["sector"] == level) * 1 - (before["sector"] == level) * 1
            for level in "abc"
        },
        "own home = True": after["own home"] * 1 - before["own home"] * 1,
        "constant": after["constant"] - before["constant"],
    }
    return np.stack([np.asarray(c, dtype=float) for c in columns.values()], axis=1), list(columns)


def test_the_sums_per_person_give_the_dense_correlation(pairs, table, by_rule) -> None:
    classifier = by_rule(_rule, ["no", "yes"])
    result = proxy_features(pairs, classifier, n_resamples=50)
    epsilon, names = _dense(pairs, table)
    before = classifier.predict_proba(pairs.encoder.decode(pairs.queries))[:, 1]
    delta = classifier.predict_proba(pairs.encoder.decode(pairs.rows))[:, 1] - before[pairs.query]
    expected = proxy_correlations(epsilon, delta)
    assert {feature.label for feature in result.features} == set(names)
    for name, rho in zip(names, expected, strict=True):
        np.testing.assert_allclose(result[name].rho, rho, atol=1e-9, err_msg=name)
    ranked = [abs(f.rho) for f in result.features if np.isfinite(f.rho)]
    assert ranked == sorted(ranked, reverse=True)
    assert result.features[-1].label == "constant"
    assert "no counterfactual changes it" in result["constant"].reason
    assert result.privileged == "yes"
    assert result.n_pairs == len(pairs)
    assert result.n_rows == np.unique(pairs.query).size


def test_the_interval_resamples_people(pairs, table, by_rule) -> None:
    classifier = by_rule(_rule, ["no", "yes"])
    result = proxy_features(pairs, classifier, n_resamples=800, random_state=3)
    epsilon, names = _dense(pairs, table)
    before = classifier.predict_proba(pairs.encoder.decode(pairs.queries))[:, 1]
    delta = classifier.predict_proba(pairs.encoder.decode(pairs.rows))[:, 1] - before[pairs.query]
    rng = np.random.default_rng(0)
    people = np.unique(pairs.query)
    lines = {person: np.flatnonzero(pairs.query == person) for person in people}
    at = names.index("dependants")
    draws = []
    for _ in range(800):
        drawn = np.concatenate([lines[p] for p in rng.choice(people, size=len(people))])
        draws.append(np.corrcoef(epsilon[drawn, at], delta[drawn])[0, 1])
    low, high = np.quantile(draws, [0.025, 0.975])
    assert result["dependants"].low == pytest.approx(low, abs=0.05)
    assert result["dependants"].high == pytest.approx(high, abs=0.05)


def test_flipped_only_counts_those_whose_inferred_group_differs(pairs, by_rule) -> None:
    classifier = by_rule(_rule, ["no", "yes"])
    looks = classifier.predict_proba(pairs.encoder.decode(pairs.rows)).argmax(axis=1)
    own = classifier.predict_proba(pairs.encoder.decode(pairs.queries)).argmax(axis=1)[pairs.query]
    result = proxy_features(pairs, classifier, flipped_only=True, n_resamples=20)
    assert result.n_pairs == (looks != own).sum() < len(pairs)
    assert result.flipped_only


def test_the_other_privileged_class_turns_the_signs(pairs, by_rule) -> None:
    classifier = by_rule(_rule, ["no", "yes"])
    yes = proxy_features(pairs, classifier, n_resamples=20)
    no = proxy_features(pairs, classifier, privileged="no", n_resamples=20)
    assert no["dependants"].rho == pytest.approx(-yes["dependants"].rho)
    with pytest.raises(ConfigError, match="maybe"):
        proxy_features(pairs, classifier, privileged="maybe")


def test_eligible_people_may_be_named_by_mask_or_position(pairs, table, by_rule) -> None:
    classifier = by_rule(_rule, ["no", "yes"])
    mask = np.arange(20) % 2 == 0
    by_mask = proxy_features(pairs, classifier, eligible=mask, n_resamples=20)
    named = proxy_features(
        pairs, classifier, eligible=np.flatnonzero(mask), origins=table.iloc[:20], n_resamples=20
    )
    assert by_mask.to_dict() == named.to_dict()
    assert by_mask.n_rows < 20


def test_arguments_that_make_no_sense_are_refused(pairs, table, by_rule) -> None:
    classifier = by_rule(_rule, ["no", "yes"])
    for changes, says in (
        ({"counterfactuals": table}, "no set of counterfactuals; got DataFrame"),
        ({"origins": table.iloc[:3]}, "one row for each query; got 3 rows for 20 queries"),
        ({"eligible": ["a"]}, "eligible must be positions"),
        ({"eligible": [99]}, "no query 99"),
    ):
        arguments = {"counterfactuals": pairs, "classifier": classifier, "n_resamples": 20, **changes}
        with pytest.raises(DataError, match=says):
            proxy_features(**arguments)
    for changes in ({"confidence": 2}, {"n_resamples": "many"}, {"privileged": "maybe"}):
        with pytest.raises(ConfigError):
            proxy_features(pairs, classifier, **changes)
    with pytest.raises(ModelError, match="not fitted, or gives no probabilities; got int"):
        proxy_features(pairs, 3)
    with pytest.raises(UnknownNameError, match="no such feature"):
        proxy_features(pairs, classifier, n_resamples=20)["nothing"]


def test_a_column_beside_the_model_s_keeps_the_person_s_value(pairs, table, by_rule) -> None:
    origins = table.iloc[:20].assign(beside=np.arange(20) % 2)
    classifier = by_rule(lambda X: 0.1 + 0.2 * X["beside"] + 0.1 * X["dependants"], ["no", "yes"])
    with_it = proxy_features(pairs, classifier, origins=origins, n_resamples=20)
    assert with_it["dependants"].rho == pytest.approx(1)


def test_missing_values_are_changes_of_their_own(set_of, by_rule) -> None:
    table = pd.DataFrame({"x": [1.0, 2, np.nan, 4, 7], "c": ["a", None, "b", "a", None]})
    found = [table.iloc[[1, 2]], table.iloc[[3, 4]], table.iloc[[0, 1, 4]]]
    pairs = set_of(table, table.iloc[[0, 1, 2]], found, k=3)
    result = proxy_features(
        pairs, by_rule(lambda X: X["x"].isna() * 0.5 + 0.1, ["no", "yes"]), n_resamples=50
    )
    assert result["x = missing"].rho == pytest.approx(1)
    assert result["x"].n_rows == 2  # the third person has no value, so no difference
    assert result["c = missing"].n_changed == 3
    assert "the inferred probability" in result["x"].reason


def test_no_counterfactuals_and_one_person(table, schema, set_of, by_rule) -> None:
    classifier = by_rule(_rule, ["no", "yes"])
    nobody = proxy_features(
        set_of(table, table.iloc[:2], [table.iloc[:0]] * 2, k=3, schema=schema), classifier, n_resamples=9
    )
    assert nobody.n_pairs == nobody.n_rows == 0
    assert all(f.reason == "no counterfactuals" and np.isnan(f.rho) for f in nobody.features)
    alone = proxy_features(
        set_of(table, table.iloc[:1], [table.iloc[5:15]], schema=schema), classifier, n_resamples=9
    )
    assert np.isfinite(alone["dependants"].rho)
    assert np.isnan(alone["dependants"].low)
    assert np.isnan(alone["dependants"].p_value)
    assert "one person" in alone["dependants"].reason


def test_documents_hold_no_nan_and_frames_hold_a_line_a_feature(pairs, by_rule) -> None:
    import json

    result = proxy_features(pairs, by_rule(_rule, ["no", "yes"]), n_resamples=50)
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert '"rho": null' in text
    assert len(result.to_frame()) == len(result.features)
    assert "ProxyResult" in repr(result)
    assert "<table" in result._repr_html_()


def test_the_bars_are_drawn(pairs, by_rule) -> None:
    ax = proxy_features(pairs, by_rule(_rule, ["no", "yes"]), n_resamples=50).plot(most=4)
    assert len(ax.get_yticklabels()) == 4
    assert "inferred group" in ax.get_title(loc="left")


def test_same_seed_same_interval(pairs, by_rule) -> None:
    classifier = by_rule(_rule, ["no", "yes"])
    first, again = (proxy_features(pairs, classifier, n_resamples=100, random_state=5) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    other = proxy_features(pairs, classifier, n_resamples=100, random_state=6)
    assert other["dependants"].low != first["dependants"].low


def _pairs_of_people(rng: np.random.Generator, people: int) -> np.ndarray:
    return np.repeat(np.arange(people), rng.integers(5, 20, size=people))


def _p(person: np.ndarray, counterfactual: np.ndarray, e: np.ndarray, d: np.ndarray) -> float:
    pairs = Pairs(person=person, counterfactual=counterfactual, delta=d - d.mean())
    return association_p(moments("x", None, e, pairs))


def _null_p(rng: np.random.Generator, people: int, kind: str) -> float:
    person = _pairs_of_people(rng, people)
    m = len(person)
    number = np.arange(m)
    d = rng.normal(size=people)[person] + 0.5 * rng.normal(size=m)
    if kind == "alike":
        e = rng.normal(size=people)[person] + 0.5 * rng.normal(size=m)
    elif kind == "rare":
        e = ((rng.random(people) < 0.2)[person] * (rng.random(m) < 0.7)).astype(float)
    elif kind == "unequal":
        e = rng.normal(size=people)[person] * np.abs(d)
    else:  # shared: ε and δ come from the counterfactual, and few counterfactuals serve everybody
        number = rng.integers(0, 30, size=m)
        d = rng.normal(size=30)[number] + 0.3 * rng.normal(size=people)[person]
        e = rng.normal(size=30)[number] + 0.3 * rng.normal(size=people)[person]
    return _p(person, number, e, d)


@pytest.mark.parametrize("kind", ["alike", "rare", "unequal", "shared"])
@pytest.mark.parametrize("people", [10, 40])
def test_without_association_p_is_below_5_percent_in_about_5_percent(kind: str, people: int) -> None:
    rng = np.random.default_rng([people, len(kind)])
    p = np.array([_null_p(rng, people, kind) for _ in range(600)])
    # The test of ρ that takes pairs as units rejects in half of these.
    assert np.nanmean(p < 0.05) < 0.08
    assert np.nanmean(p < 0.01) < 0.03


def test_with_association_p_is_small() -> None:
    rng = np.random.default_rng(4)
    person = np.repeat(np.arange(60), 10)
    d = rng.normal(size=600)
    e = 0.4 * d + rng.normal(size=600)
    assert _p(person, np.arange(600), e, d) < 1e-4
    assert _p(person, np.arange(600), -e, d) < 1e-4


def test_the_sums_per_person_give_the_correlation_in_any_unit() -> None:
    rng = np.random.default_rng(4)
    d = rng.normal(size=200)
    e = 0.4 * d + rng.normal(size=200)
    pairs = Pairs(person=np.arange(200) // 5, counterfactual=np.arange(200), delta=d)
    for factor in (1.0, 1e9, 1e-9):
        kept = moments("x", None, e * factor + 7 * factor, pairs)
        n, a, b, aa, bb, ab = kept.sums.sum(axis=1)
        rho = (ab / n - a * b / n**2) / np.sqrt((aa / n - (a / n) ** 2) * (bb / n - (b / n) ** 2))
        assert rho == pytest.approx(np.corrcoef(e, d)[0, 1])


def test_counterfactuals_of_one_person_each_add_nothing() -> None:
    rng = np.random.default_rng(0)
    person = _pairs_of_people(rng, 20)
    e, d = rng.normal(size=(2, len(person)))
    alone = moments("x", None, e, Pairs(person, np.arange(len(person)), d))
    assert alone.shared_score == alone.shared_rho == 0
    # Sharing that goes with what is correlated adds.
    again = np.tile(np.arange(5), len(person))[: len(person)]
    both = moments("x", None, rng.normal(size=5)[again], Pairs(person, again, rng.normal(size=5)[again]))
    assert both.shared_score > 0
    assert both.n_counterfactuals == 5


def test_hostile_names_are_made_visible(set_of, by_rule) -> None:
    name = "x\x1b[31m\u202e"
    table = pd.DataFrame({name: [1.0, 2, 3], "y": ["<b>", "=1+1", "<b>"]})
    pairs = set_of(table, table.iloc[:1], [table.iloc[1:]])
    result = proxy_features(pairs, by_rule(lambda X: X[name] / 10, ["no", "yes"]), n_resamples=9)
    assert all("\x1b" not in f.label and "\u202e" not in f.label for f in result.features)
    assert "<b>" not in result._repr_html_()
