from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fairwitness.errors import ModelError
from fairwitness.model import as_blackbox, load_model
from fairwitness.model.protobuf import read_onnx

pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")
onnx = pytest.importorskip("onnx")


def matrix_model(model: Any, width: int = 2, **options: Any) -> bytes:
    from skl2onnx.common.data_types import FloatTensorType

    given = {id(model): options} if options else None
    return skl2onnx.to_onnx(
        model, initial_types=[("input", FloatTensorType([None, width]))], options=given
    ).SerializeToString()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("onnx") / "model.onnx"


def blackbox(path: Path, content: bytes, **settings: Any) -> Any:
    path.write_bytes(content)
    return as_blackbox(path, **settings)


@pytest.mark.parametrize("options", [{}, {"zipmap": False}])
@pytest.mark.parametrize("favorable", ["bad", "good"])
def test_one_matrix_in_label_and_probabilities_out(
    path: Path, numbers: pd.DataFrame, outcome: np.ndarray, options: dict, favorable: str
) -> None:
    model = RandomForestClassifier(5, max_depth=3, random_state=0, n_jobs=1).fit(numbers.to_numpy(), outcome)
    box = blackbox(path, matrix_model(model, **options), favorable=favorable, batch_size=30)
    judgement = box.judge(numbers)
    proba = model.predict_proba(numbers.to_numpy())[:, list(model.classes_).index(favorable)]
    assert np.allclose(judgement.score, proba, atol=1e-5)
    clear = np.abs(proba - 0.5) > 1e-4
    assert (judgement.accepted == (proba > 0.5))[clear].all()
    assert box.info.classes == ("bad", "good")
    assert box.info.digest is not None


def test_integer_labels_below_zero(path: Path, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    labels = np.where(outcome == "good", 1, -1)
    model = LogisticRegression().fit(numbers.to_numpy(), labels)
    box = blackbox(path, matrix_model(model, zipmap=False), favorable=-1)
    assert box.info.classes == (-1, 1)
    assert box.judge(numbers).accepted.tolist() == (model.predict(numbers.to_numpy()) == -1).tolist()


def test_one_input_a_column(path: Path, people: pd.DataFrame, outcome: np.ndarray) -> None:
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType

    frame = people[["hours per week", "job", "age"]]
    columns = make_column_transformer(
        (StandardScaler(), ["hours per week", "age"]), (OneHotEncoder(), ["job"])
    )
    model = make_pipeline(columns, LogisticRegression()).fit(frame, outcome)
    types = [
        ("hours per week", FloatTensorType([None, 1])),
        ("job", StringTensorType([None, 1])),
        ("age", Int64TensorType([None, 1])),
    ]
    box = blackbox(path, skl2onnx.to_onnx(model, initial_types=types).SerializeToString(), favorable="good")
    assert box.info.feature_names == ("hours_per_week", "job", "age")  # ONNX allows no blanks
    judgement = box.judge(people[["owner", "age", "job", "hours per week"]])
    assert np.allclose(judgement.score, model.predict_proba(frame)[:, 1], atol=1e-5)
    with pytest.raises(ModelError, match="the column 'age' holds text"):
        box.judge(people.assign(age="old"))
    gap = people["job"].astype(object).copy()
    gap[4] = None
    with pytest.raises(ModelError, match="'job' is missing in row 4"):
        box.judge(people.assign(job=gap))
    with pytest.raises(ModelError, match="'age' is missing in row 3"):
        box.judge(people.assign(age=people["age"].where(people.index != 3)))


def test_a_regressor_gives_a_number(path: Path, numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    model = Ridge().fit(numbers.to_numpy(), outcome == "good")
    box = blackbox(path, matrix_model(model), threshold=0.4)
    judgement = box.judge(numbers)
    assert not blackbox(path, matrix_model(model), threshold=20).judge(numbers).accepted.any()
    expected = model.predict(numbers.to_numpy()).ravel()
    assert np.allclose(judgement.score, expected, atol=1e-4)
    assert "0.4 or more is accepted" in box.info.notes[0]


def network(last: str) -> bytes:
    """A line of two numbers, with or without a sigmoid, as a network library exports it."""
    helper, tensor = onnx.helper, onnx.TensorProto
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["y" if last == "Gemm" else "z"])]
    if last != "Gemm":
        nodes.append(helper.make_node(last, ["z"], ["y"]))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", tensor.FLOAT, [None, 2])],
        [helper.make_tensor_value_info("y", tensor.FLOAT, [None, 1])],
        [
            helper.make_tensor("w", tensor.FLOAT, [2, 1], [0.1, -0.05]),
            helper.make_tensor("b", tensor.FLOAT, [1], [-1.0]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model.SerializeToString()


def test_networks_are_read_by_their_last_operator(path: Path, numbers: pd.DataFrame) -> None:
    line = numbers.to_numpy() @ np.array([0.1, -0.05]) - 1
    share = 1 / (1 + np.exp(-line))
    logit = blackbox(path, network("Gemm"))
    assert "last operator is Gemm" in logit.info.notes[0]
    assert np.allclose(logit.judge(numbers).score, share, atol=1e-5)
    sigmoid = blackbox(path, network("Sigmoid"), favorable=0)
    assert np.allclose(sigmoid.judge(numbers).score, 1 - share, atol=1e-5)
    told = blackbox(path, network("Gemm"), output="probability")
    with pytest.raises(ModelError, match="not between 0 and 1"):
        told.judge(numbers)


def test_a_session_is_taken_and_can_travel(path: Path, numbers: pd.DataFrame) -> None:
    path.write_bytes(network("Sigmoid"))
    box = as_blackbox(load_model(path))
    copy = pickle.loads(pickle.dumps(box))
    assert np.array_equal(copy.judge(numbers).score, box.judge(numbers).score)


def test_wrong_columns(path: Path, people: pd.DataFrame) -> None:
    box = blackbox(path, network("Sigmoid"))
    with pytest.raises(ModelError, match="takes 2 columns; got 4 columns"):
        box.judge(people)
    with pytest.raises(ModelError, match="'job' holds text"):
        box.judge(people[["job", "age"]])


def test_weights_in_another_file_are_refused(path: Path) -> None:
    model = onnx.load_from_string(network("Gemm"))
    onnx.external_data_helper.convert_model_to_external_data(model, size_threshold=0)
    for tensor in model.graph.initializer:
        tensor.ClearField("raw_data")
        tensor.ClearField("float_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ModelError, match="weights in another file"):
        load_model(path)


def test_the_reader_agrees_with_the_onnx_package(numbers: pd.DataFrame, outcome: np.ndarray) -> None:
    content = matrix_model(LogisticRegression().fit(numbers.to_numpy(), outcome))
    facts, model = read_onnx(content), onnx.load_from_string(content)
    assert facts.ir_version == model.ir_version
    assert [each.name for each in facts.inputs] == [each.name for each in model.graph.input]
    assert [each.name for each in facts.outputs] == [each.name for each in model.graph.output]
    assert facts.opset == {each.domain or "ai.onnx": each.version for each in model.opset_import}
    assert [name.split(".")[-1] for name in facts.operators] == [node.op_type for node in model.graph.node]
    assert facts.class_labels == ("bad", "good")
    assert facts.inputs[0].type == "float"
    assert facts.inputs[0].shape == (None, 2)


@pytest.mark.parametrize("cut", [1, 10, 100])
def test_a_cut_file_is_damaged(path: Path, cut: int) -> None:
    path.write_bytes(network("Gemm")[:-cut])
    with pytest.raises(ModelError):
        load_model(path)
