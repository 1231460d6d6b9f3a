from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from fairwitness.counterfactuals import NeighborGenerator
from fairwitness.errors import ConfigError, DataError, GroupError, ModelError, UnknownNameError
from fairwitness.flips import cflips, fair_opportunity, ndccf, opportunity_from
from fairwitness.flips.estimates import curve_ks
from fairwitness.model import CrossFitted, SensitiveFeatureClassifier
from fairwitness.table import sensitive_groups

QUICK = {"n_resamples": 200, "n_permutations": 200, "n_jobs": 1}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(12)
    n = 240
    woman = rng.random(n) < 0.5
    return pd.DataFrame(
        {
            "sex": np.where(woman, "woman", "man"),
            "height": np.round(178 - 13 * woman + rng.normal(0, 6, n), 1),
            "merit": rng.integers(0, 30, n),
            "town": rng.choice(["A", "B", "C"], n),
        }
    )


@pytest.fixture(scope="module")
def looks_male(by_rule):
    return by_rule(lambda X: 1 / (1 + np.exp(-(X["height"] - 171.5))), ["woman", "man"], ["height"])


def model(X: pd.DataFrame) -> np.ndarray:
    return 1 / (1 + np.exp(-(0.15 * (X["height"] - 172) + 0.12 * (X["merit"] - 15))))


@pytest.fixture(scope="module")
def result(people, looks_male):
    return fair_opportunity(
        model, people, "sex", classifier=looks_male, privileged="man", k=12, random_state=1, **QUICK
    )


def _by_hand(people: pd.DataFrame, classifier, k: int):
    """X⁻, its flips and the funnel, one person at a time."""
    inputs = people.drop(columns="sex")
    accepted = model(inputs) >= 0.5
    looks = np.where(classifier.predict_proba(people)[:, 1] > 0.5, "man", "woman")
    rows = np.flatnonzero(~accepted & (looks == people["sex"]))
    found = NeighborGenerator(n_jobs=1).fit(inputs, model).generate(inputs.iloc[rows], k)
    flips = np.full((len(rows), k), np.nan)
    for query, rank, source in zip(found.query, found.rank, found.source, strict=True):
        flips[query, rank - 1] = looks[source] != people["sex"].iloc[rows[query]]
    return rows, flips, found


def test_every_group_value_is_the_mean_over_its_eligible_people(people, looks_male, result) -> None:
    rows, flips, _ = _by_hand(people, looks_male, 12)
    assert sorted(result.rows) == rows.tolist()
    back = np.argsort(result.rows)
    np.testing.assert_array_equal(result.flips[back], flips)
    sex = people["sex"].to_numpy()[rows]
    for label in ("man", "woman"):
        for k in (1, 5, 12):
            value = result[label].at("cflips", k)
            assert value.estimate == pytest.approx(np.nanmean(cflips(flips[sex == label], k)))
            assert value.n == (sex == label).sum()
            assert value.low <= value.estimate <= value.high
            kept = result[label].at("ndccf", k)
            assert kept.estimate == pytest.approx(np.nanmean(ndccf(flips[sex == label], k)))


def test_the_difference_is_signed_group_minus_privileged(result) -> None:
    difference = result.difference()
    assert (difference.group, difference.privileged) == ("woman", "man")
    for measure in ("cflips", "ndccf", "ndccf_sorted"):
        value = difference.at(measure)
        parts = result["woman"].at(measure).estimate - result["man"].at(measure).estimate
        assert value.estimate == pytest.approx(parts)
        assert value.low <= value.estimate <= value.high
        assert 0 < value.p_value <= 1
        assert value.n == result["woman"].at().n + result["man"].at().n
    assert difference.at("cflips").estimate > 0 > difference.at("ndccf").estimate
    assert difference.at("cflips").p_value < 0.02


def test_the_funnel_counts_who_was_left_out(people, looks_male, result) -> None:
    inputs = people.drop(columns="sex")
    accepted = model(inputs) >= 0.5
    looks = np.where(looks_male.predict_proba(people)[:, 1] > 0.5, "man", "woman")
    for label in ("man", "woman"):
        mine = (people["sex"] == label).to_numpy()
        funnel = result[label].funnel
        assert funnel.all == mine.sum()
        assert funnel.rejected == (mine & ~accepted).sum()
        assert funnel.recognised == (mine & ~accepted & (looks == label)).sum() == funnel.searched
        assert funnel.with_counterfactuals == funnel.searched - funnel.none
        expected = result[label].expected_flip_rate
        assert expected.numerator == (mine & accepted & (looks != label)).sum()
        assert expected.denominator == (mine & accepted).sum()


def test_the_sorted_variant_ranks_by_distance_to_the_boundary(people, looks_male, result) -> None:
    rows, _, found = _by_hand(people, looks_male, 12)
    again = found.rerank(np.abs(found.score - found.query_score[found.query]))
    looks = np.where(looks_male.predict_proba(people)[:, 1] > 0.5, "man", "woman")
    own = people["sex"].to_numpy()[rows]
    flips = again.spread((looks[again.source] != own[again.query]).astype(float))
    back = np.argsort(result.rows)
    np.testing.assert_allclose(ndccf(result.sorted_flips[back], 5), ndccf(flips, 5))
    assert not np.array_equal(result.sorted_flips, result.flips, equal_nan=True)


def test_a_model_without_scores_has_no_sorted_variant(people, looks_male) -> None:
    fitted = fair_opportunity(
        lambda X: (model(X) >= 0.5).astype(int).astype(str),
        people, "sex", classifier=looks_male, privileged="man", favorable="1", k=5, **QUICK,
    )  # fmt: skip
    assert fitted.sorted_flips is None
    assert fitted["woman"].at("ndccf_sorted") is None
    assert fitted.to_dict()["groups"][0]["curves"]["ndccf_sorted"] is None


def test_rows_in_another_order_give_the_same_numbers(people, looks_male, result) -> None:
    order = np.random.default_rng(0).permutation(len(people))
    shuffled = people.iloc[order].set_index(pd.Index(np.arange(len(people)) * 7))
    again = fair_opportunity(
        model, shuffled, "sex", classifier=looks_male, privileged="man", k=12, random_state=1, **QUICK
    )
    assert again.to_dict() == result.to_dict()
    np.testing.assert_array_equal(order[again.rows], result.rows)


def test_row_numbers_are_those_of_the_table_that_was_passed(people, looks_male) -> None:
    shuffled = people.sample(frac=1, random_state=3).reset_index(drop=True)
    found = fair_opportunity(model, shuffled, "sex", classifier=looks_male, privileged="man", k=12, **QUICK)
    counterfactuals = found.counterfactuals
    inputs = shuffled.drop(columns="sex")
    for rows, encoded in (
        (found.rows, counterfactuals.queries),
        (counterfactuals.source, counterfactuals.rows),
    ):
        pd.testing.assert_frame_equal(
            counterfactuals.encoder.decode(encoded), inputs.iloc[rows].reset_index(drop=True)
        )


def test_names_that_a_result_does_not_have(result) -> None:
    for ask in (
        lambda: result["women"],
        lambda: result.difference("women"),
        lambda: result["man"].at("flips"),
        lambda: result["man"].at("cflips", 99),
        lambda: result["man"].at("cflips", "12"),
    ):
        with pytest.raises(UnknownNameError, match=r"no such .* in this result; got .* To fix: use one of"):
            ask()
    with pytest.raises(KeyError):
        result["women"]
    assert result["man"].at("cflips", np.int64(12)).estimate == result["man"].at().estimate


def test_the_seed_decides_the_intervals_and_nothing_else(people, looks_male, result) -> None:
    other = fair_opportunity(
        model, people, "sex", classifier=looks_male, privileged="man", k=12, random_state=2, **QUICK
    )
    assert other["woman"].at().estimate == result["woman"].at().estimate
    assert other["woman"].at().low != result["woman"].at().low


def test_sensitive_features_may_come_in_many_shapes(people, looks_male, result) -> None:
    inputs = people.drop(columns="sex")
    settings = {"classifier": looks_male, "privileged": "man", "k": 12, "random_state": 1, **QUICK}
    groups = sensitive_groups({"sex": people["sex"]}, privileged="woman")[0]
    for X, given in (
        (people, ["sex"]),
        (inputs, people["sex"]),
        (inputs, {"sex": people["sex"].tolist()}),
        (inputs, people[["sex"]]),
        (people, groups),
    ):
        assert fair_opportunity(model, X, given, **settings).to_dict() == result.to_dict()


def test_a_polars_table_gives_the_same_numbers(people, result, by_rule) -> None:
    polars = pytest.importorskip("polars")

    def as_pandas(rule):
        return lambda X: rule(X.to_pandas())

    classifier = by_rule(
        as_pandas(lambda X: 1 / (1 + np.exp(-(X["height"] - 171.5)))), ["woman", "man"], ["height"]
    )
    same = fair_opportunity(
        as_pandas(model), polars.from_pandas(people), "sex", classifier=classifier, privileged="man", k=12,
        random_state=1, **QUICK,
    )  # fmt: skip
    assert same.to_dict() == result.to_dict()
    assert isinstance(same.counterfactuals.to_frame(), polars.DataFrame)


def test_a_cut_makes_two_groups(people, by_rule) -> None:
    tall = by_rule(lambda X: (X["merit"] > 14) * 0.8 + 0.1, ["merit ≤ 14", "merit > 14"])
    cut = fair_opportunity(
        lambda X: X["height"] > 170, people, "merit > 14", classifier=tall, k=3, evidence=["merit"],
        favorable=True, **QUICK,
    )  # fmt: skip
    assert set(cut.labels) == {"merit > 14", "merit ≤ 14"}
    assert cut.counterfactuals.encoder.names == ("sex", "height", "town")


def test_more_than_two_groups_each_against_the_privileged(people) -> None:
    class Towns:
        classes_ = np.array(["A", "B", "C"])

        def predict_proba(self, X):
            return np.stack([X["merit"] % 3 == at for at in range(3)], axis=1) * 0.9 + 0.1 / 3

    three = fair_opportunity(
        model, people, "town", classifier=Towns(), privileged="B", k=6, evidence=["merit"], **QUICK
    )
    assert [d.group for d in three.differences] == ["A", "C"]
    assert all(d.privileged == "B" for d in three.differences)
    looks = people["merit"].to_numpy() % 3
    towns = people["town"].map({"A": 0, "B": 1, "C": 2}).to_numpy()
    assert (looks[three.rows] == towns[three.rows]).all()
    # A flip is any other group, not just the privileged one.
    assert ((three.looks != three.codes[three.counterfactuals.query]) == (
        three.flips[three.counterfactuals.query, three.counterfactuals.rank - 1] == 1
    )).all()  # fmt: skip


def test_a_group_without_eligible_rows_has_no_value_and_says_why(people, by_rule) -> None:
    everybody_a_man = by_rule(lambda X: np.full(len(X), 0.9), ["woman", "man"])
    empty = fair_opportunity(model, people, "sex", classifier=everybody_a_man, privileged="man", k=4, **QUICK)
    woman = empty["woman"]
    assert np.isnan(woman.at().estimate)
    assert woman.at().n == 0
    assert "no eligible rows" in woman.reason
    assert "recognises none" in woman.at("ndccf").reason
    assert np.isnan(empty.difference().at().estimate)
    assert np.isnan(empty.difference().at().p_value)
    assert "woman" in empty.difference().at().reason
    document = json.loads(json.dumps(empty.to_dict(), allow_nan=False))
    assert document["differences"][0]["cflips"]["estimate"] is None
    assert "no eligible rows" in document["differences"][0]["cflips"]["reason"]


def test_a_model_that_rejects_nobody(people, looks_male) -> None:
    nobody = fair_opportunity(
        lambda X: np.full(len(X), 0.9), people, "sex", classifier=looks_male, privileged="man", k=4, **QUICK
    )
    assert nobody.n_searched == 0
    assert all("nobody of the group is rejected" in group.reason for group in nobody.groups)


def test_a_model_that_accepts_nobody_finds_no_counterfactual(people, looks_male) -> None:
    strict = fair_opportunity(
        lambda X: np.full(len(X), 0.1), people, "sex", classifier=looks_male, privileged="man", k=4, **QUICK
    )
    assert strict["woman"].funnel.none == strict["woman"].funnel.searched > 0
    assert "no counterfactual" in strict["woman"].reason
    assert "nobody of the group is accepted" in strict["woman"].expected_flip_rate.reason


def test_published_convention_and_shortfall_reach_the_values(people, looks_male) -> None:
    settings = {"classifier": looks_male, "privileged": "man", "k": 12, **QUICK}
    published = fair_opportunity(model, people, "sex", convention="published", **settings)
    rows, flips, _ = _by_hand(people, looks_male, 12)
    woman = people["sex"].to_numpy()[rows] == "woman"
    expected = np.nanmean(ndccf(flips[woman], 12, convention="published"))
    assert published["woman"].at("ndccf").estimate == pytest.approx(expected)
    assert published.convention == "published"


def test_a_cap_searches_some_and_says_so(people, looks_male) -> None:
    settings = {"classifier": looks_male, "privileged": "man", "k": 4, **QUICK}
    capped = fair_opportunity(model, people, "sex", max_people=9, **settings)
    for group in capped.groups:
        assert group.funnel.searched == 9 < group.funnel.recognised
        assert group.small
    again = fair_opportunity(model, people, "sex", max_people=9, **settings)
    assert again.to_dict() == capped.to_dict()
    with pytest.raises(ConfigError):
        fair_opportunity(model, people, "sex", max_people=0, **settings)


def test_a_cross_fitted_decision_maker_judges_with_the_fold_s_own_model(people, looks_male) -> None:
    inputs = people.drop(columns="sex")
    inputs["town"] = inputs["town"].map({"A": 0, "B": 1, "C": 2})
    y = (inputs["merit"] + 0.5 * (inputs["height"] - 172) > 15).astype(int)
    fitted = CrossFitted(DecisionTreeClassifier(max_depth=3), cv=3, random_state=0, n_jobs=1).fit(inputs, y)
    result = fair_opportunity(
        fitted, inputs, people["sex"], classifier=looks_male, privileged="man", k=5, **QUICK
    )
    fold = fitted.fold_of(inputs)
    members = fitted.members()
    held_out = np.zeros(len(inputs), dtype=bool)
    for at, member in enumerate(members):
        held_out[fold == at] = member.judge(inputs[fold == at]).accepted
    assert not held_out[result.rows].any()
    found = result.counterfactuals
    rows = found.encoder.decode(found.rows)
    for at, member in enumerate(members):
        mine = fold[result.rows[found.query]] == at
        assert mine.any()
        assert member.judge(rows[mine]).accepted.all()


def test_a_column_of_predictions_is_enough_for_neighbours(people, looks_male, result) -> None:
    decisions = (model(people) >= 0.5).astype(int)
    told = fair_opportunity(
        decisions, people, "sex", classifier=looks_male, privileged="man", k=12, random_state=1, **QUICK
    )
    assert told["woman"].at().estimate == pytest.approx(result["woman"].at().estimate)


def test_estimators_are_cross_fitted_and_their_quality_is_kept(people) -> None:
    tree = DecisionTreeClassifier(max_depth=2)
    inputs = people[["sex", "height", "merit"]]
    quick = {"privileged": "man", "k": 4, **QUICK}
    wrapped = fair_opportunity(lambda X: X["merit"] / 30, inputs, "sex", classifier=tree, **quick)
    given = fair_opportunity(
        lambda X: X["merit"] / 30,
        inputs,
        "sex",
        classifier=SensitiveFeatureClassifier(tree, n_jobs=1),
        **quick,
    )
    assert wrapped.to_dict() == given.to_dict()
    assert wrapped.quality["better_than_chance"] is True
    assert not hasattr(tree, "classes_")


def test_missing_groups_by_policy(people, looks_male) -> None:
    gaps = people.copy()
    gaps.loc[:9, "sex"] = None
    settings = {"classifier": looks_male, "privileged": "man", "k": 4, **QUICK}
    dropped = fair_opportunity(model, gaps, "sex", missing="drop", **settings)
    assert sum(group.funnel.all for group in dropped.groups) == len(people) - 10
    assert not set(range(10)) & set(dropped.rows.tolist())
    named = fair_opportunity(model, gaps, "sex", missing="group", **settings)
    assert len(named.labels) == 3
    with pytest.raises(GroupError):
        fair_opportunity(model, gaps, "sex", missing="error", **settings)


def test_opportunity_from_leaves_out_who_is_not_eligible(people, looks_male, result) -> None:
    inputs = people.drop(columns="sex")
    accepted = model(inputs) >= 0.5
    rows = np.flatnonzero(~accepted)
    found = NeighborGenerator(n_jobs=1).fit(inputs, model).generate(inputs.iloc[rows], 12)
    groups = sensitive_groups({"sex": people["sex"]}, privileged="man")[0]
    direct = opportunity_from(
        found, groups, looks_male, rows=rows, accepted=accepted, evidence=inputs, k=5,
        n_resamples=50, n_permutations=50,
    )  # fmt: skip
    assert sorted(direct.rows) == sorted(result.rows)
    assert direct["woman"].at().estimate == pytest.approx(result["woman"].at("cflips", 5).estimate)
    assert direct.k == 5
    with pytest.raises(DataError):
        opportunity_from(found, groups, looks_male, rows=rows[1:], accepted=accepted, evidence=inputs)
    with pytest.raises(DataError):
        opportunity_from(
            found, groups, looks_male, rows=np.zeros(len(rows)), accepted=accepted, evidence=inputs
        )
    with pytest.raises(ConfigError):
        opportunity_from(found, groups, looks_male, rows=rows, accepted=accepted, evidence=inputs, k=13)


def test_opportunity_from_reads_decisions_as_numbers_or_lists_too(people, looks_male) -> None:
    inputs = people.drop(columns="sex")
    accepted = model(inputs) >= 0.5
    rows = np.flatnonzero(~accepted)
    given = {
        "counterfactuals": NeighborGenerator(n_jobs=1).fit(inputs, model).generate(inputs.iloc[rows], 4),
        "groups": sensitive_groups({"sex": people["sex"]}, privileged="man")[0],
        "classifier": looks_male,
        "rows": rows,
        "accepted": accepted,
        "evidence": inputs,
        "n_resamples": 20,
        "n_permutations": 20,
    }
    expected = opportunity_from(**given).to_dict()
    for same in (accepted.astype(int), accepted.tolist(), accepted.astype(float), pd.Series(accepted)):
        assert opportunity_from(**{**given, "accepted": same}).to_dict() == expected
    for name, wrong, says in (
        ("accepted", np.where(accepted, "yes", "no"), "accepted must hold booleans"),
        ("evidence", inputs[:5], "differ in number"),
        ("known", np.zeros((3, 2)), "differ in number"),
        ("counterfactuals", inputs, "no set of counterfactuals; got DataFrame"),
        ("groups", people["sex"], "groups of one sensitive feature; got Series"),
        ("rows", ["a"] * len(rows), "rows must be positions"),
    ):
        with pytest.raises(DataError, match=says):
            opportunity_from(**{**given, name: wrong})


def test_what_makes_no_sense_is_refused(people, looks_male, by_rule) -> None:
    with pytest.raises(ConfigError, match="one sensitive feature"):
        fair_opportunity(model, people, ["sex", "town"], classifier=looks_male, k=2, **QUICK)
    with pytest.raises(DataError):
        fair_opportunity(model, people, "gender", classifier=looks_male, k=2, **QUICK)
    with pytest.raises(DataError, match="different lengths"):
        fair_opportunity(model, people, people["sex"][:5], classifier=looks_male, k=2, **QUICK)
    with pytest.raises(ConfigError, match="column name"):
        fair_opportunity(model, people, 5, classifier=looks_male, k=2, **QUICK)
    with pytest.raises(DataError, match="no rows"):
        fair_opportunity(model, people[:0], "sex", classifier=looks_male, k=2, **QUICK)
    with pytest.raises(GroupError, match="knows none"):
        fair_opportunity(
            model, people, "sex", classifier=by_rule(lambda X: X["merit"] / 30, ["f", "m"]), k=2, **QUICK
        )
    with pytest.raises(ConfigError, match="neither"):
        fair_opportunity(model, people, "sex", classifier="forest", k=2, **QUICK)
    with pytest.raises(ModelError, match="one probability"):
        fair_opportunity(
            model, people, "sex", classifier=by_rule(lambda X: X["merit"] * np.nan, ["woman", "man"]),
            k=2, **QUICK,
        )  # fmt: skip
    with pytest.raises(ConfigError, match="confidence"):
        fair_opportunity(model, people, "sex", classifier=looks_male, k=2, confidence=95, **QUICK)
    for generator in (3, "genetic", NeighborGenerator):
        with pytest.raises(ConfigError, match="no counterfactual generator"):
            fair_opportunity(model, people, "sex", classifier=looks_male, k=2, generator=generator, **QUICK)
    fitted = DecisionTreeClassifier().fit(people[["height"]], people["sex"])
    with pytest.raises(ModelError, match="classifier could not judge the rows: ValueError"):
        fair_opportunity(model, people, "sex", classifier=fitted, k=2, **QUICK)
    alone = fair_opportunity(model, people, "sex", classifier=fitted, evidence="height", k=2, **QUICK)
    assert alone.n_searched > 0
    for name in ("n_resamples", "n_permutations"):
        for wrong in (0, "many", 1.5):
            with pytest.raises(ConfigError, match=f"{name} must be a whole number"):
                fair_opportunity(model, people, "sex", classifier=looks_male, k=2, **{**QUICK, name: wrong})


def test_frames_lines_and_words(result) -> None:
    frame = result.to_frame()
    assert set(frame["measure"]) == {"cflips", "ndccf", "ndccf_sorted"}
    assert len(frame) == 2 * 3 * len(result.ks)
    woman = frame[(frame["group"] == "woman") & (frame["measure"] == "cflips") & (frame["k"] == 12)].iloc[0]
    assert woman["difference"] == result.difference().at().estimate
    assert woman["absolute_difference"] == abs(woman["difference"])
    assert np.isnan(frame[frame["group"] == "man"]["difference"]).all()
    assert "woman" in repr(result)
    assert "<table" in result._repr_html_()
    with pytest.raises(KeyError):
        result["child"]
    with pytest.raises(KeyError):
        result["woman"].at("cflips", 13)


def test_the_document_has_the_shape_the_report_reads(result) -> None:
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(document) == {"name", "privileged", "classifier", "groups", "differences"}
    group = document["groups"][0]
    assert set(group["funnel"]) >= {"all", "rejected", "recognised", "with_counterfactuals", "short", "none"}
    assert group["curves"]["k"][-1] == 12
    assert len(group["curves"]["cflips"]["low"]) == len(group["curves"]["k"])
    assert set(group["at_k"]) == {"cflips", "ndccf", "ndccf_sorted"}
    assert document["differences"][0]["cflips"]["p_value"] is not None


@pytest.mark.parametrize("k", [1, 7, 10, 11, 50, 99, 100, 250, 5000])
def test_the_grid_of_ranks_ascends_to_k(k: int) -> None:
    grid = curve_ks(k)
    assert grid[0] == 1
    assert grid[-1] == k
    assert (np.diff(grid) > 0).all()
    assert {rank for rank in (10, 50, 100) if rank <= k} <= set(grid.tolist())
    assert len(grid) < 60


def test_a_group_of_one_value_has_an_interval_all_the_same(people, by_rule) -> None:
    proxy = fair_opportunity(
        lambda X: (X["height"] > 176) * 1.0, people, "sex", k=5, privileged="man",
        classifier=by_rule(lambda X: (X["height"] > 171.5) * 0.8 + 0.1, ["woman", "man"]), **QUICK,
    )  # fmt: skip
    woman = proxy["woman"].at()
    assert woman.estimate == woman.high == 1
    assert 0.8 < woman.low < 1  # Wilson's, not the bootstrap's [1, 1]
    difference = proxy.difference().at()
    assert difference.estimate == 1
    assert 0.7 < difference.low < 1


def test_curves_people_and_columns_are_drawn(result) -> None:
    ax = result.plot()
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [name.split(" (n = ")[0] for name in named] == ["man", "woman", "were people accepted at random"]
    own = ax.figure.add_subplot()
    assert result.plot(own) is own
    with pytest.raises(ConfigError, match="no matplotlib Axes; got 3"):
        result.plot(3)
    assert "CFlips" in ax.get_title(loc="left")
    assert result.plot(measure="ndccf_sorted").get_ylim() == (0.0, 1.0)
    with pytest.raises(ConfigError):
        result.plot(measure="flips")
    drawn = result.plot_person(0)
    assert "% of the spread)" in drawn.get_xlabel()
    points = sum(len(line.get_xdata()) for line in drawn.get_lines())
    assert points == result.counterfactuals.n_found[0] + 1
    named = result.plot_person(1, columns=("height", "merit"))
    assert named.get_xlabel() == "height"
    with pytest.raises(ConfigError, match="town"):
        result.plot_person(0, columns=("height", "town"))
    for person in (10_000, -1, 1.5, "x", True):
        with pytest.raises(ConfigError, match="person must be a whole number from 0 to"):
            result.plot_person(person)
    for columns in ("height", ("height",)):
        with pytest.raises(ConfigError, match="along two columns"):
            result.plot_person(0, columns=columns)
