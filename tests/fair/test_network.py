from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from fairwitness.errors import ConfigError
from fairwitness.fair.network import (
    answers,
    arrays,
    batches,
    batches_a_pass,
    forward,
    initial,
    layer_sizes,
    share,
    softmax,
    tensors,
)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("last", [False, True])
def test_torch_and_numpy_give_the_same(activation: str, last: bool) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    layers = [(matrix, rng.normal(size=shift.shape)) for matrix, shift in initial(rng, (5, 7, 3))]
    rows = rng.normal(size=(20, 5))
    there = forward(torch, tensors(torch, layers), torch.from_numpy(rows), activation=activation, last=last)
    here = answers(layers, rows, activation=activation, last=last)
    np.testing.assert_allclose(there.detach().numpy(), here, atol=1e-14)
    for (a, b), (c, d) in zip(arrays(tensors(torch, layers)), layers, strict=True):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)


def test_dropout_keeps_the_mean() -> None:
    torch = pytest.importorskip("torch")
    layers = tensors(torch, [(np.eye(4), np.ones(4))])
    generator = torch.Generator().manual_seed(0)
    rows = torch.zeros((5000, 4), dtype=torch.float64)
    out = forward(torch, layers, rows, last=True, dropout=0.3, generator=generator).detach().numpy()
    assert set(np.round(np.unique(out), 9)) == {0.0, round(1 / 0.7, 9)}
    assert out.mean() == pytest.approx(1, abs=0.02)


def test_batches_take_every_row_once_a_pass() -> None:
    assert batches_a_pass(10, 4) == 3
    assert batches_a_pass(10, 40) == 1
    stream = batches(np.random.default_rng(0), 10, 4)
    for _ in range(3):
        a_pass = np.concatenate(list(islice(stream, 3)))
        assert sorted(a_pass) == list(range(10))


def test_softmax() -> None:
    np.testing.assert_allclose(
        softmax(np.array([[0.0], [2.0]])), [[0.5, 0.5], [1 / (1 + np.exp(2)), 1 / (1 + np.exp(-2))]]
    )
    np.testing.assert_allclose(softmax(np.array([[1000.0, 0.0, -1000.0]])), [[1, 0, 0]])


def test_layer_sizes_and_shares() -> None:
    assert layer_sizes(5, "hidden") == (5,)
    assert layer_sizes([5, 3], "hidden") == (5, 3)
    assert layer_sizes((), "hidden", none_allowed=True) == ()
    assert share(0, "dropout") == 0
    for wrong in ((), 0, "x", (3, 2.5)):
        with pytest.raises(ConfigError):
            layer_sizes(wrong, "hidden")
    for wrong in (-0.1, 1, "x"):
        with pytest.raises(ConfigError):
            share(wrong, "dropout")
