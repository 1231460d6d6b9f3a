from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from fairwitness.errors import ModelError
from fairwitness.model import as_blackbox

torch = pytest.importorskip("torch")


def network(last: str, width: int) -> torch.nn.Module:
    torch.manual_seed(0)
    parts = [torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 3), torch.nn.Dropout(0.5), torch.nn.Linear(3, width)]
    if last == "sigmoid":
        parts.append(torch.nn.Sigmoid())
    if last == "softmax":
        parts.append(torch.nn.Softmax(dim=1))
    return torch.nn.Sequential(*parts)


def outputs(module: torch.nn.Module, frame: pd.DataFrame) -> np.ndarray:
    copy = pickle.loads(pickle.dumps(module)).eval()
    with torch.no_grad():
        return copy(torch.tensor(frame.to_numpy(), dtype=torch.float32)).numpy()


def test_one_logit(numbers: pd.DataFrame) -> None:
    module = network("", 1)
    box = as_blackbox(module)
    judgement = box.judge(numbers)
    raw = outputs(module, numbers)[:, 0]
    assert np.allclose(judgement.score, 1 / (1 + np.exp(-raw)), atol=1e-6)
    assert judgement.accepted.tolist() == (raw >= 0).tolist()
    assert "logits because its last layer is Linear" in box.info.notes[0]


def test_one_probability_for_the_unfavorable_side(numbers: pd.DataFrame) -> None:
    module = network("sigmoid", 1)
    judgement = as_blackbox(module, favorable=0).judge(numbers)
    assert np.allclose(judgement.score, 1 - outputs(module, numbers)[:, 0], atol=1e-6)


def test_two_logits_and_three_classes(numbers: pd.DataFrame) -> None:
    module = network("", 2)
    raw = outputs(module, numbers)
    judgement = as_blackbox(module).judge(numbers)
    assert np.allclose(judgement.score, 1 / (1 + np.exp(raw[:, 0] - raw[:, 1])), atol=1e-6)
    module = network("softmax", 3)
    box = as_blackbox(module, favorable="b", classes=["a", "b", "c"])
    assert box.judge(numbers).accepted.tolist() == (outputs(module, numbers).argmax(axis=1) == 1).tolist()


def test_training_flags_are_put_back(numbers: pd.DataFrame) -> None:
    module = network("", 1)
    module.train()
    module[1].eval()
    flags = [part.training for part in module.modules()]
    first = as_blackbox(module).judge(numbers)
    again = as_blackbox(module).judge(numbers)
    assert [part.training for part in module.modules()] == flags
    assert np.array_equal(first.score, again.score)  # dropout was off
    assert all(weight.grad is None for weight in module.parameters())


class Hidden(torch.nn.Module):
    """Squashes inside forward, where nothing shows it."""

    def __init__(self) -> None:
        super().__init__()
        self.line = torch.nn.Linear(2, 1)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.line(rows))


def test_logits_that_all_look_like_probabilities_are_not_guessed_about(numbers: pd.DataFrame) -> None:
    with pytest.raises(ModelError, match=r'as_blackbox\(module, output="probability"\) or output="logit"'):
        as_blackbox(Hidden()).judge(numbers)
    judgement = as_blackbox(Hidden(), output="probability").judge(numbers)
    assert ((judgement.score >= 0) & (judgement.score <= 1)).all()


def test_probabilities_that_are_none(numbers: pd.DataFrame) -> None:
    with pytest.raises(ModelError, match="not between 0 and 1"):
        as_blackbox(network("", 1), output="probability").judge(numbers * 100)


def test_text_is_refused_and_errors_are_told(people: pd.DataFrame, numbers: pd.DataFrame) -> None:
    box = as_blackbox(network("", 1))
    with pytest.raises(ModelError, match="the column 'job' holds text"):
        box.judge(people)
    with pytest.raises(ModelError, match="could not judge the rows: RuntimeError"):
        box.judge(numbers[["age"]])
    with pytest.raises(ModelError, match="shape"):
        as_blackbox(network("", 4)).judge(numbers)


def test_double_precision_modules_get_doubles(numbers: pd.DataFrame) -> None:
    module = network("", 1).double()
    assert as_blackbox(module).judge(numbers).has_score


def test_the_digest_is_of_the_weights(numbers: pd.DataFrame) -> None:
    module = network("", 1)
    before = as_blackbox(module).info.digest
    assert before == as_blackbox(network("", 1)).info.digest
    with torch.no_grad():
        module[1].bias += 1
    assert as_blackbox(module).info.digest != before
