"""Small networks: trained with torch in float64 from generators of their own, asked with numpy alone.

torch is only there for gradients. Weights and batches are drawn by numpy generators and dropout by a torch
generator of its own, so that no global random state is read or written, and a fitted network is a list of
arrays: it can be pickled, and asked where torch is not installed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from scipy.special import expit

from fairwitness.arguments import real_number, shown, whole_number
from fairwitness.errors import ConfigError
from fairwitness.typing import FloatArray, IntArray

#: One (inputs, outputs) matrix and one (outputs,) shift a layer.
Layers = list[tuple[FloatArray, FloatArray]]
Activation = Literal["relu", "tanh"]


def initial(rng: np.random.Generator, sizes: Sequence[int]) -> Layers:
    """Draw the layers of a network from its sizes, inputs first (Glorot's uniform distribution)."""
    layers = []
    for before, after in itertools.pairwise(sizes):
        most = np.sqrt(6 / (before + after))
        layers.append((rng.uniform(-most, most, size=(before, after)), np.zeros(after)))
    return layers


def tensors(torch: Any, layers: Layers) -> list[Any]:
    """Copy layers into torch, matrix and shift by turns."""
    return [torch.tensor(part, dtype=torch.float64, requires_grad=True) for layer in layers for part in layer]


def arrays(parameters: Sequence[Any]) -> Layers:
    """Copy parameters back; the inverse of :func:`tensors`."""
    parts = [each.detach().numpy().copy() for each in parameters]
    return list(zip(parts[::2], parts[1::2], strict=True))


def forward(
    torch: Any,
    parameters: Sequence[Any],
    x: Any,
    *,
    activation: Activation = "relu",
    last: bool = False,
    dropout: float = 0.0,
    generator: Any = None,
) -> Any:
    """Pass rows through the network; ``last`` says whether the last layer is activated too."""
    squash = torch.relu if activation == "relu" else torch.tanh
    for at in range(0, len(parameters), 2):
        x = x @ parameters[at] + parameters[at + 1]
        if at + 2 < len(parameters) or last:
            x = squash(x)
            if dropout:
                kept = torch.rand(x.shape, generator=generator) >= dropout
                x = x * kept / (1 - dropout)
    return x


def answers(
    layers: Layers, rows: FloatArray, *, activation: Activation = "relu", last: bool = False
) -> FloatArray:
    """Do the same with numpy, without dropout."""
    for at, (matrix, shift) in enumerate(layers):
        rows = rows @ matrix + shift
        if at + 1 < len(layers) or last:
            rows = np.maximum(rows, 0) if activation == "relu" else np.tanh(rows)
    return rows


def batches(rng: np.random.Generator, n: int, size: int) -> Iterator[IntArray]:
    """Give batches of rows without end: each pass over the n rows in a new order, every row once."""
    size = min(size, n)
    while True:
        order = rng.permutation(n)
        for first in range(0, n, size):
            yield order[first : first + size]


def batches_a_pass(n: int, size: int) -> int:
    """Number of batches in one pass over n rows."""
    return -(-n // min(size, n))


def torch_generator(torch: Any, rng: np.random.Generator) -> Any:
    """Give a torch generator of its own, seeded from ``rng``."""
    return torch.Generator().manual_seed(int(rng.integers(2**62)))


def softmax(logits: FloatArray) -> FloatArray:
    """(n, C) probabilities; of a single column, the two that its logit stands for."""
    if logits.shape[1] == 1:
        positive = expit(logits)
        return np.concatenate([1 - positive, positive], axis=1)
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def layer_sizes(value: object, name: str, *, none_allowed: bool = False) -> tuple[int, ...]:
    """Check the sizes of hidden layers: a number, or several.

    Raises
    ------
    ConfigError
        If one is no whole number of at least 1, or there is none where one is needed.
    """
    sizes = value if isinstance(value, list | tuple) else (value,)
    fix = f"pass for example {name}=(64, 32)"
    checked = tuple(whole_number(size, name, fix=fix) for size in sizes)
    if not checked and not none_allowed:
        raise ConfigError(f"{name} needs a layer", got=shown(value), fix=fix)
    return checked


def share(value: object, name: str) -> float:
    """Check a share from 0 up to, but without, 1."""
    number = real_number(value, name, below=1, fix=f"pass for example {name}=0.2")
    if number < 0:
        raise ConfigError(
            f"{name} must not be negative", got=shown(value), fix=f"pass for example {name}=0.2"
        )
    return number
