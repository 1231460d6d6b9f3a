from __future__ import annotations

import gzip
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from fairwitness.datasets import (
    Dataset,
    load_adult,
    load_adult_debiased,
    load_compas,
    load_crime,
    load_german,
    load_law_school,
)
from fairwitness.datasets import adult as adult_module
from fairwitness.errors import ConfigError, DataError, FairwitnessWarning, MissingExtraError
from fairwitness.table import Encoder, Schema


@pytest.fixture(scope="module")
def data_path(shared_path: Path) -> Path:
    return shared_path / "data"


@pytest.fixture(scope="module")
def adult(data_path: Path) -> Dataset:
    return load_adult(data_path)


def assert_counts(
    data: Dataset, shape: tuple[int, int], favourable: float, **features: tuple[float, float]
) -> None:
    assert data.X.shape == shape
    assert data.favored.mean() == pytest.approx(favourable, abs=5e-5)
    for feature, (share, gap) in features.items():
        assert data.group_share(feature) == pytest.approx(share, abs=5e-5)
        assert data.outcome_gap(feature) == pytest.approx(gap, abs=5e-5)
    # Nothing of the outcome or of a sensitive feature is an input; rows go together.
    assert not set(data.X) & {data.outcome, *data.sensitive}
    assert len(data.y) == len(data.sensitive) == data.n_rows
    assert not data.X.isna().any(axis=None)
    assert not set(data.X) & set(data.dropped)
    assert set(data.kinds) | set(data.immutable) <= set(data.X)
    for feature, value in data.privileged.items():
        assert (data.sensitive[feature] == value).any()
    # The files here are the checked versions: no remark about the version.
    assert not [note for note in data.notes if "version" in note]


def test_adult_has_table_1s_counts(adult: Dataset) -> None:
    assert_counts(adult, (45_222, 13), 0.2478, sex=(0.6750, 0.1989))
    assert adult.missing == {"workclass": 2799, "occupation": 2809, "native-country": 857}
    assert any("3,620 rows" in note for note in adult.notes)
    assert adult.beside is not None
    assert adult.beside["split"].value_counts().to_dict() == {"train": 30_162, "test": 15_060}


def test_adult_by_marital_status_keeps_sex_as_an_input(data_path: Path) -> None:
    data = load_adult(data_path, sensitive="marital-status")
    assert_counts(data, (45_222, 13), 0.2478, **{"marital-status": (0.4785, 0.3783)})
    assert "sex" in data.X


def test_adult_by_race(data_path: Path) -> None:
    data = load_adult(data_path, sensitive=["race", "sex"])
    assert data.X.shape == (45_222, 12)
    assert data.outcome_gap("race") == pytest.approx(0.1040, abs=5e-5)


def test_adult_debiased_has_six_inputs_and_three_employers(data_path: Path) -> None:
    data = load_adult_debiased(data_path)
    assert_counts(data, (45_222, 6), 0.2478, sex=(0.6750, 0.1989))
    assert data.X["workclass"].value_counts().to_dict() == {
        "Private": 38_749,
        "Public": 6_452,
        "Unemployed": 21,
    }


def test_crime_has_table_1s_counts(data_path: Path) -> None:
    data = load_crime(data_path)
    assert_counts(data, (1994, 98), 0.5, race=(0.5777, 0.5530))
    assert data.X.select_dtypes("number").shape[1] == 97
    assert data.kinds["state"] == {"kind": "categorical"}


def test_german_has_table_1s_counts(data_path: Path) -> None:
    data = load_german(data_path)
    assert_counts(data, (1000, 17), 0.7, sex=(0.690, 0.0748), age=(0.810, 0.1494))


def test_german_codes_and_words_give_the_same_table(data_path: Path, tmp_path: Path) -> None:
    words = load_german(data_path / "german_decoded.csv.gz")
    codes = load_german(data_path / "german.csv.gz")
    pd.testing.assert_frame_equal(words.X, codes.X)
    pd.testing.assert_series_equal(words.y, codes.y)
    pd.testing.assert_frame_equal(words.sensitive, codes.sensitive)
    # UCI's own form: no header, blanks between.
    rows = pd.read_csv(data_path / "german.csv.gz")
    rows.to_csv(tmp_path / "german.data", sep=" ", header=False, index=False)
    raw = load_german(tmp_path)
    pd.testing.assert_frame_equal(words.X, raw.X)
    pd.testing.assert_frame_equal(words.sensitive, raw.sensitive)


def test_german_refuses_a_code_that_does_not_exist(data_path: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(data_path / "german.csv.gz")
    frame.loc[3, "housing"] = "A199\x1b[31m"
    frame.to_csv(tmp_path / "german.csv", index=False)
    with pytest.raises(DataError, match="housing") as caught:
        load_german(tmp_path)
    assert "\x1b" not in str(caught.value)


def test_compas_has_both_papers_row_counts(data_path: Path) -> None:
    data = load_compas(data_path)
    assert_counts(data, (6172, 6), 0.5449, race=(2103 / 6172, 0.0975), sex=(1175 / 6172, 0.1280))
    assert data.missing["days_b_screening_arrest"] == 307
    assert data.beside is not None
    assert {"decile_score", "score_text"} <= set(data.beside)
    with_charge = load_compas(data_path, charge_description=True)
    assert with_charge.X.shape == (6167, 7)
    assert with_charge.X["c_charge_desc"].notna().all()


def test_law_school_has_its_counts(data_path: Path) -> None:
    data = load_law_school(data_path)
    assert_counts(data, (21_791, 2), 0.8884, race=(0.8391, 0.1978), sex=(12_254 / 21_791, 0.0216))
    assert data.beside is not None
    by_race = data.beside["ZFYA"].groupby(data.sensitive["race"]).mean()
    assert by_race[["White", "Black", "Asian"]].round(3).tolist() == [0.213, -0.829, -0.288]


def test_hints_and_document_are_plain(data_path: Path) -> None:
    data = load_german(data_path)
    assert data.schema_hints["employment_since"]["levels"][-1] == ">=7 years"  # type: ignore[index]
    document = data.to_dict()
    assert document["rows"] == 1000
    assert document["dropped"]["age"] == "sensitive feature"
    assert "1000 rows" in repr(data)
    crime = load_crime(data_path)
    assert crime.schema_hints["state"] == {"kind": "categorical", "immutable": True}
    assert crime.kinds["state"] == {"kind": "categorical"}, "hints must not be written back"


def test_adult_reads_ucis_own_pair_of_files(adult: Dataset, data_path: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(data_path / "adult.csv.gz", keep_default_na=False)
    columns = list(adult_module.COLUMNS)
    train, test = frame[frame["split"] == "train"], frame[frame["split"] == "test"]
    (tmp_path / "adult.data").write_text(_uci(train[columns]), encoding="utf-8")
    lines = _uci(test[columns], dot=".")
    (tmp_path / "adult.test").write_text("|1x3 Cross validator\n" + lines, encoding="utf-8")
    raw = load_adult(tmp_path)
    pd.testing.assert_frame_equal(raw.X, adult.X)
    pd.testing.assert_series_equal(raw.y, adult.y)
    (tmp_path / "adult.test").unlink()
    with pytest.warns(FairwitnessWarning, match="rows 30162 instead of 45222"):
        half = load_adult(tmp_path / "adult.data")
    assert half.n_rows == 30_162
    assert any("30162 instead of" in note for note in half.notes)


def _uci(frame: pd.DataFrame, dot: str = "") -> str:
    rows = frame.astype(str)
    lines = [", ".join(row) + dot for row in rows.itertuples(index=False)]
    return "\n".join(lines) + "\n\n"


def test_the_folder_is_named_by_the_environment(
    data_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRWITNESS_DATA", str(data_path))
    assert load_german().n_rows == 1000
    # What is passed wins over the environment.
    with pytest.raises(DataError, match="holds none of its files"):
        load_german(tmp_path)


def test_a_plain_csv_is_read_like_a_gzipped_one(data_path: Path, tmp_path: Path) -> None:
    packed = (data_path / "german.csv.gz").read_bytes()
    (tmp_path / "german.csv").write_bytes(gzip.decompress(packed))
    data = load_german(tmp_path)
    assert data.digest == "8f09f11ab68acb98d6f30ef2c2958286f1fc7b6ccd386765544330d156a3b69b"


def test_another_file_with_the_same_counts_gives_a_note_only(data_path: Path, tmp_path: Path) -> None:
    pd.read_csv(data_path / "german.csv.gz").to_csv(
        tmp_path / "german.csv", index=False, lineterminator="\r\n"
    )
    data = load_german(tmp_path)
    assert any("not byte for byte" in note for note in data.notes)


@pytest.mark.parametrize(
    ("load", "online"),
    [
        (load_adult, True),
        (load_adult_debiased, True),
        (load_german, True),
        (load_crime, False),
        (load_compas, False),
        (load_law_school, False),
    ],
)
def test_not_found_says_all_three_ways(load: object, online: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRWITNESS_DATA", raising=False)
    assert callable(load)
    with pytest.raises(DataError) as caught:
        load()
    message = str(caught.value)
    assert "path=" in message
    assert "FAIRWITNESS_DATA" in message
    assert "fetch=True" in message
    assert ("to download it" in message) is online


def test_wrong_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        load_crime(tmp_path / "nothing.csv")
    other = tmp_path / "communities_crime_unnormalized.csv"
    other.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match="lacks 27 of the expected columns"):
        load_crime(other)
    torn = tmp_path / "law_school.csv.gz"
    torn.write_bytes(b"\x1f\x8b not gzip at all")
    with pytest.raises(DataError, match="cannot be read"):
        load_law_school(torn)
    binary = tmp_path / "law_school.csv"
    binary.write_bytes(b"\xff\xfe\x00\x00a,b\n")
    with pytest.raises(DataError):
        load_law_school(binary)


def test_adult_refuses_other_sensitive_features_and_text_in_numbers(data_path: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="fnlwgt"):
        load_adult(data_path, sensitive="fnlwgt")
    for strange in (3, None, []):
        with pytest.raises(ConfigError, match="not one that this data set has"):
            load_adult(data_path, sensitive=strange)
    with pytest.raises(ConfigError, match="name of a file or folder"):
        load_adult(3)
    with pytest.raises(ConfigError, match="no such sensitive feature"):
        load_adult(data_path).group_share("race")
    frame = pd.read_csv(data_path / "adult.csv.gz", keep_default_na=False, nrows=50)
    frame["age"] = frame["age"].astype(object)
    frame.loc[3, "age"] = "old"
    frame.to_csv(tmp_path / "adult.csv", index=False)
    with pytest.raises(DataError, match="age"):
        load_adult(tmp_path)


class TestFetch:
    """Downloads, with the libraries replaced: there is no network in tests."""

    @pytest.fixture(autouse=True)
    def _no_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("FAIRWITNESS_DATA", raising=False)

    def test_openml_first(self, adult: Dataset, data_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def answer(name: str, version: int, **options: object) -> object:
            assert (name, version) == ("adult", 2)
            frame = pd.read_csv(data_path / "adult.csv.gz", na_values=["?"]).drop(columns="split")
            text = frame.select_dtypes(exclude="number").columns
            frame[text] = frame[text].astype("category")
            return types.SimpleNamespace(frame=frame.rename(columns={"income": "class"}))

        monkeypatch.setattr("sklearn.datasets.fetch_openml", answer)
        data = load_adult(fetch=True)
        pd.testing.assert_frame_equal(data.X, adult.X, check_dtype=False)
        assert data.digest is None

    def test_uci_when_openml_does_not_answer(self, data_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def offline(*args: object, **options: object) -> object:
            raise OSError("no route to host")

        frame = pd.read_csv(data_path / "adult.csv.gz", keep_default_na=False).drop(columns="split")
        monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
        monkeypatch.setitem(sys.modules, "ucimlrepo", _uci_module(2, frame))
        assert load_adult(fetch=True).n_rows == 45_222

    def test_german_from_uci(self, data_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        frame = pd.read_csv(data_path / "german.csv.gz")
        frame.columns = [f"Attribute{number}" for number in range(1, 21)] + ["class"]
        monkeypatch.setitem(sys.modules, "ucimlrepo", _uci_module(144, frame))
        data = load_german(fetch=True)
        assert data.group_share("sex") == pytest.approx(0.69)

    def test_all_silent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def offline(*args: object, **options: object) -> object:
            raise OSError("no route to host")

        monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
        monkeypatch.setitem(sys.modules, "ucimlrepo", None)
        with pytest.raises(DataError, match="no route to host"):
            load_adult(fetch=True)
        with pytest.raises(MissingExtraError, match="ucimlrepo"):
            load_german(fetch=True)


def _uci_module(number: int, frame: pd.DataFrame) -> types.ModuleType:
    module = types.ModuleType("ucimlrepo")

    def fetch_ucirepo(*, id: int) -> object:
        assert id == number
        return types.SimpleNamespace(data=types.SimpleNamespace(original=frame))

    module.fetch_ucirepo = fetch_ucirepo  # type: ignore[attr-defined]
    return module


@pytest.mark.parametrize(
    "load", [load_adult, load_adult_debiased, load_crime, load_german, load_compas, load_law_school]
)
def test_hints_make_a_schema_that_goes_there_and_back(load: Callable[..., Dataset], data_path: Path) -> None:
    data = load(data_path)
    head = data.X.head(2000)
    schema = Schema.infer(head, **data.schema_hints)
    assert schema.warnings == ()
    encoder = Encoder.fit(head, schema)
    pd.testing.assert_frame_equal(encoder.decode(encoder.encode(head)), head)
    assert {f.name for f in schema.features if f.immutable} == set(data.immutable)
