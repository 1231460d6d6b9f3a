from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairwitness.counterfactuals import CounterfactualGenerator, NeighborGenerator
from fairwitness.errors import ConfigError
from fairwitness.flips.checks import run
from fairwitness.intake import prepare_case
from fairwitness.model import CrossFitted
from fairwitness.report.document import clean, validate

FAST = {
    "classifier": make_pipeline(
        make_column_transformer((StandardScaler(), make_column_selector(dtype_include="number"))),
        LogisticRegression(),
    )
}


def table(n: int = 400, seed: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    woman, city = rng.random(n) < 0.5, rng.random(n) < 0.6
    return pd.DataFrame(
        {
            "sex": np.where(woman, "woman", "man"),
            "town": np.where(city, "A", "B"),
            "minutes": np.round(rng.normal(20, 6, n) + 25 * ~city),
            "height": np.round(178 - 13 * woman + rng.normal(0, 6, n), 1),
            "merit": rng.integers(0, 30, n),
        }
    )


def by_height(X: pd.DataFrame) -> np.ndarray:
    return 1 / (1 + np.exp(-0.15 * (X["height"] - 174) - 0.1 * (X["merit"] - 15)))


def case_of(people: pd.DataFrame, model=by_height, sensitive=("sex",), *, settings=None, **options):
    options = {"k": 12, "random_state": 0, "n_jobs": 1, "people": "applicants", **options}
    return prepare_case(
        model, people, sensitive_features=list(sensitive), settings={**FAST, **(settings or {})}, **options
    )


@pytest.fixture(scope="module")
def case():
    return case_of(table(), privileged={"sex": "man"})


@pytest.fixture(scope="module")
def section(case):
    return run(case)


def report_of(section) -> dict:
    """The section inside a document that is otherwise as small as the schema allows."""
    model = {
        "kind": "function", "name": "f", "digest": None, "feature_names": None, "classes": None,
        "threshold": 0.5, "has_score": True, "n_models": 1, "notes": [],
    }  # fmt: skip
    return clean(
        {
            "schema_version": "1",
            "fairwitness_version": "0",
            "run": {"created": "", "seconds": {}, "command": "", "platform": "", "versions": {}},
            "audited": {
                "model": model,
                "table": {"source": "t", "rows": 400, "columns": 4, "digest": None},
                "outcome": None, "favorable": "1", "people": "applicants", "n_accepted": 1, "n_rejected": 1,
                "sensitive_features": [], "seed": 0, "k": 12, "confidence": 0.95,
            },
            "summary": list(section.paragraphs),
            "overview": [row.to_dict() for row in section.overview],
            "findings": [finding.to_dict() for finding in section.findings],
            "not_applicable": [each.to_dict() for each in section.not_applicable],
            "sections": {"opportunity": section.document},
            "limits": {"data": [], "warnings": []},
            "reproducibility": {"settings": {}, "digests": {}, "cite": ""},
        }
    )  # fmt: skip


def by_code(section, code: str) -> list:
    return [finding for finding in section.findings if finding.code == code]


def test_the_document_follows_the_shipped_schema(section) -> None:
    validate(report_of(section))
    json.dumps(section.document, allow_nan=False)
    feature = section.document["features"][0]
    assert feature["name"] == "sex"
    assert feature["classifier"]["better_than_chance"] is True
    assert section.document["generator"]["name"] == "neighbors"
    assert set(section.document["generator"]["distance"]) == {"height", "merit", "minutes", "town"}


def test_a_model_that_decides_by_height_has_findings(section) -> None:
    flips, gains = by_code(section, "FLIP001")[0], by_code(section, "FLIP002")[0]
    assert flips.severity in {"medium", "high"}
    assert flips.established
    assert flips.estimate > 0.2
    assert "beyond random acceptance" in flips.measure
    assert gains.estimate < -0.2
    proxies = by_code(section, "FLIP005")
    assert proxies[0].evidence["column"] == "height"
    assert "look more like man" in proxies[0].title
    text = " ".join(finding.title for finding in section.findings)
    assert not any(word in text.lower() for word in ("biased", "fair ", "unfair", "discriminat", "compliant"))


def test_the_sentences_say_number_interval_and_what_it_rests_on(section, case) -> None:
    said = " ".join(section.paragraphs)
    rejected = int((~case.judgement.accepted).sum())
    assert f"Of {rejected} applicants the model rejects" in said
    assert "no longer be recognised as woman" in said
    assert "for man applicants the figure is" in said
    assert "Were people accepted at random" in said
    assert "larger than that" in said
    assert "The model never sees sex; the columns whose change goes most" in said
    assert "balanced accuracy" in said


def test_the_overview_shows_each_measure_for_each_group(section) -> None:
    assert [row.measure for row in section.overview] == ["CFlips@12", "nDCCF@12"]
    assert [point[0] for point in section.overview[0].points] == ["man", "woman"]
    assert [row.unit for row in section.overview] == ["share", "index"]


def test_random_acceptance_is_in_the_document_and_the_overview(section) -> None:
    result, feature = section.results[0], section.document["features"][0]
    woman = next(group for group in feature["groups"] if group["label"] == "woman")
    given = {name: result["woman"].at(name, random=True).estimate for name in ("cflips", "ndccf")}
    assert {name: e["estimate"] for name, e in woman["at_random"].items()} == given
    assert {name: curve[-1] for name, curve in woman["curves"]["at_random"].items()} == given
    assert len(woman["curves"]["at_random"]["cflips"]) == len(woman["curves"]["k"])
    beyond = feature["differences"][0]["beyond_random"]["cflips"]
    assert beyond["estimate"] == by_code(section, "FLIP001")[0].estimate
    assert beyond["p_value"] is not None
    flips, gains = (row.to_dict()["points"][1] for row in section.overview)
    assert (flips["at_random"], gains["at_random"]) == (given["cflips"], given["ndccf"])


def test_without_random_acceptance_the_document_says_null(case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairwitness.flips.chance.search_at_random", lambda *_, **__: None)
    section = run(case)
    feature = section.document["features"][0]
    assert all(group["at_random"] is group["curves"]["at_random"] is None for group in feature["groups"])
    assert feature["differences"][0]["beyond_random"] is None
    assert all("at_random" not in point for row in section.overview for point in row.to_dict()["points"])
    validate(report_of(section))


def test_the_tables_hold_curves_proxies_and_people(section, case) -> None:
    assert {"feature", "group", "measure", "k", "estimate"} <= set(section.tables["opportunity"][0])
    assert section.tables["proxies"][0]["label"] == "height"
    people = section.tables["people"]
    opportunity = section.results[0]
    assert len(people) == opportunity.n_searched
    first = people[0]
    inputs = table().drop(columns="sex")
    assert by_height(inputs)[first["row"]] == pytest.approx(first["score"])
    assert table()["sex"].iloc[first["row"]] == first["group"]


def test_up_to_three_people_are_shown_as_text_with_what_changes(section, case) -> None:
    people = section.document["features"][0]["people"]
    assert [person["group"] for person in people] == ["woman", "woman", "man"]
    for person in people:
        assert set(person["row"]) == {"height", "merit", "minutes", "town"}
        assert sum(person["inferred"].values()) == pytest.approx(1)
        assert 1 <= len(person["counterfactuals"]) <= 5
        for counterfactual in person["counterfactuals"]:
            differs = {name for name, text in counterfactual["values"].items() if person["row"][name] != text}
            assert set(counterfactual["changed"]) == differs
            assert counterfactual["flipped"] == (counterfactual["inferred_group"] != person["group"])
            assert counterfactual["score"] >= 0.5 > person["score"]


def test_the_row_order_changes_nothing(section) -> None:
    shuffled = table().sample(frac=1, random_state=3)
    again = run(case_of(shuffled, privileged={"sex": "man"}))
    assert again.document == section.document
    assert [f.to_dict() for f in again.findings] == [f.to_dict() for f in section.findings]
    assert again.paragraphs == section.paragraphs


def test_intersections_need_enough_people_in_two_cells() -> None:
    people = table(300)
    small = run(case_of(people, sensitive=("sex", "town"), minimum_n=300))
    refused = [each for each in small.not_applicable if each.subject == "sex × town"]
    assert "are needed in both" in refused[0].reason
    assert [feature["name"] for feature in small.document["features"]] == ["sex", "town"]
    large = run(case_of(people, sensitive=("sex", "town"), minimum_n=5))
    crossed = large.document["features"][-1]
    assert crossed["name"] == "sex × town"
    assert len(crossed["groups"]) == 4
    assert crossed["people"] == []
    validate(report_of(large))


def test_a_column_of_predictions_is_audited_with_neighbours_and_says_so() -> None:
    people = table()
    told = run(case_of(people, model=(by_height(people) >= 0.5).astype(int), privileged={"sex": "man"}))
    asked = run(case_of(people, privileged={"sex": "man"}))
    assert "not asked" in told.document["settings"]["model"]
    mine, theirs = (s.document["features"][0]["groups"][1]["at_k"] for s in (told, asked))
    assert mine["cflips"]["estimate"] == theirs["cflips"]["estimate"]
    assert mine["ndccf_sorted"] is None
    validate(report_of(told))


class MakesNewRows(CounterfactualGenerator):
    name = "new rows"

    def _settings(self):
        return {}

    def _search(self, queries, k, budget):
        raise AssertionError("must not be asked")


def test_new_rows_need_a_model_that_can_be_asked() -> None:
    people = table()
    told = run(
        case_of(
            people,
            model=(by_height(people) >= 0.5).astype(int),
            settings={"generator": MakesNewRows()},
        )
    )
    assert "cannot be asked" in told.not_applicable[0].reason
    assert told.document["features"] == []
    validate(report_of(told))


@pytest.mark.parametrize(("value", "word"), [(0.9, "rejects nobody"), (0.1, "accepts nobody")])
def test_nothing_to_compare_is_an_answer(value: float, word: str) -> None:
    section = run(case_of(table(60), model=lambda X: np.full(len(X), value)))
    assert word in section.not_applicable[0].reason
    assert not section.findings
    validate(report_of(section))


def test_a_classifier_at_chance_is_a_finding_and_nothing_is_graded() -> None:
    people = table()
    people["height"] = np.random.default_rng(0).normal(170, 8, len(people)).round(1)
    section = run(case_of(people, privileged={"sex": "man"}))
    chance = by_code(section, "FLIP003")
    assert len(chance) == 1
    assert chance[0].reference == 0.5
    assert not chance[0].established
    assert all(f.severity == "note" and not f.established for f in by_code(section, "FLIP001"))
    assert any("not shown to be better than chance" in sentence for sentence in section.paragraphs)


def test_few_eligible_people_and_missing_counterfactuals_are_findings() -> None:
    section = run(case_of(table(120), k=100, minimum_n=50))
    assert all(finding.estimate < 50 for finding in by_code(section, "FLIP004"))
    assert by_code(section, "FLIP004")
    short = by_code(section, "FLIP006")[0]
    assert 0 < short.estimate <= 1
    assert "fewer than 100" in short.title


def test_a_blind_model_s_difference_is_not_established() -> None:
    section = run(case_of(table(), model=lambda X: X["merit"] / 30, privileged={"sex": "man"}))
    found = by_code(section, "FLIP001")[0]
    assert not found.established
    assert found.severity == "note"
    assert found.remedy
    assert any("not shown to be another" in sentence for sentence in section.paragraphs)


def test_a_few_missing_values_are_no_group_to_recognise() -> None:
    people = table()
    people.loc[:4, "sex"] = None
    section = run(case_of(people, privileged={"sex": "man"}))
    labels = [group["label"] for group in section.document["features"][0]["groups"]]
    assert labels == ["man", "woman"]
    many = table()
    many.loc[:99, "sex"] = None
    section = run(case_of(many, privileged={"sex": "man"}))
    assert len(section.document["features"][0]["groups"]) == 3


def test_a_classifier_that_cannot_be_trained_is_an_answer() -> None:
    section = run(case_of(table(), settings={"classifier": LogisticRegression()}))  # it takes no text
    assert "could not be used" in section.not_applicable[0].reason
    assert section.not_applicable[0].subject == "sex"
    assert section.document["features"] == []


def test_a_cross_fitted_decision_maker() -> None:
    people = table().assign(town=lambda X: (X["town"] == "A").astype(int))
    inputs = people.drop(columns="sex")
    fitted = CrossFitted(LogisticRegression(), cv=3, random_state=0, n_jobs=1)
    fitted.fit(inputs, (inputs["height"] > 175).astype(int))
    section = run(case_of(people, model=fitted, privileged={"sex": "man"}))
    assert by_code(section, "FLIP001")[0].estimate > 0.2
    validate(report_of(section))


def test_settings_are_heard() -> None:
    people = table()
    section = run(
        case_of(
            people,
            settings={
                "generator": NeighborGenerator(rank="dice", n_jobs=1),
                "convention": "published",
                "shortfall": "drop",
                "max_people": 20,
                "thresholds": {
                    code: {"reference": 0.0, "high": 0.01} for code in ("FLIP001", "FLIP002", "FLIP005")
                },
            },
            privileged={"sex": "man"},
        )
    )
    document = section.document
    assert document["generator"]["settings"]["rank"] == "dice"
    assert (document["convention"], document["shortfall"]) == ("published", "drop")
    assert all(group["funnel"]["searched"] <= 20 for group in document["features"][0]["groups"])
    assert by_code(section, "FLIP001")[0].severity == "high"
    with pytest.raises(ConfigError, match="no counterfactual generator"):
        run(case_of(people, settings={"generator": "oracle"}))


def test_hostile_names_and_values_come_out_harmless() -> None:
    people = table().rename(columns={"height": "he\x1b[31might", "sex": "s\u202eex"})
    people["town"] = people["town"].map({"A": "<script>alert(1)</script>", "B": "=1+1\x1b"})

    def model(X: pd.DataFrame) -> np.ndarray:
        return 1 / (1 + np.exp(-(X["he\x1b[31might"] - 176) / 4))

    section = run(case_of(people, model=model, sensitive=("s\u202eex",), privileged={"s\u202eex": "man"}))
    said = [*section.paragraphs, *(f.title + f.subject + f.remedy for f in section.findings)]
    said += [each.reason + each.subject for each in section.not_applicable]
    assert not any(c in text for text in said for c in ("\x1b", "\u202e"))
    person = section.document["features"][0]["people"][0]
    assert all("\x1b" not in text for text in person["row"].values())


def test_a_sensitive_column_that_the_model_reads_is_no_carrier_of_itself() -> None:
    from fairwitness import as_blackbox

    def reads_sex(X: pd.DataFrame) -> np.ndarray:
        return 1 / (1 + np.exp(-(X["sex"] == "man") * 2 - 0.15 * (X["height"] - 176)))

    model = as_blackbox(reads_sex, feature_names=["sex", "height", "merit"])
    section = run(case_of(table(), model, privileged={"sex": "man"}))
    carriers = {finding.evidence["column"] for finding in by_code(section, "FLIP005")}
    assert carriers == {"height"}
    assert "inferred group is height." in section.paragraphs[0]
    strong = [feature.column for feature in section.results[-1].features if abs(feature.rho) > 0.2]
    assert "sex" in strong  # the table has it


def test_results_count_rows_as_the_user_does() -> None:
    people = table().sample(frac=1, random_state=2).reset_index(drop=True)
    result = run(case_of(people, privileged={"sex": "man"})).results[0]
    found = result.counterfactuals
    inputs = people.drop(columns="sex")
    for rows, encoded in ((result.rows, found.queries), (found.source, found.rows)):
        pd.testing.assert_frame_equal(found.encoder.decode(encoded), inputs.iloc[rows].reset_index(drop=True))
