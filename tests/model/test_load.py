from __future__ import annotations

import gzip
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from fairwitness.errors import ModelError, UnsafeFileError
from fairwitness.model import as_blackbox, load_model

MARKER = "fairwitness_test_pickle_ran"


class Bomb:
    """Sets an environment variable when unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return os.putenv, (MARKER, "1")


def write_pickles(folder: Path, value: object) -> list[Path]:
    """The same object in every way Python people save models."""
    paths = []
    for protocol in range(6):
        paths.append(folder / f"p{protocol}.pkl")
        paths[-1].write_bytes(pickle.dumps(value, protocol=protocol))
    for compress in (0, ("zlib", 3), ("gzip", 3), ("bz2", 3), ("xz", 3), ("lzma", 3)):
        name = compress[0] if isinstance(compress, tuple) else "plain"
        paths.append(folder / f"{name}.joblib")
        joblib.dump(value, paths[-1], compress=compress)
    return paths


@pytest.fixture
def forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails the test if anything is unpickled."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("something was unpickled")

    for target in ("pickle.load", "pickle.loads", "joblib.load"):
        monkeypatch.setattr(target, refuse)


def test_pickles_are_refused_in_every_form(tmp_path: Path, forbidden: None) -> None:
    paths = write_pickles(tmp_path, Bomb())
    assert len(paths) == 12
    for path in paths:
        with pytest.raises(UnsafeFileError, match="--allow-pickle"):
            load_model(path)


@pytest.mark.parametrize("suffix", [".onnx", ".skops", ".json", ".ubj", ".txt"])
@pytest.mark.parametrize("allow", [False, True])
def test_a_pickle_under_another_name_is_refused_even_if_pickles_are_allowed(
    tmp_path: Path, forbidden: None, suffix: str, allow: bool
) -> None:
    for path in write_pickles(tmp_path, Bomb()):
        renamed = path.rename(path.with_suffix(suffix))
        with pytest.raises(UnsafeFileError, match="under another name"):
            load_model(renamed, allow_pickle=allow)


def test_pickles_load_where_allowed(tmp_path: Path, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    model = LogisticRegression().fit(numbers, outcome)
    for path in write_pickles(tmp_path, model):
        loaded = load_model(path, allow_pickle=True)
        assert isinstance(loaded, LogisticRegression)
        assert np.array_equal(loaded.coef_, model.coef_)


def test_a_damaged_pickle_is_an_error_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(list(range(1000)))[:-50])
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_model(path, allow_pickle=True)


def test_torch_files(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "model.pt"
    torch.save(torch.nn.Linear(2, 1), path)
    with pytest.raises(UnsafeFileError, match="is a torch"):
        load_model(path)
    assert isinstance(load_model(path, allow_pickle=True), torch.nn.Linear)
    torch.save(torch.nn.Linear(2, 1).state_dict(), path)
    with pytest.raises(ModelError, match="weights but no module"):
        load_model(path, allow_pickle=True)
    renamed = path.rename(tmp_path / "model.skops")
    with pytest.raises(UnsafeFileError, match="under another name"):
        load_model(renamed)


def test_skops(tmp_path: Path, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    skops = pytest.importorskip("skops.io")
    path = tmp_path / "model.skops"
    model = LogisticRegression().fit(numbers, outcome)
    skops.dump(model, path)
    box = as_blackbox(path, favorable="good")
    assert box.judge(numbers).accepted.tolist() == (model.predict(numbers) == "good").tolist()


def test_unknown_types_in_skops_are_named(tmp_path: Path, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    skops = pytest.importorskip("skops.io")
    path = tmp_path / "model.skops"
    model = make_pipeline(FunctionTransformer(np.linalg.norm), LogisticRegression())
    skops.dump(model, path)
    with pytest.raises(UnsafeFileError, match=r"numpy\.linalg.*trusted=\['numpy\.linalg"):
        load_model(path)
    unknown = skops.get_untrusted_types(file=path)
    assert isinstance(load_model(path, trusted=unknown), type(model))
    with pytest.raises(UnsafeFileError):
        load_model(path, trusted=["another.Type"])


def test_a_damaged_skops_file(tmp_path: Path) -> None:
    pytest.importorskip("skops.io")
    path = tmp_path / "model.skops"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_model(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", b" " * 1_000_000)
    with pytest.raises(ModelError, match="unpacked"):
        load_model(path, max_bytes=100_000)


@pytest.mark.parametrize("suffix", [".json", ".ubj"])
def test_xgboost(tmp_path: Path, numbers: pd.DataFrame, outcome: np.ndarray, suffix: str) -> None:
    xgboost = pytest.importorskip("xgboost")
    path = tmp_path / f"model{suffix}"
    model = xgboost.XGBClassifier(n_estimators=4, n_jobs=1).fit(numbers, outcome == "good")
    model.save_model(path)
    box = as_blackbox(path)
    assert box.judge(numbers).accepted.tolist() == model.predict(numbers).astype(bool).tolist()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_model(path)
    other = path.rename(tmp_path / "model.onnx")
    with pytest.raises(ModelError, match="does not fit its content; got content of the format xgboost"):
        load_model(other)


def test_lightgbm(tmp_path: Path, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    path = tmp_path / "model.txt"
    model = lightgbm.LGBMClassifier(n_estimators=4, n_jobs=1, verbose=-1).fit(numbers, outcome == "good")
    model.booster_.save_model(path)
    box = as_blackbox(path)
    assert box.judge(numbers).accepted.tolist() == model.predict(numbers).astype(bool).tolist()
    path.write_text(path.read_text()[:300])
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_model(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.onnx", b"", "is empty"),
        ("model.json", b'{"a": 1}', "no XGBoost model"),
        ("model.json", b"not json at all", "no known format"),
        ("model.txt", b"hello", "no known format"),
        ("model.h5", b"\x89HDF\r\n\x1a\n", "no known format"),
        ("model.skops", b"PK\x03\x04 broken", "no known format"),
        ("model.onnx", b"\x08\x07 no protobuf", "no readable ONNX"),
    ],
)
def test_files_that_are_no_models(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=message) as caught:
        load_model(tmp_path / name)
    assert str(tmp_path) not in str(caught.value)


def test_missing_folders_and_large_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no file"):
        load_model(tmp_path / "nothing.onnx")
    with pytest.raises(ModelError, match="a folder"):
        load_model(tmp_path)
    (tmp_path / "large.onnx").write_bytes(b"\x08" * 101)
    with pytest.raises(ModelError, match="larger than 100 bytes; got 101 bytes"):
        load_model(tmp_path / "large.onnx", max_bytes=100)


def test_names_in_messages_are_made_printable(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31m.pkl"
    path.write_bytes(gzip.compress(b"x"))
    with pytest.raises(ModelError) as caught:
        load_model(path)
    assert "\x1b" not in str(caught.value)
