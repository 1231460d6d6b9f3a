from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.fair.people import people

from fairwitness.errors import ConfigError, DataError
from fairwitness.fair import decision_makers, tune
from fairwitness.fair.inputs import InputError
from fairwitness.model.zoo import ModelSpec
from fairwitness.model.zoo import decision_makers as plain_makers
from fairwitness.table import Schema

PEOPLE = people(300)
TABLE = PEOPLE.table.assign(job=np.where(PEOPLE.X[:, 3] > 0, "office", "manual"))
SCHEMA = Schema.infer(TABLE)
LABELS = np.where(PEOPLE.y == 1, "yes", "no")


def test_grids_are_those_of_the_papers() -> None:
    found = decision_makers(SCHEMA, random_state=0)
    assert list(found) == ["AdvDeb", "LFERM", "FairC"]
    assert found["AdvDeb"].n_candidates == 54
    assert found["LFERM"].grid == {"model__C": (0.01,)}
    assert found["FairC"].grid == {"model__max_covariance": (0.001,)}
    assert all(not each.grid for each in decision_makers(SCHEMA, quick=True).values())
    assert list(decision_makers(SCHEMA, only="FairC")) == ["FairC"]


def test_preprocessing_is_that_of_the_plain_decision_makers() -> None:
    mine = decision_makers(SCHEMA, only=["FairC"])["FairC"].estimator[0].fit(TABLE)
    plain = plain_makers(SCHEMA, only=["LR"])["LR"].estimator[0].fit(TABLE)
    np.testing.assert_array_equal(mine.transform(TABLE), plain.transform(TABLE))


def test_linear_ones_have_nothing_to_search() -> None:
    for name in ("LFERM", "FairC"):
        spec = decision_makers(SCHEMA, only=[name])[name]
        tuned = tune(spec, TABLE, LABELS, sensitive_features=PEOPLE.sensitive, random_state=0)
        assert tuned.n_candidates == 1
        assert np.isnan(tuned.score)
        assert tuned.parameters == {key: values[0] for key, values in spec.grid.items()}
        direct = spec.estimator.set_params(**tuned.parameters)
        direct.fit(TABLE, LABELS, model__sensitive_features=PEOPLE.sensitive)
        assert (tuned.estimator.predict(TABLE) == direct.predict(TABLE)).all()


def test_search_depends_neither_on_row_order_nor_on_jobs() -> None:
    spec = decision_makers(SCHEMA, only=["FairC"], random_state=0)["FairC"]
    spec = ModelSpec(
        spec.name, spec.estimator, {"model__max_covariance": (0.0, 0.2), "model__C": (0.1, 1.0)}, "roc_auc"
    )
    how = {"cv": 3, "random_state": 0}
    first = tune(spec, TABLE, LABELS, sensitive_features=PEOPLE.sensitive, **how)
    order = np.random.default_rng(0).permutation(len(TABLE))
    again = tune(
        spec,
        TABLE.iloc[order],
        LABELS[order],
        sensitive_features=PEOPLE.sensitive.iloc[order],
        n_jobs=2,
        **how,
    )
    assert first.parameters == again.parameters
    assert first.parameters["model__max_covariance"] == 0.2
    assert first.score == pytest.approx(again.score, abs=1e-12)
    assert first.n_candidates == 4
    np.testing.assert_allclose(
        first.estimator.predict_proba(TABLE), again.estimator.predict_proba(TABLE), atol=1e-9
    )
    drawn = tune(spec, TABLE, LABELS, sensitive_features=PEOPLE.sensitive, n_iter=2, **how)
    assert drawn.n_candidates == 2


def test_a_network_can_be_tuned() -> None:
    pytest.importorskip("torch")
    spec = decision_makers(SCHEMA, only=["AdvDeb"], quick=True, random_state=0)["AdvDeb"]
    spec = ModelSpec(
        spec.name, spec.estimator, {"model__hidden": (4, (4, 4)), "model__n_epochs": (2,)}, "roc_auc"
    )
    tuned = tune(spec, TABLE, LABELS, sensitive_features=PEOPLE.sensitive["sex"], cv=2, random_state=0)
    assert tuned.n_candidates == 2
    assert 0 < tuned.score < 1


def test_every_fold_has_every_group() -> None:
    rare = PEOPLE.sensitive.assign(race=np.where(np.arange(300) % 30 == 0, "rare", "common"))
    spec = ModelSpec("FairC", decision_makers(SCHEMA)["FairC"].estimator, {"model__C": (0.1, 1.0)}, "roc_auc")
    assert tune(spec, TABLE, LABELS, sensitive_features=rare, cv=5, random_state=0).score > 0.5


def test_refusals() -> None:
    with pytest.raises(ConfigError, match="schema"):
        decision_makers(TABLE)
    with pytest.raises(ConfigError, match="choose from AdvDeb, LFERM and FairC"):
        decision_makers(SCHEMA, only=["LR"])
    spec = decision_makers(SCHEMA)["FairC"]
    with pytest.raises(ConfigError, match="nothing to tune"):
        tune("FairC", TABLE, LABELS, sensitive_features=PEOPLE.sensitive)
    with pytest.raises(InputError, match="sensitive_features is missing"):
        tune(spec, TABLE, LABELS, sensitive_features=None)
    with pytest.raises(InputError, match="only 1 class"):
        tune(spec, TABLE, np.ones(300), sensitive_features=PEOPLE.sensitive)
    with pytest.raises(InputError, match="different indexes"):
        tune(spec, TABLE, LABELS, sensitive_features=PEOPLE.sensitive[::-1])
    with pytest.raises(DataError):
        tune(spec, TABLE, LABELS, sensitive_features=pd.Series(["a"] * 300))
