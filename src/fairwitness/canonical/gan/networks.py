"""Generator, critic and readers as plain tensors by name: no module classes, no global random state.

A network is a dictionary of tensors. That is all there is to average, to keep and to write to a file, and
every draw names the generator it comes from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

#: Name → tensor.
Net: TypeAlias = dict[str, Any]
NOISE = 128
WIDTH = 256
#: Temperature of the Gumbel-softmax heads.
TAU = 0.2
LEAK = 0.2


def layer(torch: Any, name: str, before: int, after: int, chance: Any) -> Net:
    """Draw one layer, uniform in ±1/√before."""
    most = 1 / math.sqrt(before)
    return {
        f"{name}.w": (torch.rand((before, after), generator=chance) * 2 - 1) * most,
        f"{name}.b": (torch.rand(after, generator=chance) * 2 - 1) * most,
    }


def generator(torch: Any, inputs: int, outputs: int, chance: Any) -> Net:
    """Draw a generator: two residual blocks, whose inputs are handed on, and a linear head."""
    net: Net = {}
    for at in range(2):
        net.update(layer(torch, f"block{at}", inputs, WIDTH, chance))
        net.update(
            {
                f"block{at}.scale": torch.ones(WIDTH),
                f"block{at}.shift": torch.zeros(WIDTH),
                f"block{at}.mean": torch.zeros(WIDTH),
                f"block{at}.var": torch.ones(WIDTH),
            }
        )
        inputs += WIDTH
    net.update(layer(torch, "head", inputs, outputs, chance))
    return net


def learnt(net: Net) -> list[Any]:
    """Give the tensors that are trained: all but the running means and variances."""
    return [tensor for name, tensor in net.items() if not name.endswith((".mean", ".var"))]


def generate(torch: Any, net: Net, given: Any, *, training: bool) -> Any:
    """Give the head's outputs for (n, noise + conditions) inputs."""
    inner = None
    for at in range(2):
        own = _joined(torch, net, f"block{at}", inner, given)
        own = torch.nn.functional.batch_norm(
            own,
            net[f"block{at}.mean"],
            net[f"block{at}.var"],
            net[f"block{at}.scale"],
            net[f"block{at}.shift"],
            training=training,
        )
        own = torch.relu(own)
        inner = own if inner is None else torch.cat([own, inner], 1)
    return _joined(torch, net, "head", inner, given)


def _joined(torch: Any, net: Net, name: str, inner: Any, given: Any) -> Any:
    """Give a layer of inner numbers and inputs side by side.

    As two products: the inputs need no gradient, and one product of both would work theirs out.
    """
    if inner is None:
        return torch.addmm(net[f"{name}.b"], given, net[f"{name}.w"])
    split = inner.shape[1]
    told = torch.addmm(net[f"{name}.b"], given, net[f"{name}.w"][split:])
    return torch.addmm(told, inner, net[f"{name}.w"][:split])


def heads(torch: Any, raw: Any, sizes: Sequence[int], chance: np.random.Generator) -> tuple[Any, Any]:
    """Turn outputs into a row: tanh scalars, Gumbel-softmax blocks.

    Parameters
    ----------
    raw
        (n, m + blocks) outputs.
    sizes
        Widths of the blocks.
    chance
        Source of the Gumbel noise.

    Returns
    -------
    row, logs
        (n, m + blocks) the row; (n, blocks) the logarithms of the levels' probabilities.
    """
    m = raw.shape[1] - sum(sizes)
    drawn = chance.standard_exponential((len(raw), sum(sizes)), dtype=np.float32)
    noise = torch.from_numpy(np.log(np.maximum(drawn, 1e-30))).to(raw.device)
    parts, logs = [], []
    for own, extra in zip(raw[:, m:].split(list(sizes), 1), noise.split(list(sizes), 1), strict=True):
        log = torch.log_softmax(own, 1)
        logs.append(log)
        soft = torch.softmax((log - extra) / TAU, 1)
        parts.append(soft)
    return torch.cat([torch.tanh(raw[:, :m]), *parts], 1), torch.cat(logs, 1)


def critic(torch: Any, inputs: int, chance: Any) -> Net:
    """Draw a critic: two layers and one number."""
    return {
        **layer(torch, "first", inputs, WIDTH, chance),
        **layer(torch, "second", WIDTH, WIDTH, chance),
        **layer(torch, "last", WIDTH, 1, chance),
    }


def meet(torch: Any, net: Net, rows: Any, conditions: Any) -> Any:
    """Give the critic's first layer of (k n, r) rows under (n, c) conditions, before it is activated.

    It is linear, so that of a mixture of rows is the mixture of theirs, and what the conditions give is
    worked out once for all ``k`` sets of rows.
    """
    split = rows.shape[1]
    told = torch.addmm(net["first.b"], conditions, net["first.w"][split:])
    met = rows @ net["first.w"][:split]
    return (met.reshape(-1, *told.shape) + told).reshape(met.shape)


def judge(torch: Any, net: Net, first: Any, dropout: float, chance: np.random.Generator) -> tuple[Any, Any]:
    """Give the critic's (n, 1) numbers from its first layer, and the slopes of its inner numbers.

    Parameters
    ----------
    first
        (n, width) as :func:`meet` gives it.
    dropout
        Share of the inner numbers left out.
    """
    slopes = [_slope(torch, first, dropout, chance)]
    second = torch.addmm(net["second.b"], first * slopes[0], net["second.w"])
    slopes.append(_slope(torch, second, dropout, chance))
    return torch.addmm(net["last.b"], second * slopes[1], net["last.w"]), slopes


def steepness(torch: Any, net: Net, slopes: Sequence[Any], inputs: int) -> Any:
    """Give the (n,) norm of the critic's gradient by its first ``inputs`` inputs.

    The gradient of a network of linear pieces is a product of matrices: no second pass backwards is needed.
    """
    back = (slopes[1] * net["last.w"][:, 0]) @ net["second.w"].T
    back = (back * slopes[0]) @ net["first.w"][:inputs].T
    return torch.sqrt((back**2).sum(1) + 1e-12)


def _slope(torch: Any, inner: Any, dropout: float, chance: np.random.Generator) -> Any:
    """Give the slope of a leaky unit with dropout, for every inner number: what it is multiplied by."""
    slope = inner.detach().sign().mul_((1 - LEAK) / 2).add_((1 + LEAK) / 2)
    if dropout:
        bytes_ = chance.integers(0, 256, tuple(inner.shape), dtype=np.uint8)
        kept = (bytes_ >= round(256 * dropout)).astype(np.float32) / np.float32(1 - dropout)
        slope *= torch.from_numpy(kept).to(inner.device)
    return slope


def reader(torch: Any, inputs: int, chance: Any, width: int = 128) -> Net:
    """Draw a small network that reads one logit from its inputs."""
    return {
        **layer(torch, "first", inputs, width, chance),
        **layer(torch, "second", width, width, chance),
        **layer(torch, "last", width, 1, chance),
    }


def read(torch: Any, net: Mapping[str, Any], given: Any, dropout: float = 0.0, chance: Any = None) -> Any:
    """Give (n,) logits."""
    for name in ("first", "second"):
        given = torch.nn.functional.silu(torch.addmm(net[f"{name}.b"], given, net[f"{name}.w"]))
        if dropout:
            kept = chance.random(tuple(given.shape), dtype=np.float32) >= dropout
            given = given * torch.from_numpy(kept).to(given.device) / (1 - dropout)
    return torch.addmm(net["last.b"], given, net["last.w"])[:, 0]


class Adam:
    """Adam with weight decay on a list of tensors, which are told to keep gradients.

    torch's own would import its compiler, which takes longer than to train on a small table.
    """

    def __init__(
        self, torch: Any, tensors: Sequence[Any], rate: float, *, decay: float, memory: tuple[float, float]
    ) -> None:
        self._torch, self._tensors, self._decay, self._memory = torch, list(tensors), decay, memory
        self.rate = rate
        self._mean = [torch.zeros_like(each) for each in self._tensors]
        self._square = [torch.zeros_like(each) for each in self._tensors]
        self._steps = 0
        for tensor in self._tensors:
            tensor.requires_grad_(True)

    def step(self, loss: Any) -> None:
        """Move the tensors down the slope of a loss."""
        slopes = self._torch.autograd.grad(loss, self._tensors)
        first, second = self._memory
        self._steps += 1
        scale = math.sqrt(1 - second**self._steps)
        pace = self.rate / (1 - first**self._steps) * scale
        with self._torch.no_grad():
            for tensor, slope, mean, square in zip(
                self._tensors, slopes, self._mean, self._square, strict=True
            ):
                if self._decay:
                    slope = slope.add(tensor, alpha=self._decay)
                mean.lerp_(slope, 1 - first)
                square.mul_(second).addcmul_(slope, slope, value=1 - second)
                tensor.addcdiv_(mean, square.sqrt().add_(1e-8 * scale), value=-pace)


def frozen(net: Net) -> Net:
    """Copy a network, without gradients."""
    return {name: tensor.detach().clone() for name, tensor in net.items()}
