from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from fairwitness.errors import ModelError
from fairwitness.model import ModelFile, inspect_model


def inspected(path: Path) -> ModelFile:
    found = inspect_model(path)
    json.dumps(found.to_dict())
    return found


@pytest.fixture
def no_import(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("something was unpickled")

    for target in ("pickle.load", "pickle.loads", "joblib.load"):
        monkeypatch.setattr(target, refuse)


class Bomb:
    def __init__(self, *call: Any) -> None:
        self.call = call

    def __reduce__(self) -> Any:
        return self.call[0], self.call[1:]


@pytest.mark.parametrize("protocol", range(6))
def test_the_imports_of_a_pickle_are_listed(tmp_path: Path, protocol: int, no_import: None) -> None:
    path = tmp_path / "model.pkl"
    path.write_bytes(
        pickle.dumps([Bomb(os.getenv, "HOME"), Bomb(subprocess.Popen, ["true"])], protocol=protocol)
    )
    found = inspected(path)
    assert {"os.getenv", "subprocess.Popen"} <= set(found.details["imports"])
    assert {"os.getenv", "subprocess.Popen"} <= set(found.details["unusual_imports"])
    assert not found.loads_by_default
    assert "allow_pickle" in found.needs
    assert "any code" in found.warnings[0]
    assert found.details["protocol"] == (protocol if protocol >= 2 else 0)
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.size == path.stat().st_size


def test_an_ordinary_model_has_no_unusual_imports(
    tmp_path: Path, people: pd.DataFrame, outcome: np.ndarray
) -> None:
    encoder = OneHotEncoder(handle_unknown="ignore")
    model = make_pipeline(encoder, RandomForestClassifier(3, n_jobs=1)).fit(people, outcome)
    for compress in (0, 3, ("gzip", 3), ("xz", 3)):
        path = tmp_path / "model.joblib"
        joblib.dump(model, path, compress=compress)
        found = inspected(path)
        assert "sklearn.ensemble._forest.RandomForestClassifier" in found.details["imports"]
        assert "sklearn.preprocessing._encoders.OneHotEncoder" in found.details["imports"]
        assert found.details["unusual_imports"] == []
        assert not any("stopped early" in warning for warning in found.warnings)
        assert found.format == ("compressed pickle" if compress else "pickle")


def test_a_pickle_under_another_name_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(pickle.dumps(Bomb(os.getenv, "HOME")))
    found = inspected(path)
    assert found.format == "pickle"
    assert "under the name of another format" in found.warnings[1]


def test_a_cut_pickle_shows_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps([Bomb(os.getenv, "HOME"), "x" * 1000])[:-500])
    found = inspected(path)
    assert "os.getenv" in found.details["imports"]
    assert any("stopped early" in warning for warning in found.warnings)


def test_torch(tmp_path: Path, no_import: None) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "model.pt"
    torch.save(torch.nn.Linear(2, 1), path)
    found = inspected(path)
    assert found.format == "torch"
    assert "torch.nn.modules.linear.Linear" in found.details["imports"]
    assert not found.loads_by_default


def test_skops(tmp_path: Path, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    skops = pytest.importorskip("skops.io")
    path = tmp_path / "model.skops"
    skops.dump(LogisticRegression().fit(numbers, outcome), path)
    found = inspected(path)
    assert "sklearn.linear_model._logistic.LogisticRegression" in found.details["types"]
    assert found.details["untrusted_types"] == []
    assert found.loads_by_default
    skops.dump(FunctionTransformer(np.linalg.norm), path)
    found = inspected(path)
    assert len(found.details["untrusted_types"]) == 1
    assert not found.loads_by_default
    assert found.needs[0] == "trusted=[...]"


@pytest.mark.parametrize("suffix", [".json", ".ubj"])
@pytest.mark.parametrize("kind", ["gbtree", "dart"])
def test_xgboost(tmp_path: Path, numbers: pd.DataFrame, outcome: np.ndarray, suffix: str, kind: str) -> None:
    xgboost = pytest.importorskip("xgboost")
    path = tmp_path / f"model{suffix}"
    xgboost.XGBClassifier(n_estimators=4, n_jobs=1, booster=kind).fit(numbers, outcome == "good").save_model(
        path
    )
    found = inspected(path)
    assert found.details["objective"] == "binary:logistic"
    assert found.details["n_trees"] == 4
    assert found.details["n_features"] == 2
    assert found.details["features"] == ["hours per week", "age"]
    assert found.details["booster"] == kind
    assert found.needs == ("xgboost",)


def test_lightgbm(tmp_path: Path, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    path = tmp_path / "model.txt"
    model = lightgbm.LGBMClassifier(n_estimators=4, n_jobs=1, verbose=-1).fit(numbers, outcome == "good")
    model.booster_.save_model(path)
    found = inspected(path)
    assert found.details["objective"] == "binary sigmoid:1"
    assert found.details["n_trees"] == 4
    assert found.details["features"] == ["hours_per_week", "age"]


def test_onnx(tmp_path: Path, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    skl2onnx = pytest.importorskip("skl2onnx")
    model = LogisticRegression().fit(numbers.to_numpy(), outcome)
    path = tmp_path / "model.onnx"
    path.write_bytes(skl2onnx.to_onnx(model, numbers.to_numpy(dtype=np.float32)[:1]).SerializeToString())
    found = inspected(path)
    assert found.details["inputs"] == [{"name": "X", "type": "float", "shape": [None, 2]}]
    assert [each["name"] for each in found.details["outputs"]] == ["output_label", "output_probability"]
    assert found.details["producer"].startswith("skl2onnx")
    assert found.details["classes"] == ["bad", "good"]
    assert found.details["opset"]["ai.onnx.ml"] >= 1
    assert found.loads_by_default


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.json", b'{"learner": 3}'),
        ("model.json", b'{"learner'),
        ("model.ubj", b"{L\x00\x00\x00\x00\x00\x00\x00\x07learner"),
        ("model.ubj", b"{L\x7f\xff\xff\xff\xff\xff\xff\xff"),
        ("model.txt", b"tree\nno header"),
        ("model.onnx", b"\x08\x07\x3a\xff\xff"),
        ("model.joblib", b"\x1f\x8b broken"),
        ("model.joblib", b"\x78\x9c broken"),
    ],
)
def test_damaged_files_are_errors_of_ours(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError):
        inspect_model(tmp_path / name)


def test_hostile_names_are_made_printable(tmp_path: Path) -> None:
    path = tmp_path / "model.pkl"
    path.write_bytes(b"cos\x1b[31m\nsystem\n.")
    found = inspected(path)
    assert found.details["imports"] == ["os\\u001b[31m.system"]


def test_deeply_nested_documents(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'{"learner":' * 100_000)
    with pytest.raises(ModelError):
        inspect_model(tmp_path / "a.json")
    (tmp_path / "b.ubj").write_bytes(b"{i\x01a" * 100_000)
    with pytest.raises(ModelError):
        inspect_model(tmp_path / "b.ubj")
