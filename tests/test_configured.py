from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairwitness.audit import Audit
from fairwitness.config import parse_config
from fairwitness.configured import audit_from_config
from fairwitness.errors import ConfigError, DataError, FairwitnessError, FairwitnessWarning, ModelError

Build = Callable[..., Audit]

BASE = """\
[table]
path = "people.csv"

[outcome]
column = "paid"
favorable = "yes"

[sensitive]
columns = ["sex"]

[model]
MODEL

[methods]
k = 5
run = "rates"
"""


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 120)
    income = np.round(rng.normal(40, 8, 120) + 4 * (sex == "m"), 1)
    return pd.DataFrame(
        {
            "income": income,
            "children": rng.integers(0, 3, 120),
            "sex": sex,
            "note": [f"note {row}" for row in range(120)],
            "paid": np.where(income > 40, "yes", "no"),
            "said": (income > 42).astype(int),
        }
    )


@pytest.fixture
def build(tmp_path: Path, people: pd.DataFrame) -> Build:
    """Write the table and give the audit of a file made from ``BASE``."""

    def make(
        model: str = 'train = "LR"', *, extra: str = "", table: pd.DataFrame | None = None, **changes: str
    ):
        (people if table is None else table).to_csv(tmp_path / "people.csv", index=False)
        text = BASE.replace("MODEL", model) + extra
        for old, new in changes.values():
            assert old in text
            text = text.replace(old, new)
        return audit_from_config(parse_config(text, source=tmp_path / "audit.toml"))

    return make


def rates(audit: Audit) -> dict[str, float]:
    groups = audit.run().document["sections"]["rates"]["features"][0]["groups"]
    return {group["label"]: group["acceptance"]["estimate"] for group in groups}


@pytest.fixture
def booster(tmp_path: Path, people: pd.DataFrame) -> Path:
    """A LightGBM text file of two columns that answers 1 where the table says yes."""
    lightgbm = pytest.importorskip("lightgbm")
    inputs, label = people[["income", "children"]], (people["paid"] == "yes").astype(int)
    settings = {"objective": "binary", "verbose": -1, "num_threads": 1}
    model = lightgbm.train(settings, lightgbm.Dataset(inputs, label), 5)
    model.save_model(tmp_path / "model.txt")
    return tmp_path / "model.txt"


def test_a_model_may_have_its_own_word_for_the_good_outcome(
    build: Build, booster: Path, people: pd.DataFrame
) -> None:
    with pytest.raises(ModelError, match="0 and 1") as caught:
        build('path = "model.txt"')
    assert "favorable in [model]" in str(caught.value)
    audit = build('path = "model.txt"\nfavorable = 1')
    document = audit.run().document
    assert document["audited"]["favorable"] == "paid = yes"
    assert document["audited"]["n_accepted"] > 0
    assert document["sections"]["rates"]["features"][0]["has_outcome"]
    said = build('predictions = "said"\nfavorable = 1')
    expected = people.groupby("sex")["said"].mean()
    assert rates(said) == pytest.approx({"f": expected["f"], "m": expected["m"]})


def test_nobody_asks_about_columns_that_the_model_does_not_read(
    build: Build, booster: Path, people: pd.DataFrame
) -> None:
    odd = people.assign(void=np.nan, code=2**60 + np.arange(120))
    with pytest.warns(FairwitnessWarning, match="void without any value"):
        audit = build('path = "model.txt"\nfavorable = 1', table=odd)
    limits = audit.run().document["limits"]["data"]
    assert any("void without any value" in note for note in limits)


def test_what_is_described_but_not_read_is_said(build: Build, booster: Path) -> None:
    audit = build('path = "model.txt"\nfavorable = 1', extra="[schema.note]\nimmutable = true\n")
    assert "The schema describes note, which the model does not read." in audit.told.notes


def test_the_threshold_holds_for_a_trained_model(build: Build) -> None:
    strict = rates(build('train = "LR"\nfeatures = ["income"]\nthreshold = 0.99'))
    usual = rates(build('train = "LR"\nfeatures = ["income"]'))
    assert all(strict[group] < usual[group] for group in usual)


def test_a_classifier_of_the_papers_sees_what_the_model_reads(build: Build, booster: Path) -> None:
    audit = build(
        'path = "model.txt"\nfavorable = 1', run=('run = "rates"', 'run = "opportunity"\nclassifier = "RF"')
    )
    features = audit.run().document["sections"]["opportunity"]["features"]
    assert "Forest" in features[0]["classifier"]["estimator"]


@pytest.mark.parametrize(
    ("model", "changes", "error", "says"),
    [
        ('train = "LR"', {"a": ('path = "people.csv"', 'path = "people.csv"\ndrop = ["nte"]')}, DataError,
         r"line 3: people.csv has no column 'nte'"),
        ('train = "LR"', {"a": ('columns = ["sex"]', 'columns = ["gender"]')}, DataError,
         r"line 9: people.csv has no column 'gender'"),
        ('train = "LR"', {"a": ('favorable = "yes"', "favorable = 1")}, DataError,
         r"line 6: no row of paid has the favourable value 1; got 'no' and 'yes'"),
        ('predictions = "note"', {}, DataError, "none of the predictions is 'yes'"),
        ('train = "LR"\nfeatures = ["sex"]', {}, DataError, "line 13.*trained on sex; got is sensitive"),
        ('train = "LR"\nfeatures = ["paid"]', {}, DataError, r"trained on paid; got \[outcome\] column"),
        ('train = "LR"', {"a": ('path = "people.csv"',
         'path = "people.csv"\ndrop = ["income", "children", "note", "said"]')}, DataError, "left to train"),
        ('path = "model.txt"\nfavorable = 1', {"a": ('path = "people.csv"',
         'path = "people.csv"\ndrop = ["children"]')}, ModelError, r"children, which \[table\] drop takes"),
    ],
)  # fmt: skip
def test_an_error_names_the_place(
    build: Build,
    booster: Path,
    model: str,
    changes: dict[str, tuple[str, str]],
    error: type[FairwitnessError],
    says: str,
) -> None:
    with pytest.raises(error, match=says) as caught:
        build(model, **changes)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ("[schema.age]\nimmutable = true\n", r"line 18: the table has no column 'age'"),
        ('[schema.income]\nkind = "num"\n', r"line 18: column 'income': wrong kind"),
        ('[schema."children"]\nbounds = [9]\n', r"line 18: column 'children': wrong bounds"),
    ],
)
def test_a_wrong_schema_is_a_mistake_in_the_file(build: Build, extra: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        build('train = "LR"\nfeatures = ["income", "children"]', extra=extra)


def test_gaps_in_the_outcome_name_the_first_row(build: Build, people: pd.DataFrame) -> None:
    people.loc[[6, 9], "paid"] = None
    with pytest.raises(DataError, match=r"paid is missing in 2 of 120 rows, first in row 7"):
        build()


def test_one_outcome_gives_nothing_to_learn(build: Build, people: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="nothing to learn"):
        build(table=people.assign(paid="yes"))


def test_decimal_commas_and_other_encodings(build: Build, people: pd.DataFrame, tmp_path: Path) -> None:
    audit = build('train = "LR"\nfeatures = ["income"]')
    plain = rates(audit)
    people.to_csv(tmp_path / "comma.csv", index=False, sep=";", decimal=",", encoding="utf-16")
    text = BASE.replace("MODEL", 'train = "LR"\nfeatures = ["income"]').replace(
        'path = "people.csv"', 'path = "comma.csv"\ndecimal = ","\nencoding = "utf-16"'
    )
    config = parse_config(text, source=tmp_path / "audit.toml")
    assert rates(audit_from_config(config)) == plain
    assert json.dumps(plain)


def test_a_causal_graph_reaches_the_audit(build: Build) -> None:
    graph = '[graph]\ntext = "sex -> income; {sex, income} -> paid"\nbins = { income = [40] }\n'
    audit = build(
        'train = "LR"\nfeatures = ["income"]', extra=graph, run=('run = "rates"', 'run = ["rates", "bounds"]')
    )
    document = audit.run().document
    bounds = document["sections"]["bounds"]
    assert bounds["graph"]["decision"] == "paid"
    assert bounds["graph"]["reason"] == "named like the outcome"
    assert bounds["settings"]["bins"] == {"income": [40]}
    assert document["reproducibility"]["settings"]["bins"] == {"income": [40]}


@pytest.mark.parametrize(
    ("graph", "changes", "says"),
    [
        ("sex -> incme -> paid", {}, r"line 19: the graph has the node 'incme', but the table has no such"),
        ("note -> paid; sex -> paid", {"a": ('path = "people.csv"', 'path = "people.csv"\ndrop = ["note"]')},
         r"line 20: the graph has the node 'note', but \[table\] drop takes it out"),
    ],
)  # fmt: skip
def test_a_graph_of_other_columns_is_a_mistake_in_the_file(
    build: Build, graph: str, changes: dict[str, tuple[str, str]], says: str
) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        build('train = "LR"\nfeatures = ["income"]', extra=f'[graph]\ntext = "{graph}"\n', **changes)
    assert "A <-> B" in str(caught.value.fix)
