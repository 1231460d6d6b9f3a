from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fairwitness.errors import DataError, FairwitnessWarning, ModelError, NotFittedError
from fairwitness.model import SensitiveFeatureClassifier


@pytest.fixture(scope="module")
def evidence() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    n = 300
    sex = rng.choice(["Female", "Male"], n)
    height = rng.normal(165, 7, n) + 12 * (sex == "Male")
    return pd.DataFrame({"height": height.round(2), "shoe": rng.choice(["flat", "boot"], n), "sex": sex})


@pytest.fixture(scope="module")
def fitted(evidence: pd.DataFrame) -> SensitiveFeatureClassifier:
    return SensitiveFeatureClassifier(random_state=0, n_jobs=1).fit(
        evidence.drop(columns="sex"), evidence["sex"]
    )


def test_quality_is_held_out(fitted: SensitiveFeatureClassifier, evidence: pd.DataFrame) -> None:
    quality = fitted.quality_
    assert quality.labels == ("Female", "Male")
    assert quality.better_than_chance
    assert quality.auc.estimate == pytest.approx(
        roc_auc_score(evidence["sex"] == "Male", fitted.held_out_proba_[:, 1])
    )
    assert quality.auc.low < quality.auc.estimate < quality.auc.high
    assert quality.estimator == "gradient boosting"
    assert quality.confusion.sum() == len(evidence)


def test_noise_is_not_better_than_chance() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{at}": rng.normal(size=200) for at in range(5)})
    classifier = SensitiveFeatureClassifier(DecisionTreeClassifier(), random_state=0, n_jobs=1)
    classifier.fit(frame, rng.choice(["a", "b"], 200))
    assert not classifier.quality_.better_than_chance


def test_rows_of_the_table_are_judged_by_the_model_that_did_not_see_them(
    fitted: SensitiveFeatureClassifier, evidence: pd.DataFrame
) -> None:
    X = evidence.drop(columns="sex")
    assert np.array_equal(fitted.predict_proba(X), fitted.held_out_proba_)
    crossfit = fitted.crossfit_
    for fold, model in enumerate(crossfit.models_):
        mine = crossfit.folds_ == fold
        assert np.allclose(fitted.held_out_proba_[mine], model.predict_proba(X[mine]))
    assert (fitted.predict(X) == fitted.classes_[fitted.held_out_proba_.argmax(axis=1)]).all()


def test_counterfactuals_follow_their_origin_unless_they_are_people_themselves(
    fitted: SensitiveFeatureClassifier, evidence: pd.DataFrame
) -> None:
    X = evidence.drop(columns="sex")
    crossfit = fitted.crossfit_
    origins = X.iloc[[0, 1, 2, 0, 5]].reset_index(drop=True)
    changed = origins.assign(height=origins["height"] + 0.005)  # nobody has such a height
    changed.loc[3] = X.loc[9]
    proba = fitted.predict_proba_for(changed, origins)
    for row, origin in enumerate([0, 1, 2, 9, 5]):
        model = crossfit.models_[crossfit.folds_[origin]]
        assert np.allclose(proba[row], model.predict_proba(changed.iloc[[row]])[0])
    stranger = origins.assign(height=1.0)
    expected = np.mean([model.predict_proba(changed.iloc[:3]) for model in crossfit.models_], axis=0)
    assert np.allclose(fitted.predict_proba_for(changed, stranger)[:3], expected)


def test_containers_and_extra_columns(fitted: SensitiveFeatureClassifier, evidence: pd.DataFrame) -> None:
    assert np.array_equal(fitted.predict_proba(pl.from_pandas(evidence)), fitted.held_out_proba_)
    frame = pl.from_pandas(evidence)
    assert np.array_equal(fitted.predict_proba_for(frame, frame), fitted.held_out_proba_)
    assert fitted.predict_proba(evidence.head(0)).shape == (0, 2)


def test_what_is_known_of_the_table_is_not_asked_again(
    fitted: SensitiveFeatureClassifier, evidence: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = evidence.drop(columns="sex")
    asked: list[int] = []
    real = type(fitted.crossfit_).proba_by

    def counted(self, frame, keys, fold):
        asked.append(len(keys))
        return real(self, frame, keys, fold)

    monkeypatch.setattr(type(fitted.crossfit_), "proba_by", counted)
    mixed = pd.concat([X.iloc[5:9], X.iloc[:2].assign(height=0.5)])
    proba = fitted.predict_proba(mixed)
    assert asked == [2]
    assert np.array_equal(proba[:4], fitted.held_out_proba_[5:9])
    assert np.allclose(proba.sum(axis=1), 1)


def test_an_estimator_is_named_by_its_own_name(evidence: pd.DataFrame) -> None:
    with pytest.raises(ModelError, match="estimator LogisticRegression could not be trained"):
        SensitiveFeatureClassifier(LogisticRegression(), random_state=0).fit(
            evidence.drop(columns="sex").assign(text="x"), evidence["sex"]
        )


def test_the_row_order_is_irrelevant(fitted: SensitiveFeatureClassifier, evidence: pd.DataFrame) -> None:
    other = evidence.sample(frac=1, random_state=1)
    again = SensitiveFeatureClassifier(random_state=0, n_jobs=1).fit(other.drop(columns="sex"), other["sex"])
    assert again.quality_.to_dict() == fitted.quality_.to_dict()
    X = evidence.drop(columns="sex")
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_any_estimator_and_any_labels(evidence: pd.DataFrame) -> None:
    model = make_pipeline(StandardScaler(), LogisticRegression())
    for labels in (evidence["sex"], evidence["sex"] == "Male", (evidence["sex"] == "Male") + 3):
        classifier = SensitiveFeatureClassifier(model, cv=3, random_state=0, n_jobs=1)
        classifier.fit(evidence[["height"]], labels)
        assert classifier.quality_.auc.estimate > 0.8
        assert classifier.quality_.estimator == "LogisticRegression"
    assert classifier.quality_.labels == ("3", "4")


def test_xgboost_takes_text_labels(evidence: pd.DataFrame) -> None:
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=5, n_jobs=1)
    classifier = SensitiveFeatureClassifier(model, cv=3, random_state=0, n_jobs=1)
    assert classifier.fit(evidence[["height"]], evidence["sex"]).classes_.tolist() == ["Female", "Male"]


def test_a_group_of_one_is_warned_about_and_never_recognised(evidence: pd.DataFrame) -> None:
    groups = evidence["sex"].to_numpy(dtype=object).copy()
    groups[4] = "Other"
    with pytest.warns(FairwitnessWarning, match="Other has 1 distinct rows, all in one fold"):
        classifier = SensitiveFeatureClassifier(random_state=0, n_jobs=1).fit(evidence[["height"]], groups)
    assert classifier.held_out_proba_[4, 2] == 0
    assert classifier.quality_.recall[2] == 0


def test_what_cannot_be_learnt(evidence: pd.DataFrame) -> None:
    classifier = SensitiveFeatureClassifier(random_state=0, n_jobs=1)
    with pytest.raises(DataError, match="no column to infer"):
        classifier.fit(evidence[[]], evidence["sex"])
    with pytest.raises(DataError, match="only one class"):
        classifier.fit(evidence[["height"]], ["x"] * len(evidence))
    with pytest.raises(DataError, match="first in row 2"):
        classifier.fit(evidence[["height"]], evidence["sex"].where(evidence.index != 2))
    with pytest.raises(ModelError, match="gives no probabilities"):
        SensitiveFeatureClassifier(LinearSVC(), random_state=0, n_jobs=1).fit(
            evidence[["height"]], evidence["sex"]
        )


def test_every_counterfactual_needs_its_origin(
    fitted: SensitiveFeatureClassifier, evidence: pd.DataFrame
) -> None:
    with pytest.raises(DataError, match="got 300 and 2 rows"):
        fitted.predict_proba_for(evidence, evidence.head(2))


def test_conventions(evidence: pd.DataFrame) -> None:
    classifier = SensitiveFeatureClassifier(DecisionTreeClassifier(), cv=4, random_state=0)
    with pytest.raises(NotFittedError):
        classifier.predict(evidence)
    copy = clone(classifier)
    assert copy.get_params()["cv"] == 4
    assert classifier.fit(evidence[["height"]], evidence["sex"]) is classifier
    assert classifier.n_features_in_ == 1
    assert 0.5 < classifier.score(evidence[["height"]], evidence["sex"]) <= 1
