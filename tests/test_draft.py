from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairwitness.config import parse_config
from fairwitness.config_graph import causal_graph
from fairwitness.draft import Draft, draft_config, save_draft
from fairwitness.draft_text import toml_value
from fairwitness.errors import ConfigError, DataError, GroupError, ModelError

Make = Callable[..., Draft]


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 120)
    return pd.DataFrame(
        {
            "hours-worked": np.round(rng.normal(40, 8, 120), 1),
            "children": rng.integers(0, 3, 120),
            "rooms": rng.integers(1, 5, 120),
            "age": rng.integers(18, 70, 120),
            "sex": sex,
            "paid": rng.choice(["no", "yes"], 120),
        }
    )


@pytest.fixture
def make(tmp_path: Path, people: pd.DataFrame) -> Make:
    def draft(table: pd.DataFrame | None = None, **options: Any) -> Draft:
        file = tmp_path / "people.parquet"
        (people if table is None else table).to_parquet(file)
        settings = {"sensitive": ["sex"], "target": "paid", "beside": tmp_path / "audit.toml"}
        return draft_config(file, **{**settings, **options})

    return draft


def read(draft: Draft, tmp_path: Path) -> dict[str, Any]:
    """Read the draft, and the same with every comment about columns taken as meant."""
    for text in (draft.text, uncommented(draft.text)):
        parse_config(text, source=tmp_path / "audit.toml")
    return tomllib.loads(draft.text)


def uncommented(text: str) -> str:
    head, _, schema = text.partition("# What was inferred")
    return head + "\n".join(line.removeprefix("# ") for line in schema.splitlines()[1:])


def test_a_draft_is_a_configuration(make: Make, tmp_path: Path) -> None:
    draft = make(sensitive=["sex", "age > 40"])
    written = read(draft, tmp_path)
    assert written["table"] == {"path": "people.parquet", "drop": []}
    assert written["model"] == {"train": "LGBM"}
    assert '# "sex" = "f"  # or "m"' in draft.text
    assert '# "age > 40" = "age > 40"  # or "age ≤ 40"' in draft.text
    assert "# bounds = [0, 2]" in draft.text
    assert sum("children and rooms are read as amounts" in note for note in draft.warnings) == 1
    assert draft.warnings[0] == "yes was taken as the favourable outcome: check favorable."


def test_columns_of_no_use_are_left_out_with_the_reason(
    make: Make, tmp_path: Path, people: pd.DataFrame
) -> None:
    draft = make(
        people.assign(
            when=pd.Timestamp("2020-01-01"), void=np.nan, code=2**60 + np.arange(120) * 7, both=[[1, 2]] * 120
        )
    )
    assert set(read(draft, tmp_path)["table"]["drop"]) == {"when", "void", "code", "both"}
    assert sum("left out" in note for note in draft.warnings) == 4
    assert not any("void is missing" in note for note in draft.warnings)


def test_only_what_tells_rows_apart_is_an_identifier(
    make: Make, tmp_path: Path, people: pd.DataFrame
) -> None:
    shuffled = np.random.default_rng(1).permutation(120)
    draft = make(people.assign(row=shuffled, case_id=shuffled * 17, salary=shuffled * 17 + 20_000))
    table = read(draft, tmp_path)["table"]
    assert (table["id"], table["drop"]) == ("row", ["case_id"])
    assert not any("row counts" in note for note in draft.warnings)


@pytest.mark.parametrize(
    ("values", "good", "says"),
    [
        ([0.0, 1.0], 1.0, "1.0 was taken as the favourable outcome: check"),
        ([True, False], True, "True was taken"),
        ([2, 1], 1, "1 was taken"),
        (["b", "a"], "b", "without a reason"),
        (["good", "fair", "bad"], "good", "has 3 values, and all others count as bad"),
    ],
)
def test_the_good_outcome_is_guessed_and_said(
    make: Make, tmp_path: Path, people: pd.DataFrame, values: list[object], good: object, says: str
) -> None:
    draft = make(people.assign(paid=np.resize(np.array(values), 120)))
    assert read(draft, tmp_path)["outcome"]["favorable"] == good
    assert says in draft.warnings[0]


@pytest.mark.parametrize("given", ["1", "1.0"])
def test_a_number_may_be_named_as_people_write_it(
    make: Make, tmp_path: Path, people: pd.DataFrame, given: str
) -> None:
    table = people.assign(paid=np.resize([0.0, 1.0, np.nan], 120))
    draft = make(table, favorable=given)
    assert read(draft, tmp_path)["outcome"]["favorable"] == 1.0
    assert "paid is missing in 40 rows: leave those rows out" in draft.warnings[0]


def test_what_cannot_be_drafted(make: Make, people: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="no column 'gender'"):
        make(sensitive=["gender"])
    with pytest.raises(DataError, match="no value 'ja'"):
        make(favorable="ja")
    with pytest.raises(ConfigError, match="among the sensitive"):
        make(target="sex")
    with pytest.raises(GroupError, match="where to cut"):
        make(sensitive=["age"])
    with pytest.raises(ModelError, match="no file"):
        make(model=Path("nowhere.skops"))


def test_one_outcome_and_no_columns_are_said(make: Make, tmp_path: Path, people: pd.DataFrame) -> None:
    assert "no model can be trained" in make(people.assign(paid="yes")).warnings[0]
    bare = make(people[["sex", "paid"]])
    assert read(bare, tmp_path)["table"]["drop"] == []
    assert any("No column is left" in note for note in bare.warnings)


def test_a_text_file_is_read_as_told(tmp_path: Path, people: pd.DataFrame) -> None:
    file = tmp_path / "people.csv"
    people.assign(rooms=people["rooms"].astype(str).replace("1", "?"), paid=people["paid"] + "ä").to_csv(
        file, sep=";", decimal=",", encoding="latin-1", index=False
    )
    options: dict[str, Any] = {"sensitive": ["sex"], "target": "paid", "beside": tmp_path / "audit.toml"}
    plain = draft_config(file, **options, encoding="latin-1")
    assert any('set decimal to ","' in note for note in plain.warnings)
    assert any("rooms (" in note and 'na_values = ["?"]' in note for note in plain.warnings)
    draft = draft_config(file, **options, encoding="latin-1", decimal=",", na_values=["?"], separator=";")
    table = read(draft, tmp_path)["table"]
    assert {key: table[key] for key in ("encoding", "decimal", "na_values", "separator")} == {
        "encoding": "latin-1", "decimal": ",", "na_values": ["?"], "separator": ";",
    }  # fmt: skip
    assert not any("decimal" in note for note in draft.warnings)
    assert any("rooms is missing" in note for note in draft.warnings)


def test_a_model_that_is_there_decides_what_it_reads(
    make: Make, tmp_path: Path, people: pd.DataFrame
) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    table = people.assign(title=people["sex"].map({"f": "Ms", "m": "Mr"}))
    data = lightgbm.Dataset(people[["hours-worked", "age"]], (people["paid"] == "yes").astype(int))
    model = lightgbm.train({"objective": "binary", "verbose": -1, "num_threads": 1}, data, 2)
    text = model.model_to_string().replace("feature_names=hours-worked age", "feature_names=hours_worked age")
    (tmp_path / "model.txt").write_text(text, encoding="utf-8")
    draft = make(table, model=tmp_path / "model.txt")
    written = read(draft, tmp_path)
    assert written["table"]["drop"] == []
    assert written["model"] == {"path": "model.txt", "features": ["hours-worked", "age"], "favorable": 1}
    said = " ".join(draft.warnings)
    assert "1 was taken for yes" in said
    assert "calls hours_worked what the table calls hours-worked" in said
    assert "title says the same as sex: a model that reads it is told so" in said
    lacking = make(table.drop(columns="age"), model=tmp_path / "model.txt")
    assert any("reads hours_worked and age, which the table lacks" in note for note in lacking.warnings)


def test_a_pickle_is_announced(make: Make, tmp_path: Path) -> None:
    import pickle

    (tmp_path / "model.pkl").write_bytes(pickle.dumps({"a": 1}))
    draft = make(model=tmp_path / "model.pkl")
    assert any("--allow-pickle" in note for note in draft.warnings)
    assert "# favorable = 1" in draft.text


def test_a_draft_is_written_whole_or_not_at_all(make: Make, tmp_path: Path) -> None:
    draft = make()
    place = tmp_path / "new.toml"
    save_draft(draft, place)
    assert place.read_text(encoding="utf-8") == draft.text
    before = set(tmp_path.iterdir())
    for path, says in (
        (place, "there already"),
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "x.toml", "no folder"),
        (tmp_path / ("long" * 100), "cannot be written"),
    ):
        with pytest.raises(ConfigError, match=says):
            save_draft(draft, path)
    assert set(tmp_path.iterdir()) == before
    save_draft(Draft(text="new\n", warnings=()), place, force=True)
    assert place.read_text(encoding="utf-8") == "new\n"


@pytest.mark.parametrize(
    "value", ['"quoted" \\ and\nlines', "\x1b[31m\x7f\u202e", "=1+1", True, 3, -0.5, 1e300, ["a", 2]]
)
def test_values_come_back_from_toml(value: object) -> None:
    assert tomllib.loads(f"x = {toml_value(value)}")["x"] == value


def test_hostile_names_come_back(make: Make, tmp_path: Path, people: pd.DataFrame) -> None:
    name = 'my "in come"\n<b>\x1b[31m'
    draft = make(people.rename(columns={"hours-worked": name, "sex": "s]e.x"}), sensitive=["s]e.x"])
    assert read(draft, tmp_path)["sensitive"]["columns"] == ["s]e.x"]
    assert name in tomllib.loads(uncommented(draft.text))["schema"]
    assert "\x1b" not in draft.text


def test_the_stub_of_a_graph_can_be_uncommented(make: Make, tmp_path: Path) -> None:
    draft = make(sensitive=["age > 40"])
    head, _, rest = draft.text.partition("# [graph]\n")
    stub = [line.removeprefix("# ") for line in rest.split("\n\n", 1)[0].splitlines()]
    config = parse_config("\n".join([head, "[graph]", *stub, ""]), source=tmp_path / "audit.toml")
    assert causal_graph(config.graph).has("decision")
    assert config.graph.bins
